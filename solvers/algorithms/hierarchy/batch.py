"""All pairs by a customizable contraction hierarchy: sweeps from sixteen sources
together, on all cores.

Idea
    A sweep relaxes the same arcs in the same order whatever the source. So sixteen
    sources are swept together: each vertex has sixteen distances side by side, an arc
    is loaded once for all, and vector instructions relax it for several at a time. The
    distances of a vertex's ancestors are in an array indexed by depth, which stays in
    the nearest cache. Cores take batches of sources; a batch is turned into rows of the
    matrix in tiles.

Why it is correct
    Each lane is the climb and the sweep of cch-tree, independent of the other lanes.
    Floating-point sums are not computed again: an entry differs from the sum along its
    path by rounding only.

Parameters
    `threads`: OpenMP threads.

Source
    Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable
    contraction hierarchies) and Delling et al. 2011 (PHAST, several trees at once).
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.distance_rows import answer_matrix, fill_in_batches
from solvers.algorithms.hierarchy.batched_sweep import LANES, settle_rows, working_memory
from solvers.algorithms.hierarchy.preparation import hierarchy_variant, prepare
from solvers.algorithms.hierarchy.tree import memory as memory_of_hierarchy
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers, RunsOn, WorkMapping
from solvers.graphs.graph import Graph
from solvers.system.openmp import THREADS, team

_ID = "cch-batch"


def memory(graph: Graph) -> int:
    """Bytes of the matrix and of the hierarchy."""
    return graph.n * graph.n * graph.distance_type.dtype.itemsize + memory_of_hierarchy(graph)


@hierarchy_variant(
    id=_ID,
    title="hierarchy, sixteen sources abreast",
    short_title="hierarchy, 16 abreast",
    answers=Answers.APSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_SOURCES,
    idea=(
        "The network is prepared once, as for the hierarchy from one source. "
        "A sweep takes the same arcs in the same order from every source, so sixteen sources are "
        "swept together: an arc is loaded once, and vector instructions relax it for all of them. "
        "Each core takes such batches."
    ),
    watch="Rows of the matrix are finished from top to bottom, a batch of sources at a time.",
    cost=(
        "One relaxation for each source and each arc of the hierarchy, eight or sixteen in one "
        "instruction; n² memory for the answer. The hierarchy is prepared once."
    ),
    caveat="It needs numba's OpenMP layer. Networks without small separators are refused.",
    parameters=(THREADS,),
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, ParameterError,
    Cancelled.
    """
    kind, n, phases = problem.distance_type, problem.graph.n, Phases()
    with phases.measure("prepare"):
        threads = int(problem.parameters["threads"])
        ready = prepare(problem.graph, problem.source, _ID, problem.progress, threads=threads)
        distances = answer_matrix(problem, _ID)
        sources = np.arange(n, dtype=np.int32)
    with team(int(problem.parameters["threads"]), _ID) as threads:
        with phases.measure("prepare"):
            working = working_memory(n, kind, threads)

        def fill(first: int, last: int) -> int:
            rows, part = distances[first:last], sources[first:last]
            return settle_rows(ready.hierarchy, ready.metric, kind, part, rows, working)

        note = f"{ready.note}."
        return fill_in_batches(problem, distances, phases, threads, LANES, fill, note)
