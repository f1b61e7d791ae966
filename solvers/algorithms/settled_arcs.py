"""The number of arcs that Dijkstra's algorithm relaxes, computed from its answer."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type


def settled_arcs(graph: Graph, distances: NDArray[Any]) -> int:
    """Number of arcs that leave a reached vertex; Dijkstra's algorithm relaxes each of them exactly once.

    An arc to a vertex that is settled already cannot improve it; whether a program skips it or tries is not counted
    apart, so that all programs of the family compare.
    """
    return int(graph.out_degrees[distances < weight_type(distances.dtype).infinity].sum())


def settled_arcs_of_all(graph: Graph, distances: NDArray[Any]) -> int:
    """Number of arcs that n runs of Dijkstra's algorithm relax: each once for every source that reaches its tail."""
    return sum(settled_arcs(graph, row) for row in distances)
