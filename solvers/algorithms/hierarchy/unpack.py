"""Unpacking: the path in the graph that an arc of the hierarchy stands for.

An up arc is an arc of the graph, or goes over a lower vertex that has up arcs to both of its ends (`Detours`); each of
the two is unpacked in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.detours import OWN
from solvers.host.jit import njit

_NO_ROOM = -1


@njit(cache=True, nogil=True)
def unpack(
    low: int,
    arc: int,
    upwards: bool,
    arrays: Any,
    weights: NDArray[Any],
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
    waiting : (height + 2, 3) int64
        Working memory: lower ends, arcs and directions that are still to be unpacked.
    arcs : (n,) int64
        Of which ``count`` are filled in. If the path has more arcs, because cycles of length 0 are part of it, -1 is
        returned.
    """
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = low, arc, upwards
    left = 1
    while left > 0:
        left -= 1
        u, a, rises = waiting[left]
        entry = arrays.via_up[a] if rises else arrays.via_down[a]
        if entry == OWN:
            if count == len(arcs):
                return _NO_ROOM
            arcs[count] = _own_arc(u, a, rises, arrays, weights)
            count += 1
            continue
        x, to_u = arrays.down_tail[entry], arrays.down_arc[entry]
        to_head = _find(arrays.up_depth, to_u + 1, arrays.up_first[x + 1], arrays.up_depth[a])
        first, second = (to_u, to_head) if rises else (to_head, to_u)
        # The last to be appended is the next to be unpacked. Lower ends fall, so no more wait than the tree is high.
        waiting[left, 0], waiting[left, 1], waiting[left, 2] = x, second, True
        waiting[left + 1, 0], waiting[left + 1, 1], waiting[left + 1, 2] = x, first, False
        left += 2
    return count


@njit(cache=True, nogil=True)
def _own_arc(low: int, arc: int, rises: bool, arrays: Any, weights: NDArray[Any]) -> int:
    """The lightest of the graph's arcs that the up arc stands for."""
    named = arc if rises else ~arc
    lightest = -1
    for k in range(arrays.input_first[low], arrays.input_first[low + 1]):
        own = arrays.input_arc[k]
        if arrays.input_up[k] == named and (lightest < 0 or weights[own] < weights[lightest]):
            lightest = own
    return lightest


@njit(cache=True, nogil=True)
def _find(up_depth: NDArray[np.uint16], begin: int, end: int, wanted: int) -> int:
    """The up arc among ``begin`` to ``end`` that ends at the depth ``wanted``; it is there, and depths descend."""
    while end - begin > 1:
        middle = (begin + end) // 2
        if up_depth[middle - 1] > wanted:
            begin = middle
        else:
            end = middle
    return begin
