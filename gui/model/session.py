"""The window's model: open graph, choices and results. No widgets; views connect to its signals.

Panels change the session, never each other: a click in a chart selects a result here, and signals update the table,
the tree and the canvas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from gui.model.choices import Choices
from gui.model.live import LiveState
from gui.model.notice import Notice, RepeatedErrors
from gui.model.results import IDLE, Question, ResultsShown, RunKey, RunState
from gui.model.roads import RoadState
from gui.model.window_thread import WindowThread
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.devices.device import Device
from solvers.errors import UnknownVertex
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadReport
from solvers.graphs.road_changes import RoadChanges
from solvers.running.request import RunRequest
from solvers.running.store.kept_run import GraphSource, KeptRun


class Session(QObject):
    """The open graph, the current problem and its results.

    Attributes
    ----------
    choices : Choices
        What is ticked, and how it is to be measured.
    live : LiveState
        Live mode, whose answers are never results.
    window : WindowThread
        For views that take long to follow, each of which does so in a turn of the event loop of its own.

    Signals
    -------
    graph_changed()
        Another graph (or none) is open; endpoints and results have been reset.
    weights_changed()
        The open network has other weights; end points and places are the same. Comes before `endpoints_changed`.
    endpoints_changed()
        The source, the target or the roads changed; results that do not answer the new question have been set aside.
    device_changed()
    results_changed()
        A result was added or replaced, or all were cleared.
    selection_changed()
        Another variant (`selected_id`), with or without a result (`selected`), is selected.
    vertex_selected()
        Another vertex, or none, is selected in the picture.
    run_state_changed()
        A run began or ended, or `run_state` changed during one.
    noticed(Notice)
        A message for the user.
    """

    graph_changed = Signal()
    weights_changed = Signal()
    endpoints_changed = Signal()
    device_changed = Signal()
    results_changed = Signal()
    selection_changed = Signal()
    vertex_selected = Signal()
    run_state_changed = Signal()
    noticed = Signal(object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.window = WindowThread(self)
        self.choices = Choices(self)
        self.live = LiveState(self)
        self.roads = RoadState(self)
        self._graph: Graph | None = None
        self._whole: Graph | None = None
        self._report: ReadReport | None = None
        self._graph_source = GraphSource()
        self._source: int | None = None
        self._target: int | None = None
        self._device: Device | None = None
        self._results = ResultsShown()
        self._selected_id: str | None = None
        self._selected_vertex: int | None = None
        self._run_state = IDLE
        self._errors = RepeatedErrors()

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
        """Open another graph: drops all results; source and target become the first and the last vertex.

        Whatever names vertices or holds answers is exchanged before the first signal, so that whoever hears of the
        graph finds nothing of the one before, in whichever order views and controllers hear of it.
        """
        self._graph, self._report, self._graph_source = graph, report, source or GraphSource()
        self._whole = graph
        self.roads.forget()
        self.live.take_up(graph)
        self._source = 0 if graph.n else None
        self._target = graph.n - 1 if graph.n > 1 else None
        self._results.clear()
        self._selected_vertex = None
        self.graph_changed.emit()
        self.roads.tell()
        self.live.tell()
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
        self.live.reweigh(graph)
        self._exchange_results()
        self.roads.applied.emit()
        self.live.tell()
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
        return self._results.has_aside

    def set_endpoints(self, source: int | None, target: int | None) -> None:
        """Set both end points; results that were set aside return if they answer this question.

        Raises
        ------
        UnknownVertex
            If the open graph has no vertex of such an index.
        """
        if self._graph is not None:
            for vertex in (source, target):
                if vertex is not None and not 0 <= vertex < self._graph.n:
                    raise UnknownVertex(f"index {vertex}", ())
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

    def request(self) -> RunRequest | None:
        """What Run runs; None without a graph or a ticked variant."""
        choices = self.choices.for_run()
        if self._graph is None or not choices:
            return None
        return RunRequest(self._graph, self._source, self._target, choices, self._device, self.choices.plan)

    # -- the run in progress -----------------------------------------------------------------------------------------

    @property
    def run_state(self) -> RunState:
        """The variant being run, its trials so far, and the variants that wait."""
        return self._run_state

    def set_run_state(self, state: RunState) -> None:
        if state != self._run_state:
            self._run_state = state
            self.run_state_changed.emit()

    # -- the answers -------------------------------------------------------------------------------------------------

    @property
    def results(self) -> tuple[Result, ...]:
        """The newest result of each variant, in order of arrival."""
        return self._results.all

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
        arrived = {
            result.variant.id: result for result in map(self._question.for_target, results) if result is not None
        }
        if arrived:
            self._results.add(arrived)
            self.results_changed.emit()
            if self._selected_id not in self._results:
                self._selected_id = next(iter(arrived))
            if self._selected_id in arrived:
                self.selection_changed.emit()
        if changes:
            self.run_state_changed.emit()

    def attach_trace(self, key: RunKey, trace: ActivityTrace | MatrixTrace) -> None:
        """Add the trace of a traced run to its result; times and verdict stay those of the timed runs.

        Does nothing if that result was dropped or replaced by a newer run's.
        """
        if self._results.attach_trace(key, trace):
            self.results_changed.emit()
            if key.variant_id == self._selected_id:
                self.selection_changed.emit()

    @property
    def stored_run(self) -> KeptRun | None:
        """The run from the store whose results are shown; None if they are of this session."""
        return self._results.stored_run

    def show_stored(self, run: KeptRun, results: Sequence[Result]) -> None:
        """Show a run of earlier, with its source and target, in place of the current results.

        ``results`` are those of that run, on the open graph.
        """
        first = results[0]
        moved = (first.source, first.target) != (self._source, self._target)
        self._results.set_aside()
        self._source, self._target = first.source, first.target
        if moved:
            self.endpoints_changed.emit()
        self._results.show_stored(run, results)
        self.results_changed.emit()
        if self._selected_id not in self._results:
            self._selected_id = first.variant.id
        self.selection_changed.emit()

    def clear_results(self) -> None:
        if self._results.clear():
            self.results_changed.emit()
            self.selection_changed.emit()

    @property
    def baseline(self) -> Result | None:
        """The result that speed-ups are measured against."""
        return self._results.baseline

    def set_baseline(self, variant_id: str) -> None:
        if self._results.set_baseline(variant_id):
            self.results_changed.emit()

    @property
    def selected_id(self) -> str | None:
        """Id of the variant selected in tree, table, charts and canvas."""
        return self._selected_id

    @property
    def selected(self) -> Result | None:
        """The selected variant's result; None if it has none."""
        return self._results.get(self._selected_id or "")

    def select(self, variant_id: str | None) -> None:
        if variant_id != self._selected_id:
            self._selected_id = variant_id
            self.selection_changed.emit()

    def notice(self, notice: Notice) -> None:
        self.noticed.emit(notice)

    def notice_error(self, error: BaseException) -> None:
        """Tell the user of a failure; an error that comes again and again from one place, only once a second."""
        if not self._errors.is_repeated(error):
            self.notice(Notice.of(error, () if self._device is None else (self._device.name,)))

    def _exchange_results(self) -> None:
        """Set aside results that do not answer the changed question, and bring back those that do."""
        if self._results.exchange(self._question):
            self.results_changed.emit()
            self.selection_changed.emit()

    @property
    def _question(self) -> Question:
        return Question(self._graph, self._source, self._target)
