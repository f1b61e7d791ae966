"""Writes the report and the charts of an experiment, in jobs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from gui.controllers.export import start_export
from gui.features.experiments.page import ExperimentPage
from gui.model.jobs import Jobs
from gui.model.session import Session
from solvers.features.experiments.chart_files import chart_stem, write_chart, write_charts
from solvers.features.experiments.report import Findings, write_report
from solvers.picture.charts.table import ChartData
from solvers.text import plural

_CHART_FILTER = (
    "Picture (*.png);;Drawing (*.svg);;Document (*.pdf);;Table of what is drawn (*.csv);;"
    "pgfplots (*.tex)"
)


class ExperimentExports(QObject):
    """Writes what a run of an experiment found, as its page asks for it; lives as long
    as that page.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        page: ExperimentPage,
        findings: Callable[[], Findings | None],
    ):
        super().__init__(page)
        self._session, self._page, self._ended = session, page, findings
        self._write = partial(start_export, session, jobs)
        page.report_requested.connect(self._ask_report)
        page.charts_requested.connect(self._ask_charts)
        page.chart_requested.connect(self._ask_chart)

    @property
    def _findings(self) -> Findings:
        """What is to be written, which is offered only when there is something."""
        findings = self._ended()
        assert findings is not None
        return findings

    def _ask_report(self) -> None:
        name = f"{self._findings.experiment.id}.html"
        path, _ = QFileDialog.getSaveFileName(
            self._page, "Write report", name, "HTML page (*.html)"
        )
        if path:
            self._write_report(Path(path))

    def _write_report(self, path: Path) -> None:
        """Write the report in a job, then open it in the browser."""
        findings = self._findings

        def done(_: object) -> None:
            self._session.inform(f"Wrote {path}.")
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        self._write(f"Writing {path.name}", lambda _: write_report(findings, path), done)

    def _ask_charts(self) -> None:
        if path := QFileDialog.getExistingDirectory(self._page, "Folder for the charts"):
            self._export_charts(Path(path))

    def _export_charts(self, folder: Path) -> None:
        """Write the charts as they are drawn, in a job: PNG, SVG, pgfplots, and a CSV
        of what they show.
        """
        drawn = self._page.charts.drawn

        def done(written: tuple[Path, ...]) -> None:
            self._session.inform(f"Wrote {plural(len(written), 'file')} into {folder}.")

        name = self._findings.experiment.id
        self._write(
            "Writing charts",
            lambda _: write_charts(drawn, folder, name, pgfplots=True),
            done,
        )

    def _ask_chart(self, chart: ChartData) -> None:
        name = f"{chart_stem(chart, self._findings.experiment.id)}.png"
        path, _ = QFileDialog.getSaveFileName(self._page, "Export chart", name, _CHART_FILTER)
        if path:
            self._export_chart(chart, Path(path))

    def _export_chart(self, chart: ChartData, path: Path) -> None:
        """Write one chart in a job, in the format of the file's ending."""
        done = lambda _: self._session.inform(f"Wrote {path}.")  # noqa: E731
        self._write(f"Writing {path.name}", lambda _: write_chart(chart, path), done)
