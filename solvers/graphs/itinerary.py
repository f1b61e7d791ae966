"""The roads along a path: successive arcs of one name joined, with length and travel time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import RoadData
from solvers.text import METRES_PER_UNIT, SECONDS_PER_UNIT, format_distance, format_travel_time


@dataclass(frozen=True)
class Stretch:
    """Successive arcs of one road.

    Attributes
    ----------
    name : str
    arcs : int
    metres, seconds : float or None
        None if the network has no such weights.
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
    """The stretches of a path.

    Parameters
    ----------
    graph : Graph
        With data of roads.
    arcs : (k,) integers
        Positions in ``graph.indices``, in the order of the path.

    Raises
    ------
    ParameterError
        If the graph has no data of roads.
    """
    roads = _roads_of(graph)
    names = roads.name_of[arcs]
    starts = np.flatnonzero(np.concatenate(([True], names[1:] != names[:-1]))) if len(names) else np.empty(0, np.intp)
    metres, seconds = (_column(roads, units, arcs) for units in (METRES_PER_UNIT, SECONDS_PER_UNIT))
    stops = np.append(starts[1:], len(names)) if len(names) else starts
    return tuple(
        Stretch(
            roads.names[int(names[a])],
            b - a,
            None if metres is None else float(metres[a:b].sum()),
            None if seconds is None else float(seconds[a:b].sum()),
        )
        for a, b in zip(starts.tolist(), stops.tolist(), strict=True)
    )


def other_measure(graph: Graph, arcs: NDArray[np.integer]) -> str:
    """Length of a path weighted by time, or time of one weighted by length; "" if the network has no other weights."""
    roads = graph.roads
    if roads is None:
        return ""
    if graph.weight_unit not in METRES_PER_UNIT and (metres := _column(roads, METRES_PER_UNIT, arcs)) is not None:
        return length_text(float(metres.sum()))
    if graph.weight_unit not in SECONDS_PER_UNIT and (seconds := _column(roads, SECONDS_PER_UNIT, arcs)) is not None:
        return format_travel_time(float(seconds.sum()))
    return ""


def road_facts(graph: Graph, arc: int) -> tuple[tuple[str, str], ...]:
    """Names and values of one arc's road, for display: name, length and travel time."""
    (stretch,) = itinerary(graph, np.array([arc]))
    facts = [("road", stretch.name)]
    if stretch.metres is not None:
        facts.append(("length", length_text(stretch.metres)))
    if stretch.seconds is not None:
        facts.append(("time", format_travel_time(stretch.seconds)))
    return tuple(facts)


def length_text(metres: float) -> str:
    """``"340 m"``, ``"4.20 km"``."""
    return format_distance(round(metres), "m").split(" (")[0]


def _roads_of(graph: Graph) -> RoadData:
    if graph.roads is None:
        raise ParameterError("itinerary", "graph", graph.name, "it has no data of roads")
    return graph.roads


def _column(roads: RoadData, units: dict[str, float], arcs: NDArray[np.integer]) -> NDArray[np.float64] | None:
    """Weights of the arcs in metres or seconds."""
    for unit, factor in units.items():
        if (column := roads.column_of_unit(unit)) is not None:
            return column.values[arcs] * factor
    return None
