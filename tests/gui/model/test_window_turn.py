"""A job waits until the window's thread has handled and painted everything, and can be cancelled meanwhile."""

from __future__ import annotations

import threading

import pytest
import shiboken6
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.model.window_turn import WindowTurn
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken


class Sheet(QWidget):
    """Counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1


def test_the_job_goes_on_when_all_is_done_and_painted(qtbot: QtBot) -> None:
    turn, sheet = WindowTurn(), Sheet()
    qtbot.addWidget(sheet)
    sheet.show()
    qtbot.waitExposed(sheet)
    seen: list[tuple[threading.Thread, int]] = []

    def act() -> None:
        seen.append((threading.current_thread(), sheet.painted))
        sheet.update()

    def work() -> None:
        turn.take(act, CancelToken())
        seen.append((threading.current_thread(), sheet.painted))

    thread = threading.Thread(target=work)
    thread.start()
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen[0][0] is threading.main_thread()
    assert seen[1] == (thread, seen[0][1] + 1)


def test_a_job_that_waits_for_the_window_can_be_cancelled(qtbot: QtBot) -> None:
    turn, token = WindowTurn(), CancelToken()
    raised: list[bool] = []

    def work() -> None:
        with pytest.raises(Cancelled):
            turn.take(lambda: None, token)
        raised.append(True)

    thread = threading.Thread(target=work)
    thread.start()  # and this thread serves nobody, as in a window that is closing
    token.cancel()
    thread.join(10)
    assert raised == [True]


def test_a_job_that_outlives_the_window_asks_in_vain(qtbot: QtBot) -> None:
    for _ in range(20):
        turn, asked, stop = WindowTurn(), threading.Event(), threading.Event()

        def ask(turn: WindowTurn = turn, asked: threading.Event = asked, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                turn.later(lambda: None)
                asked.set()

        asking = threading.Thread(target=ask)
        asking.start()
        assert asked.wait(5)
        shiboken6.delete(turn)
        stop.set()
        asking.join(5)
        assert not asking.is_alive()
    qtbot.wait(10)
