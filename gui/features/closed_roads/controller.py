"""Compares answers before and after a change of roads, at the same hour, in jobs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.controllers.roads import RoadsController
from gui.features.closed_roads.comparison import RoadComparison
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.features.closed_roads.differences import Differences
from solvers.graphs.graph import Graph
from solvers.graphs.network import MOST_SOURCES
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import exact_distance
from solvers.running.answers.answer import UNMEASURED, PathAnswer
from solvers.running.network_results import route
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.system.array_types import AnyArray

_VARIANT = "auto"
_ONCE = MeasurementPlan(warmups=0, trials=1)
_KEPT_ANSWERS = 2 * MOST_SOURCES
_AFTER_PICTURE_S = 0.15  # that a comparison waits where a live picture of the change is due
_POLL_S = 0.02


class RoadComparisonController(QObject):
    """``newest`` may be of other end points than the current; None without a comparison."""

    compared = Signal()  # `newest` is another

    def __init__(self, session: Session, jobs: Jobs, roads: RoadsController, parent: QObject):
        super().__init__(parent)
        self._session, self._jobs, self._roads = session, jobs, roads
        self.newest: RoadComparison | None = None
        self._answers: dict[tuple[Graph, int], Result] = {}
        self._interrupted = False  # the comparison, by a run that measures
        session.graph_changed.connect(self._start_again)
        session.weights_changed.connect(self._start_again)
        session.endpoints_changed.connect(self._compare)
        jobs.changed.connect(self._follow_jobs)

    def _start_again(self) -> None:
        self._jobs.drop(JobKind.ROAD_COMPARISON)
        self._answers.clear()
        self._take(None)

    def _take(self, comparison: RoadComparison | None) -> None:
        if comparison is not self.newest:
            self.newest = comparison
            self.compared.emit()

    def _compare(self) -> None:
        """Solve on both graphs from each source, unless that was done before."""
        session = self._session
        graph, changes = session.graph, session.applied_roads
        sources, target = session.sources, session.target
        self._interrupted = False
        # the network before lacks the points of cut roads
        if graph is None or graph.cut is not None or not (changes and sources):
            self._jobs.drop(JobKind.ROAD_COMPARISON)
            self._take(None)
            return
        if self._jobs.measures:
            self._interrupted = True
            return
        known, whole = dict(self._answers), graph.as_read
        open_roads = self._roads.with_all_roads(whole, changes)
        pause_s = _AFTER_PICTURE_S if session.unmeasured.follows else 0.0

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
        self._take(None if compared is None else compared.comparison)

    def _follow_jobs(self) -> None:
        """End the comparison where a job begins to measure, and make it afterwards."""
        measuring = self._jobs.measures
        if measuring and self._jobs.running(JobKind.ROAD_COMPARISON):
            self._jobs.drop(JobKind.ROAD_COMPARISON)
            self._interrupted = True
        elif not measuring and self._interrupted:
            self._compare()


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
        _nearest(side, target) for side in (was, now)
    )
    differences = Differences(was[0].graph, distances_before, distances_after)
    _ = differences.values, differences.text
    sources = tuple(answer.source for answer in now if answer.source is not None)
    return _Compared(
        RoadComparison(now[0].graph, sources, target, path_before, path_after, differences),
        was,
        now,
    )


def _nearest(answers: list[Result], target: int | None) -> tuple[AnyArray, PathAnswer | None]:
    """(n,) distances from the nearest source, and the answer from the target's; of
    equally near sources, the first.
    """
    rows = [answer.distances for answer in answers if answer.distances is not None]
    nearest = 0 if target is None else int(np.argmin([row[target] for row in rows]))
    distances = rows[0] if len(rows) == 1 else np.minimum.reduce(rows)
    result = answers[nearest]
    if target is None or result.source is None:
        return distances, None
    ends, length = (result.graph, result.source, target), exact_distance(distances, target)
    path = route(result, target)
    return distances, PathAnswer(*ends, path, length, result.variant.id, run=UNMEASURED)


def _answer(graph: Graph, source: int, context: JobContext) -> Result | None:
    """All distances from ``source``, proved; None if there are none, as with a negative cycle."""
    from solvers.running.run import run

    variant = find_variant(_VARIANT)
    request = RunRequest(graph, source, None, (Choice(variant, variant.settle({})),), None, _ONCE)
    result = next(iter(run(request, cancel=context.cancel)), None)
    context.cancel.check()
    return result if result is not None and result.ok else None
