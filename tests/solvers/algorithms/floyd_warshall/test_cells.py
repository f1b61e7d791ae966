"""What the host does for the blocked kernels: cells of any type become distances, infinity stays infinity."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall.cells import INT16, as_distances
from solvers.algorithms.floyd_warshall.matrix import without_padding
from solvers.graphs.weights import INT32, INT64, WeightType
from tests import graphs


def padded_cells(kind: WeightType) -> np.ndarray:
    """A 4 x 4 matrix of which 3 x 3 are cells: 7, infinity and what is just below it."""
    cells = np.full((4, 4), 7, kind.dtype)
    cells[0, 1], cells[2, 2] = kind.infinity, kind.infinity - 1
    return cells


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 100])
def test_narrow_cells_are_widened(rows_at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.graphs.rows._CELLS", 3 * rows_at_a_time)
    cells, graph = padded_cells(INT16), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT16, INT32, graph)
    assert distances.dtype == np.int32
    assert not np.may_share_memory(distances, cells)
    np.testing.assert_array_equal(distances, [[7, INT32.infinity, 7], [7, 7, 7], [7, 7, INT16.infinity - 1]])


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_infinity_lowered_by_a_negative_length_is_infinity_again(kind: WeightType) -> None:
    """It stays above every length that there is; cells of the right type keep their memory."""
    cells, graph = padded_cells(kind), graphs.by_hand("a negative arc")
    cells[1, 1] = kind.infinity - int(graph.path_bound)
    distances = as_distances(cells[:3, :3], kind, INT32, graph)
    far = INT32.infinity
    np.testing.assert_array_equal(distances, [[7, far, 7], [7, far, 7], [7, 7, far]])
    assert np.may_share_memory(distances, cells) == (kind is INT32)


def test_cells_that_are_distances_are_not_touched() -> None:
    cells, graph = padded_cells(INT32), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT32, INT32, graph)
    assert np.may_share_memory(distances, cells)
    assert without_padding(cells, 3)[2, 2] == INT32.infinity - 1
