"""Where a page draws the arcs of a small graph and their weights: as the close view of the
window has them, in shares that hold at any size.
"""

from __future__ import annotations

import numpy as np

from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT
from solvers.picture.overlay.labels import labels_of
from solvers.picture.overlay.view import LabelStyles, OverlayView
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import ArcCurve, arc_controls, disc_radius
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import SHORTEST_MEAN_EDGE, DrawableGraph, detail_of
from solvers.system.array_types import Float64s

_SIZE = 760.0, 520.0  # pixels of the view for which they are computed, at least
_ROOM = 1.2  # of the shortest mean edge
_SHARES = np.linspace(0.1, 0.9, 33)


def arc_places(scene: DrawableGraph, graph: Graph) -> tuple[Float64s, Float64s] | None:
    """How far each arc of ``graph`` bends to its right at its control point, as a share of
    its length, and at which share of it its weight stands, -1 for nowhere: (m,) each.

    None for a graph whose arcs are not drawn one by one.
    """
    from solvers.picture.letters import PillowTextSizes  # imports Pillow, which is slow

    camera = Camera.fitting(scene.bounds, *_SIZE)
    edge = scene.mean_length * camera.scale
    if scene.edges and edge < _ROOM * SHORTEST_MEAN_EDGE:
        camera = Camera.fitting(
            scene.bounds, *(side * _ROOM * SHORTEST_MEAN_EDGE / edge for side in _SIZE)
        )
    if (detail := detail_of(scene, camera)) is None:
        return None
    content = PictureContent(scene, Activity(scene.graph.n))
    view = OverlayView(camera, content, LIGHT, PillowTextSizes(), detail)
    points = view.points_of(np.arange(scene.graph.n))
    at = (points[:, 0] + 1j * points[:, 1]).tolist()
    controls = arc_controls(scene, camera, detail)
    roads = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    shares = {
        (arc.tail, arc.head): _share(
            _curve(at[arc.tail], controls.get((arc.tail, arc.head)), at[arc.head]), box.middle
        )
        for arc, box in labels_of(view, LabelStyles.of(disc_radius(scene, camera))).weights
    }
    bends = {
        road: ((control - (at[road[0]] + at[road[1]]) / 2) / (at[road[1]] - at[road[0]])).imag
        for road, control in controls.items()
        if at[road[0]] != at[road[1]]
    }
    return (
        np.array([bends.get(road, 0.0) for road in roads]),
        np.array([shares.get(road, -1.0) for road in roads]),
    )


def _curve(start: complex, control: complex | None, end: complex) -> ArcCurve:
    return ArcCurve(start, (start + end) / 2 if control is None else control, end)


def _share(curve: ArcCurve, at: complex) -> float:
    """The parameter of a curve's point nearest to one beside it."""
    return min(_SHARES.tolist(), key=lambda share: abs(curve.at(share) - at))
