"""Sorting arcs into rows: two counting sorts, by head and then by tail, O(n + m) and stable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _counting_order(n: int, keys: NDArray[np.int32], order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.zeros(n + 1, dtype=np.int64)
    for key in keys:
        starts[key + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    cursor = starts[:-1].copy()
    result = np.empty(order.shape[0], dtype=np.int64)
    for arc in order:
        key = keys[arc]
        result[cursor[key]] = arc
        cursor[key] += 1
    return starts, result


def rows_of_arcs(
    n: int, tails: NDArray[np.int32], heads: NDArray[np.int32], weights: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """``(indptr, indices, weights)`` of an arc list: rows in vertex order, heads ascending within a row."""
    _, by_head = _counting_order(n, heads, np.arange(len(heads), dtype=np.int64))
    indptr, by_row = _counting_order(n, tails, by_head)
    return indptr, heads[by_row], weights[by_row]
