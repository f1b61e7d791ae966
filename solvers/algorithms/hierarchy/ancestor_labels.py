"""Labels: for the vertices high in the elimination tree, the distances from all of their ancestors on the way down.

A sweep settles one level after another, and near the root a level is a few vertices: no work for a device. With labels
every vertex above a cut is settled at once, from what the climb reached, and below the cut small subtrees are left,
which do not depend on one another. Labels are made from the metric, from the root down, and serve every source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import EliminationTree
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy, batches
from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

_LEAST_SUBTREE = 64  # vertices below the cut that hang together
_MOST_ENTRIES = 16  # of all labels, for each vertex of the graph, ...
_ENTRIES = 1 << 22  # ... or so many, if that is more
_STEPS_A_LOOK = 30_000_000


@dataclass(frozen=True)
class AncestorLabels:
    """The cut, and the labels of the vertices above it. Vertices are named by rank.

    Attributes
    ----------
    above : (k,) int32
        The vertices above the cut, ascending.
    first : (k + 1,) int64
        Vertex ``above[i]``'s label begins at ``first[i]``; it has an entry for each depth less than its own.
    labels : (entries,) array of a distance type
        Length of the shortest way from the ancestor at that depth, along down arcs alone; infinity if there is none.
    pieces : (subtrees,) int32
        Roots of the subtrees below the cut, ascending.
    """

    above: NDArray[np.int32]
    first: NDArray[np.int64]
    labels: NDArray[Any]
    pieces: NDArray[np.int32]


def ancestor_labels(
    hierarchy: Hierarchy, metric: Metric, kind: WeightType, observer: Observer = SILENT
) -> AncestorLabels:
    """Cut the tree, and label what is above.

    Raises
    ------
    Cancelled
    """
    tree = hierarchy.tree
    above, pieces = cut_tree(tree)
    first = np.zeros(len(above) + 1, np.int64)
    np.cumsum(tree.depth[above], out=first[1:])
    labels = np.empty(first[-1], kind.dtype)
    index_at = np.zeros(tree.height, np.int64)  # by depth: the place in `above` of the ancestor that came last
    degrees = np.diff(hierarchy.up_first)[above]
    for begin, end in batches((degrees * tree.depth[above])[::-1], _STEPS_A_LOOK):
        observer.checkpoint()
        _label(
            above, len(above) - begin, len(above) - end, first, tree.depth, hierarchy.up_first, hierarchy.up_depth,
            metric.down, kind.dtype.type(kind.infinity), metric.guarded and kind.is_integer, index_at, labels,
        )  # fmt: skip
    return AncestorLabels(above, first, labels, pieces)


def cut_tree(tree: EliminationTree) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The vertices whose subtrees exceed a size, the least for which labels are few enough; and the roots below."""
    most_entries = max(_ENTRIES, _MOST_ENTRIES * tree.n)
    largest = _LEAST_SUBTREE
    while largest < tree.n and int(tree.depth[tree.size > largest].sum(dtype=np.int64)) > most_entries:
        largest *= 2
    below = tree.size <= largest
    root = below.copy()
    has = tree.parent >= 0
    root[has] &= ~below[tree.parent[has]]
    return np.flatnonzero(~below).astype(np.int32), np.flatnonzero(root).astype(np.int32)


@njit(cache=True, nogil=True)
def _label(
    above: NDArray[np.int32],
    begin: int,
    end: int,
    first: NDArray[np.int64],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    down: NDArray[Any],
    infinity: Any,
    guarded: bool,
    index_at: NDArray[np.int64],
    labels: NDArray[Any],
) -> None:
    """Labels of ``above[begin - 1]`` down to ``above[end]``, each from those of its higher neighbours."""
    for i in range(begin - 1, end - 1, -1):
        v = above[i]
        index_at[depth[v]] = i
        own = labels[first[i] : first[i + 1]]
        own[:] = infinity
        for a in range(up_first[v], up_first[v + 1]):
            weight, h = down[a], up_depth[a]
            if not weight < infinity:
                continue
            own[h] = min(own[h], weight)
            start = first[index_at[h]]
            if guarded:
                for k in range(h):
                    if labels[start + k] < infinity:
                        own[k] = min(own[k], weight + labels[start + k])
            else:
                for k in range(h):
                    own[k] = min(own[k], weight + labels[start + k])
