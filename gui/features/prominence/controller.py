"""Finds the prominence of the open graph's roads, or its communities, in a job of low priority."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject

from gui.canvas.content import PictureOptions
from gui.controllers.hierarchy import HierarchyController
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.errors import TautpathError
from solvers.features.prominence.communities import community_values
from solvers.features.prominence.flows import known_flows, sampled_flows
from solvers.features.prominence.roads import Prominence
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import SMALL_GRAPH
from solvers.picture.scene.scene import DrawableGraph
from solvers.picture.scene.values import VertexValues
from solvers.system.array_types import Float32s

log = logging.getLogger(__name__)


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
        hierarchy.prepared.connect(self._compute)

    def follow_graph(self) -> None:
        opened = self._session.graph
        graph = None if opened is None else opened.as_read
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
            and graph.n > SMALL_GRAPH
        ):
            self._start(graph, only_known=self._hierarchy.weights_of(graph) is None)
        elif graph is not None and graph.coordinates is None and graph.n > SMALL_GRAPH:
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
        opened = self._session.graph
        known = self._options.prominence is not None or self._computed
        if (
            opened is None
            or prepared is not opened.as_read
            or prepared.coordinates is None
            or prepared.n <= SMALL_GRAPH
            or known
        ):
            return
        self._computed = True
        self._start(prepared, only_known=False)

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
