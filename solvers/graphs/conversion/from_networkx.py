"""Graphs from NetworkX: directed or undirected, simple graphs or multigraphs, with nodes of any type."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.conversion.weights import as_weights
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.readers.assemble import mirrored

_INT64 = np.iinfo(np.int64)


def from_networkx(graph: Any, attribute: str, undirected: bool | None) -> Graph:
    """A graph from a NetworkX graph.

    If all nodes are integers, they become the ids, in ascending order. Otherwise the vertices keep the order of
    ``graph.nodes``, and the result is a `LabelledGraph` with the nodes as labels.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
    attribute : str
        The edge attribute that holds the weight; an edge without it weighs 1.
    undirected : bool, optional
        True adds the opposite of every arc of a directed graph.

    Raises
    ------
    ParameterError
        For a weight that is not a finite number (names the edge), and for ``undirected=False`` on an undirected graph.
    """
    if undirected is False and not graph.is_directed():
        raise ParameterError("read", "undirected", False, "the edges of an undirected NetworkX graph have no direction")
    nodes: list[Any] = list(graph)
    whole = all(_is_id(node) for node in nodes)
    if whole:
        nodes.sort(key=operator.index)
    index = {node: position for position, node in enumerate(nodes)}
    edges = list(graph.edges(data=attribute, default=1))
    tails, heads = (np.array([index[edge[end]] for edge in edges], dtype=np.int32) for end in (0, 1))
    weights = as_weights([edge[2] for edge in edges], lambda edge: f"the edge {edges[edge][0]!r} → {edges[edge][1]!r}")
    both_ways = not graph.is_directed() or bool(undirected)
    arcs = mirrored(tails, heads, weights) if both_ways else (tails, heads, weights)
    attributes: dict[str, Any] = {"name": graph.name or "graph", "directed": not both_ways, "mirrored": both_ways}
    return _with_ids(nodes, arcs, attributes) if whole else _with_labels(nodes, arcs, attributes)


def _is_id(node: Hashable) -> bool:
    whole = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    return whole and _INT64.min <= operator.index(node) <= _INT64.max  # type: ignore[arg-type]


def _with_ids(nodes: Sequence[Any], arcs: tuple[Any, Any, Any], attributes: dict[str, Any]) -> Graph:
    return Graph.from_arcs(len(nodes), *arcs, ids=np.array(nodes, dtype=np.int64), **attributes)


def _with_labels(nodes: Sequence[Hashable], arcs: tuple[Any, Any, Any], attributes: dict[str, Any]) -> Graph:
    return LabelledGraph.from_arcs(len(nodes), *arcs, labels=tuple(nodes), **attributes)
