"""World courses of paths, trees and parts of roads, which follow the curves of roads. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.path_tree import PathTree
from gui.picture.scene.scene import DrawableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import Shapes
from solvers.graphs.route import course_places, with_shapes
from solvers.verification.paths import lightest_arcs


def course(scene: DrawableGraph, path: NDArray[np.integer]) -> NDArray[np.float64]:
    """World coordinates of the points along a path of vertices, (k, 2); a straight line where there is no arc."""
    positions = scene.positions[path]
    shapes = _shapes(scene)
    if shapes is None or scene.curves is None or len(path) < 2:
        return positions
    numbers = _shape_numbers(scene.graph, path)
    return np.concatenate((positions[:1], with_shapes(numbers, shapes, scene.curves.points, positions[1:])))


def road_courses(
    scene: DrawableGraph, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """World coordinates of the points along several roads, one after the other.

    Returns
    -------
    points : (q, 2) float64
    begins : (k + 1,) int64
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
    places, is_head = course_places(numbers, shapes)
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
    scene: DrawableGraph, tails: NDArray[np.integer], heads: NDArray[np.integer], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """World coordinates, (k, 2), of the points at a share of the length of each road; NaN where an end has no place."""
    start, end = scene.positions[tails], scene.positions[heads]
    if scene.curves is None:
        return start + shares[:, None] * (end - start)
    points, begins = road_courses(scene, tails, heads)
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


def drawn_tree(scene: DrawableGraph, tree: PathTree) -> tuple[PathTree, NDArray[np.float64]]:
    """The tree as it is drawn, and the positions of its vertices: points of curved roads are vertices of it."""
    shapes = _shapes(scene)
    if shapes is None or scene.curves is None:
        return tree, scene.positions
    heads = tree.heads
    tails = tree.predecessors[heads]
    numbers = _shape_numbers(scene.graph, np.stack((tails, heads), axis=1).reshape(-1))[::2]
    places, is_head = course_places(numbers, shapes)
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


def _shape_numbers(graph: Graph, path: NDArray[np.integer]) -> NDArray[np.int32]:
    """`Shapes.of_arc` of the arcs of a path; 0 where there is none, not even closed or opposite."""
    numbers = np.zeros(max(0, len(path) - 1), np.int32)
    missing = np.ones(len(numbers), np.bool_)
    graphs = [graph] if graph.base is None else [graph, graph.base.graph]  # a closed road is only in the other
    for each in graphs:
        shapes = each.roads.shapes if each.roads is not None else None
        for way, sign in ((path, 1), (path[::-1], -1)):
            if shapes is None or not missing.any():
                break
            arcs = lightest_arcs(each, way)[::sign]
            found = missing & (arcs >= 0)
            numbers[found] = sign * shapes.of_arc[arcs[found]]
            missing &= ~found
    return numbers
