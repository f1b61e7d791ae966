"""The picture of flows: of a run, and where they go after roads were closed or slowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, Jobs, Kind
from gui.model.session import Session
from gui.picture.scene.flows import RoadFlows
from solvers.errors import TautlineError
from solvers.graphs.graph import Graph
from solvers.running.all_sources.betweenness import Flows
from solvers.running.all_sources.run import run_all_sources

_KEPT = 8  # flows on changed graphs, so that they return with undo


class FlowPictures(QObject):
    """Makes the picture of flows, and makes it anew where the session's roads change.

    ``show`` takes the picture, or None.
    """

    def __init__(
        self, session: Session, jobs: Jobs, show: Callable[[RoadFlows | None], None], parent: QObject | None = None
    ):
        super().__init__(parent)
        self._session, self._jobs, self._show = session, jobs, show
        self._first: Flows | None = None  # on the graph of the run
        self._known: dict[Graph, RoadFlows] = {}
        self._is_shown = False
        session.roads.applied.connect(self._follow)

    def show(self, flows: Flows) -> None:
        """Show the flows of a run or, if roads have changed since, what they gain and lose."""
        if flows is not self._first:
            self.forget()
            self._first = flows
        self._is_shown = True
        self._follow()

    def hide(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._jobs.drop(Kind.FLOWS)
            self._show(None)

    def forget(self) -> None:
        """Hide and drop what belongs to another run."""
        self.hide()
        self._first = None
        self._known.clear()

    def _follow(self) -> None:
        first, graph = self._first, self._session.graph
        self._jobs.drop(Kind.FLOWS)
        if not self._is_shown or first is None or graph is None:
            return
        if (known := self._known.get(graph)) is not None:
            self._show(known)
            return

        def work(context: JobContext) -> RoadFlows:
            if graph is first.graph:
                return _prepared(RoadFlows(first))
            request = replace(first.request, graph=graph, state=None)
            found = run_all_sources(request, context.progress_for)
            if found.flows is None or not found.verdict.verified:
                raise TautlineError(f"The flows after the change are wrong. {found.verdict.text}")
            return _prepared(RoadFlows(found.flows, first))

        def take(shown: RoadFlows) -> None:
            while len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
            self._known[graph] = shown
            self._show(shown)

        self._jobs.start(Kind.FLOWS, "Flows of the roads", work, on_success=take, on_failure=self._session.notice_error)


def _prepared(flows: RoadFlows) -> RoadFlows:
    """With what the window's thread needs at once."""
    _ = flows.legend, flows.shades, flows.histogram, flows.greatest(1)
    return flows
