"""Vertices found by their ids, in the ascending ids of a graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnknownVertex


def vertex_with_id(ids: NDArray[np.int64], vertex_id: Hashable) -> int:
    """Index of the vertex whose id is ``vertex_id``.

    Raises
    ------
    UnknownVertex
        If there is none; carries the nearest ids.
    """
    if not isinstance(vertex_id, (int, np.integer)):
        raise UnknownVertex(vertex_id, ())
    position = int(np.searchsorted(ids, vertex_id))
    if position < len(ids) and ids[position] == vertex_id:
        return position
    raise UnknownVertex(vertex_id, [int(v) for v in ids[max(0, position - 1) : position + 2]])


def vertices_with_ids(ids: NDArray[np.int64], vertex_ids: Sequence[Hashable]) -> NDArray[np.int64]:
    """Indices of the vertices with these ids, (k,), all looked up together.

    Raises
    ------
    UnknownVertex
        As `vertex_with_id`, of the first id that is unknown.
    """
    wanted = np.array(vertex_ids) if len(vertex_ids) else np.empty(0, np.int64)
    if wanted.dtype.kind in "iu" and len(ids):
        positions = np.searchsorted(ids, wanted)
        if (ids[np.minimum(positions, len(ids) - 1)] == wanted).all():
            return positions
    return np.array([vertex_with_id(ids, vertex_id) for vertex_id in vertex_ids], np.int64)  # finds the unknown one
