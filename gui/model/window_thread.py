"""The one door to the window's thread: calls from other threads, and calls that wait
for a turn of the event loop.

Threads outlive windows. They emit by a sender that Qt does not destroy, and
`keep_while_running` keeps a thread from destroying the objects of Qt that it holds.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from solvers.system.cancel import CancelToken

_SLICE_S = 0.005  # after which what is left waits for the next turn
_POLL_S = 0.02  # between two checks for cancellation
# Zero timers fire when no event is pending. Painting a chart posts further events, up
# to three deep, and is itself done in a later turn, two timers from now.
_ROUNDS = 8

_outlived: dict[threading.Thread, object] = {}


class _Exit:
    """The end of the process, at which Qt destroys all senders: a thread that emitted then
    would crash it.
    """

    def __init__(self) -> None:
        self._emitting, self._has_begun = threading.RLock(), False
        atexit.register(self._begin)  # before Qt's own, which came first

    def emit(self, sender: _Sender, call: Callable[[], object], at_once: bool) -> None:
        """Emit, unless the process ends."""
        with self._emitting:
            if not self._has_begun:
                sender.posted.emit(call, at_once)

    def _begin(self) -> None:
        with self._emitting:
            self._has_begun = True


_exit = _Exit()


class _Sender(QObject):
    """Emits for threads, which may outlive the window.

    It has no parent, so that Qt does not destroy it while a thread emits: between the
    beginning of an object's destruction and its last signal nothing could make the
    thread wait. Those that emit keep it alive, and Qt itself breaks its connection to
    an object that is destroyed.
    """

    posted = Signal(object, bool)


class WindowThread(QObject):
    """Calls functions in the thread that made this object, in the order in which they
    came, long ones a turn each.

    Events from other threads are all handled, with the painting that they lead to,
    before the user's next one. A timer without an interval fires after the pending
    events. Every second time it does nothing: all timers that are due fire together,
    without new events between them.

    Receivers that Qt has destroyed are skipped, as are calls with such an argument.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        # a thread that outlives the window may keep this, and not the window
        self.destroyed.connect(self._calls.clear)
        self._due = False
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._begin)
        self._rounds: dict[threading.Event, int] = {}  # still to go, by what is set then
        self._idle = QTimer(self, interval=0)
        self._idle.timeout.connect(self._count)
        self._sender = _Sender()
        self._sender.posted.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    @property
    def waiting(self) -> bool:
        """Whether a call is still to be made."""
        return bool(self._calls)

    def post(self, call: Callable[[], object], *, at_once: bool = False) -> None:
        """Have ``call()`` called in a later turn, or ``at_once``, ahead of those that
        wait: for what is short.
        """
        with suppress(RuntimeError):  # where Qt has destroyed the sender
            _exit.emit(self._sender, call, at_once)

    def call(self, act: Callable[[], object], cancel: CancelToken) -> None:
        """Have ``act()`` called, and wait until all that it leads to is handled and
        painted; not in this thread.

        Raises Cancelled without waiting further; ``act`` may still be called.
        """
        done = threading.Event()
        self.post(partial(self._act, act, done))
        while not done.wait(_POLL_S):
            cancel.check()

    def later(self, call: Callable[[], object]) -> None:
        """Call ``call()`` in a later turn."""
        self._calls.append(call)
        if not self._timer.isActive():
            self._timer.start()

    def once(self, call: Callable[[], object]) -> None:
        """Call ``call()`` in a later turn, unless that call waits already."""
        if call not in self._calls:
            self.later(call)

    @Slot(object, bool)
    def _receive(self, call: Callable[[], object], at_once: bool) -> None:
        if not at_once:
            self.later(call)
        elif not is_gone(call):
            call()

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

    def _act(self, act: Callable[[], object], done: threading.Event) -> None:
        try:
            if not is_gone(act):
                act()
        finally:
            self._rounds[done] = _ROUNDS
            self._idle.start()

    def _count(self) -> None:
        for done, rounds in list(self._rounds.items()):
            if rounds:
                self._rounds[done] -= 1
            else:
                del self._rounds[done]
                done.set()
        if not self._rounds:
            self._idle.stop()


def is_gone(call: Callable[..., object]) -> bool:
    """Whether ``call`` is a method of an object that Qt has destroyed meanwhile, or has
    one among its arguments.
    """
    concerned: list[object] = []
    while isinstance(call, partial):
        concerned += call.args
        call = call.func
    concerned.append(getattr(call, "__self__", None))
    return any(isinstance(each, QObject) and not isValid(each) for each in concerned)


def keep_while_running(thread: threading.Thread, owner: object) -> None:
    """Keep ``owner`` as long as its thread runs; called in the window's thread.

    A thread that ends later than all else would release its owner last, and with it
    destroy objects of Qt, while the window's thread may be using them. What is kept is
    released by a later call.
    """
    release_ended()
    if thread.is_alive():
        _outlived[thread] = owner


def release_ended() -> None:
    """Release what was kept for threads that have ended since."""
    for ended in [thread for thread in _outlived if not thread.is_alive()]:
        _outlived.pop(ended, None)
