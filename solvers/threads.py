"""Work on large arrays in pieces that threads share: for whatever lets go of Python's lock, as NumPy and numba do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from solvers import machine

Piece = TypeVar("Piece")

_MOST_THREADS = 8  # 55 ms for 473 MB, four 76 (the 16 cores of an H200's host); more were not tried


def thread_count() -> int:
    """Threads among which large arrays are shared out."""
    return max(1, min(_MOST_THREADS, machine.cores()))


def share(work: Callable[[Piece], object], pieces: Iterable[Piece], checkpoint: Callable[[], object]) -> None:
    """Do ``work`` on every piece; after each, ask on the caller's own thread whether to stop.

    Raises
    ------
    Whatever ``work`` or ``checkpoint`` does; the pieces not yet begun are left alone then.
    """
    pool = ThreadPoolExecutor(thread_count())
    try:
        for _ in pool.map(work, pieces):
            checkpoint()
    finally:
        pool.shutdown(cancel_futures=True)
