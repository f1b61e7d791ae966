"""Run > Experiments: forecast, run, pause and report experiments in jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.dialogs.experiments import ExperimentsDialog
from gui.export.svg_png import draw_svg
from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice, Severity
from gui.model.quiet import Quiet
from gui.model.session import Session
from gui.shell.commands import MEASURING
from solvers.contracts.catalog import Variant
from solvers.errors import FileFormatError, InputError, TautlineError
from solvers.experiments.chart_data import ChartData
from solvers.experiments.chart_files import chart_stem, write_chart, write_charts
from solvers.experiments.experiment import Experiment, ExperimentScale
from solvers.experiments.findings import Findings, findings_of
from solvers.experiments.forecast import GridForecast, forecast
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.graph_picture import GraphPicture
from solvers.experiments.large_grid import GridSize, size_of_grid
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.pause import Pause
from solvers.experiments.point_progress import ExperimentProgress
from solvers.experiments.probe import probed
from solvers.experiments.reading import read_experiment
from solvers.experiments.report import write_report
from solvers.experiments.runner import ExperimentRequest, ExperimentRun
from solvers.experiments.shipped import shipped
from solvers.experiments.writing import write_experiment
from solvers.host.observer import CancelToken
from solvers.running.estimate import rounded_duration
from solvers.running.listener import RunListener
from solvers.running.store.earlier_times import earlier_times
from solvers.running.store.run_store import RunStore
from solvers.text import plural

JOB, _LOOK_JOB = "experiment", "experiment forecast"
_BUSY = "Wait until the run has ended, or cancel it; two at a time would disturb each other."
_CHART_FILTER = "Picture (*.png);;Drawing (*.svg);;Table of what is drawn (*.csv);;pgfplots (*.tex)"
_PROGRESS_S = 1.0  # the window's thread works for about a millisecond each time


class Experimenting(QObject):
    """Shows the dialog, and does what it asks for; a run goes on after it was closed.

    Parameters
    ----------
    session, jobs
    window : QWidget
        Parent of the dialog.
    """

    def __init__(self, session: Session, jobs: Jobs, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._window = session, jobs, window
        self._dialog: ExperimentsDialog | None = None
        self._folders: list[Path] = []
        self._request: ExperimentRequest | None = None
        self._outcomes: list[Measurement | Omission] = []
        self._findings: Findings | None = None
        self._pictures: Mapping[str, GraphPicture] = {}
        self._pause = Pause()
        self.experiments = shipped
        self.store: Callable[[], RunStore] = RunStore

    @property
    def findings(self) -> Findings | None:
        """What the last run found; None before it has ended, and after another experiment was chosen."""
        return self._findings

    def show(self) -> ExperimentsDialog:
        """Open the list, or bring it to the front."""
        if self._dialog is None:
            dialog = ExperimentsDialog(self.experiments(), self._window)
            self._dialog = dialog
            dialog.chosen.connect(self._look)
            dialog.start_requested.connect(self._start)
            dialog.pause_requested.connect(lambda: self._set_paused(True))
            dialog.resume_requested.connect(lambda: self._set_paused(False))
            dialog.cancel_requested.connect(self._cancel)
            dialog.report_requested.connect(self._ask_report)
            dialog.charts_requested.connect(self._ask_charts)
            dialog.chart_requested.connect(self._ask_chart)
            dialog.file_requested.connect(self._ask_file)
            dialog.own_requested.connect(self._ask_own)
            dialog.folder_requested.connect(self._ask_folder)
            self._look()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        return self._dialog

    # -- before the run ----------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Forecast the chosen experiment in a job."""
        dialog = self._dialog
        if dialog is None or (experiment := dialog.current) is None or self._jobs.running(JOB):
            return
        scale, files, device, store = dialog.scale, GraphFiles(self._folders), self._session.device, self.store
        self._request = self._findings = None
        dialog.start_button.setEnabled(False)

        def work(context: JobContext) -> ExperimentRequest:
            known = earlier_times(store(), {one.variant.id for one in experiment.series})

            def look(at: Experiment) -> GridForecast:
                return forecast(at, scale, files, device, known)

            _require_moderate(size_of_grid(experiment, scale, look), experiment)
            return ExperimentRequest(
                experiment, scale, look(experiment), files, experiment.measuring[scale], device, store(), "window"
            )

        self._jobs.start(
            _LOOK_JOB, f"Looking at {experiment.id}", work, on_success=self._show_forecast, on_failure=self._fail
        )

    def _show_forecast(self, request: ExperimentRequest) -> None:
        if self._dialog is not None and self._is_current(request.experiment, request.scale):
            self._request = request
            self._dialog.show_forecast(request.forecast)

    def _is_current(self, experiment: Experiment, scale: ExperimentScale) -> bool:
        dialog = self._dialog
        return dialog is not None and dialog.current is experiment and dialog.scale is scale

    # -- the run -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        request, dialog = self._request, self._dialog
        if request is None or dialog is None:
            return
        if any(self._jobs.running(kind) for kind in MEASURING):
            dialog.show_message(_BUSY)
            return
        self._outcomes, self._findings, self._pause = [], None, Pause()
        pause, quiet, store = self._pause, self._jobs.quiet, self.store()

        def work(context: JobContext) -> Iterator[Measurement | Omission | ExperimentRequest]:
            listener = _Gate(quiet, context.cancel)
            told = _Told(context)
            known = earlier_times(store, {one.variant.id for one in request.experiment.series})
            better = probed(request, known, context.cancel, lambda words: context.progress(0.0, words))
            if better is not request:
                yield better
            run = ExperimentRun(better, context.cancel, pause, listener, told)
            self._pictures = run.pictures
            yield from run.measure()
            if run.problem is not None:
                raise run.problem

        dialog.show_forecast(request.forecast)
        dialog.show_findings((), ())
        dialog.show_message("Starting")
        dialog.show_running(True)
        job = self._jobs.start(
            JOB, request.experiment.title, work, on_value=self._take, on_success=lambda _: self._end("Finished."),
            on_cancel=lambda: self._end("Cancelled; what is finished is kept, and Start goes on from there."),
            on_failure=self._fail, measures=True,
        )  # fmt: skip
        job.progressed.connect(self._show_progress)

    def _take(self, outcome: Measurement | Omission | ExperimentRequest) -> None:
        if isinstance(outcome, ExperimentRequest):
            self._request = outcome
            if self._dialog is not None:
                self._dialog.show_forecast(outcome.forecast)
            return
        self._outcomes.append(outcome)
        if self._dialog is not None:
            self._dialog.show_outcome(outcome)

    def _show_progress(self, fraction: float, words: str) -> None:
        if self._dialog is not None and self._jobs.running(JOB) is not None and not self._pause.is_paused:
            self._dialog.show_progress(fraction, words)

    def _set_paused(self, paused: bool) -> None:
        (self._pause.pause if paused else self._pause.resume)()
        if self._dialog is not None:
            self._dialog.show_running(True, paused=paused)
            self._dialog.words.setText("Pauses after this point" if paused else "Going on")

    def _cancel(self) -> None:
        self._jobs.cancel(JOB)

    def _end(self, words: str) -> None:
        """Judge what was measured, in a job, as that measures the device's memory."""
        request, outcomes, pictures = self._request, list(self._outcomes), self._pictures
        if self._dialog is not None:
            self._dialog.show_running(False)
            self._dialog.show_message(words)
        if request is None or not any(isinstance(one, Measurement) for one in outcomes):
            return

        def show(findings: Findings) -> None:
            self._findings = findings
            if self._dialog is not None:
                self._dialog.show_findings(findings.judgements, findings.charts)
                self._dialog.show_progress(1.0, words)
                self._dialog.show_message(words, has_report=True)

        self._jobs.start(
            _LOOK_JOB, f"Judging {request.experiment.id}", lambda _: findings_of(request, outcomes, pictures),
            on_success=show, on_failure=self._fail,
        )  # fmt: skip

    def _fail(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_running(False)
            self._dialog.show_message(Notice.of(error).text)
        self._session.notice_error(error)

    # -- files -------------------------------------------------------------------------------------------------------

    def _ask_report(self) -> None:
        if self._findings is None:
            return
        name = f"{self._findings.experiment.id}.html"
        path, _ = QFileDialog.getSaveFileName(self._dialog, "Write report", name, "HTML page (*.html)")
        if path:
            self.write_report(Path(path))

    def write_report(self, path: Path) -> None:
        """Write the report in a job, then open it in the browser."""
        findings = self._findings
        if findings is None:
            return

        def done(_: object) -> None:
            self._session.notice(Notice(Severity.INFO, f"Wrote {path}."))
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        self._jobs.start(
            "export", f"Writing {path.name}", lambda _: write_report(findings, path),
            on_success=done, on_failure=self._session.notice_error,
        )  # fmt: skip

    def _ask_charts(self) -> None:
        if path := QFileDialog.getExistingDirectory(self._dialog, "Folder for the charts"):
            self.export_charts(Path(path))

    def export_charts(self, folder: Path) -> None:
        """Write the charts as they are drawn, in a job: PNG, SVG, pgfplots, and a CSV of what they show."""
        findings, dialog = self._findings, self._dialog
        if findings is None or dialog is None:
            return
        drawn = dialog.charts.drawn

        def done(written: tuple[Path, ...]) -> None:
            self._session.notice(Notice(Severity.INFO, f"Wrote {plural(len(written), 'file')} into {folder}."))

        self._jobs.start(
            "export", "Writing charts",
            lambda _: write_charts(drawn, folder, findings.experiment.id, pgfplots=True, draw_svg=draw_svg),
            on_success=done, on_failure=self._session.notice_error,
        )  # fmt: skip

    def _ask_chart(self, chart: ChartData) -> None:
        if self._findings is None:
            return
        name = f"{chart_stem(chart, self._findings.experiment.id)}.png"
        path, _ = QFileDialog.getSaveFileName(self._dialog, "Export chart", name, _CHART_FILTER)
        if path:
            self.export_chart(chart, Path(path))

    def export_chart(self, chart: ChartData, path: Path) -> None:
        """Write one chart in a job, in the format of the file's ending."""
        self._jobs.start(
            "export", f"Writing {path.name}", lambda _: write_chart(chart, path, draw_svg),
            on_success=lambda _: self._session.notice(Notice(Severity.INFO, f"Wrote {path}.")),
            on_failure=self._session.notice_error,
        )  # fmt: skip

    def _ask_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self._dialog, "Own experiment", "", "Experiment (*.toml)")
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Add an own experiment to the list, and choose it."""
        try:
            experiment = read_experiment(path)
        except FileFormatError as error:
            self._say(str(error))
            return
        self.add_folder(path.parent)
        if self._dialog is not None:
            self._dialog.add(experiment)
            self._dialog.choose(experiment.id)

    def _ask_own(self) -> None:
        if self._session.request() is None:
            self._say("Open a graph and tick the variants to compare first.")
            return
        path, _ = QFileDialog.getSaveFileName(self._dialog, "New experiment", "own.toml", "Experiment (*.toml)")
        if path:
            self.write_own(Path(path))

    def write_own(self, path: Path) -> None:
        """Write the open graph and the ticked variants as an experiment, and choose it."""
        request, session = self._session.request(), self._session
        if request is None:
            return
        try:
            write_experiment(path, f"Comparison on {request.graph.name}", request, session.graph_source)
        except TautlineError as error:
            self._say(str(error))
            return
        if session.graph_source.path:
            self.add_folder(Path(session.graph_source.path).parent)
        self.open_file(path)

    def _say(self, words: str) -> None:
        if self._dialog is not None:
            self._dialog.show_message(words)

    def _ask_folder(self) -> None:
        if path := QFileDialog.getExistingDirectory(self._dialog, "Folder with graph files"):
            self.add_folder(Path(path))

    def add_folder(self, folder: Path) -> None:
        """Look for graph files in that folder too."""
        if folder not in self._folders:
            self._folders.append(folder)
            self._look()


def _require_moderate(size: GridSize, experiment: Experiment) -> None:
    if size.is_large:
        raise InputError(
            f"{experiment.id} has {size.words}. Narrow its grid, or run it by the command line with --yes."
        )


class _Gate(RunListener):
    """Keeps the window's background work waiting while a point is measured."""

    def __init__(self, quiet: Quiet, cancel: CancelToken):
        self._quiet, self._cancel = quiet, cancel

    def measuring_begins(self, variant: Variant) -> None:
        self._quiet.begin(lambda: self._cancel.cancelled)

    def measuring_ends(self, variant: Variant) -> None:
        self._quiet.end()


class _Told:
    """Passes the progress of an experiment on as that of its job, at most once a second."""

    def __init__(self, context: JobContext):
        self._context = context
        self._last = (-1, 0.0)

    def __call__(self, progress: ExperimentProgress) -> None:
        done, at = self._last
        if progress.done == done and time.monotonic() - at < _PROGRESS_S:
            return
        self._last = (progress.done, time.monotonic())
        left = f", about {rounded_duration(progress.seconds_left)} left" if progress.seconds_left > 1 else ""
        words = f"point {min(progress.done + 1, progress.total)} of {progress.total}{left}: {progress.words}"
        self._context.progress(progress.fraction, words)
