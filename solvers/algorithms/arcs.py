"""Operations on arcs that all families share: ranges of vertices, arcs relaxed,
replayed distances, uploads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from solvers.core.problem import Phases
from solvers.devices.device import DeviceSession
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Int64s

ARCS_PER_CHUNK = 2_000_000  # about 10 ms of random access on one core


def vertex_ranges(indptr: Int64s, arcs: int = ARCS_PER_CHUNK) -> list[tuple[int, int]]:
    """Ranges ``[first, last)`` that cover all vertices in order, each of about ``arcs``
    vertices and arcs together.

    A vertex is never divided, so one with more arcs than that makes a longer piece.
    """
    n = len(indptr) - 1
    work = indptr + np.arange(n + 1)
    cuts = np.searchsorted(work, np.arange(arcs, int(work[-1]), arcs))
    bounds = np.unique(np.concatenate(([0], cuts, [n]))).tolist()
    return list(pairwise(bounds))


def settled_arcs(graph: Graph, distances: AnyArray) -> int:
    """Number of arcs that leave a reached vertex; Dijkstra's algorithm relaxes each of
    them exactly once.

    An arc to a vertex that is settled already cannot improve it; whether a program
    skips it or tries is not counted apart, so that all programs of the family compare.
    """
    return int(graph.out_degrees[distances < weight_type(distances.dtype).infinity].sum())


def settled_arcs_of_all(graph: Graph, distances: AnyArray) -> int:
    """Number of arcs that n runs of Dijkstra's algorithm relax: each once for every
    source that reaches its tail.
    """
    return sum(settled_arcs(graph, row) for row in distances)


def replayed_distances(
    graph: Graph, before: AnyArray, offsets: AnyArray, vertices: AnyArray
) -> AnyArray:
    """Tentative distances after each of k passes, (k, n), from the vertices whose arcs
    they relaxed.

    ``before``, (n,), are those before the first pass; pass ``i`` relaxed the arcs of
    ``vertices[offsets[i]:offsets[i + 1]]``. Exact if every pass uses only distances
    from before the pass: with one vertex per pass, or with passes that do not read what
    they have just written. For graphs of a few hundred vertices.
    """
    weights = graph.weights_in(before.dtype)
    rows = np.empty((len(offsets) - 1, graph.n), dtype=before.dtype)
    known = before
    for i, after in enumerate(rows):
        arcs = np.flatnonzero(np.isin(graph.tails, vertices[offsets[i] : offsets[i + 1]]))
        after[:] = known
        np.minimum.at(after, graph.indices[arcs], known[graph.tails[arcs]] + weights[arcs])
        known = after
    return rows


def upload_arrays(session: DeviceSession, phases: Phases, *arrays: AnyArray) -> tuple[Any, ...]:
    """Copies of one-dimensional arrays on a device; allocation counts as "prepare",
    copying as "h2d".
    """
    buffers = []
    for array in arrays:
        with phases.measure("prepare"):
            buffer = session.empty(len(array), array.dtype)
        with phases.measure("h2d"):
            session.write(buffer, array)
        buffers.append(buffer)
    return tuple(buffers)
