"""Rows relaxed by vector instructions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.weights import weight_type
from solvers.host.jit import njit
from solvers.host.vectors import ROW, relax_rows, summarise_rows


@njit()
def relax(rows, row, keeps, others, other, picked, weights, begin, end, infinity):
    relax_rows(rows, row, keeps, others, other, picked, weights, begin, end, infinity)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize(("begin", "end"), [(0, 9), (3, 4), (5, 5)])
@pytest.mark.parametrize("keeps", [True, False])
def test_the_least_of_all_sums(dtype: str, begin: int, end: int, keeps: bool) -> None:
    generator = np.random.default_rng(1)
    infinity = weight_type(dtype).dtype.type(weight_type(dtype).infinity)
    rows, others = (generator.integers(-50, 100, (k, ROW)).astype(dtype) for k in (4, 7))
    others[2, 5:9] = infinity
    picked, weights = generator.integers(0, 6, 9).astype(np.uint16), generator.integers(-9, 20, 9).astype(dtype)
    picked[3], weights[7] = 2, infinity
    start = rows[1] if keeps else np.full(ROW, infinity)
    right = [
        min(
            [start[lane], *(others[p, lane] + w for p, w in finite(picked, weights, others, lane, infinity)[begin:end])]
        )
        for lane in range(ROW)
    ]
    relax(rows, 1, keeps, others, 6, picked, weights, begin, end, infinity)
    np.testing.assert_array_equal(rows[1], right)
    np.testing.assert_array_equal(others[6], right)


def finite(picked, weights, others, lane, infinity):
    """Pairs of row and weight, with a row that changes nothing in place of what is infinite."""
    pairs = zip(picked.tolist(), weights, strict=True)
    return [(p, w) if others[p, lane] < infinity and w < infinity else (p, np.float64(np.inf)) for p, w in pairs]


@njit()
def summarise(rows, begin, end, step, infinity, budget, farthest, totals, reached, within):
    summarise_rows(rows, begin, end, step, infinity, budget, farthest, totals, reached, within)


@pytest.mark.parametrize(
    ("dtype", "sums"), [("int32", "int64"), ("int64", "int64"), ("int64", "float64"), ("float32", "float64")]
)
@pytest.mark.parametrize(("begin", "end", "step"), [(0, 9, 1), (1, 9, 2), (5, 5, 1)])
def test_summaries_of_columns(dtype: str, sums: str, begin: int, end: int, step: int) -> None:
    infinity = weight_type(dtype).dtype.type(weight_type(dtype).infinity)
    rows = np.random.default_rng(2).integers(-50, 100, (9, ROW)).astype(dtype)
    rows[3, 4:9] = infinity
    budget = rows.dtype.type(30)
    farthest, totals = np.full(ROW, 7, dtype), np.full(ROW, 5, sums)
    reached, within = np.full(ROW, 3, np.int32), np.full(ROW, 2, np.int32)
    summarise(rows, begin, end, step, infinity, budget, farthest, totals, reached, within)
    chosen = rows[begin:end:step]
    finite = chosen < infinity
    np.testing.assert_array_equal(farthest, np.where(finite, chosen, 7).max(axis=0, initial=7))
    np.testing.assert_array_equal(totals, 5 + np.where(finite, chosen, 0).sum(axis=0, dtype=sums))
    np.testing.assert_array_equal(reached, 3 + finite.sum(axis=0))
    np.testing.assert_array_equal(within, 2 + (finite & (chosen <= budget)).sum(axis=0))
