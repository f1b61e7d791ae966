"""Traces: the frontier, counts and launches of every iteration of a run, with random access.

The frontier of iteration k is a slice, so stepping in either direction is O(1). Memory
is limited: above the limit only every 2nd, 4th, 8th ... iteration is kept, which
``stride`` records. Launches say how many kernels, blocks and threads each iteration
started, on which device.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np

from solvers.core.labelling import Labelling
from solvers.core.variant import DeviceWork
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Float32s, Float64s, Int32s, Int64s
from solvers.text import format_count

WARP = 32  # threads that an NVIDIA GPU runs in lock step

COLUMNS = 4  # of the counts of an iteration
_LAUNCHES, _BLOCKS, _THREADS, _WARPS = range(COLUMNS)

_PIECE = 1_000_000  # elements, a few milliseconds


@dataclass(frozen=True, eq=False)
class LaunchTrace:
    """What a device launched in the iterations of a run."""

    device_name: str
    is_cpu: bool  # whether the device is the processor of this machine, which has no warps
    # (T, 4): per kept iteration, summed over those that it represents: launches of all
    # kernels of the iteration; blocks, threads and groups of 32 threads of the one that
    # relaxes. Launches that are known for several iterations only together are divided
    # among them
    counts: Float64s
    # threads in a block of the kernel that relaxes; 0 if launches are not divided into
    # iterations
    block: int
    grid: int  # blocks of its largest launch
    # bytes per second that the device's memory moved when an array was copied there;
    # None if not measured
    bandwidth: float | None = None

    @property
    def known(self) -> bool:
        """Whether launches are known for each iteration."""
        return self.block > 0

    @property
    def launches(self) -> Float64s:
        return self.counts[:, _LAUNCHES]

    @property
    def blocks(self) -> Float64s:
        return self.counts[:, _BLOCKS]

    @property
    def threads(self) -> Float64s:
        return self.counts[:, _THREADS]

    @property
    def warps(self) -> Float64s:
        return self.counts[:, _WARPS]


@dataclass(frozen=True)
class KernelLaunches:
    """The launches of one kernel in a phase of an all-pairs run."""

    kernel: str
    launches: int
    # of all these launches together; warps are groups of 32 threads of a block
    blocks: int
    threads: int
    warps: int
    block: int  # threads in a block of the largest launch


class KernelLog:
    """Collects the launches of every kernel until the phase is reported."""

    def __init__(self, device_name: str, is_cpu: bool):
        self.device_name, self.is_cpu = device_name, is_cpu
        self._waiting: dict[str, KernelLaunches] = {}

    def launched(self, kernel: str, blocks: int, block: int) -> None:
        before = self._waiting.get(kernel, KernelLaunches(kernel, 0, 0, 0, 0, 0))
        self._waiting[kernel] = KernelLaunches(
            kernel,
            before.launches + 1,
            before.blocks + blocks,
            before.threads + blocks * block,
            before.warps + blocks * -(-block // WARP),
            max(before.block, block),
        )

    def take(self) -> tuple[KernelLaunches, ...]:
        """The launches since the last call, most threads first."""
        found = sorted(self._waiting.values(), key=lambda launched: -launched.threads)
        self._waiting.clear()
        return tuple(found)


@dataclass
class LaunchLog:
    """Collects the launches of the kernels that belong to iterations, until the
    iteration is reported.
    """

    device_name: str
    is_cpu: bool
    work: DeviceWork  # names the kernels; others are not counted
    _waiting: Float64s = field(default_factory=lambda: np.zeros(COLUMNS))
    _block: int = 0
    _grid: int = 0

    def launched(self, kernel: str, blocks: int, block: int) -> None:
        if kernel in self.work.relaxing:
            self._waiting += (1, blocks, blocks * block, blocks * -(-block // WARP))
            self._block, self._grid = max(self._block, block), max(self._grid, blocks)
        elif kernel in self.work.others:
            self._waiting[_LAUNCHES] += 1

    def take(self, iterations: int) -> Float64s:
        """(iterations, 4) counts since the last call, in equal shares; they then begin
        at zero again.
        """
        shares = np.tile(self._waiting / max(1, iterations), (iterations, 1))
        if iterations:
            self._waiting[:] = 0
        return shares

    def finish(self, counts: Float64s, bandwidth: float | None) -> LaunchTrace:
        """The launches of the whole run."""
        return LaunchTrace(
            self.device_name, self.is_cpu, counts, self._block, self._grid, bandwidth
        )


DEFAULT_CAP_BYTES = 512 * 2**20
# vertices; of smaller graphs, which are drawn with labels, tentative distances are kept
# as well
MOST_DISTANCES = 200
# vertices; of smaller graphs, whose explanation has every cell, the matrix of an all-pairs
# run is kept after every phase
MOST_MATRICES = 100


@dataclass(frozen=True)
class TracePhase:
    """A named part of a run."""

    name: str  # such as "climb"
    unit: str  # what one of its iterations handles, such as "vertex" or "level"
    # numbers of its first iteration, from 0, and of the one after its last, kept or not
    first: int
    last: int

    def place(self, number: int) -> str:
        """Words for iteration ``number`` of the run: "climb, vertex 12 of 269"."""
        done, count = format_count(number - self.first + 1), format_count(self.last - self.first)
        return f"{self.name}, {self.unit} {done} of {count}"


@dataclass(frozen=True, eq=False)
class ActivityTrace:
    """The frontier of every iteration of a single-source run."""

    # (T + 1,): kept iteration ``k``'s vertices are ``vertices[offsets[k]:offsets[k +
    # 1]]``
    offsets: Int64s
    vertices: Int32s  # (sum of frontier sizes,)
    # (n,): index of the first and last kept iteration in which a vertex was active; -1 if never
    first_active: Int32s
    last_active: Int32s
    # (T,): counts per kept iteration, summed over the ``stride`` iterations that it represents
    active: Int64s
    relaxed: Int64s
    improved: Int64s
    ms: Float64s  # (T,): durations in ms, summed likewise
    stride: int  # number of iterations that each kept one represents; 1 if all were kept
    iterations: int  # number of iterations of the run, kept or not
    # (T, n): tentative distances after each kept iteration, inf if there is none yet;
    # only for graphs with at most `MOST_DISTANCES` vertices, and variants that report
    # them
    distances: Float64s | None = None
    # in order; empty for variants whose iterations are all of one kind
    phases: tuple[TracePhase, ...] = ()
    # what was launched on a device; None for variants without kernels
    launches: LaunchTrace | None = None
    labelling: Labelling = Labelling.CORRECTING  # names the states of vertices

    def __len__(self) -> int:
        """Number of kept iterations."""
        return len(self.offsets) - 1

    def frontier(self, k: int) -> Int32s:
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


@dataclass(frozen=True, eq=False)
class MatrixStep:
    """One phase of an all-pairs run: the tiles written, and a downsampled matrix."""

    step: int
    phase: int
    tiles: Int64s  # (k, 4): cell ranges (row0, row1, column0, column1)
    # (p, p): least distance of each group of cells after the phase, inf if all are
    # unreachable; None if not recorded
    snapshot: Float32s | None
    ms: float  # duration in ms
    # of every kernel since the phase before, most threads first; the first phase has
    # those that prepare the run
    launches: tuple[KernelLaunches, ...] = ()
    # relaxations: detours compared with a cell, or arcs relaxed from all sources of the
    # phase; None if not known
    relaxed: int | None = None
    # bytes that the threads of its kernels asked of the device's memory, at least; None
    # if not known
    requested_bytes: int | None = None
    # bytes copied between host and device, or from one device to others, as part of the
    # phase; None if it makes none
    copied_bytes: int | None = None

    @property
    def cells(self) -> int:
        """Number of cells in the tiles."""
        rows, columns = self.tiles[:, 1] - self.tiles[:, 0], self.tiles[:, 3] - self.tiles[:, 2]
        return int((rows * columns).sum())


class Work(Enum):
    """Order in which an all-pairs run writes cells; the value is the displayed name."""

    TILES = "three phases per step"
    PIVOTS = "all cells, one pivot per step"
    ROWS = "row by row"


@dataclass(frozen=True, eq=False)
class MatrixTrace:
    """The phases of an all-pairs run in order."""

    n: int
    steps: tuple[MatrixStep, ...]
    # of the devices that kernels were launched on; empty for variants without kernels
    device_name: str = ""
    is_cpu: bool = False  # whether that is the processor of this machine, which has no warps
    # bytes per second that the memory of all devices moved when arrays were copied
    # there; None if not measured
    bandwidth: float | None = None
    devices: int = 1  # number of devices that kernels were launched on
    # (T, n, n): the matrix after each phase, inf where there is no path yet; only for
    # graphs with at most `MOST_MATRICES` vertices, and variants that report all phases
    distances: Float64s | None = None

    @cached_property
    def work(self) -> Work:
        """The order of work, inferred from the cells that the phases wrote."""
        if any(step.phase > 1 for step in self.steps[:3]):
            return Work.TILES
        cells = self.steps[0].cells if self.steps else 0
        return Work.PIVOTS if cells >= self.n * self.n and len(self) > 1 else Work.ROWS

    @property
    def device_words(self) -> str:
        """``"Some GPU"``, ``"2 × Some GPU"``."""
        return self.device_name if self.devices == 1 else f"{self.devices} × {self.device_name}"

    def __len__(self) -> int:
        return len(self.steps)


def downsample_least(matrix: AnyArray, pixels: int) -> Float32s:
    """Downsample a distance matrix to at most ``pixels`` x ``pixels`` by the minimum of
    each group of cells.

    inf if every cell of a group is unreachable; lengths beyond float32 become its
    largest number.
    """
    from solvers.graphs.weights import weight_type

    n = matrix.shape[0]
    group = max(1, -(-n // pixels))
    starts = np.arange(0, n, group)
    least = (
        np.minimum.reduceat(np.minimum.reduceat(matrix, starts, axis=0), starts, axis=1)
        if n
        else matrix
    )
    limit = np.finfo(np.float32).max
    small = np.clip(least, -limit, limit).astype(np.float32)
    small[least >= weight_type(matrix.dtype).infinity] = np.inf
    return small


def start_snapshot(graph: Graph, pixels: int) -> Float32s:
    """Floyd-Warshall's initial matrix, downsampled: arc weights, 0 on the diagonal, inf
    elsewhere.
    """
    group = max(1, -(-graph.n // pixels))
    side = -(-graph.n // group)
    least = np.full((side, side), np.inf, np.float32)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.minimum.at(least, (tails // group, graph.indices // group), graph.weights.astype(np.float32))
    diagonal = np.arange(side)
    least[diagonal, diagonal] = np.minimum(least[diagonal, diagonal], 0.0)
    return least


def repeated(values: AnyArray, counts: Int64s) -> AnyArray:
    """Each value as often as ``counts`` says: `numpy.repeat` in pieces.

    NumPy holds the interpreter's lock for the whole call, in which the window would
    stop.
    """
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    result = np.empty(total, values.dtype)
    cuts = np.unique([0, *np.searchsorted(ends, np.arange(_PIECE, total, _PIECE)), len(counts)])
    for first, last in pairwise(cuts.tolist()):
        begin = int(ends[first - 1]) if first else 0
        result[begin : int(ends[last - 1])] = np.repeat(values[first:last], counts[first:last])
    return result
