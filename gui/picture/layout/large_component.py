"""Layout of a connected graph of thousands to millions of vertices: pivot MDS, then sweeps of sparse stress. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.picture.layout.adjacency import Neighbours
from gui.picture.layout.pivot_mds import pivot_mds
from gui.picture.layout.pivots import Pivots, pivots_of
from gui.picture.layout.repulsion import repulsion
from gui.picture.layout.sparse_stress import SparseStress
from solvers.system.cancel import SILENT, Observer
from solvers.system.threads import ThreadTeam

PIVOT_RANGE = (12, 256)
PIVOT_TERMS = 6e6  # vertices times pivots of a graph of some 100,000 vertices; smaller ones get more pivots ...
MOST_TERMS = 4e7  # ... and much larger ones fewer
LEAST_PIVOTS = 64  # as long as there are no more than `MOST_TERMS`
SWEEP_TERMS = 1.2e9  # vertices times pivots times sweeps
SWEEP_RANGE = (24, 60)
_SEED = 1
_JITTER = {False: 0.03, True: 0.3}  # arcs, by which vertices with the same distances move apart; by shallowness
_REPULSION = 0.1
_SOFTNESS = 0.3  # arcs
_SEARCH_SHARE = 0.4  # of the time, for progress

Preview = Callable[[NDArray[np.float32]], None]


@dataclass(frozen=True, eq=False)
class LargeLayout:
    """The layout of one connected graph.

    Attributes
    ----------
    adjacency : Neighbours
        In breadth-first order.
    team : ThreadTeam
    observer : Observer
    """

    adjacency: Neighbours
    team: ThreadTeam
    observer: Observer = SILENT

    def placed(self, advance: Callable[[float], None], preview: Preview) -> NDArray[np.float32]:
        """(n, 2) positions.

        Parameters
        ----------
        advance : callable(share)
            Called with the share of the work done.
        preview : callable((n, 2) float32)
            Called with positions after the first searches, after pivot MDS and after each sweep.

        Raises
        ------
        Cancelled
        """
        rng = np.random.default_rng(_SEED)
        pivots = pivots_of(
            self.adjacency, pivot_count(self.adjacency.n), self.team, rng, self.observer,
            lambda done, total: advance(_SEARCH_SHARE * done / total),
            lambda hops: preview(pivot_mds(hops, hops.shape[1], self.team, self.observer)),
        )  # fmt: skip
        places = pivot_mds(pivots.hops, pivots.hops.shape[1], self.team, self.observer)
        preview(places)
        places += rng.normal(scale=_JITTER[pivots.shallow], size=places.shape).astype(np.float32)
        stress = SparseStress(self.adjacency, pivots)
        sweeps = sweep_count(self.adjacency.n, len(pivots.vertices))
        for sweep in range(sweeps):
            advance(_SEARCH_SHARE + (1.0 - _SEARCH_SHARE) * sweep / sweeps)
            places = stress.swept(places, self.team, self.observer, self._push(places, pivots))
            preview(places)
        return places

    def _push(self, places: NDArray[np.float32], pivots: Pivots) -> NDArray[np.float32] | None:
        if not pivots.shallow:
            return None
        return np.float32(_REPULSION) * repulsion(places, _SOFTNESS, self.team, self.observer)


def pivot_count(n: int) -> int:
    """Number of pivots of a connected graph of ``n`` vertices."""
    low, high = PIVOT_RANGE
    return max(low, min(max(LEAST_PIVOTS, min(high, int(PIVOT_TERMS / n))), int(MOST_TERMS / n)))


def sweep_count(n: int, pivots: int) -> int:
    """Number of sweeps over a graph of ``n`` vertices."""
    low, high = SWEEP_RANGE
    return max(low, min(high, int(SWEEP_TERMS / (n * pivots))))
