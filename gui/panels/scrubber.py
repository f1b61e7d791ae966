"""Slider over the area of the run's activity; drag or click to seek."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip

from gui.style.paint import RADIUS, faded, fill_with, smooth_painter
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change
from solvers.picture.colours import Tokens
from solvers.system.array_types import Float64s, Int64s
from solvers.text import format_count

MARGIN = 6
HEIGHT = 44
_AHEAD = 0.28  # opacity of what is still to be played
_EVEN = 0.5  # height of activity that never changes
_SAMPLES = 4096  # of a series, for its median


class Scrubber(QAbstractSlider):
    """Positions 0 .. T - 1 over the area of T values; the played part has the accent colour.
    Its value is the position shown; keys and mouse ask for another.
    """

    seek_requested = Signal(int)

    def __init__(self, *, height: int = HEIGHT):
        super().__init__()
        self._height = height
        self._values: Int64s = np.empty(0, np.int64)
        # True if the bar heights are logarithmic.
        self.is_log = False
        self._tracks: dict[str, QPixmap] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Position in the run")
        self.setOrientation(Qt.Orientation.Horizontal)
        self.valueChanged.connect(self.seek_requested)
        on_scheme_change(self._repaint_track)

    def sizeHint(self) -> QSize:
        return QSize(300, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, min(40, self._height))

    def show_values(self, values: Int64s) -> None:
        self._values = values
        self.is_log = wants_log(values)
        with QSignalBlocker(self):
            self.setRange(0, max(0, len(values) - 1))
            self.setValue(0)
        self._repaint_track()

    def show_position(self, position: int) -> None:
        with QSignalBlocker(self):
            self.setValue(position)

    def position_at(self, x: float) -> int:
        """The position under a horizontal pixel, clamped to the ends."""
        track = self._track()
        place = (x - track.left()) / track.width() * len(self._values)
        return min(max(0, int(place)), self.maximum())

    def x_of(self, position: int) -> float:
        track = self._track()
        return track.left() + (position + 0.5) / max(1, len(self._values)) * track.width()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and len(self._values):
            self.seek_requested.emit(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not len(self._values):
            return
        position = self.position_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.seek_requested.emit(position)
        else:
            scale = " (logarithmic height)" if self.is_log else ""
            QToolTip.showText(
                event.globalPosition().toPoint(),
                f"{format_count(position + 1)}: {format_count(int(self._values[position]))}{scale}",
                self,
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """As of any slider; ten times as far with Shift."""
        is_shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self.setSingleStep(10 if is_shifted else 1)
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def _track(self) -> QRectF:
        return QRectF(self.rect()).adjusted(MARGIN, 4, -MARGIN, -4)

    def _repaint_track(self) -> None:
        self._tracks.clear()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._repaint_track()
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        with smooth_painter(self) as painter:
            if self.hasFocus():
                painter.setPen(QPen(QColor(t.accent), 1.5))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
            if not len(self._values):
                return
            now = self.x_of(self.value())
            whole = QRectF(self.rect())
            half = max(0.5, 0.5 / len(self._values) * self._track().width())
            painter.setClipRect(QRectF(0, 0, now + half, whole.height()))
            painter.drawPixmap(0, 0, self._curve("played", t))
            if self.value() < len(self._values) - 1:
                painter.setClipRect(QRectF(now + half, 0, whole.width(), whole.height()))
                painter.drawPixmap(0, 0, self._curve("ahead", t))
            painter.setClipping(False)
            self._paint_handle(painter, now, t)

    def _curve(self, part: str, t: Tokens) -> QPixmap:
        """The area as a pixmap, cached by size because the handle moves at every frame."""
        if part not in self._tracks:
            ratio = self.devicePixelRatioF()
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            with smooth_painter(pixmap) as painter:
                fill_with(painter, faded(t.accent, 1.0 if part == "played" else _AHEAD))
                painter.drawPath(self._area())
            self._tracks[part] = pixmap
        return self._tracks[part]

    def _area(self) -> QPainterPath:
        """The activity as an area over the track: in steps where these are wide, else
        from peak to peak.
        """
        track = self._track()
        high = peaks(self._values, int(track.width()))
        if self.is_log:
            high = np.log10(1.0 + high)
        share = high / (high.max() or 1.0) * (1.0 if np.ptp(high) else _EVEN)
        heights = np.maximum(share * track.height(), 1.0)
        pitch, bottom = track.width() / len(heights), track.bottom()
        area = QPainterPath(QPointF(track.left(), bottom))
        for i, tall in enumerate(heights.tolist()):
            left = track.left() + i * pitch
            area.lineTo(left, bottom - tall)
            area.lineTo(left + pitch, bottom - tall)
        area.lineTo(track.right(), bottom)
        area.closeSubpath()
        return area

    def _paint_handle(self, painter: QPainter, x: float, t: Tokens) -> None:
        painter.setPen(QPen(QColor(t.text), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QLineF(x, 3, x, self.height() - 3))


def peaks(values: Int64s, columns: int) -> Float64s:
    """(min(T, columns),) maximum of each of ``columns`` equal parts of a series of counts."""
    count = min(len(values), max(1, columns))
    if count == 0:
        return np.empty(0)
    return np.maximum.reduceat(values, (np.arange(count) * len(values)) // count).astype(np.float64)


def wants_log(values: Int64s) -> bool:
    """True if the maximum is so far above the median that a linear scale would flatten most values.

    The median is that of an even sample: sorting a run of millions of iterations would
    be felt.
    """
    if not len(values):
        return False
    sample = values[:: max(1, len(values) // _SAMPLES)]
    positive = sample[sample > 0]
    return len(positive) > 2 and float(values.max()) > 100 * float(np.median(positive))
