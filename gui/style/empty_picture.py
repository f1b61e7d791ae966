"""Placeholders of empty panels: a small drawing of what will be there, above a sentence
on how to get it.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPaintEvent

from gui.style.icons import paint_drawing
from gui.style.paint import smooth_painter
from gui.style.theme import tokens
from gui.style.widgets import EmptyState, on_scheme_change

TIMES = "times"  # drawing of four times as bars with whiskers
THREADS = "threads"  # likewise of threads above the vertices that they handle
WIDTH, HEIGHT, _GAP = 168.0, 84.0, 10
_LEAST_ROOM = 90  # pixels that the text keeps, before the drawing is left out


class EmptyPicture(EmptyState):
    """A text below a drawing, which is left out where there is no room for it."""

    def __init__(self, text: str, drawing: str):
        super().__init__(text)
        self._drawing = drawing
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
                paint_drawing(painter, self._drawing, place, tokens())
