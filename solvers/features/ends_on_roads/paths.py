"""`RoadPath`: a path from or to points of roads."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from solvers.features.ends_on_roads.cut_roads import divided
from solvers.graphs.arc_columns import columns_along, is_added
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import ROUTER_NAME
from solvers.graphs.places import RoadEnds, with_places
from solvers.graphs.road_data import ArcColumn
from solvers.library.paths import Path
from solvers.system.array_types import AnyArray, Int32s, Int64s


class PartOfArc(NamedTuple):
    """A part of an arc of a path."""

    place: int  # of the arc in the path
    shares: Sequence[float]  # of the arc's length, at which it is cut
    is_back: bool  # as ``from_head`` of `divided`
    part: int  # which of the parts


class RoadPath(Path):
    """A path from or to points of roads. Of values that add up it has the parts that are
    travelled; keys are those of whole arcs.
    """

    def __init__(
        self,
        ids: Iterable[Hashable],
        graph: Graph,
        arcs: tuple[Int64s, AnyArray],  # and their weights, of what is travelled
        parts: Sequence[PartOfArc],
        points: RoadEnds,
        weighed: Graph,
    ):
        list.__init__(self, ids)
        self._graph, self.points, self._parts = graph, points, parts
        self._of_arcs, self._travelled = arcs
        self._weighed, self._found_by = weighed, ROUTER_NAME

    @cached_property
    def _solved(self) -> Graph:
        """With the points as further vertices."""
        places = [None if one is None else (one.latitude, one.longitude) for one in self.points]
        return with_places(self._weighed, places)[0]

    def _vertices_in(self, graph: Graph) -> Int32s:
        return np.array([graph.vertex(vertex_id) for vertex_id in self], np.int32)

    @cached_property
    def _positions(self) -> Int64s:
        return self._of_arcs

    @cached_property
    def _columns(self) -> list[ArcColumn]:
        weight, *others = columns_along(self._graph, self._of_arcs, self._travelled)
        return [weight, *map(self._with_parts, others)]

    def _with_parts(self, column: ArcColumn) -> ArcColumn:
        roads = self._graph.roads
        is_weight = roads is not None and column.name in {each.name for each in roads.weights}
        if not is_weight and not is_added(column):
            return column
        values = column.values.copy()
        for place, shares, is_back, part in self._parts:
            values[place] = divided(values[place], shares, from_head=is_back)[part]
        return replace(column, values=values)
