"""Which threads of a launch work in an iteration, by the variant's mapping and the
frontier of that iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.core.result import Result
from solvers.core.trace import WARP, ActivityTrace, LaunchTrace
from solvers.core.variant import WorkMapping
from solvers.graphs.graph import Graph
from solvers.running.traced_run import (
    PER_ARC,
    PER_FRONTIER_VERTEX,
    PER_UNSETTLED_VERTEX,
    PER_VERTEX,
    STRIDED,
)
from solvers.system.array_types import Bools, Float64s, Int64s, UInt8s
from solvers.system.ranges import numbers_in, offsets_of

_MAPPINGS = PER_VERTEX + PER_FRONTIER_VERTEX + PER_UNSETTLED_VERTEX + PER_ARC + STRIDED
_FLAGGED = (
    *PER_FRONTIER_VERTEX,
    WorkMapping.THREAD_PER_FLAGGED_ARC,
    WorkMapping.THREADS_STRIDED_FLAGGED,
)


class ThreadState(IntEnum):
    """What a thread does in an iteration, in ascending order of importance."""

    BEYOND = 0  # no vertex or arc of its own: the last block is not full
    IDLE = 1  # returns at once
    WORKS = 2  # reads and computes, but its distance is not new, or it only looks for offers
    USEFUL = 3  # its vertex is in the frontier, or its arc leaves one that is


@dataclass(frozen=True, eq=False)
class ThreadStates:
    """The threads of the kernel that relaxes, in one kept iteration."""

    graph: Graph
    trace: ActivityTrace
    launch: LaunchTrace
    mapping: WorkMapping
    position: int

    @property
    def items(self) -> int:
        """Vertices, or arcs, that the threads share."""
        return self.graph.m if self.mapping in PER_ARC else self.graph.n

    @property
    def threads(self) -> int:
        """Threads launched at once."""
        block = self.launch.block
        wanted = -(-self.items // block) * block
        return min(wanted, self.launch.grid * block) if self.mapping in STRIDED else wanted

    @property
    def warps(self) -> int:
        return -(-self.threads // WARP)

    @cached_property
    def frontier(self) -> Int64s:
        """Vertices of the frontier, ascending."""
        vertices = self.trace.frontier(self.position).astype(np.int64)
        return np.sort(vertices) if (vertices[1:] < vertices[:-1]).any() else vertices

    @property
    def finds_useful(self) -> bool:
        """Whether it is known which threads are useful, not only how many."""
        return self.mapping not in PER_UNSETTLED_VERTEX

    @cached_property
    def _useful_runs(self) -> tuple[Int64s, Int64s]:
        """Useful threads as ranges of numbers, first and end, ascending: a frontier may
        have millions of arcs.
        """
        if not self.finds_useful:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        if self.mapping in PER_ARC:
            first, end = self.graph.indptr[self.frontier], self.graph.indptr[self.frontier + 1]
            return first[first < end].astype(np.int64), end[first < end].astype(np.int64)
        own = self.frontier
        if self.mapping in STRIDED:
            own = np.flatnonzero(np.bincount(self.frontier % self.threads))
        return own, own + 1

    @property
    def useful(self) -> Int64s:
        """Numbers of the useful threads, ascending; empty if threads look for offers
        (see `finds_useful`).
        """
        first, end = self._useful_runs
        return numbers_in(first, end - first)

    @cached_property
    def useful_count(self) -> int:
        first, end = self._useful_runs
        return int((end - first).sum())

    @cached_property
    def busy_warps(self) -> Int64s:
        """Numbers of the groups of 32 threads with a useful thread, ascending."""
        first, end = self._useful_runs
        low, high = first // WARP, (end - 1) // WARP
        low[1:] += low[1:] == high[:-1]  # counted with the previous range
        return numbers_in(low, high + 1 - low)

    def of_warps(self, warps: Int64s) -> UInt8s:
        """(len(warps), 32) `ThreadState` of the threads of these groups."""
        threads = (warps[:, None] * WARP + np.arange(WARP)).astype(np.int64)
        states = self._standing(threads)
        first, end = self._useful_runs
        if len(first):
            at = np.searchsorted(first, threads, side="right") - 1
            states[(at >= 0) & (threads < end[at])] = ThreadState.USEFUL
        return states

    def _standing(self, threads: Int64s) -> UInt8s:
        """States without the useful threads: beyond the data, idle, or at work without result."""
        states = np.full(threads.shape, ThreadState.BEYOND, np.uint8)
        valid = threads < min(self.items, self.threads)
        states[valid] = ThreadState.IDLE
        if self.mapping in _FLAGGED or self.trace.stride > 1:
            return states
        own = threads[valid]
        if self.mapping in PER_ARC:
            works = self._reached(self.graph.tails[own])
        elif self.mapping in PER_UNSETTLED_VERTEX:
            works = ~self._reached(own)
        elif self.mapping in STRIDED:
            works = np.zeros(len(own), bool)
            for start in range(0, self.graph.n, self.threads):
                vertices = own + start
                inside = vertices < self.graph.n
                works[inside] |= self._reached(vertices[inside])
        else:
            works = self._reached(own)
        states[valid] = np.where(works, ThreadState.WORKS, ThreadState.IDLE)
        return states

    def _reached(self, vertices: NDArray[np.integer]) -> Bools:
        """Which of these vertices have been in a frontier by now: then they had a
        distance before the iteration.
        """
        first = self.trace.first_active[vertices]
        reached: Bools = (first >= 0) & (first <= self.position)
        return reached

    def shares(self, cells: int) -> Float64s:
        """(min(cells, warps),) share of useful threads in as many equal parts of all
        threads, in order.
        """
        cells = max(1, min(cells, self.warps))
        # threads at which parts begin
        bounds = -(-np.arange(cells + 1) * self.warps // cells) * WARP
        first, end = self._useful_runs
        begun = np.searchsorted(first, bounds)  # ranges that begin before each bound
        whole = offsets_of(end - first)[begun]
        # part of the last range after the bound
        beyond = np.maximum(0, np.concatenate(([0], end))[begun] - bounds)
        found: Float64s = np.diff(whole - beyond) / np.maximum(1, np.diff(bounds))
        return found

    @cached_property
    def lane_use(self) -> float | None:
        """Share of lanes with useful work among all lanes of the busy warps; None if no
        warp is busy.
        """
        return self.useful_count / (WARP * len(self.busy_warps)) if len(self.busy_warps) else None

    @cached_property
    def loop_use(self) -> float | None:
        """Share of the busy warps' loop steps in which a lane relaxes an arc; None for
        kernels without a loop.

        A warp's threads leave the loop over their vertex's arcs together: after as many
        steps as the highest degree.
        """
        if self.mapping not in PER_FRONTIER_VERTEX or not len(self.frontier):
            return None
        degrees = self.graph.out_degrees[self.frontier]
        starts = np.flatnonzero(np.diff(self.frontier // WARP, prepend=-1))
        steps = int(np.maximum.reduceat(degrees, starts).sum()) * WARP
        return float(degrees.sum()) / steps if steps else None


def thread_states(result: Result, position: int) -> ThreadStates | None:
    """The threads of kept iteration ``position``; None if the result has no trace of
    launches, or they are unknown.
    """
    trace, mapping = result.trace, result.variant.mapping
    if not isinstance(trace, ActivityTrace) or trace.launches is None or not trace.launches.known:
        return None
    if mapping not in _MAPPINGS or not 0 <= position < len(trace):
        return None
    return ThreadStates(result.graph, trace, trace.launches, mapping, position)
