"""Calls are spread over turns of the event loop, in order, with events and painting between those that take long."""

from __future__ import annotations

import time

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from gui.model import turns
from gui.model.turns import Turns


def test_events_are_handled_between_calls_that_take_long(qtbot: QtBot) -> None:
    calls, seen = Turns(), []
    beat = QTimer(interval=0)
    beat.timeout.connect(lambda: seen.append("beat"))
    beat.start()
    for name in ("first", "second", "third"):
        calls.later(lambda name=name: (seen.append(name), time.sleep(2 * turns._SLICE_S)))
    assert seen == [], "not even the first is called at once"
    qtbot.waitUntil(lambda: "third" in seen)
    beat.stop()
    assert [name for name in seen if name != "beat"] == ["first", "second", "third"]
    first, second, third = (seen.index(name) for name in ("first", "second", "third"))
    assert "beat" in seen[first:second]
    assert "beat" in seen[second:third]


def test_short_calls_share_a_turn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_SLICE_S", 60.0)
    calls, seen = Turns(), []
    for number in range(100):
        calls.later(lambda number=number: seen.append(number))
    QTimer.singleShot(0, lambda: seen.append("turn"))
    qtbot.waitUntil(lambda: len(seen) == 101)
    assert sorted(seen.index(number) for number in (0, 99)) in ([0, 99], [1, 100])


def test_an_error_in_one_call_does_not_hold_up_the_next(qtbot: QtBot) -> None:
    calls, seen = Turns(), []
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


def test_methods_of_what_qt_has_destroyed_are_not_called(qtbot: QtBot) -> None:
    calls, seen = Turns(), []
    gone, there = Listener(seen), Listener(seen)
    for each in (gone, there):
        calls.once(each.called)
        calls.once(each.called)
    shiboken6.delete(gone)
    qtbot.waitUntil(lambda: not calls.waiting)
    assert seen == ["called"]
