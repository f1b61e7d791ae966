"""The run that a canvas shows and its iteration: the selected run, one of several
synchronised runs, or an answer that was not measured, which is shown in place of the
selected run.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, SignalInstance

from gui.model.playback import Pace, Playback, run_clock
from gui.model.session import Session
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.core.variant import Answers
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from solvers.system.array_types import Float64s

_ROUNDING = 1e-9  # of times that are converted to another run's clock and back


class DisplayedRun(Protocol):
    """Result, trace and position that a canvas shows."""

    @property
    def changed(self) -> SignalInstance:
        """The result, the trace or the position changed."""

    @property
    def result(self) -> Result | None: ...

    @property
    def answer(self) -> UnmeasuredAnswer | None:
        """What is shown in place of a result."""

    @property
    def trace(self) -> ActivityTrace | None: ...

    @property
    def matrix_trace(self) -> MatrixTrace | None:
        """The trace of a run between all pairs."""

    @property
    def position(self) -> int:
        """Index of the displayed recorded iteration."""

    @property
    def gathered(self) -> int:
        """Number of recorded iterations up to `position` that are shown together."""

    def step(self, by: int) -> None:
        """Have the play-back go to the next iteration of this run, or with -1 to the one before."""


class SelectedRun(QObject):
    """The session's selected result at the current play-back position."""

    changed = Signal()
    answer = None

    def __init__(self, session: Session, playback: Playback, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._playback = session, playback
        for signal in (
            session.results.selection_changed,
            session.results.changed,
            playback.trace_changed,
            playback.moved,
        ):
            signal.connect(self.changed)

    @property
    def result(self) -> Result | None:
        return self._session.results.selected

    @property
    def trace(self) -> ActivityTrace | None:
        return self._playback.trace if isinstance(self._playback.trace, ActivityTrace) else None

    @property
    def matrix_trace(self) -> MatrixTrace | None:
        return self._playback.trace if isinstance(self._playback.trace, MatrixTrace) else None

    @property
    def position(self) -> int:
        return self._playback.position

    @property
    def gathered(self) -> int:
        return self._playback.gathered

    def step(self, by: int) -> None:
        self._playback.step(by)


class SynchronisedRun(QObject):
    """One variant's result, synchronised with the run that leads the play-back; after
    its own end it stays there.
    """

    changed = Signal()
    answer = matrix_trace = None

    def __init__(self, session: Session, playback: Playback, variant_id: str, parent: QObject):
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._variant_id = variant_id
        self._clock: tuple[ActivityTrace | None, Float64s] = (None, run_clock(None))
        self._scale = self._leader_scale = 1.0
        self._emitted: tuple[Result | None, int, int, bool] = (None, -1, 1, False)
        session.results.changed.connect(self._emit_if_changed)
        playback.trace_changed.connect(self._emit_if_changed)
        playback.ticked.connect(self._emit_if_changed)
        playback.state_changed.connect(self._emit_if_changed)

    @property
    def variant_id(self) -> str:
        return self._variant_id

    def keep_time(self, own_scale: float, leader_scale: float) -> None:
        """Multiply the clocks of this and of the leading run by factors, so that equal
        time is that of other runs.
        """
        if (own_scale, leader_scale) != (self._scale, self._leader_scale):
            self._scale, self._leader_scale = own_scale, leader_scale
            self._emit_if_changed()

    def _own_ms(self, leader_ms: float) -> float:
        """What this run's clock shows when the leading run's shows ``leader_ms``."""
        return leader_ms * self._leader_scale / self._scale

    def show(self, variant_id: str) -> None:
        """Show another variant's result."""
        self._variant_id = variant_id
        self._emit_if_changed()

    @property
    def result(self) -> Result | None:
        return self._session.results.get(self._variant_id)

    @property
    def trace(self) -> ActivityTrace | None:
        trace = self.result.trace if self.result is not None else None
        return trace if isinstance(trace, ActivityTrace) and len(trace) else None

    @property
    def position(self) -> int:
        trace, leader = self.trace, self._playback.trace
        if trace is None or not isinstance(leader, ActivityTrace):
            return 0
        last = len(trace) - 1
        if self._playback.at_end:
            return last
        if self._playback.pace is Pace.TIME:
            return int(_after(self._clock_of(trace), self._own_ms(self._playback.elapsed_ms)))
        return int(_beside(trace, leader, self._playback.position, self._playback.pace))

    @property
    def gathered(self) -> int:
        trace, leader = self.trace, self._playback.trace
        if trace is None or not isinstance(leader, ActivityTrace):
            return 1
        if self._playback.pace is Pace.TIME:
            then = self._own_ms(self._playback.elapsed_ms - self._playback.picture_ms)
            before = int(_ended(self._clock_of(trace), then)) - 1
        else:
            earlier = self._playback.position - self._playback.gathered
            before = (
                int(_beside(trace, leader, earlier, self._playback.pace)) if earlier >= 0 else -1
            )
        return max(1, self.position - before)

    def step(self, by: int) -> None:
        trace, leader = self.trace, self._playback.trace
        if trace is None or not isinstance(leader, ActivityTrace):
            return
        wanted = self.position + by
        if not 0 <= wanted < len(trace):
            return
        if self._playback.pace is Pace.TIME:  # it may have ended before the leader's first has
            ended = float(self._clock_of(trace)[wanted + 1]) * (1 + _ROUNDING)
            self._playback.step_to_time(ended * self._scale / self._leader_scale)
            return
        own = synchronised_steps(trace, leader, self._playback.pace)
        beyond = np.flatnonzero((own - self.position) * by > 0)
        nearest = beyond[0] if by > 0 else beyond[-1]
        self._playback.step(int(nearest) - self._playback.position)

    @property
    def at_end(self) -> bool:
        return self.trace is not None and self.position >= len(self.trace) - 1

    @property
    def waits(self) -> bool:
        """Whether this run has ended and the leading run has not."""
        return self.at_end and not self._playback.at_end

    @property
    def elapsed_ms(self) -> float:
        """Elapsed time of the run at the end of the displayed iteration."""
        return (
            self._scale * float(self._clock_of(self.trace)[self.position + 1])
            if self.trace is not None
            else 0.0
        )

    def _clock_of(self, trace: ActivityTrace) -> Float64s:
        if self._clock[0] is not trace:
            self._clock = (trace, run_clock(trace))
        return self._clock[1]

    def _emit_if_changed(self) -> None:
        """Emit `changed` if the state differs from the last emitted one: the leader's
        clock ticks more often.
        """
        now = (self.result, self.position, self.gathered, self.waits)
        if now[0] is not self._emitted[0] or now[1:] != self._emitted[1:]:
            self._emitted = now
            self.changed.emit()


def synchronised_steps(trace: ActivityTrace, leader: ActivityTrace, pace: Pace) -> NDArray[np.intp]:
    """(len(leader),) recorded iteration of ``trace`` for each of the leader's; after
    its end, its last one.
    """
    last = len(trace) - 1
    if pace is Pace.TIME:
        steps = _after(run_clock(trace), run_clock(leader)[1:])
    else:
        steps = np.asarray(_beside(trace, leader, np.arange(len(leader)), pace), dtype=np.intp)
    steps[-1] = last
    return steps


def _beside(
    trace: ActivityTrace, leader: ActivityTrace, position: NDArray[np.integer] | int, pace: Pace
) -> NDArray[np.integer] | int:
    """Recorded iteration of ``trace`` beside one of the leader's: the same number, or
    the same share of the run.
    """
    last = len(trace) - 1
    if pace is Pace.PROGRESS:
        return position * last // max(1, len(leader) - 1)
    return np.minimum(last, position * leader.stride // trace.stride)


def _after(clock: Float64s, elapsed_ms: Float64s | float) -> NDArray[np.intp]:
    """The last recorded iteration that had ended after ``elapsed_ms``; 0 if none had."""
    return np.clip(_ended(clock, elapsed_ms) - 1, 0, len(clock) - 2)


def _ended(clock: Float64s, elapsed_ms: Float64s | float) -> NDArray[np.intp]:
    """Number of recorded iterations that had ended after ``elapsed_ms``."""
    return np.asarray(np.searchsorted(clock[1:], np.multiply(elapsed_ms, 1 + 1e-12), side="right"))


def can_synchronise(result: Result) -> bool:
    """Whether a result can be shown side by side with others: a single-source one,
    right or of the user's own code.
    """
    has_answer = result.ok or (result.variant.is_own and result.verdict is not None)
    return has_answer and result.variant.answers is Answers.SSSP


class AnswerOrRun(QObject):
    """The unmeasured answer while there is one, else the selected run, which is one from the
    only source.

    While the play-back is away from the end of a run, that run is shown: with several
    sources, it is from the first.
    """

    changed = Signal()

    def __init__(self, session: Session, playback: Playback, parent: QObject):
        super().__init__(parent)
        self._session, self._playback, self._unmeasured = session, playback, session.unmeasured
        self._selected = SelectedRun(session, playback, self)
        for signal in (
            self._selected.changed,
            self._unmeasured.changed,
            session.endpoints_changed,
        ):
            signal.connect(self.changed)

    @property
    def answer(self) -> UnmeasuredAnswer | None:
        return None if self._shows_run else self._unmeasured.answer

    @property
    def result(self) -> Result | None:
        return self._selected.result if self._shows_run else None

    @property
    def trace(self) -> ActivityTrace | None:
        return self._selected.trace if self._shows_run else None

    @property
    def matrix_trace(self) -> MatrixTrace | None:
        return self._selected.matrix_trace if self._shows_run else None

    @property
    def position(self) -> int:
        return self._selected.position if self._shows_run else 0

    @property
    def gathered(self) -> int:
        return self._selected.gathered

    def step(self, by: int) -> None:
        self._selected.step(by)

    @property
    def _shows_run(self) -> bool:
        unmeasured = self._unmeasured
        is_awaited = unmeasured.is_sought and len(self._session.sources) > 1
        if unmeasured.answer is None and not is_awaited:
            return True
        trace, playback = self._selected.trace or self._selected.matrix_trace, self._playback
        played = trace is not None and playback.position < playback.length - 1
        return played and unmeasured.held is None
