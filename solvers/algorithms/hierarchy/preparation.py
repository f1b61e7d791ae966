"""What is prepared once for a graph: the hierarchy, from its structure, and a metric,
from its weights. Where its order comes from is in ``ordering.py``.

Both are kept with the graph. The order, which takes longest, is kept on disk as well,
under a hash of the structure, so that it serves the same network with other weights,
and the next start of the program. So is the hierarchy of a network where that saves
time.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from solvers.algorithms.hierarchy.adjacency import Adjacency, adjacency_of
from solvers.algorithms.hierarchy.device_customise import (
    compile_customising,
    customise_on_device,
    suits,
)
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.ordering import (
    HIERARCHY_KEY,
    ORDER_VERSION,
    Ordering,
    begun_ahead,
    confirm_order,
    keep_order,
    most_arcs,
    order_on_disk,
    time_since,
)
from solvers.algorithms.hierarchy.recustomise import recustomise
from solvers.algorithms.hierarchy.supergraph import (
    MOST_DEPTH,
    Hierarchy,
    build_hierarchy,
    bytes_of,
    packed,
    unpacked,
    without_arcs,
)
from solvers.algorithms.negative_cycle import find_negative_cycle, negative_cycle_error
from solvers.core.problem import Problem
from solvers.core.pseudocode import HIERARCHY
from solvers.core.variant import Algorithm, Citation, Preparation, variant
from solvers.devices.device import Device
from solvers.errors import SeparatorsTooLarge
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, WeightType
from solvers.parameters import Parameter
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import ArrayStore, user_folder
from solvers.system.jit import njit
from solvers.system.openmp import team
from solvers.system.threads import thread_team
from solvers.text import format_count, plural

log = logging.getLogger(__name__)

CUSTOMISE = Parameter(
    "customise",
    "auto",
    "where weights are customised; auto takes the device unless it is the processor",
    choices=("auto", "device", "cores"),
)
# Seconds an arc of the hierarchy for contracting along an order from disk, and customising: 1.6e-7
# to 2.2e-7 on four road networks and grids, two loaded cores.
_CONTRACTING_S = 2e-7
# raise it when contraction gives other hierarchies, as `ORDER_VERSION` for orders
_HIERARCHY_VERSION = f"2 {sys.byteorder}"
# arcs of a network, up to which its hierarchy is not kept on disk, but only its order
_CONTRACTED_SOONER = 2**17


hierarchy_variant = partial(
    variant,
    algorithm=Algorithm.MODERN,
    pseudocode=HIERARCHY,
    papers=(
        Citation(
            "beyond the papers",
            "after Dibbelt, Strasser and Wagner 2016, CCH; Delling et al. 2011, PHAST",
        ),
    ),
    packages=("pymetis",),
)
"""Registers a variant that sweeps a hierarchy."""


@dataclass(frozen=True)
class Prepared:
    """A hierarchy, a metric, and a sentence on how long they took."""

    hierarchy: Hierarchy
    metric: Metric
    note: str  # without a full stop: a variant adds what else it has prepared
    serves_all_sources: bool  # False if the metric leaves out what the source does not reach


def hierarchy_store() -> ArrayStore:
    """The user's store of hierarchies, by the structure of graphs."""
    return ArrayStore(
        user_folder("hierarchies"),
        f"{ORDER_VERSION}, {_HIERARCHY_VERSION}",
        checksum=hashlib.sha256,
    )


def prepared(graph: Graph, *more: Hashable) -> Preparation | None:
    """State of the hierarchy and the metric of the graph's weights; None without even
    an order on disk.

    ``more`` are keys of what a variant derives from the graph beside them.
    """
    keys = (HIERARCHY_KEY, _metric_key(graph.distance_type))
    whole = graph.network
    kept = cast("tuple[Hierarchy, str] | None", graph.peek_cached(HIERARCHY_KEY))
    kept = kept or cast("tuple[Hierarchy, str] | None", whole.peek_cached(HIERARCHY_KEY))
    size = (None, None) if kept is None else (kept[0].arcs, kept[0].tree.height)
    if all(graph.peek_cached(key) is not None for key in (*keys, *more)):
        return Preparation("its hierarchy was prepared earlier", 0.0, *size)
    if not more and all(whole.peek_cached(key) is not None for key in keys):
        words = "the hierarchy of the network without changes was prepared earlier"
        return Preparation(words, 0.0, *size)
    order = order_on_disk(whole)
    if order is None:
        return None
    words, left_s = "the order of its hierarchy is on disk", order.arcs * _CONTRACTING_S
    return Preparation(words, left_s, order.arcs, order.levels, partial(confirm_order, whole))


def device_for_customising(problem: Problem) -> Device | None:
    """The device that customises, by the parameter `CUSTOMISE`; its kernels are
    compiled if they will be needed.

    Raises KernelBuildError.
    """
    device, where = problem.device, problem.parameters[CUSTOMISE.name]
    if device is None or where == "cores" or (where == "auto" and device.is_cpu):
        return None
    if problem.graph.peek_cached(_metric_key(problem.distance_type)) is None:
        compile_customising(device, problem.graph, problem.distance_type)
    return device


def prepare(
    graph: Graph,
    source: int | None,  # None for all pairs
    variant_id: str,  # who asks, for errors
    progress: Progress = SILENT,
    *,
    threads: int = 0,  # for the customisation; 0 for all cores
    device: Device | None = None,  # customises instead of the cores
) -> Prepared:
    """The graph's hierarchy and a metric of its weights, made now or before.

    Where a negative cycle exists that the source does not reach, the metric leaves out
    what the source does not reach, and serves this source only. Raises NegativeCycle if
    the source reaches one; of all pairs, if there is one; SeparatorsTooLarge,
    OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """
    with team(threads, variant_id) as count:
        customised_here = graph.distance_type if device is None else None
        hierarchy, ordered = hierarchy_of(graph, variant_id, progress, customised_here)
        metric, customised = metric_of(
            graph, hierarchy, graph.distance_type, count, progress, device
        )
        beside_cycles = metric.negative_cycle
        if beside_cycles:
            metric = _metric_beside_cycles(graph, source, hierarchy, count, progress)
    sizes = f"{format_count(hierarchy.arcs)} arcs up, {plural(hierarchy.tree.height, 'level')}"
    note = f"{sizes}. Prepared once, for every source: {ordered}; {customised}"
    return Prepared(hierarchy, metric, note, not beside_cycles)


def hierarchy_of(
    graph: Graph,
    variant_id: str,
    progress: Progress = SILENT,
    kind: WeightType | None = None,  # of the weights that the processor customises next
) -> tuple[Hierarchy, str]:
    """The graph's hierarchy, kept with it, and a few words on how long it took.

    That of a graph with changed roads is its base's, without the arcs that are closed.

    Raises SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled.
    """

    def make() -> tuple[Hierarchy, str]:
        if graph.base is not None:
            whole, made = hierarchy_of(graph.base.graph, variant_id, progress, kind)
            return without_arcs(whole, graph.base), f"{made} (of the network without changes)"
        began = time.perf_counter()
        kept = graph.m > _CONTRACTED_SOONER
        stored = _stored_hierarchy(graph) if kept else None
        if stored is not None:
            return stored, f"reading the hierarchy from disk took {time_since(began)}"
        with begun_ahead(graph) or Ordering(graph, variant_id, progress) as ordering:
            order, ordered = ordering.finish(partial(_load, kind), progress)
        log.info("hierarchy of %s: %s", graph.name, ordered)
        began = time.perf_counter()
        hierarchy = _contracted(graph, ordering.adjacency, order, variant_id, progress)
        note = f"{ordered}, contraction took {time_since(began)}"
        if ordering.name:
            keep_order(graph, ordering.name, hierarchy.arcs, hierarchy.tree.height)
        if kept:
            ordering.do_beside(lambda: _keep(graph, hierarchy))
        return hierarchy, note

    return graph.cached(HIERARCHY_KEY, make)


def _contracted(
    graph: Graph, adjacency: Adjacency, order: Int32s, variant_id: str, progress: Progress
) -> Hierarchy:
    """The hierarchy of a graph by an order; raises SeparatorsTooLarge, OutOfMemory, Cancelled."""
    tree = elimination_tree(adjacency, order, progress)
    most = most_arcs(graph)
    counts = count_up_arcs(adjacency, tree, most, progress)
    if counts is None or tree.height > MOST_DEPTH:
        height = plural(tree.height, "level")
        log.info("hierarchy of %s refused after ordering: %s high", graph.name, height)
        raise SeparatorsTooLarge(variant_id, graph.name, most, graph.m)
    machine.require_memory(
        f"{variant_id}: the hierarchy of {graph.name}",
        bytes_of(graph.n, int(counts.sum(dtype=np.int64)), graph.m),
    )
    return build_hierarchy(graph, adjacency, tree, counts, progress)


def _keep(graph: Graph, hierarchy: Hierarchy) -> None:
    hierarchy_store().save(graph.structure_sha256, packed(hierarchy))


def _stored_hierarchy(graph: Graph) -> Hierarchy | None:
    """The graph's hierarchy from disk; meanwhile, at the start of a process, numba is loaded."""
    from solvers.system.numba_private import load_array_functions  # imports numba

    name, found = graph.structure_sha256, []
    store = hierarchy_store()
    if not store.has(name, None):
        return None
    with thread_team(2) as team:
        team.run((lambda: found.append(store.load(name, None).array), load_array_functions))
    return None if found[0] is None else unpacked(found[0])


def metric_of(
    graph: Graph,
    hierarchy: Hierarchy,
    kind: WeightType,
    threads: int,  # OpenMP threads; numba is set to them
    progress: Progress = SILENT,
    device: Device | None = None,
) -> tuple[Metric, str]:
    """The metric of the graph's weights in ``kind``, kept with the graph, and a few
    words on how long it took.

    Where the metric of the base of a graph with changed roads is known, only what can
    differ is computed. Raises OutOfMemory, KernelBuildError, DeviceUnavailable,
    Cancelled.

    ``device``: customises instead of the threads, where everything is computed; the
    weights are the same.
    """

    def make() -> tuple[Metric, str]:
        began = time.perf_counter()
        machine.require_memory(
            f"The weights of the hierarchy of {graph.name}",
            2 * hierarchy.arcs * kind.dtype.itemsize,
        )
        weights = graph.weights_in(kind.dtype)
        metric, what = _updated_metric(graph, kind, threads, progress), "customising what changed"
        if metric is None and device is not None and suits(hierarchy):
            what = f"customising on {device.name}"
            metric, _ = customise_on_device(graph, hierarchy, kind, device, progress)
        if metric is None:
            what = "customising"
            metric = customise(hierarchy, weights, kind, threads, progress)
        loops = graph.weights[graph.tails == graph.indices] if metric.guarded else weights[:0]
        metric = replace(metric, negative_cycle=metric.negative_cycle or bool((loops < 0).any()))
        log.info("hierarchy of %s: %s took %s", graph.name, what, time_since(began))
        return metric, f"{what} took {time_since(began)}"

    return graph.cached(_metric_key(kind), make)


def adopt(graph: Graph, hierarchy: Hierarchy, metric: Metric, kind: WeightType, note: str) -> None:
    """Let a graph have a hierarchy and a metric that were prepared for the same graph
    in another process.

    The ``note`` says where they came from.
    """
    graph.cached(HIERARCHY_KEY, lambda: (hierarchy, note))
    graph.cached(_metric_key(kind), lambda: (metric, "customised there"))


def two_vertices(kind: WeightType) -> tuple[AnyArray, Hierarchy]:
    """Weights and hierarchy of a graph of two vertices: what is called with them is compiled
    by that, or loaded, as is what contracts.
    """
    ends = np.arange(2)
    graph = Graph.from_arcs(2, ends, ends[::-1], np.ones(2, kind.dtype))
    hierarchy = _contracted(graph, adjacency_of(graph), ends.astype(np.int32), "", SILENT)
    return graph.weights_in(kind.dtype), hierarchy


def _metric_key(kind: WeightType) -> tuple[str, str]:
    return "metric of the hierarchy", kind.name


def _updated_metric(
    graph: Graph, kind: WeightType, threads: int, progress: Progress
) -> Metric | None:
    """The metric of a graph with changed roads from that of its base; None if that is not known."""
    known = None if graph.base is None else graph.base.graph.peek_cached(_metric_key(kind))
    if graph.base is None or known is None:
        return None
    base = graph.base.graph
    metric, _ = cast(tuple[Metric, str], known)
    hierarchy, _ = hierarchy_of(base, "", progress)  # it is known, since its metric is
    weights, changed = graph.base.weights_of_all(kind), graph.base.changed
    return recustomise(base, hierarchy, metric, weights, changed, kind, threads, progress)


def _metric_beside_cycles(
    graph: Graph, source: int | None, hierarchy: Hierarchy, threads: int, progress: Progress
) -> Metric:
    """A metric for the source, which reaches no negative cycle."""
    kind = graph.distance_type
    reached = (
        np.ones(graph.n, np.bool_)
        if source is None
        else _reachable(graph.indptr, graph.indices, source)
    )
    cycle = find_negative_cycle(graph, reached, progress)
    if cycle:
        raise negative_cycle_error(graph, cycle)
    own = graph.weights_in(kind.dtype)
    weights = np.where(reached[graph.tails], own, kind.dtype.type(kind.infinity))
    return customise(hierarchy, weights, kind, threads, progress, stop_at_cycle=False)


def _load(kind: WeightType | None) -> None:
    """Have the functions compiled that contract, and that customise in ``kind``, or loaded."""
    weights, hierarchy = two_vertices(INT32 if kind is None else kind)
    if kind is not None:
        customise(hierarchy, weights, kind, 1)


@njit
def _reachable(indptr: Int64s, indices: Int32s, source: int) -> AnyArray:
    n = len(indptr) - 1
    reached, queue = np.zeros(n, np.bool_), np.empty(n, np.int32)
    reached[source], queue[0] = True, source
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(indptr[v], indptr[v + 1]):
            if not reached[indices[a]]:
                reached[indices[a]] = True
                queue[tail] = indices[a]
                tail += 1
    return reached
