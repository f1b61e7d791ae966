"""A run's bar in the header of its pane, where a race has no room for bars of its own."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.race_badge import draw_flag
from gui.model.race import Standing
from gui.style import type_size
from gui.style.common_widgets import on_scheme_change
from gui.style.theme import tokens, variant_colour

_HEIGHT, _BAR, _GAP = 20, 10.0, 6.0


class RaceTrack(QWidget):
    """How much of its time the run has behind it, and a flag when it has ended."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._standing: Standing | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        type_size.on_change(self.updateGeometry)
        on_scheme_change(self.update)

    def show_standing(self, standing: Standing | None) -> None:
        if standing != self._standing:
            self._standing = standing
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(60, type_size.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._standing is None:
            return
        t, factor = tokens(), type_size.factor()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            flag = QRectF(0.0, 0.0, 18.0 * factor, 12.0 * factor)
            flag.moveCenter(self.rect().toRectF().center())
            flag.moveRight(self.width() - 1.0)
            track = QRectF(0.0, 0.0, max(0.0, flag.left() - _GAP), _BAR * factor)
            track.moveTop((self.height() - track.height()) / 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.grid))
            painter.drawRoundedRect(track, 3.0, 3.0)
            painter.setBrush(QColor(variant_colour(self._standing.racer.variant_id, t.dark)))
            track.setWidth(self._standing.share * track.width())
            painter.drawRoundedRect(track, 3.0, 3.0)
            if self._standing.place is not None:
                draw_flag(painter, flag, t.text)
