"""The climb: distances from one vertex to its ancestors in the elimination tree, over up arcs alone.

A shortest path leads up to its highest vertex and then down. All vertices that can be reached upwards are ancestors, so
the climb visits the path to the root and needs neither a queue nor arrays of n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.host.jit import njit


@njit(cache=True, nogil=True)
def climb(
    v: int,
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    weights: NDArray[Any],
    infinity: Any,
    path: NDArray[np.int32],
    reached: NDArray[Any],
) -> tuple[int, int]:
    """Distances from ``v`` to its ancestors, or from them to ``v`` with the weights of the other direction.

    Parameters
    ----------
    weights : (arcs up,)
    path : (height,) int32
        Set to the rank of ``v``'s ancestor at each depth, -1 below ``v``.
    reached : (height,)
        Set to the distances, by depth.

    Returns
    -------
    int
        Vertices that were reached, ``v`` included.
    int
        Up arcs relaxed.
    """
    path[:] = NONE
    reached[:] = infinity
    reached[depth[v]] = 0
    count, relaxed = 0, 0
    while v != NONE:
        path[depth[v]] = v
        so_far = reached[depth[v]]
        if so_far < infinity:
            for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
                if weights[a] < infinity:
                    k = up_depth[a]
                    reached[k] = min(reached[k], so_far + weights[a])
            count += 1
            relaxed += up_first[v + 1] - up_first[v]
        v = parent[v]
    return count, relaxed
