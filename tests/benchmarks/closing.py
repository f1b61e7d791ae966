"""What closing a road costs in the window, in live mode: ``python -m tests.benchmarks.closing GRAPH [--repeats N]``.

Measured, not asserted. The real window is shown offscreen in 1280 x 800 and live mode switched on, with a hierarchy;
then roads on the shown path are closed one after another, and opened again by undo. Times since the click: until the
window's graph is the changed one, until the live answer is there, until its picture is painted, and until the
comparison with the roads as they were is there. By the clock, and in brackets the processor time of all threads and of
the window's thread; medians with the greatest of the clock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable

from solvers.graphs.graph import Graph
from solvers.system.machine import cores, cpu_name
from tests.benchmarks.graphs import graph_of

VIEW = (1280, 800)
UNCOUNTED = 2  # roads whose closing compiles
_PATIENCE_S = 900.0
_STAGES = ("graph", "answer", "painted", "compared")

Clocks = tuple[float, float, float]


def now() -> Clocks:
    """The clock, the processor time of all threads, and that of this one, in ms."""
    return time.perf_counter() * 1e3, time.process_time() * 1e3, time.thread_time() * 1e3


def measure(graph: Graph, repeats: int) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QEvent, QObject, QSettings, QTimer

    from gui import app
    from gui.model.settings import Settings
    from gui.window import MainWindow
    from tests.gui.event_loop import wait_ms

    application = app.make_application()
    folder = tempfile.TemporaryDirectory()
    window = MainWindow(Settings(QSettings(f"{folder.name}/s.ini", QSettings.Format.IniFormat)))
    window.resize(*VIEW)
    window.show()
    session, canvas = window.parts.session, window.parts.canvas.graph_canvas
    session.open_graph(graph)

    def wait_for(done: Callable[[], bool]) -> None:
        limit = time.monotonic() + _PATIENCE_S
        while not done() and time.monotonic() < limit:
            wait_ms(50)

    wait_for(lambda: canvas.frames.current and not window.parts.jobs.all())
    window.commands["live"].trigger()
    wait_for(lambda: session.live.answer is not None and not window.parts.jobs.all())
    assert session.live.answer is not None
    assert session.live.answer.path is not None
    began = now()
    stages: dict[str, Clocks] = {}

    def mark(stage: str) -> None:
        here = now()
        stages.setdefault(stage, (here[0] - began[0], here[1] - began[1], here[2] - began[2]))

    def follow_answer() -> None:
        if "graph" in stages and session.live.answer is not None and session.live.answer.graph is session.graph:
            mark("answer")

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint and "answer" in stages and canvas.frames.current:
                QTimer.singleShot(0, lambda: mark("painted"))
            return False

    watch = Watch()
    canvas.installEventFilter(watch)
    session.roads.applied.connect(lambda: mark("graph"))
    session.live.answered.connect(follow_answer)
    session.roads.compared.connect(lambda: mark("compared"))
    path, found = session.live.answer.path, []
    for number in range(repeats + UNCOUNTED):
        place = (number * 37 + 11) % (len(path) - 1)
        road = graph.vertex_id(int(path[place])), graph.vertex_id(int(path[place + 1]))
        wait_ms(200)
        stages.clear()
        began = now()
        session.roads.close(road)
        wait_for(lambda: set(_STAGES) <= set(stages) and not window.parts.jobs.all())
        found.append(dict(stages))
        window.commands["undo"].trigger()
        wait_for(lambda: session.graph is graph and canvas.frames.current and not window.parts.jobs.all())
    for stage in _STAGES:
        clock, processor, own = zip(*(stages[stage] for stages in found[UNCOUNTED:]), strict=True)
        print(
            f"  {stage:<9}median {statistics.median(clock):.0f} ms ({statistics.median(processor):.0f}, "
            f"{statistics.median(own):.0f}), longest {max(clock):.0f} ms"
        )
    window.close()
    window.deleteLater()
    application.processEvents()
    folder.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the closing of roads in live mode.")
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--repeats", type=int, default=11)
    given = parser.parse_args()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{cpu_name()}, {cores()} cores{load}; by the clock (all threads, the window's)")
    for spec in given.graphs:
        graph = graph_of(spec)
        print(f"{graph.name}: {graph.n:,} vertices, {graph.m:,} arcs")
        measure(graph, given.repeats)


if __name__ == "__main__":
    main()
