"""Pivots: right numbers of arcs, by searches alone and together; far apart in deep graphs; on any number of cores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from gui.picture.layout import pivots as pivots_module
from gui.picture.layout.adjacency import Neighbours, components, undirected
from gui.picture.layout.pivots import SHALLOW, hops_from_all, pivots_of
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import ThreadTeam
from tests.gui.pictures import street_grid

ONE, TWO = ThreadTeam(1), ThreadTeam(2)


def largest_part(graph: Graph) -> Neighbours:
    parts = components(undirected(graph.n, graph.indptr, graph.indices))
    largest = int(parts.by_size[0])
    return parts.adjacency.part(int(parts.starts[largest]), int(parts.starts[largest + 1]))


def shallow_part(n: int = 400) -> Neighbours:
    tails, heads = np.random.default_rng(2).integers(0, n, (2, 4 * n))
    return largest_part(Graph.from_arcs(n, tails, heads, np.ones(4 * n, np.int32)))


def true_hops(part: Neighbours, sources: np.ndarray) -> np.ndarray:
    matrix = csr_array((np.ones(len(part.indices)), part.indices, part.indptr), shape=(part.n, part.n))
    return dijkstra(matrix, unweighted=True, indices=sources).T


@pytest.mark.parametrize(("part", "shallow"), [(largest_part(street_grid(40, 30)), False), (shallow_part(), True)])
@pytest.mark.parametrize("count", [1, 64, 71])
def test_numbers_of_arcs_are_right_and_regions_hold_all_vertices(part, shallow, count):
    pivots = pivots_of(part, count, TWO, np.random.default_rng(1))
    assert pivots.shallow == shallow
    assert len(set(pivots.vertices.tolist())) == count
    assert np.array_equal(pivots.hops, true_hops(part, pivots.vertices))
    assert pivots.sizes.sum() == part.n
    assert (pivots.sizes * pivots.squares).sum() == pytest.approx((pivots.hops.min(axis=1).astype(float) ** 2).sum())
    again = pivots_of(part, count, ONE, np.random.default_rng(1))
    assert np.array_equal(pivots.vertices, again.vertices)
    assert np.array_equal(pivots.hops, again.hops)


def test_pivots_of_a_deep_graph_are_far_apart():
    part = largest_part(street_grid(60, 50))
    pivots = pivots_of(part, 24, TWO, np.random.default_rng(1))
    at_random = true_hops(part, np.random.default_rng(5).choice(part.n, 24, replace=False))
    assert pivots.hops.min(axis=1).max() < 0.8 * at_random.min(axis=1).max()
    assert pivots.hops.max() > SHALLOW


def test_of_many_vertices_fewer_searches_are_given_sooner(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pivots_module, "_MANY", 3_000)
    seen: list[np.ndarray] = []
    pivots = pivots_of(largest_part(street_grid(60, 50)), 40, TWO, np.random.default_rng(1), early=seen.append)
    assert [hops.shape for hops in seen] == [(3_000, 4)]
    assert np.array_equal(seen[0], pivots.hops[:, :4])


def test_the_first_searches_of_a_deep_graph_are_given_early():
    seen: list[np.ndarray] = []
    pivots = pivots_of(largest_part(street_grid(60, 50)), 40, TWO, np.random.default_rng(1), early=seen.append)
    (hops,) = seen
    assert 8 <= hops.shape[1] < 20
    assert np.array_equal(hops, pivots.hops[:, : hops.shape[1]])


def test_more_pivots_than_vertices_are_all_vertices():
    part = largest_part(street_grid(7, 6))
    pivots = pivots_of(part, 100, TWO, np.random.default_rng(1))
    assert sorted(pivots.vertices.tolist()) == list(range(42))


@pytest.mark.parametrize("part", [largest_part(street_grid(20, 12)), shallow_part(150)])
def test_all_pairs_of_a_small_graph(part):
    assert np.array_equal(hops_from_all(part, TWO), true_hops(part, np.arange(part.n)))


def test_a_dense_graph_s_searches_advance_together():
    n = 90
    part = largest_part(Graph.from_arcs(n, *np.triu_indices(n, 1), np.ones(n * (n - 1) // 2, np.int32)))
    assert np.array_equal(hops_from_all(part, TWO), 1 - np.eye(n))


def test_cancel_is_heard():
    token = CancelToken()
    token.cancel()
    for part in (largest_part(street_grid(40, 30)), shallow_part()):
        with pytest.raises(Cancelled):
            pivots_of(part, 8, TWO, np.random.default_rng(1), Progress(token))
