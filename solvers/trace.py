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

from solvers.observer import CancelToken, Observer

DEFAULT_CAP_BYTES = 512 * 2**20


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
        self, n: int, cancel: CancelToken | None = None, on_progress: Callable[[float, float], None] | None = None,
        cap_bytes: int = DEFAULT_CAP_BYTES,
    ):
        super().__init__(cancel, on_progress)
        self._n = n
        self._cap_vertices = max(1, cap_bytes // 4)
        self._frontiers: list[NDArray[np.int32]] = []
        self._counts: list[tuple[int, int, int, float]] = []
        self._kept_vertices = 0
        self._stride = 1
        self._iterations = 0

    def iteration(self, active: NDArray[Any], relaxed: int, improved: int, ms: float) -> None:
        frontier = np.array(active, dtype=np.int32)
        counts = (len(frontier), int(relaxed), int(improved), float(ms))
        if self._iterations % self._stride:
            self._counts[-1] = _added(self._counts[-1], counts)
        else:
            self._frontiers.append(frontier)
            self._counts.append(counts)
            self._kept_vertices += len(frontier)
        self._iterations += 1
        if self._kept_vertices > self._cap_vertices:
            self._thin()

    def _thin(self) -> None:
        """Keep every second frontier; sum the counts of each pair, so that totals stay true."""
        while self._kept_vertices > self._cap_vertices and len(self._frontiers) > 1:
            self._frontiers = self._frontiers[::2]
            pairs = [self._counts[i : i + 2] for i in range(0, len(self._counts), 2)]
            self._counts = [_added(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
            self._kept_vertices = sum(map(len, self._frontiers))
            self._stride *= 2

    def finish(self) -> ActivityTrace:
        """The trace of all that was heard so far."""
        lengths = np.array([len(f) for f in self._frontiers], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        vertices = np.concatenate(self._frontiers) if self._frontiers else np.empty(0, np.int32)
        when = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        first = np.full(self._n, -1, dtype=np.int32)
        last = first.copy()
        first[vertices[::-1]] = when[::-1]
        last[vertices] = when
        columns = np.array(self._counts, dtype=np.float64).reshape(-1, 4)
        active, relaxed, improved = (columns[:, i].astype(np.int64) for i in range(3))
        return ActivityTrace(offsets, vertices, first, last, active, relaxed, improved, columns[:, 3], self._stride, self._iterations)


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
    """Observer that builds a MatrixTrace with at most ``snapshots`` pictures of the matrix, ``pixels`` wide."""

    watching = True

    def __init__(
        self, n: int, cancel: CancelToken | None = None, on_progress: Callable[[float, float], None] | None = None,
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
    from solvers.weights import weight_type

    n = matrix.shape[0]
    group = max(1, -(-n // pixels))
    starts = np.arange(0, n, group)
    least = np.minimum.reduceat(np.minimum.reduceat(matrix, starts, axis=0), starts, axis=1) if n else matrix
    small = least.astype(np.float32)
    if weight_type(matrix.dtype).is_integer:
        small[least >= weight_type(matrix.dtype).infinity] = np.inf
    return small


def _added(a: tuple[int, int, int, float], b: tuple[int, int, int, float]) -> tuple[int, int, int, float]:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
