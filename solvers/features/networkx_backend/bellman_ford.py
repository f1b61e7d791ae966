"""NetworkX's functions of the Bellman-Ford algorithm and what rests on it, documented
there, and their queue search.

Idea
    A vertex whose distance fell waits in a queue, unless it waits already. It is passed
    over while one of its predecessors waits, because its distance will fall again. Each
    vertex keeps the list of all predecessors that gave it its distance.

Why it is correct
    When the queue is empty, no arc can improve a vertex. A vertex that enters the queue
    n times, or whose improvement follows from a recent improvement of its own, lies on
    or behind a negative cycle.

Source
    Cherkassky and Goldberg 1999, Negative-cycle detection algorithms; order and tests
    of cycles are NetworkX 3.6's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.dijkstra import named_lists
from solvers.features.networkx_backend.goldberg import scan_in_rounds
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.search import PredecessorLists, Searcher, SearchTree
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.jit import njit

Distances = dict[Any, Any]
Paths = dict[Any, list[Any]]
_CYCLE, _NO_SOURCE = "Negative cycle detected.", "Source {} not in G"

NO_CYCLE = -1
_NONE = -1


def bellman_ford_predecessor_and_distance(
    G: Any,
    source: Hashable,
    target: Hashable = None,
    weight: Weight = "weight",
    heuristic: bool = False,
) -> tuple[dict[Any, list[Any]], Distances]:
    """Predecessors on all shortest paths from a node, and distances, by node."""
    graph = converted(G)
    start = graph.required(source, "Node {} is not found in the graph")
    arcs = graph.complete_arcs(weight)
    _refuse_negative_loops(arcs)
    if len(graph) == 1:
        return {source: []}, {source: 0}
    tree = _search(arcs, [start], heuristic)
    lists = named_lists(graph, tree.order, tree.predecessors)
    return lists, tree.on(graph, arcs).lengths()


def bellman_ford_path(G: Any, source: Hashable, target: Hashable, weight: Weight = "weight") -> Any:
    """Nodes of a shortest path between two nodes; lengths may be negative."""
    return single_source_bellman_ford(G, source, target=target, weight=weight)[1]


def bellman_ford_path_length(
    G: Any, source: Hashable, target: Hashable, weight: Weight = "weight"
) -> Any:
    """Length of a shortest path between two nodes; lengths may be negative."""
    graph = converted(G)
    if source == target:
        graph.required(source, "Node {} not found in graph")
        return 0
    tree = _tree_from(graph, source, weight)
    vertex = graph.index.position(target)
    if not _is_reached(tree, vertex):
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return tree.distance(vertex)


def single_source_bellman_ford_path(G: Any, source: Hashable, weight: Weight = "weight") -> Paths:
    """Shortest paths from a node, by node; lengths may be negative."""
    return single_source_bellman_ford(G, source, weight=weight)[1]


def single_source_bellman_ford_path_length(
    G: Any, source: Hashable, weight: Weight = "weight"
) -> Distances:
    """Distances from a node, by node; lengths may be negative."""
    return _tree_from(converted(G), source, weight).lengths()


def single_source_bellman_ford(
    G: Any, source: Hashable, target: Hashable = None, weight: Weight = "weight"
) -> tuple[Any, Any]:
    """Distances and shortest paths from a node, by node or to a target."""
    graph = converted(G)
    if source == target:
        graph.required(source, "Node {} is not found in the graph")
        return (0, [source])
    tree = _tree_from(graph, source, weight)
    if target is None:
        return (tree.lengths(), _paths(tree))
    vertex = graph.index.position(target)
    if not _is_reached(tree, vertex):
        # NetworkX meets the missing target while it follows the predecessors, and says
        # so in these words.
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return (tree.distance(vertex), tree.path(vertex))


def all_pairs_bellman_ford_path_length(
    G: Any, weight: Weight = "weight"
) -> Iterator[tuple[Any, Distances]]:
    """Each node with the distances from it."""
    for node, tree in _all_trees(converted(G), weight):
        yield node, tree.lengths()


def all_pairs_bellman_ford_path(G: Any, weight: Weight = "weight") -> Iterator[tuple[Any, Paths]]:
    """Each node with the shortest paths from it."""
    for node, tree in _all_trees(converted(G), weight):
        yield node, _paths(tree)


def goldberg_radzik(
    G: Any, source: Hashable, weight: Weight = "weight"
) -> tuple[Distances, Distances]:
    """Predecessors on shortest paths from a node, and distances, by node."""
    graph = converted(G)
    start = graph.required(source, "Node {} is not found in the graph")
    arcs = graph.complete_arcs(weight)
    _refuse_negative_loops(arcs)
    if len(graph) == 1:
        return {source: None}, {source: 0}
    arcs.require_exact(walks=True)
    tree = scan_in_rounds(arcs, graph.index, start)
    if tree is None:
        raise nx.NetworkXUnbounded(_CYCLE)
    order = tree.order[: tree.reached[0]]
    nodes = graph.index.named(order)
    before = [None, *graph.index.named(tree.parents[order[1:]])]
    lengths = arcs.numbers(tree.distances, order, tree.parents)
    return dict(zip(nodes, before, strict=True)), dict(zip(nodes, lengths, strict=True))


def negative_edge_cycle(G: Any, weight: Weight = "weight", heuristic: bool = True) -> bool:
    """Whether there is a negative cycle anywhere; also of frozen graphs and views,
    which NetworkX refuses.
    """
    graph = converted(G)
    arcs = graph.complete_arcs(weight)
    if arcs.m == 0:
        return False
    if _has_negative_loop(arcs):
        return True
    arcs.require_exact(walks=True)
    tree = search_by_queue(arcs, range(len(graph)), heuristic)
    return tree.on_cycle != NO_CYCLE


def find_negative_cycle(G: Any, source: Hashable, weight: Weight = "weight") -> list[Any]:
    """Nodes of a negative cycle that can be reached from a node."""
    graph = converted(G)
    arcs = graph.complete_arcs(weight)
    start = graph.required(source, _NO_SOURCE)
    arcs.require_exact(walks=True)
    tree = search_by_queue(arcs, [start], True)
    if tree.on_cycle == NO_CYCLE:
        raise nx.NetworkXError("No negative cycles detected.")
    cycle = _cycle_through(tree, tree.on_cycle)
    if cycle is None:
        raise nx.NetworkXError("Negative cycle is detected but not found")
    return graph.index.named(np.array(cycle))


def johnson(G: Any, weight: Weight = "weight") -> dict[Any, Paths]:
    """Shortest paths between all pairs of nodes; lengths may be negative."""
    graph = converted(G)
    arcs = graph.complete_arcs(weight)
    heights = _search(arcs, range(len(graph))).distances
    lengths = arcs.lengths + heights[arcs.tails] - heights[arcs.heads]
    searcher = Searcher(graph, DispatchArcs(arcs.indptr, arcs.heads, lengths, arcs.whole))
    return {node: searcher.search([vertex]).paths() for vertex, node in enumerate(graph)}


def _tree_from(graph: DispatchGraph, source: Hashable, weight: Weight) -> SearchTree:
    arcs = graph.complete_arcs(weight)
    return _search(arcs, [graph.required(source, _NO_SOURCE)]).on(graph, arcs)


def _all_trees(graph: DispatchGraph, weight: Weight) -> Iterator[tuple[Any, SearchTree]]:
    """A search from every node in turn."""
    arcs = graph.complete_arcs(weight)
    for vertex, node in enumerate(graph):
        yield node, _search(arcs, [vertex]).on(graph, arcs)


def _search(arcs: DispatchArcs, sources: Iterable[int], heuristic: bool = True) -> QueueTree:
    """Distances from vertices; raises NetworkX's exception for a negative cycle."""
    arcs.require_exact(walks=True)
    tree = search_by_queue(arcs, sources, heuristic)
    if tree.on_cycle != NO_CYCLE:
        raise nx.NetworkXUnbounded(_CYCLE)
    return tree


def _has_negative_loop(arcs: DispatchArcs) -> bool:
    return bool((arcs.lengths[arcs.tails == arcs.heads] < 0).any())


def _refuse_negative_loops(arcs: DispatchArcs) -> None:
    if _has_negative_loop(arcs):
        raise nx.NetworkXUnbounded(_CYCLE)


def _cycle_through(tree: QueueTree, vertex: int) -> list[int] | None:
    """A cycle of predecessors through a vertex, from it to itself along the arcs; depth
    first from the last one.
    """
    behind, seen = [vertex], {vertex}
    waiting = [tree.predecessors.of(vertex).tolist()]
    while waiting:
        if vertex in waiting[-1]:
            return [vertex, *reversed(behind)]
        if not waiting[-1]:
            waiting.pop()
            behind.pop()
            continue
        before = waiting[-1].pop()
        if before not in seen:
            seen.add(before)
            behind.append(before)
            waiting.append(tree.predecessors.of(before).tolist())
    return None


def _is_reached(tree: SearchTree, vertex: int) -> bool:
    return vertex >= 0 and bool((tree.order == vertex).any())


def _paths(tree: SearchTree) -> Paths:
    """Paths by node: the source's, then the others' in the order of first being reached."""
    nodes, order = tree.graph.index.nodes, tree.order.tolist()
    by_vertex = {order[0]: [nodes[order[0]]]}
    for vertex in order:
        behind = [vertex]
        while behind[-1] not in by_vertex:
            behind.append(int(tree.parents[behind[-1]]))
        path = by_vertex[behind.pop()]
        for before in reversed(behind):
            path = [*path, nodes[before]]
            by_vertex[before] = path
    return {nodes[vertex]: by_vertex[vertex] for vertex in order}


@dataclass(frozen=True, eq=False)
class QueueTree:
    """What a search found."""

    distances: Float64s  # (n,); infinity where not reached
    order: Int32s  # the vertices reached, in the order of first being reached
    predecessors: PredecessorLists  # the first of a list is the one that improved the vertex last
    on_cycle: int  # a vertex on or behind a negative cycle; `NO_CYCLE` if the sources reach none

    def on(self, graph: DispatchGraph, arcs: DispatchArcs) -> SearchTree:
        """The tree of predecessors, of the graph that was searched."""
        return SearchTree(graph, arcs, [], self.order, self.order, self.distances, self.parents)

    @cached_property
    def parents(self) -> Int32s:
        """(n,) the predecessor that improved each vertex last; -1 without one."""
        offsets, members = self.predecessors.offsets, self.predecessors.members
        found = np.full(len(self.distances), _NONE, np.int32)
        has = np.flatnonzero(np.diff(offsets))
        found[has] = members[offsets[has]]
        found[self.order[0]] = _NONE  # the source, to which a way back may be as short
        return found


def search_by_queue(arcs: DispatchArcs, sources: Iterable[int], heuristic: bool) -> QueueTree:
    """Distances from distinct ``sources``, all at 0.

    The ``heuristic`` tests whether a vertex improves itself along a path, which finds
    most negative cycles early.
    """
    distances, order = np.full(arcs.n, np.inf), np.empty(arcs.n, np.int32)
    starts = np.array(list(sources), np.int32)
    vertex, count, offsets, members = _search_compiled(
        arcs.rows, starts, bool(heuristic), distances, order
    )
    return QueueTree(distances, order[:count], PredecessorLists(offsets, members), vertex)


@njit(inline="always")
def _append(
    first: Int32s, last: Int32s, members: Int32s, following: Int32s, v: int, position: int, u: int
) -> None:
    """Append ``u`` to the list of ``v``, at a position that is free."""
    members[position] = u
    following[position] = _NONE
    if first[v] == _NONE:
        first[v] = position
    else:
        following[last[v]] = position
    last[v] = position


@njit
def _search_compiled(
    rows: ArcRows, sources: Int32s, heuristic: bool, distances: Float64s, order: Int32s
) -> tuple[int, int, Int64s, Int32s]:
    """Vertex on a cycle, number of vertices reached, and the predecessors' offsets and members."""
    indptr, heads, lengths = rows
    n = len(distances)
    reached = np.zeros(n, np.uint8)
    first = np.full(n, _NONE, np.int32)  # of each vertex's linked list of predecessors
    last = np.full(n, _NONE, np.int32)
    members = np.empty(n + len(heads) + 2, np.int32)
    following = np.empty(n + len(heads) + 2, np.int32)
    used, spare = 0, _NONE  # positions never used, and a linked list of those used before
    queue = np.empty(n + 1, np.int32)
    waits = np.zeros(n, np.uint8)
    entered = np.zeros(n, np.int64)
    improved_from = np.full(n, _NONE, np.int32)
    recent_tail = np.full(n, _NONE, np.int32)
    recent_head = np.full(n, _NONE, np.int32)
    head, tail, count, on_cycle = 0, 0, 0, NO_CYCLE
    for source in sources:
        distances[source] = 0.0
        reached[source] = 1
        order[count] = source
        count += 1
        queue[tail] = source
        tail += 1
        waits[source] = 1
    while head != tail and on_cycle == NO_CYCLE:
        u = queue[head]
        head = head + 1 if head < n else 0
        waits[u] = 0
        position = first[u]
        while position != _NONE and waits[members[position]] == 0:
            position = following[position]
        if position != _NONE:
            continue
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distances[u] + lengths[arc]
            improves = through < distances[v]
            if not improves and (reached[v] == 0 or through != distances[v]):
                continue
            if improves:
                if heuristic:
                    if recent_tail[u] == v or recent_head[u] == v:
                        on_cycle = v
                    elif improved_from[v] == u:
                        recent_tail[v], recent_head[v] = recent_tail[u], recent_head[u]
                    else:
                        recent_tail[v], recent_head[v] = u, v
                if on_cycle == NO_CYCLE:
                    if waits[v] == 0:
                        queue[tail] = v
                        tail = tail + 1 if tail < n else 0
                        waits[v] = 1
                        entered[v] += 1
                        if entered[v] == n:
                            on_cycle = v
                            break
                    if reached[v] == 0:
                        reached[v] = 1
                        order[count] = v
                        count += 1
                    distances[v] = through
                    improved_from[v] = u
                    if first[v] != _NONE:
                        following[last[v]] = spare
                        spare = first[v]
                        first[v] = _NONE
            if spare != _NONE:
                position = spare
                spare = following[position]
            else:
                if used == len(members):
                    members = np.concatenate((members, np.empty(used, np.int32)))
                    following = np.concatenate((following, np.empty(used, np.int32)))
                position = used
                used += 1
            _append(first, last, members, following, v, position, u)
            if on_cycle != NO_CYCLE:
                break
    offsets = np.zeros(n + 1, np.int64)
    found = np.empty(used, np.int32)
    total = 0
    for v in range(n):
        position = first[v]
        while position != _NONE:
            found[total] = members[position]
            total += 1
            position = following[position]
        offsets[v + 1] = total
    return on_cycle, count, offsets, found[:total]
