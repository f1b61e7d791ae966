"""Arcs of a small graph bend around vertices that they don't touch."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from gui.painting.bends import arc_controls
from gui.painting.drawing import disc_radius, point_along
from gui.painting.overlay import polyline
from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import build_scene, detail_of
from tests.gui.pictures import graph_of

ROW = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0)]
AROUND = [(0, 1, 1), (1, 2, 1), (0, 3, 1)]


def bends_of(arcs, size=(600, 400)):
    scene = build_scene(graph_of([*AROUND, *arcs], ROW))
    camera = Camera.fitting(scene.bounds, *size, margin=0.15)
    detail = detail_of(scene, camera)
    assert detail is not None
    return scene, camera, detail, arc_controls(scene, camera, detail)


def gap(scene, camera, control, tail, head, vertex) -> float:
    """Pixels between a vertex and an arc."""
    points = [QPointF(*camera.to_screen(scene.positions[v])) for v in (tail, head, vertex)]
    along = [point_along(points[0], control, points[1], share) - points[2] for share in np.linspace(0, 1, 101)]
    return min(np.hypot(p.x(), p.y()) for p in along)


@pytest.mark.parametrize("arcs", [[(0, 2, 5)], [(0, 2, 5), (2, 0, 5)], [(0, 2, 5), (2, 0, 7)]])
@pytest.mark.parametrize("size", [(600, 400), (300, 200)])
def test_an_arc_passes_a_vertex_on_its_way(arcs, size):
    scene, camera, _, controls = bends_of(arcs, size)
    for tail, head, _weight in arcs:
        assert gap(scene, camera, controls[tail, head], tail, head, 1) > disc_radius(scene, camera) + 1.0


def test_opposite_arcs_of_one_weight_are_one_curve_and_others_lie_apart():
    *_, both = bends_of([(0, 2, 5), (2, 0, 5)])
    assert both[0, 2] == both[2, 0]
    *_, apart = bends_of([(0, 2, 5), (2, 0, 7)])
    assert (apart[0, 2].y() - apart[2, 0].y()) ** 2 > 40.0**2


def test_arcs_with_nothing_between_their_ends_are_straight():
    *_, controls = bends_of([])
    assert controls == {}


def test_a_path_follows_the_bend():
    scene, camera, detail, controls = bends_of([(0, 2, 5)])
    line = polyline(scene, np.array([0, 2]), camera, detail)
    middle = line.pointAtPercent(0.5)
    assert abs(middle.y() - camera.to_screen(scene.positions[1])[1]) > disc_radius(scene, camera)
    assert (0, 2) in controls
