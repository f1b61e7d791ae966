"""None, True and False survive what PySide6 does to them under Python 3.11."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject, Signal

from gui.immortal import keep_singletons


class Bell(QObject):
    rung = Signal(int)


@pytest.mark.parametrize("singleton", [None, True, False])
def test_singletons_have_more_references_than_a_session_can_lose(singleton: object) -> None:
    keep_singletons()
    assert sys.getrefcount(singleton) > 2**30


def test_twenty_thousand_signals_do_not_stop_the_interpreter() -> None:
    """Without the guard this aborts with "deallocating True or False" where PySide6 6.12 meets Python 3.11."""
    keep_singletons()
    bell = Bell()
    heard = []
    bell.rung.connect(heard.append)
    for i in range(20_000):
        bell.rung.emit(i)
    assert len(heard) == 20_000


def test_the_guard_is_not_applied_twice() -> None:
    keep_singletons()
    before = sys.getrefcount(None)
    keep_singletons()
    assert abs(sys.getrefcount(None) - before) < 1000
