"""Selection and order of the drawn edges, and the segments of roads that are not straight. No Qt.

Opposite arcs are merged, and edges sorted by length class and place, by a counting sort
in two passes over the arcs. The first determines whether each arc is drawn, and its
bucket: a length class (long edges would enlarge the boxes of short ones) and a tile of
the plane, numbered along a Morton curve. The second writes each drawn edge to its
place. Threads process runs of vertices, so the order does not depend on their number.

The edges of one neighbourhood are then interleaved among its blocks. One block of each
neighbourhood is therefore a uniform sample of the whole picture and contiguous in
memory; skipping single edges would cost more than drawing them.

A curved road is drawn as one segment between each two successive points of its shape,
in world coordinates. The points are numbered after the vertices, so that
`ordered_edges` sorts the segments of all roads like edges. Each point belongs to the
vertex at the nearer end of its road, along the road: colours of vertices therefore meet
in the middle of a curved road as they do on a straight one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from solvers.graphs.csr import first_not_less, rows_of_arcs
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import Shapes
from solvers.system.array_types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s, UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of
from solvers.system.threads import ThreadTeam, run_sequences, split_evenly

LENGTH_CLASSES = 12  # class c holds edges whose longer side is under 1 / (4 << c)
BLOCK = 1024  # edges drawn or skipped together
INTERLEAVE = 32  # blocks of one neighbourhood: each holds every 32nd of its edges
PIECE = 400_000  # arcs between two cancellation checks
_EDGES_PER_TILE = 48
_FINEST_TILES = (3, 10)  # bits of a side, least and most
_TOUCHED_BYTES = 16 << 20  # bytes between two cancellation checks
_PAGE = 1024  # elements of 4 bytes
_NOT_DRAWN = np.uint32(0xFFFFFFFF)


class ArcLists(Protocol):
    """Arcs by tail: a `Graph`, or a core of its hierarchy."""

    @property
    def n(self) -> int: ...

    @property
    def m(self) -> int: ...

    @property
    def indptr(self) -> Int64s:
        """(n + 1,): vertex ``v``'s heads are ``indices[indptr[v]:indptr[v + 1]]``."""

    @property
    def indices(self) -> Int32s:
        """(m,): heads, ascending for each tail, unless no arc has an opposite one."""


@dataclass(frozen=True, eq=False)
class OrderedEdges:
    """Edges in the order in which they are drawn, in blocks."""

    segments: Float32s  # (e, 4): world x0, y0, x1, y1
    ends: Int32s  # (e, 2): tail and head
    boxes: Float32s  # (b, 4): bounding box x0, y0, x1, y1 of each block of `BLOCK` edges
    lengths: Float32s  # (b,): sum of the edge lengths of each block

    @property
    def mean_length(self) -> float:
        return float(self.lengths.sum(dtype=np.float64)) / len(self.ends) if len(self.ends) else 0.0


@dataclass(frozen=True, eq=False)
class PlainArcs:
    """Arcs of what is no `Graph`, by tail."""

    indptr: Int64s
    indices: Int32s

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        return len(self.indices)


def ordered_edges(
    graph: ArcLists, positions: Float64s, team: ThreadTeam, progress: Progress = SILENT
) -> OrderedEdges:
    """Sort the edges: each adjacent pair of placed vertices once, without self-loops."""
    first_buckets, bits = _buckets(graph.m)
    runs = _vertex_runs(graph.indptr, 0, graph.n, team.threads)
    count = -(-graph.m // (PIECE * len(runs))) if runs else 0
    pieces = [_vertex_runs(graph.indptr, *run, count) for run in runs]
    counts = np.zeros((len(runs), first_buckets[-1]), dtype=np.int64)
    buckets = np.empty(graph.m, dtype=np.uint32)
    arcs = (graph.indptr, graph.indices)

    def choose(i: int, first: int, last: int) -> None:
        _choose(*arcs, positions, first_buckets, bits, buckets, counts[i], first, last)

    def place(i: int, first: int, last: int) -> None:
        _place(*arcs, positions, buckets, counts[i], segments, ends, first, last)

    run_sequences(team, choose, pieces, progress)
    progress.checkpoint(1, 2)
    edges = places_of_runs(counts)
    segments, ends = np.empty((edges, 4), np.float32), np.empty((edges, 2), np.int32)
    _touch_pages(segments, team, progress)
    _touch_pages(ends, team, progress)
    run_sequences(team, place, pieces, progress)
    blocks = -(-edges // BLOCK)
    boxes, lengths = np.empty((blocks, 4), np.float32), np.empty(blocks, np.float32)
    runs = split_evenly(blocks, 4 * team.threads)
    team.run_over(runs, _enclose, segments, boxes, lengths, progress=progress)
    return OrderedEdges(segments, ends, boxes, lengths)


def _touch_pages(array: AnyArray, team: ThreadTeam, progress: Progress) -> None:
    """Touch the pages of a new array in slices.

    The first edges written are spread over all pages; allocating them all at once would
    delay cancelling.
    """
    flat = array.reshape(-1)
    runs = split_evenly(len(flat), -(-array.nbytes // _TOUCHED_BYTES))
    team.run_over(runs, _touch, flat, progress=progress)


def _buckets(arcs: int) -> tuple[Int64s, Int64s]:
    """First bucket of each length class, followed by the number of buckets; and the
    bits per side of its tiles.
    """
    low, high = _FINEST_TILES
    finest = min(high, max(low, round(0.5 * math.log2(max(1, arcs) / 2 / _EDGES_PER_TILE))))
    bits = np.minimum(np.arange(LENGTH_CLASSES) + 2, finest)  # no tile is smaller than its edges
    return offsets_of(4**bits), bits


def _vertex_runs(indptr: Int64s, first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """The vertices ``first .. last - 1`` divided into at most ``parts`` runs with about
    equally many arcs.
    """
    arcs = int(indptr[last] - indptr[first])
    ends = np.array(
        [int(indptr[first]) + end for _, end in split_evenly(arcs, parts)][:-1], dtype=np.int64
    )
    cuts = [
        first,
        *(int(cut) for cut in np.searchsorted(indptr, ends)),
        last,
    ]  # the last run includes trailing vertices without arcs
    return [(a, b) for a, b in pairwise(cuts) if b > a]


@njit
def _touch(flat: AnyArray, first: int, last: int) -> None:
    for i in range(first, last, _PAGE):
        flat[i] = 0


@njit
def _spread_bits(value: np.uint32) -> np.uint32:
    """The 16 lower bits of ``value`` moved to even positions: half of a Morton number."""
    value = (value | (value << np.uint32(8))) & np.uint32(0x00FF00FF)
    value = (value | (value << np.uint32(4))) & np.uint32(0x0F0F0F0F)
    value = (value | (value << np.uint32(2))) & np.uint32(0x33333333)
    return (value | (value << np.uint32(1))) & np.uint32(0x55555555)


@njit
def _has_arc(indptr: Int64s, indices: Int32s, u: int, v: int) -> bool:
    first, last = indptr[u], indptr[u + 1]
    if last - first <= 16:
        for arc in range(first, last):  # noqa: SIM110 (numba knows no any)
            if indices[arc] == v:
                return True
        return False
    at = first_not_less(indices, first, last, v)
    return at < last and indices[at] == v


@njit
def _choose(
    indptr: Int64s,
    indices: Int32s,
    positions: Float64s,
    first_buckets: Int64s,
    bits: Int64s,
    buckets: UInt32s,
    counts: Int64s,
    first: int,
    last: int,
) -> None:
    """The bucket of each arc of the vertices ``first .. last - 1``, or `_NOT_DRAWN`."""
    for u in range(first, last):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            buckets[arc] = _NOT_DRAWN
            if (
                v == u
                or (arc > indptr[u] and indices[arc - 1] == v)
                or (v < u and _has_arc(indptr, indices, v, u))
            ):
                continue
            across = abs(positions[v, 0] - positions[u, 0])
            down = abs(positions[v, 1] - positions[u, 1])
            longer = max(across, down)
            if not (across + down < np.inf):  # also catches NaN
                continue
            level = 0
            while level < LENGTH_CLASSES - 1 and longer < 1.0 / (8 << level):
                level += 1
            side = 1 << bits[level]
            column = min(
                side - 1, max(0, int((0.5 * (positions[u, 0] + positions[v, 0]) + 0.5) * side))
            )
            row = min(
                side - 1, max(0, int((0.5 * (positions[u, 1] + positions[v, 1]) + 0.5) * side))
            )
            tile = _spread_bits(np.uint32(column)) | (_spread_bits(np.uint32(row)) << np.uint32(1))
            bucket = first_buckets[level] + np.int64(tile)
            buckets[arc] = np.uint32(bucket)
            counts[bucket] += 1


@njit
def places_of_runs(counts: Int64s) -> int:
    """Replace counts by the place of each run's first item in each bucket; returns the total."""
    total = 0
    for bucket in range(counts.shape[1]):
        for run in range(counts.shape[0]):
            count = counts[run, bucket]
            counts[run, bucket] = total
            total += count
    return total


@njit
def interleaved(place: int, edges: int) -> int:
    """Place of the ``place``-th edge after interleaving each run of `INTERLEAVE` blocks."""
    first = place // (INTERLEAVE * BLOCK) * (INTERLEAVE * BLOCK)
    blocks = min(INTERLEAVE, (edges - first) // BLOCK)
    offset = place - first
    if offset >= blocks * BLOCK:  # in the last, partial block
        return place
    return first + offset % blocks * BLOCK + offset // blocks


@njit
def _place(
    indptr: Int64s,
    indices: Int32s,
    positions: Float64s,
    buckets: UInt32s,
    places: Int64s,
    segments: Float32s,
    ends: Int32s,
    first: int,
    last: int,
) -> None:
    for u in range(first, last):
        for arc in range(indptr[u], indptr[u + 1]):
            if buckets[arc] == _NOT_DRAWN:
                continue
            v = indices[arc]
            place = places[buckets[arc]]
            places[buckets[arc]] = place + 1
            e = interleaved(place, segments.shape[0])
            ends[e, 0], ends[e, 1] = u, v
            segments[e, 0], segments[e, 1] = positions[u, 0], positions[u, 1]
            segments[e, 2], segments[e, 3] = positions[v, 0], positions[v, 1]


@njit
def _enclose(segments: Float32s, boxes: Float32s, lengths: Float32s, first: int, last: int) -> None:
    """Compute boxes and lengths of the blocks ``first .. last - 1``."""
    for b in range(first, last):
        x0 = y0 = np.float32(np.inf)
        x1 = y1 = np.float32(-np.inf)
        length = 0.0
        for e in range(b * BLOCK, min(segments.shape[0], (b + 1) * BLOCK)):
            xa, ya, xb, yb = segments[e, 0], segments[e, 1], segments[e, 2], segments[e, 3]
            x0, y0, x1, y1 = min(x0, xa, xb), min(y0, ya, yb), max(x1, xa, xb), max(y1, ya, yb)
            length += math.hypot(xb - xa, yb - ya)
        boxes[b, 0], boxes[b, 1], boxes[b, 2], boxes[b, 3] = x0, y0, x1, y1
        lengths[b] = length


@dataclass(frozen=True, eq=False)
class RoadCurves:
    """The curved roads among the drawn segments."""

    points: Float64s  # (p, 2): world coordinates of `Shapes.points`
    roads: Int32s  # (e, 2): vertices at the ends of the road that each drawn segment belongs to
    shapes: Int32s  # (e,): 1 + the shape of that road, 0 if it is straight
    count: int  # number of drawn roads


def curved_edges(
    graph: Graph,
    shapes: Shapes,
    positions: Float64s,
    points: Float64s,
    team: ThreadTeam,
    progress: Progress = SILENT,
) -> tuple[OrderedEdges, RoadCurves]:
    """Segments of all roads in drawing order; world coordinates of vertices, (n, 2),
    and of shapes' points, (p, 2).
    """
    first, last = _ends_of_shapes(graph, shapes)
    pieces = _pieces(graph, shapes, first, last)
    edges = ordered_edges(pieces, np.concatenate((positions, points)), team, progress)
    counts = np.diff(shapes.offsets)
    shape_of = np.repeat(np.arange(len(shapes)), counts)
    nearer = np.where(
        _in_first_half(shapes, positions[first], positions[last], points),
        first[shape_of],
        last[shape_of],
    )
    owner = np.concatenate((np.arange(graph.n, dtype=np.int32), nearer.astype(np.int32)))
    of_point = edges.ends.max(axis=1, initial=0) - graph.n  # points are numbered after vertices
    curved = of_point >= 0
    roads = edges.ends.copy()
    on = shape_of[of_point[curved]]
    roads[curved, 0], roads[curved, 1] = first[on], last[on]
    shape = np.zeros(len(roads), np.int32)
    shape[curved] = on + 1
    count = int(np.count_nonzero(~curved)) + int(np.count_nonzero(first >= 0))
    drawn = OrderedEdges(edges.segments, owner[edges.ends], edges.boxes, edges.lengths)
    return drawn, RoadCurves(points, roads, shape, count)


def _ends_of_shapes(graph: Graph, shapes: Shapes) -> tuple[Int32s, Int32s]:
    """Vertices before the first and after the last point of each shape; -1 for a shape
    that no arc has.
    """
    first, last = np.full(len(shapes), -1, np.int32), np.full(len(shapes), -1, np.int32)
    arcs = np.flatnonzero(shapes.of_arc)
    numbers = shapes.of_arc[arcs]
    along = numbers > 0
    place = np.abs(numbers) - 1
    first[place] = np.where(along, graph.tails[arcs], graph.indices[arcs])
    last[place] = np.where(along, graph.indices[arcs], graph.tails[arcs])
    return first, last


def _pieces(graph: Graph, shapes: Shapes, first: Int32s, last: Int32s) -> PlainArcs:
    n, points = graph.n, int(shapes.offsets[-1])
    straight = np.flatnonzero(shapes.of_arc == 0)
    used = np.flatnonzero(first >= 0)
    begins, ends = shapes.offsets[used], shapes.offsets[used + 1] - 1
    inner = np.ones(points, np.bool_)
    # no piece from the last point of a shape to the first of the next
    inner[shapes.offsets[1:] - 1] = False
    inner[np.repeat(first < 0, np.diff(shapes.offsets))] = False
    between = np.flatnonzero(inner)
    tails = np.concatenate((graph.tails[straight], first[used], n + between, n + ends)).astype(
        np.int32
    )
    heads = np.concatenate(
        (graph.indices[straight], n + begins, n + between + 1, last[used])
    ).astype(np.int32)
    indptr, indices, _ = rows_of_arcs(n + points, tails, heads, np.zeros(len(tails), np.int32))
    return PlainArcs(indptr, indices)


def _in_first_half(shapes: Shapes, first: Float64s, last: Float64s, points: Float64s) -> Bools:
    """Whether each point lies in the first half of its road, by length."""
    begins, ends = shapes.offsets[:-1], shapes.offsets[1:]
    step = np.empty((len(points), 2))
    step[1:] = points[1:] - points[:-1]
    step[begins] = points[begins] - first
    travelled = np.cumsum(np.hypot(step[:, 0], step[:, 1]))
    before = np.where(begins > 0, travelled[begins - 1], 0.0)
    rest = last - points[ends - 1]
    length = travelled[ends - 1] - before + np.hypot(rest[:, 0], rest[:, 1])
    counts = ends - begins
    along: Bools = travelled - np.repeat(before, counts) <= 0.5 * np.repeat(length, counts)
    return along
