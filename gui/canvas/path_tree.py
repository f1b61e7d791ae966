"""The shortest-path tree down to a depth, counted in arcs, and how it is drawn into a frame. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.results import Result

TREE_WIDTH = 2  # logical pixels
_OPACITY = 0.75


@dataclass(frozen=True, eq=False)
class PathTree:
    """Predecessors from one source, and how deep they are followed.

    Attributes
    ----------
    predecessors : (n,) int32
        -1 for the source and for what cannot be reached.
    depth : int or None
        Most arcs from the source; None for the whole tree.
    """

    predecessors: NDArray[np.int32]
    depth: int | None = None

    @cached_property
    def heads(self) -> NDArray[np.int32]:
        """Vertices that an arc of the tree leads to, ascending; each arc is (its predecessor, head)."""
        depths = vertex_depths(self.predecessors)
        wanted = (depths > 0) if self.depth is None else (depths > 0) & (depths <= self.depth)
        return np.flatnonzero(wanted).astype(np.int32)

    def holds(self, tail: int, head: int) -> bool:
        """Whether the arc from ``tail`` to ``head`` belongs to it."""
        if self.predecessors[head] != tail:
            return False
        at = int(np.searchsorted(self.heads, head))
        return at < len(self.heads) and int(self.heads[at]) == head


def predecessor_row(result: Result) -> NDArray[np.int32] | None:
    """Predecessors from the result's source, (n,); None where they are not known."""
    if result.predecessors is None:
        return None
    return result.predecessors if result.predecessors.ndim == 1 else result.predecessors[result.source or 0]


@njit(cache=True, nogil=True)
def vertex_depths(predecessors):
    """(n,) arcs between the root of its tree and each vertex; 0 for roots. Ends on cycles, too."""
    n = predecessors.shape[0]
    depths = np.full(n, -1, np.int32)
    for v in range(n):
        u, steps = v, 0
        while depths[u] < 0 and predecessors[u] >= 0 and steps < n:
            depths[u] = 0  # on the way: a cycle ends here
            u = predecessors[u]
            steps += 1
        below = max(depths[u], 0)
        if predecessors[u] < 0:
            depths[u] = 0
        u = v
        while steps > 0:
            depths[u] = below + steps
            u = predecessors[u]
            steps -= 1
    return depths


@njit(cache=True, nogil=True)
def draw_tree(image, top, positions, predecessors, heads, scale, dx, dy, colour, width):
    """Lines ``width`` pixels wide over premultiplied ARGB; ``image`` holds the rows from ``top`` on."""
    rows, columns = image.shape
    for i in range(heads.shape[0]):
        v = heads[i]
        u = predecessors[v]
        x0, y0 = positions[u, 0] * scale + dx, positions[u, 1] * scale + dy - top
        x1, y1 = positions[v, 0] * scale + dx, positions[v, 1] * scale + dy - top
        if not (x0 == x0 and x1 == x1):
            continue
        if max(x0, x1) < 0 or max(y0, y1) < 0 or min(x0, x1) >= columns or min(y0, y1) >= rows:
            continue
        steep = abs(y1 - y0) > abs(x1 - x0)
        a0, a1, across0, across1 = (y0, y1, x0, x1) if steep else (x0, x1, y0, y1)
        if a0 > a1:
            a0, a1, across0, across1 = a1, a0, across1, across0
        slope = (across1 - across0) / (a1 - a0) if a1 > a0 else 0.0
        limit = rows if steep else columns
        for a in range(max(0, int(np.floor(a0))), min(limit - 1, int(np.floor(a1))) + 1):
            b = int(np.floor(across0 + slope * (a + 0.5 - a0)))
            for across in range(b - (width - 1) // 2, b + width // 2 + 1):
                x, y = (across, a) if steep else (a, across)
                if 0 <= x < columns and 0 <= y < rows:
                    image[y, x] = _over(colour, image[y, x])


@njit(cache=True, nogil=True)
def _over(colour, under):
    """``colour`` laid over a premultiplied pixel."""
    mixed = np.uint32(0)
    for shift in (0, 8, 16, 24):
        above, below = (colour >> np.uint32(shift)) & np.uint32(255), (under >> np.uint32(shift)) & np.uint32(255)
        value = np.uint32(_OPACITY * above + (1.0 - _OPACITY) * below)
        mixed |= value << np.uint32(shift)
    return mixed
