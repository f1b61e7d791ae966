"""Placeholders of empty panels: a small drawing of what will be there, above a sentence
on how to get it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen

from gui.style.theme import tokens
from gui.style.widgets import EmptyState, fill_with, on_scheme_change, outline_with, smooth_painter
from solvers.picture.colours import Tokens

Drawing = Callable[[QPainter, QRectF, Tokens], None]

WIDTH, HEIGHT, _GAP = 168.0, 84.0, 10
_LEAST_ROOM = 90  # pixels that the text keeps, before the drawing is left out
_BARS = ((0.92, 0.05), (0.55, 0.04), (0.30, 0.06), (0.14, 0.03))


class EmptyPicture(EmptyState):
    """A text below a drawing, which is left out where there is no room for it."""

    def __init__(self, text: str, draw: Drawing):
        super().__init__(text)
        self._draw = draw
        on_scheme_change(self.update)

    @property
    def picture_place(self) -> QRectF | None:
        """Where the drawing is; None where there is no room."""
        if self.height() < HEIGHT + _LEAST_ROOM or self.width() < WIDTH:
            return None
        room = QRect(0, 0, self.width() - 2 * self.margin(), 10_000)
        text = (
            self.fontMetrics()
            .boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.text())
            .height()
        )
        top = max(float(self.margin()), (self.height() - text) / 2 - HEIGHT / 2 - _GAP)
        return QRectF((self.width() - WIDTH) / 2, top, WIDTH, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        place = self.picture_place
        self.setContentsMargins(0, 0 if place is None else round(HEIGHT) + _GAP, 0, 0)
        super().paintEvent(event)
        if place is not None:
            with smooth_painter(self) as painter:
                self._draw(painter, place, tokens())


def draw_times(painter: QPainter, place: QRectF, t: Tokens) -> None:
    """Bars of four times with whiskers, the last one in the accent colour."""
    pitch = place.height() / len(_BARS)
    for i, (share, spread) in enumerate(_BARS):
        colour = QColor(t.accent if i == len(_BARS) - 1 else t.muted)
        y = place.top() + (i + 0.5) * pitch
        left, width = place.left() + 22.0, (place.width() - 22.0) * share
        fill_with(painter, colour)
        painter.drawEllipse(QPointF(place.left() + 6.0, y), 4.0, 4.0)
        colour.setAlphaF(0.35)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(left, y - 0.24 * pitch, width, 0.48 * pitch), 2.0, 2.0)
        painter.setPen(QPen(QColor(t.muted), 1.4))
        reach = spread * place.width()
        painter.drawLine(QLineF(left + width - reach, y, left + width + reach / 2, y))


def draw_threads(painter: QPainter, place: QRectF, t: Tokens) -> None:
    """Threads above the vertices that they handle."""
    xs = [place.left() + (i + 0.5) / 6 * place.width() for i in range(6)]
    upper, lower = place.top() + 14.0, place.bottom() - 10.0
    for i, x in enumerate(xs):
        busy = i in (0, 3, 4)
        colour = QColor(t.accent if busy else t.border)
        outline_with(painter, QPen(colour, 1.6))
        painter.drawRoundedRect(QRectF(x - 9.0, upper - 9.0, 18.0, 18.0), 4.0, 4.0)
        if busy:
            painter.drawLine(QLineF(x, upper + 9.0, x, lower - 7.0))
        painter.setBrush(colour if busy else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, lower), 6.0, 6.0)
