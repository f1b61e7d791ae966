"""The threads of the displayed iteration: which work, which idle, and how they share
warps; follows the play-back.

Sentences about them and the figures of the device are made without widgets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.model.playback import Playback
from gui.model.session import Session
from gui.style.forms import column_of
from gui.style.paint import RIGHT, faded, scaled_font, write
from gui.style.text import format_rate, type_scale
from gui.style.theme import tokens
from gui.style.widgets import ScaledLabel, on_scheme_change
from solvers.core.result import Result
from solvers.core.trace import WARP, ActivityTrace, KernelLaunches, MatrixStep, MatrixTrace
from solvers.core.variant import Algorithm, RunsOn, WorkMapping
from solvers.features.lesson.thread_states import ThreadState, ThreadStates, thread_states
from solvers.picture.colours import Tokens
from solvers.running.traced_run import DeviceActivity, Series, device_activity, timed_arcs_per_s
from solvers.system.array_types import Float64s, Int64s, UInt8s
from solvers.text import capitalised, format_count, format_duration, plural, three_digits

MOST_ROWS = 8  # groups of 32 threads drawn one by one
STRIP_CELLS = 96
_REFRESH_MS = 80  # at most this often while playing
_LANE_GAP = 1.0
_STRIP_HEIGHT, _SPACE = 14.0, 6.0
_STATE_WORDS = {
    ThreadState.USEFUL: "useful",
    ThreadState.WORKS: "works in vain",
    ThreadState.IDLE: "idle",
}
_LOOKING_WORDS = {ThreadState.WORKS: "looks for an offer", ThreadState.IDLE: "idle"}

_MOST_KERNELS = 3  # named one by one
_NO_USEFUL = (
    "Useful threads: not known. A thread of this variant handles several cells or rows, "
    "whose number is not counted."
)
_NO_BYTES = (
    "Memory: not known. The bytes that the threads of this phase request depend on what blocks "
    "share, and are not counted."
)
NO_FIGURES = (
    "No launches to show: the steps of this variant's watched run are computed on the processor, "
    "or a timed run makes many in one launch."
)


class WarpView(QWidget):
    """Draws a strip of all threads, and some groups of 32 threads one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.states: UInt8s = np.empty((0, WARP), np.uint8)
        self.numbers: Int64s = np.empty(0, np.int64)
        self.shares: Float64s = np.empty(0)
        self._words = _STATE_WORDS
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Threads of the iteration")
        on_scheme_change(self.update)

    def show_states(self, states: ThreadStates, rows: int = MOST_ROWS) -> None:
        """Show an iteration: the first groups of 32 threads with a useful one, filled
        up with their neighbours.
        """
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
        return round(
            self._strip_height() + rows * self._pitch(width) + self._legend_height() + _SPACE
        )

    def _font(self) -> QFont:
        return scaled_font(self.font(), 0.85)

    def _label_width(self) -> float:
        widest = format_count(int(self.numbers.max())) if len(self.numbers) else "0"
        return QFontMetricsF(self._font()).horizontalAdvance(widest) + 8

    def _pitch(self, width: float) -> float:
        """Side of a lane's square with its gap."""
        return float(min(12.0 * type_scale(), max(4.0, (width - self._label_width()) / WARP)))

    def _strip_height(self) -> float:
        """Of the strip with the space below it; 0 where it is not known which threads
        are useful.
        """
        return type_scale() * _STRIP_HEIGHT + 2 * _SPACE if len(self.shares) else 0.0

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
        """All threads from left to right; the more useful ones in a part, the stronger
        its colour.
        """
        if not len(self.shares):
            return
        height = type_scale() * _STRIP_HEIGHT
        painter.fillRect(QRectF(0, 0, self.width(), height), QColor(t.grid))
        for cell, share in enumerate(self.shares.tolist()):
            if share > 0:
                colour = faded(t.frontier, 0.3 + 0.7 * min(1.0, share) ** 0.5)
                left, right = (round(self.width() * (cell + i) / len(self.shares)) for i in (0, 1))
                painter.fillRect(QRectF(left, 0, max(1, right - left), height), colour)

    def _paint_warps(self, painter: QPainter, t: Tokens, top: float) -> float:
        pitch, left = self._pitch(self.width()), self._label_width()
        colours = state_colours(t)
        # rows to a label, so that none touch
        every = 1 if pitch >= 0.8 * QFontMetricsF(painter.font()).height() else 2
        for row, (number, lanes) in enumerate(
            zip(self.numbers.tolist(), self.states.tolist(), strict=True)
        ):
            y = top + row * pitch
            if row % every == 0:
                beside = QRectF(0, y - 6, left - 6, pitch + 12)
                write(painter, beside, format_count(number), t.muted, RIGHT)
            for lane, state in enumerate(lanes):
                if state != ThreadState.BEYOND:
                    side = pitch - _LANE_GAP
                    painter.fillRect(
                        QRectF(left + lane * pitch, y, side, side), colours[ThreadState(state)]
                    )
        return top + len(self.numbers) * pitch

    def _paint_legend(self, painter: QPainter, t: Tokens, top: float) -> None:
        metrics, x = QFontMetricsF(painter.font()), 0.0
        size = 9.0 * type_scale()
        for state, words in self._words.items():
            if state is not ThreadState.IDLE and not (self.states == state).any():
                continue
            painter.fillRect(
                QRectF(x, top + (metrics.height() - size) / 2, size, size), state_colours(t)[state]
            )
            box = QRectF(x + size + 4, top, metrics.horizontalAdvance(words) + 1, metrics.height())
            write(painter, box, words, t.muted, Qt.AlignmentFlag.AlignLeft)
            x += size + 4 + metrics.horizontalAdvance(words) + 14


def state_colours(t: Tokens) -> dict[ThreadState, QColor]:
    """Colour of each state; useful threads have that of the frontier in the picture."""
    return {
        ThreadState.USEFUL: QColor(t.frontier),
        ThreadState.WORKS: faded(t.accent, 0.35),
        ThreadState.IDLE: QColor(t.border),
    }


def shown_warps(busy: Int64s, count: int, rows: int) -> Int64s:
    """Up to ``rows`` of ``count`` groups of threads: all if they are few, else busy
    ones, then their neighbours.
    """
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
    """Threads and figures of the selected result's iteration; hidden if they are not known."""

    def __init__(self, session: Session, playback: Playback):
        super().__init__()
        self._session, self._playback = session, playback
        self.heading = ScaledLabel(factor=1.0, weight=QFont.Weight.Bold)
        self.heading.setWordWrap(True)
        self.warps = WarpView()
        self.words, self.figures = ScaledLabel(factor=0.92), ScaledLabel(factor=0.92)
        for label in (self.words, self.figures):
            label.setWordWrap(True)
        column_of(
            self.heading, self.warps, self.words, self.figures, parent=self, margins=(0, 4, 0, 4)
        )
        self._timer = QTimer(self, singleShot=True, interval=_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        playback.moved.connect(self._follow_position)
        playback.trace_changed.connect(self.refresh)
        playback.state_changed.connect(self._follow_position)
        session.results.selection_changed.connect(self.refresh)
        session.results.changed.connect(self.refresh)
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
        has_kernels = (
            result is not None and result.trace is not None and result.variant.runs_on is RunsOn.GPU
        )
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
            heading, lines = matrix_figures_of(
                result, trace, activity, min(self._playback.position, len(trace) - 1)
            )
        else:
            heading, lines = "Threads", (NO_FIGURES,)
        self.heading.setText(heading)
        self.figures.setText("\n".join(filter(None, lines)))

    def _shown_result(self) -> Result | None:
        """The selected variant's result, if the play-back plays its trace."""
        result, shown = self._session.results.selected, self._session.results.selected_id
        plays = (
            result is not None
            and result.variant.id == shown
            and result.trace is self._playback.trace
        )
        return result if plays else None

    def _show_iteration(self, result: Result, activity: DeviceActivity) -> None:
        position = min(self._playback.position, len(activity.arcs_per_s) - 1)
        states = thread_states(result, position)
        heading, lines = figures_of(result, activity, position)
        self.heading.setText(heading)
        self.warps.setVisible(states is not None)
        self.words.setVisible(states is not None)
        if states is not None:
            self.warps.show_states(states)
            self.words.setText(words_of(states, activity, position))
        self.figures.setText("\n".join(filter(None, lines)))


def figures_of(
    result: Result, activity: DeviceActivity, position: int
) -> tuple[str, Sequence[str]]:
    """A heading, and the figures of kept iteration ``position``; what is not known is ""."""
    trace = result.trace
    assert isinstance(trace, ActivityTrace)  # there is an activity
    device = f"{activity.device_name}{', a CPU' if activity.is_cpu else ''}"
    heading = f"{capitalised(trace.place(position))} on {device}"
    arcs = ""
    if np.isfinite(rate := float(activity.arcs_per_s[position])):
        count, ms = trace.relaxed[position] / trace.stride, float(trace.ms[position]) / trace.stride
        words = f"Arcs: {format_count(round(count))} in {format_duration(ms)}, "
        arcs = words + _rates(result, rate, "arcs")
    return heading, (_launched(activity, position), arcs, _bytes(activity, position))


def matrix_figures_of(
    result: Result, trace: MatrixTrace, activity: DeviceActivity, position: int
) -> tuple[str, Sequence[str]]:
    """A heading, and the figures of a phase of an all-pairs run; what is not known is said, not
    estimated.
    """
    step = trace.steps[position]
    phases = len({other.phase for other in trace.steps})
    phase = f", phase {step.phase} of {phases}" if phases > 1 else ""
    steps = format_count(trace.steps[-1].step + 1)
    device = f"{trace.device_words}{', a CPU' if trace.is_cpu else ''}"
    heading = f"Step {format_count(step.step + 1)} of {steps}{phase} on {device}"
    lines = [_kernel(launched, is_cpu=trace.is_cpu) for launched in step.launches[:_MOST_KERNELS]]
    if others := step.launches[_MOST_KERNELS:]:
        count = sum(other.launches for other in others)
        lines.append(f"Other kernels: {plural(count, 'launch', 'launches')}.")
    lines.append(_cells(step))
    lines.append(_relaxed(result, step, activity, position))
    lines.append(_bytes(activity, position) if step.requested_bytes is not None else _NO_BYTES)
    lines.append(_copied(step, trace))
    threads = sum(launched.threads for launched in step.launches)
    if (
        result.variant.mapping is WorkMapping.THREAD_PER_CELL
        and len(step.launches) == 1
        and threads >= step.cells > 0
    ):
        lines.append(
            f"{format_count(step.cells)} of {_threads(threads)} have a cell "
            f"({_percent(step.cells / threads)})."
        )
    else:
        lines.append(_NO_USEFUL)
    return heading, lines


def _kernel(launched: KernelLaunches, *, is_cpu: bool) -> str:
    """ "Launched: phase_3 in 25 blocks of 1 024 threads: 25 600 threads, 800 warps."."""
    times = "" if launched.launches == 1 else f", {format_count(launched.launches)} times,"
    warps = "" if is_cpu else f", {plural(launched.warps, 'warp')}"
    blocks = f"{plural(launched.blocks, 'block')} of {format_count(launched.block)} threads"
    return f"Launched: {launched.kernel}{times} in {blocks}: {_threads(launched.threads)}{warps}."


def _cells(step: MatrixStep) -> str:
    if step.ms <= 0.0 or not step.cells:
        return ""
    rate = format_rate(step.cells / (step.ms * 1e-3), " cells")
    return (
        f"Cells: {format_count(step.cells)} written in "
        f"{format_duration(step.ms)}, {rate} when watched."
    )


def _relaxed(result: Result, step: MatrixStep, activity: DeviceActivity, position: int) -> str:
    """ "Relaxed: 115 200 cells, 57.6 M cells/s when watched; timed, over the whole run,
    80 M cells/s.".
    """
    rate = float(activity.arcs_per_s[position])
    if not step.relaxed or not np.isfinite(rate):
        return ""
    unit = "cells" if result.variant.algorithm is Algorithm.FLOYD_WARSHALL else "arcs"
    # how often an arc is relaxed again, none counts
    least = "" if result.relaxations is not None else "at least "
    return f"Relaxed: {least}{format_count(step.relaxed)} {unit}, {_rates(result, rate, unit)}"


def _rates(result: Result, rate: float, unit: str) -> str:
    """ "57.6 M cells/s when watched; timed, over the whole run, 80 M cells/s."."""
    words = f"{format_rate(rate, f' {unit}')} when watched"
    if timed := timed_arcs_per_s(result):
        words += f"; timed, over the whole run, {format_rate(timed, f' {unit}')}"
    return f"{words}."


def _copied(step: MatrixStep, trace: MatrixTrace) -> str:
    """ "Copied: 8.39 MB between host and device, 5.2 GB/s when watched."."""
    if not step.copied_bytes or step.ms <= 0.0:
        return ""
    ends = "between host and device" if trace.devices == 1 else "from one GPU to the others"
    rate = format_rate(step.copied_bytes / (step.ms * 1e-3), "B")
    return f"Copied: {_size(step.copied_bytes)} {ends}, {rate} when watched."


def words_of(states: ThreadStates, activity: DeviceActivity, position: int) -> str:
    """How many threads are useful, and how well they fill their warps."""
    useful, threads = _at(activity.useful, position), _at(activity.threads, position)
    parts = []
    if useful is not None and threads:
        share = useful / threads
        parts.append(
            f"{format_count(round(useful))} of {_threads(round(threads))} "
            f"useful ({_percent(share)})."
        )
    if activity.is_cpu:
        parts.append(
            "Rows are groups of 32 threads, which a GPU would run as warps; "
            "a CPU runs a block on one core."
        )
        return " ".join(parts)
    busy, warps = _at(activity.busy_warps, position), _at(activity.warps, position)
    if busy is not None and warps:
        parts.append(f"They keep {format_count(round(busy))} of {plural(round(warps), 'warp')}.")
    if states.lane_use is not None:
        parts.append(
            f"Divergence: {_percent(states.lane_use)} of the lanes of these warps are useful."
        )
    if states.loop_use is not None:
        parts.append(
            f"With unequal degrees, {_percent(states.loop_use)} of the lanes' steps relax an arc."
        )
    return " ".join(parts)


def _threads(count: int) -> str:
    return plural(count, "thread")


def _launched(activity: DeviceActivity, position: int) -> str:
    launches, blocks = _at(activity.launches, position), _at(activity.blocks, position)
    if launches is None or blocks is None:
        return (
            "Launches: a timed run makes several iterations in one, so that they are not divided."
        )
    kernels = plural(round(launches), "kernel") if launches >= 0.5 else "less than one kernel"
    return (
        f"Launched: {kernels}; the one that relaxes in {plural(round(blocks), 'block')} of "
        f"{activity.block} threads."
    )


def _bytes(activity: DeviceActivity, position: int) -> str:
    rate, asked = _at(activity.bytes_per_s, position), _at(activity.requested_bytes, position)
    if rate is None or asked is None or not np.isfinite(rate):
        return ""
    text = f"Memory: threads request at least {_size(asked)}, {format_rate(rate, 'B')}"
    if not activity.bandwidth:
        return f"{text}."
    share = rate / activity.bandwidth
    words = _percent(share) if share <= 1 else f"{three_digits(share)} times"
    reached = (
        f"a copy reaches{f' on all {activity.devices} together' if activity.devices > 1 else ''}"
    )
    return f"{text}: {words} of the {format_rate(activity.bandwidth, 'B')} that {reached}."


def _percent(share: float) -> str:
    """``"0.455 %"``, ``"12 %"``."""
    return f"{three_digits(100 * share) if share < 0.1 else format(100 * share, '.0f')} %"


def _size(count: float) -> str:
    return format_rate(count, "B").removesuffix("/s")


def _at(series: Series | None, position: int) -> float | None:
    return None if series is None else float(series[position])
