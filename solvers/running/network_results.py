"""Results of what was searched for a network, as results of the network.

Everything that is shown or written is of the network; `Result.searched` keeps the rest for
paths to other targets.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixStep, MatrixTrace, repeated
from solvers.core.variant import Answers
from solvers.graphs.searched import SearchedGraph, searched_graph
from solvers.running.traced_run import share_activity
from solvers.system.array_types import Int32s
from solvers.system.ranges import offsets_of
from solvers.verification import paths


def on_network(found: Result, translation: SearchedGraph, target: int | None) -> Result:
    """The result for the network, of one for what is searched."""
    if found.graph is translation.network:
        return found
    trace, predecessors = found.trace, found.predecessors
    all_pairs = found.variant.answers is Answers.APSP
    return replace(
        found,
        graph=translation.network,
        target=target,
        distances=None
        if found.distances is None
        else translation.distances(found.distances, all_pairs=all_pairs),
        predecessors=None if predecessors is None else translation.predecessors(predecessors),
        path=None if found.path is None else translation.path(found.path),
        cycle=tuple(translation.vertex_of[list(found.cycle)].tolist()),
        trace=None if trace is None else trace_on_network(trace, translation),
        searched=found,
    )


def route(result: Result, target: int | None) -> Int32s | None:
    """The path from the result's source to ``target``, (k,), from the result's predecessors.

    None without a source, target or predecessors, if the target is unreachable, or if
    the path does not add up to its distance.
    """
    if result.searched is not None:
        translation = searched_graph(result.graph)
        end = None if target is None else translation.end(target)
        found = route(result.searched, end)
        return None if found is None else translation.path(found)
    source, predecessors, distances = result.source, result.predecessors, result.distances
    if target is None or source is None or predecessors is None or distances is None:
        return None
    row = predecessors if predecessors.ndim == 1 else predecessors[source]
    return paths.path_that_adds_up(
        result.graph, row, distances if distances.ndim == 1 else distances[source], source, target
    )


def from_source(result: Result, source: int | None) -> Result:
    """A result for all pairs with the predecessors from another source, where it has any."""
    if result.searched is not None:
        searched = from_source(result.searched, source)
        row = searched.predecessors
        own = None if row is None else searched_graph(result.graph).predecessors(row)
        return replace(result, source=source, predecessors=own, searched=searched)
    known = result.predecessors is not None and result.distances is not None
    row = (
        paths.recover_predecessors(result.graph, source, result.distances[source])
        if known and result.distances is not None and source is not None
        else None
    )
    return replace(result, source=source, predecessors=row)


def trace_on_network(
    trace: ActivityTrace | MatrixTrace, translation: SearchedGraph
) -> ActivityTrace | MatrixTrace:
    """The trace with vertices of the network; each once in a frontier."""
    if isinstance(trace, MatrixTrace):
        made: ActivityTrace | MatrixTrace = replace(
            trace,
            n=translation.network.n,
            steps=tuple(_step_on_network(step, translation) for step in trace.steps),
        )
    else:
        made = _activity_on_network(trace, translation)
    share_activity(trace, made)
    return made


def _activity_on_network(trace: ActivityTrace, translation: SearchedGraph) -> ActivityTrace:
    n, length = translation.network.n, len(trace)
    when = repeated(np.arange(length), np.diff(trace.offsets))
    keys = np.unique(when * n + translation.vertex_of[trace.vertices])
    when, vertices = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    first, last = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    first[vertices[::-1]], last[vertices] = when[::-1], when
    counts = np.bincount(when, minlength=length)
    distances = None
    if trace.distances is not None:
        distances = np.full((len(trace.distances), n), np.inf)
        np.minimum.at(distances.T, translation.vertex_of, trace.distances.T)
    return replace(
        trace,
        offsets=offsets_of(counts),
        vertices=vertices,
        first_active=first,
        last_active=last,
        active=counts.astype(np.int64) if trace.stride == 1 else trace.active,
        distances=distances,
    )


def _step_on_network(step: MatrixStep, translation: SearchedGraph) -> MatrixStep:
    """The step with the rows of the network's vertices and the columns of those that stand for
    them as targets; of a downsampled matrix, its part with these rows.
    """
    n, shown = translation.network.n, step.snapshot
    tiles = np.minimum(step.tiles, n)
    tiles = tiles[(tiles[:, 0] < tiles[:, 1]) & (tiles[:, 2] < tiles[:, 3])]
    if shown is not None and len(shown) == translation.searched.n:
        shown = np.ascontiguousarray(shown[:n][:, translation.end_of])
    elif shown is not None:
        size = -(-len(shown) * n // translation.searched.n)
        shown = np.ascontiguousarray(shown[:size, :size])
    return replace(step, tiles=tiles, snapshot=shown)
