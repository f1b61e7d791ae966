"""How fast live mode is: ``python -m tests.benchmarks.live GRAPH [GRAPH ...]
[--no-window] [--along-path] [--moves N] [--seconds S]``.

Measured, not asserted. ``--no-window`` moves a source from vertex to vertex by calling
the solver and the painter of pictures one after the other, N times: solve, shades
(distances to shades), picture. It needs no Qt, and is for machines without a screen.
Otherwise the real window is shown offscreen in 1280 x 800, and a mouse drags the
source's marker along a circle for S seconds, 60 events a second: intervals between
painted pictures, and the longest time for which the window's thread handled no events.
With ``--along-path`` it is dragged from vertex to vertex of the shortest path to the vertex
farthest away, and back: where a network does not fill its picture, a circle mostly passes
places at which there is no vertex, so that nothing is asked. Graphs are files, or generated:
road:1500000.

Times are by the clock, and in brackets the processor time of all threads: on a machine
that has other work to do, half of that on two cores is what an idle one would take.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from solvers import solve
from solvers.errors import TautpathError
from solvers.features.live.query import LiveQuery
from solvers.features.live.solver import LiveSolver
from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import build_scene
from solvers.running.prepared_network import (
    PreparedNetwork,
    network_with_hierarchy,
    searched_network,
)
from tests.benchmarks.graphs import graph_of, machine_line
from tests.benchmarks.timing import Times

if TYPE_CHECKING:
    from gui.window import MainWindow

VIEW = (1280, 800)
UNCOUNTED = 5  # moves that compile
BOUNDS_MS = (10, 16, 25, 33, 50, 83, 125, 200, 1000)  # of the histogram
_EVENT_MS = 16


def summary(times: Times) -> str:
    """Median by the clock and of the processor, and the longest, without those that compile."""
    counted, processor = times.clock[UNCOUNTED:], times.processor[UNCOUNTED:]
    return (
        f"median {statistics.median(counted):.1f} ms ({statistics.median(processor):.1f}), "
        f"95 % {np.percentile(counted, 95):.1f} ms, longest {max(counted):.1f} ms"
    )


def histogram(intervals_ms: Sequence[float]) -> str:
    """One line: how many intervals are up to each bound, and longer than the last."""
    counts, _ = np.histogram(intervals_ms, bins=[0, *BOUNDS_MS, math.inf])
    names = [*(f"≤{bound}" for bound in BOUNDS_MS), f">{BOUNDS_MS[-1]}"]
    return "  ".join(
        f"{name} ms: {count}" for name, count in zip(names, counts, strict=True) if count
    )


def _weights(graph: Graph, with_hierarchy: bool) -> PreparedNetwork:
    if not with_hierarchy:
        return searched_network(graph)
    began = time.perf_counter()
    try:
        weights = network_with_hierarchy(graph)
    except TautpathError as error:
        print(f"  no hierarchy: {error}")
        return searched_network(graph)
    print(f"  hierarchy prepared in {time.perf_counter() - began:.1f} s")
    return weights


def without_window(graph: Graph, sources: int, moves: int, with_hierarchy: bool) -> None:
    """Solve and draw, one after the other."""
    weights = _weights(graph, with_hierarchy)
    scene = build_scene(graph)
    solver, painter = LiveSolver(graph), FramePainter()
    camera = Camera.fitting(scene.bounds, *VIEW)
    rng = np.random.default_rng(1)
    others = tuple(rng.choice(graph.n, sources - 1, replace=False).tolist())
    solve, shades, picture, frame = Times(), Times(), Times(), Times()
    answer = None
    for vertex in rng.integers(0, graph.n, moves + UNCOUNTED).tolist():

        def one_frame(vertex: int = vertex) -> object:
            query = LiveQuery(graph, tuple(dict.fromkeys((vertex, *others))), graph.n - 1, weights)
            answer = solve.of(lambda: solver.solve(query))
            activity = Activity(
                graph.n,
                answer.distances,
                None,
                graph.weight_unit,
                owners=answer.owners,
                regions=len(query.sources),
            )
            shades.of(lambda: activity.reveal)
            content = PictureContent(scene, activity, source=vertex, path=answer.path)
            picture.of(lambda: painter.last_frame(Request(content, camera, 1.0, LIGHT)))
            return answer

        answer = frame.of(one_frame)
    print(f"  {sources} source(s), {getattr(answer, 'method', '')}")
    for name, times in (("solve", solve), ("shades", shades), ("picture", picture), ("all", frame)):
        print(f"    {name:<8}{summary(times)}")
    counted = frame.clock[UNCOUNTED:]
    print(
        f"    {1e3 / statistics.mean(counted):.1f} pictures a second, one after the other; "
        f"{histogram(counted)}"
    )


def with_window(
    graph: Graph, sources: int, seconds: float, with_hierarchy: bool, along_path: bool
) -> None:
    """Drag the source's marker in the real window."""
    from tests.benchmarks.window import opened_window

    with opened_window(size=VIEW, prepares_hierarchies=with_hierarchy) as window:
        _drag(window, graph, sources, seconds, with_hierarchy, along_path)


def _drag(
    window: MainWindow,
    graph: Graph,
    sources: int,
    seconds: float,
    with_hierarchy: bool,
    along_path: bool,
) -> None:
    from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
    from PySide6.QtTest import QTest

    from tests.benchmarks.stalls import Heartbeat
    from tests.benchmarks.window import ASK_OFTEN_MS, start_live_mode, wait_until
    from tests.gui.event_loop import wait_ms

    start_live_mode(window, graph, with_hierarchy=with_hierarchy)
    canvas, live = window.parts.canvas.graph_canvas, window.parts.session.unmeasured
    controller = window.controller_of("live")
    rng = np.random.default_rng(1)
    for vertex in rng.choice(graph.n, sources - 1, replace=False).tolist():
        window.parts.session.add_source(vertex)
    wait_until(lambda: live.answer is not None and canvas.frames.current, ASK_OFTEN_MS)

    class Watch(QObject):
        """When new pictures were painted."""

        def __init__(self) -> None:
            super().__init__()
            self.painted: list[float] = []
            self._last: object = None

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint and canvas.frames.newest is not self._last:
                self._last = canvas.frames.newest
                self.painted.append(time.perf_counter())
            return False

    assert window.parts.session.source is not None
    assert canvas.content is not None
    x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[window.parts.session.source])
    start, centre = QPoint(round(x), round(y)), canvas.rect().center()
    radius = 0.35 * min(canvas.width(), canvas.height())
    path = canvas.view.camera.to_screen(
        canvas.content.scene.positions[_long_path(graph, window.parts.session.source)]
    )
    places = [QPoint(round(x), round(y)) for x, y in (*path, *path[::-1])]
    # several vertices of the path may be nearest to one pixel: each move asks another question
    there_and_back = [
        next(same) for _, same in groupby(places, lambda at: canvas.view.vertex_at(at.toPointF()))
    ]
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    moves: list[float] = []

    def move() -> None:
        angle = len(moves) / 40.0
        place = centre + QPoint(round(radius * math.cos(angle)), round(radius * math.sin(angle)))
        if along_path:
            place = there_and_back[len(moves) % len(there_and_back)]
        began = time.perf_counter()
        QTest.mouseMove(canvas, place)
        moves.append((time.perf_counter() - began) * 1e3)

    for _ in range(UNCOUNTED * 4):
        move()
        wait_ms(50)
    watch, answers = Watch(), []
    canvas.installEventFilter(watch)
    live.changed.connect(lambda: answers.append(controller.answer.solve_ms))
    mover = QTimer(interval=_EVENT_MS, timerType=Qt.TimerType.PreciseTimer)
    mover.timeout.connect(move)
    moves.clear()
    heart = Heartbeat()
    processor, own = time.process_time(), time.thread_time()
    mover.start()
    wait_ms(round(seconds * 1e3))
    mover.stop()
    beats = heart.take()
    processor, own = time.process_time() - processor, time.thread_time() - own
    canvas.removeEventFilter(watch)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=centre)
    paint = Times()
    for _ in range(30 + UNCOUNTED):
        paint.of(canvas.repaint)
    gaps, blocks = np.diff(watch.painted) * 1e3, np.array([(gap.wall, gap.own) for gap in beats])
    longest, usual = blocks.max(axis=0), np.percentile(blocks, 99, axis=0)
    print(
        f"  window, {sources} source(s), {controller.answer.method if controller.answer else ''}: "
        f"{len(moves)} moves in {seconds} s"
    )
    pictures = len(watch.painted)
    print(
        f"    {pictures / seconds:.1f} pictures a second; {len(answers) / seconds:.1f} "
        f"answers a second, solve median {statistics.median(answers):.1f} ms; processor "
        f"{processor / seconds:.2f} cores, {1e3 * processor / pictures:.1f} ms a picture, "
        f"of which the window's thread {1e3 * own / pictures:.1f}"
    )
    print(f"    between pictures: {histogram(gaps.tolist())}")
    print(f"    paint   {summary(paint)}")
    print(
        f"    window's thread: longest block {longest[0]:.1f} ms ({longest[1]:.1f} "
        f"of its own processor time), 99 % {usual[0]:.1f} ms ({usual[1]:.1f}); "
        f"longest move {max(moves):.1f} ms"
    )


def _long_path(graph: Graph, source: int) -> list[int]:
    """The vertices of the shortest path to the vertex that is farthest away."""
    answer = solve(graph, "dijkstra-heap", source=graph.vertex_id(source))
    reached = np.where(np.isfinite(answer.distances), answer.distances, -1)
    path: list[Hashable] = answer.path_to(graph.vertex_id(int(np.argmax(reached)))) or []
    return [graph.vertex(name) for name in path]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time live mode.")
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--no-window", action="store_true", help="solve and draw only; needs no Qt")
    parser.add_argument(
        "--no-hierarchy", action="store_true", help="solve as where no hierarchy is prepared"
    )
    parser.add_argument("--along-path", action="store_true", help="drag along a long path")
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--sources", default="1,3", help="numbers of sources, separated by commas")
    given = parser.parse_args()
    print(machine_line("by the clock (of all processors)"))
    for spec in given.graphs:
        graph = graph_of(spec)
        print(f"{graph.name}: {graph.n:,} vertices, {graph.m:,} arcs")
        for sources in map(int, given.sources.split(",")):
            if given.no_window:
                without_window(graph, sources, given.moves, not given.no_hierarchy)
            else:
                with_hierarchy, along_path = not given.no_hierarchy, given.along_path
                with_window(graph, sources, given.seconds, with_hierarchy, along_path)


if __name__ == "__main__":
    main()
