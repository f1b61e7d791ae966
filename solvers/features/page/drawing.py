"""What a page draws of a graph: its scene, laid out where it has no coordinates. No Qt."""

from __future__ import annotations

from collections.abc import Callable

from solvers.features.page.document import MOST_VERTICES, PageDrawing
from solvers.graphs.graph import Graph
from solvers.picture.layout.stress import layout
from solvers.picture.scene.lit_roads import RoadLevels
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.running.kept_results import UnopenedGraph


def page_drawing(graph: Graph, picture: Callable[[], bytes] = bytes) -> PageDrawing:
    """How a page draws a graph; one without coordinates is laid out, and a very large
    one is a ``picture``.

    Of a kept run whose graph is not open, nothing is drawn.
    """
    if isinstance(graph, UnopenedGraph):
        return PageDrawing(None)
    if graph.n > MOST_VERTICES:
        return PageDrawing(None, picture=picture())
    return PageDrawing(build_scene(graph, layout(graph) if graph.coordinates is None else None))


def drawing_of(scene: DrawableGraph, prominence: RoadLevels | None = None) -> PageDrawing:
    if prominence is None or not prominence.fits(scene):
        return PageDrawing(scene)
    return PageDrawing(scene, prominence.on(scene))
