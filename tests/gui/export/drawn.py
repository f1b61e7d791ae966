"""Pixels of exported pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gui.export.composition import image_pixels
from gui.style.text import SANS


def pixels_of(image: QImage) -> NDArray[np.uint32]:
    """(h, w) premultiplied ARGB."""
    return image_pixels(image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))


def in_typeface(svg: str) -> str:
    """An SVG document as Qt shall draw it, which does not understand lists of families."""
    return re.sub('font-family="[^"]*"', f'font-family="{SANS}"', svg)


def rendered(path: Path, width: int, height: int) -> NDArray[np.uint32]:
    """An SVG file drawn by Qt on a transparent image."""
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    with QPainter(image) as painter:
        QSvgRenderer(QByteArray(in_typeface(path.read_text("utf-8")).encode())).render(painter)
    return pixels_of(image)
