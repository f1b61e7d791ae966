"""Line icons from SVG files, coloured by the theme when loaded."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

import resources
from gui.style.theme import tokens

FOLDER = resources.FOLDER / "icons"
_SIDES = (16, 20, 24, 32, 48, 64)
_DISABLED_OPACITY = 0.35


def icon(name: str, colour: str | None = None) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in ``colour``, with a paler form for disabled controls.

    Parameters
    ----------
    name : str
    colour : str, optional
        "#RRGGBB"; the theme's text colour by default. Reload after a theme change.
    """
    return _drawn(name, colour or tokens().text)


@cache  # all windows share an icon; Qt would otherwise keep scaled copies of each window's in its pixmap cache
def _drawn(name: str, colour: str) -> QIcon:
    renderer = QSvgRenderer(QByteArray(_svg(name, colour).encode()))
    result = QIcon()
    for side in _SIDES:
        result.addPixmap(_pixmap(renderer, side, 1.0), QIcon.Mode.Normal)
        result.addPixmap(_pixmap(renderer, side, _DISABLED_OPACITY), QIcon.Mode.Disabled)
    return result


def _svg(name: str, colour: str) -> str:
    return (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)


def _pixmap(renderer: QSvgRenderer, side: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setOpacity(opacity)
        renderer.render(painter, QRectF(0, 0, side, side))
    return pixmap
