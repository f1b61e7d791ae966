"""The window's model: the open graph, the end points and the device. No widgets; views
connect to its signals.

Panels change the session and its parts, never each other: a click in a chart selects a
result in `Session.results`, whose signals update the table, the tree and the canvas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from gui.model.changes import Changes
from gui.model.notice import Notice, RepeatedErrors, Severity
from gui.model.question import Question
from gui.model.results import Results
from gui.model.unmeasured import UnmeasuredState
from gui.model.window_thread import WindowThread
from solvers.core.result import Result
from solvers.core.variant import all_variants, find_variant
from solvers.devices.device import Device
from solvers.errors import TautpathError, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.graphs.network import MOST_SOURCES, End, Ends, Network, Place
from solvers.graphs.readers import ReadReport
from solvers.graphs.road_changes import RoadChanges
from solvers.running.kept_run import GraphSource, KeptRun
from solvers.running.request import ADAPTIVE, Choice, MeasurementPlan, RunRequest
from solvers.system.kept import keep

_KEPT_CUTS = 8  # so that results return with undo


class Choices(QObject):
    """The ticked variants, the values that the user has given to parameters, and the
    plan of the next run.
    """

    changed = Signal()  # the set of ticked variants or a parameter changed
    variants_changed = Signal()  # variants of the user's own were added, replaced or removed
    # the number of warm-ups or trials, or the time limit, of the next run changed
    plan_changed = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._chosen: set[str] = set()
        self._lent: set[str] = set()
        self._own: set[str] | None = None  # the ticks before those lent
        self._parameters: dict[str, dict[str, object]] = {}
        self._plan = ADAPTIVE

    def own_changed(self) -> None:
        """Have all views follow changes of the user's own variants."""
        self.variants_changed.emit()
        self.changed.emit()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the ticked variants, in the order of the catalogue."""
        return tuple(variant.id for variant in all_variants() if variant.id in self._chosen)

    def is_chosen(self, variant_id: str) -> bool:
        return variant_id in self._chosen

    def choose(self, variant_id: str, chosen: bool = True) -> None:
        self.choose_only(self._chosen | {variant_id} if chosen else self._chosen - {variant_id})

    def choose_only(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants and no others, with one signal for all."""
        before, self._chosen = self._chosen, set(variant_ids)
        if self._chosen != before:
            self.changed.emit()

    def tick_temporarily(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants for the open graph only, as a sample does."""
        self._own = self._chosen if self._own is None else self._own
        self._lent = set(variant_ids)
        self.choose_only(self._lent)

    def restore_ticks(self) -> None:
        """Tick again what was ticked before `tick_temporarily`, unless ticks have changed since."""
        own = self.persistent_ids
        self._own = None
        self.choose_only(own)

    @property
    def persistent_ids(self) -> tuple[str, ...]:
        """As `ids`, but those before `tick_temporarily` while what it ticked is unchanged."""
        lasting = self._chosen if self._own is None or self._chosen != self._lent else self._own
        return tuple(variant.id for variant in all_variants() if variant.id in lasting)

    def choose_lasting(self, variant_ids: Iterable[str]) -> None:
        """Replace the ticks that persist; temporary ones stay until `restore_ticks`."""
        if self._own is None:
            self.choose_only(variant_ids)
        else:
            self._own = set(variant_ids)

    def parameters(self, variant_id: str) -> Mapping[str, Any]:
        """The variant's parameters: the defaults, overridden by the user's values."""
        return find_variant(variant_id).settle(self._parameters.get(variant_id, {}))

    def set_parameter(self, variant_id: str, name: str, value: object) -> None:
        """Set one parameter; raises ParameterError, UnknownName."""
        proposed = {**self._parameters.get(variant_id, {}), name: value}
        find_variant(variant_id).settle(proposed)
        self._parameters[variant_id] = proposed
        self.changed.emit()

    def for_run(self) -> tuple[Choice, ...]:
        """The ticked variants with their parameters."""
        return tuple(Choice(find_variant(i), self.parameters(i)) for i in self.ids)

    @property
    def plan(self) -> MeasurementPlan:
        """Warm-ups, trials and time limit of the next run."""
        return self._plan

    def set_plan(self, plan: MeasurementPlan) -> None:
        if plan != self._plan:
            self._plan = plan
            self.plan_changed.emit()


class Session(QObject):
    """The open graph and the current question; what spans graph, question and results
    is ordered here.

    ``window``: lets each view that takes long to update do so in a turn of the event
    loop of its own. ``weights_changed()``: The open network has other weights; end
    points and places are the same. Comes before `endpoints_changed`.
    ``ends_wanted()``: `ends` are others. If a road is to be cut at one of them, the other
    signals follow when that is done; ``cut_wanted()`` asks for it.
    ``roads_wanted()``: `roads` are others; `apply_roads` follows when the network has them.
    ``network_changed()``: `graph` is another of the same network: roads are changed, weighed
    anew, or cut elsewhere.
    ``endpoints_changed()``: A source, the target or the roads changed; results that do
    not answer the new question have been set aside.
    """

    # another graph (or none) is open; endpoints and results have been reset
    graph_changed = Signal()
    weights_changed = Signal()
    ends_wanted = Signal()
    cut_wanted = Signal()
    roads_wanted = Signal()
    network_changed = Signal()
    endpoints_changed = Signal()
    device_changed = Signal()
    vertex_selected = Signal()  # another vertex, or none, is selected in the picture
    noticed = Signal(object)  # Notice: a message for the user
    withdrawn = Signal(object)  # Notice: a message that no longer holds

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.window = WindowThread(self)
        self.choices = Choices(self)
        self.changes = Changes(self)
        self.results = Results(self)
        self.unmeasured = UnmeasuredState(self)
        self._network: Network | None = None
        self._cuts: dict[tuple[Graph, frozenset[Place]], Network] = {}
        # those wanted, and those that ``_network`` was made for
        self._ends = self._solved = Ends()
        self._roads = RoadChanges()
        self._report: ReadReport | None = None
        self._graph_source = GraphSource()
        self._sources: tuple[int, ...] = ()
        self._target: int | None = None
        self._device: Device | None = None
        self._selected_vertex: int | None = None
        self._errors = RepeatedErrors()

    @property
    def graph(self) -> Graph | None:
        """The open graph at the chosen hour, with its closed and slowed roads, and cut where an
        end is a point of a road: what is solved.
        """
        return None if self._network is None else self._network.graph

    @property
    def uncut(self) -> Graph | None:
        """As `graph`, with uncut roads."""
        return None if self._network is None else self._network.graph.uncut

    @property
    def graph_source(self) -> GraphSource:
        """The file, or the generator, that the graph came from; an empty one if it is not known."""
        return self._graph_source

    @property
    def report(self) -> ReadReport | None:
        """The read report; None for a generated graph."""
        return self._report

    def open_graph(
        self, graph: Graph, report: ReadReport | None = None, source: GraphSource | None = None
    ) -> None:
        """Open another graph: drops all results; source and target become the first and
        the last vertex.

        All that names vertices or holds answers is exchanged before the first signal,
        so that no view or controller finds anything of the graph before, in whichever
        order they are called.
        """
        self._report, self._graph_source = report, source or GraphSource()
        self._network, self._cuts = Network.of(graph), {}
        self._roads = RoadChanges()
        self.unmeasured.reset_silently(graph)
        self._sources = (0,) if graph.n else ()
        self._target = graph.n - 1 if graph.n > 1 else None
        self._ends = self._solved = Ends(self._sources, self._target)
        self.results.reset_silently(self._question)
        self._selected_vertex = None
        self.choices.restore_ticks()
        self.graph_changed.emit()
        self.roads_wanted.emit()
        self.unmeasured.emit_changes()
        self.vertex_selected.emit()
        self.endpoints_changed.emit()
        self.results.emit_changes()

    @property
    def roads(self) -> RoadChanges:
        """Closed and slowed roads and the hour as they were set, whether or not the network
        has them already.
        """
        return self._roads

    @property
    def applied_roads(self) -> RoadChanges:
        """Those that `uncut` and `graph` have."""
        return RoadChanges() if self._network is None else self._network.roads

    def want_roads(self, changes: RoadChanges) -> None:
        """Set all closed and slowed roads and the hour."""
        if changes != self._roads:
            self._roads = changes
            self.roads_wanted.emit()

    def apply_roads(self, network: Graph) -> None:
        """Solve on ``network``, which is that read with closed and slowed roads, at an hour;
        results on another graph are set aside.
        """
        if network is not self.uncut:
            self._solve_on(network)

    def exchange_weights(self, name: str, network: Graph) -> None:
        """Solve on ``network``, the open one with the weights of that name; results
        for others are set aside.

        Changes to roads are to be applied to it again.
        """
        self._graph_source = replace(
            self._graph_source, reading=replace(self._graph_source.reading, weights=name)
        )
        self._solve_on(network, reweighed=True)

    def _solve_on(self, network: Graph, *, reweighed: bool = False) -> None:
        """Solve on another network; until its roads are cut, from and to the junctions that
        are nearest to the points of the one before.
        """
        known = self._known_cut(network)
        before = self._network or Network.of(network)
        self._show(known or before.at_junctions(network), reweighed=reweighed)
        if known is None:
            self.cut_wanted.emit()

    def _known_cut(self, network: Graph) -> Network | None:
        """The network cut at the places of `ends`; None if that is still to be done."""
        places = self._ends.places
        return self._cuts.get((network, places)) if places else Network.of(network)

    def _show(self, cut: Network, *, reweighed: bool = False, stored: bool = False) -> None:
        """Solve on a graph, between `ends` or, while it is not cut at those, the ends before;
        before a ``stored`` run is shown, no results are.
        """
        before, measured = self.graph, (self.source, self._target)
        if self._ends.places <= cut.vertices.keys():
            self._ends = self._solved = cut.distinct(self._ends)
        sources, target = cut.vertices_of(self._solved)
        moved = (sources, target) != (self._sources, self._target)
        self._network, self._sources, self._target = cut, sources, target
        other, graph = cut.graph is not before, cut.graph
        if reweighed:
            self.unmeasured.reset_silently(graph)
        if other or (self.source, target) != measured:
            (self.results.set_aside if stored else self.results.exchange)(self._question)
        if other:
            self.network_changed.emit()
        if reweighed:
            self.unmeasured.emit_changes()
            self.weights_changed.emit()
        if other or moved:
            self.endpoints_changed.emit()

    @property
    def ends(self) -> Ends:
        """Sources and target as they were set, whether or not roads are cut there already."""
        return self._ends

    @property
    def solved_ends(self) -> Ends:
        """The ends that `graph` has: those of `ends`, once roads are cut there."""
        target = None if self._target is None else self._end(self._target)
        return Ends(tuple(map(self._end, self._sources)), target)

    def solves(self, ends: Ends) -> bool:
        """Whether these ends are in effect; others that are wanted may be refused."""
        return ends == self._solved

    @property
    def network(self) -> Network | None:
        """`graph` with the points that its roads are cut at; None without one."""
        return self._network

    def want_ends(self, ends: Ends) -> None:
        """Set all sources and the target; results that were set aside return if they
        answer this question.

        Repeated sources, and those past `MOST_SOURCES`, are left out. Raises
        UnknownVertex if the open graph has no vertex of such an index.
        """
        network = self.uncut
        for end in (*ends.sources, ends.target):
            if isinstance(end, int) and network is not None and not 0 <= end < network.n:
                raise UnknownVertex(f"index {end}", ())
        ends = replace(ends, sources=tuple(dict.fromkeys(ends.sources))[:MOST_SOURCES])
        if ends == self._ends or network is None:
            return
        self._ends = ends
        self.ends_wanted.emit()
        known = self._known_cut(network)
        if known is None:
            self.cut_wanted.emit()
        else:
            self._show(known)

    def take_cut(self, cut: Network) -> None:
        """Keep a network that was cut, and solve on it if it is the one that is wanted."""
        keep(self._cuts, (cut.graph.uncut, frozenset(cut.points)), cut, _KEPT_CUTS)
        if self.uncut is not None and self._known_cut(self.uncut) is cut:
            self._show(cut)

    def refuse_cut(self) -> None:
        """Go back to the ends before: roads cannot be cut at those wanted. Where that is since
        roads were closed, their junctions stay.
        """
        self.want_ends(self._solved if self._solved != self._ends else self.solved_ends)
        self.endpoints_changed.emit()  # fields show what was typed

    def end_text(self, vertex: int) -> str:
        """A vertex of `graph` as it may be typed: its id, or the place it stands for."""
        end = self._end(vertex)
        if isinstance(end, Place):
            return end.text
        return "" if self.graph is None else str(self.graph.vertex_id(vertex))

    def junction(self, vertex: int) -> int:
        """The vertex of the network that is nearest to a vertex of `graph` along its road."""
        end = self._end(vertex)
        if isinstance(end, int) or self._network is None:
            return vertex
        return self._network.points[end].junction

    def _end(self, vertex: int | Place) -> End:
        """The end that a vertex of `graph` stands for."""
        cut = self._network
        return vertex if isinstance(vertex, Place) or cut is None else cut.end(vertex)

    @property
    def sources(self) -> tuple[int, ...]:
        """Vertex indices of the sources; with several, distances and paths are those
        from the nearest.
        """
        return self._sources

    @property
    def source(self) -> int | None:
        """The first source, which is the one that runs measure from."""
        return self._sources[0] if self._sources else None

    @property
    def has_room(self) -> bool:
        """Whether another source can be added."""
        return len(self._sources) < MOST_SOURCES

    @property
    def target(self) -> int | None:
        """Vertex index of the target; None if only distances are wanted."""
        return self._target

    def set_source(self, end: End | None) -> None:
        """Set the first source: all-pairs results stay; others are set aside until
        their source is set again.

        Ends are vertices of `graph`, or places, here as in other methods.
        """
        more = self._ends.sources[1:]
        self.want_ends(replace(self._ends, sources=() if end is None else (self._end(end), *more)))

    def set_target(self, end: End | None) -> None:
        """Set the target: results with all distances stay and get new paths; others are
        set aside.
        """
        self.want_ends(replace(self._ends, target=None if end is None else self._end(end)))

    def add_source(self, end: End) -> None:
        self.want_ends(replace(self._ends, sources=(*self._ends.sources, self._end(end))))

    def remove_source(self, vertex: int) -> None:
        """Remove a source, unless it is the only one."""
        cut, sources = self._network, self._ends.sources
        if self._sources != (vertex,) and cut is not None:
            # several places may be at one vertex
            kept = tuple(end for end in sources if cut.vertex_of(end) != vertex)
            self.want_ends(replace(self._ends, sources=kept))

    def move_source(self, place: int, end: End) -> None:
        before = self._ends.sources
        self.want_ends(
            replace(self._ends, sources=(*before[:place], self._end(end), *before[place + 1 :]))
        )

    def swap_endpoints(self) -> None:
        """Exchange the first source and the target."""
        sources, target = self._ends.sources, self._ends.target
        if sources and target is not None:
            self.want_ends(Ends((target, *sources[1:]), sources[0]))

    def set_endpoints(self, source: int | None, target: int | None) -> None:
        """Set the first source and the target; None as source removes all sources."""
        self.set_question(() if source is None else (source, *self._sources[1:]), target)

    def set_question(self, sources: tuple[int, ...], target: int | None) -> None:
        """Set all sources and the target, by their vertices; as `want_ends`."""
        self.want_ends(
            Ends(tuple(map(self._end, sources)), None if target is None else self._end(target))
        )

    def show_stored(self, run: KeptRun, results: Sequence[Result]) -> None:
        """Show an earlier run, with its source and target, in place of the current results.

        ``results`` are those of that run, on the open graph.
        """
        source, target = results[0].source, results[0].target
        sources, network = self._ends.sources, self.uncut
        if source != self.source or self._ends.places:
            sources = () if source is None else (source,)
        moved = Ends(sources, target) != self._ends
        if moved and network is not None:
            self._ends = Ends(sources, target)
            self._show(Network.of(network), stored=True)
            self.ends_wanted.emit()
        self.results.set_aside(self._question)
        self.results.show_stored(run, results)

    @property
    def shown_result(self) -> Result | None:
        """The selected result, if it is of all sources: runs measure from one."""
        return self.results.selected if len(self._sources) <= 1 else None

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
        """What Run runs; None without a graph that has vertices, or a ticked variant."""
        choices = self.choices.for_run()
        if self.graph is None or not self.graph.n or not choices:
            return None
        return RunRequest(
            self.graph, self.source, self._target, choices, self._device, self.choices.plan
        )

    def notice(self, notice: Notice) -> None:
        self.noticed.emit(notice)

    def inform(self, text: str) -> None:
        self.notice(Notice(Severity.INFO, text))

    def warn(self, text: str) -> None:
        self.notice(Notice(Severity.WARNING, text))

    def withdraw(self, notice: Notice) -> None:
        """Take a notice away, if it is still shown."""
        self.withdrawn.emit(notice)

    @contextmanager
    def reporting_errors(self) -> Iterator[None]:
        """Notify the user of an error of Tautpath's, which ends the ``with`` block."""
        try:
            yield
        except TautpathError as error:
            self.notice_error(error)

    def notice_error(self, error: BaseException) -> None:
        """Notify the user of a failure; the same error from the same line at most once a second."""
        if not self._errors.is_repeated(error):
            self.notice(Notice.of(error, () if self._device is None else (self._device.name,)))

    @property
    def _question(self) -> Question:
        return Question(self.graph, self.source, self._target)
