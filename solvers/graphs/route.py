"""The route of a path: its line on the map, and the roads along it.

The line is the polyline through the shapes of arcs, or straight lines; exports of a
path use it, whether or not the graph has shapes. The roads are successive arcs of one
name joined, with length and travel time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnsuitableGraph
from solvers.graphs.arc_columns import other_totals
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import RoadData, Shapes
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.text import format_distance, format_travel_time, quoted
from solvers.units import (
    EARTH_METRES,
    METRES_PER_UNIT,
    SECONDS_PER_UNIT,
    public_unit,
    to_public_unit,
)

_MOST_NAMES = 4  # of roads at a vertex


def path_polyline(graph: Graph, arcs: NDArray[np.integer]) -> Float64s:
    """The polyline, (p, 2), along successive arcs, from the tail of the first to the
    head of the last.

    Raises UnsuitableGraph if the graph has no coordinates.

    ``arcs``, (k,) integers: positions in ``graph.indices``, as
    `solvers.verification.paths.path_arcs` gives them.
    """
    if graph.coordinates is None:
        raise UnsuitableGraph(f"{graph.name} has no coordinates, so its arcs have no geometry.")
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
    numbers: Int32s,
    shapes: Shapes,
    points: Float64s,
    heads: Float64s,
) -> Float64s:
    """The shape's points of each of several arcs, each followed by its head, (q, 2).

    ``numbers``, (k,) int32: as `Shapes.of_arc`. ``points``, (p, 2) float64:
    ``shapes.points``, possibly projected. ``heads``, (k, 2) float64: in the same
    projection.
    """
    indices, is_head = polyline_points(numbers, shapes)
    line = np.empty((len(indices), 2))
    line[is_head] = heads
    line[~is_head] = points[indices[~is_head]]
    return line


def polyline_points(numbers: Int32s, shapes: Shapes) -> tuple[Int64s, Bools]:
    """For the points along several arcs, given as in `Shapes.of_arc`, without the first tail.

    Returns
    -------
    indices : (q,) int64
        Into `Shapes.points`; for a head, into ``numbers``.
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
    points = np.where(numbers[arc] > 0, begin[arc] + step, begin[arc] + count[arc] - 1 - step)
    return np.where(is_head, arc, points), is_head


def part_of_arc(graph: Graph, arc: int, begin: float, end: float) -> Float64s:
    """The polyline, (p, 2), of an arc between two shares of its length; raises as
    `path_polyline`.
    """
    line = path_polyline(graph, np.array([arc]))
    if (begin, end) == (0.0, 1.0):
        return line
    assert graph.coordinates is not None  # of a line
    in_metres = on_sphere(line) if graph.coordinates.geographic else line
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(in_metres, axis=0), axis=1)))
    shares = along / along[-1] if along[-1] > 0.0 else np.linspace(0.0, 1.0, len(line))
    ends = np.column_stack([np.interp((begin, end), shares, axis) for axis in line.T])
    within = line[(shares > begin) & (shares < end)]
    return np.concatenate((ends[:1], within, ends[1:]))


def on_sphere(xy: Float64s) -> Float64s:
    """Points of the earth in metres, (k, 3), for longitudes and latitudes in degrees."""
    longitude, latitude = np.radians(xy).T
    return EARTH_METRES * np.stack(
        (
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ),
        axis=1,
    )


@dataclass(frozen=True)
class Stretch:
    """Successive arcs of one road; ``metres`` or ``seconds`` is None if the network has
    no such weights.
    """

    name: str
    arcs: int
    metres: float | None
    seconds: float | None

    @property
    def text(self) -> str:
        """``"A 13, 4.20 km"``."""
        return self.name if self.metres is None else f"{self.name}, {length_text(self.metres)}"


def itinerary(graph: Graph, arcs: NDArray[np.integer]) -> tuple[Stretch, ...]:
    """The stretches of a path, whose arcs are given as in `path_polyline`;
    `ParameterError` without data of roads.
    """
    roads = graph.roads
    if roads is None:
        raise ParameterError("itinerary", "graph", graph.name, "it has no data of roads")
    names = roads.name_of[arcs]
    starts = (
        np.flatnonzero(np.concatenate(([True], names[1:] != names[:-1])))
        if len(names)
        else np.empty(0, np.intp)
    )
    stops = np.append(starts[1:], len(names)) if len(names) else starts
    return tuple(
        Stretch(
            roads.names[int(names[a])],
            b - a,
            _total(roads, METRES_PER_UNIT, arcs[a:b]),
            _total(roads, SECONDS_PER_UNIT, arcs[a:b]),
        )
        for a, b in zip(starts.tolist(), stops.tolist(), strict=True)
    )


def other_measures(graph: Graph, arcs: Int64s) -> list[str]:
    """Length of a path weighted by time, or time of one weighted by length, and sums of
    attributes that are a length, a time or a cost, if they are known of all arcs.
    """
    found, roads = [], graph.roads
    if roads is not None and graph.weight_unit not in METRES_PER_UNIT:
        metres = _total(roads, METRES_PER_UNIT, arcs)
        found += [] if metres is None else [length_text(metres)]
    if roads is not None and graph.weight_unit not in SECONDS_PER_UNIT:
        seconds = _total(roads, SECONDS_PER_UNIT, arcs)
        found += [] if seconds is None else [format_travel_time(seconds)]
    return found + other_totals(graph, arcs)


def road_names_at(graph: Graph, vertex: int) -> str:
    """Names of the roads that begin at a vertex, each once; "" if none has a name."""
    if graph.roads is None:
        return ""
    row = graph.row(vertex)
    names = dict.fromkeys(
        filter(None, (graph.roads.name(arc) for arc in range(row.start, row.stop)))
    )
    return ", ".join(list(names)[:_MOST_NAMES])


def road_name_between(graph: Graph, tail: int, head: int) -> str:
    """The first name of the roads between two vertices; "" where none is known."""
    if graph.roads is None:
        return ""
    rows = ((graph.row(tail), head), (graph.row(head), tail))
    arcs = (
        row.start + i
        for row, end in rows
        for i in np.flatnonzero(graph.indices[row] == end).tolist()
    )
    return next(filter(None, map(graph.roads.name, arcs)), "")


def place_text(graph: Graph, vertex: int) -> str:
    """``"1971 (Landstrasse, Feldgasse)"``: a vertex with the roads that begin there;
    its id or name alone without.
    """
    names = road_names_at(graph, vertex)
    is_point = graph.cut is not None and vertex >= graph.cut.graph.n  # which has a name
    text = graph.vertex_text(vertex)
    return f"{text} ({quoted(names)})" if names and not is_point else text


def length_text(metres: float) -> str:
    """``"340 m"``, ``"4.20 km"``."""
    return format_distance(round(metres), "m").split(" (")[0]


def _total(roads: RoadData, units: dict[str, float], arcs: NDArray[np.integer]) -> float | None:
    """Sum of the weights of the arcs, in metres or seconds."""
    for unit in units:
        if (column := roads.column_of_unit(unit)) is not None:
            return float(to_public_unit(column.values[arcs].sum(), unit) * units[public_unit(unit)])
    return None
