"""Distances of reopened results: computed anew, and used only if they have the kept hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from solvers.core.result import Result, Status
from solvers.core.variant import Answers
from solvers.graphs.derived import hash_of_distances
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import converted
from solvers.running.network_results import on_network
from solvers.system.array_types import AnyArray
from solvers.system.cancel import SILENT, Progress
from solvers.verification.paths import recover_predecessors
from solvers.verification.reference import reference_distances


def with_distances(results: Sequence[Result], progress: Progress = SILENT) -> tuple[Result, ...]:
    """Reopened results with distances and predecessors, where the distances computed
    anew have the stored hash.

    One reference solution serves all: single-source variants that were right agree.
    All-pairs and one-path results stay as they are. Raises Cancelled.
    """
    wanted = {r.stored.distances_sha256 for r in results if r.stored is not None and _has_row(r)}
    source = results[0].source if results else None
    if not wanted or source is None:
        return tuple(results)
    translation = searched_graph(results[0].graph)
    graph = translation.searched
    found = reference_distances(graph, source, progress)
    if found is None or (digest := hash_of_distances(translation.distances(found))) not in wanted:
        return tuple(results)
    distances = _narrowed(graph, found)
    predecessors = recover_predecessors(graph, source, distances)

    def solved(result: Result) -> Result:
        own = replace(
            result,
            graph=graph,
            target=None if result.target is None else translation.end(result.target),
            distances=distances,
            predecessors=predecessors,
            path=None,
            verdict=None,
        )
        shown = on_network(own, translation, result.target)
        return replace(shown, path=result.path, verdict=result.verdict)

    return tuple(
        solved(result)
        if result.stored is not None
        and result.stored.distances_sha256 == digest
        and _has_row(result)
        else result
        for result in results
    )


def _has_row(result: Result) -> bool:
    return result.variant.answers is Answers.SSSP and result.status is Status.OK


def _narrowed(graph: Graph, distances: AnyArray) -> AnyArray:
    """Reference distances in the graph's distance type, with its infinity."""
    kind = graph.distance_type
    return distances if kind.dtype == distances.dtype else converted(distances, kind)
