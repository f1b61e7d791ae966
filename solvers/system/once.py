"""A value that is made at its first use, by one thread while the others wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """What ``make`` returns, made once.

    `functools.cache` lets each of several threads make a value of its own, which is wrong
    for a value that holds state, or takes part in the state of others.
    """

    def __init__(self, make: Callable[[], Value]):
        self._make = make
        self._made: list[Value] = []  # none, or one
        self._lock = threading.RLock()

    def get(self) -> Value:
        """The value; if ``make`` raises, nothing is kept, and the next call makes it."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def peek(self) -> Value | None:
        """The value if it has been made; None otherwise. Does not wait."""
        return next(iter(self._made), None)

    def forget(self) -> None:
        """Have the next call make another."""
        with self._lock:
            self._made.clear()
