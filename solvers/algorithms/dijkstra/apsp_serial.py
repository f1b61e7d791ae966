"""All pairs by Dijkstra's algorithm from one source after another, on one core.

Idea
    Run Dijkstra's algorithm from every vertex; each run fills one row of the matrix.

Why it is correct
    Each run is Dijkstra's algorithm, correct for non-negative weights; the runs are
    independent.

Parameters
    ``queue``: how the nearest vertex is found, by scanning an array or by a heap.

Source
    Bodra 2025, "Background: Dijkstra algorithm", and the CPU column of the table.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.algorithms.arcs import settled_arcs_of_all
from solvers.algorithms.dijkstra import heap
from solvers.algorithms.dijkstra.array import settle_by_scan
from solvers.algorithms.dijkstra.settling import span_of
from solvers.algorithms.distance_rows import unreached_matrix
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import EVERY_SOURCE
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

_ID = "dijkstra-apsp-serial"
_SCAN, _HEAP = "array", "heap"

# Groups of rows, each of which is a step of a watched run.
_PICTURES = 64

SettleRow = Callable[[int, AnyArray], None]
"""Fills the row of one source, given infinite, with its distances."""


def _memory(graph: Graph) -> int:
    return graph.n * graph.n * graph.distance_type.dtype.itemsize


@variant(
    id=_ID,
    title="per source, serial",
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.APSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_SOURCE,
    pseudocode=EVERY_SOURCE,
    papers=(Citation("Bodra 2025", "Background: Dijkstra algorithm; Table, CPU column"),),
    parameters=(
        Parameter(
            "queue",
            _SCAN,
            "how the nearest vertex is found: by scanning an array, or by a heap",
            choices=(_SCAN, _HEAP),
        ),
    ),
    needs_nonnegative=True,
    idea=(
        "Dijkstra's algorithm from every vertex in turn; each run fills one row of the matrix. The "
        "runs are independent, which the GPU version exploits."
    ),
    watch="Rows of the matrix are finished from top to bottom.",
    cost="O(n (n² + m)) with the array, O(n (n + m) log n) with the heap",
    caveat=(
        "The paper's text describes a heap, but its time (24 minutes for 10\u202f876 vertices) is "
        "that of an array. With the heap the CPU is faster than the paper's GPU on sparse graphs."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    graph = problem.graph
    phases = Phases()
    with phases.measure("prepare"):
        distances = unreached_matrix(problem, _ID)
        settle_row = (
            _by_heap(problem) if problem.parameters["queue"] == _HEAP else _by_scan(problem)
        )
    group = -(-graph.n // _PICTURES)
    for number, first in enumerate(range(0, graph.n, group)):
        last = min(graph.n, first + group)
        begun = phases.solve
        with phases.measure("solve"):
            for source in range(first, last):
                problem.progress.checkpoint(source, graph.n)
                settle_row(source, distances[source])
        if problem.recorder is not None:
            tile = np.array([[first, last, 0, graph.n]])
            problem.recorder.matrix_step(number, 1, tile, distances, phases.solve - begun)
    return Solution(distances, graph.n, phases, settled_arcs_of_all(graph, distances))


def _by_scan(problem: Problem) -> SettleRow:
    graph, weights, progress = problem.graph, problem.weights(), problem.progress
    infinity = problem.distance_type.dtype.type(problem.distance_type.infinity)
    settled = np.empty(graph.n, dtype=np.uint8)
    predecessors = np.empty(graph.n, dtype=np.int32)
    order = np.empty(span_of(graph.n + graph.m / graph.n), dtype=np.int32)
    improved = np.empty_like(order)

    def settle_row(source: int, row: AnyArray) -> None:
        row[source] = 0
        settled[:] = 0
        count = len(order)
        while count == len(order):
            progress.checkpoint()
            count = settle_by_scan(
                graph.indptr,
                graph.indices,
                weights,
                row,
                predecessors,
                settled,
                infinity,
                order,
                improved,
            )

    return settle_row


def _by_heap(problem: Problem) -> SettleRow:
    inner = problem.progress.silent()

    def settle_row(source: int, row: AnyArray) -> None:
        row[:] = heap.solve(
            Problem(problem.graph, source, parameters={"arity": 4}, progress=inner)
        ).distances

    return settle_row
