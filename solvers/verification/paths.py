"""Shortest paths from distances: recovery of predecessors in one pass over the arcs,
and path extraction.

Most variants compute distances only; predecessors are recovered afterwards by the same
procedure for all. An arc (u, v) is *tight* if ``d[u] + w == d[v]``. A vertex's
predecessor is the tail of a tight arc into it, the least one if there are several.
Equal distances therefore give equal paths, independent of the variant and of thread
scheduling.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.jit import njit
from solvers.verification.conditions import closes_cycle

NO_VERTEX = -1
_UNCONSTRAINED = np.empty(0, dtype=np.int32)

# The rounding errors of k additions grow like the square root of k (a random walk), and
# a path has fewer than n arcs; four times that is ample.
_ROUNDINGS = 4


def recover_predecessors(graph: Graph, source: int, distances: AnyArray) -> Int32s:
    """The predecessor of each vertex on its shortest path from ``source``.

    ``source``: vertex index. ``distances`` (n,): distances in the type they were solved
    in, with its infinity for unreachable vertices. Returns (n,) -1 for the source, for
    unreachable vertices, and for vertices without a tight arc into them, which do not
    occur in correct distances. Every other chain of predecessors ends at the source.

    Notes
    -----
    In floating point the tail with the least ``d[u] + w`` is chosen: all-pairs solvers
    add the weights of a path in another order, so that a tight arc may miss equality by
    rounding errors.

    Least tails can form a cycle of predecessors along a cycle of weight zero. In that
    case a second pass accepts only tails that are fewer tight arcs away from the source
    than the head.
    """
    kind = weight_type(distances.dtype)
    infinity = kind.dtype.type(kind.infinity)
    slack = (
        0 if kind.is_integer else _ROUNDINGS * float(np.finfo(kind.dtype).eps) * (graph.n**0.5 + 1)
    )
    least = np.empty(graph.n, dtype=np.int64 if kind.is_integer else np.float64)
    arcs = (graph.indptr, graph.indices, graph.weights, distances, infinity, slack)
    predecessors = _least_tails(*arcs, source, _UNCONSTRAINED, least)
    may_close = not kind.is_integer or graph.least_weight <= 0
    if may_close and closes_cycle(predecessors):
        predecessors = _least_tails(*arcs, source, _tight_levels(*arcs, source), least)
    return predecessors


def path_to(predecessors: Int32s, source: int, target: int) -> Int32s | None:
    """The vertices, (k,), from ``source`` to ``target``, both included; None if there
    is no path.
    """
    backwards = _walk_back(predecessors, source, target)
    return backwards[::-1].copy() if len(backwards) else None


def path_that_adds_up(
    graph: Graph, predecessors: Int32s, distances: AnyArray, source: int, target: int
) -> Int32s | None:
    """As `path_to`; None also if the path's length is not the target's distance, in a
    row that was not verified.

    Floating-point lengths are not compared: they depend on the order in which the
    weights are added.
    """
    path = path_to(predecessors, source, target)
    if (
        path is None
        or not weight_type(distances.dtype).is_integer
        or not graph.weight_type.is_integer
    ):
        return path
    arcs = _lightest_arcs(graph.indptr, graph.indices, graph.weights, path)
    adds_up = not (arcs < 0).any() and int(graph.weights[arcs].sum(dtype=np.int64)) == int(
        distances[target]
    )
    return path if adds_up else None


def path_arcs(graph: Graph, path: Int32s) -> Int64s:
    """The arcs of a path of k vertices as positions in ``graph.indices``, (k - 1,); the
    lightest of parallel arcs, or of those with the cheapest turns.

    Raises `ParameterError` if two successive vertices are not connected by an arc, or only
    by forbidden turns.
    """
    return _steps(graph, path)[0]


def path_weights(graph: Graph, path: Int32s) -> AnyArray:
    """The weights of the arcs of a path, (k - 1,), with what the turns before them cost.
    Errors as for `path_arcs`.
    """
    return _steps(graph, path)[1]


def _steps(graph: Graph, path: Int32s) -> tuple[Int64s, AnyArray]:
    arcs, weights, missing = searched_graph(graph).steps(path, lightest_arcs(graph, path))
    if len(missing):
        at = int(missing.min())
        tail, head = (graph.vertex_id(int(path[at + k])) for k in (0, 1))
        is_turn = lightest_arcs(graph, path[at : at + 2])[0] >= 0
        reason = (
            f"no turn into {tail} → {head} is allowed"
            if is_turn
            else (f"there is no arc {tail} → {head}")
        )
        raise ParameterError("path", "vertices", f"{len(path)} vertices", reason)
    return arcs, weights


def lightest_arcs(
    graph: Graph, path: NDArray[np.integer], weights: AnyArray | None = None
) -> Int64s:
    """As `path_arcs`, but -1 where two successive vertices are not connected by an arc; by
    other ``weights``, (m,), if these are given.
    """
    own = graph.weights if weights is None else weights
    return _lightest_arcs(
        graph.indptr, graph.indices, own, np.ascontiguousarray(path, dtype=np.int32)
    )


def path_length(graph: Graph, path: Int32s) -> int | float:
    """Length of a path: the sum of its weights and of what its turns cost, in int64 or
    float64. Errors as for `path_arcs`.
    """
    weights = path_weights(graph, path)
    wide = np.int64 if graph.weight_type.is_integer else np.float64
    total: int | float = weights.sum(dtype=wide).item()
    return total


def _are_vertices(predecessors: AnyArray, n: int) -> bool:
    """Whether they are (n,) int32, each a vertex or -1, so that compiled code may follow them."""
    if predecessors.shape != (n,) or predecessors.dtype != np.int32:
        return False
    return n == 0 or bool(predecessors.min() >= NO_VERTEX and predecessors.max() < n)


def depths(predecessors: Int32s, source: int) -> Int32s:
    """Depth of each vertex in the tree of predecessors (arcs from the source), (n,)
    int32; -1 outside the tree.
    """
    return _depths(predecessors, source)


@njit
def _lightest_arcs(indptr: Int64s, indices: Int32s, weights: AnyArray, path: Int32s) -> Int64s:
    """The lightest arc between each two successive vertices; -1 where there is none.
    Heads are sorted in each row.
    """
    arcs = np.full(max(0, path.shape[0] - 1), -1, dtype=np.int64)
    for step in range(arcs.shape[0]):
        head = path[step + 1]
        low, end = indptr[path[step]], indptr[path[step] + 1]
        high = end
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < head:
                low = middle + 1
            else:
                high = middle
        while low < end and indices[low] == head:
            if arcs[step] < 0 or weights[low] < weights[arcs[step]]:
                arcs[step] = low
            low += 1
    return arcs


@njit
def _least_tails(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    infinity: Any,
    slack: float,
    source: int,
    levels: Int32s,
    least: AnyArray,
) -> Int32s:
    """For each vertex, the tail of the tight arc with the least ``d[u] + w``; the least
    tail among equals.

    ``least`` is scratch space, (n,). If ``levels`` is not empty, tails must be on a
    lower level than their heads.
    """
    n = indptr.shape[0] - 1
    predecessors = np.full(n, NO_VERTEX, dtype=np.int32)
    for u in range(n):
        if distances[u] >= infinity:
            continue
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v in (source, u) or distances[v] >= infinity:
                continue
            if levels.shape[0] > 0 and not 0 <= levels[u] < levels[v]:
                continue
            through = distances[u] + weights[arc]
            if not _accounts_for(through, distances[u], weights[arc], distances[v], slack):
                continue
            if predecessors[v] == NO_VERTEX or through < least[v]:
                predecessors[v] = u
                least[v] = through
    return predecessors


@njit(inline="always")
def _accounts_for(through: Any, before: Any, weight: Any, claimed: Any, slack: float) -> bool:
    """Whether ``through`` is at most ``claimed``, up to the relative rounding error ``slack``."""
    if through <= claimed:
        return True
    return slack > 0 and through - claimed <= slack * (abs(before) + abs(weight) + abs(claimed))


@njit
def _tight_levels(
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    distances: AnyArray,
    infinity: Any,
    slack: float,
    source: int,
) -> Int32s:
    """Least number of tight arcs from the source to each vertex (breadth-first search);
    -1 if unreachable by them.
    """
    n = indptr.shape[0] - 1
    levels = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    queue[0] = source
    levels[source] = 0
    settled, queued = 0, 1
    while settled < queued:
        u = queue[settled]
        settled += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if levels[v] >= 0 or distances[v] >= infinity:
                continue
            if _accounts_for(
                distances[u] + weights[arc], distances[u], weights[arc], distances[v], slack
            ):
                levels[v] = levels[u] + 1
                queue[queued] = v
                queued += 1
    return levels


@njit
def _walk_back(predecessors: Int32s, source: int, target: int) -> Int32s:
    """Vertices from target back to source; empty if the chain of predecessors does not
    reach the source.
    """
    n = predecessors.shape[0]
    length = 1
    v = target
    while v != source and 0 <= v < n and length <= n:
        v = predecessors[v]
        length += 1
    if v != source:
        return np.empty(0, dtype=np.int32)
    walk = np.empty(length, dtype=np.int32)
    v = target
    for step in range(length):
        walk[step] = v
        v = predecessors[v]
    return walk


@njit
def _depths(predecessors: Int32s, source: int) -> Int32s:
    n = predecessors.shape[0]
    unknown, outside = -2, -1
    result = np.full(n, unknown, dtype=np.int32)
    result[source] = 0
    chain = np.empty(n, dtype=np.int32)
    for start in range(n):
        length = 0
        v = start
        while 0 <= v < n and result[v] == unknown:
            # until its chain is known to reach the source; also stops at a cycle
            result[v] = outside
            chain[length] = v
            length += 1
            v = predecessors[v]
        if not 0 <= v < n or result[v] == outside:
            continue
        depth = result[v]
        for step in range(length - 1, -1, -1):
            depth += 1
            result[chain[step]] = depth
    return result


def is_tight_tree(graph: Graph, source: int, distances: AnyArray, predecessors: AnyArray) -> bool:
    """Whether a variant's own predecessors form a tree of tight arcs from the source to
    every reached vertex.

    Kernels that write distance and predecessor in two steps can leave the predecessor
    of an earlier distance. A variant may return anything: of vertices that are not
    reached, too, the predecessors of a tree are vertices or -1.
    """
    if not _are_vertices(predecessors, graph.n):
        return False
    reached = distances < weight_type(distances.dtype).infinity
    all_tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    named = predecessors[graph.indices] == all_tails
    tails, heads = all_tails[named], graph.indices[named]
    fits = (
        distances[tails] + graph.weights[named].astype(distances.dtype, copy=False)
        == distances[heads]
    )
    confirmed = np.zeros(graph.n, dtype=bool)
    confirmed[heads[fits]] = True
    confirmed[source] = True
    in_tree = depths(np.ascontiguousarray(predecessors, dtype=np.int32), source) >= 0
    return bool((confirmed & in_tree)[reached].all())
