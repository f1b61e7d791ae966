"""The one list of variants: parameters, pseudo-code, declared types; and what a problem
keeps between trials.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import solvers
from solvers.core import variant as variant_module
from solvers.core.problem import Phases, Problem, Solution, TrialScope
from solvers.core.pseudocode import Step
from solvers.core.variant import (
    FAMILIES,
    Algorithm,
    Answers,
    Citation,
    RunsOn,
    Variant,
    WorkMapping,
    all_variants,
    find_variant,
    variant,
)
from solvers.errors import AnswerRefused, ParameterError, UnknownName
from solvers.parameters import Parameter, settle_parameters
from tests.solvers.fakes import diamond, fake_variant

ROOT = Path(solvers.__file__).parent
BLOCK = Parameter("block", 256, "Threads in a block.", 32, 1024)
DELTA = Parameter("delta", 0.5, "Bucket width, in units of weight.", 0)
SIDE = Parameter("side", 16, "Cells a tile.", choices=(16, 32))
EARLY = Parameter("early_exit", True, "Stop when nothing changed.")


# -- every variant that is in the catalogue
# --------------------------------------------------------------------------


@pytest.fixture(params=all_variants(), ids=lambda v: v.id)
def entry(request):
    return request.param


def test_a_variant_says_what_it_is(entry):
    assert find_variant(entry.id) is entry
    assert entry.idea
    assert entry.title
    assert entry.id == entry.id.lower()
    assert not set(" .") & set(entry.id)  # --set ID.param=value
    assert entry.settle({}) == {p.name: p.default for p in entry.parameters}
    assert all(p.meaning and "=" not in p.name for p in entry.parameters)
    folder = ROOT.parent / Path(*entry.module.split(".")[:-1])
    assert not entry.kernel or (entry.runs_on.needs_device and (folder / entry.kernel).is_file())


def test_a_variant_declares_its_work_mapping(entry):
    """By one core, threads or blocks of a device, cores or ranks, as it runs."""
    allowed = {
        RunsOn.SERIAL: ("CORE_",),
        RunsOn.OPENMP: ("CORES_",),
        RunsOn.THREADS: ("CORES_",),
        RunsOn.MPI: ("RANKS_",),
        RunsOn.GPU: ("THREAD", "BLOCK", "CLUSTER"),
        RunsOn.HYBRID: ("CORE_AND_THREAD",),
        RunsOn.ANY: ("CHOSEN_LATER",),
    }
    assert entry.mapping.name.startswith(allowed[entry.runs_on])


def test_every_mapping_is_used():
    assert {entry.mapping for entry in all_variants()} == set(WorkMapping)


def test_ids_and_titles_are_unique():
    variants = all_variants()
    assert len({v.id for v in variants}) == len(variants)
    titles = {(v.algorithm, v.answers, v.title) for v in variants}
    assert len(titles) == len(variants)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kernel_file_is_used(family):
    """A .cu file that no module of its family names is dead weight, or a variant that
    someone forgot to declare.
    """
    folder = ROOT / "algorithms" / family
    modules = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    assert modules
    assert [path.name for path in folder.glob("*.cu") if f'"{path.name}"' not in modules] == []


# -- declaring and finding
# -------------------------------------------------------------------------------------------


def test_two_modules_cannot_declare_one_id(monkeypatch):
    monkeypatch.setattr(variant_module, "_REGISTRY", {})
    metadata = {
        "id": "x",
        "title": "x",
        "algorithm": Algorithm.MODERN,
        "answers": Answers.SSSP,
        "runs_on": RunsOn.GPU,
        "mapping": WorkMapping.THREAD_PER_VERTEX,
    }

    def here(problem): ...

    def there(problem): ...

    there.__module__ = "elsewhere"
    assert variant(idea="", **metadata)(here) is here
    variant(idea="", **metadata)(here)  # the same module imported again
    with pytest.raises(
        ValueError, match=r"two variants are called x: in test_variant\.py and elsewhere"
    ):
        variant(idea="", **metadata)(there)


def test_an_unknown_id_offers_near_ones(monkeypatch):
    few = {name: find_variant(name) for name in ("bf-vertex", "dijkstra-mpi")}
    monkeypatch.setattr(variant_module, "_REGISTRY", few)
    with pytest.raises(UnknownName) as caught:
        find_variant("bf-vertx")
    assert caught.value.nearest == ("bf-vertex",)


def test_a_citation_names_its_place():
    assert str(Citation("Bodra 2025", "Algorithm 2")) == "Bodra 2025, Algorithm 2"
    assert str(Citation("Song 2024")) == "Song 2024"


# -- parameters
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "given", "value"),
    [
        (BLOCK, "64", 64),
        (BLOCK, 32, 32),
        (BLOCK, "1e2", 100),
        (DELTA, "2", 2.0),
        (DELTA, 3, 3.0),
        (SIDE, "32", 32),
        (EARLY, "off", False),
        (EARLY, "YES", True),
        (EARLY, False, False),
        (Parameter("name", "a", "Text."), "b", "b"),
    ],
)
def test_text_becomes_the_parameters_type(parameter, given, value):
    parsed = parameter.parse(given, "x")
    assert parsed == value
    assert type(parsed) is type(parameter.default)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        *((BLOCK, given) for given in (31, "1025", "64.5", "many", "inf", "nan", None)),
        *((DELTA, given) for given in ("-1", "nan")),
        (SIDE, 24),
        *((EARLY, given) for given in ("perhaps", 2)),
    ],
)
def test_what_does_not_fit_is_refused_with_the_range(parameter, given):
    with pytest.raises(ParameterError) as caught:
        parameter.parse(given, "bf-x")
    assert (caught.value.owner, caught.value.name) == ("bf-x", parameter.name)
    assert parameter.describe_range() in str(caught.value)


def test_ranges_in_words():
    assert BLOCK.describe_range() == "a whole number from 32 to 1\u202f024"
    assert DELTA.describe_range() == "a number of at least 0"
    assert SIDE.describe_range() == "one of 16, 32"
    assert EARLY.describe_range() == "true or false"


def test_settling_lays_the_given_over_the_defaults():
    assert settle_parameters((BLOCK, EARLY), {"block": "64"}, "x") == {
        "block": 64,
        "early_exit": True,
    }
    with pytest.raises(UnknownName, match=r"no parameter of x “blok”\. Nearest: block"):
        settle_parameters((BLOCK, EARLY), {"blok": 1}, "x")


TOLD = [v for v in all_variants() if v.mapping is not WorkMapping.CHOSEN_LATER]


@pytest.mark.parametrize("entry", TOLD, ids=lambda v: v.id)
def test_every_variant_has_pseudo_code_for_every_step(entry: Variant) -> None:
    lines = entry.pseudocode.lines
    by_tiles = entry.pseudocode.line_of(Step.PIVOT_TILE) is not None
    phases = (Step.PIVOT_TILE, Step.PIVOT_CROSS, Step.OTHER_TILES)
    scans = phases if by_tiles else (Step.SCAN,)
    for step in (Step.START, Step.SELECT, *scans, Step.TEST, Step.IMPROVE, Step.END):
        line = entry.pseudocode.line_of(step)
        assert line is not None, step
        assert lines[line].step is step
    if entry.algorithm in (Algorithm.BELLMAN_FORD, Algorithm.FLOYD_WARSHALL):
        assert entry.pseudocode.line_of(Step.NEGATIVE_CYCLE) is not None
    assert all(line.text and line.text == line.text.strip() for line in lines)
    assert all(after.depth <= before.depth + 1 for before, after in pairwise(lines))


def test_variants_that_choose_another_have_none() -> None:
    assert {v.pseudocode for v in all_variants() if v not in TOLD} == {None}


REPOSITORY = Path(__file__).parents[3]


@pytest.mark.slow  # its lines are mypy's, which make lint runs over all declarations
def test_mypy_checks_what_a_variant_declares(tmp_path: Path) -> None:
    """A missing and a misspelt keyword and a value of the wrong type are found at the use."""
    pytest.importorskip("mypy")
    declaration = tmp_path / "declared.py"
    declaration.write_text(
        "from solvers.core.variant import Algorithm, Answers, RunsOn, variant\n"
        "variant(id='x', title='x', algorithm=Algorithm.MODERN, answers=Answers.SSSP, "
        "runs_on=RunsOn.GPU, idea='')\n"
        "variant(id=1, wotch='')\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(declaration)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 'Unexpected keyword argument "wotch"' in run.stdout, run.stdout
    assert 'Missing named argument "mapping"' in run.stdout
    assert 'expected "str"' in run.stdout


# -- threads that ask first
# --------------------------------------------------------------------------------

_EIGHT_THREADS = """
import threading
import solvers
together, found = threading.Barrier(8), []

def ask():
    together.wait()
    path = solvers.solve(([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]), source=0, target=2).path
    found.append((path, len(solvers.variants()), tuple(map(id, solvers.list_devices()))))

threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and len(set(map(str, found))) == 1, found
assert found[0][:2] == ([0, 1, 2], {count}), found[0]
"""


def test_threads_that_ask_first_find_all_variants_and_the_same_devices() -> None:
    """All but the first found some of the registry, and each found devices of its own."""
    program = _EIGHT_THREADS.replace("{count}", str(len(all_variants())))
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_a_provider_that_joins_late_is_asked_once() -> None:
    asked: list[int] = []
    all_variants()
    variant_module.add_provider(lambda: asked.append(len(all_variants())))
    assert not asked
    assert [len(all_variants()), len(all_variants())] == asked * 2


# -- a problem
# --------------------------------------------------------------------------------------


@dataclass(eq=False)
class Door:
    """Something that can be closed, and be of no more use before."""

    is_usable: bool = True
    is_closed: bool = False

    def close(self) -> None:
        self.is_closed = True


def test_a_thing_is_made_once_for_each_key_and_closed_at_the_end() -> None:
    with TrialScope() as scope:
        door, other = scope.keep("a", Door), scope.keep("b", Door)
        assert scope.keep("a", Door) is door is not other
        assert not door.is_closed
    assert door.is_closed
    assert other.is_closed


def test_an_unusable_or_dropped_thing_is_closed_at_once_and_replaced() -> None:
    with TrialScope() as scope:
        first = scope.keep("a", Door)
        first.is_usable = False
        second = scope.keep("a", Door)
        scope.drop("a")
        assert first is not second is not scope.keep("a", Door) is not first
        assert first.is_closed
        assert second.is_closed


def test_an_error_closes_everything() -> None:
    door = Door()

    def fail() -> None:
        with TrialScope() as scope:
            scope.keep("a", lambda: door)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert door.is_closed


@pytest.mark.parametrize("shape", [(0,), (4,), (6,), (5, 4), (1, 5), ()])
def test_distances_of_another_number_of_vertices_are_refused(shape) -> None:
    """Those of a variant that is registered in this process; compiled code would read
    beyond their end.
    """
    given = Solution(np.zeros(shape, np.int32), 1, Phases())
    entry = fake_variant("short", lambda _: given)
    with pytest.raises(AnswerRefused, match=r"short failed: its shape of distances is \("):
        entry.solve(Problem(diamond(), 0))
