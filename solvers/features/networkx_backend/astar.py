"""NetworkX's functions of A*, documented there, and a search in NetworkX's order for any heuristic.

The compiled search pauses where it needs values of the heuristic. A vertex may be
expanded again if it comes nearer later, as with heuristics that are not consistent. The
heuristic is a Python function, so calling it for one vertex at a time would cost as
much as the search in Python. Instead, when a value is missing, all neighbours of all
vertices that wait in the heap are evaluated at once: a ring around what is explored,
most of which the search needs soon.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.search import NO_VERTEX, as_limit
from solvers.system import machine
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.dary_heap import pop_entry, push_entry
from solvers.system.jit import njit
from solvers.system.ranges import numbers_in

log = logging.getLogger(__name__)

Heuristic = Callable[[Any, Any], Any]
_ROOM = 1024  # entries at first
# and per node; beyond them a search with negative lengths is looked at for cycles
_ENTRIES_PER_ARC = 2

EXHAUSTED, FOUND, NEEDS_VALUES, NEEDS_ROOM = range(4)
UNEXPLORED, NO_PARENT = -2, -1


def astar_path(
    G: Any,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None = None,
    weight: Weight = "weight",
    *,
    cutoff: Any = None,
) -> list[Any]:
    """Nodes of a path to the target that A* finds."""
    graph = converted(G)
    graph.required(source, "Source {} is not in G")
    graph.required(target, "Target {} is not in G")
    return graph.index.named(
        np.array(_search(graph, graph.arcs(weight), source, target, heuristic, cutoff))
    )


def astar_path_length(
    G: Any,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None = None,
    weight: Weight = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """Length of the path to the target that A* finds."""
    graph = converted(G)
    if source not in graph or target not in graph:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    arcs = graph.arcs(weight)
    vertices = _search(graph, arcs, source, target, heuristic, cutoff)
    return sum(arcs.length_of(tail, head) for tail, head in pairwise(vertices))


def _search(
    graph: DispatchGraph,
    arcs: DispatchArcs,
    source: Hashable,
    target: Hashable,
    heuristic: Heuristic | None,
    cutoff: Any,
) -> list[int]:
    """The vertices of the path; raises `NetworkXUnbounded` for a negative cycle, where
    NetworkX would not end.
    """
    start, goal = graph.index.position(source), graph.index.position(target)
    compares = start != goal and arcs.indptr[start + 1] > arcs.indptr[start]
    limit = as_limit(cutoff) if compares and cutoff else math.inf
    known = np.zeros(arcs.n) if heuristic is None else np.full(arcs.n, np.nan)
    explored = Explored(np.full(arcs.n, UNEXPLORED, np.int32), np.full(arcs.n, np.nan), known)
    entries = WaitingEntries.with_room(max(_ROOM, arcs.n))
    entries.keys[0], entries.ticks[0], entries.vertices[0] = 0, 0, start
    entries.parents[0], entries.distances[0] = NO_PARENT, 0
    size, tick = 1, 1
    while True:
        state, size, tick, parent = explore(arcs.rows, goal, limit, explored, entries, size, tick)
        if state == FOUND:
            break
        if state == EXHAUSTED:
            raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
        if state == NEEDS_ROOM:
            if arcs.least < 0 and tick > _ENTRIES_PER_ARC * (arcs.n + arcs.m):
                _way_back(explored, int(entries.parents[entries.ticks[0]]))
            entries = _with_more_room(entries)
            continue
        assert heuristic is not None
        _evaluate(graph, arcs, heuristic, target, explored, entries, size)
    return [*_way_back(explored, parent)[::-1], goal]


def _way_back(explored: Explored, vertex: int) -> list[int]:
    """The vertices from an explored one, or `NO_VERTEX`, to the source; raises if they
    go round a (negative) cycle.
    """
    way: list[int] = []
    while vertex != NO_VERTEX:
        if len(way) == len(explored.parents):
            raise nx.NetworkXUnbounded("Negative cycle detected: A* would follow it without end.")
        way.append(vertex)
        vertex = int(explored.parents[vertex])
    return way


def _with_more_room(entries: WaitingEntries) -> WaitingEntries:
    """Twice as much, if that much memory is free and 32 bits count the entries."""
    needed = 2 * sum(array.nbytes for array in entries)
    remedy = "With a consistent heuristic each node is explored once."
    machine.require_memory(
        f"A* with {len(entries.keys)} entries in its queue", needed, remedy=remedy
    )
    if 2 * len(entries.keys) > np.iinfo(np.int32).max:
        raise NotDispatched(
            f"a search of A* with over {len(entries.keys)} entries", "its queue holds no more"
        )
    return entries.doubled()


def _evaluate(
    graph: DispatchGraph,
    arcs: DispatchArcs,
    heuristic: Heuristic,
    target: Hashable,
    explored: Explored,
    entries: WaitingEntries,
    size: int,
) -> None:
    """Values of the heuristic around the top of the heap, which are needed, and around
    its other entries.

    An exception of the heuristic passes only for a vertex that is needed: NetworkX
    might never ask for the others.
    """
    top = int(entries.vertices[entries.ticks[0]])
    needed = set(arcs.heads[arcs.indptr[top] : arcs.indptr[top + 1]].tolist())
    for vertex in dict.fromkeys(wanted(arcs.indptr, arcs.heads, explored, entries, size).tolist()):
        node = graph.index.nodes[vertex]
        try:
            value = heuristic(node, target)
        except Exception as error:
            if vertex in needed:
                raise
            log.debug(
                "the heuristic raised %s at a node that may never be needed", type(error).__name__
            )
            continue
        explored.heuristics[vertex] = _as_number(value, node)


def _as_number(value: Any, node: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise NotDispatched(
            f"the heuristic's value {value!r} for {node!r}", "it is not a real number"
        )
    return number


class WaitingEntries(NamedTuple):
    """The heap, and what each insertion put in."""

    keys: Float64s  # (room,); distance plus heuristic
    ticks: Int32s  # (room,); which insertion an entry is
    vertices: Int32s  # (room,); by tick
    parents: Int32s  # (room,); by tick
    distances: Float64s  # (room,); by tick

    @classmethod
    def with_room(cls, room: int) -> WaitingEntries:
        """Empty arrays for so many entries."""
        ticks, vertices, parents = (np.empty(room, np.int32) for _ in range(3))
        return cls(np.empty(room), ticks, vertices, parents, np.empty(room))

    def doubled(self) -> WaitingEntries:
        """The same entries with twice the room."""
        larger = WaitingEntries.with_room(2 * len(self.keys))
        room = len(self.keys)
        larger.keys[:room] = self.keys
        larger.ticks[:room] = self.ticks
        larger.vertices[:room] = self.vertices
        larger.parents[:room], larger.distances[:room] = self.parents, self.distances
        return larger


class Explored(NamedTuple):
    """What is known of the vertices."""

    # (n,); of explored vertices; `NO_PARENT` for the source, `UNEXPLORED` for the
    # others
    parents: Int32s
    distances: Float64s  # (n,); the least at which each was inserted; NaN for those that were not
    heuristics: Float64s  # (n,); NaN where not evaluated yet


@njit
def explore(
    rows: ArcRows,
    target: int,
    cutoff: float,
    explored: Explored,
    entries: WaitingEntries,
    size: int,
    tick: int,
) -> tuple[int, int, int, int]:
    """Go on until the target leaves the heap, or something is missing.

    Returns
    -------
    state : int
        `FOUND`, `EXHAUSTED`, `NEEDS_VALUES` of the heuristic around the top of the
        heap, or `NEEDS_ROOM`.
    size, tick : int
        Of the heap, to go on with.
    parent : int
        If found: the vertex before the target.
    """
    indptr, heads, lengths = rows
    keys, ticks, vertices, parents, waiting = entries
    while size > 0:
        top = ticks[0]
        u, distance, parent = vertices[top], waiting[top], parents[top]
        if u == target:
            return FOUND, size, tick, parent
        if explored.parents[u] == NO_PARENT or (
            explored.parents[u] >= 0 and explored.distances[u] < distance
        ):
            size = pop_entry(keys, ticks, size)
            continue
        if tick + indptr[u + 1] - indptr[u] > len(keys):
            return NEEDS_ROOM, size, tick, NO_PARENT
        for arc in range(indptr[u], indptr[u + 1]):
            if np.isnan(explored.heuristics[heads[arc]]):
                return NEEDS_VALUES, size, tick, NO_PARENT
        size = pop_entry(keys, ticks, size)
        explored.parents[u] = parent
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            through = distance + lengths[arc]
            if explored.distances[v] <= through:
                continue
            key = through + explored.heuristics[v]
            if key > cutoff:
                continue
            explored.distances[v] = through
            vertices[tick], parents[tick], waiting[tick] = v, u, through
            size = push_entry(keys, ticks, size, key, tick)
            tick += 1
    return EXHAUSTED, size, tick, NO_PARENT


def wanted(
    indptr: Int64s, heads: Int32s, explored: Explored, entries: WaitingEntries, size: int
) -> Int32s:
    """The neighbours, not evaluated yet, of the vertices in the heap; those of its top first."""
    waiting = entries.vertices[entries.ticks[:size]]
    top = int(waiting[0])
    near = heads[indptr[top] : indptr[top + 1]]
    degrees = np.diff(indptr)[waiting]
    ring = np.concatenate((near, heads[numbers_in(indptr[waiting], degrees)]))
    return ring[np.isnan(explored.heuristics[ring])]
