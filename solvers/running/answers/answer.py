"""The parts of an answer that are written to files: a path with its arcs, or all
distances from one source.

Coordinates become text: degrees to seven decimals, a centimetre; plane coordinates
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solvers.core.result import Result
from solvers.core.variant import Answers
from solvers.errors import InputError, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.route import path_polyline
from solvers.running.live_query import LiveAnswer
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.text import printable
from solvers.units import public_unit
from solvers.verification.paths import path_arcs, path_weights

LIVE = "live"

DEGREE_DIGITS = 7


@dataclass(frozen=True, eq=False)
class PathAnswer:
    """A path: (k,) vertex indices from source to target, and the id of the variant that
    found it, or `LIVE`.
    """

    graph: Graph
    path: Int32s
    found_by: str

    @classmethod
    def of_result(cls, result: Result) -> PathAnswer:
        """The path of a result; raises `InputError` with the reason if it has none."""
        graph = result.graph
        if result.path is not None:
            return cls(graph, result.path, result.variant.id)
        if result.source is None or result.target is None:
            raise InputError("A path needs a source and a target: choose both, and run again.")
        source, target = graph.vertex_text(result.source), graph.vertex_text(result.target)
        distance = result.target_distance
        if result.ok and distance is not None and math.isinf(distance):
            raise InputError(
                f"There is no path to write: {target} cannot be reached from {source}."
            )
        raise InputError(
            f"There is no path to write: {result.variant.id} found none from {source} to {target}."
        )

    @classmethod
    def of_live(cls, answer: LiveAnswer) -> PathAnswer | None:
        """The path of a live answer; None if it has none."""
        return None if answer.path is None else cls(answer.graph, answer.path, LIVE)

    @cached_property
    def arcs(self) -> Int64s:
        return path_arcs(self.graph, self.path)

    @cached_property
    def lengths(self) -> AnyArray:
        """Distance of each vertex of the path along it, (k,): int64, or float64."""
        weights = path_weights(self.graph, self.path)
        wide = np.int64 if self.graph.weight_type.is_integer else np.float64
        return np.concatenate((np.zeros(1, wide), np.cumsum(weights, dtype=wide)))

    def polyline(self, form: str) -> Float64s:
        """The polyline of the path, (p, 2), along the curves of its roads; one point
        for a path of one vertex.

        Raises UnsuitableGraph if the graph has no coordinates, which ``form``, the name
        of a format, needs.
        """
        coordinates = self.graph.coordinates
        if coordinates is None:
            raise no_places(self.graph, form)
        return path_polyline(self.graph, self.arcs) if len(self.arcs) else coordinates.xy[self.path]


@dataclass(frozen=True, eq=False)
class DistancesAnswer:
    """The distances of all vertices from a source, or from the nearest of several."""

    graph: Graph
    sources: tuple[int, ...]  # vertex indices
    distances: AnyArray  # (n,), of a distance type
    # (n,) indices, -1 for the source and unreachable vertices; None if unknown
    predecessors: AnyArray | None
    found_by: str  # id of the variant, or `LIVE`

    @classmethod
    def of_result(cls, result: Result) -> DistancesAnswer:
        """The distances of a result, of an all-pairs one those from its source; raises
        `InputError` without any.
        """
        name, distances = result.variant.id, result.distances
        if result.variant.answers is Answers.TARGET:
            raise InputError(
                f"{name} computes the distance of the target only: "
                "choose a variant that computes all."
            )
        if distances is None:
            is_kept = "of a kept run, whose distances are not stored: run it again"
            reason = is_kept if result.stored else "without distances"
            raise InputError(
                f"There are no distances to write: the result of {name} is one {reason}."
            )
        if result.source is None:
            raise InputError("Distances are written from one source: choose it, and run again.")
        predecessors = result.predecessors
        if distances.ndim == 2:
            distances = distances[result.source]
        if predecessors is not None and predecessors.ndim == 2:
            predecessors = predecessors[result.source]
        return cls(result.graph, (result.source,), distances, predecessors, name)

    @classmethod
    def of_live(cls, answer: LiveAnswer) -> DistancesAnswer:
        return cls(answer.graph, answer.query.sources, answer.distances, None, LIVE)


def credit_of(graph: Graph) -> str:
    """What the licence of the graph's data asks to be named; "" if nothing."""
    return graph.roads.attribution if graph.roads is not None else ""


def facts_of(graph: Graph, found_by: str = "") -> dict[str, str]:
    """The origin of an answer, for files whose format can hold it."""
    facts = {
        "graph": printable(graph.name),
        "unit": public_unit(graph.weight_unit),
        "found_by": found_by,
    }
    return {name: fact for name, fact in facts.items() if fact}


def no_places(graph: Graph, form: str) -> UnsuitableGraph:
    """The error for a graph without coordinates."""
    remedy = "Open it with a file of coordinates, or write a table (.csv), which needs none."
    return UnsuitableGraph(
        f"{form} needs coordinates, and {printable(graph.name)} has none. {remedy}"
    )


def number_texts(graph: Graph, points: Float64s) -> list[tuple[str, str]]:
    """The two numbers of each point, (p, 2), as text; longitude first."""
    assert graph.coordinates is not None  # callers have refused such graphs
    if graph.coordinates.geographic:
        points = within_180(points).round(DEGREE_DIGITS) + 0.0  # -0.0 is 0.0
    return [(repr(x), repr(y)) for x, y in points.tolist()]


def within_180(points: Float64s) -> Float64s:
    """Points with longitudes from -180 to 180: those of a network over the antimeridian go on
    from 180 to 360.
    """
    beyond = points[:, 0] > 180
    return np.column_stack((points[:, 0] - 360 * beyond, points[:, 1])) if beyond.any() else points


def line_texts(graph: Graph, line: Float64s) -> list[list[tuple[str, str]]]:
    """The numbers of a line's points, in two or more parts where it crosses the antimeridian
    (RFC 7946).
    """
    crossing = np.flatnonzero((line[:-1, 0] > 180) != (line[1:, 0] > 180))
    assert graph.coordinates is not None
    if not graph.coordinates.geographic or not len(crossing):
        return [number_texts(graph, line)]
    parts, start = [], 0
    lead: list[tuple[str, str]] = []
    for at in crossing.tolist():
        (x, y), (next_x, next_y) = line[at], line[at + 1]
        latitude = repr(round(float(y + (180 - x) / (next_x - x) * (next_y - y)), DEGREE_DIGITS))
        here, there = ("180.0", "-180.0") if x <= 180 else ("-180.0", "180.0")
        parts.append([*lead, *number_texts(graph, line[start : at + 1]), (here, latitude)])
        lead, start = [(there, latitude)], at + 1
    return [*parts, [*lead, *number_texts(graph, line[start:])]]


def bracketed(pairs: Iterable[tuple[str, str]]) -> str:
    """Points as GeoJSON has them, without the outer brackets: ``[9.5, 47.1], [9.6, 47.2]``."""
    return ", ".join(f"[{x}, {y}]" for x, y in pairs)


def line_text(graph: Graph, arc: int) -> str:
    """The line of an arc along its curve, as Well-Known Text."""
    parts = [
        f"({', '.join(' '.join(pair) for pair in part)})"
        for part in line_texts(graph, path_polyline(graph, np.array([arc])))
    ]
    return f"LINESTRING {parts[0]}" if len(parts) == 1 else f"MULTILINESTRING ({', '.join(parts)})"
