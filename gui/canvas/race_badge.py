"""The clock of one run in a race, above its picture; a flag and its place when it has ended."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui.model.race import Standing
from gui.style import type_size
from gui.style.common_widgets import on_scheme_change, tabular
from gui.style.numbers import ordinal
from gui.style.theme import tokens
from solvers.text import format_duration

_PADDING = 8.0
_FLAG_SQUARES = 4, 3


class BadgeSize(Enum):
    """How large a badge is, from large to small: in a narrow pane it has smaller type and no flag."""

    LARGE = 1.5
    MIDDLE = 1.2
    SMALL = 1.0

    @property
    def has_flag(self) -> bool:
        return self is BadgeSize.LARGE


class RaceBadge(QWidget):
    """Clock, flag and place."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._standing: Standing | None = None
        self._size = BadgeSize.LARGE
        self._whole = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        on_scheme_change(self.update)
        self.hide()

    @property
    def standing(self) -> Standing | None:
        return self._standing

    @property
    def text(self) -> str:
        """ "1.84 ms", "1st  2.31 ms"; in the smallest size, unless whole, the place alone, once there is one."""
        if self._standing is None:
            return ""
        clock = format_duration(self._standing.elapsed_ms)
        if self._standing.place is None:
            return clock
        place = ordinal(self._standing.place)
        return f"{place}  {clock}" if self._whole or self._size is not BadgeSize.SMALL else place

    @property
    def size_shown(self) -> BadgeSize:
        return self._size

    def show_in(self, size: BadgeSize, *, whole: bool = False) -> None:
        """Draw it so large; ``whole`` in the smallest size too."""
        if (size, whole) != (self._size, self._whole):
            self._size, self._whole = size, whole
            self.updateGeometry()
            self.update()

    def show_standing(self, standing: Standing | None) -> None:
        if standing == self._standing:
            return
        before, self._standing = self.sizeHint(), standing
        self.setVisible(standing is not None)
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        height = QFontMetricsF(self._clock_font(self._size)).height() + _PADDING
        return QSize(self.width_in(self._size), round(height))

    def width_in(self, size: BadgeSize) -> int:
        """Room for flag, place and the final time, so that nothing moves while the clock runs."""
        return self._width(size, with_place=self._whole or size is not BadgeSize.SMALL)

    @property
    def least_width(self) -> int:
        """Room in the smallest size, for the clock or the place alone."""
        return self._width(BadgeSize.SMALL, with_place=False)

    def _width(self, size: BadgeSize, *, with_place: bool) -> int:
        if self._standing is None:
            return 0
        clock = f"{format_duration(self._standing.racer.total_ms)}0"
        final = f"1st  {clock}" if with_place else clock
        flag = self._flag_width() + _PADDING if size.has_flag else 0.0
        return round(QFontMetricsF(self._clock_font(size)).horizontalAdvance(final) + flag + 2 * _PADDING)

    @staticmethod
    def _clock_font(size: BadgeSize) -> QFont:
        font = tabular(QApplication.font(), size.value)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    @staticmethod
    def _flag_width() -> float:
        return 24.0 * type_size.factor()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._standing is None:
            return
        t = tokens()
        ended = self._standing.place is not None
        first = self._standing.place == 1
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = QColor(t.accent if first else t.panel)
            ground.setAlphaF(0.92)
            painter.setPen(QPen(QColor(t.border), 1.0))
            painter.setBrush(ground)
            painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0)
            left = _PADDING
            colour = t.accent_text if first else t.text
            if ended and self._size.has_flag:
                side = self._flag_width()
                draw_flag(painter, QRectF(left, (self.height() - 0.75 * side) / 2, side, 0.75 * side), colour)
                left += side + _PADDING
            painter.setFont(self._clock_font(self._size))
            painter.setPen(QColor(colour))
            room = QRectF(left, 0.0, self.width() - left - _PADDING, self.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.text)


def draw_flag(painter: QPainter, place: QRectF, colour: str) -> None:
    """Draw a chequered flag."""
    columns, rows = _FLAG_SQUARES
    pole = 2.0
    width, height = (place.width() - pole) / columns, place.height() / rows
    painter.fillRect(QRectF(place.left(), place.top(), pole, place.height() * 1.15), QColor(colour))
    for i in range(columns * rows):
        column, row = i % columns, i // columns
        square = QRectF(place.left() + pole + column * width, place.top() + row * height, width, height)
        if (column + row) % 2 == 0:
            painter.fillRect(square, QColor(colour))
