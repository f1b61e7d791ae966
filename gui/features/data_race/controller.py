"""Run > Show the data race: run a racy variant many times in a job and count wrong results."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from gui.features.data_race.dialog import DataRaceDialog
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice
from gui.model.session import Session
from gui.shell.commands import is_racy_here
from solvers.core.availability import availability
from solvers.core.variant import Variant, find_variant
from solvers.devices.device import Device
from solvers.features.data_race.counting import (
    ContentionLevel,
    RaceReport,
    count_wrong_runs,
    raise_contention,
)
from solvers.graphs.graph import Graph
from solvers.text import format_count, format_distance, plural


@dataclass(frozen=True)
class DataRace:
    """Result of the job: the graph of the last runs, and the outcome in words."""

    graph: Graph
    words: str


class DataRaceController(QObject):
    """Handles Run > Show the data race."""

    def __init__(self, session: Session, jobs: Jobs, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._window = session, jobs, window

    def show(self) -> DataRaceDialog | None:
        """Open the dialog for the selected variant; None if it is not racy, cannot run
        here, or something measures.
        """
        if not is_racy_here(self._session) or self._jobs.measures:
            return None
        variant = find_variant(self._session.results.selected_id or "")
        dialog = DataRaceDialog(
            variant.full_title, variant.caveat, self._open_graph(variant), self._window
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.start_requested.connect(lambda: self._start(variant, dialog))
        dialog.stop_requested.connect(lambda: self._jobs.cancel(JobKind.DATA_RACE))
        dialog.finished.connect(lambda: self._jobs.drop(JobKind.DATA_RACE))
        dialog.open()
        return dialog

    def _open_graph(self, variant: Variant) -> str:
        """Name of the open graph; "" if the variant cannot run on it."""
        graph = self._session.graph
        usable = graph is not None and availability(variant, graph, self._session.device).available
        return (
            graph.name if graph is not None and usable and self._session.source is not None else ""
        )

    def _start(self, variant: Variant, dialog: DataRaceDialog) -> None:
        device = self._session.device
        assert device is not None  # `is_racy_here` has seen one
        graph, source = self._session.graph, self._session.source
        on_open_graph, runs = dialog.open_graph.isChecked(), dialog.runs_box.value()

        def work(context: JobContext) -> DataRace:
            progress = context.progress_for(
                f"Running {variant.full_title} {plural(runs, 'time')} a graph"
            )
            if not on_open_graph:
                levels = raise_contention(variant, device, runs, progress)
                return DataRace(levels[-1].graph, contention_text(levels, device))
            # the dialog offers the open graph only where there is one with a source
            assert graph is not None
            assert source is not None
            report = count_wrong_runs(graph, source, variant, device, runs, progress)
            return DataRace(graph, outcome_text(graph, report))

        def ended(words: str) -> None:
            dialog.show_running(False)
            dialog.outcome.setText(words)

        def succeeded(race: DataRace) -> None:
            # which may have been replaced meanwhile, by a file that was being read
            if not on_open_graph:
                self._session.open_graph(race.graph)
                dialog.offer_open_graph(self._session)
            ended(race.words)

        def failed(error: Exception) -> None:
            ended(Notice.of(error).text)
            self._session.notice_error(error)

        dialog.show_running(True)
        self._jobs.start(
            JobKind.DATA_RACE,
            f"Counting wrong runs of {variant.full_title}",
            work,
            on_success=succeeded,
            on_failure=failed,
            on_cancel=lambda: ended("Stopped; nothing was counted."),
            on_progress=dialog.show_progress,
        )


def outcome_text(graph: Graph, report: RaceReport) -> str:
    """Text of the outcome: number of wrong runs and vertices, and one vertex as an example."""
    if report.example is None:
        return (
            f"All {plural(report.runs, 'run')} were correct. The race exists, but no run triggered "
            "it: the outcome depends on the timing of threads, which differs between devices and "
            "runs. The counterexample has more contention than most graphs."
        )
    example = report.example
    wrong = [count for count in report.wrong_vertices_per_run if count]
    few, many = format_count(min(wrong)), plural(max(wrong), "vertex", "vertices")
    spread = many if min(wrong) == max(wrong) else f"{few} to {many}"
    vertex = graph.vertex_label(example.vertex)
    found, right = (
        format_distance(value, graph.weight_unit) for value in (example.found, example.right)
    )
    return (
        f"{format_count(report.wrong_runs)} of {plural(report.runs, 'run')} were wrong, "
        f"by {spread} of {format_count(graph.n)} each.\n\n"
        f"For example, run {format_count(example.run + 1)} gave vertex {vertex} the distance "
        f"{found} instead of {right}."
    )


def contention_text(levels: tuple[ContentionLevel, ...], device: Device) -> str:
    """Text of an experiment on graphs of rising contention: which one triggered the
    race, or what would.
    """
    last = levels[-1]
    if last.report.wrong_runs:
        outcome = outcome_text(last.graph, last.report)
        if len(levels) == 1:
            return outcome
        return (
            f"{outcome}\n"
            "\n"
            f"It took more contention than the paper's graph has: {_writers(last)}, with costs in "
            f"scattered order. {plural(sum(level.report.runs for level in levels[:-1]), 'run')} "
            "with less were correct."
        )
    runs = plural(sum(level.report.runs for level in levels), "run")
    remedy = (
        f"{device.name} is a processor, which runs {plural(device.compute_units, 'work-group')} "
        "at a time; a GPU, which runs thousands of threads at once, "
        "would trigger it. So may more runs."
        if device.is_cpu
        else (
            "More runs may trigger it, and so may a larger graph: "
            "generate a Contention graph with more last vertices."
        )
    )
    return (
        f"All {runs} were correct, up to {_writers(last)}. The race exists, "
        f"but no run triggered it. {remedy}"
    )


def _writers(level: ContentionLevel) -> str:
    """ "958 vertices that write to each of 64 vertices at the same time"."""
    each = (
        "one vertex" if level.lasts == 1 else f"each of {plural(level.lasts, 'vertex', 'vertices')}"
    )
    return f"{plural(level.writers, 'vertex', 'vertices')} that write to {each} at the same time"
