"""How long the canvas takes: ``python -m tests.benchmarks.canvas [--sizes 100000,3600000]``.

Measured, not asserted. Road networks of the generator, a view of 1280 x 800 logical
pixels that shows the whole graph, at one and two device pixels per logical one,
offscreen. Every piece of work runs once before it is timed, so that compilation is not
in the figures. Medians by the clock, and in brackets the processor time of all threads:
on a machine that has other work to do, half of that on two cores is what an idle one
would take.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

from PySide6.QtGui import QGuiApplication, QImage, QPainter

from gui.model.playback import PICTURES_PER_SECOND
from gui.painting.picture import paint_graph
from gui.panels.play_state import activity
from gui.panels.scrubber import peaks, wants_log
from gui.style.text import use_typeface
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.errors import Cancelled
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.road_flows import RoadFlows
from solvers.features.prominence.roads import Prominence
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT
from solvers.picture.layout.stress import layout
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.system.cancel import CancelToken, Progress
from solvers.text import format_duration
from tests.benchmarks.graphs import machine_line
from tests.benchmarks.timing import timed

SIZES = (100_000, 1_000_000, 3_600_000, 24_000_000)
VIEW = (1280, 800)
RATIOS = (1.0, 2.0)
TRIALS = 9
BUILDS = 3
RINGS = 400  # iterations of the trace that is scrubbed
FIT_S = 15.0
PAN = 37.0  # logical pixels that the view moves between two pictures
LAID_OUT_UPTO = 100_000  # vertices


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the canvas.")
    parser.add_argument(
        "--sizes",
        default=",".join(map(str, SIZES)),
        help="numbers of vertices, separated by commas",
    )
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    application = QGuiApplication([])  # text and images cannot be painted without
    use_typeface(application)
    _warm_up()
    print(machine_line(f"median of {TRIALS} by the clock (of all processors), {VIEW}"))
    print(f"{'work':<36}{'vertices':>12}{'edges':>12}{'1x':>24}{'2x':>24}")
    for vertices in sizes:
        _report(find("road").generate({"vertices": vertices}))
    application.quit()


def _report(graph: Graph) -> None:
    """The lines of one graph."""
    scene = build_scene(graph)

    def line(work: str, *figures: object) -> None:
        shown = "".join(f"{figure!s:>24}" for figure in figures)
        print(f"{work:<36}{graph.n:>12,}{scene.edges:>12,}{shown}", flush=True)

    line("scene", _median(lambda: build_scene(graph), BUILDS))
    line("scene, cancelled half-way", f"{_answer_to_cancel(graph):.0f} ms to stop")
    bare = PictureContent(scene, Activity(graph.n))
    line(
        "scene and first picture",
        *(_median(partial(_first, graph, ratio), BUILDS) for ratio in RATIOS),
    )
    line(
        "whole picture", *(_picture(bare, ratio, 1.0, FramePainter.last_frame) for ratio in RATIOS)
    )
    line("first slice while panning", *(_picture(bare, ratio, 1.0, _slice) for ratio in RATIOS))
    line(
        "whole picture, zoomed 4 times",
        *(_picture(bare, ratio, 4.0, FramePainter.last_frame) for ratio in RATIOS),
    )
    line(
        "whole picture, zoomed 20 times",
        *(_picture(bare, ratio, 20.0, FramePainter.last_frame) for ratio in RATIOS),
    )
    great = replace(
        bare, prominence=Prominence.of_flows(graph, _flows(graph).flows.arcs.astype(np.float32))
    )
    for zoom in (1.0, 4.0):
        pictures = (_picture(great, ratio, zoom, FramePainter.last_frame) for ratio in RATIOS)
        line(f"whole picture, great roads lit, zoom {zoom:g}", *pictures)
    line("old image moved at once", *(_move(bare, ratio) for ratio in RATIOS))
    content = replace(bare, activity=Activity(graph.n, trace=_rings(scene)))
    line("step to any iteration", *(_scrub(content, ratio) for ratio in RATIOS))
    line(
        "step to any iteration, over flows",
        *(_scrub(replace(content, flows=_flows(graph)), ratio) for ratio in RATIOS),
    )
    settled = replace(content, activity=Activity(graph.n, trace=_settled(scene)))
    fit = replace(settled, gathered=round(graph.n / (FIT_S * PICTURES_PER_SECOND)))
    line("step of a run that settles one by one", *(_scrub(settled, ratio) for ratio in RATIOS))
    line(f"step of it, fit to {FIT_S:g} s", *(_scrub(fit, ratio) for ratio in RATIOS))
    line("curve of its frontier, 900 pixels", _median(lambda: _curve(settled)))
    line("picking", _pick(scene))
    if graph.n <= LAID_OUT_UPTO:
        line("layout, were there no coordinates", _median(lambda: layout(graph), 1))
    if sys.platform == "linux":
        line("most memory so far", f"{_peak_gb():.1f} GB")


def _first(graph: Graph, ratio: float) -> None:
    """What lies between a graph that was read and a picture of it."""
    scene = build_scene(graph)
    _slice(
        FramePainter(),
        Request(PictureContent(scene, Activity(graph.n)), _camera(scene), ratio, LIGHT),
    )


def _slice(painter: FramePainter, request: Request) -> None:
    next(iter(painter.frames(request)))


def _picture(
    content: PictureContent,
    ratio: float,
    zoom: float,
    draw: Callable[[FramePainter, Request], object],
) -> str:
    """Pictures of a view that moves on from one to the next."""
    painter = FramePainter()
    camera = _camera(content.scene).zoomed(zoom, VIEW[0] / 2, VIEW[1] / 2)
    shifts = iter(PAN * ((-1) ** i) for i in range(TRIALS + 1))
    return _median(
        lambda: draw(painter, Request(content, camera.panned(next(shifts), 0.0), ratio, LIGHT))
    )


def _move(content: PictureContent, ratio: float) -> str:
    """What a pan or a zoom shows before there is a new picture: the old one in its new place."""
    camera = _camera(content.scene)
    frame = FramePainter().last_frame(Request(content, camera, ratio, LIGHT))
    width, height = (int(side * ratio) for side in VIEW)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)

    def paint() -> None:
        painter = QPainter(image)
        paint_graph(painter, frame, camera.panned(PAN, PAN), content, LIGHT)
        painter.end()

    return _median(paint)


def _scrub(content: PictureContent, ratio: float) -> str:
    painter, camera = FramePainter(), _camera(content.scene)
    painter.last_frame(Request(content, camera, ratio, LIGHT))
    positions = iter(np.random.default_rng(1).integers(0, content.activity.last + 1, TRIALS + 1))
    return _median(
        lambda: painter.last_frame(
            Request(replace(content, position=int(next(positions))), camera, ratio, LIGHT)
        )
    )


def _flows(graph: Graph) -> RoadFlows:
    arcs = np.random.default_rng(1).pareto(1.0, graph.m)
    return RoadFlows(
        Flows(AllSourcesRequest(graph), arcs, np.zeros(graph.n), float(arcs.max()), "benchmark")
    )


def _pick(scene: DrawableGraph) -> str:
    points = iter(np.random.default_rng(2).random((TRIALS + 1, 2)) - 0.5)
    radius = 12.0 / _camera(scene).scale

    def pick() -> int:
        x, y = next(points)
        return scene.grid.nearest(x, y, radius)

    return _median(pick)


def _answer_to_cancel(graph: Graph) -> float:
    """ms from a cancel in the middle of a scene's making to its end."""
    start = time.perf_counter()
    build_scene(graph)
    token = CancelToken()
    asked: list[float] = []

    def cancel() -> None:
        asked.append(time.perf_counter())
        token.cancel()

    timer = threading.Timer((time.perf_counter() - start) / 2, cancel)
    timer.start()
    try:
        build_scene(graph, progress=Progress(token))
    except Cancelled:
        return 1000 * (time.perf_counter() - asked[0])
    finally:
        timer.cancel()
    return 0.0  # done before it was asked to stop


def _camera(scene: DrawableGraph) -> Camera:
    return Camera.fitting(scene.bounds, *VIEW)


def _rings(scene: DrawableGraph) -> ActivityTrace:
    """A trace that runs outwards from the middle in rings of equal width."""
    away = np.hypot(scene.positions[:, 0], scene.positions[:, 1])
    ring = np.minimum(RINGS - 1, (away / away.max() * RINGS).astype(np.int16))
    order = np.argsort(ring, kind="stable")
    recorder = TraceRecorder(len(ring))
    for frontier in np.split(order, np.searchsorted(ring[order], np.arange(1, RINGS))):
        recorder.iteration(frontier, len(frontier), len(frontier), 0.0)
    return recorder.finish()


def _settled(scene: DrawableGraph) -> ActivityTrace:
    """A trace that settles one vertex an iteration, outwards from the middle, as
    Dijkstra's algorithm does.
    """
    away = np.hypot(scene.positions[:, 0], scene.positions[:, 1])
    recorder = TraceRecorder(len(away))
    ones = np.ones(len(away), np.int64)
    recorder.iterations(
        np.arange(len(away) + 1), np.argsort(away).astype(np.int32), ones, ones, np.zeros(len(away))
    )
    return recorder.finish()


def _curve(content: PictureContent) -> None:
    """What the slider of the play bar computes for its bars."""
    values = activity(content.activity.trace)
    wants_log(values)
    peaks(values, 900)


def _warm_up() -> None:
    """Compile everything on a small graph."""
    graph = find("road").generate({"vertices": 4000})
    scene = build_scene(graph)
    content = PictureContent(scene, Activity(graph.n, trace=_rings(scene)))
    _scrub(content, 1.0)
    _pick(scene)
    layout(graph)


def _median(work: Callable[[], object], trials: int = TRIALS) -> str:
    """Medians by the clock and of the processor."""
    clock, processor = timed(work, trials).medians
    return f"{format_duration(clock)} ({format_duration(processor)})"


def _peak_gb() -> float:
    """Most memory that the process held at any time, the generator's included."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
