"""Packing: no two components overlap, the largest stays in the middle, pairs do not make up the picture."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.packing import pack


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
