"""Values that are kept: the last that was made of something, or the newest of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

K = TypeVar("K")
T = TypeVar("T")


class KeptValue(Generic[T]):
    """The value made last, as long as what it was made of is the same."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], T] | None = None

    def of(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What ``make`` returns, or returned last, if it was for the same ``key``."""
        last = self._last  # which another thread may exchange
        if last is None or not same(last[0], key):
            self._last = last = key, make()
        return last[1]


def keep(values: dict[K, T], key: K, value: T, most: int) -> None:
    """Add a value; so that there are no more than ``most``, the oldest are dropped."""
    while len(values) >= most:
        del values[next(iter(values))]
    values[key] = value


def same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether all parts are identical or equal; arrays must be identical."""
    return len(one) == len(other) and all(
        a is b or (not isinstance(a, np.ndarray) and a == b)
        for a, b in zip(one, other, strict=True)
    )
