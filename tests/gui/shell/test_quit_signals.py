"""A signal closes the window in order, also with a dialog open, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

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
    [(signal.SIGTERM, ()), (signal.SIGTERM, ("dialog",)), (signal.SIGHUP, ()), (signal.SIGINT, ("dialog",))],
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
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as window:
        assert window.stdout.readline() == "ready\n", window.stderr.read()
        window.send_signal(number)
        out, err = window.communicate(timeout=60)
    assert (out, window.returncode) == ("closed\n", 128 + number), err
    assert "Traceback" not in err
    assert os.listdir(temporary) == []
    (kept,) = (tmp_path / "state").rglob("tautline.log")
    assert "INFO tautline: Tautline " in kept.read_text("utf-8")
