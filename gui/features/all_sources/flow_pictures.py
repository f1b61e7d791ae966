"""The picture of flows: of a run, where they go after roads were changed, and of more
and more of its sources.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import FlowSteps, Playback
from gui.model.session import Session
from solvers.errors import TautpathError
from solvers.features.all_sources.betweenness import Flows, GrowingFlows
from solvers.features.all_sources.road_flows import RoadFlows
from solvers.features.all_sources.run import run_all_sources
from solvers.graphs.graph import Graph
from solvers.system.kept import keep

_KEPT = 8  # flows on changed graphs, so that they return with undo


class FlowPictures(QObject):
    """Makes the picture of flows; shown again where roads change, it makes it anew.

    ``show`` takes the picture, or None. Flows of a run without changes can be played
    source by source.
    """

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        show: Callable[[RoadFlows | None], None],
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._playback, self._jobs, self._show = session, playback, jobs, show
        self._first: Flows | None = None  # on the graph of the run
        self._known: dict[Graph, RoadFlows] = {}
        self._animation: FlowFilm | None = None  # of the first flows
        self._is_shown = False
        playback.moved.connect(self._play)

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
            self._jobs.drop(JobKind.FLOWS)
            self._playback.play_flows(None)
            self._show(None)

    def forget(self) -> None:
        """Hide and drop what belongs to another run."""
        self.hide()
        self._first = self._animation = None
        self._known.clear()

    def _follow(self) -> None:
        first, graph = self._first, self._session.uncut
        self._jobs.drop(JobKind.FLOWS)
        if not self._is_shown or first is None or graph is None:
            return
        if (known := self._known.get(graph)) is not None:
            self._take(known)
            return
        self._playback.play_flows(None)

        def work(context: JobContext) -> RoadFlows:
            if graph is first.graph:
                return _prepared(RoadFlows(first))
            request = replace(first.request, graph=graph, state=None)
            found = run_all_sources(request, context.progress_for)
            if found.flows is None or not found.verdict.verified:
                raise TautpathError(f"The flows after the change are wrong. {found.verdict.text}")
            return _prepared(RoadFlows(found.flows, first))

        def take(shown: RoadFlows) -> None:
            keep(self._known, graph, shown, _KEPT)
            self._take(shown)

        def tell() -> None:
            text = "The flows shown are those before the roads changed."
            self._session.notice(Notice(Severity.INFO, text, "", "Compute again", self._follow))

        self._jobs.start(
            JobKind.FLOWS,
            "Flows of the roads",
            work,
            on_success=take,
            on_failure=self._session.notice_error,
            on_cancel=tell if graph is not first.graph else None,
        )

    def _take(self, shown: RoadFlows) -> None:
        """Show flows, and offer their animation where they are no difference."""
        if shown.is_difference:
            self._playback.play_flows(None)
        else:
            if self._animation is None or self._animation.whole is not shown:
                self._animation = FlowFilm(shown)
            self._playback.play_flows(self._animation.steps)
        self._show(shown)
        self._play(self._playback.position)

    def _play(self, position: int) -> None:
        """Show the step of the play-back, or the last one computed before it; compute
        those that are missing.
        """
        animation = self._animation
        if animation is None or self._playback.trace is not animation.steps:
            return
        if (shown := animation.at(position)) is not None:
            self._show(shown)
        is_missing = position < len(animation.steps) - 1 and len(animation.computed) <= position
        if is_missing and self._jobs.running(JobKind.FLOWS) is None:
            self._jobs.start(
                JobKind.FLOWS,
                "Flows of more and more sources",
                animation.compute,
                on_value=lambda _: self._play(self._playback.position),
                on_failure=self._session.notice_error,
                on_cancel=self._playback.pause,
            )


class FlowFilm:
    """Flows of more and more sources of a run, computed in order and kept."""

    def __init__(self, whole: RoadFlows):
        self.whole = whole
        self.computed: list[RoadFlows] = []  # of the first steps
        self._growing, self._lock = GrowingFlows(whole.flows), threading.Lock()
        self.steps = FlowSteps(tuple(self._growing.counts))

    def at(self, position: int) -> RoadFlows | None:
        """The flows of a step; before they are computed, those of the last one that is."""
        if position >= len(self.steps) - 1:
            return self.whole
        return self.computed[min(position, len(self.computed) - 1)] if self.computed else None

    def compute(self, context: JobContext) -> None:
        """Compute the steps that are missing, all but the last; a job that was
        cancelled may not have ended yet.
        """
        steps, progress = len(self.steps) - 1, context.progress_for("adding sources")
        with self._lock:
            for position in range(len(self.computed), steps):
                progress.checkpoint(position, steps)
                flows = self._growing.at(position, progress)
                step = self.whole.followed_by(replace(flows, arcs=flows.arcs.astype(np.float32)))
                self.computed.append(step.light())
                context.show(position)


def _prepared(flows: RoadFlows) -> RoadFlows:
    """With what the window's thread needs at once."""
    _ = flows.legend, flows.shades, flows.histogram, flows.greatest(1)
    return flows
