"""The vertex grid finds what a search of all vertices finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gui.picture.scene.camera import Bounds
from gui.picture.scene.vertex_grid import VertexGrid
from solvers.system.threads import thread_team

ANYWHERE = st.one_of(st.floats(-0.5, 0.5), st.sampled_from([-0.5, 0.0, 0.25, 0.5, np.nan]))
PLACES = arrays(np.float64, st.tuples(st.integers(1, 60), st.just(2)), elements=ANYWHERE)


def grid_of(positions, threads=1):
    with thread_team(threads) as team:
        return VertexGrid.of(positions, team)


def scattered(n=20_000):
    return np.random.default_rng(5).random((n, 2)) - 0.5


@settings(deadline=None)  # the first call compiles
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
    positions = scattered()
    grid = grid_of(positions)
    assert grid.side > 8
    for x, y in np.random.default_rng(6).random((50, 2)) - 0.5:
        assert grid.nearest(x, y, 0.1) == ((positions - [x, y]) ** 2).sum(axis=1).argmin()


@settings(deadline=None)  # the first call compiles
@given(PLACES, st.floats(-0.7, 0.7), st.floats(-0.7, 0.7), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_within_is_what_a_search_of_all_finds(positions, x, y, across, down):
    x1, y1 = x + across, y + down
    inside = (positions >= [x, y]).all(axis=1) & (positions <= [x1, y1]).all(axis=1)
    assert grid_of(positions).within(Bounds(x, y, x1, y1), 99).tolist() == np.flatnonzero(inside).tolist()


def test_within_stops_at_the_limit():
    positions = scattered()
    window = Bounds(-0.2, -0.1, 0.3, 0.4)
    some = grid_of(positions).within(window, 12)
    assert len(some) == len(set(some.tolist())) == 12
    assert ((positions[some] >= [-0.2, -0.1]) & (positions[some] <= [0.3, 0.4])).all()


def test_rows_over_a_window_hold_every_vertex_in_it():
    positions = scattered()
    seen = np.concatenate(list(grid_of(positions).rows_over(Bounds(-0.1, 0.2, 0.15, 0.3))))
    inside = ((positions >= [-0.1, 0.2]) & (positions <= [0.15, 0.3])).all(axis=1)
    assert set(np.flatnonzero(inside)) <= set(seen.tolist())
    assert len(seen) < 3 * inside.sum()


@pytest.mark.parametrize("threads", [2, 3])
def test_the_grid_is_the_same_with_any_number_of_threads(threads):
    positions = scattered()
    alone, together = grid_of(positions), grid_of(positions, threads)
    assert (alone.order == together.order).all()
    assert (alone.starts == together.starts).all()


def test_a_graph_without_vertices_has_an_empty_grid():
    grid = grid_of(np.empty((0, 2)))
    assert grid.nearest(0.0, 0.0, 9.0) == -1
    assert len(grid.within(Bounds(-1.0, -1.0, 1.0, 1.0), 5)) == 0
