"""What eccentricity, closeness and averages need of each source: how many nodes it reaches, how far, and in all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.errors import OutOfMemory, SeparatorsTooLarge, Unavailable, UnsuitableGraph, VerificationFailed
from solvers.graphs.graph import Graph
from solvers.library.networkx_backend.dispatch_graph import DispatchGraph, Weight
from solvers.library.networkx_backend.searching import Searcher
from solvers.library.networkx_backend.unweighted import LevelTree
from solvers.running.all_sources.request import AllSourcesRequest
from solvers.running.all_sources.runner import run_all_sources

# Fewer nodes are searched one after another; more by the program for all sources, with hierarchies and on all cores.
TOGETHER_FROM = 2_000


@dataclass(frozen=True)
class Sweep:
    """Which distances are meant.

    Attributes
    ----------
    weight : name, function or None
    unweighted : bool
        Numbers of edges, by breadth-first search; otherwise Dijkstra's algorithm, also where ``weight`` is None.
    """

    weight: Weight
    unweighted: bool


@dataclass(frozen=True)
class SweepSummaries:
    """Python's numbers, one of each list for each source.

    Attributes
    ----------
    reached : list of int
        Nodes with a distance, the source included.
    farthest, totals : list of int or float
        Greatest distance, and sum of the distances.
    """

    reached: list[int]
    farthest: list[Any]
    totals: list[Any]


def summarise(
    graph: DispatchGraph, sweep: Sweep, vertices: list[int] | None = None, *, connected: bool = False
) -> SweepSummaries:
    """The numbers of some vertices, or of all in their order.

    Parameters
    ----------
    connected : bool
        Whether every vertex has to reach all: then the first that does not is the last that is searched.
    """
    if vertices is None:
        vertices = list(range(len(graph)))
        if len(graph) >= TOGETHER_FROM and not (connected and _stops_early(graph, sweep)):
            together = _together(graph, sweep)
            if together is not None:
                return together
    found = SweepSummaries([], [], [])
    for numbers in (_by_levels if sweep.unweighted else _by_lengths)(graph, sweep, vertices):
        for column, number in zip((found.reached, found.farthest, found.totals), numbers, strict=True):
            column.append(number)
        if connected and numbers[0] < len(graph):
            break
    return found


def _stops_early(graph: DispatchGraph, sweep: Sweep) -> bool:
    return summarise(graph, sweep, [0]).reached[0] < len(graph)


def _by_levels(graph: DispatchGraph, sweep: Sweep, vertices: list[int]) -> Iterator[tuple[int, Any, Any]]:
    for vertex in vertices:
        tree = LevelTree.grow(graph, vertex)
        levels = tree.levels[tree.order]
        yield len(levels), int(levels[-1]), int(levels.sum(dtype=np.int64))


def _by_lengths(graph: DispatchGraph, sweep: Sweep, vertices: list[int]) -> Iterator[tuple[int, Any, Any]]:
    searcher = Searcher(graph, graph.arcs(sweep.weight))
    for vertex in vertices:
        tree = searcher.search([vertex])
        values = tree.values(tree.order)
        yield len(values), max(values), sum(values)  # added up in NetworkX's order


def _together(graph: DispatchGraph, sweep: Sweep) -> SweepSummaries | None:
    """All sources by the program for them; None where it does not apply, as for sums that depend on their order.

    Raises
    ------
    VerificationFailed
        If the program's answer is wrong. One by one the sources might well be solved correctly, but then nobody would
        learn of the fault.
    """
    weight = None if sweep.unweighted else sweep.weight
    arcs = graph.arcs(weight)
    if not arcs.whole or arcs.least < 0:
        return None
    kind = np.int32 if arcs.most <= np.iinfo(np.int32).max else np.int64
    try:
        whole = Graph.from_arcs(arcs.n, arcs.tails, arcs.heads, arcs.lengths.astype(kind))
        found = run_all_sources(AllSourcesRequest(whole))
    except (SeparatorsTooLarge, UnsuitableGraph, OutOfMemory, Unavailable):
        return None
    if not found.verdict.verified:
        what = f"Distances from all {arcs.n} nodes for NetworkX, by {found.engine}"
        raise VerificationFailed(what, found.verdict.text, found.verdict.wrong_vertices, found.verdict.rows)
    summaries = found.summaries
    if summaries.totals.dtype.kind != "i":
        return None
    return SweepSummaries(summaries.reached.tolist(), summaries.farthest.tolist(), summaries.totals.tolist())
