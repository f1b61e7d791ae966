"""Recomputes the tentative distances of a run on the host, for variants that cannot report them during the run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph


def replayed_distances(
    graph: Graph, before: NDArray[Any], offsets: NDArray[Any], vertices: NDArray[Any]
) -> NDArray[Any]:
    """Tentative distances after each of several passes, from the vertices whose arcs they relaxed.

    Exact if every pass uses only distances from before the pass: with one vertex per pass, or with passes that do not
    read what they have just written. For graphs of a few hundred vertices.

    Parameters
    ----------
    graph : Graph
    before : (n,) array of a distance type
        Distances before the first pass; that type's infinity if there is none.
    offsets : (k + 1,) integers
        Pass ``i`` relaxed the arcs of ``vertices[offsets[i]:offsets[i + 1]]``.
    vertices : integers

    Returns
    -------
    (k, n) array of the type of ``before``
    """
    weights = graph.weights.astype(before.dtype, copy=False)
    rows = np.empty((len(offsets) - 1, graph.n), dtype=before.dtype)
    known = before
    for i, after in enumerate(rows):
        arcs = np.flatnonzero(np.isin(graph.tails, vertices[offsets[i] : offsets[i + 1]]))
        after[:] = known
        np.minimum.at(after, graph.indices[arcs], known[graph.tails[arcs]] + weights[arcs])
        known = after
    return rows
