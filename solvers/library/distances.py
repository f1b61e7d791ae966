"""`Tree`, `Reached` and `DistanceTable`: distances from one vertex to all or some, and from
some to some.

All are `Tabular`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import ROUTER_NAME, LabelledGraph, VertexIds
from solvers.running.answers.frames import Tabular
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s

if TYPE_CHECKING:
    from solvers.running.answers.columns import TableColumn
    from solvers.running.answers.table import AnswerTable


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

        column = distance_values(self.graph, self.distances)
        source = str(self.source)
        return vertices_table(self.graph, source, column, self.predecessors, ROUTER_NAME)


class Reached(tuple[AnyArray, Float64s], Tabular):
    """Ids of some vertices or places, nearest first, and their distances: a pair of arrays,
    ``(ids, distances)``, which also knows where they lie.

    Frames and files have a row for each. A copy or pickle is a plain tuple.

    Examples
    --------
    >>> from solvers import prepare
    >>> found = prepare([("a", "b", 4), ("b", "c", 3)]).within("a", 5)
    >>> ids, distances = found
    >>> ids.tolist(), distances.tolist(), len(found.ids)
    (['a', 'b'], [0.0, 4.0], 2)
    """

    _graph: Graph
    _source: Hashable

    def __new__(cls, ids: AnyArray, distances: Float64s, graph: Graph, source: Hashable) -> Reached:
        found = super().__new__(cls, (ids, distances))
        found._graph, found._source = graph, source
        return found

    @property
    def ids(self) -> AnyArray:
        """Of vertices, or places as they were given, (k,)."""
        return self[0]

    @property
    def distances(self) -> Float64s:
        """In the public unit of the weights, (k,)."""
        return self[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)

    def _table(self) -> AnswerTable:
        from solvers.running.answers.table import reached_table

        column = distance_values(self._graph, self.distances)
        return reached_table(self._graph, str(self._source), self.ids, column, ROUTER_NAME)


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
            distances := distance_values(self._graph, self.view(np.ndarray).ravel()),
        ]
        keys, title = ("source", "target"), f"distances in {self._graph.name}"
        return AnswerTable(self._graph, title, ROUTER_NAME, columns, keys, distances.name)


def ids_of(graph: Graph) -> Sequence[Hashable] | Int64s:
    """The ids of all vertices."""
    return graph.labels if isinstance(graph, LabelledGraph) else graph.ids


def distance_values(graph: Graph, distances: Float64s) -> TableColumn:
    """The column of distances that are in the public unit already."""
    from solvers.running.answers.columns import TableColumn, with_unit

    reached = distances < np.inf
    return TableColumn(with_unit("distance", graph), distances, reached)


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
