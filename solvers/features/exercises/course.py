"""Exercises: broken or slow kernels to be mended, and the check that says what is
wrong, or that one is solved.

An exercise is a folder with ``exercise.toml``, ``kernel.cu`` and, where the original is
not the solution, ``solution.cu``. Tautpath's are in ``shipped``, a teacher's in
``exercises`` of the user's data folder. The text that a student works on is a changed
kernel with the exercise's name; the last outcome is kept in ``exercises.json``.
"""

from __future__ import annotations

import csv
import logging
import shutil
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from solvers.core.problem import Problem
from solvers.core.variant import Answers
from solvers.devices.device import Device
from solvers.errors import (
    ExerciseFileError,
    FileMissing,
    KernelBuildError,
    KernelMismatch,
    UnknownName,
    UserCodeFailed,
)
from solvers.features.own_kernels.instrumented import AccessLog, Logged
from solvers.features.own_kernels.kernel_check import Deviation, check, find_deviation
from solvers.features.own_kernels.kernel_functions import KernelFunction, functions_named
from solvers.features.own_kernels.kernel_memory import findings_of, small_graph
from solvers.features.own_kernels.user_process import UserProcess
from solvers.features.own_kernels.user_variants import ChangedKernel, UserVariant, base_of, text_of
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import data_folder
from solvers.system.files import replace_atomically, write_text, writing
from solvers.system.known_types import known

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).with_name("shipped")
FILE = "exercise.toml"
_GRAPHS = 12  # random ones of each weight type
_SOURCES = (0, 11, 22, 33, 44)  # of the rows of all pairs that are looked at
_SIZES = {False: (293, 1500), True: (45, 200)}  # vertices and arcs, by whether all pairs are found
_MEASURED_PAIRS = (33, 150)
_MOST_TEXT = 1 << 16  # characters of a file

_MEASURES: Mapping[str, tuple[str, Callable[[AccessLog], float]]] = {
    "sectors": (
        "32-byte sectors a request of a warp",
        lambda log: float(log.requests()[:, 1].mean()),
    ),
    "threads": (
        "of 32 threads active in a request of a warp",
        lambda log: float(log.requests()[:, 0].mean()),
    ),
    "atomics": ("atomic steps", lambda log: float(len(log.of("atomic")))),
    "accesses": ("accesses to memory", lambda log: float(len(log.entries))),
}

CLASS_COLUMNS = ("student", "exercise", "solved", "outcome", "words")


@dataclass(frozen=True)
class Limit:
    """What a right kernel may need: ``least`` and ``most`` of a measure."""

    measure: str
    least: float = 0.0
    most: float = float("inf")

    def exceeded_by(self, found: float) -> str:
        """A sentence; "" within the limits."""
        words, _ = _MEASURES[self.measure]
        if self.least <= found <= self.most:
            return ""
        bound = f"at least {self.least:g}" if found < self.least else f"at most {self.most:g}"
        return f"Right, but slow: {found:.4g} {words}; the exercise asks for {bound}."


@dataclass(frozen=True)
class Exercise:
    """One kernel to be mended."""

    id: str
    title: str
    base_id: str
    task: str
    hint: str
    fails: str  # what the check says of the kernel as it is given; see `Outcome.kind`
    folder: Path
    limit: Limit | None = None

    @property
    def given(self) -> str:
        return text_of(self.folder / "kernel.cu", ExerciseFileError)

    @property
    def solution(self) -> str:
        own = self.folder / "solution.cu"
        return text_of(own if own.is_file() else base_of(self.base_id)[1], ExerciseFileError)

    @property
    def functions(self) -> dict[str, KernelFunction]:
        """The functions that task and hint name."""
        return functions_named(f"{self.task} {self.hint}", base_of(self.base_id)[1].parent)

    def kernel(self, text: str) -> ChangedKernel:
        return ChangedKernel(self.base_id, text, self.id)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a check says of a text."""

    kind: str  # "solved", or what failed: "lost update", "slow", ...
    sentences: tuple[str, ...]
    deviation: Deviation | None = None

    @property
    def solved(self) -> bool:
        return self.kind == "solved"


def next_unsolved(found: Sequence[Exercise], after: str) -> Exercise | None:
    """The first exercise after one that is not solved, from the start again after the last."""
    made = attempts()
    ids = [one.id for one in found]
    place = ids.index(after) + 1 if after in ids else 0
    rest = (*found[place:], *found[:place])
    return next((one for one in rest if one.id not in made or not made[one.id].solved), None)


def own_folder() -> Path:
    return data_folder() / "exercises"


def exercises(folder: Path | None = None) -> tuple[list[Exercise], list[ExerciseFileError]]:
    """Tautpath's exercises and the user's, or those of one folder; and what keeps
    others from being used.
    """
    folders = (SHIPPED, own_folder()) if folder is None else (folder,)
    found: dict[str, Exercise] = {}
    problems = []
    for file in (file for place in folders for file in sorted(place.glob(f"*/{FILE}"))):
        try:
            one = read_exercise(file.parent)
            if one.id in found:
                raise ExerciseFileError(
                    file, f"there is another exercise {one.id}, in {found[one.id].folder}"
                )
            found[one.id] = one
        except ExerciseFileError as error:
            problems.append(error)
    if folder is not None and not (found or problems):
        problems.append(ExerciseFileError(folder, f"it has no folder with {FILE}"))
    return list(found.values()), problems


def read_exercise(folder: Path) -> Exercise:
    """The exercise of a folder; raises ExerciseFileError for anything that is missing or wrong."""
    file = folder / FILE
    try:
        content = tomllib.loads(text_of(file, ExerciseFileError)[:_MOST_TEXT])
        fields = {name: _text(content, name) for name in ("title", "base", "task", "hint")}
        base_of(fields["base"])
        limit = _limit(content["limit"]) if "limit" in content else None
        name = "".join(
            c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in folder.name.lower()
        )[:40]
        words = (
            fields["title"],
            fields["base"],
            fields["task"],
            fields["hint"],
            str(content.get("fails", "")),
        )
        one = Exercise(name, *words, folder, limit)
        for text in (one.given, one.solution):
            one.kernel(text).check()
        return one
    except (tomllib.TOMLDecodeError, ValueError, UnknownName, KernelMismatch, FileMissing) as error:
        raise ExerciseFileError(file, str(error).rstrip(".")) from error


def _text(content: Mapping[str, Any], name: str) -> str:
    value = content.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"it needs a text “{name}”")
    return " ".join(value.split())


def _limit(content: Any) -> Limit:
    if not isinstance(content, dict) or content.get("measure") not in _MEASURES:
        raise ValueError(f"[limit] needs a measure: {', '.join(_MEASURES)}")
    bounds = {name: content[name] for name in ("least", "most") if name in content}
    if not bounds or not all(isinstance(value, int | float) for value in bounds.values()):
        raise ValueError("[limit] needs a number “least” or “most”")
    return Limit(content["measure"], **{name: float(value) for name, value in bounds.items()})


def add_folder(folder: Path) -> list[Exercise]:
    """Copy a teacher's exercises to the user's data folder; raises ExerciseFileError,
    FileNotWritten.
    """
    found, problems = exercises(folder)
    if problems:
        raise problems[0]
    for one in found:
        place = own_folder() / one.id
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
            for name in (FILE, "kernel.cu", "solution.cu"):
                if (one.folder / name).is_file():
                    shutil.copyfile(one.folder / name, place / name)
    return found


def find_exercise(name: str, folder: Path | None = None) -> Exercise:
    """By id, or by the number that it starts with; raises UnknownName."""
    found = {one.id: one for one in exercises(folder)[0]}
    by_number = [
        one for one in found.values() if one.id.partition("-")[0].lstrip("0") == name.lstrip("0")
    ]
    if name in found or by_number:
        return found.get(name) or by_number[0]
    raise UnknownName("exercise", name, found)


def check_exercise(
    exercise: Exercise,
    text: str,
    device: Device,
    progress: Progress = SILENT,
    *,
    process: UserProcess | None = None,
    graphs: int = _GRAPHS,
) -> Outcome:
    """Whether a text solves an exercise: every access and barrier, random graphs, and
    what is counted.

    Raises Unavailable, Cancelled. ``process`` is used, and left open unless the text
    ends it.
    """
    here = process if process is not None and process.is_usable else UserProcess()
    try:
        return _checked(exercise, text, device, progress, here, graphs)
    except (KernelMismatch, KernelBuildError) as error:
        return Outcome("does not compile", (str(error),))
    except UserCodeFailed as error:
        return Outcome("no answer", (str(error),))
    finally:
        if here is not process and here.is_usable:
            here.close()


def _checked(
    exercise: Exercise,
    text: str,
    device: Device,
    progress: Progress,
    process: UserProcess,
    graphs: int,
) -> Outcome:
    own, (base, _) = exercise.kernel(text).variant(), base_of(exercise.base_id)
    pairs = own.answers is Answers.APSP
    problem = _problem(own, pairs, _SIZES[pairs], device, progress)
    _, log = process.watch(own.code, problem, Logged.BARRIERS | Logged.SHARED)
    findings = findings_of(log, own.code.name)
    if findings:
        uneven = log.is_whole and next(log.uneven_barriers(), None) is not None
        kind = "barrier in a branch" if uneven else "missing barrier"
        if log.outside:
            kind = "outside an array"
        return Outcome(kind, tuple(finding.words for finding in findings[:3]))
    report = check(own, base, device, graphs=graphs, progress=progress, process=process)
    found = report.deviation
    if found is None and pairs:
        found = _wrong_row(own, problem, process)
    if found is not None:
        kind = (
            "no answer" if found.error is not None else found.looks.name.replace("_", " ").lower()
        )
        return Outcome(kind, tuple(found.sentences), found)
    if exercise.limit is not None:
        measured = _problem(
            own, pairs, _MEASURED_PAIRS if pairs else _SIZES[False], device, progress
        )
        _, log = process.watch(own.code, measured, Logged.ACCESSES)
        words = exercise.limit.exceeded_by(_MEASURES[exercise.limit.measure][1](log))
        if words:
            return Outcome("slow", (words,))
    return Outcome("solved", (f"Solved: right on {report.graphs} random graphs.",))


def _problem(
    own: UserVariant, pairs: bool, size: tuple[int, int], device: Device, progress: Progress
) -> Problem:
    return Problem(
        small_graph(*size), None if pairs else 0, None, own.settle({}), device, progress.silent()
    )


def _wrong_row(own: UserVariant, problem: Problem, process: UserProcess) -> Deviation | None:
    rows = (
        find_deviation(own, None, replace(problem, source=source), process) for source in _SOURCES
    )
    return next((found for found in rows if found is not None), None)


@dataclass(frozen=True)
class Attempt:
    """The last check of an exercise, and whether one ever passed."""

    solved: bool
    checks: int  # so far
    kind: str  # of the last outcome
    when: str  # ISO 8601

    @property
    def words(self) -> str:
        return "solved" if self.solved else self.kind


def attempts() -> dict[str, Attempt]:
    """By exercise; empty if nothing was kept, or it cannot be read."""
    try:
        kept = (data_folder() / "exercises.json").read_bytes()
        return msgspec.json.decode(kept, type=known(dict[str, Attempt]))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        log.warning("the outcomes of exercises cannot be read: %s", type(error).__name__)
        return {}


def keep_attempt(exercise: Exercise, outcome: Outcome) -> None:
    """Keep an outcome; raises FileNotWritten."""
    kept = attempts()
    before = kept.get(exercise.id)
    solved = outcome.solved or (before is not None and before.solved)
    count = 1 + (0 if before is None else before.checks)
    kept[exercise.id] = Attempt(solved, count, outcome.kind, time.strftime("%Y-%m-%dT%H:%M:%S"))
    text = msgspec.json.format(msgspec.json.encode(kept), indent=1).decode()
    write_text(data_folder() / "exercises.json", text)


def hand_in(folder: Path) -> list[Path]:
    """Copy the kept texts of all exercises to a folder, as ``EXERCISE.cu``; raises
    FileNotWritten.
    """
    written = []
    for one in exercises()[0]:
        kept = one.kernel("").path
        if kept.is_file():
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                written.append(Path(shutil.copyfile(kept, folder / f"{one.id}.cu")))
    return written


def write_class(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write the rows of `grade` as CSV; raises FileNotWritten, and as they do."""
    with (
        replace_atomically(path) as beside,
        beside.open("w", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream)
        writer.writerow(CLASS_COLUMNS)
        writer.writerows(rows)


def grade(
    folder: Path, course: Sequence[Exercise], device: Device, progress: Progress = SILENT
) -> Iterator[tuple[str, str, str, str, str]]:
    """Check what every student handed in: FOLDER/STUDENT/EXERCISE.cu, or
    ID@EXERCISE.cu; rows as `CLASS_COLUMNS`.

    Raises FileMissing, Unavailable, Cancelled.
    """
    if not folder.is_dir():
        raise FileMissing(folder)
    students = sorted(place for place in folder.iterdir() if place.is_dir())
    if not students:
        raise ExerciseFileError(
            folder, "it has no folder for each student, with a file EXERCISE.cu for each exercise"
        )
    for number, student in enumerate(students):
        for place, one in enumerate(course):
            progress.checkpoint(number * len(course) + place, len(students) * len(course))
            found = sorted((*student.glob(f"{one.id}.cu"), *student.glob(f"*@{one.id}.cu")))
            if not found:
                yield student.name, one.id, "no", "not handed in", ""
                continue
            try:
                text = text_of(found[0], ExerciseFileError)
                outcome = check_exercise(one, text, device, progress=progress.silent())
            except ExerciseFileError as error:
                outcome = Outcome("not read", (str(error),))
            yield (
                student.name,
                one.id,
                "yes" if outcome.solved else "no",
                outcome.kind,
                " ".join(outcome.sentences),
            )
