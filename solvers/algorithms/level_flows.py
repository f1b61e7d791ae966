"""Flows of shortest paths in graphs whose arcs all have one weight, from sixteen sources abreast.

A breadth-first search goes level by level, for all sources at once: a vertex that some of them reach on a level is
entered there once, with a mask of these lanes. An arc is tight in the lanes that its tail has and that its head has not
been reached in. Counts of paths are added forwards, shares of flows backwards, a row of sixteen lanes at a time. The
search writes down the entries alone: on the way back, an arc is tight in the lanes that both of its ends have, on two
levels in succession.

With ``count`` the shortest paths from the source to a vertex, the flow that passes or ends there is the *share* of one
path times ``count``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.path_flows import FlowTotals, simple_arcs
from solvers.errors import OutOfMemory, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.cancel import Progress
from solvers.system.intrinsics import ROW
from solvers.system.jit import njit
from solvers.system.path_rows import add_row, end_rows, pass_row

LANES = ROW  # sources of a batch
_BATCHES = 4  # of each thread between two cancellation checks


def has_levels(graph: Graph) -> bool:
    """Whether all arcs have one weight above 0."""
    return graph.m > 0 and bool(graph.weights[0] > 0 and (graph.weights == graph.weights[0]).all())


class LevelFlows:
    """Flows over a graph that `has_levels`; parameters as those of `BrandesFlows`, without its rows.

    Raises
    ------
    OutOfMemory
    """

    name, note = "levels", "breadth-first searches of sixteen sources abreast"

    def __init__(
        self,
        graph: Graph,
        masses: NDArray[np.float64],
        limit: Any,
        threads: int,
        origins: NDArray[np.float64] | None = None,
    ):
        self._masses, self._origins = masses, masses if origins is None else origins
        self._arcs, self._n, self._weight = simple_arcs(graph), graph.n, float(graph.weights[0])
        self._most_levels = int(min(graph.n, limit // graph.weights[0]))
        needed, free = threads * self.thread_bytes, machine.memory().free_bytes
        if needed > free > 0:
            raise OutOfMemory(f"The flows of {graph.name}", needed, free)
        n = graph.n
        self._memory = _Memory(
            np.empty((threads, n, LANES)), np.empty((threads, n, LANES)),
            np.zeros((threads, n), np.uint16), np.zeros((threads, n), np.uint16),
            np.empty((threads, LANES * n), np.int32), np.empty((threads, LANES * n), np.uint16),
            np.zeros((threads, n + 2), np.int64),
        )  # fmt: skip

    @property
    def thread_bytes(self) -> int:
        return self._n * (LANES * (8 + 8 + 4 + 2) + 2 + 2 + 8) + 8 * (len(self._arcs.indices) + 2 * self._n)

    def nothing(self) -> FlowTotals:
        return FlowTotals((np.zeros(len(self._arcs.indices)),), np.zeros(self._n), np.zeros(self._n))

    def flows(self, sources: NDArray[np.int32], progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises
        ------
        UnsuitableGraph
            If the shortest paths are too many to be counted in float64.
        Cancelled
        """
        found, threads = self.nothing(), len(self._memory.counts)
        sums = _Sums(
            np.zeros((threads, len(self._arcs.indices))), np.zeros((threads, self._n)), np.zeros((threads, self._n)),
            np.zeros((threads, 1)),
        )  # fmt: skip
        chosen = sources[np.diff(self._arcs.indptr)[sources] > 0]
        step = threads * _BATCHES * LANES
        for first in range(0, len(chosen), step):
            progress.checkpoint(first, len(chosen))
            _add_batches(
                chosen[first : first + step], self._origins, self._masses, self._most_levels, self._arcs.indptr,
                self._arcs.indices, self._memory, sums,
            )  # fmt: skip
        found.carried[0][:] = sums.flows.sum(axis=0)
        found.starts[:], found.ends[:] = sums.starts.sum(axis=0), sums.ends.sum(axis=0)
        found.length = float(sums.levels.sum()) * self._weight
        if not np.isfinite(found.carried[0]).all():
            raise UnsuitableGraph("There are more shortest paths than float64 counts, some 1e308 between two vertices.")
        return found

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> NDArray[np.float64]:
        return self._arcs.spread(totals.carried[0])


class _Memory(NamedTuple):
    """What each thread works with.

    Attributes
    ----------
    counts, shares : (threads, n, LANES) float64
        Set where a lane has reached a vertex.
    seen, current : (threads, n) uint16
        Lanes that have reached a vertex, and those on the level at hand; zero between batches.
    entries, masks : (threads, n * LANES)
        Vertices and their lanes, by level.
    begins : (threads, n + 2) int64
        First entry of each level.
    """

    counts: NDArray[np.float64]
    shares: NDArray[np.float64]
    seen: NDArray[np.uint16]
    current: NDArray[np.uint16]
    entries: NDArray[np.int32]
    masks: NDArray[np.uint16]
    begins: NDArray[np.int64]


class _Sums(NamedTuple):
    """Sums over sources of each thread; ``levels``, (threads, 1), is the length of all paths in arcs."""

    flows: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    levels: NDArray[np.float64]


@njit(cache=True, nogil=True, parallel=True)
def _add_batches(
    sources: NDArray[np.int32],
    origins: NDArray[np.float64],
    masses: NDArray[np.float64],
    most_levels: int,
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    memory: _Memory,
    sums: _Sums,
) -> None:
    threads = len(memory.counts)
    for t in prange(threads):
        for begin in range(t * LANES, len(sources), threads * LANES):
            batch = sources[begin : min(len(sources), begin + LANES)]
            _add_batch(np.int64(t), batch, origins, masses, most_levels, indptr, heads, memory, sums)


@njit(cache=True, nogil=True)
def _add_batch(
    t: int,
    sources: NDArray[np.int32],
    origins: NDArray[np.float64],
    masses: NDArray[np.float64],
    most_levels: int,
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    memory: _Memory,
    sums: _Sums,
) -> None:
    lane_masses = np.zeros(LANES)
    lane_masses[: len(sources)] = origins[sources]
    levels = _count(
        sources, most_levels, indptr, heads, memory.counts[t], memory.shares[t], memory.seen[t], memory.current[t],
        memory.entries[t], memory.masks[t], memory.begins[t],
    )  # fmt: skip
    sums.levels[t, 0] += _share(
        levels, lane_masses, masses, indptr, heads, memory.counts[t], memory.shares[t], memory.seen[t],
        memory.current[t], memory.entries[t], memory.masks[t], memory.begins[t], sums.flows[t], sums.ends[t],
    )  # fmt: skip
    for lane in range(len(sources)):
        sums.starts[t, sources[lane]] += memory.shares[t, sources[lane], lane]


@njit(cache=True, nogil=True)
def _count(
    sources: NDArray[np.int32],
    most_levels: int,
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    counts: NDArray[np.float64],
    shares: NDArray[np.float64],
    seen: NDArray[np.uint16],
    current: NDArray[np.uint16],
    entries: NDArray[np.int32],
    masks: NDArray[np.uint16],
    begins: NDArray[np.int64],
) -> int:
    """Counts of shortest paths, level by level; returns the number of levels."""
    count, level = 0, 0
    for lane in range(len(sources)):
        v = sources[lane]
        if current[v] == 0:
            entries[count] = v
            count += 1
            counts[v, :], shares[v, :] = 0.0, 0.0
        current[v] |= np.uint16(1 << lane)
        counts[v, lane] = 1.0
    begins[0] = 0
    while begins[level] < count:
        begins[level + 1] = count
        for e in range(begins[level], count):
            v = entries[e]
            masks[e] = current[v]
            seen[v] |= current[v]
            current[v] = 0
        if level == most_levels:
            return level + 1
        for e in range(begins[level], begins[level + 1]):
            v, mask = entries[e], masks[e]
            for a in range(indptr[v], indptr[v + 1]):
                w = heads[a]
                tight = mask & ~seen[w]
                if tight != 0:
                    if current[w] == 0:
                        entries[count] = w
                        count += 1
                        if seen[w] == 0:
                            counts[w, :], shares[w, :] = 0.0, 0.0
                    current[w] |= tight
                    add_row(counts, w, v, tight)
        level += 1
    return level


@njit(cache=True, nogil=True)
def _share(
    levels: int,
    origins: NDArray[np.float64],
    masses: NDArray[np.float64],
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    counts: NDArray[np.float64],
    shares: NDArray[np.float64],
    seen: NDArray[np.uint16],
    current: NDArray[np.uint16],
    entries: NDArray[np.int32],
    masks: NDArray[np.uint16],
    begins: NDArray[np.int64],
    flows: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> float:
    """Shares, from the last level to the first; returns the length in arcs of all paths, times their flow."""
    length = 0.0
    for level in range(levels - 1, -1, -1):
        for e in range(begins[level], begins[level + 1]):
            v, mask = entries[e], masks[e]
            for a in range(indptr[v], indptr[v + 1]):
                tight = mask & current[heads[a]]
                if tight != 0:
                    flows[a] += pass_row(shares, counts, v, heads[a], tight)
            if level > 0 and masses[v] != 0:
                ended = end_rows(shares, counts, v, mask, masses[v], origins)
                ends[v] += ended
                length += ended * level
        if level + 1 < levels:
            for e in range(begins[level + 1], begins[level + 2]):
                current[entries[e]] = 0
        for e in range(begins[level], begins[level + 1]):
            current[entries[e]] = masks[e]
            seen[entries[e]] = 0
    for e in range(begins[1]):
        current[entries[e]] = 0
    return length
