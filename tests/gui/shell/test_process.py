"""Garbage is collected in the window's thread only, and a signal closes the window in order."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.shell import process
from gui.shell.process import COLLECT_INTERVAL_MS, WindowThreadCollector
from tests.quick import first_quick


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
        for _ in range(5_000):
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
    for _ in range(5_000):
        Knot(freed_in)
    qtbot.wait(2 * COLLECT_INTERVAL_MS)
    assert freed_in == []
    collector.hold(False)
    assert freed_in == [], "the end of a measurement has enough to do"
    # what is due is collected next
    qtbot.waitUntil(lambda: len(freed_in) > 0, timeout=COLLECT_INTERVAL_MS // 2)


@pytest.fixture
def setting_aside(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> Iterator[WindowThreadCollector]:
    """A collector for which a few thousand new objects are too many, and a list that
    must outlive its scans.
    """
    monkeypatch.setattr(process, "MOST_AT_ONCE", 2_000)
    monkeypatch.setattr(process, "_is_left", lambda: False)
    monkeypatch.setattr(process, "MOST_AT_REST_S", math.inf)
    collector = WindowThreadCollector()
    yield collector
    gc.unfreeze()


def test_garbage_that_was_set_aside_is_freed_when_the_user_leaves_the_window(
    setting_aside: WindowThreadCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed_in: list[threading.Thread] = []
    gc.collect()
    kept = [Knot([]) for _ in range(100)]
    for _ in range(3_000):
        Knot(freed_in)
    setting_aside.collect()
    setting_aside.collect()
    assert freed_in == [], "they are too many to scan while the window is used"
    monkeypatch.setattr(process, "_is_left", lambda: True)
    monkeypatch.setattr(process, "MOST_AT_REST_S", 0.0)
    setting_aside.collect()
    assert freed_in == [], "a picture may be moving that the user looks at"
    monkeypatch.setattr(process, "MOST_AT_REST_S", math.inf)
    setting_aside.collect()
    assert len(freed_in) == 3_000
    assert all(knot.itself is knot for knot in kept)


def test_survivors_are_set_aside_before_they_are_too_many_to_scan(
    setting_aside: WindowThreadCollector,
) -> None:
    scanned: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            scanned.append(
                sum(len(gc.get_objects(generation)) for generation in range(info["generation"] + 1))
            )

    gc.collect()
    gc.freeze()
    before = gc.get_freeze_count()
    gc.callbacks.append(count)
    kept = []
    for _ in range(2 * gc.get_threshold()[1]):
        kept += [[] for _ in range(gc.get_threshold()[0] + 100)]
        setting_aside.collect()
    gc.callbacks.remove(count)
    assert max(scanned) <= 2_000
    assert gc.get_freeze_count() - before >= len(kept) // 2


def test_what_is_set_aside_has_a_bound(
    setting_aside: WindowThreadCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed_in: list[threading.Thread] = []
    gc.collect()
    monkeypatch.setattr(process, "MOST_SET_ASIDE", 20_000)
    rounds = 0
    while not freed_in:
        for _ in range(3_000):
            Knot(freed_in)
        setting_aside.collect()
        rounds += 1
        assert rounds <= 8, "one object or more a knot, and one round after the bound"
    assert rounds > 1
    assert len(freed_in) == rounds * 3_000


ROOT = Path(__file__).resolve().parents[3]

WINDOW = """
    import sys
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QMessageBox
    import gui.app
    from gui.window import MainWindow

    closed = MainWindow.closeEvent

    def close_event(self, event):
        closed(self, event)
        print("closed", flush=True)

    def say_ready():
        print("ready", flush=True)
        if "dialog" in sys.argv:
            QMessageBox().exec()

    MainWindow.closeEvent = close_event
    begin = gui.app.begin

    def begin_and_say(window, paths):
        begin(window, paths)
        QTimer.singleShot(500, say_ready)

    gui.app.begin = begin_and_say
    sys.exit(gui.app.run())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("number", "dialog"),
    first_quick(
        [
            (signal.SIGTERM, ("dialog",)),
            (signal.SIGTERM, ()),
            (signal.SIGINT, ("dialog",)),
            (signal.SIGHUP, ()),
        ]
    ),
)
def test_a_signal_closes_the_window_in_order(tmp_path, number, dialog):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(temporary),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", textwrap.dedent(WINDOW), *dialog]
    with subprocess.Popen(
        command,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as window:
        assert window.stdout.readline() == "ready\n", window.stderr.read()
        window.send_signal(number)
        out, err = window.communicate(timeout=60)
    assert (out, window.returncode) == ("closed\n", 128 + number), err
    assert "Traceback" not in err
    assert os.listdir(temporary) == []
    (kept,) = (tmp_path / "state").rglob("tautpath.log")
    assert "INFO tautpath: Tautpath " in kept.read_text("utf-8")
