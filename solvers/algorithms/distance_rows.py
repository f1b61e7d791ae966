"""The (n, n) matrix of distances that all-pairs programs fill row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.problem import Problem
from solvers.errors import OutOfMemory
from solvers.graphs.rows import cell_slices
from solvers.host import machine


def empty_matrix(problem: Problem, variant_id: str) -> NDArray[Any]:
    """An (n, n) matrix for distances in host memory, uninitialised.

    Raises
    ------
    OutOfMemory
        Before anything is allocated.
    """
    graph, kind = problem.graph, problem.distance_type
    needed, free = graph.n * graph.n * kind.dtype.itemsize, machine.memory().free_bytes
    if needed > free > 0:
        raise OutOfMemory(f"{variant_id}: the distance matrix of {graph.name}", needed, free)
    return np.empty((graph.n, graph.n), dtype=kind.dtype)


def unreached_matrix(problem: Problem, variant_id: str) -> NDArray[Any]:
    """An (n, n) matrix filled with infinity; raises as `empty_matrix`, and Cancelled."""
    matrix = empty_matrix(problem, variant_id)
    n, infinity = problem.graph.n, problem.distance_type.infinity
    for first, last in cell_slices(n, n):
        problem.observer.checkpoint()
        matrix[first:last] = infinity
    return matrix


def answer_matrix(problem: Problem, variant_id: str) -> NDArray[Any]:
    """The matrix for a variant that writes every row once: infinite in watched runs, else uninitialised."""
    return (unreached_matrix if problem.observer.watching else empty_matrix)(problem, variant_id)
