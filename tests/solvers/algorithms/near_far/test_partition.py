"""Cutting a graph into parts: every vertex once, every arc once, nothing too large, and few arcs between parts."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.near_far.partition import ARC_ALIGNMENT, Partition, partition_graph, seconds_to_partition
from solvers.errors import Cancelled
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from tests import graphs


def arcs_of(parts: Partition) -> set[tuple[int, int, float]]:
    """The arcs that the parts hold, by the graph's own numbers; none may stand there twice."""
    listed = []
    for part in range(parts.count):
        base, begun = parts.first[part], parts.arc_first[part]
        for place in range(base, parts.first[part + 1]):
            start, degree = begun + (parts.rows[place] & 0xFFFF), parts.rows[place] >> 16
            assert start + degree <= parts.arc_first[part + 1]
            for arc in range(start, start + degree):
                head = parts.order[base + parts.heads[arc]]
                listed.append((int(parts.order[place]), int(head), float(parts.weights[arc])))
        for arc in range(parts.cut_first[part], parts.cut_first[part + 1]):
            tail, head = parts.order[base + parts.cut_tails[arc]], parts.cut_heads[arc]
            owner = parts.cut_parts[arc]
            assert owner != part
            assert parts.first[owner] <= head < parts.first[owner + 1]
            listed.append((int(tail), int(parts.order[head]), float(parts.cut_weights[arc])))
    assert len(listed) == len(set(listed))
    return set(listed)


def distinct(graph: Graph) -> set[tuple[int, int, float]]:
    """A graph's arcs without loops."""
    arcs = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    return {(u, v, float(w)) for u, v, w in arcs if u != v}


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize(("most_vertices", "most_arcs"), [(16, 64), (64, 100), (1_024, 4_096)])
def test_parts_hold_the_whole_graph(dtype: str, most_vertices: int, most_arcs: int) -> None:
    drawn = graphs.at_random(700, 2_100, seed=8, dtype=dtype)
    weights = np.arange(drawn.m).astype(dtype)  # so that no two arcs are alike
    graph = Graph(drawn.indptr, drawn.indices, weights)
    parts = partition_graph(graph, most_vertices, most_arcs)
    assert sorted(parts.order.tolist()) == list(range(graph.n))
    np.testing.assert_array_equal(parts.order[parts.places], np.arange(graph.n))
    assert arcs_of(parts) == distinct(graph)
    assert not (parts.arc_first % ARC_ALIGNMENT).any()


@pytest.mark.parametrize(("most_vertices", "most_arcs"), [(16, 40), (100, 4_000)])
def test_no_part_is_too_large(most_vertices: int, most_arcs: int) -> None:
    graph = graphs.at_random(900, 3_600, seed=9)
    parts = partition_graph(graph, most_vertices, most_arcs)
    sizes = np.diff(parts.first)
    assert sizes.min() > 0
    assert sizes.max() <= most_vertices
    degrees = np.add.reduceat(graph.out_degrees[parts.order], parts.first[:-1])
    assert ((degrees <= most_arcs) | (sizes == 1)).all()


def test_a_hub_is_a_part_by_itself() -> None:
    """With more arcs than a part may have it has none inside, and can still be reached and left."""
    arcs = [(0, i, i) for i in range(1, 500)] + [(i, 0, i) for i in range(1, 500)]
    parts = partition_graph(graphs.from_list(500, arcs, "int32", name="a star"), 64, 200)
    own = int(np.searchsorted(parts.first, parts.places[0], side="right")) - 1
    assert parts.first[own + 1] - parts.first[own] == 1
    assert parts.arc_first[own + 1] == parts.arc_first[own]
    assert parts.cut_first[own + 1] - parts.cut_first[own] == 499


def test_few_arcs_leave_the_parts_of_a_road_network() -> None:
    graph = find("road").generate({"vertices": 20_000})
    parts = partition_graph(graph, 1_024, 4_096)
    assert parts.count < 3 * graph.n / 1_024
    assert len(parts.cut_heads) < 0.12 * graph.m


def test_cutting_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        partition_graph(graphs.at_random(300, 900, seed=1), 64, 256, Progress(token))


def test_a_graph_numbered_at_random_takes_longer_as_do_parts_not_grown_yet() -> None:
    count = 140_000
    path = np.arange(count - 1), np.arange(1, count), np.ones(count - 1, np.int32)
    place = np.random.default_rng(3).permutation(count)
    local = Graph.from_arcs(count, *path)
    scattered = Graph.from_arcs(count, place[path[0]], place[path[1]], path[2])
    assert seconds_to_partition(local, grown=True) < seconds_to_partition(local) < seconds_to_partition(scattered)
