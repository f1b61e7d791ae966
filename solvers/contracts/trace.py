"""What happened in every iteration of a run, kept so that any of them can be drawn at once.

Stepping back costs what playing costs: the frontier of iteration k is a slice. Memory is capped in the open: past the
cap every 2nd, 4th, 8th ... iteration is kept, and ``stride`` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.weights import to_float
from solvers.host.observer import CancelToken, Observer

DEFAULT_CAP_BYTES = 512 * 2**20
MOST_DISTANCES = 200  # vertices of a graph whose tentative distances are kept too: a figure one can read them in

_BYTES_PER_VERTEX = 4
_BYTES_PER_ITERATION = 40  # its length and four counts


@dataclass(frozen=True, eq=False)
class ActivityTrace:
    """The frontier of every iteration of a single-source run.

    Attributes
    ----------
    offsets : (T + 1,) int64
        Kept iteration ``k``'s vertices are ``vertices[offsets[k]:offsets[k + 1]]``.
    vertices : (sum of frontier sizes,) int32
    first_active, last_active : (n,) int32
        Index of the first and last kept iteration in which a vertex was active; -1 for never.
    active, relaxed, improved : (T,) int64
        Per kept iteration (sums over the iterations it stands for).
    ms : (T,) float64
    stride : int
        1 where every iteration was kept; k where each kept one stands for k.
    iterations : int
        Iterations of the run, kept or not.
    distances : (T, n) float64 or None
        Tentative distances after each kept iteration, inf where there is none yet; only of graphs with at most
        `MOST_DISTANCES` vertices, and of variants that tell.
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

    def __len__(self) -> int:
        """Number of kept iterations."""
        return len(self.offsets) - 1

    def frontier(self, k: int) -> NDArray[np.int32]:
        """Vertices active in kept iteration ``k``: a view, O(1)."""
        return self.vertices[self.offsets[k] : self.offsets[k + 1]]

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
        Past it, every second kept iteration is merged into its neighbour, again and again.
    """

    watching = True

    def __init__(
        self,
        n: int,
        cancel: CancelToken | None = None,
        on_progress: Callable[[float, float], None] | None = None,
        cap_bytes: int = DEFAULT_CAP_BYTES,
    ):
        super().__init__(cancel, on_progress)
        self._n = n
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
        counts = np.column_stack((lengths, relaxed, improved, ms)).astype(np.float64)
        if self.wants_distances and distances is not None:
            self._distances.append(to_float(distances))
        late = -self._iterations % self._stride  # this many still belong to the iteration kept last
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
        """Keep the frontier of every so many iterations, and the sums of what all of them did."""
        if not len(lengths):
            return
        chosen = np.zeros(len(lengths), dtype=bool)
        chosen[::every] = True
        self._vertices.append(vertices[np.repeat(chosen, lengths)].astype(np.int32))
        self._lengths.append(lengths[chosen])
        self._counts.append(np.add.reduceat(counts, np.flatnonzero(chosen), axis=0))
        self._kept += int(chosen.sum())
        self._kept_bytes += len(self._vertices[-1]) * _BYTES_PER_VERTEX + int(chosen.sum()) * _BYTES_PER_ITERATION

    def _thin(self) -> None:
        """Keep every second frontier; sum the counts of each pair, so that totals stay true."""
        lengths, vertices = np.concatenate(self._lengths), np.concatenate(self._vertices)
        counts = np.concatenate(self._counts)
        self._lengths, self._vertices, self._counts = [], [], []
        self._kept, self._kept_bytes = 0, 0
        self._append(lengths, vertices, counts, every=2)
        self._stride *= 2

    def finish(self) -> ActivityTrace:
        """The trace of all that was heard so far."""
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        vertices = np.concatenate([np.empty(0, np.int32), *self._vertices])
        when = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        first = np.full(self._n, -1, dtype=np.int32)
        last = first.copy()
        first[vertices[::-1]] = when[::-1]
        last[vertices] = when
        columns = np.concatenate([np.empty((0, 4)), *self._counts])
        active, relaxed, improved = (columns[:, i].astype(np.int64) for i in range(3))
        frontiers = (offsets, vertices, first, last)
        return ActivityTrace(
            *frontiers, active, relaxed, improved, columns[:, 3], self._stride, self._iterations, self._told_distances()
        )

    def _told_distances(self) -> NDArray[np.float64] | None:
        """After each kept iteration; None where not every one of them told."""
        told = np.concatenate([np.empty((0, self._n)), *self._distances])
        return told[:: self._stride] if self._iterations and len(told) == self._iterations else None


@dataclass(frozen=True, eq=False)
class MatrixStep:
    """One phase of an all-pairs run: where it wrote, and the downsampled matrix after it.

    Attributes
    ----------
    step, phase : int
    tiles : (k, 4) int64
        Cell ranges (row0, row1, column0, column1).
    snapshot : (p, p) float32 or None
        Least finite distance of each group of cells, inf where all are unreachable; None where not taken.
    ms : float
    """

    step: int
    phase: int
    tiles: NDArray[np.int64]
    snapshot: NDArray[np.float32] | None
    ms: float


@dataclass(frozen=True, eq=False)
class MatrixTrace:
    """The phases of an all-pairs run in order."""

    n: int
    steps: tuple[MatrixStep, ...]

    def __len__(self) -> int:
        return len(self.steps)


class MatrixRecorder(Observer):
    """Observer that builds a MatrixTrace; its pictures of the matrix are at most ``pixels`` wide."""

    watching = True

    def __init__(
        self,
        n: int,
        cancel: CancelToken | None = None,
        on_progress: Callable[[float, float], None] | None = None,
        pixels: int = 256,
    ):
        super().__init__(cancel, on_progress)
        self._n, self._pixels = n, pixels
        self._steps: list[MatrixStep] = []

    def matrix_step(self, step: int, phase: int, tiles: NDArray[Any], matrix: NDArray[Any] | None, ms: float) -> None:
        snapshot = None if matrix is None else downsample_least(matrix, self._pixels)
        self._steps.append(MatrixStep(step, phase, np.array(tiles, dtype=np.int64).reshape(-1, 4), snapshot, ms))

    def finish(self) -> MatrixTrace:
        return MatrixTrace(self._n, tuple(self._steps))


def downsample_least(matrix: NDArray[Any], pixels: int) -> NDArray[np.float32]:
    """Shrink a distance matrix to at most ``pixels`` x ``pixels``, each the least of the cells it covers.

    Returns
    -------
    (p, p) float32, inf where every cell is unreachable
    """
    from solvers.graphs.weights import weight_type

    n = matrix.shape[0]
    group = max(1, -(-n // pixels))
    starts = np.arange(0, n, group)
    least = np.minimum.reduceat(np.minimum.reduceat(matrix, starts, axis=0), starts, axis=1) if n else matrix
    small = least.astype(np.float32)
    if weight_type(matrix.dtype).is_integer:
        small[least >= weight_type(matrix.dtype).infinity] = np.inf
    return small
