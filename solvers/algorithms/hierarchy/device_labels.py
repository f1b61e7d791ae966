"""Labels made on a device, one launch for each depth of the elimination tree; explained in ``device_labels.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.ancestor_labels import AncestorLabels, cut_tree
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.devices.base import Device, KernelSource, Program
from solvers.devices.dialect import distance_defines
from solvers.graphs.weights import WeightType
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

_BLOCK = 128
_GRID = 16384  # blocks of a launch at most
_ENTRIES_A_LOOK = 1 << 26  # between two cancellation checks; on a processor ...
_ENTRIES_ON_A_CPU = 1 << 18


def compile_labels(device: Device, kind: WeightType, *, guarded: bool) -> Program:
    """The kernel; compiled before the time is taken.

    Raises
    ------
    KernelBuildError
    """
    defines = distance_defines(kind) | ({"GUARDED": 1} if guarded and kind.is_integer else {})
    return device.compile(KernelSource.beside(__file__, "device_labels.cu", **defines))


def labels_on_device(
    hierarchy: Hierarchy, metric: Metric, kind: WeightType, device: Device, observer: Observer = SILENT
) -> AncestorLabels:
    """The labels of `ancestor_labels`, bit for bit.

    Raises
    ------
    OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled
    """
    tree = hierarchy.tree
    above, pieces = cut_tree(tree)
    depths = tree.depth[above]
    first = np.concatenate(([0], np.cumsum(depths, dtype=np.int64)))
    if not first[-1]:
        return AncestorLabels(above, first, np.empty(0, kind.dtype), pieces)
    program = compile_labels(device, kind, guarded=metric.guarded)
    by_depth = np.argsort(depths.astype(np.uint16), kind="stable").astype(np.int32)
    with device.session() as session:
        rows = _rows(above, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.down)
        arrays = tuple(session.upload(array) for array in (by_depth, first, *rows))
        labels = session.empty(int(first[-1]), kind.dtype)
        begin, entries = 0, 0
        for depth, count in enumerate(np.bincount(depths).tolist()):
            blocks = min(_GRID, -(-count * depth // _BLOCK))
            program.launch(
                "make_labels", (blocks,), (_BLOCK,), np.int32(begin), np.int64(count), np.int32(depth), *arrays, labels
            )
            begin, entries = begin + count, entries + count * depth
            if entries > (_ENTRIES_ON_A_CPU if device.is_cpu else _ENTRIES_A_LOOK):
                session.synchronize()
                observer.checkpoint()
                entries = 0
        observer.checkpoint()
        return AncestorLabels(above, first, session.download(labels), pieces)


@njit(cache=True, nogil=True)
def _rows(
    above: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    weights: NDArray[Any],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16], NDArray[Any]]:
    """Up arcs of the vertices above the cut: where rows begin, places of upper ends in ``above``, depths, weights."""
    row_first = np.zeros(len(above) + 1, np.int64)
    for i in range(len(above)):
        row_first[i + 1] = row_first[i] + up_first[above[i] + 1] - up_first[above[i]]
    arcs = row_first[-1]
    heads, depths, copied = np.empty(arcs, np.int32), np.empty(arcs, np.uint16), np.empty(arcs, weights.dtype)
    place = np.zeros(len(parent), np.int32)
    for i in range(len(above)):
        place[above[i]] = i
    for i in range(len(above)):
        v, to = above[i], row_first[i]
        higher = parent[v]
        for a in range(up_first[v], up_first[v + 1]):
            while depth[higher] != up_depth[a]:
                higher = parent[higher]
            heads[to], depths[to], copied[to] = place[higher], up_depth[a], weights[a]
            to += 1
    return row_first, heads, depths, copied
