"""What a device brings to the picture: ``python -m tests.benchmarks.drawing [--device
cuda] [--sizes 1000000,...]``.

Measured, not asserted, and without Qt, so on a server with a GPU, too. The whole graph
in a view of 1280 x 800 logical pixels that moves on from one picture to the next: by
all cores, and by the device beside it; that both give the same pixels is looked at.
Medians by the clock, with least and most.
"""

from __future__ import annotations

import argparse
import time
from itertools import count

import numpy as np

from solvers.devices import pick
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.colours import LIGHT
from solvers.picture.raster.device import DrawingDevice
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import build_scene
from solvers.text import format_duration
from tests.benchmarks.graphs import graph_of, machine_line
from tests.benchmarks.timing import cells, timed

SIZES = (1_000_000, 3_600_000)
VIEW = (1280, 800)
RATIOS = (1.0, 2.0)
ZOOMS = (1.0, 20.0)
TRIALS = 9
PAN = 37.0  # logical pixels between two pictures
LONG = (50_000, 200_000)  # vertices and edges of a graph whose edges cross the view


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the raster by processor and by device.")
    parser.add_argument(
        "--sizes",
        default=",".join(map(str, SIZES)),
        help="numbers of vertices, separated by commas",
    )
    parser.add_argument("--device", default="auto", help="auto, cuda, opencl, cuda:0 ...")
    options = parser.parse_args()
    device = pick(options.device)
    print(machine_line(device.name, f"median (least – greatest) of {TRIALS}, {VIEW}"))
    print(f"{'graph':<26}{'edges':>12}{'view':>10}{'processor':>30}{'device':>30}")
    for vertices in map(int, options.sizes.split(",")):
        _report(
            f"road:{vertices}", graph_of(f"road:{vertices}"), DrawingDevice(lambda: device, 0.0)
        )
    _report("long edges", _long_edges(), DrawingDevice(lambda: device, 0.0))


def _report(name: str, graph: Graph, device: DrawingDevice) -> None:
    scene = build_scene(graph)
    start = time.perf_counter()
    if not device.wait(scene):
        raise SystemExit("The device does not take the edges.")
    sent = format_duration(1000 * (time.perf_counter() - start))
    print(f"{name:<26}{scene.edges:>12,}{'sent':>10}{'':>30}{sent:>30}")
    content = PictureContent(scene, Activity(graph.n))
    for zoom in ZOOMS:
        for ratio in RATIOS:
            ours, theirs = (
                _pictures(content, zoom, ratio, drawing_device) for drawing_device in (None, device)
            )
            same = "" if np.array_equal(ours[1].pixels, theirs[1].pixels) else "   PIXELS DIFFER"
            view = f"{zoom:.0f}x, {ratio:.0f}x"
            print(
                f"{name:<26}{scene.edges:>12,}{view:>10}{ours[0]:>30}{theirs[0]:>30}{same}",
                flush=True,
            )


def _pictures(
    content: PictureContent, zoom: float, ratio: float, device: DrawingDevice | None
) -> tuple[str, Frame]:
    """Times in words, and the last picture."""
    painter = FramePainter(device=device)
    frames, turns = list[Frame](), count()
    camera = Camera.fitting(content.scene.bounds, *VIEW).zoomed(zoom, VIEW[0] / 2, VIEW[1] / 2)

    def draw() -> None:
        moved = camera.panned(PAN * (-1) ** next(turns), 0.0)
        frames[:] = [painter.last_frame(Request(content, moved, ratio, LIGHT))]

    times = timed(draw, TRIALS)
    return "{} ({})".format(*cells(times.clock)), frames[0]


def _long_edges() -> Graph:
    """Like a social network on a layout that does not fit it: few hubs, and edges from
    side to side.
    """
    n, m = LONG
    rng = np.random.default_rng(1)
    heads = (n * rng.random(m) ** 4).astype(np.int64)
    places = Coordinates(rng.normal(size=(n, 2)))
    return Graph.from_arcs(
        n, rng.integers(0, n, m), heads, np.ones(m, np.int32), coordinates=places
    )


if __name__ == "__main__":
    main()
