"""Layered and circular layouts. No Qt.

World coordinates, y down. Deterministic, and fast enough for graphs of millions.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gui.picture.layout.adjacency import undirected
from gui.picture.layout.breadth_first import breadth_first_tree
from solvers.graphs.graph import Graph
from solvers.system.jit import njit

_WIDTH, _HEIGHT = 1.6, 1.0
_BEYOND = 1.12  # of the width: x of unreachable vertices
_SWEEPS = 12
_MOST_BINS = 200
_CROWD = 400  # vertices per layer from which they fill a band instead of a line
_BAND = 0.6  # width of a band relative to the gap between layers
_GOLDEN = 0.6180339887498949
_STAGGER = 0.35  # shift of every other layer relative to the gap between vertices, so that arcs pass between vertices


class Arrangement(Enum):
    """Available layouts; the value is the name used by commands."""

    FILE = "file"
    SPRING = "spring"
    LAYERED = "layered"
    RINGS = "rings"
    CIRCULAR = "circular"


def circular(n: int) -> NDArray[np.float64]:
    """(n, 2) positions on a circle in the order of ids, clockwise from the top."""
    angles = 2.0 * math.pi * np.arange(n) / max(1, n)
    return np.column_stack((np.sin(angles), -np.cos(angles))) * (n > 1)


def layered(graph: Graph, source: int, distances: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Layered layout: x by distance from the source, y chosen to reduce crossings.

    Parameters
    ----------
    graph : Graph
    source : int
    distances : (n,) float64, optional
        Used for x; inf if unreachable. Without them, x is the number of arcs from the source.

    Returns
    -------
    (n, 2) float64
    """
    both = undirected(graph.n, graph.indptr, graph.indices)
    if distances is None:
        depth = breadth_first_tree(graph.indptr, graph.indices, source)[2].astype(np.float64)
        depth[depth < 0] = np.inf
    else:
        depth = distances
    reached = np.isfinite(depth)
    layers = _layers(depth, reached, by_hops=distances is None)
    order = np.lexsort((np.arange(graph.n), layers)).astype(np.int32)
    starts = np.searchsorted(layers[order], np.arange(layers.max(initial=0) + 2))
    ranks = _uncrossed(both.indptr, both.indices, layers, order, starts)
    return _placed(depth, reached, layers, ranks, np.diff(starts), by_hops=distances is None)


def _layers(depth: NDArray[np.float64], reached: NDArray[np.bool_], *, by_hops: bool) -> NDArray[np.int64]:
    """(n,) layer of each vertex: its arcs from the source, or a share of all vertices; unreachable ones come last."""
    layers = np.zeros(len(depth), np.int64)
    if by_hops:
        layers[reached] = depth[reached].astype(np.int64)
    else:
        bins = max(1, min(_MOST_BINS, round(math.sqrt(np.count_nonzero(reached)))))
        ranked = np.argsort(depth[reached], kind="stable")
        share = np.empty(len(ranked), np.int64)
        share[ranked] = np.arange(len(ranked)) * bins // max(1, len(ranked))
        layers[reached] = share
    layers[~reached] = layers.max(initial=0) + 1
    return layers


def _placed(
    depth: NDArray[np.float64],
    reached: NDArray[np.bool_],
    layers: NDArray[np.int64],
    ranks: NDArray[np.int64],
    sizes: NDArray[np.int64],
    *,
    by_hops: bool,
) -> NDArray[np.float64]:
    low, high = (float(depth[reached].min()), float(depth[reached].max())) if reached.any() else (0.0, 0.0)
    x = np.full(len(depth), _WIDTH * _BEYOND)
    x[reached] = (depth[reached] - low) * (_WIDTH / (high - low) if high > low else 0.0)
    if by_hops:
        crowded = sizes[layers] > _CROWD
        x[crowded] += _BAND * _WIDTH / max(1.0, high) * ((ranks[crowded] * _GOLDEN) % 1.0 - 0.5)
    gaps = _HEIGHT / sizes[layers]
    y = (ranks + 0.5) * gaps - _HEIGHT / 2 + np.where(layers % 2 == 1, _STAGGER, 0.0) * np.minimum(gaps, 0.4)
    return np.column_stack((x, y))


@njit(cache=True, nogil=True)
def _uncrossed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    layers: NDArray[np.int64],
    order: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(n,) rank of each vertex in its layer, after barycentre sweeps over the adjacent layers."""
    n = layers.shape[0]
    count = starts.shape[0] - 1
    ranks = np.zeros(n, np.int64)
    heights = np.zeros(n, np.float64)
    for layer in range(count):
        size = starts[layer + 1] - starts[layer]
        for i in range(size):
            v = order[starts[layer] + i]
            ranks[v], heights[v] = i, (i + 0.5) / size
    for sweep in range(_SWEEPS):
        for step in range(count):
            layer = step if sweep % 2 == 0 else count - 1 - step
            first, last = starts[layer], starts[layer + 1]
            wanted = np.empty(last - first, np.float64)
            for i in range(last - first):
                v = order[first + i]
                total, near = 0.0, 0
                for arc in range(indptr[v], indptr[v + 1]):
                    u = indices[arc]
                    if (layers[u] < layer) == (sweep % 2 == 0) and layers[u] != layer:
                        total += heights[u]
                        near += 1
                wanted[i] = total / near if near > 0 else heights[v]
            sorted_ = np.argsort(wanted, kind="mergesort")
            members = order[first:last].copy()
            for i in range(last - first):
                v = members[sorted_[i]]
                order[first + i] = v
                ranks[v], heights[v] = i, (i + 0.5) / (last - first)
    return ranks
