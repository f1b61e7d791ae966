"""What lies over the picture: paths, bends, separators, climbs, labels, scale bar,
sentence and heads of panes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QPointF, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgGenerator

from gui.canvas.view import ViewFitting
from gui.painting import overlay
from gui.painting.annotations import draw_hover_card
from gui.painting.bends import arc_controls
from gui.painting.close_view import legend_rows, row_width
from gui.painting.drawing import PaintedView, is_figure, pin_area, point_along
from gui.painting.labels import Box, Fonts, LabelPlan, labels_of, weight_text
from gui.painting.legend import scale_bar
from gui.painting.overlay import draw_climbs, draw_markers, draw_path, draw_separators, polyline
from gui.painting.pane_head import PaneHead, progress_texts
from gui.painting.picture import BUTTONS_WIDTH, lesson_legend_room, paint_annotations
from gui.style.text import short_title
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace, TracePhase
from solvers.core.variant import all_variants, find_variant
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.raster.marks import PathPicture, path_picture
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import disc_radius, marker_radius
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.figure import MARKER_ROOM
from solvers.picture.scene.levels import LevelView, level_picture
from solvers.picture.scene.prominence import Prominence
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.scene import build_scene, detail_of
from tests.data import data_file
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
    trace_of,
    watched,
)


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array(
        [[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]]
    )
    scene = build_scene(graph_of([(i, i + 1, 1) for i in range(5)], [(i, 0) for i in range(6)]))
    line = polyline(
        replace(scene, positions=positions), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None
    )
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(
        replace(scene, positions=nowhere), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None
    )
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))


def test_ids_beside_the_markers_grow_with_the_type(qapp):
    """In a presentation, whose type is larger, they kept their size."""
    content = content_of(street_grid(), source=5, target=2300)
    camera = camera_for(content.scene)

    def inked(factor: float) -> int:
        view = partial(
            PaintedView, camera=camera, content=content, tokens=LIGHT, type_factor=factor
        )
        return np.count_nonzero(painted((320, 240), lambda painter: draw_markers(view(painter))))

    assert inked(2.0) > 1.5 * inked(1.0)


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
            draw_path(PaintedView(painter, camera.panned(shift, 0.0), content, tokens), drawn)
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
    view = partial(PaintedView, camera=camera_for(content.scene), content=content, tokens=LIGHT)
    made, paint_pin = [], overlay._paint_pin
    monkeypatch.setattr(
        overlay, "_paint_pin", lambda *args, **named: (made.append(1), paint_pin(*args, **named))
    )
    QPixmapCache.clear()
    screen = QPixmap(320, 240)
    for _ in range(2):
        screen.fill("white")
        with QPainter(screen) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_markers(view(painter))
    assert len(made) == 2
    shown = screen.toImage().convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    kept = np.frombuffer(shown.constBits(), np.uint32).reshape(240, 320)
    smooth = QPainter.RenderHint.Antialiasing
    exported = painted(
        (320, 240), lambda p: (p.setRenderHint(smooth), draw_markers(view(p))), "white"
    )
    assert len(made) == 4
    for colour in (LIGHT.source, LIGHT.target):
        assert is_like(kept, colour).sum() == pytest.approx(
            is_like(exported, colour).sum(), rel=0.15
        )


@pytest.mark.parametrize("closed", [False, True])
def test_the_id_of_a_pin_covers_neither_another_nor_the_sign_of_a_closed_road(monkeypatch, closed):
    """In a race of small panes both ids were one blot, and one lay over the cross of a
    closed road.
    """
    content = content_of(street_grid(), source=1220, target=None if closed else 1221)
    if closed:
        marks = RoadMarks(
            np.array([[1404, 1405]], np.int32), np.array([np.inf]), np.zeros(1, np.bool_)
        )
        content = replace(content, road_marks=marks)
    places: list[QRectF] = []
    monkeypatch.setattr(
        overlay,
        "draw_haloed_text",
        lambda painter, at, text, *_: places.append(
            QFontMetricsF(painter.font()).boundingRect(text).translated(at)
        ),
    )
    view = partial(PaintedView, camera=camera_for(content.scene), content=content, tokens=LIGHT)
    painted((320, 240), lambda painter: draw_markers(view(painter)))
    if closed:
        x, y = (
            camera_for(content.scene).to_screen(content.scene.positions[[1404, 1405]]).mean(axis=0)
        )
        places.append(QRectF(x - 5.0, y - 5.0, 10.0, 10.0))
    one, other = places
    assert not one.intersects(other)


def content_with(lit: int, position: int = 0) -> PictureContent:
    """A street grid whose watched query climbs along the second separator and settles the first."""
    graph = street_grid(24, 20)
    picture = level_picture(levels_of(graph), build_scene(graph))
    first, second = (picture.levels.separators.of(i).tolist() for i in (0, 1))
    trace = replace(
        trace_of(graph.n, [*([v] for v in second), first]),
        phases=(
            TracePhase("climb", "vertex", 0, len(second)),
            TracePhase("sweep", "level", len(second), 99),
        ),
    )
    view = LevelView(picture, len(picture.scenes) - 1, lit)
    activity = Activity(graph.n, None, trace)
    return PictureContent(picture.whole, activity, position, values=picture.values, levels=view)


def levels_painted(content: PictureContent, tokens: Tokens) -> np.ndarray:
    def paint(painter: QPainter) -> None:
        view = PaintedView(painter, camera_for(content.scene), content, tokens)
        draw_separators(view)
        draw_climbs(view)

    return painted((320, 240), paint)


def at(content: PictureContent, vertex: int) -> tuple[int, int]:
    x, y = camera_for(content.scene).to_screen(content.scene.positions[vertex])
    return int(y), int(x)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_marked_separators_have_the_colour_of_their_level(tokens: Tokens) -> None:
    content = replace(content_with(2), layers=FIRST_LAYERS - {Layer.FRONTIER})
    pixels = levels_painted(content, tokens)
    assert content.values is not None
    separators = content.levels.picture.levels.separators
    for number in (0, 1):
        for vertex in separators.of(number).tolist():
            wanted = ramp_colours(Ramp.LEVELS, tokens.dark)[content.values.shade[vertex]]
            assert np.abs(channels(pixels)[at(content, vertex)].astype(float) - wanted).max() < 4
    assert pixels[at(content, int(separators.of(2)[0]))] == 0, "the third is not marked"
    without = replace(content, layers=content.layers - {Layer.SEPARATORS})
    assert not levels_painted(without, tokens).any()


def test_a_climb_is_drawn_up_to_the_iteration_and_a_sweep_lights_its_separator() -> None:
    content = content_with(0)
    assert content.levels is not None
    first, second = (content.levels.picture.levels.separators.of(i).tolist() for i in (0, 1))
    blue = is_like(levels_painted(replace(content, position=1), LIGHT), LIGHT.frontier, 12)
    assert blue[at(content, second[1])]
    assert not blue[at(content, first[0])]
    blue = is_like(
        levels_painted(replace(content, position=len(second)), LIGHT), LIGHT.frontier, 12
    )
    assert all(blue[at(content, v)] for v in first)
    hidden = replace(content, position=len(second), layers=FIRST_LAYERS - {Layer.FRONTIER})
    assert not levels_painted(hidden, LIGHT).any()


SIZE = (900, 640)


@pytest.mark.parametrize("sample", ["textbook", "tiny"])
def test_no_two_labels_overlap_and_none_lies_on_a_vertex(sample):
    graph = textbook() if sample == "textbook" else read_graph(data_file("other/tinyEWD.txt")).graph
    content = watched(graph, "bf-python")
    camera = camera_for(content.scene, SIZE)
    detail = frame_of(content, camera=camera).detail
    radius, found = disc_radius(content.scene, camera), []
    clear = QRectF(0.0, 0.0, *SIZE)
    painted(
        (8, 8),
        lambda painter: found.append(
            labels_of(detail, camera, content, Fonts.of(painter, radius), clear)
        ),
    )
    (labels,) = found
    boxes = (
        [box for _, box in labels.weights]
        + list(labels.ids.values())
        + list(labels.values.values())
    )
    assert len(labels.values) == 8
    assert len(labels.weights) >= len(detail.arcs) - 1
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))
    centres = camera.to_screen(content.scene.positions)
    for box in boxes:
        nearest = np.clip(centres, [box.left(), box.top()], [box.right(), box.bottom()])
        assert np.hypot(*(nearest - centres).T).min() > radius


def test_labels_keep_clear_of_pins_and_negative_weights_have_a_minus_sign() -> None:
    """In a small view the distance of the target lay beneath its pin."""
    content = watched(textbook(), "bf-python")
    content = replace(content, source=0, target=int(content.scene.positions[:, 1].argmax()))
    size, found = (420, 300), []
    camera = camera_for(content.scene, size)
    detail = frame_of(content, camera=camera).detail
    fonts: list[Fonts] = []
    painted((8, 8), lambda painter: fonts.append(Fonts.of(painter, 6.0)))
    scene = content.scene
    while is_figure(disc_radius(scene, camera)):
        camera = camera.zoomed(0.8, camera.width / 2, camera.height / 2)
    labels = labels_of(detail, camera, content, fonts[0], QRectF(0.0, 0.0, *size))
    for vertex in (content.source, content.target):
        pin = pin_area(QPointF(*camera.to_screen(scene.positions[vertex])))
        found += [box for box in labels.values.values() if box.intersects(pin)]
        found += [box for box in labels.ids.values() if box.intersects(pin)]
    assert labels.values
    assert not found
    arc = replace(detail.arcs[0], weight=-6.0)
    assert weight_text(arc, content) == "\N{MINUS SIGN}6"


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
def test_a_lesson_on_a_projector_shows_the_distance_of_every_vertex(factor: float) -> None:
    content = watched(street_grid(6, 4), "bf-python")
    content = replace(content, source=0, target=23)
    camera = ViewFitting().whole(content.scene, 1280.0, 555.0, factor=factor).enlarged(factor)
    clear, found = QRectF(0.0, 0.0, camera.width, camera.height), []

    def measure(painter: QPainter) -> None:
        fonts = Fonts.of(painter, disc_radius(content.scene, camera))
        found.append(
            labels_of(frame_of(content, camera=camera).detail, camera, content, fonts, clear)
        )

    painted((8, 8), measure)
    assert len(found[0].values) == 24


VIEW = (200.0, 120.0)


def plan(
    discs: list[tuple[float, float, float]], curves: list[list[tuple[float, float]]] | None = None
) -> LabelPlan:
    return LabelPlan(
        VIEW, np.array(discs, np.float64), np.array(curves or [], np.float64).reshape(-1, 3, 2)
    )


@pytest.mark.parametrize(
    "centre", [(4.0, 4.0), (196.0, 4.0), (100.0, 118.0), (2.0, 60.0), (100.0, 60.0)]
)
def test_a_label_of_a_vertex_in_view_is_all_in_view(centre: tuple[float, float]) -> None:
    box = plan([(*centre, 6.0)]).round_disc(0, 50.0, 14.0)
    assert box.inside(*VIEW)
    nearest = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
    assert np.hypot(*(nearest - centre)) >= 6.0, "beside its vertex, not on it"


def test_a_label_of_an_arc_keeps_to_the_part_in_view() -> None:
    leaving = [(20.0, 60.0), (220.0, 60.0), (420.0, 60.0)]
    box = plan([(20.0, 60.0, 5.0)], [leaving]).on_curve(0, 30.0, 12.0)
    assert box.inside(*VIEW)


def test_a_box_is_moved_only_as_far_as_it_is_outside() -> None:
    assert Box(-5.0, 10.0, 15.0, 20.0).moved_inside(*VIEW) == Box(0.0, 10.0, 20.0, 20.0)
    assert Box(190.0, 115.0, 210.0, 125.0).moved_inside(*VIEW) == Box(180.0, 110.0, 200.0, 120.0)
    assert Box(1.0, 2.0, 3.0, 4.0).moved_inside(*VIEW) == Box(1.0, 2.0, 3.0, 4.0)


def test_scale_bar_of_a_degree_of_latitude_is_right():
    xy = np.array([[10.0, 50.0], [10.0, 51.0]])
    graph = Graph.from_arcs(
        2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(xy, geographic=True)
    )
    scene = build_scene(graph)
    pixels_per_degree = 1112.0
    camera = Camera(0.0, 0.0, pixels_per_degree, 100.0, 100.0)  # the degree is the unit extent
    length, words = scale_bar(camera, scene.metres_per_unit)
    assert words == "10 km"
    assert length == pytest.approx(100.0, rel=0.01)


def test_planar_coordinates_have_no_scale_bar():
    scene = build_scene(graph_of([(0, 1, 1)], [(0, 0), (1, 1)]))
    assert scale_bar(Camera(0.0, 0.0, 100.0, 100.0, 100.0), scene.metres_per_unit) is None


def test_a_run_that_told_no_distances_is_put_into_words_on_the_lesson_s_layer():
    graph = textbook()
    silent = Activity(graph.n, None, trace_of(8, [[0], [1, 4]]))
    untold = replace(watched(graph, "dijkstra-heap"), activity=silent, position=1)
    camera = camera_for(untold.scene, SIZE)
    frame = frame_of(untold, camera=camera)
    mute = replace(untold, layers=FIRST_LAYERS - {Layer.LESSON})
    assert painted(SIZE, lambda painter: paint_annotations(painter, frame, camera, untold, LIGHT))[
        :60
    ].any()
    assert not painted(
        SIZE, lambda painter: paint_annotations(painter, frame, camera, mute, LIGHT)
    )[:60].any()


def svg_texts(
    size: tuple[int, int], paint: Callable[[QPainter], object]
) -> list[ElementTree.Element]:
    """The texts of a picture."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(*size))
    with QPainter(generator) as painter:
        paint(painter)
    nodes = ElementTree.fromstring(bytes(buffer.data().data())).iter()
    return [node for node in nodes if node.tag.endswith("text")]


def text_of(node: ElementTree.Element) -> str:
    return "".join(node.itertext()).strip()


@pytest.mark.parametrize("width", [300, 900])
def test_the_scale_bar_stands_over_the_legend_where_a_pane_is_narrow(width: int) -> None:
    xy = np.array([[10.0, 50.0], [10.0, 51.0], [11.0, 50.0]])
    arcs = ([0, 1], [1, 2], np.ones(2, np.int32))
    graph = Graph.from_arcs(3, *arcs, coordinates=Coordinates(xy, geographic=True))
    content = content_of(graph, answer=np.array([0, 4000, 9000], np.int32))
    camera = camera_for(content.scene, (width, 400))
    frame = frame_of(content, camera=camera)
    nodes = svg_texts(
        (width, 400),
        lambda painter: paint_annotations(
            painter, frame, camera, content, LIGHT, kept_free=BUTTONS_WIDTH
        ),
    )
    places = {text_of(node): (float(node.get("x", 0)), float(node.get("y", 0))) for node in nodes}
    bar, *_ = (
        place for text, place in places.items() if text.endswith((" km", " m")) and "," not in text
    )
    assert bar[0] < width - 12
    title = max(y for text, (_, y) in places.items() if "istance" in text)
    assert (bar[1] < title) == (width == 300)


@pytest.mark.parametrize(("width", "shown"), [(900, True), (900, False), (420, True)])
def test_what_the_width_of_roads_stands_for_is_beside_the_legend_where_there_is_room(
    width: int, shown: bool
) -> None:
    graph = Graph.from_arcs(
        2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(np.eye(2), geographic=True)
    )
    content = content_of(graph, answer=np.array([0, 4000], np.int32))
    known = Prominence(graph, np.zeros(1, np.uint8), "class of road")
    content = replace(
        content, prominence=known if shown else None, layers=content.layers - {Layer.LESSON}
    )
    camera = camera_for(content.scene, (width, 400))
    frame = frame_of(content, camera=camera)
    nodes = svg_texts(
        (width, 400), lambda painter: paint_annotations(painter, frame, camera, content, LIGHT)
    )
    places = {text_of(node): float(node.get("x", 0)) for node in nodes}
    assert ("Class of road" in places) == (shown and width == 900)
    assert places.get("Class of road", 999.0) > places["Distance"]


def test_the_legend_names_what_is_drawn_of_changed_roads() -> None:
    marks = RoadMarks(
        np.array([[0, 1], [1, 2]], np.int32), np.array([np.inf, 2.0]), np.zeros(2, np.bool_)
    )
    content = content_of(street_grid(), road_marks=marks, path_before=np.array([0, 1, 2], np.int32))
    frame = frame_of(content)
    for layers, named in (
        (content.layers, {"closed", "slowed", "path before"}),
        (frozenset[Layer](), set[str]()),
    ):
        shown = replace(content, layers=layers)
        nodes = svg_texts(
            (900, 400), lambda p, some=shown: paint_annotations(p, frame, frame.camera, some, LIGHT)
        )
        assert {text_of(node) for node in nodes} & {"closed", "slowed", "path before"} == named


@pytest.mark.parametrize(("point", "moves"), [((60.0, 370.0), True), ((600.0, 100.0), False)])
def test_a_legend_over_an_end_point_moves_to_the_upper_corner(
    point: tuple[float, float], moves: bool
) -> None:
    graph = Graph.from_arcs(
        2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(np.eye(2), geographic=True)
    )
    content = content_of(graph, answer=np.array([0, 4000], np.int32))
    content = replace(content, layers=content.layers - {Layer.LESSON})
    camera = camera_for(content.scene, (900, 400))
    frame = frame_of(content, camera=camera)
    clear_of = np.array([point])
    nodes = svg_texts(
        (900, 400),
        lambda painter: paint_annotations(
            painter, frame, camera, content, LIGHT, clear_of=clear_of
        ),
    )
    (height,) = (float(node.get("y", 0)) for node in nodes if text_of(node) == "Distance")
    assert (height < 200.0) == moves


@pytest.mark.parametrize("x", [75.0, 150.0])
def test_a_card_beside_the_pointer_is_not_cut_off_at_the_left_of_a_narrow_pane(x: float) -> None:
    camera, rows = (
        Camera(0.0, 0.0, 1.0, 160.0, 80.0),
        [("vertex", "12345678"), ("distance", "12 345 678")],
    )
    pixels = painted(
        (160, 80), lambda p: draw_hover_card(p, QPointF(x, 40.0), rows, camera, LIGHT, ring=False)
    )
    assert abs(int(np.flatnonzero(pixels.any(axis=0))[0]) - 4) <= 1


@pytest.mark.parametrize("room", [400.0, 90.0, 45.0])
def test_the_scale_bar_is_a_round_distance_that_fits(room: float) -> None:
    length, words = scale_bar(Camera(0.0, 0.0, 0.01, 400.0, 300.0), 1.0, room) or (0.0, "")
    assert 0.35 * min(150.0, room) < length <= min(150.0, room)
    assert words.split()[0].strip("0") in ("1", "2", "5")


@pytest.mark.parametrize("width", [700.0, 330.0, 200.0])
def test_the_legend_of_a_lesson_takes_as_many_rows_as_it_needs(width: float) -> None:
    """In large type it reached under the zoom buttons and over the edge of the canvas."""
    metrics = QFontMetricsF(QFont())
    rows = legend_rows(metrics, width)
    assert sum(map(len, rows)) == 8, "the shortest path is among them"
    assert max(row_width(row, metrics) for row in rows) <= width


@pytest.mark.parametrize("size", [(385.0, 303.0), (440.0, 480.0), (700.0, 430.0), (1130.0, 800.0)])
def test_a_small_graph_is_clear_of_sentence_legend_and_buttons(size: tuple[float, float]) -> None:
    """At 1280 x 720 and 150 % a legend of four rows lay over its lower vertices, and
    buttons over the target.
    """
    fitting, scene = ViewFitting(), build_scene(textbook())
    fitting.buttons = QSize(48, 150) if size[0] < 520.0 else QSize(130, 44)
    points = fitting.whole(scene, *size, font=QFont()).to_screen(scene.positions)
    legend = lesson_legend_room(QFont(), *size)
    assert bool(legend) == (size[1] > 400.0)
    assert points[:, 1].min() >= 60.0
    lowest, radius = (
        points[:, 1].max(),
        disc_radius(scene, fitting.whole(scene, *size, font=QFont())),
    )
    marker = MARKER_ROOM * marker_radius(radius)
    assert lowest + marker + 20.0 <= size[1] - legend, "with the source's distance below it"
    near = points[:, 1] > size[1] - fitting.buttons.height()
    assert (points[near, 0] < size[0] - fitting.buttons.width() - 20.0).all()


def trace_of_length(iterations: int) -> ActivityTrace:
    recorder = TraceRecorder(4)
    for k in range(iterations):
        recorder.iteration(np.array([k % 4]), 4, 1, 1.0)
    return recorder.finish()


def test_the_texts_say_less_and_less() -> None:
    assert progress_texts(trace_of_length(3000), 1199, 1200.0, False) == (
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000",
        "1\u202f200 of 3\u202f000",
        "1\u202f200",
    )
    assert (
        progress_texts(trace_of_length(3000), 2999, None, True)[0]
        == "iteration 3\u202f000 of 3\u202f000, done"
    )


def texts_of(head: PaneHead, width: float) -> list[str]:
    """Texts that a header draws, progress first."""
    return [
        text_of(node)
        for node in svg_texts((round(width), 28), lambda painter: head.paint(painter, width, LIGHT))
    ]


@pytest.mark.parametrize("width", [1280 / 3, 853 / 2, 853 / 3])
def test_no_title_is_elided_on_a_slide_of_two_three_or_four_panes(width: float) -> None:
    progress = progress_texts(trace_of_length(3000), 1199, None, False)
    for variant in all_variants():
        head = PaneHead(variant.id, variant.full_title, progress, True, short_title(variant))
        shown, title = texts_of(head, width)
        assert title in (variant.full_title, short_title(variant))
        assert "1\u202f200" in shown


def test_a_whole_title_goes_before_a_long_progress() -> None:
    variant = find_variant("dijkstra-heap")
    head = PaneHead(
        variant.id,
        variant.full_title,
        progress_texts(trace_of_length(3000), 1199, 1200.0, False),
        True,
        "Dij.",
    )
    assert texts_of(head, 900.0) == [
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s",
        variant.full_title,
    ]
    assert texts_of(head, 270.0)[1] == variant.full_title
    assert texts_of(head, 150.0)[1] == "Dij."


def test_headers_can_share_the_type_size_of_the_longest() -> None:
    """On half a slide the four headers had three sizes."""
    font, progress = QFont(), progress_texts(trace_of_length(3000), 1199, None, False)
    long, short = (
        PaneHead(v.id, v.full_title, progress, True, short_title(v))
        for v in map(find_variant, ("bf-edge-flags-shared", "dijkstra-heap"))
    )
    least = long.points_in(font, 260.0)
    assert least < short.points_in(font, 260.0)
    assert replace(short, most_points=least).points_in(font, 260.0) == least


# -- bends
# --------------------------------------------------------------------------------------


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
    along = [
        point_along(points[0], control, points[1], share) - points[2]
        for share in np.linspace(0, 1, 101)
    ]
    return min(np.hypot(p.x(), p.y()) for p in along)


@pytest.mark.parametrize("arcs", [[(0, 2, 5)], [(0, 2, 5), (2, 0, 5)], [(0, 2, 5), (2, 0, 7)]])
@pytest.mark.parametrize("size", [(600, 400), (300, 200)])
def test_an_arc_passes_a_vertex_on_its_way(arcs, size):
    scene, camera, _, controls = bends_of(arcs, size)
    for tail, head, _weight in arcs:
        assert (
            gap(scene, camera, controls[tail, head], tail, head, 1)
            > disc_radius(scene, camera) + 1.0
        )


def test_opposite_arcs_of_one_weight_are_one_curve_and_others_lie_apart():
    *_, both = bends_of([(0, 2, 5), (2, 0, 5)])
    assert both[0, 2] == both[2, 0]
    *_, apart = bends_of([(0, 2, 5), (2, 0, 7)])
    assert (apart[0, 2].y() - apart[2, 0].y()) ** 2 > 40.0**2


def test_arcs_with_nothing_between_their_ends_are_straight():
    *_, controls = bends_of([])
    assert controls == {}


def test_an_arc_to_one_of_two_vertices_at_a_place_is_straight():
    """As the road to one side of a bollard."""
    scene = build_scene(graph_of([(0, 1, 1), (2, 3, 1)], [(0, 0), (1, 0), (1, 0), (2, 1)]))
    camera = Camera.fitting(scene.bounds, 600, 400, margin=0.15)
    detail = detail_of(scene, camera)
    assert detail is not None
    assert arc_controls(scene, camera, detail) == {}


def test_a_path_follows_the_bend():
    scene, camera, detail, controls = bends_of([(0, 2, 5)])
    line = polyline(scene, np.array([0, 2]), camera, detail)
    middle = line.pointAtPercent(0.5)
    assert abs(middle.y() - camera.to_screen(scene.positions[1])[1]) > disc_radius(scene, camera)
    assert (0, 2) in controls
