"""Sweeps from sixteen sources together: an arc is loaded once, and relaxed for all of
them by vector instructions.

`settle_rows` writes whole rows of distances. `HierarchyRows` reduces the rows as they
arise, so that the matrix of distances is never held: of the distances of a batch only
those of the last few dozen vertices are kept. Once they are settled, their greatest,
their sum and two counts are added to those of their sources, while they are in the
nearest cache. Threads take batch after batch, and look after each few dozen vertices
whether they shall stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric, MetricArrays
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays
from solvers.algorithms.hierarchy.sweep import climb, settle_row
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system import machine
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import ROW, atomic_add, load_shared
from solvers.system.jit import njit, prange
from solvers.system.lane_rows import relax_rows, summarise_rows
from solvers.system.threads import in_watched_threads

LANES = ROW  # sources of a batch
_TILE = 64  # vertices that are turned into rows together

_KEPT_VERTICES = 128  # vertices whose distances are kept
_LARGE = 4_000_000  # arcs and two for each vertex, from which whole rows come one by one

_STOP, _NEXT, _DONE = range(3)  # set to end all threads; the next batch; sources that are done


def settle_rows(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    sources: Int32s,  # (k,) vertices of the graph
    rows: AnyArray,  # (k, n) need not be initialised
    working: AnyArray,  # (threads, n, LANES) by `working_memory`
) -> int:
    """Distances from each source, into a row each; threads take batches of `LANES`.
    Returns the arcs relaxed.
    """
    return int(
        _share_batches(
            sources, rows, working, hierarchy.arrays, metric.arrays, hierarchy.tree.height
        )
    )


def working_memory(n: int, kind: WeightType, threads: int) -> AnyArray:
    """Distances of a batch of each thread, by rank and lane."""
    return np.empty((threads, n, LANES), kind.dtype)


@njit(parallel=True)
def _share_batches(
    sources: Int32s,
    rows: AnyArray,
    working: AnyArray,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
) -> int:
    threads, relaxed = working.shape[0], 0
    for t in prange(threads):
        relaxed += _take_batches(
            np.int64(t), threads, sources, rows, working[t], arrays, weights, height
        )
    return relaxed


@njit
def _take_batches(
    thread: int,
    threads: int,
    sources: Int32s,
    rows: AnyArray,
    known: AnyArray,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
) -> int:
    """Every ``threads``-th batch, from the one numbered ``thread``."""
    relaxed = 0
    marked = np.zeros(len(arrays.rank), np.bool_)
    paths, reached = np.empty((LANES, height), np.int32), np.empty((LANES, height), rows.dtype)
    for begin in range(thread * LANES, len(sources), threads * LANES):
        batch = sources[begin : begin + LANES]
        relaxed += _climb_abreast(batch, arrays, weights, marked, paths, reached) + len(
            batch
        ) * len(weights.down)
        _sweep(arrays, weights, height, marked, paths[: len(batch)], reached, known)
        _unmark(paths[: len(batch)], marked)
        _turn(known, arrays.rank, rows[begin : begin + LANES])
    return relaxed


@njit
def _climb_abreast(
    batch: Int32s,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    marked: Bools,  # (n,) set for the vertices on the path of some lane
    paths: Int32s,
    reached: AnyArray,
) -> int:
    """Climb from each source of a batch; returns the arcs relaxed. ``paths`` and
    ``reached`` are (LANES, height).
    """
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    relaxed = 0
    for lane in range(len(batch)):
        start, path = arrays.rank[batch[lane]], paths[lane]
        relaxed += climb(
            start,
            parent,
            depth,
            up_first,
            up_depth,
            weights.up,
            weights.infinity,
            path,
            reached[lane],
        )[1]
        for k in range(depth[start] + 1):
            marked[path[k]] = True
    return relaxed


@njit
def _unmark(paths: Int32s, marked: Bools) -> None:
    for path in paths:
        for v in path:
            if v == NONE:
                break
            marked[v] = False


@njit
def _turn(known: AnyArray, rank: Int32s, rows: AnyArray) -> None:
    """Distances by rank and lane into rows by vertex. Unsigned indices spare a test for
    negative ones.
    """
    n = len(rank)
    for tile in range(0, n, _TILE):
        for lane in range(len(rows)):
            row, place = rows[lane], np.uint64(lane)
            for v in range(np.uint64(tile), np.uint64(min(n, tile + _TILE))):
                row[v] = known[np.uint64(rank[v]), place]


@njit
def _sweep(
    arrays: HierarchyArrays,
    weights: MetricArrays,
    height: int,
    marked: Bools,
    paths: Int32s,
    reached: AnyArray,
    known: AnyArray,
) -> None:
    """Distances by rank and lane, from the roots down."""
    depth, up_first, up_depth = arrays.depth, arrays.up_first, arrays.up_depth
    down, infinity = weights.down, weights.infinity
    above = np.empty((height, LANES), known.dtype)
    for v in range(len(depth) - 1, -1, -1):
        k = depth[v]
        if marked[v]:
            _offer_climbs(v, k, infinity, paths, reached, known[v])
        relax_rows(
            known, v, marked[v], above, k, up_depth, down, up_first[v], up_first[v + 1], infinity
        )


@njit
def _offer_climbs(
    v: int, k: int, infinity: Any, paths: Int32s, reached: AnyArray, offered: AnyArray
) -> None:
    """What the climbs found for ``v``, at depth ``k``, by lane."""
    for lane in range(LANES):
        on_path = lane < len(paths) and paths[lane, k] == v
        offered[lane] = reached[lane, k] if on_path else infinity


class _LaneMemory(NamedTuple):
    """Working memory of a thread: of the climbs, of the sweep, and the summaries of a batch."""

    marked: Bools  # (n,), vertices on the path of some lane; none between batches
    # paths, climbed: (LANES, height)
    paths: Int32s
    climbed: AnyArray
    above: AnyArray  # (height, LANES), distances of the ancestors
    tile: AnyArray  # (kept vertices, LANES)
    # farthest, totals, reached, within: (LANES,)
    farthest: AnyArray
    totals: AnyArray
    reached: Int32s
    within: Int32s


class HierarchyRows:
    """Reduces the rows of a graph with small separators.

    Raises NegativeCycle if there is one anywhere; SeparatorsTooLarge, OutOfMemory,
    Unavailable, OrderFailed, Cancelled.

    ``threads``: of OpenMP, which the caller has set.
    ``note``: how long the preparation took.
    """

    name, device, may_be_shared = "hierarchy", None, True
    most_sources, most_cells = 8192, 2_000_000_000  # of a chunk: some seconds

    def __init__(self, graph: Graph, threads: int, progress: Progress = SILENT):
        ready = prepare(graph, None, self.name, progress, threads=threads)
        self.note = ready.note
        self._kind, self._sum_type = graph.distance_type, sum_type_of(graph)
        self._threads = threads
        self._hierarchy, self._metric = ready.hierarchy, ready.metric
        self._is_large = ready.hierarchy.arcs + 2 * ready.hierarchy.n > _LARGE
        machine.require_memory(
            f"The sweeps of {graph.name}", threads * self.thread_bytes(whole_rows=False)
        )

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; ``budget`` is of the distance type.

        Raises Cancelled.
        """
        # neighbours in the tree share most of their climbs
        by_rank, count = np.argsort(self._hierarchy.tree.rank[sources]), len(sources)
        found = RowSummaries.empty(count, self._kind, self._sum_type)
        progress.checkpoint(0, count)
        if not count:
            return found
        state = np.zeros(3, np.int64)
        in_watched_threads(
            min(self._threads, -(-count // LANES)),
            lambda: progress.checkpoint(int(state[_DONE]), count),
            state,
            _reduce_batches,
            state,
            sources,
            by_rank,
            budget,
            max(1, self._hierarchy.tree.height),
            self._hierarchy.arrays,
            self._metric.arrays,
            found.arrays,
        )
        progress.checkpoint(count, count)
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        """Whole rows, (k, n) at a time, with their place among ``sources``: abreast, or
        one by one on large networks.

        Raises Cancelled.
        """
        hierarchy, kind, n = self._hierarchy, self._kind, self._hierarchy.n
        together = self._threads * LANES
        if (
            self._is_large
            or 3 * together * n * kind.dtype.itemsize > machine.memory().free_bytes > 0
        ):
            for place, source in enumerate(sources.tolist()):
                yield slice(place, place + 1), self.row(source, progress)[None]
            return
        working = working_memory(n, kind, self._threads)
        for first in range(0, len(sources), together):
            progress.checkpoint(first, len(sources))
            part = sources[first : first + together]
            rows = np.empty((len(part), n), kind.dtype)
            settle_rows(hierarchy, self._metric, kind, part, rows, working)
            yield slice(first, first + len(part)), rows

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory that each thread works with, in `rows`, too, or only in `summarise`."""
        n, height, item = self._hierarchy.n, self._hierarchy.tree.height, self._kind.dtype.itemsize
        abreast = 2 * LANES * n * item if whole_rows and not self._is_large else 0
        return n + LANES * (height * (2 * item + 4) + _KEPT_VERTICES * item) + abreast

    def row(self, source: int, progress: Progress) -> AnyArray:
        """The whole row of one source, (n,), by the sweep from one source; raises Cancelled."""
        return settle_row(
            self._hierarchy, self._metric, self._kind, source, self._threads, progress
        )


@njit
def _reduce_batches(
    _: int,
    state: Int64s,
    sources: Int32s,
    order: Int64s,  # in which sources are taken
    budget: Any,
    height: int,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    found: tuple[Any, ...],
) -> None:
    """Take batch after batch, until ``state`` says that all are to stop."""
    memory = _lane_memory(len(arrays.rank), height, found[0], found[1])
    while load_shared(state, _STOP) == 0:
        begin = atomic_add(state, _NEXT, 1) * LANES
        if begin >= len(order):
            break
        chosen = order[begin : begin + LANES]
        if not _reduce_batch(state, sources[chosen], budget, arrays, weights, memory):
            break
        for i in range(len(chosen)):
            found[0][chosen[i]], found[1][chosen[i]] = memory.farthest[i], memory.totals[i]
            found[2][chosen[i]], found[3][chosen[i]] = memory.reached[i], memory.within[i]
        atomic_add(state, _DONE, len(chosen))


@njit
def _lane_memory(n: int, height: int, farthest: AnyArray, totals: AnyArray) -> _LaneMemory:
    """For summaries of the types of two arrays."""
    return _LaneMemory(
        np.zeros(n, np.bool_),
        np.empty((LANES, height), np.int32),
        np.empty((LANES, height), farthest.dtype),
        np.empty((height, LANES), farthest.dtype),
        np.empty((_KEPT_VERTICES, LANES), farthest.dtype),
        np.empty(LANES, farthest.dtype),
        np.empty(LANES, totals.dtype),
        np.empty(LANES, np.int32),
        np.empty(LANES, np.int32),
    )


@njit
def _reduce_batch(
    state: Int64s,
    batch: Int32s,
    budget: Any,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    memory: _LaneMemory,
) -> bool:
    """Summaries of the rows of a batch; False if all are to stop before."""
    depth, up_first, up_depth = arrays.depth, arrays.up_first, arrays.up_depth
    down, infinity = weights.down, weights.infinity
    marked, paths, climbed, above, tile, farthest, totals, reached, within = memory
    _climb_abreast(batch, arrays, weights, marked, paths, climbed)
    paths = paths[: len(batch)]
    farthest[:], totals[:], reached[:], within[:] = 0, 0, 0, 0
    top = len(depth)
    while top > 0 and load_shared(state, _STOP) == 0:
        bottom = max(0, top - _KEPT_VERTICES)
        for v in range(top - 1, bottom - 1, -1):
            k, row = depth[v], v - bottom
            if marked[v]:
                _offer_climbs(v, k, infinity, paths, climbed, tile[row])
            first, last = up_first[v], up_first[v + 1]
            relax_rows(tile, row, marked[v], above, k, up_depth, down, first, last, infinity)
        summarise_rows(
            tile, 0, top - bottom, 1, infinity, budget, farthest, totals, reached, within
        )
        top = bottom
    _unmark(paths, marked)
    return top == 0
