"""Calls and signals between jobs and the window's thread.

`Emissions` lets a thread emit signals of a Qt object until that object is destroyed; `keep_while_running` keeps a
thread from destroying one that it holds. `Turns` spreads calls over turns of the event loop, so that the window paints
and answers the user between them. `WindowTurn` lets a job wait until the window's thread has caught up: every pending
event handled, every update painted.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot
from shiboken6 import isValid

from solvers.system.cancel import CancelToken


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


_POLL_S = 0.02  # between two checks for cancellation
# Zero timers fire when no event is pending. Painting a chart posts further events, up to three deep, and is itself done
# in a later turn, two timers from now.
_ROUNDS = 8


class _Sender(QObject):
    """Emits for jobs, which may outlive the window.

    It has no parent, so that Qt does not destroy it while a thread emits: between the beginning of an object's
    destruction and its last signal nothing could make the thread wait. Those that emit keep it alive, and Qt itself
    breaks its connection to an object that is destroyed.
    """

    asked = Signal(object, object)


class WindowTurn(QObject):
    """Calls functions in the thread that made this object, on behalf of jobs that wait for it.

    Parameters
    ----------
    parent : QObject, optional
    turns : Turns, optional
        In which they are called, after what it was given before.
    """

    def __init__(self, parent: QObject | None = None, turns: Turns | None = None):
        super().__init__(parent)
        self._turns = turns or Turns(self)
        self._sender = _Sender()
        self._sender.asked.connect(self._serve, Qt.ConnectionType.QueuedConnection)

    def take(self, act: Callable[[], object], cancel: CancelToken) -> None:
        """Have the window's thread call ``act``, and wait until it has nothing left to do.

        Raises
        ------
        Cancelled
            Without waiting further; ``act`` may still be called.
        """
        done = threading.Event()
        self._ask(act, done)
        while not done.wait(_POLL_S):
            cancel.check()

    def later(self, act: Callable[[], object]) -> None:
        """Have the window's thread call ``act``, without waiting."""
        self._ask(act, threading.Event())

    def _ask(self, act: Callable[[], object], done: threading.Event) -> None:
        self._sender.asked.emit(act, done)

    @Slot(object, object)
    def _serve(self, act: Callable[[], object], done: threading.Event) -> None:
        self._turns.later(partial(self._act, act, done))

    def _act(self, act: Callable[[], object], done: threading.Event) -> None:
        try:
            act()
        finally:
            self._wait_for_idleness(done, _ROUNDS)

    def _wait_for_idleness(self, done: threading.Event, rounds: int) -> None:
        if rounds:
            QTimer.singleShot(0, self, lambda: self._wait_for_idleness(done, rounds - 1))
        else:
            done.set()
