"""Writes a run into the store while it is under way, so that a process that is killed
loses only the current trial.

The row of a trial is written in the run's thread, after the trial and before the next
one: nothing is written while a solver runs. The cost is measured in
``tests/benchmarks/``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, cached_property

from solvers.core.result import Result, Trial
from solvers.core.variant import Variant, find_variant
from solvers.errors import StoreUnavailable, UnknownName
from solvers.features.kept_runs.store.database import connect, refusal
from solvers.features.kept_runs.store.rows import (
    Statement,
    run_insertion,
    transaction,
    trial_insertion,
    variant_insertions,
)
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime
from solvers.running.kept_results import kept_choice, kept_variant
from solvers.running.kept_run import GraphFacts, GraphSource, KeptRun, MachineFacts
from solvers.running.request import RunFollower, RunRequest
from solvers.version import __version__

_MOST_TIMES = 50  # of one graph, the newest: their runs are read with all trials


class RunRecorder(RunFollower):
    """Records one run. All its methods are called in the run's thread; a store that
    fails does not end the run.

    Whatever cannot be written is tried again when the variant has ended. ``origin`` is
    "window" or "command line". The ``run_id`` is that of the results; ``problem`` is why
    some of the run is not in the store, and once the run has ``ended`` in any way, no more is
    written. Without a store nothing is.
    """

    def __init__(
        self,
        store: RunStore | None,
        request: RunRequest,
        origin: str,
        graph_source: GraphSource | None = None,
        name: str = "",
        experiment: str = "",
        run_id: str = "",
    ):
        from solvers.running.run import new_run_id

        self.run_id = run_id or new_run_id()
        self.problem: StoreUnavailable | None = None
        self.ended = False
        self._store, self._request = store, request
        self._origin, self._graph_source, self._name = origin, graph_source, name
        self._experiment = experiment
        self._positions = {choice.variant.id: i for i, choice in enumerate(request.choices)}
        self._connection: sqlite3.Connection | None = None
        self._pending: list[Statement] = []

    @property
    def keeps_trials(self) -> bool:
        return self._store is not None and self.problem is None

    def follow(self, results: Iterator[Result]) -> Generator[Result, None, None]:
        """Pass the results of the run on; each is in the store before the caller gets it."""
        try:
            self._write(run_insertion(self.kept_run))
            if "auto" in self._positions:
                self._request.graph.cached("kept times", self._tell_kept_times)
            for result in results:
                position = self._positions[result.variant.id]
                # all trials again: also one that failed, for which there was no event
                self._write(*variant_insertions(self.run_id, position, kept_variant(result)))
                yield result
            self._write(("UPDATE runs SET ended_utc = ? WHERE run_id = ?", (_now(), self.run_id)))
        finally:
            self.close()

    def _tell_kept_times(self) -> bool:
        """Have the automatic choice know what variants on their defaults took on this graph."""
        from solvers.algorithms.auto.costs import COSTS
        from solvers.algorithms.auto.evidence import key_of, note_run

        graph, device = self._request.graph, self._request.device
        if self._store is None:
            return False
        run_of, left = cache(self._store.run), _MOST_TIMES
        for time in self._store.earlier_times(COSTS):
            variant = find_variant(time.variant_id)
            used = device if variant.runs_on.takes_device else None
            is_alike = time.is_of(used) and time.parameters == variant.settle({})
            if is_alike and time.source is not None and time.graph_sha256 == graph.sha256:
                key, source = key_of(variant, used, stays=False), graph.vertex(time.source)
                least = self._least_ms(run_of, time)
                # no first time, which would not count
                note_run(variant, graph, source, key, (least, least))
                left -= 1
            if not left:
                break
        return True

    @staticmethod
    def _least_ms(run_of: Callable[[str], KeptRun], time: EarlierTime) -> float:
        """The least time of a variant in a kept run; the median if the run has been deleted
        meanwhile.
        """
        with suppress(StoreUnavailable, UnknownName):
            alike = (
                kept
                for kept in run_of(time.run_id).variants
                if kept.variant == time.variant_id and kept.parameters == time.parameters
            )
            return min((ms for kept in alike for ms in kept.times()), default=time.total_ms)
        return time.total_ms

    def close(self) -> None:
        """Write no more; called by `follow`, and directly if the run did not get that far."""
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
