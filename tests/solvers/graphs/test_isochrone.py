"""The isochrone against a computation street by street in plain Python, and against
SciPy on a real city.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.isochrone import Isochrone, isochrone_of, streets_of
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.system.threads import ThreadTeam, thread_team
from tests.data import data_file
from tests.graphs import from_list, graphs, right_distances

Arc = tuple[int, int, float]


@pytest.fixture(scope="module")
def team() -> Iterator[ThreadTeam]:
    with thread_team(2) as made:
        yield made


def plain_streets(graph: Graph) -> list[list[Arc]]:
    """Streets as lists of one arc or of two opposite ones: the lightest with the
    lightest, and so on.
    """
    between: dict[tuple[int, int], list[Arc]] = defaultdict(list)
    for arc in zip(
        graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True
    ):
        between[arc[:2]].append(arc)
    found = []
    for (u, v), arcs in between.items():
        opposite = sorted(between.get((v, u), []), key=lambda arc: arc[2])
        for rank, arc in enumerate(sorted(arcs, key=lambda arc: arc[2])):
            if u == v or rank >= len(opposite):
                found.append([arc])
            elif u < v:
                found.append([arc, opposite[rank]])
    return found


def plain_reach(
    graph: Graph, distances: np.ndarray, budget: float
) -> tuple[int, int, float, set[tuple[int, int]]]:
    """Vertices, whole arcs, length and the ends of the arcs on which the budget ends."""
    arcs, length, border = 0, 0.0, set()
    for street in plain_streets(graph):
        shares = []
        for tail, _, weight in street:
            left = budget - distances[tail]
            shares.append(None if left < 0 else 1.0 if weight <= left else left / weight)
        arcs += shares.count(1.0)
        covered = sum(share or 0.0 for share in shares)
        length += min(1.0, covered) * sum(arc[2] for arc in street) / len(street)
        if covered < 1.0:
            border |= {
                arc[:2] for arc, share in zip(street, shares, strict=True) if share is not None
            }
    return sum(d <= budget for d in distances.tolist()), arcs, length, border


def measured(reach: Isochrone) -> tuple[int, int, float, set[tuple[int, int]]]:
    border = set(zip(reach.border_tails.tolist(), reach.border_heads.tolist(), strict=True))
    return reach.vertices, reach.arcs, pytest.approx(reach.length), border


@given(graphs(dtypes=("int32",)), st.floats(-1, 70))
def test_the_reach_of_any_graph(graph: Graph, budget: float) -> None:
    distances = right_distances(graph, 0)
    with thread_team(1) as team:
        assert plain_reach(graph, distances, budget) == measured(
            isochrone_of(graph, distances, budget, team)
        )


def test_the_budget_ends_on_a_road_from_both_sides(team: ThreadTeam) -> None:
    """A ring of four roads of 10: with 12, the road opposite the source is covered by 2
    from either side.
    """
    ring = from_list(4, [(0, 1, 10), (0, 2, 10), (1, 3, 10), (2, 3, 10)], np.int32, directed=False)
    reach = isochrone_of(ring, np.array([0.0, 10, 10, 20]), 12.0, team)
    assert (reach.vertices, reach.arcs, reach.length) == (3, 2, 24.0)
    assert sorted(zip(reach.border_tails.tolist(), reach.border_heads.tolist(), strict=True)) == [
        (1, 3),
        (2, 3),
    ]
    assert reach.border_shares.tolist() == [0.2, 0.2]


def test_where_the_budget_ends_at_a_vertex_the_border_is_that_vertex(team: ThreadTeam) -> None:
    road = from_list(3, [(0, 1, 4), (1, 2, 4)], np.int32, directed=False)
    reach = isochrone_of(road, np.array([0.0, 4, 8]), 4.0, team)
    assert (reach.border_tails.tolist(), reach.border_shares.tolist()) == ([1], [0.0])


def test_streets_of_times_have_the_length_of_their_coordinates(team: ThreadTeam) -> None:
    """One degree of a meridian is 111.2 km, whatever time it takes."""
    places = Coordinates(np.array([[10.0, 50.0], [10.0, 51.0]]), geographic=True)
    timed = Graph.from_arcs(
        2,
        np.array([0, 1]),
        np.array([1, 0]),
        np.array([600, 900], np.int32),
        coordinates=places,
        weight_unit="s",
    )
    streets = streets_of(timed, team)
    assert (len(streets), streets.unit) == (1, "m")
    assert streets.lengths[0] == pytest.approx(111_195, rel=1e-4)


@pytest.mark.data
def test_rome_agrees_with_scipy(team: ThreadTeam) -> None:
    """Size and length from SciPy's distances; Rome's opposite arcs are as long as each other."""
    graph = read_graph(data_file("dimacs/rome99.gr")).graph
    least = np.lexsort((graph.weights, graph.indices, graph.tails))
    pairs = np.column_stack((graph.tails, graph.indices))[least]
    first = np.concatenate(([True], np.any(pairs[1:] != pairs[:-1], axis=1)))
    arcs = coo_matrix(
        (graph.weights[least][first].astype(float), pairs[first].T), shape=(graph.n, graph.n)
    ).tocsr()
    distances = dijkstra(arcs, indices=100)
    budget = float(np.median(distances)) + 0.25
    vertices, whole, length, border = plain_reach(graph, distances, budget)
    reach = isochrone_of(graph, distances, budget, team)
    assert (reach.vertices, reach.arcs) == (vertices, whole)
    assert reach.length == pytest.approx(length)
    assert border == set(zip(reach.border_tails.tolist(), reach.border_heads.tolist(), strict=True))
    assert len(border) > 50


def test_a_closed_and_a_slowed_road_are_as_long_as_they_were(team: ThreadTeam) -> None:
    ring = from_list(4, [(0, 1, 10), (0, 2, 10), (1, 3, 10), (2, 3, 10)], np.int32, directed=False)
    changed = RoadChanges().close((10, 13)).slow(2.0, (10, 16)).apply(ring)
    distances = right_distances(changed, 0)
    assert distances.tolist() == [0.0, 40, 20, 30]
    reach = isochrone_of(changed, distances, 25.0, team)
    assert (reach.vertices, reach.arcs, reach.length) == (2, 1, 15.0)
    assert (reach.border_tails.tolist(), reach.border_shares.tolist()) == ([2], [0.5])
