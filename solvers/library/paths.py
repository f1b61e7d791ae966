"""`Path`: the vertices of a path, and what is known of the arcs between them; `Alternatives`
and `Paths`: several.

All are `Tabular`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from solvers.errors import InputError, ParameterError, UnknownName
from solvers.graphs.arc_columns import WEIGHT, column_named, columns_along, total
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import ROUTER_NAME, VertexIds
from solvers.graphs.places import RoadEnds
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.route import path_polyline
from solvers.graphs.rows import arc_keys
from solvers.graphs.searched import turn_search
from solvers.library.distances import distance_values
from solvers.running.answers.frames import Tabular
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.units import to_public_unit

if TYPE_CHECKING:
    from solvers.running.answers.answer import PathAnswer
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
        graph, rules = self._graph, self._graph.turns
        if rules is None or rules.costs is None:
            return 0
        arcs = self._positions if graph.base is None else graph.base.arcs[self._positions]
        costs = turn_search().costs(graph.network, rules, arcs[:-1], arcs[1:]).sum()
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
            distances := distance_values(graph, self.distances),
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
