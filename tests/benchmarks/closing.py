"""What closing a road costs in the window, in live mode: ``python -m
tests.benchmarks.closing GRAPH [--repeats N]``.

Measured, not asserted. The real window is shown offscreen in 1280 x 800 and live mode
switched on, with a hierarchy; then roads on the shown path are closed one after
another, and opened again by undo. Times since the click: until the window's graph is
the changed one, until the live answer is there, until its picture is painted, and until
the comparison with the roads as they were is there. By the clock, and in brackets the
processor time of all threads and of the window's thread; medians with the greatest of
the clock.
"""

from __future__ import annotations

import argparse
import statistics
import time

from PySide6.QtCore import QEvent, QObject, QTimer

from gui.window import MainWindow
from solvers.graphs.graph import Graph
from tests.benchmarks.graphs import graph_of, machine_line
from tests.benchmarks.window import ASK_OFTEN_MS, opened_window, start_live_mode, wait_until
from tests.gui.event_loop import wait_ms

VIEW = (1280, 800)
UNCOUNTED = 2  # roads whose closing compiles
_STAGES = ("graph", "answer", "painted", "compared")

Clocks = tuple[float, float, float]


def now() -> Clocks:
    """The clock, the processor time of all threads, and that of this one, in ms."""
    return time.perf_counter() * 1e3, time.process_time() * 1e3, time.thread_time() * 1e3


def measure(graph: Graph, repeats: int) -> None:
    with opened_window(size=VIEW) as window:
        start_live_mode(window, graph)
        report(close_roads(window, graph, repeats))


def close_roads(window: MainWindow, graph: Graph, repeats: int) -> list[dict[str, Clocks]]:
    """Times until each stage, for each closed road."""
    session, canvas = window.parts.session, window.parts.canvas.graph_canvas
    assert session.unmeasured.answer is not None
    assert session.unmeasured.answer.path is not None
    began = now()
    stages: dict[str, Clocks] = {}

    def mark(stage: str) -> None:
        here = now()
        stages.setdefault(stage, (here[0] - began[0], here[1] - began[1], here[2] - began[2]))

    def follow_answer() -> None:
        if (
            "graph" in stages
            and session.unmeasured.answer is not None
            and session.unmeasured.answer.graph is session.graph
        ):
            mark("answer")

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint and "answer" in stages and canvas.frames.current:
                QTimer.singleShot(0, lambda: mark("painted"))
            return False

    watch = Watch()
    canvas.installEventFilter(watch)
    session.network_changed.connect(lambda: mark("graph"))
    session.unmeasured.changed.connect(follow_answer)
    window.controller_of("closed_roads").compared.connect(lambda: mark("compared"))
    path, found = session.unmeasured.answer.path, []
    for number in range(repeats + UNCOUNTED):
        place = (number * 37 + 11) % (len(path) - 1)
        road = graph.vertex_id(int(path[place])), graph.vertex_id(int(path[place + 1]))
        wait_ms(200)
        stages.clear()
        began = now()
        session.want_roads(session.roads.close(road))
        wait_until(
            lambda: set(_STAGES) <= set(stages) and not window.parts.jobs.all(), ASK_OFTEN_MS
        )
        found.append(dict(stages))
        window.commands["undo"].trigger()
        wait_until(
            lambda: (
                session.graph is graph and canvas.frames.current and not window.parts.jobs.all()
            ),
            ASK_OFTEN_MS,
        )
    return found[UNCOUNTED:]


def report(found: list[dict[str, Clocks]]) -> None:
    for stage in _STAGES:
        clock, processor, own = zip(*(stages[stage] for stages in found), strict=True)
        print(
            f"  {stage:<9}median {statistics.median(clock):.0f} ms "
            f"({statistics.median(processor):.0f}, {statistics.median(own):.0f}), "
            f"longest {max(clock):.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the closing of roads in live mode.")
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--repeats", type=int, default=11)
    given = parser.parse_args()
    print(machine_line("by the clock (all threads, the window's)"))
    for spec in given.graphs:
        graph = graph_of(spec)
        print(f"{graph.name}: {graph.n:,} vertices, {graph.m:,} arcs")
        measure(graph, given.repeats)


if __name__ == "__main__":
    main()
