"""What computes and reduces the rows of a graph: by a hierarchy on the processor or on a
device, or by searches. A `PreparedNetwork` is asked for rows of a network.

Most have working memory of their own, for one thread to ask; `Engine.sweeps` makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.device_sweeps import settle_and_reduce, settle_into_rows
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.core.problem import WarmGraph, warm_graph_on
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.cancel import SILENT, Progress

_MOST_ROWS = 256  # in the host's memory at a time
_KEPT_SHARE = 1 / 16  # of the device's free memory, at most, for a hierarchy that stays there


class DeviceRows:
    """Reduces the rows of a graph with small separators on a device.

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed,
    Cancelled.
    """

    # the hierarchy may be copied to the device for each chunk
    most_sources, most_cells = 1 << 16, 20_000_000_000
    may_be_shared = False

    def __init__(self, graph: Graph, device: Device, progress: Progress = SILENT):
        self.device = device
        self.name = f"hierarchy on {device.kind}"
        ready = prepare(graph, None, self.name, progress)
        self.note = f"{device.name}; {ready.note}"
        self._graph, self._kind = graph, graph.distance_type
        self._bytes = 4 * (4 + self._kind.dtype.itemsize) * ready.hierarchy.arcs  # or less
        self._warm: WarmGraph | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the hierarchy on the device while the block lasts, once it has been copied there, if
        it leaves nearly all of the memory to others.
        """
        if self._bytes > _KEPT_SHARE * self.device.free_bytes():
            yield
            return
        try:
            with warm_graph_on(self.device) as self._warm:
                yield
        finally:
            self._warm = None

    def summarise(self, sources: Int32s, budget: Any, progress: Progress) -> RowSummaries:
        """Summaries of the rows of ``sources``, in their order; raises as `settle_and_reduce`."""
        found = RowSummaries.empty(len(sources), self._kind, sum_type_of(self._graph))
        for part, summaries in settle_and_reduce(
            self._graph, self.device, sources, budget=budget, progress=progress, warm=self._warm
        ):
            found.put(part, summaries)
        return found

    def rows(self, sources: Int32s, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        """Whole rows, (k, n) at a time, with their positions in ``sources``; raises as
        `settle_into_rows`.
        """
        for first in range(0, len(sources), _MOST_ROWS):
            part = sources[first : first + _MOST_ROWS]
            for chosen, rows in self._settled(part, progress):
                yield slice(first + chosen.start, first + chosen.stop), rows

    def thread_bytes(self, *, whole_rows: bool) -> int:
        """As of `HierarchyRows`; distances are in the device's memory."""
        return (_MOST_ROWS if whole_rows else 1) * self._graph.n * self._kind.dtype.itemsize

    def row(self, source: int, progress: Progress) -> AnyArray:
        """The whole row of one source, (n,); raises as `settle_into_rows`."""
        ((_, rows),) = self._settled(np.array([source]), progress)
        return rows[0]

    def _settled(self, sources: AnyArray, progress: Progress) -> Iterator[tuple[slice, AnyArray]]:
        return settle_into_rows(
            self._graph, self.device, sources, progress=progress, warm=self._warm
        )


RowEngine = HierarchyRows | DeviceRows | SearchedRows
"""Computes rows of a graph, and reduces them where they arise.

``name`` is part of the key of state files, since sums of floats differ between engines within
rounding; ``note`` is for the user; ``device`` is None for the processor. ``most_sources`` are
computed between two records in a state file, and ``most_cells`` distances. Several threads
may ask one at once if it ``may_be_shared``.
"""
