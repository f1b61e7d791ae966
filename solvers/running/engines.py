"""What answers questions about an ordinary graph with one set of weights, for a
`PreparedNetwork`. Vertices are indices here.

An engine never changes, so that any number of threads can ask it while the next one is
made. `HierarchyEngine` is for graphs with small separators, `SearchEngine` for all others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.batched_sweep import (
    LANES,
    HierarchyRows,
    settle_rows,
    working_memory,
)
from solvers.algorithms.hierarchy.device_sweeps import settle_into_table, settle_on_device
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.pair_batch import (
    ClimbArrays,
    length_of_pair,
    lengths_of_pairs,
    path_of_pair,
    paths_of_pairs,
)
from solvers.algorithms.hierarchy.path_query import PathArrays, find_detours
from solvers.algorithms.hierarchy.preparation import adopt, hierarchy_of, metric_of, prepare
from solvers.algorithms.hierarchy.recustomise import recustomise
from solvers.algorithms.hierarchy.supergraph import Hierarchy, without_arcs
from solvers.algorithms.hierarchy.sweep import ClimbBuffers, settle_nearest, settle_row
from solvers.algorithms.hierarchy.table import climbs_of_targets, fill_table
from solvers.algorithms.hierarchy.via_paths import Limits, ViaArcs, via_paths
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.algorithms.negative_cycle import find_negative_cycle, negative_cycle_error
from solvers.core.problem import Problem
from solvers.core.requirements import require_nonnegative
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import (
    DeviceUnavailable,
    ForeignQuery,
    OutOfMemory,
    SeparatorsTooLarge,
    Unavailable,
    UnsuitableGraph,
)
from solvers.graphs.graph import Graph, RoadPatch
from solvers.graphs.labelled import ROUTER_NAME
from solvers.graphs.weights import WeightType, converted
from solvers.parameters import settle_parameters
from solvers.running.nearest import NearestMemory, nearest_sources, search_for
from solvers.running.row_engines import DeviceRows
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import cores
from solvers.system.openmp import team as openmp_team
from solvers.system.ranges import offsets_of
from solvers.system.threads import ThreadTeam, split_evenly, thread_team
from solvers.verification.hierarchy_bounds import ClaimedHierarchy, HierarchyBounds, proved_bounds
from solvers.verification.paths import lightest_arcs, path_to, recover_predecessors

# of a table, from which a GPU is faster, the upload of the hierarchy included
_CELLS_ON_A_DEVICE = 1 << 22
_PAIRS_OF_A_TASK = 256
_ROUNDINGS = 4  # as many as a path of so many arcs may lose, times the square root of n
_FEW_ROWS = 4  # each of its own; more are searched or swept together

Rows = Iterator[tuple[slice, AnyArray]]
Paths = tuple[Int32s, Int64s, AnyArray]
"""Vertices of all paths, where each begins, (k + 1,), and lengths in the distance type."""

_NEGATIVE = (
    "Searches need non-negative weights, or a hierarchy: {name} has negative weights, and no "
    "hierarchy is prepared. Run Bellman-Ford instead."
)
_NEITHER = (
    "{name} has negative weights and large separators, so neither sweeps nor searches apply. "
    "Solve from one source with a Bellman-Ford variant, all pairs with Floyd-Warshall."
)
_CYCLE = (
    "{name} has a negative cycle, so there are no shortest paths to show. "
    "Run Bellman-Ford to see the cycle."
)


def engine_of(
    graph: Graph,
    device: Device | None,
    progress: Progress = SILENT,
    threads: int = 0,  # that prepare; 0 for all cores
) -> Engine:
    """A hierarchy where separators are small, else searches.

    ``device`` is for sweeps of the hierarchy. Raises NegativeCycle; UnsuitableGraph for
    negative weights where separators are large; OutOfMemory, Unavailable for these where no
    hierarchy can be made; Cancelled.
    """
    try:
        ready = prepare(graph, None, ROUTER_NAME, progress, threads=threads)
    except (SeparatorsTooLarge, OutOfMemory, Unavailable) as error:
        if graph.has_negative_weights and isinstance(error, SeparatorsTooLarge):
            raise UnsuitableGraph(_NEITHER.format(name=graph.name)) from error
        if graph.has_negative_weights:
            raise
        reason = "separators are large" if isinstance(error, SeparatorsTooLarge) else str(error)
        return SearchEngine(graph, graph, f"Searches, without preparation: {reason}")
    kind = graph.distance_type
    weights = graph.weights_in(kind.dtype)
    return HierarchyEngine(
        graph,
        ready.hierarchy,
        ready.metric,
        kind,
        weights,
        graph,
        device,
        f"Hierarchy: {ready.note}",
    )


def engine_with_hierarchy(graph: Graph, progress: Progress = SILENT) -> HierarchyEngine:
    """A hierarchy, made now or before; of a graph with changed roads, over all roads: hierarchy
    and metric of its base are made first, and then only changes are customised.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, UnsuitableGraph,
    Cancelled.
    """
    plain = searching_engine(graph)
    network, kind = plain.network, plain.kind
    with openmp_team(0, ROUTER_NAME) as threads:
        hierarchy, note = hierarchy_of(network, ROUTER_NAME, progress)
        if network is not graph:
            metric_of(network, hierarchy, kind, threads, progress)
        metric, _ = metric_of(graph, hierarchy, kind, threads, progress)
    return HierarchyEngine(network, hierarchy, metric, kind, plain.weights, graph, None, note)


def searching_engine(graph: Graph) -> SearchEngine:
    """Searches, over all roads of a graph with changed ones.

    Raises UnsuitableGraph if even 64-bit integers could overflow.
    """
    engine = SearchEngine(graph.network, graph, "Searches")
    _ = engine.kind
    return engine


def engine_like(engine: Engine, graph: Graph) -> Engine:
    """An engine of the same kind for another graph."""
    if isinstance(engine, HierarchyEngine):
        return engine_of(graph, engine.device)
    return SearchEngine(graph, graph, engine.note)


@dataclass(frozen=True, eq=False)
class HierarchyEngine:
    """Raises ForeignQuery if weights, hierarchy and metric cannot be of one network:
    compiled functions do not check their arguments.
    """

    network: Graph  # whose arcs the hierarchy names, with its weights
    hierarchy: Hierarchy
    metric: Metric
    kind: WeightType
    weights: AnyArray
    graph: Graph
    device: Device | None
    note: str
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        n, m, own = self.network.n, self.network.m, self.weights
        if own.shape != (m,) or own.dtype != self.kind.dtype:
            raise ForeignQuery(self.graph.name, f"there are {len(own)} weights for its {m} arcs")
        if self.hierarchy.n != n:
            raise ForeignQuery(
                self.graph.name, f"the hierarchy has {self.hierarchy.n} vertices, and it has {n}"
            )
        if len(self.metric.up) != self.hierarchy.arcs:
            raise ForeignQuery(self.graph.name, "the metric is of another hierarchy")

    @property
    def prepared(self) -> bool:
        """Whether the hierarchy answers."""
        return not self.metric.negative_cycle

    @cached_property
    def _asked(self) -> tuple[Any, ...]:
        """What a query for lengths reads."""
        return ClimbArrays.of(self.hierarchy.arrays), self.metric.arrays, self.hierarchy.tree.height

    @property
    def bounds(self) -> HierarchyBounds | None:
        with self._lock:
            return self._unlocked_bounds

    @cached_property
    def _unlocked_bounds(self) -> HierarchyBounds | None:
        hierarchy, metric, tree = self.hierarchy, self.metric, self.hierarchy.tree
        rows = hierarchy.up_first, hierarchy.up_depth, metric.up, metric.down
        claimed = ClaimedHierarchy(tree.rank, tree.parent, *rows)
        return proved_bounds(self.graph, claimed, cores())

    @property
    def _paths(self) -> PathArrays:
        with self._lock:
            return self._unlocked_paths

    @cached_property
    def _unlocked_paths(self) -> PathArrays:
        with openmp_team(0, ROUTER_NAME) as threads:
            detours = find_detours(self.hierarchy, self.metric, self.weights, threads)
        return PathArrays.of(self.hierarchy, self.metric, detours)

    @cached_property
    def _asked_for_paths(self) -> tuple[Any, ...]:
        """What a query for paths reads."""
        infinity = self.kind.dtype.type(self.kind.infinity)
        return self._paths, self.weights, infinity, self.network.indices, self.hierarchy.tree.height

    def length(self, source: int, target: int) -> Any:
        return length_of_pair(source, target, *self._asked)

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray:
        with thread_team() as team:
            arrays, metric, height = self._asked
            return lengths_of_pairs(arrays, metric, height, self.kind, sources, targets, team)

    def row(self, source: int) -> AnyArray:
        with openmp_team(0, ROUTER_NAME) as threads:
            return settle_row(self.hierarchy, self.metric, self.kind, source, threads, SILENT)

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        hierarchy, kind = self.hierarchy, self.kind
        if self.metric.negative_cycle:
            raise UnsuitableGraph(_CYCLE.format(name=self.network.name))
        with openmp_team(0, ROUTER_NAME) as threads:
            if len(sources) == 1:
                owners = np.empty(0, np.uint8)
                source = int(sources[0])
                settle_row(hierarchy, self.metric, kind, source, threads, progress, distances)
            else:
                owners = np.empty(hierarchy.n, np.uint8)
                buffers = memory.of((hierarchy, kind), lambda: ClimbBuffers.of(hierarchy, kind))
                found = buffers, distances, owners
                settle_nearest(hierarchy, self.metric, kind, sources, *found, threads, progress)
        return owners, "hierarchy"

    def rows(self, sources: AnyArray) -> Rows:
        n = self.hierarchy.n
        if len(sources) <= _FEW_ROWS:
            yield from _row_by_row(self, sources)
            return
        with openmp_team(0, ROUTER_NAME) as threads:
            working = working_memory(n, self.kind, threads)
            for first in range(0, len(sources), threads * LANES):
                part = sources[first : first + threads * LANES].astype(np.int32)
                rows = np.empty((len(part), n), self.kind.dtype)
                settle_rows(self.hierarchy, self.metric, self.kind, part, rows, working)
                yield slice(first, first + len(part)), rows

    def sweeps(self, threads: int) -> HierarchyRows | DeviceRows:
        """What reduces rows, with so many threads of OpenMP, which the caller has set."""
        self._adopt()
        if self.device is not None:
            return DeviceRows(self.graph, self.device)
        return HierarchyRows(self.graph, threads)

    def path(self, source: int, target: int) -> Int32s:
        vertices, length = path_of_pair(source, target, *self._asked_for_paths)
        if len(vertices) and length >= self.kind.infinity:
            return self.paths(np.array([source]), np.array([target]))[0]
        found: Int32s = vertices
        return found

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths:
        fixed = self._asked_for_paths
        if len(sources) <= 1:  # also of none, which no thread takes
            found = [paths_of_pairs(sources, targets, *fixed)]
        else:
            with thread_team() as team:
                found = _in_parts(
                    lambda a, b: paths_of_pairs(sources[a:b], targets[a:b], *fixed),
                    len(sources),
                    team,
                )
        return _joined(
            [self._whole(*part, first) for first, part in _with_starts(found, sources, targets)]
        )

    def _whole(self, vertices: Int32s, first: Int64s, lengths: AnyArray, ends: AnyArray) -> Paths:
        """The same with paths that were not unpacked, since cycles of length 0 are part of them."""
        missing = np.flatnonzero((lengths >= self.kind.infinity) & (np.diff(first) > 0))
        if not len(missing):
            return vertices, first, lengths
        walks = np.split(vertices, first[1:-1])
        for i in missing.tolist():
            source, target = ends[i].tolist()
            row = self.row(source)
            lengths[i] = row[target]
            walk = path_to(recover_predecessors(self.graph, source, row), source, target)
            walks[i] = np.empty(0, np.int32) if walk is None else walk
        return (
            np.concatenate(walks),
            offsets_of([len(walk) for walk in walks]),
            lengths,
        )

    @property
    def finds_alternatives(self) -> bool:
        """Whether no weight is negative, in what limits on lengths have a meaning."""
        return not self.metric.guarded

    def alternatives(
        self,
        source: int,
        target: int,
        count: int,
        limits: Limits,
        road_of: Int64s,
        junction_of: Int32s,
    ) -> list[Int64s]:
        """Arcs of the network of the shortest path and up to ``count - 1`` alternatives;
        none without a path. The last two are as of `ViaArcs`.
        """
        network, kind, height = self.network, self.kind, self.hierarchy.tree.height
        unit = 0.0 if kind.is_integer else float(np.finfo(kind.dtype).eps)
        slack = _ROUNDINGS * unit * network.n**0.5
        infinity = kind.dtype.type(kind.infinity)
        arcs = ViaArcs(
            network.tails,
            network.indices,
            self.weights,
            infinity,
            height,
            slack,
            road_of,
            junction_of,
        )
        found, first = via_paths(source, target, self._paths, arcs, count, limits)
        if len(first) > 1:
            return [found[a:b] for a, b in pairwise(first.tolist())]
        path = self.path(source, target)  # cycles of length 0 are part of what was unpacked
        return [lightest_arcs(network, path, self.weights)] if len(path) else []

    def table(self, sources: AnyArray, targets: AnyArray | None) -> Float64s:
        shape = len(sources), self.hierarchy.n if targets is None else len(targets)
        if self.device is not None and shape[0] * shape[1] >= _CELLS_ON_A_DEVICE:
            self._adopt()
            table = self.device.result_array(shape, np.float64)
            settle_into_table(
                self.graph,
                self.device,
                sources,
                np.arange(shape[1]) if targets is None else targets,
                table,
            )
        elif targets is None or len(targets) * LANES > self.hierarchy.n:
            table = _table_of(self.rows(sources), shape, targets, self.kind)
        else:
            table = np.empty(shape, np.float64)
            with thread_team() as team:
                back = climbs_of_targets(self.hierarchy, self.metric, self.kind, targets, team)
                fill_table(self.hierarchy, self.metric, self.kind, sources, back, table, team)
        return table

    def rows_on_device(self, sources: AnyArray) -> Any:
        if self.device is None or self.device.kind != "cuda":
            raise DeviceUnavailable(
                "Rows stay on an NVIDIA GPU only; this router has none. Ask `table` for them."
            )
        self._adopt()
        return settle_on_device(self.graph, self.device, sources)

    def _adopt(self) -> None:
        adopt(self.graph, self.hierarchy_of_graph, self.metric, self.kind, "the router's hierarchy")

    @property
    def hierarchy_of_graph(self) -> Hierarchy:
        """The hierarchy that names the arcs of ``graph``, which has none that are closed."""
        if self.graph is self.network or self.graph.m == self.network.m:
            return self.hierarchy
        left_out = np.flatnonzero(self.weights >= self.kind.infinity)
        none = np.empty(0, np.int64)
        return without_arcs(
            self.hierarchy, RoadPatch(self.network, left_out, none, self.network.weights[none])
        )

    def with_weights(self, weights: AnyArray, graph: Graph) -> HierarchyEngine:
        """The engine for other weights, which ``graph`` has, too; only what changed is
        customised; raises NegativeCycle, UnsuitableGraph.
        """
        kind = graph.distance_type
        own = converted(weights, kind)
        changed = (
            np.flatnonzero(own != self.weights) if kind == self.kind else np.arange(self.network.m)
        )
        # customises wholly
        metric = self.metric if kind == self.kind else replace(self.metric, negative_cycle=True)
        with openmp_team(0, ROUTER_NAME) as threads:
            metric = recustomise(self.network, self.hierarchy, metric, own, changed, kind, threads)
        loops = own[self.network.tails == self.network.indices] if metric.guarded else own[:0]
        if metric.negative_cycle or (loops < 0).any():
            raise negative_cycle_error(
                graph, find_negative_cycle(graph, np.ones(graph.n, np.bool_), SILENT)
            )
        return replace(
            self, metric=metric, kind=kind, weights=own, graph=graph, _lock=threading.Lock()
        )


@dataclass(frozen=True, eq=False)
class SearchEngine:
    """Searches for each question, in graphs that no hierarchy suits: without negative weights."""

    network: Graph
    graph: Graph
    note: str
    # searches with their working memory, one a thread
    _idle: list[NearestMemory] = field(default_factory=list)

    @property
    def prepared(self) -> bool:
        return False

    @property
    def finds_alternatives(self) -> bool:
        return False

    @property
    def bounds(self) -> None:
        return None

    @cached_property
    def kind(self) -> WeightType:
        return self.graph.distance_type

    @cached_property
    def weights(self) -> AnyArray:
        own = self.graph.weights_in(self.kind.dtype)
        if self.graph.m == self.network.m:
            return own
        assert self.graph.base is not None  # `changed_graph`
        before, now = self.network.base, self.graph.base.arcs
        weights = np.full(self.network.m, self.kind.infinity, self.kind.dtype)
        weights[now if before is None else np.searchsorted(before.arcs, now)] = own
        return weights

    def length(self, source: int, target: int) -> Any:
        chosen = find_variant("dijkstra-bidirectional")
        problem = Problem(
            self.graph,
            source,
            target,
            settle_parameters(chosen.parameters, {}, chosen.id),
            None,
            SILENT,
        )
        return chosen.solve(problem).distances[target]

    def lengths(self, sources: AnyArray, targets: AnyArray) -> AnyArray:
        found = np.empty(len(sources), self.kind.dtype)
        different, of_pair = np.unique(sources, return_inverse=True)
        order = np.argsort(of_pair, kind="stable")
        cuts = np.searchsorted(of_pair[order], np.arange(len(different) + 1))
        for part, rows in self.rows(different):
            pairs = order[cuts[part.start] : cuts[part.stop]]
            found[pairs] = rows[of_pair[pairs] - part.start, targets[pairs]]
        return found

    def row(self, source: int) -> AnyArray:
        distances = np.empty(self.graph.n, self.kind.dtype)
        try:
            memory = self._idle.pop()
        except IndexError:
            memory = NearestMemory()
        self.nearest(np.array([source], np.int32), distances, memory, SILENT)
        self._idle.append(memory)
        return distances

    def nearest(
        self, sources: Int32s, distances: AnyArray, memory: NearestMemory, progress: Progress
    ) -> tuple[UInt8s, str]:
        network, kind = self.network, self.kind
        if self.graph.has_negative_weights:
            raise UnsuitableGraph(_NEGATIVE.format(name=network.name))
        search = memory.of((network, kind), lambda: search_for(network, kind))
        search.settle(self.weights, sources, distances, progress)
        if len(sources) == 1:
            return np.empty(0, np.uint8), search.name
        arcs = network.indptr, network.indices, self.weights
        infinity = kind.dtype.type(kind.infinity)
        return nearest_sources(*arcs, distances, sources, infinity), search.name

    def rows(self, sources: AnyArray) -> Rows:
        if len(sources) <= _FEW_ROWS:
            yield from _row_by_row(self, sources)
            return
        with openmp_team(0, ROUTER_NAME) as threads:
            yield from self.sweeps(threads).rows(sources.astype(np.int32), SILENT)

    def sweeps(self, threads: int) -> SearchedRows:
        return SearchedRows(self.graph, threads)

    def path(self, source: int, target: int) -> Int32s:
        return self.paths(np.array([source]), np.array([target]))[0]

    def paths(self, sources: AnyArray, targets: AnyArray) -> Paths:
        walks: list[Int32s] = []
        lengths = np.empty(len(sources), self.kind.dtype)
        row = predecessors = np.empty(0, np.int32)
        before = -1
        for i, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            if source != before:
                row = self.row(source)
                predecessors, before = recover_predecessors(self.graph, source, row), source
            lengths[i] = row[target]
            walk = path_to(predecessors, source, target)
            walks.append(np.empty(0, np.int32) if walk is None else walk)
        first = offsets_of([len(walk) for walk in walks])
        return np.concatenate([np.empty(0, np.int32), *walks]), first, lengths

    def table(self, sources: AnyArray, targets: AnyArray | None) -> Float64s:
        shape = len(sources), self.graph.n if targets is None else len(targets)
        return _table_of(self.rows(sources), shape, targets, self.kind)

    def rows_on_device(self, sources: AnyArray) -> Any:
        raise DeviceUnavailable(
            f"Rows stay on a GPU by a hierarchy only. {self.note}. Ask `table` for them."
        )

    def with_weights(self, weights: AnyArray, graph: Graph) -> SearchEngine:
        """The engine for other weights, which ``graph`` has, too.

        Raises UnsuitableGraph: for negative weights.
        """
        require_nonnegative(graph, ROUTER_NAME)
        return SearchEngine(self.network, graph, self.note, self._idle)


Engine = HierarchyEngine | SearchEngine


def _row_by_row(state: Engine, sources: AnyArray) -> Rows:
    for i, source in enumerate(sources.tolist()):
        yield slice(i, i + 1), state.row(source)[None]


def _table_of(
    parts: Rows, shape: tuple[int, int], targets: AnyArray | None, kind: WeightType
) -> Float64s:
    """Whole rows, or their distances to the targets, as a table of float64."""
    table = np.empty(shape, np.float64)
    for part, rows in parts:
        chosen = rows if targets is None else rows[:, targets]
        table[part] = chosen
        if kind.is_integer:
            table[part][chosen >= kind.infinity] = np.inf
    return table


def _in_parts(ask: Callable[[int, int], Paths], pairs: int, team: ThreadTeam) -> list[Paths]:
    """The paths of all pairs, by several threads; in order."""
    parts = split_evenly(pairs, max(1, min(8 * team.threads, pairs // _PAIRS_OF_A_TASK)))
    found: list[Any] = [None] * len(parts)

    def work(i: int, first: int, last: int) -> None:
        found[i] = ask(first, last)

    team.run(partial(work, i, *part) for i, part in enumerate(parts))
    return found


def _with_starts(
    found: list[Paths], sources: AnyArray, targets: AnyArray
) -> Iterator[tuple[AnyArray, Paths]]:
    """Each part with the ends of its pairs, (k, 2)."""
    ends, begin = np.stack((sources, targets), axis=1), 0
    for part in found:
        yield ends[begin : begin + len(part[2])], part
        begin += len(part[2])


def _joined(parts: list[Paths]) -> Paths:
    """Parts one behind the other."""
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([np.diff(first) for _, first, _ in parts])
    first = offsets_of(counts)
    return (
        np.concatenate([part[0] for part in parts]),
        first,
        np.concatenate([part[2] for part in parts]),
    )
