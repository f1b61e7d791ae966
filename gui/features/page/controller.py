"""Writes web pages of runs, in a job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from gui.canvas.area import CanvasArea
from gui.controllers.export import ExportController
from gui.controllers.trace import with_trace
from gui.export.composition import PictureState
from gui.export.page import SCREEN_DPI, Page
from gui.export.picture import png_of
from gui.features.page.dialog import PageChoice, WebPageDialog
from gui.model.jobs import JobContext
from gui.model.session import Session
from solvers.core.result import Result
from solvers.core.variant import Answers
from solvers.features.page.document import MOST_RUNS, MOST_VERTICES, PageContent, write_page
from solvers.features.page.drawing import drawing_of, page_drawing
from solvers.system.cancel import Progress

_KIND = "Web page (*.html)"
_LARGE_PICTURE = Page(1920, 1080, round(SCREEN_DPI))  # of a graph that pages do not draw


class PageController:
    """Asks what a page shows, and writes it."""

    def __init__(
        self, session: Session, canvas: CanvasArea, export: ExportController, window: QWidget
    ):
        self._session, self._canvas, self._export, self._window = session, canvas, export, window

    def ask(self) -> None:
        """Ask for runs, questions and a file, and write a page that plays them."""
        results, graph = self._session.results, self._session.graph
        if graph is None:
            return
        shown = self._canvas.split_results() or ((results.selected,) if results.selected else ())
        dialog = WebPageDialog(
            graph.name, [one for one in results.all if one.graph is graph], shown, self._window
        )
        accepted, choice = dialog.exec(), dialog.choice
        dialog.deleteLater()
        if accepted and (path := self._ask_file(*self._export.shown())):
            self.write(path, lambda _: choice)

    def _ask_file(self, *parts: str) -> Path | None:
        """Ask for the file of a page; the name proposed has ``parts``."""
        return self._export.ask_file("Export web page", ".html", _KIND, *parts)

    def ask_of(
        self, part: str, title: str, found: Callable[[Progress], tuple[Result, ...]]
    ) -> None:
        """Ask for a file, and write a page of results that are found in the job."""
        if path := self._ask_file(part):
            self.write(path, lambda progress: PageChoice(title, found(progress)))

    def write(self, path: Path, choose: Callable[[Progress], PageChoice]) -> None:
        """Write a page of the results that ``choose`` gives in the job."""
        # another may have been opened since it was asked
        device, shown = self._session.device, self._session.graph
        subject = self._canvas.picture_state()
        content = subject.content if isinstance(subject, PictureState) else None
        prominence = None if content is None else content.shown_prominence

        def write(context: JobContext) -> Path:
            progress = context.progress_for(f"Exporting {path.name}")
            choice = choose(progress)
            first, results = choice.results[0], choice.results[:MOST_RUNS]
            graph = first.graph
            if content is not None and content.scene.graph is graph and graph.n <= MOST_VERTICES:
                page = drawing_of(content.scene, prominence)
            else:
                picture = subject if graph is shown else None
                page = page_drawing(
                    graph, lambda: png_of(picture, _LARGE_PICTURE) if picture else b""
                )
            if page.scene is not None and not any(
                one.variant.answers is Answers.APSP for one in results
            ):
                results = tuple(with_trace(one, device, context.cancel) for one in results)
            whole = PageContent(
                graph,
                results,
                first.source,
                first.target,
                page,
                choice.title,
                choice.caption,
                choice.questions,
            )
            return write_page(whole, path, progress)

        self._export.write(f"Exporting {path.name}", write, self._export.done)
