"""Pieces of a sweep cover all vertices in order, and none is much too long."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.arcs import vertex_ranges


@pytest.mark.parametrize("degrees", [[], [0], [5], [0, 0, 0, 0], [1, 2, 3, 4, 5], [50, 0, 0, 1], [0, 0, 50], [3] * 40])
@pytest.mark.parametrize("arcs", [1, 4, 1000])
def test_ranges_cover_everything_once(degrees: list[int], arcs: int) -> None:
    indptr = np.concatenate(([0], np.cumsum(degrees))).astype(np.int64)
    ranges = vertex_ranges(indptr, arcs)
    assert [v for first, last in ranges for v in range(first, last)] == list(range(len(degrees)))
    heaviest = max(degrees, default=0)
    for first, last in ranges:
        assert int(indptr[last] - indptr[first]) + (last - first) <= arcs + heaviest + 1
