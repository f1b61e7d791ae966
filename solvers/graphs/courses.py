"""The course of arcs and paths on the map: the polyline through the shapes of arcs, or straight lines.

This is what exports of a path use, whether or not the graph has shapes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import Shapes


def path_course(graph: Graph, arcs: NDArray[np.integer]) -> NDArray[np.float64]:
    """The polyline along successive arcs, from the tail of the first to the head of the last.

    Parameters
    ----------
    graph : Graph
    arcs : (k,) integers
        Positions in ``graph.indices``, as `solvers.proof.paths.path_arcs` gives them.

    Returns
    -------
    (p, 2) float64
        In the unit of the graph's coordinates; the shape's points between the ends of each arc. Empty without arcs.

    Raises
    ------
    UnsuitableGraph
        If the graph has no coordinates.
    """
    if graph.coordinates is None:
        raise UnsuitableGraph(f"{graph.name} has no coordinates, so its arcs have no course.")
    if not len(arcs):
        return np.empty((0, 2))
    xy = graph.coordinates.xy
    heads = xy[graph.indices[arcs]]
    first = xy[graph.tails[arcs[:1]]]
    if graph.roads is None or graph.roads.shapes is None:
        return np.concatenate((first, heads))
    shapes = graph.roads.shapes
    return np.concatenate((first, with_shapes(shapes.of_arc[arcs], shapes, shapes.points, heads)))


def with_shapes(
    numbers: NDArray[np.int32], shapes: Shapes, points: NDArray[np.float64], heads: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The shape's points of each of several arcs, each followed by its head.

    Parameters
    ----------
    numbers : (k,) int32
        As `Shapes.of_arc`.
    shapes : Shapes
    points : (p, 2) float64
        ``shapes.points``, possibly projected.
    heads : (k, 2) float64
        In the same projection.

    Returns
    -------
    (q, 2) float64
    """
    places, is_head = course_places(numbers, shapes)
    line = np.empty((len(places), 2))
    line[is_head] = heads
    line[~is_head] = points[places[~is_head]]
    return line


def course_places(numbers: NDArray[np.int32], shapes: Shapes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For the points along several arcs without the first tail: place in `Shapes.points`, and whether it is a head.

    Parameters
    ----------
    numbers : (k,) int32
        As `Shapes.of_arc`.

    Returns
    -------
    places : (q,) int64
        Number of the arc for a head.
    is_head : (q,) bool
    """
    shape = np.abs(numbers.astype(np.int64)) - 1
    straight = shape < 0
    begin = np.where(straight, 0, shapes.offsets[shape])
    count = np.where(straight, 0, shapes.offsets[shape + 1] - begin)
    ends = np.cumsum(count + 1)
    arc = np.repeat(np.arange(len(numbers)), count + 1)
    step = np.arange(len(arc)) - np.repeat(ends - (count + 1), count + 1)
    is_head = step == count[arc]
    places = np.where(numbers[arc] > 0, begin[arc] + step, begin[arc] + count[arc] - 1 - step)
    return np.where(is_head, arc, places), is_head
