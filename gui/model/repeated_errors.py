"""Errors that come again and again from one place, of which the user is to see one a second."""

from __future__ import annotations

import time

_INTERVAL_S = 1.0


class RepeatedErrors:
    """Tells errors that repeat the last one from new ones, without keeping any."""

    def __init__(self) -> None:
        self._last: tuple[object, float] = (None, 0.0)

    def is_repeated(self, error: BaseException) -> bool:
        """Whether the last error that was not, came from the same place less than a second ago."""
        place, now = _place_of(error), time.monotonic()
        last_place, last_time = self._last
        if place == last_place and now - last_time < _INTERVAL_S:
            return True
        self._last = (place, now)
        return False


def _place_of(error: BaseException) -> object:
    """Type, text and line of an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return type(error), str(error), line
