"""Sweeps from several sources abreast: an arc is loaded once, and relaxed for all of them by vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.climb import climb
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.host.vectors import ROW, relax_rows

LANES = ROW  # sources of a batch
_TILE = 64  # vertices that are turned into rows together


def settle_rows(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    sources: NDArray[np.int32],
    rows: NDArray[Any],
    working: NDArray[Any],
) -> int:
    """Distances from each source, into a row each; threads take batches of `LANES`. Returns the arcs relaxed.

    Parameters
    ----------
    sources : (k,) int32
        Vertices of the graph.
    rows : (k, n) array of ``kind``
        Need not be initialised.
    working : (threads, n, LANES) array of ``kind``
        By `working_memory`.
    """
    tree = hierarchy.tree
    arrays = (
        tree.rank, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.up, metric.down, tree.height,
        kind.dtype.type(kind.infinity),
    )  # fmt: skip
    return int(_share_batches(sources, rows, working, arrays))


def working_memory(n: int, kind: WeightType, threads: int) -> NDArray[Any]:
    """Distances of a batch of each thread, by rank and lane."""
    return np.empty((threads, n, LANES), kind.dtype)


@njit(cache=True, nogil=True, parallel=True)
def _share_batches(
    sources: NDArray[np.int32], rows: NDArray[Any], working: NDArray[Any], arrays: tuple[Any, ...]
) -> int:
    threads, relaxed = working.shape[0], 0
    for t in prange(threads):
        relaxed += _take_batches(np.int64(t), threads, sources, rows, working[t], *arrays)
    return relaxed


@njit(cache=True, nogil=True)
def _take_batches(
    thread: int,
    threads: int,
    sources: NDArray[np.int32],
    rows: NDArray[Any],
    known: NDArray[Any],
    rank: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    up: NDArray[Any],
    down: NDArray[Any],
    height: int,
    infinity: Any,
) -> int:
    """Every ``threads``-th batch, from the one numbered ``thread``."""
    n, relaxed = len(rank), 0
    marked = np.zeros(n, np.bool_)  # vertices on the path of some lane's climb
    paths, reached = np.empty((LANES, height), np.int32), np.empty((LANES, height), rows.dtype)
    for begin in range(thread * LANES, len(sources), threads * LANES):
        count = min(LANES, len(sources) - begin)
        for lane in range(count):
            start = rank[sources[begin + lane]]
            relaxed += climb(
                start, parent, depth, up_first, up_depth, up, infinity, paths[lane], reached[lane]
            )[1] + len(down)  # fmt: skip
            for k in range(depth[start] + 1):
                marked[paths[lane, k]] = True
        _sweep(depth, up_first, up_depth, down, height, infinity, marked, paths[:count], reached, known)
        for lane in range(count):
            for k in range(depth[rank[sources[begin + lane]]] + 1):
                marked[paths[lane, k]] = False
        _turn(known, rank, rows[begin : begin + count])
    return relaxed


@njit(cache=True, nogil=True)
def _turn(known: NDArray[Any], rank: NDArray[np.int32], rows: NDArray[Any]) -> None:
    """Distances by rank and lane into rows by vertex. Unsigned indices spare a test for negative ones."""
    n = len(rank)
    for tile in range(0, n, _TILE):
        for lane in range(len(rows)):
            row, place = rows[lane], np.uint64(lane)
            for v in range(np.uint64(tile), np.uint64(min(n, tile + _TILE))):
                row[v] = known[np.uint64(rank[v]), place]


@njit(cache=True, nogil=True)
def _sweep(
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down: NDArray[Any],
    height: int,
    infinity: Any,
    marked: NDArray[np.bool_],
    paths: NDArray[np.int32],
    reached: NDArray[Any],
    known: NDArray[Any],
) -> None:
    """Distances by rank and lane, from the roots down."""
    above = np.empty((height, LANES), known.dtype)
    for v in range(len(depth) - 1, -1, -1):
        k = depth[v]
        if marked[v]:
            for lane in range(LANES):
                on_path = lane < len(paths) and paths[lane, k] == v
                known[v, lane] = reached[lane, k] if on_path else infinity
        relax_rows(known, v, marked[v], above, k, up_depth, down, up_first[v], up_first[v + 1], infinity)
