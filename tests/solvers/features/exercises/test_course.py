"""The twelve exercises: each fails as it is given, for the reason that it names, and
its solution solves it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from solvers.devices.device import Device
from solvers.errors import VariantFileError
from solvers.features.exercises.course import (
    CLASS_COLUMNS,
    FILE,
    SHIPPED,
    Exercise,
    Limit,
    Outcome,
    add_folder,
    attempts,
    check_exercise,
    exercises,
    find_exercise,
    hand_in,
    keep_attempt,
    read_exercise,
)
from solvers.features.own_kernels.user_process import UserProcess
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.quick import first_quick

COURSE = exercises(SHIPPED)[0]
RACES = ("01-missing-atomic",)  # which a GPU need not lose


@pytest.fixture(scope="module")
def process() -> Iterator[list[UserProcess]]:
    """One process for all, which is exchanged where a kernel has ended it."""
    kept = [UserProcess()]
    yield kept
    if kept[0].is_usable:
        kept[0].close()


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    return tmp_path


def outcome_of(one: Exercise, text: str, device: Device, process: list[UserProcess]) -> Outcome:
    if not process[0].is_usable:
        process[0] = UserProcess()
    return check_exercise(one, text, device, process=process[0], graphs=8)


def test_there_are_twelve() -> None:
    assert len(COURSE) == 12
    assert exercises(SHIPPED)[1] == []


@pytest.mark.parametrize("one", first_quick(COURSE, 5), ids=lambda one: one.id)
def test_an_exercise_fails_as_given_and_is_solved_by_its_solution(one, device, process):
    given = outcome_of(one, one.given, device, process)
    if device.kind == "opencl" or one.id not in RACES:
        assert given.kind == one.fails, given.sentences
    solved = outcome_of(one, one.solution, device, process)
    assert solved.solved, solved.sentences


def test_texts_that_do_not_compile_or_fit_are_outcomes(device, process):
    one = find_exercise("3")
    assert (
        outcome_of(one, one.given.replace("int pass =", "int pass"), device, process).kind
        == "does not compile"
    )
    assert (
        outcome_of(one, one.given.replace("int step", "index_t step"), device, process).kind
        == "does not compile"
    )


@pytest.mark.parametrize(
    ("limit", "found", "holds"),
    [
        (Limit("sectors", most=6.0), 6.0, True),
        (Limit("sectors", most=6.0), 6.1, False),
        (Limit("threads", least=24.0), 23.0, False),
        (Limit("threads", least=24.0), 32.0, True),
    ],
)
def test_limits(limit, found, holds):
    assert (limit.exceeded_by(found) == "") is holds


def test_attempts_are_kept_and_a_solved_exercise_stays_solved(folder):
    one = COURSE[0]
    assert attempts() == {}
    for kind in ("lost update", "solved", "slow"):
        keep_attempt(one, Outcome(kind, ()))
    kept = attempts()[one.id]
    assert (kept.solved, kept.checks, kept.kind) == (True, 3, "slow")
    for damaged in (b"[1", b"[1]", b'{"one": {"solved": 1}}', b'{"\xff": 1}'):
        (folder / "data" / "exercises.json").write_bytes(damaged)
        assert attempts() == {}


def written(folder: Path, one: Exercise = COURSE[2], **fields: str) -> Path:
    folder.mkdir(parents=True)
    values = {
        "title": "Own",
        "base": one.base_id,
        "task": "Mend it.",
        "hint": "Look.",
        "fails": one.fails,
    } | fields
    (folder / FILE).write_text(
        "".join(f'{name} = "{value}"\n' for name, value in values.items() if value)
    )
    (folder / "kernel.cu").write_text(one.given)
    (folder / "solution.cu").write_text(one.solution)
    return folder


def test_a_teachers_folder_is_added(folder):
    written(folder / "course" / "My first")
    added = add_folder(folder / "course")
    assert [one.id for one in added] == ["my-first"]
    assert [one.id for one in exercises()[0]][-1] == "my-first"
    assert find_exercise("my-first").given == COURSE[2].given


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": ""}, "needs a text “title”"),
        ({"base": "no-such"}, "There is no variant"),
        ({"base": "dijkstra-heap"}, "kernel to change"),
        ({"base": "fw-cell"}, "no entry point"),
        ({"fails": "x\n[limit]\nmeasure = "}, "exercise.toml"),
    ],
)
def test_a_wrong_exercise_is_told_and_left_out(folder, fields, words):
    place = written(folder / "course" / "bad", **fields)
    with pytest.raises(VariantFileError) as caught:
        read_exercise(place)
    assert words in str(caught.value)
    with pytest.raises(VariantFileError):
        add_folder(folder / "course")
    assert exercises(folder / "course")[0] == []


def test_an_exercise_that_is_not_text_is_told_and_left_out(folder):
    place = written(folder / "course" / "bad")
    (place / "kernel.cu").write_bytes(b"\xff")
    found, problems = exercises(folder / "course")
    assert (found, [str(problem) for problem in problems]) == (
        [],
        ["kernel.cu: it is not text in UTF-8."],
    )


def test_a_class_is_graded_from_what_was_handed_in(folder, device, tautpath):
    one = find_exercise("3")
    course = written(folder / "course" / one.id, one).parent
    one.kernel(one.solution).keep()
    assert [path.name for path in hand_in(folder / "class" / "ada")] == [f"{one.id}.cu"]
    for name, text in (("bob", one.given), ("eve", "no kernel"), ("zoe", "")):
        (folder / "class" / name).mkdir()
        if text:
            (folder / "class" / name / f"{one.id}.cu").write_text(text)
    (folder / "class" / "max").mkdir()
    (folder / "class" / "max" / f"{one.id}.cu").write_bytes(b"\xff")
    place = folder / "results.csv"
    arguments = (
        "--exercises-from",
        course,
        "--class",
        folder / "class",
        "--csv",
        place,
        "--device",
        device.kind,
    )
    status, _, err = tautpath("exercises", *arguments)
    assert status == 0, err
    with place.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == CLASS_COLUMNS
    outcomes = {row["student"]: (row["solved"], row["outcome"]) for row in rows}
    assert outcomes == {
        "ada": ("yes", "solved"),
        "bob": ("no", one.fails),
        "eve": ("no", "does not compile"),
        "max": ("no", "not read"),
        "zoe": ("no", "not handed in"),
    }
    assert [row["words"] for row in rows if row["student"] == "max"] == [
        f"{one.id}.cu: it is not text in UTF-8."
    ]


def test_the_command_starts_one(folder, tautpath):
    place = folder / "mine.cu"
    assert (tautpath("exercises", "3", "--start", place)[0], place.read_text()) == (
        0,
        COURSE[2].given,
    )
