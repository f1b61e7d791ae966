"""Export of charts as PNG or SVG at exactly the requested size.

The figure is rebuilt at that size in a hidden view and painted once. pyqtgraph's own
exporters instead scale what is on the screen and have known errors in the output size.
"""

from __future__ import annotations

from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QRect, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.charts.chart import Chart
from gui.charts.figure import SIDE_MARGIN, Figure
from gui.export.svg import set_resolution, svg_document
from gui.style.theme import tokens
from gui.style.widgets import smooth
from solvers.errors import FileNotWritten, ParameterError
from solvers.system.files import replace_atomically
from solvers.text import format_count

SCREEN_DPI = 96
MOST_PIXELS = 20_000
_FITTING_STEPS = 2


def export_chart(
    chart: Chart,
    path: Path | str,
    width: int,
    height: int,
    dpi: int = SCREEN_DPI,
    background: str | None = "#FFFFFF",
    *,
    text_scale: float = 1.0,
) -> None:
    """Write a chart to a file, in the colours of the scheme that suits the background.

    Raises ParameterError if the size is out of range, the file type is unknown, or the
    chart is empty; FileNotWritten.

    An existing file is replaced atomically. ``dpi`` scales text and lines, which keep
    their size on paper unless the chart would not fit, and ``text_scale`` enlarges
    them. ``background`` is "#RRGGBB"; None is transparent, in the window's colours.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    _check(chart, suffix, width, height, dpi)
    paper = None if background is None else QColor(background)
    t = tokens(None if paper is None else paper.lightnessF() < 0.5)
    figure = chart.make_figure(t)
    if figure is None:
        raise ParameterError("chart", "chart", chart.title, "it is empty; run some variants first")
    figure.emphasise(None, None)  # what is selected in the window says nothing on a slide
    size = QSizeF(width, height) * (SCREEN_DPI / dpi / text_scale)
    view = _hidden_view(figure, _roomy(figure, size, chart))
    try:
        with replace_atomically(path) as beside:
            if suffix == ".png":
                _write_png(view, beside, QSize(width, height), dpi, paper)
            else:
                _write_svg(
                    view, beside, size, text_scale, paper, f"{chart.export_title}: {chart.subtitle}"
                )
    finally:
        view.deleteLater()


def _check(chart: Chart, suffix: str, width: int, height: int, dpi: int) -> None:
    if suffix not in (".png", ".svg"):
        raise ParameterError("chart", "path", suffix or "no suffix", "it takes .png or .svg")
    for name, value, low, high in (
        ("width", width, 64, MOST_PIXELS),
        ("height", height, 64, MOST_PIXELS),
        ("dpi", dpi, 24, 2400),
    ):
        if not low <= value <= high:
            raise ParameterError(
                chart.title, name, value, f"it takes {format_count(low)} to {format_count(high)}"
            )


def _roomy(figure: Figure, size: QSizeF, chart: Chart) -> QSizeF:
    """Add the title, and return ``size`` or, if the figure would not fit, the least
    larger size of the same shape.

    A larger figure is scaled down when it is painted, so that small pictures have
    smaller text and nothing is cut off.
    """
    figure.legend.leave_out(chart.export_title)
    figure.keep_texts_whole(size.width())
    scale = max(1.0, figure.least_width() / size.width())
    figure.add_title(chart.export_title, chart.subtitle, size.width() * scale)
    for _ in range(_FITTING_STEPS):  # a wider figure has fewer lines of text
        figure.legend.fit_to(size.width() * scale - 2 * SIDE_MARGIN)
        scale = max(scale, figure.least_height() / size.height())
    return size * scale


def _hidden_view(figure: Figure, size: QSizeF) -> pg.GraphicsView:
    """A hidden view of that size with the figure in it; grabbing it makes Qt complete
    the layout.
    """
    view = pg.GraphicsView(background=None)
    view.setAntialiasing(True)
    view.setCentralItem(figure)
    view.resize(round(size.width()), round(size.height()))
    view.grab()
    # texts have their final widths, and may take another number of lines
    figure.layout.invalidate()
    figure.layout.activate()
    view.grab()
    return view


def _write_png(
    view: pg.GraphicsView, path: Path, size: QSize, dpi: int, paper: QColor | None
) -> None:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise FileNotWritten(
            path,
            f"no memory for {format_count(size.width())} × {format_count(size.height())} pixels",
        )
    image.fill(paper if paper is not None else QColor(0, 0, 0, 0))
    with QPainter(image) as painter:
        _render(view, painter, QRectF(QRect(image.rect())))
    set_resolution(image, dpi)
    buffer = QBuffer()
    # The stub asks for bytes; Qt takes str only.
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise FileNotWritten(path, "the picture could not be encoded")
    path.write_bytes(bytes(buffer.data().data()))


def _write_svg(
    view: pg.GraphicsView,
    path: Path,
    size: QSizeF,
    enlarged: float,
    paper: QColor | None,
    title: str,
) -> None:
    place = QRectF(0, 0, size.width(), size.height())

    def paint(painter: QPainter) -> None:
        if paper is not None:
            painter.fillRect(place, paper)
        _render(view, painter, place)

    path.write_bytes(svg_document(place, title, paint, enlarged))


def _render(view: pg.GraphicsView, painter: QPainter, target: QRectF) -> None:
    smooth(painter)
    view.scene().render(painter, target, QRectF(view.rect()))
