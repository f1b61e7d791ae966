"""The separators of a nested dissection, read off the elimination tree.

The vertices of a separator are a chain of the elimination tree: below its last vertex the tree falls apart into the
regions that it divides. So a chain goes on while one child holds most of the region, and ends where none does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE, EliminationTree
from solvers.host.jit import njit

_MOST_OF_A_REGION = 2 / 3  # share of the child in which a separator goes on; dissection leaves at most 0.6 to one side


@dataclass(frozen=True, eq=False)
class Separators:
    """Every vertex belongs to one separator, the last ones to separators of a few vertices, the leaves.

    Attributes
    ----------
    level : (s,) int32
        Of each separator: 0 divides the whole graph, 1 about a half of it, and so on; always above the level of the
        separators around it.
    divides : (s,) int32
        Vertices of the region that it divides, its own included.
    first : (s + 1,) int64
        Separator ``i`` has the vertices ``vertices[first[i]:first[i + 1]]``. Separators are in order of level, those of
        a level by the size of their region, the largest first.
    vertices : (n,) int32
    separator : (n,) int32
        The separator of each vertex.
    """

    level: NDArray[np.int32]
    divides: NDArray[np.int32]
    first: NDArray[np.int64]
    vertices: NDArray[np.int32]
    separator: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.level)

    @property
    def levels(self) -> int:
        """Number of levels."""
        return int(self.level[-1]) + 1 if len(self.level) else 0

    def of(self, i: int) -> NDArray[np.int32]:
        """Vertices of separator ``i``, from the top of the tree."""
        return self.vertices[self.first[i] : self.first[i + 1]]


def find_separators(tree: EliminationTree) -> Separators:
    """The separators of an elimination tree."""
    chain, tops, level = _chains(tree.parent, tree.size, _MOST_OF_A_REGION)
    divides = tree.size[tops]
    order = np.lexsort((-divides, level))
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    by_rank = number[chain]
    members = np.argsort(by_rank[::-1], kind="stable")  # of the ranks in descending order
    first = np.zeros(len(order) + 1, np.int64)
    np.cumsum(np.bincount(by_rank, minlength=len(order)), out=first[1:])
    return Separators(
        level[order], divides[order], first, tree.order[::-1][members], by_rank[tree.rank].astype(np.int32)
    )


@njit(cache=True, nogil=True)
def _chains(
    parent: NDArray[np.int32], size: NDArray[np.int32], share: float
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
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
