"""Clocks and bars of a race.

`RaceBadge` is the clock of one run, above its picture, with a flag and its place when
it has ended. `RaceStrip` has a bar for each run on the slowest run's scale of time,
with how many times as long as the fastest it took, and tells how much the race is
slowed down. `RaceTrack` is a run's bar in the header of its pane, where a race has no
room for bars of its own.
"""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui.canvas.pane import BadgeSize
from gui.features.race.standings import Standing
from gui.style.forms import column_of, row_of, tool_button
from gui.style.paint import (
    LEFT,
    RIGHT,
    bold,
    faded,
    paint_dot,
    paint_frame,
    scaled_font,
    smooth_painter,
    write,
)
from gui.style.text import (
    fitting_letters,
    on_type_size_change,
    ordinal,
    scaled_px,
    tool_tip,
    type_scale,
)
from gui.style.theme import tokens
from gui.style.widgets import GAP, QuietLabel, ScaledLabel, keep_icon, on_scheme_change
from solvers.picture.variant_colours import variant_colour
from solvers.text import format_duration

_BADGE_PADDING = 8.0
_FLAG_SQUARES = 4, 3

_ROW, _STRIP_PADDING = 22, 4
_DOT_ROOM, _FLAG = 20.0, 18.0
_NAME_GAP = 12.0
_MOST_NAME_SHARE = 0.4
_LEAST_BAR = 3.0  # pixels of the bar of a run that has ended
HEADLINE = "Race by solve time"
WHY = (
    "Each run goes through the iterations of its watched run; its clock is scaled to the median "
    "solve time of the timed runs, so that the order is that of the solve times in the table, "
    "without preparing and copying."
)

_HEIGHT, _BAR, _GAP = 20, 10.0, 6.0


class RaceBadge(QWidget):
    """Clock, flag and place."""

    def __init__(self) -> None:
        super().__init__()
        self.standing: Standing | None = None
        self.size_shown = BadgeSize.LARGE
        self._whole = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        on_scheme_change(self.update)
        self.hide()

    @property
    def text(self) -> str:
        """ "1.84 ms", "1st  2.31 ms"; in the smallest size, unless whole, the place
        alone, once there is one.
        """
        if self.standing is None:
            return ""
        clock = format_duration(self.standing.elapsed_ms)
        if self.standing.place is None:
            return clock
        place = ordinal(self.standing.place)
        return (
            f"{place}  {clock}" if self._whole or self.size_shown is not BadgeSize.SMALL else place
        )

    def show_in(self, size: BadgeSize, whole: bool) -> None:
        """Draw it so large; ``whole`` in the smallest size too."""
        if (size, whole) != (self.size_shown, self._whole):
            self.size_shown, self._whole = size, whole
            self.updateGeometry()
            self.update()

    def show_standing(self, standing: Standing | None) -> None:
        if standing == self.standing:
            return
        before, self.standing = self.sizeHint(), standing
        self.setVisible(standing is not None)
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        height = QFontMetricsF(self._clock_font(self.size_shown)).height() + _BADGE_PADDING
        return QSize(self.width_in(self.size_shown), round(height))

    def width_in(self, size: BadgeSize) -> int:
        """Room for flag, place and the final time, so that nothing moves while the clock runs."""
        return self._width(size, with_place=self._whole or size is not BadgeSize.SMALL)

    @property
    def least_width(self) -> int:
        """Room in the smallest size, for the clock or the place alone."""
        return self._width(BadgeSize.SMALL, with_place=False)

    def _width(self, size: BadgeSize, *, with_place: bool) -> int:
        if self.standing is None:
            return 0
        clock = f"{format_duration(self.standing.racer.total_ms)}0"
        final = f"1st  {clock}" if with_place else clock
        flag = self._flag_width() + _BADGE_PADDING if size is BadgeSize.LARGE else 0.0
        return round(
            QFontMetricsF(self._clock_font(size)).horizontalAdvance(final)
            + flag
            + 2 * _BADGE_PADDING
        )

    @staticmethod
    def _clock_font(size: BadgeSize) -> QFont:
        return bold(scaled_font(QApplication.font(), size.value))

    @staticmethod
    def _flag_width() -> float:
        return 24.0 * type_scale()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.standing is None:
            return
        t = tokens()
        ended = self.standing.place is not None
        first = self.standing.place == 1
        with smooth_painter(self) as painter:
            ground = faded(t.accent if first else t.panel, 0.92)
            paint_frame(painter, self.rect(), 6.0, t.border, ground)
            left = _BADGE_PADDING
            colour = t.accent_text if first else t.text
            if ended and self.size_shown is BadgeSize.LARGE:
                side = self._flag_width()
                draw_flag(
                    painter,
                    QRectF(left, (self.height() - 0.75 * side) / 2, side, 0.75 * side),
                    colour,
                )
                left += side + _BADGE_PADDING
            painter.setFont(self._clock_font(self.size_shown))
            room = QRectF(left, 0.0, self.width() - left - _BADGE_PADDING, self.height())
            write(painter, room, self.text, colour, RIGHT)


def draw_flag(painter: QPainter, place: QRectF, colour: str) -> None:
    columns, rows = _FLAG_SQUARES
    pole = 2.0
    width, height = (place.width() - pole) / columns, place.height() / rows
    painter.fillRect(QRectF(place.left(), place.top(), pole, place.height() * 1.15), QColor(colour))
    for i in range(columns * rows):
        column, row = i % columns, i // columns
        square = QRectF(
            place.left() + pole + column * width, place.top() + row * height, width, height
        )
        if (column + row) % 2 == 0:
            painter.fillRect(square, QColor(colour))


class RaceStrip(QWidget):
    """Headline, slow motion in words, and one bar for each run."""

    closed = Signal()  # the user ended the race

    def __init__(self) -> None:
        super().__init__()
        self.headline = ScaledLabel(HEADLINE, factor=1.1)
        self.words = QuietLabel()
        self.words.setWordWrap(False)
        self.headline.setToolTip(tool_tip(WHY))
        self.words.setToolTip(tool_tip(WHY))
        self.close_button = tool_button(
            tip="End the race (Esc)", act=self.closed, name="End the race"
        )
        keep_icon(self.close_button, "close", "muted")
        self.bars = RaceBars()
        self._said = ""
        head = row_of(self.headline, 2 * GAP, (self.words, 1), self.close_button)
        column_of(head, self.bars, parent=self, margins=(2 * GAP, GAP, GAP, GAP), spacing=2)
        self.setAutoFillBackground(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def height_with(self, bars: bool) -> int:
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
        room = (
            self.width()
            - self.headline.sizeHint().width()
            - self.close_button.sizeHint().width()
            - 8 * GAP
        )
        fits = metrics.horizontalAdvance(self._said) <= room
        words = self._said if fits else self._said.rpartition(", ")[2]
        if words != self.words.text():
            self.words.setText(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()


class RaceBars(QWidget):
    """A bar for each run, from the start to the finish line."""

    def __init__(self) -> None:
        super().__init__()
        self.standings: tuple[Standing, ...] = ()
        self.setAccessibleName("Bars of the race")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        on_type_size_change(self.updateGeometry)
        on_scheme_change(self.update)

    def sizeHint(self) -> QSize:
        return QSize(300, max(1, len(self.standings)) * scaled_px(_ROW))

    def show_standings(self, standings: tuple[Standing, ...]) -> None:
        if len(standings) != len(self.standings):
            self.updateGeometry()
        self.standings = standings
        self.setAccessibleDescription("; ".join(map(_spoken, standings)))
        self.update()

    def track(self, row: int) -> QRectF:
        """The place of a row's bar, from start to finish."""
        left = _DOT_ROOM + self._name_width()
        right = self.fontMetrics().horizontalAdvance("4th  00.00 ms  0000×") + _FLAG + 18.0
        height = float(scaled_px(_ROW))
        return QRectF(
            left,
            row * height + _STRIP_PADDING,
            max(20.0, self.width() - left - right),
            height - 2 * _STRIP_PADDING,
        )

    def _name_width(self) -> float:
        """Room for the widest name and a gap: of each the whole one, or the short one
        if that alone fits.
        """
        most, metrics = _MOST_NAME_SHARE * self.width(), self.fontMetrics()
        wanted = (
            [metrics.horizontalAdvance(form) + _NAME_GAP for form in s.racer.forms]
            for s in self.standings
        )
        fitting = (next((width for width in widths if width <= most), most) for widths in wanted)
        return max(fitting, default=0.0)

    def _fitting_name(self, standing: Standing) -> tuple[str, QFont]:
        return fitting_letters(
            standing.racer.forms, self.font(), self._name_width() - _NAME_GAP + 1.0
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        with smooth_painter(self) as painter:
            painter.setFont(self.font())
            for row, standing in enumerate(self.standings):
                self._paint_row(painter, row, standing)

    def _paint_row(self, painter: QPainter, row: int, standing: Standing) -> None:
        t, track = tokens(), self.track(row)
        colour = QColor(variant_colour(standing.racer.variant_id, t.dark))
        middle = track.center().y()
        paint_dot(painter, QPointF(8.0, middle), colour)
        painter.setPen(t.text)
        name = QRectF(
            _DOT_ROOM,
            track.top() - _STRIP_PADDING,
            track.left() - _DOT_ROOM - 6.0,
            track.height() + 2 * _STRIP_PADDING,
        )
        title, font = self._fitting_name(standing)
        painter.setFont(font)
        painter.drawText(name, LEFT, title)
        painter.setFont(self.font())
        finish = paint_track(painter, track, standing, colour)
        painter.setPen(QPen(QColor(t.muted), 1.5))
        painter.drawLine(QLineF(finish, track.top() - 3.0, finish, track.bottom() + 3.0))
        left = track.right() + 8.0
        if standing.place is not None:
            draw_flag(painter, QRectF(left, middle - 6.0, _FLAG, 12.0), t.text)
        clock = QRectF(
            left + _FLAG + 6.0, name.top(), self.width() - left - _FLAG - 6.0, name.height()
        )
        write(painter, clock, _words(standing), t.text)


def paint_track(painter: QPainter, track: QRectF, standing: Standing, colour: QColor) -> float:
    """Paint a run's bar on a track as long as the slowest run, and its way to the
    finish; returns where that ends.
    """
    finish = max(_LEAST_BAR, standing.finish * track.width())
    painter.setPen(Qt.PenStyle.NoPen)
    for width, fill in (
        (finish, QColor(tokens().grid)),
        (min(finish, _painted(standing, track.width())), colour),
    ):
        painter.setBrush(fill)
        radius = min(3.0, width / 2)
        painter.drawRoundedRect(
            QRectF(track.left(), track.top(), width, track.height()), radius, radius
        )
    return track.left() + finish


def _painted(standing: Standing, width: float) -> float:
    """Length of a run's bar: one that has ended can be seen however short it is."""
    return max(_LEAST_BAR if standing.place is not None else 0.0, standing.share * width)


def _words(standing: Standing) -> str:
    clock = format_duration(standing.elapsed_ms)
    if standing.place is None:
        return clock
    return "  ".join(filter(None, (ordinal(standing.place), clock, standing.factor_text)))


def _spoken(standing: Standing) -> str:
    return f"{standing.racer.title}: {_words(standing)}"


class RaceTrack(QWidget):
    """A run's bar on the scale of the slowest run, and a flag when it has ended."""

    def __init__(self) -> None:
        super().__init__()
        self._standing: Standing | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        on_type_size_change(self.updateGeometry)
        on_scheme_change(self.update)

    def show_standing(self, standing: Standing | None) -> None:
        if standing != self._standing:
            self._standing = standing
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(60, scaled_px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._standing is None:
            return
        t, factor = tokens(), type_scale()
        with smooth_painter(self) as painter:
            flag = QRectF(0.0, 0.0, 18.0 * factor, 12.0 * factor)
            flag.moveCenter(self.rect().toRectF().center())
            flag.moveRight(self.width() - 1.0)
            track = QRectF(0.0, 0.0, max(0.0, flag.left() - _GAP), _BAR * factor)
            track.moveTop((self.height() - track.height()) / 2)
            paint_track(
                painter,
                track,
                self._standing,
                QColor(variant_colour(self._standing.racer.variant_id, t.dark)),
            )
            if self._standing.place is not None:
                draw_flag(painter, flag, t.text)
