"""Results become values that are kept, and kept runs become results again: on the graph
that they were computed on, once it is open again; or for the writers of tables, which
need neither the graph nor the variant itself. Distances are not kept: those of one run
of a road network would be megabytes, and every run would repeat them. Their hash, the
distance to the target and the path are kept (`solvers/features/kept_runs/reopening.py`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.core.problem import Problem, Solution
from solvers.core.result import Result, Status, StoredAnswer, measured_fields
from solvers.core.variant import Answers, Citation, Variant, WorkMapping, answers_of, find_variant
from solvers.errors import UnknownName, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.running.kept_run import GraphFacts, KeptRun, KeptVariant, MachineFacts
from solvers.system import machine
from solvers.system.array_types import Int32s
from solvers.units import public_unit, to_internal_unit
from solvers.version import __version__

_INTERRUPTED = "Tautpath ended during this run; the trials before that were kept."


def kept_choice(
    variant: Variant, parameters: Mapping[str, Any], device: str, driver: str, started_utc: str
) -> KeptVariant:
    """A variant that is about to run."""
    return KeptVariant(
        variant.id,
        variant.algorithm,
        variant.runs_on,
        "; ".join(map(str, variant.papers)),
        dict(parameters),
        started_utc,
        device_name=device,
        driver=driver,
    )


def kept_run(result: Result, experiment: str = "") -> KeptRun:
    """The run of a result, without its variants, as tables name it."""
    stored, graph = result.stored, result.graph
    ends = [None if v is None else graph.vertex_id(v) for v in (result.source, result.target)]
    source, target = (one if isinstance(one, int) else None for one in ends)
    names = ("" if one is None or isinstance(one, int) else str(one) for one in ends)
    return KeptRun(
        result.run_id,
        result.timestamp_utc,
        __version__ if stored is None else stored.app_version,
        "",
        GraphFacts.of(graph),
        source,
        target,
        MachineFacts(machine.cpu_name())
        if stored is None
        else MachineFacts(stored.cpu, host=stored.host),
        (),
        "",
        "",
        False,
        experiment,
        *names,
    )


def kept_variant(result: Result) -> KeptVariant:
    """A finished result; `Result.trace` and the arrays are left out."""
    ids = result.graph.ids
    begun = kept_choice(
        result.variant, result.parameters, result.device_name, result.driver, result.timestamp_utc
    )
    return replace(
        begun,
        target_distance=result.target_distance,
        distances_sha256=result.fingerprint,
        path=() if result.path is None else tuple(ids[result.path].tolist()),
        cycle=tuple(ids[list(result.cycle)].tolist()),
        **measured_fields(result),
    )


def results_on(graph: Graph, run: KeptRun) -> tuple[Result, ...]:
    """The results of a kept run, for table, charts and picture, on a graph with the run's hash.

    Variants that this version does not know are left out, as are those that were not
    finished before the first trial. Raises UnknownVertex if the graph does not have a
    vertex of the run.
    """
    source, target = (
        None if v is None else int(vertices_of(graph, (v,))[0]) for v in (run.source, run.target)
    )
    found = []
    for kept in run.variants:
        try:
            variant = find_variant(kept.variant)
        except UnknownName:
            continue
        if kept.status is None and not kept.trials:
            continue
        found.append(result_on(graph, source, target, run, kept, variant))
    return tuple(found)


def result_on(
    graph: Graph,
    source: int | None,
    target: int | None,
    run: KeptRun,
    kept: KeptVariant,
    variant: Variant,
) -> Result:
    interrupted = {} if kept.status else {"status": Status.CANCELLED, "error": _INTERRUPTED}
    stored = StoredAnswer(
        _distance_on(graph, run, kept),
        kept.distances_sha256,
        run.app_version,
        run.machine.cpu,
        run.machine.host,
    )
    return Result(
        variant=variant,
        parameters=kept.parameters,
        graph=graph,
        source=source,
        target=target,
        cycle=tuple(vertices_of(graph, kept.cycle).tolist()),
        path=vertices_of(graph, kept.path) if kept.path else None,
        run_id=run.run_id,
        timestamp_utc=kept.started_utc,
        stored=stored,
        **measured_fields(kept) | interrupted,
    )


def _distance_on(graph: Graph, run: KeptRun, kept: KeptVariant) -> int | float | None:
    """The target's distance in the graph's unit; runs read from a table have the public one."""
    distance, unit = kept.target_distance, run.graph.weight_unit
    if distance is None or unit == graph.weight_unit or unit != public_unit(graph.weight_unit):
        return distance
    tenths = to_internal_unit(distance, graph.weight_unit)
    return int(tenths) if graph.weight_type.is_integer and math.isfinite(tenths) else tenths


def vertices_of(graph: Graph, ids: Sequence[int]) -> Int32s:
    """Vertex indices of ids of the file; raises UnknownVertex."""
    wanted = np.array(ids, dtype=np.int64)
    positions = np.searchsorted(graph.ids, wanted)
    found = graph.ids[np.minimum(positions, len(graph.ids) - 1)] == wanted
    if not found.all():
        raise UnknownVertex(int(wanted[~found][0]), ())
    return positions.astype(np.int32)


def results_of(run: KeptRun) -> tuple[Result, ...]:
    """The results of a kept run, also of variants that this version does not know."""
    graph = UnopenedGraph.of(run)
    return tuple(
        result_on(
            graph,
            _index(graph, run.source),
            _index(graph, run.target),
            run,
            kept,
            _variant_named(kept),
        )
        for kept in run.variants
    )


def _index(graph: Graph, vertex_id: int | None) -> int | None:
    return None if vertex_id is None else int(np.searchsorted(graph.ids, vertex_id))


def _variant_named(kept: KeptVariant) -> Variant:
    """A variant with name, algorithm, place and papers as kept: those of the catalogue
    may have changed.
    """
    return Variant(
        id=kept.variant,
        title=kept.variant,
        algorithm=kept.algorithm,
        answers=answers_of(kept.variant) or Answers.SSSP,
        runs_on=kept.runs_on,
        mapping=WorkMapping.CHOSEN_LATER,
        idea="",
        papers=(Citation(kept.paper),) if kept.paper else (),
        function=_cannot_run,
    )


def _cannot_run(problem: Problem) -> Solution:
    raise UnknownName("variant", "of an earlier version")


class UnopenedGraph(Graph):
    """Stands for the graph of a kept run whose file is not open: name, size and hash as
    kept, but no arcs.

    Its vertices are only those that the run names.
    """

    _facts: GraphFacts
    _names: dict[int | None, str]

    @classmethod
    def of(cls, run: KeptRun) -> UnopenedGraph:
        named = {run.source, run.target} - {None}
        for kept in run.variants:
            named.update(kept.path, kept.cycle)
        facts = run.graph
        graph = cls(
            np.zeros(len(named) + 1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=facts.weight_type),
            ids=np.array(sorted(v for v in named if v is not None), dtype=np.int64),
            name=facts.name,
            weight_unit=facts.weight_unit,
            interpretation=facts.interpretation,
        )
        object.__setattr__(graph, "_facts", facts)
        names = ((run.source, run.source_name), (run.target, run.target_name))
        object.__setattr__(graph, "_names", {vertex: name for vertex, name in names if name})
        return graph

    def vertex_id(self, vertex: int) -> Hashable:
        number = int(self.ids[vertex])
        return self._names.get(number, number)

    @property
    def n(self) -> int:
        return self._facts.vertices

    @property
    def m(self) -> int:
        return self._facts.arcs

    @property
    def sha256(self) -> str:
        return self._facts.sha256
