"""A* in NetworkX's order, for any heuristic: the compiled search pauses where it needs values of it.

A vertex may be expanded again if it comes nearer later, as with heuristics that are not consistent. The heuristic is a
Python function, so calling it for one vertex at a time would cost as much as the search in Python. Instead, when a
value is missing, all neighbours of all vertices that wait in the heap are evaluated at once: a ring around what is
explored, most of which the search needs soon.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.library.networkx_backend.timed_heap import pop, push

EXHAUSTED, FOUND, NEEDS_VALUES, NEEDS_ROOM = range(4)
UNEXPLORED, NO_PARENT = -2, -1


class WaitingEntries(NamedTuple):
    """The heap, and what each insertion put in.

    Attributes
    ----------
    keys : (room,) float64
        Distance plus heuristic.
    ticks : (room,) int32
    vertices, parents : (room,) int32
        By tick.
    distances : (room,) float64
        By tick.
    """

    keys: NDArray[np.float64]
    ticks: NDArray[np.int32]
    vertices: NDArray[np.int32]
    parents: NDArray[np.int32]
    distances: NDArray[np.float64]

    @classmethod
    def with_room(cls, room: int) -> WaitingEntries:
        """Empty arrays for so many entries."""
        ticks, vertices, parents = (np.empty(room, np.int32) for _ in range(3))
        return cls(np.empty(room), ticks, vertices, parents, np.empty(room))

    def doubled(self) -> WaitingEntries:
        """The same entries with twice the room."""
        larger = WaitingEntries.with_room(2 * len(self.keys))
        room = len(self.keys)
        larger.keys[:room], larger.ticks[:room], larger.vertices[:room] = self.keys, self.ticks, self.vertices
        larger.parents[:room], larger.distances[:room] = self.parents, self.distances
        return larger


class Explored(NamedTuple):
    """What is known of the vertices.

    Attributes
    ----------
    parents : (n,) int32
        Of explored vertices; `NO_PARENT` for the source, `UNEXPLORED` for the others.
    distances : (n,) float64
        The least at which each was inserted; NaN for those that were not.
    heuristics : (n,) float64
        NaN where not evaluated yet.
    """

    parents: NDArray[np.int32]
    distances: NDArray[np.float64]
    heuristics: NDArray[np.float64]


@njit(cache=True, nogil=True)
def explore(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
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
        `FOUND`, `EXHAUSTED`, `NEEDS_VALUES` of the heuristic around the top of the heap, or `NEEDS_ROOM`.
    size, tick : int
        Of the heap, to go on with.
    parent : int
        If found: the vertex before the target.
    """
    keys, ticks, vertices, parents, waiting = entries
    while size > 0:
        top = ticks[0]
        u, distance, parent = vertices[top], waiting[top], parents[top]
        if u == target:
            return FOUND, size, tick, parent
        if explored.parents[u] == NO_PARENT or (explored.parents[u] >= 0 and explored.distances[u] < distance):
            size = pop(keys, ticks, size)
            continue
        if tick + indptr[u + 1] - indptr[u] > len(keys):
            return NEEDS_ROOM, size, tick, NO_PARENT
        for arc in range(indptr[u], indptr[u + 1]):
            if np.isnan(explored.heuristics[heads[arc]]):
                return NEEDS_VALUES, size, tick, NO_PARENT
        size = pop(keys, ticks, size)
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
            size = push(keys, ticks, size, key, tick)
            tick += 1
    return EXHAUSTED, size, tick, NO_PARENT


def wanted(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    explored: Explored,
    entries: WaitingEntries,
    size: int,
) -> NDArray[np.int32]:
    """The neighbours, not evaluated yet, of the vertices in the heap; those of its top first."""
    waiting = entries.vertices[entries.ticks[:size]]
    top = int(waiting[0])
    near = heads[indptr[top] : indptr[top + 1]]
    degrees = np.diff(indptr)[waiting]
    arcs = np.repeat(indptr[waiting + 1] - np.cumsum(degrees), degrees) + np.arange(int(degrees.sum()))
    ring = np.concatenate((near, heads[arcs]))
    return ring[np.isnan(explored.heuristics[ring])]
