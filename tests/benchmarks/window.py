"""The window as benchmarks open it: offscreen, with settings and a store of its own."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

from PySide6.QtCore import QSettings

from gui.app import make_application
from gui.model.settings import Settings
from gui.shell.process import WindowThreadCollector
from gui.window import MainWindow
from solvers.graphs.graph import Graph
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.gui.event_loop import wait_ms

SIZE = (1600, 1000)
PATIENCE_S = 900.0
ASK_MS, ASK_OFTEN_MS = 200, 50


@contextmanager
def opened_window(
    device: str = "auto", size: tuple[int, int] = SIZE, *, prepares_hierarchies: bool = True
) -> Iterator[MainWindow]:
    """The window as `gui.app.run` opens it."""
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER_VARIABLE] = folder
        settings = Settings(QSettings(f"{folder}/tautpath.ini", QSettings.Format.IniFormat))
        settings.prepares_hierarchies = prepares_hierarchies
        window = MainWindow(settings)
        collector = WindowThreadCollector(window)
        window.parts.jobs.measuring_changed.connect(collector.hold)
        collector.start()
        window.resize(*size)
        window.show()
        window.parts.devices.discover()
        import_module("gui.charts.plot")
        wait_until(lambda: window.parts.devices.known and not window.parts.jobs.all())
        if device != "auto":
            window.parts.devices.use(
                next(d.key for d in window.parts.devices.list.devices if d.kind == device)
            )
        yield window
        window.close()
        collector.stop()
    application.quit()


def open_graph(window: MainWindow, path: Path) -> None:
    before = window.parts.session.graph
    window.parts.open.open(path)
    wait_until(lambda: window.parts.session.graph is not before and is_idle(window))


def start_live_mode(window: MainWindow, graph: Graph, *, with_hierarchy: bool = True) -> None:
    """Open a graph, and wait for the first live answer or, without a hierarchy, only
    switch live mode on.
    """
    canvas, live = window.parts.canvas.graph_canvas, window.parts.session.unmeasured
    window.parts.session.open_graph(graph)
    wait_until(lambda: canvas.frames.current and not window.parts.jobs.all(), ASK_OFTEN_MS)
    if with_hierarchy:
        window.commands["live"].trigger()
        wait_until(lambda: live.answer is not None and not window.parts.jobs.all(), ASK_OFTEN_MS)
    else:
        live.set_follows(True)
        window.controller_of("live").refresh()


def is_idle(window: MainWindow) -> bool:
    """Whether no job runs, all views have followed, and the picture is finished."""
    canvas = window.parts.canvas.canvas
    return (
        not window.parts.jobs.all()
        and not window.parts.session.window.waiting
        and canvas.frames.current
    )


def wait_until(reached: Callable[[], bool], ask_ms: int = ASK_MS) -> None:
    """Run the event loop until ``reached()``, which is asked rarely: that too happens
    during trials.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        if time.monotonic() > deadline:
            raise SystemExit("the window did not come to rest")
        wait_ms(ask_ms)
