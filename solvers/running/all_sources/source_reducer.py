"""Reduces some sources of a run: summaries of their rows, counts of their distances, and a row proved."""

from __future__ import annotations

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

    def reduce(self, sources: NDArray[np.int32], proofs: RowProofs, observer: Observer) -> ReducedSources | None:
        """What those sources come to; None if a proof has failed, which ``proofs`` tells."""
        summaries = self.engine.summarise(sources, self.budget, observer)
        if self.bins is None:
            is_proved = proofs.prove(sources, summaries, observer)
            return ReducedSources(summaries, np.zeros(0, np.int64)) if is_proved else None
        counts = np.zeros(self.bins.count, np.int64)
        proved = sampled(sources)
        for chosen, rows in self.engine.rows(sources, CancelOnly(observer)):
            counts += self.count(rows)
            if chosen.start <= proved < chosen.stop:
                claimed, row = summaries.take(slice(proved, proved + 1)), rows[proved - chosen.start]
                if not proofs.prove_row(int(sources[proved]), claimed, row, observer):
                    return None
        is_whole = proofs.require_pairs(int(sources[proved]), int(summaries.reached.sum()), int(counts.sum()))
        return ReducedSources(summaries, counts) if is_whole else None

    def empty(self, sources: int) -> ReducedSources:
        """Zeros for so many sources."""
        summaries = RowSummaries.empty(sources, self.graph.distance_type, sum_type_of(self.graph))
        return ReducedSources(summaries, np.zeros(self.bins.count if self.bins else 0, np.int64))

    def count(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """(bins,) distances of some rows; empty without a histogram."""
        if self.bins is None:
            return np.zeros(0, np.int64)
        kind = self.graph.distance_type
        return count_distances(rows, kind, self.bins.lower, self.bins.equal_width, self.team)
