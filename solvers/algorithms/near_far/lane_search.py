"""Searches from 32 sources together by one thread, which can be interrupted and
resumed; rows kept, or reduced.

Each vertex has 32 distances side by side; a vertex that came nearer to any of the
sources is relaxed again in the next hop. ``all_pairs_omp.py`` says why this is correct.

`SearchedRows` reduces the rows when the searches end, so that the matrix of distances
is never held. It is for graphs with large separators, such as social networks, and for
machines that cannot order a graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.core.requirements import require_nonnegative
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.intrinsics import ROW
from solvers.system.jit import njit, prange
from solvers.system.lane_rows import summarise_rows

LANES = 32  # sources searched together: 8, 16, 64 and 128 were slower on every graph tried
# numbers of a cursor: vertices in this hop, its number, the next of them, those queued
# for the next hop
CURSOR = 4
COUNT, HOP, NEXT, FOUND = range(CURSOR)

_CALL_ARCS = 400_000  # relaxed by a thread, for 32 sources each, between two cancellation checks
_ROWS = LANES // ROW  # of `summarise_rows`, for each vertex


Arcs = tuple[Int64s, Int32s, AnyArray]
"""Rows of a graph: ``indptr``, ``indices``, weights."""

LaneMemory = tuple[AnyArray, Int32s, Int32s, Int64s]
"""What a search works with: distances, (n, LANES); queues, (2, n), with this hop's vertices
and the next one's, by turns; (n,) the hop for which a vertex was queued last; a cursor,
(CURSOR,). Of several threads, all have one more dimension.
"""


@njit
def begin_search(sources: AnyArray, memory: LaneMemory, infinity: Any) -> None:
    """Prepare a search from at most `LANES` different sources; lanes without a source
    stay infinite.
    """
    distances, queues, queued, cursor = memory
    distances[:] = infinity
    queued[:] = -1
    for lane in range(len(sources)):
        distances[sources[lane], lane] = 0
        queues[0, lane] = sources[lane]
    cursor[COUNT], cursor[HOP], cursor[NEXT], cursor[FOUND] = len(sources), 0, 0, 0


@njit
def search_on(arcs: Arcs, memory: LaneMemory, most_arcs: int) -> int:
    """Relax about ``most_arcs`` arcs, or until the search ends with ``cursor[COUNT]``
    0; returns their number.
    """
    indptr, indices, weights = arcs
    distances, queues, queued, cursor = memory
    reached = np.empty(LANES, distances.dtype)
    count, hop, i, found, relaxed = cursor[COUNT], cursor[HOP], cursor[NEXT], cursor[FOUND], 0
    while count > 0 and relaxed < most_arcs:
        frontier, fallen = queues[hop & 1], queues[1 - (hop & 1)]
        while i < count and relaxed < most_arcs:
            tail = frontier[i]
            for lane in range(LANES):
                reached[lane] = distances[tail, lane]
            relaxed += indptr[tail + 1] - indptr[tail]
            for arc in range(indptr[tail], indptr[tail + 1]):
                head, weight = indices[arc], weights[arc]
                fell = 0
                for lane in range(LANES):
                    offered, lies = reached[lane] + weight, distances[head, lane]
                    fell |= offered < lies
                    distances[head, lane] = min(offered, lies)
                if fell and queued[head] != hop:
                    queued[head] = hop
                    fallen[found] = head
                    found += 1
            i += 1
        if i == count:
            count, hop, i, found = found, hop + 1, 0, 0
    cursor[COUNT], cursor[HOP], cursor[NEXT], cursor[FOUND] = count, hop, i, found
    return relaxed


class SearchedRows:
    """Reduces the rows of any graph without negative weights; parameters as `HierarchyRows`.

    Raises UnsuitableGraph, OutOfMemory.
    """

    name, device, may_be_shared = "search", None, False
    most_sources, most_cells = 8192, 200_000_000  # of a chunk: some seconds
    note = f"{LANES} searches at a time"

    def __init__(self, graph: Graph, threads: int):
        require_nonnegative(graph, "all-sources")
        self._kind, self._sum_type, n = graph.distance_type, sum_type_of(graph), graph.n
        self._n = n
        machine.require_memory(
            f"The searches of {graph.name}", threads * self.thread_bytes(whole_rows=False)
        )
        self._arcs = (
            graph.indptr,
            graph.indices,
            graph.weights_in(self._kind.dtype),
        )
        self._infinity = self._kind.dtype.type(self._kind.infinity)
        self._memory = (
            np.empty((threads, n, LANES), self._kind.dtype),
            np.empty((threads, 2, n), np.int32),
            np.empty((threads, n), np.int32),
            np.zeros((threads, CURSOR), np.int64),
        )

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; parameters and errors
        as `HierarchyRows.summarise`.
        """
        found = RowSummaries.empty(len(sources), self._kind, self._sum_type)
        together = len(self._memory[0]) * LANES
        for first in range(0, len(sources), together):
            progress.checkpoint(first, len(sources))
            part = found.take(slice(first, first + together))  # views
            self._search(sources[first : first + together], progress)
            _summarise(self._memory[0], self._infinity, budget, *part.arrays)
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        """Whole rows, (k, n) at a time, with their cursor among ``sources``; raises Cancelled."""
        known = self._memory[0]
        together = len(known) * LANES
        for first in range(0, len(sources), together):
            part = sources[first : first + together]
            self._search(part, progress)
            yield (
                slice(first, first + len(part)),
                known.transpose(0, 2, 1).reshape(together, -1)[: len(part)],
            )

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory that each thread works with, in `rows`, too, or only in `summarise`."""
        return self._n * ((2 if whole_rows else 1) * LANES * self._kind.dtype.itemsize + 12)

    def row(self, source: int, progress: Progress) -> AnyArray:
        """The whole row of one source, (n,); raises Cancelled."""
        self._search(np.array([source], np.int32), progress)
        return self._memory[0][0, :, 0].copy()

    def _search(self, sources: Int32s, progress: Progress) -> None:
        _begin(sources, self._memory, self._infinity)
        while self._memory[3][:, COUNT].any():
            progress.checkpoint()
            _search_on(self._arcs, self._memory, _CALL_ARCS)


@njit(parallel=True)
def _begin(sources: Int32s, memory: LaneMemory, infinity: Any) -> None:
    distances, queues, queued, cursor = memory
    for t in prange(len(cursor)):
        own = sources[t * LANES : (t + 1) * LANES]
        begin_search(own, (distances[t], queues[t], queued[t], cursor[t]), infinity)


@njit(parallel=True)
def _search_on(arcs: Arcs, memory: LaneMemory, most_arcs: int) -> None:
    distances, queues, queued, cursor = memory
    for t in prange(len(cursor)):
        search_on(arcs, (distances[t], queues[t], queued[t], cursor[t]), most_arcs)


@njit(parallel=True)
def _summarise(
    distances: AnyArray,
    infinity: Any,
    budget: Any,
    farthest_found: AnyArray,
    totals_found: AnyArray,
    reached_found: Int32s,
    within_found: Int32s,
) -> None:
    n = distances.shape[1]
    for row in prange(len(distances) * _ROWS):
        thread, part = row // _ROWS, row % _ROWS
        rows = distances[thread].reshape(n * _ROWS, ROW)
        farthest, totals = np.zeros(ROW, distances.dtype), np.zeros(ROW, totals_found.dtype)
        reached, within = np.zeros(ROW, np.int32), np.zeros(ROW, np.int32)
        summarise_rows(
            rows, part, n * _ROWS, _ROWS, infinity, budget, farthest, totals, reached, within
        )
        for lane in range(ROW):
            i = row * ROW + lane
            if i < len(reached_found):
                farthest_found[i], totals_found[i] = farthest[lane], totals[lane]
                reached_found[i], within_found[i] = reached[lane], within[lane]
