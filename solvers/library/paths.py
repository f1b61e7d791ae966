"""`Path`: the vertices of a path, and what is known of the arcs between them; `Alternatives`
and `Paths`: several; `Tree`: those to all vertices; `DistanceTable`: from some to some.

All are `Tabular`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from solvers.errors import InputError, ParameterError, UnknownName
from solvers.graphs.arc_columns import WEIGHT, column_named, columns_along, is_added, total
from solvers.graphs.cut_roads import divided, with_places
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import ROUTER_NAME, LabelledGraph, VertexIds
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.road_points import RoadEnds
from solvers.graphs.route import path_polyline
from solvers.graphs.rows import arc_keys
from solvers.running.answers.frames import Tabular
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.units import to_public_unit

if TYPE_CHECKING:
    from solvers.running.answers.answer import PathAnswer
    from solvers.running.answers.columns import TableColumn
    from solvers.running.answers.table import AnswerTable


class Path(list[Hashable], Tabular):
    """The ids of the vertices of a path, both ends included: a list of them, which also
    knows the arcs.

    Its frame and table have a row for each vertex, with what is known of the arc that leads
    there; its GeoDataFrame one for each arc, by ``(tail, head, key)`` as the table of edges
    of OSMnx. Of parallel arcs the path takes the lightest, the first of equal ones. A copy or
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
        found_by: str = ROUTER_NAME,
    ):
        super().__init__(ids)
        self._graph, self._vertices, self._found_by = graph, vertices, found_by
        self._weighed, self._weights = weighed or graph, weights

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def _table(self) -> AnswerTable:
        from solvers.running.answers.table import path_table

        return path_table([self.answer(self._solved)])

    def _map_table(self) -> AnswerTable:
        from solvers.running.answers.table import path_arcs_table

        return path_arcs_table([self.answer(self._solved)])

    def answer(self, graph: Graph, way: str = "", shared: float = 0.0) -> PathAnswer:
        """The path in the graph that was solved, as surfaces show it and files have it."""
        from solvers.running.answers.answer import PathAnswer

        vertices = self._vertices_in(graph)
        ends, by = (int(vertices[0]), int(vertices[-1])), self._found_by
        found = PathAnswer(graph, *ends, vertices, 0, by, way, shared)
        return replace(found, length=found.lengths[-1].item())

    @cached_property
    def _solved(self) -> Graph:
        """The graph with the weights that were searched, without what is closed."""
        return self._weighed

    def _vertices_in(self, graph: Graph) -> Int32s:
        return self._vertices

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
        from solvers.graphs.turns import turn_costs

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
        from solvers.verification.paths import lightest_arcs, path_arcs

        if self._weighed is self._graph:
            return path_arcs(self._graph, self._vertices)
        return lightest_arcs(self._graph, self._vertices, self._weights)

    @cached_property
    def _columns(self) -> list[ArcColumn]:
        from solvers.verification.paths import path_weights

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


@dataclass(frozen=True, eq=False)
class Alternatives(Sequence[Path], Tabular):
    """A shortest path and alternatives to it; none where the target cannot be reached.

    Rows are those of each `Path`, with the number of its way.

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

    @overload
    def __getitem__(self, i: int) -> Path: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Path]: ...
    def __getitem__(self, i: int | slice) -> Path | Sequence[Path]:
        return self.paths[i]

    def _table(self) -> AnswerTable:
        from solvers.running.answers.table import path_table

        return path_table(self._answers)

    def _map_table(self) -> AnswerTable:
        from solvers.running.answers.table import path_arcs_table

        return path_arcs_table(self._answers)

    @property
    def _answers(self) -> list[PathAnswer]:
        if not self.paths:
            raise InputError(f"There is no path. {self.note}".strip())
        graph = self.paths[0]._solved
        ways = zip(self.paths, self.shared, strict=True)
        return [path.answer(graph, str(i), shared) for i, (path, shared) in enumerate(ways, 1)]


@dataclass(frozen=True, eq=False)
class Tree(Tabular):
    """A tree of shortest paths; arrays are in the order of `ids`, one row a vertex.

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
    graph : Graph
        What was searched.

    Examples
    --------
    >>> from solvers import prepare
    >>> tree = prepare([("a", "b", 4), ("b", "c", 3)]).tree("a")
    >>> len(tree), tree.to_dict()
    (3, {'a': None, 'b': 'a', 'c': 'b'})
    """

    source: Hashable
    distances: Float64s = field(repr=False)
    predecessors: Int32s = field(repr=False)
    note: str
    graph: Graph = field(repr=False)

    def __len__(self) -> int:
        return len(self.distances)

    @property
    def ids(self) -> Sequence[Hashable] | Int64s:
        """The vertex ids, to whose order arrays refer."""
        return ids_of(self.graph)

    def to_dict(self) -> dict[Hashable, Hashable]:
        """The id of the vertex before each that is reached, None for those that paths begin at.

        Where ``note`` says that turns matter, a path is not made of these.
        """
        names = VertexIds(self.graph)
        reached = np.flatnonzero(self.distances < np.inf)
        before = self.predecessors[reached]
        found = zip(names.listed(reached), names.listed(before), before.tolist(), strict=True)
        return {vertex: own if at >= 0 else None for vertex, own, at in found}

    def _table(self) -> AnswerTable:
        from solvers.running.answers.table import vertices_table

        column = _distance_column(self.graph, self.distances)
        source = str(self.source)
        return vertices_table(self.graph, source, column, self.predecessors, ROUTER_NAME)


@dataclass(frozen=True, eq=False)
class Paths(Sequence[list[Hashable] | None], Tabular):
    """Shortest paths of k pairs; ``paths[i]`` is a list of ids, None where there is no path.

    Frames and tables have a row for each pair, with the vertices and the line of its path.

    Attributes
    ----------
    vertices : int32
        Of all paths, one behind the other, as positions in ``Router.ids``.
    first : (k + 1,) int64
        Where the vertices of each path begin.
    distances : (k,) float64
        In the public unit of the weights; inf without a path.
    ends : (int64, int64)
        Sources and targets, (k,) each, as positions in ``Router.ids``.
    graph : Graph
        What was searched.
    """

    vertices: Int32s
    first: Int64s
    distances: Float64s
    ends: tuple[Int64s, Int64s]
    graph: Graph

    def __repr__(self) -> str:
        return f"Paths({len(self)} pairs, {np.isfinite(self.distances).sum()} with a path)"

    def __len__(self) -> int:
        return len(self.distances)

    @overload
    def __getitem__(self, i: int) -> list[Hashable] | None: ...
    @overload
    def __getitem__(self, i: slice) -> list[list[Hashable] | None]: ...
    def __getitem__(self, i: int | slice) -> list[Any] | None:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        k = range(len(self))[i]
        return self._names.listed(self.vertices[self.first[k] : self.first[k + 1]]) or None

    @cached_property
    def _names(self) -> VertexIds:
        return VertexIds(self.graph)

    def _table(self) -> AnswerTable:
        from solvers.running.answers.columns import TableColumn, vertex_column
        from solvers.running.answers.table import MAP_KINDS, AnswerTable

        graph, listed = self.graph, [path or [] for path in self]
        has_path = np.array([len(path) > 0 for path in listed], np.bool_)
        texts = [" ".join(map(str, path)) for path in listed]
        columns = [
            vertex_column(graph, self.ends[0], "source"),
            vertex_column(graph, self.ends[1], "target"),
            distances := _distance_column(graph, self.distances),
            TableColumn("vertices", texts, None if has_path.all() else has_path, listed),
        ]
        return AnswerTable(
            graph,
            f"paths in {graph.name}",
            ROUTER_NAME,
            columns,
            ("source", "target"),
            distances.name,
            MAP_KINDS,
            None if graph.coordinates is None else self._shapes,
            has_lines=True,
        )

    def _shapes(self, rows: AnyArray) -> list[str]:
        from solvers.running.answers.table import line_shape
        from solvers.verification.paths import path_arcs

        found, graph = list[str](), self.graph
        assert graph.coordinates is not None  # as `_table` has seen
        for k in rows.tolist():
            path = self.vertices[self.first[k] : self.first[k + 1]]
            line = path_polyline(graph, path_arcs(graph, path))
            line = line if len(path) > 1 else graph.coordinates.xy[path]
            found.append(line_shape(graph, line) if len(path) else "")
        return found


class DistanceTable(np.ndarray[tuple[int, int], np.dtype[np.float64]], Tabular):
    """Distances from each source to each target, (k, l) float64, inf where there is no path:
    an array, which also knows the ids.

    Frames and files have a row for each pair. What NumPy makes of it, such as a row or
    a sum, is a plain array.

    Examples
    --------
    >>> from solvers import prepare
    >>> table = prepare([("a", "b", 4), ("b", "c", 3)]).table(["a", "b"], ["b", "c"])
    >>> table
    array([[4., 7.],
           [0., 3.]])
    >>> table.sources, table[0].max()
    (['a', 'b'], np.float64(7.0))
    """

    sources: Sequence[Hashable] | Int64s
    targets: Sequence[Hashable] | Int64s
    _graph: Graph

    @classmethod
    def of(
        cls,
        distances: Float64s,
        sources: Sequence[Hashable] | Int64s,
        targets: Sequence[Hashable] | Int64s,
        graph: Graph,
    ) -> DistanceTable:
        table = distances.view(cls)
        table.sources, table.targets, table._graph = sources, targets, graph
        return table

    def __getitem__(self, key: Any) -> Any:
        return self.view(np.ndarray)[key]

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else array.view(np.ndarray)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def _table(self) -> AnswerTable:
        from solvers.running.answers.table import AnswerTable

        if getattr(self, "_graph", None) is None:
            raise InputError("This is a part of a table of distances, which has no ids.")
        count, other = self.shape
        columns = [
            _repeated("source", self.sources, lambda rows: np.repeat(rows, other)),
            _repeated("target", self.targets, lambda rows: np.tile(rows, count)),
            distances := _distance_column(self._graph, self.view(np.ndarray).ravel()),
        ]
        keys, title = ("source", "target"), f"distances in {self._graph.name}"
        return AnswerTable(self._graph, title, ROUTER_NAME, columns, keys, distances.name)


def ids_of(graph: Graph) -> Sequence[Hashable] | Int64s:
    """The ids of all vertices."""
    return graph.labels if isinstance(graph, LabelledGraph) else graph.ids


def _repeated(
    name: str,
    ids: Sequence[Hashable] | Int64s,
    repeat: Callable[[AnyArray], AnyArray],
) -> TableColumn:
    from solvers.running.answers.columns import TableColumn, id_column

    numbers = np.asarray(ids) if isinstance(ids, np.ndarray) or _are_whole(ids) else None
    if numbers is not None and numbers.ndim == 1:
        return TableColumn(name, repeat(numbers))
    own = list(map(tuple, ids)) if isinstance(ids, np.ndarray) else ids
    objects = np.fromiter(own, object, len(own))
    return id_column(name, repeat(objects).tolist())


def _are_whole(ids: Sequence[Hashable]) -> bool:
    return all(type(one) is int for one in ids)


def _distance_column(graph: Graph, distances: Float64s) -> TableColumn:
    """Distances that are in the public unit already."""
    from solvers.running.answers.columns import TableColumn, with_unit

    reached = distances < np.inf
    return TableColumn(with_unit("distance", graph), distances, reached)
