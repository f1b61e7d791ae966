"""Traces: the frontier and counts of every iteration of a run, with random access.

The frontier of iteration k is a slice, so stepping in either direction is O(1). Memory is limited: above the limit only
every 2nd, 4th, 8th ... iteration is kept, which ``stride`` records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.launches import KernelLaunches, KernelLog, LaunchLog, LaunchTrace
from solvers.graphs.weights import to_float
from solvers.host.observer import CancelToken, Observer
from solvers.host.repeats import repeated
from solvers.text import format_count

DEFAULT_CAP_BYTES = 512 * 2**20
MOST_DISTANCES = 200  # vertices; of smaller graphs, which are drawn with labels, tentative distances are kept as well

_BYTES_PER_VERTEX = 4
_BYTES_PER_ITERATION = 72  # its length and eight counts


@dataclass(frozen=True)
class TracePhase:
    """A named part of a run.

    Attributes
    ----------
    name : str
        Such as "climb".
    unit : str
        What one of its iterations handles, such as "vertex" or "level".
    first, last : int
        Numbers of its first iteration, from 0, and of the one after its last, kept or not.
    """

    name: str
    unit: str
    first: int
    last: int

    def place(self, number: int) -> str:
        """Words for iteration ``number`` of the run: "climb, vertex 12 of 269"."""
        done, count = format_count(number - self.first + 1), format_count(self.last - self.first)
        return f"{self.name}, {self.unit} {done} of {count}"


@dataclass(frozen=True, eq=False)
class ActivityTrace:
    """The frontier of every iteration of a single-source run.

    Attributes
    ----------
    offsets : (T + 1,) int64
        Kept iteration ``k``'s vertices are ``vertices[offsets[k]:offsets[k + 1]]``.
    vertices : (sum of frontier sizes,) int32
    first_active, last_active : (n,) int32
        Index of the first and last kept iteration in which a vertex was active; -1 if never.
    active, relaxed, improved : (T,) int64
        Counts per kept iteration, summed over the ``stride`` iterations that it represents.
    ms : (T,) float64
        Durations in ms, summed likewise.
    stride : int
        Number of iterations that each kept one represents; 1 if all were kept.
    iterations : int
        Number of iterations of the run, kept or not.
    distances : (T, n) float64 or None
        Tentative distances after each kept iteration, inf if there is none yet; only for graphs with at most
        `MOST_DISTANCES` vertices, and variants that report them.
    phases : tuple of TracePhase
        In order; empty for variants whose iterations are all of one kind.
    launches : LaunchTrace or None
        What was launched on a device; None for variants without kernels.
    """

    offsets: NDArray[np.int64]
    vertices: NDArray[np.int32]
    first_active: NDArray[np.int32]
    last_active: NDArray[np.int32]
    active: NDArray[np.int64]
    relaxed: NDArray[np.int64]
    improved: NDArray[np.int64]
    ms: NDArray[np.float64]
    stride: int
    iterations: int
    distances: NDArray[np.float64] | None = None
    phases: tuple[TracePhase, ...] = ()
    launches: LaunchTrace | None = None

    def __len__(self) -> int:
        """Number of kept iterations."""
        return len(self.offsets) - 1

    def frontier(self, k: int) -> NDArray[np.int32]:
        """Vertices active in kept iteration ``k``: a view, O(1)."""
        return self.vertices[self.offsets[k] : self.offsets[k + 1]]

    def phase(self, k: int) -> TracePhase | None:
        """The phase of kept iteration ``k``; None if the variant names none."""
        number = k * self.stride
        return next((phase for phase in self.phases if phase.first <= number < phase.last), None)

    def place(self, k: int) -> str:
        """Words for kept iteration ``k``: "iteration 412 of 1,080", or those of its phase."""
        number, phase = k * self.stride, self.phase(k)
        if phase is not None:
            return phase.place(number)
        return f"iteration {format_count(number + 1)} of {format_count(self.iterations)}"

    @property
    def total_relaxed(self) -> int:
        return int(self.relaxed.sum())


class TraceRecorder(Observer):
    """Observer that builds an ActivityTrace.

    Parameters
    ----------
    n : int
        Number of vertices of the graph.
    cap_bytes : int
        Above this limit, pairs of kept iterations are merged, repeatedly if necessary.
    launches : LaunchLog, optional
        Counts launches, for a run on a device.
    """

    watching = True

    def __init__(
        self,
        n: int,
        cancel: CancelToken | None = None,
        on_progress: Callable[[float, float], None] | None = None,
        cap_bytes: int = DEFAULT_CAP_BYTES,
        launches: LaunchLog | None = None,
    ):
        super().__init__(cancel, on_progress)
        self._n = n
        self.launches = launches
        self.wants_distances = n <= MOST_DISTANCES
        self._distances: list[NDArray[np.float64]] = []
        self._cap_bytes = max(_BYTES_PER_VERTEX, cap_bytes)
        self._lengths: list[NDArray[np.int64]] = []
        self._vertices: list[NDArray[np.int32]] = []
        self._counts: list[NDArray[np.float64]] = []
        self._kept = 0
        self._kept_bytes = 0
        self._stride = 1
        self._iterations = 0
        self._phases: list[tuple[str, str, int]] = []  # name, unit, first iteration

    def phase(self, name: str, unit: str) -> None:
        self._phases.append((name, unit, self._iterations))

    def iteration(
        self,
        active: NDArray[Any],
        relaxed: int,
        improved: int,
        ms: float,
        distances: NDArray[Any] | None = None,
    ) -> None:
        offsets = np.array([0, len(active)])
        counts = np.array([relaxed]), np.array([improved]), np.array([ms])
        self.iterations(offsets, np.asarray(active), *counts, None if distances is None else distances[None])

    def iterations(
        self,
        offsets: NDArray[Any],
        vertices: NDArray[Any],
        relaxed: NDArray[Any],
        improved: NDArray[Any],
        ms: NDArray[Any],
        distances: NDArray[Any] | None = None,
    ) -> None:
        lengths = np.diff(offsets).astype(np.int64)
        launched = np.zeros((len(lengths), 4)) if self.launches is None else self.launches.take(len(lengths))
        counts = np.column_stack((lengths, relaxed, improved, ms, launched)).astype(np.float64)
        if self.wants_distances and distances is not None:
            self._distances.append(to_float(distances))
        late = -self._iterations % self._stride  # iterations that belong to the last kept one
        if late and self._kept:
            self._counts[-1][-1] += counts[:late].sum(axis=0)
        self._iterations += len(lengths)
        first = offsets[min(late, len(lengths))]
        self._append(lengths[late:], vertices[first : offsets[-1]], counts[late:], self._stride)
        while self._kept_bytes > self._cap_bytes and self._kept > 1:
            self._thin()

    def _append(
        self, lengths: NDArray[np.int64], vertices: NDArray[Any], counts: NDArray[np.float64], every: int
    ) -> None:
        """Keep the frontier of every ``every``-th iteration, and the sums of all counts."""
        if not len(lengths):
            return
        chosen = np.zeros(len(lengths), dtype=bool)
        chosen[::every] = True
        self._vertices.append(vertices[repeated(chosen, lengths)].astype(np.int32))
        self._lengths.append(lengths[chosen])
        self._counts.append(np.add.reduceat(counts, np.flatnonzero(chosen), axis=0))
        self._kept += int(chosen.sum())
        self._kept_bytes += len(self._vertices[-1]) * _BYTES_PER_VERTEX + int(chosen.sum()) * _BYTES_PER_ITERATION

    def _thin(self) -> None:
        """Keep every second frontier; sum the counts of each pair, so that totals are preserved."""
        lengths, vertices = np.concatenate(self._lengths), np.concatenate(self._vertices)
        counts = np.concatenate(self._counts)
        self._lengths, self._vertices, self._counts = [], [], []
        self._kept, self._kept_bytes = 0, 0
        self._append(lengths, vertices, counts, every=2)
        self._stride *= 2

    def finish(self, bandwidth: float | None = None) -> ActivityTrace:
        """The trace of the iterations recorded so far.

        Parameters
        ----------
        bandwidth : float, optional
            Of the device, in bytes per second.
        """
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        vertices = np.concatenate([np.empty(0, np.int32), *self._vertices])
        when = repeated(np.arange(len(lengths), dtype=np.int32), lengths)
        first = np.full(self._n, -1, dtype=np.int32)
        last = first.copy()
        first[vertices[::-1]] = when[::-1]
        last[vertices] = when
        columns = np.concatenate([np.empty((0, 8)), *self._counts])
        active, relaxed, improved = (columns[:, i].astype(np.int64) for i in range(3))
        frontiers = (offsets, vertices, first, last)
        launches = None if self.launches is None else self.launches.finish(columns[:, 4:], bandwidth)
        return ActivityTrace(
            *frontiers, active, relaxed, improved, columns[:, 3], self._stride, self._iterations,
            self._kept_distances(), self._finished_phases(), launches,
        )  # fmt: skip

    def _finished_phases(self) -> tuple[TracePhase, ...]:
        """The phases that have iterations."""
        ends = [first for *_, first in self._phases[1:]] + [self._iterations]
        found = (TracePhase(*phase, end) for phase, end in zip(self._phases, ends, strict=False))
        return tuple(phase for phase in found if phase.last > phase.first)

    def _kept_distances(self) -> NDArray[np.float64] | None:
        """Distances after each kept iteration; None unless all iterations reported them."""
        reported = np.concatenate([np.empty((0, self._n)), *self._distances])
        return reported[:: self._stride] if self._iterations and len(reported) == self._iterations else None


@dataclass(frozen=True, eq=False)
class MatrixStep:
    """One phase of an all-pairs run: the tiles written, and a downsampled matrix.

    Attributes
    ----------
    step, phase : int
    tiles : (k, 4) int64
        Cell ranges (row0, row1, column0, column1).
    snapshot : (p, p) float32 or None
        Least distance of each group of cells after the phase, inf if all are unreachable; None if not recorded.
    ms : float
        Duration in ms.
    launches : tuple of KernelLaunches
        Of every kernel since the phase before, most threads first; the first phase has those that prepare the run.
    relaxed : int or None
        Relaxations: detours compared with a cell, or arcs relaxed from all sources of the phase; None if not known.
    requested_bytes : int or None
        Bytes that the threads of its kernels asked of the device's memory, at least; None if not known.
    copied_bytes : int or None
        Bytes copied between host and device, or from one device to others, as part of the phase; None if it makes none.
    """

    step: int
    phase: int
    tiles: NDArray[np.int64]
    snapshot: NDArray[np.float32] | None
    ms: float
    launches: tuple[KernelLaunches, ...] = ()
    relaxed: int | None = None
    requested_bytes: int | None = None
    copied_bytes: int | None = None

    @property
    def cells(self) -> int:
        """Number of cells in the tiles."""
        rows, columns = self.tiles[:, 1] - self.tiles[:, 0], self.tiles[:, 3] - self.tiles[:, 2]
        return int((rows * columns).sum())


@dataclass(frozen=True, eq=False)
class MatrixTrace:
    """The phases of an all-pairs run in order.

    Attributes
    ----------
    n : int
    steps : tuple of MatrixStep
    device_name : str
        Of the devices that kernels were launched on; empty for variants without kernels.
    is_cpu : bool
        Whether that is the processor of this machine, which has no warps.
    bandwidth : float or None
        Bytes per second that the memory of all devices moved when arrays were copied there; None if not measured.
    devices : int
        Number of devices that kernels were launched on.
    """

    n: int
    steps: tuple[MatrixStep, ...]
    device_name: str = ""
    is_cpu: bool = False
    bandwidth: float | None = None
    devices: int = 1

    @property
    def device_words(self) -> str:
        """``"Some GPU"``, ``"2 × Some GPU"``."""
        return self.device_name if self.devices == 1 else f"{self.devices} × {self.device_name}"

    def __len__(self) -> int:
        return len(self.steps)


class MatrixRecorder(Observer):
    """Observer that builds a MatrixTrace; matrices are downsampled to at most ``pixels`` rows and columns.

    ``launches`` counts those of a run on a device.
    """

    watching = True

    def __init__(
        self,
        n: int,
        cancel: CancelToken | None = None,
        on_progress: Callable[[float, float], None] | None = None,
        pixels: int = 256,
        launches: KernelLog | None = None,
    ):
        super().__init__(cancel, on_progress)
        self._n, self._pixels = n, pixels
        self.launches = launches
        self._steps: list[MatrixStep] = []

    def matrix_step(
        self, step: int, phase: int, tiles: NDArray[Any], matrix: NDArray[Any] | None, ms: float,
        relaxed: int | None = None, requested_bytes: int | None = None, copied_bytes: int | None = None,
    ) -> None:  # fmt: skip
        snapshot = None if matrix is None else downsample_least(matrix, self._pixels)
        places = np.array(tiles, dtype=np.int64).reshape(-1, 4)
        launched = () if self.launches is None else self.launches.take()
        self._steps.append(
            MatrixStep(step, phase, places, snapshot, ms, launched, relaxed, requested_bytes, copied_bytes)
        )

    def finish(self, bandwidth: float | None = None, devices: int = 1) -> MatrixTrace:
        """The phases so far; ``bandwidth`` is that of all ``devices`` that kernels were launched on."""
        log, steps = self.launches, tuple(self._steps)
        if log is None or not any(step.launches for step in steps):
            return MatrixTrace(self._n, steps)
        return MatrixTrace(self._n, steps, log.device_name, log.is_cpu, bandwidth, devices)


def downsample_least(matrix: NDArray[Any], pixels: int) -> NDArray[np.float32]:
    """Downsample a distance matrix to at most ``pixels`` x ``pixels`` by the minimum of each group of cells.

    Returns
    -------
    (p, p) float32
        inf if every cell of a group is unreachable; lengths beyond float32 become its largest number.
    """
    from solvers.graphs.weights import weight_type

    n = matrix.shape[0]
    group = max(1, -(-n // pixels))
    starts = np.arange(0, n, group)
    least = np.minimum.reduceat(np.minimum.reduceat(matrix, starts, axis=0), starts, axis=1) if n else matrix
    limit = np.finfo(np.float32).max
    small = np.clip(least, -limit, limit).astype(np.float32)
    small[least >= weight_type(matrix.dtype).infinity] = np.inf
    return small
