"""Flows of the shortest paths from sixteen sources together, over the arcs of a hierarchy.

A source climbs, and the sweep goes from the roots down, both with counts of shortest paths: a path's last vertex above
a vertex is unique, so each path is counted once. Then the sweep goes back, from the lowest vertex to the roots. A flow
ends at each vertex that is reached, and is divided among the tight arcs in proportion to the paths over them; what came
by the climb goes back along it. The flow of every up arc is summed over all sources.

Forwards, only the counts are written down, by rank and lane, and the lanes in which each arc is tight: no distances.
The counts of a vertex's ancestors are in arrays indexed by depth, which stay in the nearest cache. Backwards most arcs
are tight in no lane, since neighbours in the tree, whose paths to all else are the same, are swept together.

With ``count`` the shortest paths from the source to a vertex, the flow that passes or ends there is the *share* of one
path times ``count``. Shares need no division on the way: an arc passes on the share of its head times its own count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.path_counts import MOST_COUNT, CountedHierarchy, PathCounts
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.path_flows import FlowTotals
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import ROW, relax_rows
from solvers.system.jit import njit
from solvers.system.path_rows import count_rows, end_rows, reached_rows, share_rows

LANES = ROW  # sources of a batch


class FlowNetwork(NamedTuple):
    """What the sweeps read; paths longer than ``limit`` carry nothing."""

    rank: NDArray[np.int32]
    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    up_first: NDArray[np.int64]
    up_depth: NDArray[np.uint16]
    up: NDArray[Any]
    down: NDArray[Any]
    count_up: NDArray[np.float64]
    count_down: NDArray[np.float64]
    masses: NDArray[np.float64]  # (n,) of vertices as destinations, by rank
    infinity: Any
    limit: Any


class FlowSums(NamedTuple):
    """Sums over sources, one of each for each thread."""

    up: NDArray[np.float64]  # (threads, arcs up) flows from the lower end to the upper
    down: NDArray[np.float64]  # (threads, arcs up) and back
    ends: NDArray[np.float64]  # (threads, n) what ends at each vertex, by rank
    lengths: NDArray[np.float64]  # (threads, 1) of all paths, times what flows over them
    greatest: NDArray[np.float64]  # (threads, 1) greatest scaled count of paths


class FlowMemory(NamedTuple):
    """What each thread works with: of a batch by rank, by depth, and by lane of the climbs."""

    counts: NDArray[np.float64]
    inside: NDArray[np.uint16]
    tight: NDArray[np.uint16]
    marked: NDArray[np.bool_]
    distances: NDArray[Any]
    above: NDArray[np.float64]
    shares: NDArray[np.float64]
    holder: NDArray[np.int32]
    paths: NDArray[np.int32]
    climbed: NDArray[Any]
    climbed_counts: NDArray[np.float64]
    climbed_shares: NDArray[np.float64]


def flow_network(
    hierarchy: Hierarchy, metric: Metric, counts: PathCounts, masses: NDArray[np.float64], limit: Any
) -> FlowNetwork:
    """Gather what the sweeps read; ``masses`` are by vertex of the graph."""
    tree = hierarchy.tree
    return FlowNetwork(
        tree.rank, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.up, metric.down,
        counts.up, counts.down, masses[tree.order], metric.infinity, metric.up.dtype.type(limit),
    )  # fmt: skip


def flow_sums(hierarchy: Hierarchy, threads: int) -> FlowSums:
    arcs, n = (threads, hierarchy.arcs), hierarchy.n
    return FlowSums(
        np.zeros(arcs), np.zeros(arcs), np.zeros((threads, n)), np.zeros((threads, 1)), np.zeros((threads, 1))
    )


def flow_memory(hierarchy: Hierarchy, metric: Metric, threads: int) -> FlowMemory:
    n, height, kind = hierarchy.n, max(1, hierarchy.tree.height), metric.up.dtype
    by_lane, by_depth = (threads, LANES, height), (threads, height, LANES)
    return FlowMemory(
        np.empty((threads, n, LANES)), np.empty((threads, n), np.uint16),
        np.empty((threads, hierarchy.arcs), np.uint16), np.zeros((threads, n), np.bool_),
        np.empty(by_depth, kind), np.empty(by_depth), np.empty(by_depth),
        np.empty((threads, height), np.int32), np.empty(by_lane, np.int32), np.empty(by_lane, kind),
        np.empty(by_lane), np.empty(by_lane),
    )  # fmt: skip


@njit(cache=True, nogil=True, parallel=True)
def _add_batches(
    sources: NDArray[np.int32],
    origins: NDArray[np.float64],
    network: FlowNetwork,
    memory: FlowMemory,
    sums: FlowSums,
    arrived: NDArray[np.float64],
) -> None:
    """Threads take every so many batches; ``arrived``, (k,), is set to the masses that the sources reach."""
    threads = len(memory.counts)
    for t in prange(threads):
        for begin in range(t * LANES, len(sources), threads * LANES):
            end = min(len(sources), begin + LANES)
            _add_batch(np.int64(t), sources[begin:end], origins[begin:end], network, memory, sums, arrived[begin:end])


@njit(cache=True, nogil=True)
def _add_batch(
    t: int,
    sources: NDArray[np.int32],
    origins: NDArray[np.float64],
    network: FlowNetwork,
    memory: FlowMemory,
    sums: FlowSums,
    arrived: NDArray[np.float64],
) -> None:
    marked, paths = memory.marked[t], memory.paths[t]
    masses, reached = np.zeros(LANES), np.zeros(LANES)
    for lane in range(len(sources)):
        start = network.rank[sources[lane]]
        masses[lane] = origins[lane]
        _climb(start, network, paths[lane], memory.climbed[t, lane], memory.climbed_counts[t, lane])
        memory.climbed_shares[t, lane, :] = 0.0
        for k in range(network.depth[start] + 1):
            marked[paths[lane, k]] = True
    sums.lengths[t, 0] += _sweep_down(t, len(sources), masses, network, memory, reached, sums.greatest[t])
    for lane in range(len(sources)):  # no path leads from a source to itself
        start = network.rank[sources[lane]]
        memory.inside[t, start] &= ~np.uint16(1 << lane)
        arrived[lane] = reached[lane] - network.masses[start]
    _sweep_back(t, len(sources), masses, network, memory, sums.down[t], sums.ends[t])
    for lane in range(len(sources)):
        start = network.rank[sources[lane]]
        _climb_back(
            network.depth[start], network, paths[lane], memory.climbed[t, lane], memory.climbed_counts[t, lane],
            memory.climbed_shares[t, lane], sums.up[t],
        )  # fmt: skip
        for k in range(network.depth[start] + 1):
            marked[paths[lane, k]] = False


@njit(cache=True, nogil=True)
def _climb(
    v: int, network: FlowNetwork, path: NDArray[np.int32], reached: NDArray[Any], counts: NDArray[np.float64]
) -> None:
    """Distances and counts of shortest paths over up arcs from ``v`` to its ancestors, by depth."""
    path[:], reached[:], counts[:] = NONE, network.infinity, 0.0
    reached[network.depth[v]], counts[network.depth[v]] = 0, 1.0
    while v != NONE:
        k = network.depth[v]
        path[k] = v
        if reached[k] < network.infinity:
            for a in range(network.up_first[v], network.up_first[v + 1]):
                if network.up[a] < network.infinity:
                    offered, above = reached[k] + network.up[a], network.up_depth[a]
                    if offered < reached[above]:
                        reached[above], counts[above] = offered, counts[k] * network.count_up[a]
                    elif offered == reached[above]:
                        counts[above] += counts[k] * network.count_up[a]
        v = network.parent[v]


@njit(cache=True, nogil=True)
def _sweep_down(
    t: int,
    lanes: int,
    origins: NDArray[np.float64],
    network: FlowNetwork,
    memory: FlowMemory,
    arrived: NDArray[np.float64],
    greatest: NDArray[np.float64],
) -> float:
    """Counts of all vertices from the roots down; returns the length of all paths times their flow."""
    distances, above, counts = memory.distances[t], memory.above[t], memory.counts[t]
    inside, tight, marked = memory.inside[t], memory.tight[t], memory.marked[t]
    paths, climbed, climbed_counts = memory.paths[t], memory.climbed[t], memory.climbed_counts[t]
    lengths, most = np.zeros(LANES), np.zeros(LANES)
    best = np.empty((1, LANES), distances.dtype)
    for v in range(len(network.depth) - 1, -1, -1):
        k, begin, end = network.depth[v], network.up_first[v], network.up_first[v + 1]
        on_path = marked[v]
        if on_path:
            for lane in range(LANES):
                is_its = lane < lanes and paths[lane, k] == v
                best[0, lane] = climbed[lane, k] if is_its else network.infinity
        relax_rows(best, 0, on_path, distances, k, network.up_depth, network.down, begin, end, network.infinity)
        if on_path:
            for lane in range(LANES):
                is_its = lane < lanes and paths[lane, k] == v and climbed[lane, k] == distances[k, lane]
                above[k, lane] = climbed_counts[lane, k] if is_its else 0.0
        count_rows(
            distances, above, k, on_path, network.up_depth, network.down, network.count_down, tight, begin, end,
            network.infinity,
        )  # fmt: skip
        inside[v] = reached_rows(distances, k, network.limit, network.masses[v], lengths, arrived)
        for lane in range(LANES):
            counts[v, lane] = above[k, lane]
            most[lane] = max(most[lane], above[k, lane])
        if on_path:  # whether the climb is a shortest path: with distances, which the way back does not have
            for lane in range(lanes):
                if paths[lane, k] == v and climbed[lane, k] != distances[k, lane]:
                    climbed_counts[lane, k] = -climbed_counts[lane, k]
    greatest[0] = max(greatest[0], most.max())
    return (lengths * origins).sum()


@njit(cache=True, nogil=True)
def _sweep_back(
    t: int,
    lanes: int,
    origins: NDArray[np.float64],
    network: FlowNetwork,
    memory: FlowMemory,
    flows: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Shares of all vertices from the lowest to the roots."""
    above, shares, holder, counts = memory.above[t], memory.shares[t], memory.holder[t], memory.counts[t]
    inside, tight, marked, paths = memory.inside[t], memory.tight[t], memory.marked[t], memory.paths[t]
    climbed_counts, climbed_shares = memory.climbed_counts[t], memory.climbed_shares[t]
    holder[:] = NONE
    for v in range(len(network.depth)):
        u = v
        while u != NONE and holder[network.depth[u]] != u:  # the ancestors of a new leaf
            k = network.depth[u]
            holder[k] = u
            for lane in range(LANES):
                above[k, lane] = counts[u, lane]
                shares[k, lane] = 0.0
            u = network.parent[u]
        k = network.depth[v]
        ends[v] += end_rows(shares, above, k, inside[v], network.masses[v], origins)
        if marked[v]:
            for lane in range(lanes):
                if paths[lane, k] == v and climbed_counts[lane, k] > 0:
                    climbed_shares[lane, k] = shares[k, lane]
        share_rows(
            shares, above, k, network.up_depth, network.count_down, tight, flows, network.up_first[v],
            network.up_first[v + 1],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _climb_back(
    depth: int,
    network: FlowNetwork,
    path: NDArray[np.int32],
    reached: NDArray[Any],
    counts: NDArray[np.float64],
    shares: NDArray[np.float64],
    flows: NDArray[np.float64],
) -> None:
    """Shares along the climb, from the root to the source at ``depth``."""
    for k in range(depth + 1):
        if reached[k] < network.infinity:
            for a in range(network.up_first[path[k]], network.up_first[path[k] + 1]):
                above = network.up_depth[a]
                is_tight = network.up[a] < network.infinity and reached[k] + network.up[a] == reached[above]
                if is_tight and shares[above] > 0:
                    passed = shares[above] * network.count_up[a]
                    shares[k] += passed
                    flows[a] += passed * abs(counts[k])


_CALL_SECONDS = 0.03  # between two cancellation checks


class HierarchyFlows:
    """Flows over a graph with small separators.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """

    name = "hierarchy"

    def __init__(
        self,
        graph: Graph,  # by `require_countable`
        masses: NDArray[np.float64],  # (n,) of vertices, as destinations
        limit: Any,  # length of the longest paths that carry something
        threads: int,  # OpenMP threads, which the caller has set
        row: Callable[[int, Progress], NDArray[Any]],  # the row of distances from a source
        progress: Progress = SILENT,  # for the preparation
        origins: NDArray[np.float64] | None = None,  # (n,) masses of vertices as origins; as destinations by default
    ):
        self._counted = CountedHierarchy(graph, self.name, threads, row, progress)
        self.note = self._counted.note
        self._masses, self._limit, self._threads = masses, limit, threads
        self._origins = masses if origins is None else origins
        self._hierarchy, self._metric = self._counted.hierarchy, self._counted.metric
        machine.require_memory(f"The flows of {graph.name}", threads * self.thread_bytes)
        self._memory = flow_memory(self._hierarchy, self._metric, threads)
        self._gather()

    @property
    def thread_bytes(self) -> int:
        """Memory that each thread works with, its sums included."""
        tree = self._hierarchy.tree
        by_depth = tree.height * LANES * (2 * self._metric.up.itemsize + 4 * 8 + 4)
        return tree.n * (8 * LANES + 11) + self._hierarchy.arcs * 18 + by_depth

    def nothing(self) -> FlowTotals:
        """Totals of no source."""
        return self._counted.nothing()

    def flows(self, sources: NDArray[np.int32], progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises
        ------
        UnsuitableGraph
            If the shortest paths are too many to be counted in float64, even scaled.
        Cancelled
        """
        tree = self._hierarchy.tree
        ordered = sources[np.argsort(tree.rank[sources])]  # neighbours in the tree share most of their paths
        sums, arrived = flow_sums(self._hierarchy, self._threads), np.empty(len(sources))
        first, batches = 0, self._threads
        while first < len(ordered):
            progress.checkpoint(first, len(ordered))
            part = slice(first, first + batches * LANES)
            began = time.perf_counter()
            _add_batches(ordered[part], self._origins[ordered[part]], self._network, self._memory, sums, arrived[part])
            first += batches * LANES
            if 2 * (time.perf_counter() - began) < _CALL_SECONDS:
                batches *= 2
            if not sums.greatest.max() < MOST_COUNT:
                self._counted.scale_for(int(ordered[part][0]), progress)
                self._gather()
                return self.flows(sources, progress)
        found = self.nothing()
        found.carried[0][:], found.carried[1][:] = sums.up.sum(axis=0), sums.down.sum(axis=0)
        found.ends[tree.order] = sums.ends.sum(axis=0)
        found.starts[ordered] = self._origins[ordered] * arrived
        found.length = float(sums.lengths.sum())
        return found

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> NDArray[np.float64]:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        return self._counted.arc_flows(totals, progress)

    def _gather(self) -> None:
        counted = self._counted
        self._network = flow_network(counted.hierarchy, counted.metric, counted.counts, self._masses, self._limit)
