"""NetworkX's measures of eccentricity and its closeness centrality, documented there,
and the sweeps that they need.

`summarise` finds for each source how many nodes it reaches, how far, and in all.

Diameter, radius, centre and periphery of undirected graphs come from few searches, by
bounds on eccentricities:

Idea
    A search from u, of eccentricity e, bounds that of a vertex v at distance d: it is
    at least max(d, e - d) and at most e + d. Searches are made alternately from the
    vertex that may be the farthest out and from the one that may be the most central,
    until the bounds of all others exclude them.

Source
    Takes and Kosters 2011, Determining the diameter of small world networks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import (
    NotDispatched,
    OutOfMemory,
    SeparatorsTooLarge,
    Unavailable,
    UnsuitableGraph,
)
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import run_all_sources
from solvers.features.networkx_backend import dijkstra
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.search import Searcher
from solvers.features.networkx_backend.unweighted import tree_of_levels
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Bools, Int64s

Eccentricities = Mapping[Any, Any]

DistanceRow = Callable[[int], AnyArray]
"""Distances of a vertex to all, (n,); raises if it does not reach all."""

# Fewer nodes are searched one after another; more by the program for all sources, with
# hierarchies and on all cores.
TOGETHER_FROM = 2_000


def eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Weight = None) -> Any:
    """Greatest distance from a node, of one node or by node."""
    graph = converted(G)
    nodes = list(nx.Graph.nbunch_iter(graph, v))
    if sp is None:
        chosen = None if v is None else [graph.index.position(node) for node in nodes]
        found = summarise(graph, Sweep(weight, unweighted=weight is None), chosen, connected=True)
        reached, farthest = found.reached, found.farthest
    else:
        rows = [_required_row(sp, node) for node in nodes]
        reached = [len(row) for row in rows]
        farthest = [max(row.values(), default=0) for row in rows]
    if any(count != len(graph) for count in reached):
        raise nx.NetworkXError(_infinite(graph))
    values = dict(zip(nodes, farthest, strict=True))
    return values[v] if v in graph else values


def _required_row(sp: Any, node: Hashable) -> Any:
    try:
        row = sp[node]
        len(row)
    except TypeError as error:
        raise nx.NetworkXError('Format of "sp" is invalid.') from error
    return row


def _infinite(graph: DispatchGraph) -> str:
    if graph.is_directed():
        return "Found infinite path length because the digraph is not strongly connected"
    return "Found infinite path length because the graph is not connected"


def diameter(
    G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None
) -> Any:
    """Greatest eccentricity."""
    return _extreme(Extreme.DIAMETER, converted(G), e, usebounds, weight)


def radius(
    G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None
) -> Any:
    """Least eccentricity."""
    return _extreme(Extreme.RADIUS, converted(G), e, usebounds, weight)


def periphery(
    G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None
) -> Any:
    """Nodes of the greatest eccentricity."""
    return _extreme(Extreme.PERIPHERY, converted(G), e, usebounds, weight)


def center(
    G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None
) -> Any:
    """Nodes of the least eccentricity."""
    return _extreme(Extreme.CENTER, converted(G), e, usebounds, weight)


def _extreme(
    wanted: Extreme, graph: DispatchGraph, e: Eccentricities | None, usebounds: bool, weight: Weight
) -> Any:
    """From eccentricities, or by bounds where these are exact: undirected graphs with
    integer lengths.

    NetworkX takes bounds only if ``usebounds`` says so; the answer is the same.
    """
    if e is None:
        if wanted is Extreme.CENTER and weight is None and usebounds is not True:
            _require_nodes(graph)
        row = _exact_row(graph, weight, usebounds)
        if row is not None:
            found = find_extreme(wanted, len(graph), row)
            return found if isinstance(found, int) else graph.index.named(np.array(found))
        e = eccentricity(graph, weight=weight)
    choose: Callable[..., Any] = max if wanted in (Extreme.DIAMETER, Extreme.PERIPHERY) else min
    value = choose(e.values())
    if wanted in (Extreme.DIAMETER, Extreme.RADIUS):
        return value
    return [node for node, own in e.items() if own == value]


def _exact_row(
    graph: DispatchGraph, weight: Weight, usebounds: bool
) -> Callable[[int], AnyArray] | None:
    """Distances of a vertex to all others, of graphs whose distances are exact and the
    same both ways; else None.
    """
    if graph.is_directed() or callable(weight) or not len(graph):
        return None
    arcs = graph.arcs(weight)
    if not graph.is_symmetric(weight, arcs):
        if usebounds:
            raise NotDispatched(
                "a view with an edge of two lengths", "bounds on eccentricities need one"
            )
        return None
    if not arcs.whole or arcs.least < 0:
        return None
    searcher = Searcher(graph, arcs)

    def row(vertex: int) -> AnyArray:
        """Distances of a vertex to all others."""
        tree = tree_of_levels(graph, vertex) if weight is None else searcher.search([vertex])
        if len(tree.order) < len(graph):
            reason = (
                "Cannot compute metric because graph is not connected."
                if usebounds
                else _infinite(graph)
            )
            raise nx.NetworkXError(reason)
        return tree.distances.astype(np.int64)

    return row


def harmonic_diameter(G: Any, sp: Any = None, *, weight: Weight = None) -> float:
    """Harmonic mean of the distances between all pairs of different nodes."""
    graph = converted(G)
    n, inverse = len(graph), 0.0
    rows = (
        dijkstra.all_pairs_dijkstra_path_length(graph, weight=weight)
        if sp is None
        else _given_rows(graph, sp)
    )
    for _, row in rows:
        lengths = np.array([length for length in row.values() if length != 0], np.float64)
        # One after another, as NetworkX adds them: the rounding is the same.
        inverse = float(np.cumsum(np.concatenate(([inverse], 1 / lengths)))[-1])
    if inverse != 0:
        return n * (n - 1) / inverse
    return math.inf if n > 1 else math.nan


def _given_rows(graph: DispatchGraph, sp: Any) -> Any:
    return ((node, _required_row(sp, node)) for node in graph)


def barycenter(G: Any, weight: Weight = None, attr: str | None = None, sp: Any = None) -> list[Any]:
    """As NetworkX's without ``attr``, which would write to the graph: `can_run` declines that."""
    graph = converted(G)
    if sp is not None and weight is not None:
        raise ValueError("Cannot use both sp, weight arguments together")
    if sp is None and weight is None:
        _require_nodes(graph)
    if sp is None and weight is None and not graph.is_directed() and _is_tree(graph):
        return list(nx.tree.centroid(graph.to_networkx()))
    if sp is None:
        found = summarise(graph, Sweep(weight, unweighted=weight is None), connected=True)
        reached, totals = found.reached, found.totals
    else:
        reached = [len(row) for row in sp.values()]
        totals = [sum(row.values()) for row in sp.values()]
    if any(count < len(graph) for count in reached):
        raise nx.NetworkXNoPath(
            f"Input graph {graph} is disconnected, so every induced "
            "subgraph has infinite barycentricity."
        )
    least = min(totals, default=math.inf)
    nodes = graph if sp is None else sp
    return [node for node, total in zip(nodes, totals, strict=True) if total == least]


def _require_nodes(graph: DispatchGraph) -> None:
    """Refuse an undirected graph without nodes, as NetworkX does where it asks whether
    a graph is a tree.
    """
    if not len(graph) and not graph.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")


def _is_tree(graph: DispatchGraph) -> bool:
    arcs = graph.arcs()
    loops = np.count_nonzero(arcs.tails == arcs.heads)
    if graph.is_multigraph() or loops or arcs.m != 2 * (len(graph) - 1):
        return False
    return len(tree_of_levels(graph, 0).order) == len(graph)


def closeness_centrality(
    G: Any, u: Hashable = None, distance: Weight = None, wf_improved: bool = True
) -> Any:
    """Reciprocal of the mean distance to a node from those that reach it, of one node
    or by node.
    """
    graph = converted(G)
    message = "Source {} is not in G" if distance is None else "Node {} not found in graph"
    chosen = None if u is None else [graph.required(u, message)]
    found = summarise(graph.reversed_copy, Sweep(distance, unweighted=distance is None), chosen)
    n = len(graph)
    values = [
        _closeness(reached, total, n, wf_improved)
        for reached, total in zip(found.reached, found.totals, strict=True)
    ]
    return values[0] if u is not None else dict(zip(graph, values, strict=True))


def _closeness(reached: int, total: Any, n: int, wf_improved: bool) -> float:
    """The number of other nodes reached over the sum of their distances; improved by
    the share that is reached.
    """
    if not (total > 0.0 and n > 1):
        return 0.0
    value: float = (reached - 1.0) / total
    return value * ((reached - 1.0) / (n - 1)) if wf_improved else value


class Extreme(Enum):
    """What is asked for."""

    DIAMETER = "diameter"
    RADIUS = "radius"
    CENTER = "center"
    PERIPHERY = "periphery"


def find_extreme(wanted: Extreme, n: int, row: DistanceRow) -> int | list[int]:
    """The greatest or least eccentricity, or the vertices that have it.

    Returns a distance, or vertices in ascending order. ``n``, at least 1, is the number
    of vertices; ``row`` gives exact distances of an undirected graph without negative
    lengths.
    """
    low, high = np.zeros(n, np.int64), np.full(n, np.iinfo(np.int64).max // 4)
    outward = wanted in (Extreme.DIAMETER, Extreme.PERIPHERY)
    central = not outward
    open_ = np.arange(n)
    while len(open_):
        central = not central
        position = low[open_].argmin() if central else high[open_].argmax()
        distances = row(int(open_[position]))
        far = int(distances.max())
        np.maximum(low, np.maximum(distances, far - distances), out=low)
        np.minimum(high, far + distances, out=high)
        open_ = np.flatnonzero(_is_open(wanted, low, high))
    if wanted is Extreme.DIAMETER:
        return int(low.max())
    if wanted is Extreme.RADIUS:
        return int(high.min())
    hit = low == low.max() if outward else high == high.min()
    return np.flatnonzero(hit).tolist()


def _is_open(wanted: Extreme, low: Int64s, high: Int64s) -> Bools:
    """Vertices whose eccentricity is not known and may matter."""
    unknown = low < high
    if wanted is Extreme.DIAMETER:
        return unknown & (high > low.max())
    if wanted is Extreme.RADIUS:
        return unknown & (low < high.min())
    if wanted is Extreme.PERIPHERY:
        return unknown & (high >= low.max())
    return unknown & (low <= high.min())


@dataclass(frozen=True)
class Sweep:
    """Which distances are meant."""

    weight: Weight
    # numbers of edges; otherwise Dijkstra's algorithm, also where `weight` is None
    unweighted: bool


@dataclass(frozen=True)
class SweepSummaries:
    """Python's numbers, one of each list for each source."""

    reached: list[int]  # nodes with a distance, the source included
    farthest: list[Any]  # greatest distance
    totals: list[Any]  # sum of the distances


def summarise(
    graph: DispatchGraph,
    sweep: Sweep,
    vertices: list[int] | None = None,
    *,
    connected: bool = False,
) -> SweepSummaries:
    """The numbers of some vertices, or of all in their order.

    If ``connected``, every vertex has to reach all: the first that does not is the last
    that is searched.
    """
    if vertices is None:
        vertices = list(range(len(graph)))
        if len(graph) >= TOGETHER_FROM and not (
            connected and summarise(graph, sweep, [0]).reached[0] < len(graph)
        ):
            together = _together(graph, sweep)
            if together is not None:
                return together
    found = SweepSummaries([], [], [])
    for numbers in (_by_levels if sweep.unweighted else _by_lengths)(graph, sweep, vertices):
        for column, number in zip(
            (found.reached, found.farthest, found.totals), numbers, strict=True
        ):
            column.append(number)
        if connected and numbers[0] < len(graph):
            break
    return found


def _by_levels(
    graph: DispatchGraph, sweep: Sweep, vertices: list[int]
) -> Iterator[tuple[int, Any, Any]]:
    for vertex in vertices:
        tree = tree_of_levels(graph, vertex)
        levels = tree.distances[tree.order]
        yield len(levels), int(levels[-1]), int(levels.sum(dtype=np.int64))


def _by_lengths(
    graph: DispatchGraph, sweep: Sweep, vertices: list[int]
) -> Iterator[tuple[int, Any, Any]]:
    searcher = Searcher(graph, graph.arcs(sweep.weight))
    for vertex in vertices:
        tree = searcher.search([vertex])
        values = tree.values(tree.order)
        yield len(values), max(values), sum(values)  # added up in NetworkX's order


def _together(graph: DispatchGraph, sweep: Sweep) -> SweepSummaries | None:
    """All sources by the program for them; None where it does not apply, as for sums
    that depend on their order.
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
    # solving the sources one by one instead would hide a fault
    found.verdict.require(f"Distances from all {arcs.n} nodes for NetworkX, by {found.engine}")
    summaries = found.summaries
    if summaries.totals.dtype.kind != "i":
        return None
    return SweepSummaries(
        summaries.reached.tolist(), summaries.farthest.tolist(), summaries.totals.tolist()
    )
