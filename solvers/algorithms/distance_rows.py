"""Rows of distances: the (n, n) matrix that all-pairs programs fill, counts by bins,
and summaries of rows.

All-sources programs keep a few numbers of each row instead of the row: how many
vertices a source reaches, how far, and how many within a budget. These are added up
where the distances arise, as are the counts of distances by bins.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.core.problem import Phases, Problem, Solution
from solvers.graphs.csr import cell_slices
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system import machine
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

_MOST_SUM = 2**63 - 1
_CALL_SECONDS = 0.03  # between two cancellation checks, where that is several batches
_PICTURES = 64  # groups of rows, each of which is a step of a watched run


def empty_matrix(problem: Problem, variant_id: str) -> AnyArray:
    """An uninitialised (n, n) matrix for distances in host memory; raises OutOfMemory
    before anything is allocated.
    """
    graph, kind = problem.graph, problem.distance_type
    machine.require_memory(
        f"{variant_id}: the distance matrix of {graph.name}",
        graph.n * graph.n * kind.dtype.itemsize,
    )
    shape, device = (graph.n, graph.n), problem.device
    return np.empty(shape, kind.dtype) if device is None else device.result_array(shape, kind.dtype)


def unreached_matrix(problem: Problem, variant_id: str) -> AnyArray:
    """An (n, n) matrix filled with infinity; raises as `empty_matrix`, and Cancelled."""
    matrix = empty_matrix(problem, variant_id)
    n, infinity = problem.graph.n, problem.distance_type.infinity
    for first, last in cell_slices(n, n):
        problem.progress.checkpoint()
        matrix[first:last] = infinity
    return matrix


def answer_matrix(problem: Problem, variant_id: str) -> AnyArray:
    """The matrix for a variant that writes every row once: infinite in watched runs,
    else uninitialised.
    """
    return (empty_matrix if problem.recorder is None else unreached_matrix)(problem, variant_id)


def fill_in_batches(
    problem: Problem,
    distances: AnyArray,
    phases: Phases,
    threads: int,
    lanes: int,  # sources of a batch; each thread takes one at a time
    fill: Callable[[int, int], int],  # a range of rows; returns arcs relaxed
    note: str = "",
) -> Solution:
    """Fill the rows of a matrix, as many between two cancellation checks as take some time;
    raises Cancelled.
    """
    recorder, n = problem.recorder, problem.graph.n
    first, batches, relaxed, steps = 0, threads, 0, 0
    most = -(-n // _PICTURES) if recorder is not None else n
    while first < n:
        problem.progress.checkpoint(first, n)
        last = min(n, first + min(batches * lanes, max(lanes, most)))
        began = time.perf_counter()
        with phases.measure("solve"):
            relaxed += fill(first, last)
        took = time.perf_counter() - began
        if recorder is not None:
            recorder.matrix_step(steps, 1, np.array([[first, last, 0, n]]), distances, took * 1e3)
        steps, first = steps + 1, last
        if 2 * took < _CALL_SECONDS:
            batches *= 2
    return Solution(distances, n, phases, relaxed, note=note)


def count_distances(
    rows: AnyArray, kind: WeightType, lower: Float64s, width: float, team: ThreadTeam
) -> Int64s:
    """Number of finite distances in each bin, (b,).

    ``rows``, (k, n) array: none below ``lower[0]``. ``lower``, (b,) float64: where bins
    begin, ascending; the last one has no end. ``width``: of all bins but the last, if
    they are of equal width: a distance d is in bin floor(d / width). 0 for other bins.
    """
    found = np.zeros((team.threads, len(lower)), np.int64)
    infinity = kind.dtype.type(kind.infinity)
    team.run(
        partial(_count, rows[first:last], infinity, lower, width, found[t])
        for t, (first, last) in enumerate(split_evenly(len(rows), team.threads))
    )
    counts: Int64s = found.sum(axis=0)
    return counts


@njit
def _count(rows: AnyArray, infinity: Any, lower: Float64s, width: float, counts: Int64s) -> None:
    last = np.int64(len(lower) - 1)
    for row in rows:
        b = np.int64(0)
        for distance in row:
            if distance < infinity:
                x = np.float64(distance)
                if width > 0:
                    quotient = x / width
                    b = np.int64(min(quotient, last))
                else:  # from the bin of the vertex before, which is near in most numberings
                    while b < last and x >= lower[b + 1]:
                        b += 1
                    while x < lower[b]:
                        b -= 1
                counts[b] += 1


@dataclass(frozen=True, eq=False)
class RowSummaries:
    """One entry for each of k sources."""

    # (k,) of the distance type: greatest finite distance; at least 0, that of the
    # source itself
    farthest: AnyArray
    totals: AnyArray  # (k,): sum of the finite distances
    reached: Int32s  # (k,): vertices with a finite distance, the source included
    within: Int32s  # (k,): those of them whose distance is at most the budget

    @classmethod
    def empty(cls, k: int, kind: WeightType, sum_type: np.dtype[Any]) -> RowSummaries:
        """Zeros for ``k`` sources."""
        return cls(
            np.zeros(k, kind.dtype),
            np.zeros(k, sum_type),
            np.zeros(k, np.int32),
            np.zeros(k, np.int32),
        )

    @classmethod
    def of_row(
        cls, row: AnyArray, kind: WeightType, sum_type: np.dtype[Any], budget: Any
    ) -> RowSummaries:
        """The summary of one whole row, by NumPy."""
        finite = row[row < kind.infinity]
        return cls(
            np.array([finite.max(initial=0)], kind.dtype),
            np.array([finite.sum(dtype=sum_type)], sum_type),
            np.array([len(finite)], np.int32),
            np.array([(finite <= budget).sum()], np.int32),
        )

    @property
    def arrays(self) -> tuple[AnyArray, ...]:
        return self.farthest, self.totals, self.reached, self.within

    def __len__(self) -> int:
        return len(self.reached)

    def take(self, chosen: Any) -> RowSummaries:
        """The entries at ``chosen``, which indexes arrays."""
        return RowSummaries(*(array[chosen] for array in self.arrays))

    def put(self, chosen: Any, others: RowSummaries) -> None:
        """Overwrite the entries at ``chosen``."""
        for own, other in zip(self.arrays, others.arrays, strict=True):
            own[chosen] = other


def sum_type_of(graph: Graph) -> np.dtype[Any]:
    """int64 where no sum of a row's distances can overflow it, else float64."""
    if graph.distance_type.is_integer and int(graph.path_bound) * graph.n <= _MOST_SUM:
        return np.dtype(np.int64)
    return np.dtype(np.float64)


def summary_bytes(kind: WeightType, sum_type: np.dtype[Any]) -> int:
    """Of a source while its summary is computed, put in order and sent: three copies,
    and its place in the order.
    """
    return 3 * (kind.dtype.itemsize + sum_type.itemsize + 8) + 16


def budget_of(kind: WeightType, budget: float | None) -> Any:
    """The greatest distance of that type within ``budget``; 0 without one, where the
    count means nothing.

    Integer distances are within 3.7 if they are within 3.
    """
    if budget is None:
        return kind.dtype.type(0)
    if kind.is_integer:
        return kind.dtype.type(
            min(int(budget // 1), int(kind.infinity) - 1)
            if budget < kind.infinity
            else kind.infinity - 1
        )
    return kind.dtype.type(budget)
