"""Atomic steps return what stood there and lose nothing between threads; rows relaxed
by vectors, against NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from solvers.graphs.weights import weight_type
from solvers.system.intrinsics import (
    ROW,
    atomic_add,
    atomic_exchange,
    atomic_min,
    compare_exchange,
    give_way,
    load_shared,
    prefetch,
    prefetch_to_write,
    sleep_briefly,
    spin_once,
)
from solvers.system.jit import njit
from solvers.system.lane_rows import relax_rows, summarise_rows
from tests import graphs

THREADS, STEPS = 4, 200_000


@njit
def least_of(values: Any, array: Any) -> Any:
    before = array[0]
    for value in values:
        before = atomic_min(array, 0, value)
    return before


@njit
def count_up(array: Any, times: int) -> int:
    for _ in range(times):
        atomic_add(array, 1, np.int64(1))
    return array[1]


@njit
def take_flags(array: Any) -> int:
    """How many of the flags this thread was the first to put up."""
    mine = 0
    for i in range(array.shape[0]):
        mine += atomic_exchange(array, i, np.int32(1)) == 0
    return mine


@njit
def draw_numbers(array: Any, most: int) -> int:
    """How many numbers below ``most`` this thread was the first to draw."""
    mine = 0
    while True:
        number = load_shared(array, 0)
        if number >= most:
            return mine
        prefetch(array, 1)
        prefetch_to_write(array, 0)
        mine += compare_exchange(array, 0, number, number + 1) == number
        spin_once()
        give_way()
        sleep_briefly()


def test_a_number_is_drawn_by_one_thread() -> None:
    array = np.zeros(2, np.int64)
    with ThreadPoolExecutor(THREADS) as pool:
        mine = list(pool.map(draw_numbers, [array] * THREADS, [STEPS // 10] * THREADS))
    assert sum(mine) == array[0] == STEPS // 10


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_the_least_stays_and_the_value_before_is_told(dtype: str) -> None:
    array = np.array([50, 7], dtype=dtype)
    assert least_of(np.array([60], dtype=dtype), array) == 50
    assert array.tolist() == [50, 7], "a greater value changes nothing"
    assert least_of(np.array([20, 30], dtype=dtype), array) == 20
    assert array.tolist() == [20, 7]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_order_by_their_bits_from_infinity_to_zero(dtype: str) -> None:
    array = np.array([np.inf], dtype=dtype)
    falling = np.array([1e30, 3.5, 0.1, 1e-30, 0.0], dtype=dtype)
    for value in falling:
        least_of(np.array([value], dtype=dtype), array)
        assert array[0] == value


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_no_fall_is_lost_between_threads(dtype: str) -> None:
    array = np.array([10**9], dtype=dtype)
    values = np.random.default_rng(3).integers(5, 10**6, (THREADS, STEPS)).astype(dtype)
    in_threads(lambda thread: least_of(values[thread], array))
    assert array[0] == values.min()


def test_no_count_is_lost_between_threads() -> None:
    array = np.zeros(2, dtype=np.int64)
    in_threads(lambda _: count_up(array, STEPS))
    assert array[1] == THREADS * STEPS


def test_each_flag_is_put_up_by_one_thread_only() -> None:
    array = np.zeros(STEPS, dtype=np.int32)
    assert sum(in_threads(lambda _: take_flags(array))) == STEPS


@njit(cache=False)
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
    picked, weights = (
        generator.integers(0, 6, 9).astype(np.uint16),
        generator.integers(-9, 20, 9).astype(dtype),
    )
    picked[3], weights[7] = 2, infinity
    start = rows[1] if keeps else np.full(ROW, infinity)
    right = [
        min(
            [
                start[lane],
                *(
                    others[p, lane] + w
                    for p, w in finite(picked, weights, others, lane, infinity)[begin:end]
                ),
            ]
        )
        for lane in range(ROW)
    ]
    relax(rows, 1, keeps, others, 6, picked, weights, begin, end, infinity)
    np.testing.assert_array_equal(rows[1], right)
    np.testing.assert_array_equal(others[6], right)


def finite(picked, weights, others, lane, infinity):
    """Pairs of row and weight, with a row that changes nothing in place of what is infinite."""
    pairs = zip(picked.tolist(), weights, strict=True)
    return [
        (p, w) if others[p, lane] < infinity and w < infinity else (p, np.float64(np.inf))
        for p, w in pairs
    ]


@njit(cache=False)
def summarise(rows, begin, end, step, infinity, budget, farthest, totals, reached, within):
    summarise_rows(rows, begin, end, step, infinity, budget, farthest, totals, reached, within)


@pytest.mark.parametrize(
    ("dtype", "sums"),
    [("int32", "int64"), ("int64", "int64"), ("int64", "float64"), ("float32", "float64")],
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
