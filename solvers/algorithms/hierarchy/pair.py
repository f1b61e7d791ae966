"""One path by a customizable contraction hierarchy: climb from both ends, meet, unpack.

Idea
    In the hierarchy a shortest path climbs from the source and descends to the target.
    All vertices that a climb can reach are ancestors in the elimination tree. So the
    program walks from the source to the root, relaxing up arcs, and from the target to
    the root, relaxing them the other way; the best common ancestor is the top of the
    path. Then each arc of the hierarchy on it is unpacked into the arcs of the graph
    for which it stands.

Why it is correct
    Each arc of the hierarchy weighs as much as the shortest path between its ends over
    lower vertices, so some shortest path has the form of a climb and a descent. Its
    highest vertex is an ancestor of both ends, and both climbs reach it with the right
    length. An arc's detour, over a lower vertex, has exactly the arc's weight; it is
    looked for once, after customising. In floating point this holds up to rounding,
    which can hide that the path to a vertex on the way is too long. So the distances of
    the path's vertices are compared with those of a sweep down to them, and if one is
    too long, all vertices are settled, as by cch-tree.

Parameters
    None.

Source
    Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable
    contraction hierarchies).
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.ordering import time_since
from solvers.algorithms.hierarchy.path_query import (
    Climb,
    Detours,
    PathArrays,
    find_detours,
    is_shortest_throughout,
    lay,
    shortest_path,
)
from solvers.algorithms.hierarchy.path_sums import add_up_again
from solvers.algorithms.hierarchy.preparation import Prepared, prepare, prepared
from solvers.algorithms.hierarchy.sweep import settle_row
from solvers.algorithms.hierarchy.traced_sweep import watch_climb
from solvers.algorithms.hierarchy.tree import memory
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import HIERARCHY_PAIR
from solvers.core.variant import (
    Algorithm,
    Answers,
    Citation,
    Preparation,
    RunsOn,
    WorkMapping,
    variant,
)
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray
from solvers.system.openmp import team

_ID = "cch-pair"


def _key(kind: WeightType) -> Hashable:
    return "detours of the hierarchy", kind.name


def prepared_here(graph: Graph, device: Device | None) -> Preparation | None:
    """The hierarchy, its metric, and what this variant adds to them."""
    return prepared(graph, _key(graph.distance_type))


@variant(
    id=_ID,
    title="hierarchy, one path",
    algorithm=Algorithm.MODERN,
    answers=Answers.TARGET,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_FROM_BOTH_ENDS,
    pseudocode=HIERARCHY_PAIR,
    papers=(Citation("beyond the papers", "after Dibbelt, Strasser and Wagner 2016, CCH"),),
    packages=("pymetis",),
    idea=(
        "The network is prepared once: separators are ranked above the regions that they divide, "
        "and shortcuts are added that skip vertices of lower rank. "
        "Some shortest path then first climbs in rank and then descends. From both ends the "
        "program climbs to the top, a few hundred vertices, and takes the best common ancestor. "
        "The shortcuts on the path are then unpacked into roads."
    ),
    watch=(
        "Two climbs, one vertex at a time: each step skips farther, from the end's own street to "
        "the separators that divide the whole network. The other searches cover discs of thousands "
        "of vertices. View > Levels of the hierarchy marks the separators."
    ),
    cost=(
        "The vertices of two paths to the root of the elimination tree, and their arcs; then a few "
        "look-ups for every arc of the path. The hierarchy is prepared once."
    ),
    caveat="Only the vertices of the path have a distance. "
    "Networks without small separators are refused.",
    memory=memory,
    prepared=prepared_here,
)
def solve(problem: Problem) -> Solution:
    """Distances of the vertices of the path, (n,); infinity elsewhere.

    Raises InputError, NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable,
    Cancelled.
    """
    source, target = problem.given_source, problem.given_target
    graph, kind, progress = problem.graph, problem.distance_type, problem.progress
    phases = Phases()
    with phases.measure("prepare"):
        ready = prepare(problem.graph, problem.source, _ID, problem.progress)
        weights, tree = problem.weights(), ready.hierarchy.tree
        detours, looked_for = _detours(problem, ready)
        arrays = PathArrays.of(ready.hierarchy, ready.metric, detours)
        distances = np.full(graph.n, kind.infinity, kind.dtype)
        arcs = np.empty(graph.n, np.int64)
        ahead, behind = (Climb.allocate(tree.height, kind.dtype) for _ in range(2))
        ends, infinity = (
            (int(tree.rank[source]), int(tree.rank[target])),
            kind.dtype.type(kind.infinity),
        )
    progress.checkpoint()
    with phases.measure("solve"):
        place, count, taken, relaxed = shortest_path(
            *ends, arrays, weights, infinity, ahead, behind, arcs
        )
        distances[source] = 0
        is_laid = place >= 0 and count >= 0
        if is_laid:
            lay(arcs[:count], graph.indices, weights, source, distances)
            if not kind.is_integer:
                path, unit = (
                    (arcs[:count], graph.indices, weights),
                    float(np.finfo(kind.dtype).eps) / 2,
                )
                is_laid = is_shortest_throughout(
                    path, ends[0], tree.rank, arrays, infinity, unit, ahead, distances
                )
        if place >= 0 and not is_laid:
            _settle_all(problem, ready, distances)
    if problem.recorder is not None:
        _watch(problem, problem.recorder, ready, ends, (ahead, behind), phases.solve)
    return Solution(distances, taken, phases, relaxed, note=f"{ready.note}; {looked_for}.")


def _detours(problem: Problem, ready: Prepared) -> tuple[Detours, str]:
    """What unpacking follows, and a few words; kept with the graph unless the metric
    serves this source only.
    """
    kind = problem.distance_type

    def make() -> tuple[Detours, str]:
        began = time.perf_counter()
        with team(0, _ID) as threads:
            detours = find_detours(
                ready.hierarchy, ready.metric, problem.weights(), threads, problem.progress
            )
        return detours, f"looking for detours took {time_since(began)}"

    return problem.graph.cached(_key(kind), make) if ready.serves_all_sources else make()


def _settle_all(problem: Problem, ready: Prepared, distances: AnyArray) -> None:
    """Set all distances, where the unpacked path will not do.

    Cycles of length 0 can make it longer than n arcs, and rounding can make its
    beginning longer than need be.
    """
    kind = problem.distance_type
    assert problem.source is not None
    with team(1, _ID):
        distances[:] = settle_row(
            ready.hierarchy, ready.metric, kind, problem.source, 1, problem.progress
        )
    if not kind.is_integer:
        distances[:] = add_up_again(
            problem.graph, problem.source, problem.weights(), distances, problem.progress
        )


def _watch(
    problem: Problem,
    recorder: Recorder,
    ready: Prepared,
    ends: tuple[int, int],
    climbs: tuple[Climb, Climb],
    ms: float,
) -> None:
    """Report both climbs, that from the source first."""
    weights: tuple[Any, Any] = (ready.metric.up, ready.metric.down)
    names = ("source climb", "target climb")
    for end, side, ways, name in zip(ends, climbs, weights, names, strict=True):
        path = side.path.copy()
        path[ready.hierarchy.tree.depth[end] + 1 :] = -1
        watch_climb(problem, recorder, ready.hierarchy, ways, end, path, ms / 2, name)
