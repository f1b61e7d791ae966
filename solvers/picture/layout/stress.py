"""Spring layout: distances in the picture match distances in the graph, counted in arcs
of either direction. No Qt.

A small component is laid out by stress descent over all pairs of its vertices (Zheng,
Pawar and Goodman 2018); of the smallest the clearest of several drawings is taken, the
one with the least clutter: crossing edges, and vertices that lie on edges or on each
other. A larger one begins with pivot MDS and is improved by sweeps over its edges and
its distances to pivots (`large_component`); shallow ones, such as social networks,
whose distances hardly differ, are also drawn apart by mutual repulsion. Deterministic:
the same graph gives the same picture, on any number of cores. Of small components and of
shallow ones the last bits may differ, as LAPACK shares their eigenvectors among threads.

Components are packed around the largest. In networks of one large component and
thousands of pairs, the pairs would make up the picture. They are drawn smaller there,
so that together they take no greater share of the area than of the vertices, or
`_LEAST_SHARE` if that is more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.picture.layout.adjacency import Components, Neighbours, components, undirected
from solvers.picture.layout.large_component import LargeLayout
from solvers.picture.layout.pivots import hops_from_all, pivot_mds
from solvers.system.array_types import Float32s, Float64s, Int16s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, thread_team

# components of more than one vertex up to which the clearest of several layouts is
# chosen for each
_FEW = 8
_PREVIEW_S = 0.3  # least time between two previews ...
_PREVIEW_SHARE = 6.0  # ... and at least this multiple of the time that one takes
_KNOWN_SHAPES = 40  # vertices up to which components of the same shape are laid out once

Show = Callable[[Float64s], None]

_GAP = 1.6  # edge lengths between components
_DOMINANT = 0.1  # share of all vertices from which the largest component stands in the middle
# area of all other components relative to the largest, up to which they keep their size
_LEAST_SHARE = 0.05
_SIDE_GAP = 0.03  # of the largest component's width, between it and the others
_ASPECT = 1.5  # wanted width to height of many components of which none is dominant

_Floats = Float64s

EXACT_LIMIT = 2_500  # vertices of a component laid out from all pairs
CLEAR_LIMIT, CLEAR_EDGES = 40, 120  # vertices and edges up to which crossings are counted
_STARTS = 24
_SWEEPS = 30
_CLOSEST = 0.1  # the last sweep moves the heaviest term by this share
_MDS_COLUMNS = 50
_JITTER, _SHAKE = 0.05, 1.0  # arcs: of the first attempt, and of further ones

_CLEARANCE = 0.28  # edge lengths: wanted distance of a vertex from other edges


def layout(graph: Graph, progress: Progress = SILENT, show: Show | None = None) -> Float64s:
    """(n, 2) positions with a mean edge length of about 1.

    During the layout of a large component, ``show`` is called with (n, 2) positions as
    often as takes little of the time; they are NaN for vertices not placed yet. Raises
    Cancelled.
    """
    progress.checkpoint(1, 100)
    with thread_team() as team:
        parts = components(undirected(graph.n, graph.indptr, graph.indices), team.threads)
        progress.checkpoint(2, 100)
        placed = _Placing(parts, team, progress, show).placed()
    positions = np.empty((graph.n, 2))
    # a point as one number: numpy is slow along rows of two
    positions.view(np.complex128)[parts.order] = placed.view(np.complex128)
    return positions


@dataclass(frozen=True, eq=False)
class _Placing:
    """The layout of all components of a graph."""

    parts: Components
    team: ThreadTeam
    progress: Progress
    show: Show | None

    def placed(self) -> Float64s:
        """(n, 2) positions of the renumbered vertices."""
        n, starts = self.parts.adjacency.n, self.parts.starts
        placed, done = np.zeros((n, 2)), 0
        shapes: dict[tuple[bytes, bytes], Float64s] = {}
        few = int(np.count_nonzero(self.parts.sizes > 1)) <= _FEW
        for component in self.parts.by_size.tolist():
            first, last = int(starts[component]), int(starts[component + 1])
            if last - first == 1:
                break  # only single vertices follow
            part = self.parts.adjacency.part(first, last)
            if part.n <= EXACT_LIMIT:
                placed[first:last] = self._small(part, shapes, few)
            else:
                placed[first:last] = self._large(part, first, done)
            done += part.n
            self.progress.checkpoint(done, n)
        pack(placed, starts)
        return placed

    def _small(
        self, part: Neighbours, shapes: dict[tuple[bytes, bytes], Float64s], few: bool
    ) -> Float64s:
        key = (
            (part.indptr.tobytes(), part.indices.tobytes())
            if part.n <= _KNOWN_SHAPES
            else (b"", b"")
        )
        if key[0] and key in shapes:
            return shapes[key]
        figure = upright(clearest_layout(part, self.team, self.progress, attempts=few))
        if key[0]:
            shapes[key] = figure
        return figure

    def _large(self, part: Neighbours, first: int, done: int) -> Float64s:
        total = self.parts.adjacency.n

        def advance(share: float) -> None:
            self.progress.checkpoint(done + share * part.n, total)

        due = 0.0  # at once for the first

        def preview(places: Float32s) -> None:
            nonlocal due
            start = time.monotonic()
            if self.show is not None and start >= due:
                positions = np.full((total, 2), np.nan)
                positions[self.parts.order[first : first + part.n]] = upright(places)
                self.show(positions)
                end = time.monotonic()
                due = end + max(_PREVIEW_S, _PREVIEW_SHARE * (end - start))

        shown = None if self.show is None else preview
        return upright(LargeLayout(part, self.team, self.progress).placed(advance, shown))


def upright(points: NDArray[np.floating]) -> Float64s:
    """Points rotated so that the longer axis is horizontal, with their mean at the origin.

    The last point is on the right and below, so that previews do not flip: in
    breadth-first order it is an end.
    """
    # by columns: numpy is slow along rows of two
    x, y = (points[:, i].astype(np.float64) for i in range(2))
    x -= x.mean()
    y -= y.mean()
    # sums, as the threads of BLAS would keep all cores busy for a while
    xx, xy, yy = ((one * other).sum() for one, other in ((x, x), (x, y), (y, y)))
    _, axes = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))
    axes = axes[:, ::-1] * np.where(np.array([x[-1], y[-1]]) @ axes[:, ::-1] < 0.0, -1.0, 1.0)
    turned = np.empty((len(x), 2))
    for i in range(2):
        turned[:, i] = axes[0, i] * x + axes[1, i] * y
    return turned


def pack(positions: _Floats, starts: Int64s) -> None:
    """Move components side by side, in place: component ``i`` is rows ``starts[i]`` to
    ``starts[i + 1]`` of (n, 2).
    """
    if len(starts) < 2:
        return
    vertices = np.diff(starts)
    low, high = _bounds(positions, starts)
    by_size = np.argsort(-vertices, kind="stable")
    boxes = (high - low)[by_size] + _GAP
    if vertices[by_size[0]] >= max(2, _DOMINANT * vertices.sum()):
        scale = _scale_beside(boxes, vertices[by_size])
        boxes[1:] *= scale
        middles = _beside(boxes)
    else:
        scale = 1.0
        middles = _in_rows(boxes)
    scales, places = np.full(len(vertices), scale), np.empty((len(vertices), 2))
    scales[by_size[0]] = 1.0
    places[by_size] = middles
    _move(positions, starts, (low + high) / 2, scales, places)


@njit
def _bounds(positions: _Floats, starts: Int64s) -> tuple[_Floats, _Floats]:
    """Least and greatest positions of each component, (c, 2)."""
    low, high = np.empty((len(starts) - 1, 2)), np.empty((len(starts) - 1, 2))
    for i in range(len(low)):
        low[i] = high[i] = positions[starts[i]]
        for v in range(starts[i] + 1, starts[i + 1]):
            for axis in range(2):
                low[i, axis] = min(low[i, axis], positions[v, axis])
                high[i, axis] = max(high[i, axis], positions[v, axis])
    return low, high


@njit
def _move(
    positions: _Floats, starts: Int64s, middles: _Floats, scales: _Floats, places: _Floats
) -> None:
    """Scale each component about its middle, and place that."""
    for i in range(len(scales)):
        for v in range(starts[i], starts[i + 1]):
            for axis in range(2):
                moved = (positions[v, axis] - middles[i, axis]) * scales[i]
                positions[v, axis] = moved + places[i, axis]


def _scale_beside(boxes: _Floats, vertices: Int64s) -> float:
    """Factor, at most 1, by which the components after the first are drawn smaller."""
    if len(boxes) == 1:
        return 1.0
    share = max(_LEAST_SHARE, float(vertices[1:].sum()) / float(vertices[0]))
    return min(1.0, math.sqrt(share * float(boxes[0].prod()) / float(boxes[1:].prod(axis=1).sum())))


def _beside(boxes: _Floats) -> _Floats:
    """(c, 2) middles: the first component's at the origin, the others' in columns to
    its right and left in turn.
    """
    middles = np.zeros((len(boxes), 2))
    columns = _stacked(boxes[1:, 1], float(boxes[:, 1].max()))
    # distance of the next column from the origin, right and left
    edges = [boxes[0, 0] * (0.5 + _SIDE_GAP)] * 2
    for number, (first, last) in enumerate(columns):
        width, heights = float(boxes[1 + first : 1 + last, 0].max()), boxes[1 + first : 1 + last, 1]
        side = number % 2
        middles[1 + first : 1 + last, 0] = (edges[side] + width / 2) * (-1.0 if side else 1.0)
        middles[1 + first : 1 + last, 1] = np.cumsum(heights) - heights / 2 - heights.sum() / 2
        edges[side] += width
    return middles


def _in_rows(boxes: _Floats) -> _Floats:
    """(c, 2) middles of components in rows, in the given order."""
    middles = np.empty((len(boxes), 2))
    y = 0.0
    for first, last in _stacked(
        boxes[:, 0], max(float(boxes[:, 0].max()), math.sqrt(_ASPECT * boxes.prod(axis=1).sum()))
    ):
        widths, height = boxes[first:last, 0], float(boxes[first:last, 1].max())
        middles[first:last, 0] = np.cumsum(widths) - widths / 2
        middles[first:last, 1] = y + height / 2
        y += height
    return middles


def _stacked(lengths: _Floats, room: float) -> list[tuple[int, int]]:
    """Ranges (first, last) of consecutive lengths, each with a sum of at most ``room``."""
    ends = np.cumsum(lengths)
    ranges, first = [], 0
    while first < len(lengths):
        before = float(ends[first - 1]) if first else 0.0
        last = max(first + 1, int(np.searchsorted(ends, before + room * (1 + 1e-9), side="right")))
        ranges.append((first, last))
        first = last
    return ranges


def clearest_layout(
    adjacency: Neighbours, team: ThreadTeam, progress: Progress = SILENT, *, attempts: bool = True
) -> Float64s:
    """(n, 2) positions of a small connected component; of a very small one, the
    clearest of several ``attempts``.
    """
    readable = adjacency.n <= CLEAR_LIMIT and len(adjacency.indices) <= 2 * CLEAR_EDGES
    hops = hops_from_all(adjacency, team, progress)
    seeds = range(1, _STARTS + 1) if attempts and readable else range(1, 2)
    figures = [exact_layout(hops, seed, team, progress) for seed in seeds]
    if len(figures) == 1:
        return figures[0]
    return min(figures, key=lambda figure: clutter(figure, adjacency.indptr, adjacency.indices))


def exact_layout(
    hops: Int16s, seed: int, team: ThreadTeam, progress: Progress = SILENT
) -> Float64s:
    """Positions from all (n, n) distances."""
    rng = np.random.default_rng(seed)
    step = max(1, len(hops) // _MDS_COLUMNS)
    positions = pivot_mds(hops[:, ::step], -(-len(hops) // step), team).astype(np.float64)
    positions += rng.normal(scale=_JITTER if seed == 1 else _SHAKE, size=positions.shape)
    longest = max(1.0, float(hops.max(initial=0)))
    decay = math.log(longest**2 / _CLOSEST) / (_SWEEPS - 1)
    for sweep in range(_SWEEPS):
        progress.checkpoint()
        rate = longest**2 * math.exp(-decay * sweep)
        descend(positions, hops, rng.permutation(len(hops)).astype(np.int32), rate)
    return positions


@njit
def descend(positions: Float64s, hops: Int16s, order: Int32s, rate: float) -> None:
    """Move every pair once towards its distance, by at most the whole error; terms
    weigh 1 / distance^2.
    """
    for i in range(order.shape[0]):
        u = order[i]
        for j in range(i):
            v = order[j]
            wanted = float(hops[u, v])
            if wanted <= 0.0:
                continue
            dx, dy = positions[u, 0] - positions[v, 0], positions[u, 1] - positions[v, 1]
            distance = math.sqrt(dx * dx + dy * dy)
            if distance < 1e-9:
                dx, dy, distance = 1e-3, 1e-3 * (u - v), 1e-3 * math.sqrt(1.0 + (u - v) ** 2)
            move = min(1.0, rate / (wanted * wanted)) * (distance - wanted) / (2.0 * distance)
            positions[u, 0] -= move * dx
            positions[u, 1] -= move * dy
            positions[v, 0] += move * dx
            positions[v, 1] += move * dy


def clutter(positions: Float64s, indptr: Int64s, indices: Int32s) -> float:
    """Clutter score of (n, 2) positions: crossing edges, and vertices on edges or on each other."""
    vertices = np.arange(len(positions))
    tails = np.repeat(vertices, np.diff(indptr))
    edges = np.stack((tails, indices), axis=1)[tails < indices]
    start = positions[edges[:, 0]]
    along = positions[edges[:, 1]] - start
    to_x, to_y = (positions - start[:, None]).transpose(2, 0, 1)  # (e, n) from the start of each
    across, down = along[:, 0, None], along[:, 1, None]
    share = (across * to_x + down * to_y) / np.maximum(1e-12, across**2 + down**2)
    share = share.clip(0.0, 1.0)
    near = np.hypot(to_x - share * across, to_y - share * down) < _CLEARANCE
    near &= (edges[:, :, None] != vertices).all(axis=1)
    # on which side of an edge a vertex lies: 0 for its own ends
    sides = across * to_y - down * to_x
    apart = sides[:, edges[:, 0]] * sides[:, edges[:, 1]] < 0.0
    return 3.0 * np.count_nonzero(near) + np.count_nonzero(apart & apart.T) / 2.0
