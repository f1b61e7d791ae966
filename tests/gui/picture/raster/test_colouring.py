"""A view whose shades or roads change is not drawn again, and has the pixels of a new one all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gui.picture.raster import marks
from gui.picture.raster.frames import FramePainter, Request
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from gui.picture.scene.road_marks import RoadMarks
from gui.picture.scene.scene import build_scene
from gui.style.colours import LIGHT
from solvers.graphs.road_changes import RoadChanges
from tests.gui.pictures import camera_for, is_like, street_grid

GRID = street_grid()
SCENE = build_scene(GRID)


def request(content: PictureContent) -> Request:
    return Request(content, camera_for(content.scene), 1.0, LIGHT)


def field(start: int, **rest) -> PictureContent:
    """Distances by columns, some unknown."""
    distances = np.abs(np.arange(GRID.n) % 60 - start).astype(np.float64)
    distances[:200] = np.inf
    return PictureContent(SCENE, Activity(GRID.n, distances), **rest)


def test_other_shades_have_the_pixels_of_a_new_view() -> None:
    painter = FramePainter()
    bands = FIRST_LAYERS | {Layer.BANDS}
    for content in (field(0), field(30), field(9, layers=bands), field(9, layers=bands - {Layer.EDGES}), field(1)):
        np.testing.assert_array_equal(
            painter.last_frame(request(content)).pixels, FramePainter().last_frame(request(content)).pixels
        )
    assert painter._owned is not None


def test_closing_a_road_draws_no_edge_again() -> None:
    painter = FramePainter()
    painter.last_frame(request(field(0)))
    buffers = painter._buffers
    changed = RoadChanges().close((GRID.vertex_id(3), GRID.vertex_id(4))).apply(GRID)
    painter.last_frame(request(replace(field(0), scene=replace(SCENE, graph=changed))))
    assert painter._buffers is buffers
    assert buffers.view.scene.graph is changed


def test_many_changed_roads_are_part_of_the_pixels(monkeypatch) -> None:
    changes = RoadChanges().close((GRID.vertex_id(70), GRID.vertex_id(71)), (GRID.vertex_id(71), GRID.vertex_id(72)))
    content = PictureContent(SCENE, Activity(GRID.n), road_marks=RoadMarks.of(GRID, changes))
    few = FramePainter().last_frame(request(content))
    assert not few.roads_drawn
    assert not is_like(few.pixels, LIGHT.bad, 80).any()
    monkeypatch.setattr("gui.picture.raster.frames.MOST_PAINTED", 1)
    monkeypatch.setattr(marks, "MOST_PAINTED", 1)
    many = FramePainter().last_frame(request(content))
    assert many.roads_drawn
    assert is_like(many.pixels, LIGHT.bad, 80).any()
