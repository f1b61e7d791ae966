"""Which devices are at work on a run that is being timed: what can be done elsewhere leaves them alone meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_runs: Counter[str] = Counter()


@contextmanager
def timing_on(key: str | None) -> Iterator[None]:
    """Let the device of that key be known as timed on; None stands for none."""
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
    with _lock:
        return _runs[key] > 0
