"""Layouts in circles, layers and rings. No Qt.

World coordinates, y down. Deterministic, and fast enough for graphs of millions.

Rings have the source in the middle and other vertices as far from it as their distance,
so that a frontier is a ring. Angles follow the tree of shortest paths. Every leaf of
the tree has the same angle, and the subtrees of a vertex share its angle in an order
that brings neighbours together: repeatedly by the mean direction of the neighbours of a
whole subtree, at first by the bearings of an earlier picture, if there is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from solvers.graphs.csr import sort_along
from solvers.graphs.graph import Graph
from solvers.picture.layout.adjacency import Neighbours, breadth_first_tree, undirected
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import numbers_in

_WIDTH, _HEIGHT = 1.6, 1.0
_UNREACHED_X = 1.12  # of the width: x of unreachable vertices
_SWEEPS = 12
_MOST_BINS = 200
_LAYER_CROWD = 400  # vertices per layer from which they fill a band instead of a line
_LAYER_BAND = 0.6  # width of a band relative to the gap between layers
_GOLDEN = 0.6180339887498949
# shift of every other layer relative to the gap between vertices, so that arcs pass
# between vertices
_STAGGER = 0.35

_ROUNDS = 8  # of ordering subtrees
_ROUND_VERTICES = 3_000_000  # vertices times rounds: large graphs get fewer ...
_LEAST_ROUNDS = 2  # ... but as many as these
_RING_CROWD = 150  # vertices of a ring of equal distances, from which it is drawn as a band
_RING_BAND = 0.62  # width of a band relative to the gap between rings
_UNREACHED_GAP = 0.1  # gap between the outermost ring and vertices that are not reached
_FEW_RINGS = 12  # distances up to which vertices are spread on each ring; maps have more
_EVEN = 0.5  # share of the way to even gaps


class Arrangement(Enum):
    """Available layouts; the value is the name used by commands."""

    FILE = "file"
    SPRING = "spring"
    LAYERED = "layered"
    RINGS = "rings"
    CIRCULAR = "circular"


def circular(n: int) -> Float64s:
    """(n, 2) positions on a circle in the order of ids, clockwise from the top."""
    angles = 2.0 * math.pi * np.arange(n) / max(1, n)
    return np.column_stack((np.sin(angles), -np.cos(angles))) * (n > 1)


def layered(graph: Graph, source: int, distances: Float64s | None = None) -> Float64s:
    """(n, 2) layered layout: x by (n,) distances from the source, or by arcs without
    them; y reduces crossings.
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


def _layers(depth: Float64s, reached: Bools, *, by_hops: bool) -> Int64s:
    """(n,) layer of each vertex: its arcs from the source, or a share of all vertices;
    unreachable ones come last.
    """
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
    depth: Float64s, reached: Bools, layers: Int64s, ranks: Int64s, sizes: Int64s, *, by_hops: bool
) -> Float64s:
    low, high = (
        (float(depth[reached].min()), float(depth[reached].max())) if reached.any() else (0.0, 0.0)
    )
    x = np.full(len(depth), _WIDTH * _UNREACHED_X)
    x[reached] = (depth[reached] - low) * (_WIDTH / (high - low) if high > low else 0.0)
    if by_hops:
        crowded = sizes[layers] > _LAYER_CROWD
        x[crowded] += (
            _LAYER_BAND * _WIDTH / max(1.0, high) * ((ranks[crowded] * _GOLDEN) % 1.0 - 0.5)
        )
    gaps = _HEIGHT / sizes[layers]
    y = (
        (ranks + 0.5) * gaps
        - _HEIGHT / 2
        + np.where(layers % 2 == 1, _STAGGER, 0.0) * np.minimum(gaps, 0.4)
    )
    return np.column_stack((x, y))


@njit
def _uncrossed(
    indptr: Int64s, indices: Int32s, layers: Int64s, order: Int32s, starts: Int64s
) -> Int64s:
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
            members = order[first:last]
            sort_along(wanted, members, 0, last - first)
            for i in range(last - first):
                v = members[i]
                ranks[v], heights[v] = i, (i + 0.5) / (last - first)
    return ranks


@dataclass(frozen=True, eq=False)
class RingLayout:
    """Positions by distance from a centre."""

    positions: Float64s  # (n, 2): around (0, 0), with a radius of 1 for the greatest distance
    # low, high: distances of the centre, 0 unless some are negative, and of the circle
    # of radius 1
    low: float
    high: float


def rings(
    graph: Graph,
    source: int,
    distances: Float64s | None = None,
    predecessors: Int32s | None = None,
    bearings: Float64s | None = None,
    progress: Progress = SILENT,
) -> RingLayout:
    """Ring layout around ``source``, with a greatest radius of 1 for the vertices that are reached.

    Radii are (n,) distances or, without them, numbers of arcs. ``predecessors`` are a
    tree of shortest paths, -1 at its root and where unreachable; without it, one of
    least numbers of arcs is taken. ``bearings`` are (n, 2) positions in another
    picture, y down, whose directions from the source the subtrees keep. Raises
    Cancelled.
    """
    order, parents, hops = _tree(graph, source, predecessors)
    progress.checkpoint(1, 10)
    angles = _angles(
        undirected(graph.n, graph.indptr, graph.indices),
        order,
        parents,
        hops,
        source,
        bearings,
        progress,
    )
    far = hops.astype(np.float64) if distances is None else distances
    reached = (hops >= 0) & np.isfinite(far)
    low, high = min(0.0, float(far[reached].min(initial=0.0))), float(far[reached].max(initial=0.0))
    shares = (far - low) / ((high - low) or 1.0)
    _spread(shares, reached, angles)
    radii = _radii(shares, reached, angles)
    return RingLayout(np.column_stack((radii * np.cos(angles), radii * np.sin(angles))), low, high)


def _tree(graph: Graph, source: int, predecessors: Int32s | None) -> tuple[Int32s, Int32s, Int32s]:
    """Reached vertices, parents before children; (n,) parents and numbers of tree arcs,
    -1 where not reached.
    """
    if predecessors is None:
        return breadth_first_tree(graph.indptr, graph.indices, source)
    return _given_tree(predecessors, source)


def _angles(
    adjacency: Neighbours,
    order: Int32s,
    parents: Int32s,
    hops: Int32s,
    source: int,
    bearings: Float64s | None,
    progress: Progress,
) -> Float64s:
    """(n,) angles; vertices that are not reached follow one another around the circle."""
    n = adjacency.n
    angles = np.zeros(n)
    missing = np.flatnonzero(hops < 0)
    angles[missing] = 2.0 * math.pi * np.arange(len(missing)) / max(1, len(missing))
    leaves = _leaves(order, parents, n)
    key = np.zeros(n)
    wanted = np.zeros((n, 2))
    if bearings is not None:
        wanted[order] = np.nan_to_num(bearings[order] - bearings[source])
        wanted /= np.maximum(1e-12, np.hypot(wanted[:, 0], wanted[:, 1]))[:, None]
        angles[order] = np.arctan2(wanted[order, 1], wanted[order, 0])
        # siblings are in the order of their angles from 0 on, as `_divide` places them
        angles[source] = math.pi
        _key_of_subtrees(order, parents, angles, wanted, key)
    rounds = max(_LEAST_ROUNDS, min(_ROUNDS, _ROUND_VERTICES // max(1, n)))
    for done in range(rounds):
        progress.checkpoint(1 + done, 2 + rounds)
        by_depth = order[np.lexsort((key[order], hops[order]))]
        _divide(by_depth, parents, leaves, angles)
        if done < rounds - 1:
            _mean_directions(adjacency.indptr, adjacency.indices, hops, angles, wanted)
            _key_of_subtrees(order, parents, angles, wanted, key)
    return angles


def _spread(shares: Float64s, reached: Bools, angles: Float64s) -> None:
    """Move the vertices of few rings towards even gaps on each, in place; their order
    on a ring stays.

    The leaves of one large subtree would otherwise crowd a sector of their ring and
    leave the rest of it empty.
    """
    values, which, counts = np.unique(shares[reached], return_inverse=True, return_counts=True)
    if len(values) > _FEW_RINGS:
        return
    vertices = np.flatnonzero(reached)
    order = np.lexsort((angles[vertices], which))
    place = numbers_in(0, counts)
    ring, vertices = which[order], vertices[order]
    even = 2.0 * math.pi * (place + 0.5) / counts[ring]
    shift = np.bincount(ring, weights=angles[vertices] - even) / counts
    angles[vertices] += _EVEN * (even + shift[ring] - angles[vertices])


def _radii(shares: Float64s, reached: Bools, angles: Float64s) -> Float64s:
    """(n,) radii; vertices of one distance that would crowd a circle fill a band in the
    order of their angles.

    ``shares`` are distances, from 0 to 1 for the vertices that are ``reached``.
    """
    values, which, counts = np.unique(shares[reached], return_inverse=True, return_counts=True)
    gap = 1.0 / max(1, len(values) - 1)
    radii = np.full(len(shares), 1.0 + _UNREACHED_GAP + 0.5 * _RING_BAND * gap)
    radii[reached] = shares[reached]
    vertices = np.flatnonzero(reached)
    rank = np.empty(len(vertices))
    rank[np.lexsort((angles[vertices], which))] = np.arange(len(vertices))
    crowded = counts[which] > _RING_CROWD
    shift = _RING_BAND * gap * ((rank * _GOLDEN) % 1.0 - 0.5)
    radii[vertices[crowded]] += shift[crowded]
    missing = np.flatnonzero(~reached)
    if len(missing) > _RING_CROWD:
        radii[missing] += _UNREACHED_GAP * ((np.arange(len(missing)) * _GOLDEN) % 1.0)
    return radii


@njit
def _given_tree(predecessors: Int32s, source: int) -> tuple[Int32s, Int32s, Int32s]:
    """As `breadth_first_tree`, over the children by ``predecessors``; what a cycle
    holds counts as not reached.
    """
    n = predecessors.shape[0]
    starts = np.zeros(n + 2, np.int64)
    for v in range(n):
        if predecessors[v] >= 0 and v != source:
            starts[predecessors[v] + 2] += 1
    for v in range(n):
        starts[v + 2] += starts[v + 1]
    children = np.empty(starts[n + 1], np.int32)
    for v in range(n):
        if predecessors[v] >= 0 and v != source:
            children[starts[predecessors[v] + 1]] = v
            starts[predecessors[v] + 1] += 1
    return breadth_first_tree(starts[: n + 1], children, source)


@njit
def _leaves(order: Int32s, parents: Int32s, n: int) -> Int32s:
    """(n,) leaves of the subtree of each vertex."""
    leaves = np.zeros(n, np.int32)
    for i in range(order.shape[0] - 1, -1, -1):
        v = order[i]
        leaves[v] = max(leaves[v], 1)
        if parents[v] >= 0:
            leaves[parents[v]] += leaves[v]
    return leaves


@njit
def _divide(by_depth: Int32s, parents: Int32s, leaves: Int32s, angles: Float64s) -> None:
    """Divide the full circle among the subtrees; siblings are in the order of ``by_depth``."""
    root = by_depth[0]
    per_leaf = 2.0 * math.pi / leaves[root]
    # start of the angle that is left for the children still to come
    taken = np.zeros(leaves.shape[0])
    for v in by_depth:
        start = taken[parents[v]] if v != root else 0.0
        if v != root:
            taken[parents[v]] = start + leaves[v] * per_leaf
        taken[v] = start
        angles[v] = start + 0.5 * leaves[v] * per_leaf


@njit
def _mean_directions(
    indptr: Int64s, indices: Int32s, hops: Int32s, angles: Float64s, wanted: Float64s
) -> None:
    """Sum of the directions of the neighbours of each vertex that are not reached later."""
    for v in range(hops.shape[0]):
        x = y = 0.0
        for arc in range(indptr[v], indptr[v + 1]):
            u = indices[arc]
            if 0 < hops[u] <= hops[v]:
                x += math.cos(angles[u])
                y += math.sin(angles[u])
        wanted[v, 0], wanted[v, 1] = x, y


@njit
def _key_of_subtrees(
    order: Int32s, parents: Int32s, angles: Float64s, wanted: Float64s, key: Float64s
) -> None:
    """Angle by which siblings are ordered: of the sum of ``wanted`` over a subtree,
    seen from its parent's angle.

    ``wanted`` is replaced by the sums.
    """
    for i in range(order.shape[0] - 1, 0, -1):
        v = order[i]
        u = parents[v]
        wanted[u, 0] += wanted[v, 0]
        wanted[u, 1] += wanted[v, 1]
        turn = math.atan2(wanted[v, 1], wanted[v, 0]) - angles[u]
        key[v] = turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
