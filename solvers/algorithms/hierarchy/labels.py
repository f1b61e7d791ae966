"""Labels: for the vertices high in the elimination tree, the distances from all of
their ancestors on the way down.

A sweep settles one level after another, and near the root a level has only a few
vertices, too few for a device. With labels every vertex above a cut is settled at once,
from what the climb reached, and below the cut small subtrees are left, which do not
depend on one another. Labels are made from the metric, from the root down, and serve
every source.

They are made on the processor or on a device, there by one launch for each depth of the
elimination tree, as ``device_labels.cu`` explains. `DeviceLayout` is the hierarchy as a
device reads it: vertices renumbered so that what a block settles together lies
together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import EliminationTree
from solvers.algorithms.hierarchy.metric import Metric, MetricArrays
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays, batches
from solvers.devices.device import Device, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

_LEAST_SUBTREE = 64  # vertices below the cut that hang together
_MOST_ENTRIES = 16  # of all labels, for each vertex of the graph, ...
_ENTRIES = 1 << 22  # ... or so many, if that is more
_STEPS_A_LOOK = 30_000_000

_BLOCK = 128
_GRID = 16384  # blocks of a launch at most
_ENTRIES_A_LOOK = 1 << 26  # between two cancellation checks; on a processor ...
_ENTRIES_ON_A_CPU = 1 << 18

_BUNDLE = 512  # vertices of small subtrees that a block settles together


@dataclass(frozen=True)
class AncestorLabels:
    """The cut, and the labels of the vertices above it. Vertices are named by rank."""

    above: Int32s  # (k,), the vertices above the cut, ascending
    # (k + 1,), vertex ``above[i]``'s label begins at ``first[i]``; it has an entry for
    # each depth less than its own
    first: Int64s
    # (entries,) of a distance type, length of the shortest way from the ancestor at
    # that depth, along down arcs alone; infinity if there is none
    labels: AnyArray
    pieces: Int32s  # (subtrees,), roots of the subtrees below the cut, ascending


def ancestor_labels(
    hierarchy: Hierarchy, metric: Metric, kind: WeightType, progress: Progress = SILENT
) -> AncestorLabels:
    """Cut the tree, and label what is above; raises Cancelled."""
    tree = hierarchy.tree
    above, pieces = cut_tree(tree)
    first = offsets_of(tree.depth[above])
    labels = np.empty(first[-1], kind.dtype)
    # by depth: the place in `above` of the ancestor that came last
    index_at = np.zeros(tree.height, np.int64)
    degrees = np.diff(hierarchy.up_first)[above]
    for begin, end in batches((degrees * tree.depth[above])[::-1], _STEPS_A_LOOK):
        progress.checkpoint()
        part = (len(above) - begin, len(above) - end)
        _label(above, *part, first, hierarchy.arrays, metric.arrays, index_at, labels)
    return AncestorLabels(above, first, labels, pieces)


def cut_tree(tree: EliminationTree) -> tuple[Int32s, Int32s]:
    """The vertices whose subtrees exceed a size, the least for which labels are few
    enough; and the roots below.
    """
    most_entries = max(_ENTRIES, _MOST_ENTRIES * tree.n)
    largest = _LEAST_SUBTREE
    while (
        largest < tree.n and int(tree.depth[tree.size > largest].sum(dtype=np.int64)) > most_entries
    ):
        largest *= 2
    below = tree.size <= largest
    root = below.copy()
    has = tree.parent >= 0
    root[has] &= ~below[tree.parent[has]]
    return np.flatnonzero(~below).astype(np.int32), np.flatnonzero(root).astype(np.int32)


@njit
def _label(
    above: Int32s,
    begin: int,
    end: int,
    first: Int64s,
    arrays: HierarchyArrays,
    weights: MetricArrays,
    index_at: Int64s,
    labels: AnyArray,
) -> None:
    """Labels of ``above[begin - 1]`` down to ``above[end]``, each from those of its
    higher neighbours.
    """
    depth, up_first, up_depth = arrays.depth, arrays.up_first, arrays.up_depth
    _, down, infinity, guarded, _ = weights
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


def compile_labels(device: Device, kind: WeightType, *, guarded: bool) -> Program:
    """The kernel; compiled before the time is taken; raises KernelBuildError."""
    defines = distance_defines(kind) | ({"GUARDED": 1} if guarded and kind.is_integer else {})
    return device.compile(KernelSource.beside(__file__, "device_labels.cu", **defines))


def labels_on_device(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    device: Device,
    progress: Progress = SILENT,
) -> AncestorLabels:
    """The labels of `ancestor_labels`, bit for bit.

    Raises OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    tree = hierarchy.tree
    above, pieces = cut_tree(tree)
    depths = tree.depth[above]
    first = offsets_of(depths)
    if not first[-1]:
        return AncestorLabels(above, first, np.empty(0, kind.dtype), pieces)
    program = compile_labels(device, kind, guarded=metric.guarded)
    by_depth = np.argsort(depths.astype(np.uint16), kind="stable").astype(np.int32)
    with device.session() as session:
        rows = _rows(above, hierarchy, metric)
        given: tuple[AnyArray, ...] = (by_depth, first, *rows)
        arrays = tuple(map(session.upload, given))
        labels = session.empty(int(first[-1]), kind.dtype)
        begin, entries = 0, 0
        for depth, count in enumerate(np.bincount(depths).tolist()):
            blocks = min(_GRID, -(-count * depth // _BLOCK))
            program.launch(
                "make_labels",
                (blocks,),
                (_BLOCK,),
                np.int32(begin),
                np.int64(count),
                np.int32(depth),
                *arrays,
                labels,
            )
            begin, entries = begin + count, entries + count * depth
            if entries > (_ENTRIES_ON_A_CPU if device.is_cpu else _ENTRIES_A_LOOK):
                session.synchronize()
                progress.checkpoint()
                entries = 0
        progress.checkpoint()
        return AncestorLabels(above, first, session.download(labels), pieces)


def _rows(above: Int32s, hierarchy: Hierarchy, metric: Metric) -> tuple[AnyArray, ...]:
    """Up arcs of ``above``: where rows begin, upper ends as positions in ``above``,
    depths, weights.
    """
    position = np.empty(hierarchy.n, np.int32)
    position[above] = np.arange(len(above), dtype=np.int32)
    first, heads, weights = _arcs_of(above, position, hierarchy, metric)
    return first, heads, hierarchy.tree.depth[above].astype(np.uint16)[heads], weights


@dataclass(frozen=True)
class DeviceLayout:
    """A cut hierarchy with its metric. A vertex's place: above the cut by rank, then by
    bundle, level and rank.
    """

    labels: AncestorLabels
    order: Int32s  # (n,), the vertex of the graph at each place
    place: Int32s  # (n,), the place of each rank
    # (bundles + 1,), where the levels of each bundle of subtrees begin in ``level_first``
    bundle_levels: Int32s
    level_first: Int32s  # (levels + 1,), place of the first vertex of each level
    # (vertices below the cut + 1,), where the up arcs of each vertex below the cut
    # begin, in the order of places
    row_first: Int64s
    heads: Int32s  # (arcs up from below the cut,), place of the upper end
    down: AnyArray  # (arcs up from below the cut,), weight from the upper end to the lower

    @property
    def above(self) -> int:
        """Number of vertices above the cut."""
        return len(self.labels.above)

    @property
    def bundles(self) -> int:
        return len(self.bundle_levels) - 1

    def bundle_of(self, place: int) -> int:
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
    rows, heads, down = _arcs_of(ranks, place, hierarchy, metric)
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


def _arcs_of(
    ranks: Int32s, place: Int32s, hierarchy: Hierarchy, metric: Metric
) -> tuple[Int64s, Int32s, AnyArray]:
    """Up arcs of ``ranks``, in this order: where rows begin, places of upper ends,
    weights downwards.
    """
    first = offsets_of(np.diff(hierarchy.up_first)[ranks])
    heads, weights = np.empty(first[-1], np.int32), np.empty(first[-1], metric.down.dtype)
    _copy_arcs(ranks, first, place, hierarchy.arrays, metric.down, heads, weights)
    return first, heads, weights


@njit
def _copy_arcs(
    ranks: Int32s,
    rows: Int64s,
    place: Int32s,
    arrays: HierarchyArrays,
    weights: AnyArray,
    heads: Int32s,
    down: AnyArray,
) -> None:
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    for i in range(len(ranks)):
        v, to = ranks[i], rows[i]
        higher = parent[v]
        for a in range(up_first[v], up_first[v + 1]):
            while depth[higher] != up_depth[a]:
                higher = parent[higher]
            heads[to] = place[higher]
            down[to] = weights[a]
            to += 1
