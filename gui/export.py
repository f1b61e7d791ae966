"""Pictures for slides and papers: the canvas drawn again at the size that is asked for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.canvas.activity import activity_of
from gui.canvas.camera import MARGIN as FIT_MARGIN
from gui.canvas.camera import Bounds, Camera
from gui.canvas.frames import FramePainter, Request
from gui.canvas.furniture import MARGIN
from gui.canvas.layout import layout
from gui.canvas.pens import small_font
from gui.canvas.scene import MOST_SCALE, build_scene
from gui.canvas.shown import Shown
from gui.picture import paint_furniture, paint_graph
from gui.theme import DARK, LIGHT, Tokens
from solvers.errors import FileNotWritten, ParameterError
from solvers.files import replace_atomically
from solvers.graph import Graph
from solvers.results import Result
from solvers.text import format_distance
from solvers.trace import ActivityTrace

SCREEN_DPI = 96.0
LARGEST_SIDE = 20_000
TRANSPARENT = "transparent"
_CAPTION_HEIGHT = 26.0
_LEGEND_HEIGHT = 64.0


@dataclass(frozen=True, eq=False)
class PictureState:
    """What the canvas shows at the moment: all that an export needs, safe to hand to a worker thread.

    Attributes
    ----------
    shown : Shown
    view : Bounds
        The visible rectangle in world coordinates.
    caption : str
    """

    shown: Shown
    view: Bounds
    caption: str = ""


def draw_picture(
    path: Path | str, graph: Graph, results: Sequence[Result], source: int | None, target: int | None, *,
    width: int = 2000, height: int = 1400, dpi: int = 144, background: str | None = None, dark: bool = False,
    view: Bounds | None = None,
) -> Path:  # fmt: skip
    """Draw a graph with the answer of its first result, with no window and no display.

    Parameters
    ----------
    path : Path or str
        PNG file; an older one is replaced in one step.
    graph : Graph
        Laid out first where it has no coordinates.
    results : sequence of Result
        The first one with distances gives tint, path and caption; the first negative cycle is drawn.
    source, target : int or None
        Vertex indices.
    width, height : int
        Pixels.
    dpi : int
        Written into the file; text and lines keep their size in print.
    background : str, optional
        "#RRGGBB" or "transparent"; the scheme's canvas where None.
    dark : bool
    view : Bounds, optional
        World rectangle to show; the whole graph where None.

    Returns
    -------
    Path

    Raises
    ------
    ParameterError, FileNotWritten
    """
    scene = build_scene(graph, layout(graph) if graph.coordinates is None else None)
    answered = next((r for r in results if r.distances is not None), None)
    cycle = next((r.cycle for r in results if r.cycle), ())
    trace = answered.trace if answered is not None and isinstance(answered.trace, ActivityTrace) else None
    activity = activity_of(graph, answered, trace)
    path_shown = None if answered is None else answered.path
    shown = Shown(scene, activity, activity.last, source, target, path_shown, cycle)
    state = PictureState(shown, view or scene.bounds, caption(graph, answered))
    return export_picture(
        path, state, width=width, height=height, dpi=dpi, background=background, dark=dark, margin=view is None
    )


def export_picture(
    path: Path | str, state: PictureState, *, width: int, height: int, dpi: int = 144, background: str | None = None,
    dark: bool = False, margin: bool = False,
) -> Path:  # fmt: skip
    """Draw a canvas' state again at another size; may be called in any thread. Parameters as in `draw_picture`."""
    _check(width, height, dpi, background)
    _application()
    image = compose(state, width, height, dpi, DARK if dark else LIGHT, background, margin=margin)
    target = Path(path)
    with replace_atomically(target) as beside:
        if not image.save(str(beside), "PNG"):
            raise FileNotWritten(target, "the folder does not exist or may not be written to, or the disk is full")
    return target


def compose(
    state: PictureState,
    width: int,
    height: int,
    dpi: int,
    tokens: Tokens,
    background: str | None,
    *,
    margin: bool = False,
) -> QImage:
    """The picture as an image of ``width`` x ``height`` pixels that knows its DPI."""
    ratio = dpi / SCREEN_DPI
    across, down = width / ratio, height / ratio
    ground = tokens.canvas if background in (None, TRANSPARENT) else background
    tokens = replace(tokens, canvas=ground)
    camera = _camera(state, across, down, margin)
    frame = FramePainter().last_frame(
        Request(state.shown, camera, ratio, tokens, TRANSPARENT if background == TRANSPARENT else ground)
    )
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(0, 0, 0, 0) if background == TRANSPARENT else QColor(ground))
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    paint_graph(painter, frame, camera, state.shown, tokens)
    bottom = down - MARGIN - (_CAPTION_HEIGHT if state.caption else 0.0)
    paint_furniture(painter, frame, camera, state.shown, tokens, bottom=bottom)
    if state.caption:
        painter.setFont(small_font(painter, 10.0))
        painter.setPen(QColor(tokens.text))
        line = QRectF(MARGIN, down - MARGIN - _CAPTION_HEIGHT + 4.0, across - 2 * MARGIN, _CAPTION_HEIGHT)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, state.caption)
    painter.end()
    per_metre = round(dpi / 0.0254)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    return image


def caption(graph: Graph, result: Result | None) -> str:
    """Graph, path length and variant in one line."""
    parts = [graph.name]
    if result is not None:
        length = result.target_distance
        if length is not None and result.source is not None and result.target is not None:
            ends = f"{int(graph.ids[result.source])} → {int(graph.ids[result.target])}"
            parts.append(f"{ends}: {format_distance(length, graph.weight_unit)}")
        parts.append(f"{result.variant.algorithm.value}, {result.variant.title}")
    return "  ·  ".join(parts)


def _camera(state: PictureState, across: float, down: float, margin: bool) -> Camera:
    """The view fitted above the strip of furniture, so that nothing of the graph lies beneath it."""
    strip = _LEGEND_HEIGHT + (_CAPTION_HEIGHT if state.caption else 0.0) if margin else 0.0
    fitted = Camera.fitting(
        state.view, across, max(down - strip, 0.5 * down), margin=FIT_MARGIN if margin else 0.0, limit=MOST_SCALE
    )
    lowered = fitted.height - down
    return replace(fitted, height=max(1.0, down), y=fitted.y - lowered / 2 / fitted.scale)


def _check(width: int, height: int, dpi: int, background: str | None) -> None:
    for name, value in (("width", width), ("height", height)):
        if not 16 <= value <= LARGEST_SIDE:
            raise ParameterError("picture", name, value, f"it takes 16 to {LARGEST_SIDE:,} pixels")
    if not 24 <= dpi <= 2400:
        raise ParameterError("picture", "dpi", dpi, "it takes 24 to 2,400 dots per inch")
    if background not in (None, TRANSPARENT) and not re.fullmatch("#[0-9A-Fa-f]{6}", background):
        raise ParameterError("picture", "background", background, "it takes #RRGGBB or transparent")


@cache
def _application() -> QGuiApplication:
    """The running application, or one without windows: text cannot be drawn without. Kept, as Qt allows but one."""
    if running := QGuiApplication.instance():
        return running
    hidden = sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return QApplication(["tautline", *(["-platform", "offscreen"] if hidden else [])])
