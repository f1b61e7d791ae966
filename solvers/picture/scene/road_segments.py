"""Roads as they are drawn, each as one line: arcs in both directions, and parallel ones of the
same shape; those under a point. No Qt.
"""

from __future__ import annotations

import numpy as np

from solvers.graphs.csr import first_not_less
from solvers.graphs.graph import Graph
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.scene import DrawableGraph, visible_runs
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.jit import njit

_NO_SHAPES = np.empty(0, np.int32)


def road_totals(graph: Graph, arcs: Float64s) -> Float64s:
    """(m,) sum of ``arcs``, (m,), over the arcs of each arc's road."""
    return _road_totals(graph.indptr, graph.indices, _shapes_of(graph), arcs)


def arcs_of_segments(scene: DrawableGraph, graph: Graph) -> Int64s:
    """(e,) an arc of the road that each drawn segment belongs to, in either direction;
    -1 if there is none.
    """
    of_arc = _shapes_of(graph)
    shapes = scene.curves.shapes if scene.curves is not None and len(of_arc) else _NO_SHAPES
    return _find_arcs(graph.indptr, graph.indices, of_arc, scene.roads, shapes)


def roads_at(scene: DrawableGraph, x: float, y: float, radius: float) -> list[tuple[int, int]]:
    """The ends of each drawn road within ``radius`` of a point, the nearest road first."""
    nearest: dict[frozenset[int], tuple[float, tuple[int, int]]] = {}
    for first, last in visible_runs(
        scene, Bounds(x - radius, y - radius, x + radius, y + radius), BLOCK
    ):
        distances = _distances_to(scene.segments[first:last].astype(np.float64), x, y)
        for piece in np.flatnonzero(distances <= radius).tolist():
            tail, head = scene.roads[first + piece].tolist()
            found = float(distances[piece]), (tail, head)
            key = frozenset((tail, head))
            nearest[key] = min(found, nearest.get(key, found))
    return [road for _, road in sorted(nearest.values())]


def _shapes_of(graph: Graph) -> Int32s:
    """(m,) shape of each arc, 0 for a straight one, or (0,)."""
    shapes = None if graph.roads is None else graph.roads.shapes
    return _NO_SHAPES if shapes is None else np.abs(shapes.of_arc)


@njit
def _road_totals(indptr: Int64s, indices: Int32s, of_arc: Int32s, arcs: Float64s) -> Float64s:
    """(m,) sum over the arcs of each arc's road."""
    totals = np.zeros(len(indices))
    for tail in range(len(indptr) - 1):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = np.int64(indices[arc])
            for u, v in ((tail, head), (head, tail)):
                other = first_not_less(indices, indptr[u], indptr[u + 1], v)
                while other < indptr[u + 1] and indices[other] == v:
                    if len(of_arc) == 0 or of_arc[other] == of_arc[arc]:
                        totals[arc] += arcs[other]
                    other += 1
                if tail == head:
                    break
    return totals


@njit
def _find_arcs(
    indptr: Int64s,
    indices: Int32s,
    of_arc: Int32s,
    roads: Int32s,
    shapes: Int32s,
) -> Int64s:
    found = np.full(len(roads), -1, np.int64)
    for e in range(len(roads)):
        for k in range(2):
            u, v = roads[e, k], roads[e, 1 - k]
            arc = first_not_less(indices, indptr[u], indptr[u + 1], v)
            while found[e] < 0 and arc < indptr[u + 1] and indices[arc] == v:
                if len(shapes) == 0 or of_arc[arc] == shapes[e]:
                    found[e] = arc
                arc += 1
    return found


def _distances_to(segments: Float64s, x: float, y: float) -> Float64s:
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    to_point = np.array([x, y]) - start
    squared = (along * along).sum(axis=1)
    share = np.clip((to_point * along).sum(axis=1) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    rest = to_point - share[:, None] * along
    return np.hypot(rest[:, 0], rest[:, 1])
