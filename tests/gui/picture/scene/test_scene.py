"""A graph made drawable: where vertices lie, which edges are drawn, what is culled.

Sizes of vertices: areas by degree in graphs with hubs, none in road networks.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene import edges as edge_order
from gui.picture.scene import scene as projection
from gui.picture.scene import vertex_grid
from gui.picture.scene.camera import Bounds, Camera
from gui.picture.scene.edges import BLOCK, INTERLEAVE, interleaved
from gui.picture.scene.scene import build_scene, vertex_sizes, visible_blocks, visible_runs
from solvers.errors import Cancelled
from solvers.graphs.graph import Coordinates, Graph
from solvers.system import threads
from solvers.system.cancel import CancelToken, Progress
from tests.gui.pictures import graph_of, street_grid


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


def test_vertices_without_coordinates_do_not_spoil_the_extent():
    scene = build_scene(graph_of([(0, 1, 1), (1, 2, 1)], [(0, 0), (2, 1), (np.nan, np.nan)]))
    assert scene.bounds.size == pytest.approx(1.0)
    assert np.isfinite(scene.positions[:2]).all()


@pytest.mark.parametrize(("window", "most"), [((-0.11, -0.07, 0.02, 0.03), 0.7), ((0.1, 0.05, 0.2, 0.15), 0.3)])
def test_no_visible_edge_is_culled(window, most):
    scene = build_scene(street_grid(700, 500))
    window = Bounds(*window)
    kept = np.zeros(scene.edges, bool)
    for first, last in visible_runs(scene, window, 4096):
        kept[first:last] = True
    x, y = scene.segments[:, [0, 2]], scene.segments[:, [1, 3]]
    inside = (x.max(1) >= window.x0) & (x.min(1) <= window.x1) & (y.max(1) >= window.y0) & (y.min(1) <= window.y1)
    assert kept[inside].all()
    assert kept.sum() < most * scene.edges


@pytest.mark.parametrize("xy", [[(4.0, 4.0)], [(1.0, 2.0), (1.0, 2.0)]])
def test_graphs_of_no_extent_can_be_drawn(xy):
    scene = build_scene(graph_of([(0, len(xy) - 1, 1)], xy))
    camera = Camera.fitting(scene.bounds, 300, 200, limit=1e6)
    assert np.isfinite(camera.to_screen(scene.positions)).all()


def test_building_answers_cancel():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        build_scene(street_grid(), progress=Progress(token))


def scattered(n=30_000, m=80_000, **attributes):
    """Vertices and arcs at random, some vertices without a place; in small pieces, so that threads take turns."""
    rng = np.random.default_rng(8)
    xy = rng.random((n, 2))
    xy[rng.integers(0, n, 50)] = np.nan
    near = np.argsort(xy[:, 0])
    tails = rng.integers(0, n - 200, m)
    heads = tails + rng.integers(0, 200, m)
    return Graph.from_arcs(n, near[tails], near[heads], np.ones(m, np.int32), coordinates=Coordinates(xy), **attributes)


@pytest.mark.parametrize("team", [1, 3])
def test_a_scene_is_the_same_with_any_number_of_threads(team, monkeypatch):
    graph = scattered()
    expected = build_scene(graph)
    monkeypatch.setattr(threads, "cores", lambda: team)
    for module in (edge_order, projection, vertex_grid):
        monkeypatch.setattr(module, "PIECE", 7_000)
    found = build_scene(graph)
    for name in ("positions", "segments", "ends", "boxes", "lengths"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.mean_length == expected.mean_length


def test_segments_lie_between_their_ends_and_blocks_know_their_extent_and_length():
    scene = build_scene(scattered())
    between = np.concatenate((scene.positions[scene.ends[:, 0]], scene.positions[scene.ends[:, 1]]), axis=1)
    np.testing.assert_array_equal(scene.segments, between.astype(np.float32))
    last = scene.segments[(len(scene.boxes) - 1) * BLOCK :]
    assert scene.boxes[-1].tolist() == [
        last[:, ::2].min(),
        last[:, 1::2].min(),
        last[:, ::2].max(),
        last[:, 1::2].max(),
    ]
    lengths = np.hypot(scene.segments[:, 2] - scene.segments[:, 0], scene.segments[:, 3] - scene.segments[:, 1])
    assert scene.lengths[-1] == pytest.approx(lengths[-len(last) :].sum(), rel=1e-4)
    assert scene.mean_length == pytest.approx(lengths.mean(), rel=1e-4)


def test_edges_to_nowhere_are_not_drawn():
    scene = build_scene(graph_of([(0, 1, 1), (1, 2, 1)], [(0, 0), (2, 1), (np.nan, np.nan)]))
    assert scene.ends.tolist() == [[0, 1]]


def test_neighbours_on_the_plane_are_neighbours_in_memory():
    scene = build_scene(street_grid(700, 500))
    assert len(visible_blocks(scene, Bounds(0.1, 0.1, 0.11, 0.11))) < 0.3 * len(scene.boxes)


def test_one_block_of_each_neighbourhood_is_a_fair_sample():
    scene = build_scene(street_grid(700, 500))
    whole_groups = len(scene.boxes) // INTERLEAVE * INTERLEAVE * BLOCK
    groups = scene.segments[:whole_groups].reshape(-1, INTERLEAVE, BLOCK, 4)
    whole = np.histogram2d(groups[..., 0].ravel(), groups[..., 1].ravel(), bins=12, range=[[-0.5, 0.5]] * 2)[0]
    filled = whole > 2000
    assert filled.sum() > 60
    for block in (0, 17):
        x, y = groups[:, block, :, 0].ravel(), groups[:, block, :, 1].ravel()
        some = np.histogram2d(x, y, bins=12, range=[[-0.5, 0.5]] * 2)[0]
        assert INTERLEAVE * some[filled] == pytest.approx(whole[filled], rel=0.3)


@pytest.mark.parametrize(
    "edges", [0, 1, BLOCK, 5 * BLOCK + 3, INTERLEAVE * BLOCK, 2 * INTERLEAVE * BLOCK + 7 * BLOCK + 100]
)
def test_interleaving_is_a_permutation_within_each_group(edges):
    places = np.array([interleaved(i, edges) for i in range(edges)], dtype=np.int64)
    assert (np.sort(places) == np.arange(edges)).all()
    assert (places // (INTERLEAVE * BLOCK) == np.arange(edges) // (INTERLEAVE * BLOCK)).all()


def test_cancel_is_heard_between_pieces_not_only_at_the_start(monkeypatch):
    monkeypatch.setattr(edge_order, "PIECE", 2_000)
    looks = []

    def look():
        looks.append(None)
        if len(looks) == 30:
            raise Cancelled("The scene")

    with pytest.raises(Cancelled):
        build_scene(scattered(), progress=Progress(CancelToken(look)))
    assert len(looks) == 30


def test_areas_are_proportional_to_degrees():
    hub = np.column_stack((np.zeros(60, np.int32), np.arange(1, 61, dtype=np.int32)))
    sizes = vertex_sizes(np.concatenate((hub, [[1, 2], [1, 3], [1, 4]])).astype(np.int32), 62)
    assert sizes[1] ** 2 / sizes[5] ** 2 == pytest.approx(4.0)
    assert sizes[0] == sizes.max()
    assert sizes[61] == sizes.min() > 0  # without edges, still a dot


def test_road_networks_and_graphs_without_edges_have_none():
    assert len(build_scene(street_grid()).sizes) == 0
    assert len(vertex_sizes(np.empty((0, 2), np.int32), 500)) == 0
