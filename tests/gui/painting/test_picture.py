"""The whole picture as screen and export paint it: path, negative cycle, lesson, bends
of arcs, and ids.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter, QPixmap, QPixmapCache

from gui.canvas.view import ViewFitting
from gui.features.own_kernels.faults import wrong_values
from gui.painting import display
from gui.painting.display import paint_marks
from gui.painting.picture import paint_graph
from solvers.core.pseudocode import Step
from solvers.features.lesson.lesson import LessonStep, StepProgress
from solvers.features.own_kernels.kernel_check import Deviation, Looks
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.annotations import states_legend_room
from solvers.picture.overlay.labels import labels_of
from solvers.picture.overlay.lines import path_marks
from solvers.picture.overlay.markers import marker_marks
from solvers.picture.overlay.view import LabelStyles
from solvers.picture.raster.marks import PathPicture, path_picture
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.close_arcs import ArcCurve, bend_point, disc_radius, marker_radius
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import FIGURE_RADIUS, MARKER_ROOM
from solvers.picture.scene.scene import build_scene
from tests.gui.pictures import (
    camera_for,
    channels,
    content_of,
    frame_of,
    graph_of,
    is_like,
    painted,
    street_grid,
    textbook,
    view_of,
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
        whole(replace(content, begun=replace(content.explanation, progress=progress)))
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


def test_discs_of_a_small_graph_do_not_overlap():
    """Sixteen vertices in a column had discs of the size that the long edges allow."""
    column = [(5.0, float(y)) for y in range(16)]
    graph = graph_of([(0, i, 1) for i in range(1, 17)], [(0.0, 8.0), *column])
    scene = build_scene(graph)
    camera = camera_for(scene)
    assert 2 * disc_radius(scene, camera) < camera.scale
    pair = build_scene(graph_of([(0, 1, 1)], [(0.0, 0.0), (1.0, 0.0)]))
    assert disc_radius(pair, camera_for(pair)) == FIGURE_RADIUS


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
def test_a_lesson_on_a_projector_shows_the_distance_of_every_vertex(factor: float) -> None:
    content = watched(street_grid(6, 4), "bf-python")
    content = replace(content, source=0, target=23)
    camera = ViewFitting().whole(content.scene, 1280.0, 555.0, factor=factor).enlarged(factor)
    labels = labels_of(view_of(content, camera), LabelStyles.of(disc_radius(content.scene, camera)))
    assert len(labels.values) == 24


@pytest.mark.parametrize("size", [(385.0, 303.0), (440.0, 480.0), (700.0, 430.0), (1130.0, 800.0)])
def test_a_small_graph_is_clear_of_sentence_legend_and_buttons(size: tuple[float, float]) -> None:
    """At 1280 x 720 and 150 % a legend of four rows lay over its lower vertices, and
    buttons over the target.
    """
    fitting, scene = ViewFitting(), build_scene(textbook())
    fitting.buttons = QSize(48, 150) if size[0] < 520.0 else QSize(130, 44)
    camera = fitting.whole(scene, *size, sizes=PillowTextSizes())
    points = camera.to_screen(scene.positions)
    legend = states_legend_room(PillowTextSizes(), *size)
    assert bool(legend) == (size[1] > 400.0)
    assert points[:, 1].min() >= 60.0
    marker = MARKER_ROOM * marker_radius(disc_radius(scene, camera))
    lowest = points[:, 1].max() + marker + 20.0
    assert lowest <= size[1] - legend, "with the source's distance below it"
    near = points[:, 1] > size[1] - fitting.buttons.height()
    assert (points[near, 0] < size[0] - fitting.buttons.width() - 20.0).all()


@pytest.mark.parametrize("ratio", [1.0, 1.5])
@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_a_path_drawn_beside_the_raster_looks_as_it_is_stroked(
    tokens: Tokens, ratio: float
) -> None:
    path = np.array([60 * 5 + 3, 60 * 30 + 12, 60 * 9 + 30, 60 * 35 + 55], np.int32)
    content = content_of(street_grid(), path=path)
    camera = camera_for(content.scene)
    picture = path_picture(path, content.scene, camera, ratio, tokens)

    def drawn_by(shift: float, drawn: PathPicture | None) -> np.ndarray:
        image = QImage(
            round(320 * ratio), round(240 * ratio), QImage.Format.Format_ARGB32_Premultiplied
        )
        image.setDevicePixelRatio(ratio)
        image.fill(tokens.canvas)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            view = view_of(content, camera.panned(shift, 0.0), tokens, detail=None)
            paint_marks(painter, path_marks(view, drawn))
        return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1).copy()

    for shift in (0.0, 20.0):  # while the view moves on, too
        stroked, laid = (drawn_by(shift, drawn) for drawn in (None, picture))
        apart = np.abs(channels(stroked) - channels(laid)).max(axis=-1)
        assert is_like(laid, tokens.path, 3).sum() > 300
        assert np.mean(apart[stroked != stroked[0, 0]]) < 6.0
    assert path_picture(
        path, replace(content.scene, positions=np.full((2400, 2), np.nan)), camera, ratio, tokens
    )


def test_pins_and_ids_are_kept_as_images_on_screens_alone(qapp, monkeypatch):
    content = content_of(street_grid(), source=5, target=2300)
    marks, made = list(marker_marks(view_of(content))), []
    monkeypatch.setattr(
        display, "paint_marks", lambda *given: made.append(1) or paint_marks(*given)
    )
    QPixmapCache.clear()
    screen = QPixmap(320, 240)
    for _ in range(2):
        screen.fill("white")
        with QPainter(screen) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_marks(painter, marks)
    assert len(made) == 2
    shown = screen.toImage().convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    kept = np.frombuffer(shown.constBits(), np.uint32).reshape(240, 320)
    smooth = QPainter.RenderHint.Antialiasing
    exported = painted(
        (320, 240), lambda p: (p.setRenderHint(smooth), paint_marks(p, marks)), "white"
    )
    assert len(made) == 4
    for colour in (LIGHT.source, LIGHT.target):
        assert is_like(kept, colour).sum() == pytest.approx(
            is_like(exported, colour).sum(), rel=0.15
        )
