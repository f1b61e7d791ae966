"""Values computed from a graph once, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

Value = TypeVar("Value")


class DerivedValues:
    """A cache that computes each value once, also where several threads ask for it at the same time.

    There is one lock a key, so that unrelated values are computed side by side, and ``make`` may ask for other keys:
    values depend on one another in one direction only, so two threads never wait for each other. Where ``make``
    raises, nothing is kept, and a thread that waited computes the value itself.

    A copy or an unpickled object starts empty: locks belong to a process, and the values can be computed again.
    """

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        self._locks_guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value under ``key``, from ``make`` where there is none yet."""
        if key not in self._values:
            with self._locks_guard:
                lock = self._locks.setdefault(key, threading.RLock())
            with lock:
                if key not in self._values:
                    self._values[key] = make()
        return cast(Value, self._values[key])

    def __reduce__(self) -> tuple[type[DerivedValues], tuple[()]]:
        return DerivedValues, ()
