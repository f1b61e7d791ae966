"""NetworkX's functions of A*; documented there."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.library.networkx_backend import a_star_search
from solvers.library.networkx_backend.a_star_search import Explored, WaitingEntries, explore, wanted
from solvers.library.networkx_backend.arcs import DispatchArcs
from solvers.library.networkx_backend.dispatch_graph import DispatchGraph, Weight, converted
from solvers.library.networkx_backend.searching import NO_VERTEX, as_limit

Heuristic = Callable[[Any, Any], Any]
_ROOM = 1024  # entries at first


def astar_path(
    G: Any,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None = None,
    weight: Weight = "weight",
    *,
    cutoff: Any = None,
) -> list[Any]:
    graph = converted(G)
    if source not in graph:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in graph:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return graph.index.named(np.array(_search(graph, graph.arcs(weight), source, target, heuristic, cutoff)))


def astar_path_length(
    G: Any,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None = None,
    weight: Weight = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    graph = converted(G)
    if source not in graph or target not in graph:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    arcs = graph.arcs(weight)
    vertices = _search(graph, arcs, source, target, heuristic, cutoff)
    lengths = [_length(arcs, tail, head) for tail, head in pairwise(vertices)]
    return sum(lengths)


def _length(arcs: DispatchArcs, tail: int, head: int) -> int | float:
    row = slice(arcs.indptr[tail], arcs.indptr[tail + 1])
    length = arcs.lengths[row][arcs.heads[row] == head][0]
    return int(length) if arcs.whole else float(length)


def _search(
    graph: DispatchGraph,
    arcs: DispatchArcs,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None,
    cutoff: Any,
) -> list[int]:
    """The vertices of the path.

    Raises
    ------
    NetworkXNoPath
    """
    start, goal = graph.index.place(source), graph.index.place(target)
    limit = as_limit(cutoff) if cutoff else math.inf
    known = np.zeros(arcs.n) if heuristic is None else np.full(arcs.n, np.nan)
    explored = Explored(np.full(arcs.n, a_star_search.UNEXPLORED, np.int32), np.full(arcs.n, np.nan), known)
    entries = WaitingEntries.with_room(max(_ROOM, arcs.n))
    entries.keys[0], entries.ticks[0], entries.vertices[0] = 0, 0, start
    entries.parents[0], entries.distances[0] = a_star_search.NO_PARENT, 0
    size, tick = 1, 1
    while True:
        state, size, tick, parent = explore(
            arcs.indptr, arcs.heads, arcs.lengths, goal, limit, explored, entries, size, tick
        )
        if state == a_star_search.FOUND:
            break
        if state == a_star_search.EXHAUSTED:
            raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
        if state == a_star_search.NEEDS_ROOM:
            entries = entries.doubled()
            continue
        assert heuristic is not None
        _evaluate(graph, arcs, heuristic, target, explored, entries, size)
    way = [goal]
    while parent != NO_VERTEX:
        way.append(int(parent))
        parent = explored.parents[parent]
    return way[::-1]


def _evaluate(
    graph: DispatchGraph,
    arcs: DispatchArcs,
    heuristic: Heuristic,
    target: Hashable,
    explored: Explored,
    entries: WaitingEntries,
    size: int,
) -> None:
    """Values of the heuristic around the top of the heap, which are needed, and around its other entries.

    An exception of the heuristic passes only for a vertex that is needed: NetworkX might never ask for the others.
    """
    top = int(entries.vertices[entries.ticks[0]])
    needed = set(arcs.heads[arcs.indptr[top] : arcs.indptr[top + 1]].tolist())
    for vertex in dict.fromkeys(wanted(arcs.indptr, arcs.heads, explored, entries, size).tolist()):
        node = graph.index.nodes[vertex]
        try:
            value = heuristic(node, target)
        except Exception:
            if vertex in needed:
                raise
            continue
        explored.heuristics[vertex] = _as_number(value, node)


def _as_number(value: Any, node: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise NotDispatched(f"the heuristic's value {value!r} for {node!r}", "it is not a real number")
    return number
