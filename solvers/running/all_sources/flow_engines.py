"""Which engine computes the flows of a graph: on a device, over its hierarchy, by levels,
or by searches.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import sum_type_of
from solvers.algorithms.exact_flows import ProvedFlows, WideFlows
from solvers.algorithms.path_flows import BrandesFlows, CountedFlows, FlowEngine
from solvers.algorithms.whole_weights import LengthLimit, WholeWeights, whole_weights
from solvers.errors import KernelBuildError, OutOfMemory, SeparatorsTooLarge, Unavailable
from solvers.graphs.graph import Graph
from solvers.running.all_sources.engine import RowEngine, choose_engine
from solvers.running.all_sources.request import OWNER
from solvers.system.array_types import Float64s
from solvers.system.cancel import Progress

log = logging.getLogger(__name__)

# Arcs of a hierarchy for each arc of a graph of one weight, from which levels take less
# time than sweeps over it: 2.2 on ca-GrQc, where both take the same.
_LEVELS_FROM = 2.5


def choose_flows(
    whole: WholeWeights,
    rows: RowEngine,  # on the graph of ``whole``
    masses: Float64s,
    limit: LengthLimit,
    threads: int,
    progress: Progress,
    origins: Float64s | None = None,
    *,
    needs_hierarchy: bool = False,
) -> FlowEngine:
    """The fastest engine for a graph; parameters as those of `HierarchyFlows`.

    Raises OutOfMemory, OrderFailed, Cancelled, and what `HierarchyFlows` raises, if it
    is needed.
    """
    # imported here: few sessions need these engines
    from solvers.algorithms.hierarchy.flow_sweep import HierarchyFlows
    from solvers.algorithms.level_flows import LevelFlows, has_levels

    graph, device = whole.graph, rows.device
    may_level = has_levels(graph) and whole.wide is None and not needs_hierarchy
    is_dense = may_level and _is_dense(graph, progress)
    engine = None
    if not is_dense or (device is not None and not device.is_cpu):
        engine = _hierarchy_flows(
            graph, rows, masses, limit.high, threads, progress, origins, needs_hierarchy
        )
    if may_level and (engine is None or (is_dense and isinstance(engine, HierarchyFlows))):
        return LevelFlows(graph, masses, limit.high, threads, origins)
    if engine is not None and whole.wide is None:
        return engine
    counted = counting(whole, rows, masses, limit, threads, origins)
    if engine is None or not isinstance(counted, WideFlows):
        return counted
    return ProvedFlows(engine, counted, rows.rows, whole, limit, threads)


def _is_dense(graph: Graph, progress: Progress) -> bool:
    """Whether levels take less time than a hierarchy, which rows have made already, or no
    hierarchy can be made.
    """
    from solvers.algorithms.hierarchy.preparation import hierarchy_of

    try:
        hierarchy, _ = hierarchy_of(graph, OWNER, progress)
    except (SeparatorsTooLarge, OutOfMemory, Unavailable):
        return True
    return hierarchy.arcs > _LEVELS_FROM * graph.m


def _hierarchy_flows(
    graph: Graph,
    rows: RowEngine,
    masses: Float64s,
    limit: Any,
    threads: int,
    progress: Progress,
    origins: Float64s | None,
    is_needed: bool,
) -> FlowEngine | None:
    """On a device or by threads; None where separators are large or memory is short."""
    # imported here: few sessions need these engines
    from solvers.algorithms.hierarchy.device_flows import DeviceFlows
    from solvers.algorithms.hierarchy.flow_sweep import HierarchyFlows

    device = rows.device
    # threads take less time than kernels on the same processor
    if device is not None and not device.is_cpu:
        try:
            return DeviceFlows(graph, masses, limit, threads, rows.row, device, progress, origins)
        except (SeparatorsTooLarge, OutOfMemory, Unavailable, KernelBuildError) as error:
            log.info("no flows on %s: %s", device.name, error)
    try:
        return HierarchyFlows(graph, masses, limit, threads, rows.row, progress, origins)
    except (SeparatorsTooLarge, OutOfMemory, Unavailable) as error:
        if is_needed:
            raise
        log.info("no flows over a hierarchy: %s", error)
        return None


def counting(
    whole: WholeWeights,
    rows: RowEngine,
    masses: Float64s,
    limit: LengthLimit,
    threads: int,
    origins: Float64s | None = None,
) -> CountedFlows:
    """The engine for any graph; raises OutOfMemory."""
    if whole.wide is not None:
        return WideFlows(whole, masses, limit, threads, origins)
    return BrandesFlows(whole.graph, rows.rows, masses, limit.high, threads, origins)


def counted_flows(engine: FlowEngine) -> CountedFlows | None:
    """What of an engine counts paths on the graph itself; None if nothing does."""
    if isinstance(engine, ProvedFlows):
        return engine.exact
    return engine if isinstance(engine, CountedFlows) else None


def flow_engine(
    graph: Graph,
    threads: int,
    progress: Progress,
    masses: Float64s | None = None,
    *,
    budget: float | None = None,
    origins: Float64s | None = None,
    needs_hierarchy: bool = False,
) -> FlowEngine:
    """The engine for flows without a run, to which each vertex has mass 1 by default;
    raises as `whole_weights` and `choose_flows` do.
    """
    whole = whole_weights(graph)
    graph = whole.graph
    rows = choose_engine(graph, sum_type_of(graph), threads)
    limit = whole.limit(budget)
    masses = np.ones(graph.n) if masses is None else masses
    return choose_flows(
        whole, rows, masses, limit, threads, progress, origins, needs_hierarchy=needs_hierarchy
    )
