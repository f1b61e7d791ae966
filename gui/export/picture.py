"""Export of pictures as PNG or SVG, drawn at the requested size."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from gui.export.composition import PictureState, Subject, bands, image_pixels, whole_image
from gui.export.encoders import Sink, write_png
from gui.export.margins import FACTS
from gui.export.page import Page
from gui.export.svg import write_svg
from gui.style.text import use_typeface
from solvers.core.result import Result
from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.picture.scene.activity import activity_of
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import build_scene
from solvers.running.answers.answer import PathAnswer
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically


def draw_picture(
    path: Path | str,
    graph: Graph,
    results: Sequence[Result],
    source: int | None,
    target: int | None,
    *,
    width: int = 2000,
    height: int = 1400,
    dpi: int = 144,
    background: str | None = None,
    dark: bool = False,
    view: Bounds | None = None,
) -> Path:
    """Draw a graph and a result to a file; needs no window and no display. A graph
    without coordinates is laid out.

    Raises ParameterError, FileNotWritten.

    ``path``: ends in .png or .svg; an existing file is replaced atomically.
    ``results``: the first one with distances gives colours, path and caption; the first
    negative cycle is drawn. The picture shows the end of the run. ``source``,
    ``target``: vertex indices. ``width``, ``height``: pixels. ``dpi``: stored in the
    file; text and lines keep their size in print. ``background``: "#RRGGBB" or
    "transparent"; None is the scheme's canvas colour. ``view``: world rectangle to
    show; None shows the whole graph.
    """
    from solvers.picture.layout.stress import layout

    _writer_for(Path(path))
    page = Page(width, height, dpi, background, dark, margin=view is None)
    scene = build_scene(graph, layout(graph) if graph.coordinates is None else None)
    answered = next((r for r in results if r.distances is not None), None)
    cycle = next((r.cycle for r in results if r.cycle), ())
    activity = activity_of(graph, answered, None)  # without a trace: no frontier, no iteration
    path_shown = None if answered is None else answered.path
    content = PictureContent(scene, activity, 0, source, target, path_shown, cycle)
    state = PictureState(content, view or scene.bounds, caption(graph, answered))
    return export_picture(path, state, page)


def png_of(subject: Subject, page: Page) -> bytes:
    """The picture as the bytes of a PNG file."""
    ensure_application()
    file = BytesIO()
    _encode_png(file, subject, page, SILENT)
    return file.getvalue()


def export_picture(
    path: Path | str, subject: Subject, page: Page, progress: Progress = SILENT
) -> Path:
    """Draw ``subject`` on ``page`` and write it; may be called from any thread.

    Raises ParameterError for another suffix; FileNotWritten, Cancelled.

    ``path``: ends in .png (drawn in bands) or .svg; an existing file
    is replaced atomically. ``progress``: receives progress; cancelling leaves no file.
    """
    target = Path(path)
    write = _writer_for(target)
    ensure_application()
    with replace_atomically(target) as beside:
        write(beside, subject, page, progress)
    return target


def draw_image(subject: Subject, page: Page, progress: Progress = SILENT) -> QImage:
    """The picture as an image with its DPI set, for the clipboard."""
    ensure_application()
    return whole_image(subject.compose(page), progress)


def _write_png(path: Path, subject: Subject, page: Page, progress: Progress) -> None:
    with path.open("wb") as file:
        _encode_png(file, subject, page, progress)


def _encode_png(file: Sink, subject: Subject, page: Page, progress: Progress) -> None:
    drawn = (image_pixels(image) for _, image in bands(subject.compose(page), progress))
    write_png(
        file,
        (page.width, page.height),
        drawn,
        page.dpi,
        transparent=page.transparent,
        progress=progress,
    )


def _write_svg(path: Path, subject: Subject, page: Page, progress: Progress) -> None:
    composition = subject.compose(page)
    write_svg(
        path, page, subject.words, composition.raster_layer(), composition.parts(progress), progress
    )


_WRITERS: dict[str, Callable[[Path, Subject, Page, Progress], None]] = {
    ".png": _write_png,
    ".svg": _write_svg,
}


def _writer_for(path: Path) -> Callable[[Path, Subject, Page, Progress], None]:
    try:
        return _WRITERS[path.suffix.lower()]
    except KeyError:
        raise ParameterError(
            "picture", "path", path.name, "its name must end in .png or .svg"
        ) from None


def caption(graph: Graph, result: Result | None, *, with_variant: bool = True) -> str:
    """Graph, path length and variant in one line."""
    if result is None:
        return graph.name
    title = result.variant.full_title if with_variant else ""
    return _answer_caption(graph.name, PathAnswer.of_result(result), title)


def unmeasured_caption(graph: str, answer: UnmeasuredAnswer) -> str:
    """The same of an answer without a run, with a name for its graph."""
    return _answer_caption(graph, answer.way, f"{answer.finder}, not measured")


def _answer_caption(graph: str, answer: PathAnswer | None, found_by: str) -> str:
    told = "" if answer is None else f"{answer.ends_text}: {answer.short_text}"
    return FACTS.join(filter(None, (graph, told, found_by)))


@cache
def ensure_application() -> QGuiApplication:
    """The running application, or a new one without windows, which drawing text needs.
    Qt allows only one.
    """
    if isinstance(running := QGuiApplication.instance(), QGuiApplication):
        return running
    hidden = sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    application = QApplication(["tautpath", *(["-platform", "offscreen"] if hidden else [])])
    use_typeface(application)
    return application
