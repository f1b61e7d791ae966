"""The levels of a graph's hierarchy, for pictures: its separators and its cores.

The vertices of a separator of a nested dissection are a chain of the elimination tree:
below its last vertex the tree falls apart into the regions that it divides. So a chain
goes on while one child holds most of the region, and ends where none does.

A core is what is left of the graph when the vertices with small subtrees have been
contracted. Core ``k`` has the vertices whose subtree in the elimination tree has at
least ``2**k`` vertices. Two of them are joined if a path leads from one to the other
through contracted vertices only: by an edge of the graph, or by a shortcut. Contracting
the vertices by the size of their subtree gives the same hierarchy as contracting them
by rank, so every edge of every core is an arc of the hierarchy. It appears when the
first vertex below both of its ends is contracted, and disappears with its lower end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE, EliminationTree
from solvers.algorithms.hierarchy.preparation import hierarchy_of
from solvers.algorithms.hierarchy.supergraph import MOST_DEPTH, Hierarchy, HierarchyArrays, batches
from solvers.graphs.graph import Graph
from solvers.system.array_types import Int32s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of
from solvers.system.threads import ThreadTeam, thread_team

# share of the child in which a separator goes on; dissection leaves at most 0.6 to one
# side
_MOST_OF_A_REGION = 2 / 3

_NEVER = 255
_PIECES = 256  # of the work: threads take them in turn, and cancellation waits for one

_ASKED_BY = "The picture of levels"


@dataclass(frozen=True, eq=False)
class Separators:
    """Every vertex belongs to one separator, the last ones to separators of a few
    vertices, the leaves.
    """

    # (s,), of each separator: 0 divides the whole graph, 1 about a half of it, and so
    # on; always above the level of the separators around it
    level: Int32s
    divides: Int32s  # (s,), vertices of the region that it divides, its own included
    # (s + 1,), separator ``i`` has the vertices ``vertices[first[i]:first[i + 1]]``.
    # Separators are in order of level, those of a level by the size of their region,
    # the largest first.
    first: Int64s
    vertices: Int32s  # (n,)
    separator: Int32s  # (n,), the separator of each vertex

    def __len__(self) -> int:
        return len(self.level)

    @property
    def levels(self) -> int:
        return int(self.level[-1]) + 1 if len(self.level) else 0

    def of(self, i: int) -> Int32s:
        """Vertices of separator ``i``, from the top of the tree."""
        return self.vertices[self.first[i] : self.first[i + 1]]


def find_separators(tree: EliminationTree) -> Separators:
    chain, tops, level = _chains(tree.parent, tree.size, _MOST_OF_A_REGION)
    divides = tree.size[tops]
    order = np.lexsort((-divides, level))
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    by_rank = number[chain]
    members = np.argsort(by_rank[::-1], kind="stable")  # of the ranks in descending order
    first = offsets_of(np.bincount(by_rank, minlength=len(order)))
    return Separators(
        level[order],
        divides[order],
        first,
        tree.order[::-1][members],
        by_rank[tree.rank].astype(np.int32),
    )


@njit
def _chains(parent: Int32s, size: Int32s, share: float) -> tuple[Int32s, Int32s, Int32s]:
    """The chain of each vertex, (n,); the top vertex and the level of each chain. All by rank."""
    n = len(parent)
    heavy = np.full(n, NONE, np.int32)
    largest = 1
    for v in range(n):
        p = parent[v]
        if p == NONE:
            largest = max(largest, size[v])
        elif heavy[p] == NONE or size[v] > size[heavy[p]]:
            heavy[p] = v
    chain, tops, levels = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    count = 0
    for v in range(n - 1, -1, -1):
        p = parent[v]
        if p != NONE and heavy[p] == v and size[v] >= share * size[tops[chain[p]]]:
            chain[v] = chain[p]
            continue
        by_size = round(np.log2(largest / size[v]))
        levels[count] = by_size if p == NONE else max(by_size, levels[chain[p]] + 1)
        tops[count] = v
        chain[v] = count
        count += 1
    return chain, tops[:count].copy(), levels[:count].copy()


@dataclass(frozen=True, eq=False)
class Cores:
    hierarchy: Hierarchy
    stage: UInt8s  # (n,), the last core that has the vertex, by rank
    born: UInt8s  # (arcs up,), the first core that has an arc; 0 for the edges of the graph
    # vertices, edges: (k,), vertices and edges of each core; the first is the graph itself
    vertices: Int64s
    edges: Int64s

    def __len__(self) -> int:
        return len(self.vertices)

    def edges_of(self, k: int) -> tuple[Int64s, Int32s]:
        """Edges of core ``k`` as neighbour lists, by vertex of the graph, (n + 1,) and
        (edges,): each edge once.
        """
        first = _count_edges(self.hierarchy.arrays, self.stage, self.born, k)
        return first, _list_edges(self.hierarchy.arrays, self.stage, self.born, k, first)


def find_cores(hierarchy: Hierarchy, team: ThreadTeam, progress: Progress = SILENT) -> Cores:
    """Find when each arc of the hierarchy appears; as much work as to customise it;
    raises Cancelled.
    """
    tree = hierarchy.tree
    stage = (np.frexp(tree.size.astype(np.float64))[1] - 1).astype(np.uint8)
    born = np.full(hierarchy.arcs, _NEVER, np.uint8)
    born[np.where(hierarchy.input_up < 0, ~hierarchy.input_up, hierarchy.input_up)] = 0
    progress.checkpoint()
    work = _triangles(hierarchy.arrays)
    pieces = batches(work, max(1.0, float(work.sum()) / _PIECES))
    team.run(
        (partial(_find_births, hierarchy.arrays, stage, born, *piece) for piece in pieces), progress
    )
    progress.checkpoint()
    count = int(stage.max()) + 1 if tree.n else 1
    vertices = np.bincount(stage, minlength=count)[::-1].cumsum()[::-1]
    return Cores(
        hierarchy,
        stage,
        born,
        vertices.astype(np.int64),
        _count_all(hierarchy.arrays, stage, born, count),
    )


@njit
def _triangles(arrays: HierarchyArrays) -> Int64s:
    """Lower triangles of the arcs up from each vertex, (n,), and one for the vertex itself."""
    up_first = arrays.up_first
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    n = len(up_first) - 1
    work = np.ones(n, np.int64)
    for u in range(n):
        for e in range(down_first[u], down_first[u + 1]):
            work[u] += up_first[down_tail[e] + 1] - down_arc[e] - 1
    return work


@njit
def _find_births(
    arrays: HierarchyArrays, stage: UInt8s, born: UInt8s, begin: int, end: int
) -> None:
    """For the arcs up from the vertices ``begin`` to ``end``: the core after the first
    vertex below both ends.
    """
    up_first, up_depth = arrays.up_first, arrays.up_depth
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    arc_at = np.empty(MOST_DEPTH + 1, np.int64)  # by depth of the upper end
    for u in range(begin, end):
        for a in range(up_first[u], up_first[u + 1]):
            arc_at[up_depth[a]] = a
        for e in range(down_first[u], down_first[u + 1]):
            below = down_tail[e]
            core = np.uint8(stage[below] + 1)
            for b in range(down_arc[e] + 1, up_first[below + 1]):
                a = arc_at[up_depth[b]]
                if core < born[a]:
                    born[a] = core


@njit
def _count_all(arrays: HierarchyArrays, stage: UInt8s, born: UInt8s, count: int) -> Int64s:
    """Edges of each core, (count,)."""
    down_tail, down_arc = arrays.down_tail, arrays.down_arc
    change = np.zeros(count + 1, np.int64)
    for e in range(len(down_tail)):
        first, last = born[down_arc[e]], stage[down_tail[e]]
        if first <= last:
            change[first] += 1
            change[last + 1] -= 1
    return np.cumsum(change)[:count]


@njit
def _count_edges(arrays: HierarchyArrays, stage: UInt8s, born: UInt8s, k: int) -> Int64s:
    """(n + 1,): where the edges of each vertex of the graph begin."""
    order = arrays.order
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    n = len(order)
    first = np.zeros(n + 1, np.int64)
    for v in range(n):
        if stage[v] >= k:
            for e in range(down_first[v], down_first[v + 1]):
                first[order[v] + 1] += stage[down_tail[e]] >= k and born[down_arc[e]] <= k
    return np.cumsum(first)


@njit
def _list_edges(
    arrays: HierarchyArrays, stage: UInt8s, born: UInt8s, k: int, first: Int64s
) -> Int32s:
    order = arrays.order
    down_first, down_tail, down_arc = arrays.down_first, arrays.down_tail, arrays.down_arc
    n = len(order)
    heads = np.empty(first[n], np.int32)
    for v in range(n):
        if stage[v] >= k:
            place = first[order[v]]
            for e in range(down_first[v], down_first[v + 1]):
                if stage[down_tail[e]] >= k and born[down_arc[e]] <= k:
                    heads[place] = order[down_tail[e]]
                    place += 1
    return heads


@dataclass(frozen=True, eq=False)
class Levels:
    """What a picture of a hierarchy shows."""

    separators: Separators
    cores: Cores


def levels_of(graph: Graph, progress: Progress = SILENT) -> Levels:
    """The levels of ``graph``, kept with it; prepares its hierarchy if no run has.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """

    def make() -> Levels:
        hierarchy, _ = hierarchy_of(graph, _ASKED_BY, progress)
        progress.checkpoint()
        separators = find_separators(hierarchy.tree)
        with thread_team() as team:
            return Levels(separators, find_cores(hierarchy, team, progress))

    return graph.cached("levels of the hierarchy", make)
