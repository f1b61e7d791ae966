"""Flows of shortest paths in graphs whose arcs all have one weight, by breadth-first search.

A search sets levels, counts shortest paths, and writes down the arcs that are tight, that is, on a shortest path.
Shares of flows return over these arcs alone. A vertex with one arc in and none out is left out of the searches: the
flow that ends there is counted at its only predecessor, one arc before.

With ``count`` the shortest paths from the source to a vertex, the flow that passes or ends there is the *share* of one
path times ``count``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.path_flows import FlowTotals, simple_arcs
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.cancel import Progress
from solvers.system.jit import njit

_SOURCES = 64  # of each thread between two cancellation checks


def has_levels(graph: Graph) -> bool:
    """Whether all arcs have one weight above 0."""
    return graph.m > 0 and bool(graph.weights[0] > 0 and (graph.weights == graph.weights[0]).all())


class LevelFlows:
    """Flows over a graph that `has_levels`; parameters as those of `BrandesFlows`, without its rows.

    Raises OutOfMemory.
    """

    name, note = "levels", "breadth-first searches"

    def __init__(
        self,
        graph: Graph,
        masses: NDArray[np.float64],
        limit: Any,
        threads: int,
        origins: NDArray[np.float64] | None = None,
    ):
        self._masses, self._origins = masses, masses if origins is None else origins
        self._arcs, self._n, self._weight = simple_arcs(graph), graph.n, float(graph.weights[0])
        self._most_levels = int(min(graph.n, limit // graph.weights[0]))
        self._searched = self._without_pendants(graph.n)
        machine.require_memory(f"The flows of {graph.name}", threads * self.thread_bytes)
        shape, arcs = (threads, graph.n), len(self._searched.heads)
        self._memory = _Memory(
            np.full(shape, _NEW, np.int32), np.empty((*shape, 4)), np.empty(shape, np.int32),
            np.empty((threads, graph.n + 1), np.int32), np.empty((threads, arcs + 1), np.int32),
        )  # fmt: skip

    def _without_pendants(self, n: int) -> _SearchedArcs:
        """Keeps all arcs if there is a limit: it may lie between a pendant and its predecessor."""
        heads, out = self._arcs.indices, np.diff(self._arcs.indptr)
        tails = np.repeat(np.arange(n), out)
        pendant = (out == 0) & (np.bincount(heads, minlength=n) == 1) & (self._most_levels == n)
        kept = ~pendant[heads]
        indptr = np.append(0, np.cumsum(np.bincount(tails[kept], minlength=n)))
        extra = np.bincount(tails[~kept], self._masses[heads[~kept]], n).astype(np.float64)
        return _SearchedArcs(indptr, heads[kept], kept, tails[~kept], extra)

    @property
    def thread_bytes(self) -> int:
        return self._n * (4 + 4 * 8 + 4 + 4) + (4 + 8) * len(self._arcs.indices)

    def nothing(self) -> FlowTotals:
        return FlowTotals((np.zeros(len(self._arcs.indices)),), np.zeros(self._n), np.zeros(self._n))

    def flows(self, sources: NDArray[np.int32], progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises
        ------
        UnsuitableGraph
            If the shortest paths are too many to be counted in float64.
        Cancelled
        """
        found, searched, threads = self.nothing(), self._searched, len(self._memory.order)
        chosen = sources[np.diff(self._arcs.indptr)[sources] > 0]
        flows, lengths, starts = np.zeros((threads, len(searched.heads))), np.zeros((threads, 1)), np.empty(len(chosen))
        state, own = self._memory.state, np.bincount(chosen, self._origins[chosen], self._n)
        state[:, :, _ENDING], state[:, :, _REACHED] = self._masses + searched.extra, 0.0
        for first in range(0, len(chosen), threads * _SOURCES):
            progress.checkpoint(first, len(chosen))
            part = slice(first, first + threads * _SOURCES)
            _add_sources(
                chosen[part], self._origins[chosen[part]], self._masses, self._most_levels, searched.indptr,
                searched.heads, self._memory, flows, lengths, starts[part],
            )  # fmt: skip
        reached = state[:, :, _REACHED].sum(axis=0)
        through, pendants = reached[searched.tails], self._arcs.indices[~searched.kept]
        found.carried[0][searched.kept] = flows.sum(axis=0)
        found.carried[0][~searched.kept] = through * self._masses[pendants]
        np.add.at(found.starts, chosen, starts)
        found.ends[:] = (reached - own) * self._masses
        found.ends[pendants] = found.carried[0][~searched.kept]
        found.length = float(lengths.sum() + (reached * searched.extra).sum()) * self._weight
        if not np.isfinite(found.carried[0]).all():
            raise UnsuitableGraph("There are more shortest paths than float64 counts, some 1e308 between two vertices.")
        return found

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> NDArray[np.float64]:
        return self._arcs.spread(totals.carried[0])


_NEW = -1  # level of a vertex that is not reached
_COUNT, _SHARE, _ENDING, _REACHED = range(4)


class _SearchedArcs(NamedTuple):
    """Rows of arcs without those to pendants."""

    indptr: NDArray[np.int64]
    heads: NDArray[np.int32]
    kept: NDArray[np.bool_]  # (m,) whether an arc is searched; the others lead to pendants, from ``tails``
    tails: NDArray[np.int64]
    extra: NDArray[np.float64]  # (n,) masses of the pendants of each vertex


class _Memory(NamedTuple):
    """What each thread works with.

    Attributes
    ----------
    state : (threads, n, 4) float64
        Of a vertex that is reached, count and share; of each vertex the masses that end there, with its pendants', and
        the masses of the sources that have reached it.
    first, tight : (threads, n + 1) int32, (threads, m + 1) int32
        Those of the arcs of ``order[i]`` that are tight begin at ``first[i]``.
    """

    levels: NDArray[np.int32]  # (threads, n) `_NEW` between searches
    state: NDArray[np.float64]
    order: NDArray[np.int32]  # (threads, n) vertices in the order of being reached
    first: NDArray[np.int32]
    tight: NDArray[np.int32]


@njit(cache=True, nogil=True, parallel=True)
def _add_sources(
    sources: NDArray[np.int32],
    origins: NDArray[np.float64],
    masses: NDArray[np.float64],
    most_levels: int,
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    memory: _Memory,
    flows: NDArray[np.float64],
    lengths: NDArray[np.float64],
    starts: NDArray[np.float64],
) -> None:
    threads = len(flows)
    for thread in prange(threads):
        t = np.int64(thread)
        for i in range(t, len(sources), threads):
            source = sources[i]
            count = _count(
                source, most_levels, indptr, heads, memory.levels[t], memory.state[t], memory.order[t],
                memory.first[t], memory.tight[t],
            )  # fmt: skip
            _share(
                count, origins[i], masses[source], heads, memory.levels[t], memory.state[t], memory.order[t],
                memory.first[t], memory.tight[t], flows[t], lengths[t],
            )  # fmt: skip
            starts[i] = memory.state[t, source, _SHARE]


@njit(cache=True, nogil=True)
def _count(
    source: int,
    most_levels: int,
    indptr: NDArray[np.int64],
    heads: NDArray[np.int32],
    levels: NDArray[np.int32],
    state: NDArray[np.float64],
    order: NDArray[np.int32],
    first: NDArray[np.int32],
    tight: NDArray[np.int32],
) -> int:
    """Counts of shortest paths, and the tight arcs; returns the number of vertices that are reached."""
    order[0], levels[source], state[source, _COUNT] = source, 0, 1.0
    count, arcs, i = 1, 0, 0
    while i < count:
        v = order[i]
        first[i] = arcs
        i += 1
        below, paths = levels[v] + 1, state[v, _COUNT]
        if below > most_levels:
            continue
        for a in range(indptr[v], indptr[v + 1]):
            w = heads[a]
            tight[arcs] = a
            if levels[w] == _NEW:
                levels[w], state[w, _COUNT] = below, paths
                order[count] = w
                count += 1
                arcs += 1
            elif levels[w] == below:
                state[w, _COUNT] += paths
                arcs += 1
    first[count] = arcs
    return count


@njit(cache=True, nogil=True)
def _share(
    count: int,
    origin: float,
    source_mass: float,
    heads: NDArray[np.int32],
    levels: NDArray[np.int32],
    state: NDArray[np.float64],
    order: NDArray[np.int32],
    first: NDArray[np.int32],
    tight: NDArray[np.int32],
    flows: NDArray[np.float64],
    lengths: NDArray[np.float64],
) -> None:
    """Shares, the last vertex first; leaves ``levels`` new."""
    length = 0.0
    for i in range(count - 1, -1, -1):
        v = order[i]
        share, paths = 0.0, state[v, _COUNT]
        for j in range(first[i], first[i + 1]):
            a = tight[j]
            passed = state[heads[a], _SHARE]
            share += passed
            flows[a] += passed * paths
        ending = state[v, _ENDING] if i > 0 else state[v, _ENDING] - source_mass
        length += ending * levels[v]
        state[v, _SHARE] = share + origin * ending / paths
        state[v, _REACHED] += origin
        levels[v] = _NEW
    lengths[0] += length * origin
