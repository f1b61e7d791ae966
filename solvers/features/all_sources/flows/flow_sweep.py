"""Flows of shortest paths from all sources over a hierarchy, by the sweeps of
`flow_columns`, on all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from solvers.features.all_sources.flows.flow_columns import (
    ARRIVED,
    DONE,
    GROUP,
    FlowNetwork,
    FlowSums,
    advance,
    flow_memory,
)
from solvers.features.all_sources.flows.flow_pieces import FlowPieces, flow_pieces
from solvers.features.all_sources.flows.path_counts import MOST_COUNT, CountedHierarchy
from solvers.features.all_sources.flows.path_flows import FlowTotals
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import ROW
from solvers.system.jit import njit
from solvers.system.threads import in_threads, in_watched_threads

_MOST_COLUMNS = 4096  # sources of a group
_GROUP_BYTES = 1 << 30  # of rows; there are fewer columns where the tree is high
_GROUPS = 4  # of each thread, in a call that takes as many sources as are best
# work of a source besides the arcs above it, in their mean: columns that sources share, and climbs
_OWN_WORK = 0.8


class HierarchyFlows:
    """Flows over a graph with small separators.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """

    name, may_be_shared = "hierarchy", True

    def __init__(
        self,
        graph: Graph,  # by `require_countable`
        masses: Float64s,  # (n,) of vertices, as destinations
        limit: Any,  # length of the longest paths that carry something
        threads: int,  # OpenMP threads, which the caller has set
        row: Callable[[int, Progress], AnyArray],  # the row of distances from a source
        progress: Progress = SILENT,  # for the preparation
        # (n,) masses of vertices as origins; as destinations by default
        origins: Float64s | None = None,
    ):
        self._counted = CountedHierarchy(graph, self.name, threads, row, progress)
        self.note = self._counted.note
        self._masses, self._limit, self._threads = masses, limit, threads
        self._origins = masses if origins is None else origins
        hierarchy, kind = self._counted.hierarchy, graph.distance_type
        self._pieces: FlowPieces = graph.cached("pieces for flows", lambda: flow_pieces(hierarchy))
        above = self._pieces.arcs_above
        self._work = above + _OWN_WORK * above.sum() / max(1, len(above))
        self._scaling = Lock()
        self._shifts = kind.is_integer and limit >= kind.longest - 1
        self._columns = max(
            ROW, min(_MOST_COLUMNS, _GROUP_BYTES // (threads * self._column_bytes) // ROW * ROW)
        )
        # one more for those of a sample, beside the others
        machine.require_memory(f"The flows of {graph.name}", (threads + 1) * self.thread_bytes)
        self._gather()

    @property
    def arcs(self) -> int:
        """Number of the hierarchy's up arcs."""
        return self._counted.hierarchy.arcs

    @property
    def numbering(self) -> str:
        return self._counted.numbering

    @property
    def most_sources(self) -> int:
        return _GROUPS * self._threads * self._columns

    @property
    def thread_bytes(self) -> int:
        """Memory that each thread works with, its sums included."""
        hierarchy = self._counted.hierarchy
        return self._columns * self._column_bytes + 16 * hierarchy.arcs + 8 * hierarchy.n

    @property
    def _column_bytes(self) -> int:
        item, (rows, arcs, levels) = self._counted.metric.up.itemsize, self._pieces.deepest
        return (
            rows * (item + 17)
            + arcs * 2 // ROW
            + (levels + 1) * 40
            + self._counted.hierarchy.tree.height * (item + 20)
        )

    def nothing(self) -> FlowTotals:
        """Totals of no source."""
        return self._counted.nothing()

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises UnsuitableGraph if the shortest paths are too many to be counted in
        float64, even scaled; Cancelled.
        """
        found, count, network = self.nothing(), len(sources), self._network
        progress.checkpoint(0, count)
        if not count:
            return found
        hierarchy, tree, threads = (
            self._counted.hierarchy,
            self._counted.hierarchy.tree,
            min(self._threads, -(-count // ROW)),
        )
        # neighbours in the tree are alike in most pieces
        order = np.argsort(tree.rank[sources])
        ordered = sources[order]
        starts, found.rows = tree.rank[ordered], np.empty((count, 3))
        cuts = group_cuts(self._work[starts], threads, self._columns)
        arcs, one = (threads, hierarchy.arcs), (threads, 1)
        sums = FlowSums(
            np.empty(arcs),
            np.empty(arcs),
            np.empty((threads, hierarchy.n)),
            np.empty(one),
            np.empty(one),
        )
        columns = int(np.diff(cuts).max())
        memory = flow_memory(
            self._pieces, tree.height, self._counted.metric.up.dtype, threads, columns
        )
        memory.state[:, GROUP] = np.arange(threads)
        in_watched_threads(
            threads,
            lambda: progress.checkpoint(int(memory.state[:, DONE].sum()), count),
            memory.stop,
            advance,
            starts,
            self._origins[ordered],
            cuts,
            network,
            self._pieces,
            memory,
            sums,
            order,
            found.rows,
        )
        if not sums.greatest.max() < MOST_COUNT:
            with self._scaling:
                if self._network is network:  # which no other call has scaled meanwhile
                    self._counted.scale_for(ordered, progress)
                    self._gather()
            return self.flows(sources, progress)
        into = (found.carried, found.ends)
        in_threads(threads, _add_up, threads, sums, self._pieces.arc, self._vertices, *into)
        begun = self._origins[sources] * found.rows[:, ARRIVED]
        found.starts += np.bincount(sources, begun, hierarchy.n)
        found.length = float(sums.lengths.sum())
        return found

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        return self._counted.arc_flows(totals, progress)

    def _gather(self) -> None:
        hierarchy, metric, counts = (
            self._counted.hierarchy,
            self._counted.metric,
            self._counted.counts,
        )
        tree, pieces = hierarchy.tree, self._pieces
        self._vertices = tree.order[pieces.rank]
        self._network = FlowNetwork(
            tree.parent,
            tree.depth,
            tree.size,
            hierarchy.up_first,
            hierarchy.up_depth,
            metric.up,
            counts.up,
            metric.down.take(pieces.arc),
            counts.down.take(pieces.arc),
            self._masses[self._vertices],
            metric.infinity,
            metric.up.dtype.type(self._limit),
            self._shifts,
        )


def group_cuts(work: Float64s, threads: int, most: int) -> Int64s:
    """(groups + 1,) where groups of consecutive sources begin, with as much ``work`` each as
    can be: as many groups for each thread, of ``most`` sources at most.
    """
    count = len(work)
    groups = threads * -(-count // (threads * most))
    ends = np.cumsum(work)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(groups + 1) / groups)
    cuts[0], cuts[-1] = 0, count
    cuts = np.maximum(cuts, count - most * np.arange(groups, -1, -1))  # what is left must fit
    for i in range(groups):
        cuts[i + 1] = min(cuts[i + 1], cuts[i] + most)
    return np.unique(cuts)


@njit
def _add_up(
    t: int,
    threads: int,
    sums: FlowSums,
    arc: Int64s,  # (arcs,) number of each arc by place
    vertices: Int32s,  # (n,) by place
    carried: tuple[Float64s, Float64s],
    ends: Float64s,
) -> None:
    """Sums over threads, of which each thread takes a part."""
    up, down = carried
    first, last = len(arc) * t // threads, len(arc) * (t + 1) // threads
    up[first:last] = _sums(sums.up, first, last)
    for i, flow in enumerate(_sums(sums.down, first, last)):
        down[arc[first + i]] = flow
    first, last = len(ends) * t // threads, len(ends) * (t + 1) // threads
    for i, ending in enumerate(_sums(sums.ends, first, last)):
        ends[vertices[first + i]] = ending


@njit
def _sums(rows: Float64s, first: int, last: int) -> Float64s:
    found = rows[0, first:last].copy()
    for row in range(1, len(rows)):
        for i in range(len(found)):
            found[i] += rows[row, first + i]
    return found
