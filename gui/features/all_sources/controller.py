"""All sources: compute numbers of every vertex in a job, and show them as map,
histogram and words.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.canvas.area import CanvasArea
from gui.charts.board import ChartBoard
from gui.features.all_sources.flow_pictures import FlowPictures
from gui.features.all_sources.panel import AllSourcesPanel, Shown
from gui.model.forecast import TimeLeft
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from gui.shell.side_bars import LatePanel, reveal
from gui.style.widgets import EmptyState
from solvers.errors import TautpathError
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.betweenness import GROUPS, flows_beside
from solvers.features.all_sources.engine import estimated_seconds
from solvers.features.all_sources.flow_files import (
    betweenness_table,
    changes_table,
    read_masses,
)
from solvers.features.all_sources.maps import FlowView, betweenness_map, reduction_map
from solvers.features.all_sources.reductions import BETWEENNESS, REDUCTIONS
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.road_flows import RoadFlows
from solvers.features.all_sources.run import (
    COMPUTING,
    run_all_sources,
)
from solvers.features.all_sources.state_file import holds_sources
from solvers.graphs.graph import Graph
from solvers.picture.scene.values import ValueMap
from solvers.running.answers.frames import table_of
from solvers.running.answers.table import MAP_KINDS, TABLE_KINDS, AnswerTable
from solvers.system.cancel import Progress
from solvers.system.disk_cache import user_folder
from solvers.text import format_duration, format_percent, rounded_duration

if TYPE_CHECKING:
    from gui.controllers.export import ExportController
    from gui.features.clusters.controller import HostsController
    from solvers.features.clusters.connection import Connection

_Table = Callable[[], AnswerTable]

_FLOWS_TIME = 2.2  # of a run with flows, relative to one without
_SLOWEST = 4.0  # times the estimate, on loaded or older machines; 7 s said took 15 to 29
# for a vertex or arc and a group of drawn sources, whose flows are proved and spread
# over the arcs
_GROUP_S = 0.4e-6
_NO_GRAPH = "All sources needs a graph that has vertices. Open another."
_NO_MAP = "There is no all-sources map yet. Choose values under All sources, and start."
_FROM_SIZE = "(a rough guess from the size of the graph)"


@dataclass(frozen=True)
class _Asked:
    """What the panel asks for, and where it is computed."""

    # called in a job, since hashing a large graph, for the name of the file that keeps
    # finished sources, takes long
    request: Callable[[], AllSourcesRequest]
    masses: str  # path of their file; "" for 1 each
    cluster: str  # address of the one that computes; "" for this program
    rows_to: Path | None  # Zarr array for all distances; on clusters only

    def whole_request(self) -> AllSourcesRequest:
        """The request with the masses from their file."""
        request = self.request()
        if not self.masses:
            return request
        return replace(request, masses=read_masses(request.graph, self.masses))


def _request_of(
    on_cluster: bool, graph: Graph, names: list[str], **asked: Any
) -> AllSourcesRequest:
    request = AllSourcesRequest.of(graph, names, **asked)
    flows = f"-flows-{asked['sources'] or 'all'}" if request.has_flows else ""
    place = flows + ("-cluster" if on_cluster else "")
    name = f"{graph.sha256[:32]}-{request.direction.value}-{request.budget}{place}.state"
    return replace(request, state=user_folder("all-sources") / name)


def _seconds_for(request: AllSourcesRequest, progress: Progress) -> float:
    """How long it takes, roughly."""
    graph = request.graph
    seconds = estimated_seconds(graph, progress) * (_FLOWS_TIME if request.has_flows else 1.0)
    if request.sources is None:
        return seconds
    groups = min(GROUPS, request.count) * (graph.n + graph.m) * _GROUP_S
    return seconds * request.count / graph.n + groups


def _discard(request: AllSourcesRequest) -> None:
    assert request.state is not None  # `_request_of` names it
    for path in (request.state, flows_beside(request.state)):
        path.unlink(missing_ok=True)


class AllSourcesController(QObject):
    map_shown = Signal(bool)  # the picture shows a number of every vertex, or does not any more

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        canvas: CanvasArea,
        charts: ChartBoard,
        hosting: Callable[[], HostsController],
        exports: ExportController,
        holder: LatePanel,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._jobs, self._canvas, self._charts = session, jobs, canvas, charts
        self._panel: AllSourcesPanel | None = None  # of the open graph
        self._network = session.uncut  # the one that was open last
        self.holder = holder
        # The numbers of the open graph; None before they are computed.
        self.found: AllSources | None = None
        self._shown: Shown | None = None
        self._last: Shown = REDUCTIONS[0]  # shown before the map was hidden
        self._left = TimeLeft()
        self._hosting, self._exports = hosting, exports
        self._waiting: _Asked | None = None  # for the cluster
        self._listens = False
        self._cluster = ""  # of the last run
        self._flows = FlowPictures(session, playback, jobs, self._show_flows, self)
        session.graph_changed.connect(self._forget)
        session.weights_changed.connect(self._forget)
        session.network_changed.connect(self._follow_roads)

    def ask(self) -> AllSourcesPanel | None:
        """Show the panel, with the keyboard in it; None without a graph that has vertices."""
        graph = self._session.graph
        if graph is None or graph.n == 0:
            self._session.inform(_NO_GRAPH)
        reveal(self.holder, by_user=True)
        if self._panel is not None:
            self._panel.start_button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return self._panel

    @property
    def _shown_panel(self) -> AllSourcesPanel:
        """The panel that asked for what is done; it goes with its graph, whose jobs are
        dropped then.
        """
        assert self._panel is not None
        return self._panel

    def made(self) -> QWidget:
        """A panel for the open graph, or words that one is needed."""
        graph = self._session.uncut
        if graph is None or graph.n == 0:
            return EmptyState(_NO_GRAPH)
        self._panel = panel = AllSourcesPanel(graph)
        if self._cluster:
            panel.place.use(self._cluster)
        panel.start_requested.connect(self._start)
        panel.pause_requested.connect(self._pause)
        panel.discard_requested.connect(lambda: self._look(discard=True))
        panel.choice_changed.connect(self._look)
        panel.shown_changed.connect(self.show_reduction)
        panel.vertex_requested.connect(lambda vertex: self._canvas.canvas.view.go_to(vertex))
        panel.ends_requested.connect(self._choose_ends)
        panel.export_requested.connect(self._ask_path)
        panel.flows_requested.connect(self._ask_flows_path)
        panel.animation_requested.connect(self._exports.ask_animation)
        panel.road_requested.connect(self._go_to_road)
        panel.hosts_requested.connect(lambda: self._hosting().show())
        self._look()
        return panel

    def _asked(self) -> _Asked:
        graph, panel = self._session.uncut, self._shown_panel
        assert graph is not None  # the panel is that of the open graph
        place, flows = panel.place, panel.flows
        names = [r.name for r in REDUCTIONS if panel.budget is not None or not r.needs_budget]
        # a processor's own threads are faster than its OpenCL
        device = self._session.device
        request = partial(
            _request_of,
            bool(place.address),
            graph,
            [*names, BETWEENNESS] if flows.wanted else names,
            budget=panel.budget,
            direction=panel.direction.value,
            sources=flows.drawn,
            device=device if device is not None and not device.is_cpu else None,
        )
        return _Asked(request, flows.masses_file, place.address, place.rows_to)

    def _look(self, *, discard: bool = False) -> None:
        """Estimate the time, and find out whether an interrupted run can be resumed."""
        asked = self._asked()

        def work(context: JobContext) -> tuple[float, bool]:
            request = asked.request()
            if discard:
                _discard(request)
            resumable = request.state is not None and holds_sources(request.state)
            return _seconds_for(request, context.progress_for()), resumable

        def show(found: tuple[float, bool]) -> None:
            seconds, resumable = found
            basis = "by this program alone (a rough guess)" if asked.cluster else _FROM_SIZE
            ends = dict.fromkeys((rounded_duration(seconds), rounded_duration(_SLOWEST * seconds)))
            text = f"about {' to '.join(ends)} {basis}"
            if resumable:
                text = "an interrupted run continues where it stopped"
            self._shown_panel.show_estimate(text, resumable=resumable)

        self._jobs.start(
            JobKind.ALL_SOURCES_LOOK,
            "Looking at the graph",
            work,
            on_success=show,
            on_failure=self._fail,
        )

    def _start(self) -> None:
        asked, panel = self._asked(), self._shown_panel
        if not asked.cluster:
            self._run(
                asked, lambda request, context: run_all_sources(request, context.progress_for)
            )
            return
        hosting = self._hosting()
        if not self._listens:
            self._listens = True
            hosting.link.changed.connect(self._go_on)
        try:
            is_there = hosting.is_connected_to(asked.cluster)
            self._cluster = asked.cluster
            self._waiting = asked
            panel.show_running(True)
            panel.show_progress(0.0, f"connecting to {asked.cluster}")
            if is_there:
                self._go_on()
            elif not hosting.is_connecting_to(asked.cluster):
                hosting.connect_to(asked.cluster)
        except TautpathError as error:
            self._waiting = None
            self._fail(error)

    def _pause(self) -> None:
        if self._waiting is not None:
            self._waiting = None
            self._hosting().link.disconnect_from()
            self._end()
            self._shown_panel.show_message("Not connected.")
        self._jobs.cancel(JobKind.ALL_SOURCES)

    def _go_on(self) -> None:
        """Start the run that waits for the cluster, or say why it cannot."""
        link, asked = self._hosting().link, self._waiting
        if asked is None:
            return
        if link.problem is not None:
            self._waiting = None
            self._fail(link.problem)
        elif (connection := link.connection) is not None:
            self._waiting = None
            self._run(asked, partial(_computed_on, connection, asked.rows_to))

    def _run(
        self, asked: _Asked, compute: Callable[[AllSourcesRequest, JobContext], AllSources]
    ) -> None:
        def work(context: JobContext) -> AllSources:
            request = asked.whole_request()
            found = compute(request, context)
            _discard(request)
            return found

        def paused() -> None:
            self._end()
            self._shown_panel.show_message("Paused; what is finished is kept.")
            self._look()

        self._left = TimeLeft()
        self._shown_panel.show_running(True)
        self._jobs.start(
            JobKind.ALL_SOURCES,
            "All sources",
            work,
            on_success=self._succeed,
            on_failure=self._fail,
            on_cancel=paused,
            on_progress=self._show_progress,
        )

    def _show_progress(self, fraction: float, words: str) -> None:
        if self._jobs.running(JobKind.ALL_SOURCES) is None:
            return
        left = self._left.seconds(fraction, time.monotonic()) if words == COMPUTING else None
        if words == COMPUTING:
            words = f"{format_percent(fraction)} of the sources"
        self._shown_panel.show_progress(
            fraction, words + ("" if left is None else f", about {rounded_duration(left)} left")
        )

    def _succeed(self, found: AllSources) -> None:
        self._end()
        if found.graph is not self._session.uncut:
            return
        self.found = found
        self._shown_panel.show_estimate(
            f"took {format_duration(found.seconds * 1e3)}", resumable=False
        )
        if not found.verdict.verified:
            self._session.notice(
                Notice(Severity.ERROR, f"All sources: the answer is wrong. {found.verdict.text}")
            )
        if found.flows is not None:
            self.show_reduction(FlowView.ROADS)
        else:
            self.show_reduction(
                REDUCTIONS[-1] if found.request.budget is not None else REDUCTIONS[0]
            )

    def _fail(self, error: Exception) -> None:
        self._end()
        self._shown_panel.show_message(Notice.of(error).text)
        self._session.notice_error(error)

    def _end(self) -> None:
        self._shown_panel.show_running(False)

    def show_map(self, on: bool) -> None:
        """Show the last number of every vertex again, or hide it; opens the panel if
        nothing is computed yet.
        """
        if on == (self._shown is not None):
            return
        if on and self.found is None:
            self.map_shown.emit(False)
            if self.ask() is not None:
                self._session.inform(_NO_MAP)
            return
        self.show_reduction(self._last if on else None)

    def show_reduction(self, reduction: Shown | None) -> None:
        """Colour the picture by a number of every vertex or road, and show its
        histogram; None ends that.
        """
        found = self.found
        if found is None:
            return
        self._shown, self._last = reduction, reduction or self._last
        self.map_shown.emit(reduction is not None)
        now = self._session.uncut
        graph_now = "" if now is None or now is found.graph else now.name
        self._shown_panel.show_outcome(found, reduction, graph_now)
        if reduction is not FlowView.ROADS:
            self._flows.hide()
        if reduction is None or (graph_now and reduction is not FlowView.ROADS):
            self._jobs.drop(JobKind.ALL_SOURCES_MAP)
            self._show_map(None)
        elif found.flows is not None and reduction is FlowView.ROADS:
            self._canvas.options.set_values(None)
            self._flows.show(found.flows)
        else:
            self._jobs.start(
                JobKind.ALL_SOURCES_MAP,
                "Colouring the vertices",
                lambda context: _map_of(found, reduction),
                on_success=self._show_map,
                on_failure=self._fail,
            )

    def _follow_roads(self) -> None:
        """Where roads were closed or slowed, or the hour changed, a run in progress and the
        numbers found so far are of the network before; roads cut at end points do not matter.
        """
        before, self._network = self._network, self._session.uncut
        if self._panel is None or self._network is before:
            return
        self._jobs.cancel(JobKind.ALL_SOURCES)
        self._look()
        self.show_reduction(self._shown)

    def _show_map(self, shown: ValueMap | None) -> None:
        self._canvas.options.set_values(None if shown is None else shown.values)
        self._charts.show_histogram(shown)

    def _show_flows(self, shown: RoadFlows | None) -> None:
        self._canvas.options.set_flows(shown)
        # histogram and list stay those of all sources
        if shown is not None and shown.whole is not None:
            return
        self._charts.show_histogram(None if shown is None else shown.histogram)
        if self._panel is not None:
            self._panel.show_greatest(shown)

    def _go_to_road(self, arc: int) -> None:
        shown = self._canvas.options.flows
        if shown is not None:
            self._canvas.canvas.view.go_to(int(shown.graph.tails[arc]))

    def _choose_ends(self) -> None:
        if self.found is not None:
            self._session.set_endpoints(*self.found.end_vertices)

    def _ask_path(self) -> None:
        """Ask for a file, and write the numbers of every vertex in a job."""
        if (found := self.found) is None:
            return
        table: _Table = partial(table_of, found)
        if found.flows is not None and self._shown is FlowView.VERTICES:
            table = partial(betweenness_table, found.flows)
        self._ask("Export values of all vertices", "all-sources", table)

    def _ask_flows_path(self) -> None:
        """Ask for a file, and write the flows of the run, or what a change of roads did
        to them if that is shown.
        """
        found, shown = self.found, self._canvas.options.flows
        if found is None or found.flows is None:
            return
        title = "Export flows of all roads"
        if isinstance(shown, RoadFlows) and shown.before is not None:
            changes: _Table = partial(changes_table, shown.before, shown.flows)
            self._ask(title, "flow-changes", changes)
        else:
            self._ask(title, "flows", partial(table_of, found.flows))

    def _ask(self, title: str, what: str, table: _Table) -> None:
        """Ask for a file, and write into it in a job."""
        graph = self._session.graph
        kinds = TABLE_KINDS if graph is None or graph.coordinates is None else MAP_KINDS
        self._exports.answer(title, kinds, lambda _: table(), what)

    def _forget(self) -> None:
        """Close what belongs to the graph that was open."""
        self._waiting = None
        for kind in (JobKind.ALL_SOURCES, JobKind.ALL_SOURCES_MAP, JobKind.ALL_SOURCES_LOOK):
            self._jobs.drop(kind)
        self.found, self._shown, self._last = None, None, REDUCTIONS[0]
        self.map_shown.emit(False)
        self._flows.forget()
        self._show_map(None)
        self._panel, self._network = None, self._session.uncut
        self.holder.make_again()


def _map_of(found: AllSources, shown: Shown) -> ValueMap:
    if isinstance(shown, FlowView):
        assert found.flows is not None  # offered only then
        return betweenness_map(found.flows)
    return reduction_map(found, shown)


def _computed_on(
    connection: Connection, rows_to: Path | None, request: AllSourcesRequest, context: JobContext
) -> AllSources:
    # imported here, as few sessions use a cluster
    from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster

    more = ClusterChoices(rows_to=rows_to)
    return run_on_cluster(request, connection, more, context.progress_for)
