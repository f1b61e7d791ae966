"""Graphs whose vertices carry labels that are no integers, as NetworkX graphs may."""

from __future__ import annotations

import difflib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from solvers.errors import ParameterError, UnknownVertex
from solvers.graphs.graph import Graph

_SEARCHED_LABELS = 10_000  # more take seconds to compare with a mistyped one


@dataclass(frozen=True, eq=False, repr=False)
class LabelledGraph(Graph):
    """A graph whose vertices are called by labels; its ``ids`` count from 0.

    Attributes
    ----------
    labels : tuple of hashables, n of them
        The label of each vertex, in order of their indices.
    """

    labels: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.labels) != self.n or len(self._index) != self.n:
            raise ParameterError("LabelledGraph", "labels", len(self.labels), f"must be {self.n} different ones")

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def vertex(self, vertex_id: Hashable) -> int:
        """Index of the vertex with that label.

        Raises
        ------
        UnknownVertex
            With the labels that resemble it.
        """
        try:
            return self._index[vertex_id]
        except KeyError:
            names = map(str, self.labels[:_SEARCHED_LABELS])
            raise UnknownVertex(vertex_id, difflib.get_close_matches(str(vertex_id), names, n=3)) from None

    def vertex_id(self, vertex: int) -> Hashable:
        """The label of the vertex with that index."""
        return self.labels[vertex]
