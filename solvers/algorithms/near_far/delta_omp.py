"""Delta-stepping on the cores of one machine, with fused rounds; a thread's work is in
``delta_threads.py``.

Idea
    Vertices are settled in buckets delta wide. All threads take chunks of the bucket's
    frontier and relax their arcs; what falls within the bucket makes the next round,
    what falls beyond waits in a pile until its bucket comes. A thread continues with
    what it finds itself, round after round, as long as it is little (bucket fusion), so
    most rounds need no barrier. One thread does a small task alone. Queues are reserved
    in chunks. The next bucket begins at the least distance that is left.

Why it is correct
    Distances only fall, by atomic minimum, and each fall is queued again, so the order
    inside a bucket does not matter. A vertex is in a queue at most once, and is relaxed
    with the distance it has when taken.

Parameters
    ``delta``, in mean weights. ``threads``: OpenMP threads.

Source
    Original implementation, after Meyer and Sanders 2003 (delta-stepping) and Zhang et
    al. 2020 (bucket fusion, as in the GAP Benchmark Suite).
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.bucket_width import DELTA, bucket_width
from solvers.algorithms.near_far.delta_threads import FUSED, Queues, advance, start
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import DELTA_STEPPING
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray
from solvers.system.openmp import THREADS, team

_ID = "sssp-delta-omp"
_ARCS_A_LOOK = 1 << 20  # arcs relaxed between two cancellation checks: some 20 ms on one core


def memory(graph: Graph) -> int:
    """Bytes of distances, two queues, two sides of the pile, and two flags per vertex."""
    return graph.n * (graph.distance_type.dtype.itemsize + 6 * 4)


@variant(
    id=_ID,
    title="delta-stepping",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_FRONTIER,
    pseudocode=DELTA_STEPPING,
    papers=(
        Citation(
            "beyond the papers", "after Meyer and Sanders 2003; Zhang et al. 2020, bucket fusion"
        ),
    ),
    idea=(
        "Vertices are settled in buckets delta wide, so no heap is needed: "
        "inside a bucket any order is correct. All cores share a wide frontier; "
        "a thread that finds only a few vertices continues with them by itself, round after round, "
        "instead of waiting for the others."
    ),
    watch=(
        "Bands of distance, one after another; inside a band a vertex may be active twice. Compare "
        "with Dijkstra's algorithm, which never repeats a vertex: repeats are few here, too."
    ),
    cost=(
        "Little more than O(n + m) relaxations, depending on delta; no logarithm. Memory: a "
        "distance and six words per vertex."
    ),
    caveat=(
        "A watched run makes every hop a round, so that each can be shown; a timed run fuses them "
        "and counts fewer. Threads wait for one another: if other programs occupy the cores, one "
        "thread may be faster than two."
    ),
    parameters=(DELTA, THREADS),
    needs_nonnegative=True,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises UnsuitableGraph, Unavailable,
    ParameterError, Cancelled.
    """
    graph = problem.graph
    kind = problem.distance_type
    recorder = problem.recorder
    parameters = problem.parameters
    source = problem.given_source
    phases = Phases()
    with team(int(parameters["threads"]), _ID) as threads:
        with phases.measure("prepare"):
            distances = problem.start_distances(source)
            delta = bucket_width(graph, kind, float(parameters["delta"]), on_cpu=True)
            bounds = np.array([delta, 0, delta], dtype=kind.dtype)
            arcs = (graph.indptr, graph.indices, problem.weights())
            queues = start(graph, source, threads, recorder is not None)
        if recorder is not None:
            _watched(problem, recorder, arcs, distances, bounds, queues, phases)
        else:
            _timed(problem, arcs, distances, bounds, queues, phases)
    return Solution(distances, queues.round, phases, queues.relaxed)


def _timed(
    problem: Problem,
    arcs: tuple[AnyArray, ...],
    distances: AnyArray,
    bounds: AnyArray,
    queues: Queues,
    phases: Phases,
) -> None:
    """Do all tasks, with occasional cancellation checks."""
    unfinished = True
    while unfinished:
        problem.progress.checkpoint()
        with phases.measure("solve"):
            unfinished = advance(*arcs, distances, bounds, queues, _ARCS_A_LOOK, FUSED)


def _watched(
    problem: Problem,
    recorder: Recorder,
    arcs: tuple[AnyArray, ...],
    distances: AnyArray,
    bounds: AnyArray,
    queues: Queues,
    phases: Phases,
) -> None:
    """Do one task at a time, with every hop as one round, and report each round."""
    unfinished = True
    while unfinished:
        problem.progress.checkpoint()
        frontier = queues.frontier()
        relaxed = queues.relaxed
        improved = queues.improved
        before = phases.solve
        with phases.measure("solve"):
            unfinished = advance(*arcs, distances, bounds, queues, 0, 0)
        if len(frontier):
            counts = queues.relaxed - relaxed, queues.improved - improved
            recorder.iteration(frontier, *counts, phases.solve - before, distances)
