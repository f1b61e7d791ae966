"""A graph made drawable: where vertices lie, which edges are drawn, what is culled."""

from __future__ import annotations

import numpy as np
import pytest

from gui.canvas.camera import Bounds, Camera
from gui.canvas.furniture import scale_bar
from gui.canvas.scene import build_scene, visible_runs
from solvers.errors import Cancelled
from solvers.graph import Coordinates, Graph
from solvers.observer import CancelToken, Observer
from tests.gui.canvas.graphs import graph_of, street_grid


def test_opposite_and_parallel_arcs_are_drawn_once_and_loops_not_at_all():
    arcs = [(0, 1, 3), (1, 0, 3), (0, 1, 9), (1, 2, 1), (2, 2, 4)]
    scene = build_scene(graph_of(arcs, [(0, 0), (1, 0), (1, 1)]))
    assert sorted(map(tuple, np.sort(scene.ends, axis=1))) == [(0, 1), (1, 2)]


def test_every_adjacent_pair_of_a_random_graph_is_drawn_exactly_once():
    rng = np.random.default_rng(3)
    tails, heads = rng.integers(0, 50, (2, 900))
    graph = Graph.from_arcs(50, tails, heads, np.ones(900, np.int32), coordinates=Coordinates(rng.random((50, 2))))
    expected = {(min(u, v), max(u, v)) for u, v in zip(tails, heads, strict=True) if u != v}
    drawn = [tuple(sorted(map(int, pair))) for pair in build_scene(graph).ends]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == {(int(u), int(v)) for u, v in expected}


def test_up_in_the_file_is_up_on_the_screen_and_the_extent_is_one():
    scene = build_scene(graph_of([(0, 1, 1)], [(3, 10), (5, 14)]))
    low, high = scene.positions
    assert high[1] < low[1]
    assert high[0] > low[0]
    assert scene.bounds.size == pytest.approx(1.0)


def test_a_square_of_land_is_square_on_the_page_at_any_latitude():
    latitude = 60.0
    side = 0.1
    xy = np.array([[0.0, latitude], [side / np.cos(np.radians(latitude)), latitude], [0.0, latitude + side]])
    graph = Graph.from_arcs(3, [0, 0], [1, 2], np.ones(2, np.int32), coordinates=Coordinates(xy, geographic=True))
    scene = build_scene(graph)
    across = scene.positions[1, 0] - scene.positions[0, 0]
    up = scene.positions[0, 1] - scene.positions[2, 1]
    assert across / up == pytest.approx(1.0, rel=0.005)


def test_scale_bar_of_a_degree_of_latitude_is_right():
    xy = np.array([[10.0, 50.0], [10.0, 51.0]])
    graph = Graph.from_arcs(2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(xy, geographic=True))
    scene = build_scene(graph)
    pixels_per_degree = 1112.0
    camera = Camera(0.0, 0.0, pixels_per_degree, 100.0, 100.0)  # the degree is the unit extent
    length, words = scale_bar(camera, scene.metres_per_unit)
    assert words == "10 km"
    assert length == pytest.approx(100.0, rel=0.01)


def test_planar_coordinates_have_no_scale_bar():
    scene = build_scene(graph_of([(0, 1, 1)], [(0, 0), (1, 1)]))
    assert scale_bar(Camera(0.0, 0.0, 100.0, 100.0, 100.0), scene.metres_per_unit) is None


def test_vertices_without_coordinates_do_not_spoil_the_extent():
    scene = build_scene(graph_of([(0, 1, 1), (1, 2, 1)], [(0, 0), (2, 1), (np.nan, np.nan)]))
    assert scene.bounds.size == pytest.approx(1.0)
    assert np.isfinite(scene.positions[:2]).all()


def test_no_visible_edge_is_culled():
    scene = build_scene(street_grid(120, 90))
    window = Bounds(-0.11, -0.07, 0.02, 0.03)
    kept = np.zeros(scene.edges, bool)
    for first, last in visible_runs(scene, window, 4096):
        kept[first:last] = True
    x, y = scene.segments[:, [0, 2]], scene.segments[:, [1, 3]]
    inside = (x.max(1) >= window.x0) & (x.min(1) <= window.x1) & (y.max(1) >= window.y0) & (y.min(1) <= window.y1)
    assert kept[inside].all()
    assert kept.sum() < scene.edges / 2


@pytest.mark.parametrize("xy", [[(4.0, 4.0)], [(1.0, 2.0), (1.0, 2.0)]])
def test_graphs_of_no_extent_can_be_drawn(xy):
    scene = build_scene(graph_of([(0, len(xy) - 1, 1)], xy))
    camera = Camera.fitting(scene.bounds, 300, 200, limit=1e6)
    assert np.isfinite(camera.to_screen(scene.positions)).all()


def test_building_answers_cancel():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        build_scene(street_grid(), observer=Observer(token))
