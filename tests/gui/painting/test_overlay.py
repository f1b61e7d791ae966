"""Paths as lines of the view.

Separators and climbs are drawn where they are, in the colours of their levels, and only with their layer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.painting.overlay import draw_climbs, draw_markers, draw_separators, polyline
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from gui.picture.scene.levels import LevelView, level_picture
from gui.picture.scene.ramps import Ramp, ramp_colours
from gui.picture.scene.scene import build_scene
from gui.style.colours import DARK, LIGHT, Tokens
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.trace import TracePhase
from tests.gui.pictures import camera_for, channels, content_of, graph_of, is_like, street_grid, trace_of


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array([[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]])
    scene = build_scene(graph_of([(i, i + 1, 1) for i in range(5)], [(i, 0) for i in range(6)]))
    line = polyline(replace(scene, positions=positions), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(replace(scene, positions=nowhere), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))


def test_ids_beside_the_markers_grow_with_the_type(qapp):
    """In a presentation, whose type is larger, they kept their size."""
    content = content_of(street_grid(), source=5, target=2300)
    camera = camera_for(content.scene)
    inked = []
    for factor in (1.0, 2.0):
        image = QImage(round(camera.width), round(camera.height), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        draw_markers(painter, camera, content, LIGHT, None, type_factor=factor)
        painter.end()
        inked.append(int((np.frombuffer(image.constBits(), np.uint32) != 0).sum()))
    assert inked[1] > 1.5 * inked[0]


def content_with(lit: int, position: int = 0) -> PictureContent:
    """A street grid whose watched query climbs along the second separator and settles the first."""
    graph = street_grid(24, 20)
    picture = level_picture(levels_of(graph), build_scene(graph))
    first, second = (picture.levels.separators.of(i).tolist() for i in (0, 1))
    trace = replace(
        trace_of(graph.n, [*([v] for v in second), first]),
        phases=(TracePhase("climb", "vertex", 0, len(second)), TracePhase("sweep", "level", len(second), 99)),
    )
    view = LevelView(picture, len(picture.scenes) - 1, lit)
    activity = Activity(graph.n, None, trace)
    return PictureContent(picture.whole, activity, position, values=picture.values, levels=view)


def painted(content: PictureContent, tokens: Tokens) -> tuple[np.ndarray, Camera]:
    camera = camera_for(content.scene)
    image = QImage(round(camera.width), round(camera.height), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    draw_separators(painter, camera, content, tokens)
    draw_climbs(painter, camera, content, tokens, None)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy(), camera


def at(content: PictureContent, camera: Camera, vertex: int) -> tuple[int, int]:
    x, y = camera.to_screen(content.scene.positions[vertex])
    return int(y), int(x)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_marked_separators_have_the_colour_of_their_level(tokens: Tokens) -> None:
    content = replace(content_with(2), layers=FIRST_LAYERS - {Layer.FRONTIER})
    pixels, camera = painted(content, tokens)
    assert content.levels is not None
    assert content.values is not None
    separators = content.levels.picture.levels.separators
    for number in (0, 1):
        for vertex in separators.of(number).tolist():
            wanted = ramp_colours(Ramp.LEVELS, tokens.dark)[content.values.shade[vertex]]
            assert np.abs(channels(pixels)[at(content, camera, vertex)].astype(float) - wanted).max() < 4
    assert pixels[at(content, camera, int(separators.of(2)[0]))] == 0, "the third is not marked"
    without = replace(content, layers=content.layers - {Layer.SEPARATORS})
    assert not painted(without, tokens)[0].any()


def test_a_climb_is_drawn_up_to_the_iteration_and_a_sweep_lights_its_separator() -> None:
    content = content_with(0)
    assert content.levels is not None
    first, second = (content.levels.picture.levels.separators.of(i).tolist() for i in (0, 1))
    pixels, camera = painted(replace(content, position=1), LIGHT)
    blue = is_like(pixels, LIGHT.frontier, 12)
    assert blue[at(content, camera, second[1])]
    assert not blue[at(content, camera, first[0])]
    pixels, camera = painted(replace(content, position=len(second)), LIGHT)
    blue = is_like(pixels, LIGHT.frontier, 12)
    assert all(blue[at(content, camera, v)] for v in first)
    hidden = replace(content, position=len(second), layers=FIRST_LAYERS - {Layer.FRONTIER})
    assert not painted(hidden, LIGHT)[0].any()
