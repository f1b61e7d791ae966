"""Header of a pane: variant and progress of its run. Same text on screen and in exports."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QPainter

from gui.painting.drawing import fitting_font, in_points, small_font
from gui.style.paint import DOT_PX, LEFT, RIGHT, paint_dot
from gui.style.text import fitting_text
from solvers.core.trace import ActivityTrace
from solvers.picture.colours import Tokens
from solvers.picture.variant_colours import variant_colour
from solvers.text import format_count, format_duration

HEAD_HEIGHT = 28.0  # logical pixels
_TWO_ROWS_HEIGHT = 40.0
_MARGIN, _GAP, _POINTS = 10.0, 12.0, 10.0
_LEAST_POINTS, _STEP_POINTS = 6.5, 0.5
# of the progress in a row of its own, and the least of the title above it
_ROW_POINTS, _TINY_POINTS = 8.0, 5.0
# share of a very narrow header for the progress; the title is elided into the rest
_MOST_PROGRESS = 0.6
_ELIDED = Qt.TextElideMode.ElideRight  # the first digits of a number say more than its ends
UNTRACED = "not traced"
# longest first
NO_RESULT = ("run another variant to compare it here", "run another variant", "no result")


def progress_texts(
    trace: ActivityTrace, position: int, elapsed_ms: float | None, waits: bool
) -> tuple[str, ...]:
    """Texts for iteration, elapsed time and whether the run has ended, longest first.

    The last one is the number of the iteration alone. ``elapsed_ms`` is given if runs
    are synchronised by time; a run that ``waits`` has ended while another has not.
    """
    iteration = min(position * trace.stride + 1, trace.iterations)
    count = f"{format_count(iteration)} of {format_count(trace.iterations)}"
    elapsed = "" if elapsed_ms is None else f"  ·  {format_duration(elapsed_ms)}"
    done = ", done" if waits else ""
    number = format_count(iteration)
    return (
        f"iteration {count}{elapsed}{done}",
        f"{count}{elapsed}{done}",
        f"{count}{done}",
        count,
        number,
    )


@dataclass(frozen=True)
class PaneHead:
    """Content of a pane's header."""

    variant_id: str  # variant_id, title: empty if no result is shown
    title: str
    progress: tuple[str, ...]  # from longest to shortest (`progress_texts`)
    bold: bool  # the run has not ended
    short_title: str = ""  # stands in where the title has no room; the title by default
    most_points: float = _POINTS  # size of the type where there is room

    def points_in(self, font: QFont, width: float) -> float:
        """Size of the type in one row of that width."""
        dot = DOT_PX + 6.0 if self.variant_id else 0.0
        return self._fitting(font, width - 2 * _MARGIN - dot)[-1]

    def fits(self, width: float) -> bool:
        """Whether title and progress, short and in small letters, fit into one row."""
        short = self.short_title or self.title
        dot = DOT_PX + 6.0 if self.variant_id else 0.0
        return (
            _needed(QGuiApplication.font(), short, self.progress[-1], _LEAST_POINTS)
            <= width - 2 * _MARGIN - dot
        )

    def paint_in_two_rows(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        """Paint it into (0, 0) to (``width``, ``head_height(2)``): the title, and below
        it the progress.
        """
        left, right, half = _MARGIN, width - _MARGIN, _TWO_ROWS_HEIGHT / 2
        if self.variant_id:
            paint_dot(painter, QPointF(left + DOT_PX / 2, half / 2 + 2.0), self._colour(tokens))
            left += DOT_PX + 6.0
        painter.setPen(tokens.text)
        room = right - left
        plain = small_font(painter, _POINTS)
        whole = QFontMetricsF(plain).horizontalAdvance(self.title) <= room
        title = self.title if whole or not self.short_title else self.short_title
        painter.setFont(fitting_font(painter, title, room, _POINTS, _TINY_POINTS))
        title = QFontMetricsF(painter.font()).elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, 2.0, room, half), Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(small_font(painter, _ROW_POINTS, bold=self.bold))
        progress = fitting_text(self.progress, QFontMetricsF(painter.font()), room, _ELIDED)
        painter.drawText(
            QRectF(left, half, room, half - 2.0), Qt.AlignmentFlag.AlignVCenter, progress
        )

    def _colour(self, tokens: Tokens) -> QColor:
        return QColor(variant_colour(self.variant_id, tokens.dark))

    def paint(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        """Paint it into (0, 0) to (``width``, `HEAD_HEIGHT`)."""
        left, right = _MARGIN, width - _MARGIN
        middle = HEAD_HEIGHT / 2
        if self.variant_id:
            paint_dot(painter, QPointF(left + DOT_PX / 2, middle), self._colour(tokens))
            left += DOT_PX + 6.0
        painter.setPen(tokens.text)
        title, progress, points = self._fitting(painter.font(), right - left)
        plain, strong = small_font(painter, points), small_font(painter, points, bold=True)
        painter.setFont(strong if self.bold else plain)
        room = QFontMetricsF(painter.font()).horizontalAdvance(progress)
        line = QRectF(left, 0.0, right - left, HEAD_HEIGHT)
        painter.drawText(line, RIGHT, progress)
        painter.setFont(plain)
        title = QFontMetricsF(plain).elidedText(
            title, Qt.TextElideMode.ElideRight, right - left - room - _GAP
        )
        painter.drawText(line, LEFT, title)

    def _fitting(self, font: QFont, width: float) -> tuple[str, str, float]:
        """Title, progress and size of their font: whole titles first, then short ones,
        then smaller letters.

        Progress is measured plain and bold, so that the choice does not change when the
        run ends.
        """
        longer = self.progress[:-1] or self.progress
        short = self.short_title or self.title
        choices = [*((self.title, text) for text in longer), (short, longer[-1])]
        for title, progress in choices:
            if _needed(font, title, progress, self.most_points) <= width:
                return title, progress, self.most_points
        for progress in (longer[-1], self.progress[-1]):
            points = self.most_points
            while points > _LEAST_POINTS and _needed(font, short, progress, points) > width:
                points -= _STEP_POINTS
            if _needed(font, short, progress, points) <= width:
                return short, progress, points
        strong = in_points(font, _LEAST_POINTS)
        strong.setBold(True)
        metrics = QFontMetricsF(strong)
        return (
            short,
            fitting_text(self.progress[-2:], metrics, width * _MOST_PROGRESS, _ELIDED),
            _LEAST_POINTS,
        )


def head_height(rows: int) -> float:
    """Height in logical pixels of a header with one row or two."""
    return HEAD_HEIGHT if rows == 1 else _TWO_ROWS_HEIGHT


def _needed(font: QFont, title: str, progress: str, points: float) -> float:
    """Pixels that title and progress take side by side."""
    plain, strong = in_points(font, points), in_points(font, points)
    strong.setBold(True)
    longest = max(QFontMetricsF(either).horizontalAdvance(progress) for either in (plain, strong))
    return QFontMetricsF(plain).horizontalAdvance(title) + longest + _GAP
