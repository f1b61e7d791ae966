"""The run that a canvas shows and its iteration: the selected run, or one of several in step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from gui.model.playback import Pace, Playback, run_clock
from gui.model.session import Session
from solvers.contracts.catalog import Answers
from solvers.contracts.results import Result
from solvers.contracts.trace import ActivityTrace


class DisplayedRun(QObject):
    """Result, trace and position that a canvas shows.

    Signals
    -------
    changed()
        Another result or trace, or the position moved.
    """

    changed = Signal()

    @property
    def result(self) -> Result | None:
        raise NotImplementedError

    @property
    def trace(self) -> ActivityTrace | None:
        raise NotImplementedError

    @property
    def position(self) -> int:
        """Recorded iteration of the trace."""
        raise NotImplementedError


class SelectedRun(DisplayedRun):
    """The session's selected result, as the play-back stands."""

    def __init__(self, session: Session, playback: Playback, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._playback = session, playback
        for signal in (
            session.selection_changed, session.results_changed, playback.trace_changed, playback.moved,
        ):  # fmt: skip
            signal.connect(self.changed)

    @property
    def result(self) -> Result | None:
        return self._session.selected

    @property
    def trace(self) -> ActivityTrace | None:
        return self._playback.trace if isinstance(self._playback.trace, ActivityTrace) else None

    @property
    def position(self) -> int:
        return self._playback.position


class LockedRun(DisplayedRun):
    """One variant's result, in step with the run that leads the play-back; past its own end it stays there.

    Parameters
    ----------
    session, playback
    variant_id : str
    """

    def __init__(self, session: Session, playback: Playback, variant_id: str, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._variant_id = variant_id
        self._clock: tuple[ActivityTrace | None, NDArray[np.float64]] = (None, run_clock(None))
        self._told: tuple[Result | None, int, bool] = (None, -1, False)
        session.results_changed.connect(self._tell)
        playback.trace_changed.connect(self._tell)
        playback.ticked.connect(self._tell)
        playback.state_changed.connect(self._tell)

    @property
    def variant_id(self) -> str:
        return self._variant_id

    def show(self, variant_id: str) -> None:
        """Switch to another variant's result."""
        self._variant_id = variant_id
        self._tell()

    @property
    def result(self) -> Result | None:
        return self._session.result(self._variant_id)

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
        if self._playback.position >= self._playback.length - 1:
            return last
        if self._playback.pace is Pace.TIME:
            return int(_after(self._clock_of(trace), self._playback.elapsed_ms))
        return min(last, self._playback.position * leader.stride // trace.stride)

    @property
    def at_end(self) -> bool:
        return self.trace is not None and self.position >= len(self.trace) - 1

    @property
    def waits(self) -> bool:
        """Whether this run is over and another still goes on."""
        return self.at_end and self._playback.position < self._playback.length - 1

    @property
    def elapsed_ms(self) -> float:
        """Time that the run had taken when the iteration shown was over."""
        return float(self._clock_of(self.trace)[self.position + 1]) if self.trace is not None else 0.0

    def _clock_of(self, trace: ActivityTrace) -> NDArray[np.float64]:
        if self._clock[0] is not trace:
            self._clock = (trace, run_clock(trace))
        return self._clock[1]

    def _tell(self) -> None:
        """Say that something changed, if it did: the leader's clock ticks more often than others take steps."""
        now = (self.result, self.position, self.waits)
        if now[0] is not self._told[0] or now[1:] != self._told[1:]:
            self._told = now
            self.changed.emit()


def in_step(trace: ActivityTrace, leader: ActivityTrace, pace: Pace) -> NDArray[np.intp]:
    """(len(leader),) recorded iteration of ``trace`` shown with each of the leader's; stays at its own end."""
    last = len(trace) - 1
    if pace is Pace.TIME:
        steps = _after(run_clock(trace), run_clock(leader)[1:])
    else:
        steps = np.minimum(last, np.arange(len(leader)) * leader.stride // trace.stride)
    steps[-1] = last
    return steps


def _after(clock: NDArray[np.float64], elapsed_ms: NDArray[np.float64] | float) -> NDArray[np.intp]:
    """The last recorded iteration that was over after so long; the first, before that."""
    over = np.searchsorted(clock[1:], np.multiply(elapsed_ms, 1 + 1e-12), side="right")
    return np.clip(over - 1, 0, len(clock) - 2)


def can_be_locked(result: Result) -> bool:
    """Whether a result's run can be shown beside others: a single-source one that went well."""
    return result.ok and result.variant.answers is Answers.SSSP
