"""How long the canvas takes: ``python -m tests.benchmarks.rendering [--quick]``.

Measured, not asserted. Road networks of the generator, a view of 1280 x 800 logical pixels that shows the whole graph,
at one and two device pixels per logical one. Every piece of work runs once before it is timed, so that compilation is
not in the figures; medians.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np

from gui.canvas.activity import Activity
from gui.canvas.camera import Camera
from gui.canvas.frames import FramePainter, Request
from gui.canvas.layout import layout
from gui.canvas.raster import nearest_vertex
from gui.canvas.scene import DrawableGraph, build_scene
from gui.canvas.shown import Shown
from gui.theme import LIGHT
from solvers.generators import find
from solvers.graph import Graph
from solvers.text import format_duration
from solvers.trace import ActivityTrace, TraceRecorder

SIZES, QUICK_SIZES = (100_000, 1_000_000, 3_600_000), (100_000,)
VIEW = (1280, 800)
RATIOS = (1.0, 2.0)
TRIALS = 7
RINGS = 400  # iterations of the trace that is scrubbed


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the canvas.")
    parser.add_argument("--quick", action="store_true", help="only the smallest graph")
    sizes = QUICK_SIZES if parser.parse_args().quick else SIZES
    _warm_up()
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {os.cpu_count()} cores, median of {TRIALS}, {VIEW[0]} x {VIEW[1]}")
    print(f"{'work':<34}{'vertices':>12}{'edges':>12}{'1x':>12}{'2x':>12}")
    for vertices in sizes:
        graph = find("road").generate({"vertices": vertices})
        _report(graph)


def _report(graph: Graph) -> None:
    """The lines of one graph."""
    scene = build_scene(graph)

    def line(work: str, *times: float) -> None:
        shown = "".join(f"{format_duration(ms):>12}" for ms in times)
        print(f"{work:<34}{graph.n:>12,}{scene.edges:>12,}{shown}", flush=True)

    line("scene build", _median(lambda: build_scene(graph), 3))
    shown = Shown(scene, Activity(graph.n, trace=_rings(scene)))
    line("full redraw", *(_redraw(shown, ratio, 1.0) for ratio in RATIOS))
    line("full redraw, zoomed 20 times", *(_redraw(shown, ratio, 20.0) for ratio in RATIOS))
    line("scrub step", *(_scrub(shown, ratio) for ratio in RATIOS))
    line("picking", _median(lambda: nearest_vertex(scene.positions, 0.1, 0.1, 1e-3)))
    if graph.n <= 100_000:
        line("layout, were there no coordinates", _median(lambda: layout(graph), 1))


def _redraw(shown: Shown, ratio: float, zoom: float) -> float:
    camera = _camera(shown.scene).zoomed(zoom, VIEW[0] / 2, VIEW[1] / 2)
    request = Request(shown, camera, ratio, LIGHT)
    return _median(lambda: FramePainter().last_frame(request))


def _scrub(shown: Shown, ratio: float) -> float:
    painter, camera = FramePainter(), _camera(shown.scene)
    painter.last_frame(Request(shown, camera, ratio, LIGHT))
    positions = iter(np.linspace(0, RINGS - 1, TRIALS + 1).astype(int))

    def step() -> None:
        painter.last_frame(Request(Shown(shown.scene, shown.activity, int(next(positions))), camera, ratio, LIGHT))

    return _median(step)


def _camera(scene: DrawableGraph) -> Camera:
    return Camera.fitting(scene.bounds, *VIEW)


def _rings(scene: DrawableGraph) -> ActivityTrace:
    """A trace that runs outwards from the middle in rings of equal width."""
    away = np.hypot(scene.positions[:, 0], scene.positions[:, 1])
    ring = np.minimum(RINGS - 1, (away / away.max() * RINGS).astype(np.int64))
    order = np.argsort(ring, kind="stable")
    recorder = TraceRecorder(len(ring))
    for frontier in np.split(order, np.searchsorted(ring[order], np.arange(1, RINGS))):
        recorder.iteration(frontier, len(frontier), len(frontier), 0.0)
    return recorder.finish()


def _warm_up() -> None:
    """Compile everything on a small graph."""
    graph = find("road").generate({"vertices": 4000})
    scene = build_scene(graph)
    shown = Shown(scene, Activity(graph.n, trace=_rings(scene)))
    FramePainter().last_frame(Request(shown, _camera(scene), 1.0, LIGHT))
    nearest_vertex(scene.positions, 0.0, 0.0, 1.0)
    layout(graph)


def _median(work: Callable[[], object], trials: int = TRIALS) -> float:
    """Median ms of ``trials`` runs after one that does not count."""
    work()
    times = []
    for _ in range(trials):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


if __name__ == "__main__":
    main()
