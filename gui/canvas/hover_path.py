"""The way to the vertex under the pointer, from a live answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.running.live import PathWalk
from solvers.running.live_query import LiveAnswer


class HoverPath:
    """Finds paths on the window's thread, which takes well under a millisecond; remembers the last."""

    def __init__(self) -> None:
        self._walk: tuple[Graph, PathWalk] | None = None
        self._found: tuple[LiveAnswer, int, NDArray[np.int32] | None] | None = None

    def path(self, answer: LiveAnswer, vertex: int) -> NDArray[np.int32] | None:
        """The vertices from the nearest source to ``vertex``; None if it is unreachable."""
        if self._found is None or self._found[0] is not answer or self._found[1] != vertex:
            query = answer.query
            whole = query.weights.network
            if self._walk is None or self._walk[0] is not whole:
                self._walk = whole, PathWalk(whole)
            found = self._walk[1].path(
                answer.distances, query.weights.arcs, query.weights.kind, query.sources, vertex
            )  # fmt: skip
            self._found = answer, vertex, found
        return self._found[2]
