"""Layouts to choose from: circles and layers, and the spring layout while it is made.

Rings: the radius is the distance, subtrees keep together, crowded rings become bands, the unreached stay outside.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.arrangements import _RING_CROWD, circular, layered, rings
from gui.picture.layout.stress import SHOWN_FROM, layout
from solvers.graphs.graph import Graph
from tests.gui.pictures import graph_of, street_grid, without_coordinates

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
    pairs = [(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)]  # crossed, if layers stood in the order of ids
    places = layered(graph_of([(u, v, 1) for u, v in pairs], None), 0)
    order = np.argsort(places[1:4, 1]) + 1
    assert [dict(pairs[3:])[int(v)] for v in order] == (np.argsort(places[4:7, 1]) + 4).tolist()


@pytest.mark.parametrize("make", [lambda g: layered(g, 3), lambda g: circular(g.n), layout])
def test_the_same_graph_gives_the_same_picture(make):
    grid = street_grid(9, 7)
    assert np.array_equal(make(grid), make(grid))


def test_a_large_spring_layout_is_shown_while_it_is_made():
    grid = street_grid(60, 50)
    seen: list[np.ndarray] = []
    done = layout(grid, show=lambda positions: seen.append(positions.copy()))
    assert seen
    assert all(content.shape == (3000, 2) for content in seen)
    assert np.isfinite(seen[-1]).all()
    assert grid.n > SHOWN_FROM
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
    radii, _ = polar(rings(graph_of([(0, 1, -4), (1, 2, 9)], None), 0, np.array([0.0, -4.0, 5.0])).positions)
    assert radii[1] < radii[0] < radii[2]


def test_each_subtree_has_a_sector_of_its_own():
    arcs = [(0, i, 1) for i in (1, 2, 3)] + [(i, 3 * i + j, 1) for i in (1, 2, 3) for j in (1, 2, 3)]
    _, angles = polar(rings(graph_of(arcs, None), 0).positions)
    order = np.argsort(angles[4:])
    owners = (order // 3).tolist()
    assert sorted(map(tuple, np.reshape(owners, (3, 3)).tolist())) == [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
    steps = np.diff(np.sort(angles[4:]))
    assert steps == pytest.approx(2 * np.pi / 9)


def test_neighbours_are_brought_together():
    n = 12  # a circle around a hub, in a random order
    around = np.random.default_rng(4).permutation(n) + 1
    arcs = [(0, int(v), 1) for v in around] + [
        (int(u), int(v), 1) for u, v in zip(around, np.roll(around, -1), strict=True)
    ]
    bearings = np.zeros((n + 1, 2))
    bearings[around] = np.column_stack((np.cos(np.arange(n) * 2 * np.pi / n), np.sin(np.arange(n) * 2 * np.pi / n)))
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
    cosines = (apart * places[others]).sum(axis=1) / np.hypot(*apart.T) / np.hypot(*places[others].T)
    assert np.median(cosines) > 0.9


def test_a_crowded_ring_is_a_band_that_meets_no_other():
    leaves = 4 * _RING_CROWD
    hub = np.zeros(leaves, np.int32)
    star = Graph.from_arcs(
        leaves + 2, np.append(hub, 1), np.append(np.arange(1, leaves + 1), leaves + 1), np.ones(leaves + 1, np.int32)
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
    places = rings(graph, 0, np.array([0.0, 1.0, 2.0, 2.0]), np.array([-1, 0, 3, 2], np.int32)).positions
    assert polar(places)[0][2:].min() > 1.0


def test_rings_the_same_graph_gives_the_same_picture():
    grid = without_coordinates(street_grid(20, 15))
    assert np.array_equal(rings(grid, 7).positions, rings(grid, 7).positions)
