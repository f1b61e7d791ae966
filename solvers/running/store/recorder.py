"""Writes a run into the store while it is under way, so that a process that is killed
loses only the current trial.

The row of a trial is written in the run's thread, after the trial and before the next
one: nothing is written while a solver runs. The cost is measured in
``tests/benchmarks/``.

Results become values of the store, and kept runs become results again: on the graph
that they were computed on, once it is open again; or for the writers of tables, which
need neither the graph nor the variant itself. Distances are not kept: those of one run
of a road network would be megabytes, and every run would repeat them. Their hash, the
distance to the target and the path are kept; `with_distances` computes distances anew
and uses them only if they have the hash.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from solvers.core.problem import Problem, Solution
from solvers.core.result import Result, Status, StoredAnswer, Trial, measured_fields
from solvers.core.variant import (
    Answers,
    Citation,
    Variant,
    WorkMapping,
    answers_of,
    find_variant,
)
from solvers.errors import StoreUnavailable, UnknownName, UnknownVertex
from solvers.graphs.derived import hash_of_distances
from solvers.graphs.graph import Graph
from solvers.graphs.junctions import junctions_of
from solvers.graphs.weights import weight_type
from solvers.running.junction_answers import on_junctions
from solvers.running.request import RunListener, RunRequest
from solvers.running.run import new_run_id
from solvers.running.store.database import connect, refusal
from solvers.running.store.kept_run import (
    GraphFacts,
    GraphSource,
    KeptRun,
    KeptVariant,
    MachineFacts,
)
from solvers.running.store.rows import (
    Statement,
    run_insertion,
    transaction,
    trial_insertion,
    variant_insertions,
)
from solvers.running.store.run_store import RunStore
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.cancel import SILENT, Progress
from solvers.units import public_unit, to_internal_unit
from solvers.verification.paths import recover_predecessors
from solvers.verification.reference import reference_distances
from solvers.version import __version__

_INTERRUPTED = "Tautpath ended during this run; the trials before that were kept."


class RunRecorder(RunListener):
    """Records one run. All its methods are called in the run's thread; a store that
    fails does not end the run.

    Whatever cannot be written is tried again when the variant has ended. ``origin`` is
    "window" or "command line". The ``run_id`` is to be passed to
    `solvers.running.run.run`; ``problem`` is why some of the run is not in the store,
    and once the run has ``ended`` in any way, no more is written. Without a store nothing is.
    """

    def __init__(
        self,
        store: RunStore | None,
        request: RunRequest,
        origin: str,
        graph_source: GraphSource | None = None,
        name: str = "",
        experiment: str = "",
    ):
        self.run_id = new_run_id()
        self.problem: StoreUnavailable | None = None
        self.ended = False
        self._store, self._request = store, request
        self._origin, self._graph_source, self._name = origin, graph_source, name
        self._experiment = experiment
        self._positions = {choice.variant.id: i for i, choice in enumerate(request.choices)}
        self._connection: sqlite3.Connection | None = None
        self._pending: list[Statement] = []

    def record(self, results: Iterator[Result]) -> Generator[Result, None, None]:
        """Pass the results of the run on; each is in the store before the caller gets it."""
        try:
            self._write(run_insertion(self.kept_run))
            for result in results:
                position = self._positions[result.variant.id]
                # all trials again: also one that failed, for which there was no event
                self._write(*variant_insertions(self.run_id, position, kept_variant(result)))
                yield result
            self._write(("UPDATE runs SET ended_utc = ? WHERE run_id = ?", (_now(), self.run_id)))
        finally:
            self.close()

    def close(self) -> None:
        """Write no more; called by `record`, and directly if the run did not get that far."""
        if self._connection is not None:
            # copies the log into the file, if no other program has it open
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        self.ended = True

    def measuring_begins(self, variant: Variant) -> None:
        position = self._positions[variant.id]
        device = self._request.device if variant.runs_on.takes_device else None
        name, driver = (device.name, device.driver) if device is not None else ("", "")
        parameters = variant.settle(self._request.choices[position].parameters)
        kept = kept_choice(variant, parameters, name, driver, _now())
        self._write(*variant_insertions(self.run_id, position, kept))

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        row = trial_insertion(self.run_id, self._positions[variant.id], trial)
        if self.problem is None:
            self._write(row)
        else:
            # waiting for a locked store after every trial would take long
            self._pending.append(row)

    def _write(self, *statements: Statement) -> None:
        """Write these rows, and those that could not be written before, in one transaction."""
        if self._store is None:
            return
        self._pending += statements
        try:
            if self._connection is None:
                self._connection = connect(self._store.own_path, checkpoints=False)
            with transaction(self._connection):
                for sql, values in self._pending:
                    self._connection.execute(sql, values)
        except StoreUnavailable as error:
            self.problem = error
        except sqlite3.Error as error:
            self.problem = StoreUnavailable(self._store.own_path, refusal(error))
        else:
            self._pending.clear()
            self.problem = None

    @cached_property
    def kept_run(self) -> KeptRun:
        """The run without its variants, as it is written at its beginning."""
        request, ids = self._request, self._request.graph.ids
        source, target = (
            None if v is None else int(ids[v]) for v in (request.source, request.target)
        )
        names = tuple(_name(request.graph, vertex) for vertex in (request.source, request.target))
        graph = GraphFacts.of(request.graph, self._graph_source)
        return KeptRun(
            self.run_id,
            _now(),
            __version__,
            self._origin,
            graph,
            source,
            target,
            MachineFacts.here(),
            name=self._name,
            experiment=self._experiment,
            source_name=names[0],
            target_name=names[1],
        )


def _name(graph: Graph, vertex: int | None) -> str:
    """The name of a vertex; "" without one."""
    return graph.vertex_text(vertex) if vertex is not None and graph.has_labels else ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


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
    junctions = junctions_of(results[0].graph)
    graph = junctions.searched
    found = reference_distances(graph, source, progress)
    if found is None or (digest := hash_of_distances(junctions.distances(found))) not in wanted:
        return tuple(results)
    distances = _narrowed(graph, found)
    predecessors = recover_predecessors(graph, source, distances)

    def solved(result: Result) -> Result:
        own = replace(
            result,
            graph=graph,
            target=None if result.target is None else junctions.end(result.target),
            distances=distances,
            predecessors=predecessors,
            path=None,
            verdict=None,
        )
        shown = on_junctions(own, junctions, result.target)
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
    kind, found = graph.distance_type, weight_type(distances.dtype)
    if kind.dtype == distances.dtype:
        return distances
    return np.where(distances >= found.infinity, kind.infinity, distances).astype(kind.dtype)


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
