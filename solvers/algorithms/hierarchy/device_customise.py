"""Customisation on a device, a launch for each level of the elimination tree; see
``device_customise.cu``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt16s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import numbers_in, offsets_of

_BLOCK = 128
_MOST_SHIFT = 5  # of the number of threads that share an arc's detours
_THREADS_A_LOOK = 1 << 28  # between two cancellation checks; on a processor ...
_THREADS_ON_A_CPU = 1 << 20
_GRID = 4096  # blocks of kernels that take any number of arcs


@dataclass(frozen=True)
class DetourLevels:
    """The up arcs that are the nearer leg of some detour, by the level of their lower ends."""

    first: Int64s  # (levels + 1,), where the arcs of each level begin
    # (levels,), binary logarithm of the number of threads that share the detours of one
    # arc
    shift: Int64s
    # arcs, tails: (arcs of all levels,), the arc, and its lower end by rank
    arcs: Int32s
    tails: Int32s
    heads: Int32s  # (arcs up,), upper end of each up arc, by rank

    def launches(self) -> list[tuple[int, int, int]]:
        """First arc, number of arcs and shift of each level."""
        return list(
            zip(
                self.first[:-1].tolist(),
                np.diff(self.first).tolist(),
                self.shift.tolist(),
                strict=True,
            )
        )


def suits(hierarchy: Hierarchy) -> bool:
    """Whether the kernels can count the arcs."""
    return hierarchy.arcs <= np.iinfo(np.int32).max


def detour_levels(hierarchy: Hierarchy) -> DetourLevels:
    """Arcs by level; a level's vertices have no descendant on the same one. O(arcs)."""
    tree = hierarchy.tree
    heads = np.empty(hierarchy.arcs, np.int32)
    heads[hierarchy.down_arc] = np.repeat(
        np.arange(tree.n, dtype=np.int32), np.diff(hierarchy.down_first)
    )
    # the farthest arc has no farther leg beside it
    legs = np.maximum(np.diff(hierarchy.up_first) - 1, 0)
    tails = np.repeat(np.arange(tree.n, dtype=np.int32), legs)
    arcs = numbers_in(hierarchy.up_first[:-1], legs)
    level = _levels(tree.parent)[tails]
    by_level = np.argsort(level, kind="stable")
    counts = np.bincount(level)
    first = offsets_of(counts)
    # mean number of farther legs
    lengths = np.bincount(level, weights=legs[tails]) / 2 / np.maximum(counts, 1)
    shift = np.clip(np.ceil(np.log2(np.maximum(lengths, 1))), 0, _MOST_SHIFT).astype(np.int64)
    return DetourLevels(first, shift, arcs[by_level].astype(np.int32), tails[by_level], heads)


def compile_customising(device: Device, graph: Graph, kind: WeightType) -> Program:
    """The kernels for this graph's weights; compiled before the time is taken; raises
    KernelBuildError.
    """
    defines = distance_defines(kind) | (
        {"GUARDED": 1} if graph.has_negative_weights and kind.is_integer else {}
    )
    return device.compile(KernelSource.beside(__file__, "device_customise.cu", **defines))


def customise_on_device(
    graph: Graph,
    hierarchy: Hierarchy,
    kind: WeightType,
    device: Device,
    progress: Progress = SILENT,
) -> tuple[Metric, float]:
    """Weights of all up arcs, those of `customise` bit for bit, and the device's time
    for them in ms.

    Where there is a negative cycle, weights above it mean nothing.

    Raises OutOfMemory, KernelBuildError, DeviceUnavailable, Cancelled.
    """
    program = compile_customising(device, graph, kind)
    levels: DetourLevels = graph.cached(
        "detours of the hierarchy", lambda: detour_levels(hierarchy)
    )
    weights = graph.weights_in(kind.dtype)
    guarded = bool(len(weights) and graph.has_negative_weights)
    infinity = kind.dtype.type(kind.infinity)
    if not hierarchy.arcs:
        up = np.empty(0, kind.dtype)
        return Metric(up, up, False, guarded, infinity), 0.0
    with device.session() as session:
        work = _Work(session, program, hierarchy, levels, weights)
        progress.checkpoint()
        with session.timer() as timer:
            symmetric = work.spread()
            work.offer_detours(symmetric, progress)
            negative = work.has_negative_cycle(symmetric)
        up = session.download(work.up)
        down = up if symmetric else session.download(work.down)
    return Metric(up, down, negative, guarded, infinity), timer.ms


class _Work:
    """The hierarchy and its weights on the device."""

    def __init__(
        self,
        session: DeviceSession,
        program: Program,
        hierarchy: Hierarchy,
        levels: DetourLevels,
        weights: AnyArray,
    ):
        self._session, self._program, self._levels = session, program, levels
        self._count, self._inputs = hierarchy.arcs, len(hierarchy.input_arc)
        self.up, self.down = (session.empty(hierarchy.arcs, weights.dtype) for _ in range(2))
        self._found = session.upload(np.zeros(2, np.int32))
        own: tuple[AnyArray, ...] = (hierarchy.input_arc, hierarchy.input_up, weights)
        rows: tuple[AnyArray, ...] = (
            levels.arcs,
            levels.tails,
            levels.heads,
            hierarchy.up_first,
            hierarchy.up_depth,
        )
        self._graph, self._rows = tuple(map(self._upload, own)), tuple(map(self._upload, rows))
        session.synchronize()

    def spread(self) -> bool:
        """Give up arcs the weights of the graph's arcs; True if both directions are the
        same everywhere.
        """
        weights = self.up, self.down
        self._launch("clear_weights", self._count, *weights)
        self._launch("spread_weights", self._inputs, *self._graph, *weights)
        self._launch("compare_directions", self._count, *weights, self._found)
        return not int(self._session.download(self._found)[0])

    def offer_detours(self, symmetric: bool, progress: Progress) -> None:
        is_cpu, threads = self._session.device.is_cpu, 0
        for first, count, shift in self._levels.launches():
            blocks = -(-(count << shift) // _BLOCK)
            self._program.launch(
                "offer_detours",
                (blocks,),
                (_BLOCK,),
                first,
                count,
                shift,
                *self._rows,
                symmetric,
                self.up,
                self.down,
            )
            threads += count << shift
            if threads > (_THREADS_ON_A_CPU if is_cpu else _THREADS_A_LOOK):
                self._session.synchronize()
                progress.checkpoint()
                threads = 0

    def has_negative_cycle(self, symmetric: bool) -> bool:
        weights = (self.up, self.up if symmetric else self.down)
        self._launch("find_negative", self._count, *weights, self._found)
        return bool(self._session.download(self._found)[1])

    def _launch(self, kernel: str, count: int, *arguments: Any) -> None:
        """Queue a kernel for as many things as its first argument says."""
        blocks = min(_GRID, -(-count // _BLOCK))
        self._program.launch(kernel, (blocks,), (_BLOCK,), count, *arguments)

    def _upload(self, array: AnyArray) -> Any:
        return self._session.upload(array if len(array) else np.zeros(1, array.dtype))


@njit
def _levels(parent: Int32s) -> UInt16s:
    """Most vertices on a path down from each vertex, itself not counted."""
    level = np.zeros(len(parent), np.uint16)
    for v in range(len(parent)):
        higher = parent[v]
        if higher != NONE and level[higher] <= level[v]:
            level[higher] = level[v] + 1
    return level
