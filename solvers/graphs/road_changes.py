"""Closed and slowed roads, and the hour by which roads are weighed: an overlay over a graph,
which never goes into the graph's file.

A closed arc is left out of the changed graph, which is exact in every weight type and
needs no support by variants. A slowed arc gets another weight. A changed graph shares
coordinates and ids with the graph that it was made from, and indptr and indices too if
nothing is closed. Its overlay keeps that graph as `base`, with the arcs that differ, so that
the contraction order is reused, and hash and bounds are known at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.changed_arcs import (
    CLOSED,
    ChangedArcs,
    RoadArea,
    changed_arcs,
    multiplied,
    require_paths_in_range,
    same_both_ways,
)
from solvers.graphs.csr import unpaired_arc
from solvers.graphs.graph import Graph, RoadPatch, Said
from solvers.graphs.hours import Hour, hour_of
from solvers.graphs.road_patch import patched
from solvers.system.array_types import Bools, Float64s, Int64s
from solvers.system.known_types import known
from solvers.text import plural

_LARGE = 2**63
_NOWHERE = (-_LARGE, -_LARGE)

Road = tuple[Hashable, Hashable]
"""Ids of the vertices at the two ends of a road."""


@dataclass(frozen=True)
class RoadChange:
    """A change to the arcs between two vertices, given by their ids; parallel arcs are
    changed together.

    Raises ParameterError if the factor is 0, negative or not a number.
    """

    tail: Hashable
    head: Hashable
    factor: float = CLOSED  # of the weights
    one_way: bool = False  # whether the arcs from head to tail stay as they are

    def __post_init__(self) -> None:
        if not self.factor > 0:
            reason = "a factor must be a number above 0; close the road if nothing may use it"
            raise ParameterError(
                "road changes", f"factor of {self.tail} – {self.head}", self.factor, reason
            )

    @property
    def closes(self) -> bool:
        return self.factor == CLOSED

    @property
    def arcs(self) -> tuple[Road, ...]:
        """Tail and head of the arcs that are changed, where they exist."""
        return (
            ((self.tail, self.head),)
            if self.one_way
            else ((self.tail, self.head), (self.head, self.tail))
        )


@dataclass(frozen=True)
class RoadChanges:
    """Closed and slowed roads, named by the vertex ids of the graph's file, and the hour
    whose weights are slowed; a `Said`. A value: methods return other values.

    Where two roads, or two areas, change one arc, the later counts; a road counts over
    an area.
    """

    roads: tuple[RoadChange, ...] = field(default=())
    areas: tuple[RoadArea, ...] = field(default=())
    hour: Hour | None = None

    def __len__(self) -> int:
        """Number of roads, those of areas included."""
        return len(self.roads) + sum(map(len, self.areas))

    @property
    def closed(self) -> int:
        """Number of closed roads, those of areas included."""
        return sum(road.closes for road in self.roads) + sum(
            len(area) for area in self.areas if area.closes
        )

    @property
    def at(self) -> str:
        return "" if self.hour is None else self.hour.at

    def __str__(self) -> str:
        at = f"at {self.at}" if self.at else ""
        return ", ".join(filter(None, (at, self.in_words)))

    @property
    def in_words(self) -> str:
        """The numbers of closed and of slowed roads."""
        counts = ((self.closed, "closed"), (len(self) - self.closed, "slowed"))
        return ", ".join(f"{plural(count, 'road')} {what}" for count, what in counts if count)

    def close(self, *roads: Road, one_way: bool = False) -> RoadChanges:
        """These changes, and roads closed, in both directions unless ``one_way``."""
        return self.with_roads(RoadChange(*road, one_way=one_way) for road in roads)

    def slow(self, factor: float, *roads: Road, one_way: bool = False) -> RoadChanges:
        """These changes, and roads with weights multiplied by ``factor``;
        `ParameterError` if it is not positive.
        """
        if factor == CLOSED:
            raise ParameterError(
                "road changes", "factor", factor, "it must be finite; close the road instead"
            )
        return self.with_roads(RoadChange(*road, factor, one_way) for road in roads)

    def with_roads(self, roads: Iterable[RoadChange]) -> RoadChanges:
        """These changes and others, which replace those that they cover."""
        kept = {frozenset(road.arcs): road for road in self.roads}
        for road in roads:
            for arc in road.arcs:
                kept.pop(frozenset((arc,)), None)
            kept.pop(frozenset(road.arcs), None)
            kept[frozenset(road.arcs)] = road
        return replace(self, roads=tuple(kept.values()))

    def with_area(self, area: RoadArea) -> RoadChanges:
        """These changes and an area, which replaces what it covers."""
        covered = area.covers(_pairs_of(self.roads))
        roads = tuple(
            road for road, inside in zip(self.roads, covered.tolist(), strict=True) if not inside
        )
        areas = (older.without(area.ends) for older in self.areas)
        others = (older for older in areas if len(older))
        return replace(self, roads=roads, areas=(*others, area))

    def without(self, *roads: Road) -> RoadChanges:
        """These changes without those between the given vertices: the roads are as in
        the file again.
        """
        dropped = {frozenset(road) for road in roads}
        kept = tuple(
            road for road in self.roads if frozenset((road.tail, road.head)) not in dropped
        )
        pairs = np.array([road for road in roads if _are_integers(*road)], np.int64).reshape(-1, 2)
        areas = (area.without(pairs) for area in self.areas)
        return replace(self, roads=kept, areas=tuple(area for area in areas if len(area)))

    def without_area(self, area: RoadArea) -> RoadChanges:
        """These changes without those to roads of an area."""
        nothing_there = self.with_area(area)
        return replace(nothing_there, areas=nothing_there.areas[:-1])

    def columns(
        self,
    ) -> tuple[Sequence[Hashable], Sequence[Hashable], Float64s, Bools]:
        """Tails, heads, factors, and whether only one way is changed, of all roads;
        later ones count.
        """
        tails: Any = [road.tail for road in self.roads]
        heads: Any = [road.head for road in self.roads]
        if self.areas:
            sides = [np.concatenate([area.ends[:, side] for area in self.areas]) for side in (0, 1)]
            if all(_are_integers(road.tail, road.head) for road in self.roads):
                tails, heads = (
                    np.concatenate((side, np.array(own, np.int64)))
                    for side, own in zip(sides, (tails, heads), strict=True)
                )
            else:
                tails, heads = [*sides[0].tolist(), *tails], [*sides[1].tolist(), *heads]
        factors = [np.full(len(area), area.factor) for area in self.areas]
        one_way = np.zeros(len(self), np.bool_)
        one_way[len(self) - len(self.roads) :] = [road.one_way for road in self.roads]
        return (
            tails,
            heads,
            np.concatenate((*factors, [road.factor for road in self.roads])),
            one_way,
        )

    def arcs(self, graph: Graph) -> ChangedArcs:
        """The arcs of ``graph`` that are changed; errors as for `changed_arcs`."""
        return changed_arcs(graph, *self.columns())

    @classmethod
    def of(cls, graph: Graph) -> RoadChanges:
        """What was said last of the roads of a graph, and the hour."""
        found = cls()
        for one in graph.overlay.said:
            if isinstance(one, RoadChanges):
                found = (
                    replace(one, hour=one.hour or found.hour)
                    if one
                    else replace(found, hour=one.hour)
                )
        return found

    def apply(self, graph: Graph, opened: Graph | None = None) -> Graph:
        """The changed graph: closed arcs left out, slowed arcs with other weights than at the
        hour; ``graph`` itself without changes.

        ``opened`` is ``graph`` at the hour, if it was made before; that it is, is proved with
        the answers.

        Integer weights are multiplied exactly and rounded to the nearest, and no
        positive one becomes 0. Raises UnknownVertex, UnknownArc as `arcs`;
        WeightNotChanged if a slowed arc is negative, or its weight or the paths over it
        would pass the range of the weights' type; for the hour as `HourTable.weights_at`, and
        as reading its table.
        """
        said = graph.overlay.said
        if self.hour is not None:
            said = (*said, RoadChanges(hour=self.hour))
        if opened is None:
            opened = graph if self.hour is None else _weighed(graph, self.hour, said)
        if self:
            return replace(self, hour=None)._changed(opened, said)
        return opened.with_overlay(replace(opened.overlay, said=said))

    def _changed(self, graph: Graph, said: tuple[Said, ...]) -> Graph:
        changed = self.arcs(graph)
        slowed = multiplied(graph, changed)
        differs = slowed != graph.weights[changed.slowed]
        result = patched(
            RoadPatch(graph, changed.closed, changed.slowed[differs], slowed[differs]),
            (*said, self),
            name=f"{graph.name} ({self})",
            directed=graph.directed or not same_both_ways(graph, changed),
        )
        require_paths_in_range(graph, result, changed)
        return result

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; ids that are neither integers nor texts are kept
        as they are.
        """
        areas = [{"ends": area.ends.tolist(), "factor": _plain(area.factor)} for area in self.areas]
        roads = [
            {
                "from": road.tail,
                "to": road.head,
                "factor": _plain(road.factor),
                "one_way": road.one_way,
            }
            for road in self.roads
        ]
        return {"roads": [*areas, *roads], "hour": self.hour and asdict(self.hour)}

    @classmethod
    def from_dict(cls, values: object) -> RoadChanges:
        """The inverse of `to_dict`; raises `ParameterError` for values of another form."""
        values = values if isinstance(values, Mapping) else {}
        roads = values.get("roads")
        if not isinstance(roads, Sequence) or isinstance(roads, str):
            raise ParameterError("road changes", "roads", roads, "a list of roads is expected")
        changes = cls().with_roads(_road_from_dict(entry) for entry in roads if not _is_area(entry))
        areas = tuple(_area_from_dict(entry) for entry in roads if _is_area(entry))
        return replace(changes, areas=areas, hour=_hour_from_dict(values.get("hour")))


def _weighed(graph: Graph, hour: Hour, said: tuple[Said, ...]) -> Graph:
    weights = hour.table.weights_at(graph, hour.at)
    differ = np.flatnonzero(weights != graph.weights)
    differs_back = unpaired_arc(graph.indptr, graph.indices, weights) >= 0
    return patched(
        RoadPatch(graph, np.empty(0, np.int64), differ, weights[differ]),
        said,
        name=f"{graph.name} at {hour.at}",
        directed=graph.directed or differs_back,
    )


def _hour_from_dict(entry: object) -> Hour | None:
    try:
        hour = msgspec.convert(entry, known(Hour | None))
    except msgspec.ValidationError as error:
        raise ParameterError("road changes", "hour", entry, str(error)) from None
    return hour and replace(hour, at=hour_of(hour.at))


def _road_from_dict(entry: object) -> RoadChange:
    if not isinstance(entry, Mapping) or not {"from", "to"} <= set(entry):
        raise ParameterError(
            "road changes", "roads", entry, "each road has “from”, “to”, “factor” and “one_way”"
        )
    for end in (entry["from"], entry["to"]):
        if isinstance(end, bool) or not isinstance(end, Hashable):
            raise ParameterError("road changes", "roads", end, "it is not the id of a vertex")
    return RoadChange(
        entry["from"], entry["to"], _factor_of(entry), bool(entry.get("one_way", False))
    )


def _is_area(entry: object) -> bool:
    return isinstance(entry, Mapping) and "ends" in entry


def _area_from_dict(entry: Mapping[str, Any]) -> RoadArea:
    try:
        ends = np.array(entry["ends"])
    except ValueError:  # rows of different lengths
        ends = np.empty(0)
    if ends.ndim != 2 or ends.shape[1:] != (2,) or ends.dtype.kind not in "iu":
        raise ParameterError(
            "road changes", "ends", "an area", "pairs of whole numbers are expected"
        )
    return RoadArea.of(ends, _factor_of(entry))


def _factor_of(entry: Mapping[str, Any]) -> float:
    factor = entry.get("factor")
    if factor is not None and (isinstance(factor, bool) or not isinstance(factor, (int, float))):
        raise ParameterError(
            "road changes", "factor", factor, "it is a number above 0, or nothing for a closed road"
        )
    return CLOSED if factor is None else float(factor)


def _plain(factor: float) -> float | None:
    """A factor as in a file: None for a closed road."""
    return None if factor == CLOSED else factor


def _are_integers(*ends: Hashable) -> bool:
    """Whether all are integers of 64 bits."""
    return all(
        isinstance(end, (int, np.integer)) and not isinstance(end, bool) and -_LARGE <= end < _LARGE
        for end in ends
    )


def _pairs_of(roads: Sequence[RoadChange]) -> Int64s:
    """Ends of roads, (k, 2); those of roads whose ids are not integers belong to no area."""
    pairs = [
        (road.tail, road.head) if _are_integers(road.tail, road.head) else _NOWHERE
        for road in roads
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)
