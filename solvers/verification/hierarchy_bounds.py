"""Lower bounds of distances from the weights of a contraction hierarchy, whose conditions
are proved once; then a pair is proved in the time of its answer.

Vertices are ranked, and stand in a tree whose parents have higher ranks. Each has arcs up to
some of its ancestors, with a weight in either direction. Suppose that

* each arc of the graph joins a vertex and an ancestor that an up arc joins, too, and is
  at least as long as that up arc in its direction; and
* of each two up arcs of a vertex, the upper ends are joined by an up arc, which in
  either direction is at most as long as the way over the vertex.

Then no path is shorter than the least sum of a climb from its source and one against the
arcs from its target: take a vertex of the path whose neighbours there both rank above it.
Without it, by the up arc between them, or none if they are the same, the path does not get
longer. In the end none is left, and the path is a climb and a descent. So a path of the
graph that is as long as this bound is shortest. Nothing else is believed of the hierarchy,
such as how its weights came about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.threads import in_threads
from solvers.verification.paths import lightest_arcs

_NONE = -1
_LONGEST = 2**61  # of a finite weight, so that sums of two do not wrap
_BLOCK = 256  # neighbouring vertices that one thread looks at


class ClaimedHierarchy(NamedTuple):
    """What is claimed, to be proved before it is used; by rank but for ``rank``."""

    rank: Int32s  # (n,) of each vertex, so that the ranks below an ancestor's are a range
    parent: Int32s  # (n,) rank of the parent; -1 at a root
    up_first: Int64s  # (n + 1,) where the up arcs of each begin
    up_depth: AnyArray  # (arcs up,) ancestors of the upper end; descending for each vertex
    up: AnyArray  # (arcs up,) integer weights upwards
    down: AnyArray  # and downwards; the same array if all are


@dataclass(frozen=True, eq=False)
class HierarchyBounds:
    """Bounds of the distances of a graph; made by `proved_bounds`."""

    graph: Graph
    _claimed: ClaimedHierarchy
    _depth: Int32s

    def least(self, source: int, target: int) -> int | None:
        """What no path from source to target is shorter than; None if there is none."""
        infinity = weight_type(self._claimed.up.dtype).infinity
        ends = int(self._claimed.rank[source]), int(self._claimed.rank[target])
        found = int(_least_sum(*ends, self._claimed, self._depth, np.int64(infinity)))
        return found if found < infinity else None

    def proves(self, source: int, target: int, path: Int32s, length: float) -> bool:
        """Whether ``path``, vertices from source to target, exists, has that length, and is
        a shortest one; without vertices, whether there is no path, and the length is inf.
        """
        least = self.least(source, target)
        if not len(path):
            return least is None and length == np.inf
        if least is None or path[0] != source or path[-1] != target:
            return False
        arcs = lightest_arcs(self.graph, path)
        if (arcs < 0).any():
            return False
        total = int(self.graph.weights[arcs].sum(dtype=np.int64))
        return total == least and length == float(total)


def proved_bounds(
    graph: Graph, claimed: ClaimedHierarchy, threads: int = 1
) -> HierarchyBounds | None:
    """The bounds, if all conditions hold; None if one does not, and where sums might wrap or
    are rounded.
    """
    kinds = {graph.weights.dtype.kind, claimed.up.dtype.kind, claimed.down.dtype.kind}
    if kinds != {"i"} or claimed.up.dtype != claimed.down.dtype:
        return None
    infinity = weight_type(claimed.up.dtype).infinity
    if not _is_tree(graph.n, claimed):
        return None
    for weights in (graph.weights, claimed.up, claimed.down):
        if len(weights) and weights.min() < 0:
            return None
    finite = [weights[weights < infinity] for weights in (claimed.up, claimed.down)]
    if max(int(each.max(initial=0)) for each in (graph.weights, *finite)) >= _LONGEST:
        return None
    depth, size = _depths_and_sizes(claimed.parent)
    if not (_is_post_order(claimed.parent, depth) and _rows_descend(claimed, depth)):
        return None
    arcs = graph.indptr, graph.indices, graph.weights
    symmetric = claimed.up is claimed.down
    given = (threads, *arcs, claimed, depth, size, np.int64(infinity), symmetric)
    if not all(in_threads(threads, _conditions_hold, *given)):
        return None
    return HierarchyBounds(graph, claimed, depth)


def _is_tree(n: int, claimed: ClaimedHierarchy) -> bool:
    """Whether shapes, ranks and parents are such that compiled code may follow them."""
    rank, parent, first, arcs = claimed.rank, claimed.parent, claimed.up_first, len(claimed.up)
    if not rank.shape == parent.shape == (n,) or first.shape != (n + 1,):
        return False
    if not len(claimed.up_depth) == len(claimed.down) == arcs or first[0] != 0:
        return False
    if first[-1] != arcs or (np.diff(first) < 0).any():
        return False
    if n and (rank.min() < 0 or rank.max() >= n or parent.max() >= n or parent.min() < _NONE):
        return False
    is_taken: Bools = np.zeros(n, np.bool_)
    is_taken[rank] = True
    return bool(is_taken.all() and ((parent == _NONE) | (parent > np.arange(n))).all())


@njit
def _depths_and_sizes(parent: Int32s) -> tuple[Int32s, Int32s]:
    """Proper ancestors of each, and vertices of its subtree, itself included."""
    n = parent.shape[0]
    depth, size = np.zeros(n, np.int32), np.ones(n, np.int32)
    for v in range(n - 1, -1, -1):
        if parent[v] != _NONE:
            depth[v] = depth[parent[v]] + 1
    for v in range(n):
        if parent[v] != _NONE:
            size[parent[v]] += size[v]
    return depth, size


@njit
def _is_post_order(parent: Int32s, depth: Int32s) -> bool:
    """Whether each subtree is a range of ranks: from the highest rank on, every vertex is a
    child of one on the way from a root to the vertex before it.
    """
    n = parent.shape[0]
    way = np.full(n + 1, _NONE, np.int32)
    deepest = -1
    for v in range(n - 1, -1, -1):
        k = depth[v]
        if k > deepest + 1 or (k > 0 and way[k - 1] != parent[v]):
            return False
        way[k] = v
        deepest = k
    return True


@njit
def _rows_descend(claimed: ClaimedHierarchy, depth: Int32s) -> bool:
    """Whether each vertex's up arcs lead to different ancestors, the nearest first."""
    for v in range(depth.shape[0]):
        below = np.int64(depth[v])
        for a in range(claimed.up_first[v], claimed.up_first[v + 1]):
            k = np.int64(claimed.up_depth[a])
            if not 0 <= k < below:
                return False
            below = k
    return True


@njit
def _conditions_hold(
    thread: int,
    threads: int,
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    claimed: ClaimedHierarchy,
    depth: Int32s,
    size: Int32s,
    infinity: int,
    symmetric: bool,
) -> bool:
    """Both conditions for every ``threads``-th block of vertices."""
    n = depth.shape[0]
    way = np.empty(n, np.int32)  # by depth: the ancestors of a vertex
    for first in range(thread * _BLOCK, n, threads * _BLOCK):
        last = min(n, first + _BLOCK)
        for u in range(first, last):
            if not _arcs_are_longer(u, indptr, indices, weights, claimed, depth, size):
                return False
        v: Any = last - 1
        while v != _NONE:
            way[depth[v]] = v
            v = claimed.parent[v]
        for v in range(last - 1, first - 1, -1):
            way[depth[v]] = v
            if not _ways_are_longer(v, way, claimed, infinity, symmetric):
                return False
    return True


@njit
def _arcs_are_longer(
    u: int,
    indptr: Int64s,
    indices: Int32s,
    weights: AnyArray,
    claimed: ClaimedHierarchy,
    depth: Int32s,
    size: Int32s,
) -> bool:
    """Whether the arcs out of a vertex of the graph are as long as their up arcs or longer."""
    here = claimed.rank[u]
    for arc in range(indptr[u], indptr[u + 1]):
        there = claimed.rank[indices[arc]]
        if there == here:
            continue
        low, high = min(here, there), max(here, there)
        if low <= high - size[high]:
            return False  # not below it
        a, end = claimed.up_first[low], claimed.up_first[low + 1]
        while a < end and claimed.up_depth[a] > depth[high]:
            a += 1
        if a == end or claimed.up_depth[a] != depth[high]:
            return False
        if weights[arc] < (claimed.up[a] if low == here else claimed.down[a]):
            return False
    return True


@njit
def _ways_are_longer(
    v: int, way: Int32s, claimed: ClaimedHierarchy, infinity: int, symmetric: bool
) -> bool:
    """Whether no way over ``v`` between two of its upper ends is shorter than their up arc."""
    up_first, up_depth, up, down = (
        claimed.up_first,
        claimed.up_depth,
        claimed.up,
        claimed.down,
    )
    for b in range(up_first[v], up_first[v + 1]):
        lower = way[up_depth[b]]
        c, end = up_first[lower], up_first[lower + 1]
        to_v, from_v = np.int64(down[b]), np.int64(up[b])
        for a in range(b + 1, up_first[v + 1]):
            rising, falling = np.int64(up[a]), np.int64(down[a])
            rises = to_v < infinity and rising < infinity
            falls = falling < infinity and from_v < infinity
            while c < end and up_depth[c] > up_depth[a]:
                c += 1
            if c == end or up_depth[c] != up_depth[a]:
                if rises or falls:
                    return False
                continue
            if rises and to_v + rising < up[c]:
                return False
            if not symmetric and falls and falling + from_v < down[c]:
                return False
    return True


@njit
def _least_sum(
    source: int, target: int, claimed: ClaimedHierarchy, depth: Int32s, infinity: int
) -> int:
    """The least sum of two climbs that meet, infinity if none do."""
    ahead = _climb(source, claimed.up, claimed, depth, infinity)
    behind = _climb(target, claimed.down, claimed, depth, infinity)
    u, v, least = source, target, infinity
    while u != _NONE and v != _NONE:
        if u == v:
            least = min(least, ahead[depth[u]] + behind[depth[u]])
            u, v = claimed.parent[u], claimed.parent[v]
        elif u < v:
            u = claimed.parent[u]
        else:
            v = claimed.parent[v]
    return least


@njit
def _climb(
    start: int, weights: AnyArray, claimed: ClaimedHierarchy, depth: Int32s, infinity: int
) -> Int64s:
    """Lengths of the shortest climbs to the ancestors, by depth."""
    lengths = np.full(depth[start] + 1, infinity, np.int64)
    lengths[depth[start]] = 0
    v: Any = start
    while v != _NONE:
        here = lengths[depth[v]]
        if here < infinity:
            for a in range(claimed.up_first[v], claimed.up_first[v + 1]):
                k, weight = claimed.up_depth[a], np.int64(weights[a])
                if weight < infinity and here + weight < lengths[k]:
                    lengths[k] = here + weight
        v = claimed.parent[v]
    return lengths
