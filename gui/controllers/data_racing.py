"""Run > Show the race: run a racy variant many times in a job and count wrong results."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from gui.dialogs.race import RaceDialog
from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice
from gui.model.session import Session
from solvers.contracts import catalog
from solvers.contracts.availability import availability
from solvers.contracts.catalog import Variant
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.running.data_race import RaceReport, count_wrong_runs
from solvers.text import format_count, format_distance, plural

JOB = "race"
COUNTEREXAMPLE = "contention"


@dataclass(frozen=True)
class Race:
    """Result of the job: the graph used and the report."""

    graph: Graph
    report: RaceReport


class Racing(QObject):
    """Handles Run > Show the race.

    Parameters
    ----------
    session, jobs
    window : QWidget
        Parent of the dialog.
    """

    def __init__(self, session: Session, jobs: Jobs, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._window = session, jobs, window

    def show(self) -> RaceDialog | None:
        """Open the dialog for the selected variant; None if it is not racy or cannot run here."""
        if not self._session.can_race:
            return None
        variant = catalog.find(self._session.selected_id or "")
        dialog = RaceDialog(variant.full_title, variant.caveat, self._open_graph(variant), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.start_requested.connect(lambda: self._start(variant, dialog))
        dialog.stop_requested.connect(lambda: self._jobs.cancel(JOB))
        dialog.finished.connect(lambda: self._jobs.drop(JOB))
        dialog.open()
        return dialog

    def _open_graph(self, variant: Variant) -> str:
        """Name of the open graph; "" if the variant cannot run on it."""
        graph = self._session.graph
        usable = graph is not None and availability(variant, graph, self._session.device).available
        return graph.name if graph is not None and usable and self._session.source is not None else ""

    def _start(self, variant: Variant, dialog: RaceDialog) -> None:
        device = self._session.device
        assert device is not None  # `Session.can_race` has seen one
        graph, source, runs = self._session.graph, self._session.source, dialog.runs
        on_open_graph = dialog.on_open_graph

        def work(context: JobContext) -> Race:
            raced, start = graph, source
            if not on_open_graph:
                family = generators.find(COUNTEREXAMPLE)
                raced, start = family.generate({}, context.observer("Generating the counterexample")), 0
            assert raced is not None  # the dialog offers the open graph only where there is one with a source
            assert start is not None
            observer = context.observer(f"Running {variant.full_title} {plural(runs, 'time')}")
            return Race(raced, count_wrong_runs(raced, start, variant, device, runs, observer))

        def ended(words: str) -> None:
            dialog.show_running(False)
            dialog.show_outcome(words)

        def succeeded(race: Race) -> None:
            if race.graph is not self._session.graph:
                self._session.open_graph(race.graph)
                dialog.offer_open_graph(self._session)
            ended(outcome_text(race.graph, race.report))

        def failed(error: Exception) -> None:
            ended(Notice.of(error).text)
            self._session.notice_error(error)

        dialog.show_running(True)
        job = self._jobs.start(
            JOB,
            f"Racing {variant.full_title}",
            work,
            on_success=succeeded,
            on_failure=failed,
            on_cancel=lambda: ended("Stopped; nothing was counted."),
        )
        job.progressed.connect(dialog.show_progress)


def outcome_text(graph: Graph, report: RaceReport) -> str:
    """Text of the outcome: number of wrong runs and vertices, and one vertex as an example."""
    if report.example is None:
        return (
            f"All {plural(report.runs, 'run')} were correct. The race exists, but no run triggered it: the outcome "
            "depends on the timing of threads, which differs between devices and runs."
        )
    example = report.example
    wrong = [count for count in report.wrong_vertices_per_run if count]
    few, many = format_count(min(wrong)), plural(max(wrong), "vertex", "vertices")
    spread = many if min(wrong) == max(wrong) else f"{few} to {many}"
    vertex = int(graph.ids[example.vertex])
    found, right = (format_distance(value, graph.weight_unit) for value in (example.found, example.right))
    return (
        f"{format_count(report.wrong_runs)} of {plural(report.runs, 'run')} were wrong, by {spread} of "
        f"{format_count(graph.n)} each.\n\n"
        f"For example, run {format_count(example.run + 1)} "
        f"gave vertex {vertex} the distance {found} instead of {right}."
    )
