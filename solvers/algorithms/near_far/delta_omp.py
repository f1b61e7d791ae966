"""Delta-stepping on the cores of one machine, without meetings of threads; the team is in
``delta_threads.py``, a thread's work in ``delta_bins.py``, its bins in ``delta_chains.py``.

Idea
    Vertices wait in bins by distance, each so narrow that about one arc of a vertex
    stays within it. Each thread empties bins of its own, with the vertices that it
    lowered itself, which its cache holds, what falls within the bin included (bucket
    fusion). Before it goes on to its next bin it takes chunks of earlier ones from
    others. No thread waits for all others before the end.

Why it is correct
    Distances only fall, by atomic minimum, and each fall is entered into a bin, with the
    distance, so no order matters. An entry is relaxed exactly if
    the vertex still has that distance.

Parameters
    ``delta``, the width of a bin in mean weights. ``threads``.

Source
    Original implementation, after Meyer and Sanders 2003 (delta-stepping), Zhang et
    al. 2020 (bucket fusion, as in the GAP Benchmark Suite), and D'Antonio, Mai, Tsigas
    and Vandierendonck 2025 (Wasp: no barriers, chunks taken by priority).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from solvers.algorithms.bucket_width import DELTA
from solvers.algorithms.near_far.delta_threads import BucketSearch, pairs_bytes
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import DELTA_STEPPING
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray
from solvers.system.openmp import THREADS, threads_for

_ID = "sssp-delta-omp"
_ARCS_A_LOOK = 1 << 20  # arcs relaxed between two cancellation checks: some 20 ms on one core


def memory(graph: Graph) -> int:
    """Bytes of a distance per vertex, and of two entries with theirs."""
    return graph.n * (3 * graph.distance_type.dtype.itemsize + 2 * 4)


def _memory(graph: Graph) -> int:
    """Bytes of a search, and of the arcs in pairs."""
    return memory(graph) + pairs_bytes(graph)


variant_on_cores = partial(
    variant,
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.THREADS,
    mapping=WorkMapping.CORES_SHARE_FRONTIER,
    pseudocode=DELTA_STEPPING,
    parameters=(DELTA, THREADS),
    needs_nonnegative=True,
)


@variant_on_cores(
    id=_ID,
    title="delta-stepping",
    papers=(
        Citation(
            "beyond the papers",
            "after Meyer and Sanders 2003; Zhang et al. 2020, bucket fusion; D'Antonio et al. "
            "2025, threads without barriers",
        ),
    ),
    idea=(
        "Vertices are settled in buckets delta wide, so no heap is needed: "
        "inside a bucket any order is correct. Each core has buckets of its own, with the "
        "vertices that it lowered, and empties them at its own pace: it takes vertices of "
        "nearer buckets from other cores before it goes on to its next, and waits for no other."
    ),
    watch=(
        "Bands of distance, one after another; inside a band a vertex may be active twice. Compare "
        "with Dijkstra's algorithm, which never repeats a vertex: repeats are few here, too."
    ),
    cost=(
        "Little more than O(n + m) relaxations, depending on delta; no logarithm. Memory: three "
        "distances and two words per vertex, and on sparse graphs, once searched again, two words "
        "per arc."
    ),
    caveat=(
        "A watched run makes every hop a round and uses one thread, so that each can be shown; a "
        "timed run fuses them and counts fewer. Small graphs are left to one thread, and so are "
        "others where the last runs show that it is faster, and the rest of a run in which "
        "another thread waits for a core."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises UnsuitableGraph, ParameterError, Cancelled."""
    kind = problem.distance_type
    return search_with(problem, _ID, lambda threads: BucketSearch(problem.graph, kind, threads))


def search_with(problem: Problem, owner: str, make: Callable[[int], BucketSearch]) -> Solution:
    """Answer a problem of the variant ``owner`` by a search that ``make`` gives for a number of
    threads.
    """
    phases = Phases()
    threads = threads_for(int(problem.parameters["threads"]), owner)
    with phases.measure("prepare"):
        distances = np.empty(problem.graph.n, problem.distance_type.dtype)
        search = memory_of(problem, owner, threads, make)
        delta = float(problem.parameters["delta"])
        source = np.array([problem.given_source], np.int32)
        search.start(problem.weights(), distances, source, delta)
    if problem.recorder is None:
        with search.aborted_on_error():
            while search.unfinished:
                problem.progress.checkpoint()
                with phases.measure("solve"):
                    search.advance(_ARCS_A_LOOK)
    else:
        _watch(problem, problem.recorder, search, distances, phases)
    return Solution(distances, search.work.round, phases, search.work.relaxed)


def memory_of(
    problem: Problem, owner: str, threads: int, make: Callable[[int], BucketSearch]
) -> BucketSearch:
    """A search with its working memory, which the next trial of the same graph uses again; a
    scope's first problem may be of another graph, on which kernels are compiled.
    """
    if problem.scope is None:
        return make(threads)
    return problem.scope.keep((owner, problem.graph, threads), lambda: make(threads))


def _watch(
    problem: Problem,
    recorder: Recorder,
    search: BucketSearch,
    distances: AnyArray,
    phases: Phases,
) -> None:
    """Make every hop a round, by one thread, and report each."""
    n = problem.graph.n
    frontier, fell = np.empty(n, np.int32), np.zeros(n, np.int32)
    while search.unfinished:
        problem.progress.checkpoint()
        relaxed, before = search.work.relaxed, phases.solve
        with phases.measure("solve"):
            number, improved = search.hop(frontier, fell)
        if number:
            relaxed = search.work.relaxed - relaxed
            ms = phases.solve - before
            recorder.iteration(frontier[:number], relaxed, improved, ms, distances)
