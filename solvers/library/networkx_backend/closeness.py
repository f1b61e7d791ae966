"""NetworkX's closeness centrality; documented there."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx

from solvers.library.networkx_backend.dispatch_graph import Weight, converted
from solvers.library.networkx_backend.sweeps import Sweep, summarise


def closeness_centrality(G: Any, u: Hashable = None, distance: Weight = None, wf_improved: bool = True) -> Any:
    """Reciprocal of the mean distance to a node from those that reach it, of one node or by node."""
    graph = converted(G)
    if u is not None and u not in graph:
        raise nx.NodeNotFound(f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    chosen = None if u is None else [graph.index.place(u)]
    found = summarise(graph.reversed_copy, Sweep(distance, unweighted=distance is None), chosen)
    n = len(graph)
    values = [
        _closeness(reached, total, n, wf_improved) for reached, total in zip(found.reached, found.totals, strict=True)
    ]
    return values[0] if u is not None else dict(zip(graph, values, strict=True))


def _closeness(reached: int, total: Any, n: int, wf_improved: bool) -> float:
    """The number of other nodes reached over the sum of their distances; improved by the share that is reached."""
    if not (total > 0.0 and n > 1):
        return 0.0
    value: float = (reached - 1.0) / total
    return value * ((reached - 1.0) / (n - 1)) if wf_improved else value
