"""The matrix of the Floyd-Warshall variants: size, initial values, cells of kernels,
memory limit, negative cycles.

Also the choice of the phases after which a watched run copies its matrix, so that copies
do not dominate the run (the explanation of a small graph needs all), and the limit of device
memory that a run may use, for GPUs that others use too, and for trying what does not fit.

Floyd-Warshall detects that there is a negative cycle: some vertex has a negative
distance to itself. The matrix does not show which cycle it is; relaxing from all
vertices at the same time does.

Why the matrix cannot overflow meanwhile: until a cell of the diagonal is negative,
every cell is the length of a simple path (or infinity), so no sum of two passes twice
the path bound. The variants check the diagonal after every step and stop there, because
each further step could double the negative lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.algorithms.negative_cycle import find_negative_cycle, negative_cycle_error
from solvers.core.problem import Problem, Recorder
from solvers.devices.device import Device
from solvers.errors import NegativeCycle, UnsuitableGraph
from solvers.graphs.csr import cell_slices
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, INT64, WeightType
from solvers.parameters import Parameter
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import thread_team
from solvers.text import format_count, grouped

TILE = 128
THREADS = (256, 1)

# Two cells to a word: infinity twice is 32,766, which a signed 16-bit number holds.
INT16 = WeightType("int16", "DIST_INT32", 2**14 - 1)

BITS = Parameter(
    "bits",
    "auto",
    "cells of 16 bits where that is exact (auto), always (16), or never (full)",
    choices=("auto", "16", "full"),
)

_MOST = 64
_LEAST = 8
_BYTES = 8 * 10**9  # copied or looked through in one run, a few seconds' work

DEVICE_GB = Parameter(
    "device_gb",
    0.0,
    "memory that it may use on a GPU, in GB; 0: all that is free",
    low=0.0,
    title="Memory, GB",
)


def padded(n: int, multiple: int) -> int:
    """``n`` rounded up to a multiple of the tile."""
    return -(-n // multiple) * multiple


def matrix_bytes(graph: Graph, multiple: int = 1) -> int:
    """Bytes of the padded matrix in the type that it will be solved in (see
    `weights.distance_type`).
    """
    own = graph.weight_type
    widened = own is INT32 and graph.path_bound >= INT32.infinity
    return padded(graph.n, multiple) ** 2 * (8 if widened else own.dtype.itemsize)


def start_matrix(
    graph: Graph, kind: WeightType, multiple: int = 1, progress: Progress = SILENT
) -> AnyArray:
    """The matrix before the first step, padded with isolated vertices. Raises
    OutOfMemory, Cancelled.

    Returns
    -------
    (p, p) array of ``kind``, p the next multiple of ``multiple``
        Least parallel arc; 0 on the diagonal unless a self-loop is negative; infinity
        elsewhere.
    """
    size = padded(graph.n, multiple)
    machine.require_memory(
        f"The {format_count(graph.n)} x {format_count(graph.n)} distance matrix",
        size**2 * kind.dtype.itemsize,
    )
    matrix = np.empty((size, size), dtype=kind.dtype)

    def begin(first: int, last: int) -> None:
        matrix[first:last] = kind.infinity
        _scatter(graph.indptr, graph.indices, graph.weights, first, min(last, graph.n), matrix)

    with thread_team() as team:
        team.run_over(cell_slices(size, size), begin, progress=progress)
    return matrix


def without_padding(matrix: AnyArray, n: int, progress: Progress = SILENT) -> AnyArray:
    """The (n, n) matrix inside a padded one, made contiguous in the same memory by
    moving the rows up.
    """
    size = matrix.shape[0]
    if size == n:
        return matrix
    cells = matrix.reshape(-1)
    for first, last in cell_slices(n, n):
        for row in range(max(1, first), last):
            cells[row * n : (row + 1) * n] = cells[row * size : row * size + n]
        progress.checkpoint()
    return cells[: n * n].reshape(n, n)


def cycle_tolerance(graph: Graph, kind: WeightType) -> float:
    """Largest rounding error of the weight of a zero-weight cycle; 0 for integers.

    A cell on the diagonal is left at 0 unless it would fall lower than this. Without
    it, a cycle like 0.1 + 0.2 - 0.3 reads as negative in binary, and every later step
    doubles the fault.
    """
    if kind.is_integer:
        return 0.0
    return 4 * float(np.finfo(kind.dtype).eps) * (graph.n**0.5 + 1) * graph.path_bound


@njit
def _scatter(
    indptr: Int64s, indices: Int32s, weights: AnyArray, first: int, last: int, matrix: AnyArray
) -> None:
    for u in range(first, last):
        matrix[u, u] = 0
        for arc in range(indptr[u], indptr[u + 1]):
            matrix[u, indices[arc]] = min(matrix[u, indices[arc]], weights[arc])


def kernel_defines(kind: WeightType) -> tuple[tuple[str, int], ...]:
    """Macros of ``blocked.cu`` for cells of that type, beside those of its distances."""
    return (("PACKED", 1),) if kind is INT16 else ()


def refuse_negative_cycle(problem: Problem) -> None:
    """Search for a negative cycle on the host, if there can be one: the kernels do not
    watch the diagonal.

    Raises NegativeCycle, Cancelled.
    """
    graph = problem.graph
    if not graph.has_negative_weights:
        return
    cycle = find_negative_cycle(graph, np.ones(graph.n, dtype=np.bool_), problem.progress)
    if cycle:
        raise negative_cycle_error(graph, cycle)


def cell_type(graph: Graph, kind: WeightType, bits: str) -> WeightType:
    """The narrowest cell type in which no sum of two cells overflows and no length equals infinity.

    Raises UnsuitableGraph if 16 bits are demanded and do not suffice.

    ``kind``: of the distances. ``bits``: value of the parameter `BITS`.
    """
    fits = kind.is_integer and not graph.has_negative_weights and graph.path_bound < INT16.infinity
    if bits == "16" and not fits:
        raise UnsuitableGraph(
            f"{graph.name}: path lengths could reach {grouped(graph.path_bound, '.0f')}, "
            "or are not non-negative integers; 16-bit cells hold "
            f"{format_count(int(INT16.infinity) - 1)}. Choose bits = auto."
        )
    if fits and bits != "full":
        return INT16
    if kind is INT32 and graph.has_negative_weights and 2 * graph.path_bound >= INT32.infinity:
        return INT64
    return kind


def distances_of(host: AnyArray, problem: Problem, kind: WeightType) -> AnyArray:
    """The (n, n) distances in a padded matrix; in its memory where they have its type."""
    n = problem.graph.n
    distances = as_distances(host[:n, :n], kind, problem.distance_type, problem.graph)
    return (
        without_padding(host, n, problem.progress)
        if np.may_share_memory(distances, host)
        else distances
    )


def as_distances(cells: AnyArray, kind: WeightType, wanted: WeightType, graph: Graph) -> AnyArray:
    """Cells converted to distances of the problem's type; lengths beyond any simple
    path become infinity.
    """
    if kind is wanted and not (kind.is_integer and graph.has_negative_weights):
        return cells
    farthest = kind.infinity - (graph.path_bound if graph.has_negative_weights else 0)
    distances = cells if kind is wanted else np.empty(cells.shape, wanted.dtype)

    # so few rows that they stay in the cache from one line to the next
    def convert(first: int, last: int) -> None:
        piece = slice(first, last)
        unreachable = cells[piece] >= farthest
        if distances is not cells:
            distances[piece] = cells[piece]
        np.copyto(distances[piece], wanted.infinity, where=unreachable)

    with thread_team() as team:
        team.run_over(cell_slices(*cells.shape), convert)
    return distances


def negative_cycle(graph: Graph, iterations: int, progress: Progress) -> NegativeCycle:
    """The error to raise once the diagonal has turned negative.

    Raises UnsuitableGraph where the cycle is negative only by the rounding of its type;
    Cancelled.

    ``iterations``: steps made until then. ``progress``: asked whether to stop.
    """
    vertices = find_negative_cycle(graph, np.ones(graph.n, dtype=np.bool_), progress)
    if not vertices:
        raise UnsuitableGraph(
            f"{graph.name} has a cycle that adds up to less than 0 in {graph.weights.dtype.name}, "
            "but not exactly; load its weights as float64, or as integers."
        )
    return negative_cycle_error(graph, vertices, iterations)


def due_steps(steps: int, matrix_bytes: int) -> frozenset[int]:
    """The steps, from 0, after which a watched run copies the matrix: evenly spaced,
    including the last.

    At most 64, and fewer where the matrix is large: 8 GB altogether, but never fewer
    than 8.
    """
    wanted = max(_LEAST, min(_MOST, _BYTES // max(1, matrix_bytes)))
    return frozenset(
        (steps * (i + 1)) // wanted - 1 for i in range(wanted) if steps * (i + 1) >= wanted
    )


@dataclass(frozen=True)
class DueCopies:
    """The phases after which a run copies its matrix; none where it is not watched."""

    steps: frozenset[int]
    every_phase: bool  # also of those before the last of a step

    @classmethod
    def of(cls, recorder: Recorder | None, steps: int, matrix_bytes: int) -> DueCopies:
        if recorder is None:
            return cls(frozenset(), False)
        if recorder.wants_distances:
            return cls(frozenset(range(steps)), True)
        return cls(due_steps(steps, matrix_bytes), False)

    def after(self, step: int, *, ends_step: bool = True) -> bool:
        return step in self.steps and (ends_step or self.every_phase)


def allowed_bytes(problem: Problem, device: Device) -> int:
    """Device memory that the run may use: what is free, or less where `DEVICE_GB` says so."""
    limit = float(problem.parameters[DEVICE_GB.name])
    free = device.free_bytes()
    return min(free, int(limit * 1e9)) if limit else free
