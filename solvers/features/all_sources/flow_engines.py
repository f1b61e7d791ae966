"""Which engine computes the flows of a graph: on a device, over its hierarchy, by levels,
or by searches.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from solvers.devices.device import Device
from solvers.errors import KernelBuildError, OutOfMemory, SeparatorsTooLarge, Unavailable
from solvers.features.all_sources.flows.exact_flows import ProvedFlows, wide_flows
from solvers.features.all_sources.flows.path_flows import CountedFlows, FlowEngine, brandes_flows
from solvers.features.all_sources.flows.whole_weights import (
    LengthLimit,
    WholeWeights,
    whole_weights,
)
from solvers.features.all_sources.request import OWNER
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import PreparedNetwork, prepared_network
from solvers.system.array_types import Float64s
from solvers.system.cancel import SILENT, Progress

log = logging.getLogger(__name__)

# Arcs of a hierarchy for each arc of a graph of one weight, from which levels take less
# time than sweeps over it: 2.2 on ca-GrQc, where both take the same.
_LEVELS_FROM = 2.5


@dataclass(frozen=True, eq=False)
class FlowQuestion:
    """What flows are asked for; with mass 1 of each vertex by default."""

    whole: WholeWeights
    masses: Float64s  # (n,) of vertices, as destinations
    origins: Float64s  # (n,)
    limit: LengthLimit  # of the longest paths that carry something
    threads: int  # of OpenMP, which the caller has set

    @classmethod
    def of(
        cls,
        graph: Graph,
        threads: int,
        masses: Float64s | None = None,
        origins: Float64s | None = None,
        budget: float | None = None,
    ) -> FlowQuestion:
        """Raises as `whole_weights`."""
        whole = whole_weights(graph)
        masses = np.ones(graph.n) if masses is None else masses
        origins = masses if origins is None else origins
        return cls(whole, masses, origins, whole.limit(budget), threads)

    def engine(
        self,
        progress: Progress = SILENT,
        # for rows of the graph of ``whole``, if there is one
        network: PreparedNetwork | None = None,
        *,
        needs_hierarchy: bool = False,
    ) -> FlowEngine:
        """The fastest engine for the graph.

        Raises OutOfMemory, OrderFailed, Cancelled, and what `HierarchyFlows` raises, if it
        is needed.
        """
        # imported here: few sessions need these engines
        from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows
        from solvers.features.all_sources.flows.level_flows import LevelFlows, has_levels

        graph, network = self.whole.graph, network or self.prepared(None, progress)
        may_level = has_levels(graph) and self.whole.wide is None and not needs_hierarchy
        is_dense = may_level and _is_dense(graph, progress)
        engine = None
        if not is_dense or (network.device is not None and not network.device.is_cpu):
            engine = self._over_hierarchy(network, progress, needs_hierarchy)
        if may_level and (engine is None or (is_dense and isinstance(engine, HierarchyFlows))):
            return LevelFlows(graph, self.masses, self.limit.high, self.threads, self.origins)
        if engine is not None and self.whole.wide is None:
            return engine
        counted = self.counting(network)
        if engine is None:
            return counted
        return ProvedFlows(engine, counted, network.rows, self.whole, self.limit, self.threads)

    def counting(self, network: PreparedNetwork | None = None) -> CountedFlows:
        """The engine for any graph; raises OutOfMemory."""
        if self.whole.wide is not None:
            return wide_flows(self.whole, self.masses, self.limit, self.threads, self.origins)
        rows, limit = (network or self.prepared(None)).rows, self.limit.high
        return brandes_flows(self.whole.graph, rows, self.masses, limit, self.threads, self.origins)

    def prepared(self, device: Device | None, progress: Progress = SILENT) -> PreparedNetwork:
        """The graph of ``whole`` for rows; raises as `prepared_network`."""
        return prepared_network(self.whole.graph, device, progress, self.threads)

    def _over_hierarchy(
        self, network: PreparedNetwork, progress: Progress, is_needed: bool
    ) -> FlowEngine | None:
        """On a device or by threads; None where separators are large or memory is short."""
        # imported here: few sessions need these engines
        from solvers.features.all_sources.flows.device_flows import DeviceFlows
        from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows

        device, row = network.device, network.row
        asked = self.whole.graph, self.masses, self.limit.high, self.threads
        # threads take less time than kernels on the same processor
        if device is not None and not device.is_cpu:
            try:
                return DeviceFlows(*asked, row, device, progress, self.origins)
            except (SeparatorsTooLarge, OutOfMemory, Unavailable, KernelBuildError) as error:
                log.info("no flows on %s: %s", device.name, error)
        try:
            return HierarchyFlows(*asked, row, progress, self.origins)
        except (SeparatorsTooLarge, OutOfMemory, Unavailable) as error:
            if is_needed:
                raise
            log.info("no flows over a hierarchy: %s", error)
            return None


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


def counted_flows(engine: FlowEngine) -> CountedFlows | None:
    """What of an engine counts paths on the graph itself; None if nothing does."""
    if isinstance(engine, ProvedFlows):
        return engine.exact
    return engine if isinstance(engine, CountedFlows) else None
