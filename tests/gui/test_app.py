"""What the application gives to every window: errors in what Qt calls are told, and end nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# In a process of its own, which such errors ended: PySide took a text for an exception.
_ERRORS = """
import sys
import numpy as np
from PySide6.QtCore import QEvent, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from gui import app
from gui.model.settings import Settings
from gui.window import MainWindow
from tests.gui.event_loop import wait_ms

application = app.make_application()
window = MainWindow(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
reporter = app.Reporter(window)
reporter.install()
window.show()
canvas, at, no_button = window.parts.canvas.canvas, QPointF(9.0, 9.0), Qt.MouseButton.NoButton
for fail in (lambda _: np.zeros(1)[5], lambda _: 1 // 0, lambda _: [][1]):
    canvas.moved = fail  # which mouseMoveEvent calls
    moved = QMouseEvent(QEvent.Type.MouseMove, at, at, no_button, no_button, Qt.KeyboardModifier.NoModifier)
    QApplication.postEvent(canvas, moved)
    window.notices.dismiss()
    wait_ms(100)
    print(window.notices.notice.text)


class MadeLater(QWidget):
    def resizeEvent(self, event):
        [][1]


later = MadeLater()
try:
    later.show()
    later.resize(60, 50)
except IndexError as error:
    print(error)
window.close()
reporter.remove()
"""


def test_errors_of_c_code_below_an_event_are_told_and_end_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ERRORS, str(tmp_path / "settings.ini")], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 4
    assert all("Something went wrong" in line for line in told[:3])
    assert told[3].endswith("list index out of range")
