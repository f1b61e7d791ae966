"""An answer that is shown without a run, as the picture and the panel of the path read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from solvers.graphs.graph import Graph
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, path_of
from solvers.system.array_types import Int32s, UInt8s


@dataclass(frozen=True, eq=False)
class UnmeasuredAnswer:
    """Distances of all vertices from the nearest source, and ways to a target.

    Floating-point sums of distances may differ from those along a path in their last digits.
    """

    distances: DistancesAnswer
    # (n,) places of nearest sources among all, or `NO_OWNER`; None for one source
    owners: UInt8s | None
    ways: tuple[PathAnswer, ...]  # the shortest first; none without a target
    # the vertices from the nearest source to another vertex, None if it is unreachable: in
    # well under a millisecond, on the window's thread
    path_to: Callable[[int], Int32s | None]
    chosen: int = 0  # which of the ways is the path that is shown
    note: str = ""  # what the ways are, and why there are not more

    @property
    def graph(self) -> Graph:
        return self.distances.graph

    @property
    def sources(self) -> tuple[int, ...]:
        return self.distances.sources

    @property
    def way(self) -> PathAnswer | None:
        """The one that is chosen; None without a target."""
        return self.ways[self.chosen] if self.ways else None

    @property
    def target(self) -> int | None:
        return None if self.way is None else self.way.target

    @property
    def path(self) -> Int32s | None:
        """(k,) from the nearest source to the target; None if there is none."""
        return None if self.way is None else self.way.path

    @property
    def has_alternatives(self) -> bool:
        """Whether the ways are numbered: there may be one that is good enough."""
        return bool(self.ways and self.ways[0].way)

    @property
    def finder(self) -> str:
        """``"nearest of 2 sources"`` or, of one source, by what it was found: ``"live"``."""
        count = len(self.sources)
        return self.distances.found_by if count == 1 else f"nearest of {count} sources"

    def choosing(self, place: int) -> UnmeasuredAnswer:
        """The same with another of its ways as the path."""
        return replace(self, chosen=place)

    def keeping(self, before: UnmeasuredAnswer | None) -> UnmeasuredAnswer:
        """The same with the way that was chosen of the answer before, if it is found again: an
        answer may come anew since a hierarchy is ready.
        """
        if before is None or not before.chosen:
            return self
        same = (
            place
            for place, way in enumerate(self.ways)
            if before.path is not None and np.array_equal(path_of(way), before.path)
        )
        return self.choosing(next(same, 0))

    def is_of(self, graph: Graph) -> bool:
        """Whether it is of this network, at any hour, cut anywhere."""
        return self.graph.as_read is graph.as_read
