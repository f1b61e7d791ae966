"""The bar chart of a race: how much of its time each run has behind it, live, and how much the race is slowed down."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.canvas.race_badge import draw_flag
from gui.model.race import Standing
from gui.style import type_size
from gui.style.common_widgets import GAP, QuietLabel, ScaledLabel, on_scheme_change, paint_dot, tabular
from gui.style.fitting import fitting_letters
from gui.style.icons import icon
from gui.style.numbers import ordinal
from gui.style.theme import tokens, variant_colour
from solvers.text import format_duration

_ROW, _PADDING = 22, 4
_DOT_ROOM, _FLAG = 20.0, 18.0
_NAME_GAP = 12.0
_MOST_NAME_SHARE = 0.4
HEADLINE = "Race by real time"
WHY = (
    "Each run goes through the iterations of its watched run; its clock is scaled to the median solve time of the timed"
    " runs, so that the order is that of the solve times in the table, without preparing and copying."
)


class RaceStrip(QWidget):
    """Headline, slow motion in words, and one bar for each run.

    Signals
    -------
    closed()
        The user ended the race.
    resized()
    """

    closed = Signal()
    resized = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.headline = ScaledLabel(HEADLINE, factor=1.1)
        self.words = QuietLabel()
        self.words.setWordWrap(False)
        self.headline.setToolTip(WHY)
        self.words.setToolTip(WHY)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("End the race (Esc)")
        self.close_button.setAccessibleName("End the race")
        self.close_button.clicked.connect(self.closed)
        self.bars = RaceBars()
        self._said = ""
        head = QHBoxLayout()
        head.addWidget(self.headline)
        head.addSpacing(2 * GAP)
        head.addWidget(self.words, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GAP, GAP, GAP, GAP)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.bars)
        self.setAutoFillBackground(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        on_scheme_change(self._restyle)
        self._restyle()

    def height_with(self, *, bars: bool) -> int:
        """Height in pixels that the strip has with its bars or without them, whatever is shown."""
        head = max(self.headline.sizeHint().height(), self.close_button.sizeHint().height())
        return head + (self.bars.sizeHint().height() + 2 if bars else 0) + 2 * GAP

    def show_race(self, standings: tuple[Standing, ...], words: str) -> None:
        """Show where every run is, and ``words`` on the speed or on what is waited for."""
        self._said = words
        self._fit_words()
        self.bars.show_standings(standings)

    def _fit_words(self) -> None:
        """Say how slow it is or, where that has no room, only by which factor."""
        metrics = self.words.fontMetrics()
        room = self.width() - self.headline.sizeHint().width() - self.close_button.sizeHint().width() - 8 * GAP
        fits = metrics.horizontalAdvance(self._said) <= room
        words = self._said if fits else self._said.rpartition(", ")[2]
        if words != self.words.text():
            self.words.setText(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()
        self.resized.emit()

    def _restyle(self) -> None:
        self.close_button.setIcon(icon("close", tokens().muted))


class RaceBars(QWidget):
    """A bar for each run, from the start to the finish line."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._standings: tuple[Standing, ...] = ()
        self.setAccessibleName("Bars of the race")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        type_size.on_change(self.updateGeometry)
        on_scheme_change(self.update)

    @property
    def standings(self) -> tuple[Standing, ...]:
        return self._standings

    def sizeHint(self) -> QSize:
        return QSize(300, max(1, len(self._standings)) * type_size.px(_ROW))

    def show_standings(self, standings: tuple[Standing, ...]) -> None:
        if len(standings) != len(self._standings):
            self.updateGeometry()
        self._standings = standings
        self.setAccessibleDescription("; ".join(map(_spoken, standings)))
        self.update()

    def track(self, row: int) -> QRectF:
        """The place of a row's bar, from start to finish."""
        left = _DOT_ROOM + self._name_width()
        right = self.fontMetrics().horizontalAdvance("4th  00.00 ms") + _FLAG + 18.0
        height = float(type_size.px(_ROW))
        return QRectF(left, row * height + _PADDING, max(20.0, self.width() - left - right), height - 2 * _PADDING)

    def _name_width(self) -> float:
        """Room for the widest name and a gap: of each the whole one, or the short one if that alone fits."""
        most, metrics = _MOST_NAME_SHARE * self.width(), self.fontMetrics()
        wanted = ([metrics.horizontalAdvance(form) + _NAME_GAP for form in s.racer.forms] for s in self._standings)
        fitting = (next((width for width in widths if width <= most), most) for widths in wanted)
        return max(fitting, default=0.0)

    def shown_name(self, row: int) -> str:
        """The name of a run as painted."""
        return self._fitting_name(self._standings[row])[0]

    def _fitting_name(self, standing: Standing) -> tuple[str, QFont]:
        return fitting_letters(standing.racer.forms, tabular(self.font()), self._name_width() - _NAME_GAP + 1.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(tabular(self.font()))
            for row, standing in enumerate(self._standings):
                self._paint_row(painter, row, standing)

    def _paint_row(self, painter: QPainter, row: int, standing: Standing) -> None:
        t, track = tokens(), self.track(row)
        colour = QColor(variant_colour(standing.racer.variant_id, t.dark))
        middle = track.center().y()
        paint_dot(painter, QPointF(8.0, middle), colour)
        painter.setPen(QColor(t.text))
        name = QRectF(_DOT_ROOM, track.top() - _PADDING, track.left() - _DOT_ROOM - 6.0, track.height() + 2 * _PADDING)
        title, font = self._fitting_name(standing)
        painter.setFont(font)
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        painter.setFont(tabular(self.font()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.grid))
        painter.drawRoundedRect(track, 3.0, 3.0)
        painter.setBrush(colour)
        done = QRectF(track.left(), track.top(), standing.share * track.width(), track.height())
        painter.drawRoundedRect(done, 3.0, 3.0)
        painter.setPen(QPen(QColor(t.muted), 1.5))
        painter.drawLine(QPointF(track.right(), track.top() - 3.0), QPointF(track.right(), track.bottom() + 3.0))
        left = track.right() + 8.0
        if standing.place is not None:
            draw_flag(painter, QRectF(left, middle - 6.0, _FLAG, 12.0), t.text)
        painter.setPen(QColor(t.text))
        clock = QRectF(left + _FLAG + 6.0, name.top(), self.width() - left - _FLAG - 6.0, name.height())
        painter.drawText(clock, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, _words(standing))


def _words(standing: Standing) -> str:
    clock = format_duration(standing.elapsed_ms)
    return clock if standing.place is None else f"{ordinal(standing.place)}  {clock}"


def _spoken(standing: Standing) -> str:
    return f"{standing.racer.title}: {_words(standing)}"
