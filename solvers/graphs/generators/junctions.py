"""The lattice of the road generator: neighbouring junctions, and connected components by union-find."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

EAST, NORTH = 0, 1


@njit(cache=True, nogil=True)
def find(root: NDArray[np.int32], j: int) -> int:
    """Root of ``j``'s set (union-find with path halving)."""
    while root[j] != j:
        root[j] = root[root[j]]
        j = root[j]
    return j


@njit(cache=True, nogil=True)
def join(root: NDArray[np.int32], j: int, k: int) -> bool:
    """Unite the sets of ``j`` and ``k``; False if they were the same."""
    a, b = find(root, j), find(root, k)
    if a == b:
        return False
    root[max(a, b)] = min(a, b)
    return True


@njit(cache=True, nogil=True)
def neighbour(columns: int, rows: int, j: int, direction: int) -> int:
    """The junction to the east or north, or -1 at the border."""
    if direction == EAST:
        return j + 1 if (j + 1) % columns else -1
    return j + columns if j + columns < columns * rows else -1
