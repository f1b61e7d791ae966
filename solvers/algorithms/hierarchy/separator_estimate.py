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
from solvers.host.observer import SILENT, Observer

_MOST_HUBS = 256
_HUB = 16  # neighbours, at least, in multiples of the mean
_UNREACHED = -1
_STEPS_A_LOOK = 1 << 19  # vertices between two cancellation checks
_ROOT, _HEAD, _TAIL, _LARGEST, _LAST = range(5)


def estimated_separator(adjacency: Adjacency, observer: Observer = SILENT) -> int:
    """Size of a separator that leaves no more than three quarters of the vertices on a side; 0 if none is needed.

    Raises
    ------
    Cancelled
    """
    n = adjacency.n
    if adjacency.edges <= n // 4:
        return 0
    degrees = np.diff(adjacency.first)
    hubs = np.flatnonzero(degrees >= _HUB * (1 + 2 * adjacency.edges / n))
    hubs = hubs[np.argsort(degrees[hubs], kind="stable")[-_MOST_HUBS:]]
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    level[:] = _UNREACHED
    level[hubs] = n
    sizes = _largest_search(adjacency, level, queue, observer)
    if sizes.sum() <= 3 * n // 4:
        return len(hubs)
    before = np.cumsum(sizes) - sizes
    after = sizes.sum() - before - sizes
    dividing = np.maximum(before, after) <= 3 * n // 4
    return int(sizes[dividing].min(initial=int(sizes.max()))) + len(hubs)


def least_up_arcs(separator: int) -> int:
    """Arcs of a hierarchy with such a separator, at least: halves of it become cliques."""
    return separator * separator // 4


def _largest_search(
    adjacency: Adjacency, level: NDArray[np.int32], queue: NDArray[np.int32], observer: Observer
) -> NDArray[np.int64]:
    """Level sizes of a search of the largest component, from a vertex farthest from the first one looked at."""
    n = adjacency.n
    state = np.zeros(5, np.int64)

    def search() -> None:
        while state[_ROOT] < n or state[_HEAD] < state[_TAIL]:
            observer.checkpoint()
            _search(adjacency.first, adjacency.neighbours, level, queue, state, _STEPS_A_LOOK)

    search()
    if not max(state[_LARGEST], state[_TAIL]):
        return np.zeros(1, np.int64)
    last = queue[state[_TAIL] - 1] if state[_TAIL] > state[_LARGEST] else state[_LAST]
    level[level < n] = _UNREACHED
    queue[0], level[last] = last, 0
    state[:] = n, 0, 1, 0, 0  # of this component alone
    search()
    return np.bincount(level[queue[: state[_TAIL]]])


@njit(cache=True, nogil=True)
def _search(
    first: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    level: NDArray[np.int32],
    queue: NDArray[np.int32],
    state: NDArray[np.int64],
    steps: int,
) -> None:
    """Continue the breadth-first search in ``queue`` by some steps; where it has ended, that of the next component.

    Parameters
    ----------
    state : (5,) int64
        First vertex not yet tried as a root, ends of the queue, vertices of the largest component searched, and the
        last vertex of its search.
    """
    root, head, tail, largest, last = state
    while steps > 0 and (head < tail or root < len(level)):
        steps -= 1
        if head == tail:
            if tail > largest:
                largest, last = tail, queue[tail - 1]
            head = tail = 0
            if level[root] == _UNREACHED:
                queue[0], level[root] = root, 0
                tail = 1
            root += 1
        else:
            v = queue[head]
            head += 1
            for k in range(first[v], first[v + 1]):
                w = neighbours[k]
                if level[w] == _UNREACHED:
                    level[w] = level[v] + 1
                    queue[tail] = w
                    tail += 1
    state[:] = root, head, tail, largest, last
