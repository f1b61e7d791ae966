"""`Path`: the vertices of a path, and what is known of the arcs between them; `Alternatives`
and `Paths`: several; `Tree`: those to all vertices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from solvers.errors import ParameterError, UnknownName
from solvers.graphs.arc_columns import WEIGHT, column_named, columns_along, is_added, total
from solvers.graphs.cut_roads import divided
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import VertexIds
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.road_points import RoadEnds
from solvers.graphs.rows import arc_keys
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.units import to_public_unit


class Path(list[Hashable]):
    """The ids of the vertices of a path, both ends included: a list of them, which also
    knows the arcs.

    Of parallel arcs the path takes the lightest, the first of equal ones. A copy or
    pickle is a plain list.

    Examples
    --------
    >>> from solvers import read, solve
    >>> roads = {"a": {"b": {"time": 5, "toll": 2.5}}, "b": {"c": {"time": 4, "toll": 0}}}
    >>> path = solve(read(roads, attribute="time"), source="a", target="c").path
    >>> path, path.length, path.sum("toll")
    (['a', 'b', 'c'], 9, 2.5)
    >>> path.arcs
    [('a', 'b', 0), ('b', 'c', 0)]
    >>> path.values("toll")
    [2.5, 0.0]
    """

    points: RoadEnds = (None, None)
    """For ends that were given as places: the points of roads that stand for them."""

    def __init__(
        self,
        ids: Iterable[Hashable],
        graph: Graph,
        vertices: Int32s,
        # with other weights, and without closed arcs, if that was searched
        weighed: Graph | None = None,
        weights: AnyArray | None = None,  # (m,) of it, of all arcs of the graph
    ):
        super().__init__(ids)
        self._graph, self._vertices = graph, vertices
        self._weighed, self._weights = weighed or graph, weights

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    @property
    def arcs(self) -> list[tuple[Hashable, Hashable, Hashable]]:
        """The arcs, as ``(u, v, key)``.

        Keys are those of a multigraph of NetworkX, or of the table of edges of OSMnx,
        that the graph was read from; otherwise numbers from 0 among parallel arcs.
        """
        return list(zip(self, self[1:], arc_keys(self._graph, self._positions), strict=False))

    @property
    def length(self) -> int | float:
        """The sum of the weights and of what turns cost, in their public unit."""
        return self.sum(WEIGHT)

    @property
    def turn_costs(self) -> int | float:
        """What its turns cost, in the public unit of the weights. They are part of ``length``
        and of "weight", and of no other column: in a network weighted by time,
        ``path.sum("seconds") + path.turn_costs`` is its length.
        """
        from solvers.graphs.turns import turn_costs  # imports numba, which is slow

        graph, rules = self._graph, self._graph.turns
        if rules is None or rules.costs is None:
            return 0
        arcs = self._positions if graph.base is None else graph.base.arcs[self._positions]
        costs = turn_costs(graph.network, rules, arcs[:-1], arcs[1:]).sum()
        public: int | float = to_public_unit(costs, graph.weight_unit).item()
        return public

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names that `values` and, of numbers, `sum` take.

        "weight"; in a road network "road", the name, "class", from 0 for a path to 7 for
        a motorway, "metres" and "seconds"; then the attributes of edges or columns of
        numbers that the graph was read from.
        """
        return tuple(column.name for column in self._columns)

    def values(self, name: str) -> list[Any]:
        """A value of each arc, in public units; NaN or None where it is not known.

        "length" and "time" also name the first that is in such a unit. Raises
        `UnknownName` for others.
        """
        column = self._column(name)
        found: list[Any] = to_public_unit(column.values, column.unit).tolist()
        return found

    def sum(self, name: str) -> int | float:
        """The sum of the values of all arcs, NaN if one is not known; raises
        `UnknownName`, and `ParameterError` for texts.
        """
        column = self._column(name)
        if column.is_text:
            raise ParameterError("sum", "name", name, "its values are texts")
        return total(column)

    def _column(self, name: str) -> ArcColumn:
        column = column_named(self._columns, name)
        if column is None:
            raise UnknownName("attribute of arcs", name, self.attributes)
        return column

    @cached_property
    def _positions(self) -> Int64s:
        from solvers.verification.paths import lightest_arcs, path_arcs  # imports numba

        if self._weighed is self._graph:
            return path_arcs(self._graph, self._vertices)
        return lightest_arcs(self._graph, self._vertices, self._weights)

    @cached_property
    def _columns(self) -> list[ArcColumn]:
        from solvers.verification.paths import path_weights  # imports numba

        weights = path_weights(self._weighed, self._vertices)
        return columns_along(self._graph, self._positions, weights)


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
    ):
        list.__init__(self, ids)
        self._graph, self.points, self._parts = graph, points, parts
        self._of_arcs, self._travelled = arcs

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


@dataclass(frozen=True, eq=False)
class Alternatives(Sequence[Path]):
    """A shortest path and alternatives to it; none where the target cannot be reached.

    Attributes
    ----------
    paths : tuple of Path
    shared : tuple of float
        The length of the roads that each shares with those before it, with the turns onto
        them, as a share of the length of the first, which is the shortest.
    note : str
        What the alternatives are, and why there are not more.
    """

    paths: tuple[Path, ...]
    shared: tuple[float, ...]
    note: str

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: Any) -> Any:
        return self.paths[i]


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree of shortest paths; arrays are in the order of ``Router.ids``.

    Attributes
    ----------
    source : Hashable
        Id of the vertex that all paths begin at, or the place.
    distances : (n,) float64
        In the public unit of the weights; inf where unreachable.
    predecessors : (n,) int32
        Positions in the ids; -1 for the source, for ends of its road that are reached from
        a point of it, and where unreachable.
    note : str
        Where turns are restricted or cost something, that paths are not made of
        predecessors; else "".
    """

    source: Hashable
    distances: Float64s = field(repr=False)
    predecessors: Int32s = field(repr=False)
    note: str = ""


@dataclass(frozen=True, eq=False)
class Paths(Sequence[list[Hashable] | None]):
    """Shortest paths of k pairs; ``paths[i]`` is a list of ids, None where there is no path.

    Attributes
    ----------
    vertices : int32
        Of all paths, one behind the other, as positions in ``Router.ids``.
    first : (k + 1,) int64
        Where the vertices of each path begin.
    distances : (k,) float64
        In the public unit of the weights; inf without a path.
    """

    names: VertexIds
    vertices: Int32s
    first: Int64s
    distances: Float64s

    def __repr__(self) -> str:
        return f"Paths({len(self)} pairs, {np.isfinite(self.distances).sum()} with a path)"

    def __len__(self) -> int:
        return len(self.distances)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        k = range(len(self))[i]
        return self.names.listed(self.vertices[self.first[k] : self.first[k + 1]]) or None
