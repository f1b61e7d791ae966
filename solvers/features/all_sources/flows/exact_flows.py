"""Flows where weights have too many digits for 64-bit integers (`WideWeights`).

`wide_flows` searches with exact lengths, in two integers, and counts paths as Brandes does.
`ProvedFlows` has a faster engine compute with rounded weights, for those sources of which
it proves that rounding changes nothing; `wide_flows` take the others.

The proof, for a source with rounded distances d and ``slack = d(u) + w - d(v)`` of an arc.
A rounded length of at most n arcs is less than n units from the exact one. So an arc with a
slack of 2 n units or more is not tight in exact lengths either. Where every vertex has one
arc of slack 0, all others have so much, and no distance is within n units of the limit,
nothing is left to prove: this is so for nearly all sources if weights have many random
digits. Else exact lengths are added up along arcs of slack 0, one to each vertex, and
compared over the arcs in question: those with slack 0 must be tight, and all others must
not be, nor offer a shorter way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from solvers.features.all_sources.flows.path_flows import (
    CountedFlows,
    CountedSums,
    CountedWork,
    CountingMemory,
    FlowEngine,
    FlowTotals,
    Rows,
    SimpleArcs,
    add_counted,
    simple_arcs,
    sort_by_key,
)
from solvers.features.all_sources.flows.whole_weights import LengthLimit, WholeWeights, WideWeights
from solvers.system import machine
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.dary_heap import OUTSIDE, offer, pop
from solvers.system.jit import njit, prange

_ARITY = 4  # of the heap
_UNREACHED = 2**62  # the high part of a length
_SOURCES = 16  # of each thread between two cancellation checks


def wide_flows(
    whole: WholeWeights,  # whose weights are wide
    masses: Float64s,
    limit: LengthLimit,
    threads: int,
    origins: Float64s | None = None,
) -> CountedFlows:
    """Flows by searches with exact lengths; raises OutOfMemory."""
    assert whole.wide is not None
    wide, graph = whole.wide, whole.graph
    arcs = simple_arcs(graph, wide.high, wide.low)
    counting = WideCounting(wide.take(arcs.made_of), graph.n, limit, threads)
    return CountedFlows(graph, arcs, masses, threads, origins, counting)


class WideCounting:
    """Counts along searches with exact lengths."""

    note = "paths are counted in the order of exact lengths"

    def __init__(self, wide: WideWeights, n: int, limit: LengthLimit, threads: int):
        self._wide, self._limit = wide, _in_parts(limit)
        self._shape, self.thread_bytes = (threads, n), n * 40

    @cached_property
    def _search(self) -> _SearchMemory:
        shape = self._shape
        return _SearchMemory(
            np.empty(shape, np.int64),
            np.empty(shape, np.int64),
            np.empty(shape, np.int64),
            np.empty(shape, np.int32),
            np.full(shape, OUTSIDE, np.int32),
            np.empty(shape),
        )

    def add(
        self, sources: Int32s, work: CountedWork, progress: Progress
    ) -> Iterator[tuple[slice, Float64s]]:
        step = _SOURCES * len(work.sums.flows)
        for first in range(0, len(sources), step):
            progress.checkpoint(first, len(sources))
            part = sources[first : first + step]
            arrived = np.empty(len(part))
            _add_searches(
                part,
                work.origins[part],
                work.arcs,
                self._wide,
                self._limit,
                work.order,
                work.masses,
                self._search,
                work.memory,
                work.sums,
                arrived,
            )
            yield slice(first, first + len(part)), arrived


class ProvedFlows:
    """Flows by an engine that computes with rounded weights, where that is proved to be
    exact, else by `wide_flows`; raises OutOfMemory.
    """

    most_sources, may_be_shared = 0, False

    def __init__(
        self,
        engine: FlowEngine,  # on the graph of ``whole``
        exact: CountedFlows,  # by `wide_flows`
        rows: Rows,  # as those of `brandes_flows`, on the same graph
        whole: WholeWeights,
        limit: LengthLimit,
        threads: int,
    ):
        assert whole.wide is not None
        self._engine, self.exact, self._rows = engine, exact, rows
        self._graph, self._wide, self._limit = whole.graph, whole.wide, _in_parts(limit)
        self.name, self.note = engine.name, engine.note
        machine.require_memory(f"The proof of flows of {self._graph.name}", threads * self._bytes)
        shape = (threads, self._graph.n)
        self._memory = _ProofMemory(
            np.empty(shape, np.int32),
            np.empty(shape, np.int64),
            np.empty(shape, np.int64),
            np.empty(shape, np.int64),
            np.empty(shape, np.int32),
        )

    @property
    def numbering(self) -> str:
        return self._engine.numbering

    @property
    def _bytes(self) -> int:
        return self._graph.n * 32

    @property
    def thread_bytes(self) -> int:
        return self._engine.thread_bytes + self.exact.thread_bytes + self._bytes

    def nothing(self) -> FlowTotals:
        rounded, exact = self._engine.nothing(), self.exact.nothing()
        return FlowTotals((*rounded.carried, *exact.carried), rounded.starts, rounded.ends)

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises UnsuitableGraph if the shortest paths are too many to be counted; Cancelled.
        """
        proved = self.proves(sources, progress.silent())
        share = progress.part(0, int(proved.sum()), len(sources))
        rounded, exact = self._engine.nothing(), self.exact.nothing()
        if proved.any():
            rounded = self._engine.flows(sources[proved], share)
        if not proved.all():
            exact = self.exact.flows(sources[~proved], progress.silent())
        carried = (*rounded.carried, *exact.carried)
        starts, ends = rounded.starts + exact.starts, rounded.ends + exact.ends
        return FlowTotals(carried, starts, ends, rounded.length + exact.length)

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        """Flows of the graph's arcs, (m,); raises Cancelled."""
        starts, ends = totals.starts, totals.ends
        rounded = FlowTotals(totals.carried[:-1], starts, ends)
        exact = FlowTotals(totals.carried[-1:], starts, ends)
        return self._engine.arc_flows(rounded, progress) + self.exact.arc_flows(exact, progress)

    def proves(self, sources: Int32s, progress: Progress) -> Bools:
        """(k,) whether rounding changes nothing in the flows of each source; raises Cancelled."""
        found, graph = np.zeros(len(sources), np.bool_), self._graph
        infinity = graph.weights.dtype.type(graph.distance_type.infinity)
        arcs = graph.indptr, graph.tails, graph.indices, graph.weights
        for chosen, rows in self._rows(sources, progress):
            proved = found[chosen]
            _prove_rows(
                rows,
                sources[chosen],
                *arcs,
                self._wide,
                infinity,
                self._limit,
                self._memory,
                proved,
            )
        return found


class _SearchMemory(NamedTuple):
    """What each thread works with, (threads, n): exact lengths, a heap, and lengths as floats."""

    high: Int64s
    low: Int64s
    keys: Int64s
    vertices: Int32s
    position: Int32s
    lengths: Float64s


class _ProofMemory(NamedTuple):
    """What each thread works with, (threads, n).

    ``via`` and ``arc`` are the tail of an arc of slack 0 to each vertex, and the arc; then
    exact lengths follow, and a stack.
    """

    via: Int32s
    arc: Int64s
    high: Int64s
    low: Int64s
    stack: Int32s


def _in_parts(limit: LengthLimit) -> LengthLimit:
    return LengthLimit(np.int64(limit.high), np.int64(limit.low))


@njit(inline="always")
def _plus(high: int, low: int, wide: WideWeights, a: int) -> tuple[int, int]:
    """A length and an arc's weight."""
    high, low = high + wide.high[a], low + wide.low[a]
    if low >= wide.base:
        high, low = high + 1, low - wide.base
    return high, low


@njit(inline="always")
def _order_of(high: int, low: int, other_high: int, other_low: int) -> int:
    """-1, 0 or 1: whether the first length is less than, equal to or greater than the other."""
    if high != other_high:
        return -1 if high < other_high else 1
    if low != other_low:
        return -1 if low < other_low else 1
    return 0


@njit(parallel=True)
def _add_searches(
    sources: Int32s,
    origins: Float64s,
    arcs: SimpleArcs,
    wide: WideWeights,
    limit: LengthLimit,
    vertices: Int32s,
    masses: Float64s,
    search: _SearchMemory,
    memory: CountingMemory,
    sums: CountedSums,
    arrived: Float64s,
) -> None:
    threads = len(sums.flows)
    for thread in prange(threads):
        t = np.int64(thread)
        high, low, lengths = search.high[t], search.low[t], search.lengths[t]
        order, tight = memory.order[t], memory.tight[t]
        for i in range(t, len(sources), threads):
            _search(sources[i], arcs, wide, search, t)
            count = _sort_by_length(high, low, vertices, order)
            within = 0
            for v in order[:count]:
                lengths[v] = high[v] + low[v] / wide.base
                within += _order_of(high[v], low[v], limit.high, limit.low) <= 0
                for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
                    head = arcs.indices[a]
                    offered = _plus(high[v], low[v], wide, a)
                    tight[a] = _order_of(offered[0], offered[1], high[head], low[head]) == 0
            arrived[i] = add_counted(
                t, sources[i], origins[i], lengths, count, within, arcs, masses, memory, sums
            )


@njit
def _search(
    source: int, arcs: SimpleArcs, wide: WideWeights, memory: _SearchMemory, t: int
) -> None:
    """Exact lengths from a source. The heap knows the high parts only: a vertex that left it
    may return.
    """
    high, low = memory.high[t], memory.low[t]
    keys, vertices, position = memory.keys[t], memory.vertices[t], memory.position[t]
    high[:], low[:] = _UNREACHED, 0
    high[source] = keys[0] = position[source] = 0
    vertices[0] = source
    size = 1
    while size > 0:
        v = vertices[0]
        size = pop(keys, vertices, position, size, _ARITY)
        for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
            head = arcs.indices[a]
            offered = _plus(high[v], low[v], wide, a)
            if _order_of(offered[0], offered[1], high[head], low[head]) >= 0:
                continue
            high[head], low[head] = offered
            size = offer(keys, vertices, position, size, offered[0], head, _ARITY)


@njit
def _sort_by_length(high: Int64s, low: Int64s, vertices: Int32s, order: Int32s) -> int:
    """The vertices that are reached, by length, else in the order of ``vertices``;
    returns their number.
    """
    count = 0
    for v in vertices:
        if high[v] < _UNREACHED:
            order[count] = v
            count += 1
    for key in (low, high):
        sort_by_key(key, order, count)
    return count


@njit(parallel=True)
def _prove_rows(
    rows: AnyArray,
    sources: Int32s,
    indptr: Int64s,
    tails: Int32s,
    indices: Int32s,
    weights: Int64s,
    wide: WideWeights,
    infinity: Any,
    limit: LengthLimit,
    memory: _ProofMemory,
    proved: Bools,
) -> None:
    threads = len(memory.via)
    for thread in prange(threads):
        t = np.int64(thread)
        for i in range(t, len(sources), threads):
            proved[i] = _is_sure(rows[i], tails, indices, weights, infinity, limit.high)
            if proved[i]:
                continue
            args = (rows[i], indptr, indices, weights, infinity)
            _find_tight(*args, memory.via[t], memory.arc[t])
            _add_lengths(sources[i], rows[i], infinity, wide, memory, t)
            proved[i] = _is_exact(*args, limit, wide, memory.high[t], memory.low[t])


@njit
def _is_sure(
    row: Int64s, tails: Int32s, indices: Int32s, weights: Int64s, infinity: int, limit: int
) -> bool:
    """Whether no length is near another that it is compared with.

    Every vertex but the source has an arc of slack 0. So none is tight or near it but these,
    if there are as many as vertices. Without branches, this takes a fraction of the time;
    of what is not reached, arcs of almost no weight may be counted in vain.
    """
    n, near, reached, at_limit = len(row), 0, 0, 0
    for v in range(n):
        reached += row[v] < infinity
        at_limit += abs(row[v] - limit) <= n
    for a in range(len(indices)):
        near += row[tails[a]] + weights[a] - 2 * n <= row[indices[a]]
    return near == reached - 1 and at_limit == 0


@njit
def _find_tight(
    row: Int64s,
    indptr: Int64s,
    indices: Int32s,
    weights: Int64s,
    infinity: int,
    via: Int32s,
    arc: Int64s,
) -> None:
    """The tail of an arc of slack 0 to each vertex that has one, and the arc."""
    for u in range(len(row)):
        if row[u] >= infinity:
            continue
        for a in range(indptr[u], indptr[u + 1]):
            if row[u] + weights[a] == row[indices[a]] and u != indices[a]:
                via[indices[a]], arc[indices[a]] = u, a


@njit
def _add_lengths(
    source: int, row: Int64s, infinity: int, wide: WideWeights, memory: _ProofMemory, t: int
) -> None:
    """Exact lengths of the paths by ``via``, which end at the source: it forms no cycle."""
    via, arc, high, low = memory.via[t], memory.arc[t], memory.high[t], memory.low[t]
    stack = memory.stack[t]
    high[:] = _UNREACHED
    high[source] = low[source] = 0
    for start in range(len(row)):
        v, size = start, 0
        while row[v] < infinity and high[v] == _UNREACHED:
            stack[size] = v
            size += 1
            v = via[v]
        for k in range(size - 1, -1, -1):
            v = stack[k]
            high[v], low[v] = _plus(high[via[v]], low[via[v]], wide, arc[v])


@njit
def _is_exact(
    row: Int64s,
    indptr: Int64s,
    indices: Int32s,
    weights: Int64s,
    infinity: int,
    limit: LengthLimit,
    wide: WideWeights,
    high: Int64s,
    low: Int64s,
) -> bool:
    n = len(row)
    for u in range(n):
        if row[u] >= infinity:
            continue
        is_within = _order_of(high[u], low[u], limit.high, limit.low) <= 0
        if is_within != (row[u] <= limit.high):
            return False
        for a in range(indptr[u], indptr[u + 1]):
            v = indices[a]
            slack = row[u] + weights[a] - row[v]
            if slack > 2 * n or u == v:
                continue
            offered = _plus(high[u], low[u], wide, a)
            if _order_of(offered[0], offered[1], high[v], low[v]) != (slack > 0):
                return False
    return True
