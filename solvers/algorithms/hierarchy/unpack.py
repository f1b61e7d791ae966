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
    arrays: Any,
    weights: NDArray[Any],
    nonnegative: bool,
    waiting: NDArray[np.int64],
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
    arrays : PathArrays
    weights : (m,)
        Of the graph, in the distance type.
    nonnegative : bool
        No weight is negative, so neither half of a path is longer than the whole.
    waiting : (height + 2, 3) int64
        Working memory: lower ends, arcs and directions that are still to be unpacked.
    arcs : (n,) int64
        Of which ``count`` are filled in. If the path has more arcs, because cycles of length 0 are part of it, -1 is
        returned.
    """
    up_first, up_depth, down_first, up, down = (
        arrays.up_first, arrays.up_depth, arrays.down_first, arrays.up, arrays.down,
    )  # fmt: skip
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = low, arc, upwards
    left = 1
    while left > 0:
        left -= 1
        u, a, rises = waiting[left]
        weight = up[a] if rises else down[a]
        own = _own_arc(
            u, a if rises else ~a, weight, arrays.input_first, arrays.input_arc, arrays.input_up, weights
        )  # fmt: skip
        if own != _NOT_FOUND:
            if count == len(arcs):
                return _NOT_FOUND
            arcs[count] = own
            count += 1
            continue
        for e in range(down_first[u], down_first[u + 1]):
            to_u = arrays.down_arc[e]
            near = down[to_u] if rises else up[to_u]
            if nonnegative and near > weight:
                continue
            x = arrays.down_tail[e]
            to_head = _find(up_depth, to_u + 1, up_first[x + 1], up_depth[a])
            if to_head != _NOT_FOUND and near + (up[to_head] if rises else down[to_head]) == weight:
                first, second = (to_u, to_head) if rises else (to_head, to_u)
                # The last to be appended is the next to be unpacked. Lower ends fall, so no more wait than the tree is
                # high.
                waiting[left, 0], waiting[left, 1], waiting[left, 2] = x, second, True
                waiting[left + 1, 0], waiting[left + 1, 1], waiting[left + 1, 2] = x, first, False
                left += 2
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
