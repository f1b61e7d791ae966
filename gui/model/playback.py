"""Play-back of a traced run: position, speed and pace. No widgets."""

from __future__ import annotations

import time
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from solvers.contracts.trace import ActivityTrace, MatrixTrace

SPEED_RANGE = (0.1, 1000.0)  # iterations per second
SPEED_STEP = 1.5
FRAME_MS = 16
PREFERRED_SECONDS = 12.0  # target duration of a newly loaded trace


class Pace(Enum):
    """Unit of the clock, by which runs side by side are synchronised."""

    ITERATIONS = "iterations"
    TIME = "time"


class Playback(QObject):
    """Position in a trace, changed by the user or by a timer.

    Signals
    -------
    trace_changed()
        Another trace (or none) is loaded; the position is its last iteration.
    moved(int)
        The position changed: index of a recorded iteration.
    ticked()
        The position changed, possibly within an iteration.
    state_changed()
        Playing, speed, pace or looping changed.
    """

    trace_changed = Signal()
    moved = Signal(int)
    ticked = Signal()
    state_changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._trace: ActivityTrace | MatrixTrace | None = None
        self._leader: ActivityTrace | MatrixTrace | None = None
        self._clock = np.zeros(1)  # ms from the start to the end of each iteration, 0 in front
        self._pace = Pace.ITERATIONS
        self._position = 0.0
        self._speed = 60.0
        self._loop = False
        self._playing = self._held = False
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self._last_tick = 0.0

    @property
    def trace(self) -> ActivityTrace | MatrixTrace | None:
        """The trace being played: the leader's if runs are synchronised, else the loaded one."""
        return self._trace if self._leader is None else self._leader

    @property
    def length(self) -> int:
        return len(self.trace) if self.trace is not None else 0

    @property
    def position(self) -> int:
        """Index of the current recorded iteration; 0 without a trace."""
        return min(int(self._position), max(0, self.length - 1))

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def speed(self) -> float:
        """Recorded iterations per second."""
        return self._speed

    @property
    def loop(self) -> bool:
        return self._loop

    @property
    def pace(self) -> Pace:
        return self._pace

    def set_pace(self, pace: Pace) -> None:
        """Play by iterations or by time; the average speed stays the same."""
        self._pace = pace
        self.state_changed.emit()
        self.ticked.emit()

    @property
    def elapsed_ms(self) -> float:
        """Elapsed time of the run at this position, including the current iteration at whole positions."""
        return float(np.interp(self._position + 1.0, np.arange(len(self._clock)), self._clock))

    def load(self, trace: ActivityTrace | MatrixTrace | None) -> None:
        """Load another trace, positioned at its end."""
        if trace is self._trace:
            return
        self._trace = trace
        if self._leader is None:
            self._begin()

    def lead(self, trace: ActivityTrace | MatrixTrace | None) -> None:
        """Play the trace of the leading run in place of the loaded one; None ends that."""
        before = self.trace
        self._leader = trace
        if self.trace is not before:
            self._begin()

    def _begin(self) -> None:
        """Start with another trace."""
        self.pause()
        self._clock = run_clock(self.trace)
        self._position = float(max(0, self.length - 1))
        if self.length:
            self.set_speed(self.length / PREFERRED_SECONDS)
        self.trace_changed.emit()
        self.moved.emit(self.position)
        self.ticked.emit()

    def play(self) -> None:
        """Start playing; from the beginning if at the end."""
        if not self.length or self.playing:
            return
        if self.position >= self.length - 1:
            self._move(0.0)
        self._playing = True
        self._run_timer()
        self.state_changed.emit()

    def pause(self) -> None:
        if self.playing:
            self._playing = False
            self._run_timer()
            self.state_changed.emit()

    def hold(self, measuring: bool) -> None:
        """Stay at the position while ``measuring``, and play on afterwards."""
        self._held = measuring
        self._run_timer()

    def _run_timer(self) -> None:
        self._last_tick = time.perf_counter()
        if self._playing and not self._held:
            self._timer.start()
        else:
            self._timer.stop()

    def toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def step(self, by: int) -> None:
        """Move by whole iterations, either way; pauses."""
        self.pause()
        self._move(float(self.position + by))

    def seek(self, position: int) -> None:
        self._move(float(position))

    def set_speed(self, speed: float) -> None:
        low, high = SPEED_RANGE
        self._speed = min(high, max(low, speed))
        self.state_changed.emit()

    def faster(self) -> None:
        self.set_speed(self._speed * SPEED_STEP)

    def slower(self) -> None:
        self.set_speed(self._speed / SPEED_STEP)

    def to_start(self) -> None:
        self.pause()
        self._move(0.0)

    def to_end(self) -> None:
        self.pause()
        self._move(float(self.length))

    def set_loop(self, loop: bool) -> None:
        self._loop = loop
        self.state_changed.emit()

    def _advance(self) -> None:
        now = time.perf_counter()
        position = self._after((now - self._last_tick) * self._speed)
        self._last_tick = now
        if position > self.length - 1:
            if self._loop:
                position = 0.0
            else:
                self.pause()
        self._move(position)

    def _after(self, iterations: float) -> float:
        """The position ``iterations`` later, counted in iterations or in their mean duration."""
        total = float(self._clock[-1])
        if self._pace is Pace.ITERATIONS or total <= 0.0:
            return self._position + iterations
        wanted = self.elapsed_ms + iterations * total / self.length
        if wanted > total:
            return float(self.length)
        return float(np.interp(wanted, self._clock, np.arange(len(self._clock)))) - 1.0

    def _move(self, position: float) -> None:
        before, exactly_before = self.position, self._position
        self._position = min(max(0.0, position), float(max(0, self.length - 1)))
        if self.position != before:
            self.moved.emit(self.position)
        if self._position != exactly_before:
            self.ticked.emit()


def run_clock(trace: ActivityTrace | MatrixTrace | None) -> NDArray[np.float64]:
    """(T + 1,) milliseconds from the start of the run to the end of each recorded iteration, with a leading 0."""
    if trace is None:
        return np.zeros(1)
    ms = trace.ms if isinstance(trace, ActivityTrace) else np.array([step.ms for step in trace.steps])
    return np.concatenate(([0.0], np.cumsum(ms)))
