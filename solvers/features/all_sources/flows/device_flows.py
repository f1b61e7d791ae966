"""Flows of shortest paths over a hierarchy on a device, thousands of sources together;
explained in ``device_flows.cu``.

Distances, counts and shares of a batch are kept by position and source in the device's
memory, 12 bytes each for 32-bit distances, so batches are as large as fit. Flows of up
arcs are downloaded once for all sources of a call; the processor gives them to the
graph's arcs, as for `HierarchyFlows`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.device_customise import suits
from solvers.algorithms.hierarchy.device_hierarchy import SweepPieces, sweep_pieces
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.errors import DeviceUnavailable, OutOfMemory
from solvers.features.all_sources.flows.flow_columns import ARRIVED, FARTHEST, TOTAL
from solvers.features.all_sources.flows.path_counts import (
    MOST_COUNT,
    CountedHierarchy,
    load_counting,
)
from solvers.features.all_sources.flows.path_flows import FlowTotals
from solvers.graphs.graph import Graph
from solvers.graphs.weights import FLOAT64, WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_BLOCK, _EACH = 64, 4  # threads of a block, sources of a thread
_BLOCK_ON_A_CPU = 16
_PIECE = 64  # most vertices of a piece of the last stage
_MOST_LANES = 1 << 15  # of a batch: enough to keep a GPU busy at the roots, where pieces are few
_MOST_LANES_ON_A_CPU = 1 << 7
_MOST_SOURCES, _MOST_CELLS = 1 << 19, 1 << 37  # of a call: some seconds
_BLOCKS_A_UNIT = 128  # enough for several waves of blocks
_SHARE = 0.8  # of the free memory
_GRID = 4096  # blocks of kernels that take any number of values


class FlowLayout(NamedTuple):
    """Up arcs twice, by the places of their lower and of their upper ends; a *place* is
    that of `SweepPieces`.
    """

    arc_first: Int32s  # (n + 1,) where each place's entries by lower end begin
    arc: Int64s  # (arcs up,) by lower end: the up arc, ...
    entry: Int32s  # its number by upper end, ...
    head: Int32s  # and the place of its upper end
    down_first: Int32s  # (n + 1,) where each place's entries by upper end begin
    down_arc: Int64s  # (arcs up,) by upper end: the up arc, ...
    tail: Int32s  # and the place of its lower end
    lower: Int32s  # (arcs up,) lower end of each up arc, by rank


def usual_source(graph: Graph) -> KernelSource:
    """What a GPU needs, for `compile_ahead`."""
    return _source(graph, _BLOCK)


def _source(graph: Graph, block: int) -> KernelSource:
    defines = distance_defines(graph.distance_type) | {"BLOCK": block, "EACH": _EACH}
    return KernelSource.beside(__file__, "device_flows.cu", **defines)


@cache
def load_functions(kind: WeightType) -> None:
    """Have compiled what the processor does for flows on a device, or loaded, before there is a
    hierarchy.
    """
    hierarchy = load_counting(kind)
    flow_layout(hierarchy, sweep_pieces(hierarchy, _PIECE))


def flow_layout(hierarchy: Hierarchy, pieces: SweepPieces) -> FlowLayout:
    """Lay the arcs of a hierarchy out by place. O(n + arcs)."""
    n, arcs, rank = hierarchy.n, hierarchy.arcs, pieces.rank
    place = np.empty(n, np.int32)
    place[rank] = np.arange(n, dtype=np.int32)
    laid = FlowLayout(
        np.zeros(n + 1, np.int32),
        np.empty(arcs, np.int64),
        np.empty(arcs, np.int32),
        np.empty(arcs, np.int32),
        np.zeros(n + 1, np.int32),
        np.empty(arcs, np.int64),
        np.empty(arcs, np.int32),
        np.empty(arcs, np.int32),
    )
    below = hierarchy.down_first, hierarchy.down_tail, hierarchy.down_arc
    _lay_out(rank, place, hierarchy.up_first, *below, np.empty((2, arcs), np.int32), laid)
    return laid


@njit
def _lay_out(
    rank: Int32s,
    place: Int32s,
    up_first: Int64s,
    down_first: Int64s,
    down_tail: Int32s,
    down_arc: Int64s,
    of_arc: Int32s,  # (2, arcs up) to work with: entry by upper end, and the place of that end
    laid: FlowLayout,
) -> None:
    """Entries by upper end, and then, which name them, by lower end."""
    found = 0
    for p in range(len(rank)):
        for e in range(down_first[rank[p]], down_first[rank[p] + 1]):
            a = down_arc[e]
            laid.down_arc[found], laid.tail[found] = a, place[down_tail[e]]
            of_arc[0, a], of_arc[1, a] = found, p
            found += 1
        laid.down_first[p + 1] = found
    found = 0
    for p in range(len(rank)):
        for a in range(up_first[rank[p]], up_first[rank[p] + 1]):
            laid.arc[found], laid.lower[a] = a, rank[p]
            laid.entry[found], laid.head[found] = of_arc[0, a], of_arc[1, a]
            found += 1
        laid.arc_first[p + 1] = found


class DeviceFlows:
    """Flows over a graph with small separators, on a device.

    Parameters are as those of `HierarchyFlows`; the threads count paths and give flows
    to arcs.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, KernelBuildError,
    Cancelled.
    """

    may_be_shared = False

    def __init__(
        self,
        graph: Graph,
        masses: Float64s,
        limit: Any,
        threads: int,
        row: Callable[[int, Progress], AnyArray],
        device: Device,
        progress: Progress = SILENT,
        origins: Float64s | None = None,
    ):
        self.name = f"hierarchy on {device.kind}"
        if lacking := device.missing_features(FLOAT64):
            raise DeviceUnavailable(
                f"{device.name} lacks {lacking}, which flows need; choose another device."
            )
        self._counted = CountedHierarchy(graph, self.name, threads, row, progress)
        if not suits(self._counted.hierarchy):
            raise DeviceUnavailable(
                f"{graph.name} has more arcs up than kernels count; compute flows on the processor."
            )
        self.note = f"{device.name}; {self._counted.note}"
        self._device, self._masses, self._limit = (
            device,
            masses,
            graph.distance_type.dtype.type(limit),
        )
        self._origins = masses if origins is None else origins
        self._block = _BLOCK_ON_A_CPU if device.is_cpu else _BLOCK
        self._program = device.compile(_source(graph, self._block))
        hierarchy = self._counted.hierarchy
        self._pieces: SweepPieces = graph.cached(
            ("pieces of the hierarchy", _PIECE), lambda: sweep_pieces(hierarchy, _PIECE)
        )

    @property
    def numbering(self) -> str:
        return self._counted.numbering

    @property
    def most_sources(self) -> int:
        return min(_MOST_SOURCES, max(_MOST_LANES, _MOST_CELLS // self._counted.hierarchy.n))

    @property
    def thread_bytes(self) -> int:
        """Of the host; distances are in the device's memory."""
        return 0

    def nothing(self) -> FlowTotals:
        return self._counted.nothing()

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises UnsuitableGraph if the shortest paths are too many to be counted in
        float64, even scaled; OutOfMemory, DeviceUnavailable, Cancelled.
        """
        hierarchy, tree = self._counted.hierarchy, self._counted.hierarchy.tree
        found = self.nothing()
        # neighbours share most of their paths
        order = np.argsort(tree.rank[sources], kind="stable")
        ordered, sums = sources[order], np.empty((len(sources), 3))
        if not hierarchy.arcs or not len(ordered):
            found.rows = np.zeros_like(sums)
            return found
        with self._device.session() as session:
            work = _Work(
                session,
                self._program,
                self._counted,
                self._pieces,
                self._layout,
                self._masses,
                self._block,
            )
            work.allocate(len(ordered))
            for first in range(0, len(ordered), work.lanes):
                progress.checkpoint(first, len(ordered))
                part = ordered[first : first + work.lanes]
                sums[first : first + work.lanes], greatest = work.add(
                    tree.rank[part], self._origins[part], self._limit
                )
                if not greatest < MOST_COUNT:
                    break
            else:
                work.download(found)
                origins = self._origins[ordered]
                np.add.at(found.starts, ordered, origins * sums[:, ARRIVED])
                found.length = float((origins * sums[:, TOTAL]).sum())
                found.rows = np.empty_like(sums)
                found.rows[order] = sums
                return found
        self._counted.scale_for(part, progress)
        return self.flows(sources, progress)

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        return self._counted.arc_flows(totals, progress)

    @cached_property
    def _layout(self) -> FlowLayout:
        return flow_layout(self._counted.hierarchy, self._pieces)


class _Work:
    """The counted hierarchy on a device, and memory for a batch of lanes."""

    def __init__(
        self,
        session: DeviceSession,
        program: Program,
        counted: CountedHierarchy,
        pieces: SweepPieces,
        layout: FlowLayout,
        masses: Float64s,
        block: int,
    ):
        self._session, self._program, self._pieces, self._layout = session, program, pieces, layout
        self._hierarchy, self._kind, self._block = counted.hierarchy, counted.metric.up.dtype, block
        self._group, self._warp = block * _EACH, 32 if session.device.kind == "cuda" else 1
        hierarchy, metric, counts, copied = (
            counted.hierarchy,
            counted.metric,
            counted.counts,
            session.upload,
        )
        tree, arc, down_arc = hierarchy.tree, layout.arc, layout.down_arc
        rank, self._size, self._depth = copied(pieces.rank), copied(tree.size), copied(tree.depth)
        down_first, by_place = copied(layout.down_first), copied(masses[tree.order][pieces.rank])
        self._up = copied(hierarchy.up_depth), copied(metric.up), copied(counts.up)
        self._parent, self._up_first, self._lower = (
            copied(tree.parent),
            copied(hierarchy.up_first),
            copied(layout.lower),
        )
        tree_of = copied(pieces.piece_first), rank, self._size, self._depth
        self._counting = (
            *tree_of,
            copied(layout.arc_first),
            copied(layout.head),
            copied(metric.down[arc]),
            copied(counts.down[arc]),
            copied(layout.entry),
            down_first,
            by_place,
        )
        self._sharing = (
            *tree_of,
            down_first,
            copied(layout.tail),
            copied(counts.down[down_arc]),
            by_place,
        )

    def allocate(self, sources: int) -> None:
        """Memory for at most that many lanes; raises OutOfMemory."""
        session, device, arcs, n = (
            self._session,
            self._session.device,
            self._hierarchy.arcs,
            self._hierarchy.n,
        )
        item, height = self._kind.itemsize, self._hierarchy.tree.height
        most_blocks = device.compute_units * (4 if device.is_cpu else _BLOCKS_A_UNIT)
        of_group = self._group * (
            n * (item + 8) + height * (item + 20) + 32 * len(self._pieces.stages) + 16
        )
        of_group += self._group // self._warp * (arcs * (4 + 8 // _EACH) + 8 * n // _EACH)
        fixed = 32 * most_blocks * self._group * len(self._pieces.stages) + 8 * arcs
        free = int(_SHARE * device.free_bytes())
        most = _MOST_LANES_ON_A_CPU if device.is_cpu else _MOST_LANES
        needed, most_groups = (
            -(-sources // self._group),
            min(most // self._group, (free - fixed) // of_group),
        )
        if most_groups < 1:
            raise OutOfMemory("Flows of a batch of sources", of_group + fixed, free, device.name)
        batches = -(-needed // most_groups)
        self.lanes = lanes = -(-needed // batches) * self._group
        self._widths = [
            max(1, min(stage.last - stage.first, most_blocks * self._group // lanes))
            for stage in self._pieces.stages
        ]
        self._warps = lanes // (self._warp * _EACH)
        self._start, self._origin = session.empty(lanes, np.int32), session.empty(lanes, np.float64)
        self._path, self._reached = (
            session.empty(height * lanes, np.int32),
            session.empty(height * lanes, self._kind),
        )
        self._climbed, self._climbed_shares = (
            session.empty(height * lanes, np.float64) for _ in range(2)
        )
        self._distances = session.empty(n * lanes, self._kind)
        self._counts = session.empty(n * lanes, np.float64)
        self._tight = session.empty(lanes // self._warp * arcs, np.uint32)
        self._sums = tuple(session.empty(sum(self._widths) * lanes, np.float64) for _ in range(4))
        self._flows, self._ends = (
            session.empty(self._warps * count, np.float64) for count in (arcs, n)
        )
        self._up_flows = session.empty(arcs, np.float64)
        for buffer in (self._flows, self._ends, self._up_flows):
            session.fill(buffer, 0)

    def add(self, ranks: Int32s, origins: Float64s, limit: Any) -> tuple[Float64s, float]:
        """Add the flows of at most `lanes` sources, by ascending rank.

        Returns
        -------
        rows : (k, 3) float64
            See `FlowTotals.rows`.
        greatest : float
            Count of shortest paths; if it is too great, flows mean nothing.
        """
        session, count, arcs, n = (
            self._session,
            len(ranks),
            self._hierarchy.arcs,
            self._hierarchy.n,
        )
        start, origin = np.full(self.lanes, ranks[-1], np.int32), np.zeros(self.lanes)
        start[:count], origin[:count] = ranks, origins
        session.write(self._start, start)
        session.write(self._origin, origin)
        session.fill(self._tight, 0)
        lanes, stages = self.lanes, self._pieces.stages
        self._launch(
            "climb_with_counts",
            self.lanes,
            lanes,
            self._hierarchy.tree.height,
            self._start,
            self._parent,
            self._depth,
            self._up_first,
            *self._up,
            self._path,
            self._reached,
            self._climbed,
        )
        part = 0
        for stage, width in zip(stages, self._widths, strict=True):
            self._sweep(
                "count_pieces",
                width,
                stage.first,
                stage.last,
                lanes,
                arcs,
                *self._counting,
                self._start,
                self._reached,
                self._climbed,
                limit,
                self._distances,
                self._counts,
                self._tight,
                part,
                *self._sums,
            )
            part += width
        for stage, width in zip(stages[::-1], self._widths[::-1], strict=True):
            self._sweep(
                "share_pieces",
                width,
                stage.first,
                stage.last,
                lanes,
                arcs,
                n,
                *self._sharing,
                self._start,
                self._origin,
                self._climbed,
                self._tight,
                self._counts,
                self._climbed_shares,
                self._flows,
                self._ends,
            )
        self._launch(
            "climb_back",
            self.lanes,
            lanes,
            self._start,
            self._depth,
            self._up_first,
            *self._up,
            self._path,
            self._reached,
            self._climbed_shares,
        )
        self._launch(
            "add_climbs",
            int(arcs) * self._warp,
            lanes,
            arcs,
            self._start,
            self._lower,
            self._size,
            self._depth,
            *self._up,
            self._reached,
            self._climbed,
            self._climbed_shares,
            self._up_flows,
        )
        for number, values in enumerate(self._sums):
            self._join(values, part, self.lanes, is_greatest=number >= FARTHEST)
        *rows, greatest = (session.download(sums, np.empty(self.lanes)) for sums in self._sums)
        return np.stack(rows, axis=1)[:count], float(greatest.max())

    def download(self, found: FlowTotals) -> None:
        """Put the sums over all batches into totals."""
        arcs, n = self._hierarchy.arcs, self._hierarchy.n
        self._join(self._flows, self._warps, arcs)
        self._join(self._ends, self._warps, n)
        found.carried[0][:] = self._session.download(self._up_flows)
        found.carried[1][self._layout.down_arc] = self._session.download(
            self._flows, np.empty(arcs)
        )
        found.ends[self._hierarchy.tree.order[self._pieces.rank]] = self._session.download(
            self._ends, np.empty(n)
        )

    def _join(self, values: Any, rows: int, count: int, *, is_greatest: bool = False) -> None:
        blocks = min(_GRID, -(-count // self._block))
        self._program.launch(
            "join_rows",
            (blocks,),
            (self._block,),
            rows,
            count,
            is_greatest,
            values,
        )

    def _sweep(self, kernel: str, width: int, *arguments: Any) -> None:
        self._program.launch(
            kernel, (width, self.lanes // self._group), (self._block, 1), *arguments
        )

    def _launch(self, kernel: str, threads: int, *arguments: Any) -> None:
        self._program.launch(kernel, (-(-threads // self._block),), (self._block,), *arguments)
