"""Flows of shortest paths: a unit from every source to every vertex, shared over all
shortest paths, summed by arc.

The flow of an arc is its edge betweenness; what flows into a vertex, less what ends
there, is the vertex's betweenness. Paths are sequences of vertices: parallel arcs of
the least weight are one way, and share what flows over it.

`brandes_flows` works on any graph without negative weights and without a cycle of weight
0, on which there would be infinitely many ways. It takes rows of distances, counts
shortest paths in the order of distance, and lets flows return in the reverse order
(Brandes 2001). All threads take rows. It serves graphs with large separators, and as
the proof of flows that were computed over a hierarchy. Lengths are compared as they are:
floats have become whole numbers before (`whole_weights`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from solvers.errors import UnsuitableGraph
from solvers.graphs.csr import sort_along
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit, prange
from solvers.system.ranges import offsets_of
from solvers.verification.flows import TOLERANCE

Rows = Callable[[Int32s, Progress], Iterator[tuple[slice, AnyArray]]]


@dataclass(eq=False)
class FlowTotals:
    """Sums over sources, to which an engine adds.

    What is ``carried`` flows over whatever the engine sweeps; `FlowEngine.arc_flows`
    makes flows of arcs of it.
    """

    carried: tuple[Float64s, ...]
    starts: Float64s  # (n,) what starts at each vertex
    ends: Float64s  # (n,) what ends there
    length: float = 0.0  # of all paths, times what flows over them
    recomputed: int = 0  # sources whose flows another program has found to be the same
    # (k, 3) of the sources of one call, where its sweep finds them: the masses that each
    # reaches, the sum of their distances, times these, and the greatest distance
    rows: Float64s | None = None

    def add(self, other: FlowTotals) -> None:
        for mine, others in zip(self.arrays, other.arrays, strict=True):
            mine += others
        self.length += other.length
        self.recomputed += other.recomputed

    @property
    def arrays(self) -> tuple[Float64s, ...]:
        return (*self.carried, self.starts, self.ends)

    def passing(self, graph: Graph, arcs: Float64s) -> Float64s:
        """Betweenness of the vertices: what flows in, less what ends there; both directions of
        a pair count once.
        """
        passing = np.bincount(graph.indices, arcs, graph.n) - self.ends
        rounding = TOLERANCE * self.ends
        return np.where(np.abs(passing) <= rounding, 0.0, passing) * (
            1.0 if graph.directed else 0.5
        )


class FlowEngine(Protocol):
    """Computes flows of sources; name and note are as those of ``RowEngine``."""

    name: str
    note: str
    may_be_shared: bool  # whether several threads may ask for flows at once

    @property
    def numbering(self) -> str:
        """Hash of what numbers the entries of `FlowTotals.carried`; empty if the graph does."""

    @property
    def most_sources(self) -> int:
        """Sources that `flows` best takes at once, if it gives `FlowTotals.rows`, too; else 0."""

    @property
    def thread_bytes(self) -> int:
        """Memory that each thread works with."""

    def nothing(self) -> FlowTotals:
        """Totals of no source."""

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources; raises UnsuitableGraph if paths are too many to be
        counted, and Cancelled.
        """

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        """Flows of the graph's arcs, (m,), of totals, which do not change; raises Cancelled."""


def require_countable(graph: Graph) -> None:
    """Refuse graphs in which shortest paths are not defined, or are infinitely many;
    raises UnsuitableGraph.
    """
    if graph.has_negative_weights:
        raise UnsuitableGraph(
            f"{graph.name} has negative weights; betweenness needs weights above 0. "
            "Read it with other weights."
        )
    zero = (graph.weights == 0) & (graph.tails != graph.indices)
    if not zero.any():
        return
    from scipy.sparse import csr_array  # a tenth of a second, which every start would take
    from scipy.sparse.csgraph import connected_components

    tails, heads = graph.tails[zero], graph.indices[zero]
    arcs = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(graph.n, graph.n))
    count, part = connected_components(arcs, connection="strong")
    if count < graph.n:
        tail, head = next(
            (t, h)
            for t, h in zip(tails.tolist(), heads.tolist(), strict=True)
            if part[t] == part[h]
        )
        raise UnsuitableGraph(
            f"{graph.name} has a cycle of weight 0, through {graph.vertex_id(tail)} and "
            f"{graph.vertex_id(head)}: infinitely many walks are equally short, so betweenness is "
            "not defined. Give its arcs weights above 0."
        )


class SimpleArcs(NamedTuple):
    """A graph without loops, and with one arc for all parallel arcs of the least weight.

    Rows are as those of a graph, weights of the distance type.
    """

    indptr: Int64s
    indices: Int32s
    weights: AnyArray
    # (m,) what stands for an arc of the graph; -1 for a loop or a heavier parallel arc
    arc_of: Int64s
    made_of: Int64s  # the first arc of the graph that each stands for

    def spread(self, flows: Float64s) -> Float64s:
        """Flows of the graph's arcs, (m,): parallel arcs share."""
        ways = np.bincount(self.arc_of[self.arc_of >= 0], minlength=len(flows))
        each = np.append(flows / ways, 0.0)
        return each[self.arc_of]


def simple_arcs(graph: Graph, *finer: Int64s) -> SimpleArcs:
    """Those of a graph; O(m log m). ``finer``, (m,): tells arcs of one weight apart."""
    tails, heads = graph.tails, graph.indices
    weights = graph.weights_in(graph.distance_type.dtype)
    if _are_simple(graph.indptr, heads):
        every = np.arange(graph.m)
        return SimpleArcs(graph.indptr, heads, weights, every, every)
    keys = (weights, *finer)
    order = np.lexsort((*keys[::-1], heads, tails))
    order = order[tails[order] != heads[order]]
    ends = tails[order], heads[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(ends[0]) != 0) | (np.diff(ends[1]) != 0)
    number, made_of = np.cumsum(new) - 1, order[new]
    least = np.ones(len(order), np.bool_)
    for key in keys:
        least &= key[made_of][number] == key[order]
    arc_of = np.full(graph.m, -1, np.int64)
    arc_of[order[least]] = number[least]
    indptr = offsets_of(np.bincount(ends[0][new], minlength=graph.n))
    return SimpleArcs(indptr, ends[1][new], weights[made_of], arc_of, made_of)


@njit
def _are_simple(indptr: Int64s, heads: Int32s) -> bool:
    """Whether heads ascend in each row, none of them twice, and none is the tail."""
    for v in range(len(indptr) - 1):
        for a in range(indptr[v], indptr[v + 1]):
            if heads[a] == v or (a > indptr[v] and heads[a] <= heads[a - 1]):
                return False
    return True


class ArcFlows:
    """Flows that are carried over the simple arcs of a graph."""

    most_sources, may_be_shared, numbering = 0, False, ""

    def __init__(
        self,
        graph: Graph,
        arcs: SimpleArcs,
        masses: Float64s,  # (n,) of vertices, as destinations
        origins: Float64s | None,  # (n,) masses of vertices as origins; as destinations by default
    ):
        self._masses, self._n, self._arcs = masses, graph.n, arcs
        self._origins = masses if origins is None else origins

    def nothing(self) -> FlowTotals:
        return FlowTotals(
            (np.zeros(len(self._arcs.indices)),), np.zeros(self._n), np.zeros(self._n)
        )

    def arc_flows(self, totals: FlowTotals, progress: Progress) -> Float64s:
        return self._arcs.spread(totals.carried[0])

    def _counted(self, found: FlowTotals) -> FlowTotals:
        """The totals; raises UnsuitableGraph if there were too many paths to be counted."""
        if not np.isfinite(found.carried[0]).all():
            raise UnsuitableGraph(
                "There are more shortest paths than float64 counts, "
                "some 1e308 between two vertices."
            )
        return found


class PathCounting(Protocol):
    """Counts the shortest paths of sources in the order of distance. It takes memory when
    it is first used.
    """

    note: str

    @property
    def thread_bytes(self) -> int:
        """Memory that each thread works with, besides `CountingMemory`."""

    def add(
        self, sources: Int32s, work: CountedWork, progress: Progress
    ) -> Iterator[tuple[slice, Float64s]]:
        """Add flows; yields which sources were added, and the masses that each reaches."""


class CountedFlows(ArcFlows):
    """Flows by counting shortest paths on all cores; raises OutOfMemory."""

    name = "search"

    def __init__(
        self,
        graph: Graph,  # by `require_countable`
        arcs: SimpleArcs,
        masses: Float64s,
        threads: int,  # OpenMP threads, which the caller has set
        origins: Float64s | None,
        counting: PathCounting,
    ):
        super().__init__(graph, arcs, masses, origins)
        self.counting, self.note = counting, counting.note
        machine.require_memory(f"The flows of {graph.name}", threads * self.thread_bytes)
        self._order = _zero_arcs_first(*arcs[:3], graph.n)
        self._memory = CountingMemory(
            np.empty((threads, graph.n), np.int32),
            np.empty((threads, graph.n)),
            np.empty((threads, graph.n)),
            np.empty((threads, len(arcs.indices)), np.bool_),
        )

    @property
    def thread_bytes(self) -> int:
        own = self._n * (4 + 8 + 8) + 9 * (len(self._arcs.indices) + self._n)
        return own + self.counting.thread_bytes

    def flows(self, sources: Int32s, progress: Progress) -> FlowTotals:
        """Totals of some sources.

        Raises UnsuitableGraph if the shortest paths are too many to be counted in
        float64; Cancelled.
        """
        found, threads = self.nothing(), len(self._memory.order)
        sums = CountedSums(
            np.zeros((threads, len(found.carried[0]))),
            np.zeros((threads, self._n)),
            np.zeros((threads, 1)),
        )
        work = CountedWork(self._arcs, self._order, self._masses, self._origins, self._memory, sums)
        for chosen, arrived in self.counting.add(sources, work, progress):
            part = sources[chosen]
            np.add.at(found.starts, part, self._origins[part] * arrived)
        found.carried[0][:], found.ends[:] = sums.flows.sum(axis=0), sums.ends.sum(axis=0)
        found.length = float(sums.lengths.sum())
        return self._counted(found)


def brandes_flows(
    graph: Graph,
    rows: Rows,  # yields whole rows of distances of sources, with their places among them
    masses: Float64s,
    limit: Any,  # length of the longest paths that carry something
    threads: int,
    origins: Float64s | None = None,
) -> CountedFlows:
    """Flows by Brandes' algorithm, from rows of distances; raises OutOfMemory."""
    counting = _RowCounting(graph, rows, limit, threads)
    return CountedFlows(graph, simple_arcs(graph), masses, threads, origins, counting)


class _RowCounting:
    """Counts along whole rows of distances."""

    note = "paths are counted in the order of distance"

    def __init__(self, graph: Graph, rows: Rows, limit: Any, threads: int):
        kind, self._threads, self.thread_bytes = graph.distance_type, threads, 16 * graph.n
        self._rows, self._limit = rows, kind.dtype.type(limit)
        self._infinity = kind.dtype.type(kind.infinity)

    @cached_property
    def _buckets(self) -> Int32s:
        return np.zeros((self._threads, self.thread_bytes // 4 + 2), np.int32)

    def add(
        self, sources: Int32s, work: CountedWork, progress: Progress
    ) -> Iterator[tuple[slice, Float64s]]:
        for chosen, rows in self._rows(sources, progress):
            part = sources[chosen]
            arrived = np.empty(len(part))
            _add_rows(
                rows,
                part,
                work.origins[part],
                work.arcs,
                work.order,
                work.masses,
                self._infinity,
                self._limit,
                self._buckets,
                work.memory,
                work.sums,
                arrived,
            )
            yield chosen, arrived


class CountingMemory(NamedTuple):
    """What each thread works with: vertices in the order of distance, counts and shares,
    and which arcs are tight.
    """

    order: Int32s  # (threads, n), like the next two
    counts: Float64s
    shares: Float64s
    tight: Bools  # (threads, arcs)


class CountedSums(NamedTuple):
    """Sums over sources, one of each for each thread."""

    flows: Float64s  # (threads, arcs)
    ends: Float64s  # (threads, n)
    lengths: Float64s  # (threads, 1)


class CountedWork(NamedTuple):
    """What flows are counted with, and added to."""

    arcs: SimpleArcs
    order: Int32s  # (n,): all vertices, tails before heads of arcs of weight 0
    masses: Float64s  # (n,) of vertices, as destinations
    origins: Float64s  # (n,)
    memory: CountingMemory
    sums: CountedSums


@njit
def _zero_arcs_first(indptr: Int64s, indices: Int32s, weights: AnyArray, n: int) -> Int32s:
    """All vertices, tails before heads of arcs of weight 0, which form no cycle."""
    entering, order, count = np.zeros(n, np.int32), np.empty(n, np.int32), 0
    for a in range(len(indices)):
        entering[indices[a]] += weights[a] == 0
    for v in range(n):
        if entering[v] == 0:
            order[count] = v
            count += 1
    i = 0
    while i < count:
        v = order[i]
        i += 1
        for a in range(indptr[v], indptr[v + 1]):
            if weights[a] == 0:
                entering[indices[a]] -= 1
                if entering[indices[a]] == 0:
                    order[count] = indices[a]
                    count += 1
    return order


@njit(parallel=True)
def _add_rows(
    rows: AnyArray,
    sources: Int32s,
    origins: Float64s,
    arcs: SimpleArcs,
    vertices: Int32s,
    masses: Float64s,
    infinity: Any,
    limit: Any,
    buckets: Int32s,
    memory: CountingMemory,
    sums: CountedSums,
    arrived: Float64s,
) -> None:
    threads = len(sums.flows)
    for thread in prange(threads):
        t = np.int64(thread)
        order, tight = memory.order[t], memory.tight[t]
        for i in range(t, len(sources), threads):
            row = rows[i]
            count = _sort_by_distance(row, vertices, infinity, buckets[t], order)
            within = 0
            for v in order[:count]:
                within += row[v] <= limit
                for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
                    tight[a] = row[v] + arcs.weights[a] == row[arcs.indices[a]]
            arrived[i] = add_counted(
                t, sources[i], origins[i], row, count, within, arcs, masses, memory, sums
            )


@njit
def add_counted(
    t: int,
    source: int,
    mass: float,
    row: AnyArray,
    count: int,
    within: int,
    arcs: SimpleArcs,
    masses: Float64s,
    memory: CountingMemory,
    sums: CountedSums,
) -> float:
    """Add the flows of a source of some mass, from ``order`` and ``tight`` of the thread.

    ``count`` vertices are reached, and the first ``within`` of them within the limit, at
    the distances of ``row``. Returns the masses of the latter.
    """
    order, tight, counts, shares = (
        memory.order[t],
        memory.tight[t],
        memory.counts[t],
        memory.shares[t],
    )
    flows, ends = sums.flows[t], sums.ends[t]
    counts[:], shares[:] = 0.0, 0.0
    counts[source] = 1.0
    for i in range(count):
        v = order[i]
        for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
            if tight[a]:
                counts[arcs.indices[a]] += counts[v]
    arrived, length = 0.0, 0.0
    for i in range(count - 1, -1, -1):
        v = order[i]
        share = shares[v]
        for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
            if tight[a]:
                passed = shares[arcs.indices[a]]
                share += passed
                flows[a] += passed * counts[v]
        if v != source and i < within:
            flow = mass * masses[v]
            share += flow / counts[v]
            ends[v] += flow
            arrived += masses[v]
            length += flow * row[v]
        shares[v] = share
    sums.lengths[t, 0] += length
    return arrived


@njit
def sort_by_key(keys: AnyArray, order: Int32s, count: int) -> None:
    """Sort the first ``count`` vertices of ``order`` by their keys. Stable."""
    gathered = np.empty(count, keys.dtype)
    for i in range(count):
        gathered[i] = keys[order[i]]
    sort_along(gathered, order, 0, count)


@njit
def _sort_by_distance(
    row: AnyArray, vertices: Int32s, infinity: Any, buckets: Int32s, order: Int32s
) -> int:
    """The vertices that are reached, by distance, else in the order of ``vertices``;
    returns their number.

    Small whole distances are counted in buckets, which are left empty; others are
    sorted.
    """
    count, farthest, whole = 0, row.dtype.type(0), True
    for v in vertices:
        if row[v] < infinity:
            order[count] = v
            count += 1
            farthest = max(farthest, row[v])
            whole = whole and row[v] == np.floor(row[v])
    if not whole or farthest >= len(buckets) - 1:
        sort_by_key(row, order, count)
        return count
    last = np.int64(farthest) + 1
    for i in range(count):
        buckets[np.int64(row[order[i]]) + 1] += 1
    for d in range(last):
        buckets[d + 1] += buckets[d]
    for v in vertices:
        if row[v] < infinity:
            bucket = np.int64(row[v])
            order[buckets[bucket]] = v
            buckets[bucket] += 1
    buckets[: last + 1] = 0
    return count


def counting_rate(
    row: AnyArray, source: int, arcs: SimpleArcs, infinity: Any
) -> tuple[float, float]:
    """A rate by which counts of paths can be scaled: by 2 to the power of ``-rate``
    times their length.

    The rate is halfway between no scale, under which counts grow most, and one under
    which none is above 1. Scaled counts are between 2 to the power of minus the
    exponent and of the exponent. ``row`` has the distances.
    """
    n = len(row)
    order, buckets = np.empty(n, np.int32), np.zeros(4 * n + 2, np.int32)
    count = _sort_by_distance(row, _zero_arcs_first(*arcs[:3], n), infinity, buckets, order)
    exponents = np.full(n, -np.inf)
    exponents[source] = 0.0
    _count_in_exponents(row, order[:count], arcs, exponents)
    reached = (row < infinity) & (row > 0)
    rate = float((exponents[reached] / row[reached]).max(initial=0.0)) / 2
    return rate, float(np.abs(exponents[reached] - rate * row[reached]).max(initial=0.0))


@njit
def _count_in_exponents(
    row: AnyArray, order: Int32s, arcs: SimpleArcs, exponents: Float64s
) -> None:
    """Logarithms, to base 2, of the counts of shortest paths."""
    for v in order:
        for a in range(arcs.indptr[v], arcs.indptr[v + 1]):
            head = arcs.indices[a]
            if row[v] + arcs.weights[a] == row[head]:
                high, low = max(exponents[head], exponents[v]), min(exponents[head], exponents[v])
                exponents[head] = high + np.log2(1.0 + 2.0 ** (low - high))
