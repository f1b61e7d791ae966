"""Thread-safe cache of values derived from a graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

Value = TypeVar("Value")


class DerivedValues:
    """A cache that computes each value once, even if several threads request it at the same time.

    Each key has its own lock, so that different values are computed concurrently. ``make`` may request other keys;
    dependencies must be acyclic, so that threads do not deadlock. If ``make`` raises, nothing is stored, and a waiting
    thread computes the value itself.

    A copy or an unpickled object is empty, because locks cannot be pickled and values can be computed again.
    """

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        self._locks_guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of ``key``, computed by ``make`` if it is not cached."""
        if key not in self._values:
            with self._locks_guard:
                lock = self._locks.setdefault(key, threading.RLock())
            with lock:
                if key not in self._values:
                    self._values[key] = make()
        return cast(Value, self._values[key])

    def known(self, key: Hashable) -> object | None:
        """The value of ``key`` if it has been computed; None otherwise."""
        return self._values.get(key)

    def values(self) -> tuple[object, ...]:
        """The values computed so far."""
        return tuple(self._values.values())

    def __reduce__(self) -> tuple[type[DerivedValues], tuple[()]]:
        return DerivedValues, ()
