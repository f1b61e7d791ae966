"""`Path`: the vertices of a path, and what is known of the arcs between them; `Alternatives`:
several paths.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from solvers.errors import ParameterError, UnknownName
from solvers.graphs.arc_columns import WEIGHT, column_named, columns_along, total
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.rows import arc_keys
from solvers.system.array_types import AnyArray, Int32s, Int64s
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


@dataclass(frozen=True, eq=False)
class Alternatives(Sequence[Path]):
    """A shortest path and alternatives to it; none where the target cannot be reached.

    Attributes
    ----------
    paths : tuple of Path
    shared : tuple of float
        What each shares with those before it, as a share of the length of the first.
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
