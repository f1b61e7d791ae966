"""Roads that are not straight: their shapes in world coordinates, and the segments that draw them. No Qt.

A curved road is drawn as one segment between each two successive points of its shape. The points are numbered after the
vertices, so that `ordered_edges` sorts the segments of all roads like edges. Each point belongs to the vertex at the
nearer end of its road, along the road: colours of vertices therefore meet in the middle of a curved road as they do on
a straight one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.edge_order import OrderedEdges, PlainArcs, ordered_edges
from solvers.graphs.csr import rows_of_arcs
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import Shapes
from solvers.system.cancel import SILENT, Observer
from solvers.system.threads import ThreadTeam


@dataclass(frozen=True, eq=False)
class RoadCurves:
    """Shapes of the roads of a scene.

    Attributes
    ----------
    points : (p, 2) float64
        World coordinates of `Shapes.points`.
    roads : (e, 2) int32
        Vertices at the ends of the road that each drawn segment belongs to.
    count : int
        Number of drawn roads.
    """

    points: NDArray[np.float64]
    roads: NDArray[np.int32]
    count: int


def curved_edges(
    graph: Graph, shapes: Shapes, positions: NDArray[np.float64], points: NDArray[np.float64], team: ThreadTeam,
    observer: Observer = SILENT,
) -> tuple[OrderedEdges, RoadCurves]:  # fmt: skip
    """The segments of all roads in drawing order.

    Parameters
    ----------
    graph : Graph
    shapes : Shapes
        The graph's.
    positions : (n, 2) float64
        World coordinates of the vertices.
    points : (p, 2) float64
        Of the shapes' points.
    team : ThreadTeam
    observer : Observer

    Raises
    ------
    Cancelled
    """
    first, last = _ends_of_shapes(graph, shapes)
    pieces = _pieces(graph, shapes, first, last)
    edges = ordered_edges(pieces, np.concatenate((positions, points)), team, observer)
    counts = np.diff(shapes.offsets)
    shape_of = np.repeat(np.arange(len(shapes)), counts)
    nearer = np.where(
        _in_first_half(shapes, positions[first], positions[last], points), first[shape_of], last[shape_of]
    )
    owner = np.concatenate((np.arange(graph.n, dtype=np.int32), nearer.astype(np.int32)))
    of_point = edges.ends.max(axis=1, initial=0) - graph.n  # points are numbered after vertices
    curved = of_point >= 0
    roads = edges.ends.copy()
    on = shape_of[of_point[curved]]
    roads[curved, 0], roads[curved, 1] = first[on], last[on]
    count = int(np.count_nonzero(~curved)) + int(np.count_nonzero(first >= 0))
    drawn = OrderedEdges(edges.segments, owner[edges.ends], edges.boxes, edges.lengths)
    return drawn, RoadCurves(points, roads, count)


def _ends_of_shapes(graph: Graph, shapes: Shapes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Vertices before the first and after the last point of each shape; -1 for a shape that no arc has."""
    first, last = np.full(len(shapes), -1, np.int32), np.full(len(shapes), -1, np.int32)
    arcs = np.flatnonzero(shapes.of_arc)
    numbers = shapes.of_arc[arcs]
    along = numbers > 0
    place = np.abs(numbers) - 1
    first[place] = np.where(along, graph.tails[arcs], graph.indices[arcs])
    last[place] = np.where(along, graph.indices[arcs], graph.tails[arcs])
    return first, last


def _pieces(graph: Graph, shapes: Shapes, first: NDArray[np.int32], last: NDArray[np.int32]) -> PlainArcs:
    n, points = graph.n, int(shapes.offsets[-1])
    straight = np.flatnonzero(shapes.of_arc == 0)
    used = np.flatnonzero(first >= 0)
    begins, ends = shapes.offsets[used], shapes.offsets[used + 1] - 1
    inner = np.ones(points, np.bool_)
    inner[shapes.offsets[1:] - 1] = False  # no piece from the last point of a shape to the first of the next
    inner[np.repeat(first < 0, np.diff(shapes.offsets))] = False
    between = np.flatnonzero(inner)
    tails = np.concatenate((graph.tails[straight], first[used], n + between, n + ends)).astype(np.int32)
    heads = np.concatenate((graph.indices[straight], n + begins, n + between + 1, last[used])).astype(np.int32)
    indptr, indices, _ = rows_of_arcs(n + points, tails, heads, np.zeros(len(tails), np.int32))
    return PlainArcs(indptr, indices)


def _in_first_half(
    shapes: Shapes, first: NDArray[np.float64], last: NDArray[np.float64], points: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether each point lies in the first half of its road, by length."""
    begins, ends = shapes.offsets[:-1], shapes.offsets[1:]
    step = np.empty((len(points), 2))
    step[1:] = points[1:] - points[:-1]
    step[begins] = points[begins] - first
    travelled = np.cumsum(np.hypot(step[:, 0], step[:, 1]))
    before = np.where(begins > 0, travelled[begins - 1], 0.0)
    rest = last - points[ends - 1]
    length = travelled[ends - 1] - before + np.hypot(rest[:, 0], rest[:, 1])
    counts = ends - begins
    along: NDArray[np.bool_] = travelled - np.repeat(before, counts) <= 0.5 * np.repeat(length, counts)
    return along
