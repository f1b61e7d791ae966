"""The rounds of the algorithm of Goldberg and Radzik, in NetworkX's order.

Idea
    Each round sorts the vertices whose distances fell in the one before, and those
    behind them along arcs that still improve, topologically, and scans them in this
    order. The sets of NetworkX hold nodes, so their order is made of nodes here, too.

Why it is correct
    When no distance falls, no arc improves a vertex. An arc back to a vertex of the
    same descent that improves it closes a negative cycle.

Source
    Goldberg and Radzik 1993, A heuristic improvement of the Bellman-Ford algorithm;
    the order is NetworkX 3.6's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.graph import NodeIndex
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.jit import njit

_NONE = -1


class ScannedTree(NamedTuple):
    """Distances from a source, predecessors, and the vertices in the order of first
    being reached.
    """

    distances: Float64s  # (n,); infinity where not reached
    parents: Int32s  # (n,); -1 of the source and where not reached
    order: Int32s  # (n,), of which the first ``reached[0]`` are reached
    reached: Int64s  # (1,)


def scan_in_rounds(arcs: DispatchArcs, index: NodeIndex, source: int) -> ScannedTree | None:
    """The tree from a source; None if it reaches a negative cycle."""
    n = arcs.n
    tree = ScannedTree(
        np.full(n, np.inf), np.full(n, _NONE, np.int32), np.empty(n, np.int32), np.ones(1, np.int64)
    )
    tree.distances[source], tree.order[0] = 0.0, source
    memory = _Memory(*(np.full(n, _NONE, np.int64) for _ in _Memory._fields))
    scan = np.empty(2 * n + 1, np.int32)
    lowered = {index.nodes[source]}
    turn = 0
    while lowered:
        roots = np.array([index.position(node) for node in set(lowered)], np.int32)
        count = _sort(arcs.rows, roots, turn, tree, memory, scan)
        if count == _NONE:
            return None
        lowered = set(index.named(_relax(arcs.rows, scan[:count][::-1], tree)))
        turn += 1
    return tree


class _Memory(NamedTuple):
    """(n,) of each vertex."""

    visited: Int64s  # the last round in which it was met
    level: Int64s  # improving arcs on the way to it, in that round
    on_stack: Int64s  # whether it is on the way, 1 or -1
    following: Int64s  # the next of its arcs
    stack: Int64s


@njit
def _reach(tree: ScannedTree, u: int, v: int, through: float) -> None:
    if tree.parents[v] == _NONE and v != tree.order[0]:
        tree.order[tree.reached[0]] = v
        tree.reached[0] += 1
    tree.distances[v], tree.parents[v] = through, u


@njit
def _sort(
    rows: ArcRows, roots: Int32s, turn: int, tree: ScannedTree, memory: _Memory, scan: Int32s
) -> int:
    """Fill ``scan`` with vertices in reverse topological order; their number, -1 for a
    negative cycle.
    """
    indptr, heads, lengths = rows
    distances, found = tree.distances, 0
    visited, level, on_stack, following, stack = memory
    for root in roots:
        improves = False
        for arc in range(indptr[root], indptr[root + 1]):
            improves = improves or distances[root] + lengths[arc] < distances[heads[arc]]
        if not improves:
            continue
        depth = 1
        stack[0], following[root], on_stack[root] = root, indptr[root], 1
        visited[root], level[root] = turn, 0
        while depth:
            u = stack[depth - 1]
            arc = following[u]
            if arc == indptr[u + 1]:
                scan[found] = u
                found += 1
                depth -= 1
                on_stack[u] = _NONE
                continue
            following[u] = arc + 1
            v = heads[arc]
            through = distances[u] + lengths[arc]
            if not through < distances[v]:
                continue
            _reach(tree, u, v, through)
            if visited[v] != turn:
                visited[v], level[v] = turn, level[u] + 1
                stack[depth], following[v], on_stack[v] = v, indptr[v], 1
                depth += 1
            elif on_stack[v] == 1 and level[u] + 1 > level[v]:
                return _NONE
    return found


@njit
def _relax(rows: ArcRows, scan: Int32s, tree: ScannedTree) -> Int32s:
    """The vertices whose distances fell, in this order."""
    indptr, heads, lengths = rows
    found = [np.int32(0) for _ in range(0)]
    for u in scan:
        before = tree.distances[u]
        for arc in range(indptr[u], indptr[u + 1]):
            v = heads[arc]
            if before + lengths[arc] < tree.distances[v]:
                _reach(tree, u, v, before + lengths[arc])
                found.append(v)
    return np.array(found, np.int32)
