"""The result of `solve`: distances, paths, verification and times, in terms of the
graph's ids.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.core.result import Result, Verdict
from solvers.core.samples import median_interval
from solvers.core.variant import Answers
from solvers.displays import display, mime_bundle
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadEnds
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import to_float, weight_type
from solvers.library.distances import DistanceTable, ids_of
from solvers.library.paths import Path
from solvers.running.answers.answer import PathAnswer
from solvers.running.answers.frames import Tabular
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.text import format_duration, plural
from solvers.units import to_public_unit

if TYPE_CHECKING:
    from solvers.running.answers.table import AnswerTable

_KEPT_ROWS = 64  # of predecessors, for paths between all pairs


@dataclass(frozen=True, eq=False, repr=False)
class ShortestPaths(Tabular):
    """The answer to one problem, or a block of rows from many sources, with its
    verification and times.

    Frames and files have the path that was asked for; else the distances of all vertices
    from the source, or a row for each pair of vertices.

    Vertices are identified by the ids in the graph's file, or by the nodes of the
    NetworkX graph. Lengths are in the unit of the weights; in a road network of
    OpenStreetMap, whose weights are whole tenths, in metres or seconds.

    Attributes
    ----------
    result : Result
        The complete result, with vertex indices instead of ids: exact distances in
        their own type, trials, phases, iterations, device.
    points : (RoadPoint or None, RoadPoint or None)
        For a source and target that were given as places: the points of roads that stand
        for them, with their distances from the places in ``metres``.
    """

    result: Result
    _sources: tuple[int, ...] = ()  # indices, of a block of rows
    points: RoadEnds = (None, None)

    def _table(self) -> AnswerTable:
        if self._is_one_path:
            return self._own_path()._table()
        if self.result.source is None:
            rows = self.sources or self.ids
            return DistanceTable.of(self.distances, rows, self.ids, self.graph)._table()
        from solvers.running.answers.answer import DistancesAnswer
        from solvers.running.answers.table import distances_table

        answer = DistancesAnswer.of_result(self.result)
        if answer.predecessors is None and self.verified is not False:
            searched = self._predecessors(self._own_source())
            before = searched_graph(self.graph).predecessors(searched)
            answer = replace(answer, predecessors=before)
        return distances_table(answer)

    def _map_table(self) -> AnswerTable:
        return self._own_path()._map_table() if self._is_one_path else self._table()

    def _own_path(self) -> Path:
        if self.path is None:
            reason = "it is wrong" if self.verified is False else "the target is not reached"
            raise InputError(f"There is no path from {self.source} to {self.target}: {reason}.")
        return self.path

    @property
    def graph(self) -> Graph:
        """The graph that was solved."""
        return self.result.graph

    @property
    def variant(self) -> str:
        """Id of the variant; for an automatic one, `note` names the variant it chose."""
        return self.result.variant.id

    @property
    def source(self) -> Hashable:
        """Id of the source; None if none was given, or many were."""
        return self._id(self.result.source)

    @property
    def sources(self) -> list[Hashable]:
        """Ids of many sources, whose rows `distances` has; empty if at most one was given."""
        return [self.graph.vertex_id(vertex) for vertex in self._sources]

    @property
    def target(self) -> Hashable:
        """Id of the target; None if none was given."""
        return self._id(self.result.target)

    @property
    def distance(self) -> int | float | None:
        """Length of the requested path: exact, inf if the target cannot be reached,
        None without a target.
        """
        if self.result.source is None or self.result.target is None:
            return None
        return self._distance(self.result.source, self.result.target)

    @property
    def ids(self) -> Sequence[Hashable] | Int64s:
        """The vertex ids, to whose order `distances` refer."""
        return ids_of(self.graph)

    @property
    def path(self) -> Path | None:
        """Ids from source to target, both included, with what is known of the arcs.

        None without a target, if it cannot be reached, and if the answer is wrong (see
        `verified`).
        """
        return None if self.result.path is None else self._ids(self.result.path)

    @property
    def path_arcs(self) -> list[tuple[Hashable, Hashable, Hashable]] | None:
        """`Path.arcs` of `path`, ``(u, v, key)``; None as of `path`."""
        return None if self.path is None else self.path.arcs

    @cached_property
    def distances(self) -> Float64s:
        """All distances, in the order of `ids`; inf where unreachable.

        (n,) from one source, (n, n) between all pairs: ``distances[i, j]`` is that from
        vertex i to vertex j. (k, n) from many sources, in their order. If one path was
        requested, the distances of vertices that the search did not settle are unknown:
        nan. Integers beyond 2^53 are rounded here; ``result.distances`` holds exact
        values in the solver's type, and in tenths of ``metres`` or ``seconds`` for a
        road network of OpenStreetMap.
        """
        lengths = to_float(self._exact)
        if self._is_one_path:
            unknown = np.isinf(lengths)
            unknown[self.result.target] = False
            lengths[unknown] = np.nan
        lengths = to_public_unit(lengths, self.graph.weight_unit)
        lengths.flags.writeable = False
        return lengths

    @property
    def verified(self) -> bool | None:
        """Whether the independent verifier proved the answer, or its sampled rows; None
        if it was not asked.
        """
        return None if self.result.verdict is None else self.result.verdict.verified

    @property
    def verdict(self) -> Verdict | None:
        """The verifier's finding; its ``text`` says what was proved, or what is wrong.
        None if it was not asked.
        """
        return self.result.verdict

    @property
    def time(self) -> float:
        """Median time of the timed trials in s: solving, and copies to and from the
        device; without `preparation`.
        """
        return statistics.median(self.times)

    @property
    def times(self) -> list[float]:
        """Such a time of each timed trial, in s."""
        totals, preparations = self.result.times("total"), self.result.times("prepare")
        return [(whole - part) / 1e3 for whole, part in zip(totals, preparations, strict=True)]

    @property
    def time_interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of `time`, in s; None for fewer than six trials."""
        return median_interval(self.times)

    @property
    def preparation(self) -> float:
        """Longest time, in s, that a trial took to build data structures.

        What is made once for a graph, such as a hierarchy, counts in the first trial
        only, which may be a warm-up.
        """
        return max(trial.phases.prepare for trial in self.result.trials) / 1e3

    @property
    def disturbances(self) -> tuple[str, ...]:
        """What may have falsified the times, one sentence each: other load, throttling,
        outliers, ...
        """
        return tuple(disturbance.words for disturbance in self.result.disturbances)

    @property
    def note(self) -> str:
        """The variant's note on its run, such as "dijkstra-heap was chosen: ..."; "" if
        there is none.
        """
        return self.result.note

    def distance_to(self, target: Hashable) -> int | float:
        """Length of the shortest path from the source to ``target``: exact, inf if it
        cannot be reached.

        Raises UnknownVertex, and InputError without a source, or if one path was
        requested and ``target`` not settled.
        """
        return self._distance(self._own_source(), self.graph.vertex(target))

    def distance_between(self, source: Hashable, target: Hashable) -> int | float:
        """Length of the shortest path between two vertices; of a single-source answer,
        ``source`` must be its source.

        Raises as `distance_to`.
        """
        return self._distance(self._known_source(source), self.graph.vertex(target))

    def path_to(self, target: Hashable) -> Path | None:
        """Ids on a shortest path from the source to ``target``, both included.

        None if ``target`` cannot be reached, and if the answer is wrong (see
        `verified`). Raises UnknownVertex, and InputError without a source, or if one
        path was requested and ``target`` is not on it.
        """
        return self._path(self._own_source(), self.graph.vertex(target))

    def path_between(self, source: Hashable, target: Hashable) -> Path | None:
        """Ids on a shortest path between two vertices; of a single-source answer,
        ``source`` must be its source.

        None, and errors, as of `path_to`.
        """
        return self._path(self._known_source(source), self.graph.vertex(target))

    _repr_mimebundle_ = mime_bundle

    def plot(self, *others: ShortestPaths, ax: Any = None) -> Any:
        """A page that plays the run, and up to three ``others`` on the same graph beside
        it; each variant runs once more, to be watched.

        Returns
        -------
        Display
            Shown by notebooks, and written by its ``save("x.html")``, ``.png`` or
            ``.svg``; with ``ax`` its picture is drawn on these axes of matplotlib, too.

        Raises
        ------
        InputError
            For answers on other graphs, or too many.
        """
        return display("plot_answer", self, *others, ax=ax)

    def __repr__(self) -> str:
        question = "all pairs" if self.result.source is None else f"from {self.source}"
        if self._sources:
            question = f"from {plural(len(self._sources), 'source')}"
        if (answer := PathAnswer.of_result(self.result)) is not None:
            question += f" to {self.target}: {answer.text}"
        proof = {None: "not verified", True: "verified", False: "WRONG"}[self.verified]
        took = (
            f"{format_duration(self.time * 1e3)} after "
            f"{format_duration(self.preparation * 1e3)} of preparation"
        )
        return f"ShortestPaths({self.variant}, {question}, {took}, {proof})"

    def _id(self, vertex: int | None) -> Hashable:
        return None if vertex is None else self.graph.vertex_id(vertex)

    def _ids(self, path: Int32s) -> Path:
        ids = map(self.graph.vertex_id, path.tolist())
        return Path(ids, self.graph, path, found_by=self.variant)

    def _own_source(self) -> int:
        if self.result.source is None:
            raise InputError("No source was given: call distance_between or path_between.")
        return self.result.source

    def _known_source(self, source: Hashable) -> int:
        vertex = self.graph.vertex(source)
        if not self._is_all_pairs and vertex != self.result.source and vertex not in self._sources:
            origin = (
                f"{len(self._sources)} other sources" if self._sources else f"{self.source} only"
            )
            raise InputError(
                f"{self.variant} was solved from {origin}: solve from {source}, or all pairs."
            )
        return vertex

    @property
    def _is_all_pairs(self) -> bool:
        return self.result.variant.answers is Answers.APSP

    @property
    def _is_one_path(self) -> bool:
        return self.result.variant.answers is Answers.TARGET

    @property
    def _exact(self) -> AnyArray:
        assert self.result.distances is not None  # solve() raises where there is no answer
        return self.result.distances

    def _row(self, source: int, result: Result | None = None) -> AnyArray:
        at = self._sources.index(source) if self._sources else source
        rows = self._exact if result is None or result.distances is None else result.distances
        return rows[at] if rows.ndim == 2 else rows

    def _distance(self, source: int, target: int) -> int | float:
        value = self._row(source)[target]
        if value < weight_type(self._exact.dtype).infinity:
            exact: int | float = to_public_unit(value.item(), self.graph.weight_unit)
            return exact
        if self._is_one_path and target != self.result.target:
            raise self._not_asked(target)
        return math.inf

    def _path(self, source: int, target: int) -> Path | None:
        if self.verified is False:
            return None
        if self._is_one_path:
            return self._part_of_path(target)
        from solvers.verification.paths import path_to

        translation = searched_graph(self.graph)
        walk = path_to(self._predecessors(source), source, translation.end(target) or 0)
        return None if walk is None else self._ids(translation.path(walk))

    def _part_of_path(self, target: int) -> Path | None:
        """The requested path up to ``target``: a prefix of a shortest path is a shortest path."""
        whole = [] if self.result.path is None else self.result.path.tolist()
        if target in whole:
            return (
                self._ids(self.result.path[: whole.index(target) + 1])
                if self.result.path is not None
                else None
            )
        if target == self.result.target:
            return None
        raise self._not_asked(target)

    def _not_asked(self, target: int) -> InputError:
        name = self.graph.vertex_id(target)
        return InputError(
            f"Only the path to {self.target} was computed: "
            f"solve without a target to include {name}."
        )

    def _predecessors(self, source: int) -> Int32s:
        """Of what was searched, as its distances; recovered when they are first asked for."""
        found = self.result.searched or self.result
        if source == found.source and found.predecessors is not None:
            return found.predecessors
        if source not in self._rows:
            if len(self._rows) == _KEPT_ROWS:
                self._rows.clear()
            from solvers.verification.paths import recover_predecessors

            row = self._row(source, found)
            self._rows[source] = recover_predecessors(found.graph, source, row)
        return self._rows[source]

    @cached_property
    def _rows(self) -> dict[int, Int32s]:
        """Cached rows of predecessors of an all-pairs answer; recovering a row takes
        one pass over all arcs.
        """
        return {}
