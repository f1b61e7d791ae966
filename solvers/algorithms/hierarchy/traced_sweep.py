"""A watched run: the climb vertex by vertex, then the sweep level by level, from the roots down."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays
from solvers.core.problem import Problem, Recorder
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.jit import njit


def watch_climb(
    problem: Problem,
    recorder: Recorder,
    hierarchy: Hierarchy,
    weights: AnyArray,
    start: int,
    path: Int32s,  # (height,) what `climb` left
    ms: float,  # the climb took this long; each vertex is reported with its share
    name: str = "climb",  # of the trace's phase
) -> AnyArray:
    """Report the climb from the vertex of rank ``start``, one vertex an iteration;
    returns distances by rank, (n,).
    """
    tree, kind = hierarchy.tree, problem.distance_type
    known = np.full(tree.n, kind.infinity, kind.dtype)
    known[start] = 0
    count = int((path != NONE).sum())
    v = start
    recorder.phase(name, "vertex")
    while v != NONE:
        if known[v] < kind.infinity:
            arcs = slice(int(hierarchy.up_first[v]), int(hierarchy.up_first[v + 1]))
            finite = weights[arcs] < kind.infinity
            heads, offers = path[hierarchy.up_depth[arcs][finite]], known[v] + weights[arcs][finite]
            fell = offers < known[heads]
            known[heads[fell]] = offers[fell]
            after = known[tree.rank] if recorder.wants_distances else None
            recorder.iteration(
                np.array([tree.order[v]]),
                arcs.stop - arcs.start,
                int(fell.sum()),
                ms / count,
                after,
            )
        v = int(tree.parent[v])
    return known


def watch_sweep(
    problem: Problem, recorder: Recorder, hierarchy: Hierarchy, metric: Metric, known: AnyArray
) -> AnyArray:
    """Settle one level after another and report each; returns the distances by vertex of the graph.

    ``known``, (n,), has the distances of the source's ancestors, by rank, infinity
    elsewhere; it is filled in.
    """
    tree, progress = hierarchy.tree, problem.progress
    by_level = np.argsort(tree.depth, kind="stable").astype(np.int32)
    ends = np.searchsorted(tree.depth[by_level], np.arange(tree.height + 1))
    recorder.phase("sweep", "level")
    for k in range(tree.height):
        progress.checkpoint()
        level = by_level[ends[k] : ends[k + 1]]
        began = time.perf_counter()
        relaxed, fell = _settle_level(level, hierarchy.arrays, metric.down, metric.infinity, known)
        ms = (time.perf_counter() - began) * 1e3
        active = tree.order[level[known[level] < metric.infinity]]
        recorder.iteration(
            active, relaxed, fell, ms, known[tree.rank] if recorder.wants_distances else None
        )
    return known[tree.rank]


@njit
def _settle_level(
    level: Int32s, arrays: HierarchyArrays, down: AnyArray, infinity: Any, known: AnyArray
) -> tuple[int, int]:
    """Final distances of the vertices of a level; returns arcs relaxed, and vertices
    whose distance fell.
    """
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    relaxed, fell = 0, 0
    for v in level:
        best, above = known[v], parent[v]
        for a in range(up_first[v], up_first[v + 1]):
            while depth[above] != up_depth[a]:
                above = parent[above]
            if known[above] < infinity and down[a] < infinity:
                best = min(best, known[above] + down[a])
        fell += best < known[v]
        known[v] = best
        relaxed += up_first[v + 1] - up_first[v]
    return relaxed, fell
