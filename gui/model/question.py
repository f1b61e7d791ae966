"""What results answer: the paths on a graph from a source, to a target or to all vertices. No
widgets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from solvers.core.result import Result
from solvers.core.variant import Answers
from solvers.graphs.graph import Graph
from solvers.running.network_results import from_source, route


@dataclass(frozen=True, eq=False)
class Question:
    """A graph and two end points, which are vertex indices."""

    graph: Graph | None
    source: int | None
    target: int | None

    def answered_by(self, result: Result) -> bool:
        """Whether a result holds for this graph and these end points, if perhaps with
        another path.
        """
        if result.graph is not self.graph:
            return False
        if result.distances is not None and result.distances.ndim == 2:
            return True
        if result.source != self.source:
            return False
        return _answers_any_target(result) or result.target == self.target

    def for_target(self, result: Result) -> Result | None:
        """``result`` with a path to the target; None if it answers another target only."""
        if result.target == self.target:
            return result
        return None if result.variant.answers is Answers.TARGET else self.rerouted(result)

    def rerouted(self, result: Result) -> Result:
        """``result`` with a path between the end points; for all pairs also from another source."""
        if (result.source, result.target) == (self.source, self.target):
            return result
        distances = result.distances
        if distances is not None and distances.ndim == 2 and result.source != self.source:
            result = from_source(result, self.source)
        return replace(result, target=self.target, path=route(result, self.target))


def _answers_any_target(result: Result) -> bool:
    """False for one-path results, and for those of a stored run whose distances are not known."""
    return result.variant.answers is not Answers.TARGET and (
        result.stored is None or result.distances is not None
    )
