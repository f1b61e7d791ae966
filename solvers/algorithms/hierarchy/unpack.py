"""Unpacking: the path in the graph that an arc of the hierarchy stands for.

An up arc is an arc of the graph, or goes over a lower vertex that has up arcs to both of its ends, with exactly its
weight; each of the two is unpacked in turn. Nothing is stored for this: the lower vertex is looked for among the few
that have an up arc to the lower end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit

_NOT_FOUND = -1


@njit(cache=True, nogil=True)
def unpack(
    low: int,
    arc: int,
    upwards: bool,
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    input_first: NDArray[np.int64],
    input_arc: NDArray[np.int64],
    input_up: NDArray[np.int64],
    weights: NDArray[Any],
    up: NDArray[Any],
    down: NDArray[Any],
    arcs: NDArray[np.int64],
    count: int,
) -> int:
    """Append the graph's arcs that an up arc stands for to ``arcs``, in order of travel; returns their new number.

    Parameters
    ----------
    low, arc : int
        Rank of the lower end; the up arc.
    upwards : bool
        Direction of travel.
    weights : (m,)
        Of the graph, in the distance type.
    arcs : (n,) int64
        Of which ``count`` are filled in. If the path has more arcs, because cycles of length 0 are part of it, -1 is
        returned.
    """
    lows, todo, ways = [low], [arc], [upwards]
    while len(todo) > 0:
        u, a, rises = lows.pop(), todo.pop(), ways.pop()
        weight = up[a] if rises else down[a]
        own = _own_arc(u, a if rises else ~a, weight, input_first, input_arc, input_up, weights)
        if own != _NOT_FOUND:
            if count == len(arcs):
                return _NOT_FOUND
            arcs[count] = own
            count += 1
            continue
        for e in range(down_first[u], down_first[u + 1]):
            x, to_u = down_tail[e], down_arc[e]
            to_head = _find(up_depth, to_u + 1, up_first[x + 1], up_depth[a])
            if to_head == _NOT_FOUND:
                continue
            through = down[to_u] + up[to_head] if rises else down[to_head] + up[to_u]
            if through == weight:
                first, second = (to_u, to_head) if rises else (to_head, to_u)
                lows.append(x)  # the last to be appended is the next to be unpacked
                todo.append(second)
                ways.append(True)
                lows.append(x)
                todo.append(first)
                ways.append(False)
                break
    return count


@njit(cache=True, nogil=True)
def _own_arc(
    low: int,
    named: int,
    weight: Any,
    input_first: NDArray[np.int64],
    input_arc: NDArray[np.int64],
    input_up: NDArray[np.int64],
    weights: NDArray[Any],
) -> int:
    """The graph's arc with that weight, if there is one between the same vertices."""
    for k in range(input_first[low], input_first[low + 1]):
        if input_up[k] == named and weights[input_arc[k]] == weight:
            return input_arc[k]
    return _NOT_FOUND


@njit(cache=True, nogil=True)
def _find(up_depth: NDArray[np.uint16], begin: int, end: int, wanted: int) -> int:
    """The up arc among ``begin`` to ``end`` that ends at the depth ``wanted``; they descend."""
    while begin < end:
        middle = (begin + end) // 2
        if up_depth[middle] == wanted:
            return middle
        if up_depth[middle] > wanted:
            begin = middle + 1
        else:
            end = middle
    return _NOT_FOUND
