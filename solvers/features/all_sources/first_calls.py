"""Calls of `all_sources` that many programs begin with, so that what they need is compiled."""

from __future__ import annotations

from solvers.features.all_sources.call import all_sources
from solvers.graphs.graph import Graph


def rehearse(graph: Graph) -> None:
    all_sources(graph)
    all_sources(graph, reduce=["betweenness"])
    some = all_sources(graph, ["closeness", "betweenness"], sources=2, cutoff=500)
    some._repr_mimebundle_()
    all_sources(graph, ["reach", "histogram"], budget=500)
