"""Vertices with few neighbours are eliminated before METIS orders the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.algorithms.hierarchy import dissection
from solvers.algorithms.hierarchy.adjacency import Adjacency, adjacency_of
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.low_degrees import (
    MOST_NEIGHBOURS,
    ROOM,
    eliminate_low_degrees,
)
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import needs_metis, network

Edges = list[tuple[int, int]]


def undirected(n: int, edges: Edges) -> Graph:
    return graphs.from_list(n, [(u, v, 1) for u, v in edges], directed=False)


def path(n: int) -> Edges:
    return [(v, v + 1) for v in range(n - 1)]


def grid(side: int) -> Edges:
    corners = [(r * side + c, r, c) for r in range(side) for c in range(side)]
    return [(v, v + 1) for v, _, c in corners if c + 1 < side] + [
        (v, v + side) for v, r, _ in corners if r + 1 < side
    ]


def wheel(n: int) -> Edges:
    return [(v, (v + 1) % (n - 1)) for v in range(n - 1)] + [(n - 1, v) for v in range(n - 1)]


def random_edges(n: int, m: int) -> Edges:
    """Of uneven degrees: some vertices have more than `ROOM` neighbours, many have few."""
    rng = np.random.default_rng(m)
    ends = (n * rng.random((m, 2)) ** 2).astype(int)
    return sorted({(int(u), int(v)) for u, v in ends if u < v})


GRAPHS = {
    "nothing": undirected(0, []),
    "alone": undirected(3, []),
    "path": undirected(50, path(50)),
    "star": undirected(40, [(0, v) for v in range(1, 40)]),
    "wheel": undirected(30, wheel(30)),
    "grid": undirected(144, grid(12)),
    "random": undirected(300, random_edges(300, 500)),
    "denser": undirected(300, random_edges(300, 900)),
    "road": network(),
}


def neighbourhoods(adjacency: Adjacency) -> list[set[int]]:
    return [set(row.tolist()) for row in np.split(adjacency.neighbours, adjacency.first[1:-1])]


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_left_is_what_elimination_by_definition_leaves(name: str) -> None:
    adjacency = adjacency_of(GRAPHS[name])
    order, rest, left = eliminate_low_degrees(adjacency)
    around = neighbourhoods(adjacency) if adjacency.n else []
    for v in order.tolist():
        assert len(around[v]) <= MOST_NEIGHBOURS
        for u in around[v]:
            around[u] |= around[v]
            around[u] -= {u, v}
    assert sorted([*order.tolist(), *rest.tolist()]) == list(range(adjacency.n))
    assert left.n == len(rest)
    for i, v in enumerate(rest.tolist()):
        found = rest[left.neighbours[left.first[i] : left.first[i + 1]]]
        assert found.tolist() == sorted(around[v])
        beside = max((len(around[u]) for u in around[v]), default=0)
        assert len(around[v]) > MOST_NEIGHBOURS or beside + max(0, len(around[v]) - 2) > ROOM


@pytest.mark.parametrize("name", ["path", "road"])
def test_the_hierarchy_of_a_path_is_as_high_as_a_logarithm(name: str) -> None:
    """And that of paths that leave a network's junctions: neighbours are not eliminated in
    one round.
    """
    junctions = GRAPHS[name]
    ends = np.stack((junctions.tails, junctions.indices), axis=1).tolist()
    n = junctions.n
    graph = undirected(
        n + 4_000, [*map(tuple, ends), (0, n), *((n + v, n + v + 1) for v in range(3_999))]
    )
    adjacency = adjacency_of(graph)
    order, rest, _ = eliminate_low_degrees(adjacency)
    tree = elimination_tree(adjacency, np.concatenate((order, rest)))
    depth = tree.depth[tree.rank[n:]]
    assert depth.max() - depth.min() <= 2 * math.log2(4_000)


@needs_metis
@pytest.mark.parametrize("rungs", [2, 1], ids=["ladder", "with diagonals"])
def test_a_ladder_is_not_eliminated_from_its_ends_on(rungs: int) -> None:
    """The hierarchy would be half as high as it is long."""
    n = 10_000
    sides = [(v, v + 2) for v in range(n - 2)]
    adjacency = adjacency_of(undirected(n, sides + path(n)[::rungs]))
    order = dissection.dissection_order(adjacency)
    assert elimination_tree(adjacency, order).height < 10 * math.log2(n)


@needs_metis
def test_a_hierarchy_has_fewer_arcs_than_by_metis_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    adjacency = adjacency_of(find("road").generate({"vertices": 6_000}))

    def arcs() -> int:
        order = dissection.dissection_order(adjacency)
        counts = count_up_arcs(adjacency, elimination_tree(adjacency, order), 1 << 40)
        assert counts is not None
        return int(counts.sum())

    with_less = arcs()
    everything = np.empty(0, np.int32), np.arange(adjacency.n, dtype=np.int32), adjacency
    monkeypatch.setattr(dissection, "eliminate_low_degrees", lambda *_: everything)
    assert with_less < arcs()
