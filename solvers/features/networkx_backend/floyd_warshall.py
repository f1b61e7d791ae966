"""NetworkX's functions of the Floyd-Warshall algorithm, documented there, and their
compiled search.

The search has NetworkX's order of steps, so that sums of floats and predecessors are
the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import DispatchArcs
from solvers.features.networkx_backend.graph import DispatchGraph, converted, is_function
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit

Rows = dict[Any, dict[Any, Any]]

NO_PREDECESSOR = -1


@dataclass(frozen=True, eq=False)
class _Solved:
    """What was found between all pairs, (n, n)."""

    distances: Float64s
    whole: Bools  # which are integers
    predecessors: Int32s
    assigned: Int64s  # when each predecessor was first assigned; -1 for those of arcs


def floyd_warshall(G: Any, weight: Hashable = "weight") -> Rows:
    """Distances between all pairs, by node and node."""
    graph = converted(G)
    arcs = _required_arcs(graph, weight)
    found = _solve(arcs)
    return _named_distances(graph, found)


def floyd_warshall_predecessor_and_distance(
    G: Any, weight: Hashable = "weight"
) -> tuple[Rows, Rows]:
    """Predecessors and distances between all pairs, by node and node."""
    graph = converted(G)
    arcs = _required_arcs(graph, weight)
    found = _solve(arcs)
    return _named_predecessors(graph, found), _named_distances(graph, found)


def floyd_warshall_numpy(
    G: Any, nodelist: Sequence[Hashable] | None = None, weight: Hashable = "weight"
) -> Float64s:
    """Matrix of the distances between all pairs."""
    graph = converted(G)
    arcs = _required_arcs(graph, weight)
    order = _required_order(graph, nodelist)
    matrix = _matrix(arcs)
    np.fill_diagonal(matrix, 0)
    matrix = np.ascontiguousarray(matrix[np.ix_(order, order)])
    found = matrix.copy()
    unused = np.zeros((0, 0), np.bool_)
    solve_matrix(found, unused, np.zeros(found.shape, np.int32), np.zeros((0, 0), np.int64))
    # a negative cycle: the numbers depend on the order of the operations
    if (found.diagonal() < 0).any():
        return _by_rows(matrix)
    return found


def _by_rows(matrix: Float64s) -> Float64s:
    for via in range(len(matrix)):
        matrix = np.minimum(matrix, matrix[via, :][np.newaxis, :] + matrix[:, via][:, np.newaxis])
    return matrix


def _required_arcs(graph: DispatchGraph, weight: Hashable) -> DispatchArcs:
    if is_function(weight):
        raise NotDispatched(
            "a function of the edge for Floyd-Warshall", "NetworkX takes it for an attribute there"
        )
    arcs = graph.complete_arcs(weight)
    return arcs if graph.is_directed() or graph.is_symmetric(weight, arcs) else _as_listed(arcs)


def _as_listed(arcs: DispatchArcs) -> DispatchArcs:
    """The arcs of an undirected view whose edges have two lengths, with the one that
    NetworkX lists in both directions.

    It lists an edge once, at the end that comes first.
    """
    first = arcs.tails <= arcs.heads
    listed = arcs.tails[first].astype(np.int64) * arcs.n + arcs.heads[first]
    wanted = arcs.heads[~first].astype(np.int64) * arcs.n + arcs.tails[~first]
    order = np.argsort(listed)
    loops = np.count_nonzero(arcs.tails == arcs.heads)
    if len(listed) - loops != len(wanted) or not np.isin(wanted, listed).all():
        raise NotDispatched(
            "an undirected view for Floyd-Warshall", "one end of an edge does not have the other"
        )
    partners = order[np.searchsorted(listed, wanted, sorter=order)]
    lengths, floats = arcs.lengths.copy(), arcs.floats
    lengths[~first] = arcs.lengths[first][partners]
    if arcs.floats is not None:
        floats = arcs.floats.copy()
        floats[~first] = arcs.floats[first][partners]
    return DispatchArcs(arcs.indptr, arcs.heads, lengths, arcs.whole, floats)


def _required_order(graph: DispatchGraph, nodelist: Sequence[Hashable] | None) -> list[int]:
    """Positions of the nodes in the matrix; raises if a list leaves out nodes, repeats
    some or has others.
    """
    if nodelist is None:
        return list(range(len(graph)))
    if not (len(nodelist) == len(graph) == len(set(nodelist))):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    unknown = {node for node in nodelist if node not in graph}
    if unknown:
        raise nx.NetworkXError(f"Nodes {unknown} in nodelist is not in G")
    return [graph.index.position(node) for node in nodelist]


def _matrix(arcs: DispatchArcs) -> Float64s:
    matrix = np.full((arcs.n, arcs.n), np.inf)
    matrix[arcs.tails, arcs.heads] = arcs.lengths
    return matrix


def _solve(arcs: DispatchArcs) -> _Solved:
    n = arcs.n
    distances = _matrix(arcs)
    floats = np.zeros((n, n) if arcs.floats is not None else (0, 0), np.bool_)
    if arcs.floats is not None:
        # the distance of a vertex to itself is an integer where no loop is shorter
        shows = (arcs.tails != arcs.heads) | (arcs.lengths <= 0)
        floats[arcs.tails, arcs.heads] = arcs.floats & shows
    np.fill_diagonal(distances, np.minimum(distances.diagonal(), 0))
    predecessors = np.full((n, n), NO_PREDECESSOR, np.int32)
    predecessors[arcs.tails, arcs.heads] = arcs.tails
    assigned = np.full((n, n), -1, np.int64)
    solve_matrix(distances, floats, predecessors, assigned)
    if (distances.diagonal() < 0).any() and arcs.whole:
        raise NotDispatched(
            "a graph with a negative cycle for Floyd-Warshall", "its numbers grow beyond 2^53"
        )
    whole = ~floats if floats.size else np.full((n, n), arcs.whole)
    return _Solved(distances, whole & np.isfinite(distances), predecessors, assigned)


def _neighbours_first(graph: DispatchGraph) -> Iterator[list[int]]:
    """For each vertex its neighbours in the order in which NetworkX lists its edges.

    An undirected edge is listed at the end that comes first, so earlier neighbours
    precede the others.
    """
    arcs = graph.arcs()
    for vertex in range(arcs.n):
        heads = arcs.heads[arcs.indptr[vertex] : arcs.indptr[vertex + 1]]
        if graph.is_directed():
            yield heads.tolist()
        else:
            yield [*sorted(heads[heads < vertex].tolist()), *heads[heads >= vertex].tolist()]


def _named_distances(graph: DispatchGraph, found: _Solved) -> Rows:
    """Distances by node: the node itself, its neighbours, then the others in their order.
    They are integers where all lengths on their paths are.
    """
    nodes, n = graph.index.nodes, len(found.distances)
    rows: Rows = {}
    for vertex, near in enumerate(_neighbours_first(graph)):
        order = np.fromiter(dict.fromkeys([vertex, *near, *range(n)]), np.int64, n)
        numbers = found.distances[vertex, order].tolist()
        whole = found.whole[vertex, order].tolist()
        typed = [
            int(number) if kind else number for number, kind in zip(numbers, whole, strict=True)
        ]
        rows[nodes[vertex]] = dict(zip(graph.index.named(order), typed, strict=True))
    return rows


def _named_predecessors(graph: DispatchGraph, found: _Solved) -> Rows:
    """Predecessors by node: of its neighbours, then of the others in the order in which
    they were found.
    """
    nodes = graph.index.nodes
    rows: Rows = {}
    for vertex in _tails_as_listed(graph):
        rows[nodes[vertex]] = {}
    for vertex, near in enumerate(_neighbours_first(graph)):
        later = np.flatnonzero(found.assigned[vertex] >= 0)
        order = [*near, *later[np.argsort(found.assigned[vertex][later])].tolist()]
        if order:
            row = found.predecessors[vertex][order]
            rows[nodes[vertex]] = dict(
                zip(graph.index.named(np.array(order)), graph.index.named(row), strict=True)
            )
    return rows


def _tails_as_listed(graph: DispatchGraph) -> dict[int, None]:
    """Vertices in the order in which they are first an end, or a tail, in NetworkX's
    list of edges.
    """
    found: dict[int, None] = {}
    arcs = graph.arcs()
    for vertex in range(arcs.n):
        heads = arcs.heads[arcs.indptr[vertex] : arcs.indptr[vertex + 1]].tolist()
        if graph.is_directed():
            if heads:
                found[vertex] = None
            continue
        for head in heads:
            if head >= vertex:
                found.update({vertex: None, head: None})
    return found


@njit
def solve_matrix(
    distances: Float64s, floats: Bools, predecessors: Int32s, assigned: Int64s
) -> None:
    """All pairs, in place.

    Parameters
    ----------
    distances : (n, n) float64
        Lengths of the arcs, 0 on the diagonal, infinity elsewhere.
    floats : (n, n) bool
        Which lengths are floats, and then distances; (0, 0) if that is not asked.
    predecessors : (n, n) int32
        The tail of each arc, `NO_PREDECESSOR` elsewhere.
    assigned : (n, n) int64
        Filled in where a predecessor appears: when it did, counted over all pairs.
    """
    n = len(distances)
    clock = 0
    for via in range(n):
        for u in range(n):
            for v in range(n):
                through = distances[u, via] + distances[via, v]
                if distances[u, v] > through:
                    distances[u, v] = through
                    if floats.size:
                        floats[u, v] = floats[u, via] or floats[via, v]
                    if predecessors[u, v] == NO_PREDECESSOR:
                        assigned[u, v] = clock
                        clock += 1
                    predecessors[u, v] = predecessors[via, v]
