"""Which rows or pairs of a large answer are proved: a sample that is the same in every run."""

from __future__ import annotations

import numpy as np

from solvers.system.array_types import Int64s


def proof_sample(count: int, most: int, seed: int) -> Int64s:
    """Up to ``most`` of ``count`` positions, ascending; all of them if these are no more."""
    if most >= count:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False))
