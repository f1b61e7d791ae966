"""Pieces by their lengths, against loops."""

import numpy as np
import pytest

from solvers.system.ranges import numbers_in, offsets_of


@pytest.mark.parametrize("lengths", [[], [0], [3], [2, 0, 1, 0, 0, 4], [0, 5, 0]])
def test_pieces_are_those_of_loops(lengths):
    offsets = offsets_of(lengths)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(lengths[:k]) for k in range(len(lengths) + 1)]

    first = np.arange(len(lengths)) * 7 - 3
    wanted = [b + k for b, count in zip(first.tolist(), lengths, strict=True) for k in range(count)]
    assert numbers_in(first, np.array(lengths, np.int64)).tolist() == wanted
    within = [k for count in lengths for k in range(count)]
    assert numbers_in(0, np.array(lengths, np.int64)).tolist() == within


def test_unsigned_and_narrow_lengths_do_not_wrap():
    lengths = np.array([200, 100], np.uint8)
    assert offsets_of(lengths).tolist() == [0, 200, 300]
    assert numbers_in(np.array([0, 1000]), lengths).tolist() == [*range(200), *range(1000, 1100)]
