"""Charts as pictures for slides and papers: PNG or SVG at exactly the asked size.

The figure is made anew at that size, in a view that is never shown, and painted once; pyqtgraph's own exporters
scale what is on the screen and have long-standing size faults.
"""

from __future__ import annotations

from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.charts.chart import Chart
from gui.charts.figure import Figure
from gui.style.theme import tokens
from solvers.errors import FileNotWritten, ParameterError
from solvers.host.files import replace_atomically

SCREEN_DPI = 96
METRE_IN_INCHES = 39.3701
MOST_PIXELS = 20_000


def export_chart(
    chart: Chart, path: Path | str, width: int, height: int, dpi: int = SCREEN_DPI, background: str | None = "#FFFFFF"
) -> None:
    """Write a chart as it stands; the colours are those of the scheme that suits the background.

    Parameters
    ----------
    chart : Chart
    path : Path or str
        Ends in ``.png`` or ``.svg``; an older file is replaced in one step.
    width, height : int
        Pixels of the picture.
    dpi : int
        Pixels an inch: more of them make text and lines larger in pixels, not in millimetres.
    background : str or None
        "#RRGGBB"; None leaves it transparent, in the colours that the window shows.

    Raises
    ------
    ParameterError
        For a size out of range, another kind of file, or a chart with nothing to draw.
    FileNotWritten
    """
    path = Path(path)
    suffix = path.suffix.lower()
    _check(chart, suffix, width, height, dpi)
    paper = None if background is None else QColor(background)
    t = tokens(None if paper is None else paper.lightnessF() < 0.5)
    figure = chart.make_figure(t)
    if figure is None:
        raise ParameterError("chart", "chart", chart.title, "it has nothing to draw yet; run some variants first")
    figure.add_title(chart.title, chart.subtitle)
    size = QSizeF(width, height) * (SCREEN_DPI / dpi)
    view = _unseen_view(figure, size)
    with replace_atomically(path) as beside:
        if suffix == ".png":
            _write_png(view, beside, QSize(width, height), dpi, paper)
        else:
            _write_svg(view, beside, size, paper, f"{chart.title}: {chart.subtitle}")
    view.deleteLater()


def _check(chart: Chart, suffix: str, width: int, height: int, dpi: int) -> None:
    if suffix not in (".png", ".svg"):
        raise ParameterError("chart", "path", suffix or "no ending", "it takes .png or .svg")
    for name, value, low, high in (
        ("width", width, 64, MOST_PIXELS), ("height", height, 64, MOST_PIXELS), ("dpi", dpi, 24, 2400),
    ):  # fmt: skip
        if not low <= value <= high:
            raise ParameterError(chart.title, name, value, f"it takes {low:,} to {high:,}")


def _unseen_view(figure: Figure, size: QSizeF) -> pg.GraphicsView:
    """A view of that size with the figure laid out in it; grabbing makes Qt do the pending layout."""
    view = pg.GraphicsView(background=None)
    view.setAntialiasing(True)
    view.setCentralItem(figure)
    view.resize(round(size.width()), round(size.height()))
    view.grab()
    return view


def _write_png(view: pg.GraphicsView, path: Path, size: QSize, dpi: int, paper: QColor | None) -> None:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(paper if paper is not None else QColor(0, 0, 0, 0))
    _render(view, QPainter(image), QRectF(QRect(image.rect())))
    per_metre = round(dpi * METRE_IN_INCHES)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]  # the stub asks for bytes; Qt takes str only
        raise FileNotWritten(path, "the picture could not be encoded or the disk is full")


def _write_svg(view: pg.GraphicsView, path: Path, size: QSizeF, paper: QColor | None, title: str) -> None:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size.toSize())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setResolution(SCREEN_DPI)
    generator.setTitle(title)
    painter = QPainter(generator)
    if paper is not None:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), paper)
    _render(view, painter, QRectF(0, 0, size.width(), size.height()))


def _render(view: pg.GraphicsView, painter: QPainter, target: QRectF) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    view.scene().render(painter, target, QRectF(view.rect()))
    painter.end()
