"""The window's model: open graph, choices and results. No widgets; views connect to its signals.

Panels change the session, never each other: a click in a chart selects a result here, and signals update the table,
the tree and the canvas.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from gui.model.live_state import LiveState
from gui.model.notice import Notice
from gui.model.results_aside import ResultsAside
from gui.model.road_state import RoadState
from gui.model.run_key import RunKey
from gui.model.run_state import IDLE, RunState
from gui.model.turns import Turns
from solvers.contracts import catalog
from solvers.contracts.availability import availability
from solvers.contracts.catalog import Answers
from solvers.contracts.results import Result, Trial
from solvers.contracts.trace import ActivityTrace, MatrixTrace
from solvers.devices.base import Device
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadReport
from solvers.graphs.road_changes import RoadChanges
from solvers.proof.paths import recover_row
from solvers.running.plan import ADAPTIVE, MeasurementPlan
from solvers.running.runner import Choice, RunRequest, route
from solvers.running.store.kept_run import GraphSource, KeptRun

_ERROR_INTERVAL_S = 1.0


class Session(QObject):
    """The open graph, the current problem and its results.

    Attributes
    ----------
    live : LiveState
        Live mode, whose answers are never results.
    turns : Turns
        For views that take long to follow, each of which does so in a turn of the event loop of its own.

    Signals
    -------
    graph_changed()
        Another graph (or none) is open; endpoints and results have been reset.
    weights_changed()
        The open network has other weights; end points and places are the same. Comes before `endpoints_changed`.
    endpoints_changed()
        The source, the target or the roads changed; results that do not answer the new question have been set aside.
    choices_changed()
        The set of ticked variants or a parameter changed.
    device_changed()
    results_changed()
        A result was added or replaced, or all were cleared.
    selection_changed()
        Another variant (`selected_id`), with or without a result (`selected`), is selected.
    plan_changed()
        The number of warm-ups or trials, or the time limit, of the next run changed.
    vertex_selected()
        Another vertex, or none, is selected in the picture.
    run_state_changed()
        A run began or ended, or `queued`, `running_variant`, `live_trials` or `expected_end` changed during one.
    noticed(Notice)
        A message for the user.
    """

    graph_changed = Signal()
    weights_changed = Signal()
    endpoints_changed = Signal()
    choices_changed = Signal()
    device_changed = Signal()
    results_changed = Signal()
    selection_changed = Signal()
    plan_changed = Signal()
    vertex_selected = Signal()
    run_state_changed = Signal()
    noticed = Signal(object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.turns = Turns(self)
        self.live = LiveState(self)
        self.roads = RoadState(self)
        self._graph: Graph | None = None
        self._whole: Graph | None = None
        self._report: ReadReport | None = None
        self._graph_source = GraphSource()
        self._source: int | None = None
        self._target: int | None = None
        self._device: Device | None = None
        self._chosen: set[str] = set()
        self._parameters: dict[str, dict[str, object]] = {}
        self._results: dict[str, Result] = {}
        self._stored_run: KeptRun | None = None
        self._selected_id: str | None = None
        self._baseline_id: str | None = None
        self._plan = ADAPTIVE
        self._aside = ResultsAside()
        self._selected_vertex: int | None = None
        self._run_state = IDLE
        self._last_error: tuple[object, float] = (None, 0.0)

    # -- the graph ---------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph | None:
        """The open graph, with its closed and slowed roads: what is solved."""
        return self._graph

    @property
    def whole_graph(self) -> Graph | None:
        """The graph as it was opened."""
        return self._whole

    @property
    def graph_source(self) -> GraphSource:
        """The file, or the generator, that the graph came from; an empty one if it is not known."""
        return self._graph_source

    @property
    def report(self) -> ReadReport | None:
        """The read report; None for a generated graph."""
        return self._report

    def open_graph(self, graph: Graph, report: ReadReport | None = None, source: GraphSource | None = None) -> None:
        """Open another graph: drops all results; source and target become the first and the last vertex."""
        self._graph, self._report, self._graph_source = graph, report, source or GraphSource()
        self._whole = graph
        self.roads.forget()
        self._source = 0 if graph.n else None
        self._target = graph.n - 1 if graph.n > 1 else None
        self._results.clear()
        self._aside.clear()
        self._baseline_id = None
        self._selected_vertex = None
        self.graph_changed.emit()
        self.vertex_selected.emit()
        self.endpoints_changed.emit()
        self.results_changed.emit()
        self.selection_changed.emit()

    def apply_roads(self, changes: RoadChanges, graph: Graph) -> None:
        """Solve on ``graph``, which ``changes`` make of `whole_graph`; results on another graph are set aside."""
        if graph is not self._graph:
            self._graph = graph
            self.roads.set_applied(changes)
            self._exchange_results()
            self.roads.applied.emit()
            self.endpoints_changed.emit()

    def exchange_weights(self, name: str, graph: Graph) -> None:
        """Solve on ``graph``, the open network with the weights of that name; results for others are set aside.

        Changes to roads are to be applied to it again.
        """
        self._whole = self._graph = graph
        self._graph_source = replace(self._graph_source, reading=replace(self._graph_source.reading, weights=name))
        self.roads.set_applied(RoadChanges())
        self._exchange_results()
        self.roads.applied.emit()
        self.weights_changed.emit()
        self.endpoints_changed.emit()

    # -- the question ------------------------------------------------------------------------------------------------

    @property
    def source(self) -> int | None:
        """Vertex index of the source."""
        return self._source

    @property
    def target(self) -> int | None:
        """Vertex index of the target; None if only distances are wanted."""
        return self._target

    def set_source(self, vertex: int | None) -> None:
        """Set the source: all-pairs results stay; others are set aside until their source is set again."""
        self.set_endpoints(vertex, self._target)

    def set_target(self, vertex: int | None) -> None:
        """Set the target: results with all distances stay and get new paths; others are set aside."""
        self.set_endpoints(self._source, vertex)

    def swap_endpoints(self) -> None:
        if self._source is not None and self._target is not None:
            self.set_endpoints(self._target, self._source)

    @property
    def has_results_aside(self) -> bool:
        """Whether results for other end points are kept."""
        return bool(self._aside)

    def set_endpoints(self, source: int | None, target: int | None) -> None:
        """Set both end points; results that were set aside return if they answer this question."""
        if (source, target) != (self._source, self._target):
            self._source, self._target = source, target
            self._exchange_results()
            self.endpoints_changed.emit()

    @property
    def selected_vertex(self) -> int | None:
        """Index of the vertex selected in the picture, whose card is open."""
        return self._selected_vertex

    def select_vertex(self, vertex: int | None) -> None:
        if vertex != self._selected_vertex:
            self._selected_vertex = vertex
            self.vertex_selected.emit()

    @property
    def device(self) -> Device | None:
        """The device that kernels run on; None if none was found."""
        return self._device

    def set_device(self, device: Device | None) -> None:
        if device is not self._device:
            self._device = device
            self.device_changed.emit()

    @property
    def chosen_ids(self) -> tuple[str, ...]:
        """Ids of the ticked variants, in the order of the catalogue."""
        return tuple(v.id for v in catalog.variants() if v.id in self._chosen)

    def is_chosen(self, variant_id: str) -> bool:
        return variant_id in self._chosen

    def choose(self, variant_id: str, chosen: bool = True) -> None:
        """Tick or untick a variant."""
        if chosen == (variant_id in self._chosen):
            return
        if chosen:
            self._chosen.add(variant_id)
        else:
            self._chosen.remove(variant_id)
        self.choices_changed.emit()

    def choose_only(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants and no others, with one signal for all."""
        wanted = set(variant_ids)
        if wanted != self._chosen:
            self._chosen = wanted
            self.choices_changed.emit()

    def parameters(self, variant_id: str) -> Mapping[str, Any]:
        """The variant's parameters: the defaults, overridden by the user's values."""
        return catalog.find(variant_id).settle(self._parameters.get(variant_id, {}))

    def set_parameter(self, variant_id: str, name: str, value: object) -> None:
        """Set one parameter.

        Raises
        ------
        ParameterError, UnknownName
        """
        proposed = {**self._parameters.get(variant_id, {}), name: value}
        catalog.find(variant_id).settle(proposed)
        self._parameters[variant_id] = proposed
        self.choices_changed.emit()

    def choices(self) -> tuple[Choice, ...]:
        """The ticked variants with their parameters, for a run."""
        return tuple(Choice(catalog.find(i), self.parameters(i)) for i in self.chosen_ids)

    @property
    def plan(self) -> MeasurementPlan:
        """Warm-ups, trials and time limit of the next run."""
        return self._plan

    def set_plan(self, plan: MeasurementPlan) -> None:
        if plan != self._plan:
            self._plan = plan
            self.plan_changed.emit()

    def request(self) -> RunRequest | None:
        """What Run runs; None without a graph or a ticked variant."""
        choices = self.choices()
        if self._graph is None or not choices:
            return None
        return RunRequest(self._graph, self._source, self._target, choices, self._device, self._plan)

    # -- the run in progress -----------------------------------------------------------------------------------------

    @property
    def queued(self) -> tuple[str, ...]:
        """Ids of the variants of the run in progress that have not begun, in order."""
        return self._run_state.queued

    @property
    def running_variant(self) -> str | None:
        """Id of the variant being run; None if no run is in progress."""
        return self._run_state.running_variant

    @property
    def live_trials(self) -> tuple[Trial, ...]:
        """Finished trials of the variant being run, warm-ups included."""
        return self._run_state.live_trials

    @property
    def expected_end(self) -> float | None:
        """When the run is expected to end, in seconds of ``time.monotonic``; None if that is unknown."""
        return self._run_state.expected_end

    def set_run_state(self, state: RunState) -> None:
        if state != self._run_state:
            self._run_state = state
            self.run_state_changed.emit()

    # -- the answers -------------------------------------------------------------------------------------------------

    @property
    def results(self) -> tuple[Result, ...]:
        """The newest result of each variant, in order of arrival."""
        return tuple(self._results.values())

    def result(self, variant_id: str) -> Result | None:
        return self._results.get(variant_id)

    def add_result(self, result: Result) -> None:
        """Add a result, replacing an older one of the same variant; select it if none is selected.

        If the target changed during the run, the result's path is replaced by one to the current target.
        """
        self.add_results([result])

    def add_results(self, results: Iterable[Result], state: RunState | None = None) -> None:
        """Add several results as `add_result` does, with one signal for all; those of a stored run make room.

        ``state`` is that of the run from now on: set before the signal, so that views show both at once.
        """
        changes = state is not None and state != self._run_state
        if state is not None:
            self._run_state = state
        arrived = {result.variant.id: result for result in map(self._for_target, results) if result is not None}
        if arrived:
            self._add(arrived)
        if changes:
            self.run_state_changed.emit()

    def _add(self, arrived: Mapping[str, Result]) -> None:
        if self.stored_run is not None:
            self._results, self._stored_run = {}, None
        self._results |= arrived
        self._settle_baseline()
        self.results_changed.emit()
        if self._selected_id not in self._results:
            self._selected_id = next(iter(arrived))
        if self._selected_id in arrived:
            self.selection_changed.emit()

    def attach_trace(self, key: RunKey, trace: ActivityTrace | MatrixTrace) -> None:
        """Add the trace of a traced run to its result; times and verdict stay those of the timed runs.

        Does nothing if that result was dropped or replaced by a newer run's.
        """
        result = self._results.get(key.variant_id)
        if result is not None and RunKey.of(result) == key:
            self._results[key.variant_id] = replace(result, trace=trace)
            self.results_changed.emit()
            if key.variant_id == self._selected_id:
                self.selection_changed.emit()

    @property
    def stored_run(self) -> KeptRun | None:
        """The run from the store whose results are shown; None if they are of this session."""
        return self._stored_run if self._results else None

    def show_stored(self, run: KeptRun, results: Sequence[Result]) -> None:
        """Show a run of earlier in place of the current results, with its source and target.

        Parameters
        ----------
        run : KeptRun
        results : sequence of Result
            On the open graph.
        """
        first = results[0]
        moved = (first.source, first.target) != (self._source, self._target)
        if self.stored_run is None:
            self._aside.put(self._results.values(), self._baseline_id, None)
        self._results, self._stored_run, self._baseline_id = {}, None, None
        self._source, self._target = first.source, first.target
        if moved:
            self.endpoints_changed.emit()
        self._results = {result.variant.id: result for result in results}
        self._stored_run = run
        self._settle_baseline()
        self.results_changed.emit()
        if self._selected_id not in self._results:
            self._selected_id = first.variant.id
        self.selection_changed.emit()

    def clear_results(self) -> None:
        self._forget_results()

    @property
    def baseline(self) -> Result | None:
        """The result that speed-ups are measured against."""
        return self._results.get(self._baseline_id or "")

    def set_baseline(self, variant_id: str) -> None:
        if variant_id != self._baseline_id and variant_id in self._results:
            self._baseline_id = variant_id
            self.results_changed.emit()

    @property
    def selected_id(self) -> str | None:
        """Id of the variant selected in tree, table, charts and canvas."""
        return self._selected_id

    @property
    def selected(self) -> Result | None:
        """The selected variant's result; None if it has none."""
        return self._results.get(self._selected_id or "")

    @property
    def why_no_data_race(self) -> str:
        """Why the data race of the selected variant cannot be shown; "" if it can."""
        variant = catalog.find(self._selected_id) if self._selected_id else None
        if variant is None or not variant.racy:
            return "Select a variant with the tag racy: the others have no data race"
        return availability(variant, None, self.device).reason

    def select(self, variant_id: str | None) -> None:
        if variant_id != self._selected_id:
            self._selected_id = variant_id
            self.selection_changed.emit()

    def notice(self, notice: Notice) -> None:
        self.noticed.emit(notice)

    def notice_error(self, error: BaseException) -> None:
        """Tell the user of a failure; an error that comes again and again from one place, only once a second."""
        place, now = _place_of(error), time.monotonic()
        last_place, last_time = self._last_error
        if place == last_place and now - last_time < _ERROR_INTERVAL_S:
            return
        self._last_error = (place, now)
        self.notice(Notice.of(error, () if self._device is None else (self._device.name,)))

    def _for_target(self, result: Result) -> Result | None:
        """``result`` with a path to the current target; None if it answers another target only."""
        if result.target == self._target:
            return result
        return None if result.variant.answers is Answers.TARGET else self._rerouted(result)

    def _settle_baseline(self) -> None:
        """Make the first result with times the baseline, if the current one has none."""
        baseline = self.baseline
        if baseline is None or baseline.median() is None:
            timed = (key for key, result in self._results.items() if result.median() is not None)
            self._baseline_id = next(timed, None)

    def _forget_results(self) -> None:
        self._aside.clear()
        if self._results:
            self._results.clear()
            self._baseline_id = None
            self.results_changed.emit()
            self.selection_changed.emit()

    def _exchange_results(self) -> None:
        """Set aside results that do not answer the changed question, and bring back those that do."""
        before = self._results
        kept = [result for result in before.values() if self._answers_question(result)]
        dropped = [result for result in before.values() if not self._answers_question(result)]
        stored_run = self.stored_run
        shown_run = stored_run if kept else self._aside.latest_run(self._answers_question)
        returned = self._aside.take(
            lambda entry: entry.stored_run is shown_run and self._answers_question(entry.result)
        )
        self._aside.put(dropped, self._baseline_id, stored_run)
        newest = {entry.result.variant.id: entry.result for entry in returned}
        self._results = {
            result.variant.id: self._rerouted(result)
            for result in sorted((newest | {r.variant.id: r for r in kept}).values(), key=lambda r: r.timestamp_utc)
        }
        if returned and not kept:
            self._baseline_id, self._stored_run = returned[-1].baseline_id, shown_run
        self._settle_baseline()
        if before or self._results:
            self.results_changed.emit()
            self.selection_changed.emit()

    def _answers_question(self, result: Result) -> bool:
        """Whether a result holds for the current end points."""
        if result.graph is not self._graph:
            return False
        if result.distances is not None and result.distances.ndim == 2:
            return True
        if result.source != self._source:
            return False
        return _answers_any_target(result) or result.target == self._target

    def _rerouted(self, result: Result) -> Result:
        """``result`` with a path between the current end points; for all pairs also from another source."""
        distances, source = result.distances, self._source
        if (result.source, result.target) == (source, self._target):
            return result
        if distances is not None and distances.ndim == 2 and result.source != source:
            known = result.predecessors is not None
            row = recover_row(result.graph, distances, source) if known and source is not None else None
            result = replace(result, source=source, predecessors=row)
        return replace(result, target=self._target, path=route(result, self._target))


def _answers_any_target(result: Result) -> bool:
    """False for one-path results, and for those of a stored run whose distances are not known."""
    return result.variant.answers is not Answers.TARGET and (result.stored is None or result.distances is not None)


def _place_of(error: BaseException) -> object:
    """Type, text and line of an error, which tell it from others without keeping it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return type(error), str(error), line
