"""Makes the network of the closed and slowed roads and the hour that are wanted, in jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from gui.controllers.hierarchy import HierarchyController
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.road_section import RoadFields, road_section
from gui.model.session import Session
from gui.model.session_sections import SessionSection
from solvers.errors import Cancelled, TautpathError
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.searched import turn_search
from solvers.running.prepared_network import PreparedNetwork, network_with_hierarchy
from solvers.text import plural

_KEPT_GRAPHS = 8  # so that results return with undo


class RoadsController(QObject):
    def __init__(
        self, session: Session, jobs: Jobs, preparing: HierarchyController, parent: QObject
    ):
        super().__init__(parent)
        self._session, self._jobs, self._preparing = session, jobs, preparing
        self._graphs: dict[RoadChanges, _Changed] = {}
        self._prepared: dict[Graph, PreparedNetwork] = {}
        session.graph_changed.connect(self._start_again)
        session.weights_changed.connect(self._follow_weights)
        session.roads_wanted.connect(self._follow)

    @property
    def section(self) -> SessionSection[RoadFields]:
        """What a session keeps of the roads."""
        return road_section(self._session)

    def with_all_roads(self, whole: Graph, changes: RoadChanges) -> Graph | None:
        """The ``whole`` network at the hour of changes; None if it is not known."""
        if changes.hour is None:
            return whole
        made = (self._graphs.get(one) for one in (changes, RoadChanges(hour=changes.hour)))
        return next((one.before for one in made if one is not None), None)

    def _start_again(self) -> None:
        self._jobs.drop(JobKind.ROADS)
        self._graphs.clear()
        self._prepared.clear()

    def _follow_weights(self) -> None:
        """Apply the changes to the network with its new weights."""
        self._start_again()
        self._follow()

    def _follow(self) -> None:
        """Make the graph of the wanted changes, or take the one that was made before."""
        graph, changes = self._session.graph, self._session.roads
        self._jobs.drop(JobKind.ROADS)
        if graph is None or changes == self._session.applied_roads:
            return
        whole = graph.as_read
        if (weights := self._preparing.weights_of(whole)) is not None:
            self._prepared[whole] = weights
        known = self._graphs.get(changes) if changes != RoadChanges() else _Changed(whole, whole)
        if known is not None:
            self._show_graph(known)
            return
        prepared, before = whole in self._prepared, self.with_all_roads(whole, changes)
        title = f"Changing {plural(len(changes), 'road')}"
        self._jobs.start(
            JobKind.ROADS,
            title if changes else f"Weighing the roads {changes}",
            lambda context: _changed(whole, before, changes, prepared, context),
            on_success=lambda made: self._take(changes, *made),
            on_failure=self._refuse,
        )

    def _take(self, changes: RoadChanges, made: _Changed, weights: PreparedNetwork | None) -> None:
        while len(self._graphs) >= _KEPT_GRAPHS:
            self._prepared.pop(self._graphs.pop(next(iter(self._graphs))).graph, None)
        self._graphs[changes] = made
        if made.told:
            self._session.inform(made.told)
        if weights is not None:
            self._prepared[made.graph] = weights
        self._show_graph(made)

    def _show_graph(self, made: _Changed) -> None:
        if (weights := self._prepared.get(made.graph)) is not None:
            self._preparing.keep(made.graph, weights)
        self._session.apply_roads(made.graph)

    def _refuse(self, error: Exception) -> None:
        """Say why the changes cannot be, and go back to the last hour that could or, at that
        hour, to the last changes.
        """
        wanted, applied = self._session.roads, self._session.applied_roads
        self._session.notice_error(error)
        at_last_hour = replace(wanted, hour=applied.hour)
        self._session.want_roads(applied if at_last_hour == wanted else at_last_hour)


@dataclass(frozen=True, eq=False)
class _Changed:
    graph: Graph
    before: Graph  # the network at the same hour, with all roads
    told: str = ""  # of what it means for turns


def _changed(
    whole: Graph,
    before: Graph | None,
    changes: RoadChanges,
    prepared: bool,
    context: JobContext,
) -> tuple[_Changed, PreparedNetwork | None]:
    """The changed graph, and that ``before`` roads were closed or slowed, made now if it is
    not known; where the hierarchy of the whole one is prepared, with what live mode needs,
    updated.
    """
    before = before or RoadChanges(hour=changes.hour).apply(whole)
    graph = changes.apply(whole, before)
    _ = graph.path_bound, graph.least_weight, graph.sha256  # the window needs them at once
    made = _Changed(graph, before, turn_search().told(graph))
    if not prepared:
        return made, None
    try:
        return made, network_with_hierarchy(graph, context.progress_for("updating the hierarchy"))
    except Cancelled:
        raise
    except TautpathError:
        # such as for a negative cycle, or too little memory: live mode finds another
        # way, or says so
        return made, None
