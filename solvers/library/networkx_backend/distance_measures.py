"""NetworkX's measures of eccentricity; documented there."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from solvers.errors import NotDispatched
from solvers.library.networkx_backend import dijkstra
from solvers.library.networkx_backend.dispatch_graph import DispatchGraph, Weight, converted
from solvers.library.networkx_backend.extremes import Extreme, find_extreme
from solvers.library.networkx_backend.searching import Searcher
from solvers.library.networkx_backend.sweeps import Sweep, summarise
from solvers.library.networkx_backend.unweighted import LevelTree

Eccentricities = Mapping[Any, Any]


def eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Weight = None) -> Any:
    """Greatest distance from a node, of one node or by node."""
    graph = converted(G)
    nodes = list(nx.Graph.nbunch_iter(graph, v))
    if sp is None:
        chosen = None if v is None else [graph.index.place(node) for node in nodes]
        found = summarise(graph, Sweep(weight, unweighted=weight is None), chosen, connected=True)
        reached, farthest = found.reached, found.farthest
    else:
        rows = [_required_row(sp, node) for node in nodes]
        reached, farthest = [len(row) for row in rows], [max(row.values(), default=0) for row in rows]
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


def diameter(G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """Greatest eccentricity."""
    return _extreme(Extreme.DIAMETER, converted(G), e, usebounds, weight)


def radius(G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """Least eccentricity."""
    return _extreme(Extreme.RADIUS, converted(G), e, usebounds, weight)


def periphery(G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """Nodes of the greatest eccentricity."""
    return _extreme(Extreme.PERIPHERY, converted(G), e, usebounds, weight)


def center(G: Any, e: Eccentricities | None = None, usebounds: bool = False, weight: Weight = None) -> Any:
    """Nodes of the least eccentricity."""
    return _extreme(Extreme.CENTER, converted(G), e, usebounds, weight)


def _extreme(wanted: Extreme, graph: DispatchGraph, e: Eccentricities | None, usebounds: bool, weight: Weight) -> Any:
    """From eccentricities, or by bounds where these are exact: undirected graphs with integer lengths.

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


def _exact_row(graph: DispatchGraph, weight: Weight, usebounds: bool) -> Callable[[int], NDArray[Any]] | None:
    """Distances of a vertex to all others, of graphs whose distances are exact and the same both ways; else None."""
    if graph.is_directed() or callable(weight) or not len(graph):
        return None
    arcs = graph.arcs(weight)
    if not graph.is_symmetric(weight, arcs):
        if usebounds:
            raise NotDispatched("a view with an edge of two lengths", "bounds on eccentricities need one")
        return None
    if not arcs.whole or arcs.least < 0:
        return None
    searcher = Searcher(graph, arcs)

    def row(vertex: int) -> NDArray[Any]:
        """Distances of a vertex to all others."""
        tree = LevelTree.grow(graph, vertex) if weight is None else searcher.search([vertex])
        if len(tree.order) < len(graph):
            reason = "Cannot compute metric because graph is not connected." if usebounds else _infinite(graph)
            raise nx.NetworkXError(reason)
        numbers = tree.levels if isinstance(tree, LevelTree) else tree.distances
        return numbers.astype(np.int64)

    return row


def harmonic_diameter(G: Any, sp: Any = None, *, weight: Weight = None) -> float:
    """Harmonic mean of the distances between all pairs of different nodes."""
    graph = converted(G)
    n, inverse = len(graph), 0.0
    rows = dijkstra.all_pairs_dijkstra_path_length(graph, weight=weight) if sp is None else _given_rows(graph, sp)
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
        reached, totals = [len(row) for row in sp.values()], [sum(row.values()) for row in sp.values()]
    if any(count < len(graph) for count in reached):
        raise nx.NetworkXNoPath(
            f"Input graph {graph} is disconnected, so every induced subgraph has infinite barycentricity."
        )
    least = min(totals, default=math.inf)
    nodes = graph if sp is None else sp
    return [node for node, total in zip(nodes, totals, strict=True) if total == least]


def _require_nodes(graph: DispatchGraph) -> None:
    """Refuse an undirected graph without nodes, as NetworkX does where it asks whether a graph is a tree.

    Raises
    ------
    NetworkXPointlessConcept
    """
    if not len(graph) and not graph.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")


def _is_tree(graph: DispatchGraph) -> bool:
    arcs = graph.arcs()
    loops = np.count_nonzero(arcs.tails == arcs.heads)
    if graph.is_multigraph() or loops or arcs.m != 2 * (len(graph) - 1):
        return False
    return len(LevelTree.grow(graph, 0).order) == len(graph)
