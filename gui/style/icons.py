"""Icons and drawings: SVG files, coloured by the theme when they are loaded."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.style.theme import tokens
from solvers.picture.colours import Tokens
from solvers.system.files import RESOURCES

FOLDER = RESOURCES / "icons"
_ROLE = re.compile(r"var\(--(\w+)\)")  # of a colour, in a drawing
_SIDES = (16, 20, 24, 32, 48, 64)
_DISABLED_OPACITY = 0.35


def icon(name: str, colour: str | None = None) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in "#RRGGBB" (the theme's text colour),
    with a paler form when disabled.

    Reload it after a theme change.
    """
    return _shared(name, colour or tokens().text)


# all windows share an icon; Qt would otherwise keep scaled copies of each window's in
# its pixmap cache
@cache
def _shared(name: str, colour: str) -> QIcon:
    return QIcon(_LateIcon(name, colour))


class _LateIcon(QIconEngine):
    """Draws an icon in a size when it is first shown in it: most are in menus and on panels
    that are closed.
    """

    def __init__(self, name: str, colour: str):
        super().__init__()
        self._name, self._colour = name, colour
        self._drawn: dict[int, QIcon] = {}

    def availableSizes(self, *_: object) -> list[QSize]:
        return [QSize(side, side) for side in _SIDES]

    def actualSize(self, size: QSize, *_: object) -> QSize:
        side = min(size.width(), size.height(), _SIDES[-1])
        return QSize(side, side)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        return self._of(size * scale).pixmap(size, scale, mode, state)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        pixels = rect.size() * painter.device().devicePixelRatio()
        self._of(pixels).paint(painter, rect, Qt.AlignmentFlag.AlignCenter, mode, state)

    def clone(self) -> QIconEngine:
        return _LateIcon(self._name, self._colour)

    def _of(self, pixels: QSize) -> QIcon:
        """The icon drawn in the size that Qt would choose."""
        area = pixels.width() * pixels.height()
        side = next((side for side in _SIDES if side * side >= area), _SIDES[-1])
        if side not in self._drawn:
            svg = (FOLDER / f"{self._name}.svg").read_bytes()
            svg = svg.replace(b"currentColor", self._colour.encode())
            renderer = QSvgRenderer(QByteArray(svg))
            self._drawn[side] = drawn = QIcon(_pixmap(renderer, side, 1.0))
            drawn.addPixmap(_pixmap(renderer, side, _DISABLED_OPACITY), QIcon.Mode.Disabled)
        return self._drawn[side]


def _pixmap(renderer: QSvgRenderer, side: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setOpacity(opacity)
        renderer.render(painter, QRectF(0, 0, side, side))
    return pixmap


def paint_drawing(painter: QPainter, name: str, place: QRectF, t: Tokens) -> None:
    """Paint ``resources/drawings/<name>.svg`` into a rectangle, in the colours of the roles
    that it names.
    """
    QSvgRenderer(_coloured(name, t)).render(painter, place)  # of its own: threads export, too


@cache
def _coloured(name: str, t: Tokens) -> QByteArray:
    svg = (RESOURCES / "drawings" / f"{name}.svg").read_text(encoding="utf-8")
    return QByteArray(_ROLE.sub(lambda role: getattr(t, role[1]), svg).encode())
