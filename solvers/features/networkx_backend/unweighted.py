"""NetworkX's functions of breadth-first search, and searches in its order: from one
vertex, and from two ends.

Parameters, results and exceptions of the functions are documented by NetworkX.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.dijkstra import named_lists
from solvers.features.networkx_backend.graph import DispatchGraph, converted
from solvers.features.networkx_backend.search import NO_VERTEX, SearchTree
from solvers.system.array_types import Int32s
from solvers.system.jit import njit

Levels = dict[Any, int]
Paths = dict[Any, list[Any]]

UNREACHED = -1
NO_MEETING = -1


def _level_limit(cutoff: Any) -> float:
    """Levels from this on are not expanded: NetworkX goes on while ``cutoff > level``,
    so never for NaN.

    A cutoff that can be compared but is not a number is declined; what cannot be
    compared raises Python's exception.
    """
    if cutoff is None:
        return math.inf
    if not cutoff > 0:
        return 0.0
    try:
        return float(math.ceil(cutoff))
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise NotDispatched(f"the cutoff {cutoff!r}", "it is not a real number") from None


def tree_of_levels(graph: DispatchGraph, source: int, cutoff: float = math.inf) -> SearchTree:
    """What a breadth-first search finds, whose distances are levels; those from
    ``cutoff`` on are not expanded.
    """
    arcs, n = graph.arcs(), len(graph)
    levels = np.full(n, UNREACHED, np.int32)
    parents = np.full(n, NO_VERTEX, np.int32)
    order = np.empty(n, np.int32)
    order = order[: search_levels(arcs.rows, source, cutoff, levels, parents, order)]
    return SearchTree(graph, arcs, [source], order, order, levels, parents)


def single_source_shortest_path_length(G: Any, source: Hashable, cutoff: Any = None) -> Levels:
    """Numbers of edges from a node, by node."""
    graph = converted(G)
    start = graph.required(source, "Source {} is not in G")
    return tree_of_levels(graph, start, _level_limit(cutoff)).lengths()


def single_target_shortest_path_length(G: Any, target: Hashable, cutoff: Any = None) -> Levels:
    """Numbers of edges to a node, by node."""
    graph = converted(G)
    start = graph.required(target, "Target {} is not in G")
    return tree_of_levels(graph.reverse, start, _level_limit(cutoff)).lengths()


def all_pairs_shortest_path_length(G: Any, cutoff: Any = None) -> Iterator[tuple[Any, Levels]]:
    """Each node with the numbers of edges from it, by node."""
    graph = converted(G)
    for vertex, node in enumerate(graph):
        yield node, tree_of_levels(graph, vertex, _level_limit(cutoff)).lengths()


def single_source_shortest_path(G: Any, source: Hashable, cutoff: Any = None) -> Paths:
    """Paths of the fewest edges from a node, by node."""
    graph = converted(G)
    start = graph.required(source, "Source {} not in G")
    return tree_of_levels(graph, start, _level_limit(cutoff)).paths()


def single_target_shortest_path(G: Any, target: Hashable, cutoff: Any = None) -> Paths:
    """Paths of the fewest edges to a node, by node."""
    graph = converted(G)
    start = graph.required(target, "Target {} not in G")
    return tree_of_levels(graph.reverse, start, _level_limit(cutoff)).paths(backwards=True)


def all_pairs_shortest_path(G: Any, cutoff: Any = None) -> Iterator[tuple[Any, Paths]]:
    """Each node with the paths of the fewest edges from it, by node."""
    graph = converted(G)
    for vertex, node in enumerate(graph):
        yield node, tree_of_levels(graph, vertex, _level_limit(cutoff)).paths()


def bidirectional_shortest_path(G: Any, source: Hashable, target: Hashable) -> list[Any]:
    """Nodes of a path of the fewest edges between two nodes, searched from both ends."""
    graph = converted(G)
    first = graph.required(source, "Source {} is not in G")
    last = graph.required(target, "Target {} is not in G")
    if source == target:
        return [source]
    way = way_between(graph.arcs(), graph.reverse.arcs(), first, last)
    if way is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return graph.index.named(np.array(way))


def way_between(arcs: DispatchArcs, back: DispatchArcs, first: int, last: int) -> list[int] | None:
    """Vertices of a path of the fewest edges between two, searched from both ends; None
    if there is none.
    """
    n = arcs.n
    before, after = np.full(n, UNREACHED, np.int32), np.full(n, UNREACHED, np.int32)
    meeting = search_from_both_ends(arcs.rows, back.rows, first, last, before, after)
    if meeting == NO_MEETING:
        return None
    way = [meeting]
    while way[-1] != first:
        way.append(int(before[way[-1]]))
    way.reverse()
    while way[-1] != last:
        way.append(int(after[way[-1]]))
    return way


def predecessor(
    G: Any, source: Hashable, target: Hashable = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """Predecessors on all paths of the fewest edges from a node, by node or of a target."""
    graph = converted(G)
    start = graph.required(source, "Source {} not in G")
    # NetworkX compares the cutoff after a level, so at least one is expanded; neither 0
    # nor NaN is a cutoff.
    limit = max(_level_limit(cutoff), 1.0) if cutoff and cutoff == cutoff else math.inf
    tree = tree_of_levels(graph, start, limit)
    lists = tree.predecessor_lists()
    if target is None:
        found = named_lists(graph, tree.order, lists)
        return (found, tree.lengths()) if return_seen else found
    vertex = graph.index.position(target)
    members: list[Any] = []
    level = -1
    if vertex >= 0 and tree.distances[vertex] != UNREACHED:
        members, level = graph.index.named(lists.of(vertex)), int(tree.distances[vertex])
    return (members, level) if return_seen else members


@njit
def search_levels(
    rows: ArcRows, source: int, cutoff: float, levels: Int32s, parents: Int32s, order: Int32s
) -> int:
    """Number the levels of a breadth-first search; levels from ``cutoff`` on are not expanded.

    Returns the number of vertices reached, and fills in arrays (n,) int32: ``levels``,
    `UNREACHED` everywhere before; ``parents``, the vertex that each was found from, but
    for the source; ``order``, vertices in the order of being found.
    """
    levels[source] = 0
    order[0] = source
    count = 1
    position = 0
    while position < count:
        u = order[position]
        position += 1
        if levels[u] >= cutoff:
            break
        for arc in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.heads[arc]
            if levels[v] == UNREACHED:
                levels[v] = levels[u] + 1
                parents[v] = u
                order[count] = v
                count += 1
    return count


@njit
def _grow(
    rows: ArcRows, order: Int32s, begin: int, end: int, found_from: Int32s, other: Int32s
) -> tuple[int, int]:
    """Expand the level ``order[begin:end]``; the end of the next, and the vertex where
    the ``other`` search was met.
    """
    last = end
    for position in range(begin, last):
        u = order[position]
        for arc in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.heads[arc]
            if found_from[v] == UNREACHED:
                found_from[v] = u
                order[end] = v
                end += 1
            if other[v] != UNREACHED:
                return end, v
    return end, NO_MEETING


@njit
def search_from_both_ends(
    rows: ArcRows, back_rows: ArcRows, source: int, target: int, before: Int32s, after: Int32s
) -> int:
    """Grow a level from the end whose fringe is smaller until the two meet; ``source``
    and ``target`` differ.

    Returns the vertex where the two met; `NO_MEETING` if there is no path. ``before``
    and ``after``, (n,) int32, are `UNREACHED` everywhere before, and filled in: the
    vertex before each on the way from the source, which is its own, and the vertex
    after each on the way to the target, likewise.
    """
    n = len(before)
    forth = np.empty(n, np.int32)
    back = np.empty(n, np.int32)
    forth[0], before[source] = source, source
    back[0], after[target] = target, target
    forth_begin, forth_end, back_begin, back_end = 0, 1, 0, 1
    while forth_begin < forth_end and back_begin < back_end:
        if forth_end - forth_begin <= back_end - back_begin:
            end, met = _grow(rows, forth, forth_begin, forth_end, before, after)
            forth_begin, forth_end = forth_end, end
        else:
            end, met = _grow(back_rows, back, back_begin, back_end, after, before)
            back_begin, back_end = back_end, end
        if met != NO_MEETING:
            return met
    return NO_MEETING
