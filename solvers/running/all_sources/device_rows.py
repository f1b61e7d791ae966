"""Rows of a hierarchy's sweeps on a device, reduced there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.device_sources import settle_and_reduce, settle_into_rows
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.row_summaries import RowSummaries
from solvers.contracts.problem import Problem
from solvers.devices.base import Device
from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer

_MOST_ROWS = 256  # in the host's memory at a time


class DeviceRows:
    """Reduces the rows of a graph with small separators on a device.

    Parameters
    ----------
    graph, sum_type
        As those of `HierarchyRows`.
    device : Device
    observer : Observer
        For the preparation.

    Raises
    ------
    NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled
    """

    most_sources, most_cells = 1 << 16, 20_000_000_000  # the hierarchy is copied to the device for each chunk

    def __init__(self, graph: Graph, sum_type: np.dtype[Any], device: Device, observer: Observer = SILENT):
        self.device = device
        self.name = f"hierarchy on {device.kind}"
        ready = prepare(Problem(graph, None, None, {}, device, observer), self.name)
        self.note = f"{device.name}; {ready.note}"
        self._graph, self._kind, self._sum_type = graph, graph.distance_type, sum_type

    def summarise(self, sources: NDArray[np.int32], budget: Any, observer: Observer) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; raises as `settle_and_reduce`."""
        found = RowSummaries.empty(len(sources), self._kind, self._sum_type)
        for part in settle_and_reduce(self._graph, self.device, sources, budget=budget, observer=observer):
            found.put(slice(part.first, part.last), RowSummaries(part.farthest, part.total, part.reached, part.within))
        return found

    def rows(self, sources: NDArray[np.int32], observer: Observer) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Whole rows, (k, n) at a time, with their place among ``sources``; raises as `settle_into_rows`."""
        for first in range(0, len(sources), _MOST_ROWS):
            part = sources[first : first + _MOST_ROWS]
            for chosen, rows in settle_into_rows(self._graph, self.device, part, observer=observer):
                yield slice(first + chosen.start, first + chosen.stop), rows

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """As `RowEngine.thread_bytes`; distances are in the device's memory."""
        return (_MOST_ROWS if whole_rows else 1) * self._graph.n * self._kind.dtype.itemsize

    def row(self, source: int, observer: Observer) -> NDArray[Any]:
        """The whole row of one source, (n,); raises as `settle_into_rows`."""
        ((_, rows),) = settle_into_rows(self._graph, self.device, np.array([source]), observer=observer)
        return rows[0]
