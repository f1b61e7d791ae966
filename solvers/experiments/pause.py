"""Pausing an experiment between two points, so that no measurement has a pause in it."""

from __future__ import annotations

import threading

from solvers.contracts.catalog import Variant
from solvers.host.observer import CancelToken
from solvers.running.listener import RunListener

_LOOK_S = 0.1


class Pause:
    """Set by one thread, obeyed by the thread that runs the experiment before its next point."""

    def __init__(self) -> None:
        self._running = threading.Event()
        self._running.set()

    @property
    def is_paused(self) -> bool:
        return not self._running.is_set()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def wait(self, cancel: CancelToken) -> None:
        """Return when the experiment may go on.

        Raises
        ------
        Cancelled
        """
        while not self._running.wait(_LOOK_S):
            cancel.raise_if_cancelled("The experiment")

    def listener(self, cancel: CancelToken) -> RunListener:
        """A listener that waits before every point."""
        return _Waiting(self, cancel)


class _Waiting(RunListener):
    def __init__(self, pause: Pause, cancel: CancelToken):
        self._pause, self._cancel = pause, cancel

    def measuring_begins(self, variant: Variant) -> None:
        self._pause.wait(self._cancel)
