"""SVG through Qt, with its one large raster streamed into it.

Qt packs an image of a drawing in one go, which for 40 million pixels takes seconds that hear no Cancel, and the memory
of all of them. So a single pixel is drawn in its place, and the file gets the real image, band by band, where that is.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.encoders.png import PngWriter
from gui.sheet import SCREEN_DPI, Sheet
from solvers.observer import SILENT, Observer

_BAND_PIXELS = 2_000_000
_DATA = b'xlink:href="data:image/png;base64,'


@dataclass(frozen=True)
class Ground:
    """The raster under the vectors.

    Attributes
    ----------
    place : QRectF
        In logical pixels.
    width, height : int
        Its own pixels.
    rows : callable
        ``rows(first, last, observer)`` gives rows ``first`` to ``last - 1``, (last - first, width) premultiplied ARGB.
    """

    place: QRectF
    width: int
    height: int
    rows: Callable[[int, int, Observer], NDArray[np.uint32]]


def write_svg(
    path: Path, sheet: Sheet, title: str, ground: Ground | None, paint: Callable[[QPainter], None],
    observer: Observer = SILENT,
) -> None:  # fmt: skip
    """Write what ``paint`` draws in logical pixels, over ``ground``.

    Raises
    ------
    OSError, Cancelled
    """
    data = _drawn(sheet, title, ground, paint)
    with path.open("wb") as file:
        if ground is None:
            file.write(data)
            return
        start = data.index(_DATA) + len(_DATA)  # the ground is drawn first: its image is the first
        end = data.index(b'"', start)
        file.write(data[:start])
        coded = _Base64File(file)
        _write_png(coded, ground, sheet, observer)
        coded.finish()
        file.write(data[end:])


def _drawn(sheet: Sheet, title: str, ground: Ground | None, paint: Callable[[QPainter], None]) -> bytes:
    size = QSizeF(sheet.across, sheet.down)
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size.toSize())
    generator.setViewBox(QRectF(0.0, 0.0, size.width(), size.height()))
    generator.setResolution(round(SCREEN_DPI))
    generator.setTitle(title)
    with _painting(generator) as painter:
        if not sheet.clear:
            painter.fillRect(QRectF(0.0, 0.0, size.width(), size.height()), QColor(sheet.ground))
        if ground is not None:
            painter.drawImage(ground.place, QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied))
        paint(painter)
    return bytes(buffer.data().data())


@contextmanager
def _painting(generator: QSvgGenerator) -> Iterator[QPainter]:
    """A painter that is ended even where painting is cancelled: Qt must not be left with an open one."""
    painter = QPainter(generator)
    try:
        yield painter
    finally:
        painter.end()


def _write_png(file: _Base64File, ground: Ground, sheet: Sheet, observer: Observer) -> None:
    writer = PngWriter(file, ground.width, ground.height, sheet.dpi, clear=sheet.clear)
    band = max(1, _BAND_PIXELS // ground.width)
    for first in range(0, ground.height, band):
        observer.checkpoint(first, ground.height)
        writer.write(ground.rows(first, min(ground.height, first + band), observer), observer)
    writer.finish()


class _Base64File:
    """Writes bytes as base64, whatever pieces they come in."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._rest = b""

    def write(self, data: bytes) -> None:
        data = self._rest + data
        whole = len(data) - len(data) % 3
        self._file.write(base64.b64encode(data[:whole]))
        self._rest = data[whole:]

    def finish(self) -> None:
        self._file.write(base64.b64encode(self._rest))
        self._rest = b""
