"""Tentative distances in the traces of small graphs: what a lesson shows at the vertices after each iteration."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.arcs import replayed_distances
from solvers.core.availability import availability
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import MOST_DISTANCES, ActivityTrace
from solvers.core.variant import Answers, Variant, all_variants, find_variant
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from tests.solvers.running.requests import TRACE_ONLY

TEXTBOOK = Path(__file__).parents[3] / "resources" / "samples" / "textbook.gr"


@cache
def textbook() -> Graph:
    return read_graph(TEXTBOOK).graph


@cache
def opencl() -> Device | None:
    return next((device for device in discover().devices if device.kind == "opencl"), None)


@cache  # for MPI ranks, whose start takes seconds
def watched(variant_id: str, graph: Graph, device: Device | None = None) -> ActivityTrace:
    choices = (Choice(find_variant(variant_id), find_variant(variant_id).settle({})),)
    if device is None and find_variant(variant_id).runs_on.needs_device:
        device = opencl()
    target = graph.n - 1 if find_variant(variant_id).answers is Answers.TARGET else None
    (result,) = run(RunRequest(graph, 0, target, choices, device, TRACE_ONLY, trace=True))
    assert result.ok, result.error
    return result.trace


def single_source() -> list[Variant]:
    """Those that relax the graph's own arcs; a hierarchy's are tested in tests/solvers/algorithms/hierarchy."""
    own = (v for v in all_variants() if ".hierarchy." not in v.module)
    return [v for v in own if v.answers is Answers.SSSP and not v.racy]


@pytest.mark.parametrize("variant_id", [v.id for v in single_source()])
def test_every_iteration_leaves_distances_that_its_relaxations_explain(variant_id: str) -> None:
    graph = textbook()
    if not availability(find_variant(variant_id), graph, opencl()).available:
        pytest.skip(f"{variant_id} is not available here")
    is_explained(watched(variant_id, graph), graph)


@pytest.mark.gpu
def test_the_rounds_of_a_cluster_are_replayed_to_its_answer(device: Device) -> None:
    graph = textbook()
    if not availability(find_variant("sssp-near-far-cluster"), graph, device).available:
        pytest.skip("not available here")
    is_explained(watched("sssp-near-far-cluster", graph, device), graph)


def is_explained(trace: ActivityTrace, graph: Graph) -> None:
    """Assert that every distance comes by a relaxation of its pass, and none that there was is missing."""
    assert trace.distances is not None
    assert trace.distances.shape == (len(trace), graph.n)
    assert trace.distances[-1].tolist() == [0, 2, 7, 6, 5, 13, 10, 13]
    before = np.full(graph.n, np.inf)
    before[0] = 0
    for k, after in enumerate(trace.distances):
        assert (after <= before).all()
        for v in np.flatnonzero(after < before):  # a pass may build on what it has found itself, on the way to `after`
            arcs = np.flatnonzero(graph.indices == v)
            active = np.isin(graph.tails[arcs], trace.frontier(k))
            assert after[v] >= (after[graph.tails[arcs]] + graph.weights[arcs]).min()
            assert after[v] <= (before[graph.tails[arcs]] + graph.weights[arcs])[active].min(initial=math.inf)
        before = after


def test_dijkstra_shows_the_distances_of_the_textbook_step_by_step() -> None:
    graph = textbook()
    trace = watched("dijkstra-heap", graph)
    distances, settled = np.full(graph.n, math.inf), []
    distances[0] = 0
    for k in range(len(trace)):
        u = min((v for v in range(graph.n) if v not in settled), key=lambda v: distances[v])
        settled.append(u)
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            v = graph.indices[arc]
            distances[v] = min(distances[v], distances[u] + graph.weights[arc])
        assert distances[trace.frontier(k)[0]] == distances[u]
        assert trace.distances[k].tolist() == distances.tolist()


@pytest.mark.parametrize("variant_id", ["dijkstra-mpi", "dijkstra-target", "astar"])
def test_a_replayed_run_has_the_distances_of_one_that_was_looked_at(variant_id: str) -> None:
    graph = textbook()
    if not availability(find_variant(variant_id), graph, None).available:
        pytest.skip(f"{variant_id} is not available here")
    trace = watched(variant_id, graph)
    known = np.where(np.arange(graph.n) == 0, 0.0, math.inf)
    for k in range(len(trace)):
        (u,) = trace.frontier(k)  # one vertex a pass
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            v = graph.indices[arc]
            known[v] = min(known[v], known[u] + graph.weights[arc])
        assert trace.distances[k].tolist() == known.tolist()
    assert known[graph.n - 1] == 13


def test_a_replayed_pass_reads_what_stood_before_it() -> None:
    graph = Graph.from_arcs(4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.array([1, 9, 1, 1], np.int32))
    infinity = 2**30 - 1
    start = np.array([0, infinity, infinity, infinity], np.int32)
    rows = replayed_distances(graph, start, np.array([0, 1, 3, 3, 4]), np.array([0, 2, 1, 2]))
    assert rows.dtype == np.int32
    # Vertex 3 is reached through 2 as it was before 1 brought that nearer.
    assert rows.tolist() == [[0, 1, 9, infinity], [0, 1, 2, 10], [0, 1, 2, 10], [0, 1, 2, 3]]


def test_only_small_graphs_are_asked_for_distances() -> None:
    assert TraceRecorder(MOST_DISTANCES).wants_distances
    assert not TraceRecorder(MOST_DISTANCES + 1).wants_distances


def test_distances_are_kept_with_the_iterations_that_are_kept() -> None:
    recorder = TraceRecorder(3, cap_bytes=200)
    for k in range(12):
        recorder.iteration(np.array([k % 3]), 1, 1, 0.1, np.array([0, k, 2 * k], dtype=np.int64))
    trace = recorder.finish()
    assert trace.stride > 1
    assert trace.distances[:, 1].tolist() == list(range(0, 12, trace.stride))


def test_a_run_that_does_not_tell_has_no_distances() -> None:
    recorder = TraceRecorder(3)
    recorder.iteration(np.array([0]), 1, 1, 0.1, np.array([0, 1, 2]))
    recorder.iteration(np.array([1]), 1, 1, 0.1)
    assert recorder.finish().distances is None
