"""Makes the graph follow the list of closed and slowed roads, and compares the answers before and after, in jobs."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, Jobs
from gui.model.road_state import RoadComparison
from gui.model.session import Session
from solvers.contracts import catalog
from solvers.contracts.results import Result
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import exact_distance
from solvers.running.differences import Differences
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, route, run
from solvers.text import plural

APPLY, COMPARE = "roads", "compare roads"
_VARIANT = "auto"
_ONCE = MeasurementPlan(warmups=0, trials=1)
_KEPT_GRAPHS = 8  # so that results return with undo


class RoadEditing(QObject):
    """Follows `Session.roads`.

    Parameters
    ----------
    session, jobs
    """

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._graphs: dict[RoadChanges, Graph] = {}
        self._answers: dict[tuple[Graph, int], Result] = {}
        session.graph_changed.connect(self._start_again)
        session.roads.wanted_changed.connect(self._follow)
        session.endpoints_changed.connect(self._compare)

    def clear(self) -> None:
        """Open all roads again, at their own weights."""
        self._session.roads.clear()

    def _start_again(self) -> None:
        self._jobs.drop(APPLY)
        self._jobs.drop(COMPARE)
        self._graphs.clear()
        self._answers.clear()

    # -- the graph ---------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Make the graph of the wanted changes, or take the one that was made before."""
        whole, changes = self._session.whole_graph, self._session.roads.changes
        self._jobs.drop(APPLY)
        if whole is None or changes == self._session.roads.applied_changes:
            return
        known = self._graphs.get(changes) if changes else whole
        if known is not None:
            self._session.apply_roads(changes, known)
            return
        self._jobs.start(
            APPLY, f"Changing {plural(len(changes), 'road')}", lambda _: _changed_graph(whole, changes),
            on_success=lambda graph: self._take(changes, graph), on_failure=self._refuse,
        )  # fmt: skip

    def _take(self, changes: RoadChanges, graph: Graph) -> None:
        while len(self._graphs) >= _KEPT_GRAPHS:
            dropped = self._graphs.pop(next(iter(self._graphs)))
            self._answers = {key: answer for key, answer in self._answers.items() if key[0] is not dropped}
        self._graphs[changes] = graph
        self._session.apply_roads(changes, graph)

    def _refuse(self, error: Exception) -> None:
        """Say why the changes cannot be, and go back to the last that could."""
        self._session.notice_error(error)
        self._session.roads.want(self._session.roads.applied_changes)

    # -- before and after --------------------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Solve on both graphs from the present source, unless that was done before."""
        session = self._session
        whole, graph, source, target = session.whole_graph, session.graph, session.source, session.target
        if whole is None or graph is None or graph is whole or source is None:
            self._jobs.drop(COMPARE)
            session.roads.set_comparison(None)
            return
        known = {side: self._answers.get((side, source)) for side in (whole, graph)}

        def work(context: JobContext) -> tuple[Result | None, Result | None]:
            before = known[whole] or _answer(whole, source, context)
            return before, known[graph] or _answer(graph, source, context)

        self._jobs.start(
            COMPARE, "Comparing with the roads as they were", work,
            on_success=lambda answers: self._show(source, target, *answers), on_failure=session.notice_error,
        )  # fmt: skip

    def _show(self, source: int, target: int | None, before: Result | None, after: Result | None) -> None:
        if before is None or after is None or before.distances is None or after.distances is None:
            self._session.roads.set_comparison(None)
            return
        if after.graph is not self._session.graph:
            return
        for answer in (before, after):
            self._answers[answer.graph, source] = answer
        differences = Differences(before.graph, before.distances, after.distances)
        _ = differences.values  # once, for all views
        self._session.roads.set_comparison(
            RoadComparison(
                after.graph,
                source,
                target,
                route(before, target),
                route(after, target),
                _length(before, target),
                _length(after, target),
                differences,
            )
        )


def _changed_graph(whole: Graph, changes: RoadChanges) -> Graph:
    graph = changes.apply(whole)
    _ = graph.path_bound, graph.least_weight, graph.sha256  # the window needs them at once
    return graph


def _length(answer: Result, target: int | None) -> float | None:
    return None if target is None or answer.distances is None else exact_distance(answer.distances, target)


def _answer(graph: Graph, source: int, context: JobContext) -> Result | None:
    """All distances from ``source``, proved; None if there are none, as with a negative cycle."""
    variant = catalog.find(_VARIANT)
    request = RunRequest(graph, source, None, (Choice(variant, variant.settle({})),), None, _ONCE)
    result = next(iter(run(request, cancel=context.cancel)), None)
    context.cancel.raise_if_cancelled()
    return result if result is not None and result.ok else None
