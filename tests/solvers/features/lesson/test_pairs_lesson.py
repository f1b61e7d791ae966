"""The lesson of Floyd-Warshall: what is shown of cells, held against a plain matrix that
knows nothing of variants, traces and lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gui.model.samples import sample
from solvers.core.labelling import VertexState
from solvers.core.pseudocode import Step
from solvers.core.recorder import MatrixRecorder
from solvers.core.result import Result
from solvers.core.trace import MOST_MATRICES, MatrixTrace, Work
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.features.lesson.lesson import LessonStep, StepProgress
from solvers.features.lesson.pairs_lesson import PairsLesson, pair_steps_of, pairs_lesson_of
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.picture.scene.figure import ArcState
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from tests import graphs
from tests.solvers.features.mpi.started import needs_ranks
from tests.solvers.running.requests import TRACE_ONLY

_SUM = re.compile(
    r"D\[(\d+), (\d+)\] = min\((.+), (.+) ([+\N{MINUS SIGN}]) (.+)\) = ([^,]+)(?:, through (\d+))?"
)


def watched(
    graph: Graph, variant_id: str, device: Device | None = None, **parameters: object
) -> Result:
    entry = find_variant(variant_id)
    choice = Choice(entry, entry.settle(parameters))
    request = RunRequest(graph, 0, graph.n - 1, (choice,), device, TRACE_ONLY, trace=True)
    (result,) = run(request)
    assert isinstance(result.trace, MatrixTrace), result.error
    return result


def lessons(result: Result) -> Iterator[PairsLesson]:
    assert isinstance(result.trace, MatrixTrace)
    for position in range(len(result.trace)):
        lesson = pairs_lesson_of(result.graph, result.trace, position, result.source)
        assert lesson is not None
        yield lesson


def plain_start(graph: Graph) -> list[list[float]]:
    """The matrix of the textbook, arc by arc."""
    known = [[0.0 if i == j else np.inf for j in range(graph.n)] for i in range(graph.n)]
    for tail in range(graph.n):
        for arc in range(graph.indptr[tail], graph.indptr[tail + 1]):
            head, weight = int(graph.indices[arc]), float(graph.weights[arc])
            known[tail][head] = min(known[tail][head], weight)
    return known


def number(text: str) -> float:
    return float(re.sub(r"[\s\u202f]", "", text).replace("∞", "inf").replace("\N{MINUS SIGN}", "-"))


def follow(known: list[list[float]], step: LessonStep, graph: Graph, pivot: int | None) -> None:
    """Do in the plain matrix what a step says, and hold its numbers against it."""
    found = _SUM.fullmatch(step.text)
    assert found is not None, step.text
    i, j = (graph.vertex(int(name)) for name in found.groups()[:2])
    held, there, onwards, result = (number(found[k]) for k in (3, 4, 6, 7))
    if found[5] != "+":
        onwards = -onwards
    k = graph.vertex(int(found[8])) if found[8] else pivot
    assert k is not None
    shown, right = (held, there, onwards), (known[i][j], known[i][k], known[k][j])
    np.testing.assert_allclose(shown, right, rtol=2e-4)
    known[i][j] = min(known[i][j], known[i][k] + known[k][j])
    np.testing.assert_allclose(result, known[i][j], rtol=2e-4)
    assert (step.step is Step.IMPROVE) is (right[0] > known[i][j])
    assert (step.arc, step.pivot) == ((i, j), k)


def retell(result: Result) -> None:
    """Follow all steps of all phases; the matrix is then that of the trace after each."""
    graph, known = result.graph, plain_start(result.graph)
    for lesson in lessons(result):
        np.testing.assert_allclose(lesson.matrix_before, known, rtol=1e-5)
        pivots = lesson.pivots
        for step in pair_steps_of(lesson):
            if step.arc is not None:
                follow(known, step, graph, pivots[0] if len(pivots) == 1 else None)
        np.testing.assert_allclose(lesson.matrix, known, rtol=1e-5, atol=1e-9)
        if lesson.trace.work is Work.PIVOTS:  # the plain three loops, one pivot further
            assert pivots == range(lesson.position, lesson.position + 1)
    np.testing.assert_allclose(known, graphs.right_matrix(graph), rtol=1e-5)


ON_PROCESSORS = [
    ("fw-serial", {}),
    pytest.param("fw-omp-loop", {}, marks=pytest.mark.openmp),
    pytest.param("fw-omp-tiled", {"tile": 4}, marks=pytest.mark.openmp),
    pytest.param("fw-omp-tiled", {"tile": 8}, marks=pytest.mark.openmp),
]
ON_DEVICES = [
    ("fw-vertex", {}),
    ("fw-cell", {}),
    ("fw-cell-loop", {}),
    ("fw-cell-shared", {}),
    ("fw-tiled-global", {"tile": 4}),
    ("fw-tiled-shared", {"tile": 4}),
    ("fw-tiled-shared", {"tile": 8}),
]
GRAPHS = [
    graphs.at_random(9, 24, 1),
    graphs.at_random(13, 40, 2, np.float64),
    graphs.at_random(6, 30, 3, directed=False),
    graphs.hill(11, 40, 4),
]


@pytest.mark.parametrize(("variant_id", "parameters"), ON_PROCESSORS)
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_every_sum_is_that_of_a_plain_matrix(
    graph: Graph, variant_id: str, parameters: dict[str, object]
) -> None:
    retell(watched(graph, variant_id, **parameters))


@pytest.mark.parametrize(("variant_id", "parameters"), ON_DEVICES)
def test_every_sum_on_a_device_is_that_of_a_plain_matrix(
    variant_id: str, parameters: dict[str, object], device: Device
) -> None:
    for graph in (GRAPHS[0], GRAPHS[3]):
        retell(watched(graph, variant_id, device, **parameters))


@needs_ranks
def test_ranks_tell_the_same() -> None:
    retell(watched(GRAPHS[0], "fw-mpi", ranks=2))


def test_the_graph_shows_the_row_of_the_step_and_the_path_that_it_tries() -> None:
    """Of the sample of eight vertices, pivot 5, the cell from 1 to 3: by way of 2 and 5."""
    graph = read_graph(sample("tiny").path).graph
    whole = list(lessons(watched(graph, "fw-serial")))[4]
    steps = pair_steps_of(whole)
    at = next(i for i, step in enumerate(steps) if step.arc == (0, 2))
    lesson = replace(whole, progress=StepProgress(steps, steps[: at + 1]))
    assert steps[at].text == "D[1, 3] = min(9, 5 + 2) = 7"
    assert lesson.sum_words == "D[1, 3] = min(D[1, 3], D[1, 5] + D[5, 3]) = min(9, 5 + 2) = 7"
    assert lesson.words == f"Pivot 5, 5 of 8  ·  step {at + 1} of {len(steps)}  ·  {steps[at].text}"
    assert lesson.step_path == (0, 1, 4, 2)
    assert [lesson.arc(*pair) for pair in ((0, 1), (1, 4), (4, 2), (0, 2), (0, 3))] == [
        *[ArcState.IMPROVED] * 3,
        ArcState.IDLE,
        ArcState.TREE,
    ]
    assert (lesson.former_value(2), lesson.value(2), lesson.quantity) == ("9", "7", "From 1")
    earlier, later = [VertexState.INACTIVE] * 4, [VertexState.TENTATIVE] * 2
    states = [lesson.vertex(v) for v in range(8)]
    assert states == [*earlier, VertexState.ACTIVE, *later, VertexState.UNREACHED]


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-tiled"])
def test_predecessors_lead_back_along_arcs_of_that_length(variant_id: str) -> None:
    tile = {"tile": 4} if variant_id == "fw-omp-tiled" else {}
    result = watched(GRAPHS[2], variant_id, **tile)
    least = plain_start(result.graph)
    for lesson in lessons(result):
        for source in range(result.graph.n):
            row = replace(lesson, source=source)
            for v in np.flatnonzero(np.isfinite(row.after)).tolist():
                length, at = 0.0, v
                while at != source:
                    before = int(row.parents[at])
                    length, at = length + least[before][at], before
                assert length == row.after[v]


def test_a_wrong_kernel_is_told_by_what_fell() -> None:
    """It forgets a pivot, and lowers a cell by way of none."""
    graph = graphs.from_list(3, [(0, 1, 2), (1, 2, 3)])
    recorder = MatrixRecorder(3)
    wrong = np.array(plain_start(graph))
    for k in range(3):
        if k == 2:
            wrong[2, 0] = 1.0
        recorder.matrix_step(k, 1, [[0, 3, 0, 3]], wrong, 0.1)
    trace = recorder.finish()
    texts = [
        [step.text for step in pair_steps_of(PairsLesson(graph, trace, k)) if step.arc]
        for k in range(3)
    ]
    assert texts == [[], [], ["D[16, 10] falls from ∞ to 1"]]


def test_larger_graphs_and_rows_have_no_lesson() -> None:
    large = graphs.at_random(MOST_MATRICES + 1, 300, 5)
    trace = watched(large, "fw-serial").trace
    assert isinstance(trace, MatrixTrace)
    assert trace.distances is None
    assert pairs_lesson_of(large, trace, 0, 0) is None
    rows = watched(GRAPHS[0], "dijkstra-apsp-serial").trace
    assert isinstance(rows, MatrixTrace)
    assert pairs_lesson_of(GRAPHS[0], rows, 0, 0) is None


def test_a_graph_of_the_largest_size_is_told_by_the_cells_that_fall() -> None:
    result = watched(graphs.at_random(MOST_MATRICES, 600, 6), "fw-serial")
    lesson = list(lessons(result))[60]
    steps = pair_steps_of(lesson)
    assert {step.arc for step in steps if step.step is Step.IMPROVE} == set(
        zip(*(part.tolist() for part in np.nonzero(lesson.fallen)), strict=True)
    )
    assert re.fullmatch(r"[\d\u202f]+ further cells: not listed", steps[-1].text)
