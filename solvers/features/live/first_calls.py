"""A first live answer, so that what it needs is compiled."""

from __future__ import annotations

from solvers.features.live.query import LiveQuery
from solvers.features.live.solver import LiveSolver
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import network_with_hierarchy


def rehearse(graph: Graph) -> None:
    """With alternatives, whose functions take longest."""
    network = network_with_hierarchy(graph)
    LiveSolver(graph).solve(LiveQuery(graph, (0,), graph.n - 1, network, alternatives=1))
