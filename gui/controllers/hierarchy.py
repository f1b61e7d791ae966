"""Prepares the hierarchy of the open graph, for answers without a run and pictures, in a job of low
priority.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.algorithms.bucket_width import is_road_like
from solvers.errors import TautpathError
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import PreparedNetwork, network_with_hierarchy
from solvers.system.cancel import Progress

_MOST = 20_000_000  # vertices and arcs of a graph that is prepared without being asked


class HierarchyController(QObject):
    """Starts the job after a road network was opened, if the settings allow it, and
    when answers without a run need it.

    A run that measures has precedence: it ends the job, which starts again afterwards.
    Networks that refuse a hierarchy, such as social ones, are solved in another way,
    and nothing is said.
    """

    prepared = Signal(object, object)  # Graph, PreparedNetwork
    changed = Signal()  # `running` changed

    def __init__(
        self, session: Session, jobs: Jobs, settings: Settings, parent: QObject | None = None
    ):
        super().__init__(parent)
        self._session, self._jobs, self._settings = session, jobs, settings
        self._ready: PreparedNetwork | None = None
        self._tried: Graph | None = None  # prepared or refused
        self._in_hand: Graph | None = None  # that the job prepares
        self._wanted = False  # of a job that a run interrupted
        session.graph_changed.connect(self._follow_graph)
        session.network_changed.connect(self._follow_graph)
        jobs.changed.connect(self._follow_jobs)

    @property
    def running(self) -> bool:
        """Whether the open graph is being prepared."""
        graph = self._session.uncut
        return (
            graph is not None
            and graph is self._in_hand
            and self._jobs.running(JobKind.HIERARCHY) is not None
        )

    def weights_of(self, graph: Graph) -> PreparedNetwork | None:
        """The prepared weights; None if there are none."""
        return self._ready if self._ready is not None and self._ready.graph is graph else None

    def set_quiet(self, on: bool) -> None:
        """Say whether hierarchies are prepared without being asked; off also ends the
        job in progress.
        """
        self._settings.prepares_hierarchies = on
        if on:
            self._follow_graph()
        else:
            self._wanted = False
            self._jobs.drop(JobKind.HIERARCHY)

    def prepare(self) -> None:
        """Prepare the open graph, unless that was done, refused, or is being done."""
        graph = self._session.uncut
        if graph is None or graph.n < 2 or graph is self._tried or self.running:
            return
        if self._jobs.measures:
            self._wanted = True
            return
        self._wanted = False
        self._in_hand = graph
        self._jobs.start(
            JobKind.HIERARCHY,
            "Preparing the hierarchy",
            lambda context: _prepare(graph, context),
            on_success=lambda weights: self._take(graph, weights),
            on_failure=lambda error: self._refuse(graph, error),
        )
        self.changed.emit()

    def _follow_graph(self) -> None:
        graph = self._session.uncut
        self._wanted = False
        if self._tried is not graph:
            self._jobs.drop(JobKind.HIERARCHY)
            self._ready, self._tried, self._in_hand = None, None, None
        if (
            graph is not None
            and self._settings.prepares_hierarchies
            and graph.n + graph.m <= _MOST
            and is_road_like(graph)
        ):
            self.prepare()

    def _follow_jobs(self) -> None:
        measuring = self._jobs.measures
        if measuring and self.running:
            self._wanted = True
            self._jobs.drop(JobKind.HIERARCHY)
        elif not measuring and self._wanted:
            self.prepare()

    def keep(self, graph: Graph, weights: PreparedNetwork) -> None:
        """Take over what was prepared for a graph that is about to be the open one;
        ends the job for another.
        """
        self._wanted = False
        self._jobs.drop(JobKind.HIERARCHY)
        self._settle(graph, weights)

    def _take(self, graph: Graph, weights: PreparedNetwork) -> None:
        self._settle(graph, weights)
        self.prepared.emit(graph, weights)
        self.changed.emit()

    def _settle(self, graph: Graph, weights: PreparedNetwork) -> None:
        self._tried, self._ready, self._in_hand = graph, weights, None

    def _refuse(self, graph: Graph, error: Exception) -> None:
        self._tried, self._in_hand = graph, None
        if not isinstance(error, TautpathError):
            self._session.notice_error(error)
        self.changed.emit()


def _prepare(graph: Graph, context: JobContext) -> PreparedNetwork:
    """The job. It never waits for a measurement: it would keep what the measured run
    may need; it is ended instead.
    """
    progress = Progress(
        context.cancel, lambda done, total: context.progress(done / total, "ordering vertices")
    )
    return network_with_hierarchy(graph, progress)
