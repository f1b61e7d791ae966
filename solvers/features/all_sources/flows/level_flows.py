"""Flows of shortest paths in graphs whose arcs all have one weight, by breadth-first search.

A search sets levels, counts shortest paths, and writes down the arcs that are tight,
that is, on a shortest path. Shares of flows return over these arcs alone. A vertex with
one arc in and none out is left out of the searches: the flow that ends there is counted
at its only predecessor, one arc before.

With ``count`` the shortest paths from the source to a vertex, the flow that passes or
ends there is the *share* of one path times ``count``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.features.all_sources.flows.path_flows import ArcFlows, FlowTotals, simple_arcs
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit, prange
from solvers.system.ranges import offsets_of

_SOURCES = 64  # of each thread between two cancellation checks

_NEW = -1  # position of a vertex that is not reached


def has_levels(graph: Graph) -> bool:
    """Whether all arcs have one weight above 0."""
    return graph.m > 0 and bool(graph.weights[0] > 0 and (graph.weights == graph.weights[0]).all())


class LevelFlows(ArcFlows):
    """Flows over a graph that `has_levels`; parameters as those of `brandes_flows`,
    without its rows.

    Raises OutOfMemory.
    """

    name, note = "levels", "breadth-first searches"

    def __init__(
        self,
        graph: Graph,
        masses: Float64s,
        limit: Any,
        threads: int,
        origins: Float64s | None = None,
    ):
        super().__init__(graph, simple_arcs(graph), masses, origins)
        self._weight = float(graph.weights[0])
        self._most_levels = int(min(graph.n, limit // graph.weights[0]))
        self._searched = self._without_pendants(graph.n)
        machine.require_memory(f"The flows of {graph.name}", threads * self.thread_bytes)
        shape, arcs = (threads, graph.n), len(self._searched.heads)
        self._memory = _Memory(
            np.full(shape, _NEW, np.int32),
            np.empty(shape, np.int32),
            np.empty(shape, np.int32),
            np.empty((*shape, 2)),
            np.empty((*shape, 2)),
            np.empty((threads, graph.n + 1), np.int32),
            np.empty((threads, arcs + 1, 2), np.int32),
        )

    def _without_pendants(self, n: int) -> _SearchedArcs:
        """Keeps all arcs if there is a limit: it may lie between a pendant and its predecessor."""
        heads, out = self._arcs.indices, np.diff(self._arcs.indptr)
        tails = np.repeat(np.arange(n), out)
        pendant = (out == 0) & (np.bincount(heads, minlength=n) == 1) & (self._most_levels == n)
        kept = ~pendant[heads]
        extra = np.bincount(tails[~kept], self._masses[heads[~kept]], n).astype(np.float64)
        order = np.argsort(-np.bincount(heads[kept], minlength=n), kind="stable")
        number = np.empty(n, np.int32)
        number[order] = np.arange(n, dtype=np.int32)
        arcs = np.flatnonzero(kept)
        arcs = arcs[np.argsort(number[tails[arcs]], kind="stable")]
        indptr = offsets_of(np.bincount(number[tails[arcs]], minlength=n))
        return _SearchedArcs(
            indptr, number[heads[arcs]], arcs, ~kept, tails[~kept], extra, order, number
        )

    @property
    def thread_bytes(self) -> int:
        return self._n * (4 * 4 + 4 * 8) + (8 + 8) * len(self._arcs.indices)

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises UnsuitableGraph if the shortest paths are too many to be counted in
        float64; Cancelled.
        """
        found, searched, threads = self.nothing(), self._searched, len(self._memory.order)
        chosen = sources[np.diff(self._arcs.indptr)[sources] > 0]
        masses = self._masses[searched.order]
        flows, lengths, starts = (
            np.zeros((threads, len(searched.heads))),
            np.zeros((threads, 1)),
            np.empty(len(chosen)),
        )
        ends, own = self._memory.ends, np.bincount(chosen, self._origins[chosen], self._n)
        ends[:, :, 0], ends[:, :, 1] = masses + searched.extra[searched.order], 0.0
        for first in range(0, len(chosen), threads * _SOURCES):
            progress.checkpoint(first, len(chosen))
            part = slice(first, first + threads * _SOURCES)
            _add_sources(
                searched.number[chosen[part]],
                self._origins[chosen[part]],
                masses,
                self._most_levels,
                searched.indptr,
                searched.heads,
                self._memory,
                flows,
                lengths,
                starts[part],
            )
        reached = ends[:, :, 1].sum(axis=0)[searched.number]
        through, pendants = reached[searched.tails], self._arcs.indices[searched.left_out]
        found.carried[0][searched.arcs] = flows.sum(axis=0)
        found.carried[0][searched.left_out] = through * self._masses[pendants]
        np.add.at(found.starts, chosen, starts)
        found.ends[:] = (reached - own) * self._masses
        found.ends[pendants] = found.carried[0][searched.left_out]
        found.length = float(lengths.sum() + (reached * searched.extra).sum()) * self._weight
        return self._counted(found)


class _SearchedArcs(NamedTuple):
    """Rows of arcs without those to pendants; vertices are numbered by arcs in, so that
    caches hold the busiest.
    """

    indptr: Int64s
    heads: Int32s
    arcs: Int64s  # the arcs that are searched, row by row
    left_out: Bools  # (m,) the others lead to pendants, from ``tails``
    tails: Int64s
    extra: Float64s  # (n,) masses of the pendants of each vertex of the graph
    order: Int64s  # (n,) the vertex of each number
    number: Int32s


class _Memory(NamedTuple):
    """What each thread works with. A *position* is that of a vertex in the order of being reached.

    Attributes
    ----------
    paths : (threads, n, 2) float64
        Count and share of the vertex at each position.
    ends : (threads, n, 2) float64
        Of each vertex, the masses that end there, with its pendants', and the masses of
        the sources that reach it.
    first, tight : (threads, n + 1) int32, (threads, m + 1, 2) int32
        The arcs of the vertex at position ``i`` that are tight begin at ``first[i]``:
        arcs, and positions of heads.
    """

    positions: Int32s  # (threads, n) `_NEW` between searches
    order: Int32s  # (threads, n) the vertex at each position, ...
    levels: Int32s  # ... and its level
    paths: Float64s
    ends: Float64s
    first: Int32s
    tight: Int32s


@njit(parallel=True)
def _add_sources(
    sources: Int32s,
    origins: Float64s,
    masses: Float64s,
    most_levels: int,
    indptr: Int64s,
    heads: Int32s,
    memory: _Memory,
    flows: Float64s,
    lengths: Float64s,
    starts: Float64s,
) -> None:
    threads = len(flows)
    for thread in prange(threads):
        t = np.int64(thread)
        positions, order, levels, paths = (
            memory.positions[t],
            memory.order[t],
            memory.levels[t],
            memory.paths[t],
        )
        first, tight = memory.first[t], memory.tight[t]
        for i in range(t, len(sources), threads):
            source = sources[i]
            count = _count(
                source, most_levels, indptr, heads, positions, order, levels, paths, first, tight
            )
            _share(
                count,
                origins[i],
                masses[source],
                positions,
                order,
                levels,
                paths,
                memory.ends[t],
                first,
                tight,
                flows[t],
                lengths[t],
            )
            starts[i] = paths[0, 1]


@njit
def _count(
    source: int,
    most_levels: int,
    indptr: Int64s,
    heads: Int32s,
    positions: Int32s,
    order: Int32s,
    levels: Int32s,
    paths: Float64s,
    first: Int32s,
    tight: Int32s,
) -> int:
    """Counts of shortest paths, and the tight arcs; returns the number of vertices that
    are reached.
    """
    order[0], positions[source], levels[0], paths[0, 0] = source, 0, 0, 1.0
    count, arcs, i, level, below = 1, 0, 0, 0, 1
    while i < count:
        if i == below:  # the vertices of the next level have the positions from ``below``
            below, level = count, level + 1
        v, number = order[i], paths[i, 0]
        first[i] = arcs
        i += 1
        if level >= most_levels:
            continue
        for a in range(indptr[v], indptr[v + 1]):
            w = heads[a]
            at = positions[w]
            if at == _NEW:
                positions[w], order[count], levels[count], paths[count, 0] = (
                    count,
                    w,
                    level + 1,
                    number,
                )
                at = count
                count += 1
            elif at >= below:
                paths[at, 0] += number
            else:
                continue
            tight[arcs, 0], tight[arcs, 1] = a, at
            arcs += 1
    first[count] = arcs
    return count


@njit
def _share(
    count: int,
    origin: float,
    source_mass: float,
    positions: Int32s,
    order: Int32s,
    levels: Int32s,
    paths: Float64s,
    ends: Float64s,
    first: Int32s,
    tight: Int32s,
    flows: Float64s,
    lengths: Float64s,
) -> None:
    """Shares, the last vertex first; leaves ``positions`` new."""
    length = 0.0
    for i in range(count - 1, -1, -1):
        v = order[i]
        share, number = 0.0, paths[i, 0]
        for j in range(first[i], first[i + 1]):
            passed = paths[tight[j, 1], 1]
            share += passed
            flows[tight[j, 0]] += passed * number
        ending = ends[v, 0] if i > 0 else ends[v, 0] - source_mass
        length += ending * levels[i]
        paths[i, 1] = share + origin * ending / number
        ends[v, 1] += origin
        positions[v] = _NEW
    lengths[0] += length * origin
