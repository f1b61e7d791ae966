"""Answers as they are shown and written: a path with its arcs, or all distances from one
source.

The length of a path is shown only if the sum of its arcs equals the distance.

Coordinates become text: degrees to seven decimals, a centimetre; plane coordinates
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from solvers.core.result import Result
from solvers.core.result_view import NOTHING
from solvers.core.variant import Answers
from solvers.errors import InputError, UnsuitableGraph
from solvers.graphs.arc_columns import columns_along, sums_of
from solvers.graphs.graph import Graph
from solvers.graphs.isochrone import within_text
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.route import itinerary, other_measures, path_polyline
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.text import format_count, format_distance, printable
from solvers.units import METRES_PER_UNIT, SECONDS_PER_UNIT, public_unit
from solvers.verification.paths import lightest_arcs, path_arcs, path_weights

if TYPE_CHECKING:
    from solvers.running.ways import FoundWays

ALTERNATIVES = "alternatives"
TIMED, WATCHED, UNMEASURED = "timed", "watched", "unmeasured"
_RUN_WORDS = {TIMED: "", WATCHED: "watched, not measured", UNMEASURED: "not measured"}

MOST_DIGITS = 7
_LEAST_DIGITS = 3
FILE_ENDING = "_file"
"""Of the names of columns with values as in the file, beside those as solved."""

DEGREE_DIGITS = 7


@dataclass(frozen=True)
class AnswerState:
    """Of what an answer is: the network and what was changed of it, the way, the isochrone
    that is shown with it, and what found it.
    """

    network: str
    changes: str  # the hour, and the closed and slowed roads: "at 09:00, 1 road closed"
    way: str  # "" where there is one way
    budget: str  # of an isochrone: "within 5.00 km"; or ""
    run: str  # `TIMED`, `WATCHED` or `UNMEASURED`

    def __str__(self) -> str:
        way = f"way {self.way}" if self.way else ""
        told = self.network, self.changes, way, self.budget, _RUN_WORDS[self.run]
        return ", ".join(filter(None, told))


@dataclass(frozen=True, eq=False)
class PathAnswer:
    """A path between two vertices, or that there is none, as every surface shows it.

    Headline, table, card, label, page and files take their numbers and words from here.
    Numbers are as solved, at the hour and with the roads of ``graph``; those of the file
    are beside them in `columns` and `sums`.
    """

    graph: Graph
    source: int
    target: int
    path: Int32s | None  # (k,) vertex indices, both ends included; None if there is none
    length: int | float  # as its finder gives it, in the unit of the weights
    found_by: str  # id of the variant, `ALTERNATIVES`, or what found it without a run
    way: str = ""  # its number from 1, or by what it is the best, where there are several
    shared: float = 0.0  # with those before it, as a share of the length of the first
    # found by a run that was timed or, `WATCHED`, recorded and not timed; or without one
    run: str = TIMED
    budget: float | None = None  # of the isochrone that is shown with it

    @classmethod
    def of_result(cls, result: Result) -> PathAnswer | None:
        """None without two ends, and without an answer."""
        source, target, distance = result.source, result.target, result.target_distance
        if source is None or target is None or distance is None:
            return None
        is_watched = result.trace is not None and not result.times()
        ends = result.graph, source, target
        run = WATCHED if is_watched else TIMED
        return cls(*ends, result.path, distance, result.variant.id, run=run)

    @classmethod
    def of_ways(
        cls, graph: Graph, ways: FoundWays, found_by: str, run: str = TIMED
    ) -> list[PathAnswer]:
        """Several ways, by number, and those that are the best by other weights."""
        return [
            cls(
                graph,
                int(way.vertices[0]),
                int(way.vertices[-1]),
                way.vertices,
                way.length,
                found_by,
                name,
                way.shared,
                run,
            )
            for name, way in ways.rows
        ]

    @classmethod
    def of_road(cls, graph: Graph, tail: int, head: int) -> PathAnswer | None:
        """The lightest arc between two vertices, in either direction; None if there is none."""
        for ends in ((tail, head), (head, tail)):
            path = np.array(ends, np.int32)
            arc = int(lightest_arcs(graph, path)[0])
            if arc >= 0:
                return cls(graph, *ends, path, graph.weights[arc].item(), "")
        return None

    @property
    def state(self) -> AnswerState:
        graph, within = self.graph, ""
        if self.budget is not None:
            within = within_text(self.budget, graph.weight_unit)
        return AnswerState(graph.as_read.name, str(graph.overlay), self.way, within, self.run)

    @property
    def ends_text(self) -> str:
        """``"1 → 40"``."""
        return " → ".join(map(self.graph.vertex_label, (self.source, self.target)))

    @property
    def heading(self) -> str:
        """``"1 → 40 at 09:00"``."""
        return f"{self.ends_text}{self.graph.overlay.at_hour}"

    @property
    def quantity(self) -> str:
        return "time" if self.graph.weight_unit in SECONDS_PER_UNIT else "length"

    @cached_property
    def length_text(self) -> str | None:
        """The length of the path; None without a path, or if its arcs are not known or do not
        add up to it.

        For integers the two are equal. Floating-point sums depend on the order of addition,
        and the distance was computed in the variant's type: only the digits are shown to
        which both round alike, at most seven, with "≈" where the number would otherwise
        show more.
        """
        # a kept run whose graph is not open has none of its arcs
        if self.path is None or not len(self.graph.indices):
            return None
        weights, unit = self.weights.tolist(), self.graph.weight_unit
        if self.graph.weight_type.is_integer:
            return format_distance(self.length, unit) if sum(weights) == self.length else None
        return _common_text(math.fsum(weights), float(self.length), unit)

    @property
    def text(self) -> str:
        """As `length_text`; the length itself where its arcs do not add up to it, and
        "unreachable" for infinity.
        """
        return self.length_text or format_distance(self.length, self.graph.weight_unit)

    @property
    def short_text(self) -> str:
        """As `text`, in m or km alone."""
        whole = format_distance(self.length, self.graph.weight_unit)
        short = format_distance(self.length, self.graph.weight_unit, exact=False)
        return short if short != whole else self.text

    @property
    def measures(self) -> list[str]:
        """Length of a path weighted by time, or time of one weighted by length, and sums of
        attributes.
        """
        return other_measures(self.graph, self.arcs)

    def facts(self) -> list[tuple[str, str]]:
        """Names and values for the card of a road: its name, length and time, as solved and, if
        that differs, as in the file.
        """
        (stretch,) = itinerary(self.graph, self.arcs)
        found, at = [("road", stretch.name)], self.graph.overlay.at_hour
        sums, columns = self.sums, {column.name: column for column in self.columns}
        for what, units in (("length", METRES_PER_UNIT), ("time", SECONDS_PER_UNIT)):
            for name, column in columns.items():
                value, public = sums.get(name), public_unit(column.unit)
                if column.unit not in units or value is None or name.endswith(FILE_ENDING):
                    continue
                text = _rounded_text(value, public)
                file = sums.get(f"{name}{FILE_ENDING}", value)
                other = "" if file is None else _rounded_text(file, public)
                found.append((what, text if text == other else f"{text}{at} (file: {other})"))
        return found

    @property
    def parts(self) -> list[str]:
        """Its length and `measures`: ``["time 25 min 3 s", "24.1 km"]``."""
        return [f"{self.quantity} {self.text}", *self.measures]

    @property
    def words(self) -> str:
        return " · ".join(self.parts)

    def cells(self, first: PathAnswer, shared: str = "") -> tuple[str, ...]:
        """What a table says of one of several ways: its length, other measures if there are
        any, how much longer it is than the ``first``, what it shares with those before it, and
        arcs. ``shared`` is a word behind that share.
        """
        others = ", ".join(self.measures)
        longer = 100 * (self.length / first.length - 1) if first.length else 0.0
        common = f"{100 * self.shared:.0f} %{shared}"
        compared = ("", "") if self.way == first.way else (f"+{longer:.1f} %", common)
        told = (self.short_text, *((others,) if others else ()))
        return (*told, *compared, format_count(len(self.arcs)))

    @cached_property
    def arcs(self) -> Int64s:
        """(k - 1,); none without a path."""
        return np.empty(0, np.int64) if self.path is None else path_arcs(self.graph, self.path)

    @cached_property
    def weights(self) -> AnyArray:
        """Of each arc as solved, with what the turn before it costs, (k - 1,)."""
        return self.graph.weights[:0] if self.path is None else path_weights(self.graph, self.path)

    @cached_property
    def lengths(self) -> AnyArray:
        """Distance of each vertex of the path along it, (k,): int64, or float64."""
        wide = np.int64 if self.graph.weight_type.is_integer else np.float64
        return np.concatenate((np.zeros(1, wide), np.cumsum(self.weights, dtype=wide)))

    @cached_property
    def columns(self) -> list[ArcColumn]:
        """What is known of each arc but the weight alone. The column that the weights are of
        has them as solved, and one behind it, with the ending ``_file``, as in the file.
        """
        roads, found = self.graph.roads, list[ArcColumn]()
        own = None if roads is None else roads.column_of_unit(self.graph.weight_unit)
        for column in columns_along(self.graph, self.arcs)[1:]:
            if own is None or column.name != own.name:
                found.append(column)
            else:
                found.append(replace(column, values=self.weights))
                found.append(replace(column, name=f"{column.name}{FILE_ENDING}"))
        return found

    @property
    def sums(self) -> dict[str, int | float | None]:
        """The sums of `columns` that are numbers, None where a value is not known."""
        return sums_of(self.columns)

    def polyline(self, form: str) -> Float64s:
        """The polyline of the path, (p, 2), along the curves of its roads; one point
        for a path of one vertex.

        Raises UnsuitableGraph if the graph has no coordinates, which ``form``, the name
        of a format, needs.
        """
        coordinates = self.graph.coordinates
        if coordinates is None:
            raise no_places(self.graph, form)
        return (
            path_polyline(self.graph, self.arcs)
            if len(self.arcs)
            else coordinates.xy[path_of(self)]
        )


@dataclass(frozen=True, eq=False)
class DistancesAnswer:
    """The distances of all vertices from a source, or from the nearest of several."""

    graph: Graph
    sources: tuple[int, ...]  # vertex indices
    distances: AnyArray  # (n,), of a distance type
    # (n,) indices, -1 for the source and unreachable vertices; None if unknown
    predecessors: AnyArray | None
    found_by: str  # id of the variant, or what found them without a run

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


def distance_cell(result: Result) -> str:
    """The distance from source to target with its unit, for a table."""
    answer = PathAnswer.of_result(result)
    return NOTHING if answer is None else answer.text


def path_of(answer: PathAnswer) -> Int32s:
    """The path of an answer that has one, as those that are written do."""
    assert answer.path is not None
    return answer.path


def require_path(answer: PathAnswer | None, result: Result) -> PathAnswer:
    """The answer of a result, with its path; raises `InputError` with the reason if there is
    none.
    """
    if answer is not None and answer.path is not None:
        return answer
    if result.source is None or result.target is None:
        raise InputError("A path needs a source and a target: choose both, and run again.")
    source, target = map(result.graph.vertex_text, (result.source, result.target))
    if result.ok and answer is not None and math.isinf(answer.length):
        raise InputError(f"There is no path to write: {target} cannot be reached from {source}.")
    raise InputError(
        f"There is no path to write: {result.variant.id} found none from {source} to {target}."
    )


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


def _rounded_text(value: float, unit: str) -> str:
    """``"340 m"``, ``"4.20 km"``, ``"2 min 42 s"``."""
    return format_distance(value if unit in SECONDS_PER_UNIT else round(value), unit, exact=False)


def _common_text(total: float, distance: float, unit: str) -> str | None:
    if total == distance:
        return format_distance(distance, unit)
    digits = common_digits(total, distance)
    if digits < _LEAST_DIGITS:
        return None
    rounded = _rounded(total, digits)
    whole_digits_lost = rounded.is_integer() and rounded not in (total, distance)
    mark = "≈ " if digits < MOST_DIGITS or whole_digits_lost else ""
    return mark + format_distance(rounded, unit)


def common_digits(one: float, other: float) -> int:
    """To how many significant digits, at most seven, two numbers round alike."""
    alike = (d for d in range(MOST_DIGITS, 0, -1) if _rounded(one, d) == _rounded(other, d))
    return next(alike, 0)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
