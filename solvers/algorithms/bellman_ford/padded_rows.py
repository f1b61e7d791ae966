"""Layouts of the arcs for one thread per row: compressed rows, ELL and sliced ELL; explained in ``padded_rows.h``.

ELL pads every row to the greatest degree; sliced ELL pads the rows of a slice of 32, a warp's, to the greatest degree
among them. A hub makes ELL as large as n rows of its degree, so it is not allocated before it is known to fit. The
padded rows are filled on the device: only the compressed rows cross to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.arc_chunks import ARCS_PER_CHUNK, vertex_ranges
from solvers.contracts.problem import Problem
from solvers.devices.base import Buffer, DeviceSession, KernelSource
from solvers.devices.dialect import distance_defines
from solvers.errors import OutOfMemory
from solvers.graphs.graph import Graph
from solvers.host.timing import Phases
from solvers.parameters import Parameter

CSR, ELL, SLICED = "csr", "ell", "sliced"
LAYOUT = Parameter(
    "layout",
    CSR,
    "arcs in compressed rows (csr), in rows padded to the greatest degree (ell), or to that of each 32 rows (sliced)",
    choices=(CSR, ELL, SLICED),
)
SLICE_BITS = 5
ONE_SLICE = 31

_SLICE = 2**SLICE_BITS
_BLOCK = 128
_SLOTS_PER_PIECE = ARCS_PER_CHUNK
_REMEDIES = {ELL: "Choose layout=sliced or layout=csr.", SLICED: "Choose layout=csr."}


def padding_bytes(graph: Graph, parameters: Mapping[str, Any]) -> int:
    """Bytes that the parameter ``layout`` adds to the compressed rows: padded heads and weights, or 0."""
    layout = parameters[LAYOUT.name]
    if layout == CSR:
        return 0
    slots = max(_slices(graph, layout)[-1], graph.m)  # a graph known by its size has no degrees to tell the slots from
    return int(slots) * (4 + graph.distance_type.dtype.itemsize) + 8 * (_count_of_slices(graph.n, layout) + 1)


def padded_rows_on_device(
    problem: Problem, session: DeviceSession, phases: Phases, rows: tuple[Buffer, Buffer, Buffer], layout: str
) -> tuple[Any, ...]:
    """The padded rows as the kernels take them: slice_bits, stride, first slots, heads, weights.

    Parameters
    ----------
    problem : Problem
    session : DeviceSession
        The padded rows are allocated in it.
    phases : Phases
        Allocation and filling count as "prepare".
    rows : tuple of Buffer
        ``indptr``, ``indices`` and ``weights``.
    layout : str
        `ELL` or `SLICED`.

    Raises
    ------
    OutOfMemory
        Before anything is allocated.
    Cancelled
    """
    graph, kind, device = problem.graph, problem.distance_type, session.device
    program = device.compile(KernelSource.beside(__file__, "padded_rows.cu", **distance_defines(kind)))
    with phases.measure("prepare"):
        first = _slices(graph, layout)
        needed, free = int(first[-1]) * (4 + kind.dtype.itemsize) + first.nbytes, device.free_bytes()
        if needed > free:
            what = f"{graph.name} in rows padded for layout={layout}"
            raise OutOfMemory(what, needed, free, device.name, remedy=_REMEDIES[layout])
        bits, stride = (ONE_SLICE, _rounded(graph.n)) if layout == ELL else (SLICE_BITS, _SLICE)
        shape = (np.int32(bits), np.int64(stride))
        held = session.upload(first)
        heads, weights = session.empty(int(first[-1]), np.int32), session.empty(int(first[-1]), kind.dtype)
        for begin, end in _pieces(graph, first, bits) if device.is_cpu else [(0, graph.n)]:
            blocks = (-(-(end - begin) // _BLOCK),)
            place = (np.int64(begin), np.int64(end), *shape)
            program.launch("fill_padded", blocks, (_BLOCK,), *place, *rows, held, heads, weights)
            session.synchronize()
            problem.observer.checkpoint()
    return (*shape, held, heads, weights)


def _slices(graph: Graph, layout: str) -> NDArray[np.int64]:
    """Number of the first slot of every slice, and of the slot after the last: (slices + 1,) int64."""
    degrees = graph.out_degrees
    if layout == ELL:
        widths = np.array([degrees.max(initial=0) * _rounded(graph.n)])
    else:
        padded = np.zeros(_rounded(len(degrees)), dtype=np.int64)
        padded[: len(degrees)] = degrees
        widths = padded.reshape(-1, _SLICE).max(axis=1) * _SLICE
    return np.concatenate(([0], np.cumsum(widths))).astype(np.int64)


def _count_of_slices(n: int, layout: str) -> int:
    return 1 if layout == ELL else _rounded(n) // _SLICE


def _rounded(rows: int) -> int:
    """Rows, rounded up to whole slices: columns then begin where a warp reads in one go."""
    return -(-rows // _SLICE) * _SLICE


def _pieces(graph: Graph, first: NDArray[np.int64], bits: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, each filled between two checks for cancellation."""
    widths = np.diff(first) // (_rounded(graph.n) if bits == ONE_SLICE else _SLICE)
    slots = np.repeat(widths, graph.n if bits == ONE_SLICE else _SLICE)[: graph.n]
    yield from vertex_ranges(np.concatenate(([0], np.cumsum(slots))), _SLOTS_PER_PIECE)
