"""Garbage is collected in the window's thread, and in no other."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.shell.gc_timer import INTERVAL_MS, WindowThreadCollector


class Knot:
    """Refers to itself, so that only the cycle collector can free it; notes where that happens."""

    def __init__(self, freed_in: list[threading.Thread]):
        self.itself = self
        weakref.finalize(self, lambda: freed_in.append(threading.current_thread()))


def test_a_worker_that_makes_garbage_leaves_it_to_the_window_s_thread(qtbot: QtBot) -> None:
    was_enabled = gc.isenabled()
    collector = WindowThreadCollector()
    collector.start()
    freed_in: list[threading.Thread] = []

    def litter() -> None:
        for _ in range(20_000):
            Knot(freed_in)

    worker = threading.Thread(target=litter)
    worker.start()
    worker.join()
    assert freed_in == []
    qtbot.waitUntil(lambda: len(freed_in) > 0)
    assert set(freed_in) == {threading.main_thread()}
    collector.stop()
    assert gc.isenabled()
    if not was_enabled:
        gc.disable()


def test_nothing_is_collected_during_a_measurement(qapp: QApplication, qtbot: QtBot) -> None:
    collector = qapp.findChild(WindowThreadCollector)
    freed_in: list[threading.Thread] = []
    collector.hold(True)
    for _ in range(20_000):
        Knot(freed_in)
    qtbot.wait(2 * INTERVAL_MS)
    assert freed_in == []
    collector.hold(False)
    assert len(freed_in) > 0, "what is due is collected at once"
