"""The whole picture as screen and export paint it: path, negative cycle, and the lesson of a small graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from gui.painting.drawing import bend_point, point_along
from gui.painting.picture import paint_graph
from gui.picture.scene.content import PictureContent
from gui.style.colours import LIGHT
from tests.gui.pictures import camera_for, content_of, frame_of, graph_of, is_like, textbook, watched

SIZE = (640, 480)


def painted(content: PictureContent) -> np.ndarray:
    """(h, w) ARGB of a graph as screen and export paint it."""
    camera = camera_for(content.scene, SIZE)
    frame = frame_of(content, camera=camera)
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    paint_graph(painter, frame, camera, content, LIGHT)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]).copy()


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


def test_the_picture_shows_the_frontier_the_improved_arc_and_hides_the_path_until_the_end():
    content = watched(textbook(), "dijkstra-heap")
    camera = camera_for(content.scene, SIZE)
    middle, end = (painted(replace(content, position=k)) for k in (1, content.activity.last))
    x, y = camera.to_screen(content.scene.positions[1]).round().astype(int)
    assert is_like(middle, LIGHT.frontier, 8)[y - 12 : y - 6, x - 4 : x + 4].any()
    ends = camera.to_screen(content.scene.positions[[1, 4]])
    on_arc = (ends[0] + 0.3 * (ends[1] - ends[0])).round().astype(int)
    assert is_like(middle, LIGHT.good, 16)[on_arc[1] - 2 : on_arc[1] + 3, on_arc[0] - 2 : on_arc[0] + 3].any()
    assert not is_like(middle, LIGHT.path, 8).any()
    assert is_like(end, LIGHT.path, 8).any()


def test_the_arc_of_the_lessons_step_is_marked_and_no_other():
    content = replace(watched(textbook(), "dijkstra-heap"), position=0)
    plain, marked = (painted(replace(content, step_arc=arc)) for arc in (None, (0, 1)))
    changed = plain != marked
    start, end = camera_for(content.scene, SIZE).to_screen(content.scene.positions[[0, 1]])
    along = (end - start) / np.hypot(*(end - start))
    x, y = ((start + end) / 2 + 5.0 * np.array([-along[1], along[0]])).round().astype(int)
    assert changed[y, x]
    rows, columns = np.nonzero(changed)
    low, high = np.minimum(start, end) - 12, np.maximum(start, end) + 12
    assert columns.min() >= low[0]
    assert columns.max() <= high[0]
    assert rows.min() >= low[1]
    assert rows.max() <= high[1]


def test_heads_of_a_negative_cycle_are_whole_and_nothing_of_the_arcs_beneath_is_left():
    square = [(0, 0), (3, 0), (3, 3), (0, 3)]
    content = content_of(graph_of([(i, (i + 1) % 4, -1) for i in range(4)], square), cycle=(0, 1, 2, 3))
    bare, with_cycle = painted(replace(content, cycle=())), painted(content)
    camera = camera_for(content.scene, SIZE)
    corners = camera.to_screen(content.scene.positions)
    for i in range(4):
        start, end = corners[i], corners[(i + 1) % 4]
        along = (end - start) / np.hypot(*(end - start))
        across = np.array([-along[1], along[0]])
        band = [end - along * (23 + a) + across * b for a in range(6, 11) for b in (-2, -1, 0, 1, 2)]
        places = np.array(band).round().astype(int)
        assert is_like(with_cycle, LIGHT.cycle, 12)[places[:, 1], places[:, 0]].mean() > 0.9, "a filled head"
    rows, columns = np.indices(bare.shape)
    middles = (corners + np.roll(corners, 1, axis=0)) / 2
    places = [*corners, *middles]  # of discs and weights
    clear = np.all([np.hypot(columns - x, rows - y) > 26 for x, y in places], axis=0)
    beneath, left = (is_like(pixels, LIGHT.edge_dense, 12) & clear for pixels in (bare, with_cycle))
    assert beneath.sum() > 30
    assert not left.any(), "nothing of the arcs beneath is left"
