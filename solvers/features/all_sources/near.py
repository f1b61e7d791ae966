"""Closeness of which only some distances count: to chosen targets, up to a cutoff."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, budget_of, sum_type_of
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray


class NearTotals:
    """Numbers and sums of the distances that count, for each of k sources."""

    def __init__(self, request: AllSourcesRequest):
        self._targets = request.targets
        kind = request.searched.distance_type
        self._cutoff = None if request.cutoff is None else budget_of(kind, request.cutoff)
        self._sources = request.vertices(0, request.count)
        self.counts = np.zeros(request.count, np.int32)
        self.totals = np.zeros(request.count, sum_type_of(request.searched))

    def take(self, first: int, chosen: slice, rows: AnyArray) -> None:
        """Rows of some sources, (j, n); those of ``chosen`` on top of ``first``."""
        at = slice(first + chosen.start, first + chosen.stop)
        own = self._sources[at]
        counts = rows < weight_type(rows.dtype).infinity
        if self._cutoff is not None:
            counts &= rows <= self._cutoff
        counts[np.arange(len(own)), own] = False
        if self._targets is not None:
            rows, counts = rows[:, self._targets], counts[:, self._targets]
        self.counts[at] = counts.sum(axis=1)
        self.totals[at] = np.where(counts, rows, 0).sum(axis=1, dtype=self.totals.dtype)

    def summaries(self, whole: RowSummaries) -> RowSummaries:
        """Those of whole rows, with numbers and sums of what counts."""
        return replace(whole, reached=self.counts + 1, totals=self.totals)
