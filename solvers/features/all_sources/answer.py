"""The answer of a run of all sources: their numbers, and what follows from them for the graph.
Its table has one row a source.
"""

from __future__ import annotations

import importlib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries
from solvers.core.result import Verdict
from solvers.errors import InputError
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.near import NearTotals
from solvers.features.all_sources.reductions import (
    BETWEENNESS,
    CLOSENESS,
    REDUCTIONS,
    Histogram,
    Reduction,
    find_reductions,
)
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import VertexIds
from solvers.graphs.route import place_text
from solvers.running.answers.columns import (
    TableColumn,
    budget_column,
    place_columns,
    roads_column,
    vertex_column,
)
from solvers.running.answers.frames import Tabular
from solvers.running.answers.table import MAP_KINDS, AnswerTable, point_shapes
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s
from solvers.text import format_count, format_distance, format_duration, plural
from solvers.units import public_unit, to_public_unit


@dataclass(frozen=True, eq=False, repr=False)
class AllSources(Tabular):
    """Numbers of k sources of a graph, from their distances to all its vertices.

    Attributes
    ----------
    request : AllSourcesRequest
        What was asked.
    summaries : RowSummaries
        Of the row of each source, in the unit of the weights.
    end_vertices : (int, int)
        Indices of `diameter_ends`.
    verdict : Verdict
        Its ``rows`` are the vertices whose rows were proved.
    seconds : float
        Time of this run, without that of sources read from a state file.
    engine : str
        What computed the rows.
    note : str
        How rows were computed, and what came from the state file.
    histogram : Histogram or None
        If it was requested.
    flows : Flows or None
        If betweenness was requested, and the answer is not wrong.
    near : NearTotals or None
        What closeness is computed from, if it is limited to targets or by a cutoff.
    """

    request: AllSourcesRequest
    summaries: RowSummaries
    end_vertices: tuple[int, int]
    verdict: Verdict
    seconds: float
    engine: str
    note: str
    histogram: Histogram | None = None
    flows: Flows | None = None
    near: NearTotals | None = None

    def _table(self) -> AnswerTable:
        """One row a source: ids and coordinates, the reductions that were asked for, betweenness
        if it was, the number reached, budget.

        Columns are named after the reductions, with the public unit of the weights if it is
        known: ``eccentricity_m``.
        """
        graph, request, vertices = self.graph, self.request, self.source_vertices
        numbers = [
            TableColumn(one.column(graph.weight_unit), self.public_values(one))
            for one in request.reductions
        ]
        if self.flows is not None:
            numbers.append(TableColumn(BETWEENNESS, self.betweenness[vertices]))
        numbers.append(TableColumn("reached", self.reached))
        columns = [
            vertex_column(graph, vertices),
            *place_columns(graph, vertices),
            *roads_column(graph, vertices),
            *numbers,
            *budget_column(graph, request.budget, request.count),
        ]
        return AnswerTable(
            graph,
            f"all sources of {graph.name}",
            self.engine,
            columns,
            ("vertex",),
            numbers[0].name,
            MAP_KINDS,
            point_shapes(graph, vertices),
        )

    @property
    def graph(self) -> Graph:
        return self.request.graph

    @cached_property
    def source_vertices(self) -> Int32s:
        """(k,) indices of `sources`."""
        return self.request.vertices(0, self.request.count)

    @property
    def sources(self) -> list[Hashable]:
        """Ids of the k vertices that the numbers belong to, in their order: all of the
        graph, unless some were chosen.
        """
        return VertexIds(self.graph).listed(self.source_vertices)

    @property
    def centre(self) -> list[Hashable]:
        """Ids of the sources in the largest part whose eccentricity is the radius."""
        return VertexIds(self.graph).listed(self.centre_vertices)

    @property
    def diameter_ends(self) -> tuple[Hashable, Hashable]:
        """Ids of the first source of greatest eccentricity, and of a vertex at that
        distance from it; with direction “in” the other way round.
        """
        first, last = self.end_vertices
        return self.graph.vertex_id(first), self.graph.vertex_id(last)

    def values(self, name: str) -> AnyArray:
        """(k,) values of a reduction in the public unit, in the order of ``sources``;
        "betweenness", (n,), too. Raises `UnknownName`.
        """
        if name == BETWEENNESS:
            return self.betweenness
        return self.public_values(find_reductions([name])[0])

    def public_values(self, reduction: Reduction) -> AnyArray:
        """(k,) `values_of`, in the public unit of the weights: metres for tenths of them."""
        return to_public_unit(self.values_of(reduction), self.graph.weight_unit, reduction.power)

    def values_of(self, reduction: Reduction) -> AnyArray:
        """(k,) in the unit of the weights."""
        summaries = self.summaries
        if reduction is CLOSENESS and self.near is not None:
            summaries = self.near.summaries(summaries)
        return reduction.values(summaries, self.graph.n, self.request.corrected)

    @property
    def eccentricity(self) -> AnyArray:
        """(k,) greatest distance to a vertex that is reached."""
        return self.public_values(REDUCTIONS[0])

    @property
    def closeness(self) -> Float64s:
        """(k,) number of other vertices reached, divided by the sum of their distances;
        where a cutoff or targets were given, of those that count.
        """
        return self.public_values(CLOSENESS)

    @property
    def betweenness(self) -> Float64s:
        """(n,) of all vertices, in the order of ``graph.ids``: the shortest paths that pass
        through each, ``flows.vertices``, if ``normalized`` as a share of the pairs of others.

        Raises InputError if it was not requested, or the answer is wrong.
        """
        if self.flows is None:
            reason = 'reduce="betweenness" computes it' if self.verified else self.verdict.text
            raise InputError(f"There is no betweenness: {reason}.")
        return self.flows.betweenness

    @property
    def verified(self) -> bool:
        """Whether the sampled rows and flows were proved."""
        return self.verdict.verified

    @property
    def reached(self) -> Int32s:
        """(k,) number of vertices reached, the vertex itself included."""
        return self.summaries.reached

    @property
    def radius(self) -> int | float:
        """Least eccentricity of a source in the largest part (`in_part`): the radius
        where all vertices are sources.
        """
        least: int | float = self.eccentricity[self.in_part].min().item()
        return least

    @property
    def diameter(self) -> int | float:
        """Greatest eccentricity of a source: that of the farthest pair where one
        reaches the other.
        """
        greatest: int | float = self.eccentricity.max().item()
        return greatest

    @cached_property
    def centre_vertices(self) -> Int32s:
        """Indices of `centre`."""
        return self.source_vertices[self.in_part & (self.eccentricity == self.radius)]

    @cached_property
    def in_part(self) -> Bools:
        """(k,) whether each source is in the largest strongly connected part that has sources.

        A vertex at the end of a one-way road, which reaches nothing, is the centre of
        nothing.
        """
        if not self.incomplete:
            return np.ones(self.request.count, np.bool_)
        parts = self._strong_parts
        own = parts[self.source_vertices]
        return own == own[np.bincount(parts)[own].argmax()]

    @cached_property
    def _strong_parts(self) -> Int32s:
        """(n,) number of the strongly connected part of each vertex."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = self.graph
        # Converted, parallel arcs become one: with repeated entries SciPy's search does not end.
        arcs = coo_array(
            (np.ones(graph.m, np.bool_), (graph.tails, graph.indices)), shape=(graph.n, graph.n)
        ).tocsr()
        parts: Int32s = connected_components(arcs, connection="strong")[1]
        return parts

    @property
    def incomplete(self) -> int:
        """Number of sources that do not reach all others, or are not reached by all for
        direction “in”.
        """
        return int((self.reached < self.graph.n).sum())

    @property
    def centre_text(self) -> str:
        """What follows the first vertex of the centre in a sentence: how many others,
        and of which part; or "".
        """
        others = len(self.centre_vertices) - 1
        more = f" and {plural(others, 'other')}" if others else ""
        if not self.incomplete:
            return more
        count = int((self._strong_parts == self._strong_parts[self.centre_vertices[0]]).sum())
        kind = "strongly connected" if self.graph.directed else "connected"
        of_all = f"{format_count(count)} of {plural(self.graph.n, 'vertex', 'vertices')}"
        return f"{more}, in the largest {kind} part ({of_all})"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Radius, diameter and what limits them, for display."""
        graph, unit = self.graph, public_unit(self.graph.weight_unit)
        centre, first, last = (
            place_text(graph, v) for v in (int(self.centre_vertices[0]), *self.end_vertices)
        )
        is_whole = self.request.sources is None
        least, greatest = (
            ("Radius", "Diameter") if is_whole else ("Least eccentricity", "Greatest eccentricity")
        )
        found = [
            f"{least} {format_distance(self.radius, unit)}, at vertex {centre}{self.centre_text}.",
            f"{greatest} {format_distance(self.diameter, unit)}, from {first} to {last}.",
        ]
        if not is_whole:
            found.append(
                f"Of {plural(self.request.count, 'source')} "
                f"among {plural(graph.n, 'vertex', 'vertices')}: "
                "radius and diameter of the graph may differ."
            )
        if self.incomplete:
            names = ("vertex", "vertices") if is_whole else ("source", "sources")
            found.append(
                f"{format_count(self.incomplete)} of {plural(self.request.count, *names)} do not "
                "reach all others: eccentricity counts only the vertices reached."
            )
        return tuple(found)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        # what draws answers stands above them
        pictures = importlib.import_module(f"{__package__}.pictures")
        return pictures.display_of(self)._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        proof = "verified" if self.verified else "WRONG"
        return (
            f"AllSources({self.graph.name}, n={self.graph.n}, "
            f"{format_duration(self.seconds * 1e3)}, {proof})"
        )
