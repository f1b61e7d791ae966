"""Proof that a path is shortest by bounds from both of its ends, without distances to all
vertices.

Give every vertex v the number p(v) = min(f(v), F) - min(g(v), G), with f the distance from
the source and g that to the target. If p rises along no arc by more than the arc's weight,
then no path from the source to the target is shorter than p(target) - p(source), which is
F + G where F + G is the true distance: an arc that leaves what lies nearer to the source
than F and enters what lies nearer to the target than G cannot be shorter than what is
missing between the two.

Nothing is believed of f and g: each arc is looked at. So f may be the claimed distances,
up to the F where vertices begin of which none is claimed; where that is less than half of
the way, f is searched up to there. A search back to the target finds g. With F as great as
the claims, G = 0 and the bounds hold for all of these, not only for what is on the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT64, weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.dary_heap import pop_entry, push_entry
from solvers.system.jit import njit
from solvers.system.threads import in_threads
from solvers.verification.conditions import TightArcChecker

_LONGEST = 2**61  # of a distance and of an arc, so that sums of three do not wrap
_THREADS = 2  # that look at all arcs
_BATCH = 32_768  # vertices settled between two checks for cancellation


def is_proved_by_bounds(
    graph: Graph, source: int, target: int, distances: AnyArray, progress: Progress
) -> bool:
    """Whether all finite ``distances``, (n,) integers, are proved to be those of shortest
    paths from ``source``, that of ``target`` among them.

    False says nothing: the graph may have negative weights, or weights so large that sums
    might wrap, or the target no distance. Raises `Cancelled`.
    """
    if graph.weights.dtype.kind != "i" or distances.dtype.kind != "i":
        return False
    if graph.m and not 0 <= graph.weights.min() <= graph.weights.max() < _LONGEST:
        return False
    kind = weight_type(distances.dtype)
    is_claimed = distances < kind.infinity
    if graph.m and graph.weights.max() >= kind.infinity:
        kind = INT64  # a distance and a weight below infinity add up in their own type
    claims = np.where(is_claimed, distances, kind.dtype.type(kind.infinity))
    claimed = np.flatnonzero(is_claimed)
    longest = int(claims[claimed].max(initial=0))
    if not is_claimed[target] or longest >= _LONGEST or claims.min() < 0:
        return False
    checker = TightArcChecker(graph, claims.dtype)
    checker.follow_tight_arcs(source, claims)
    if not checker.reached[claimed].all() or not checker.reached[target]:
        return False
    progress.checkpoint()
    arcs, length = (graph.indptr, graph.indices, graph.weights), int(claims[target])
    known = _claimed_reach(*arcs, claims, claimed, longest)
    reach = max(known, length // 2)
    if np.count_nonzero(claims[claimed] > reach) > checker.arcs[target]:
        reach = longest  # more than the path has vertices
    searches = [(graph, source, reach)] if reach > known else []
    if reach < length:
        searches.append((graph.reverse, target, length - reach))
    given = searches, claims.dtype, progress
    found = in_threads(len(searches), _distances_within, *given) if searches else []
    bounds = found[0] if reach > known else np.minimum(claims, reach)
    if reach < length:
        bounds -= found[-1]
    if (bounds[claimed] - bounds[source] < claims[claimed]).any():
        return False
    progress.checkpoint()
    return all(in_threads(_THREADS, _rises_by_weights_only, _THREADS, *arcs, bounds))


@njit
def _claimed_reach(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    claims: AnyArray,
    claimed: Int64s,
    longest: int,
) -> int:
    """The distance, ``longest`` at most, at which claimed vertices offer one to another."""
    reach = longest
    for u in claimed:
        for arc in range(indptr[u], indptr[u + 1]):
            if claims[indices[arc]] > longest:
                offered: Any = np.int64(claims[u]) + np.int64(weights[arc])
                reach = min(reach, offered)
    return reach


def _distances_within(
    which: int,
    searches: Sequence[tuple[Graph, int, int]],
    dtype: np.dtype[Any],
    progress: Progress,
) -> AnyArray:
    """Distances from the start of one of the searches, (n,), those beyond its reach cut
    off there.
    """
    graph, start, reach = searches[which]
    found = np.full(graph.n, reach, dtype)
    found[start] = 0
    keys, entries = np.empty(graph.m + 1, dtype), np.empty(graph.m + 1, np.int32)
    keys[0], entries[0], size = 0, start, 1
    while size:
        progress.checkpoint()
        size = _settle(graph.indptr, graph.indices, graph.weights, found, keys, entries, size)
    return found


@njit
def _settle(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    found: Int64s,
    keys: Int64s,
    entries: Int32s,
    size: int,
) -> int:
    """Dijkstra's algorithm for up to `_BATCH` entries of the heap; returns its new size."""
    for _ in range(_BATCH):
        if size == 0:
            break
        key: Any = keys[0]
        u = entries[0]
        size = pop_entry(keys, entries, size)
        if key > found[u]:
            continue
        for arc in range(indptr[u], indptr[u + 1]):
            v, through = indices[arc], key + weights[arc]
            if through < found[v]:
                found[v] = through
                size = push_entry(keys, entries, size, through, v)
    return size


@njit
def _rises_by_weights_only(
    part: int, parts: int, indptr: Int64s, indices: Int32s, weights: AnyArray, bounds: Int64s
) -> bool:
    """Whether no bound is more than an arc's weight above that at the arc's tail, of one of
    several ranges of tails.
    """
    n = indptr.shape[0] - 1
    for u in range(n * part // parts, n * (part + 1) // parts):
        for arc in range(indptr[u], indptr[u + 1]):
            if bounds[indices[arc]] - bounds[u] > weights[arc]:
                return False
    return True
