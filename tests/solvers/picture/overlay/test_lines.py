"""Lines over the pixels: where paths run and break, separators and climbs of a watched
query, and bends of arcs around vertices.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.trace import TracePhase
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Spots, Stroke, hex_colour
from solvers.picture.overlay.lines import climb_marks, line_through, separator_marks
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import ArcCurve, arc_controls, disc_radius
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.detail import detail_of
from solvers.picture.scene.levels import LevelView, level_picture
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import build_scene
from tests.gui.pictures import graph_of, street_grid, trace_of, view_of


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array(
        [[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]]
    )
    scene = build_scene(graph_of([(i, i + 1, 1) for i in range(5)], [(i, 0) for i in range(6)]))
    camera, path = Camera(0.0, 0.0, 1.0, 100.0, 100.0), np.arange(6)
    whole = Stroke(
        line_through(replace(scene, positions=positions), path, camera, None), "#000000", 1.0
    )
    assert [len(line) for line in whole.lines] == [3, 3], "the way out is seen, and the way back"
    assert whole.lines[0][-1, 0] == 5050.0
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = line_through(replace(scene, positions=nowhere), path, camera, None)
    assert all(np.isfinite(line).all() for line in Stroke(again, "#000000", 1.0).lines)


def test_dashes_begin_where_the_line_does_and_go_round_corners():
    corner = np.array([(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)])
    dashed = Stroke(corner, "#000000", 1.0, dashes=(4.0, 2.0))
    lines = dashed.dashed_lines
    assert [line.tolist() for line in lines[:2]] == [[[0, 0], [4, 0]], [[6, 0], [10, 0]]]
    assert lines[2].tolist() == [[10, 2], [10, 6]]
    later = replace(dashed, dash_offset=3.0).dashed_lines
    assert later[0].tolist() == [[0, 0], [1, 0]]


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


def dots_of(content: PictureContent, colour: str, tokens: Tokens = LIGHT) -> set[int]:
    """The vertices that have a dot of that colour."""
    view = view_of(content, tokens=tokens, detail=None)
    marks = [*separator_marks(view), *climb_marks(view)]
    points = [m.points for m in marks if isinstance(m, Spots) and m.colour == colour]
    places = view.points_of(np.arange(content.scene.graph.n))
    found = np.concatenate(points) if points else np.empty((0, 2))
    return {int(np.hypot(*(places - at).T).argmin()) for at in found}


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_marked_separators_have_the_colour_of_their_level(tokens: Tokens) -> None:
    content = replace(content_with(2), layers=FIRST_LAYERS - {Layer.FRONTIER})
    assert content.values is not None
    assert content.levels is not None
    separators = content.levels.picture.levels.separators
    colours = ramp_colours(Ramp.LEVELS, tokens.dark)
    for number, is_marked in ((0, True), (1, True), (2, False)):
        vertices = set(separators.of(number).tolist())
        colour = hex_colour(colours[content.values.shade[min(vertices)]])
        assert (vertices <= dots_of(content, colour, tokens)) == is_marked
    without = replace(content, layers=content.layers - {Layer.SEPARATORS})
    assert not list(separator_marks(view_of(without, detail=None)))


def test_a_climb_is_drawn_up_to_the_iteration_and_a_sweep_lights_its_separator() -> None:
    content = content_with(0)
    assert content.levels is not None
    first, second = (content.levels.picture.levels.separators.of(i).tolist() for i in (0, 1))
    climbing = dots_of(replace(content, position=1), LIGHT.frontier)
    assert second[1] in climbing
    assert first[0] not in climbing
    assert set(first) <= dots_of(replace(content, position=len(second)), LIGHT.frontier)
    hidden = replace(content, position=len(second), layers=FIRST_LAYERS - {Layer.FRONTIER})
    assert not list(climb_marks(view_of(hidden, detail=None)))


ROW = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0)]
AROUND = [(0, 1, 1), (1, 2, 1), (0, 3, 1)]


def bends_of(arcs, size=(600, 400)):
    scene = build_scene(graph_of([*AROUND, *arcs], ROW))
    camera = Camera.fitting(scene.bounds, *size, margin=0.15)
    detail = detail_of(scene, camera)
    assert detail is not None
    return scene, camera, detail, arc_controls(scene, camera, detail)


@pytest.mark.parametrize("arcs", [[(0, 2, 5)], [(0, 2, 5), (2, 0, 5)], [(0, 2, 5), (2, 0, 7)]])
@pytest.mark.parametrize("size", [(600, 400), (300, 200)])
def test_an_arc_passes_a_vertex_on_its_way(arcs, size):
    scene, camera, _, controls = bends_of(arcs, size)
    for tail, head, _weight in arcs:
        start, end, vertex = (
            complex(*camera.to_screen(scene.positions[v])) for v in (tail, head, 1)
        )
        curve = ArcCurve(start, controls[tail, head], end)
        gap = min(abs(curve.at(share) - vertex) for share in np.linspace(0, 1, 101))
        assert gap > disc_radius(scene, camera) + 1.0


def test_opposite_arcs_of_one_weight_are_one_curve_and_others_lie_apart():
    *_, both = bends_of([(0, 2, 5), (2, 0, 5)])
    assert both[0, 2] == both[2, 0]
    *_, apart = bends_of([(0, 2, 5), (2, 0, 7)])
    assert abs(apart[0, 2].imag - apart[2, 0].imag) > 40.0


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
    line = line_through(scene, np.array([0, 2]), camera, detail)
    away = abs(line[len(line) // 2, 1] - camera.to_screen(scene.positions[1])[1])
    assert away > disc_radius(scene, camera)
    assert (0, 2) in controls
