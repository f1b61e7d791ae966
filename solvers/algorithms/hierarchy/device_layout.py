"""The hierarchy as a device reads it: vertices renumbered so that what a block settles together lies together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.ancestor_labels import AncestorLabels
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.host.jit import njit

_BUNDLE = 512  # vertices of small subtrees that a block settles together


@dataclass(frozen=True)
class DeviceLayout:
    """A cut hierarchy with its metric. A vertex's place: above the cut by rank, then by bundle, level and rank.

    Attributes
    ----------
    labels : AncestorLabels
    order : (n,) int32
        The vertex of the graph at each place.
    place : (n,) int32
        The place of each rank.
    bundle_levels : (bundles + 1,) int32
        Where the levels of each bundle of subtrees begin in ``level_first``.
    level_first : (levels + 1,) int32
        Place of the first vertex of each level.
    row_first : (vertices below the cut + 1,) int64
        Where the up arcs of each vertex below the cut begin, in the order of places.
    heads : (arcs up from below the cut,) int32
        Place of the upper end.
    down : (arcs up from below the cut,)
        Weight from the upper end to the lower.
    """

    labels: AncestorLabels
    order: NDArray[np.int32]
    place: NDArray[np.int32]
    bundle_levels: NDArray[np.int32]
    level_first: NDArray[np.int32]
    row_first: NDArray[np.int64]
    heads: NDArray[np.int32]
    down: NDArray[Any]

    @property
    def above(self) -> int:
        """Number of vertices above the cut."""
        return len(self.labels.above)

    @property
    def bundles(self) -> int:
        return len(self.bundle_levels) - 1

    def bundle_of(self, place: int) -> int:
        """The bundle of a place below the cut."""
        level = int(np.searchsorted(self.level_first, place, side="right")) - 1
        return int(np.searchsorted(self.bundle_levels, level, side="right")) - 1


def device_layout(hierarchy: Hierarchy, metric: Metric, labels: AncestorLabels) -> DeviceLayout:
    """Renumber the vertices, and lay their arcs out in that order. O(n log n + arcs)."""
    tree, above = hierarchy.tree, labels.above
    sizes = tree.size[labels.pieces]
    below = np.ones(tree.n, np.bool_)
    below[above] = False
    ranks = np.flatnonzero(below).astype(np.int32)  # subtree after subtree
    bundle = (np.cumsum(sizes) - sizes) // _BUNDLE
    key = np.repeat(bundle, sizes) * np.int64(tree.height)
    key += tree.depth[ranks] - np.repeat(tree.depth[labels.pieces], sizes)
    by_key = np.argsort(key, kind="stable")
    key, ranks = key[by_key], ranks[by_key]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bundle_of_level = key[starts] // max(1, tree.height)
    levels = np.flatnonzero(np.diff(bundle_of_level, prepend=-1))
    place = np.empty(tree.n, np.int32)
    place[above] = np.arange(len(above), dtype=np.int32)
    place[ranks] = np.arange(len(above), tree.n, dtype=np.int32)
    rows = np.zeros(len(ranks) + 1, np.int64)
    np.cumsum(np.diff(hierarchy.up_first)[ranks], out=rows[1:])
    heads, down = np.empty(rows[-1], np.int32), np.empty(rows[-1], metric.down.dtype)
    _lay_out(
        ranks, rows, place, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.down, heads, down
    )
    return DeviceLayout(
        labels=labels,
        order=tree.order[np.concatenate((above, ranks))],
        place=place,
        bundle_levels=np.append(levels, len(starts)).astype(np.int32),
        level_first=np.append(starts + len(above), tree.n).astype(np.int32),
        row_first=rows,
        heads=heads,
        down=down,
    )


@njit(cache=True, nogil=True)
def _lay_out(
    ranks: NDArray[np.int32],
    rows: NDArray[np.int64],
    place: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    weights: NDArray[Any],
    heads: NDArray[np.int32],
    down: NDArray[Any],
) -> None:
    """Copy the up arcs of ``ranks``, in this order, with the places of their upper ends."""
    for i in range(len(ranks)):
        v, to = ranks[i], rows[i]
        higher = parent[v]
        for a in range(up_first[v], up_first[v + 1]):
            while depth[higher] != up_depth[a]:
                higher = parent[higher]
            heads[to] = place[higher]
            down[to] = weights[a]
            to += 1
