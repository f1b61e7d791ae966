"""A NetworkX graph of the type that loses nothing, with ids, weights and coordinates as
attributes.
"""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np

from solvers.errors import TurnsLeftOut
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.warned import warn
from solvers.units import public_unit, to_public_unit

NO_TURNS = "rules for turns are left out"


def to_networkx(graph: Graph, attribute: str, multigraph: bool | None) -> Any:
    """A NetworkX graph with the same vertices, arcs and weights, and each edge of an
    undirected graph once.

    Parameters
    ----------
    attribute : str
        Name of the edge attribute that takes the weights.
    multigraph : bool, optional
        True keeps parallel arcs, False only the lightest of them; None makes a
        multigraph if there are any.

    Returns
    -------
    networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Nodes are the ids, in the order of the vertices, or the labels that the graph
        was made with. Coordinates are the node attributes ``x`` and ``y``; ``name``,
        ``weight_unit`` and, where it is known, ``crs`` are graph attributes. Tenths of metres
        and seconds become metres and seconds.
    """
    if graph.has_turns:
        warn(f"{graph.name}: {NO_TURNS}, so paths may make turns that they forbid.", TurnsLeftOut)
    tails = graph.tails
    heads = graph.indices
    weights = to_public_unit(graph.weights, graph.weight_unit)
    if not graph.directed:
        once = tails <= heads
        tails, heads, weights = tails[once], heads[once], weights[once]
    first = _lightest(tails, heads, weights)
    parallel = len(first) < len(tails) if multigraph is None else multigraph
    if not parallel:
        tails, heads, weights = tails[first], heads[first], weights[first]
    kinds = {
        (True, True): networkx.MultiDiGraph,
        (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph,
        (False, False): networkx.Graph,
    }
    made = kinds[graph.directed, parallel]()
    made.graph.update(_graph_attributes(graph))
    names = [graph.vertex_id(vertex) for vertex in range(graph.n)]
    made.add_nodes_from(zip(names, _node_attributes(graph), strict=True))
    ends = (
        (names[tail], names[head])
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)
    )
    made.add_edges_from(
        (*pair, {attribute: weight}) for pair, weight in zip(ends, weights.tolist(), strict=True)
    )
    return made


def _graph_attributes(graph: Graph) -> dict[str, str]:
    attributes = {"name": graph.name}
    if graph.has_turns:
        attributes["turns"] = f"{NO_TURNS}: {graph.turns}"
    if graph.weight_unit:
        attributes["weight_unit"] = public_unit(graph.weight_unit)
    if graph.coordinates is not None and graph.coordinates.reference_system:
        attributes["crs"] = graph.coordinates.reference_system
    return attributes


def _node_attributes(graph: Graph) -> list[dict[str, float]]:
    if graph.coordinates is None:
        return [{} for _ in range(graph.n)]
    return [{"x": x, "y": y} for x, y in graph.coordinates.xy.tolist()]


def _lightest(tails: Int32s, heads: Int32s, weights: AnyArray) -> Int64s:
    """Positions of the lightest arc between each two vertices, ascending."""
    order = np.lexsort((weights, heads, tails))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)
    return np.sort(order[new])
