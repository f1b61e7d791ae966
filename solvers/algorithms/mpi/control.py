"""The integers that the starting process and the ranks share: tasks, cancellation, progress, requested pictures."""

from __future__ import annotations

import os
import time
from enum import IntEnum

import numpy as np
import psutil
from numpy.typing import NDArray

MOST_RANKS = 64

_PARENT_CHECK_S = 1.0
_SHORTEST_NAP_S = 2e-4  # who looks more often takes time from the ranks where they need all cores
_LONGEST_IDLE_NAP_S = 0.05


class _Word(IntEnum):
    """Indices in the control file; each rank has a word from PROCESSES on and one from WAITS on."""

    CANCEL = 0
    PARENT = 1
    PROGRESS = 2
    SHOWN = 3
    SEEN = 4
    TASK = 5
    DONE = 6
    PROCESSES = 7
    WAITS = 7 + MOST_RANKS


_WORDS = _Word.WAITS + MOST_RANKS
_TESTS_BITS = 32  # of a rank's word from WAITS on: tests of the operation that it waits for; above, its number


class Control:
    """Integers shared by the starting process and the ranks.

    Each is written by one side only, except that the starting process clears those of the task before.

    Parameters
    ----------
    words : (_WORDS,) int64
        Mapped from a file, or an ordinary array if the ranks were started manually.
    """

    def __init__(self, words: NDArray[np.int64]):
        self._words = words
        self._last_check = time.monotonic()
        self._parent: psutil.Process | None = None

    @classmethod
    def begun(cls) -> NDArray[np.int64]:
        """The words before the first task, to be saved in a file; this process is the parent."""
        words = np.zeros(_WORDS, dtype=np.int64)
        words[_Word.PARENT] = os.getpid()
        return words

    @classmethod
    def unattended(cls) -> Control:
        """A control for ranks started manually: no cancellation, no progress."""
        return cls(np.zeros(_WORDS, dtype=np.int64))

    # -- the starting process ----------------------------------------------------------------------------------------

    def begin_task(self) -> None:
        """Have the ranks, which wait for it, take the next task."""
        self._words[[_Word.PROGRESS, _Word.SHOWN, _Word.SEEN]] = 0
        self._words[_Word.TASK] += 1

    @property
    def is_done(self) -> bool:
        """Whether the ranks have finished all tasks that they were given."""
        return bool(self._words[_Word.DONE] == self._words[_Word.TASK])

    def cancel(self) -> None:
        """Have the ranks leave their task, and end."""
        self._words[_Word.CANCEL] = 1

    @property
    def progress(self) -> int:
        """Iterations done."""
        return int(self._words[_Word.PROGRESS])

    @property
    def shown(self) -> int:
        """Steps done in the matrix that rank 0 shows; 0 before the first."""
        return int(self._words[_Word.SHOWN])

    def acknowledge(self) -> None:
        """The shown matrix has been read; the ranks may continue."""
        self._words[_Word.SEEN] = self._words[_Word.SHOWN]

    @property
    def processes(self) -> tuple[int, ...]:
        """Process ids of the ranks that have started."""
        return tuple(int(pid) for pid in self._words[_Word.PROCESSES : _Word.WAITS] if pid)

    def waits(self, ranks: int) -> tuple[tuple[int, int], ...]:
        """For each rank the number of its latest long wait, and how often it has tested for its end; 0 after it."""
        words = self._words[_Word.WAITS : _Word.WAITS + ranks].tolist()
        return tuple((word >> _TESTS_BITS, word & ((1 << _TESTS_BITS) - 1)) for word in words)

    # -- the ranks ---------------------------------------------------------------------------------------------------

    def announce(self, rank: int) -> None:
        """Record this process's id, so that it can be terminated if it does not stop."""
        if rank < MOST_RANKS:
            self._words[_Word.PROCESSES + rank] = os.getpid()

    def await_task(self, last: int) -> int | None:
        """Wait for a task after number ``last``, hardly occupying the core; None if the ranks are to end instead."""
        since = time.monotonic()
        while not self.stop_wanted():
            number = int(self._words[_Word.TASK])
            if number > last:
                return number
            time.sleep(nap_s(since, _LONGEST_IDLE_NAP_S))
        return None

    def finish_task(self, number: int) -> None:
        """Record that the answer to a task is complete; called by rank 0."""
        self._words[_Word.DONE] = number

    def report_wait(self, rank: int, number: int, tests: int) -> None:
        """Record that a rank has tested so many times for the end of its long wait with that number; 0 after it."""
        if rank < MOST_RANKS:
            self._words[_Word.WAITS + rank] = number << _TESTS_BITS | tests

    def report(self, iterations: int) -> None:
        self._words[_Word.PROGRESS] = iterations

    def stop_wanted(self) -> bool:
        """Whether the run was cancelled, or the process that started it has ended."""
        if self._words[_Word.CANCEL]:
            return True
        now = time.monotonic()
        if now - self._last_check < _PARENT_CHECK_S:
            return False
        self._last_check = now
        return not self._parent_is_alive()

    def _parent_is_alive(self) -> bool:
        """Whether the starting process exists; True without one, or if the system cannot tell."""
        pid = int(self._words[_Word.PARENT])
        try:
            if self._parent is None and pid:
                self._parent = psutil.Process(pid)  # also knows when it started: ids are given again
            return self._parent is None or self._parent.is_running()
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:
            return True

    def show(self, steps: int, look_s: float = 5e-4) -> None:
        """Show the result after ``steps`` steps, and wait until it was read or the run was cancelled."""
        self._words[_Word.SHOWN] = steps
        while self._words[_Word.SEEN] < steps and not self.stop_wanted():
            time.sleep(look_s)


def nap_s(since: float, longest_s: float, lateness: float = 0.25) -> float:
    """How long to sleep before looking again for something awaited since ``since``.

    Whoever waits is late by that share of the time at most, and looks seldom after a long time.
    """
    return min(longest_s, max(_SHORTEST_NAP_S, lateness * (time.monotonic() - since)))
