"""Begins a lesson with one click: a small graph, and the selected variant watched on it.

Nothing is timed: a watched run is enough for a lesson, and is there at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject

from gui.controllers.open import OpenController
from gui.controllers.run import RunJobs
from gui.model.jobs import JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.samples import sample
from gui.model.session import Session
from solvers.core.availability import availability
from solvers.core.result import Result
from solvers.core.variant import Algorithm, Answers, Variant, find_variant
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import SMALL_GRAPH
from solvers.running.request import Choice, MeasurementPlan, RunRequest

SAMPLE = "tiny"
_WATCHED = MeasurementPlan(warmups=0, trials=0)
_ALWAYS_HERE = ("dijkstra-heap", "bf-serial")


class LessonStart(QObject):
    """Opens what can be followed, and watches a variant on it."""

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        run_jobs: RunJobs,
        opening: OpenController,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._playback, self._jobs = session, playback, jobs
        self._run_jobs, self._opening = run_jobs, opening
        self._waits = False  # for a sample, to watch a variant on it
        opening.sample_opened.connect(self._follow_sample)

    def begin(self) -> None:
        """Watch a variant on the open graph if that is small, else on a sample."""
        if _is_small(self._session.graph):
            self._watch()
        else:
            self.await_sample(SAMPLE)
            self._opening.open_sample(SAMPLE)

    def await_sample(self, name: str) -> None:
        """Begin the lesson of a sample that is being opened, if it can be followed."""
        self._waits = bool(sample(name).variants)

    def offer(self) -> None:
        """Begin where nothing would be lost: without a graph, or on a small one without a
        result.
        """
        graph = self._session.graph
        is_free = not self._jobs.measures and self._jobs.running(JobKind.OPEN) is None
        if is_free and (graph is None or (_is_small(graph) and not self._session.results.all)):
            self.begin()

    def variant(self, graph: Graph) -> Variant:
        """The selected variant, or the first ticked one, that has a lesson and runs here."""
        return next(
            entry
            for entry in self._candidates()
            if _follows_one(entry) and availability(entry, graph, self._session.device).available
        )

    def _candidates(self) -> Iterator[Variant]:
        chosen = self._session.results.selected_id
        for name in filter(None, (chosen, *self._session.choices.ids, *_ALWAYS_HERE)):
            yield find_variant(name)

    def _follow_sample(self) -> None:
        if self._waits:
            self._waits = False
            self._watch()

    def _watch(self) -> None:
        session, graph = self._session, self._session.graph
        if graph is None or self._jobs.measures:
            return
        if session.source is None:
            session.set_endpoints(0, session.target)
        variant = self.variant(graph)
        parameters = dict(session.choices.parameters(variant.id))
        if (tile := _small_tile(variant, parameters, graph)) is not None:
            parameters["tile"] = tile
            session.inform(f"The lesson has tiles of {tile} by {tile} cells: there are several.")
        request = RunRequest(
            graph,
            session.source,
            session.target,
            (Choice(variant, parameters),),
            session.device if variant.runs_on.takes_device else None,
            _WATCHED,
            trace=True,
        )
        self._run_jobs.start(
            JobKind.TRACE,
            f"Watching {variant.full_title}",
            request,
            "Watching",
            on_value=self._show,
            on_end=lambda: None,
            on_failure=session.notice_error,
        )

    def _show(self, result: Result) -> None:
        if result.graph is not self._session.graph:
            return
        if result.trace is None:
            self._session.notice(Notice(Severity.WARNING, result.error, report=result.report))
            return
        self._session.results.add([result])
        self._session.results.select(result.variant.id)
        self._playback.to_start()


def _is_small(graph: Graph | None) -> bool:
    return graph is not None and 0 < graph.n <= SMALL_GRAPH


def _follows_one(variant: Variant) -> bool:
    by_cells = variant.algorithm is Algorithm.FLOYD_WARSHALL
    return variant.pseudocode is not None and (by_cells or variant.answers is not Answers.APSP)


def _small_tile(variant: Variant, parameters: dict[str, object], graph: Graph) -> int | None:
    """A tile of which the matrix has several, if the chosen one covers it."""
    tile = next((one for one in variant.parameters if one.name == "tile"), None)
    if tile is None or int(str(parameters["tile"])) < graph.n:
        return None
    return min((int(str(one)) for one in tile.choices if int(str(one)) < graph.n), default=None)
