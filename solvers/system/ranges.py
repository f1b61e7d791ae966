"""Consecutive pieces by their lengths: where each begins, and the numbers of ranges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solvers.system.array_types import AnyArray, Int64s


def offsets_of(lengths: AnyArray | Sequence[int]) -> Int64s:
    """(k + 1,) where each of k consecutive pieces of these lengths begins, and the last ends."""
    found = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=found[1:])
    return found


def numbers_in(first: AnyArray | int, lengths: AnyArray) -> Int64s:
    """The numbers of ranges of these lengths, (k,), that begin at ``first``: one range after the
    other.
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first + lengths - ends, lengths)
