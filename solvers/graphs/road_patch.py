"""Graphs with changed roads: closed arcs are left out, and others have other weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph, RoadPatch
from solvers.system.array_types import AnyArray, Int32s, Int64s


def patched(patch: RoadPatch, **fields: Any) -> Graph:
    """The graph with its roads changed, and further ``fields`` of its own; its base is the
    network with all roads, whose arcs its rules for turns name.
    """
    graph, base = patch.graph, patch.of_network
    rules = graph.turns
    if graph.has_turns:
        from solvers.graphs.turns import rules_of_changed  # imports numba, which is slow

        rules = rules_of_changed(base)
    indptr, indices, weights = patched_arrays(patch)
    roads, attributes = graph.roads, graph.attributes
    if len(patch.closed):
        roads = None if roads is None else roads.of_arcs(patch.arcs)
        attributes = tuple(column.of_arcs(patch.arcs) for column in attributes)
    return replace(
        graph,
        indptr=indptr,
        indices=indices,
        weights=weights,
        base=base,
        roads=roads,
        turns=rules,
        attributes=attributes,
        assume_symmetric=True,
        **fields,
    )


def patched_arrays(base: RoadPatch) -> tuple[Int64s, Int32s, AnyArray]:
    """indptr, indices and weights of the changed graph; the first two are the base's
    unless arcs are closed.
    """
    graph, closed = base.graph, base.closed
    weights = graph.weights.copy()
    weights[base.slowed] = base.weights
    if not len(closed):
        return graph.indptr, graph.indices, weights
    kept = np.ones(graph.m, np.bool_)
    kept[closed] = False
    tails = np.searchsorted(graph.indptr, closed, side="right") - 1
    indptr = graph.indptr.copy()
    indptr[1:] -= np.cumsum(np.bincount(tails, minlength=graph.n))
    return indptr, graph.indices[kept], weights[kept]
