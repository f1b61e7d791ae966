"""Breadth-first search over adjacency arrays, for layouts in layers and rings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.system.jit import njit


@njit(cache=True, nogil=True)
def breadth_first_tree(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], source: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The vertices reached in order, (k,); of all vertices the parent and the number of arcs from the source, (n,).

    Parents of the source and both of vertices that are not reached are -1.
    """
    n = indptr.shape[0] - 1
    parents, hops = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    queue[0], head, tail = source, 0, 1
    hops[source] = 0
    while head < tail:
        u = queue[head]
        head += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if hops[v] < 0:
                hops[v], parents[v] = hops[u] + 1, u
                queue[tail] = v
                tail += 1
    return queue[:tail].copy(), parents, hops
