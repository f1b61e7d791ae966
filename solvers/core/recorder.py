"""Recorders of a watched run: of passes with their frontiers, or of the phases of an all-pairs run.

Memory is limited: above its limit `TraceRecorder` merges pairs of kept iterations, so
that only every 2nd, 4th, 8th ... frontier is kept, with the sums of all counts.
`MatrixRecorder` downsamples matrices, and keeps those of small graphs whole.
"""

from __future__ import annotations

import numpy as np

from solvers.core.problem import Recorder
from solvers.core.trace import (
    DEFAULT_CAP_BYTES,
    MOST_DISTANCES,
    MOST_MATRICES,
    ActivityTrace,
    KernelLog,
    LaunchLog,
    MatrixStep,
    MatrixTrace,
    TracePhase,
    downsample_least,
    repeated,
)
from solvers.graphs.weights import to_float
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.ranges import offsets_of

_BYTES_PER_VERTEX = 4


_BYTES_PER_ITERATION = 72  # its length and eight counts


class TraceRecorder(Recorder):
    """Builds an ActivityTrace of a graph with n vertices.

    Above ``cap_bytes``, pairs of kept iterations are merged, repeatedly if necessary.
    ``launches`` counts those of a run on a device.
    """

    def __init__(
        self, n: int, cap_bytes: int = DEFAULT_CAP_BYTES, launches: LaunchLog | None = None
    ):
        self._n = n
        self.launches = launches
        self.wants_distances = n <= MOST_DISTANCES
        self._distances: list[Float64s] = []
        self._cap_bytes = max(_BYTES_PER_VERTEX, cap_bytes)
        self._rows_left = DEFAULT_CAP_BYTES // (8 * max(1, n))  # of distances
        self._lengths: list[Int64s] = []
        self._vertices: list[Int32s] = []
        self._counts: list[Float64s] = []
        self._kept = 0
        self._kept_bytes = 0
        self._stride = 1
        self._iterations = 0
        self._phases: list[tuple[str, str, int]] = []  # name, unit, first iteration

    def phase(self, name: str, unit: str) -> None:
        self._phases.append((name, unit, self._iterations))

    def iterations(
        self,
        offsets: AnyArray,
        vertices: AnyArray,
        relaxed: AnyArray,
        improved: AnyArray,
        ms: AnyArray,
        distances: AnyArray | None = None,
    ) -> None:
        lengths = np.diff(offsets).astype(np.int64)
        launched = (
            np.zeros((len(lengths), 4))
            if self.launches is None
            else self.launches.take(len(lengths))
        )
        counts = np.column_stack((lengths, relaxed, improved, ms, launched)).astype(np.float64)
        if self.wants_distances and distances is not None and self._rows_left > 0:
            self._distances.append(to_float(distances))
            self._rows_left -= len(distances)
        late = -self._iterations % self._stride  # iterations that belong to the last kept one
        if late and self._kept:
            self._counts[-1][-1] += counts[:late].sum(axis=0)
        self._iterations += len(lengths)
        first = offsets[min(late, len(lengths))]
        self._append(lengths[late:], vertices[first : offsets[-1]], counts[late:], self._stride)
        while self._kept_bytes > self._cap_bytes and self._kept > 1:
            self._thin()

    def _append(self, lengths: Int64s, vertices: AnyArray, counts: Float64s, every: int) -> None:
        """Keep the frontier of every ``every``-th iteration, and the sums of all counts."""
        if not len(lengths):
            return
        chosen = np.zeros(len(lengths), dtype=bool)
        chosen[::every] = True
        self._vertices.append(vertices[repeated(chosen, lengths)].astype(np.int32))
        self._lengths.append(lengths[chosen])
        self._counts.append(np.add.reduceat(counts, np.flatnonzero(chosen), axis=0))
        self._kept += int(chosen.sum())
        self._kept_bytes += (
            len(self._vertices[-1]) * _BYTES_PER_VERTEX + int(chosen.sum()) * _BYTES_PER_ITERATION
        )

    def _thin(self) -> None:
        """Keep every second frontier; sum the counts of each pair, so that totals are preserved."""
        lengths, vertices = np.concatenate(self._lengths), np.concatenate(self._vertices)
        counts = np.concatenate(self._counts)
        self._lengths, self._vertices, self._counts = [], [], []
        self._kept, self._kept_bytes = 0, 0
        self._append(lengths, vertices, counts, every=2)
        self._stride *= 2

    def finish(self, bandwidth: float | None = None) -> ActivityTrace:
        """The trace of the iterations recorded so far; ``bandwidth`` is the device's,
        in bytes per second.
        """
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        offsets = offsets_of(lengths)
        vertices = np.concatenate([np.empty(0, np.int32), *self._vertices])
        when = repeated(np.arange(len(lengths), dtype=np.int32), lengths)
        first = np.full(self._n, -1, dtype=np.int32)
        last = first.copy()
        first[vertices[::-1]] = when[::-1]
        last[vertices] = when
        columns = np.concatenate([np.empty((0, 8)), *self._counts])
        active, relaxed, improved = (columns[:, i].astype(np.int64) for i in range(3))
        frontiers = (offsets, vertices, first, last)
        launches = (
            None if self.launches is None else self.launches.finish(columns[:, 4:], bandwidth)
        )
        return ActivityTrace(
            *frontiers,
            active,
            relaxed,
            improved,
            columns[:, 3],
            self._stride,
            self._iterations,
            self._kept_distances(),
            self._finished_phases(),
            launches,
        )

    def _finished_phases(self) -> tuple[TracePhase, ...]:
        """The phases that have iterations."""
        ends = [first for *_, first in self._phases[1:]] + [self._iterations]
        found = (TracePhase(*phase, end) for phase, end in zip(self._phases, ends, strict=False))
        return tuple(phase for phase in found if phase.last > phase.first)

    def _kept_distances(self) -> Float64s | None:
        """Distances after each kept iteration; None unless all iterations reported them."""
        reported = np.concatenate([np.empty((0, self._n)), *self._distances])
        return (
            reported[:: self._stride]
            if self._iterations and len(reported) == self._iterations
            else None
        )


class MatrixRecorder(Recorder):
    """Builds a MatrixTrace; matrices are downsampled to at most ``pixels`` rows and columns.

    ``launches`` counts those of a run on a device.
    """

    def __init__(self, n: int, pixels: int = 256, launches: KernelLog | None = None):
        self._n, self._pixels = n, pixels
        self.launches = launches
        self.wants_distances = n <= MOST_MATRICES
        self._distances: list[Float64s] = []
        self._steps: list[MatrixStep] = []
        self._left = DEFAULT_CAP_BYTES  # for snapshots

    def matrix_step(
        self,
        step: int,
        phase: int,
        tiles: AnyArray,
        matrix: AnyArray | None,
        ms: float,
        relaxed: int | None = None,
        requested_bytes: int | None = None,
        copied_bytes: int | None = None,
    ) -> None:
        snapshot = None
        if matrix is not None and self._left > 0:
            snapshot = downsample_least(matrix, self._pixels)
            self._left -= snapshot.nbytes
        if matrix is not None and self.wants_distances:
            self._distances.append(to_float(matrix).copy())
        places = np.array(tiles, dtype=np.int64).reshape(-1, 4)
        launched = () if self.launches is None else self.launches.take()
        self._steps.append(
            MatrixStep(
                step, phase, places, snapshot, ms, launched, relaxed, requested_bytes, copied_bytes
            )
        )

    def finish(self, bandwidth: float | None = None, devices: int = 1) -> MatrixTrace:
        """The phases so far; ``bandwidth`` is that of all ``devices`` that kernels were
        launched on.
        """
        log, steps = self.launches, tuple(self._steps)
        kept = np.array(self._distances) if len(self._distances) == len(steps) else None
        if log is None or not any(step.launches for step in steps):
            return MatrixTrace(self._n, steps, distances=kept)
        return MatrixTrace(self._n, steps, log.device_name, log.is_cpu, bandwidth, devices, kept)
