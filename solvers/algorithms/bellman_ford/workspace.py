"""Device memory of a kernel variant's passes: graph, distances, two state values, row
layouts; and shared parameters.

Layouts of the arcs for one thread per row are compressed rows, ELL and sliced ELL,
explained in ``padded_rows.h``. A hub makes ELL as large as n rows of its degree, so its
size is checked before it is allocated. The padded rows are filled on the device: only
the compressed rows are copied to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from solvers.algorithms.arcs import ARCS_PER_CHUNK, upload_arrays, vertex_ranges
from solvers.core.problem import Phases, Problem
from solvers.devices.device import Buffer, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.errors import OutOfMemory
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.ranges import offsets_of

CSR, ELL, SLICED = "csr", "ell", "sliced"
LAYOUT = Parameter(
    "layout",
    CSR,
    "arcs in compressed rows (csr), in rows padded to the greatest degree (ell), "
    "or to that of each 32 rows (sliced)",
    choices=(CSR, ELL, SLICED),
)
SLICE_BITS = 5
ONE_SLICE = 31

_SLICE = 2**SLICE_BITS
_BLOCK = 128
_SLOTS_PER_PIECE = ARCS_PER_CHUNK
_REMEDIES = {ELL: "Choose layout=sliced or layout=csr.", SLICED: "Choose layout=csr."}

EARLY_EXIT = Parameter(
    "early_exit",
    True,
    "stop once a pass changes nothing; off makes every pass, as the papers time it",
)
BLOCK = Parameter("block", 256, "threads in a block", low=32, high=1024)
GRID = Parameter(
    "grid",
    1024,
    "blocks at most; together with block, the threads that share the vertices",
    low=1,
    high=65535,
)

_STATE_BYTES = 12


@dataclass(frozen=True)
class Plan:
    """A variant's initialisation of its arrays, and the launches of one pass."""

    start: Callable[[], None]  # queues the initial values of the arrays that are the variant's own
    # queues the pass of the given number, counted from 1 since the last `end_batch`
    queue: Callable[[int], None]


class Workspace:
    """Buffers and launches of one run, each timed in its phase.

    ``distance`` is (n,) of the distance type; ``state`` (3,) int32, laid out as in
    ``relax.h``.
    """

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        program: Program,
        source: int,
        phases: Phases,
    ):
        self._problem = problem
        self._session = session
        self._program = program
        self._phases = phases
        self._block = int(problem.parameters["block"])
        self.source = source
        self._kind = problem.distance_type
        self._floor = distance_floor(problem)
        self.n, self.m = problem.graph.n, problem.graph.m
        self.distance = self.distances()
        (self.state,) = upload_arrays(session, phases, np.zeros(3, dtype=np.int32))

    def rows(self) -> tuple[Any, ...]:
        """The graph as rows: ``indptr`` (n + 1,) int64, ``indices`` (m,) int32,
        ``weights`` (m,).
        """
        graph = self._problem.graph
        return self._graph_arrays(
            "rows", lambda: (graph.indptr, graph.indices, self._problem.weights())
        )

    def rows_in_layout(self) -> tuple[str, tuple[Any, ...]]:
        """The kernel that relaxes rows of the chosen layout, and its graph; raises as
        `padded_rows_on_device`.
        """
        layout = self._problem.parameters["layout"]
        return (
            ("relax", self.rows()) if layout == CSR else ("relax_padded", self._padded_rows(layout))
        )

    def _padded_rows(self, layout: str) -> tuple[Any, ...]:
        problem, phases = self._problem, self._phases

        def build(session: DeviceSession) -> tuple[Any, ...]:
            graph = problem.graph
            arrays = graph.indptr, graph.indices, problem.weights()
            # in the trial's session: they are freed when it ends
            rows = upload_arrays(self._session, phases, *arrays)
            return padded_rows_on_device(problem, session, phases, rows, layout)

        return problem.graph_on(self._session, layout, build)

    def arcs(self) -> tuple[Any, ...]:
        """The graph as a list of arcs: ``tails``, ``heads`` (m,) int32, ``weights`` (m,)."""
        graph = self._problem.graph
        with self._phases.measure("prepare"):
            tails = graph.tails
        return self._graph_arrays("arcs", lambda: (tails, graph.indices, self._problem.weights()))

    def distances(self) -> Any:
        """Allocate another array of distances, uninitialised."""
        return self._empty(self._problem.graph.n, self._kind.dtype)

    def flags(self) -> Any:
        """Allocate a flag per vertex, (n,) uint8, uninitialised."""
        return self._empty(self._problem.graph.n, np.uint8)

    def start_distances(self, distances: Any) -> None:
        """Queue the initial distances: 0 at the source, infinity elsewhere."""
        self.launch("start_distances", self.n, self.source, distances)

    def start_flags(self, flags: Any, *, source: bool) -> None:
        """Queue the initial flags: all cleared, the source's set if ``source``."""
        self.launch("start_flags", self.n, self.source if source else -1, flags)

    def launch(self, kernel: str, items: int, *arguments: Any, grid: int | None = None) -> None:
        """Queue ``kernel`` with a thread for each item, or with ``grid`` blocks where
        that is fewer.

        ``items`` is also the kernel's first argument.
        """
        blocks = -(-items // self._block)
        self._program.launch(
            kernel, (min(blocks, grid or blocks),), (self._block,), items, *arguments
        )

    def end_batch(self, passes: int) -> None:
        """Count the passes of a batch; those queued from now on are counted from 1 again."""
        self.launch("end_batch", passes, self.state)

    def limits(self, number: int) -> tuple[Any, ...]:
        """The last three arguments of every relax kernel in pass ``number``: floor, state, pass."""
        return self._floor, self.state, number

    def progress(self, number: int) -> tuple[Any, ...]:
        """The last two arguments of the kernels that follow it in pass ``number``: state, pass."""
        return self.state, number

    def _empty(self, shape: int, dtype: DTypeLike) -> Any:
        with self._phases.measure("prepare"):
            return self._session.empty(shape, dtype)

    def _graph_arrays(
        self, key: str, arrays: Callable[[], tuple[AnyArray, ...]]
    ) -> tuple[Any, ...]:
        def build(session: DeviceSession) -> tuple[Any, ...]:
            return upload_arrays(session, self._phases, *arrays())

        return self._problem.graph_on(self._session, key, build)


def distance_floor(problem: Problem) -> np.generic:
    """A lower bound on the length of any simple path, as a scalar of the distance type.

    A walk below it has gone round a negative cycle. Integers: minus the bound on path
    lengths, widened by what float64 may have rounded off it. Floating point: twice as
    low, beyond all that rounding adds up to on a path.
    """
    kind, bound = problem.distance_type, problem.graph.path_bound
    if kind.is_integer:
        return kind.dtype.type(-min(int(bound * (1 + 1e-9)) + 1, int(kind.infinity)))
    return kind.dtype.type(-2 * bound)


def padding_bytes(graph: Graph, parameters: Mapping[str, Any]) -> int:
    """Bytes that the parameter ``layout`` adds to the compressed rows: padded heads and
    weights, or 0.
    """
    layout = parameters[LAYOUT.name]
    if layout == CSR:
        return 0
    # a graph known by its size has no degrees to tell the slots from
    slots = max(_slices(graph, layout)[-1], graph.m)
    return int(slots) * (4 + graph.distance_type.dtype.itemsize) + 8 * (
        _count_of_slices(graph.n, layout) + 1
    )


def padded_rows_on_device(
    problem: Problem, session: DeviceSession, phases: Phases, rows: tuple[Buffer, ...], layout: str
) -> tuple[Any, ...]:
    """The padded rows as the kernels take them: slice_bits, stride, first slots, heads, weights.

    They are filled in ``session`` from ``rows``: ``indptr``, ``indices`` and
    ``weights``. Raises Cancelled, and OutOfMemory before anything is allocated.
    """
    graph, kind, device = problem.graph, problem.distance_type, session.device
    program = device.compile(
        KernelSource.beside(__file__, "padded_rows.cu", **distance_defines(kind))
    )
    with phases.measure("prepare"):
        first = _slices(graph, layout)
        needed = int(first[-1]) * (4 + kind.dtype.itemsize) + first.nbytes
        free = device.free_bytes()
        if needed > free:
            what = f"{graph.name} in rows padded for layout={layout}"
            raise OutOfMemory(what, needed, free, device.name, remedy=_REMEDIES[layout])
        shape = (ONE_SLICE, _rounded(graph.n)) if layout == ELL else (SLICE_BITS, _SLICE)
        held = session.upload(first)
        heads = session.empty(int(first[-1]), np.int32)
        weights = session.empty(int(first[-1]), kind.dtype)
        for begin, end in _pieces(graph, first, shape[0]) if device.is_cpu else [(0, graph.n)]:
            blocks = (-(-(end - begin) // _BLOCK),)
            program.launch(
                "fill_padded", blocks, (_BLOCK,), begin, end, *shape, *rows, held, heads, weights
            )
            session.synchronize()
            problem.progress.checkpoint()
    return (*shape, held, heads, weights)


def _slices(graph: Graph, layout: str) -> Int64s:
    """Number of the first slot of every slice, and of the slot after the last: (slices
    + 1,) int64.
    """
    degrees = graph.out_degrees
    if layout == ELL:
        widths = np.array([degrees.max(initial=0) * _rounded(graph.n)])
    else:
        padded = np.zeros(_rounded(len(degrees)), dtype=np.int64)
        padded[: len(degrees)] = degrees
        widths = padded.reshape(-1, _SLICE).max(axis=1) * _SLICE
    return offsets_of(widths)


def _count_of_slices(n: int, layout: str) -> int:
    return 1 if layout == ELL else _rounded(n) // _SLICE


def _rounded(rows: int) -> int:
    """Rows, rounded up to whole slices: columns then begin where a warp reads in one go."""
    return -(-rows // _SLICE) * _SLICE


def _pieces(graph: Graph, first: Int64s, bits: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, each filled between two checks for cancellation."""
    widths = np.diff(first) // (_rounded(graph.n) if bits == ONE_SLICE else _SLICE)
    slots = np.repeat(widths, graph.n if bits == ONE_SLICE else _SLICE)[: graph.n]
    yield from vertex_ranges(offsets_of(slots), _SLOTS_PER_PIECE)


def row_bytes(graph: Graph, flags: int = 0) -> int:
    """Device bytes of a CSR variant: the graph, two distance arrays and ``flags`` byte
    arrays over the vertices.
    """
    size = graph.distance_type.dtype.itemsize
    return 8 * (graph.n + 1) + (4 + size) * graph.m + (2 * size + flags) * graph.n + _STATE_BYTES


def arc_bytes(graph: Graph, flags: int = 0) -> int:
    """Device bytes of an arc-list variant: the graph, one distance array, ``flags``
    byte arrays over the vertices.
    """
    size = graph.distance_type.dtype.itemsize
    return (8 + size) * graph.m + (size + flags) * graph.n + _STATE_BYTES
