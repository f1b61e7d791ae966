"""Layouts of the arcs in memory: compressed rows or an adjacency matrix, on the host or
on a device.

The matrix holds the least of parallel arcs, the diagonal is 0, and cells without an arc
hold infinity. It is not allocated before it is known to fit; sizes and cell numbers are
64-bit (46,341 vertices have more cells than 32 bits can count).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.algorithms.arcs import upload_arrays
from solvers.core.problem import Phases, Problem
from solvers.devices.device import DeviceSession, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.errors import OutOfMemory
from solvers.graphs.csr import cell_slices
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit

CSR, MATRIX = "csr", "matrix"
LAYOUT = Parameter(
    "layout",
    CSR,
    "arcs in compressed rows (csr) or in an n x n adjacency matrix (matrix)",
    choices=(CSR, MATRIX),
)

_BLOCK = 128
_MOST_BLOCKS = 2**16


def matrix_bytes(graph: Graph, parameters: Mapping[str, Any]) -> int:
    """Bytes that the parameter ``layout`` adds to a variant's memory: the matrix, or 0."""
    return (
        graph.n**2 * graph.distance_type.dtype.itemsize if parameters[LAYOUT.name] == MATRIX else 0
    )


def host_matrix(graph: Graph, kind: WeightType, variant_id: str, progress: Progress) -> AnyArray:
    """The (n, n) adjacency matrix in host memory; row u holds the arcs that leave u.

    Raises Cancelled, and OutOfMemory before anything is allocated.
    """
    needed = graph.n * graph.n * kind.dtype.itemsize
    machine.require_memory(f"{variant_id}: the adjacency matrix of {graph.name}", needed)
    matrix = np.empty((graph.n, graph.n), dtype=kind.dtype)
    for first, last in cell_slices(graph.n, graph.n):
        progress.checkpoint()
        _fill_rows(
            graph.indptr,
            graph.indices,
            graph.weights,
            kind.dtype.type(kind.infinity),
            matrix,
            first,
            last,
        )
    return matrix


def rows_on_device(
    problem: Problem, session: DeviceSession, graph: Graph, phases: Phases
) -> tuple[Any, ...]:
    """The compressed rows of the problem's graph, or of its reverse, on the device;
    kept there if the graph stays.

    ``indptr`` int64, ``indices`` int32, weights of the distance type.
    """
    kind = problem.distance_type
    return problem.graph_on(
        session, "rows", lambda keeper: _upload_rows(keeper, graph, kind, phases)
    )


def _upload_rows(
    session: DeviceSession, graph: Graph, kind: WeightType, phases: Phases
) -> tuple[Any, ...]:
    weights = graph.weights_in(kind.dtype)
    return upload_arrays(session, phases, graph.indptr, graph.indices, weights)


def device_matrix(session: DeviceSession, problem: Problem, phases: Phases, variant_id: str) -> Any:
    """The adjacency matrix on the device, n * n cells in row order, filled there from
    the compressed rows.

    Raises Cancelled, and OutOfMemory before anything is allocated.
    """
    return problem.graph_on(
        session, "matrix", lambda keeper: _matrix(keeper, session, problem, phases, variant_id)
    )


def _matrix(
    keeper: DeviceSession, session: DeviceSession, problem: Problem, phases: Phases, variant_id: str
) -> Any:
    """The matrix in the memory of ``keeper``; the rows that it is filled from are
    dropped with ``session``.
    """
    graph, kind, device = problem.graph, problem.distance_type, session.device
    needed, free = graph.n * graph.n * kind.dtype.itemsize, device.free_bytes()
    if needed > free:
        raise OutOfMemory(
            f"{variant_id}: the adjacency matrix of {graph.name}", needed, free, device.name
        )
    program = device.compile(KernelSource.beside(__file__, "matrix.cu", **distance_defines(kind)))
    rows = _upload_rows(session, graph, kind, phases)
    with phases.measure("prepare"):
        matrix = keeper.empty(graph.n * graph.n, kind.dtype)
        for first, last in cell_slices(graph.n, graph.n) if device.is_cpu else [(0, graph.n)]:
            grid = (min(_MOST_BLOCKS, -(-(last - first) * graph.n // _BLOCK)),)
            cells = (first * graph.n, last * graph.n)
            program.launch("clear", grid, (_BLOCK,), *cells, matrix)
            session.synchronize()
            problem.progress.checkpoint()
        program.launch("fill_rows", (-(-graph.n // _BLOCK),), (_BLOCK,), graph.n, *rows, matrix)
        session.synchronize()
    return matrix


@njit
def _fill_rows(
    indptr: Int64s,
    heads: Int32s,
    weights: AnyArray,
    infinity: Any,
    matrix: AnyArray,
    first: int,
    last: int,
) -> None:
    for u in range(first, last):
        row = matrix[u]
        row[:] = infinity
        for arc in range(indptr[u], indptr[u + 1]):
            row[heads[arc]] = min(row[heads[arc]], weights[arc])
        row[u] = 0
