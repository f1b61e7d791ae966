"""Legends, scale bar, sentence and attribution: what they say, and where they have room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.features.closed_roads.marks import road_marks
from solvers.features.prominence.roads import Prominence
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.display import Plate, Words
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.annotations import BUTTONS_WIDTH, COLUMN_WIDTH, annotations_of
from solvers.picture.overlay.cards import MARGIN, NARROW, PADDING, legend_rows, row_width
from solvers.picture.overlay.legend import scale_bar
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.scene import build_scene
from tests.curved import ATTRIBUTION, curved_town
from tests.gui.pictures import (
    camera_for,
    content_of,
    frame_of,
    graph_of,
    street_grid,
    textbook,
    trace_of,
    view_of,
    watched,
    words_of,
)

SIZES = PillowTextSizes()


def annotated(
    content: PictureContent, size: tuple[int, int] = (900, 400), **options: object
) -> dict[str, Words]:
    """The words of annotations in a view of that size."""
    camera = camera_for(content.scene, size)
    frame = frame_of(content, camera=camera)
    return words_of(annotations_of(view_of(content, camera), frame, **options).marks)


def test_the_attribution_is_within_the_view_clear_of_buttons_and_legends() -> None:
    """It touched the lower edge of the window; at 200 % the zoom buttons lay over it."""
    graph = curved_town()
    activity = Activity(graph.n, np.array([0, 10, 30, 40], np.int32), None, "0.1 s")
    content = PictureContent(build_scene(graph), activity)
    for width in (900, 420):
        words = annotated(content, (width, 400), kept_free=BUTTONS_WIDTH)
        own = words.pop(ATTRIBUTION)
        camera = camera_for(content.scene, (width, 400))
        view = view_of(content, camera)
        found = annotations_of(view, frame_of(content, camera=camera), kept_free=BUTTONS_WIDTH)
        plates = [mark.box for mark in found.marks if isinstance(mark, Plate)]
        assert any(box.y0 < own.y < box.y1 for box in plates), "names keep clear of plates"
        assert own.y <= 400 - MARGIN
        kept_free = BUTTONS_WIDTH if width >= NARROW else COLUMN_WIDTH
        half = SIZES.width(own.text, own.style) / 2
        assert own.x + half <= width - MARGIN - kept_free
        others = (other for other in words.values() if abs(other.y - own.y) < PADDING)
        assert all(
            other.x + SIZES.width(other.text, other.style) < own.x - half for other in others
        )


def two_vertices(**rest: object) -> PictureContent:
    graph = Graph.from_arcs(
        2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(np.eye(2), geographic=True)
    )
    content = content_of(graph, answer=np.array([0, 4000], np.int32), **rest)
    return replace(content, layers=content.layers - {Layer.SO_FAR})


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


@pytest.mark.parametrize("room", [400.0, 90.0, 45.0])
def test_the_scale_bar_is_a_round_distance_that_fits(room: float) -> None:
    length, words = scale_bar(Camera(0.0, 0.0, 0.01, 400.0, 300.0), 1.0, room) or (0.0, "")
    assert 0.35 * min(150.0, room) < length <= min(150.0, room)
    assert words.split()[0].strip("0") in ("1", "2", "5")


def test_a_run_that_told_no_distances_is_put_into_words_on_the_lesson_s_layer():
    graph = textbook()
    silent = Activity(graph.n, None, trace_of(8, [[0], [1, 4]]))
    untold = replace(watched(graph, "dijkstra-heap"), activity=silent, position=1)
    assert any(words.y < 60 for words in annotated(untold, (900, 640)).values())
    mute = replace(untold, layers=FIRST_LAYERS - {Layer.SO_FAR})
    assert not any(words.y < 60 for words in annotated(mute, (900, 640)).values())


@pytest.mark.parametrize("width", [300, 900])
def test_the_scale_bar_stands_over_the_legend_where_a_pane_is_narrow(width: int) -> None:
    xy = np.array([[10.0, 50.0], [10.0, 51.0], [11.0, 50.0]])
    arcs = ([0, 1], [1, 2], np.ones(2, np.int32))
    graph = Graph.from_arcs(3, *arcs, coordinates=Coordinates(xy, geographic=True))
    content = content_of(graph, answer=np.array([0, 4000, 9000], np.int32))
    shown = annotated(content, (width, 400), kept_free=BUTTONS_WIDTH)
    (bar,) = (words for text, words in shown.items() if text.endswith((" km", " m")))
    assert bar.x < width - 12
    title = next(words.y for text, words in shown.items() if "istance" in text)
    assert (bar.y < title) == (width == 300)


@pytest.mark.parametrize(("width", "shown"), [(900, True), (900, False), (420, True)])
def test_what_the_width_of_roads_stands_for_is_beside_the_legend_where_there_is_room(
    width: int, shown: bool
) -> None:
    content = two_vertices()
    known = Prominence(content.scene.graph, np.zeros(1, np.uint8), "class of road")
    words = annotated(replace(content, prominence=known if shown else None), (width, 400))
    assert ("Class of road" in words) == (shown and width == 900)
    if "Class of road" in words:
        assert words["Class of road"].x > words["Distance"].x


def test_the_legend_names_what_is_drawn_of_changed_roads() -> None:
    marks = road_marks(
        np.array([[0, 1], [1, 2]], np.int32), np.array([np.inf, 2.0]), np.zeros(2, np.bool_)
    )
    content = content_of(street_grid(), road_marks=marks, path_before=np.array([0, 1, 2], np.int32))
    all_of_it = {"closed", "slowed", "path before"}
    for layers, named in ((content.layers, all_of_it), (frozenset[Layer](), set[str]())):
        assert annotated(replace(content, layers=layers)).keys() & all_of_it == named


def test_the_legend_names_the_dots_of_a_play_back() -> None:
    """Red dots stood on the map, and nothing said what they are."""
    graph = street_grid()
    content = content_of(graph, trace=trace_of(graph.n, [[0], [1, 4]]))
    assert "relaxing its arcs" in annotated(content)
    assert "relaxing its arcs" not in annotated(replace(content, layers=frozenset()))
    assert "relaxing its arcs" not in annotated(content_of(graph))


@pytest.mark.parametrize(("point", "moves"), [((60.0, 370.0), True), ((600.0, 100.0), False)])
def test_a_legend_over_an_end_point_moves_to_the_upper_corner(
    point: tuple[float, float], moves: bool
) -> None:
    words = annotated(two_vertices(), clear_of=np.array([point]))
    assert (words["Distance"].y < 200.0) == moves


@pytest.mark.parametrize("width", [700.0, 330.0, 200.0])
def test_the_legend_of_a_lesson_takes_as_many_rows_as_it_needs(width: float) -> None:
    """In large type it reached under the zoom buttons and over the edge of the canvas."""
    rows = legend_rows(SIZES, width)
    assert sum(map(len, rows)) == 8, "the shortest path is among them"
    assert max(row_width(row, SIZES) for row in rows) <= width
