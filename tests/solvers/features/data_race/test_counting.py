"""The racy programs end, are never too short, and are right without contention; a
rising one makes a run wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import Variant, all_variants, find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, UnsuitableGraph
from solvers.features.data_race import counting
from solvers.features.data_race.counting import (
    LEVELS,
    RaceReport,
    WrongVertex,
    count_wrong_runs,
    raise_contention,
)
from solvers.graphs.generators import contention
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from tests import graphs

RACY = (
    ("da2cf-f-gpu-racy", {"layout": "csr"}),
    ("da2cf-f-gpu-racy", {"layout": "matrix"}),
    ("harish-narayanan-racy", {}),
)
everyone = pytest.mark.parametrize(("variant_id", "given"), RACY)


def counterexample(n: int = 1024) -> Graph:
    """The graph of Martín, section 4.3: the right distance of the last vertex is 2."""
    return contention.GENERATOR.generate({"vertices": n})


def solve(
    variant_id: str, given: dict, graph: Graph, device: Device, recorder: Recorder | None = None
) -> Solution:
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, 0, None, entry.settle(given), device, recorder=recorder))


def test_the_racy_ones_are_marked() -> None:
    assert {entry.id for entry in all_variants() if entry.racy} == {name for name, _ in RACY}


@everyone
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_they_end_and_are_never_too_short(
    variant_id: str, given: dict, dtype: str, device: Device
) -> None:
    for graph in (graphs.at_random(400, 4000, seed=1, dtype=dtype), graphs.by_hand("a hub", dtype)):
        right = graphs.right_distances(graph, 0)
        recorder = TraceRecorder(graph.n)
        solution = solve(variant_id, given, graph, device, recorder)
        assert solution.iterations <= graph.n
        assert recorder.finish().iterations == solution.iterations
        found = to_float(solution.distances)
        assert (found >= right * (1 - 1e-6)).all()
        np.testing.assert_array_equal(
            np.isinf(found), np.isinf(right), "whatever can be reached is reached"
        )


@everyone
def test_without_contention_they_are_right(variant_id: str, given: dict, device: Device) -> None:
    """On a path, and on a tree, every vertex has a single arc into it: nobody to race with."""
    path = graphs.from_list(60, [(i, i + 1, 1 + i % 5) for i in range(59)])
    tree = graphs.from_list(255, [((v - 1) // 2, v, 1 + v % 7) for v in range(1, 255)])
    for graph in (path, tree):
        solution = solve(variant_id, given, graph, device)
        np.testing.assert_array_equal(
            to_float(solution.distances), graphs.right_distances(graph, 0)
        )


@everyone
def test_on_the_counterexample_only_the_last_vertex_can_be_wrong(
    variant_id: str, given: dict, device: Device
) -> None:
    graph = counterexample()
    distances = solve(variant_id, given, graph, device).distances
    assert distances[0] == 0
    assert (distances[1:-1] == 1).all()
    assert 2 <= distances[-1] <= 1023


def test_the_right_program_loses_no_race(device: Device) -> None:
    report = count_wrong_runs(counterexample(), 0, find_variant("da2cf-f-gpu"), device, 5)
    assert report == RaceReport(5, 0, (0, 0, 0, 0, 0), None)


@everyone
def test_the_report_adds_up(variant_id: str, given: dict, device: Device) -> None:
    told: list[tuple[float, float]] = []
    progress = Progress(report=lambda done, total: told.append((done, total)))
    report = count_wrong_runs(counterexample(), 0, find_variant(variant_id), device, 8, progress)
    assert told == [(run, 8) for run in range(8)], "runs are counted, not what goes on inside them"
    assert report.runs == len(report.wrong_vertices_per_run) == 8
    assert report.wrong_runs == sum(count > 0 for count in report.wrong_vertices_per_run)
    assert (report.example is None) == (report.wrong_runs == 0)
    if report.example is not None:
        assert (report.example.vertex, report.example.right) == (1023, 2.0)
        assert report.example.found > 2


def losing(wrong_in_run: dict[int, dict[int, int]]) -> Variant:
    """A variant that adds to the distances of chosen vertices in chosen runs."""
    runs = iter(range(100))

    def solve_wrongly(problem: Problem) -> Solution:
        distances = graphs.right_distances(problem.graph, 0).astype(np.int32)
        for vertex, excess in wrong_in_run.get(next(runs), {}).items():
            distances[vertex] += excess
        return Solution(distances, 1, Phases())

    racy = find_variant("da2cf-f-gpu-racy")
    names = ("id", "title", "algorithm", "answers", "runs_on", "mapping", "idea")
    fields = {name: getattr(racy, name) for name in names}
    return Variant(**fields, function=solve_wrongly)


def test_wrong_runs_and_vertices_are_counted(device: Device) -> None:
    graph = graphs.by_hand("a path")
    racy = losing({1: {3: 4, 5: 1}, 3: {2: 9}})
    report = count_wrong_runs(graph, 0, racy, device, 5)
    assert report == RaceReport(
        5, 2, (0, 2, 0, 1, 0), WrongVertex(run=1, vertex=3, found=10.0, right=6.0)
    )


def test_it_can_be_cancelled_between_runs(small_levels: None, device: Device) -> None:
    token, variant = CancelToken(), find_variant("harish-narayanan-racy")
    progress = Progress(token, lambda done, total: token.cancel() if done >= 2 else None)
    for count in (
        lambda: count_wrong_runs(counterexample(64), 0, variant, device, 1000, progress),
        lambda: raise_contention(variant, device, 50, progress),
    ):
        with pytest.raises(Cancelled):
            count()


def test_negative_weights_are_refused(device: Device) -> None:
    with pytest.raises(UnsuitableGraph):
        count_wrong_runs(
            graphs.by_hand("a negative arc"), 0, find_variant("harish-narayanan-racy"), device, 3
        )


CONTENTION_RACY = find_variant("harish-narayanan-racy")
SMALL = (
    {"vertices": 20},
    {"vertices": 20, "order": "scattered"},
    {"vertices": 20, "lasts": 5, "order": "scattered"},
)


@pytest.fixture
def small_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "LEVELS", SMALL)


def wrong_from(number: int, monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """Have the runs on the ``number``-th graph and later be wrong; returns the graphs asked for."""
    seen: list[Graph] = []

    def count(
        graph: Graph, source: int, variant: object, device: object, runs: int, progress: Progress
    ) -> RaceReport:
        seen.append(graph)
        for run in range(runs):
            progress.checkpoint(run, runs)
        wrong = int(len(seen) >= number)
        return RaceReport(
            runs, wrong, (wrong,) * runs, WrongVertex(0, 1, 3.0, 2.0) if wrong else None
        )

    monkeypatch.setattr(counting, "count_wrong_runs", count)
    return seen


@pytest.mark.parametrize("number", [1, 3])
def test_it_stops_at_the_first_wrong_run(
    number: int, monkeypatch: pytest.MonkeyPatch, small_levels: None, device: Device
) -> None:
    seen = wrong_from(number, monkeypatch)
    levels = raise_contention(CONTENTION_RACY, device, 4)
    assert [level.graph for level in levels] == seen
    assert [level.report.wrong_runs for level in levels] == [0] * (number - 1) + [1]


def test_all_graphs_are_tried_where_no_run_is_wrong(
    monkeypatch: pytest.MonkeyPatch, small_levels: None, device: Device
) -> None:
    wrong_from(9, monkeypatch)
    progress: list[tuple[float, float]] = []
    told = Progress(report=lambda done, total: progress.append((done, total)))
    levels = raise_contention(CONTENTION_RACY, device, 4, told)
    assert [(level.writers, level.lasts) for level in levels] == [(18, 1), (18, 1), (14, 5)]
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert {total for _, total in progress} == {12}


def test_the_runs_are_real(small_levels: None, device: Device) -> None:
    levels = raise_contention(CONTENTION_RACY, device, 2)
    assert all(level.report.runs == 2 for level in levels)
    assert all(level.report.wrong_runs == 0 for level in levels[:-1])


def test_contention_never_falls() -> None:
    lasts = [level.get("lasts", 1) for level in LEVELS]
    assert lasts == sorted(lasts)
