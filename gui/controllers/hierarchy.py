"""Prepares what pictures and live mode use of the open graph, in jobs of low priority:
hierarchy and prominence.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gui.canvas.content import PictureOptions
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.algorithms.bucket_width import is_road_like
from solvers.errors import TautpathError
from solvers.graphs.graph import Graph
from solvers.picture.scene.communities import community_values
from solvers.picture.scene.lesson import MOST_VERTICES
from solvers.picture.scene.prominence import Prominence
from solvers.picture.scene.scene import DrawableGraph
from solvers.picture.scene.values import VertexValues
from solvers.running.prepared_network import PreparedNetwork, network_with_hierarchy
from solvers.running.prominence import known_flows, sampled_flows
from solvers.system.array_types import Float32s
from solvers.system.cancel import Progress

log = logging.getLogger(__name__)

_MOST = 20_000_000  # vertices and arcs of a graph that is prepared without being asked


class HierarchyController(QObject):
    """Starts the job after a road network was opened, if the settings allow it, and
    when live mode asks for it.

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
        session.roads.applied.connect(self._follow_graph)
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


class ProminenceController(QObject):
    """Finds the prominence of roads after the hierarchy, or at once if their classes
    are told, or flows on disk.

    A graph of a lesson's size has no prominence, and one without positions of its own
    has communities in its place. The job waits at its checkpoints while a run is
    measured, and ends with the graph.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        hierarchy: HierarchyController,
        options: PictureOptions,
        drawn: Callable[[], DrawableGraph | None],
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._jobs, self._hierarchy, self._options = (
            session,
            jobs,
            hierarchy,
            options,
        )
        self._drawn = drawn
        self._graph: Graph | None = None  # whose prominence is known, sought, or refused
        self._computed = False  # over a hierarchy, or need not be
        session.graph_changed.connect(self._follow_graph)
        hierarchy.prepared.connect(self._compute)

    def _follow_graph(self) -> None:
        graph = self._session.as_read
        if graph is self._graph:
            return
        self._jobs.drop(JobKind.PROMINENCE)
        self._options.set_prominence(None)
        self._options.set_communities(None)
        self._graph = graph
        self._computed = (
            graph is not None and graph.roads is not None and graph.roads.class_of is not None
        )
        if (
            graph is not None
            and graph.coordinates is not None
            and graph.m
            and graph.n > MOST_VERTICES
        ):
            self._start(graph, only_known=self._hierarchy.weights_of(graph) is None)
        elif graph is not None and graph.coordinates is None and graph.n > MOST_VERTICES:
            self._find_communities(graph)

    def _find_communities(self, graph: Graph) -> None:
        def take(found: VertexValues | None) -> None:
            if graph is self._graph:
                self._options.set_communities(found)

        def work(context: JobContext) -> VertexValues | None:
            return community_values(graph, context.progress_for("finding communities"))

        self._jobs.start(
            JobKind.PROMINENCE, "Communities", work, on_success=take, on_failure=self._refuse
        )

    def _compute(self, prepared: Graph) -> None:
        graph = self._session.as_read
        known = self._options.prominence is not None or self._computed
        if (
            graph is None
            or prepared is not graph
            or graph.coordinates is None
            or graph.n <= MOST_VERTICES
            or known
        ):
            return
        self._computed = True
        self._start(graph, only_known=False)

    def _start(self, graph: Graph, *, only_known: bool) -> None:
        def work(context: JobContext) -> Prominence | None:
            progress = context.progress_for("finding the great roads")
            progress.checkpoint()
            if (found := Prominence.of_classes(graph)) is not None:
                return ready(found)

            def show(flows: Float32s) -> None:
                context.show(ready(Prominence.of_flows(graph, flows)))

            flows = known_flows(graph) if only_known else sampled_flows(graph, progress, show)
            return None if flows is None else ready(Prominence.of_flows(graph, flows))

        def ready(found: Prominence) -> Prominence:
            if (scene := self._drawn()) is not None and found.fits(scene):
                found.on(scene)  # here, since it takes seconds on large graphs
            return found

        def take(found: Prominence | None) -> None:
            if found is not None and graph is self._graph:
                self._options.set_prominence(found)

        self._jobs.start(
            JobKind.PROMINENCE,
            "Prominence of roads",
            work,
            on_value=take,
            on_success=take,
            on_failure=self._refuse,
        )

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, TautpathError):
            log.info("roads are drawn alike: %s", type(error).__name__)
        else:
            self._session.notice_error(error)
