"""Reduces some sources of a run: summaries of their rows, counts of their distances, and a row proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.distance_counts import count_distances
from solvers.algorithms.row_summaries import RowSummaries, sum_type_of
from solvers.graphs.graph import Graph
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import Observer
from solvers.host.threads import ThreadTeam
from solvers.running.all_sources.engines import RowEngine
from solvers.running.all_sources.histogram import DistanceBins
from solvers.running.all_sources.proofs import RowProofs, sampled

TakeRows = Callable[[slice, NDArray[Any]], None]


@dataclass(frozen=True, eq=False)
class ReducedSources:
    """What is computed of some sources.

    Attributes
    ----------
    summaries : RowSummaries
        One entry a source.
    counts : (bins,) int64
        Of the distances of all of them, those to themselves included; empty without a histogram.
    """

    summaries: RowSummaries
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SourceReducer:
    """Reduces the rows of sources with an engine.

    Attributes
    ----------
    graph : Graph
    engine : RowEngine
    budget : number of the distance type
    bins : DistanceBins or None
    team : ThreadTeam
        For counting.
    """

    graph: Graph
    engine: RowEngine
    budget: Any
    bins: DistanceBins | None
    team: ThreadTeam

    def reduce(
        self, sources: NDArray[np.int32], proofs: RowProofs, observer: Observer, take: TakeRows | None = None
    ) -> ReducedSources | None:
        """What those sources come to; None if a proof has failed, which ``proofs`` tells.

        Parameters
        ----------
        sources : (k,) int32
        proofs : RowProofs
        observer : Observer
        take : callable(slice, (m, n) array), optional
            Gets the whole rows of all sources in their order, with their places; the row that is proved is one of them.
        """
        summaries = self.engine.summarise(sources, self.budget, observer)
        counts = self.no_counts()
        if self.bins is None and take is None:
            return ReducedSources(summaries, counts) if proofs.prove(sources, summaries, observer) else None
        proved = sampled(sources)
        for chosen, rows in self.engine.rows(sources, CancelOnly(observer)):
            if self.bins is not None:
                counts += self._count(rows, self.bins)
            if take is not None:
                take(chosen, rows)
            if chosen.start <= proved < chosen.stop:
                claimed, row = summaries.take(slice(proved, proved + 1)), rows[proved - chosen.start]
                if not proofs.prove_row(int(sources[proved]), claimed, row, observer):
                    return None
        reached, counted = int(summaries.reached.sum()), int(counts.sum())
        if self.bins is not None and not proofs.require_pairs(int(sources[proved]), reached, counted):
            return None
        return ReducedSources(summaries, counts)

    def empty(self, sources: int) -> ReducedSources:
        """Zeros for so many sources."""
        summaries = RowSummaries.empty(sources, self.graph.distance_type, sum_type_of(self.graph))
        return ReducedSources(summaries, self.no_counts())

    def no_counts(self) -> NDArray[np.int64]:
        """(bins,) zeros; empty without a histogram."""
        return np.zeros(self.bins.count if self.bins else 0, np.int64)

    def _count(self, rows: NDArray[Any], bins: DistanceBins) -> NDArray[np.int64]:
        return count_distances(rows, self.graph.distance_type, bins.lower, bins.equal_width, self.team)
