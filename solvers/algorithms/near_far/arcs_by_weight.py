"""The arcs out of each vertex, and into it, by weight: what a search that stops at a bound
reads. Made once for a graph.
"""

from __future__ import annotations

from typing import NamedTuple

from solvers.core.variant import Preparation
from solvers.devices.device import Device
from solvers.graphs.csr import row_slices, sort_along
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s, read_only
from solvers.system.cancel import Progress
from solvers.system.jit import njit
from solvers.system.threads import thread_team

_KEPT = "arcs by weight"
# Seconds an arc of sorting the rows, and of reversing a directed graph before its rows are
# sorted, too: medians of graphs of 0.1 to 5 million arcs, 16 cores; two take twice as long.
_SORTING_S, _REVERSING_S = 2e-8, 7e-8


class SortedRows(NamedTuple):
    """Compressed rows in which weights ascend."""

    indptr: Int64s
    indices: Int32s
    weights: AnyArray


def arcs_by_weight(
    graph: Graph, kind: WeightType, progress: Progress
) -> tuple[SortedRows, SortedRows]:
    """Arcs out of each vertex, and into each with their tails; raises Cancelled."""

    def make() -> tuple[SortedRows, SortedRows]:
        out = _sorted_rows(graph, kind, progress)
        return out, _sorted_rows(graph.reverse, kind, progress) if graph.directed else out

    return graph.cached((_KEPT, kind), make)


def state_of_sorting(graph: Graph, device: Device | None) -> Preparation:
    """Whether a graph's arcs have been sorted, whatever the device."""
    if graph.peek_cached((_KEPT, graph.distance_type)) is not None:
        return Preparation("its arcs were sorted by weight earlier")
    an_arc = _SORTING_S + (_REVERSING_S if graph.directed else 0.0)
    return Preparation("", graph.m * an_arc)


def _sorted_rows(graph: Graph, kind: WeightType, progress: Progress) -> SortedRows:
    heads, weights = graph.indices.copy(), graph.weights_in(kind.dtype).copy()
    with thread_team() as team:
        team.run_over(
            row_slices(graph.indptr), _sort_rows, graph.indptr, heads, weights, progress=progress
        )
    return SortedRows(graph.indptr, read_only(heads), read_only(weights))


@njit
def _sort_rows(indptr: Int64s, heads: Int32s, weights: AnyArray, first: int, last: int) -> None:
    for vertex in range(first, last):
        sort_along(weights, heads, indptr[vertex], indptr[vertex + 1])
