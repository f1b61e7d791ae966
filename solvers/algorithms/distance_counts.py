"""Counts of distances by bins, added up from rows of distances."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.host.threads import ThreadTeam, split_evenly


def count_distances(
    rows: NDArray[Any], kind: WeightType, lower: NDArray[np.float64], width: float, team: ThreadTeam
) -> NDArray[np.int64]:
    """Number of finite distances in each bin.

    Parameters
    ----------
    rows : (k, n) array of the distance type
        None below ``lower[0]``.
    lower : (b,) float64
        Where bins begin, ascending; the last one has no end.
    width : float
        Of all bins but the last, if they are of equal width: a distance d is in bin floor(d / width). 0 for other bins.
    team : ThreadTeam

    Returns
    -------
    (b,) int64
    """
    found = np.zeros((team.threads, len(lower)), np.int64)
    infinity = kind.dtype.type(kind.infinity)
    team.run(
        partial(_count, rows[first:last], infinity, lower, width, found[t])
        for t, (first, last) in enumerate(split_evenly(len(rows), team.threads))
    )
    counts: NDArray[np.int64] = found.sum(axis=0)
    return counts


@njit(cache=True, nogil=True)
def _count(
    rows: NDArray[Any], infinity: Any, lower: NDArray[np.float64], width: float, counts: NDArray[np.int64]
) -> None:
    last = np.int64(len(lower) - 1)
    for row in rows:
        b = np.int64(0)
        for distance in row:
            if distance < infinity:
                x = np.float64(distance)
                if width > 0:
                    quotient = x / width
                    b = np.int64(min(quotient, last))
                else:  # from the bin of the vertex before, which is near in most numberings
                    while b < last and x >= lower[b + 1]:
                        b += 1
                    while x < lower[b]:
                        b -= 1
                counts[b] += 1
