"""Closed and slowed roads: an overlay over a graph, which never goes into the graph's file.

A closed arc does not exist: it is left out of the changed graph, which is exact in every weight type and asks nothing
of a variant. A slowed arc keeps its place and gets another weight. A changed graph shares coordinates and ids with the
graph that it was made from, and indptr and indices too while nothing is closed; it names that graph as its `base`, so
that an order of contraction is not made again.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnknownArc, UnsuitableGraph, WeightNotChanged
from solvers.graphs.graph import Base, Graph
from solvers.graphs.weights import INT64
from solvers.text import plural

CLOSED = math.inf
_NEAREST = 3

Road = tuple[Hashable, Hashable]
"""Ids of the vertices at the two ends of a road."""


@dataclass(frozen=True)
class RoadChange:
    """What happens to the arcs between two vertices; parallel arcs are changed together.

    Attributes
    ----------
    tail, head : Hashable
        Ids of the vertices.
    factor : float
        The weights are multiplied by it; `CLOSED` if the road is closed.
    one_way : bool
        Only the arcs from ``tail`` to ``head`` are changed, not those back.

    Raises
    ------
    ParameterError
        If the factor is 0, negative or not a number.
    """

    tail: Hashable
    head: Hashable
    factor: float = CLOSED
    one_way: bool = False

    def __post_init__(self) -> None:
        if not self.factor > 0:
            reason = "a factor must be a number above 0; close a road that nothing may pass"
            raise ParameterError("road changes", f"factor of {self.tail} – {self.head}", self.factor, reason)

    @property
    def closes(self) -> bool:
        return self.factor == CLOSED

    @property
    def arcs(self) -> tuple[Road, ...]:
        """Tail and head of the arcs that are changed, where they exist."""
        return ((self.tail, self.head),) if self.one_way else ((self.tail, self.head), (self.head, self.tail))


@dataclass(frozen=True)
class ChangedArcs:
    """The arcs of a graph that changes apply to.

    Attributes
    ----------
    places : (k,) int64
        In the graph's ``indices``, ascending, each once.
    factors : (k,) float64
        `CLOSED` for closed arcs.
    """

    places: NDArray[np.int64]
    factors: NDArray[np.float64]

    @property
    def closed(self) -> NDArray[np.int64]:
        """Places of the closed arcs."""
        return self.places[self.factors == CLOSED]


@dataclass(frozen=True)
class RoadChanges:
    """Closed and slowed roads, named by the vertex ids of the graph's file. A value: methods return other values.

    Attributes
    ----------
    roads : tuple of RoadChange
        Where two of them change one arc, the later counts.
    """

    roads: tuple[RoadChange, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.roads)

    def __str__(self) -> str:
        closed = sum(road.closes for road in self.roads)
        counts = ((closed, "closed"), (len(self) - closed, "slowed"))
        return ", ".join(f"{plural(count, 'road')} {what}" for count, what in counts if count)

    def close(self, *roads: Road, one_way: bool = False) -> RoadChanges:
        """These changes, and roads closed, in both directions unless ``one_way``."""
        return self.with_roads(RoadChange(*road, one_way=one_way) for road in roads)

    def slow(self, factor: float, *roads: Road, one_way: bool = False) -> RoadChanges:
        """These changes, and roads whose weights are multiplied by ``factor``.

        Raises
        ------
        ParameterError
            If the factor is 0, negative, infinite or not a number.
        """
        if factor == CLOSED:
            raise ParameterError("road changes", "factor", factor, "it must be finite; close the road instead")
        return self.with_roads(RoadChange(*road, factor, one_way) for road in roads)

    def with_roads(self, roads: Iterable[RoadChange]) -> RoadChanges:
        """These changes and others, which replace those that they cover."""
        kept = {frozenset(road.arcs): road for road in self.roads}
        for road in roads:
            for arc in road.arcs:
                kept.pop(frozenset((arc,)), None)
            kept.pop(frozenset(road.arcs), None)
            kept[frozenset(road.arcs)] = road
        return RoadChanges(tuple(kept.values()))

    def without(self, *roads: Road) -> RoadChanges:
        """These changes without those between the given vertices: the roads are as in the file again."""
        dropped = {frozenset(road) for road in roads}
        return RoadChanges(tuple(road for road in self.roads if frozenset((road.tail, road.head)) not in dropped))

    def arcs(self, graph: Graph) -> ChangedArcs:
        """The arcs of ``graph`` that are changed.

        Raises
        ------
        UnknownVertex
            If the graph has no such vertex.
        UnknownArc
            If there is no arc between the ends of a road, or not in the direction that is to change.
        """
        factors: dict[int, float] = {}
        for road in self.roads:
            found = [place for tail, head in road.arcs for place in _places(graph, tail, head)]
            if not found:
                raise UnknownArc(road.tail, road.head, graph.name, _arcs_at(graph, road.tail))
            factors.update(dict.fromkeys(found, road.factor))
        places = sorted(factors)
        return ChangedArcs(np.array(places, np.int64), np.array([factors[place] for place in places], np.float64))

    def apply(self, graph: Graph) -> Graph:
        """The changed graph: closed arcs left out, slowed arcs with other weights; ``graph`` itself without changes.

        Integer weights are multiplied exactly and rounded to the nearest, and no positive one becomes 0.

        Raises
        ------
        UnknownVertex, UnknownArc
            As `arcs`.
        WeightNotChanged
            If a slowed arc is negative, or its weight or the paths over it would pass the range of the weights' type.
        """
        if not self.roads:
            return graph
        changed = self.arcs(graph)
        weights = _multiplied(graph, changed)
        closed = changed.closed
        indptr, indices, base_arcs = graph.indptr, graph.indices, np.arange(graph.m, dtype=np.int64)
        roads = graph.roads
        if len(closed):
            weights, indices, base_arcs = (np.delete(array, closed) for array in (weights, indices, base_arcs))
            indptr = indptr - np.searchsorted(closed, indptr)
            roads = None if roads is None else roads.of_arcs(base_arcs)
        result = replace(
            graph,
            indptr=indptr,
            indices=indices,
            weights=weights,
            name=f"{graph.name} ({self})",
            directed=graph.directed or not self._same_both_ways(graph),
            base=Base(graph, base_arcs),
            roads=roads,
        )
        _require_paths_in_range(graph, result, changed)
        return result

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; ids that are neither integers nor texts are kept as they are."""
        return {
            "roads": [
                {
                    "from": road.tail,
                    "to": road.head,
                    "factor": None if road.closes else road.factor,  # None: closed
                    "one_way": road.one_way,
                }
                for road in self.roads
            ]
        }

    @classmethod
    def from_dict(cls, values: object) -> RoadChanges:
        """The inverse of `to_dict`.

        Raises
        ------
        ParameterError
            If the values have another form, or a factor is out of range.
        """
        roads = values.get("roads") if isinstance(values, Mapping) else None
        if not isinstance(roads, Sequence) or isinstance(roads, str):
            raise ParameterError("road changes", "roads", roads, "a list of roads is expected")
        return cls().with_roads(_road_from_dict(entry) for entry in roads)

    def _same_both_ways(self, graph: Graph) -> bool:
        changed = self.arcs(graph)
        tails, heads = graph.tails[changed.places].tolist(), graph.indices[changed.places].tolist()
        factors = {(t, h): factor for t, h, factor in zip(tails, heads, changed.factors.tolist(), strict=True)}
        return all(factors.get((head, tail)) == factor for (tail, head), factor in factors.items())


def _road_from_dict(entry: object) -> RoadChange:
    if not isinstance(entry, Mapping) or not {"from", "to"} <= set(entry):
        raise ParameterError("road changes", "roads", entry, "each road has “from”, “to”, “factor” and “one_way”")
    factor, one_way = entry.get("factor"), entry.get("one_way", False)
    if factor is not None and (isinstance(factor, bool) or not isinstance(factor, (int, float))):
        raise ParameterError("road changes", "factor", factor, "it is a number above 0, or nothing for a closed road")
    for end in (entry["from"], entry["to"]):
        if isinstance(end, bool) or not isinstance(end, Hashable):
            raise ParameterError("road changes", "roads", end, "it is not the id of a vertex")
    return RoadChange(entry["from"], entry["to"], CLOSED if factor is None else float(factor), bool(one_way))


def _places(graph: Graph, tail: Hashable, head: Hashable) -> range:
    """The parallel arcs from ``tail`` to ``head``."""
    row, to = graph.row(graph.vertex(tail)), graph.vertex(head)
    heads = graph.indices[row]
    return range(row.start + int(np.searchsorted(heads, to)), row.start + int(np.searchsorted(heads, to, "right")))


def _arcs_at(graph: Graph, vertex_id: Hashable) -> list[str]:
    heads = graph.indices[graph.row(graph.vertex(vertex_id))].tolist()
    return [f"{vertex_id} – {graph.vertex_id(head)}" for head in dict.fromkeys(heads)][:_NEAREST]


def _multiplied(graph: Graph, changed: ChangedArcs) -> NDArray[Any]:
    """The weights of all arcs, those of slowed ones multiplied."""
    weights = graph.weights.copy()
    for place, factor in zip(changed.places.tolist(), changed.factors.tolist(), strict=True):
        if factor != CLOSED:
            weights[place] = _product(graph, place, factor)
    return weights


def _product(graph: Graph, place: int, factor: float) -> int | float:
    kind, weight = graph.weight_type, graph.weights[place].item()
    tail, head = graph.vertex_id(int(graph.tails[place])), graph.vertex_id(int(graph.indices[place]))
    if weight < 0:
        reason = f"its weight {weight:g} is negative, and a multiple of it would be a gain"
        raise WeightNotChanged(tail, head, factor, reason, "Only non-negative weights can be slowed; close the road.")
    product: int | float
    if kind.is_integer:
        product = max(math.floor(Fraction(weight) * Fraction(factor) + Fraction(1, 2)), min(weight, 1))
        most: int | float = INT64.infinity - 1 if kind is INT64 else int(np.iinfo(kind.dtype).max)
    else:
        product, most = weight * factor, kind.longest
    if product > most:
        reason = f"{weight:g} × {factor:g} passes the range of {kind.name} ({most:g})"
        raise WeightNotChanged(tail, head, factor, reason, "Choose a smaller factor, or close the road.")
    return product


def _require_paths_in_range(graph: Graph, result: Graph, changed: ChangedArcs) -> None:
    slowed = changed.factors != CLOSED
    if not slowed.any():
        return
    try:
        result.distance_type  # noqa: B018 computed once, and kept with the graph
    except UnsuitableGraph as error:
        places = changed.places[slowed]
        heaviest = int(np.argmax(graph.weights[places] * changed.factors[slowed]))
        tail, head = (graph.vertex_id(int(ends[places[heaviest]])) for ends in (graph.tails, graph.indices))
        factor = float(changed.factors[slowed][heaviest])
        reason = "paths over it could pass the range of 64-bit numbers"
        raise WeightNotChanged(tail, head, factor, reason, "Choose a smaller factor, or close the road.") from error
