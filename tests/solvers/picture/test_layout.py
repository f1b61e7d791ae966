"""Layouts: components, pivots and distances like those of the graph; rings and springs;
and layouts on disk.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.picture.layout import large_component, layout_store
from solvers.picture.layout import pivots as pivots_module
from solvers.picture.layout import stress as stress_module
from solvers.picture.layout.adjacency import Neighbours, components, undirected
from solvers.picture.layout.arrangements import _RING_CROWD, circular, layered, rings
from solvers.picture.layout.large_component import SparseStress
from solvers.picture.layout.layout_store import LayoutStore
from solvers.picture.layout.pivots import (
    SHALLOW,
    _eigenpairs,
    hops_from_all,
    pivot_mds,
    pivots_of,
)
from solvers.picture.layout.stress import EXACT_LIMIT, layout, pack
from solvers.system import disk_cache
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import ThreadTeam
from tests.gui.pictures import graph_of, street_grid, without_coordinates


def random_graph(n: int = 300, m: int = 330) -> Graph:
    tails, heads = np.random.default_rng(3).integers(0, n, (2, m))
    return Graph.from_arcs(n, tails, heads, np.ones(m, np.int32))


def test_neighbours_by_arcs_of_either_direction_are_listed_once_and_loops_not():
    graph = graph_of([(0, 1, 1), (1, 0, 1), (0, 1, 5), (2, 0, 1), (2, 2, 1), (3, 4, 1)], None)
    both = undirected(graph.n, graph.indptr, graph.indices)
    assert [part.tolist() for part in np.split(both.indices, both.indptr[1:-1])] == [
        [1, 2],
        [0],
        [0],
        [4],
        [3],
    ]


def test_components_are_renumbered_without_losing_an_edge():
    graph = random_graph()
    parts = components(undirected(graph.n, graph.indptr, graph.indices))
    assert sorted(parts.order.tolist()) == list(range(graph.n))
    found = set()
    for component in range(len(parts.sizes)):
        first, last = parts.starts[component], parts.starts[component + 1]
        part = parts.adjacency.part(first, last)
        assert part.n == last - first
        for v in range(part.n):
            for u in part.indices[part.indptr[v] : part.indptr[v + 1]]:
                found.add((int(parts.order[first + v]), int(parts.order[first + u])))
        reached = {0}  # every vertex after the first has a neighbour before it
        for v in range(1, part.n):
            assert reached & set(part.indices[part.indptr[v] : part.indptr[v + 1]].tolist())
            reached.add(v)
    expected = {
        (u, v) for u, v in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True) if u != v
    }
    assert found == expected | {(v, u) for u, v in expected}
    assert parts.by_size[0] == parts.sizes.argmax()


ONE, TWO = ThreadTeam(1), ThreadTeam(2)


def largest_part(graph: Graph) -> Neighbours:
    parts = components(undirected(graph.n, graph.indptr, graph.indices))
    largest = int(parts.by_size[0])
    return parts.adjacency.part(int(parts.starts[largest]), int(parts.starts[largest + 1]))


def shallow_part(n: int = 400) -> Neighbours:
    tails, heads = np.random.default_rng(2).integers(0, n, (2, 4 * n))
    return largest_part(Graph.from_arcs(n, tails, heads, np.ones(4 * n, np.int32)))


def true_hops(part: Neighbours, sources: np.ndarray) -> np.ndarray:
    matrix = csr_array(
        (np.ones(len(part.indices)), part.indices, part.indptr), shape=(part.n, part.n)
    )
    return dijkstra(matrix, unweighted=True, indices=sources).T


@pytest.mark.parametrize(
    ("part", "shallow"), [(largest_part(street_grid(40, 30)), False), (shallow_part(), True)]
)
@pytest.mark.parametrize("count", [1, 64, 71])
def test_numbers_of_arcs_are_right_and_regions_hold_all_vertices(part, shallow, count):
    pivots = pivots_of(part, count, TWO, np.random.default_rng(1))
    assert pivots.shallow == shallow
    assert len(set(pivots.vertices.tolist())) == count
    assert np.array_equal(pivots.hops, true_hops(part, pivots.vertices))
    assert pivots.sizes.sum() == part.n
    assert (pivots.sizes * pivots.squares).sum() == pytest.approx(
        (pivots.hops.min(axis=1).astype(float) ** 2).sum()
    )
    again = pivots_of(part, count, ONE, np.random.default_rng(1))
    assert np.array_equal(pivots.vertices, again.vertices)
    assert np.array_equal(pivots.hops, again.hops)


@pytest.mark.parametrize("columns", [2, 24])
@pytest.mark.parametrize("n", [30, 7_000, 70_001])
def test_pivot_mds_is_the_scaling_of_squared_distances_whatever_the_threads(n, columns):
    hops = np.random.default_rng(4).integers(0, 900, (n, 24)).astype(np.int16)
    hops[:, 1] = hops[:, 0] // 7  # so that two axes stand out
    squares = hops[:, :columns].astype(np.float64) ** 2
    sample = squares[:: max(1, n // pivots_module._SAMPLE)]
    centred, own = (
        -0.5 * (one - sample.mean(axis=0) - one.mean(axis=1, keepdims=True) + sample.mean())
        for one in (squares, sample)
    )
    axes = np.linalg.eigh(own.T @ own)[1][:, ::-1][:, :2]
    scale = (sample.mean() / 2 / ((own @ axes) ** 2).sum(axis=1).mean()) ** 0.5
    places = pivot_mds(hops, columns, ONE)
    assert np.array_equal(places, pivot_mds(hops, columns, ThreadTeam(3)))
    expected = scale * centred @ axes
    expected *= np.sign((expected * places).sum(axis=0))
    error = np.linalg.norm(places - expected) / np.linalg.norm(expected)
    assert error < 1e-4
    # with zero means of rows nothing is left of one column
    assert np.abs(pivot_mds(hops, 1, TWO)).max() == 0.0


@pytest.mark.parametrize("k", [1, 2, 24])
def test_eigenpairs_are_those_of_lapack(k):
    rows = np.random.default_rng(6).normal(size=(60, k)) * np.geomspace(1, 1e3, k)
    values, vectors = _eigenpairs(np.triu(rows.T @ rows))
    expected, theirs = np.linalg.eigh(rows.T @ rows)
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    np.testing.assert_allclose(abs((vectors * theirs).sum(axis=0)), 1.0)
    nothing, any_axes = _eigenpairs(np.zeros((k, k)))
    assert not nothing.any()
    assert np.array_equal(any_axes @ any_axes.T, np.eye(k))


def test_a_deep_graph_has_the_same_layout_on_one_core_and_on_two(monkeypatch):
    graph = without_coordinates(street_grid(80, 60))
    found = []
    for team in (ONE, TWO):
        with monkeypatch.context() as patch:
            patch.setattr(stress_module, "thread_team", lambda team=team: nullcontext(team))
            found.append(layout(graph))
    assert np.array_equal(*found)


def test_pivots_of_a_deep_graph_are_far_apart():
    part = largest_part(street_grid(60, 50))
    pivots = pivots_of(part, 24, TWO, np.random.default_rng(1))
    at_random = true_hops(part, np.random.default_rng(5).choice(part.n, 24, replace=False))
    assert pivots.hops.min(axis=1).max() < 0.8 * at_random.min(axis=1).max()
    assert pivots.hops.max() > SHALLOW


@pytest.mark.parametrize(("many", "least", "most"), [(3_000, 4, 4), (500_000, 8, 19)])
def test_the_first_searches_of_a_deep_graph_are_given_early_and_fewer_of_many_vertices(
    monkeypatch, many, least, most
):
    monkeypatch.setattr(pivots_module, "_MANY", many)
    seen: list[np.ndarray] = []
    pivots = pivots_of(
        largest_part(street_grid(60, 50)), 40, TWO, np.random.default_rng(1), early=seen.append
    )
    (hops,) = seen
    assert least <= hops.shape[1] <= most
    assert np.array_equal(hops, pivots.hops[:, : hops.shape[1]])


@pytest.mark.parametrize(
    "work",
    [
        lambda progress: pivots_of(
            largest_part(street_grid(40, 30)), 8, TWO, np.random.default_rng(1), progress
        ),
        lambda progress: pivots_of(shallow_part(), 8, TWO, np.random.default_rng(1), progress),
        lambda progress: layout(without_coordinates(street_grid(80, 60)), progress),
    ],
)
def test_cancel_is_heard(work):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        work(Progress(token))


def test_more_pivots_than_vertices_are_all_vertices():
    part = largest_part(street_grid(7, 6))
    pivots = pivots_of(part, 100, TWO, np.random.default_rng(1))
    assert sorted(pivots.vertices.tolist()) == list(range(42))


def complete_part(n: int = 90) -> Neighbours:
    return largest_part(
        Graph.from_arcs(n, *np.triu_indices(n, 1), np.ones(n * (n - 1) // 2, np.int32))
    )


@pytest.mark.parametrize(
    "part", [largest_part(street_grid(20, 12)), shallow_part(150), complete_part()]
)
def test_all_pairs_of_a_small_graph(part):
    assert np.array_equal(hops_from_all(part, TWO), true_hops(part, np.arange(part.n)))


def test_a_path_is_laid_out_as_a_line():
    graph = graph_of([(i, i + 1, 1) for i in range(9)], None)
    positions = layout(graph)
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert steps == pytest.approx(1.0, abs=0.1)
    assert np.linalg.norm(positions[9] - positions[0]) == pytest.approx(9.0, rel=0.05)


@pytest.mark.parametrize(("columns", "rows"), [(30, 20), (80, 60)])
def test_a_grid_keeps_its_distances_below_and_above_the_exact_limit(columns, rows):
    assert (columns * rows > EXACT_LIMIT) == (columns == 80)
    positions = layout(without_coordinates(street_grid(columns, rows)))
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, columns * rows, (2, 2000))
    hops = np.abs(u % columns - v % columns) + np.abs(u // columns - v // columns)
    apart = np.linalg.norm(positions[u] - positions[v], axis=1)
    assert np.corrcoef(hops, apart)[0, 1] > 0.95


def test_no_vertex_of_a_small_figure_lies_on_a_foreign_edge():
    arcs = [
        (4, 5),
        (4, 7),
        (5, 7),
        (5, 1),
        (0, 4),
        (0, 2),
        (7, 3),
        (1, 3),
        (2, 7),
        (6, 2),
        (3, 6),
        (6, 0),
        (6, 4),
    ]
    positions = layout(graph_of([(u, v, 1) for u, v in arcs], None))
    for u, v in arcs:
        along = positions[v] - positions[u]
        for w in set(range(8)) - {u, v}:
            offset = positions[w] - positions[u]
            share = np.clip(offset @ along / (along @ along), 0, 1)
            assert np.linalg.norm(offset - share * along) > 0.2


def test_components_are_packed_side_by_side():
    arcs = (
        [(i, (i + 1) % 6, 1) for i in range(6)]
        + [(6 + i, 6 + (i + 1) % 5, 1) for i in range(5)]
        + [(11, 11, 1)]
    )
    positions = layout(graph_of(arcs, None))
    boxes = [
        (positions[part].min(0), positions[part].max(0))
        for part in (slice(0, 6), slice(6, 11), slice(11, 12))
    ]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[i + 1 :]:
            assert (high < other_low).any() or (other_high < low).any()


@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_edges_are_laid_out(n):
    graph = Graph.from_arcs(n, np.empty(0), np.empty(0), np.empty(0, np.int32))
    positions = layout(graph)
    assert positions.shape == (n, 2)
    assert len(np.unique(positions, axis=0)) == n


def squares(sides: list[float], points: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Components that fill squares of the given sides."""
    rng, parts = np.random.default_rng(1), []
    for side, count in zip(sides, points, strict=True):
        corners = np.array([[0, 0], [side, 0], [0, side], [side, side]])[:count]
        parts.append(np.vstack((corners, rng.uniform(0, side, (max(0, count - 4), 2)))))
    return np.vstack(parts), np.concatenate(([0], np.cumsum(points)))


def boxes(positions: np.ndarray, starts: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    parts = np.split(positions, starts[1:-1])
    return [(part.min(axis=0), part.max(axis=0)) for part in parts]


def overlap(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> bool:
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())


@pytest.mark.parametrize(
    ("sides", "points"),
    [
        ([3, 20, 2, 2, 5, 1], [4, 400, 4, 4, 20, 4]),
        ([4] * 30, [9] * 30),
        ([10, *[0] * 300], [50, *[1] * 300]),
        ([10, 8], [50, 40]),
        ([0] * 7, [1] * 7),
    ],
)
def test_no_two_components_overlap(sides, points):
    positions, starts = squares(sides, points)
    pack(positions, starts)
    placed = boxes(positions, starts)
    assert not any(overlap(one, other) for i, one in enumerate(placed) for other in placed[:i])
    assert len(np.unique(np.round(positions, 9), axis=0)) == len(positions)


def test_the_largest_component_stays_in_the_middle_and_keeps_its_size():
    positions, starts = squares([20, *[2] * 200], [800, *[3] * 200])
    pack(positions, starts)
    low, high = positions.min(axis=0), positions.max(axis=0)
    main_low, main_high = boxes(positions, starts)[0]
    assert main_high - main_low == pytest.approx([20, 20])
    assert (low + high) / 2 == pytest.approx(
        (main_low + main_high) / 2, abs=0.1 * (high - low).max()
    )
    assert (high - low)[1] == pytest.approx(20, rel=0.1)
    assert (high - low)[0] < 3 * 20


def test_nothing_and_one_component():
    pack(np.empty((0, 2)), np.array([0]))
    positions = np.array([[3.0, 4.0], [5.0, 4.0]])
    pack(positions, np.array([0, 2]))
    assert positions.tolist() == [[-1, 0], [1, 0]]


DIAMOND = graph_of([(0, 1, 2), (0, 2, 5), (1, 3, 4), (2, 3, 4)], None)


def test_a_circle_holds_all_vertices_in_order_clockwise_from_the_top():
    places = circular(8)
    assert np.hypot(*places.T) == pytest.approx(np.ones(8))
    assert places[0] == pytest.approx([0, -1])
    assert places[2] == pytest.approx([1, 0])
    assert circular(1).tolist() == [[0, 0]]
    assert circular(0).shape == (0, 2)


def test_layers_by_hops_stand_apart_and_no_two_vertices_share_a_place():
    places = layered(street_grid(8, 5), 0)
    xs = np.unique(places[:, 0].round(9))
    assert len(xs) == 12  # 0 .. 11 arcs from the corner
    assert len(np.unique(places.round(9), axis=0)) == 40
    assert places[0, 0] == 0


def test_with_distances_x_is_the_distance():
    places = layered(DIAMOND, 0, np.array([0.0, 2.0, 5.0, 6.0]))
    assert places[:, 0] / places[3, 0] == pytest.approx([0, 2 / 6, 5 / 6, 1])
    assert len(np.unique(places[:, 1].round(9))) > 1


def test_the_unreachable_stand_beyond_all_others():
    graph = graph_of([(0, 1, 1), (2, 3, 1)], None)
    places = layered(graph, 0)
    assert places[2:, 0].min() > places[:2, 0].max()
    assert np.isfinite(places).all()


def test_crossings_are_swept_out():
    # crossed, if layers stood in the order of ids
    pairs = [(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)]
    places = layered(graph_of([(u, v, 1) for u, v in pairs], None), 0)
    order = np.argsort(places[1:4, 1]) + 1
    assert [dict(pairs[3:])[int(v)] for v in order] == (np.argsort(places[4:7, 1]) + 4).tolist()


@pytest.mark.parametrize("make", [lambda g: layered(g, 3), lambda g: rings(g, 7).positions, layout])
def test_the_same_graph_gives_the_same_arrangement(make):
    grid = street_grid(9, 7)
    assert np.array_equal(make(grid), make(grid))


def test_a_large_spring_layout_is_shown_while_it_is_made():
    grid = street_grid(60, 50)
    seen: list[np.ndarray] = []
    done = layout(grid, show=lambda positions: seen.append(positions.copy()))
    assert seen
    assert all(content.shape == (3000, 2) for content in seen)
    assert np.isfinite(seen[-1]).all()
    assert grid.n > EXACT_LIMIT
    small: list[np.ndarray] = []
    assert np.array_equal(layout(street_grid(9, 7), show=small.append), layout(street_grid(9, 7)))
    assert small == []
    assert np.isfinite(done).all()


def polar(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.hypot(*places.T), np.arctan2(places[:, 1], places[:, 0]) % (2 * np.pi)


def test_the_radius_is_the_number_of_arcs_or_the_distance():
    path = graph_of([(0, 1, 1), (1, 2, 7), (2, 3, 2)], None)
    assert polar(rings(path, 0).positions)[0] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    distances = np.array([0.0, 1.0, 8.0, 10.0])
    tree = np.array([-1, 0, 1, 2], np.int32)
    assert polar(rings(path, 0, distances, tree).positions)[0] == pytest.approx([0, 0.1, 0.8, 1])


def test_negative_distances_keep_their_order():
    radii, _ = polar(
        rings(graph_of([(0, 1, -4), (1, 2, 9)], None), 0, np.array([0.0, -4.0, 5.0])).positions
    )
    assert radii[1] < radii[0] < radii[2]


def test_each_subtree_has_a_sector_of_its_own():
    arcs = [(0, i, 1) for i in (1, 2, 3)] + [
        (i, 3 * i + j, 1) for i in (1, 2, 3) for j in (1, 2, 3)
    ]
    _, angles = polar(rings(graph_of(arcs, None), 0).positions)
    order = np.argsort(angles[4:])
    owners = (order // 3).tolist()
    assert sorted(map(tuple, np.reshape(owners, (3, 3)).tolist())) == [
        (0, 0, 0),
        (1, 1, 1),
        (2, 2, 2),
    ]
    steps = np.diff(np.sort(angles[4:]))
    assert steps == pytest.approx(2 * np.pi / 9)


def test_neighbours_are_brought_together():
    n = 12  # a circle around a hub, in a random order
    around = np.random.default_rng(4).permutation(n) + 1
    arcs = [(0, int(v), 1) for v in around] + [
        (int(u), int(v), 1) for u, v in zip(around, np.roll(around, -1), strict=True)
    ]
    bearings = np.zeros((n + 1, 2))
    bearings[around] = np.column_stack(
        (np.cos(np.arange(n) * 2 * np.pi / n), np.sin(np.arange(n) * 2 * np.pi / n))
    )
    _, angles = polar(rings(graph_of(arcs, None), 0, bearings=bearings).positions)
    turns = np.abs(np.exp(1j * angles[around]) - np.exp(1j * angles[np.roll(around, -1)]))
    assert turns == pytest.approx(2 * np.sin(np.pi / n))
    places = rings(graph_of(arcs, None), 0, bearings=bearings).positions
    assert (places[1:] * bearings[1:]).sum(axis=1).min() > 0.9  # in the directions that they had


def test_a_map_keeps_its_directions():
    grid = street_grid(31, 31)
    xy = grid.coordinates.xy
    middle = 15 * 31 + 15
    places = rings(grid, middle, bearings=xy).positions
    others = np.arange(grid.n) != middle
    apart = (xy - xy[middle])[others]
    cosines = (
        (apart * places[others]).sum(axis=1) / np.hypot(*apart.T) / np.hypot(*places[others].T)
    )
    assert np.median(cosines) > 0.9


def test_a_crowded_ring_is_a_band_that_meets_no_other():
    leaves = 4 * _RING_CROWD
    hub = np.zeros(leaves, np.int32)
    star = Graph.from_arcs(
        leaves + 2,
        np.append(hub, 1),
        np.append(np.arange(1, leaves + 1), leaves + 1),
        np.ones(leaves + 1, np.int32),
    )
    radii, _ = polar(rings(star, 0).positions)
    ring = radii[1 : leaves + 1]
    assert np.ptp(ring) == pytest.approx(0.31, abs=0.01)
    assert abs(ring.mean() - 0.5) < 0.01
    assert radii[leaves + 1] == 1.0


def test_the_unreached_stay_outside_and_no_two_share_a_place():
    graph = graph_of([(0, 1, 1), (1, 2, 1), (3, 4, 1), (5, 0, 1)], None)
    radii, _ = polar(rings(graph, 0).positions)
    assert radii[[3, 4, 5]].min() > radii[:3].max()
    assert len(np.unique(np.round(rings(graph, 0).positions, 9), axis=0)) == 6


def test_a_tree_with_a_cycle_counts_as_not_reached():
    graph = graph_of([(0, 1, 1), (2, 3, 1), (3, 2, 1)], None)
    places = rings(
        graph, 0, np.array([0.0, 1.0, 2.0, 2.0]), np.array([-1, 0, 3, 2], np.int32)
    ).positions
    assert polar(places)[0][2:].min() > 1.0


COLUMNS, ROWS = 30, 20


def bare(columns: int = COLUMNS, weight: int = 1) -> Graph:
    """A street grid without coordinates."""
    grid = street_grid(columns, ROWS)
    return Graph.from_arcs(grid.n, grid.tails, grid.indices, np.full(grid.m, weight, np.int32))


def positions_of(graph: Graph) -> np.ndarray:
    return np.random.default_rng(graph.n).normal(size=(graph.n, 2))


def file_of(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_a_layout_comes_back_as_it_was_for_the_same_graph_only(tmp_path: Path) -> None:
    graph, store = bare(), LayoutStore(tmp_path / "a" / "b")
    assert store.load(graph, "spring") is None
    store.save(graph, "spring", positions_of(graph))
    again = LayoutStore(tmp_path / "a" / "b")
    assert np.array_equal(again.load(bare(), "spring"), positions_of(graph))
    assert again.load(graph, "circular") is None
    assert again.load(bare(weight=2), "spring") is None
    assert graph.sha256 in file_of(tmp_path / "a" / "b").name


def test_layouts_of_another_version_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))
    assert store.load(graph, "spring") is not None
    monkeypatch.setattr(layout_store, "_VERSION", "2")
    assert store.load(graph, "spring") is None


@pytest.mark.parametrize(
    "damage", ["empty", "cut", "flipped", "noise", "other graph", "npz", "folder"]
)
def test_damage_is_as_good_as_nothing_and_is_replaced(tmp_path: Path, damage: str) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    good = positions_of(graph)
    store.save(graph, "spring", good)
    path = file_of(tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "other graph":
        LayoutStore(tmp_path / "other").save(
            bare(columns=31), "spring", positions_of(bare(columns=31))
        )
        path.write_bytes(file_of(tmp_path / "other").read_bytes())
    elif damage == "npz":
        with path.open("wb") as file:
            np.savez(file, positions=good)
    else:
        flipped = whole[:middle] + bytes([whole[middle] ^ 8]) + whole[middle + 1 :]
        path.write_bytes(
            {"empty": b"", "cut": whole[:middle], "flipped": flipped, "noise": b"x" * 999}[damage]
        )
    assert store.load(graph, "spring") is None
    if damage == "folder":
        path.rmdir()
    store.save(graph, "spring", good)
    assert np.array_equal(store.load(graph, "spring"), good)


@pytest.mark.parametrize(
    "error", [NotImplementedError, RuntimeError, MemoryError, SyntaxError, OSError]
)
def test_whatever_a_reader_raises_the_file_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(disk_cache.np, "fromfile", broken)
    assert store.load(graph, "spring") is None
    assert not any(tmp_path.iterdir())


def test_past_the_bound_what_was_not_asked_for_longest_goes(tmp_path: Path) -> None:
    graphs = [bare(weight=weight) for weight in (1, 2, 3, 4)]
    positions = positions_of(graphs[0])
    store = LayoutStore(tmp_path, most_bytes=3 * positions.nbytes + 300)
    for age, graph in enumerate(graphs[:3]):
        store.save(graph, "spring", positions)
        written = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(written, (1000.0 + age, 1000.0 + age))
    assert store.load(graphs[0], "spring") is not None  # the oldest, but asked for just now
    store.save(graphs[3], "spring", positions)
    assert [store.load(graph, "spring") is not None for graph in graphs] == [
        True,
        False,
        True,
        True,
    ]


def test_what_is_larger_than_the_bound_or_quickly_made_is_not_kept(tmp_path: Path) -> None:
    graph, small = bare(), bare(columns=10)
    LayoutStore(tmp_path, most_bytes=1000).save(graph, "spring", positions_of(graph))
    LayoutStore(tmp_path).save(small, "spring", positions_of(small))
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_or_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    graph, store = bare(), LayoutStore(tmp_path / "file" / "below")
    store.save(graph, "spring", positions_of(graph))
    assert store.load(graph, "spring") is None


@pytest.mark.parametrize(
    "arcs",
    [
        [(0, 1), (1, 0), (1, 2), (2, 1)],  # as they are
        [(0, 1), (1, 0), (1, 2)],  # not back
        [(1, 0), (2, 0), (2, 1)],
        [(0, 1), (1, 0), (1, 1)],  # to itself
        [(0, 1), (0, 1), (1, 0), (1, 0)],  # twice
        [(0, 2), (2, 0), (2, 3), (3, 2), (0, 3)],
    ],
)
def test_neighbours_are_those_of_arcs_of_either_direction(arcs: list[tuple[int, int]]) -> None:
    tails, heads = np.array(arcs).T
    graph = Graph.from_arcs(5, tails, heads, np.ones(len(arcs), np.int32))
    found = undirected(graph.n, graph.indptr, graph.indices)
    either = {pair for tail, head in arcs for pair in ((tail, head), (head, tail))}
    right = sorted((tail, head) for tail, head in either if tail != head)
    ends = np.repeat(np.arange(5), np.diff(found.indptr)), found.indices
    assert list(zip(*(end.tolist() for end in ends), strict=True)) == right


def test_each_number_of_sweeps_and_of_threads_gives_the_same_places() -> None:
    part = largest_part(street_grid(70, 50))
    pivots = pivots_of(part, 20, TWO, np.random.default_rng(1))
    stress, places = SparseStress(part, pivots), np.ones((part.n, 2), np.float32)
    places[:] = np.random.default_rng(2).normal(size=places.shape)
    looks: list[float] = []
    together = stress.swept(places, 5, TWO, looks.append)
    assert looks[0] == 0.0
    one_by_one = places
    for _ in range(5):
        one_by_one = stress.swept(one_by_one, 1, ONE, looks.append)
    assert np.array_equal(together, one_by_one)
    assert np.abs(together - places).max() > 0.1


def test_sweeps_end_when_they_are_told() -> None:
    def stop(_: float) -> None:
        raise Cancelled

    part = largest_part(street_grid(70, 50))
    pivots = pivots_of(part, 20, TWO, np.random.default_rng(1))
    with pytest.raises(Cancelled):
        SparseStress(part, pivots).swept(np.zeros((part.n, 2), np.float32), 9, TWO, stop)
    state = np.zeros(3, np.int64)
    assert large_component._next_piece(state, 4, 8) == 0
    state[1:] = 4, 4
    assert large_component._next_piece(state, 4, 8) == 4
    state[:] = 1, 4, 3  # a piece is not done, for which nobody waits any more
    assert large_component._next_piece(state, 4, 8) == -1
    state[:] = 0, 8, 7
    assert large_component._next_piece(state, 4, 8) == -1
