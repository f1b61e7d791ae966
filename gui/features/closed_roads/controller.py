"""Makes the graph follow the list of closed and slowed roads and the hour.

Answers before and after a change of roads, at the same hour, are compared, in jobs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject

from gui.controllers.hierarchy import HierarchyController
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.road_section import RoadFields, road_section
from gui.model.roads import RoadComparison
from gui.model.session import Session
from gui.model.session_sections import SessionSection
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.errors import Cancelled, TautpathError
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.turns import dead_ends_text
from solvers.running.differences import Differences
from solvers.running.junction_answers import route
from solvers.running.live_query import MOST_SOURCES
from solvers.running.prepared_network import PreparedNetwork, network_with_hierarchy
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.array_types import AnyArray, Int32s
from solvers.text import plural

_VARIANT = "auto"
_ONCE = MeasurementPlan(warmups=0, trials=1)
_KEPT_GRAPHS = 8  # so that results return with undo
_KEPT_ANSWERS = 2 * MOST_SOURCES
_AFTER_PICTURE_S = 0.15  # that a comparison waits where a live picture of the change is due
_POLL_S = 0.02


class RoadsController(QObject):
    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        preparing: HierarchyController,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._jobs, self._preparing = session, jobs, preparing
        self._graphs: dict[RoadChanges, _Changed] = {}
        self._prepared: dict[Graph, PreparedNetwork] = {}
        self._answers: dict[tuple[Graph, int], Result] = {}
        self._interrupted = False  # the comparison, by a run that measures
        session.graph_changed.connect(self._start_again)
        session.weights_changed.connect(self._follow_weights)
        session.roads.wanted_changed.connect(self._follow)
        session.endpoints_changed.connect(self._compare)
        jobs.changed.connect(self._follow_jobs)

    @property
    def section(self) -> SessionSection[RoadFields]:
        """What a session keeps of the roads."""
        return road_section(self._session.roads)

    def _start_again(self) -> None:
        self._jobs.drop(JobKind.ROADS)
        self._jobs.drop(JobKind.ROAD_COMPARISON)
        self._graphs.clear()
        self._prepared.clear()
        self._answers.clear()

    def _follow_weights(self) -> None:
        """Apply the changes to the network with its new weights."""
        self._start_again()
        self._follow()

    def _follow(self) -> None:
        """Make the graph of the wanted changes, or take the one that was made before."""
        whole, changes = self._session.as_read, self._session.roads.changes
        self._jobs.drop(JobKind.ROADS)
        if whole is None or changes == self._session.roads.applied_changes:
            return
        if (weights := self._preparing.weights_of(whole)) is not None:
            self._prepared[whole] = weights
        known = self._graphs.get(changes) if changes != RoadChanges() else _Changed(whole, whole)
        if known is not None:
            self._show_graph(changes, known)
            return
        prepared, before = whole in self._prepared, self._with_all_roads(changes)
        title = f"Changing {plural(len(changes), 'road')}"
        self._jobs.start(
            JobKind.ROADS,
            title if changes else f"Weighing the roads {changes}",
            lambda context: _changed(whole, before, changes, prepared, context),
            on_success=lambda made: self._take(changes, *made),
            on_failure=self._refuse,
        )

    def _with_all_roads(self, changes: RoadChanges) -> Graph | None:
        """The network at the hour of changes; None if it is not known."""
        if changes.hour is None:
            return self._session.as_read
        made = (self._graphs.get(one) for one in (changes, RoadChanges(hour=changes.hour)))
        return next((one.before for one in made if one is not None), None)

    def _take(self, changes: RoadChanges, made: _Changed, weights: PreparedNetwork | None) -> None:
        while len(self._graphs) >= _KEPT_GRAPHS:
            dropped = self._graphs.pop(next(iter(self._graphs))).graph
            self._answers = {
                key: answer for key, answer in self._answers.items() if key[0] is not dropped
            }
            self._prepared.pop(dropped, None)
        self._graphs[changes] = made
        if made.told:
            self._session.inform(made.told)
        if weights is not None:
            self._prepared[made.graph] = weights
        self._show_graph(changes, made)

    def _show_graph(self, changes: RoadChanges, made: _Changed) -> None:
        if (weights := self._prepared.get(made.graph)) is not None:
            self._preparing.keep(made.graph, weights)
        self._session.apply_roads(changes, made.graph)

    def _refuse(self, error: Exception) -> None:
        """Say why the changes cannot be, and go back to the last hour that could or, at that
        hour, to the last changes.
        """
        roads = self._session.roads
        self._session.notice_error(error)
        at_last_hour = replace(roads.changes, hour=roads.applied_changes.hour)
        roads.want(roads.applied_changes if at_last_hour == roads.changes else at_last_hour)

    def _compare(self) -> None:
        """Solve on both graphs from each source, unless that was done before."""
        session = self._session
        whole, graph, changes = session.as_read, session.uncut, session.roads.applied_changes
        sources, target = session.sources, session.target
        self._interrupted = False
        of_vertices = graph is session.graph  # else the network before lacks them
        if whole is None or graph is None or not (changes and sources and of_vertices):
            self._jobs.drop(JobKind.ROAD_COMPARISON)
            session.roads.set_comparison(None)
            return
        if self._jobs.measures:
            self._interrupted = True
            return
        known, open_roads = dict(self._answers), self._with_all_roads(changes)
        pause_s = _AFTER_PICTURE_S if session.live.on else 0.0

        def work(context: JobContext) -> _Compared | None:
            _wait(pause_s, context)
            opened = open_roads or RoadChanges(hour=changes.hour).apply(whole)
            before, after = (
                [known.get((side, source)) or _answer(side, source, context) for source in sources]
                for side in (opened, graph)
            )
            return _compared(before, after, target)

        self._jobs.start(
            JobKind.ROAD_COMPARISON,
            "Comparing with the roads as they were",
            work,
            on_success=self._show,
            on_failure=session.notice_error,
        )

    def _show(self, compared: _Compared | None) -> None:
        if compared is not None:
            if compared.comparison.graph is not self._session.graph:
                return
            for source, before, after in zip(
                compared.comparison.sources, compared.before, compared.after, strict=True
            ):
                self._answers[before.graph, source] = before
                self._answers[after.graph, source] = after
            while len(self._answers) > _KEPT_ANSWERS:
                del self._answers[next(iter(self._answers))]
        self._session.roads.set_comparison(None if compared is None else compared.comparison)

    def _follow_jobs(self) -> None:
        """End the comparison where a job begins to measure, and make it afterwards."""
        measuring = self._jobs.measures
        if measuring and self._jobs.running(JobKind.ROAD_COMPARISON):
            self._jobs.drop(JobKind.ROAD_COMPARISON)
            self._interrupted = True
        elif not measuring and self._interrupted:
            self._compare()


@dataclass(frozen=True, eq=False)
class _Changed:
    graph: Graph
    before: Graph  # the network at the same hour, with all roads
    told: str = ""  # of dead ends that closed roads make


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
    graph = replace(changes, hour=None).apply(before)
    _ = graph.path_bound, graph.least_weight, graph.sha256  # the window needs them at once
    made = _Changed(graph, before, dead_ends_text(graph))
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


def _wait(pause_s: float, context: JobContext) -> None:
    """Leave the cores to the live picture, which comes first."""
    end = time.monotonic() + pause_s
    while time.monotonic() < end:
        context.cancel.check()
        time.sleep(_POLL_S)


@dataclass(frozen=True, eq=False)
class _Compared:
    """A comparison with the answers from each source that it was made of."""

    comparison: RoadComparison
    before: list[Result]
    after: list[Result]


def _compared(
    before: Sequence[Result | None], after: Sequence[Result | None], target: int | None
) -> _Compared | None:
    """Both sides by the nearest source, with what the window's views need at once; None
    without distances.
    """
    was, now = (
        [a for a in answers if a is not None and a.distances is not None]
        for answers in (before, after)
    )
    if len(was) < len(before) or len(now) < len(after):
        return None
    (distances_before, path_before), (distances_after, path_after) = (
        _nearest(was, target),
        _nearest(now, target),
    )
    differences = Differences(was[0].graph, distances_before, distances_after)
    _ = differences.values, differences.text
    sources = tuple(answer.source for answer in now if answer.source is not None)
    return _Compared(
        RoadComparison(now[0].graph, sources, target, path_before, path_after, differences),
        was,
        now,
    )


def _nearest(answers: list[Result], target: int | None) -> tuple[AnyArray, Int32s | None]:
    """(n,) distances from the nearest source, and the path from the target's; of
    equally near sources, the first.
    """
    rows = [answer.distances for answer in answers if answer.distances is not None]
    nearest = 0 if target is None else int(np.argmin([row[target] for row in rows]))
    distances = rows[0] if len(rows) == 1 else np.minimum.reduce(rows)
    return distances, route(answers[nearest], target)


def _answer(graph: Graph, source: int, context: JobContext) -> Result | None:
    """All distances from ``source``, proved; None if there are none, as with a negative cycle."""
    variant = find_variant(_VARIANT)
    request = RunRequest(graph, source, None, (Choice(variant, variant.settle({})),), None, _ONCE)
    result = next(iter(run(request, cancel=context.cancel)), None)
    context.cancel.check()
    return result if result is not None and result.ok else None
