"""The live solver: every way of solving gives SciPy's distances, a nearest source of
every vertex, and a real path.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from solvers.algorithms.auto.table import SMALL
from solvers.algorithms.hierarchy.sweep import NO_OWNER
from solvers.errors import Cancelled, ForeignQuery, UnsuitableGraph
from solvers.features.live.query import MOST_SOURCES, LiveAnswer, LiveQuery
from solvers.features.live.solver import LiveSolver, PathWalk
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from solvers.running.prepared_network import network_with_hierarchy, searched_network
from solvers.system.cancel import CancelToken, Progress
from solvers.verification.paths import path_length, path_to, recover_predecessors
from tests.graphs import from_list, right_distances

SEVERAL = (5, 700, 1500)


@pytest.fixture(scope="module")
def road() -> Graph:
    """A road network with equal ways, and large enough for delta-stepping."""
    graph = find("road").generate({"vertices": 12_000})
    even = np.maximum(1, graph.weights // 100).astype(np.int32)
    return replace(graph, weights=even)


def rows_of_scipy(graph: Graph, sources: tuple[int, ...]) -> NDArray[np.float64]:
    """Distances from each source, (k, n); the graph has no parallel arcs of different
    weight and no zero weights.
    """
    matrix = csr_array(
        (graph.weights.astype(np.float64), graph.indices, graph.indptr), shape=(graph.n, graph.n)
    )
    return np.asarray(dijkstra(matrix, indices=list(sources)))


def check(answer: LiveAnswer, rows: NDArray[np.float64]) -> None:
    """Compare an answer with the distances from each of its sources."""
    nearest = rows.min(axis=0)
    assert np.array_equal(to_float(answer.distances), nearest)
    assert answer.reached == np.isfinite(nearest).sum()
    if answer.owners is not None:
        reached = np.isfinite(nearest)
        assert (answer.owners[~reached] == NO_OWNER).all()
        assert np.array_equal(
            rows[answer.owners[reached], np.flatnonzero(reached)], nearest[reached]
        )


@pytest.mark.parametrize("prepared", [False, True])
def test_distances_and_owners_are_those_of_scipy(road: Graph, prepared: bool) -> None:
    assert road.n + road.m > SMALL
    weights = network_with_hierarchy(road) if prepared else searched_network(road)
    solver = LiveSolver(road)
    for sources in (SEVERAL[:1], SEVERAL, SEVERAL[1:]):  # buffers of one query serve the next
        answer = solver.solve(LiveQuery(road, sources, 4321, weights))
        check(answer, rows_of_scipy(road, sources))
        assert answer.method == ("hierarchy" if prepared else "delta-stepping")
        assert path_length(road, answer.path) == answer.length
        assert answer.path[0] == answer.owner(4321)


def test_the_path_is_that_of_a_measured_run(road: Graph) -> None:
    answer = LiveSolver(road).solve(LiveQuery(road, (9,), 4000, searched_network(road)))
    assert np.array_equal(
        path_to(recover_predecessors(road, 9, answer.distances), 9, 4000), answer.path
    )


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_of_equally_near_sources_the_hierarchy_takes_the_first(road: Graph, dtype: type) -> None:
    road = replace(road, weights=road.weights.astype(dtype))
    answer = LiveSolver(road).solve(LiveQuery(road, SEVERAL, None, network_with_hierarchy(road)))
    rows = rows_of_scipy(road, SEVERAL)
    assert np.array_equal(answer.owners, rows.argmin(axis=0))
    assert (np.sort(rows, axis=0)[0] == np.sort(rows, axis=0)[1]).any(), (
        "without a tie nothing is tested"
    )


def test_a_heap_solves_a_small_graph_with_cycles_of_weight_zero() -> None:
    graph = from_list(6, [(0, 1, 2), (1, 2, 0), (2, 1, 0), (2, 3, 1), (3, 3, 0), (5, 4, 1)])
    answer = LiveSolver(graph).solve(LiveQuery(graph, (0, 5), 3, searched_network(graph)))
    check(answer, np.array([right_distances(graph, s) for s in (0, 5)]))
    assert answer.path.tolist() == [0, 1, 2, 3]
    assert (answer.owner(4), answer.length) == (5, 3)


def test_an_unreachable_target_has_no_path_and_no_owner() -> None:
    graph = from_list(3, [(1, 0, 1), (1, 2, 1)])
    answer = LiveSolver(graph).solve(LiveQuery(graph, (0,), 2, searched_network(graph)))
    assert (answer.path, answer.length, answer.owner(2), answer.reached) == (None, np.inf, None, 1)


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_what_leads_to_a_source_alone_has_no_owner(dtype: type) -> None:
    """A distance of 0 beside an arc that cannot be driven down is as long as none."""
    ways_in = [(v, hub, 5) for v in range(3, 12) for hub in (0, 1)]
    graph = from_list(12, [(0, 1, 1), (1, 2, 3), *ways_in])
    graph = replace(graph, weights=graph.weights.astype(dtype))
    for sources in ((0, 1), (1, 0)):
        query = LiveQuery(graph, sources, None, network_with_hierarchy(graph))
        check(
            LiveSolver(graph).solve(query), np.array([right_distances(graph, s) for s in sources])
        )


@pytest.mark.parametrize("prepared", [False, True])
def test_a_closed_arc_is_not_used(prepared: bool) -> None:
    graph = from_list(3, [(0, 1, 1), (1, 2, 1), (0, 2, 9)])
    changed = RoadChanges().close((10, 13)).apply(graph)
    weights = network_with_hierarchy(changed) if prepared else searched_network(changed)
    answer = LiveSolver(graph).solve(LiveQuery(changed, (0,), 2, weights))
    assert answer.path.tolist() == [0, 2]


def test_negative_weights_need_a_hierarchy() -> None:
    graph = from_list(3, [(0, 1, 4), (0, 2, 5), (2, 1, -2)])
    with pytest.raises(UnsuitableGraph, match="negative weights"):
        LiveSolver(graph).solve(LiveQuery(graph, (0,), 1, searched_network(graph)))
    answer = LiveSolver(graph).solve(LiveQuery(graph, (0,), 1, network_with_hierarchy(graph)))
    assert (answer.length, answer.path.tolist()) == (3, [0, 2, 1])


def test_a_negative_cycle_is_refused() -> None:
    graph = from_list(3, [(0, 1, 4), (1, 2, -5), (2, 1, -2)])
    with pytest.raises(UnsuitableGraph, match="negative cycle"):
        LiveSolver(graph).solve(LiveQuery(graph, (0,), 1, network_with_hierarchy(graph)))


def test_a_cancelled_query_leaves_the_solver_usable(road: Graph) -> None:
    solver, cancel = LiveSolver(road), CancelToken()
    cancel.cancel()
    query = LiveQuery(road, SEVERAL, None, searched_network(road))
    with pytest.raises(Cancelled):
        solver.solve(query, Progress(cancel))
    check(solver.solve(query), rows_of_scipy(road, SEVERAL))


# Compiled functions read and write where an index says: what is not of one graph must
# not get there.

_SMALL = from_list(3, [(0, 1, 1), (1, 2, 1), (0, 2, 9)], name="small")
_LARGE = from_list(9, [(v, v + 1, v) for v in range(8)], name="large")


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize(
    ("graph", "other"), [(_SMALL, _LARGE), (_LARGE, _SMALL)], ids=["large", "small"]
)
def test_weights_of_another_graph_are_refused(graph: Graph, other: Graph, prepared: bool) -> None:
    weights, solver = (
        network_with_hierarchy(other) if prepared else searched_network(other),
        LiveSolver(graph),
    )
    with pytest.raises(ForeignQuery, match=f"weights are of {other.name}") as caught:
        LiveQuery(graph, (0,), 2, weights)
    assert caught.value.graph == graph.name
    with pytest.raises(ForeignQuery, match=f"the solver is for {graph.name}"):
        solver.solve(LiveQuery(other, (0,), 2, weights))
    own = solver.solve(LiveQuery(graph, (0,), 2, searched_network(graph)))
    assert np.array_equal(to_float(own.distances), right_distances(graph, 0)), (
        "it can still be used"
    )


def test_weights_of_an_equal_graph_and_of_its_other_roads_are_refused() -> None:
    twin = replace(_SMALL, weights=_SMALL.weights * 2)
    closed = RoadChanges().close((10, 13)).apply(_SMALL)
    for graph, other in ((_SMALL, twin), (_SMALL, closed), (closed, _SMALL)):
        with pytest.raises(ForeignQuery):
            LiveQuery(graph, (0,), 2, searched_network(other))


@pytest.mark.parametrize("vertex", [-1, 3, 8])
@pytest.mark.parametrize("what", ["source", "further source", "target"])
def test_vertices_of_another_graph_are_refused(what: str, vertex: int) -> None:
    sources = {"source": (vertex,), "further source": (0, vertex)}.get(what, (0,))
    with pytest.raises(ForeignQuery, match=f"vertex {vertex} is not among its 3"):
        LiveQuery(_SMALL, sources, vertex if what == "target" else None, searched_network(_SMALL))


@pytest.mark.parametrize("count", [0, MOST_SOURCES + 1])
def test_too_few_and_too_many_sources_are_refused(count: int) -> None:
    with pytest.raises(ForeignQuery, match=f"{count} sources"):
        LiveQuery(_LARGE, tuple(range(count)), None, searched_network(_LARGE))


def test_weights_hierarchy_and_metric_of_different_graphs_make_no_weights() -> None:
    small, large = (network_with_hierarchy(one).engine for one in (_SMALL, _LARGE))
    for mixed in (
        {"weights": large.weights},
        {"weights": small.weights.astype(np.int64)},
        {"hierarchy": large.hierarchy},
        {"metric": large.metric},
        {"hierarchy": large.hierarchy, "metric": large.metric},
    ):
        with pytest.raises(ForeignQuery):
            replace(small, **mixed)


def test_a_path_is_walked_only_on_its_own_graph() -> None:
    walk, weights = PathWalk(_SMALL), searched_network(_SMALL)
    distances = np.array([0, 1, 2], np.int32)
    assert walk.path(distances, weights.weights, weights.kind, (0,), 2) is not None
    for other, arcs, target in (
        (np.zeros(9, np.int32), weights.weights, 2),
        (distances, searched_network(_LARGE).weights, 2),
        (distances, weights.weights, 3),
        (distances, weights.weights, -1),
    ):
        with pytest.raises(ForeignQuery):
            walk.path(other, arcs, weights.kind, (0,), target)
