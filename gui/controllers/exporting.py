"""Export pictures, charts and tables in background jobs; writes are atomic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.canvas.area import CanvasArea
from gui.charts.board import ChartBoard
from gui.charts.export import export_chart
from gui.dialogs.export import WHITE, ExportDialog, ExportOptions
from gui.dialogs.film import FilmChoice, FilmDialog
from gui.export.composition import Subject
from gui.export.film import export_film
from gui.export.matrix_composition import MatrixState
from gui.export.page import SCREEN_DPI, TRANSPARENT, Page
from gui.export.picture_export import draw_image, export_picture
from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import Settings
from gui.style.theme import tokens
from solvers.contracts.results import Result
from solvers.errors import TautlineError
from solvers.graphs.writers import write_dimacs
from solvers.running.differences import write_differences
from solvers.running.records import write_all
from solvers.text import format_count

_WHITE = "#FFFFFF"
_WHOLE = "Everything"
_VIEWS = ("Current view", _WHOLE)
_KINDS = "PNG picture (*.png);;SVG drawing (*.svg)"
_NETWORK_KINDS = "DIMACS graph (*.gr);;Compressed (*.gr.gz)"
_FILM_KINDS = "GIF (*.gif);;MP4 video (*.mp4)"
_FILM_HEIGHT = 720.0  # pixels up to which a film's text has the size that it has on screen

ValueT = TypeVar("ValueT")


class Exporting(QObject):
    """Handles the File menu's export commands.

    Parameters
    ----------
    session, playback, jobs, settings
    canvas : CanvasArea
    charts : ChartBoard
    window : QWidget
        Parent of the dialogs.
    """

    def __init__(
        self, session: Session, playback: Playback, jobs: Jobs, settings: Settings, canvas: CanvasArea,
        charts: ChartBoard, window: QWidget,
    ):  # fmt: skip
        super().__init__(window)
        self._session, self._playback, self._jobs, self._settings = session, playback, jobs, settings
        self._canvas, self._charts, self._window = canvas, charts, window

    # -- the picture -------------------------------------------------------------------------------------------------

    def ask_picture(self) -> None:
        """Ask for options and a file, and export the picture."""
        dialog = ExportDialog("Export picture", "Show", _VIEWS, self._canvas.size(), self._window)
        if dialog.exec() and (path := self._ask_path("Export picture", ".png", _KINDS)):
            self.picture(path, dialog.options)

    def picture(self, path: Path, options: ExportOptions) -> None:
        """Draw the canvas at the requested size, in a job."""
        subject = self._subject()
        if subject is None:
            return
        whole = _VIEWS[options.subject] == _WHOLE
        background, dark = _background_of(options.background)

        def draw(context: JobContext) -> Path:
            page = Page(options.width, options.height, options.dpi, background, dark, margin=whole)
            content = subject.whole() if whole else subject
            return export_picture(path, content, page, context.observer(f"Exporting {path.name}"))

        self._write(f"Exporting {path.name}", draw, self._done)

    # -- the play-back -----------------------------------------------------------------------------------------------

    def ask_film(self) -> None:
        """Ask for options and a file, and export the play-back as a film."""
        subject = self._subject()
        if subject is None or not subject.length:
            return
        self.ask_film_of(subject, "phase" if isinstance(subject, MatrixState) else "iteration")

    def ask_film_of(self, subject: Subject, noun: str) -> None:
        """Ask for options and a file, and export a film of ``subject``, whose moments are called ``noun``."""
        dialog = FilmDialog(_VIEWS, self._canvas.size(), subject.length, noun, self._playback.loop, self._window)
        if dialog.exec() and (path := self._ask_path("Export film", ".gif", _FILM_KINDS)):
            self.film_of(subject, path, dialog.choice)

    def film(self, path: Path, choice: FilmChoice) -> None:
        """Write the play-back as GIF or MP4, depending on the suffix, in a job."""
        if (subject := self._subject()) is not None:
            self.film_of(subject, path, choice)

    def film_of(self, subject: Subject, path: Path, choice: FilmChoice) -> None:
        """Write a film of ``subject``, in a job."""
        whole = _VIEWS[choice.subject] == _WHOLE
        background, dark = _background_of(choice.background)
        dpi = round(SCREEN_DPI * max(1.0, choice.height / _FILM_HEIGHT))

        def draw(context: JobContext) -> Path:
            page = Page(choice.width, choice.height, dpi, background, dark, margin=whole)
            content = subject.whole() if whole else subject
            return export_film(path, content, page, choice.film, context.observer(f"Exporting {path.name}"))

        self._write(f"Exporting {path.name}", draw, self._done)

    # -- the clipboard -----------------------------------------------------------------------------------------------

    def copy_picture(self) -> None:
        """Copy the picture to the clipboard, as on screen but without buttons."""
        subject = self._subject()
        if subject is None:
            return
        ratio = self._canvas.devicePixelRatioF()
        width, height = round(self._canvas.width() * ratio), round(self._canvas.height() * ratio)
        page = Page(width, height, round(SCREEN_DPI * ratio), dark=tokens().dark)

        def take(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            self._session.notice(
                Notice(
                    Severity.INFO,
                    f"The picture, {format_count(width)} × {format_count(height)} pixels, was copied to the clipboard.",
                )
            )

        self._write("Copying the picture", lambda context: draw_image(subject, page, context.observer()), take)

    def _subject(self) -> Subject | None:
        subject = self._canvas.picture_state()
        if subject is None:
            self._session.notice(Notice(Severity.INFO, "The layout is not ready yet; try again in a moment."))
        return subject

    # -- charts ------------------------------------------------------------------------------------------------------

    def ask_chart(self) -> None:
        """Ask for a chart, options and a file, and export the chart."""
        charts = self._charts.charts
        current = self._charts.current
        dialog = ExportDialog("Export chart", "Chart", [c.title for c in charts], current.size(), self._window)
        dialog.subject.setCurrentIndex(charts.index(current))
        if dialog.exec():
            kinds = "PNG picture (*.png);;SVG drawing (*.svg)"
            if path := self._ask_path("Export chart", ".png", kinds):
                self.chart(path, dialog.options)

    def chart(self, path: Path, options: ExportOptions) -> None:
        """Write one chart as PNG or SVG, depending on the suffix.

        In this thread, since charts are widgets; a job without work makes it wait while a run measures.
        """
        grounds = {WHITE: _WHITE, TRANSPARENT: None}
        background = grounds.get(options.background, tokens().panel)
        chart = self._charts.charts[options.subject]

        def write(_: object) -> None:
            try:
                export_chart(chart, path, options.width, options.height, options.dpi, background)
            except TautlineError as error:
                self._session.notice_error(error)
            else:
                self._done(path)

        self._write(f"Exporting {path.name}", lambda _: None, write)

    # -- tables ------------------------------------------------------------------------------------------------------

    def ask_csv(self) -> None:
        """Ask for a folder and write the CSV files into it."""
        name = QFileDialog.getExistingDirectory(
            self._window, "Folder for trials.csv, summary.csv and iterations.csv", str(self._settings.export_folder)
        )
        if name:
            self.csv(Path(name))

    def csv(self, folder: Path) -> None:
        """Write trials, summary and, for traced runs, iterations."""
        results = self._session.results
        baseline = self._session.baseline
        baseline_id = baseline.variant.id if baseline is not None else ""
        self.tables(results, folder, baseline_id)

    def tables(self, results: Sequence[Result], folder: Path, baseline_id: str = "") -> None:
        """Write the tables of these results, in a job."""
        self._write("Writing tables", lambda _: write_all(results, folder, baseline_id), self._done)

    # -- changed roads -----------------------------------------------------------------------------------------------

    def ask_network(self) -> None:
        """Ask for a file and write the open graph, with its closed and slowed roads."""
        if path := self._ask_path("Export network", ".gr", _NETWORK_KINDS):
            self.network(path)

    def network(self, path: Path) -> None:
        """Write the open graph as a DIMACS file, in a job; its coordinates are written beside it."""
        graph = self._session.graph
        if graph is not None:
            title = f"Writing {path.name}"
            self._write(title, lambda context: write_dimacs(graph, path, context.observer(title)), self._done)

    def ask_differences(self) -> None:
        """Ask for a file and write the distances before and after the changes to roads."""
        if path := self._ask_path("Export differences", ".csv", "CSV table (*.csv)"):
            self.differences(path)

    def differences(self, path: Path) -> None:
        """Write a row for each vertex, in a job; does nothing if roads are as in the file."""
        comparison = self._session.roads.comparison
        if comparison is not None:
            title, differences = f"Writing {path.name}", comparison.differences
            self._write(
                title, lambda context: write_differences(differences, path, context.observer(title)), self._done
            )

    # -- all of them -------------------------------------------------------------------------------------------------

    def _ask_path(self, title: str, suffix: str, kinds: str) -> Path | None:
        graph = self._session.graph
        proposal = self._settings.export_folder / f"{graph.name if graph is not None else 'tautline'}{suffix}"
        name, _ = QFileDialog.getSaveFileName(self._window, title, str(proposal), kinds)
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else numbered(path.with_name(path.name + suffix))

    def _write(self, title: str, work: Callable[[JobContext], ValueT], on_success: Callable[[ValueT], None]) -> None:
        """Start an export unless one is still being written, which would be lost."""
        if (earlier := self._jobs.running("export")) is not None and not earlier.cancelling:
            words = (
                f"Another export is not finished yet ({earlier.title}). Wait for it, or cancel it, and export again."
            )
            self._session.notice(Notice(Severity.INFO, words))
            return
        self._jobs.start(
            "export",
            title,
            work,
            on_success=on_success,
            on_failure=self._session.notice_error,
        )

    def _done(self, written: Path | tuple[Path, ...]) -> None:
        paths = (written,) if isinstance(written, Path) else written
        folder = paths[0].resolve().parent
        self._settings.set_export_folder(folder)
        text = f"Wrote {', '.join(p.name for p in paths)} to {folder}."
        self._session.notice(Notice(Severity.INFO, text, "", "Show in folder", lambda: show_folder(folder)))


def numbered(path: Path) -> Path:
    """``path``, or the first of ``path-2``, ``path-3`` ... that does not exist: nobody was asked about replacing it."""
    names = (path, *(path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 10_000)))
    return next((name for name in names if not name.exists()), path)


def show_folder(folder: Path) -> bool:
    """Open ``folder`` in the desktop's file manager."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _background_of(background: str) -> tuple[str | None, bool]:
    """Background of a picture ("transparent", or None for the scheme's canvas), and whether to use the dark scheme."""
    if background == WHITE:
        return _WHITE, False
    dark = tokens().dark
    return (TRANSPARENT if background == TRANSPARENT else None), dark
