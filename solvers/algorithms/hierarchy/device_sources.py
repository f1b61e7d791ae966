"""Distances from any list of sources on a device, a batch at a time: whole rows, or what rows are reduced to.

These are functions and no variants: a variant answers for one source, one target or all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.device_sweeps import PARAMETERS, DeviceSweeps, batches_of, device_sweeps
from solvers.algorithms.hierarchy.preparation import device_for_customising, prepare
from solvers.contracts.problem import Problem
from solvers.devices.base import Device
from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer
from solvers.host.timing import Phases
from solvers.parameters import settle_parameters

_NAME = "sources on a device"


@dataclass(frozen=True)
class SourceReductions:
    """What the distances from each source of a batch come to.

    Attributes
    ----------
    first, last : int
        The batch: ``sources[first:last]``.
    farthest : (k,) array of the distance type
        The largest finite distance: the eccentricity of a source that reaches every vertex. 0 of one that reaches
        itself alone.
    reached : (k,) int32
        Vertices at a finite distance, the source included.
    total : (k,) int64 or float64
        Sum of the finite distances: of integers exact, in int64, unless n times the longest path could exceed it; else
        in float64, added in an order that depends on the device.
    within : (k,) int32
        Vertices at a distance of at most the budget, the source included; 0 where none was given.
    solve_ms : float
        Device time of the batch.
    """

    first: int
    last: int
    farthest: NDArray[Any]
    reached: NDArray[np.int32]
    total: NDArray[Any]
    within: NDArray[np.int32]
    solve_ms: float


def settle_and_reduce(
    graph: Graph,
    device: Device,
    sources: NDArray[Any],
    *,
    budget: float | None = None,
    settings: Mapping[str, Any] | None = None,
    observer: Observer = SILENT,
) -> Iterator[SourceReductions]:
    """Settle all vertices from each source and reduce the distances where they arise; rows are never kept.

    Parameters
    ----------
    graph : Graph
        Negative weights are allowed, negative cycles are not.
    sources : (k,) integers
        Vertex indices; repeated ones are allowed. Neighbours among them should be near in the network: they share more.
    budget : float, optional
        In the unit of the weights; integer distances are compared with it rounded down.
    settings : mapping, optional
        Parameters of ``cch-batch-device``.

    Yields
    ------
    SourceReductions
        Batch after batch, in the order of ``sources``. Cancellation is checked between batches.

    Raises
    ------
    NegativeCycle
        If the graph has one, wherever it is.
    ParameterError
        For a vertex that is not in the graph.
    SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, DeviceUnavailable, KernelBuildError, Cancelled
    """
    if not len(sources):
        return
    kind = graph.distance_type
    infinity = kind.infinity - 1 if kind.is_integer else np.finfo(kind.dtype).max
    most = -infinity if budget is None else min(max(budget, -infinity), infinity)
    limit = kind.dtype.type(np.floor(most) if kind.is_integer else most)
    with _swept(graph, device, sources, settings, observer, reduce=True) as (chosen, sweeps, phases):
        for part in batches_of(chosen, sweeps, observer):
            before = phases.solve
            found = sweeps.totals(chosen[part], limit)
            within = found.within if budget is not None else np.zeros_like(found.within)
            yield SourceReductions(
                part.start, part.stop, found.farthest, found.reached, found.total, within, phases.solve - before
            )


def settle_into_rows(
    graph: Graph,
    device: Device,
    sources: NDArray[Any],
    *,
    settings: Mapping[str, Any] | None = None,
    observer: Observer = SILENT,
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Distances from each source to all vertices, in batches that fit into the device's memory.

    Parameters
    ----------
    graph, sources, settings
        As of `settle_and_reduce`.

    Yields
    ------
    slice
        The batch: ``sources[slice]``.
    (k, n) array of the distance type
        A row for each source of the batch; a new array each time.

    Raises
    ------
    As `settle_and_reduce`.
    """
    if not len(sources):
        return
    with _swept(graph, device, sources, settings, observer, reduce=False) as (chosen, sweeps, _):
        for part in batches_of(chosen, sweeps, observer):
            rows = np.empty((part.stop - part.start, graph.n), graph.distance_type.dtype)
            sweeps.rows(chosen[part], rows)
            yield part, rows


@contextmanager
def _swept(
    graph: Graph,
    device: Device,
    sources: NDArray[Any],
    settings: Mapping[str, Any] | None,
    observer: Observer,
    *,
    reduce: bool,
) -> Iterator[tuple[NDArray[np.int32], DeviceSweeps, Phases]]:
    """The sources, checked, and the graph's hierarchy on the device."""
    chosen = np.asarray(sources, dtype=np.int64)
    if not 0 <= int(chosen.min()) <= int(chosen.max()) < graph.n:
        raise ParameterError(_NAME, "sources", sources, f"vertices are numbered from 0 to {graph.n - 1}")
    phases = Phases()
    settled = settle_parameters(PARAMETERS, settings or {}, _NAME)
    problem = Problem(graph, None, None, settled, device, observer)
    ready = prepare(problem, _NAME, device=device_for_customising(problem))
    with device_sweeps(problem, ready, device, phases, reduce=reduce, most=len(chosen)) as (sweeps, _):
        yield chosen.astype(np.int32), sweeps, phases
