"""Shrinking a matrix: the least of each group, whichever part, whichever type."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture import matrix as shrink_module
from gui.picture.matrix import finite_extremes, shrink
from solvers.core.trace import downsample_least
from solvers.errors import Cancelled
from solvers.graphs.weights import weight_type
from solvers.system.cancel import CancelToken, Progress


def matrix(n: int, dtype: str) -> np.ndarray:
    """Random distances; a third out of reach, one block of 7 x 7 and one row wholly so."""
    random = np.random.default_rng(5)
    values = random.integers(-20, 1000, (n, n)).astype(dtype)
    values[random.random((n, n)) < 0.33] = weight_type(np.dtype(dtype)).infinity
    values[7:14, 14:21] = weight_type(np.dtype(dtype)).infinity
    values[3] = weight_type(np.dtype(dtype)).infinity
    return values


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("n", [40, 42])
def test_it_is_the_least_of_each_group(n, dtype):
    values = matrix(n, dtype)
    side = -(-n // 7)
    shrunk = shrink(values, 7, (0, side), (0, side))
    assert np.array_equal(shrunk.least, downsample_least(values, side))
    assert np.isinf(shrunk.least[1, 2])
    assert np.isinf(shrink(values, 1, (0, n), (0, n)).least[3]).all()


def test_a_part_is_cut_from_the_whole():
    values = matrix(100, "int32")
    whole = shrink(values, 3, (0, 34), (0, 34)).least
    part = shrink(values, 3, (5, 34), (11, 20))
    assert np.array_equal(part.least, whole[5:34, 11:20])
    assert part.covers(3, (6, 30), (11, 20))
    assert not part.covers(3, (4, 30), (11, 20))
    assert not part.covers(2, (6, 30), (11, 20))


def test_pieces_do_not_show(monkeypatch):
    values = matrix(100, "float32")
    at_once = shrink(values, 3, (0, 34), (0, 34)).least
    extremes = finite_extremes(values)
    monkeypatch.setattr(shrink_module, "_PIECE_CELLS", 500)
    assert np.array_equal(shrink(values, 3, (0, 34), (0, 34)).least, at_once)
    assert finite_extremes(values) == extremes


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_extremes_are_of_what_can_be_reached(dtype):
    values = matrix(50, dtype)
    reached = values[values < weight_type(np.dtype(dtype)).infinity]
    assert finite_extremes(values) == (reached.min(), reached.max())
    assert finite_extremes(np.full((4, 4), weight_type(np.dtype(dtype)).infinity, dtype)) == (0.0, 0.0)


def test_cancel_is_heard_between_pieces():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        shrink(matrix(40, "int32"), 1, (0, 40), (0, 40), Progress(token))
    with pytest.raises(Cancelled):
        finite_extremes(matrix(40, "int32"), Progress(token))
