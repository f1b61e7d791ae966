"""Atomic steps on array elements: they do what they say, return what stood there, and lose nothing between threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from solvers.host.atomics import atomic_add, atomic_exchange, atomic_min
from solvers.host.jit import njit
from tests import graphs

THREADS, STEPS = 4, 200_000


@njit(cache=True, nogil=True)
def least_of(values: Any, array: Any) -> Any:
    before = array[0]
    for value in values:
        before = atomic_min(array, 0, value)
    return before


@njit(cache=True, nogil=True)
def count_up(array: Any, times: int) -> int:
    for _ in range(times):
        atomic_add(array, 1, np.int64(1))
    return array[1]


@njit(cache=True, nogil=True)
def take_flags(array: Any) -> int:
    """How many of the flags this thread was the first to put up."""
    mine = 0
    for i in range(array.shape[0]):
        mine += atomic_exchange(array, i, np.int32(1)) == 0
    return mine


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
