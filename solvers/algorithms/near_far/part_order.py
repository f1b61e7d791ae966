"""Order of a graph's vertices by parts of neighbouring ones.

A part is grown breadth first from the oldest vertex adjacent to an earlier part, until it is full; so parts are round
where the graph is planar, and few arcs leave them. No coordinates are needed.

In files of road networks neighbours have similar numbers. Ranges of numbers that few arcs join are divided into parts
by several threads at the same time, which cuts hardly more arcs. The ranges, and so the parts, depend on the graph
alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, run_sequences, split_evenly

_SLICE = 1 << 16  # vertices that get a position between two cancellation checks
_RANGE = 1 << 16  # least vertices of a range
_MOST_CROSSING = 0.008  # share of the arcs that may join two ranges
_LOOK = 37  # one vertex in so many is sampled


@dataclass(frozen=True)
class PartOrder:
    """The vertices of a graph, part after part."""

    order: NDArray[np.int32]  # (n,): the vertex that has each position
    first: NDArray[np.int32]  # (parts + 1,): part ``p`` has the positions ``first[p]`` to ``first[p + 1]``

    @property
    def count(self) -> int:
        return len(self.first) - 1

    def marked(self) -> NDArray[np.int32]:
        """One array for both, (n,) int32: ``order``, with the bits of the first vertex of every part inverted."""
        marked = self.order.copy()
        marked[self.first[:-1]] = ~marked[self.first[:-1]]
        return marked

    @classmethod
    def from_marked(
        cls, marked: NDArray[np.int32], graph: Graph, most_vertices: int, most_arcs: int
    ) -> PartOrder | None:
        """The parts that `marked` was made of; None if they are no parts of the graph within the limits."""
        order, first = np.empty(graph.n, np.int32), np.empty(graph.n + 1, np.int32)
        count = _unmark(marked, graph.indptr, most_vertices, most_arcs, order, first)
        return None if count < 0 else cls(order, first[: count + 1].copy())


def grow_parts(
    graph: Graph, most_vertices: int, most_arcs: int, team: ThreadTeam, progress: Progress = SILENT
) -> PartOrder:
    """Divide a graph into parts within the limits of `partition_graph`; raises Cancelled."""
    ranges = ranges_of(graph)
    order, seen = np.empty(graph.n, np.int32), np.full(graph.n, -1, np.int32)
    on_border = np.zeros(graph.n, np.bool_)
    border, queue = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
    starts = [np.zeros(high - low + 1, np.int32) for low, high in ranges]
    states = np.zeros((len(ranges), 5), np.int64)

    def grow(number: int, begin: int, end: int) -> None:
        low, high = ranges[number]
        own = slice(low, high)
        _grow(
            graph.indptr, graph.indices, low, most_vertices, most_arcs, order[own], starts[number], seen[own],
            border[own], on_border[own], queue[own], states[number], end - begin,
        )  # fmt: skip

    run_sequences(team, grow, [list(slices(high - low, _SLICE)) for low, high in ranges], progress)
    first = [low + start[: grown[_GROWN]] for (low, _), start, grown in zip(ranges, starts, states, strict=True)]
    return PartOrder(order, np.concatenate((*first, [graph.n])).astype(np.int32))


def ranges_of(graph: Graph) -> list[tuple[int, int]]:
    """As many ranges of vertex numbers as few arcs leave; one range if there are none such."""
    count = graph.n // _RANGE
    while count > 1:
        ranges = split_evenly(graph.n, count)
        ends = np.array([high for _, high in ranges])
        asked, crossing = _crossing(graph.indptr, graph.indices, ends, _LOOK)
        if crossing <= _MOST_CROSSING * asked:
            return ranges
        count //= 2
    return [(0, graph.n)]


@njit(cache=True, nogil=True)
def _crossing(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], ends: NDArray[np.int64], step: int
) -> tuple[int, int]:
    """Arcs of every ``step``-th vertex, and how many of them lead into another range."""
    asked, crossing, own = 0, 0, 0
    for v in range(0, len(indptr) - 1, step):
        while v >= ends[own]:
            own += 1
        low = ends[own - 1] if own > 0 else 0
        for a in range(indptr[v], indptr[v + 1]):
            asked += 1
            if indices[a] < low or indices[a] >= ends[own]:
                crossing += 1
    return asked, crossing


_ORDERED, _GROWN, _BORDER_HEAD, _BORDER_TAIL, _LOOKED = range(5)  # of `progress`
_TAKEN = np.iinfo(np.int32).max


@njit(cache=True, nogil=True)
def _grow(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    low: int,
    most_vertices: int,
    most_arcs: int,
    order: NDArray[np.int32],
    first: NDArray[np.int32],
    seen: NDArray[np.int32],
    border: NDArray[np.int32],
    on_border: NDArray[np.bool_],
    queue: NDArray[np.int32],
    progress: NDArray[np.int64],
    at_most: int,
) -> None:
    """Grow parts until ``at_most`` more vertices of a range have a position.

    The range begins at vertex ``low``, from which the arrays count: all but ``indptr`` and ``indices`` are the range's.
    ``seen`` is the part for which a vertex was last seen, `_TAKEN` once it is in one; ``border`` lists those adjacent
    to parts, oldest first.
    """
    n = len(order)
    ordered, part, border_head, border_tail, looked = progress
    stop = min(n, ordered + at_most)
    while ordered < stop:
        arcs, begin, full = 0, ordered, False
        while not full and ordered < n:
            while border_head < border_tail and seen[border[border_head]] == _TAKEN:
                border_head += 1
            while border_head == border_tail and seen[looked] == _TAKEN:
                looked += 1
            seed = border[border_head] if border_head < border_tail else looked
            degree = indptr[low + seed + 1] - indptr[low + seed]
            if ordered > begin and (ordered - begin >= most_vertices or arcs + degree > most_arcs):
                break
            queue[0], head, tail = seed, 0, 1
            while head < tail:
                v = queue[head]
                degree = indptr[low + v + 1] - indptr[low + v]
                if ordered > begin and (ordered - begin >= most_vertices or arcs + degree > most_arcs):
                    full = True
                    break
                head += 1
                order[ordered] = low + v
                seen[v] = _TAKEN
                ordered += 1
                arcs += degree
                for a in range(indptr[low + v], indptr[low + v + 1]):
                    w = indices[a] - low
                    if 0 <= w < n and seen[w] != _TAKEN and seen[w] != part:
                        seen[w] = part
                        queue[tail] = w
                        tail += 1
            for i in range(head, tail):  # what the part had no room for
                w = queue[i]
                seen[w] = -1
                if not on_border[w]:
                    on_border[w] = True
                    border[border_tail] = w
                    border_tail += 1
        part += 1
        first[part] = ordered
    progress[_ORDERED], progress[_GROWN], progress[_LOOKED] = ordered, part, looked
    progress[_BORDER_HEAD], progress[_BORDER_TAIL] = border_head, border_tail


@njit(cache=True, nogil=True)
def _unmark(
    marked: NDArray[np.int32],
    indptr: NDArray[np.int64],
    most_vertices: int,
    most_arcs: int,
    order: NDArray[np.int32],
    first: NDArray[np.int32],
) -> int:
    """Enter the order and where parts begin; the number of parts, or -1 if it is no permutation or a part too large."""
    n = len(order)
    if len(marked) != n or (n > 0 and marked[0] >= 0):
        return -1
    has = np.zeros(n, np.bool_)
    parts, arcs = 0, 0
    for position in range(n):
        v = marked[position]
        if v < 0:
            v = ~v
            first[parts] = position
            parts += 1
            arcs = 0
        if v >= n or has[v]:
            return -1
        has[v] = True
        order[position] = v
        size = position + 1 - first[parts - 1]
        arcs += indptr[v + 1] - indptr[v]
        if size > most_vertices or (arcs > most_arcs and size > 1):
            return -1
    first[parts] = n
    return parts
