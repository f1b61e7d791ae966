"""Where arcs bend, and where ids stand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF

from gui.painting.drawing import FIGURE_RADIUS, bend_point, disc_radius, id_fits, marker_label, point_along
from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import build_scene
from tests.gui.pictures import camera_for, graph_of


def test_opposite_arcs_of_two_weights_bend_apart():
    start, end = QPointF(0, 0), QPointF(100, 0)
    there = point_along(start, bend_point(start, end), end, 0.5)
    back = point_along(end, bend_point(end, start), start, 0.5)
    assert there.y() == pytest.approx(-back.y())
    assert abs(there.y()) > 10


def test_an_id_stands_inside_a_disc_that_is_large_enough_for_it():
    metrics = QFontMetricsF(QFont())
    assert id_fits(metrics, "1", 30.0)
    assert not id_fits(metrics, "1234567890", 30.0), "wider than the disc"
    assert not id_fits(metrics, "", 2.0), "too small for any"


@pytest.mark.parametrize("x", [0.0, 100.0, 180.0, 200.0])
@pytest.mark.parametrize("y", [0.0, 60.0, 120.0])
def test_the_id_beside_a_marker_in_view_is_not_cut_off(x: float, y: float):
    metrics, camera = QFontMetricsF(QFont()), Camera(0.0, 0.0, 1.0, 200.0, 120.0)
    at = marker_label(QPointF(x, y), 8.5, "3000", metrics, camera)
    assert at.x() >= 0
    assert at.x() + metrics.horizontalAdvance("3000") <= camera.width
    assert metrics.ascent() <= at.y() <= camera.height
    right = at.x() > x
    assert right == (x < 150.0), "to the right where there is room"


def test_an_id_does_not_lie_across_the_end_of_the_map():
    """New York's source, whose id is 1, had half of it on the map's border."""
    metrics, camera = QFontMetricsF(QFont()), Camera(0.0, 0.0, 1.0, 200.0, 120.0)
    plain = marker_label(QPointF(80.0, 60.0), 8.5, "3000", metrics, camera)
    border = plain.x() + 5.0
    assert marker_label(QPointF(80.0, 60.0), 8.5, "3000", metrics, camera, border).x() > border
    for beyond in (plain.x() - 1.0, plain.x() + metrics.horizontalAdvance("3000") + 1.0):
        assert marker_label(QPointF(80.0, 60.0), 8.5, "3000", metrics, camera, beyond) == plain


def test_discs_of_a_small_graph_do_not_overlap():
    """Sixteen vertices in a column had discs of the size that the long edges allow."""
    column = [(5.0, float(y)) for y in range(16)]
    graph = graph_of([(0, i, 1) for i in range(1, 17)], [(0.0, 8.0), *column])
    scene = build_scene(graph)
    camera = camera_for(scene)
    assert 2 * disc_radius(scene, camera) < camera.scale
    pair = build_scene(graph_of([(0, 1, 1)], [(0.0, 0.0), (1.0, 0.0)]))
    assert disc_radius(pair, camera_for(pair)) == FIGURE_RADIUS
