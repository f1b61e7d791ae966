"""Flows of shortest paths, by Brandes and over a hierarchy, against NetworkX's betweenness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from solvers import generate, read
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.devices import pick
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable, UnsuitableGraph
from solvers.features.all_sources.flows import path_flows
from solvers.features.all_sources.flows.device_flows import DeviceFlows
from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows, group_cuts
from solvers.features.all_sources.flows.level_flows import LevelFlows, has_levels
from solvers.features.all_sources.flows.path_flows import (
    FlowEngine,
    brandes_flows,
    require_countable,
)
from solvers.features.all_sources.flows.whole_weights import WholeWeights, whole_weights
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import run_all_sources
from solvers.graphs.graph import AS_READ, Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.system.cancel import SILENT
from solvers.system.openmp import team
from solvers.system.threads import in_threads
from tests.blocked_imports import run_without
from tests.graphs import from_list

Engine = Callable[..., FlowEngine]


def brandes(graph: Graph, masses: NDArray[np.float64], limit: Any, threads: int) -> FlowEngine:
    return brandes_flows(graph, SearchedRows(graph, threads).rows, masses, limit, threads)


def hierarchy(graph: Graph, masses: NDArray[np.float64], limit: Any, threads: int) -> FlowEngine:
    return HierarchyFlows(graph, masses, limit, threads, HierarchyRows(graph, threads).row)


def levels(graph: Graph, masses: NDArray[np.float64], limit: Any, threads: int) -> FlowEngine:
    return LevelFlows(graph, masses, limit, threads)


def on_device(device: Device) -> Engine:
    def made(graph: Graph, masses: NDArray[np.float64], limit: Any, threads: int) -> FlowEngine:
        row = HierarchyRows(graph, threads).row
        return DeviceFlows(graph, masses, limit, threads, row, device)

    return made


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Engine:
    kind = request.param
    if kind == "brandes":
        return brandes
    if kind == "hierarchy":
        return hierarchy
    try:
        return on_device(pick(kind))
    except DeviceUnavailable as error:
        pytest.skip(str(error))


_LOADED_AHEAD = """
from solvers.system import numba_private
loaded = list[str]()
load = numba_private._OneCompilation.load_or_lock

def listed(self, *given):
    loaded.append(self._compiled.__name__)
    return load(self, *given)

numba_private._OneCompilation.load_or_lock = listed
import numpy as np
from solvers import generate
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.devices import pick
from solvers.features.all_sources.flows import device_flows
from solvers.graphs.weights import INT32
from solvers.system.cancel import SILENT

device, graph = pick("opencl"), generate("road", vertices=300)
assert graph.distance_type is INT32
device_flows.load_functions(INT32)
ahead = set(loaded)
assert {"_fill_rows", "_spread", "_count_subtrees", "_unpack_subtrees", "_lay_out"} <= ahead
loaded.clear()
row = HierarchyRows(graph, 2).row
engine = device_flows.DeviceFlows(graph, np.ones(graph.n), INT32.longest, 2, row, device)
totals = engine.flows(np.arange(40, dtype=np.int32), SILENT)
assert engine.arc_flows(totals, SILENT).sum() > 0
assert loaded and not ahead.intersection(loaded), ahead.intersection(loaded)
"""


def test_what_is_loaded_ahead_is_not_loaded_again() -> None:
    """With the types that flows have: while METIS orders, nothing else would wait for it."""
    try:
        pick("opencl")
    except DeviceUnavailable as error:
        pytest.skip(str(error))
    run_without((), _LOADED_AHEAD)


_HIERARCHIES = ["hierarchy", "opencl", pytest.param("cuda", marks=pytest.mark.gpu)]
OVER_A_HIERARCHY = pytest.mark.parametrize("engine", _HIERARCHIES, indirect=True)
ENGINES = pytest.mark.parametrize("engine", ["brandes", *_HIERARCHIES], indirect=True)


def flows_of(
    graph: Graph,
    engine: Engine,
    *,
    masses: NDArray[Any] | None = None,
    limit: Any = None,
    sources: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
    """Betweenness of vertices and of arcs, summed over ordered pairs, and the totals;
    the identities hold.
    """
    weights = np.ones(graph.n) if masses is None else masses
    chosen = (
        np.arange(graph.n, dtype=np.int32) if sources is None else np.asarray(sources, np.int32)
    )
    with team(2, "test") as threads:
        made = engine(graph, weights, WholeWeights(graph).limit(limit).high, threads)
        totals = made.flows(chosen, SILENT)
        arcs = made.arc_flows(totals, SILENT)
    into, out = np.bincount(graph.indices, arcs, graph.n), np.bincount(graph.tails, arcs, graph.n)
    np.testing.assert_allclose(
        out - into, totals.starts - totals.ends, atol=1e-9 * max(1.0, totals.starts.sum())
    )
    assert (arcs * graph.weights).sum() == pytest.approx(totals.length)
    return into - totals.ends, arcs, totals


def graphs() -> Iterator[Any]:
    """Those with lengths in floats are slow: flows are compiled once more, for int64."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        graph = nx.convert_node_labels_to_integers(
            nx.grid_2d_graph(9, 11) if seed % 2 else nx.random_geometric_graph(90, 0.16, seed=seed)
        )
        if seed in (2, 3, 6, 7):
            graph = graph.to_directed()
        for u, v in graph.edges:
            graph[u][v]["weight"] = int(rng.integers(1, 4)) if seed < 6 else float(rng.random())
        if seed in (3, 5):
            graph.remove_edges_from([edge for edge in list(graph.edges) if rng.random() < 0.25])
        name = f"{'directed' if graph.is_directed() else 'undirected'} {seed}"
        yield pytest.param(graph, id=name, marks=[pytest.mark.slow] if seed >= 6 else [])


@OVER_A_HIERARCHY
@pytest.mark.parametrize("graph", list(graphs()))
def test_sweeps_give_the_numbers_of_rows(graph: Any, engine: Engine) -> None:
    ours = whole_weights(read(graph)).graph
    masses, sources = 1.0 + np.arange(ours.n) % 3, np.arange(ours.n)[::-2]
    found = flows_of(ours, engine, masses=masses, sources=sources)[2].rows
    rows = HierarchyRows(ours, 1)
    for source, numbers in zip(sources.tolist(), found, strict=True):
        row = rows.row(source, SILENT)
        near = row < ours.distance_type.infinity
        arrived = masses[near].sum() - masses[source]
        total, greatest = (masses * row)[near].sum(), row[near].max()
        # a sum past 2^53 is rounded, by the order in which a device adds
        rounding = 1e-15 if total >= 2.0**53 else 0.0
        np.testing.assert_allclose(
            numbers, [arrived, total, greatest], rounding, err_msg=str(source)
        )


@ENGINES
@pytest.mark.parametrize("graph", list(graphs()))
def test_betweenness_is_that_of_networkx(graph: Any, engine: Engine) -> None:
    ours = whole_weights(read(graph)).graph  # as all engines are given them
    vertices, arcs, _ = flows_of(ours, engine)
    pairs = 1.0 if graph.is_directed() else 0.5

    expected = nx.betweenness_centrality(graph, weight="weight", normalized=False)
    np.testing.assert_allclose(pairs * vertices, [expected[v] for v in ours.ids], atol=1e-8)
    expected = nx.edge_betweenness_centrality(graph, weight="weight", normalized=False)
    for tail, head, flow in zip(ours.tails, ours.indices, arcs, strict=True):
        ends = ours.ids[tail], ours.ids[head]
        assert flow == pytest.approx(
            expected[ends] if ends in expected else expected[ends[::-1]], abs=1e-8
        )


@pytest.mark.parametrize("limit", [None, 4000])
def test_sources_swept_as_one_add_up(limit: int | None) -> None:
    """A road network has many pieces, in which few columns stand for all sources of a group."""
    ours = generate("road", vertices=1500, seed=2)
    masses = np.random.default_rng(1).random(ours.n) * (np.arange(ours.n) % 7 > 0)
    found, expected = (
        flows_of(ours, engine, masses=masses, limit=limit) for engine in (hierarchy, brandes)
    )
    for own, theirs in zip(
        (*found[:2], found[2].starts), (*expected[:2], expected[2].starts), strict=True
    ):
        np.testing.assert_allclose(own, theirs, atol=1e-9 * max(1.0, expected[1].max()))
    assert found[2].length == pytest.approx(expected[2].length)


@ENGINES
def test_parallel_arcs_share_one_way_and_loops_carry_nothing(engine: Engine) -> None:
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(
        [
            (0, 1, 2),
            (0, 1, 2),
            (0, 1, 3),
            (1, 1, 1),
            (1, 2, 1),
            (0, 3, 2),
            (3, 2, 1),
            (2, 0, 5),
            (2, 4, 1),
            (2, 4, 1),
        ]
    )
    ours = read(graph)
    vertices, arcs, _ = flows_of(ours, engine)

    expected = nx.betweenness_centrality(graph, weight="weight", normalized=False)
    np.testing.assert_allclose(vertices, [expected[v] for v in ours.ids])
    by_ends: dict[tuple[int, int, float], set[float]] = {}
    for tail, head, weight, flow in zip(ours.tails, ours.indices, ours.weights, arcs, strict=True):
        by_ends.setdefault((ours.ids[tail], ours.ids[head], weight), set()).add(
            round(float(flow), 12)
        )
    whole = nx.edge_betweenness_centrality(nx.DiGraph(graph), weight="weight", normalized=False)
    assert by_ends[1, 1, 1] == {0.0}
    assert by_ends[0, 1, 3] == {0.0}
    assert by_ends[2, 4, 1] == {whole[2, 4] / 2}  # two of them


@ENGINES
def test_masses_weigh_origins_and_destinations_and_a_limit_cuts_long_paths(engine: Engine) -> None:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 6))
    rng = np.random.default_rng(3)
    for u, v in graph.edges:
        graph[u][v]["weight"] = int(rng.integers(1, 4))
    ours, masses = read(graph), rng.random(30)
    limit = 6
    expected = np.zeros(30)
    for source in graph:
        distance = nx.single_source_dijkstra_path_length(graph, source)
        for target in graph:
            if target != source and distance[target] <= limit:
                paths = list(nx.all_shortest_paths(graph, source, target, weight="weight"))
                flow = masses[ours.vertex(source)] * masses[ours.vertex(target)] / len(paths)
                for vertex in (v for path in paths for v in path[1:-1]):
                    expected[ours.vertex(vertex)] += flow

    vertices, _, totals = flows_of(ours, engine, masses=masses, limit=limit)

    np.testing.assert_allclose(vertices, expected, atol=1e-9)
    assert totals.starts.sum() == pytest.approx(totals.ends.sum())


@ENGINES
def test_flows_of_some_sources_are_a_subset(engine: Engine) -> None:
    graph = nx.random_geometric_graph(60, 0.2, seed=1).to_directed()
    nx.set_edge_attributes(graph, 2, "weight")
    ours, sources = read(graph), [3, 50, 7]
    vertices, _, _ = flows_of(ours, engine, sources=[ours.vertex(v) for v in sources])
    expected = nx.betweenness_centrality_subset(graph, sources, list(graph), weight="weight")
    np.testing.assert_allclose(vertices, [expected[v] for v in ours.ids], atol=1e-9)


@ENGINES
def test_arcs_of_weight_zero_are_fine_without_a_cycle_of_them(engine: Engine) -> None:
    rng = np.random.default_rng(5)
    graph = nx.gnp_random_graph(40, 0.15, seed=4, directed=True)
    for u, v in graph.edges:
        graph[u][v]["weight"] = 0 if u < v and rng.random() < 0.5 else int(rng.integers(1, 4))
    ours = read(graph)
    require_countable(ours)
    vertices, _, _ = flows_of(ours, engine)
    expected = dict.fromkeys(graph, 0.0)
    for source in graph:
        for target in graph:
            if source != target and nx.has_path(graph, source, target):
                paths = list(
                    nx.all_shortest_paths(
                        graph, source, target, weight="weight", method="bellman-ford"
                    )
                )
                for vertex in (v for path in paths for v in path[1:-1]):
                    expected[vertex] += 1 / len(paths)
    np.testing.assert_allclose(vertices, [expected[v] for v in ours.ids], atol=1e-8)


def test_graphs_without_countable_paths_are_refused() -> None:
    zero = read(
        nx.DiGraph(
            [("a", "b", {"weight": 0}), ("b", "a", {"weight": 0}), ("b", "c", {"weight": 1})]
        )
    )
    with pytest.raises(UnsuitableGraph, match="cycle of weight 0, through a and b"):
        require_countable(zero)
    with pytest.raises(UnsuitableGraph, match="negative weights"):
        require_countable(read(nx.DiGraph([(0, 1, {"weight": -1})])))
    require_countable(read(nx.DiGraph([(0, 1, {"weight": 0}), (0, 0, {"weight": 0})])))


@pytest.fixture
def closed_road() -> Graph:
    """A road of a network with lengths in floats is closed."""
    weights = np.random.default_rng(3).random(40)
    edges = [
        (u, v, {"weight": w})
        for (u, v), w in zip(nx.grid_2d_graph(5, 5).edges, weights, strict=True)
    ]
    graph = read(nx.Graph(edges))
    return RoadChanges().close(((2, 2), (2, 3))).apply(graph)


def test_a_float_graph_with_a_closed_road_keeps_the_order_of_the_whole_network(
    closed_road: Graph,
) -> None:
    whole = whole_weights(closed_road)
    assert closed_road.base is not None
    assert whole.graph.base.graph is whole_weights(closed_road.base.graph).graph
    alone = whole_weights(replace(closed_road, overlay=AS_READ))
    assert whole.graph.weights * float(whole.unit) == pytest.approx(
        alone.graph.weights * float(alone.unit), rel=1e-12
    )


@pytest.mark.slow  # compiles all of it for int64
def test_flows_of_a_float_graph_with_a_closed_road(closed_road: Graph) -> None:
    alone = whole_weights(replace(closed_road, overlay=AS_READ)).graph
    found, expected = (
        run_all_sources(AllSourcesRequest(g, has_flows=True)) for g in (closed_road, alone)
    )
    assert found.verdict.verified
    np.testing.assert_allclose(found.flows.arcs, expected.flows.arcs)


def chain_flows(length: int, engine: Engine, alone: int = 0) -> tuple[Graph, FlowEngine]:
    """A chain of squares, joined at corners, with 2 to the power of ``length`` shortest
    paths from end to end; and vertices that lie ``alone``, the last ones.
    """
    chain = nx.Graph(
        [
            edge
            for i in range(length)
            for side in "ab"
            for edge in ((i, (i, side)), ((i, side), i + 1))
        ]
    )
    chain.add_nodes_from(("alone", i) for i in range(alone))
    graph = read(chain)
    with team(1, "test") as threads:
        return graph, engine(graph, np.ones(graph.n), WholeWeights(graph).limit(None).high, threads)


@OVER_A_HIERARCHY
@pytest.mark.parametrize("length", [40, 1500])
def test_counts_beyond_float64_are_scaled(length: int, engine: Engine) -> None:
    graph, made = chain_flows(length, engine)
    totals = made.flows(np.array([0], np.int32), SILENT)
    arcs = made.arc_flows(totals, SILENT)

    assert totals.length == HierarchyRows(graph, 1).row(0, SILENT).sum()
    assert (arcs * graph.weights).sum() == pytest.approx(totals.length)
    into, out = np.bincount(graph.indices, arcs, graph.n), np.bincount(graph.tails, arcs, graph.n)
    np.testing.assert_allclose(out - into, totals.starts - totals.ends, atol=1e-6)


@OVER_A_HIERARCHY
def test_counts_are_scaled_for_another_source_where_one_has_too_few_paths(engine: Engine) -> None:
    graph, made = chain_flows(1500, engine, alone=2)
    counted = made.flows(np.array([0], np.int32), SILENT)
    graph, made = chain_flows(1500, engine, alone=2)
    totals = made.flows(np.array([graph.n - 2, 0, graph.n - 1], np.int32), SILENT)
    assert totals.length == counted.length
    arcs, same = (made.arc_flows(one, SILENT) for one in (totals, counted))
    np.testing.assert_allclose(arcs, same)


@OVER_A_HIERARCHY
def test_counts_beyond_any_scale_are_refused(engine: Engine) -> None:
    _, made = chain_flows(4000, engine)
    with pytest.raises(UnsuitableGraph, match="shortest paths between two vertices"):
        made.flows(np.array([0], np.int32), SILENT)


@pytest.mark.parametrize("limit", [None, 3, 6])
@pytest.mark.parametrize("directed", [False, True])
def test_flows_by_levels_are_those_by_distances(directed: bool, limit: int | None) -> None:
    graph = nx.gnp_random_graph(70, 0.025, seed=4, directed=directed)
    graph.add_edge(3, 3)
    graph.add_edges_from([(0, 1), (0, 70), (1, 71)])
    nx.set_edge_attributes(graph, 2, "weight")
    ours = read(graph)
    masses = np.random.default_rng(2).random(ours.n)
    assert has_levels(ours)

    for chosen in (None, [0, 5, 9]):
        found = flows_of(ours, levels, masses=masses, limit=limit, sources=chosen)
        expected = flows_of(ours, brandes, masses=masses, limit=limit, sources=chosen)
        for own, theirs in zip(
            (*found[:2], *found[2].arrays), (*expected[:2], *expected[2].arrays), strict=True
        ):
            np.testing.assert_allclose(own, theirs, atol=1e-10)
        assert found[2].length == pytest.approx(expected[2].length)


@pytest.mark.parametrize("weights", [[0, 0], [1, 2]])
def test_other_graphs_have_no_levels(weights: list[int]) -> None:
    assert not has_levels(
        Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array(weights, np.int32))
    )


def test_arcs_that_are_simple_are_those_that_sorting_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    simple = from_list(4, [(0, 1, 5), (0, 3, 4), (1, 0, 2), (2, 0, 3), (3, 2, 1)])
    doubled = from_list(3, [(0, 1, 5), (0, 1, 4), (1, 1, 2), (1, 2, 3), (2, 0, 1)])
    found = [path_flows.simple_arcs(graph) for graph in (simple, doubled)]
    assert len(found[0].indices) == simple.m
    assert len(found[1].indices) == 3
    monkeypatch.setattr(path_flows, "_are_simple", lambda *_: False)
    for one, graph in zip(found, (simple, doubled), strict=True):
        for own, sorted_ in zip(one, path_flows.simple_arcs(graph), strict=True):
            assert own.dtype == sorted_.dtype
            assert np.array_equal(own, sorted_)


@pytest.mark.parametrize(("count", "threads", "most"), [(1, 1, 16), (2000, 4, 600), (999, 3, 400)])
def test_groups_of_sources_have_about_as_much_work_and_fit(
    count: int, threads: int, most: int
) -> None:
    work = np.random.default_rng(5).integers(1, 9, count) ** 2
    sizes = np.diff(group_cuts(work.astype(np.float64), threads, most))
    assert sizes.sum() == count
    assert 0 < sizes.min() <= sizes.max() <= most
    each = np.add.reduceat(work, np.append(0, np.cumsum(sizes)[:-1]))
    assert (abs(each - each.mean()) <= work.max()).all()


def test_groups_of_little_work_have_no_more_sources_than_fit() -> None:
    work = np.append(np.full(900, 1.0), np.full(100, 1000.0))
    sizes = np.diff(group_cuts(work, 2, 500))
    assert sizes.tolist() == [500, 500]


def test_two_calls_at_once_that_scale_counts_find_the_same_flows() -> None:
    sources = np.arange(16, dtype=np.int32)
    (_, engine), (_, alone) = chain_flows(1500, hierarchy), chain_flows(1500, hierarchy)
    expected = alone.flows(sources, SILENT)
    found = in_threads(4, lambda t: engine.flows(sources, SILENT))
    for totals in found:
        for mine, others in zip(totals.arrays, expected.arrays, strict=True):
            np.testing.assert_allclose(mine, others, rtol=1e-9)
