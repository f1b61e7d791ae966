"""Layouts: distances on the page are like distances in the graph; parts do not lie on each other; cancel is heard.

Packing: no two components overlap, the largest stays in the middle, pairs do not make up the picture.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.stress import EXACT_LIMIT, layout, pack
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from tests.gui.pictures import graph_of, street_grid, without_coordinates


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
    arcs = [(4, 5), (4, 7), (5, 7), (5, 1), (0, 4), (0, 2), (7, 3), (1, 3), (2, 7), (6, 2), (3, 6), (6, 0), (6, 4)]
    positions = layout(graph_of([(u, v, 1) for u, v in arcs], None))
    for u, v in arcs:
        along = positions[v] - positions[u]
        for w in set(range(8)) - {u, v}:
            offset = positions[w] - positions[u]
            share = np.clip(offset @ along / (along @ along), 0, 1)
            assert np.linalg.norm(offset - share * along) > 0.2


def test_components_are_packed_side_by_side():
    arcs = [(i, (i + 1) % 6, 1) for i in range(6)] + [(6 + i, 6 + (i + 1) % 5, 1) for i in range(5)] + [(11, 11, 1)]
    positions = layout(graph_of(arcs, None))
    boxes = [(positions[part].min(0), positions[part].max(0)) for part in (slice(0, 6), slice(6, 11), slice(11, 12))]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[i + 1 :]:
            assert (high < other_low).any() or (other_high < low).any()


def test_the_same_graph_gives_the_same_picture():
    graph = without_coordinates(street_grid(20, 10))
    assert np.array_equal(layout(graph), layout(graph))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_edges_are_laid_out(n):
    graph = Graph.from_arcs(n, np.empty(0), np.empty(0), np.empty(0, np.int32))
    positions = layout(graph)
    assert positions.shape == (n, 2)
    assert len(np.unique(positions, axis=0)) == n


def test_cancel_is_heard():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        layout(without_coordinates(street_grid(80, 60)), Progress(token))


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
    assert (low + high) / 2 == pytest.approx((main_low + main_high) / 2, abs=0.1 * (high - low).max())
    assert (high - low)[1] == pytest.approx(20, rel=0.1)
    assert (high - low)[0] < 3 * 20


def test_components_of_like_size_keep_it():
    positions, starts = squares([5] * 40, [9] * 40)
    pack(positions, starts)
    assert all(np.allclose(high - low, 5) for low, high in boxes(positions, starts))
    width, height = np.ptp(positions, axis=0)
    assert 0.7 < width / height < 3


def test_nothing_and_one_component():
    pack(np.empty((0, 2)), np.array([0]))
    positions = np.array([[3.0, 4.0], [5.0, 4.0]])
    pack(positions, np.array([0, 2]))
    assert positions.tolist() == [[-1, 0], [1, 0]]
