"""Export pictures, charts and tables in background jobs; writes are atomic."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QSize, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget
from shiboken6 import isValid

from gui.canvas.area import CanvasArea
from gui.charts.board import ChartBoard
from gui.export.page import SCREEN_DPI, TRANSPARENT, Page, file_name
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import Settings
from gui.style.theme import tokens
from solvers.core.result import Result
from solvers.system.cancel import Progress
from solvers.system.files import replace_atomically
from solvers.text import format_count

if TYPE_CHECKING:  # dialogs and writers are imported when something is exported
    from gui.dialogs.export import AnimationChoice, AnimationDialog, ExportOptions
    from gui.export.composition import PictureState, Subject
    from solvers.running.answers.table import AnswerTable

_WHITE = "#FFFFFF"
_WHOLE = "Everything"
_VIEWS = ("Current view", _WHOLE)
_LIT = "What is lit"
_KINDS = {
    ".png": "PNG picture (*.png)",
    ".svg": "SVG drawing (*.svg)",
    ".pdf": "PDF document (*.pdf)",
    ".gif": "GIF (*.gif)",
    ".mp4": "MP4 video (*.mp4)",
}
_NETWORK_KINDS = (
    "DIMACS graph (*.gr);;Compressed (*.gr.gz);;GraphML (*.graphml);;"
    "Matrix Market (*.mtx);;Edge list (*.txt)"
)
_SUFFIX = re.compile(r"\*((?:\.\w+)+)")  # in the name of a kind of files
# pixels up to which an animation's text has the size that it has on screen; on slides
# it is larger
_ANIMATION_HEIGHT = 480.0

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class ResultsExport:
    """A kind of file in which results are written."""

    text: str  # of a row in a menu
    # asks for a file whose name has a part, and writes what is found in the job, under a title
    ask: Callable[[str, str, Callable[[Progress], tuple[Result, ...]]], object]


class ExportController(QObject):
    """Handles the File menu's export commands."""

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        settings: Settings,
        canvas: CanvasArea,
        charts: ChartBoard,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._playback, self._jobs, self._settings = (
            session,
            playback,
            jobs,
            settings,
        )
        self._canvas, self._charts, self._window = canvas, charts, window
        self.write = partial(start_export, session, jobs)
        # the animation that a feature makes of a picture; None where it makes none
        self.animations: list[Callable[[PictureState], Subject | None]] = []
        self.of_results: list[ResultsExport] = []
        # why MP4 cannot be written; "" if it can, None if that is not known yet
        self._mp4_reason: str | None = None

    def ask_picture(self) -> None:
        """Ask for options and a file, and export the picture."""
        asked = self._ask_options("Export picture", "Show", _VIEWS, self._canvas.picture_size)
        if asked is not None:
            path = self.ask_file(
                "Export picture", asked.suffix, _KINDS[asked.suffix], *self.shown()
            )
            if path is not None:
                self.picture(path, asked)

    def _ask_options(
        self,
        title: str,
        label: str,
        subjects: Sequence[str],
        size: QSize,
        chosen: int = 0,
        formats: Sequence[tuple[str, str]] | None = None,  # those of pictures
    ) -> ExportOptions | None:
        """The choices made in a dialog, which begins with those made last; None if it
        was cancelled.
        """
        from gui.dialogs.export import FORMATS, ExportDialog

        settings = self._settings
        dialog = ExportDialog(
            title,
            label,
            subjects,
            size,
            self._window,
            preset=settings.text("export/preset"),
            suffix=settings.text("export/picture"),
            formats=FORMATS if formats is None else formats,
        )
        dialog.subject.setCurrentIndex(chosen)
        accepted, options, preset = dialog.exec(), dialog.options, dialog.preset_title
        dialog.deleteLater()
        if not accepted:
            return None
        settings.keep("export/preset", preset)
        settings.keep("export/picture", options.suffix)
        return options

    def shown(self) -> tuple[str, ...]:
        """What the picture shows, for the name of its file: variants, and the kind of
        picture if it is special.
        """
        result = self._session.results.selected
        if self._canvas.matrix_shown:
            return "" if result is None else result.variant.id, "matrix"
        if self._canvas.split_count > 1:
            return ("-vs-".join(result.variant.id for result in self._canvas.split_results()),)
        if (answer := self._session.unmeasured.answer) is not None:
            return (answer.distances.found_by,)
        return () if result is None else (result.variant.id,)

    def picture(self, path: Path, options: ExportOptions) -> None:
        """Draw the canvas at the requested size, in a job."""
        from gui.export.picture import export_picture

        subject = self._subject()
        if subject is None:
            return
        whole = _VIEWS[options.subject] == _WHOLE or self._canvas.view.fitted
        background, dark = _background_of(options.background)

        def draw(context: JobContext) -> Path:
            page = Page(
                options.width,
                options.height,
                options.dpi,
                background,
                dark,
                margin=whole,
                text_scale=options.text_scale,
            )
            content = subject.whole() if whole else subject
            return export_picture(
                path, content, page, context.progress_for(f"Exporting {path.name}")
            )

        self.write(f"Exporting {path.name}", draw, self.done)

    def ask_animation(self) -> None:
        """Ask for options and a file, and export as an animation what a feature makes of the
        picture, or the play-back.
        """
        from gui.export.composition import MatrixState, PictureState

        subject = self._subject()
        own = None
        if isinstance(subject, PictureState):
            own = next(filter(None, (make(subject) for make in self.animations)), None)
        if own is not None:
            self.ask_animation_of(own, "step")
        elif subject is not None and subject.length:
            self.ask_animation_of(
                subject, "phase" if isinstance(subject, MatrixState) else "iteration"
            )

    def ask_animation_of(self, subject: Subject, noun: str) -> None:
        """Ask for options and a file, and export an animation of ``subject``, whose
        moments are called ``noun``.
        """
        from gui.dialogs.export import AnimationDialog
        from gui.export.composition import LitSubject

        budget = subject.budget if isinstance(subject, LitSubject) else None
        graph = self._session.graph
        lit = None if budget is None or graph is None else (budget, graph.weight_unit)
        dialog = AnimationDialog(
            _VIEWS if lit is None else (*_VIEWS, _LIT),
            self._canvas.picture_size,
            subject.length,
            noun,
            self._playback.loop,
            self._window,
            view=0 if lit is None else len(_VIEWS),
            budget=lit,
        )
        self._offer_mp4(dialog)
        accepted, choice = dialog.exec(), dialog.choice
        dialog.deleteLater()
        if not accepted:
            return
        self._settings.keep("export/animation", choice.suffix)
        if path := self.ask_file(
            "Export animation", choice.suffix, _KINDS[choice.suffix], *self.shown(), "animation"
        ):
            self.animation_of(subject, path, choice)

    def _offer_mp4(self, dialog: AnimationDialog) -> None:
        """Offer MP4 where it can be written, once that is known; else say what to install."""

        def take(reason: str) -> None:
            self._mp4_reason = reason
            if isValid(dialog):
                dialog.show_mp4(reason)
                dialog.choose_format(self._settings.text("export/animation"))

        if self._mp4_reason == "":
            take("")
        else:  # what was missing may have been installed since
            self._jobs.start(
                JobKind.ENCODER,
                "Looking for an MP4 encoder",
                lambda _: _mp4_reason(),
                on_success=take,
                on_failure=self._session.notice_error,
            )

    def animation(self, path: Path, choice: AnimationChoice) -> None:
        """Write the play-back as GIF or MP4, depending on the suffix, in a job."""
        if (subject := self._subject()) is not None:
            self.animation_of(subject, path, choice)

    def animation_of(self, subject: Subject, path: Path, choice: AnimationChoice) -> None:
        from gui.export.animation import export_animation
        from gui.export.composition import LitSubject

        view = (*_VIEWS, _LIT)[choice.subject]
        whole = view == _WHOLE or (view != _LIT and self._canvas.view.fitted)
        background, dark = _background_of(choice.background)
        dpi = round(SCREEN_DPI * max(1.0, choice.height / _ANIMATION_HEIGHT))

        def draw(context: JobContext) -> Path:
            page = Page(choice.width, choice.height, dpi, background, dark, margin=whole)
            content = subject.whole() if whole else subject
            if isinstance(content, LitSubject):
                content = content if choice.budget is None else content.within(choice.budget)
                content = content.lit() if view == _LIT else content
            return export_animation(
                path,
                content,
                page,
                choice.animation,
                context.progress_for(f"Exporting {path.name}"),
            )

        self.write(f"Exporting {path.name}", draw, self.done)

    def copy_picture(self) -> None:
        """Copy the picture to the clipboard, as on screen but without buttons."""
        from gui.export.picture import draw_image

        subject = self._subject()
        if subject is None:
            return
        ratio = self._canvas.devicePixelRatioF()
        size = self._canvas.picture_size
        width, height = round(size.width() * ratio), round(size.height() * ratio)
        page = Page(width, height, round(SCREEN_DPI * ratio), dark=tokens().dark)

        def take(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            self._session.inform(
                f"The picture, {format_count(width)} × {format_count(height)} pixels, "
                "was copied to the clipboard."
            )

        self.write(
            "Copying the picture",
            lambda context: draw_image(subject, page, context.progress_for()),
            take,
        )

    def _subject(self) -> Subject | None:
        subject = self._canvas.picture_state()
        if subject is None:
            self._session.inform("The layout is not ready yet; try again in a moment.")
        return subject

    def ask_chart(self) -> None:
        """Ask for a chart, options and a file, and export the chart."""
        from gui.dialogs.export import CHART_FORMATS

        charts = self._charts.charts
        current = self._charts.current
        titles, chosen = [chart.title for chart in charts], charts.index(current)
        if (
            asked := self._ask_options(
                "Export chart", "Chart", titles, current.size(), chosen, CHART_FORMATS
            )
        ) is not None:
            name = titles[asked.subject].lower()
            if path := self.ask_file("Export chart", asked.suffix, _KINDS[asked.suffix], name):
                self.chart(path, asked)

    def chart(self, path: Path, options: ExportOptions) -> None:
        """Write one chart as PNG, SVG or PDF, depending on the suffix, in a job."""
        from gui.dialogs.export import WHITE
        from solvers.picture.charts.drawing import ChartPage
        from solvers.picture.charts.files import write_chart_file

        grounds = {WHITE: _WHITE, TRANSPARENT: None}
        background = grounds.get(options.background, tokens().panel)
        dark = tokens().dark and background != _WHITE
        chart = self._charts.charts[options.subject]
        table = chart.to_export()
        if table is None:
            self._session.inform(f"The chart {chart.title} is empty; run some variants first.")
            return

        def write(_: object) -> Path:
            size = options.width, options.height, options.dpi
            page = ChartPage(*size, background, dark, options.text_scale)
            with replace_atomically(path) as beside:
                write_chart_file(table, beside, page, path.suffix.lower())
            return path

        self.write(f"Exporting {path.name}", write, self.done)

    def ask_csv(self) -> None:
        """Ask for a folder and write the CSV files into it."""
        name = QFileDialog.getExistingDirectory(
            self._window,
            "Folder for trials.csv, summary.csv and iterations.csv",
            str(self._settings.export_folder),
        )
        if name:
            self.csv(Path(name))

    def csv(self, folder: Path) -> None:
        """Write trials, summary and, for traced runs, iterations."""
        results = self._session.results.all
        baseline = self._session.results.baseline
        baseline_id = baseline.variant.id if baseline is not None else ""
        self.tables(results, folder, baseline_id)

    def tables(self, results: Sequence[Result], folder: Path, baseline_id: str = "") -> None:
        """Write the tables of these results, in a job."""
        from solvers.running.records import write_all

        self.write("Writing tables", lambda _: write_all(results, folder, baseline_id), self.done)

    def ask_network(self) -> None:
        """Ask for a file and write the open graph, with its closed and slowed roads."""
        if path := self.ask_file("Export network", ".gr", _NETWORK_KINDS):
            self.network(path)

    def network(self, path: Path) -> None:
        """Write the open graph, uncut, in the format that the name tells, in a job; DIMACS
        with its coordinates beside it.
        """
        from solvers.graphs.writers import write_graph

        graph = self._session.uncut
        if graph is not None:
            title = f"Writing {path.name}"
            self.write(
                title,
                lambda context: write_graph(graph, path, context.progress_for(title)),
                self.done,
            )

    def ask_file(self, title: str, suffix: str, kinds: str, *parts: str) -> Path | None:
        """Ask for a file; the one proposed does not exist, and its name says graph and
        ``parts``.
        """
        graph = self._session.graph
        name = file_name("" if graph is None else graph.name, parts, suffix)
        proposal = numbered(self._settings.export_folder / name)
        name, kind = QFileDialog.getSaveFileName(self._window, title, str(proposal), kinds)
        if not name:
            return None
        path, chosen = Path(name), _SUFFIX.search(kind)
        if path.suffix:
            return path
        return numbered(path.with_name(path.name + (chosen[1] if chosen else suffix)))

    def answer(
        self, title: str, suffixes: Sequence[str], table: Callable[[Path], AnswerTable], *parts: str
    ) -> Path | None:
        """Ask for a file, and write an answer into it, which its job makes for that name; of the
        formats the first is proposed.
        """
        from solvers.running.answers.write import ANSWER_FORMATS, write_answer

        kinds = ";;".join(f"{ANSWER_FORMATS[suffix].title} (*{suffix})" for suffix in suffixes)
        path = self.ask_file(title, suffixes[0], kinds, *parts)
        if path is not None:
            writing = f"Writing {path.name}"

            def work(context: JobContext) -> Path:
                return write_answer(table(path), path, context.progress_for(writing))

            self.write(writing, work, self.done)
        return path

    def done(self, written: Path | tuple[Path, ...]) -> None:
        paths = (written,) if isinstance(written, Path) else written
        folder = paths[0].resolve().parent
        self._settings.export_folder = folder
        text = f"Wrote {', '.join(p.name for p in paths)} to {folder}."
        self._session.notice(
            Notice(Severity.INFO, text, "", "Show in folder", lambda: show_folder(folder))
        )


def start_export(
    session: Session,
    jobs: Jobs,
    title: str,
    work: Callable[[JobContext], ValueT],
    on_success: Callable[[ValueT], None],
) -> None:
    """Start an export, of whatever, unless one is still being written, which would be lost."""
    if (earlier := jobs.running(JobKind.EXPORT)) is not None and not earlier.cancelling:
        text = (
            f"Another export is not finished yet ({earlier.title}). "
            "Wait for it, or cancel it, and export again."
        )
        session.inform(text)
        return
    jobs.start(JobKind.EXPORT, title, work, on_success=on_success, on_failure=session.notice_error)


def numbered(path: Path) -> Path:
    """``path``, or the first of ``path-2``, ``path-3`` ... that does not exist: nobody
    was asked about replacing it.
    """
    others = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 10_000))
    return next((name for name in chain((path,), others) if not name.exists()), path)


def _mp4_reason() -> str:
    """Why this machine cannot write MP4; "" if it can."""
    from gui.export.encoders import EncoderUnavailable, check_encoder

    try:
        check_encoder()
    except EncoderUnavailable as error:
        return str(error)
    return ""


def show_folder(folder: Path) -> bool:
    """Open ``folder`` in the desktop's file manager."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _background_of(background: str) -> tuple[str | None, bool]:
    """Background of a picture ("transparent", or None for the scheme's canvas), and
    whether to use the dark scheme.
    """
    from gui.dialogs.export import WHITE

    if background == WHITE:
        return _WHITE, False
    dark = tokens().dark
    return (TRANSPARENT if background == TRANSPARENT else None), dark
