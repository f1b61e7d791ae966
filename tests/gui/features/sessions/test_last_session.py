"""A window that is killed loses nothing: the next start says so and brings its state
back, as after a proper end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCommandLinkButton, QPushButton
from pytestqt.qtbot import QtBot

from gui import app
from gui.features.sessions.last_session import CONTINUE, LastSessionController, WindowFiles
from gui.model.settings import Settings
from gui.window import MainWindow
from solvers.system.disk_cache import data_folder
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, sessions, tick_only, wait_until_idle

ROOT = Path(__file__).parents[4]

Start = Callable[..., subprocess.Popen[str]]
Windows = Callable[[], MainWindow]

_USER = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
import gui.app
from gui.features.sessions.last_session import LastSessionController
from gui.model.jobs import JobKind
from solvers.running.request import MeasurementPlan

begin = gui.app.begin

def act(window):
    session, view = window.parts.session, window.parts.canvas.canvas.view
    if session.graph is None or view.state is None or not window.parts.devices.known:
        QTimer.singleShot(50, lambda: act(window))
        return
    session.set_endpoints(2, 4)
    session.choices.choose_only(("dijkstra-heap",))
    session.want_roads(session.roads.close((1, 2)))
    session.add_source(5)
    window.parts.canvas.view.zoom_in()
    session.network_changed.connect(lambda: run(window))

def run(window):
    if "run" in sys.argv:
        window.parts.run.start(plan=MeasurementPlan(warmups=0, trials=1))
    wait(window)

def wait(window):
    done = window.parts.session.results.all or "run" not in sys.argv
    if done and window.parts.jobs.running(JobKind.SOLVE) is None:
        window.findChild(LastSessionController).keep()
        QTimer.singleShot(500, lambda: print("ready", flush=True))
    else:
        QTimer.singleShot(50, lambda: wait(window))

def begin_and_act(window, paths):
    begin(window, paths)
    act(window)

gui.app.begin = begin_and_act
gui.app.run([Path(sys.argv[1])])
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a window as a program, whose user opens the textbook's graph, sets
    everything, and waits.
    """
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
        }
        environment["XDG_STATE_HOME"] = str(tmp_path / "state")
        process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(TINY), *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said == "ready\n", f"the window ended with {process.wait(10)}"
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def windows(qtbot: QtBot, settings: Settings) -> Iterator[Windows]:
    """Starts windows of this process as `gui.app.run` does."""
    made: list[MainWindow] = []

    def begin() -> MainWindow:
        window = MainWindow(settings)
        made.append(window)
        window.show()
        app.begin(window, [])
        wait_until_idle(qtbot, window)
        return window

    yield begin
    for window in made:
        window.close()
        window.deleteLater()


def end(process: subprocess.Popen[str], number: int) -> None:
    process.send_signal(number)
    process.wait(30)  # PoCL, where it is installed, takes a SIGSEGV that was sent


def folder() -> Path:
    return data_folder() / "windows"


def button(window: MainWindow, text: str) -> QPushButton | QCommandLinkButton | None:
    """The button of the notice, or of the start page, that can be seen."""
    found = [
        *window.notices.findChildren(QPushButton),
        *window.start_page.findChildren(QCommandLinkButton),
    ]
    return next((each for each in found if each.isVisible() and each.text() == text), None)


def click(qtbot: QtBot, window: MainWindow) -> None:
    # it has been laid out
    qtbot.waitUntil(lambda: button(window, CONTINUE) is not None, timeout=PATIENCE_MS)
    found = button(window, CONTINUE)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        qtbot.mouseClick(found, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)


def assert_as_it_was(window: MainWindow) -> None:
    session = window.parts.session
    assert session.graph.as_read.name == "textbook"
    assert (session.source, session.target) == (2, 4)
    assert session.choices.ids == ("dijkstra-heap",)
    assert [(road.tail, road.head) for road in session.applied_roads.roads] == [(1, 2)]
    assert session.sources[1:] == (5,)
    assert not window.parts.canvas.canvas.view.state.fitted


@pytest.mark.skipif(sys.platform == "win32", reason="signals that kill are sent as on POSIX")
def test_a_crashed_window_is_told_and_brought_back(
    qtbot: QtBot, start: Start, windows: Windows, tmp_path: Path
) -> None:
    process = start("run")
    while_open = windows()
    assert while_open.notices.notice is None  # it still lives
    assert button(while_open, CONTINUE) is None
    while_open.close()
    end(process, signal.SIGSEGV)
    (log,) = (tmp_path / "state").rglob("tautpath.log")
    assert "Fatal Python error: Segmentation fault" in log.read_text()
    window = windows()
    assert "Tautpath ended unexpectedly on" in window.notices.notice.text
    assert "with textbook open. What was measured is kept." in window.notices.notice.text
    click(qtbot, window)
    assert_as_it_was(window)
    qtbot.waitUntil(lambda: len(window.parts.session.results.all) == 1, timeout=PATIENCE_MS)
    assert window.parts.session.results.stored_run is not None
    window.close()
    after = windows()
    assert after.notices.notice is None
    qtbot.waitUntil(lambda: button(after, CONTINUE) is not None, timeout=PATIENCE_MS)


@pytest.mark.slow  # five windows
@pytest.mark.skipif(sys.platform == "win32", reason="signals that kill are sent as on POSIX")
def test_of_two_killed_windows_each_start_offers_one(
    qtbot: QtBot, start: Start, windows: Windows, tmp_path: Path
) -> None:
    first, second = start("run"), start()
    end(first, signal.SIGKILL)
    end(second, signal.SIGKILL)
    logs = "".join(log.read_text() for log in (tmp_path / "state").rglob("tautpath.log"))
    assert "Fatal Python error" not in logs
    one, other = windows(), windows()
    for window in (one, other):
        assert "ended unexpectedly" in window.notices.notice.text
        click(qtbot, window)
        assert_as_it_was(window)
    qtbot.waitUntil(
        lambda: sum(len(w.parts.session.results.all) for w in (one, other)) == 1,
        timeout=PATIENCE_MS,
    )
    third = windows()
    assert third.notices.notice is None


def test_after_a_proper_end_the_start_page_offers_to_continue(
    qtbot: QtBot, windows: Windows
) -> None:
    window = windows()
    open_graph(qtbot, window, TINY)
    window.parts.session.set_endpoints(1, 3)
    tick_only(window, "bf-serial")
    window.close()
    after = windows()
    assert after.notices.notice is None
    click(qtbot, after)
    assert (after.parts.session.source, after.parts.session.target) == (1, 3)
    assert after.parts.session.choices.ids == ("bf-serial",)
    # File > Save session does not write into the folder of windows
    assert sessions(after)._path is None


def test_a_file_that_cannot_be_read_is_passed_over(windows: Windows) -> None:
    files = WindowFiles(folder())
    files.begin()
    files.own.write_text("{")
    number = files._own
    files._unlock(number)
    window = windows()
    assert window.notices.notice is None
    assert button(window, CONTINUE) is None
    assert not (folder() / f"window-{number}.tautpath").exists()


def test_nothing_is_kept_while_a_run_measures(qtbot: QtBot, windows: Windows) -> None:
    window = windows()
    open_graph(qtbot, window, TINY)
    with window.parts.jobs.quiet.measuring():
        before = kept_files()  # the first is written a second after the start
        qtbot.waitUntil(lambda: not window.findChild(LastSessionController)._timer.isActive())
        window.parts.session.set_endpoints(1, 2)
        window.findChild(LastSessionController).keep()
        qtbot.wait(100)
        assert kept_files() == before
    qtbot.waitUntil(lambda: kept_files() != before, timeout=PATIENCE_MS)


def kept_files() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder().glob("window-*.tautpath")}
