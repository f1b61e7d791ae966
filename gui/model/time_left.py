"""Time until a job ends, from the progress that it has made since it was first seen. No Qt."""

from __future__ import annotations

_LEAST_S, _LEAST_SHARE = 1.0, 0.005  # of progress, before which a rate means little


class TimeLeft:
    """Follows one stage of a job, which may begin at any fraction, as a resumed one does."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def seconds(self, fraction: float, now: float) -> float | None:
        """Expected seconds until the fraction is 1; None while too little is known.

        Parameters
        ----------
        fraction : float
            Progress, 0 to 1.
        now : float
            In seconds of any clock.
        """
        if self._first is None:
            self._first = now, fraction
        elapsed, done = now - self._first[0], fraction - self._first[1]
        if elapsed < _LEAST_S or done < _LEAST_SHARE:
            return None
        return elapsed / done * (1.0 - fraction)
