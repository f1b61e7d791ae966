"""What the exporter of pages needs to know of a picture: places, drawn roads, and the
tables of colours. No Qt.

The page draws by the same rules as `solvers.picture.raster`, with these very tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from solvers.graphs.graph import Graph
from solvers.page.document import MOST_VERTICES, PageDrawing, PageScene, SchemeColours
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.layout.stress import layout
from solvers.picture.raster.pixel_colours import make_tones
from solvers.picture.scene.prominence import Prominence
from solvers.picture.scene.scene import MOST_DETAILED, DrawableGraph, build_scene
from solvers.running.store.recorder import UnopenedGraph


def page_drawing(graph: Graph, picture: Callable[[], bytes] = bytes) -> PageDrawing:
    """How a page draws a graph; one without coordinates is laid out, and a very large
    one is a ``picture``.

    Of a kept run whose graph is not open, nothing is drawn.
    """
    unopened = isinstance(graph, UnopenedGraph)
    if unopened or graph.n > MOST_VERTICES:
        looks = _look(LIGHT, prominent=False), _look(DARK, prominent=False)
        return PageDrawing(*looks, None, b"" if unopened else picture())
    return drawing_of(build_scene(graph, layout(graph) if graph.coordinates is None else None))


def drawing_of(scene: DrawableGraph, prominence: Prominence | None = None) -> PageDrawing:
    bounds, curves = scene.bounds, scene.curves
    prominent = prominence is not None and prominence.fits(scene)
    drawn = PageScene(
        scene.positions,
        scene.ends,
        scene.edges,
        scene.mean_length,
        (bounds.x0, bounds.y0, bounds.x1, bounds.y1),
        scene.metres_per_unit,
        segments=None if curves is None else scene.segments,
        roads=None if curves is None else curves.roads,
        sizes=scene.sizes,
        levels=prominence.on(scene) if prominence is not None and prominent else None,
        spacing=scene.spacing if scene.graph.n <= MOST_DETAILED else 0.0,
    )
    return PageDrawing(_look(LIGHT, prominent=prominent), _look(DARK, prominent=prominent), drawn)


def _look(tokens: Tokens, *, prominent: bool) -> SchemeColours:
    faint = make_tones(tokens, faint=True, prominent=prominent)
    bare = make_tones(tokens, prominent=prominent)
    colours = {name: value for name, value in asdict(tokens).items() if isinstance(value, str)}
    return SchemeColours(
        colours, faint.shades, faint.edges, bare.edges, faint.shade_alphas.astype(np.uint32)
    )
