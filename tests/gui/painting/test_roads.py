"""Roads in pictures: curves where they are in every way of drawing, and the colours of
closed and slowed ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.export.composition import PictureState, whole_image
from gui.export.page import Page
from gui.painting.picture import paint_annotations, paint_graph
from solvers.features.closed_roads.marks import marks_of
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Stroke, part_of_line
from solvers.picture.overlay.annotations import attribution_of
from solvers.picture.overlay.lines import path_before_marks
from solvers.picture.overlay.roads import road_mark_marks
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import road_lines
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.paths import PathTree
from solvers.picture.scene.scene import build_scene
from tests.curved import ATTRIBUTION, curved_town
from tests.graphs import right_distances
from tests.gui.pictures import (
    camera_for,
    channels,
    frame_of,
    is_like,
    painted,
    street_grid,
    view_of,
)

CLOSED, SLOWED = (3, 4), (200, 201)


@pytest.fixture(scope="module")
def content() -> PictureContent:
    graph = street_grid()
    closed, slowed = ([graph.vertex_id(v) for v in road] for road in (CLOSED, SLOWED))
    changes = RoadChanges().close(tuple(closed)).slow(2, tuple(slowed))
    path = np.array([200, 201, 202], np.int32)
    return PictureContent(
        build_scene(graph),
        Activity(graph.n),
        road_marks=marks_of(graph, changes),
        path_before=path,
    )


def colours(content: PictureContent, road: tuple[int, int], tokens: Tokens, marks) -> set[str]:
    """Colours of marks in a view of which a road fills the half."""
    x, y = content.scene.positions[list(road)].mean(axis=0)
    camera = Camera(float(x), float(y), 100.0 / content.scene.mean_length, 200.0, 200.0)
    found = marks(view_of(content, camera, tokens, detail=None))
    return {mark.colour for mark in found if isinstance(mark, Stroke) and len(mark.points)}


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_each_change_has_its_colour(content: PictureContent, tokens: Tokens) -> None:
    assert tokens.closed in colours(content, CLOSED, tokens, road_mark_marks)
    assert tokens.closed not in colours(content, SLOWED, tokens, road_mark_marks)
    assert tokens.warning in colours(content, SLOWED, tokens, road_mark_marks)


def test_the_layer_hides_them(content: PictureContent) -> None:
    hidden = replace(content, layers=content.layers - {Layer.ROADS})
    assert colours(hidden, CLOSED, LIGHT, road_mark_marks) == set()
    assert colours(content, (900, 901), LIGHT, road_mark_marks) == set(), "out of view"


def test_the_path_before_is_drawn_with_the_path(content: PictureContent) -> None:
    assert LIGHT.text in colours(content, SLOWED, LIGHT, path_before_marks)
    hidden = replace(content, layers=content.layers - {Layer.PATH})
    assert colours(hidden, SLOWED, LIGHT, path_before_marks) == set()


WIDTH, HEIGHT = 480, 360
SPACING = 22.0  # pixels between vertices: too close for single arcs


def border_roads_painted(
    budget: float, tokens: Tokens
) -> tuple[np.ndarray, Camera, PictureContent]:
    """(h, w, 3) of a grid of streets of length 1 around its first vertex, within ``budget``."""
    graph = street_grid()
    scene = build_scene(graph)
    activity = Activity(graph.n, right_distances(graph, 0), None, "", budget)
    content = PictureContent(scene, activity)
    unit = float(scene.positions[1, 0] - scene.positions[0, 0])
    middle = scene.positions[8 * 60 + 8]
    camera = Camera(float(middle[0]), float(middle[1]), SPACING / unit, WIDTH, HEIGHT)
    frame = FramePainter().last_frame(Request(content, camera, 1.0, tokens))
    assert frame.detail is None
    size, ground = (WIDTH, HEIGHT), tokens.canvas
    pixels = painted(
        size, lambda painter: paint_graph(painter, frame, camera, content, tokens), ground
    )
    return channels(pixels), camera, content


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("share", "place", "lit"), [(0.2, 0.42, False), (0.8, 0.58, True)])
def test_a_road_is_lit_as_far_as_the_budget_goes(
    tokens: Tokens, share: float, place: float, lit: bool
) -> None:
    """On either side of the middle, where the raster alone would change its colour."""
    pixels, camera, content = border_roads_painted(16.0 + share, tokens)
    start, end = (camera.to_screen(content.scene.positions[8 * 60 + column]) for column in (8, 9))
    x, y = start + place * (end - start)
    near = pixels[round(y) - 1 : round(y) + 2, round(x)]
    ground = np.array(QColor(tokens.canvas).getRgb()[:3])
    red, _, blue = near[np.abs(near - ground).sum(axis=1).argmax()]
    assert (blue - red > 40) == lit, "the ramp is blue, and roads outside are grey"


SIZE = (400, 300)


def curved_content(**rest: object) -> PictureContent:
    graph = curved_town()
    answer = np.array([0, 10, 30, 40], np.int32)
    rest.setdefault("layers", FIRST_LAYERS - {Layer.MARKERS})
    return PictureContent(build_scene(graph), Activity(graph.n, answer, None, "0.1 s"), **rest)


def painted_whole(content: PictureContent) -> np.ndarray:
    camera = camera_for(content.scene, SIZE)
    frame = frame_of(content, camera=camera)
    return painted(SIZE, lambda painter: paint_graph(painter, frame, camera, content, LIGHT))


def near(pixels: np.ndarray, content: PictureContent, x: float, y: float) -> np.ndarray:
    """The pixels around a place of the town."""
    world = np.array([(x - 5.0) / 10.0, -(y - 0.5) / 10.0])
    column, row = camera_for(content.scene, SIZE).to_screen(world).round().astype(int)
    return pixels[row - 3 : row + 4, column - 3 : column + 4]


def test_the_path_goes_along_the_curve() -> None:
    shown = curved_content(path=np.array([0, 1, 2, 3], np.int32))
    pixels = painted_whole(shown)

    assert is_like(near(pixels, shown, 4.3, 3), LIGHT.path).any()
    assert not is_like(near(pixels, shown, 4.3, -2), LIGHT.path).any()
    assert is_like(near(pixels, shown, 5, 0), LIGHT.canvas).all()  # no line between the ends


def test_the_tree_and_the_roads_go_along_the_curves() -> None:
    tree = PathTree(np.array([-1, 0, 1, 2], np.int32))
    shown = curved_content(tree=tree, layers=frozenset({Layer.EDGES, Layer.TREE}))
    pixels = painted_whole(shown)

    assert is_like(near(pixels, shown, 4.3, 3), LIGHT.path, 60).any()
    # the other of two parallel roads is drawn
    assert not is_like(near(pixels, shown, 4.3, -2), LIGHT.canvas).all()
    assert is_like(near(pixels, shown, 5, 0), LIGHT.canvas).all()


def test_lines_of_roads_and_parts_of_them() -> None:
    scene = curved_content().scene
    line = road_lines(scene, camera_for(scene, SIZE), [(1, 2)])[1, 2]

    half = part_of_line(line, 0.5)

    assert len(line) == 4
    assert (half[:2] == line[:2]).all()
    assert half[-1, 0] == pytest.approx(SIZE[0] / 2)
    assert part_of_line(line, 1.0)[-1] == pytest.approx(line[-1])


def test_the_attribution_stands_on_the_picture_and_in_exports() -> None:
    shown = curved_content()
    camera = camera_for(shown.scene, SIZE)
    frame = frame_of(shown, camera=camera)
    pixels = painted(
        SIZE,
        lambda painter: paint_annotations(painter, frame, camera, shown, LIGHT, with_legend=False),
        "white",
    )
    export = whole_image(PictureState(shown, shown.scene.bounds).compose(Page(*SIZE, dpi=96)))

    assert attribution_of(shown.scene.graph) == ATTRIBUTION
    assert is_like(pixels[-30:, SIZE[0] // 2 :], LIGHT.muted, 60).any()
    assert not is_like(pixels[:-40], LIGHT.muted, 60).any()
    exported = np.frombuffer(export.constBits(), np.uint32).reshape(SIZE[::-1])
    assert is_like(exported[-90:, SIZE[0] // 2 :], LIGHT.muted, 60).any()
