"""Detours: for every arc of the hierarchy, the lower triangle that its weight comes from; what unpacking follows.

Sweeps do not need them, so they are looked for in a pass of their own after customising, when they are first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.metric import Metric, task_batches
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

OWN = -1  # an arc of the graph, or no path at all


@dataclass(frozen=True)
class Detours:
    """The lower triangle of each up arc.

    Attributes
    ----------
    up, down : (arcs up,) int32, or int64 for more than 2**31 arcs
        By direction of travel: the place of the vertex in between among the lower neighbours of the lower end, in
        ``down_tail``; `OWN` where the weight is that of an arc of the graph. The same array if the metric is symmetric.
    """

    up: NDArray[Any]
    down: NDArray[Any]


def find_detours(
    hierarchy: Hierarchy, metric: Metric, weights: NDArray[Any], threads: int, observer: Observer = SILENT
) -> Detours:
    """Look for the triangles; numba is set to ``threads``.

    Parameters
    ----------
    weights : (m,)
        Of the graph, in the metric's type.

    Raises
    ------
    Cancelled
    """
    dtype = np.int32 if hierarchy.arcs < 2**31 else np.int64
    up = np.full(hierarchy.arcs, OWN, dtype)
    down = up if metric.is_symmetric else np.full(hierarchy.arcs, OWN, dtype)
    arrays = (
        hierarchy.up_first, hierarchy.up_depth, hierarchy.down_first, hierarchy.down_tail, hierarchy.down_arc,
        hierarchy.input_first, hierarchy.input_arc, hierarchy.input_up, weights, metric.up, metric.down, up, down,
        metric.is_symmetric, metric.infinity, hierarchy.tree.height,
    )  # fmt: skip
    every = np.arange(hierarchy.n, dtype=np.int32)
    for first, last in task_batches(hierarchy, every, np.ones(hierarchy.n, np.int32)):
        observer.checkpoint(first, hierarchy.n)
        _share(first, last, threads, arrays)
    return Detours(up, down)


@njit(cache=True, nogil=True, parallel=True)
def _share(first: int, last: int, threads: int, arrays: tuple[Any, ...]) -> None:
    """Rows do not depend on one another, so threads take every ``threads``-th."""
    for t in prange(threads):
        _find_some(first + t, last, threads, *arrays)


@njit(cache=True, nogil=True)
def _find_some(
    first: int,
    last: int,
    stride: int,
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
    via_up: NDArray[Any],
    via_down: NDArray[Any],
    symmetric: bool,
    infinity: Any,
    height: int,
) -> None:
    place = np.zeros(height, np.uint64)  # by depth: the up arc of the vertex
    for v in range(first, last, stride):
        for a in range(np.uint64(up_first[v]), np.uint64(up_first[v + 1])):
            place[up_depth[a]] = a
        for e in range(down_first[v], down_first[v + 1]):
            arc = down_arc[e]
            to_lower, from_lower = down[arc], up[arc]
            for b in range(np.uint64(arc + 1), np.uint64(up_first[down_tail[e] + 1])):
                a = place[up_depth[b]]
                if to_lower + up[b] == up[a] and to_lower < infinity and up[b] < infinity:
                    via_up[a] = e
                if symmetric:
                    continue
                if down[b] + from_lower == down[a] and down[b] < infinity and from_lower < infinity:
                    via_down[a] = e
        for k in range(input_first[v], input_first[v + 1]):
            a, weight = input_up[k], weights[input_arc[k]]
            if a >= 0 and weight == up[a]:
                via_up[a] = OWN
            elif a < 0 and weight == down[~a]:
                via_down[~a] = OWN
