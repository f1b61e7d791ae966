"""Names of roads: the greatest first, each once, clear of others and of end points;
kept for a view.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_data import NamedPlaces, RoadData, RoadKinds
from solvers.picture.display import Box
from solvers.picture.overlay import names as road_names
from solvers.picture.overlay.names import road_name_marks
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.scene import build_scene
from tests.gui.pictures import view_of

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
    kinds = RoadKinds(names=frozenset({"residential street"}))
    of_arcs = np.array(names, np.int32), "", np.array(ranks, np.uint8)
    roads = RoadData((), None, NAMES, *of_arcs, kinds=kinds)
    graph = Graph.from_arcs(
        10, tails, tails + 1, np.ones(5, np.int32), coordinates=Coordinates(places)
    )
    return PictureContent(build_scene(replace(graph, roads=roads)), Activity(10))


def names(
    content: PictureContent, clear_area: Box | None = None, cards: tuple[Box, ...] = ()
) -> list[str]:
    camera = Camera.fitting(content.scene.bounds, *SIZE)
    view = view_of(content, camera, detail=None, clear_area=clear_area, cards=cards)
    return [words.text for words in road_name_marks(view)]


def test_the_greatest_are_named_once_and_cover_no_other(content: PictureContent) -> None:
    assert names(content) == ["Great Road", "Middle Road"]


def test_names_leave_room_for_end_points(content: PictureContent) -> None:
    scene = content.scene
    positions = scene.positions.copy()
    positions[8] = positions[4:6].mean(axis=0)  # the middle of Middle Road
    found = names(replace(content, scene=replace(scene, positions=positions), source=8))
    assert found[0] == "Great Road"
    assert "Middle Road" not in found


def test_names_are_not_half_beneath_a_panel(content: PictureContent) -> None:
    scene = content.scene
    positions, camera = scene.positions.copy(), Camera.fitting(scene.bounds, *SIZE)
    # both parts of Great Road
    positions[:4] = [camera.to_world(x, 470.0) for x in (60.0, 140.0) * 2]
    moved = replace(content, scene=replace(scene, positions=positions))
    assert names(moved, Box(200.0, 0.0, 600.0, 500.0)) == ["Middle Road"]
    assert names(moved, Box(0.0, 0.0, 600.0, 500.0)) == ["Great Road", "Middle Road"]


def test_names_leave_room_for_cards(content: PictureContent) -> None:
    """A road's name ended beneath the map of the whole graph, another beneath the legend."""
    camera = Camera.fitting(content.scene.bounds, *SIZE)
    x, y = camera.to_screen(content.scene.positions[4:6].mean(axis=0)).tolist()
    assert names(content, cards=(Box(x + 20.0, y - 50.0, x + 80.0, y + 50.0),)) == ["Great Road"]


def test_with_the_layer_off_there_are_none(content: PictureContent) -> None:
    assert names(replace(content, layers=content.layers - {Layer.NAMES})) == []


def test_a_view_is_named_once(content: PictureContent, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = road_names._placed
    monkeypatch.setattr(road_names, "_placed", lambda *given: calls.append(given) or real(*given))
    assert names(content) == names(content)
    assert len(calls) == 1


def test_places_are_named_first_where_they_are_the_prominent_before_the_small() -> None:
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
    found = road_name_marks(
        view_of(content, Camera.fitting(content.scene.bounds, *SIZE), detail=None)
    )
    # not the hamlet beside the town, nor what lies outside; no name twice
    assert [words.text for words in found] == ["Town", "Village"]
    crossing = Camera.fitting(content.scene.bounds, *SIZE).to_screen(
        content.scene.positions.mean(axis=0)
    )
    assert abs(found[0].x + 15.0 - crossing[0]) < 15.0
    assert abs(found[0].y - crossing[1]) < 15.0
