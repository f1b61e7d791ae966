"""What graphs for other programs say of directions and coordinates; needs none of those programs' libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DEGREES = "epsg:4326"  # longitude and latitude, as OSMnx and GeoPandas name them


def is_paired(tails: NDArray[np.int32], heads: NDArray[np.int32], weights: NDArray[Any]) -> bool:
    """Whether every arc that is no loop has an opposite of the same weight, parallel ones as many."""
    up, down = tails < heads, tails > heads
    if np.count_nonzero(up) != np.count_nonzero(down):
        return False
    there = np.lexsort((weights[up], heads[up], tails[up]))
    back = np.lexsort((weights[down], tails[down], heads[down]))
    pairs = ((tails[up], heads[down]), (heads[up], tails[down]), (weights[up], weights[down]))
    return all(np.array_equal(one[there], other[back]) for one, other in pairs)
