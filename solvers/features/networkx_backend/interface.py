"""The entry point ``networkx.backends``: conversion, when to run, and the functions
under NetworkX's names.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from solvers.features.networkx_backend import (
    astar,
    bellman_ford,
    betweenness,
    dijkstra,
    floyd_warshall,
    generic,
    measures,
    relabel,
    simple_paths,
    unweighted,
)
from solvers.features.networkx_backend.arcs import REAL
from solvers.features.networkx_backend.graph import DispatchGraph, is_view
from solvers.features.networkx_backend.info import FUNCTIONS

_MODULES = (
    unweighted,
    dijkstra,
    bellman_ford,
    generic,
    astar,
    floyd_warshall,
    measures,
    betweenness,
    simple_paths,
    relabel,
)
globals().update(
    {
        name: getattr(module, name)
        for module in _MODULES
        for name in FUNCTIONS
        if hasattr(module, name)
    }
)

_NAME = "tautpath"
_RELABELLING = "convert_node_labels_to_integers"
_CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)

# Below, NetworkX is done before the graph is converted; measured by
# tests.benchmarks.networkx_thresholds.
LEAST_NODES = 300
LEAST_NODES_UNWEIGHTED = 2_000
LEAST_NODES_OF_BELLMAN_FORD = 100
LEAST_NODES_OF_ALL_PAIRS = 30
_ONE_PATH = {
    "astar_path",
    "astar_path_length",
    "bidirectional_dijkstra",
    "bidirectional_shortest_path",
    "dijkstra_path",
    "dijkstra_path_length",
    "has_path",
}
_UNWEIGHTED = {name for name in FUNCTIONS if hasattr(unweighted, name)}
_BELLMAN_FORD = {name for name in FUNCTIONS if hasattr(bellman_ford, name)}
_MAY_BE_UNWEIGHTED = {
    "all_shortest_paths",
    "closeness_centrality",
    "eccentricity",
    "has_path",
    "shortest_path",
    "shortest_path_length",
    "shortest_simple_paths",
    "single_source_all_shortest_paths",
}
_ALL_PAIRS = {
    "average_shortest_path_length",
    "barycenter",
    "betweenness_centrality",
    "betweenness_centrality_subset",
    "center",
    "closeness_centrality",
    "diameter",
    "eccentricity",
    "edge_betweenness_centrality",
    "edge_betweenness_centrality_subset",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
    "harmonic_diameter",
    "johnson",
    "periphery",
    "radius",
    *(name for name in FUNCTIONS if name.startswith("all_pairs_")),
}


def convert_from_nx(
    graph: Any,
    edge_attrs: Mapping[Any, Any] | None = None,
    node_attrs: Mapping[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> DispatchGraph:
    """Convert a NetworkX graph, with the lengths that ``edge_attrs`` names.

    NetworkX keeps conversions in the graph by attribute. All of them are one
    `DispatchGraph` here, so that a second attribute costs no second conversion of the
    structure. Those of views are not kept, because NetworkX would go on using them
    after a change of the graph that is viewed; ``__networkx_cache__ = None`` is
    NetworkX's way to say so.

    Raises
    ------
    NotDispatched
        For lengths that the compiled searches do not take.
    """
    if isinstance(graph, DispatchGraph):
        return graph
    if is_view(graph):
        graph.__networkx_cache__ = None
    made = _kept(graph) or DispatchGraph.of(graph)
    for attribute in edge_attrs or ():
        made.arcs(attribute)
    return made


def _kept(graph: Any) -> DispatchGraph | None:
    """An earlier conversion of the graph, which NetworkX would have dropped if the
    graph had changed.
    """
    cache = getattr(graph, "__networkx_cache__", None)
    if not cache or not nx.config.cache_converted_graphs:
        return None
    kept = cache.get("backends", {}).get(_NAME, {}).values()
    return next((other for other in kept if isinstance(other, DispatchGraph)), None)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """A converted graph as a NetworkX graph; any other result as it is."""
    return result.to_networkx() if isinstance(result, DispatchGraph) else result


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Whether the backend gives NetworkX's answer for these arguments, or why not."""
    given = _arguments(name, args, kwargs)
    if name == "barycenter" and given.get("attr") is not None:
        return "attr writes to the graph"
    if name.startswith("floyd_warshall") and callable(given.get("weight")):
        return "NetworkX takes a function for an attribute's name here"
    if name == _RELABELLING and type(given.get("G")) not in (*_CLASSES, DispatchGraph):
        return "the class of the graph would be lost"
    return True


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Whether the backend is likely to be faster, conversion included, or why not.

    NetworkX asks only before it converts a graph by itself, for backends of
    ``nx.config.backend_priority``.
    """
    given = _arguments(name, args, kwargs)
    if name == _RELABELLING:
        return "the copy takes as long"
    if callable(given.get("distance" if name == "closeness_centrality" else "weight")):
        return "the function of the edge would be called for every edge"
    if given.get("heuristic") is not None and name.startswith("astar"):
        return "the heuristic takes most of the time"
    graph = given.get("G")
    least = _least_nodes(name, given)
    if graph is not None and len(graph) < least:
        return f"the graph has fewer than {least} nodes"
    both_ends = given.get("source") is not None and given.get("target") is not None
    if (name in _ONE_PATH or (name.startswith("shortest_path") and both_ends)) and _kept(
        graph
    ) is None:
        return "one path is found before the graph is converted"
    if graph is not None and _kept(graph) is None and (kind := _declined_length(name, given)):
        return f"lengths of type {kind} would be declined after the conversion of all"
    return True


def _declined_length(name: str, given: Mapping[str, Any]) -> str:
    """Type of the length of some edge, if conversions decline it."""
    own = _signature(name).parameters.get("weight")
    attribute = given.get("weight", None if own is None else own.default)
    if not isinstance(attribute, str):
        return ""
    _, _, length = next(iter(given["G"].edges(data=attribute, default=1)), (None, None, 1))
    return "" if length is None or type(length) in REAL else type(length).__name__


def _least_nodes(name: str, given: Mapping[str, Any]) -> int:
    """Nodes from which on the backend is faster, by the search that the function makes."""
    # of measures of all nodes
    of_one_node = given.get("v") is not None or given.get("u") is not None
    one_end = given.get("source") is not None or given.get("target") is not None
    if name in _ALL_PAIRS and not of_one_node:
        return LEAST_NODES_OF_ALL_PAIRS
    if name.startswith("shortest_path") and not one_end:
        return LEAST_NODES_OF_ALL_PAIRS
    if name in _BELLMAN_FORD or given.get("method") == "bellman-ford":
        return LEAST_NODES_OF_BELLMAN_FORD
    may_be_unweighted = (
        name in _MAY_BE_UNWEIGHTED and given.get("distance", given.get("weight")) is None
    )
    return LEAST_NODES_UNWEIGHTED if name in _UNWEIGHTED or may_be_unweighted else LEAST_NODES


@functools.cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(globals()[name])


def _arguments(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments by name; none if they do not fit, which the call itself will say."""
    try:
        return _signature(name).bind_partial(*args, **kwargs).arguments
    except TypeError:
        return {}
