"""Calls are spread over turns of the event loop, in order; jobs wait, and can be
cancelled, until all is painted.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import weakref
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from gui.model import window_thread
from gui.model.window_thread import _SLICE_S, WindowThread
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken

_ENDS_MEANWHILE = """
import threading, time
from PySide6.QtWidgets import QApplication
from gui.model.window_thread import WindowThread

application = QApplication([])
calls = [WindowThread() for _ in range(8)]

def post(one):
    while True:
        one.post(int)

for one in calls:
    threading.Thread(target=post, args=(one,), daemon=True).start()
time.sleep(0.05)
"""


def test_the_process_ends_while_threads_emit() -> None:
    """Of twelve, six crashed."""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", _ENDS_MEANWHILE], capture_output=True)
        assert done.returncode == 0, done.stderr


def test_events_are_handled_between_calls_that_take_long(qtbot: QtBot) -> None:
    calls, seen = WindowThread(), []
    beat = QTimer(interval=0)
    beat.timeout.connect(lambda: seen.append("beat"))
    beat.start()
    for name in ("first", "second", "third"):
        calls.later(lambda name=name: (seen.append(name), time.sleep(2 * _SLICE_S)))
    assert seen == [], "not even the first is called at once"
    qtbot.waitUntil(lambda: "third" in seen)
    beat.stop()
    assert [name for name in seen if name != "beat"] == ["first", "second", "third"]
    first, second, third = (seen.index(name) for name in ("first", "second", "third"))
    assert "beat" in seen[first:second]
    assert "beat" in seen[second:third]


def test_short_calls_share_a_turn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_thread, "_SLICE_S", 60.0)
    calls, seen = WindowThread(), []
    for number in range(100):
        calls.later(lambda number=number: seen.append(number))
    QTimer.singleShot(0, lambda: seen.append("turn"))
    qtbot.waitUntil(lambda: len(seen) == 101)
    assert sorted(seen.index(number) for number in (0, 99)) in ([0, 99], [1, 100])


def test_an_error_in_one_call_does_not_hold_up_the_next(qtbot: QtBot) -> None:
    calls, seen = WindowThread(), []
    calls.later(lambda: 1 / 0)
    calls.later(lambda: seen.append("next"))
    with capture_exceptions() as caught:
        qtbot.waitUntil(lambda: bool(seen))
    assert [kind for kind, *_ in caught] == [ZeroDivisionError]


class Listener(QObject):
    """Notes that it was called."""

    def __init__(self, seen: list[str]):
        super().__init__()
        self._seen = seen

    def called(self) -> None:
        self._seen.append("called")

    def add(self, words: str) -> None:
        self._seen.append(words)


def test_methods_of_what_qt_has_destroyed_are_not_called(qtbot: QtBot) -> None:
    calls, seen = WindowThread(), []
    gone, there = Listener(seen), Listener(seen)
    for each in (gone, there):
        calls.once(each.called)
        calls.once(each.called)
    shiboken6.delete(gone)
    qtbot.waitUntil(lambda: not calls.waiting)
    assert seen == ["called"]


def test_calls_that_wait_are_forgotten_when_qt_destroys_it(qtbot: QtBot) -> None:
    """A renderer that outlives the window keeps its thread of calls, and by one of them
    kept the whole window.
    """
    calls, owner = WindowThread(), Listener([])
    calls.later(owner.called)
    kept = weakref.ref(owner)
    del owner
    shiboken6.delete(calls)
    assert kept() is None


def test_nor_are_those_that_a_thread_posts(qtbot: QtBot) -> None:
    window, seen = WindowThread(), []
    gone, there = Listener(seen), Listener(seen)
    cancel = CancelToken()

    def work() -> None:
        for each in (gone, there):
            window.post(each.called)
            window.post(partial(each.add, "with an argument"))
            window.post(partial(there.add, each) if each is gone else each.called)
            window.post(each.called, at_once=True)
            window.call(each.called, cancel)
        seen.append("end")

    thread = threading.Thread(target=work)
    shiboken6.delete(gone)
    thread.start()
    qtbot.waitUntil(lambda: "end" in seen)
    assert sorted(seen) == [*["called"] * 4, "end", "with an argument"]


def test_what_is_posted_at_once_does_not_wait_for_a_turn(qtbot: QtBot) -> None:
    window, seen = WindowThread(), []

    def work() -> None:
        window.post(lambda: seen.append("first"))
        window.post(lambda: seen.append("second"))
        window.post(lambda: seen.append("at once"), at_once=True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert seen == ["at once", "first", "second"]


class Sheet(QWidget):
    """Counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1


def test_the_job_goes_on_when_all_is_done_and_painted(qtbot: QtBot) -> None:
    turn, sheet = WindowThread(), Sheet()
    qtbot.addWidget(sheet)
    sheet.show()
    qtbot.waitExposed(sheet)
    seen: list[tuple[threading.Thread, int]] = []

    def act() -> None:
        seen.append((threading.current_thread(), sheet.painted))
        sheet.update()

    def work() -> None:
        turn.call(act, CancelToken())
        seen.append((threading.current_thread(), sheet.painted))

    thread = threading.Thread(target=work)
    thread.start()
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen[0][0] is threading.main_thread()
    assert seen[1] == (thread, seen[0][1] + 1)


def test_a_job_that_waits_for_the_window_can_be_cancelled(qtbot: QtBot) -> None:
    turn, token = WindowThread(), CancelToken()
    raised: list[bool] = []

    def work() -> None:
        with pytest.raises(Cancelled):
            turn.call(lambda: None, token)
        raised.append(True)

    thread = threading.Thread(target=work)
    thread.start()  # and this thread serves nobody, as in a window that is closing
    token.cancel()
    thread.join(10)
    assert raised == [True]


def test_a_job_that_outlives_the_window_asks_in_vain(qtbot: QtBot) -> None:
    for _ in range(20):
        turn, asked, stop = WindowThread(), threading.Event(), threading.Event()

        def ask(
            turn: WindowThread = turn, asked: threading.Event = asked, stop: threading.Event = stop
        ) -> None:
            while not stop.is_set():
                turn.post(lambda: None)
                asked.set()

        asking = threading.Thread(target=ask)
        asking.start()
        assert asked.wait(5)
        shiboken6.delete(turn)
        stop.set()
        asking.join(5)
        assert not asking.is_alive()
    qtbot.wait(10)


def test_what_is_posted_after_the_end_of_qt_is_dropped(qtbot: QtBot) -> None:
    """A job that outlived the window wrote a traceback while the process ended."""
    calls, heard = WindowThread(), []
    shiboken6.delete(calls._sender)
    calls.post(lambda: heard.append("posted"))
    assert heard == []
