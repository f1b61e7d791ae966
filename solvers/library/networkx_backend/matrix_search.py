"""The Floyd-Warshall algorithm in NetworkX's order of steps, so that sums of floats and predecessors are the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

NO_PREDECESSOR = -1


@njit(cache=True, nogil=True)
def solve_matrix(distances: NDArray[np.float64], predecessors: NDArray[np.int32], assigned: NDArray[np.int64]) -> None:
    """All pairs, in place.

    Parameters
    ----------
    distances : (n, n) float64
        Lengths of the arcs, 0 on the diagonal, infinity elsewhere.
    predecessors : (n, n) int32
        The tail of each arc, `NO_PREDECESSOR` elsewhere.
    assigned : (n, n) int64
        Filled in where a predecessor appears: when it did, counted over all pairs.
    """
    n = len(distances)
    clock = 0
    for via in range(n):
        for u in range(n):
            for v in range(n):
                through = distances[u, via] + distances[via, v]
                if distances[u, v] > through:
                    distances[u, v] = through
                    if predecessors[u, v] == NO_PREDECESSOR:
                        assigned[u, v] = clock
                        clock += 1
                    predecessors[u, v] = predecessors[via, v]
