"""Register of devices used by timed runs, so that other work (drawing) avoids them meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_runs: Counter[str] = Counter()


@contextmanager
def timing_on(key: str | None) -> Iterator[None]:
    """Register the device with that key for the duration of the ``with`` block; None registers nothing."""
    if key is None:
        yield
        return
    with _lock:
        _runs[key] += 1
    try:
        yield
    finally:
        with _lock:
            _runs[key] -= 1


def is_timed_on(key: str) -> bool:
    """Whether a timed run uses the device with that key."""
    with _lock:
        return _runs[key] > 0
