"""All pairs on sparse graphs on the cores of one machine: a thread searches from 32
sources together.

Idea
    Searches from different sources relax the same arcs. So 32 of them proceed together:
    each vertex has 32 distances side by side, an arc is loaded once for all, and one
    vector instruction relaxes it for eight or sixteen. A vertex is relaxed again in the
    next hop if it came nearer to any of the sources. There are no buckets:
    synchronising 32 searches would cost more than the extra relaxations. Rows of the
    matrix are written in tiles.

Why it is correct
    As Bellman-Ford with a queue: every fall of a distance queues the vertex for the
    next hop, and the search ends when no queue entry is left. A stamp holds the hop for
    which a vertex was queued, so it is there once and n entries are enough. Each thread
    writes only its own batch and rows.

Parameters
    ``threads``: OpenMP threads.

Source
    Original implementation, after the multi-source searches of Then et al. 2014
    (MS-BFS), with weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import answer_matrix, fill_in_batches
from solvers.algorithms.near_far.lane_search import CURSOR, LANES, Arcs, begin_search, search_on
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import EVERY_SOURCE
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray
from solvers.system.jit import njit, prange
from solvers.system.openmp import THREADS, team

_ID = "apsp-lanes-omp"
_NO_LIMIT = np.iinfo(np.int64).max
_TILE = 64  # vertices that are turned into rows together


def memory(graph: Graph) -> int:
    """Bytes of the matrix; the threads' working memory is small in comparison."""
    return graph.n * graph.n * graph.distance_type.dtype.itemsize


@variant(
    id=_ID,
    title="32 sources together",
    algorithm=Algorithm.MODERN,
    answers=Answers.APSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_SOURCES,
    pseudocode=EVERY_SOURCE,
    papers=(Citation("beyond the papers", "after Then et al. 2014, multi-source search"),),
    idea=(
        "Thirty-two searches proceed together, each in a lane of the processor's vector registers. "
        "An arc is loaded once and relaxed for all of them; "
        "a vertex whose distance from any of the sources fell is relaxed again in the next hop. "
        "Each core takes such batches of sources."
    ),
    watch="Rows of the matrix are finished from top to bottom, a batch of sources at a time.",
    cost="A few times n m relaxations, sixteen or eight at once; n² memory for the answer.",
    caveat=(
        "It needs numba's OpenMP layer. The sources of a batch have consecutive numbers: the "
        "nearer they are to one another, the more arcs their searches share."
    ),
    parameters=(THREADS,),
    needs_nonnegative=True,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises UnsuitableGraph, OutOfMemory, Unavailable, ParameterError, Cancelled.
    """
    graph, phases = problem.graph, Phases()
    with team(int(problem.parameters["threads"]), _ID) as threads:
        with phases.measure("prepare"):
            distances = answer_matrix(problem, _ID)
            arcs = (graph.indptr, graph.indices, problem.weights())
            infinity = problem.distance_type.dtype.type(problem.distance_type.infinity)

        def fill(first: int, last: int) -> int:
            return int(_share_sources(arcs, distances, first, last, infinity))

        return fill_in_batches(problem, distances, phases, threads, LANES, fill)


@njit(parallel=True)
def _share_sources(arcs: Arcs, rows: AnyArray, first: int, last: int, infinity: Any) -> int:
    """Fill the rows ``first`` to ``last - 1``; returns the number of relaxed arcs,
    summed over the sources.
    """
    relaxed = 0
    for batch in prange((last - first + LANES - 1) // LANES):
        begin = first + batch * LANES
        relaxed += _search_together(arcs, rows, begin, min(last, begin + LANES), infinity)
    return relaxed


@njit
def _search_together(arcs: Arcs, rows: AnyArray, first: int, last: int, infinity: Any) -> int:
    """One batch of at most `LANES` sources; lanes without a source stay infinite."""
    n = rows.shape[1]
    distances = np.empty((n, LANES), rows.dtype)
    queues, queued = np.empty((2, n), np.int32), np.empty(n, np.int32)
    memory = distances, queues, queued, np.empty(CURSOR, np.int64)
    begin_search(np.arange(first, last), memory, infinity)
    relaxed = (last - first) * search_on(arcs, memory, _NO_LIMIT)
    for start in range(0, n, _TILE):
        for lane in range(last - first):
            for v in range(start, min(n, start + _TILE)):
                rows[first + lane, v] = distances[v, lane]
    return relaxed
