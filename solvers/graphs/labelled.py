"""Graphs whose vertices have labels other than integers, as in NetworkX."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnknownVertex
from solvers.graphs.graph import Graph

_SEARCHED_LABELS = 10_000  # comparing more with a mistyped one would take seconds


@dataclass(frozen=True, eq=False, repr=False)
class LabelledGraph(Graph):
    """A graph whose vertices are identified by ``labels``, one for each index; its ``ids`` are 0 to n - 1.

    If ``numbered``, a vertex is also found by the text of its label and, unless that is a label, by its index.
    """

    labels: tuple[Hashable, ...] = ()
    numbered: bool = False

    def __post_init__(self, mirrored: bool) -> None:
        if len(self.labels) != self.n or len(self._index) != self.n:
            raise ParameterError("LabelledGraph", "labels", len(self.labels), f"must be {self.n} distinct labels")
        super().__post_init__(mirrored)

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {str(label): index for index, label in enumerate(self.labels)}

    def vertex(self, vertex_id: Hashable) -> int:
        """Index of the vertex with that label; `UnknownVertex` lists similar ones."""
        try:
            return self._index[vertex_id]
        except KeyError:
            if self.numbered and (found := self._by_text.get(str(vertex_id))) is not None:
                return found
            if self.numbered and (found := _number(vertex_id, self.n)) is not None:
                return found
            names = map(str, self.labels[:_SEARCHED_LABELS])
            raise UnknownVertex(vertex_id, difflib.get_close_matches(str(vertex_id), names, n=3)) from None

    def vertices(self, vertex_ids: Sequence[Hashable]) -> NDArray[np.int64]:
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
