"""Errors wherever they happen: one notice, a report without the user's data, and a
window that goes on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui import app
from gui.canvas import scene_store
from gui.dialogs.messages import CrashReportDialog
from gui.model import devices, notice
from gui.model.notice import Notice
from gui.window import MainWindow
from solvers.core.variant import Variant
from solvers.graphs import readers
from solvers.running import records
from tests.gui.windows import TINY, open_graph, run_only, wait_until_idle
from tests.quick import first_quick

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
canvas, at = window.parts.canvas.canvas, QPointF(9.0, 9.0)
for fail in (lambda _: np.zeros(1)[5], lambda _: 1 // 0, lambda _: [][1]):
    canvas._pointer.let_go = lambda fail=fail: fail(None)  # which eventFilter calls for a press
    button, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    pressed = QMouseEvent(QEvent.Type.MouseButtonPress, at, at, button, button, plain)
    QApplication.postEvent(canvas, pressed)
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
        [sys.executable, "-c", _ERRORS, str(tmp_path / "settings.ini")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 4
    assert all("Something went wrong" in line for line in told[:3])
    assert told[3].endswith("list index out of range")


# In a process of its own, where nothing has been imported yet.
_IMPORTS = """
import sys
import threading
from pathlib import Path
from shiboken6 import Shiboken

imported = []


class Recorder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if threading.current_thread() is not threading.main_thread():
            imported.append(name)


sys.meta_path.insert(0, Recorder)

from PySide6.QtCore import QTimer
from gui import app

begin = app.begin


def begin_and_wait(window, paths):
    begin(window, paths)
    close_with_charts(window)


def close_with_charts(window):
    if window.parts.session.graph is None or "gui.charts.plot" not in sys.modules:
        QTimer.singleShot(50, lambda: close_with_charts(window))
    else:
        window.close()


app.begin = begin_and_wait
app.run([Path(sys.argv[1])])
print(len(imported))
kind = type(Shiboken.Object)
def values(name):
    module = sys.modules.get(name)
    return vars(module).values() if module else ()
print(*(name for name in imported if any(isinstance(value, kind) for value in values(name))))
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="PySide's table of classes is safe")
def test_only_the_windows_thread_makes_classes_of_qt(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, str(TINY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**environment, "XDG_STATE_HOME": str(tmp_path)},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    in_threads, of_qt = done.stdout.splitlines()
    assert int(in_threads) > 0
    assert of_qt == ""


SECRET = "the user's /home/secret.gr"


class Defect(Exception):
    """An error that nobody foresaw."""


def fail(*_: object, **__: object) -> None:
    raise Defect(SECRET)


@pytest.fixture
def solved(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window with a graph and a result, whose exceptions are reported as `app.run` has it."""
    reporter = app.Reporter(window)
    monkeypatch.setattr(sys, "excepthook", reporter)
    monkeypatch.setattr(threading, "excepthook", reporter.thread_failed)
    monkeypatch.setattr(notice, "_INTERVAL_S", 0.0)  # one error follows the other here
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "dijkstra-heap")
    return window


def assert_reported(qtbot: QtBot, window: MainWindow) -> None:
    """One notice with a report that quotes nothing; graph and results are there, and
    another run works.
    """
    qtbot.waitUntil(
        lambda: window.notices.notice is not None and bool(window.notices.notice.report),
        timeout=60_000,
    )
    told = window.notices.notice
    assert "Something went wrong" in told.text or SECRET in told.text
    assert "Defect" in told.report
    assert "secret" not in told.report
    assert window.parts.session.graph.name == "textbook"
    assert window.parts.session.results.get("dijkstra-heap").ok
    run_only(qtbot, window, "bf-serial")
    assert window.parts.session.results.get("bf-serial").ok


class Broken(QWidget):
    """A widget with a handler of events that raises."""

    def customEvent(self, event: QEvent) -> None:
        fail()


def _fail_in_a_thread() -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


PATCHED = {
    "variant": (Variant, "solve"),
    "open": (readers, "read_graph"),
    "layout": (scene_store, "build_scene"),
    "export": (records, "write_all"),
    "devices": (devices, "rediscover"),
}


def cause(qtbot: QtBot, window: MainWindow, kind: str, folder: Path) -> None:
    """Do what fails, as `PATCHED` says, or fail."""
    parts = window.parts
    causes: dict[str, Callable[[], object]] = {
        "slot": lambda: QTimer.singleShot(0, fail),
        "event handler": lambda: QApplication.postEvent(Broken(window), QEvent(QEvent.Type.User)),
        "thread": _fail_in_a_thread,
        "variant": lambda: run_only(qtbot, window, "bf-serial"),
        "open": lambda: parts.open.open(TINY),
        "generate": lambda: parts.open.generate(
            SimpleNamespace(id="grid", title="grid", generate=fail), {}
        ),
        "layout": window.commands["layout-circular"].trigger,
        "frame": lambda: parts.canvas.graph_canvas.frames.renderer.failed.emit(Defect(SECRET)),
        "export": lambda: parts.export.csv(folder),
        "devices": lambda: parts.devices.discover(again=True),
    }
    causes[kind]()


@pytest.mark.parametrize(
    "kinds",
    first_quick(
        [
            ["slot", "event handler", "thread", "variant", "open", "layout", "frame"],
            ["generate", "export", "devices"],
        ]
    ),
    ids=lambda kinds: kinds[0],
)
def test_an_exception_is_reported_wherever_it_happens(
    qtbot: QtBot,
    solved: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kinds: list[str],
) -> None:
    for kind in kinds:
        with monkeypatch.context() as patch:
            if kind in PATCHED:
                patch.setattr(*PATCHED[kind], fail)
            cause(qtbot, solved, kind, tmp_path)
            wait_until_idle(qtbot, solved)
        assert_reported(qtbot, solved)
        assert solved.parts.canvas.scenes.scene is not None, kind


def test_an_error_that_repeats_is_told_once_a_second(qtbot: QtBot, window: MainWindow) -> None:
    heard: list[Notice] = []
    window.parts.session.noticed.connect(heard.append)
    for _ in range(50):
        try:
            fail()
        except Defect as error:
            window.parts.session.notice_error(error)
    assert len(heard) <= 2


def report_dialog(window: MainWindow) -> CrashReportDialog:
    (button,) = [b for b in window.notices.findChildren(QPushButton) if b.text() == "Crash report"]
    assert button.isVisible()
    button.click()
    (dialog,) = window.findChildren(CrashReportDialog)
    return dialog


def test_the_report_can_be_read_copied_and_saved(
    qtbot: QtBot, solved: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    QTimer.singleShot(0, fail)
    assert_reported(qtbot, solved)
    QTimer.singleShot(0, fail)  # the run has cleared the notice
    qtbot.waitUntil(
        lambda: solved.notices.notice is not None and bool(solved.notices.notice.report)
    )
    report = solved.notices.notice.report
    dialog = report_dialog(solved)
    assert dialog.text.toPlainText() == report
    buttons = {button.text(): button for button in dialog.findChild(QDialogButtonBox).buttons()}
    buttons["Copy"].click()
    assert QGuiApplication.clipboard().text().endswith(report)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "crash.txt"), "")
    )
    buttons["Save…"].click()
    assert (tmp_path / "crash.txt").read_text(encoding="utf-8") == report
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "crash.txt"), "")
    )
    buttons["Save…"].click()
    assert "Cannot write" in dialog.summary.text()
    dialog.close()


def test_closing_ends_the_reports(qtbot: QtBot, window: MainWindow) -> None:
    reporter = app.Reporter(window)
    reporter.install()
    assert sys.excepthook is reporter
    reporter.remove()
    assert (sys.excepthook, threading.excepthook) == (sys.__excepthook__, threading.__excepthook__)
    QApplication.processEvents()


def test_devices_are_sought_when_the_window_was_first_painted(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "_BEGIN_AT_LATEST_MS", 10**8)
    widget, calls = QWidget(), list[bool]()
    qtbot.addWidget(widget)
    app.AfterFirstPaint(widget, lambda: calls.append(widget.isVisible()))
    QApplication.processEvents()
    assert not calls
    widget.show()
    qtbot.waitUntil(lambda: bool(calls))
    widget.repaint()
    assert calls == [True]
