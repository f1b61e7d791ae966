"""Answers before and after roads were closed or slowed."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.features.closed_roads.differences import Differences
from solvers.graphs.graph import Graph
from solvers.running.answers.answer import PathAnswer


@dataclass(frozen=True, eq=False)
class RoadComparison:
    """Answers before and after roads were closed or slowed, at the same hour."""

    graph: Graph  # the changed graph
    sources: tuple[int, ...]
    target: int | None
    before: PathAnswer | None  # from the target's nearest source; None without a target
    after: PathAnswer | None
    differences: Differences  # of the distances from the nearest source
