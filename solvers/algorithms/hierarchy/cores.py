"""Cores: what is left of the graph when the vertices with small subtrees have been contracted.

Core ``k`` has the vertices whose subtree in the elimination tree has at least ``2**k`` vertices. Two of them are joined
if a path leads from one to the other through contracted vertices only: by an edge of the graph, or by a shortcut.
Contracting the vertices by the size of their subtree gives the same hierarchy as contracting them by rank, so every
edge of every core is an arc of the hierarchy. It appears when the first vertex below both of its ends is contracted,
and disappears with its lower end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.supergraph import MOST_DEPTH, Hierarchy, batches
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import ThreadTeam

_NEVER = 255
_PIECES = 256  # of the work: threads take them in turn, and cancellation waits for one


@dataclass(frozen=True, eq=False)
class Cores:
    """The cores of a hierarchy.

    Attributes
    ----------
    hierarchy : Hierarchy
    stage : (n,) uint8
        The last core that has the vertex, by rank.
    born : (arcs up,) uint8
        The first core that has an arc; 0 for the edges of the graph.
    vertices, edges : (k,) int64
        Vertices and edges of each core; the first is the graph itself.
    """

    hierarchy: Hierarchy
    stage: NDArray[np.uint8]
    born: NDArray[np.uint8]
    vertices: NDArray[np.int64]
    edges: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.vertices)

    def edges_of(self, k: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Edges of core ``k`` as neighbour lists, by vertex of the graph, (n + 1,) and (edges,): each edge once."""
        hierarchy = self.hierarchy
        arrays = (hierarchy.down_first, hierarchy.down_tail, hierarchy.down_arc, hierarchy.tree.order)
        first = _count_edges(*arrays, self.stage, self.born, k)
        return first, _list_edges(*arrays, self.stage, self.born, k, first)


def find_cores(hierarchy: Hierarchy, team: ThreadTeam, observer: Observer = SILENT) -> Cores:
    """Find when each arc of the hierarchy appears; as much work as to customise it.

    Raises
    ------
    Cancelled
    """
    tree = hierarchy.tree
    stage = (np.frexp(tree.size.astype(np.float64))[1] - 1).astype(np.uint8)
    born = np.full(hierarchy.arcs, _NEVER, np.uint8)
    born[np.where(hierarchy.input_up < 0, ~hierarchy.input_up, hierarchy.input_up)] = 0
    observer.checkpoint()
    ups, downs = (hierarchy.up_first, hierarchy.up_depth), (hierarchy.down_first, hierarchy.down_tail)
    work = _triangles(hierarchy.up_first, *downs, hierarchy.down_arc)
    pieces = batches(work, max(1.0, float(work.sum()) / _PIECES))
    team.run(
        (partial(_find_births, *ups, *downs, hierarchy.down_arc, stage, born, *piece) for piece in pieces), observer
    )
    observer.checkpoint()
    count = int(stage.max()) + 1 if tree.n else 1
    vertices = np.bincount(stage, minlength=count)[::-1].cumsum()[::-1]
    return Cores(
        hierarchy, stage, born, vertices.astype(np.int64), _count_all(*downs, hierarchy.down_arc, stage, born, count)
    )


@njit(cache=True, nogil=True)
def _triangles(
    up_first: NDArray[np.int64],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Lower triangles of the arcs up from each vertex, (n,), and one for the vertex itself."""
    n = len(up_first) - 1
    work = np.ones(n, np.int64)
    for u in range(n):
        for e in range(down_first[u], down_first[u + 1]):
            work[u] += up_first[down_tail[e] + 1] - down_arc[e] - 1
    return work


@njit(cache=True, nogil=True)
def _find_births(
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    stage: NDArray[np.uint8],
    born: NDArray[np.uint8],
    begin: int,
    end: int,
) -> None:
    """For the arcs up from the vertices ``begin`` to ``end``: the core after the first vertex below both ends."""
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


@njit(cache=True, nogil=True)
def _count_all(
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    stage: NDArray[np.uint8],
    born: NDArray[np.uint8],
    count: int,
) -> NDArray[np.int64]:
    """Edges of each core, (count,)."""
    change = np.zeros(count + 1, np.int64)
    for e in range(len(down_tail)):
        first, last = born[down_arc[e]], stage[down_tail[e]]
        if first <= last:
            change[first] += 1
            change[last + 1] -= 1
    return np.cumsum(change)[:count]


@njit(cache=True, nogil=True)
def _count_edges(
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    order: NDArray[np.int32],
    stage: NDArray[np.uint8],
    born: NDArray[np.uint8],
    k: int,
) -> NDArray[np.int64]:
    """(n + 1,): where the edges of each vertex of the graph begin."""
    n = len(order)
    first = np.zeros(n + 1, np.int64)
    for v in range(n):
        if stage[v] >= k:
            for e in range(down_first[v], down_first[v + 1]):
                first[order[v] + 1] += stage[down_tail[e]] >= k and born[down_arc[e]] <= k
    return np.cumsum(first)


@njit(cache=True, nogil=True)
def _list_edges(
    down_first: NDArray[np.int64],
    down_tail: NDArray[np.int32],
    down_arc: NDArray[np.int64],
    order: NDArray[np.int32],
    stage: NDArray[np.uint8],
    born: NDArray[np.uint8],
    k: int,
    first: NDArray[np.int64],
) -> NDArray[np.int32]:
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
