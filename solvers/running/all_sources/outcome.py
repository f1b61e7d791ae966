"""The numbers of an all-sources run, by source, and what follows from them for the graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries
from solvers.contracts.results import Verdict
from solvers.graphs.graph import Graph
from solvers.running.all_sources.histogram import Histogram
from solvers.running.all_sources.reductions import REDUCTIONS, Reduction, find_reductions
from solvers.running.all_sources.request import AllSourcesRequest
from solvers.text import format_count, format_distance, format_duration, plural


@dataclass(frozen=True, eq=False, repr=False)
class AllSources:
    """The answer of an all-sources run.

    Attributes
    ----------
    request : AllSourcesRequest
    summaries : RowSummaries
        One entry a source.
    diameter_ends : (int, int)
        Vertices at the greatest distance from the first to the second.
    verdict : Verdict
        ``rows`` are the vertices whose rows were proved.
    seconds : float
        Time of this run; sources that were read from a state file are not counted.
    engine, note : str
        How rows were computed, and what the user should know about it.
    histogram : Histogram or None
        If one was asked for.
    """

    request: AllSourcesRequest
    summaries: RowSummaries
    diameter_ends: tuple[int, int]
    verdict: Verdict
    seconds: float
    engine: str
    note: str
    histogram: Histogram | None = None

    @property
    def graph(self) -> Graph:
        return self.request.graph

    @cached_property
    def sources(self) -> NDArray[np.int32]:
        """(k,) vertices that the numbers belong to, in their order: all of the graph, unless some were chosen."""
        return self.request.vertices(0, self.request.count)

    def values(self, name: str) -> NDArray[Any]:
        """(k,) values of a reduction, in the order of ``sources``.

        Raises
        ------
        UnknownName
            If there is no such reduction.
        """
        return self.values_of(find_reductions([name])[0])

    def values_of(self, reduction: Reduction) -> NDArray[Any]:
        return reduction.values(self.summaries, self.graph.n, self.request.corrected)

    @property
    def eccentricity(self) -> NDArray[Any]:
        """(k,) greatest distance to a vertex that is reached."""
        return self.values_of(REDUCTIONS[0])

    @property
    def closeness(self) -> NDArray[np.float64]:
        """(k,) number of other vertices reached, divided by the sum of their distances."""
        return self.values_of(REDUCTIONS[1])

    @property
    def reached(self) -> NDArray[np.int32]:
        """(k,) number of vertices reached, the vertex itself included."""
        return self.summaries.reached

    @property
    def radius(self) -> int | float:
        """Least eccentricity of a source: the radius of the graph where all vertices are."""
        least: int | float = self.eccentricity.min().item()
        return least

    @property
    def diameter(self) -> int | float:
        """Greatest eccentricity of a source: that of the farthest pair where one reaches the other."""
        greatest: int | float = self.eccentricity.max().item()
        return greatest

    @cached_property
    def centre(self) -> NDArray[np.int32]:
        """Sources of least eccentricity."""
        return self.sources[self.eccentricity == self.eccentricity.min()]

    @property
    def incomplete(self) -> int:
        """Number of sources that do not reach all others, or are not reached by all for direction “in”."""
        return int((self.reached < self.graph.n).sum())

    @property
    def sentences(self) -> tuple[str, ...]:
        """Radius, diameter and what limits them, for display."""
        graph, unit = self.graph, self.graph.weight_unit
        centre, others = graph.vertex_id(int(self.centre[0])), len(self.centre) - 1
        more = f" and {plural(others, 'other')}" if others else ""
        first, last = (graph.vertex_id(v) for v in self.diameter_ends)
        is_whole = self.request.sources is None
        least, greatest = ("Radius", "Diameter") if is_whole else ("Least eccentricity", "Greatest eccentricity")
        found = [
            f"{least} {format_distance(self.radius, unit)}, at vertex {centre}{more}.",
            f"{greatest} {format_distance(self.diameter, unit)}, from {first} to {last}.",
        ]
        if not is_whole:
            found.append(
                f"Of {plural(self.request.count, 'source')} among {plural(graph.n, 'vertex', 'vertices')}: "
                "radius and diameter of the graph may differ."
            )
        if self.incomplete:
            names = ("vertex", "vertices") if is_whole else ("source", "sources")
            found.append(
                f"{format_count(self.incomplete)} of {plural(self.request.count, *names)} do not reach all others: "
                "eccentricity is over what is reached."
            )
        return tuple(found)

    def __repr__(self) -> str:
        proof = "verified" if self.verdict.verified else "WRONG"
        return f"AllSources({self.graph.name}, n={self.graph.n}, {format_duration(self.seconds * 1e3)}, {proof})"
