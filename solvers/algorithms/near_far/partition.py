"""A graph in parts of neighbouring vertices, each small enough for one block's shared memory.

A part is grown breadth first from the oldest vertex adjacent to an earlier part, until
it is full; so parts are round where the graph is planar, and few arcs leave them. No
coordinates are needed. In files of road networks neighbours have similar numbers:
ranges of numbers that few arcs join are divided into parts by several threads at the
same time, which cuts few more arcs. The ranges, and so the parts, depend on the graph
alone.

Vertices are renumbered, part after part; an arc inside a part names its head by its
position there, in 16 bits; arcs that leave the part are cut arcs. This takes time
linear in the graph and is done once: it serves every source.

Parts are kept on disk under a hash of the graph's structure: they serve it with other
weights as well.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s, UInt16s, UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import ArrayStore, user_folder
from solvers.system.jit import njit
from solvers.system.machine import cores
from solvers.system.ranges import offsets_of
from solvers.system.threads import MAX_THREADS, ThreadTeam, run_sequences, split_evenly, thread_team

log = logging.getLogger(__name__)

# a part's arcs begin at a multiple of it: the kernel copies sixteen bytes of heads at
# once
ARC_ALIGNMENT = 8
# Seconds of one core for each vertex and arc, to grow parts and for the rest, where
# vertices are numbered as neighbours and where they are not; see
# tests/benchmarks/2026-11/auto.md.
_LOCAL_S, _SCATTERED_S = (1.5e-8, 3e-8), (6e-8, 12e-8)
_TAKEN = 1 << 14  # vertices that a thread takes at a time
_SLICE = 1 << 16  # vertices that get a position between two cancellation checks
_RANGE = 1 << 16  # least vertices of a range
_MOST_CROSSING = 0.008  # share of the arcs that may join two ranges
_LOOK = 37  # one vertex in so many is sampled

_ORDERED, _GROWN, _BORDER_HEAD, _BORDER_TAIL, _LOOKED = range(5)  # of `progress`
_PLACED = np.iinfo(np.int32).max

# of a graph whose parts are kept; those of a smaller one are made sooner than read
LEAST_VERTICES = 1 << 16
_VERSION = "1"  # raise it when the parts come out otherwise: those on disk are then made anew


@dataclass(frozen=True)
class PartOrder:
    """The vertices of a graph, part after part."""

    order: Int32s  # (n,): the vertex that has each position
    first: Int32s  # (parts + 1,): part ``p`` has the positions ``first[p]`` to ``first[p + 1]``

    @property
    def count(self) -> int:
        return len(self.first) - 1

    def marked(self) -> Int32s:
        """One array for both, (n,) int32: ``order``, with the bits of the first vertex
        of every part inverted.
        """
        marked = self.order.copy()
        marked[self.first[:-1]] = ~marked[self.first[:-1]]
        return marked

    @classmethod
    def from_marked(
        cls, marked: Int32s, graph: Graph, most_vertices: int, most_arcs: int
    ) -> PartOrder | None:
        """The parts that `marked` was made of; None if they are no parts of the graph
        within the limits.
        """
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
            graph.indptr,
            graph.indices,
            low,
            most_vertices,
            most_arcs,
            order[own],
            starts[number],
            seen[own],
            border[own],
            on_border[own],
            queue[own],
            states[number],
            end - begin,
        )

    run_sequences(team, grow, [list(slices(high - low, _SLICE)) for low, high in ranges], progress)
    first = [
        low + start[: grown[_GROWN]]
        for (low, _), start, grown in zip(ranges, starts, states, strict=True)
    ]
    return PartOrder(order, np.concatenate((*first, [graph.n])).astype(np.int32))


def ranges_of(graph: Graph) -> list[tuple[int, int]]:
    """The most ranges of vertex numbers that few arcs leave; one range if there are none."""
    count = graph.n // _RANGE
    while count > 1:
        ranges = split_evenly(graph.n, count)
        ends = np.array([high for _, high in ranges])
        asked, crossing = _crossing(graph.indptr, graph.indices, ends, _LOOK)
        if crossing <= _MOST_CROSSING * asked:
            return ranges
        count //= 2
    return [(0, graph.n)]


@njit
def _crossing(indptr: Int64s, indices: Int32s, ends: Int64s, step: int) -> tuple[int, int]:
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


@njit
def _grow(
    indptr: Int64s,
    indices: Int32s,
    low: int,
    most_vertices: int,
    most_arcs: int,
    order: Int32s,
    first: Int32s,
    seen: Int32s,
    border: Int32s,
    on_border: Bools,
    queue: Int32s,
    progress: Int64s,
    at_most: int,
) -> None:
    """Grow parts until ``at_most`` more vertices of a range have a position.

    The range begins at vertex ``low``, from which the arrays count: all but ``indptr``
    and ``indices`` are the range's. ``seen`` is the part for which a vertex was last
    seen, `_PLACED` once it is in one; ``border`` lists those adjacent to parts, oldest
    first.
    """
    n = len(order)
    ordered, part, border_head, border_tail, looked = progress
    stop = min(n, ordered + at_most)
    while ordered < stop:
        arcs, begin, full = 0, ordered, False
        while not full and ordered < n:
            while border_head < border_tail and seen[border[border_head]] == _PLACED:
                border_head += 1
            while border_head == border_tail and seen[looked] == _PLACED:
                looked += 1
            seed = border[border_head] if border_head < border_tail else looked
            degree = indptr[low + seed + 1] - indptr[low + seed]
            if ordered > begin and (ordered - begin >= most_vertices or arcs + degree > most_arcs):
                break
            queue[0], head, tail = seed, 0, 1
            while head < tail:
                v = queue[head]
                degree = indptr[low + v + 1] - indptr[low + v]
                if ordered > begin and (
                    ordered - begin >= most_vertices or arcs + degree > most_arcs
                ):
                    full = True
                    break
                head += 1
                order[ordered] = low + v
                seen[v] = _PLACED
                ordered += 1
                arcs += degree
                for a in range(indptr[low + v], indptr[low + v + 1]):
                    w = indices[a] - low
                    if 0 <= w < n and seen[w] != _PLACED and seen[w] != part:
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


@njit
def _unmark(
    marked: Int32s, indptr: Int64s, most_vertices: int, most_arcs: int, order: Int32s, first: Int32s
) -> int:
    """Enter the order and where parts begin; the number of parts, or -1 if not a
    permutation or a part is too large.
    """
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


@dataclass(frozen=True)
class Partition:
    order: Int32s  # (n,): the vertex that has each position
    positions: Int32s  # (n,): the position of each vertex: the inverse of ``order``
    first: Int32s  # (parts + 1,): part ``p`` has the positions ``first[p]`` to ``first[p + 1]``
    # (n,): by position: where the vertex's arcs begin among those inside its part (low
    # half), and how many they are
    rows: UInt32s
    # (parts + 1,): part ``p``'s inside arcs begin there, at multiples of
    # `ARC_ALIGNMENT`
    arc_first: Int32s
    heads: UInt16s  # (arcs inside, padded): position within the part
    weights: AnyArray  # (arcs inside, padded) of the graph's weight type
    cut_first: Int32s  # (parts + 1,)
    cut_tails: Int32s  # (arcs between parts,): position of the tail within its part
    cut_heads: Int32s  # (arcs between parts,): position of the head
    cut_parts: Int32s  # (arcs between parts,): part of the head
    cut_weights: AnyArray  # (arcs between parts,)

    @property
    def count(self) -> int:
        return len(self.first) - 1

    @property
    def parts(self) -> PartOrder:
        return PartOrder(self.order, self.first)


def partition_graph(
    graph: Graph,
    most_vertices: int,
    most_arcs: int,
    progress: Progress = SILENT,
    known: PartOrder | None = None,
) -> Partition:
    """Partition a graph of fewer than 2**31 arcs; raises Cancelled.

    ``most_vertices``: of a part; up to 65,536. ``most_arcs``: of all vertices of a part
    together; up to 65,535. A vertex with more arcs forms a part alone. ``known``: parts
    made earlier for a graph of the same structure.
    """
    with thread_team() as team:
        parts = known or grow_parts(graph, most_vertices, most_arcs, team, progress)
        order, first = parts.order, parts.first
        positions, part_of = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
        inside, cut = np.zeros(parts.count, np.int64), np.zeros(parts.count, np.int64)
        some = list(slices(parts.count, max(1, _TAKEN // most_vertices)))
        team.run_over(some, _number, order, first, positions, part_of, progress=progress)
        rows = (graph.indptr, graph.indices, order, positions, first)
        team.run_over(some, _count, *rows, inside, cut, progress=progress)
        made = _allocate(graph, parts, positions, -(-inside // ARC_ALIGNMENT) * ARC_ALIGNMENT, cut)
        arrays = (
            made.rows,
            made.arc_first,
            made.heads,
            made.weights,
            made.cut_first,
            made.cut_tails,
            made.cut_heads,
            made.cut_parts,
            made.cut_weights,
        )
        team.run_over(some, _fill, *rows, part_of, graph.weights, *arrays, progress=progress)
    return made


def seconds_to_partition(graph: Graph, *, grown: bool = False) -> float:
    """A rough estimate of how long `partition_graph` takes on this machine; ``grown``
    if the parts are known.
    """
    ranges = graph.cached("ranges of parts", lambda: len(ranges_of(graph)))
    threads = min(cores(), MAX_THREADS)
    growing_s, filling_s = _LOCAL_S if ranges > 1 else _SCATTERED_S
    growing = 0.0 if grown else growing_s / min(ranges, threads)
    return (graph.n + graph.m) * (growing + filling_s / threads)


def _allocate(
    graph: Graph, parts: PartOrder, positions: Int32s, inside: Int64s, cut: Int64s
) -> Partition:
    """Allocate the arrays for the given numbers of arcs inside and between parts."""
    arc_first, cut_first, kind = _ends(inside), _ends(cut), graph.weights.dtype
    return Partition(
        parts.order,
        positions,
        parts.first,
        rows=np.empty(graph.n, np.uint32),
        arc_first=arc_first,
        heads=np.empty(arc_first[-1], np.uint16),
        weights=np.empty(arc_first[-1], kind),
        cut_first=cut_first,
        cut_tails=np.empty(cut_first[-1], np.int32),
        cut_heads=np.empty(cut_first[-1], np.int32),
        cut_parts=np.empty(cut_first[-1], np.int32),
        cut_weights=np.empty(cut_first[-1], kind),
    )


def _ends(lengths: Int64s) -> Int32s:
    return offsets_of(lengths).astype(np.int32)


@njit
def _number(
    order: Int32s, first: Int32s, positions: Int32s, part_of: Int32s, start: int, stop: int
) -> None:
    """Enter the positions of the vertices of the parts ``start`` to ``stop``, and the
    part of each position.
    """
    for part in range(start, stop):
        for position in range(first[part], first[part + 1]):
            positions[order[position]] = position
            part_of[position] = part


@njit
def _count(
    indptr: Int64s,
    indices: Int32s,
    order: Int32s,
    positions: Int32s,
    first: Int32s,
    inside: Int64s,
    cut: Int64s,
    start: int,
    stop: int,
) -> None:
    """Arcs inside each of the parts ``start`` to ``stop``, loops left out, and arcs
    that leave it.
    """
    for part in range(start, stop):
        base, end, kept, leaving = first[part], first[part + 1], 0, 0
        for position in range(base, end):
            v = order[position]
            for a in range(indptr[v], indptr[v + 1]):
                head = positions[indices[a]]
                if head < base or head >= end:
                    leaving += 1
                elif head != position:
                    kept += 1
        inside[part], cut[part] = kept, leaving


@njit
def _fill(
    indptr: Int64s,
    indices: Int32s,
    order: Int32s,
    positions: Int32s,
    first: Int32s,
    part_of: Int32s,
    weights: AnyArray,
    rows: UInt32s,
    arc_first: Int32s,
    heads: UInt16s,
    inside_weights: AnyArray,
    cut_first: Int32s,
    cut_tails: Int32s,
    cut_heads: Int32s,
    cut_parts: Int32s,
    cut_weights: AnyArray,
    start: int,
    stop: int,
) -> None:
    for part in range(start, stop):
        base, end, arc, cut = first[part], first[part + 1], arc_first[part], cut_first[part]
        for position in range(base, end):
            v, begun = order[position], arc
            for a in range(indptr[v], indptr[v + 1]):
                head = positions[indices[a]]
                if head < base or head >= end:
                    cut_tails[cut] = position - base
                    cut_heads[cut] = head
                    cut_parts[cut] = part_of[head]
                    cut_weights[cut] = weights[a]
                    cut += 1
                elif head != position:
                    heads[arc], inside_weights[arc] = head - base, weights[a]
                    arc += 1
            rows[position] = np.uint32((begun - arc_first[part]) | ((arc - begun) << 16))
        for padding in range(arc, arc_first[part + 1]):
            heads[padding], inside_weights[padding] = 0, 0


def part_store() -> ArrayStore:
    return ArrayStore(user_folder("parts"), _VERSION)


def has_parts(graph: Graph, most_vertices: int, most_arcs: int) -> bool:
    """Whether the store has parts of the graph within the limits."""
    if graph.n < LEAST_VERTICES:
        return False
    return part_store().has(_name(graph, most_vertices, most_arcs), graph.n)


def load_parts(graph: Graph, most_vertices: int, most_arcs: int) -> PartOrder | None:
    """The parts of the graph within the limits; None if the store has none, or a damaged file."""
    if graph.n < LEAST_VERTICES:
        return None
    stored = part_store().load(_name(graph, most_vertices, most_arcs), graph.n).array
    log.info("parts of %s: %s", graph.name, "made anew" if stored is None else "read from disk")
    return (
        None if stored is None else PartOrder.from_marked(stored, graph, most_vertices, most_arcs)
    )


def save_parts(graph: Graph, most_vertices: int, most_arcs: int, parts: PartOrder) -> None:
    """Keep the parts of a graph that is large enough."""
    if graph.n >= LEAST_VERTICES:
        part_store().save(_name(graph, most_vertices, most_arcs), parts.marked())


def _name(graph: Graph, most_vertices: int, most_arcs: int) -> str:
    """By a sketch of the structure: parts are checked when they are loaded."""
    return f"{graph.structure_sketch}-{most_vertices}-{most_arcs}"
