"""Close by: which arcs are drawn one by one, and that what is drawn leads where it should."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from gui.painting.geometry import bend_point, point_along
from gui.painting.overlay import polyline
from gui.painting.picture import paint_graph
from gui.picture.scene.camera import Camera
from gui.picture.scene.detail import MOST_ARCS, MOST_VERTICES, Course, detail_of
from gui.picture.scene.scene import build_scene
from gui.style.tokens import LIGHT
from solvers.graphs.graph import Coordinates, Graph
from tests.gui.pictures import camera_for, content_of, frame_of, graph_of, is_like, street_grid

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = (640, 480)


def painted(content) -> np.ndarray:
    """(h, w) ARGB of a graph as screen and export paint it."""
    camera = camera_for(content.scene, SIZE)
    frame = frame_of(content, camera=camera)
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    paint_graph(painter, frame, camera, content, LIGHT)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]).copy()


def test_parallel_arcs_show_the_least_weight():
    scene = build_scene(graph_of([(0, 1, 7), (0, 1, 3)], [(0, 0), (1, 0)]))
    (arc,) = detail_of(scene, camera_for(scene)).arcs
    assert (arc.tail, arc.head, arc.weight, arc.course) == (0, 1, 3.0, Course.ONE_WAY)


def test_opposite_arcs_of_one_weight_are_one_line():
    scene = build_scene(graph_of([(0, 1, 3), (1, 0, 3)], [(0, 0), (1, 0)]))
    assert [arc.course for arc in detail_of(scene, camera_for(scene)).arcs] == [Course.BOTH_WAYS]


def test_opposite_arcs_of_two_weights_bend_apart():
    start, end = QPointF(0, 0), QPointF(100, 0)
    there = point_along(start, bend_point(start, end), end, 0.5)
    back = point_along(end, bend_point(end, start), start, 0.5)
    assert there.y() == pytest.approx(-back.y())
    assert abs(there.y()) > 10


def test_only_a_close_view_of_a_large_graph_has_detail():
    scene = build_scene(street_grid(100, 100))
    far = camera_for(scene, SIZE)
    assert detail_of(scene, far) is None
    near = detail_of(scene, far.zoomed(12.0, 320, 240))
    assert 0 < len(near.vertices) <= MOST_VERTICES
    assert near.arcs


def test_too_many_arcs_are_left_to_the_raster():
    rng = np.random.default_rng(0)
    tails, heads = rng.integers(0, 50, (2, 3 * MOST_ARCS))
    places = Coordinates(rng.random((50, 2)))
    graph = Graph.from_arcs(50, tails, heads, np.ones(len(tails), np.int32), coordinates=places)
    content = content_of(graph)
    frame = frame_of(content, camera=camera_for(content.scene, SIZE))
    assert frame.detail.arcs == ()
    assert len(frame.detail.vertices) == 50
    assert len(np.unique(frame.pixels)) > 10


def test_the_path_follows_a_bent_arc():
    content = content_of(
        graph_of([(0, 1, 2), (1, 0, 5)], [(0, 0), (4, 0)]), path=np.array([0, 1], np.int32), source=0, target=1
    )
    orange = is_like(painted(content), LIGHT.path)
    camera = camera_for(content.scene, SIZE)
    start, end = (QPointF(*camera.to_screen(content.scene.positions[v])) for v in (0, 1))
    on_curve = point_along(start, bend_point(start, end), end, 0.6)
    assert orange[round(on_curve.y()), round(on_curve.x())]
    straight = point_along(start, (start + end) / 2, end, 0.6)
    assert not orange[round(straight.y()), round(straight.x())]


def test_the_negative_cycle_is_dashed_and_closed():
    square = [(0, 0), (3, 0), (3, 3), (0, 3)]
    content = content_of(graph_of([(i, (i + 1) % 4, -1) for i in range(4)], square), cycle=(0, 1, 2, 3))
    pink = is_like(painted(content), LIGHT.cycle, 12)
    corners = camera_for(content.scene, SIZE).to_screen(content.scene.positions)
    for i in range(4):
        along = np.linspace(corners[i], corners[(i + 1) % 4], 200)[30:100]
        hits = pink[along[:, 1].round().astype(int), along[:, 0].round().astype(int)]
        assert 0.3 < hits.mean() < 0.97


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array([[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]])
    line = polyline(positions, np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(nowhere, np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))
