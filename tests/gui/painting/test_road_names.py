"""Names of roads: the greatest first, each once, clear of others and of end points;
kept for a view.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QPicture
from PySide6.QtWidgets import QApplication

from gui.painting import road_names
from gui.painting.drawing import PaintedView
from gui.painting.road_names import draw_road_names
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_data import NamedPlaces, RoadData
from solvers.picture.colours import LIGHT
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.scene import build_scene

NAMES = ("Great Road", "Middle Road", "Lane", "residential street")
SIZE = 600, 500


@pytest.fixture
def content() -> PictureContent:
    """Level roads: two of the great one, and one of each other, of which Lane lies on
    the middle one.
    """
    heights, names, ranks = (0.0, 10.0, 50.0, 51.0, 90.0), (0, 0, 1, 2, 3), (7, 7, 4, 2, 2)
    places = np.array([(x, y) for y in heights for x in (0.0, 100.0)])
    tails = np.arange(0, 10, 2)
    roads = RoadData((), None, NAMES, np.array(names, np.int32), class_of=np.array(ranks, np.uint8))
    graph = Graph.from_arcs(
        10, tails, tails + 1, np.ones(5, np.int32), coordinates=Coordinates(places)
    )
    return PictureContent(build_scene(replace(graph, roads=roads)), Activity(10))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(
        road_names, "draw_haloed_text", lambda painter, at, name, *colours: said.append(name)
    )
    return said


def draw(
    content: PictureContent,
    device: QPicture | QImage,
    scale: float = 1.0,
    over_legends: QRectF | None = None,
) -> None:
    with QPainter(device) as painter:
        painter.scale(scale, scale)
        camera = Camera.fitting(content.scene.bounds, *SIZE)
        draw_road_names(PaintedView(painter, camera, content, LIGHT, over_legends=over_legends))


def test_the_greatest_are_named_once_and_cover_no_other(
    content: PictureContent, drawn: list[str]
) -> None:
    draw(content, QPicture())
    assert drawn == ["Great Road", "Middle Road"]


def test_names_leave_room_for_end_points(content: PictureContent, drawn: list[str]) -> None:
    scene = content.scene
    positions = scene.positions.copy()
    positions[8] = positions[4:6].mean(axis=0)  # the middle of Middle Road
    draw(replace(content, scene=replace(scene, positions=positions), source=8), QPicture())
    assert drawn[0] == "Great Road"
    assert "Middle Road" not in drawn


def test_names_leave_room_for_legend_and_scale_bar(
    content: PictureContent, drawn: list[str]
) -> None:
    """A place lay under the scale bar, half hidden."""
    scene = content.scene
    positions, camera = scene.positions.copy(), Camera.fitting(scene.bounds, *SIZE)
    # both parts of Great Road
    positions[:4] = [camera.to_world(x, 470.0) for x in (60.0, 140.0) * 2]
    moved = replace(content, scene=replace(scene, positions=positions))
    draw(moved, QPicture(), over_legends=QRectF(10.0, 0.0, 590.0, 500.0))
    assert drawn == ["Middle Road"]
    # a panel lies at the left
    draw(moved, QPicture(), over_legends=QRectF(200.0, 0.0, 400.0, 500.0))
    assert drawn == ["Middle Road", "Great Road", "Middle Road"]


def test_with_the_layer_off_there_are_none(content: PictureContent, drawn: list[str]) -> None:
    draw(replace(content, layers=content.layers - {Layer.NAMES}), QPicture())
    assert drawn == []


def test_on_the_screen_a_view_is_drawn_once(
    content: PictureContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []
    real = road_names._placed
    monkeypatch.setattr(road_names, "_placed", lambda *given: calls.append(given) or real(*given))
    images = [QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied) for _ in range(2)]
    for image in images:
        image.fill(0)
        draw(content, image)
    assert len(calls) == 1
    assert images[0] == images[1]
    assert np.frombuffer(images[0].constBits(), np.uint32).any()


def test_enlarged_for_an_export_names_are_as_fine_as_on_a_fine_screen(
    content: PictureContent,
) -> None:
    """On a slide with type of 190 % the names of Liechtenstein were enlarged from coarse pixels."""
    fine, enlarged = (
        QImage(1200, 1000, QImage.Format.Format_ARGB32_Premultiplied) for _ in range(2)
    )
    for image, ratio in ((fine, 2.0), (enlarged, 1.0)):
        image.fill(0)
        image.setDevicePixelRatio(ratio)
        draw(content, image, 2.0 / ratio)
    enlarged.setDevicePixelRatio(2.0)
    assert fine == enlarged


def test_places_are_named_first_where_they_are_the_prominent_before_the_small(
    drawn: list[str], monkeypatch
) -> None:
    xy = np.array([(9.0, 47.0), (10.0, 47.0), (9.0, 48.0), (10.0, 48.0)])
    places = NamedPlaces(
        ("Town", "Hamlet", "Village", "Abroad"),
        np.array([(9.5, 47.5), (9.5, 47.501), (9.2, 47.7), (12, 47)]),
    )
    roads = RoadData((), None, ("Town", ""), np.array([0, 1], np.int32), places=places)
    graph = Graph.from_arcs(
        4, [0, 1], [3, 2], np.ones(2, np.int32), coordinates=Coordinates(xy, geographic=True)
    )
    content = PictureContent(build_scene(replace(graph, roads=roads)), Activity(4))
    boxes: list[QPointF] = []
    monkeypatch.setattr(
        road_names,
        "draw_haloed_text",
        lambda _, at, name, *rest: boxes.append(at) or drawn.append(name),
    )
    draw(content, QPicture())
    # not the hamlet beside the town, nor what lies outside; no name twice
    assert drawn == ["Town", "Village"]
    crossing = Camera.fitting(content.scene.bounds, *SIZE).to_screen(
        content.scene.positions.mean(axis=0)
    )
    assert abs(boxes[0].x() + 15.0 - crossing[0]) < 15.0
    assert abs(boxes[0].y() - crossing[1]) < 15.0
