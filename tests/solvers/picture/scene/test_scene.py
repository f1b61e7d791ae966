"""A graph made drawable: camera, vertices and their sizes, arcs that are drawn close by
or culled, and cards.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from solvers.errors import Cancelled
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.places import with_places
from solvers.picture.scene import edges as edges_module
from solvers.picture.scene import projection, vertex_grid
from solvers.picture.scene.camera import CLEARANCE, Bounds, Camera, Cover, clear_camera, sample_of
from solvers.picture.scene.close_arcs import arc_control, arc_controls
from solvers.picture.scene.content import vertex_rows
from solvers.picture.scene.detail import MOST_ARCS, MOST_DETAILED, ArcForm, Detail, detail_of
from solvers.picture.scene.edges import BLOCK, INTERLEAVE, interleaved
from solvers.picture.scene.scene import (
    DrawableGraph,
    build_scene,
    on_graph,
    vertex_sizes,
    visible_blocks,
    visible_runs,
)
from solvers.picture.scene.vertex_grid import VertexGrid
from solvers.system import threads
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import thread_team
from tests.gui.pictures import (
    camera_for,
    content_of,
    frame_of,
    graph_of,
    street_grid,
    textbook,
    trace_of,
    watched,
)


def test_opposite_and_parallel_arcs_are_drawn_once_and_loops_not_at_all():
    arcs = [(0, 1, 3), (1, 0, 3), (0, 1, 9), (1, 2, 1), (2, 2, 4)]
    scene = build_scene(graph_of(arcs, [(0, 0), (1, 0), (1, 1)]))
    assert sorted(map(tuple, np.sort(scene.ends, axis=1))) == [(0, 1), (1, 2)]


def test_every_adjacent_pair_of_a_random_graph_is_drawn_exactly_once():
    rng = np.random.default_rng(3)
    tails, heads = rng.integers(0, 50, (2, 900))
    graph = Graph.from_arcs(
        50, tails, heads, np.ones(900, np.int32), coordinates=Coordinates(rng.random((50, 2)))
    )
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
    xy = np.array(
        [[0.0, latitude], [side / np.cos(np.radians(latitude)), latitude], [0.0, latitude + side]]
    )
    graph = Graph.from_arcs(
        3, [0, 0], [1, 2], np.ones(2, np.int32), coordinates=Coordinates(xy, geographic=True)
    )
    scene = build_scene(graph)
    across = scene.positions[1, 0] - scene.positions[0, 0]
    up = scene.positions[0, 1] - scene.positions[2, 1]
    assert across / up == pytest.approx(1.0, rel=0.005)


def test_vertices_without_coordinates_do_not_spoil_the_extent():
    scene = build_scene(graph_of([(0, 1, 1), (1, 2, 1)], [(0, 0), (2, 1), (np.nan, np.nan)]))
    assert scene.bounds.size == pytest.approx(1.0)
    assert np.isfinite(scene.positions[:2]).all()
    assert scene.ends.tolist() == [[0, 1]], "edges to nowhere are not drawn"


@pytest.mark.parametrize(
    ("window", "most"), [((-0.11, -0.07, 0.02, 0.03), 0.7), ((0.1, 0.05, 0.2, 0.15), 0.3)]
)
def test_no_visible_edge_is_culled(window, most):
    scene = build_scene(street_grid(700, 500))
    window = Bounds(*window)
    kept = np.zeros(scene.edges, bool)
    for first, last in visible_runs(scene, window, 4096):
        kept[first:last] = True
    x, y = scene.segments[:, [0, 2]], scene.segments[:, [1, 3]]
    inside = (
        (x.max(1) >= window.x0)
        & (x.min(1) <= window.x1)
        & (y.max(1) >= window.y0)
        & (y.min(1) <= window.y1)
    )
    assert kept[inside].all()
    assert kept.sum() < most * scene.edges


@pytest.mark.parametrize("xy", [[(4.0, 4.0)], [(1.0, 2.0), (1.0, 2.0)]])
def test_graphs_of_no_extent_can_be_drawn(xy):
    scene = build_scene(graph_of([(0, len(xy) - 1, 1)], xy))
    camera = Camera.fitting(scene.bounds, 300, 200, limit=1e6)
    assert np.isfinite(camera.to_screen(scene.positions)).all()


def scattered(n=30_000, m=80_000, **attributes):
    """Vertices and arcs at random, some vertices without a place; in small pieces, so
    that threads take turns.
    """
    rng = np.random.default_rng(8)
    xy = rng.random((n, 2))
    xy[rng.integers(0, n, 50)] = np.nan
    near = np.argsort(xy[:, 0])
    tails = rng.integers(0, n - 200, m)
    heads = tails + rng.integers(0, 200, m)
    return Graph.from_arcs(
        n, near[tails], near[heads], np.ones(m, np.int32), coordinates=Coordinates(xy), **attributes
    )


@pytest.mark.parametrize("team", [1, 3])
def test_a_scene_is_the_same_with_any_number_of_threads(team, monkeypatch):
    graph = scattered()
    expected = build_scene(graph)
    monkeypatch.setattr(threads, "cores", lambda: team)
    for module in (edges_module, projection, vertex_grid):
        monkeypatch.setattr(module, "PIECE", 7_000)
    found = build_scene(graph)
    for name in ("positions", "segments", "ends", "boxes", "lengths"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.mean_length == expected.mean_length


def test_segments_lie_between_their_ends_and_blocks_know_their_extent_and_length():
    scene = build_scene(scattered())
    between = np.concatenate(
        (scene.positions[scene.ends[:, 0]], scene.positions[scene.ends[:, 1]]), axis=1
    )
    np.testing.assert_array_equal(scene.segments, between.astype(np.float32))
    last = scene.segments[(len(scene.boxes) - 1) * BLOCK :]
    points = last.reshape(-1, 2)
    assert scene.boxes[-1].tolist() == [*points.min(axis=0), *points.max(axis=0)]
    lengths = np.hypot(
        scene.segments[:, 2] - scene.segments[:, 0], scene.segments[:, 3] - scene.segments[:, 1]
    )
    assert scene.lengths[-1] == pytest.approx(lengths[-len(last) :].sum(), rel=1e-4)
    assert scene.mean_length == pytest.approx(lengths.mean(), rel=1e-4)


def test_neighbours_on_the_plane_are_neighbours_in_memory():
    scene = build_scene(street_grid(700, 500))
    assert len(visible_blocks(scene, Bounds(0.1, 0.1, 0.11, 0.11))) < 0.3 * len(scene.boxes)


def test_one_block_of_each_neighbourhood_is_a_fair_sample():
    scene = build_scene(street_grid(700, 500))
    whole_groups = len(scene.boxes) // INTERLEAVE * INTERLEAVE * BLOCK
    groups = scene.segments[:whole_groups].reshape(-1, INTERLEAVE, BLOCK, 4)
    whole = np.histogram2d(
        groups[..., 0].ravel(), groups[..., 1].ravel(), bins=12, range=[[-0.5, 0.5]] * 2
    )[0]
    filled = whole > 2000
    assert filled.sum() > 60
    for block in (0, 17):
        x, y = groups[:, block, :, 0].ravel(), groups[:, block, :, 1].ravel()
        some = np.histogram2d(x, y, bins=12, range=[[-0.5, 0.5]] * 2)[0]
        assert INTERLEAVE * some[filled] == pytest.approx(whole[filled], rel=0.3)


@pytest.mark.parametrize(
    "edges",
    [0, 1, BLOCK, 5 * BLOCK + 3, INTERLEAVE * BLOCK, 2 * INTERLEAVE * BLOCK + 7 * BLOCK + 100],
)
def test_interleaving_is_a_permutation_within_each_group(edges):
    places = np.array([interleaved(i, edges) for i in range(edges)], dtype=np.int64)
    assert (np.sort(places) == np.arange(edges)).all()
    assert (places // (INTERLEAVE * BLOCK) == np.arange(edges) // (INTERLEAVE * BLOCK)).all()


def test_cancel_is_heard_between_pieces_not_only_at_the_start(monkeypatch):
    monkeypatch.setattr(edges_module, "PIECE", 2_000)
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


CAMERA = Camera(2.0, -1.0, 50.0, 400.0, 300.0)


def test_world_and_screen_are_inverse_and_panning_moves_the_picture_by_pixels():
    point = np.array([2.3, -1.4])
    assert CAMERA.to_world(*CAMERA.to_screen(point)) == pytest.approx((2.3, -1.4))
    moved = CAMERA.panned(12.0, -7.0).to_screen(point) - CAMERA.to_screen(point)
    assert moved == pytest.approx([12.0, -7.0])


def test_the_point_under_the_pointer_stays_when_zooming():
    before = CAMERA.to_world(37.0, 211.0)
    assert CAMERA.zoomed(1.7, 37.0, 211.0).to_world(37.0, 211.0) == pytest.approx(before)


def test_fitting_shows_all_and_fills_one_side():
    bounds = Bounds(-3.0, 0.0, 5.0, 1.0)
    seen = Camera.fitting(bounds, 400, 300, margin=0.05).bounds
    assert seen.x0 < -3.0
    assert seen.x1 > 5.0
    assert (5.0 + 3.0) / (seen.x1 - seen.x0) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("insets", "kept"),
    [
        ((20.0, 40.0, 60.0, 80.0), (20.0, 40.0, 340.0, 220.0)),
        # two thirds of the height at most: 150 and 50
        ((0.0, 300.0, 0.0, 100.0), (0.0, 150.0, 400.0, 250.0)),
    ],
    ids=["as they are", "too high"],
)
def test_insets_are_kept_free_up_to_two_thirds_of_the_view(insets, kept):
    left, top, right, bottom = kept
    camera = Camera.within(Bounds(-3.0, 0.0, 5.0, 4.0), 400.0, 300.0, insets, np.inf)
    corners = camera.to_screen(np.array([[-3.0, 0.0], [5.0, 4.0]]))
    (x0, y0), (x1, y1) = corners
    assert min(x0 - left, y0 - top, right - x1, bottom - y1) >= -1e-9, "inside"
    assert min(max(x0 - left, right - x1), max(y0 - top, bottom - y1)) == pytest.approx(0.0), (
        "and as large as can be"
    )
    assert (x0 + x1, y0 + y1) == pytest.approx((left + right, top + bottom)), "in the middle"


WIDTH, HEIGHT, MARGIN = 400.0, 300.0, 0.05
LEGEND, BUTTONS = Cover(12.0, 180.0, 60.0), Cover(300.0, 400.0, 40.0)


def filled(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    """Points all over a rectangle."""
    x, y = np.meshgrid(np.linspace(x0, x1, 60), np.linspace(y0, y1, 60))
    return np.column_stack((x.ravel(), y.ravel()))


def fitted(points: np.ndarray, *covers: Cover) -> Camera:
    return clear_camera(
        points, Bounds.of(points), WIDTH, HEIGHT, covers, margin=MARGIN, limit=np.inf
    )


def beneath(points: np.ndarray, camera: Camera, cover: Cover) -> bool:
    x, y = camera.to_screen(points).T
    return bool(np.any((x > cover.left) & (x < cover.right) & (y > HEIGHT - cover.height)))


@pytest.mark.parametrize(
    "shape", [(0, 0, 1, 3), (0, 0, 3, 1), (0, 0, 4, 3)], ids=["tall", "wide", "as the view"]
)
def test_no_point_is_beneath_a_cover(shape):
    points = filled(*shape)
    camera = fitted(points, LEGEND, BUTTONS)
    assert not beneath(points, camera, LEGEND)
    assert not beneath(points, camera, BUTTONS)
    assert (camera.to_screen(points) > 0).all()


def test_a_graph_that_leaves_the_corners_free_is_as_large_as_without_covers():
    disc = filled(-1, -1, 1, 1)
    disc = disc[np.hypot(*disc.T) < 1.0]
    assert fitted(disc, Cover(0.0, 60.0, 40.0), Cover(360.0, 400.0, 40.0)) == fitted(disc)
    assert fitted(disc, LEGEND).scale < fitted(disc).scale


def test_a_low_wide_graph_moves_up_and_keeps_its_size():
    points = filled(0, 0, 5, 3)
    plain, camera = fitted(points), fitted(points, LEGEND)
    assert beneath(points, plain, LEGEND)
    assert not beneath(points, camera, LEGEND)
    low = filled(0, 0, 20, 9)
    assert fitted(low, LEGEND).scale == fitted(low).scale


def test_a_tall_graph_stands_beside_a_low_narrow_cover():
    tall = filled(0, 0, 1, 3)
    beside = Cover(0.0, 170.0, 150.0)
    camera = fitted(tall, beside)
    assert not beneath(tall, camera, beside)
    assert camera.scale == fitted(tall).scale, "moved to the right rather than made smaller"
    assert camera.to_screen(tall)[:, 0].min() >= beside.right + CLEARANCE - 1e-6


def test_where_no_camera_is_clear_the_graph_is_shown_all_the_same():
    points = filled(0, 0, 4, 3)
    camera = fitted(points, Cover(0.0, 200.0, 290.0), Cover(200.0, 400.0, 290.0))
    corners = camera.to_screen(np.array([[0.0, 0.0], [4.0, 3.0]]))
    assert (corners >= 0).all()
    assert (corners <= (WIDTH, HEIGHT)).all()


def test_a_sample_is_small_and_holds_placed_points_only():
    positions = np.random.default_rng(1).random((100_000, 2))
    positions[::7] = np.nan
    sample = sample_of(positions)
    assert 10_000 <= len(sample) <= 20_000
    assert np.isfinite(sample).all()
    assert len(sample_of(np.full((3, 2), np.nan))) == 0


ANYWHERE = st.one_of(st.floats(-0.5, 0.5), st.sampled_from([-0.5, 0.0, 0.25, 0.5, np.nan]))
PLACES = arrays(np.float64, st.tuples(st.integers(1, 60), st.just(2)), elements=ANYWHERE)


def grid_of(positions, threads=1):
    with thread_team(threads) as team:
        return VertexGrid.of(positions, team)


def scattered_points(n=20_000):
    return np.random.default_rng(5).random((n, 2)) - 0.5


@given(PLACES, st.floats(-0.8, 0.8), st.floats(-0.8, 0.8), st.floats(0.0, 1.5))
def test_nearest_is_what_a_search_of_all_finds(positions, x, y, radius):
    square = ((positions - [x, y]) ** 2).sum(axis=1)
    near = np.flatnonzero(square <= radius * radius)
    found = grid_of(positions).nearest(x, y, radius)
    if not len(near):
        assert found == -1
    else:
        assert square[found] == square[near].min()


def test_nearest_among_many_tiles():
    positions = scattered_points()
    grid = grid_of(positions)
    assert grid.side > 8
    for x, y in np.random.default_rng(6).random((50, 2)) - 0.5:
        assert grid.nearest(x, y, 0.1) == ((positions - [x, y]) ** 2).sum(axis=1).argmin()


@given(PLACES, st.floats(-0.7, 0.7), st.floats(-0.7, 0.7), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_within_is_what_a_search_of_all_finds(positions, x, y, across, down):
    x1, y1 = x + across, y + down
    inside = (positions >= [x, y]).all(axis=1) & (positions <= [x1, y1]).all(axis=1)
    assert (
        grid_of(positions).within(Bounds(x, y, x1, y1), 99).tolist()
        == np.flatnonzero(inside).tolist()
    )


def test_within_stops_at_the_limit():
    positions = scattered_points()
    window = Bounds(-0.2, -0.1, 0.3, 0.4)
    some = grid_of(positions).within(window, 12)
    assert len(some) == len(set(some.tolist())) == 12
    assert ((positions[some] >= [-0.2, -0.1]) & (positions[some] <= [0.3, 0.4])).all()


def test_rows_over_a_window_hold_every_vertex_in_it():
    positions = scattered_points()
    seen = np.concatenate(list(grid_of(positions).rows_over(Bounds(-0.1, 0.2, 0.15, 0.3))))
    inside = ((positions >= [-0.1, 0.2]) & (positions <= [0.15, 0.3])).all(axis=1)
    assert set(np.flatnonzero(inside)) <= set(seen.tolist())
    assert len(seen) < 3 * inside.sum()


@pytest.mark.parametrize("threads", [2, 3])
def test_the_grid_is_the_same_with_any_number_of_threads(threads):
    positions = scattered_points()
    alone, together = grid_of(positions), grid_of(positions, threads)
    assert (alone.order == together.order).all()
    assert (alone.starts == together.starts).all()


def test_a_graph_without_vertices_has_an_empty_grid():
    grid = grid_of(np.empty((0, 2)))
    assert grid.nearest(0.0, 0.0, 9.0) == -1
    assert len(grid.within(Bounds(-1.0, -1.0, 1.0, 1.0), 5)) == 0


SIZE = (640, 480)


def shown_arcs(*arcs: tuple[int, int, int]) -> tuple[DrawableGraph, Detail]:
    scene = build_scene(graph_of(arcs, [(0, 0), (1, 0)]))
    return scene, detail_of(scene, camera_for(scene))


def test_opposite_arcs_of_one_weight_are_one_line():
    (shown,) = shown_arcs((0, 1, 3), (1, 0, 3))[1].arcs
    assert (shown.tail, shown.head, shown.weight, shown.form) == (0, 1, 3.0, ArcForm.BOTH_WAYS)


def test_parallel_arcs_are_bowed_each_with_its_weight():
    """Only the lightest was drawn, also of the counterexample with two vertices."""
    scene, detail = shown_arcs((0, 1, 7), (0, 1, 3), (1, 0, 5), (0, 1, 9), (0, 0, 1), (0, 0, 2))
    found = sorted((arc.tail, arc.head, arc.weight, arc.bow) for arc in detail.arcs)
    assert found == [
        (0, 0, 1.0, 0.0),
        (0, 0, 2.0, 1.0),
        (0, 1, 3.0, 0.0),
        (0, 1, 7.0, 1.0),
        (0, 1, 9.0, 2.0),
        (1, 0, 5.0, 0.0),
    ]
    camera = camera_for(scene)
    controls = arc_controls(scene, camera, detail)
    points = camera.to_screen(scene.positions)
    start, end = (complex(*point) for point in points.tolist())
    there = [arc for arc in detail.arcs if (arc.tail, arc.head) == (0, 1)]
    aside = [(arc_control(controls, arc, start, end) - start).imag for arc in there]
    assert len({round(y) for y in aside}) == 3, "beside each other"
    both = shown_arcs((0, 1, 3), (1, 0, 3), (0, 1, 4), (1, 0, 4))[1]
    assert [(arc.weight, arc.form, arc.bow) for arc in both.arcs] == [
        (3.0, ArcForm.BOTH_WAYS, 0.0),
        (4.0, ArcForm.BOTH_WAYS, 1.0),
    ]


def test_only_a_close_view_of_a_large_graph_has_detail():
    scene = build_scene(street_grid(100, 100))
    far = camera_for(scene, SIZE)
    assert detail_of(scene, far) is None
    near = detail_of(scene, far.zoomed(12.0, 320, 240))
    assert 0 < len(near.vertices) <= MOST_DETAILED
    assert near.arcs


def test_too_many_arcs_are_left_to_the_raster():
    rng = np.random.default_rng(0)
    tails, heads = rng.integers(0, 50, (2, 3 * MOST_ARCS))
    places = Coordinates(rng.random((50, 2)))
    graph = Graph.from_arcs(50, tails, heads, np.ones(len(tails), np.int32), coordinates=places)
    content = content_of(graph)
    frame = frame_of(content, camera=camera_for(content.scene, SIZE))
    assert frame.detail.arcs == ()
    assert len(frame.detail.vertices) == 50
    assert len(np.unique(frame.pixels)) > 10


PATH = graph_of([(0, 1, 2), (1, 2, 3)], [(0, 0), (1, 0), (2, 0)])


@pytest.mark.parametrize(
    ("vertex", "words"),
    [(0, "iteration 1"), (1, "iterations 2 to 3"), (2, "never")],
    ids=["once", "twice", "never"],
)
def test_the_iterations_in_which_it_was_active(vertex: int, words: str) -> None:
    content = content_of(PATH, trace=trace_of(3, [[0], [1], [1]]))
    assert dict(vertex_rows(content, None, vertex))["active"] == words


def test_the_card_of_a_vertex_has_what_is_known() -> None:
    bare, answered = content_of(PATH), content_of(PATH, answer=np.array([0, 2, 5], np.int32))
    assert vertex_rows(bare, None, 1) == [("vertex", "1"), ("degree", "1 arc out")]
    assert dict(vertex_rows(answered, None, 2))["distance"] == "5"
    assert dict(vertex_rows(watched(textbook(), "dijkstra-heap"), None, 0))["so far"] == "0"


def test_points_of_cut_roads_lie_on_the_drawn_roads() -> None:
    xy = np.array([(9.5, 47.1), (9.52, 47.1), (9.52, 47.13)])
    graph = Graph.from_arcs(
        3,
        np.array([0, 1]),
        np.array([1, 2]),
        np.array([10, 20]),
        coordinates=Coordinates(xy, geographic=True),
    )
    scene = build_scene(graph)
    assert scene.projection is not None
    place = scene.projection.place(*scene.positions[2])
    assert place == pytest.approx((47.13, 9.52))
    cut, (vertex,), _ = with_places(graph, [(47.11, 9.5201)])
    drawn = on_graph(scene, cut)
    assert drawn.draws_like(scene)
    assert drawn.projection.place(*drawn.positions[vertex]) == pytest.approx((47.11, 9.52))
    assert len(on_graph(drawn, graph).positions) == 3
    bare = build_scene(graph, scene.positions * 2)
    assert bare.projection is None
    middle = on_graph(bare, cut).positions[vertex]
    assert middle == pytest.approx(bare.positions[1:].mean(axis=0))
