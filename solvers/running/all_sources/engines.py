"""Ways to reduce the rows of a graph, and the choice between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.preparation import suits_hierarchy
from solvers.algorithms.hierarchy.row_reduction import HierarchyRows
from solvers.algorithms.near_far.row_reduction import SearchedRows
from solvers.algorithms.row_summaries import RowSummaries
from solvers.devices.base import Device
from solvers.errors import OutOfMemory, SeparatorsTooLarge, Unavailable, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.host import machine
from solvers.host.observer import SILENT, Observer
from solvers.running.all_sources.device_rows import DeviceRows

# Seconds of a core for each source and each vertex or arc, on machines of about 2025: orders of magnitude.
_SWEEP_S, _SEARCH_S = 0.35e-9, 10e-9


class RowEngine(Protocol):
    """Computes rows of distances, and reduces them where they arise.

    Attributes
    ----------
    name : str
        Part of the key of state files: sums of floats differ between engines within rounding.
    note : str
        For the user.
    device : Device or None
        Where rows are swept; None for the processor.
    most_sources, most_cells : int
        Sources, and distances from them, that are computed between two records in a state file.
    """

    name: str
    note: str
    most_sources: int
    most_cells: int

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """Memory of the host that each thread works with, in `rows`, too, or only in `summarise`."""

    @property
    def device(self) -> Device | None: ...

    def summarise(self, sources: NDArray[np.int32], budget: Any, observer: Observer) -> RowSummaries: ...

    def row(self, source: int, observer: Observer) -> NDArray[Any]: ...

    def rows(self, sources: NDArray[np.int32], observer: Observer) -> Iterator[tuple[slice, NDArray[Any]]]: ...


def choose_engine(
    graph: Graph, sum_type: np.dtype[Any], threads: int, device: Device | None = None, observer: Observer = SILENT
) -> RowEngine:
    """Sweeps of a hierarchy where small separators divide the graph, else searches from many sources together.

    Parameters
    ----------
    device : Device or None
        For the sweeps; searches are on the processor.

    Raises
    ------
    NegativeCycle
    UnsuitableGraph
        For negative weights where separators are large.
    OutOfMemory, Unavailable, Cancelled
    """
    try:
        if device is not None:
            return DeviceRows(graph, sum_type, device, observer)
        return HierarchyRows(graph, sum_type, threads, observer)
    except (SeparatorsTooLarge, OutOfMemory, Unavailable) as error:
        if graph.has_negative_weights:
            if isinstance(error, SeparatorsTooLarge):
                raise UnsuitableGraph(
                    f"{graph.name} has negative weights and large separators, so neither sweeps nor searches apply. "
                    "Solve all pairs with a Floyd-Warshall variant."
                ) from error
            raise
        return SearchedRows(graph, sum_type, threads)


def estimated_seconds(graph: Graph, observer: Observer = SILENT) -> float:
    """Order of magnitude of the time of a run on this machine.

    Raises
    ------
    Cancelled
    """
    each = _SWEEP_S if suits_hierarchy(graph, adjacency_of(graph, observer), observer) else _SEARCH_S
    return graph.n * (graph.n + graph.m) * each / machine.cores()
