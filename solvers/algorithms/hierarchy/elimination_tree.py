"""The elimination tree of an order, and the sizes of what contraction produces, before
any of it is made.

Contracting a vertex joins its higher neighbours to one another. Its parent in the
elimination tree is the lowest of them, and all of them are ancestors: the higher
neighbours of a vertex lie on its path to the root. So the vertices below one vertex are
separated from the rest of the graph by its ancestors, and the sizes can be counted
along paths of the tree, in memory of O(n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.algorithms.hierarchy.adjacency import Adjacency
from solvers.graphs.csr import slices
from solvers.system.array_types import Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_ROWS_A_LOOK = 1 << 16  # vertices between two cancellation checks
NONE = -1


@dataclass(frozen=True)
class EliminationTree:
    """The elimination tree, by rank; vertices are ranked in post-order, so that
    subtrees are ranges of ranks.
    """

    order: Int32s  # (n,), the vertex of each rank
    rank: Int32s  # (n,), the inverse of ``order``
    parent: Int32s  # (n,), rank of the parent, always higher; -1 at a root
    depth: Int32s  # (n,), number of proper ancestors
    size: Int32s  # (n,), vertices of the subtree: those ranked ``v - size[v] + 1`` to ``v``

    @property
    def n(self) -> int:
        return len(self.order)

    @property
    def height(self) -> int:
        """Most vertices on a path from a root."""
        return int(self.depth.max()) + 1 if self.n else 0


def elimination_tree(
    adjacency: Adjacency, order: Int32s, progress: Progress = SILENT
) -> EliminationTree:
    """The tree of contracting the vertices in ``order``, renumbered in post-order,
    which gives the same arcs.

    Raises Cancelled.
    """
    n = adjacency.n
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    parent, jump = np.full(n, NONE, np.int32), np.full(n, NONE, np.int32)
    for first, last in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        _find_parents(adjacency.first, adjacency.neighbours, order, rank, first, last, parent, jump)
    place = _post_order(parent, progress)  # the new rank of each old one
    new_order, new_parent = np.empty(n, np.int32), np.empty(n, np.int32)
    for first, last in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        _renumber(order, parent, place, first, last, new_order, new_parent, rank)
    depth, size = np.zeros(n, np.int32), np.ones(n, np.int32)
    for first, last in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        _add_depths(new_parent, n - last, n - first, depth)
        _add_sizes(new_parent, first, last, size)
    return EliminationTree(new_order, rank, new_parent, depth, size)


def count_up_arcs(
    adjacency: Adjacency, tree: EliminationTree, most: int, progress: Progress = SILENT
) -> Int32s | None:
    """Higher neighbours of each vertex, by rank, (n,); None if there are more than ``most`` in all.

    Raises Cancelled.
    """
    counts, seen = np.zeros(tree.n, np.int32), np.full(tree.n, NONE, np.int32)
    total = 0
    for first, last in slices(tree.n, _ROWS_A_LOOK):
        progress.checkpoint()
        total += _count_rows(
            adjacency.first,
            adjacency.neighbours,
            tree.order,
            tree.rank,
            tree.parent,
            first,
            last,
            most - total,
            seen,
            counts,
        )
        if total > most:
            return None
    return counts


@njit
def _find_parents(
    first: Int64s,
    neighbours: Int32s,
    order: Int32s,
    rank: Int32s,
    begin: int,
    end: int,
    parent: Int32s,
    jump: Int32s,
) -> None:
    """After Liu 1986: a vertex becomes the parent of the roots of its lower neighbours'
    trees, found by shortcuts.
    """
    for v in range(begin, end):
        for k in range(first[order[v]], first[order[v] + 1]):
            u = rank[neighbours[k]]
            while u < v and u != NONE:
                above = jump[u]
                jump[u] = v
                if above == NONE:
                    parent[u] = v
                u = above if above != NONE else v


def _post_order(parent: Int32s, progress: Progress) -> Int32s:
    """The place of each vertex in post-order. A parent is numbered above its children already."""
    n = len(parent)
    size, place = np.ones(n, np.int32), np.empty(n, np.int32)
    for first, last in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        _add_sizes(parent, first, last, size)
    free, top = np.zeros(n, np.int32), n  # where the next child's subtree ends, and the next tree
    for first, last in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        top = _place_subtrees(parent, size, n - last, n - first, top, free, place)
    return place


@njit
def _add_sizes(parent: Int32s, begin: int, end: int, size: Int32s) -> None:
    """Add the sizes of the subtrees of ``begin`` to ``end``, which are complete, to
    their parents'.
    """
    for v in range(begin, end):
        if parent[v] != NONE:
            size[parent[v]] += size[v]


@njit
def _add_depths(parent: Int32s, begin: int, end: int, depth: Int32s) -> None:
    """Depths of the vertices ``begin`` to ``end``, from those of higher ones."""
    for v in range(end - 1, begin - 1, -1):
        if parent[v] != NONE:
            depth[v] = depth[parent[v]] + 1


@njit
def _place_subtrees(
    parent: Int32s, size: Int32s, begin: int, end: int, top: int, free: Int32s, place: Int32s
) -> int:
    """Places of the vertices ``begin`` to ``end``, from those of higher ones. Returns
    where the next tree ends.
    """
    for v in range(end - 1, begin - 1, -1):
        if parent[v] == NONE:
            place[v] = top - 1
            top -= size[v]
        else:
            place[v] = free[parent[v]] - 1
            free[parent[v]] -= size[v]
        free[v] = place[v]
    return top


@njit
def _renumber(
    order: Int32s,
    parent: Int32s,
    place: Int32s,
    begin: int,
    end: int,
    new_order: Int32s,
    new_parent: Int32s,
    rank: Int32s,
) -> None:
    """Put what is known of the vertices ``begin`` to ``end`` in their places."""
    for v in range(begin, end):
        new_order[place[v]] = order[v]
        new_parent[place[v]] = place[parent[v]] if parent[v] != NONE else NONE
        rank[order[v]] = place[v]


@njit
def _count_rows(
    first: Int64s,
    neighbours: Int32s,
    order: Int32s,
    rank: Int32s,
    parent: Int32s,
    begin: int,
    end: int,
    most: int,
    seen: Int32s,
    counts: Int32s,
) -> int:
    """Count the lower neighbours of the vertices ``begin`` to ``end``; stops after more
    than ``most``.

    The lower neighbours of a vertex after contraction are the vertices on the paths
    from those in the graph up to it.
    """
    total = 0
    for v in range(begin, end):
        seen[v] = v
        for k in range(first[order[v]], first[order[v] + 1]):
            u = rank[neighbours[k]]
            if u > v:
                continue
            while seen[u] != v:
                seen[u] = v
                counts[u] += 1
                total += 1
                u = parent[u]
        if total > most:
            break
    return total
