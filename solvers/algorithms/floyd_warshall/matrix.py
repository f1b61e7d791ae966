"""The matrix of the Floyd-Warshall variants: size, initial values, and removal of the padding."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import OutOfMemory
from solvers.graphs.graph import Graph
from solvers.graphs.rows import cell_slices
from solvers.graphs.weights import INT32, WeightType
from solvers.host import machine
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import thread_team
from solvers.text import format_count


def padded(n: int, multiple: int) -> int:
    """``n`` rounded up to a multiple of the tile."""
    return -(-n // multiple) * multiple


def matrix_bytes(graph: Graph, multiple: int = 1) -> int:
    """Bytes of the padded matrix in the type that it will be solved in (see `weights.distance_type`)."""
    own = graph.weight_type
    widened = own is INT32 and graph.path_bound >= INT32.infinity
    return padded(graph.n, multiple) ** 2 * (8 if widened else own.dtype.itemsize)


def require_host_memory(what: str, needed: int) -> None:
    """Raise `OutOfMemory`, before allocating, if the matrix does not fit.

    Raises
    ------
    OutOfMemory
    """
    free = machine.memory().free_bytes
    if needed > free > 0:  # 0: unknown on this system
        raise OutOfMemory(what, needed, free)


def start_matrix(graph: Graph, kind: WeightType, multiple: int = 1, observer: Observer = SILENT) -> NDArray[Any]:
    """The matrix before the first step, padded with isolated vertices.

    Returns
    -------
    (p, p) array of ``kind``, p the next multiple of ``multiple``
        Least parallel arc; 0 on the diagonal unless a self-loop is negative; infinity elsewhere.

    Raises
    ------
    OutOfMemory, Cancelled
    """
    size = padded(graph.n, multiple)
    require_host_memory(
        f"The {format_count(graph.n)} x {format_count(graph.n)} distance matrix", size**2 * kind.dtype.itemsize
    )
    matrix = np.empty((size, size), dtype=kind.dtype)

    def begin(first: int, last: int) -> None:
        matrix[first:last] = kind.infinity
        _scatter(graph.indptr, graph.indices, graph.weights, first, min(last, graph.n), matrix)

    with thread_team() as team:
        team.run((partial(begin, *rows) for rows in cell_slices(size, size)), observer)
    return matrix


def without_padding(matrix: NDArray[Any], n: int, observer: Observer = SILENT) -> NDArray[Any]:
    """The (n, n) matrix inside a padded one, made contiguous in the same memory by moving the rows up."""
    size = matrix.shape[0]
    if size == n:
        return matrix
    cells = matrix.reshape(-1)
    for first, last in cell_slices(n, n):
        for row in range(max(1, first), last):
            cells[row * n : (row + 1) * n] = cells[row * size : row * size + n]
        observer.checkpoint()
    return cells[: n * n].reshape(n, n)


def cycle_tolerance(graph: Graph, kind: WeightType) -> float:
    """Largest rounding error of the weight of a zero-weight cycle; 0 for integers.

    A cell on the diagonal is left at 0 unless it would fall lower than this. Without it, a cycle like
    0.1 + 0.2 - 0.3 reads as negative in binary, and every later step doubles the fault.
    """
    if kind.is_integer:
        return 0.0
    return 4 * float(np.finfo(kind.dtype).eps) * (graph.n**0.5 + 1) * graph.path_bound


@njit(cache=True, nogil=True)
def _scatter(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    first: int,
    last: int,
    matrix: NDArray[Any],
) -> None:
    for u in range(first, last):
        matrix[u, u] = 0
        for arc in range(indptr[u], indptr[u + 1]):
            matrix[u, indices[arc]] = min(matrix[u, indices[arc]], weights[arc])
