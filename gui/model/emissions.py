"""Signals that a thread emits, until their object is about to be destroyed."""

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
