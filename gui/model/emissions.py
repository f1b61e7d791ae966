"""What a thread may do with objects of Qt: emit their signals until they are destroyed, and never destroy them."""

from __future__ import annotations

import threading

from PySide6.QtCore import SignalInstance


class Emissions:
    """Emits signals from any thread until `end`. Emitting a signal of a destroyed object crashes Qt."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a slot called directly may end them
        self._ended = False

    def emit(self, signal: SignalInstance, *values: object) -> None:
        with self._lock:
            if not self._ended:
                signal.emit(*values)

    def end(self, *_: object) -> None:
        """Emit nothing from now on; waits for an emission in progress."""
        with self._lock:
            self._ended = True


_outlived: dict[threading.Thread, object] = {}


def keep_while_running(thread: threading.Thread, owner: object) -> None:
    """Keep ``owner`` as long as its thread runs; called in the window's thread.

    A thread that ends later than all else would release its owner last, and with it destroy objects of Qt, while the
    window's thread may be using them. What is kept is released by a later call.
    """
    for ended in [other for other in _outlived if not other.is_alive()]:
        _outlived.pop(ended, None)
    if thread.is_alive():
        _outlived[thread] = owner
