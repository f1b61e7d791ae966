"""Detection of ranks that all wait for one another.

A rank that computes for long is not waiting, so slow work is never taken for a deadlock. For the same reason a rank
that computes without end is not detected: it cannot be told from slow work.
"""

from __future__ import annotations

from collections.abc import Sequence

_LEAST_TESTS = 1000  # by each rank, each of which lets MPI move messages


class DeadlockWatch:
    """Finds that every rank has been in one and the same wait for a time.

    Parameters
    ----------
    seconds : float
        The time; longer than MPI needs for the largest message.
    """

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._since = 0.0
        self._first: tuple[tuple[int, int], ...] = ()

    def found(self, waits: Sequence[tuple[int, int]], now: float) -> bool:
        """Whether the ranks are deadlocked.

        Parameters
        ----------
        waits : (number, tests) of each rank
            Number of its latest long wait, and how often it has tested for its end; 0 tests if it does not wait.
        now : float
            In s, by a clock that never goes back.
        """
        same = len(self._first) == len(waits) and all(
            tests > 0 and number == first for (number, tests), (first, _) in zip(waits, self._first, strict=True)
        )
        if not same:
            self._first, self._since = tuple(waits), now
            return False
        tested = min(tests - before for (_, tests), (_, before) in zip(waits, self._first, strict=True))
        return now - self._since >= self._seconds and tested >= _LEAST_TESTS
