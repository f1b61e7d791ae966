"""The random numbers are SplitMix64's, and even."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.random_numbers import fill_real, fill_whole, mix

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def finish(z: int) -> int:
    """SplitMix64's finaliser (Steele, Lea, Flood 2014) in Python integers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


@pytest.mark.parametrize("seed", [0, 1, 2**53, 2**64 - 1])
@pytest.mark.parametrize("counter", [0, 1, 10**12])
def test_same_bits_as_the_definition(seed: int, counter: int) -> None:
    assert int(mix(np.uint64(seed), counter)) == finish((finish((seed + _GOLDEN) & _MASK) + counter * _GOLDEN) & _MASK)


def test_pieces_make_the_same_whole() -> None:
    all_at_once, in_pieces = np.empty(1_000, dtype=np.int32), np.empty(1_000, dtype=np.int32)

    fill_whole(np.uint64(5), 0, -3, 3, all_at_once)
    fill_whole(np.uint64(5), 0, -3, 3, in_pieces[:400])
    fill_whole(np.uint64(5), 400, -3, 3, in_pieces[400:])

    assert all_at_once.tolist() == in_pieces.tolist()


def test_numbers_are_even_and_neighbouring_seeds_have_nothing_in_common() -> None:
    first, second = np.empty(100_000), np.empty(100_000)

    fill_real(np.uint64(1), 0, 0.0, 1.0, first)
    fill_real(np.uint64(2), 0, 0.0, 1.0, second)

    assert first.mean() == pytest.approx(0.5, abs=0.005)
    assert np.histogram(first, 10, (0, 1))[0].std() < 200
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.02
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.02
