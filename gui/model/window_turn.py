"""Lets a job wait until the window's thread has caught up: every pending event handled, every update painted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from gui.model.turns import Turns
from solvers.system.cancel import CancelToken

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
            cancel.raise_if_cancelled()

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
