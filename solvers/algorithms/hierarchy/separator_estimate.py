"""An estimate of the largest separator, by one breadth-first search: whether it is worth ordering the graph at all.

The levels of a breadth-first search separate what is nearer from what is farther. In road networks and grids a level
near the middle has of the order of the square root of n vertices; in social and random networks a large part of n, and
no order helps there. A few hubs may connect everything, and are taken out first, as part of the separator.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.adjacency import Adjacency
from solvers.host.jit import njit

_MOST_HUBS = 256
_HUB = 16  # neighbours, at least, in multiples of the mean
_UNREACHED = -1


def estimated_separator(adjacency: Adjacency) -> int:
    """Size of a separator that leaves no more than three quarters of the vertices on a side; 0 if none is needed."""
    n = adjacency.n
    if adjacency.edges <= n // 4:
        return 0
    degrees = np.diff(adjacency.first)
    hubs = np.argsort(degrees)[max(0, n - _MOST_HUBS) :]
    hubs = hubs[degrees[hubs] >= _HUB * (1 + 2 * adjacency.edges / n)]
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    level[:] = _UNREACHED
    level[hubs] = n
    sizes = _largest_search(adjacency.first, adjacency.neighbours, level, queue)
    if sizes.sum() <= 3 * n // 4:
        return len(hubs)
    before = np.cumsum(sizes) - sizes
    after = sizes.sum() - before - sizes
    dividing = np.maximum(before, after) <= 3 * n // 4
    return int(sizes[dividing].min(initial=int(sizes.max()))) + len(hubs)


def least_up_arcs(separator: int) -> int:
    """Arcs of a hierarchy with such a separator, at least: halves of it become cliques."""
    return separator * separator // 4


@njit(cache=True, nogil=True)
def _largest_search(
    first: NDArray[np.int64], neighbours: NDArray[np.int32], level: NDArray[np.int32], queue: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Level sizes of a search of the largest component, from a vertex farthest from the first one looked at."""
    n, best, best_last = len(level), 0, -1
    for root in range(n):
        if level[root] == _UNREACHED:
            count = _search(first, neighbours, level, queue, root)
            if count > best:
                best, best_last = count, queue[count - 1]
    if best == 0:
        return np.zeros(1, np.int64)
    for v in range(n):
        if level[v] < n:
            level[v] = _UNREACHED
    count = _search(first, neighbours, level, queue, best_last)
    sizes = np.zeros(level[queue[count - 1]] + 1, np.int64)
    for i in range(count):
        sizes[level[queue[i]]] += 1
    return sizes


@njit(cache=True, nogil=True)
def _search(
    first: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    level: NDArray[np.int32],
    queue: NDArray[np.int32],
    root: int,
) -> int:
    """Breadth-first search of one component; returns its number of vertices, which stand in ``queue``."""
    queue[0], level[root] = root, 0
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(first[v], first[v + 1]):
            w = neighbours[k]
            if level[w] == _UNREACHED:
                level[w] = level[v] + 1
                queue[tail] = w
                tail += 1
    return tail
