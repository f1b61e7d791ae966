"""What computes and reduces the rows of a graph: by a hierarchy on the processor or on a
device, or by searches. A `PreparedNetwork` is asked for rows of a network.

Most have working memory of their own, for one thread to ask; `Engine.sweeps` makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.device_sweeps import settle_and_reduce, settle_into_rows
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.cancel import SILENT, Progress

_MOST_ROWS = 256  # in the host's memory at a time


class DeviceRows:
    """Reduces the rows of a graph with small separators on a device.

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed,
    Cancelled.
    """

    # the hierarchy is copied to the device for each chunk
    most_sources, most_cells = 1 << 16, 20_000_000_000
    may_be_shared = False

    def __init__(self, graph: Graph, device: Device, progress: Progress = SILENT):
        self.device = device
        self.name = f"hierarchy on {device.kind}"
        ready = prepare(graph, None, self.name, progress)
        self.note = f"{device.name}; {ready.note}"
        self._graph, self._kind = graph, graph.distance_type

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; raises as `settle_and_reduce`."""
        found = RowSummaries.empty(len(sources), self._kind, sum_type_of(self._graph))
        for part, summaries in settle_and_reduce(
            self._graph, self.device, sources, budget=budget, progress=progress
        ):
            found.put(part, summaries)
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        """Whole rows, (k, n) at a time, with their positions in ``sources``; raises as
        `settle_into_rows`.
        """
        for first in range(0, len(sources), _MOST_ROWS):
            part = sources[first : first + _MOST_ROWS]
            for chosen, rows in settle_into_rows(self._graph, self.device, part, progress=progress):
                yield slice(first + chosen.start, first + chosen.stop), rows

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """As of `HierarchyRows`; distances are in the device's memory."""
        return (_MOST_ROWS if whole_rows else 1) * self._graph.n * self._kind.dtype.itemsize

    def row(self, source: int, progress: Progress) -> AnyArray:
        """The whole row of one source, (n,); raises as `settle_into_rows`."""
        ((_, rows),) = settle_into_rows(
            self._graph, self.device, np.array([source]), progress=progress
        )
        return rows[0]


RowEngine = HierarchyRows | DeviceRows | SearchedRows
"""Computes rows of a graph, and reduces them where they arise.

``name`` is part of the key of state files, since sums of floats differ between engines within
rounding; ``note`` is for the user; ``device`` is None for the processor. ``most_sources`` are
computed between two records in a state file, and ``most_cells`` distances. Several threads
may ask one at once if it ``may_be_shared``.
"""
