"""The arcs of a converted graph with their lengths, in the order of NetworkX's adjacency."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.errors import NotDispatched
from solvers.library.networkx_backend.lengths import EXACT


@dataclass(frozen=True, eq=False)
class DispatchArcs:
    """Compressed rows without parallel arcs; the heads of a row are in NetworkX's order, not ascending.

    Attributes
    ----------
    indptr : (n + 1,) int64
    heads : (m,) int32
    lengths : (m,) float64
    whole : bool
        Whether all lengths are integers, so that distances are, too.
    """

    indptr: NDArray[np.int64]
    heads: NDArray[np.int32]
    lengths: NDArray[np.float64]
    whole: bool

    @classmethod
    def visible(
        cls, indptr: NDArray[np.int64], heads: NDArray[np.int32], lengths: NDArray[np.float64], whole: bool
    ) -> DispatchArcs:
        """Without the arcs whose length is NaN: NetworkX hides edges whose length is None."""
        hidden = np.isnan(lengths)
        if not hidden.any():
            return cls(indptr, heads, lengths, whole)
        before = np.zeros(len(hidden) + 1, np.int64)
        np.cumsum(hidden, out=before[1:])
        return cls(indptr - before[indptr], heads[~hidden], lengths[~hidden], whole)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of arcs."""
        return len(self.heads)

    @cached_property
    def tails(self) -> NDArray[np.int32]:
        """(m,) tail of each arc."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def least(self) -> float:
        """Least length, or 0 if none is negative."""
        return float(self.lengths.min(initial=0.0))

    @cached_property
    def most(self) -> float:
        """Greatest magnitude of a length."""
        return float(np.abs(self.lengths).max(initial=0.0))

    @cached_property
    def small(self) -> NDArray[np.int32] | None:
        """(m,) lengths as integers, if a bucket for each up to the greatest is no waste; else None."""
        if not self.whole or self.least < 0 or self.most > 4 * (self.n + self.m):
            return None
        return self.lengths.astype(np.int32)

    def require_exact(self, *, walks: bool = False) -> None:
        """Refuse integers that might add up to more than floats hold exactly.

        Parameters
        ----------
        walks : bool
            Also along walks of n² arcs, as searches meet them that look for negative cycles.

        Raises
        ------
        NotDispatched
        """
        arcs = self.n * self.n if walks and self.least < 0 else self.n
        if not self.whole or self.most * arcs < EXACT:
            return
        heaviest = np.zeros(self.n)
        np.maximum.at(heaviest, self.heads, np.abs(self.lengths))
        if arcs > self.n or float(heaviest.sum()) >= EXACT:
            reason = "sums of such integers could pass 2^53, up to which the compiled search is exact; use floats"
            raise NotDispatched(f"lengths up to {self.most:.0f} in a graph of {self.n} nodes", reason)
