"""Play-back of a traced run: position, speed, pace, and how many iterations a picture
gathers. No widgets.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import Enum

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from gui.model.settings import Settings
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.system.array_types import Float64s
from solvers.text import format_count

SPEED_RANGE = (0.01, 1e7)  # recorded iterations per second
SPEED_STEP = 1.5
PICTURES_PER_SECOND = 60
FRAME_MS = 16
FIT_SECONDS = (5.0, 15.0, 30.0)  # durations offered
FIT_RANGE = (1.0, 3600.0)
PREFERRED_SECONDS = 15.0


class Pace(Enum):
    """What passes equally fast in runs side by side; the value is how it is kept between starts."""

    ITERATIONS = "iterations"
    TIME = "time"
    PROGRESS = "progress"


@dataclass(frozen=True, eq=False)
class FlowSteps:
    """Steps in which more and more sources add to flows, played as iterations are."""

    counts: tuple[int, ...]  # of sources, ascending

    def __len__(self) -> int:
        return len(self.counts)

    def place(self, position: int) -> str:
        return f"source {format_count(self.counts[position])} of {format_count(self.counts[-1])}"


Played = ActivityTrace | MatrixTrace | FlowSteps


class Playback(QObject):
    """Position in a trace, changed by the user or by a timer.

    A run lasts the chosen number of seconds, however many iterations it has: where
    there are more of them than pictures, a picture shows several together.
    """

    # another trace (or none) is loaded; the position is its last iteration
    trace_changed = Signal()
    # to a recorded iteration: the position, or the number of iterations gathered there,
    # changed
    moved = Signal(int)
    ticked = Signal()  # the position changed, possibly within an iteration
    state_changed = Signal()  # playing, speed, duration, pace or looping changed

    def __init__(self, parent: QObject | None = None, settings: Settings | None = None):
        super().__init__(parent)
        self._settings = settings
        self._trace: Played | None = None
        self._leader: Played | None = None
        self._flows: FlowSteps | None = None
        self._clock = np.zeros(1)  # ms from the start to the end of each iteration, 0 in front
        self._pace = _kept_pace(settings)
        self._position = 0.0
        self._speed = float(PICTURES_PER_SECOND)
        self._seconds = _kept_seconds(settings)
        self._fits = True
        self._one_by_one = False  # after a step, each iteration is shown by itself
        self._gathered = 1  # as last told by ``moved``
        self._loop = False
        self._playing = self._held = False
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self._last_tick = 0.0

    @property
    def trace(self) -> Played | None:
        """What is being played: flows, else the leader's trace if runs are
        synchronised, else the loaded one.
        """
        return next((each for each in (self._flows, self._leader) if each is not None), self._trace)

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
    def seconds(self) -> float | None:
        """Duration of the whole run that the speed follows; None for a speed chosen by itself."""
        return self._seconds if self._fits else None

    @property
    def gathered(self) -> int:
        """Number of recorded iterations that a picture shows together, up to the current one."""
        if self._one_by_one or not self.length:
            return 1
        if self._pace is Pace.TIME and (ms := self.picture_ms) > 0.0:
            return max(1, self.position - math.floor(self._position_at(self.elapsed_ms - ms)))
        return max(1, min(self.length, round(self._speed / PICTURES_PER_SECOND)))

    @property
    def picture_ms(self) -> float:
        """Time of the run that passes from one picture to the next, in ms; 0 if each
        iteration is shown by itself.
        """
        if self._one_by_one or not self.length:
            return 0.0
        return float(self._clock[-1]) / self.length * self._speed / PICTURES_PER_SECOND

    @property
    def loop(self) -> bool:
        return self._loop

    @property
    def pace(self) -> Pace:
        return self._pace

    def set_pace(self, pace: Pace) -> None:
        """Choose what passes equally fast, and keep it for the next start; the duration
        stays the same.
        """
        self._pace = pace
        if self._settings is not None:
            self._settings.keep("play/pace", pace.value)
        self.state_changed.emit()
        self.ticked.emit()
        self._tell_gathered()

    @property
    def elapsed_ms(self) -> float:
        """Elapsed time of the run at this position, including the current iteration at
        whole positions.
        """
        at = min(self._position + 1.0, float(len(self._clock) - 1))
        before, share = int(at), at - int(at)
        after = min(before + 1, len(self._clock) - 1)
        return float(self._clock[before] + share * (self._clock[after] - self._clock[before]))

    def load(self, trace: ActivityTrace | MatrixTrace | None) -> None:
        """Load another trace, positioned at its end."""
        before, self._trace = self.trace, trace
        self._begin_after(before)

    def lead(self, trace: ActivityTrace | MatrixTrace | None) -> None:
        """Play the trace of the leading run in place of the loaded one; None ends that."""
        before, self._leader = self.trace, trace
        self._begin_after(before)

    def play_flows(self, steps: FlowSteps | None) -> None:
        """Play flows in place of all runs; None ends that."""
        before, self._flows = self.trace, steps
        self._begin_after(before)

    def _begin_after(self, before: Played | None) -> None:
        if self.trace is not before:
            self._begin()

    def _begin(self) -> None:
        """Start with another trace, which lasts as long as the one before was wanted to."""
        self.pause()
        self._clock = run_clock(self.trace)
        self._position = float(max(0, self.length - 1))
        if self.length:
            self._fit()
            self.state_changed.emit()
        self._gathered = self.gathered
        self.trace_changed.emit()
        self.moved.emit(self.position)
        self.ticked.emit()

    def play(self) -> None:
        """Start playing; from the beginning if at the end."""
        if not self.length or self.playing:
            return
        self._one_by_one = False
        if self.position >= self.length - 1:
            self._move(0.0)
        self._playing = True
        self._run_timer()
        self.state_changed.emit()
        self._tell_gathered()

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
        """Move by whole iterations, either way; pauses, and shows each iteration by itself."""
        self.pause()
        self._one_by_one = True
        self._move(float(self.position + by))

    def seek(self, position: int) -> None:
        self._one_by_one = False
        self._move(float(position))

    def step_to_time(self, elapsed_ms: float) -> None:
        """As `step`, to where so much of the run has passed, also within an iteration."""
        self.pause()
        self._one_by_one = True
        self._move(self._position_at(elapsed_ms), least=-1.0)

    @property
    def at_start(self) -> bool:
        return self._position <= 0.0

    @property
    def at_end(self) -> bool:
        return self._position >= self.length - 1

    def fit(self, seconds: float) -> None:
        """Play the whole run in ``seconds``, this one and those after it; kept for the
        next start.
        """
        low, high = FIT_RANGE
        self._seconds = min(high, max(low, seconds))
        if self._settings is not None:
            self._settings.keep("play/seconds", f"{self._seconds:g}")
        self._fit()
        self.state_changed.emit()
        self._tell_gathered()

    def _fit(self) -> None:
        self._fits, self._one_by_one = True, False
        if self.length:
            self._speed = _within(self.length / self._seconds, SPEED_RANGE)

    def set_speed(self, speed: float) -> None:
        """Play the loaded trace with ``speed`` iterations per second, however long that takes."""
        self._fits = self._one_by_one = False
        self._speed = _within(speed, SPEED_RANGE)
        self.state_changed.emit()
        self._tell_gathered()

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
        if self._pace is not Pace.TIME or total <= 0.0:
            return self._position + iterations
        wanted = self.elapsed_ms + iterations * total / self.length
        if wanted > total:
            return float(self.length)
        return self._position_at(wanted)

    def _position_at(self, elapsed_ms: float) -> float:
        """The position at which that much of the run has passed; -1 at its start. A run
        may have millions of steps.
        """
        last = len(self._clock) - 1
        before = min(max(0, int(np.searchsorted(self._clock, elapsed_ms, side="right")) - 1), last)
        if before == last:
            return last - 1.0
        start, end = float(self._clock[before]), float(self._clock[before + 1])
        share = (elapsed_ms - start) / (end - start) if end > start else 0.0
        return before + max(0.0, share) - 1.0

    def _move(self, position: float, *, least: float = 0.0) -> None:
        before, exactly_before = self.position, self._position
        self._position = min(max(least, position), float(max(0, self.length - 1)))
        if self.position != before:
            self._gathered = self.gathered
            self.moved.emit(self.position)
        else:
            self._tell_gathered()
        if self._position != exactly_before:
            self.ticked.emit()

    def _tell_gathered(self) -> None:
        if self._gathered != self.gathered:
            self._gathered = self.gathered
            self.moved.emit(self.position)


def run_clock(trace: Played | None) -> Float64s:
    """(T + 1,) milliseconds from the start of the run to the end of each recorded
    iteration, with a leading 0.
    """
    if trace is None or isinstance(trace, FlowSteps):
        return np.zeros(1 if trace is None else len(trace) + 1)
    ms = (
        trace.ms
        if isinstance(trace, ActivityTrace)
        else np.array([step.ms for step in trace.steps])
    )
    return np.concatenate(([0.0], np.cumsum(ms)))


def _kept_pace(settings: Settings | None) -> Pace:
    kept = "" if settings is None else settings.text("play/pace")
    return Pace(kept) if kept in [pace.value for pace in Pace] else Pace.ITERATIONS


def _kept_seconds(settings: Settings | None) -> float:
    try:
        kept = float("" if settings is None else settings.text("play/seconds"))
    except ValueError:
        return PREFERRED_SECONDS
    return _within(kept, FIT_RANGE) if math.isfinite(kept) else PREFERRED_SECONDS


def _within(value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    return min(high, max(low, value))
