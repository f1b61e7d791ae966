"""The threads of the displayed iteration: which work, which idle, and how they share warps; follows the play-back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gui.model.playback import Playback
from gui.model.session import Session
from gui.panels.thread_words import NO_FIGURES, figures_of, matrix_figures_of, words_of
from gui.style import type_size
from gui.style.common_widgets import ScaledLabel, on_scheme_change, tabular
from gui.style.theme import tokens
from gui.style.tokens import Tokens
from solvers.core.result import Result
from solvers.core.trace import WARP, ActivityTrace, MatrixTrace
from solvers.core.variant import RunsOn
from solvers.running.thread_states import ThreadState, ThreadStates, thread_states
from solvers.running.traced_run import DeviceActivity, device_activity
from solvers.text import format_count

MOST_ROWS = 8  # groups of 32 threads drawn one by one
STRIP_CELLS = 96
_REFRESH_MS = 80  # at most this often while playing
_LANE_GAP = 1.0
_STRIP_HEIGHT, _SPACE = 14.0, 6.0
_STATE_WORDS = {ThreadState.USEFUL: "useful", ThreadState.WORKS: "works in vain", ThreadState.IDLE: "idle"}
_LOOKING_WORDS = {ThreadState.WORKS: "looks for an offer", ThreadState.IDLE: "idle"}


class WarpView(QWidget):
    """Draws a strip of all threads, and some groups of 32 threads one by one."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.states: NDArray[np.uint8] = np.empty((0, WARP), np.uint8)
        self.numbers: NDArray[np.int64] = np.empty(0, np.int64)
        self.shares: NDArray[np.float64] = np.empty(0)
        self._words = _STATE_WORDS
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Threads of the iteration")
        on_scheme_change(self.update)

    def show_states(self, states: ThreadStates, rows: int = MOST_ROWS) -> None:
        """Show an iteration: the first groups of 32 threads with a useful one, filled up with their neighbours."""
        self.numbers = shown_warps(states.busy_warps, states.warps, rows)
        self.states = states.of_warps(self.numbers)
        self.shares = states.shares(STRIP_CELLS) if states.finds_useful else np.empty(0)
        self._words = _STATE_WORDS if states.finds_useful else _LOOKING_WORDS
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, self.heightForWidth(280))

    def heightForWidth(self, width: int) -> int:
        rows = len(self.numbers)
        return round(self._strip_height() + rows * self._pitch(width) + self._legend_height() + _SPACE)

    def _font(self) -> QFont:
        return tabular(self.font(), 0.85)

    def _label_width(self) -> float:
        widest = format_count(int(self.numbers.max())) if len(self.numbers) else "0"
        return QFontMetricsF(self._font()).horizontalAdvance(widest) + 8

    def _pitch(self, width: float) -> float:
        """Side of a lane's square with its gap."""
        return float(min(12.0 * type_size.factor(), max(4.0, (width - self._label_width()) / WARP)))

    def _strip_height(self) -> float:
        """Of the strip with the space below it; 0 where it is not known which threads are useful."""
        return type_size.factor() * _STRIP_HEIGHT + 2 * _SPACE if len(self.shares) else 0.0

    def _legend_height(self) -> float:
        return QFontMetricsF(self._font()).height() + 2

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        with QPainter(self) as painter:
            painter.setFont(self._font())
            self._paint_strip(painter, t)
            top = self._strip_height()
            bottom = self._paint_warps(painter, t, top)
            self._paint_legend(painter, t, bottom + _SPACE)

    def _paint_strip(self, painter: QPainter, t: Tokens) -> None:
        """All threads from left to right; the more useful ones in a part, the stronger its colour."""
        if not len(self.shares):
            return
        height = type_size.factor() * _STRIP_HEIGHT
        painter.fillRect(QRectF(0, 0, self.width(), height), QColor(t.grid))
        for cell, share in enumerate(self.shares.tolist()):
            if share > 0:
                colour = QColor(t.frontier)
                colour.setAlphaF(0.3 + 0.7 * min(1.0, share) ** 0.5)
                left, right = (round(self.width() * (cell + i) / len(self.shares)) for i in (0, 1))
                painter.fillRect(QRectF(left, 0, max(1, right - left), height), colour)

    def _paint_warps(self, painter: QPainter, t: Tokens, top: float) -> float:
        pitch, left = self._pitch(self.width()), self._label_width()
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        colours = state_colours(t)
        every = 1 if pitch >= 0.8 * QFontMetricsF(painter.font()).height() else 2  # rows to a label, so that none touch
        for row, (number, lanes) in enumerate(zip(self.numbers.tolist(), self.states.tolist(), strict=True)):
            y = top + row * pitch
            if row % every == 0:
                painter.setPen(QColor(t.muted))
                painter.drawText(QRectF(0, y - 6, left - 6, pitch + 12), flags, format_count(number))
            for lane, state in enumerate(lanes):
                if state != ThreadState.BEYOND:
                    side = pitch - _LANE_GAP
                    painter.fillRect(QRectF(left + lane * pitch, y, side, side), colours[ThreadState(state)])
        return top + len(self.numbers) * pitch

    def _paint_legend(self, painter: QPainter, t: Tokens, top: float) -> None:
        metrics, x = QFontMetricsF(painter.font()), 0.0
        size = 9.0 * type_size.factor()
        for state, words in self._words.items():
            if state is not ThreadState.IDLE and not (self.states == state).any():
                continue
            painter.fillRect(QRectF(x, top + (metrics.height() - size) / 2, size, size), state_colours(t)[state])
            painter.setPen(QColor(t.muted))
            box = QRectF(x + size + 4, top, metrics.horizontalAdvance(words) + 1, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft, words)
            x += size + 4 + metrics.horizontalAdvance(words) + 14


def state_colours(t: Tokens) -> dict[ThreadState, QColor]:
    """Colour of each state; useful threads have that of the frontier in the picture."""
    works = QColor(t.accent)
    works.setAlphaF(0.35)
    return {ThreadState.USEFUL: QColor(t.frontier), ThreadState.WORKS: works, ThreadState.IDLE: QColor(t.border)}


def shown_warps(busy: NDArray[np.int64], count: int, rows: int) -> NDArray[np.int64]:
    """Up to ``rows`` of ``count`` groups of threads: all if they are few, else busy ones, then their neighbours."""
    if count <= rows:
        return np.arange(count)
    chosen = busy[:rows]
    if len(chosen) < rows:
        start = int(chosen[0]) if len(chosen) else 0
        around = np.arange(max(0, min(start, count - rows)), count)[: 2 * rows]
        spare = np.setdiff1d(around, chosen)[: rows - len(chosen)]
        chosen = np.union1d(chosen, spare)
    return chosen[:rows]


class ThreadActivityPanel(QWidget):
    """Threads and figures of the selected result's iteration; hidden if they are not known.

    Parameters
    ----------
    session, playback
    """

    def __init__(self, session: Session, playback: Playback, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._playback = session, playback
        self.heading = ScaledLabel(factor=1.0, weight=QFont.Weight.Bold)
        self.heading.setWordWrap(True)
        self.warps = WarpView()
        self.words, self.figures = ScaledLabel(factor=0.92), ScaledLabel(factor=0.92)
        for label in (self.words, self.figures):
            label.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        for part in (self.heading, self.warps, self.words, self.figures):
            column.addWidget(part)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        playback.moved.connect(self._follow_position)
        playback.trace_changed.connect(self.refresh)
        playback.state_changed.connect(self._follow_position)
        session.selection_changed.connect(self.refresh)
        session.results_changed.connect(self.refresh)
        self.refresh()

    def _follow_position(self, *_: object) -> None:
        """Refresh at once, or a little later while playing, so that the play-back stays smooth."""
        if not self._playback.playing:
            self.refresh()
        elif not self._timer.isActive():
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show the iteration at the position of the play-back."""
        result = self._shown_result()
        activity = None if result is None else device_activity(result)
        has_kernels = result is not None and result.trace is not None and result.variant.runs_on is RunsOn.GPU
        self.setVisible(has_kernels or activity is not None)
        if result is None or not self.isVisible():
            return
        if activity is not None and isinstance(result.trace, ActivityTrace):
            self._show_iteration(result, activity)
        else:
            self._show_figures(result, activity)

    def _show_figures(self, result: Result, activity: DeviceActivity | None) -> None:
        """Show the phase of an all-pairs run; else say why there is nothing to show."""
        self.warps.hide()
        self.words.hide()
        trace = result.trace
        if isinstance(trace, MatrixTrace) and activity is not None:
            found = matrix_figures_of(result, trace, activity, min(self._playback.position, len(trace) - 1))
            self.heading.setText(found.heading)
            self.figures.setText("\n".join(found.lines))
        else:
            self.heading.setText("Threads")
            self.figures.setText(NO_FIGURES)

    def _shown_result(self) -> Result | None:
        """The selected result, if the play-back plays its trace."""
        result = self._session.selected
        return result if result is not None and result.trace is self._playback.trace else None

    def _show_iteration(self, result: Result, activity: DeviceActivity) -> None:
        position = min(self._playback.position, len(activity.arcs_per_s) - 1)
        states = thread_states(result, position)
        self.heading.setText(figures_of(result, activity, position).heading)
        self.warps.setVisible(states is not None)
        self.words.setVisible(states is not None)
        if states is not None:
            self.warps.show_states(states)
            self.words.setText(words_of(states, activity, position))
        self.figures.setText("\n".join(figures_of(result, activity, position).lines))
