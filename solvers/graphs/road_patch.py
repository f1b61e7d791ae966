"""Graphs with changed roads: closed arcs are left out, and others have other weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph, Overlay, RoadPatch, Said
from solvers.graphs.searched import turn_search
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class GivenWeights:
    """Weights of all arcs that were open then, (m,), the infinity of their type for those that
    are closed since; a `Said`.
    """

    weights: AnyArray
    at = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenWeights) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __str__(self) -> str:
        return "other weights"


def changed_graph(network: Graph, weights: AnyArray, said: Said | None = None) -> Graph:
    """The network with other weights, without the arcs whose weight is the infinity of
    the type of ``weights``.

    ``said`` is what they follow from; None if they were given.
    """
    patch = _patch_of(network, weights)
    told = (*network.overlay.said, GivenWeights(weights) if said is None else said)
    if not len(patch.changed):
        return network
    with np.errstate(invalid="ignore"):  # what a type does not hold differs afterwards
        own = patch.weights.astype(network.weights.dtype)
    if np.array_equal(own, patch.weights):
        return patched(replace(patch, weights=own), told, directed=True)
    return patched(replace(patch, graph=_in_type(network, weights.dtype)), told, directed=True)


def patched(patch: RoadPatch, said: tuple[Said, ...], **fields: Any) -> Graph:
    """The graph with its roads changed as was ``said``, and further ``fields`` of its own; its
    base is the network with all roads, whose arcs its rules for turns name.
    """
    graph, base = patch.graph, patch.of_network
    rules = graph.turns
    if graph.has_turns:
        rules = turn_search().of_changed(base)
    indptr, indices, weights = patched_arrays(patch)
    roads, attributes = graph.roads, graph.attributes
    if len(patch.closed):
        roads = None if roads is None else roads.of_arcs(patch.arcs)
        attributes = tuple(column.of_arcs(patch.arcs) for column in attributes)
    return graph.with_overlay(
        Overlay(said, rules, base, graph.cut),
        indptr=indptr,
        indices=indices,
        weights=weights,
        roads=roads,
        attributes=attributes,
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


def _patch_of(network: Graph, weights: AnyArray) -> RoadPatch:
    """The arcs whose weights differ from those of a network, with the weights, (m,), of
    whatever type; closed ones are the infinity of their type.
    """
    is_closed = weights >= weight_type(weights.dtype).infinity
    slowed = np.flatnonzero((weights != network.weights) & ~is_closed)
    return RoadPatch(network, np.flatnonzero(is_closed), slowed, weights[slowed])


def _in_type(network: Graph, dtype: np.dtype[Any]) -> Graph:
    """A network with its weights in another type, kept with it."""

    def convert() -> Graph:
        base = network.base
        if base is not None:
            whole = _in_type(base.graph, dtype)
            base = replace(base, graph=whole, weights=base.weights.astype(dtype))
        overlay = replace(network.overlay, base=base)
        return network.with_overlay(overlay, weights=network.weights.astype(dtype))

    return network.cached(("in type", dtype), convert)
