"""What was opened does not stay: after several graphs and windows, only the last are alive."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from gui.model.settings import Settings
from gui.window import MainWindow
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    open_graph,
    run_only,
    tick_only,
    trigger,
    wait_until_idle,
)

_MOST_ALIVE = 2  # the open graph, and one that a thread or a cache may hold until its next work


def collect() -> None:
    """Also what the collector of the window has set aside."""
    gc.unfreeze()
    gc.collect()


def generate(qtbot: QtBot, window: MainWindow, seed: int) -> None:
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.generate(generators.find("road"), {"vertices": 400, "seed": seed})
    wait_until_idle(qtbot, window)


@pytest.mark.slow
def test_graphs_that_were_solved_do_not_stay(qtbot: QtBot, window: MainWindow) -> None:
    """Every run waited for the one before, and kept it, with its graph and all that was
    prepared for it.
    """
    seen: list[weakref.ref[Graph]] = []
    tick_only(window, "dijkstra-heap")
    for seed in range(1, 6):
        generate(qtbot, window, seed)
        seen.append(weakref.ref(window.parts.session.graph.as_read))
        window.parts.run.start()
        wait_until_idle(qtbot, window)
        session = window.parts.session
        ids = session.graph.as_read.ids
        road = (int(ids[0]), int(ids[session.graph.as_read.indices[0]]))
        session.want_roads(session.roads.close(road))
        wait_until_idle(qtbot, window)
        window.commands["live"].trigger()
        qtbot.waitUntil(
            lambda: window.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS
        )
        trigger(qtbot, window, "live")
    open_graph(qtbot, window, TINY)
    collect()
    assert sum(graph() is not None for graph in seen) < _MOST_ALIVE


def test_windows_that_were_closed_do_not_stay(qtbot: QtBot, settings: Settings) -> None:
    seen: list[weakref.ref[MainWindow]] = []
    for _ in range(3):
        window = MainWindow(settings)
        window.show()
        seen.append(weakref.ref(window))
        open_graph(qtbot, window, TINY)
        run_only(qtbot, window, "dijkstra-heap")
        # a call that the window does not live to see, and a job's
        window.parts.jobs.window.later(window.show)
        window.parts.jobs.window._act(window.show, threading.Event())
        window.close()
        window.parts.session.results.run_state_changed.emit()
        window.deleteLater()
        del window
        # before the turns that it waits for
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        qtbot.wait(50)
    collect()
    assert [window() for window in seen] == [None] * len(seen)
