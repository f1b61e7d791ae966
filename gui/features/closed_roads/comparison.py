"""Answers before and after roads were closed or slowed. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.features.closed_roads.differences import Differences
from solvers.graphs.graph import Graph
from solvers.graphs.weights import exact_distance
from solvers.system.array_types import Int32s


@dataclass(frozen=True, eq=False)
class RoadComparison:
    """Answers before and after roads were closed or slowed, at the same hour.

    The paths are from the target's nearest source; None without a target, and if it
    cannot be reached.
    """

    graph: Graph  # the changed graph
    sources: tuple[int, ...]
    target: int | None
    path_before: Int32s | None
    path_after: Int32s | None
    differences: Differences  # of the distances from the nearest source

    @property
    def length_before(self) -> float | None:
        """Length of the path; inf if the target cannot be reached, None without a target."""
        return None if self.target is None else exact_distance(self.differences.before, self.target)

    @property
    def length_after(self) -> float | None:
        return None if self.target is None else exact_distance(self.differences.after, self.target)
