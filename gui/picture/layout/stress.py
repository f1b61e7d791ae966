"""Spring layout: pivot MDS, then stress descent per component; components are packed. No Qt.

Distances in the picture should match distances in the graph, counted in arcs of either direction. A component of up to
`EXACT_LIMIT` vertices is laid out from all pairs; a larger one from its edges and from distances to pivots (Brandes
and Pich 2007 for the start; Zheng, Pawar and Goodman 2018 for the descent; sparse terms of Ortmann et al. 2017).
Deterministic: the same graph gives the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

EXACT_LIMIT = 2_500  # vertices of a component laid out from all pairs
PIVOT_RANGE = (50, 250)
PIVOT_TERMS = 1.6e6  # vertices x pivots: small components get more pivots
WORK_LIMIT = 6e7  # vertices x pivots; beyond it fewer than 50 pivots are used
SWEEP_LIMIT = 4_000_000  # vertices; larger components keep the pivot layout
_SWEEPS = 30
SHOWN_FROM = 2_000  # vertices of a component whose sweeps are previewed
_CLOSEST = 0.1  # the last step moves the heaviest term by this share
_GAP = 1.6  # edge lengths between packed components
CLEAR_LIMIT, CLEAR_EDGES = 40, 120  # vertices and edges up to which crossings are counted
_STARTS = 24
_CLEARANCE = 0.28  # edge lengths: wanted distance of a vertex from other edges


@dataclass(frozen=True)
class _Watch:
    """Progress reporting of one component; ``done`` of ``total`` vertices were laid out before it."""

    observer: Observer
    done: int
    total: int
    show: Callable[[NDArray[np.float64]], None] | None = None

    def report(self, n: int, share: float) -> None:
        self.observer.checkpoint(self.done + share * n, self.total)


def layout(
    graph: Graph, observer: Observer = SILENT, show: Callable[[NDArray[np.float64]], None] | None = None
) -> NDArray[np.float64]:
    """Compute positions with a mean edge length of about 1.

    Parameters
    ----------
    graph : Graph
    observer : Observer
        Receives progress and may cancel, several times per second.
    show : callable, optional
        Called with (n, 2) positions after every sweep over a large component; NaN for vertices not placed yet.

    Returns
    -------
    (n, 2) float64

    Raises
    ------
    Cancelled
    """
    indptr, indices = undirected(graph.n, graph.indptr, graph.indices)
    observer.checkpoint(1, 20)
    labels, count = _components(indptr, indices)
    sizes = np.bincount(labels, minlength=count)
    order = np.argsort(labels, kind="stable").astype(np.int32)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    positions = np.zeros((graph.n, 2))
    local = np.empty(graph.n, dtype=np.int32)
    done = 0
    for component in np.argsort(-sizes, kind="stable"):
        members = order[starts[component] : starts[component + 1]]
        if len(members) > 1:
            local[members] = np.arange(len(members), dtype=np.int32)
            watch = _Watch(observer, done, graph.n, _spread(show, graph.n, members))
            starts_of_part, heads = _part(indptr, indices, members, local)
            positions[members] = _best_of(starts_of_part, heads, watch)
        done += len(members)
        observer.checkpoint(done, graph.n)
    _pack(positions, order, starts, sizes)
    return positions


def _spread(
    show: Callable[[NDArray[np.float64]], None] | None, n: int, members: NDArray[np.int32]
) -> Callable[[NDArray[np.float64]], None] | None:
    """``show`` for the positions of one component; None if it is too small for a preview."""
    if show is None or len(members) < SHOWN_FROM:
        return None

    def show_component(part: NDArray[np.float64]) -> None:
        positions = np.full((n, 2), np.nan)
        positions[members] = part
        show(positions)

    return show_component


def _best_of(indptr: NDArray[np.int64], indices: NDArray[np.int32], watch: _Watch) -> NDArray[np.float64]:
    """Layout of one component, with its longer axis horizontal; small ones take the clearest of several attempts."""
    starts = _STARTS if len(indptr) - 1 <= CLEAR_LIMIT and len(indices) <= 2 * CLEAR_EDGES else 1
    figures = [_upright(_component_layout(indptr, indices, seed, watch)) for seed in range(1, starts + 1)]
    if starts == 1:
        return figures[0]
    return min(figures, key=lambda figure: _clutter(figure, indptr, indices))


def _component_layout(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], seed: int, watch: _Watch
) -> NDArray[np.float64]:
    """Layout of one connected component of at least 2 vertices."""
    n = len(indptr) - 1
    if n <= EXACT_LIMIT:
        pivots = np.arange(n, dtype=np.int32)
    else:
        low, high = PIVOT_RANGE
        pivots = np.empty(max(8, min(max(low, min(high, int(PIVOT_TERMS / n))), int(WORK_LIMIT / n))), dtype=np.int32)
    hops = np.empty((len(pivots), n), dtype=np.int16)
    nearest = np.full(n, np.iinfo(np.int16).max, dtype=np.int16)
    next_pivot = 0
    for i in range(len(pivots)):
        pivots[i] = i if n <= EXACT_LIMIT else next_pivot
        _hops_from(indptr, indices, pivots[i], hops[i])
        np.minimum(nearest, hops[i], out=nearest)
        next_pivot = int(nearest.argmax())
        if i % 16 == 0 or n > EXACT_LIMIT:
            watch.report(n, 0.5 * i / len(pivots))
    positions = _pivot_mds(hops if n > EXACT_LIMIT else hops[:: max(1, n // PIVOT_RANGE[0])])
    if n > SWEEP_LIMIT:
        return positions  # too large for the descent
    rng = np.random.default_rng(seed)
    positions += rng.normal(scale=0.05 if seed == 1 else 1.0, size=positions.shape)
    return _descend(positions, hops, pivots, indptr, indices, rng, watch)


def _descend(
    positions: NDArray[np.float64],
    hops: NDArray[np.int16],
    pivots: NDArray[np.int32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    rng: np.random.Generator,
    watch: _Watch,
) -> NDArray[np.float64]:
    """Stochastic gradient descent on stress, with decreasing step size."""
    n, exact = len(positions), len(pivots) == len(positions)
    weights = _term_weights(hops, exact)
    heaviest, lightest = max(1.0, float(weights.max())), float(weights[weights > 0].min(initial=1.0))
    decay = math.log(heaviest / (lightest * _CLOSEST)) / (_SWEEPS - 1)
    for sweep in range(_SWEEPS):
        rate = math.exp(-decay * sweep) / lightest
        for chunk in np.array_split(rng.permutation(n).astype(np.int32), max(1, n * len(pivots) // 2_000_000)):
            _stress_sweep(
                positions, hops, pivots, weights, chunk, rng.permutation(len(pivots)).astype(np.int32), rate, exact
            )
            watch.report(n, 0.5 + 0.5 * sweep / _SWEEPS)
        if not exact:
            _edge_sweep(positions, indptr, indices, rng.permutation(n).astype(np.int32), rate)
        if watch.show is not None:
            watch.show(positions)
    return positions


def _term_weights(hops: NDArray[np.int16], exact: bool) -> NDArray[np.float64]:
    """(pivots, longest + 1) weight of each (pivot, distance) term; 0 if there is no term.

    1 / distance^2, for pivots multiplied by the number of vertices each represents: those nearest to it and within half
    the distance. Distance 1 is covered by the edge terms.
    """
    longest = int(hops.max())
    distance = np.arange(longest + 1, dtype=np.float64)
    weights = np.zeros((len(hops), longest + 1))
    weights[:, 1:] = 1.0 / distance[1:] ** 2
    if exact:
        return weights
    nearest, own = hops.argmin(axis=0), hops.min(axis=0)
    members = np.zeros((len(hops), longest + 1))
    np.add.at(members, (nearest, own), 1.0)
    within = members.cumsum(axis=1)[:, np.arange(longest + 1) // 2]
    weights *= within
    weights[:, 1] = 0.0
    return weights


@njit(cache=True, nogil=True)
def _clutter(positions: NDArray[np.float64], indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> float:
    """Clutter score: crossing edges, and vertices on edges or on each other."""
    n = positions.shape[0]
    count = 0.0
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v < u:
                continue
            for w in range(n):
                apart = w != u and w != v  # numba has no `in` for mixed integers
                if apart and _gap(positions, u, v, w) < _CLEARANCE:
                    count += 3.0
                for other in range(indptr[w], indptr[w + 1]):
                    x = indices[other]
                    if u < w < x and v != w and v != x and _cross(positions, u, v, w, x):
                        count += 1.0
    return count


@njit(cache=True, nogil=True)
def _gap(positions: NDArray[np.float64], u: int, v: int, w: int) -> float:
    """Distance of vertex ``w`` from the edge (u, v)."""
    ax, ay = positions[v, 0] - positions[u, 0], positions[v, 1] - positions[u, 1]
    bx, by = positions[w, 0] - positions[u, 0], positions[w, 1] - positions[u, 1]
    share = min(1.0, max(0.0, (ax * bx + ay * by) / max(1e-12, ax * ax + ay * ay)))
    return math.hypot(bx - share * ax, by - share * ay)


@njit(cache=True, nogil=True)
def _side(positions: NDArray[np.float64], u: int, v: int, w: int) -> float:
    return (positions[v, 0] - positions[u, 0]) * (positions[w, 1] - positions[u, 1]) - (
        positions[v, 1] - positions[u, 1]
    ) * (positions[w, 0] - positions[u, 0])


@njit(cache=True, nogil=True)
def _cross(positions: NDArray[np.float64], u: int, v: int, w: int, x: int) -> bool:
    """Whether the edges (u, v) and (w, x) cross."""
    apart = _side(positions, u, v, w) * _side(positions, u, v, x) < 0.0
    return apart and _side(positions, w, x, u) * _side(positions, w, x, v) < 0.0


@njit(cache=True, nogil=True)
def undirected(
    n: int, indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Adjacency with both directions of every arc, without self-loops; may contain duplicates."""
    starts = np.zeros(n + 1, dtype=np.int64)
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v != u:
                starts[u + 1] += 1
                starts[v + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    cursor = starts[:-1].copy()
    both = np.empty(starts[n], dtype=np.int32)
    for u in range(n):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v != u:
                both[cursor[u]] = v
                cursor[u] += 1
                both[cursor[v]] = u
                cursor[v] += 1
    return starts, both


@njit(cache=True, nogil=True)
def _components(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    n = indptr.shape[0] - 1
    labels = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    count = 0
    for root in range(n):
        if labels[root] >= 0:
            continue
        labels[root] = count
        queue[0], head, tail = root, 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for arc in range(indptr[u], indptr[u + 1]):
                v = indices[arc]
                if labels[v] < 0:
                    labels[v] = count
                    queue[tail] = v
                    tail += 1
        count += 1
    return labels, count


@njit(cache=True, nogil=True)
def _part(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], members: NDArray[np.int32], local: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows of one component, renumbered."""
    starts = np.zeros(members.shape[0] + 1, dtype=np.int64)
    for i in range(members.shape[0]):
        starts[i + 1] = starts[i] + indptr[members[i] + 1] - indptr[members[i]]
    heads = np.empty(starts[-1], dtype=np.int32)
    for i in range(members.shape[0]):
        at = starts[i]
        for arc in range(indptr[members[i]], indptr[members[i] + 1]):
            heads[at] = local[indices[arc]]
            at += 1
    return starts, heads


@njit(cache=True, nogil=True)
def _hops_from(indptr: NDArray[np.int64], indices: NDArray[np.int32], root: int, hops: NDArray[np.int16]) -> None:
    """Write breadth-first distances to ``hops``, clamped to int16."""
    n = indptr.shape[0] - 1
    hops[:] = -1
    queue = np.empty(n, dtype=np.int32)
    queue[0], head, tail = root, 0, 1
    hops[root] = 0
    while head < tail:
        u = queue[head]
        head += 1
        further = min(hops[u] + 1, 32000)
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if hops[v] < 0:
                hops[v] = further
                queue[tail] = v
                tail += 1


def _pivot_mds(hops: NDArray[np.int16]) -> NDArray[np.float64]:
    """Classical scaling of all vertices by their distances to pivots, (n, 2)."""
    squares = hops.T.astype(np.float64) ** 2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean())
    values, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, -2:][:, ::-1] if len(values) > 1 else np.column_stack((vectors, np.zeros_like(vectors)))
    points = centred @ axes
    spread = np.sqrt((points**2).sum(axis=1).mean())
    wanted = np.sqrt(np.mean(squares)) / math.sqrt(2.0)
    return points * (wanted / spread if spread > 0 else 1.0)


@njit(cache=True, nogil=True)
def _stress_sweep(
    positions: NDArray[np.float64],
    hops: NDArray[np.int16],
    pivots: NDArray[np.int32],
    weights: NDArray[np.float64],
    vertices: NDArray[np.int32],
    order: NDArray[np.int32],
    rate: float,
    exact: bool,
) -> None:
    """One pass over (vertex, pivot) terms; pivots move only if all vertices are pivots (``exact``)."""
    for v in vertices:
        for i in order:
            p = pivots[i]
            wanted = hops[i, v]
            weight = weights[i, wanted]
            if weight <= 0.0:
                continue
            dx, dy = positions[v, 0] - positions[p, 0], positions[v, 1] - positions[p, 1]
            distance = math.sqrt(dx * dx + dy * dy)
            if distance < 1e-9:
                dx, dy, distance = 1e-3, 1e-3 * (v - p), 1e-3 * math.sqrt(1.0 + (v - p) ** 2)
            move = min(1.0, rate * weight) * (distance - wanted) / (2.0 * distance)
            if exact:
                positions[p, 0] += move * dx
                positions[p, 1] += move * dy
            positions[v, 0] -= move * dx
            positions[v, 1] -= move * dy


@njit(cache=True, nogil=True)
def _edge_sweep(
    positions: NDArray[np.float64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    order: NDArray[np.int32],
    rate: float,
) -> None:
    """One pass over the edges, whose target length is 1."""
    pull = 0.5 * min(1.0, rate)
    for u in order:
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            dx, dy = positions[u, 0] - positions[v, 0], positions[u, 1] - positions[v, 1]
            distance = math.sqrt(dx * dx + dy * dy)
            if distance > 1e-9:
                move = 0.5 * pull * (distance - 1.0) / distance
                positions[u, 0] -= move * dx
                positions[u, 1] -= move * dy
                positions[v, 0] += move * dx
                positions[v, 1] += move * dy


def _upright(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points rotated so that the longer axis is horizontal."""
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return centred @ axes[:, ::-1]


def _pack(
    positions: NDArray[np.float64], order: NDArray[np.int32], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> None:
    """Pack the components in place: the largest on top, the others in rows of about its width below."""
    by_size = np.argsort(-sizes, kind="stable")
    boxes = np.empty((len(sizes), 4))
    for component in by_size:
        points = positions[order[starts[component] : starts[component + 1]]]
        boxes[component] = (*points.min(axis=0), *points.max(axis=0))
    widths, heights = boxes[:, 2] - boxes[:, 0] + _GAP, boxes[:, 3] - boxes[:, 1] + _GAP
    row_width = max(widths.max(initial=0.0), 1.4 * math.sqrt(float((widths * heights).sum())))
    x = y = tallest = 0.0
    for component in by_size:
        if x > 0 and x + widths[component] > row_width:
            x, y, tallest = 0.0, y + tallest, 0.0
        members = order[starts[component] : starts[component + 1]]
        positions[members] += np.array([x, y]) - boxes[component, :2]
        x += widths[component]
        tallest = max(tallest, heights[component])
