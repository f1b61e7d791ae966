"""The chordal supergraph of an order: every arc that contraction can produce, for any weights.

Arcs are stored once, at their lower end, as *up arcs*; a metric gives each of them two
weights, one for each direction. The higher neighbours of a vertex are all ancestors in
the elimination tree, so an up arc names its upper end by its depth alone. Kernels keep
what they know of a path to the root in an array indexed by depth, which fits into the
nearest cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.adjacency import Adjacency
from solvers.algorithms.hierarchy.elimination_tree import NONE, EliminationTree
from solvers.graphs.csr import slices, sort_along
from solvers.graphs.graph import Graph, RoadPatch
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt16s
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import joined, parted
from solvers.system.intrinsics import atomic_add
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

MOST_DEPTH = 2**16 - 1  # depths are stored in 16 bits
# subtrees that threads share: enough to balance, few enough to leave little above them
_LEAST_SHARED = 1 << 12  # work of a batch; less takes less time than threads take to start
_PIECES = 128
_ROWS_A_LOOK = 1 << 16  # vertices between two cancellation checks


class HierarchyArrays(NamedTuple):
    """The arrays of a `Hierarchy` and its `EliminationTree` that kernels read."""

    order: Int32s
    rank: Int32s
    parent: Int32s
    depth: Int32s
    up_first: Int64s
    up_depth: UInt16s
    down_first: Int64s
    down_tail: Int32s
    down_arc: Int64s
    input_first: Int64s
    input_arc: Int64s
    input_up: Int64s


@dataclass(frozen=True)
class Hierarchy:
    """The elimination tree, the up arcs, and where each arc of the graph belongs.
    Vertices are named by rank.
    """

    tree: EliminationTree
    # (n + 1,), vertex ``v``'s up arcs are ``up_first[v]`` to ``up_first[v + 1]``, from
    # the nearest ancestor to the farthest
    up_first: Int64s
    up_depth: UInt16s  # (arcs up,), depth of an up arc's upper end
    down_first: Int64s  # (n + 1,), where vertex ``v``'s entries among the following two begin
    # down_tail, down_arc: (arcs up,), the lower ends of the up arcs that end at a
    # vertex, ascending, and the places of these arcs
    down_tail: Int32s
    down_arc: Int64s
    # (n + 1,), where the entries begin of the graph's arcs whose lower end is vertex ``v``
    input_first: Int64s
    # input_arc, input_up: (arcs of the graph without loops,), place of the arc in the
    # graph, and of the up arc that it is part of; ``~`` of it where the arc leads down
    input_arc: Int64s
    input_up: Int64s
    # pieces, piece_sizes: (k,), roots of disjoint subtrees of similar size, ascending,
    # which threads can do independently; and their sizes
    pieces: Int32s
    piece_sizes: Int32s
    # above, ones: (rest,), the vertices outside of all of them, ascending, taken as
    # subtrees of one vertex each
    above: Int32s
    ones: Int32s

    @property
    def n(self) -> int:
        return self.tree.n

    @property
    def arcs(self) -> int:
        """Number of up arcs."""
        return len(self.up_depth)

    @property
    def stages(self) -> tuple[tuple[Int32s, Int32s, bool], ...]:
        """What to do from the lowest vertices to the highest: subtrees, their sizes,
        whether they are independent.
        """
        return (self.pieces, self.piece_sizes, True), (self.above, self.ones, False)

    @cached_property
    def arrays(self) -> HierarchyArrays:
        tree = self.tree
        return HierarchyArrays(
            tree.order,
            tree.rank,
            tree.parent,
            tree.depth,
            self.up_first,
            self.up_depth,
            self.down_first,
            self.down_tail,
            self.down_arc,
            self.input_first,
            self.input_arc,
            self.input_up,
        )


_TREE = ("order", "rank", "parent", "depth", "size")
_OWN = (
    "up_first",
    "up_depth",
    "down_first",
    "down_tail",
    "down_arc",
    "input_first",
    "input_arc",
    "input_up",
    "pieces",
    "piece_sizes",
    "above",
    "ones",
)


def packed(hierarchy: Hierarchy) -> Int32s:
    """All arrays in one."""
    return joined(
        [getattr(hierarchy.tree, name) for name in _TREE]
        + [getattr(hierarchy, name) for name in _OWN]
    )


def unpacked(content: Int32s) -> Hierarchy:
    """The hierarchy of `packed`, whose arrays are views of ``content``."""
    found = parted(content, len((*_TREE, *_OWN)))
    return Hierarchy(EliminationTree(*found[: len(_TREE)]), *found[len(_TREE) :])


class Subtrees(NamedTuple):
    """Disjoint subtrees that threads take one by one: (k,) roots and sizes, and how
    many are taken, (1,).
    """

    roots: Int32s
    sizes: Int32s
    taken: Int64s


def subtree_batches(
    hierarchy: Hierarchy, work_below: AnyArray, most: float, *, from_roots: bool = False
) -> Iterator[tuple[Subtrees, bool]]:
    """All vertices as subtrees, lower ones first or last; True where threads should share them.

    ``work_below``, (n + 1,), is the work of all vertices of lower rank, and ``most``
    that of a batch, roughly; the caller checks for cancellation before each.
    """
    for roots, sizes, independent in hierarchy.stages[:: -1 if from_roots else 1]:
        if from_roots:
            roots, sizes = roots[::-1].copy(), sizes[::-1].copy()
        work = subtree_work(work_below, roots, sizes)
        for first, last in batches(work, most):
            subtrees = Subtrees(roots[first:last], sizes[first:last], np.zeros(1, np.int64))
            yield subtrees, independent and bool(work[first:last].sum() >= _LEAST_SHARED)


def subtree_work(work_below: AnyArray, roots: Int32s, sizes: Int32s) -> AnyArray:
    """Work below each root, its own vertex included."""
    ends = roots.astype(np.int64) + 1
    work: AnyArray = work_below[ends] - work_below[ends - sizes]
    return work


@njit
def take_subtree(subtrees: Subtrees) -> int:
    """Index of the next subtree, which the calling thread takes; -1 after the last one."""
    i = atomic_add(subtrees.taken, 0, 1)
    return i if i < len(subtrees.roots) else -1


def batches(work: AnyArray, most: float) -> list[tuple[int, int]]:
    """Split tasks with the given work into ranges with about ``most`` each, to be done
    between two checks.
    """
    if not len(work):
        return []
    group = (np.cumsum(work) // most).astype(np.int64)
    cuts = (np.flatnonzero(np.diff(group)) + 1).tolist()
    return list(zip([0, *cuts], [*cuts, len(work)], strict=True))


def bytes_of(n: int, arcs: int, graph_arcs: int) -> int:
    return 5 * 4 * n + 3 * 8 * n + 14 * arcs + 16 * graph_arcs


def build_hierarchy(
    graph: Graph,
    adjacency: Adjacency,
    tree: EliminationTree,
    counts: Int32s,
    progress: Progress = SILENT,
) -> Hierarchy:
    """Contract every vertex, in the order of rank, without weights; ``counts`` are by
    `count_up_arcs`.

    Raises Cancelled.
    """
    n = tree.n
    up_first, down_first = offsets_of(counts), np.zeros(n + 1, np.int64)
    arcs = int(up_first[-1])
    up_depth = np.empty(arcs, np.uint16)
    down_tail = np.empty(arcs, np.int32)
    down_arc = np.empty(arcs, np.int64)
    cursor, seen = up_first[:-1].copy(), np.full(n, NONE, np.int32)
    for begin, end in slices(n, _ROWS_A_LOOK):
        progress.checkpoint()
        _fill_rows(
            adjacency.first,
            adjacency.neighbours,
            tree.order,
            tree.rank,
            tree.parent,
            tree.depth,
            begin,
            end,
            seen,
            cursor,
            up_depth,
            down_first,
            down_tail,
            down_arc,
        )
    input_first, input_arc, input_up = _inputs(graph, tree, up_first, up_depth, progress)
    pieces, above = _divide(tree, up_first, progress)
    return Hierarchy(
        tree,
        up_first,
        up_depth,
        down_first,
        down_tail,
        down_arc,
        input_first,
        input_arc,
        input_up,
        pieces,
        tree.size[pieces],
        above,
        np.ones(len(above), np.int32),
    )


@njit
def _fill_rows(
    first: Int64s,
    neighbours: Int32s,
    order: Int32s,
    rank: Int32s,
    parent: Int32s,
    depth: Int32s,
    begin: int,
    end: int,
    seen: Int32s,
    cursor: Int64s,
    up_depth: UInt16s,
    down_first: Int64s,
    down_tail: Int32s,
    down_arc: Int64s,
) -> None:
    """Arcs that end at the vertices ``begin`` to ``end``; as these ascend, the arcs of
    each tail come in order.
    """
    for v in range(begin, end):
        entry = down_first[v]
        seen[v] = v
        for k in range(first[order[v]], first[order[v] + 1]):
            u = rank[neighbours[k]]
            if u > v:
                continue
            while seen[u] != v:
                seen[u] = v
                down_tail[entry] = u
                entry += 1
                u = parent[u]
        down_first[v + 1] = entry
        sort_along(down_tail, down_tail, down_first[v], entry)
        for e in range(down_first[v], entry):
            u = down_tail[e]
            up_depth[cursor[u]] = depth[v]
            down_arc[e] = cursor[u]
            cursor[u] += 1


def _inputs(
    graph: Graph, tree: EliminationTree, up_first: Int64s, up_depth: UInt16s, progress: Progress
) -> tuple[Int64s, Int64s, Int64s]:
    """The graph's arcs by their lower end: `Hierarchy`'s ``input_first``, ``input_arc``
    and ``input_up``.
    """
    first = np.zeros(tree.n + 1, np.int64)
    for begin, end in slices(tree.n, _ROWS_A_LOOK):
        progress.checkpoint()
        _count_inputs(graph.indptr, graph.indices, tree.rank, begin, end, first)
    np.cumsum(first, out=first)
    cursor = first[:-1].copy()
    arcs, ups = np.empty(first[-1], np.int64), np.empty(first[-1], np.int64)
    for begin, end in slices(tree.n, _ROWS_A_LOOK):
        progress.checkpoint()
        _fill_inputs(
            graph.indptr,
            graph.indices,
            tree.rank,
            tree.depth,
            up_first,
            up_depth,
            begin,
            end,
            cursor,
            arcs,
            ups,
        )
    return first, arcs, ups


@njit
def _count_inputs(
    indptr: Int64s, indices: Int32s, rank: Int32s, begin: int, end: int, first: Int64s
) -> None:
    for v in range(begin, end):
        for a in range(indptr[v], indptr[v + 1]):
            if indices[a] != v:
                first[min(rank[v], rank[indices[a]]) + 1] += 1


@njit
def _fill_inputs(
    indptr: Int64s,
    indices: Int32s,
    rank: Int32s,
    depth: Int32s,
    up_first: Int64s,
    up_depth: UInt16s,
    begin: int,
    end: int,
    cursor: Int64s,
    arcs: Int64s,
    ups: Int64s,
) -> None:
    for v in range(begin, end):
        for a in range(indptr[v], indptr[v + 1]):
            if indices[a] == v:
                continue
            tail, head = rank[v], rank[indices[a]]
            low, high = min(tail, head), max(tail, head)
            # Up arcs are sorted by ascending rank, so by descending depth.
            left, right = up_first[low], up_first[low + 1] - 1
            while left < right:
                middle = (left + right) // 2
                if up_depth[middle] > depth[high]:
                    left = middle + 1
                else:
                    right = middle
            arcs[cursor[low]] = a
            ups[cursor[low]] = left if tail < head else ~left
            cursor[low] += 1


def without_arcs(hierarchy: Hierarchy, base: RoadPatch) -> Hierarchy:
    """The hierarchy of a graph with closed roads: the up arcs are those of the base,
    fewer of the graph's own arcs.
    """
    if len(base.arcs) == base.graph.m:
        return hierarchy
    place = np.full(base.graph.m, NONE, np.int64)
    place[base.arcs] = np.arange(len(base.arcs))
    places = place[hierarchy.input_arc]
    kept = places != NONE
    first = offsets_of(kept)[hierarchy.input_first]
    return replace(
        hierarchy, input_first=first, input_arc=places[kept], input_up=hierarchy.input_up[kept]
    )


def _divide(tree: EliminationTree, up_first: Int64s, progress: Progress) -> tuple[Int32s, Int32s]:
    """Roots of the largest subtrees with at most their share of the work, and the
    vertices above them.
    """
    if not tree.n:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    work = np.empty(tree.n, np.int64)
    for begin, end in slices(tree.n):
        progress.checkpoint()
        ends, size = np.arange(begin + 1, end + 1), tree.size[begin:end]
        work[begin:end] = up_first[ends] - up_first[ends - size] + 4 * size
    most = max(64, int(work.max()) // _PIECES)
    pieces, above = [], []
    for begin, end in slices(tree.n):
        progress.checkpoint()
        small, parent = work[begin:end] <= most, tree.parent[begin:end]
        highest = small & ((parent < 0) | (work[parent] > most))
        pieces.append(begin + np.flatnonzero(highest))
        above.append(begin + np.flatnonzero(~small))
    return np.concatenate(pieces).astype(np.int32), np.concatenate(above).astype(np.int32)
