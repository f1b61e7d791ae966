"""Graphs whose vertices have labels other than integers, as in NetworkX; and many
vertices by their ids at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.errors import ParameterError, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int64s

ROUTER_NAME = "router"  # names the router in errors
_SEARCHED_LABELS = 10_000  # comparing more with a mistyped one would take seconds


@dataclass(frozen=True, eq=False, repr=False)
class LabelledGraph(Graph):
    """A graph whose vertices are identified by ``labels``, one for each index; its
    ``ids`` are 0 to n - 1.

    If ``numbered``, a vertex is also found by the text of its label and, unless some
    labels are numbers, by its index.
    """

    labels: tuple[Hashable, ...] = ()
    numbered: bool = False

    def __post_init__(self, assume_symmetric: bool) -> None:
        if len(self.labels) != self.n or len(self._index) != self.n:
            raise ParameterError(
                "LabelledGraph", "labels", len(self.labels), f"must be {self.n} distinct labels"
            )
        super().__post_init__(assume_symmetric)

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {str(label): index for index, label in enumerate(self.labels)}

    @cached_property
    def _has_numbers(self) -> bool:
        """Whether a label is a number, so that an index may be taken for one."""
        return any(label.strip().lstrip("+-").isdecimal() for label in self._by_text)

    def vertex(self, vertex_id: Hashable) -> int:
        """Index of the vertex with that label; `UnknownVertex` lists similar ones."""
        try:
            return self._index[vertex_id]
        except (KeyError, TypeError):  # not there, or a list
            if self.numbered and (found := self._by_text.get(str(vertex_id))) is not None:
                return found
            found = _number(vertex_id, self.n)
            if self.numbered and found is not None and not self._has_numbers:
                return found
            names = {str(label): label for label in self.labels[:_SEARCHED_LABELS]}
            near = difflib.get_close_matches(str(vertex_id), names, n=3)
            raise UnknownVertex(vertex_id, [names[name] for name in near]) from None

    def has(self, label: Hashable) -> bool:
        """Whether a vertex has that label."""
        return label in self._index

    def vertices(self, vertex_ids: Sequence[Hashable]) -> Int64s:
        return np.array([self.vertex(vertex_id) for vertex_id in vertex_ids], np.int64)

    def vertex_id(self, vertex: int) -> Hashable:
        """The label of the vertex with that index."""
        return self.labels[vertex]

    @property
    def has_labels(self) -> bool:
        return True


def _number(vertex_id: Hashable, n: int) -> int | None:
    """An index as an integer or its text; None if it is not from 0 to n - 1."""
    try:
        number = int(vertex_id)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < n and str(number) == str(vertex_id) else None


def _listed(given: Any, what: str) -> Any:
    """An array, which columns and tables of pandas and others have, or a list; raises
    `ParameterError`.
    """
    if hasattr(given, "__array__") and np.ndim(given):
        return np.asarray(given)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ParameterError(ROUTER_NAME, what, given, "it takes a list or an array of ids")
    return list(given)


class VertexIds:
    """Ids of the vertices of a graph, and their indices; one is found in less time than
    by `Graph.vertex`.
    """

    def __init__(self, graph: Graph):
        self._graph = graph
        ids = graph.ids
        follow = not graph.has_labels and graph.n > 0 and int(ids[-1]) - int(ids[0]) == graph.n - 1
        self._first = int(ids[0]) if follow else None  # of ids that follow one another

    def index(self, vertex_id: Hashable) -> int:
        """The index of one vertex; raises `UnknownVertex`."""
        if self._first is not None and type(vertex_id) is int:
            index = vertex_id - self._first
            if 0 <= index < self._graph.n:
                return index
        return self._graph.vertex(vertex_id)

    def indices(self, vertex_ids: Iterable[Hashable] | AnyArray, of: str = "ids") -> Int64s:
        """The indices of many vertices, (k,); `UnknownVertex` has the position of the
        first that is not there.

        ``of`` names the list, for this error.
        """
        graph, wanted = self._graph, _listed(vertex_ids, of)
        if not graph.has_labels and graph.n and len(wanted):
            numbers = np.asarray(wanted)
            if numbers.dtype.kind in "iu" and numbers.ndim == 1:
                found = np.minimum(np.searchsorted(graph.ids, numbers), graph.n - 1)
                if (graph.ids[found] == numbers).all():
                    return found.astype(np.int64, copy=False)
                wanted = numbers
        found = np.empty(len(wanted), np.int64)
        for i, vertex_id in enumerate(wanted):
            try:
                found[i] = graph.vertex(vertex_id)
            except UnknownVertex as error:
                raise error.at(i, of) from None
        return found

    def ends(self, pairs: Any) -> tuple[Int64s, Int64s]:
        """The indices of the sources and of the targets of pairs of ids, (k, 2).

        Raises UnknownVertex with the position of the pair; ParameterError for something
        else than pairs.
        """
        whole = _listed(pairs, "pairs")
        starts: Any
        ends: Any
        try:
            if isinstance(whole, list) and whole and not self._graph.has_labels:
                whole = np.array(whole)
            if isinstance(whole, np.ndarray):
                starts, ends = whole.reshape(len(whole), -1).T if whole.size else (whole, whole)
            else:
                starts, ends = [a for a, _ in whole], [b for _, b in whole]
        except (TypeError, ValueError):  # not two of each
            shown = f"shape {whole.shape}" if isinstance(whole, np.ndarray) else whole[:3]
            raise ParameterError(
                ROUTER_NAME, "pairs", shown, "it takes pairs of ids, (k, 2)"
            ) from None
        return self.indices(starts, "sources"), self.indices(ends, "targets")

    def ids(self, vertices: AnyArray) -> AnyArray:
        """The ids of vertices, (k,) int64, or objects where vertices have names."""
        if not self._graph.has_labels:
            return self._graph.ids[vertices]
        names = np.empty(len(vertices), object)
        names[:] = self.listed(vertices)
        return names

    def listed(self, vertices: AnyArray) -> list[Any]:
        """The ids of vertices."""
        if self._graph.has_labels:
            return [self._graph.vertex_id(vertex) for vertex in vertices.tolist()]
        first = self._first
        return (
            self._graph.ids[vertices] if first is None else vertices.astype(np.int64) + first
        ).tolist()


def has_tuples(ends: object) -> bool:
    """Whether some of the ends in a list are tuples: names of vertices, or places; also an
    array of places, (k, 2).
    """
    if isinstance(ends, np.ndarray):
        return ends.ndim == 2
    return isinstance(ends, list | tuple) and any(type(end) is tuple for end in ends)


def pairs_have_tuples(pairs: object) -> bool:
    """Likewise of pairs of ends; also an array of places, (k, 2, 2)."""
    if isinstance(pairs, np.ndarray):
        return pairs.ndim == 3
    return isinstance(pairs, list | tuple) and any(map(has_tuples, pairs))
