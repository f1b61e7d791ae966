"""Layouts to choose from: circles and layers, and the spring layout while it is made."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.arrangements import circular, layered
from gui.picture.layout.stress import SHOWN_FROM, layout
from tests.gui.pictures import graph_of, street_grid

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
