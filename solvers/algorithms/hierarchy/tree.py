"""One source to all vertices by a customizable contraction hierarchy, on the cores of one machine.

Idea
    An order of contraction, by nested dissection, depends on the network alone and is
    made once. Contracting each vertex joins its neighbours, whatever the weights;
    customising gives these arcs weights. Then a source needs no queue: the climb visits
    the path from the source to the root of the elimination tree, and the sweep goes
    through all vertices once, from the roots down, in the order in which they lie in
    memory. Threads share the subtrees.

Why it is correct
    Each arc of the hierarchy weighs as much as the shortest path between its ends over
    lower vertices. So some shortest path first climbs and then descends; the first part
    is found by the climb, and the last arc of the second by the sweep, since all higher
    neighbours of a vertex are ancestors and are settled before it. Negative arcs change
    nothing as long as no cycle is negative; where one is, customising finds an arc and
    its opposite that are negative together. Floating-point sums are added up again
    along their own paths, see ``path_sums.py``.

Parameters
    `threads`: OpenMP threads.

Source
    Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable
    contraction hierarchies) and Delling et al. 2011 (PHAST, the sweep).
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.hierarchy.path_sums import add_up_again
from solvers.algorithms.hierarchy.preparation import hierarchy_variant, prepare, prepared
from solvers.algorithms.hierarchy.sweep import climb_from, sweep
from solvers.algorithms.hierarchy.traced_sweep import watch_climb, watch_sweep
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers, Preparation, RunsOn, WorkMapping
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.system.openmp import THREADS, team

_ID = "cch-tree"


def memory(graph: Graph) -> int:
    """Bytes of the hierarchy of a road network, some two and a half arcs up for each
    edge, and of the distances.
    """
    arcs = 5 * graph.m // 2
    return 44 * graph.n + 16 * graph.m + arcs * (14 + 2 * graph.distance_type.dtype.itemsize)


def prepared_here(graph: Graph, device: Device | None) -> Preparation | None:
    return prepared(graph)


@hierarchy_variant(
    id=_ID,
    title="hierarchy, one to all",
    answers=Answers.SSSP,
    runs_on=RunsOn.OPENMP,
    mapping=WorkMapping.CORES_SHARE_SUBTREES,
    idea=(
        "The network is prepared once: separators are ranked above the regions that they divide, "
        "and shortcuts are added that skip vertices of lower rank. "
        "Some shortest path then first climbs in rank and then descends. "
        "From any source the program climbs to the top, along a path of a few hundred vertices, "
        "and sweeps once over all vertices from the top down, without heap or buckets."
    ),
    watch=(
        "First the climb, one vertex at a time, soon far from the source; "
        "then the levels from the top: separators are highlighted, "
        "large ones first, and each divides one of the regions that remain. "
        "View > Levels of the hierarchy colours the roads by level and marks the separators."
    ),
    cost=(
        "One relaxation for each arc of the hierarchy, on road networks two or three for each "
        "edge. Preparation: ordering takes longest, is done once for a network, and is kept on "
        "disk; customising is done once for new weights, and takes as long as a few dozen sweeps."
    ),
    caveat=(
        "Networks without small separators, such as social ones, are refused. Floating-point "
        "distances are added up again along their paths, which takes longer than the sweep."
    ),
    parameters=(THREADS,),
    memory=memory,
    prepared=prepared_here,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, ParameterError,
    Cancelled.
    """
    graph, kind, progress = problem.graph, problem.distance_type, problem.progress
    source = problem.given_source
    phases = Phases()
    with phases.measure("prepare"):
        threads = int(problem.parameters["threads"])
        ready = prepare(problem.graph, problem.source, _ID, problem.progress, threads=threads)
        hierarchy, metric = ready.hierarchy, ready.metric
        tree, start = hierarchy.tree, int(hierarchy.tree.rank[source])
        distances = np.empty(graph.n, kind.dtype)
    with team(int(problem.parameters["threads"]), _ID) as threads:
        progress.checkpoint()
        with phases.measure("solve"):
            path, reached, climbed, relaxed = climb_from(hierarchy, metric, kind, source)
        if problem.recorder is not None:
            known = watch_climb(
                problem, problem.recorder, hierarchy, metric.up, start, path, phases.solve
            )
            distances = watch_sweep(problem, problem.recorder, hierarchy, metric, known)
        else:
            with phases.measure("solve"):
                sweep(hierarchy, metric, path, reached, distances, threads, progress)
    if not kind.is_integer:
        with phases.measure("solve"):
            distances = add_up_again(graph, source, problem.weights(), distances, progress)
    return Solution(
        distances, climbed + tree.height, phases, relaxed + hierarchy.arcs, note=f"{ready.note}."
    )
