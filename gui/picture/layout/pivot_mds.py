"""Pivot MDS: classical scaling of all vertices by their distances to pivots (Brandes and Pich 2007). No Qt."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers.system.cancel import SILENT, Observer
from solvers.system.threads import ThreadTeam, split_evenly

_SAMPLE = 20_000  # vertices from which the axes are computed; more do not change them visibly
_PIECE = 50_000  # vertices between two cancellation checks


def pivot_mds(
    hops: NDArray[np.int16], columns: int, team: ThreadTeam, observer: Observer = SILENT
) -> NDArray[np.float32]:
    """Place all vertices by the first ``columns`` of (n, k) distances.

    Returns
    -------
    (n, 2) float32
        With a mean square as large as that of the distances.

    Raises
    ------
    Cancelled
    """
    n = len(hops)
    sample = _squares(hops[:: max(1, n // _SAMPLE), :columns])
    means, mean = sample.mean(axis=0), float(sample.mean())
    centred = _centred(sample, means, mean)
    values, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    axes = vectors[:, -2:][:, ::-1] if len(values) > 1 else np.column_stack((vectors, np.zeros_like(vectors)))
    spread = math.sqrt(float(((centred @ axes) ** 2).sum(axis=1).mean()))
    axes *= math.sqrt(mean / 2.0) / spread if spread > 0 else 1.0
    places = np.empty((n, 2), np.float32)

    def place(first: int, last: int) -> None:
        places[first:last] = _centred(_squares(hops[first:last, :columns]), means, mean) @ axes.astype(np.float32)

    team.run((partial(place, *run) for run in split_evenly(n, max(team.threads, -(-n // _PIECE)))), observer)
    return places


def _squares(hops: NDArray[np.int16]) -> NDArray[np.float32]:
    squares = hops.astype(np.float32)
    return np.square(squares, out=squares)


def _centred(squares: NDArray[np.float32], means: NDArray[np.float32], mean: float) -> NDArray[np.float32]:
    """Squared distances to inner products: minus half of them, with zero means of rows and columns."""
    return np.float32(-0.5) * (squares - means - squares.mean(axis=1, keepdims=True) + np.float32(mean))
