"""NetworkX's functions that choose an algorithm by their arguments; documented there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from solvers.features.networkx_backend import bellman_ford, dijkstra, unweighted
from solvers.features.networkx_backend.floyd_warshall import floyd_warshall, floyd_warshall_numpy
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.measures import Sweep, summarise
from solvers.features.networkx_backend.search import PredecessorLists, search
from solvers.system.array_types import Int32s

_DIJKSTRA, _BELLMAN_FORD, _UNWEIGHTED = "dijkstra", "bellman-ford", "unweighted"


# By method the functions that answer for all pairs, from one node, and between two.
_PATHS: dict[str, tuple[Callable[..., Any], ...]] = {
    _UNWEIGHTED: (
        unweighted.all_pairs_shortest_path,
        unweighted.single_source_shortest_path,
        unweighted.bidirectional_shortest_path,
    ),
    _DIJKSTRA: (
        dijkstra.all_pairs_dijkstra_path,
        dijkstra.single_source_dijkstra_path,
        lambda G, source, target, weight: dijkstra.bidirectional_dijkstra(
            G, source, target, weight
        )[1],
    ),
    _BELLMAN_FORD: (
        bellman_ford.all_pairs_bellman_ford_path,
        bellman_ford.single_source_bellman_ford_path,
        bellman_ford.bellman_ford_path,
    ),
}
_LENGTHS: dict[str, tuple[Callable[..., Any], ...]] = {
    _UNWEIGHTED: (
        unweighted.all_pairs_shortest_path_length,
        unweighted.single_source_shortest_path_length,
        lambda *ends: len(unweighted.bidirectional_shortest_path(*ends)) - 1,
    ),
    _DIJKSTRA: (
        dijkstra.all_pairs_dijkstra_path_length,
        dijkstra.single_source_dijkstra_path_length,
        dijkstra.dijkstra_path_length,
    ),
    _BELLMAN_FORD: (
        bellman_ford.all_pairs_bellman_ford_path_length,
        bellman_ford.single_source_bellman_ford_path_length,
        bellman_ford.bellman_ford_path_length,
    ),
}


def has_path(G: Any, source: Hashable, target: Hashable) -> bool:
    """Whether a path leads from one node to another."""
    try:
        unweighted.bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def shortest_path(
    G: Any,
    source: Hashable = None,
    target: Hashable = None,
    weight: Weight = None,
    method: str = _DIJKSTRA,
) -> Any:
    """Shortest paths between two nodes, from or to one node, or between all pairs."""
    found = _shortest(_PATHS, converted(G), source, target, weight, method)
    if source is None and target is not None:
        for path in found.values():
            path.reverse()
    return found


def shortest_path_length(
    G: Any,
    source: Hashable = None,
    target: Hashable = None,
    weight: Weight = None,
    method: str = _DIJKSTRA,
) -> Any:
    """Distances between two nodes, from or to one node, or between all pairs."""
    return _shortest(_LENGTHS, converted(G), source, target, weight, method)


def _shortest(
    functions: Mapping[str, Any],
    graph: DispatchGraph,
    source: Hashable,
    target: Hashable,
    weight: Weight,
    method: str,
) -> Any:
    if method not in (_DIJKSTRA, _BELLMAN_FORD):
        raise ValueError(f"method not supported: {method}")
    method, options = (_UNWEIGHTED, {}) if weight is None else (method, {"weight": weight})
    of_all, from_one, between = functions[method]
    if source is None and target is None:
        return of_all(graph, **options)
    if source is None:
        return from_one(graph.reverse, target, **options)
    return (
        from_one(graph, source, **options)
        if target is None
        else between(graph, source, target, **options)
    )


def average_shortest_path_length(G: Any, weight: Weight = None, method: str | None = None) -> float:
    """Mean of the distances between all pairs of different nodes."""
    graph = converted(G)
    if method is None:
        method = _UNWEIGHTED if weight is None else _DIJKSTRA
    if method not in (
        _UNWEIGHTED,
        _DIJKSTRA,
        _BELLMAN_FORD,
        "floyd-warshall",
        "floyd-warshall-numpy",
    ):
        raise ValueError(f"method not supported: {method}")
    n = len(graph)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    if not _is_connected(graph):
        raise nx.NetworkXError(
            f"Graph is not {'strongly ' if graph.is_directed() else ''}connected."
        )
    return _total_length(graph, weight, method) / (n * (n - 1))


def _total_length(graph: DispatchGraph, weight: Weight, method: str) -> Any:
    if method == "floyd-warshall-numpy":
        return float(floyd_warshall_numpy(graph, weight=weight).sum())
    if method == "floyd-warshall":
        return sum(sum(row.values()) for row in floyd_warshall(graph, weight=weight).values())
    if method == _BELLMAN_FORD:
        rows = bellman_ford.all_pairs_bellman_ford_path_length(graph, weight)
        return sum(chain.from_iterable(row.values() for _, row in rows))
    if method == _UNWEIGHTED or graph.arcs(weight).whole:
        return sum(summarise(graph, Sweep(weight, unweighted=method == _UNWEIGHTED)).totals)
    # Floats one after another, as NetworkX adds them: the rounding is the same.
    return sum(
        chain.from_iterable(
            tree.values(tree.order) for _, tree in dijkstra.all_trees(graph, weight)
        )
    )


def _is_connected(graph: DispatchGraph) -> bool:
    if not graph.is_directed():
        return len(unweighted.tree_of_levels(graph, 0).order) == len(graph)
    # The arcs are distinct: with repeated entries SciPy's search for strong components
    # does not end.
    arcs = graph.arcs()
    matrix = csr_array((np.ones(arcs.m, np.int8), arcs.heads, arcs.indptr), shape=(arcs.n, arcs.n))
    count: int = connected_components(
        matrix, directed=True, connection="strong", return_labels=False
    )
    return count == 1


def all_shortest_paths(
    G: Any, source: Hashable, target: Hashable, weight: Weight = None, method: str = _DIJKSTRA
) -> Iterator[list[Any]]:
    """Every shortest path between two nodes."""
    return _builder()({source}, target, _predecessors(converted(G), source, weight, method))


def single_source_all_shortest_paths(
    G: Any, source: Hashable, weight: Weight = None, method: str = _DIJKSTRA
) -> Iterator[tuple[Any, list[list[Any]]]]:
    """Each node with every shortest path to it from one node."""
    before, build = _predecessors(converted(G), source, weight, method), _builder()
    for node in before:
        yield node, list(build({source}, node, before))


def all_pairs_all_shortest_paths(
    G: Any, weight: Weight = None, method: str = _DIJKSTRA
) -> Iterator[tuple[Any, dict[Any, list[list[Any]]]]]:
    """Each node with every shortest path from it, by node."""
    graph = converted(G)
    for node in graph:
        yield node, dict(single_source_all_shortest_paths(graph, node, weight, method))


def _builder() -> Any:
    """NetworkX's own enumeration of the paths along predecessors; private there, so
    imported where it is used.
    """
    from networkx.algorithms.shortest_paths.generic import _build_paths_from_predecessors

    return _build_paths_from_predecessors


class _NamedPredecessors(Mapping[Any, list[Any]]):
    """Predecessors by node, looked up in arrays: few of them are asked for if there is a target."""

    def __init__(self, graph: DispatchGraph, order: Int32s, lists: PredecessorLists):
        self._graph, self._order, self._lists = graph, order, lists
        self._reached = np.zeros(len(graph), np.bool_)
        self._reached[order] = True

    def __getitem__(self, node: Any) -> list[Any]:
        vertex = self._graph.index.position(node)
        if vertex < 0 or not self._reached[vertex]:
            raise KeyError(node)
        return self._graph.index.named(self._lists.of(vertex))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._graph.index.named(self._order))

    def __len__(self) -> int:
        return len(self._order)


def _predecessors(
    graph: DispatchGraph, source: Hashable, weight: Weight, method: str
) -> Mapping[Any, list[Any]]:
    if weight is None:
        method = _UNWEIGHTED
    elif method not in (_DIJKSTRA, _BELLMAN_FORD):
        raise ValueError(f"method not supported: {method}")
    if method == _UNWEIGHTED:
        return unweighted.predecessor(graph, source)
    if method == _BELLMAN_FORD:
        return bellman_ford.bellman_ford_predecessor_and_distance(graph, source, weight=weight)[0]
    graph.required(source, "Node {} is not found in the graph")
    tree = search(graph, weight, [source])
    return _NamedPredecessors(graph, tree.first_seen.copy(), tree.predecessor_lists())
