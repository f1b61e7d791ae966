"""Searches from 32 sources together whose rows are reduced when they end: the matrix of distances is never held.

For graphs with large separators, such as social networks, and for machines that cannot order a graph. A search on a
large graph takes longer than a user waits for a cancellation, so it is left and taken up again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.near_far.lane_search import COUNT, LANES, PLACES, begin_search, search_on
from solvers.algorithms.requirements import require_nonnegative
from solvers.algorithms.row_summaries import RowSummaries
from solvers.errors import OutOfMemory
from solvers.graphs.graph import Graph
from solvers.host import machine
from solvers.host.jit import njit
from solvers.host.observer import Observer
from solvers.host.vectors import ROW, summarise_rows

_CALL_ARCS = 400_000  # relaxed by a thread, for 32 sources each, between two cancellation checks
_ROWS = LANES // ROW  # of `summarise_rows`, for each vertex


class SearchedRows:
    """Reduces the rows of any graph without negative weights.

    Parameters
    ----------
    graph, sum_type, threads
        As those of `HierarchyRows`.

    Raises
    ------
    UnsuitableGraph, OutOfMemory
    """

    name, device = "search", None
    most_sources, most_cells = 8192, 200_000_000  # of a chunk: some seconds
    note = f"{LANES} searches at a time"

    def __init__(self, graph: Graph, sum_type: np.dtype[Any], threads: int):
        require_nonnegative(graph, "all-sources")
        self._kind, self._sum_type, n = graph.distance_type, sum_type, graph.n
        self._n = n
        needed, free = threads * self.thread_bytes(whole_rows=False), machine.memory().free_bytes
        if needed > free > 0:
            raise OutOfMemory(f"The searches of {graph.name}", needed, free)
        self._arcs = (graph.indptr, graph.indices, graph.weights.astype(self._kind.dtype, copy=False))
        self._infinity = self._kind.dtype.type(self._kind.infinity)
        self._memory = (
            np.empty((threads, n, LANES), self._kind.dtype),
            np.empty((threads, 2, n), np.int32),
            np.empty((threads, n), np.int32),
            np.zeros((threads, PLACES), np.int64),
        )

    def summarise(self, sources: NDArray[np.int32], budget: Any, observer: Observer) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; parameters and errors as `HierarchyRows.summarise`."""
        found = RowSummaries.empty(len(sources), self._kind, self._sum_type)
        together = len(self._memory[0]) * LANES
        for first in range(0, len(sources), together):
            observer.checkpoint(first, len(sources))
            part = found.take(slice(first, first + together))  # views
            self._search(sources[first : first + together], observer)
            _summarise(self._memory[0], self._infinity, budget, *part.arrays)
        return found

    def rows(self, sources: NDArray[np.int32], observer: Observer) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Whole rows, (k, n) at a time, with their place among ``sources``; raises Cancelled."""
        known = self._memory[0]
        together = len(known) * LANES
        for first in range(0, len(sources), together):
            part = sources[first : first + together]
            self._search(part, observer)
            yield slice(first, first + len(part)), known.transpose(0, 2, 1).reshape(together, -1)[: len(part)]

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory that each thread works with, in `rows`, too, or only in `summarise`."""
        return self._n * ((2 if whole_rows else 1) * LANES * self._kind.dtype.itemsize + 12)

    def row(self, source: int, observer: Observer) -> NDArray[Any]:
        """The whole row of one source, (n,); raises Cancelled."""
        self._search(np.array([source], np.int32), observer)
        return self._memory[0][0, :, 0].copy()

    def _search(self, sources: NDArray[np.int32], observer: Observer) -> None:
        _begin(sources, self._memory, self._infinity)
        while self._memory[3][:, COUNT].any():
            observer.checkpoint()
            _search_on(self._arcs, self._memory, _CALL_ARCS)


@njit(cache=True, nogil=True, parallel=True)
def _begin(sources: NDArray[np.int32], memory: tuple[Any, ...], infinity: Any) -> None:
    distances, queues, queued, place = memory
    for t in prange(len(place)):
        own = sources[t * LANES : (t + 1) * LANES]
        begin_search(own, distances[t], queues[t], queued[t], place[t], infinity)


@njit(cache=True, nogil=True, parallel=True)
def _search_on(arcs: tuple[Any, ...], memory: tuple[Any, ...], most_arcs: int) -> None:
    distances, queues, queued, place = memory
    for t in prange(len(place)):
        search_on(arcs[0], arcs[1], arcs[2], distances[t], queues[t], queued[t], place[t], most_arcs)


@njit(cache=True, nogil=True, parallel=True)
def _summarise(
    distances: NDArray[Any],
    infinity: Any,
    budget: Any,
    farthest_found: NDArray[Any],
    totals_found: NDArray[Any],
    reached_found: NDArray[np.int32],
    within_found: NDArray[np.int32],
) -> None:
    n = distances.shape[1]
    for row in prange(len(distances) * _ROWS):
        thread, part = row // _ROWS, row % _ROWS
        rows = distances[thread].reshape(n * _ROWS, ROW)
        farthest, totals = np.zeros(ROW, distances.dtype), np.zeros(ROW, totals_found.dtype)
        reached, within = np.zeros(ROW, np.int32), np.zeros(ROW, np.int32)
        summarise_rows(rows, part, n * _ROWS, _ROWS, infinity, budget, farthest, totals, reached, within)
        for lane in range(ROW):
            i = row * ROW + lane
            if i < len(reached_found):
                farthest_found[i], totals_found[i] = farthest[lane], totals[lane]
                reached_found[i], within_found[i] = reached[lane], within[lane]
