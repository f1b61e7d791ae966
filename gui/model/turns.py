"""Spreads calls over turns of the event loop, so that the window paints and answers the user between them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from shiboken6 import isValid

_SLICE_S = 0.005  # after which what is left waits for the next turn


class Turns(QObject):
    """Calls functions in the order in which they came, those that take long each in a turn of its own.

    What jobs report arrives as events of Qt, all of which are handled, with the painting that they lead to, before the
    user's next one. A timer without an interval fires after the pending events. Every second time it does nothing: all
    timers that are due fire together, without new events between them.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._due = False
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._begin)

    @property
    def waiting(self) -> bool:
        """Whether a call is still to be made."""
        return bool(self._calls)

    def later(self, call: Callable[[], object]) -> None:
        """Call ``call()`` in a later turn; in the thread that made this object only."""
        self._calls.append(call)
        if not self._timer.isActive():
            self._timer.start()

    def once(self, call: Callable[[], object]) -> None:
        """Call ``call()`` in a later turn, unless that call waits already."""
        if call not in self._calls:
            self.later(call)

    def _begin(self) -> None:
        self._due = not self._due
        if self._due:
            self._timer.start()
        else:
            self._call()

    def _call(self) -> None:
        until = time.perf_counter() + _SLICE_S
        try:
            while self._calls and time.perf_counter() < until:
                call = self._calls.popleft()
                if not is_gone(call):
                    call()
        finally:  # an error in one call does not hold up the others
            if self._calls:
                self._timer.start()


def is_gone(call: Callable[..., object]) -> bool:
    """Whether ``call`` is a method of an object that Qt has destroyed meanwhile."""
    owner = getattr(call, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)
