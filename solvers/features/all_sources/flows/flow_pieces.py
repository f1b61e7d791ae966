"""The elimination tree in pieces, as flows of many sources are swept over it, and the
arcs in the order of the sweep.

A piece is a part of the tree with one root: the vertices whose subtrees are between two
sizes. A *place* is that of a vertex in the order of the sweep: pieces from the highest
root down, each directly after the pieces above it, and in a piece from the root down.
What a piece reads from outside are the higher neighbours of its root, its *boundary*:
those of all its vertices are among them. Rows of a piece have *slots*: first those of
the boundary, then those of its own vertices. So each arc of a piece leads to a slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.device_hierarchy import piece_roots
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt16s, UInt32s
from solvers.system.jit import njit
from solvers.system.ranges import numbers_in, offsets_of

_SIZES = tuple(2 * 4**k for k in range(2, 15))  # of subtrees at which pieces end


class FlowPieces(NamedTuple):
    """Pieces by number, vertices by place, and arcs by the place of their lower end."""

    rank: Int32s  # (n,) of the vertex at each place
    first: Int64s  # (pieces + 1,) place of each piece's root
    parent: Int32s  # (pieces,) the piece of the root's parent; -1 without one
    after: Int32s  # (pieces,) the first piece that is not below
    boundary_first: Int64s  # (pieces + 1,)
    boundary: Int32s  # (entries,) slots of each piece's boundary in its parent
    arc_first: Int64s  # (n + 1,) by place
    arc: Int64s  # (arcs,) number of each arc in the hierarchy
    slot: UInt32s  # (arcs,) of each arc's upper end

    @property
    def deepest(self) -> tuple[int, int, int]:
        """Most rows, arcs and pieces above one another."""
        rows, arcs, pieces = self._down_to_each.max(axis=1).tolist()
        return rows, arcs, pieces

    @property
    def arcs_above(self) -> Int64s:
        """(n,) arcs of the piece of each vertex and those above it, by rank."""
        found = np.empty(len(self.rank), np.int64)
        found[self.rank] = np.repeat(self._down_to_each[1, :-1], np.diff(self.first))
        return found

    @property
    def _down_to_each(self) -> Int64s:
        """(3, pieces + 1) rows, arcs and pieces, of each piece and those above it; then 0."""
        sums = np.zeros((3, len(self.parent) + 1), np.int64)
        rows = np.diff(self.first) + np.diff(self.boundary_first)
        _sum_paths(self.parent, rows, np.diff(self.arc_first[self.first]), sums)
        return sums


def flow_pieces(hierarchy: Hierarchy) -> FlowPieces:
    """Cut the tree of a hierarchy. O(n log n + arcs)."""
    tree, n = hierarchy.tree, hierarchy.n
    stage = np.searchsorted(np.array(_SIZES), tree.size).astype(np.int8)
    root = piece_roots(tree.parent, stage)
    rank = np.lexsort((-np.arange(n), -root)).astype(np.int32)
    first = np.append(np.flatnonzero(np.diff(root[rank], prepend=-1)), n)
    place, piece_of = np.empty(n, np.int32), np.empty(n, np.int32)
    place[rank] = np.arange(n, dtype=np.int32)
    piece_of[rank] = np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))
    roots = rank[first[:-1]]
    above = tree.parent[roots]
    parent = np.where(above >= 0, piece_of[above], -1).astype(np.int32)
    after = np.searchsorted(-roots, tree.size[roots] - roots).astype(np.int32)
    degrees = np.diff(hierarchy.up_first)
    boundary_first, arc_first = offsets_of(degrees[roots]), offsets_of(degrees[rank])
    arc = numbers_in(hierarchy.up_first[rank], degrees[rank])
    boundary, slot = np.empty(boundary_first[-1], np.int32), np.empty(hierarchy.arcs, np.uint32)
    _name_slots(
        tree.depth,
        hierarchy.up_first,
        hierarchy.up_depth,
        rank,
        first,
        parent,
        boundary_first,
        boundary,
        slot,
        np.empty(max(1, tree.height), np.int64),
        tree.parent,
    )
    return FlowPieces(rank, first, parent, after, boundary_first, boundary, arc_first, arc, slot)


@njit
def _name_slots(
    depth: Int32s,
    up_first: Int64s,
    up_depth: UInt16s,
    rank: Int32s,
    first: Int64s,
    parent: Int32s,
    boundary_first: Int64s,
    boundary: Int32s,
    slot: UInt32s,
    slots: Int64s,  # (height,) to work with
    higher: Int32s,
) -> None:
    """Slots of arcs, and of boundaries in the pieces above."""
    piece_of, slot_of = np.empty(len(rank), np.int32), np.empty(len(rank), np.int32)
    entry = 0
    for p in range(len(parent)):
        begin, size = first[p], boundary_first[p + 1] - boundary_first[p]
        for i in range(begin, first[p + 1]):
            piece_of[rank[i]], slot_of[rank[i]] = p, size + i - begin
        root = rank[begin]
        above, u = parent[p], higher[root]
        while u >= 0 and piece_of[u] == above:  # own vertices of the piece above
            slots[depth[u]] = slot_of[u]
            u = higher[u]
        if above >= 0:  # and its boundary
            top = rank[first[above]]
            for j in range(up_first[top + 1] - up_first[top]):
                slots[up_depth[up_first[top] + j]] = j
        for j in range(size):
            boundary[boundary_first[p] + j] = slots[up_depth[up_first[root] + j]]
        for j in range(size):
            slots[up_depth[up_first[root] + j]] = j
        for i in range(begin, first[p + 1]):
            u = rank[i]
            while u >= 0 and piece_of[u] == p:  # the path to the root may have been another's
                slots[depth[u]] = slot_of[u]
                u = higher[u]
            for a in range(up_first[rank[i]], up_first[rank[i] + 1]):
                slot[entry] = slots[up_depth[a]]
                entry += 1


@njit
def _sum_paths(parent: Int32s, rows: AnyArray, arcs: AnyArray, sums: Int64s) -> None:
    """Sums over each piece and those above it; the last column remains 0."""
    for p in range(len(parent)):
        sums[0, p] = sums[0, parent[p]] + rows[p]
        sums[1, p] = sums[1, parent[p]] + arcs[p]
        sums[2, p] = sums[2, parent[p]] + 1
