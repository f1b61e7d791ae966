"""What each idea saves, on a street grid where one can count: a disc, two discs, an egg."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.one_path.astar import lower_bound
from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weights import INT32
from tests import graphs

SIDE = 60


@pytest.fixture(scope="module")
def blocks() -> Graph:
    """A grid of streets 10 long, vertices at their crossings."""
    number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel()))
    both = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    rows, columns = np.divmod(np.arange(SIDE * SIDE), SIDE)
    places = Coordinates(np.column_stack((columns, rows)).astype(np.float64))
    weights = np.full(len(both[0]), 10, dtype=np.int32)
    return Graph.from_arcs(SIDE * SIDE, *both, weights, coordinates=places, directed=False, name="blocks")


def taken(variant_id: str, graph: Graph, source: int, target: int) -> int:
    return find_variant(variant_id).solve(Problem(graph, source, target, {})).iterations


def test_each_covers_less_ground(blocks: Graph) -> None:
    """Fifteen blocks east along a street, from the middle of the town."""
    source = SIDE * (SIDE // 2) + 20
    target = source + 15
    disc = taken("dijkstra-target", blocks, source, target)
    discs = taken("dijkstra-bidirectional", blocks, source, target)
    egg = taken("astar", blocks, source, target)
    assert egg < discs < disc < blocks.n
    assert egg <= 3 * 16, "straight ahead the bound is exact: only the street itself is worth a look"


def test_the_bound_is_the_best_pace_times_the_straight_line(blocks: Graph) -> None:
    assert blocks.coordinates is not None
    bound = lower_bound(blocks, blocks.coordinates, INT32)
    assert bound.pace == pytest.approx(10, rel=1e-5)
    assert bound.pace < 10, "a hair below, lest rounding promise too much"


def test_degrees_are_measured_on_the_sphere() -> None:
    """A degree of longitude at 60° north is half one at the equator; across the date line it is a short way."""
    arcs = [(0, 1, 100), (1, 0, 100)]
    graph = graphs.from_list(2, arcs, np.int32, name="two places")
    paces = [
        lower_bound(graph, Coordinates(np.array(ends, dtype=np.float64), geographic=True), INT32).pace
        for ends in ([(0, 0), (1, 0)], [(0, 60), (1, 60)], [(179.5, 0), (-179.5, 0)])
    ]
    assert paces[1] == pytest.approx(2 * paces[0], rel=1e-3)
    assert paces[2] == pytest.approx(paces[0], rel=1e-6)


def test_one_place_for_all_makes_it_dijkstra() -> None:
    graph = graphs.by_hand("a grid")
    bound = lower_bound(graph, Coordinates(np.zeros((graph.n, 2))), INT32)
    assert bound.pace == 0


def test_missing_coordinates_are_told_before_and_after() -> None:
    graph = graphs.by_hand("a grid")
    told = availability(find_variant("astar"), graph, None)
    assert not told.available
    assert "needs coordinates" in told.reason
    with pytest.raises(UnsuitableGraph, match=r"a grid has none; open it with its \.co file"):
        find_variant("astar").solve(Problem(graph, 0, 5, {}))
