"""A plugin for rustworkx's own tests of distances, paths and betweenness: its functions
are ours, and the last line says how often they were called.

Left to rustworkx are counts of shortest paths, A*, and walks that pass a node twice (its
``k_shortest_path_lengths``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import rustworkx

from solvers import NegativeCycle, all_sources, read, solve
from solvers.graphs.graph import Graph

calls: Counter[str] = Counter()

Weight = Callable[[Any], float] | None


def _read(graph: Any, weight: Weight, default: float, undirected: bool) -> Graph:
    """The graph with its weights as payloads, as `read` takes it."""
    weighted = graph.copy()
    for edge, (_, _, payload) in graph.edge_index_map().items():
        value = default if weight is None else float(weight(payload))
        if np.isnan(value):
            raise ValueError("a weight is not a number")
        weighted.update_edge_by_index(edge, value)
    return read(weighted, undirected=True if undirected else None)


class _Functions:
    """Those of one kind of graph, by one algorithm's variant."""

    def __init__(self, kind: type, variant: str, non_negative: bool):
        self._kind, self._variant, self._non_negative = kind, variant, non_negative

    def _taken(self, graph: Any, weight: Weight, default: float, undirected: bool = False) -> Graph:
        if not isinstance(graph, self._kind):
            raise TypeError(f"argument 'graph' must be a {self._kind.__name__}")
        own = _read(graph, weight, default, undirected)
        if self._non_negative and (own.weights < 0).any():
            raise ValueError("a weight is negative")
        return own

    def _answer(self, graph: Graph, source: int) -> Any:
        if source not in graph.ids:
            raise IndexError(f"no node found at {source}")
        try:
            return solve(graph, self._variant, source=source)
        except NegativeCycle as error:
            raise ValueError(str(error)) from error

    def _lengths(self, graph: Graph, source: int) -> dict[int, float]:
        found = self._answer(graph, source).distances
        return {
            int(node): float(distance)
            for node, distance in zip(graph.ids, found, strict=True)
            if node != source and np.isfinite(distance)
        }

    def _paths(self, graph: Graph, source: int) -> dict[int, list[Hashable]]:
        answer = self._answer(graph, source)
        return {node: list(answer.path_to(node)) for node in self._lengths(graph, source)}

    def lengths(self, graph: Any, node: int, edge_cost_fn: Weight, goal: Any = None) -> Any:
        found = self._lengths(self._taken(graph, edge_cost_fn, 1.0), node)
        return found if goal is None else {end: found[end] for end in found if end == goal}

    def paths(
        self,
        graph: Any,
        source: int,
        target: int | None = None,
        weight_fn: Weight = None,
        default_weight: float = 1.0,
        as_undirected: bool = False,
    ) -> Any:
        own = self._taken(graph, weight_fn, default_weight, as_undirected)
        found = self._paths(own, source)
        return found if target is None else {end: found[end] for end in found if end == target}

    def all_lengths(self, graph: Any, edge_cost_fn: Weight) -> Any:
        own = self._taken(graph, edge_cost_fn, 1.0)
        return {node: self._lengths(own, node) for node in own.ids.tolist()}

    def all_paths(self, graph: Any, edge_cost_fn: Weight) -> Any:
        own = self._taken(graph, edge_cost_fn, 1.0)
        return {node: self._paths(own, node) for node in own.ids.tolist()}


def _matrix(own: Graph) -> Any:
    if own.n == 0:
        return np.empty((0, 0))
    try:
        return solve(own, "fw-serial", verify="all").distances
    except NegativeCycle as error:
        raise ValueError(str(error)) from error


def floyd_warshall_numpy(
    graph: Any,
    weight_fn: Weight = None,
    as_undirected: bool = False,
    default_weight: float = 1.0,
    parallel_threshold: int = 300,
) -> Any:
    return _matrix(_read(graph, weight_fn, default_weight, as_undirected))


def floyd_warshall(graph: Any, *more: Any, **options: Any) -> Any:
    nodes = list(graph.node_indices())
    if not graph.num_edges():
        return {node: {} for node in nodes}
    rows = floyd_warshall_numpy(graph, *more, **options)
    return {
        source: {
            node: float(distance)
            for node, distance in zip(nodes, row, strict=True)
            if np.isfinite(distance)
        }
        for source, row in zip(nodes, rows, strict=True)
    }


def distance_matrix(
    graph: Any,
    parallel_threshold: int = 300,
    as_undirected: bool = False,
    null_value: float = 0.0,
) -> Any:
    rows = _matrix(_read(graph, None, 1.0, as_undirected))
    return np.where(np.isinf(rows), null_value, rows)


def _betweenness(graph: Any) -> Any:
    return all_sources(_read(graph, None, 1.0, False), reduce=["betweenness"], device=None)


def betweenness_centrality(
    graph: Any, normalized: bool = True, endpoints: bool = False, parallel_threshold: int = 50
) -> Any:
    nodes, n = list(graph.node_indices()), graph.num_nodes()
    # paths of undirected graphs count once for both directions here, twice in rustworkx
    values = _betweenness(graph).betweenness * _directions(graph)
    if endpoints:
        reached = np.isfinite(_matrix(_read(graph, None, 1.0, False)))
        values += reached.sum(axis=0) + reached.sum(axis=1) - 2
    pairs = n * (n - 1) if endpoints else (n - 1) * (n - 2)
    values = values * (1 / pairs if normalized and pairs > 0 else 1 / _directions(graph))
    return dict(zip(nodes, values.tolist(), strict=True))


def _directions(graph: Any) -> int:
    return 1 if isinstance(graph, rustworkx.PyDiGraph) else 2


def edge_betweenness_centrality(
    graph: Any, normalized: bool = True, parallel_threshold: int = 50
) -> Any:
    flows, n = _betweenness(graph).flows, graph.num_nodes()
    own = flows.graph
    position = {node: place for place, node in enumerate(own.ids.tolist())}
    pairs = zip(own.tails.tolist(), own.indices.tolist(), strict=True)
    of_arc = dict(zip(pairs, flows.arcs.tolist(), strict=True))
    scale = n * (n - 1) / _directions(graph) if normalized else 1
    return {
        edge: of_arc[position[u], position[v]] / scale
        for edge, (u, v, _) in graph.edge_index_map().items()
    }


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*more: Any, **options: Any) -> Any:
        calls[name] += 1
        return function(*more, **options)

    return call


def pytest_configure() -> None:
    both: dict[str, Callable[..., Any]] = {
        "floyd_warshall": floyd_warshall,
        "floyd_warshall_numpy": floyd_warshall_numpy,
        "distance_matrix": distance_matrix,
        "betweenness_centrality": betweenness_centrality,
        "edge_betweenness_centrality": edge_betweenness_centrality,
    }
    for prefix, kind in (("graph", rustworkx.PyGraph), ("digraph", rustworkx.PyDiGraph)):
        ours = both.copy()
        for algorithm, variant in (("dijkstra", "dijkstra-heap"), ("bellman_ford", "bf-serial")):
            own = _Functions(kind, variant, non_negative=algorithm == "dijkstra")
            ours |= {
                f"{algorithm}_shortest_path_lengths": own.lengths,
                f"{algorithm}_shortest_paths": own.paths,
                f"all_pairs_{algorithm}_path_lengths": own.all_lengths,
                f"all_pairs_{algorithm}_shortest_paths": own.all_paths,
            }
        for name, function in ours.items():
            setattr(rustworkx, f"{prefix}_{name}", _counted(name, function))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"CALLS {sum(calls.values())} {len(calls)}")
