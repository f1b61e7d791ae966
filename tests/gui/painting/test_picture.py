"""The whole picture as screen and export paint it: path, negative cycle, lesson, bends
of arcs, and ids.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from gui.controllers.kernel_faults import wrong_values
from gui.painting import close_view
from gui.painting.close_view import DetailPainter
from gui.painting.drawing import PaintedView, id_fits, marker_label
from gui.painting.picture import paint_graph
from solvers.core.pseudocode import Step
from solvers.notebook.picture import Picture as NotebookPicture
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Area, Shape, Stroke
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import ArcCurve, bend_point, disc_radius
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import FIGURE_RADIUS
from solvers.picture.scene.lesson import LessonStep, StepProgress
from solvers.picture.scene.scene import build_scene, detail_of
from solvers.running.kernel_check import Deviation, Looks
from tests.gui.pictures import (
    camera_for,
    content_of,
    frame_of,
    graph_of,
    is_like,
    painted,
    textbook,
    watched,
)

SIZE = (640, 480)


def whole(content: PictureContent, tokens: Tokens = LIGHT) -> np.ndarray:
    """(h, w) ARGB of a graph as screen and export paint it."""
    camera = camera_for(content.scene, SIZE)
    frame = frame_of(content, camera=camera)
    return painted(SIZE, lambda painter: paint_graph(painter, frame, camera, content, tokens))


def test_the_path_follows_a_bent_arc():
    content = content_of(
        graph_of([(0, 1, 2), (1, 0, 5)], [(0, 0), (4, 0)]),
        path=np.array([0, 1], np.int32),
        source=0,
        target=1,
    )
    orange = is_like(whole(content), LIGHT.path)
    camera = camera_for(content.scene, SIZE)
    start, end = (complex(*camera.to_screen(content.scene.positions[v])) for v in (0, 1))
    on_curve = ArcCurve(start, bend_point(start, end), end).at(0.6)
    assert orange[round(on_curve.imag), round(on_curve.real)]
    straight = ArcCurve(start, (start + end) / 2, end).at(0.6)
    assert not orange[round(straight.imag), round(straight.real)]


def test_the_negative_cycle_is_dashed_and_closed():
    square = [(0, 0), (3, 0), (3, 3), (0, 3)]
    content = content_of(
        graph_of([(i, (i + 1) % 4, -1) for i in range(4)], square), cycle=(0, 1, 2, 3)
    )
    pink = is_like(whole(content), LIGHT.cycle, 12)
    corners = camera_for(content.scene, SIZE).to_screen(content.scene.positions)
    for i in range(4):
        along = np.linspace(corners[i], corners[(i + 1) % 4], 200)[30:100]
        hits = pink[along[:, 1].round().astype(int), along[:, 0].round().astype(int)]
        assert 0.3 < hits.mean() < 0.97


def test_the_picture_shows_the_frontier_the_improved_arc_and_hides_the_path_until_the_end():
    content = watched(textbook(), "dijkstra-heap")
    camera = camera_for(content.scene, SIZE)
    middle, end = (whole(replace(content, position=k)) for k in (1, content.activity.last))
    x, y = camera.to_screen(content.scene.positions[1]).round().astype(int)
    assert is_like(middle, LIGHT.frontier, 8)[y - 12 : y - 6, x - 4 : x + 4].any()
    ends = camera.to_screen(content.scene.positions[[1, 4]])
    on_arc = (ends[0] + 0.3 * (ends[1] - ends[0])).round().astype(int)
    assert is_like(middle, LIGHT.good, 16)[
        on_arc[1] - 2 : on_arc[1] + 3, on_arc[0] - 2 : on_arc[0] + 3
    ].any()
    assert not is_like(middle, LIGHT.path, 8).any()
    assert is_like(end, LIGHT.path, 8).any()


SELECTED, RELAXED = LessonStep(Step.SELECT, ""), LessonStep(Step.IMPROVE, "", (0, 1))


def test_the_arc_of_the_lessons_step_is_marked_and_no_other():
    content = replace(watched(textbook(), "dijkstra-heap"), position=0)
    plain, marked = (
        whole(replace(content, lesson_step=replace(content.lesson, progress=progress)))
        for progress in (StepProgress((step,), (step,)) for step in (SELECTED, RELAXED))
    )
    changed = plain != marked
    start, end = camera_for(content.scene, SIZE).to_screen(content.scene.positions[[0, 1]])
    along = (end - start) / np.hypot(*(end - start))
    x, y = ((start + end) / 2 + 5.0 * np.array([-along[1], along[0]])).round().astype(int)
    assert changed[y, x]
    places = np.argwhere(changed)[:, ::-1]
    assert (places >= np.minimum(start, end) - 12).all()
    assert (places <= np.maximum(start, end) + 12).all()


def test_arcs_that_leave_the_view_keep_state_dashes_heads_and_weights():
    """Zoomed in, they were plain grey lines."""
    content = replace(watched(textbook(), "dijkstra-heap"), position=2)  # relaxes 5
    camera = camera_for(content.scene, SIZE)
    camera = camera.zoomed(5.0, *camera.to_screen(content.scene.positions[4]))
    frame = frame_of(content, camera=camera)
    assert frame.detail.vertices.tolist() == [4]
    picture = painted(SIZE, lambda painter: paint_graph(painter, frame, camera, content, LIGHT))
    centre = camera.to_screen(content.scene.positions[4])
    for head, colour, drawn in (
        (1, LIGHT.frontier, (0.4, 0.9)),
        (2, LIGHT.good, (0.75, 1.0)),
        (6, LIGHT.good, (0.75, 1.0)),
    ):
        towards = camera.to_screen(content.scene.positions[head]) - centre
        room = np.where(towards > 0, SIZE - centre, centre)
        edge = (room / np.maximum(np.abs(towards), 1e-9)).min()
        along = centre + np.linspace(0.2, 0.9, 300)[:, None] * edge * towards
        like = is_like(picture, colour, 40)
        x, y = along.round().astype(int).T
        on_line = like[y, x].mean()
        assert drawn[0] < on_line < drawn[1], "dashes are not a line, and a weight lies on it"
        away = np.argwhere(like)[:, ::-1] - (centre + edge * towards)
        across = np.abs(away @ [-towards[1], towards[0]]) / np.hypot(*towards)
        assert across[np.hypot(*away.T) < 24].max() > 3.0, "a head is wider than its line"


def test_a_curve_is_cut_where_it_leaves_the_view():
    """Dashes of an arc that is a million pixels long would take seconds."""
    curve, view = ArcCurve(0, 5e6 + 4e6j, 1e7 + 8e6j), Bounds(0, 0, *SIZE)
    seen = curve.within(view)
    assert seen.end.real == pytest.approx(600, abs=30)
    assert curve.reversed().within(view).start.real == pytest.approx(600, abs=30)
    assert curve.within(Bounds(-500, 0, -100, 400)) is None
    bent = ArcCurve(-100 + 400j, 320 - 200j, 740 + 400j)
    seen = bent.within(view)
    assert (seen.start.real, seen.end.real) == pytest.approx((0, 640))
    assert seen.at(0.5).imag == pytest.approx(100)
    above = Bounds(0, 150, 640, 480)  # the middle of the curve lies above it
    assert bent.within(above).start.real == pytest.approx(seen.start.real)
    assert bent.within(Bounds(0, -50, 640, 50)) is None


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_what_a_fault_looks_like_differs_in_shape(tokens: Tokens):
    graph = textbook()
    content = content_of(graph, source=0)
    right = np.arange(graph.n, dtype=np.float64)
    got = right + (right == 1)
    shapes = []
    for looks in set(Looks) - {Looks.FAILED}:
        found = Deviation(graph, 0, looks, np.array([1]), got, right, vertex=1, arc=(0, 1))
        shapes.append(
            is_like(whole(replace(content, values=wrong_values(found)), tokens), tokens.text, 12)
        )
    for one, other in itertools.combinations(shapes, 2):
        assert (one != other).sum() > 20, "told apart without colours"


def test_heads_of_a_negative_cycle_are_whole_and_nothing_of_the_arcs_beneath_is_left():
    square = [(0, 0), (3, 0), (3, 3), (0, 3)]
    content = content_of(
        graph_of([(i, (i + 1) % 4, -1) for i in range(4)], square), cycle=(0, 1, 2, 3)
    )
    bare, with_cycle = whole(replace(content, cycle=())), whole(content)
    camera = camera_for(content.scene, SIZE)
    corners = camera.to_screen(content.scene.positions)
    for i in range(4):
        start, end = corners[i], corners[(i + 1) % 4]
        along = (end - start) / np.hypot(*(end - start))
        across = np.array([-along[1], along[0]])
        band = [
            end - along * (23 + a) + across * b for a in range(6, 11) for b in (-2, -1, 0, 1, 2)
        ]
        places = np.array(band).round().astype(int)
        assert is_like(with_cycle, LIGHT.cycle, 12)[places[:, 1], places[:, 0]].mean() > 0.9, (
            "a filled head"
        )
    rows, columns = np.indices(bare.shape)
    middles = (corners + np.roll(corners, 1, axis=0)) / 2
    places = [*corners, *middles]  # of discs and weights
    clear = np.all([np.hypot(columns - x, rows - y) > 26 for x, y in places], axis=0)
    beneath, left = (is_like(pixels, LIGHT.edge_dense, 12) & clear for pixels in (bare, with_cycle))
    assert beneath.sum() > 30
    assert not left.any(), "nothing of the arcs beneath is left"


def test_opposite_arcs_of_two_weights_bend_apart():
    there = ArcCurve(0, bend_point(0, 100), 100).at(0.5)
    back = ArcCurve(100, bend_point(100, 0), 0).at(0.5)
    assert there.imag == pytest.approx(-back.imag)
    assert abs(there.imag) > 10


def test_the_notebook_has_the_strokes_of_the_close_view(monkeypatch):
    """It bent arcs and set heads by numbers of its own."""
    arcs = [(0, 1, 2), (1, 0, 5), (1, 2, 1), (2, 1, 1), (0, 3, 4), (3, 3, 1), (0, 2, 9)]
    places = [(0, 0), (4, 0), (8, 0), (4, 3)]
    content = content_of(graph_of(arcs, places), source=None, target=None)
    picture = NotebookPicture(content, ["four vertices"])
    seen: list[Shape] = []
    monkeypatch.setattr(close_view, "paint_shapes", lambda _, shapes: seen.extend(shapes))
    detail, camera = detail_of(content.scene, picture._camera), picture._camera
    image = QImage(round(camera.width), round(camera.height), QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        view = PaintedView(painter, camera, content, LIGHT, detail)
        DetailPainter(view, detail).draw_arcs()
    drawn = [mark for mark in picture._drawn[2] if isinstance(mark, Stroke | Area)]
    window = [shape for shape in seen if isinstance(shape, Stroke | Area)]
    assert len(window) == len(drawn) == 9
    for ours, theirs in zip(window, drawn, strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours.points, theirs.points)
        assert (ours.svg()) == (theirs.svg())


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
    long = marker_label(
        QPointF(80.0, 60.0), 8.5, "9888580428", metrics, Camera(0.0, 0.0, 1.0, 900.0, 120.0), 160.0
    )
    assert long.x() == plain.x(), "Liechtenstein's ids were far from their pins"


def test_discs_of_a_small_graph_do_not_overlap():
    """Sixteen vertices in a column had discs of the size that the long edges allow."""
    column = [(5.0, float(y)) for y in range(16)]
    graph = graph_of([(0, i, 1) for i in range(1, 17)], [(0.0, 8.0), *column])
    scene = build_scene(graph)
    camera = camera_for(scene)
    assert 2 * disc_radius(scene, camera) < camera.scale
    pair = build_scene(graph_of([(0, 1, 1)], [(0.0, 0.0), (1.0, 0.0)]))
    assert disc_radius(pair, camera_for(pair)) == FIGURE_RADIUS
