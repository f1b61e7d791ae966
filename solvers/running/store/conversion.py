"""Results as values of the store, and back: onto the graph that they were computed on, when it is open again.

Distances are not kept: those of one run of a road network would be megabytes, and every run would repeat them. What is
kept is their hash, the distance to the target and the path; `with_distances` computes them anew and takes them only if
they have the hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts import catalog
from solvers.contracts.catalog import Answers, Variant
from solvers.contracts.results import Result, Status, StoredAnswer
from solvers.errors import UnknownName, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.graphs.hashes import hash_of_distances
from solvers.graphs.weights import weight_type
from solvers.host.observer import SILENT, Observer
from solvers.proof.paths import recover_predecessors
from solvers.proof.reference import reference_distances
from solvers.running.store.kept_run import KeptRun, KeptVariant


def kept_choice(
    variant: Variant, parameters: Mapping[str, Any], device: str, driver: str, started_utc: str
) -> KeptVariant:
    """A variant that is about to run."""
    return KeptVariant(
        variant.id, variant.algorithm.value, variant.runs_on.value, "; ".join(map(str, variant.papers)),
        dict(parameters), device, driver, started_utc,
    )  # fmt: skip


def kept_variant(result: Result) -> KeptVariant:
    """A finished result; `Result.trace` and the arrays are left out."""
    variant, ids = result.variant, result.graph.ids
    distance = result.target_distance
    return KeptVariant(
        variant.id, variant.algorithm.value, variant.runs_on.value, "; ".join(map(str, variant.papers)),
        dict(result.parameters), result.device_name, result.driver, result.timestamp_utc, result.status, result.error,
        result.trials, result.verdict, result.iterations, result.relaxations, result.peak_device_bytes, result.note,
        distance, result.fingerprint,
        () if result.path is None else tuple(ids[result.path].tolist()), tuple(ids[list(result.cycle)].tolist()),
        result.cold_ms, result.load, result.disturbances, result.graph_upload_ms,
    )  # fmt: skip


def results_on(graph: Graph, run: KeptRun) -> tuple[Result, ...]:
    """The results of a kept run, for table, charts and picture.

    Variants that this version does not know are left out, as are those that were not finished before the first trial.

    Parameters
    ----------
    graph : Graph
        With the run's hash.

    Raises
    ------
    UnknownVertex
        If the graph does not have a vertex of the run.
    """
    source, target = (None if v is None else int(vertices_of(graph, (v,))[0]) for v in (run.source, run.target))
    found = []
    for kept in run.variants:
        try:
            variant = catalog.find(kept.variant)
        except UnknownName:
            continue
        if kept.status is None and not kept.trials:
            continue
        found.append(result_on(graph, source, target, run, kept, variant))
    return tuple(found)


def with_distances(results: Sequence[Result], observer: Observer = SILENT) -> tuple[Result, ...]:
    """Reopened results with distances and predecessors, where the distances computed anew have the stored hash.

    One reference solution serves all: single-source variants that were right agree. All-pairs and one-path results stay
    as they are.

    Raises
    ------
    Cancelled
    """
    wanted = {r.stored.distances_sha256 for r in results if r.stored is not None and _has_row(r)}
    source = results[0].source if results else None
    if not wanted or source is None:
        return tuple(results)
    graph = results[0].graph
    found = reference_distances(graph, source, observer)
    if found is None or (digest := hash_of_distances(found)) not in wanted:
        return tuple(results)
    distances = _narrowed(graph, found)
    predecessors = recover_predecessors(graph, source, distances)
    return tuple(
        replace(result, distances=distances, predecessors=predecessors)
        if result.stored is not None and result.stored.distances_sha256 == digest and _has_row(result)
        else result
        for result in results
    )


def _has_row(result: Result) -> bool:
    return result.variant.answers is Answers.SSSP and result.status is Status.OK


def _narrowed(graph: Graph, distances: NDArray[Any]) -> NDArray[Any]:
    """Reference distances in the graph's distance type, with its infinity."""
    kind, found = graph.distance_type, weight_type(distances.dtype)
    if kind.dtype == distances.dtype:
        return distances
    return np.where(distances >= found.infinity, kind.infinity, distances).astype(kind.dtype)


def result_on(
    graph: Graph, source: int | None, target: int | None, run: KeptRun, kept: KeptVariant, variant: Variant
) -> Result:
    interrupted = kept.status is None
    return Result(
        variant=variant,
        parameters=kept.parameters,
        graph=graph,
        source=source,
        target=target,
        device_name=kept.device,
        driver=kept.driver,
        status=Status.CANCELLED if kept.status is None else kept.status,
        error="Tautline ended during this run; the trials before that were kept." if interrupted else kept.error,
        trials=kept.trials,
        cold_ms=kept.cold_ms,
        graph_upload_ms=kept.graph_upload_ms,
        disturbances=kept.disturbances,
        load=kept.load,
        iterations=kept.iterations,
        relaxations=kept.relaxations,
        verdict=kept.verdict,
        cycle=tuple(vertices_of(graph, kept.cycle).tolist()),
        path=vertices_of(graph, kept.path) if kept.path else None,
        peak_device_bytes=kept.peak_device_bytes,
        note=kept.note,
        run_id=run.run_id,
        timestamp_utc=kept.started_utc,
        stored=StoredAnswer(
            kept.target_distance, kept.distances_sha256, run.app_version, run.machine.cpu, run.machine.host
        ),
    )


def vertices_of(graph: Graph, ids: Sequence[int]) -> NDArray[np.int32]:
    """Vertex indices of ids of the file.

    Raises
    ------
    UnknownVertex
    """
    wanted = np.array(ids, dtype=np.int64)
    positions = np.searchsorted(graph.ids, wanted)
    found = graph.ids[np.minimum(positions, len(graph.ids) - 1)] == wanted
    if not found.all():
        raise UnknownVertex(int(wanted[~found][0]), ())
    return positions.astype(np.int32)
