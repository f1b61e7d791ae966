"""Stress of a large graph from its edges and pivots, lowered by sweeps that move all vertices at once. No Qt.

A pivot stands for the vertices nearest to it (Ortmann, Klimenta and Brandes 2017). Each sweep moves every vertex
towards the weighted mean of where its pivots and neighbours want it (Gansner, Koren and North 2004). All moves start
from the places of the sweep before, so that sweeps run on all cores and give the same picture on any number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.layout.adjacency import Neighbours
from gui.picture.layout.pivots import Pivots
from solvers.system.cancel import SILENT, Observer
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

_PIECE = 50_000  # vertices between two cancellation checks
_NEAR = 8.0  # times the mean square radius of a region: below this square distance its weight stays the same
_PULL = 0.7  # share of the way that a sweep moves; moving at once all the way, neighbours would swap places forever
_COINCIDENT = np.float32(1e-6)  # square of the distance at which two vertices have no direction


@dataclass(frozen=True, eq=False)
class SparseStress:
    """The terms of one connected graph.

    Attributes
    ----------
    adjacency : Neighbours
    pivots : Pivots
    edge_weight : float
        Relative to a term of weight 1 / distance^2.
    """

    adjacency: Neighbours
    pivots: Pivots
    edge_weight: float = 1.0

    def swept(
        self,
        places: NDArray[np.float32],
        team: ThreadTeam,
        observer: Observer = SILENT,
        push: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """The (n, 2) places after one sweep.

        Parameters
        ----------
        push : (n, 2) float32, optional
            Further force on every vertex, in units of the weights times arcs.

        Raises
        ------
        Cancelled
        """
        n = len(places)
        after = np.empty_like(places)
        near = np.ascontiguousarray(places[self.pivots.vertices].T)
        sizes = self.pivots.sizes.astype(np.float32)
        reach = np.maximum(1.0, _NEAR * self.pivots.squares).astype(np.float32)
        force = np.empty((0, 2), np.float32) if push is None else push
        runs = split_evenly(n, max(team.threads, -(-n // _PIECE)))
        team.run(
            (
                partial(
                    _sweep, places, after, self.pivots.hops, near[0], near[1], sizes, reach, self.adjacency.indptr,
                    self.adjacency.indices, np.float32(self.edge_weight), force, np.float32(_PULL), *run,
                )
                for run in runs
            ),
            observer,
        )  # fmt: skip
        return after


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _sweep(
    places: NDArray[np.float32],
    after: NDArray[np.float32],
    hops: NDArray[np.int16],
    xs: NDArray[np.float32],
    ys: NDArray[np.float32],
    sizes: NDArray[np.float32],
    reach: NDArray[np.float32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    edge_weight: np.float32,
    push: NDArray[np.float32],
    pull: np.float32,
    first: int,
    last: int,
) -> None:
    """Places of the vertices ``first .. last - 1``; the loop over pivots is vectorised by the compiler."""
    one, nothing = np.float32(1.0), np.float32(0.0)
    for v in range(first, last):
        x, y = places[v, 0], places[v, 1]
        total, to_x, to_y = nothing, nothing, nothing
        for i in range(hops.shape[1]):
            wanted = np.float32(hops[v, i])
            square = wanted * wanted
            weight = sizes[i] * min(square, one) / max(square, reach[i])
            dx, dy = x - xs[i], y - ys[i]
            stretch = wanted / np.sqrt(dx * dx + dy * dy + _COINCIDENT)
            total += weight
            to_x += weight * (dx * (stretch - one))
            to_y += weight * (dy * (stretch - one))
        for arc in range(indptr[v], indptr[v + 1]):
            u = indices[arc]
            dx, dy = x - places[u, 0], y - places[u, 1]
            stretch = one / np.sqrt(dx * dx + dy * dy + _COINCIDENT)
            total += edge_weight
            to_x += edge_weight * (dx * (stretch - one))
            to_y += edge_weight * (dy * (stretch - one))
        if push.shape[0] > 0:
            to_x += push[v, 0]
            to_y += push[v, 1]
        if total > nothing:
            after[v, 0] = x + pull * to_x / total
            after[v, 1] = y + pull * to_y / total
        else:
            after[v, 0], after[v, 1] = x, y
