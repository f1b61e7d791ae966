"""Shortest-path tree, limited to a depth in arcs, its drawing into a frame, and
polylines of paths and roads. No Qt.

Polylines are in world coordinates and follow the curves of roads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from solvers.core.result import Result
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import Shapes
from solvers.graphs.route import polyline_points, with_shapes
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s, UInt8s, UInt32s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly
from solvers.verification.paths import lightest_arcs

TREE_WIDTH = 2  # logical pixels
_OPACITY = 0.75
_SHARED_FROM = 20_000  # least number of lines for more than one thread
_MOST_LINES = 12  # over one pixel; further lines do not change its colour
_BANDS_PER_THREAD = 3  # balances the load, since lines are unevenly distributed
_LEAST_BAND = 64  # rows
_FEW = 0.5  # share of visible lines below which they are filtered first


@dataclass(frozen=True, eq=False)
class PathTree:
    """Predecessors from one source, and the depth shown."""

    predecessors: Int32s  # (n,): -1 for the source and for unreachable vertices
    depth: int | None = None  # greatest number of arcs from the source; None for the whole tree

    @cached_property
    def heads(self) -> Int32s:
        """Heads of the tree's arcs, ascending; the tail of each arc is its head's predecessor."""
        depths = vertex_depths(self.predecessors)
        wanted = (depths > 0) if self.depth is None else (depths > 0) & (depths <= self.depth)
        return np.flatnonzero(wanted).astype(np.int32)

    def holds(self, tail: int, head: int) -> bool:
        """True if the arc from ``tail`` to ``head`` belongs to the tree."""
        if self.predecessors[head] != tail:
            return False
        at = int(np.searchsorted(self.heads, head))
        return at < len(self.heads) and int(self.heads[at]) == head


def predecessor_row(result: Result) -> Int32s | None:
    """(n,) predecessors from the result's source; None if not known."""
    if result.predecessors is None:
        return None
    return (
        result.predecessors
        if result.predecessors.ndim == 1
        else result.predecessors[result.source or 0]
    )


@njit
def vertex_depths(predecessors: Int32s) -> Int32s:
    """(n,) number of arcs from the root to each vertex; 0 for roots. Also terminates on cycles."""
    n = predecessors.shape[0]
    depths = np.full(n, -1, np.int32)
    for v in range(n):
        u, steps = v, 0
        while depths[u] < 0 and predecessors[u] >= 0 and steps < n:
            depths[u] = 0  # marks the vertex as visited, which ends a cycle
            u = predecessors[u]
            steps += 1
        below = max(depths[u], 0)
        if predecessors[u] < 0:
            depths[u] = 0
        u = v
        while steps > 0:
            depths[u] = below + steps
            u = predecessors[u]
            steps -= 1
    return depths


def draw_tree(
    image: UInt32s,
    tree: PathTree,
    positions: Float64s,
    view: tuple[int, float, float, float],
    pen: tuple[int | np.uint32, int],
    team: ThreadTeam,
) -> None:
    """Draw the arcs of a tree onto (h, w) premultiplied ARGB; the pixels do not depend
    on the number of threads.

    ``positions`` are (n, 2) world coordinates; ``view`` is the first row, and (scale,
    dx, dy) of pixel = world * scale + d; ``pen`` is colour and width in pixels.
    """
    heads, (top, *transform), (colour, width) = tree.heads, view, pen
    arcs = (*transform, positions, tree.predecessors)
    parts = (
        min(_BANDS_PER_THREAD * team.threads, len(image) // _LEAST_BAND)
        if len(heads) >= _SHARED_FROM
        else 1
    )
    bands = split_evenly(len(image), parts)
    crossed = np.empty((len(heads), 2), np.uint8)
    where = (image.shape, len(bands), top, *arcs, heads, width)
    team.run_over(split_evenly(len(heads), 4 * team.threads), _bands_crossed, crossed, *where)
    seen = np.flatnonzero(crossed[:, 0] <= crossed[:, 1])
    if len(seen) < _FEW * len(heads):  # else every band would test all invisible lines
        heads, crossed = heads[seen], crossed[seen]
    team.run(
        partial(
            _draw_band,
            image[first:last],
            crossed,
            band,
            top + first,
            *arcs,
            heads,
            width,
            np.uint32(colour),
        )
        for band, (first, last) in enumerate(bands)
    )


@njit
def _bands_crossed(
    crossed: UInt8s,
    shape: tuple[int, int],
    bands: int,
    top: int,
    scale: float,
    dx: float,
    dy: float,
    positions: Float64s,
    predecessors: Int32s,
    heads: Int32s,
    width: int,
    first: int,
    last: int,
) -> None:
    """First and last band that each line may touch; first > last for lines outside the
    view or without a place.

    Bands are those of `threads.split_evenly`.
    """
    rows, columns = shape
    for i in range(first, last):
        crossed[i, 0], crossed[i, 1] = 1, 0
        v = heads[i]
        u = predecessors[v]
        x0, x1 = positions[u, 0] * scale + dx, positions[v, 0] * scale + dx
        y0, y1 = positions[u, 1] * scale + dy - top, positions[v, 1] * scale + dy - top
        if not (x0 == x0 and x1 == x1 and y0 == y0 and y1 == y1):
            continue
        low, high = min(y0, y1) - width, max(y0, y1) + width
        if (
            high >= 0.0
            and low < rows
            and max(x0, x1) + width >= 0.0
            and min(x0, x1) - width < columns
        ):
            crossed[i, 0] = ((max(0, int(low)) + 1) * bands - 1) // rows
            crossed[i, 1] = (min(rows, int(high) + 1) * bands - 1) // rows


@njit
def _draw_band(
    image: UInt32s,
    crossed: UInt8s,
    band: int,
    top: int,
    scale: float,
    dx: float,
    dy: float,
    positions: Float64s,
    predecessors: Int32s,
    heads: Int32s,
    width: int,
    colour: np.uint32,
) -> None:
    """Draw lines in some rows of a picture, computed in its coordinates so that bands
    match the whole picture.

    Lines are counted per pixel first and blended afterwards, which gives the same
    result faster.
    """
    rows, columns = image.shape
    counts = np.zeros((rows, columns), np.uint8)
    for i in range(heads.shape[0]):
        if not crossed[i, 0] <= band <= crossed[i, 1]:
            continue
        v = heads[i]
        u = predecessors[v]
        x0, y0 = positions[u, 0] * scale + dx, positions[u, 1] * scale + dy
        x1, y1 = positions[v, 0] * scale + dx, positions[v, 1] * scale + dy
        steep = abs(y1 - y0) > abs(x1 - x0)
        a0, a1, across0, across1 = (y0, y1, x0, x1) if steep else (x0, x1, y0, y1)
        if a0 > a1:
            a0, a1, across0, across1 = a1, a0, across1, across0
        slope = (across1 - across0) / (a1 - a0) if a1 > a0 else 0.0
        start, end = (top, top + rows) if steep else (0, columns)
        for a in range(int(max(start, np.floor(a0))), int(min(end - 1, np.floor(a1))) + 1):
            b = int(np.floor(across0 + slope * (a + 0.5 - a0)))
            for across in range(b - (width - 1) // 2, b + width // 2 + 1):
                x, y = (across, a - top) if steep else (a, across - top)
                if 0 <= x < columns and 0 <= y < rows:
                    counts[y, x] = min(_MOST_LINES, counts[y, x] + 1)
    for y in range(rows):
        for x in range(columns):
            for _ in range(counts[y, x]):
                image[y, x] = _over(colour, image[y, x])


@njit
def _over(colour: np.uint32, under: np.uint32) -> np.uint32:
    """Blend ``colour`` over a premultiplied pixel."""
    mixed = np.uint32(0)
    for shift in (0, 8, 16, 24):
        above = (colour >> np.uint32(shift)) & np.uint32(255)
        below = (under >> np.uint32(shift)) & np.uint32(255)
        value = np.uint32(_OPACITY * above + (1.0 - _OPACITY) * below)
        mixed |= value << np.uint32(shift)
    return mixed


def polyline(scene: DrawableGraph, path: NDArray[np.integer]) -> Float64s:
    """World coordinates of the points along a path of vertices, (k, 2); a straight line
    where there is no arc.
    """
    positions = scene.positions[path]
    shapes = _shapes(scene)
    if shapes is None or scene.curves is None or len(path) < 2:
        return positions
    numbers = _shape_numbers(scene.graph, path)
    return np.concatenate(
        (positions[:1], with_shapes(numbers, shapes, scene.curves.points, positions[1:]))
    )


def distinct(points: Float64s) -> Bools:
    """Mask of points to keep: drops unplaced ones and those on the previous point's
    pixel, except the last.
    """
    finite: Bools = np.all(np.isfinite(points), axis=1)
    pixels = np.round(np.where(finite[:, None], points, 0.0))
    keep = finite & np.concatenate(([True], np.any(pixels[1:] != pixels[:-1], axis=1)))
    if len(keep) and finite[-1]:
        keep[-1] = True
    return keep


def road_polylines(
    scene: DrawableGraph, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[Float64s, Int64s]:
    """World coordinates, (q, 2), of the points along several roads, one after the
    other, and (k + 1,) begins.

    Road ``i`` has ``points[begins[i]:begins[i + 1]]``, both ends included.
    """
    shapes, count = _shapes(scene), len(tails)
    numbers = np.zeros(count, np.int32)
    if shapes is not None and count:
        pairs = np.stack((tails, heads), axis=1).reshape(-1)
        numbers = _shape_numbers(scene.graph, pairs)[::2]
    if shapes is None or scene.curves is None:
        ends = np.stack((scene.positions[tails], scene.positions[heads]), axis=1)
        return ends.reshape(-1, 2), 2 * np.arange(count + 1)
    places, is_head = polyline_points(numbers, shapes)
    stops = np.flatnonzero(is_head) + 1
    begins = np.concatenate(([0], stops)) + np.arange(count + 1)  # with room for every tail
    points = np.empty((int(begins[-1]), 2))
    is_tail = np.zeros(len(points), np.bool_)
    is_tail[begins[:-1]] = True
    points[is_tail] = scene.positions[tails]
    after = np.empty((len(places), 2))
    after[is_head] = scene.positions[heads]
    after[~is_head] = scene.curves.points[places[~is_head]]
    points[~is_tail] = after
    return points, begins.astype(np.int64)


def points_on_roads(
    scene: DrawableGraph,
    tails: NDArray[np.integer],
    heads: NDArray[np.integer],
    shares: Float64s,
) -> Float64s:
    """World coordinates, (k, 2), of the points at a share of the length of each road;
    NaN where an end has no place.
    """
    start, end = scene.positions[tails], scene.positions[heads]
    if scene.curves is None:
        return start + shares[:, None] * (end - start)
    points, begins = road_polylines(scene, tails, heads)
    if not len(tails):
        return points
    steps = np.hypot(*np.diff(points, axis=0, prepend=points[:1]).T)
    steps[begins[:-1]] = 0.0
    travelled = np.cumsum(steps)
    first, last = travelled[begins[:-1]], travelled[begins[1:] - 1]
    wanted = first + shares * (last - first)
    after = np.clip(np.searchsorted(travelled, wanted), begins[:-1] + 1, begins[1:] - 1)
    gap = travelled[after] - travelled[after - 1]
    share = np.divide(wanted - travelled[after - 1], gap, out=np.zeros(len(gap)), where=gap > 0)
    return points[after - 1] + share[:, None] * (points[after] - points[after - 1])


def drawn_tree(scene: DrawableGraph, tree: PathTree) -> tuple[PathTree, Float64s]:
    """The tree as it is drawn, and the positions of its vertices: points of curved
    roads are vertices of it.
    """
    shapes = _shapes(scene)
    if shapes is None or scene.curves is None:
        return tree, scene.positions
    heads = tree.heads
    tails = tree.predecessors[heads]
    numbers = _shape_numbers(scene.graph, np.stack((tails, heads), axis=1).reshape(-1))[::2]
    places, is_head = polyline_points(numbers, shapes)
    drawn = np.where(is_head, 0, scene.graph.n + places)
    drawn[is_head] = heads
    before = np.concatenate((tails[:1], drawn[:-1]))
    before[np.flatnonzero(is_head)[:-1] + 1] = tails[1:]
    predecessors = np.full(scene.graph.n + len(scene.curves.points), -1, np.int32)
    predecessors[drawn] = before
    return PathTree(predecessors), np.concatenate((scene.positions, scene.curves.points))


def _shapes(scene: DrawableGraph) -> Shapes | None:
    """The shapes of the scene's roads; None if all are drawn straight."""
    return None if scene.curves is None or scene.graph.roads is None else scene.graph.roads.shapes


def _shape_numbers(graph: Graph, path: NDArray[np.integer]) -> Int32s:
    """`Shapes.of_arc` of the arcs of a path; 0 where there is none, not even closed or opposite."""
    numbers = np.zeros(max(0, len(path) - 1), np.int32)
    missing = np.ones(len(numbers), np.bool_)
    # a cut road is only in the second, a closed one in the third
    for each in dict.fromkeys((graph, graph.uncut, graph.as_read)):
        shapes = each.roads.shapes if each.roads is not None else None
        for way, sign in ((path, 1), (path[::-1], -1)):
            if shapes is None or not missing.any():
                break
            arcs = lightest_arcs(each, way)[::sign]
            found = missing & (arcs >= 0)
            numbers[found] = sign * shapes.of_arc[arcs[found]]
            missing &= ~found
    return numbers
