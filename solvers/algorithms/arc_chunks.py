"""Division of a pass over all arcs into pieces, between which a run can be cancelled."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

ARCS_PER_CHUNK = 2_000_000  # about 10 ms of random access on one core


def vertex_ranges(indptr: NDArray[np.int64], arcs: int = ARCS_PER_CHUNK) -> list[tuple[int, int]]:
    """Ranges ``[first, last)`` that cover all vertices in order, each of about ``arcs`` vertices and arcs together.

    A vertex is never divided, so one with more arcs than that makes a longer piece.
    """
    n = len(indptr) - 1
    work = indptr + np.arange(n + 1)
    cuts = np.searchsorted(work, np.arange(arcs, int(work[-1]), arcs))
    bounds = np.unique(np.concatenate(([0], cuts, [n]))).tolist()
    return list(pairwise(bounds))
