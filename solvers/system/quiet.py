"""Gate between timed trials and the window's background work: while one measures, the
others wait. No Qt.

A trial competes for cores, caches and the interpreter's lock with everything else in
its process. Threads that draw, lay out, read or export therefore work inside
`Quiet.working` and call `Quiet.pause` at their checkpoints. `Quiet.measuring` is
entered when all of them wait, and lets them go on afterwards. What works in the
window's thread by itself listens by `Quiet.on_change`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from solvers.errors import Cancelled

# A thread team's caller may wait while its last tasks still run; like all loops, they
# take at most this long.
_LAST_TASKS_S = 0.05


def _never() -> bool:
    return False


class Quiet:
    """Lets either one measurement or any number of workers run.

    Waiting threads sleep without polling. Whoever sets the flag behind a ``stopped`` or
    ``cancelled`` function calls `wake` afterwards.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._cancelled: Callable[[], bool] | None = None  # of the measurement in progress
        self._at_work: set[int] = set()  # thread ids
        self._listeners: list[Callable[[bool], None]] = []

    @property
    def is_measuring(self) -> bool:
        """Whether a measurement is in progress; a cancelled one no longer counts."""
        cancelled = self._cancelled
        return cancelled is not None and not cancelled()

    def on_change(self, listener: Callable[[bool], None]) -> None:
        """Call ``listener(True)`` when a measurement begins, and ``listener(False)`` at
        its end, in its thread.
        """
        self._listeners.append(listener)

    @contextmanager
    def measuring(self, cancelled: Callable[[], bool] = _never) -> Iterator[None]:
        """Measure inside the ``with`` block, which is entered when every worker has
        paused or ended.

        A measurement that was cancelled, and has not ended yet, is waited for. Raises
        Cancelled if it was cancelled while waiting; the measurement has then ended.

        ``cancelled``: whether the measurement was cancelled, upon which workers go on
        before it ends.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled is None or cancelled())
            if cancelled():
                raise Cancelled("The run")
            self._cancelled = cancelled
        try:
            self._tell(True)
            self._wait_for_workers(cancelled)
            yield
        finally:
            with self._changed:
                self._cancelled = None
                self._changed.notify_all()
            self._tell(False)

    def _wait_for_workers(self, cancelled: Callable[[], bool]) -> None:
        with self._changed:
            someone = bool(self._at_work)
            self._changed.wait_for(lambda: not self._at_work or cancelled())
        if someone and not cancelled():
            time.sleep(_LAST_TASKS_S)
        if cancelled():
            raise Cancelled("The run")

    def _tell(self, measuring: bool) -> None:
        for listener in self._listeners:
            listener(measuring)

    @contextmanager
    def working(self, stopped: Callable[[], bool] = _never) -> Iterator[None]:
        """Work inside the ``with`` block, which is entered after the measurement, or at
        once if ``stopped()``.
        """
        self._enter(stopped)
        try:
            yield
        finally:
            self._leave()

    def pause(self, stopped: Callable[[], bool] = _never) -> None:
        """Wait while a measurement is in progress, unless ``stopped()``; costs little otherwise.

        For threads inside `working`, and for those that work for them.
        """
        if self._cancelled is None:
            return
        if threading.get_ident() in self._at_work:
            self._leave()
            self._enter(stopped)
        else:
            with self._changed:
                self._changed.wait_for(lambda: not self.is_measuring or stopped())

    def wake(self) -> None:
        """Have waiting threads look again whether they were stopped."""
        with self._changed:
            self._changed.notify_all()

    def _enter(self, stopped: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self.is_measuring or stopped())
            self._at_work.add(threading.get_ident())

    def _leave(self) -> None:
        with self._changed:
            self._at_work.discard(threading.get_ident())
            self._changed.notify_all()
