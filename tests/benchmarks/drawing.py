"""What a device brings to the picture: ``python -m tests.benchmarks.drawing [--device
cuda] [--sizes 1000000,...]``.

Measured, not asserted, and without Qt, so on a server with a GPU, too. All edges in a
view of 1280 x 800 logical pixels, drawn anew each time: by all cores, and by the device
beside it, its buffers copied back; that both give the same pixels is looked at. The
copy of the edges to the device, once a scene, is measured apart. Medians by the clock,
with least and most.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np

from solvers.devices import pick
from solvers.devices.device import Device
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.raster.device import DeviceRaster, DrawingDevice, SliceBudget
from solvers.picture.raster.edge_buffers import EdgeBuffers, View
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.scene import build_scene
from solvers.system.threads import ThreadTeam
from tests.benchmarks.graphs import graph_of, machine_line
from tests.benchmarks.timing import cells, timed

SIZES = (1_000_000, 3_600_000)
VIEW = (1280, 800)
RATIOS = (1.0, 2.0)
ZOOMS = (1.0, 20.0)
TRIALS = 15
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
            f"road:{vertices}",
            graph_of(f"road:{vertices}"),
            DrawingDevice(lambda: device, 0.0),
            device,
        )
    _report("long edges", _long_edges(), DrawingDevice(lambda: device, 0.0), device)


def _report(name: str, graph: Graph, device: DrawingDevice, own: Device) -> None:
    scene = build_scene(graph)
    if not device.wait(scene):
        raise SystemExit("The device does not take the edges.")

    def copy() -> None:
        with own.session() as session:
            DeviceRaster(session, scene.segments)
            session.synchronize()

    print(f"{name:<26}{scene.edges:>12,}{'copy':>10}{'':>30}{_in_words(copy):>30}")
    team = ThreadTeam()
    for zoom in ZOOMS:
        for ratio in RATIOS:
            camera = Camera.fitting(scene.bounds, *VIEW).zoomed(zoom, VIEW[0] / 2, VIEW[1] / 2)
            view = View(scene, camera, ratio, with_detail=False)
            drawn: list[EdgeBuffers] = []

            def draw(
                by: DrawingDevice | None, view: View = view, drawn: list[EdgeBuffers] = drawn
            ) -> None:
                buffers = EdgeBuffers(view, team, SliceBudget(), by)
                for _ in buffers.fill(at_once=True):
                    pass
                drawn.append(buffers)

            words = [_in_words(partial(draw, by)) for by in (None, device)]
            same = np.array_equal(drawn[0].density, drawn[-1].density)
            remark = "" if same else "   PIXELS DIFFER"
            shown = f"{zoom:.0f}x, {ratio:.0f}x"
            print(
                f"{name:<26}{scene.edges:>12,}{shown:>10}{words[0]:>30}{words[1]:>30}{remark}",
                flush=True,
            )


def _in_words(work: Callable[[], object]) -> str:
    return "{} ({})".format(*cells(timed(work, TRIALS).clock))


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
