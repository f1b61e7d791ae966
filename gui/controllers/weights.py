"""Changes the weights of roads between metres and seconds, without reading the file again."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.graphs.graph import Graph


class WeightsController(QObject):
    def __init__(self, session: Session, jobs: Jobs, parent: QObject):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        # by the unit of their weights, so that results return with a graph
        self._graphs: dict[str, Graph] = {}
        session.graph_changed.connect(self._start_again)

    def weigh_by(self, name: str) -> None:
        """Solve with the weights of that name, as `RoadData.weights` lists them; the
        view and end points stay.
        """
        opened = self._session.graph
        if opened is None or opened.roads is None:
            return
        whole, roads = opened.as_read, opened.roads
        self._jobs.drop(JobKind.WEIGHTS)  # for a choice made before
        unit = roads.column(name).unit
        if unit == whole.weight_unit:
            self._session.weights_changed.emit()  # for a choice that shows another
            return
        self._graphs[whole.weight_unit] = whole
        if (known := self._graphs.get(unit)) is not None:
            self._session.exchange_weights(name, known)
            return

        def work(context: JobContext) -> Graph:
            graph = whole.with_weights(name)
            _ = graph.path_bound, graph.least_weight, graph.sha256  # the window needs them at once
            return graph

        self._jobs.start(
            JobKind.WEIGHTS,
            f"Weighing the roads in {name}",
            work,
            on_success=lambda graph: self._take(name, graph),
            on_failure=self._session.notice_error,
            on_cancel=self._session.weights_changed.emit,
        )

    def _take(self, name: str, graph: Graph) -> None:
        opened = self._session.graph
        if opened is not None and graph.coordinates is opened.as_read.coordinates:
            self._graphs[graph.weight_unit] = graph
            self._session.exchange_weights(name, graph)

    def _start_again(self) -> None:
        self._jobs.drop(JobKind.WEIGHTS)
        self._graphs.clear()
