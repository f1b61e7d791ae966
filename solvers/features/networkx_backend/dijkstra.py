"""NetworkX's functions of Dijkstra's algorithm, and its Voronoi cells.

Parameters, results and exceptions are documented there. The cells are found without the
paths that NetworkX makes for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import DispatchArcs
from solvers.features.networkx_backend.graph import DispatchGraph, Weight, converted
from solvers.features.networkx_backend.kernels import (
    CONTRADICTION,
    NO_PATH,
    EndSearch,
    search_from_two_ends,
)
from solvers.features.networkx_backend.search import (
    NO_VERTEX,
    Searcher,
    SearchTree,
    search,
    search_lengths,
    walk_back,
)

Distances = dict[Any, Any]
Paths = dict[Any, list[Any]]
_NO_NODE = "Node {} not found in graph"


def dijkstra_path(G: Any, source: Hashable, target: Hashable, weight: Weight = "weight") -> Any:
    """Nodes of a shortest path between two nodes."""
    return single_source_dijkstra(G, source, target=target, weight=weight)[1]


def dijkstra_path_length(
    G: Any, source: Hashable, target: Hashable, weight: Weight = "weight"
) -> Any:
    """Length of a shortest path between two nodes."""
    graph = converted(G)
    graph.required(source, _NO_NODE)
    if source == target:
        return 0
    tree = search(graph, weight, [source], target)
    vertex = graph.index.position(target)
    if not tree.reached(vertex):
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return tree.distance(vertex)


def single_source_dijkstra_path(
    G: Any, source: Hashable, cutoff: Any = None, weight: Weight = "weight"
) -> Paths:
    """Shortest paths from a node, by node."""
    return multi_source_dijkstra_path(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra_path_length(
    G: Any, source: Hashable, cutoff: Any = None, weight: Weight = "weight"
) -> Distances:
    """Distances from a node, by node."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra(
    G: Any, source: Hashable, target: Hashable = None, cutoff: Any = None, weight: Weight = "weight"
) -> tuple[Any, Any]:
    """Distances and shortest paths from a node, by node or to a target."""
    return multi_source_dijkstra(G, {source}, target=target, cutoff=cutoff, weight=weight)


def multi_source_dijkstra_path(
    G: Any, sources: Iterable[Hashable], cutoff: Any = None, weight: Weight = "weight"
) -> Paths:
    """Shortest paths from the nearest of several nodes, by node."""
    return multi_source_dijkstra(G, sources, cutoff=cutoff, weight=weight)[1]


def multi_source_dijkstra_path_length(
    G: Any, sources: Iterable[Hashable], cutoff: Any = None, weight: Weight = "weight"
) -> Distances:
    """Distances from the nearest of several nodes, by node."""
    graph = converted(G)
    return search_lengths(graph, weight, required_sources(graph, sources), cutoff)


def multi_source_dijkstra(
    G: Any,
    sources: Iterable[Hashable],
    target: Hashable = None,
    cutoff: Any = None,
    weight: Weight = "weight",
) -> tuple[Any, Any]:
    """Distances and shortest paths from the nearest of several nodes, by node or to a target."""
    graph = converted(G)
    starts = required_sources(graph, sources)
    if target in starts:
        return (0, [target])
    if target is None:
        tree = _paths_from(graph, weight, starts, cutoff)
        return (tree.lengths(), tree.paths())
    tree = search(graph, weight, starts, target, cutoff)
    vertex = graph.index.position(target)
    if not tree.reached(vertex):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return (tree.distance(vertex), tree.path(vertex))


def dijkstra_predecessor_and_distance(
    G: Any, source: Hashable, cutoff: Any = None, weight: Weight = "weight"
) -> tuple[dict[Any, list[Any]], Distances]:
    """Predecessors on all shortest paths from a node, and distances, by node."""
    graph = converted(G)
    graph.required(source, "Node {} is not found in the graph")
    tree = search(graph, weight, [source], cutoff=cutoff)
    return named_lists(graph, tree.first_seen, tree.predecessor_lists()), tree.lengths()


def named_lists(graph: DispatchGraph, vertices: Any, lists: Any) -> dict[Any, list[Any]]:
    """Lists of predecessors by node, in the order of ``vertices``."""
    index = graph.index
    members = index.named(lists.members)
    bounds = zip(
        lists.offsets[vertices].tolist(), lists.offsets[vertices + 1].tolist(), strict=True
    )
    return {
        node: members[first:last]
        for node, (first, last) in zip(index.named(vertices), bounds, strict=True)
    }


def all_pairs_dijkstra(
    G: Any, cutoff: Any = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, tuple[Distances, Paths]]]:
    """Each node with the distances and shortest paths from it."""
    for node, tree in all_trees(converted(G), weight, cutoff):
        yield node, (tree.lengths(), tree.paths())


def all_pairs_dijkstra_path_length(
    G: Any, cutoff: Any = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, Distances]]:
    """Each node with the distances from it."""
    for node, tree in all_trees(converted(G), weight, cutoff):
        yield node, tree.lengths()


def all_pairs_dijkstra_path(
    G: Any, cutoff: Any = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """Each node with the shortest paths from it."""
    for node, tree in all_trees(converted(G), weight, cutoff):
        yield node, tree.paths()


def bidirectional_dijkstra(
    G: Any, source: Hashable, target: Hashable, weight: Weight = "weight"
) -> tuple[Any, list[Any]]:
    """Length and nodes of a shortest path between two nodes, searched from both ends."""
    graph = converted(G)
    ends = (
        graph.required(source, "Source {} is not in G"),
        graph.required(target, "Target {} is not in G"),
    )
    if source == target:
        return (0, [source])
    arcs = graph.arcs(weight)
    found = walk_between(arcs, graph.backward(weight, arcs), *ends)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found[0], graph.index.named(np.array(found[1]))


def walk_between(
    arcs: DispatchArcs, back_arcs: DispatchArcs, first: int, last: int
) -> tuple[float, list[int]] | None:
    """Length and vertices of a shortest path between two vertices, searched from both
    ends; None if there is none.

    Raises NetworkX's ValueError where negative lengths let a settled vertex come
    nearer.
    """
    forth = EndSearch.along(arcs.rows)
    back = EndSearch.along(back_arcs.rows)
    meeting, length = search_from_two_ends(forth, back, first, last)
    if meeting == CONTRADICTION:
        raise ValueError("Contradictory paths found: negative weights?")
    if meeting == NO_PATH:
        return None
    before, after = walk_back(forth.parents, meeting), walk_back(back.parents, meeting)
    walk = [*before[::-1], *after[1:]]
    is_whole = arcs.whole or (
        arcs.floats is not None
        and all(isinstance(arcs.length_of(u, v), int) for u, v in pairwise(walk))
    )
    return int(length) if is_whole else length, walk


def required_sources(graph: DispatchGraph, sources: Iterable[Hashable]) -> list[Hashable]:
    """The sources in their order.

    Raises ValueError if there are none, NodeNotFound if one is not in the graph.
    """
    if not sources:
        raise ValueError("sources must not be empty")
    starts = list(sources)
    for source in starts:
        graph.required(source, _NO_NODE)
    return starts


def _paths_from(
    graph: DispatchGraph, weight: Weight, sources: Iterable[Hashable], cutoff: Any = None
) -> SearchTree:
    """A search from several nodes; raises NotDispatched where by a negative length one
    is reached, or settled late.
    """
    tree = search(graph, weight, sources, cutoff=cutoff)
    settled_first = set(tree.order[: len(tree.sources)].tolist())
    if settled_first != set(tree.sources) or (tree.parents[tree.sources] != NO_VERTEX).any():
        reason = "NetworkX takes the nodes that it settles first for the sources"
        raise NotDispatched("negative lengths with several sources", reason)
    return tree


def all_trees(
    graph: DispatchGraph, weight: Weight, cutoff: Any = None
) -> Iterator[tuple[Any, SearchTree]]:
    """A search from every node in turn; each tree is valid until the next."""
    searcher = Searcher(graph, graph.arcs(weight))
    for vertex, node in enumerate(graph):
        yield node, searcher.search([vertex], cutoff=cutoff)


def voronoi_cells(
    G: Any, center_nodes: Iterable[Hashable], weight: Weight = "weight"
) -> dict[Any, set[Any]]:
    """The set of nodes that are nearest to each centre."""
    graph = converted(G)
    tree = _paths_from(graph, weight, required_sources(graph, center_nodes))
    index = graph.index
    roots = np.where(tree.parents < 0, np.arange(len(graph), dtype=np.int32), tree.parents)
    # each step doubles the length of the way up
    while not np.array_equal(above := roots[roots], roots):
        roots = above
    reached = np.zeros(len(graph), np.bool_)
    reached[tree.order] = True
    cells: dict[Any, set[Any]] = {index.nodes[source]: set() for source in tree.sources}
    by_root = tree.order[np.argsort(roots[tree.order], kind="stable")]
    cuts = np.flatnonzero(np.diff(roots[by_root])) + 1
    for members in np.split(by_root, cuts):
        if len(members):
            cells[index.nodes[roots[members[0]]]] = set(index.named(members))
    unreachable = np.flatnonzero(~reached)
    if len(unreachable):
        cells["unreachable"] = set(index.named(unreachable))
    return cells
