"""Scenes that test reproducible drawing, and the buffers of a view of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from solvers.devices.device import Device
from solvers.graphs.generators import find
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.raster.device import DrawingDevice, SliceBudget
from solvers.picture.raster.edge_buffers import EdgeBuffers, View
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.system.threads import ThreadTeam

SIZE = (640, 400)
SCENES = ("road", "hubs", "strays", "vertices")


@cache
def scene_of(name: str) -> DrawableGraph:
    """A road network; long edges round few hubs; self-loops and vertices without a
    place; no edge at all.
    """
    if name == "road":
        return build_scene(find("road").generate({"vertices": 20_000}))
    rng = np.random.default_rng(7)
    n, m = {"hubs": (2000, 15_000), "strays": (900, 4000), "vertices": (300, 0)}[name]
    tails, heads = rng.integers(0, n, m), (n * rng.random(m) ** 6).astype(np.int64)
    places = rng.normal(size=(n, 2)) * (1.0, 0.6)
    if name == "strays":
        heads[::5] = tails[::5]
        places[::9] = np.nan
        places[1::9] = places[1]
    return build_scene(
        Graph.from_arcs(n, tails, heads, np.ones(m, np.int32), coordinates=Coordinates(places))
    )


def view_of(
    scene: DrawableGraph, zoom: float, ratio: float, rows: tuple[int, int] | None = None
) -> View:
    """A view off the middle: zoomed in, all four borders cut lines."""
    camera = Camera.fitting(scene.bounds, *SIZE).zoomed(zoom, 0.47 * SIZE[0], 0.53 * SIZE[1])
    return View(scene, camera, ratio, rows)


def buffers_of(view: View, device: DrawingDevice | None = None) -> EdgeBuffers:
    """All edges in one slice."""
    buffers = EdgeBuffers(view, ThreadTeam(1), SliceBudget(), device)
    for _ in buffers.fill(at_once=True):
        pass
    return buffers


def drawing(device: Device) -> DrawingDevice:
    """A drawing device that is used whatever the number of line pixels."""
    return DrawingDevice(lambda: device, least_pixels=0.0)
