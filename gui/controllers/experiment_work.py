"""What the jobs of an experiment work with, and the writing of its reports and charts.

The former are the look before the run, the place, the gate and progress. Reports and charts (Run > Experiments) are
written in jobs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from gui.dialogs.experiment_tabs import ForecastView
from gui.dialogs.experiments import ExperimentsDialog
from gui.export.picture import draw_svg
from gui.model.jobs import JobContext, Jobs, Kind
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.cluster.connection import Connection
from solvers.cluster.workers import ExclusiveHosts
from solvers.errors import SchedulerUnreachable
from solvers.experiments.chart_files import chart_stem, write_chart, write_charts
from solvers.experiments.charts import ChartData
from solvers.experiments.cluster_hosts import ClusterHosts, Surroundings
from solvers.experiments.forecast import GridSize
from solvers.experiments.measure import ExperimentProgress, ExperimentRequest
from solvers.experiments.probe import ExperimentHost
from solvers.experiments.report import Findings, write_report
from solvers.running.estimate import rounded_duration
from solvers.text import plural

_PROGRESS_S = 1.0  # the window's thread works for about a millisecond each time


@dataclass(frozen=True)
class ExperimentLook:
    """What is known of the chosen experiment before it runs.

    Attributes
    ----------
    wanted : ExperimentRequest
        Its forecast is empty.
    address : str
        Of the cluster that measures; "" for this machine.
    takes_any : bool
        Whether hosts that differ from the others measure too.
    size : GridSize or None
        None before the first look.
    request : ExperimentRequest or None
        With a look at every point; None for a large grid that nobody has confirmed yet.
    view : ForecastView or None
        Of the request.
    remarks : tuple of str
        On the hosts.
    is_probed : bool
        Whether guesses were replaced already.
    """

    wanted: ExperimentRequest
    address: str
    takes_any: bool
    size: GridSize | None = None
    request: ExperimentRequest | None = None
    view: ForecastView | None = None
    remarks: tuple[str, ...] = ()
    is_probed: bool = False

    def with_request(self, request: ExperimentRequest, *, is_probed: bool) -> ExperimentLook:
        view = ForecastView.of(request.forecast, is_probed=is_probed)
        return replace(self, request=request, view=view, is_probed=is_probed)


def place_of(
    look: ExperimentLook,
    connection: Connection | None,
    hosts: Callable[[Connection], ExclusiveHosts],
    folders: Sequence[Path],
    context: JobContext,
) -> ExperimentHost:
    """Where an experiment is measured; asks the hosts of a cluster for their equipment.

    Parameters
    ----------
    look : ExperimentLook
    connection : Connection or None
        To the cluster, if the window has one.
    hosts : callable
        `ExclusiveHosts`, or what stands for it.
    folders : sequence of Path
        In which hosts look for graph files.
    context : JobContext
        Its `show` hears what befalls hosts during the run.

    Raises
    ------
    InputError, ClusterUnavailable, SchedulerUnreachable, Cancelled
    """
    wanted = look.wanted
    if not look.address:
        return ExperimentHost(wanted, context.cancel)
    if connection is None:
        raise SchedulerUnreachable(look.address, "the window is not connected to it")
    around = Surroundings.of(wanted, folders, "auto")
    return ClusterHosts(wanted, context.cancel, hosts(connection), around, context.show, takes_any=look.takes_any)


class ProgressRelay:
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


_CHART_FILTER = "Picture (*.png);;Drawing (*.svg);;Table of what is drawn (*.csv);;pgfplots (*.tex)"


class ExperimentExports(QObject):
    """Writes what a run of an experiment found.

    Parameters
    ----------
    session, jobs
    dialog : ExperimentsDialog
        Its buttons ask for the files.
    findings : callable() -> Findings or None
        What is written.
    """

    def __init__(
        self, session: Session, jobs: Jobs, dialog: ExperimentsDialog, findings: Callable[[], Findings | None]
    ):
        super().__init__(dialog)
        self._session, self._jobs, self._dialog, self._findings = session, jobs, dialog, findings
        dialog.report_requested.connect(self._ask_report)
        dialog.charts_requested.connect(self._ask_charts)
        dialog.chart_requested.connect(self._ask_chart)

    def _ask_report(self) -> None:
        if (findings := self._findings()) is None:
            return
        name = f"{findings.experiment.id}.html"
        path, _ = QFileDialog.getSaveFileName(self._dialog, "Write report", name, "HTML page (*.html)")
        if path:
            self.write_report(Path(path))

    def write_report(self, path: Path) -> None:
        """Write the report in a job, then open it in the browser."""
        if (findings := self._findings()) is None:
            return

        def done(_: object) -> None:
            self._session.notice(Notice(Severity.INFO, f"Wrote {path}."))
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        self._jobs.start(
            Kind.EXPORT, f"Writing {path.name}", lambda _: write_report(findings, path),
            on_success=done, on_failure=self._session.notice_error,
        )  # fmt: skip

    def _ask_charts(self) -> None:
        if path := QFileDialog.getExistingDirectory(self._dialog, "Folder for the charts"):
            self.export_charts(Path(path))

    def export_charts(self, folder: Path) -> None:
        """Write the charts as they are drawn, in a job: PNG, SVG, pgfplots, and a CSV of what they show."""
        if (findings := self._findings()) is None:
            return
        drawn = self._dialog.charts.drawn

        def done(written: tuple[Path, ...]) -> None:
            self._session.notice(Notice(Severity.INFO, f"Wrote {plural(len(written), 'file')} into {folder}."))

        self._jobs.start(
            Kind.EXPORT, "Writing charts",
            lambda _: write_charts(drawn, folder, findings.experiment.id, pgfplots=True, draw_svg=draw_svg),
            on_success=done, on_failure=self._session.notice_error,
        )  # fmt: skip

    def _ask_chart(self, chart: ChartData) -> None:
        if (findings := self._findings()) is None:
            return
        name = f"{chart_stem(chart, findings.experiment.id)}.png"
        path, _ = QFileDialog.getSaveFileName(self._dialog, "Export chart", name, _CHART_FILTER)
        if path:
            self.export_chart(chart, Path(path))

    def export_chart(self, chart: ChartData, path: Path) -> None:
        """Write one chart in a job, in the format of the file's ending."""
        self._jobs.start(
            Kind.EXPORT, f"Writing {path.name}", lambda _: write_chart(chart, path, draw_svg),
            on_success=lambda _: self._session.notice(Notice(Severity.INFO, f"Wrote {path}.")),
            on_failure=self._session.notice_error,
        )  # fmt: skip
