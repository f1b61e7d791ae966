"""Prominence of roads where no file names their class: the flow of shortest paths from
sampled sources.

The sources are divided into groups, and the greatest flow of a group is left out of
each arc's sum. Otherwise the streets around every single source would seem as great as
the roads that all sources share.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.features.all_sources.flow_engines import FlowQuestion
from solvers.features.all_sources.flows.path_flows import require_countable
from solvers.features.all_sources.request import OWNER, draw_sources
from solvers.graphs.graph import Graph
from solvers.system.array_types import Float32s, Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import ArrayStore, user_folder
from solvers.system.openmp import team

SOURCES = 256
_GROUPS, _SHOWN_AFTER = 8, 2
_VERSION = "1"  # raise it when other flows are computed: those on disk are then computed anew


def prominence_store() -> ArrayStore:
    """The user's store of sampled flows, by the hash of structure and weights."""
    return ArrayStore(user_folder("prominence"), _VERSION)


def known_flows(graph: Graph) -> Float32s | None:
    """Flows that were computed before, (m,); None without them."""
    stored = prominence_store().load(graph.sha256, graph.m).array
    return None if stored is None else stored.view(np.float32)


def sampled_flows(
    graph: Graph,
    progress: Progress = SILENT,
    show: Callable[[Float32s], object] = lambda _: None,
) -> Float32s:
    """(m,) flow of every arc, from the disk or computed over the graph's hierarchy;
    only ratios mean something.

    ``show`` is called once with the flows of the first sources, a quarter of all.
    Raises UnsuitableGraph if shortest paths cannot be counted, because weights may be
    zero or negative; SeparatorsTooLarge, OrderFailed, OutOfMemory, Unavailable,
    Cancelled.
    """
    require_countable(graph)
    if (known := known_flows(graph)) is not None:
        return known
    flows = _computed(graph, progress, show)
    prominence_store().save(graph.sha256, flows.view(np.int32))
    return flows


def _computed(graph: Graph, progress: Progress, show: Callable[[Float32s], object]) -> Float32s:
    sources = draw_sources(graph, min(SOURCES, graph.n)).astype(np.int32)
    total, greatest = np.zeros(graph.m), np.zeros(graph.m)
    with team(0, OWNER) as threads:
        question = FlowQuestion.of(graph, max(1, threads))
        engine = question.engine(progress, needs_hierarchy=True)
        for group in range(_GROUPS):
            progress.checkpoint(group, _GROUPS)
            totals = engine.flows(sources[group::_GROUPS], progress.silent())
            flows = engine.arc_flows(totals, progress.silent())
            total += flows
            np.maximum(greatest, flows, out=greatest)
            if group + 1 == _SHOWN_AFTER:
                show(_shared(total, greatest))
    return _shared(total, greatest)


def _shared(total: Float64s, greatest: Float64s) -> Float32s:
    return np.maximum(0.0, total - greatest).astype(np.float32)
