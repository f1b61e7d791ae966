"""PNG files of drawings that exist as SVG: charts of experiments, the same in the window and on the command line."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from gui.export.page import SCREEN_DPI
from gui.export.picture_export import ensure_application
from solvers.errors import FileNotWritten

_SCALE = 2.5  # a chart is then as wide as a slide
_METRES_PER_INCH = 0.0254


def draw_svg(svg: str, path: Path) -> None:
    """Render an SVG document to a PNG file at 2.5 pixels per unit; needs no window and no display.

    Raises
    ------
    FileNotWritten
    """
    ensure_application()
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    size = renderer.defaultSize() * _SCALE
    image = QImage(size, QImage.Format.Format_RGB32)
    dots = round(SCREEN_DPI * _SCALE / _METRES_PER_INCH)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    image.fill("white")
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size.width(), size.height()))
    writer = QImageWriter(str(path), b"png")
    if not writer.write(image):
        raise FileNotWritten(path, writer.errorString())
