"""The samples: every file is there, and shows what its hint says."""

from __future__ import annotations

import numpy as np
import pytest

from gui.model.samples import DEFAULT, SAMPLES, SampleGraph, sample
from solvers.algorithms.negative_cycle import cycle_weight, find_negative_cycle
from solvers.core.variant import find_variant
from solvers.graphs.readers import read_graph
from solvers.picture.scene.figure import SMALL_GRAPH


@pytest.mark.parametrize("entry", SAMPLES, ids=lambda s: s.id)
def test_every_sample_can_be_read_without_a_warning(entry: SampleGraph) -> None:
    reading = read_graph(entry.path)
    graph = reading.graph
    assert not reading.report.warnings
    assert graph.coordinates is not None
    assert graph.vertex(entry.source) != graph.vertex(entry.target)
    assert entry is DEFAULT or graph.n <= SMALL_GRAPH, "it can be followed step by step"
    for variant_id in entry.variants:
        assert not (graph.has_negative_weights and find_variant(variant_id).needs_nonnegative)


def test_negative_arcs_mislead_dijkstra() -> None:
    graph = read_graph(sample("negative-arcs").path).graph
    assert graph.has_negative_weights
    assert find_negative_cycle(graph, np.ones(graph.n, bool)) == ()
    known = np.full(graph.n, np.inf)
    known[0] = 0
    for _ in range(graph.n):
        np.minimum.at(known, graph.indices, known[graph.tails] + graph.weights)
    assert known[graph.vertex(7)] == 8
    settled, greedy = np.zeros(graph.n, bool), np.full(graph.n, np.inf)
    greedy[0] = 0
    for _ in range(graph.n):
        u = int(np.argmin(np.where(settled, np.inf, greedy)))
        settled[u] = True
        row = graph.row(u)
        for v, weight in zip(graph.indices[row], graph.weights[row], strict=True):
            if not settled[v]:
                greedy[v] = min(greedy[v], greedy[u] + weight)
    assert greedy[graph.vertex(4)] > known[graph.vertex(4)]


def test_the_negative_cycle_is_the_one_named() -> None:
    graph = read_graph(sample("negative-cycle").path).graph
    cycle = find_negative_cycle(graph, np.ones(graph.n, bool))
    assert {graph.vertex_id(v) for v in cycle} == {2, 3, 4}
    assert cycle_weight(graph, cycle) == -3


def test_contention_offers_one_vertex_many_paths() -> None:
    graph = read_graph(sample("contention").path).graph
    last = graph.vertex(18)
    assert int(np.count_nonzero(graph.indices == last)) == 16
    assert sorted(graph.weights[graph.indices == last].tolist()) == list(range(1, 17))
