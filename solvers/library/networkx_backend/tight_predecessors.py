"""All predecessors on shortest paths, in the order in which NetworkX's searches meet them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit


@dataclass(frozen=True, eq=False)
class PredecessorLists:
    """Lists of vertices.

    Attributes
    ----------
    offsets : (n + 1,) int64
        Vertex ``v``'s list is ``members[offsets[v]:offsets[v + 1]]``.
    members : int32 array
    """

    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    def of(self, vertex: int) -> NDArray[np.int32]:
        """Predecessors of a vertex."""
        return self.members[self.offsets[vertex] : self.offsets[vertex + 1]]


def tight_predecessors(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
) -> PredecessorLists:
    """For each vertex the tails of the arcs that give it its distance.

    Parameters
    ----------
    indptr : (n + 1,) int64
    heads : (m,) int32
    lengths : (m,) float64
    order : int32 array
        The settled vertices, in the order of settling; lists are in this order.
    distances : (n,) float64
        NaN for vertices that are not settled.
    """
    offsets = np.zeros(len(indptr), np.int64)
    _count_tight(indptr, heads, lengths, order, distances, offsets[1:])
    np.cumsum(offsets, out=offsets)
    members = np.empty(int(offsets[-1]), np.int32)
    _fill_tight(indptr, heads, lengths, order, distances, offsets[:-1].copy(), members)
    return PredecessorLists(offsets, members)


@njit(cache=True, nogil=True)
def _count_tight(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> None:
    for u in order:
        for arc in range(indptr[u], indptr[u + 1]):
            if distances[u] + lengths[arc] == distances[heads[arc]]:
                counts[heads[arc]] += 1


@njit(cache=True, nogil=True)
def _fill_tight(
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    cursor: NDArray[np.int64],
    members: NDArray[np.int32],
) -> None:
    for u in order:
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            if distances[u] + lengths[arc] == distances[v]:
                members[cursor[v]] = u
                cursor[v] += 1
