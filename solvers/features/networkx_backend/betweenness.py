"""NetworkX's functions of betweenness, documented there.

Small graphs, lengths that are floats or 0, and subsets of edges are solved as NetworkX
does, in the order of its search and of its additions, so results are the same to the
last bit. Large graphs with positive integer lengths are solved on all cores, by
`solvers.features.all_sources.flows`; there the last digits depend on the order of
additions.

For edges of a subset NetworkX 3.6 divides what passes a node that is not a target
equally among its predecessors, not in proportion to the paths through them. The backend
gives NetworkX's numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from networkx.algorithms.centrality.betweenness import _rescale
from networkx.algorithms.shortest_paths.weighted import _weight_function

from solvers.errors import (
    NotDispatched,
    OutOfMemory,
    SeparatorsTooLarge,
    Unavailable,
    UnsuitableGraph,
)
from solvers.features.all_sources.betweenness import FlowSum, sum_flows
from solvers.features.networkx_backend.arcs import ArcRows, DispatchArcs
from solvers.features.networkx_backend.graph import ABSENT, DispatchGraph, Weight, converted
from solvers.features.networkx_backend.search import Searcher
from solvers.features.networkx_backend.unweighted import UNREACHED, search_levels
from solvers.graphs.graph import Graph
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

Values = dict[Any, float]

# Fewer nodes are searched one after another in NetworkX's order; more on all cores.
TOGETHER_FROM = 2_000


def betweenness_centrality(
    G: Any,
    k: int | None = None,
    normalized: bool = True,
    weight: Weight = None,
    endpoints: bool = False,
    seed: Any = None,
) -> Values:
    """Sums over pairs of the share of shortest paths through each node."""
    graph = converted(G)
    nodes = None if k is None or k == len(graph) else seed.sample(list(graph), k)
    sources = _positions(graph, list(graph) if nodes is None else nodes)
    flows = _together(graph, weight, sources)
    if flows is None:
        sums = _one_by_one(graph, weight, sources, endpoints=endpoints).nodes
    else:
        sums = flows.vertices + (flows.starts + flows.ends if endpoints else 0.0)
    values = _by_node(graph, sums)
    return _rescale(
        values,
        len(graph),
        normalized=normalized,
        directed=graph.is_directed(),
        endpoints=endpoints,
        sampled_nodes=nodes,
    )


def edge_betweenness_centrality(
    G: Any, k: int | None = None, normalized: bool = True, weight: Weight = None, seed: Any = None
) -> Values:
    """Sums over pairs of the share of shortest paths over each edge."""
    graph = converted(G)
    nodes = None if k is None else seed.sample(list(graph), k)
    sources = _positions(graph, list(graph) if nodes is None else nodes)
    flows = _together(graph, weight, sources)
    if flows is None:
        sums = _one_by_one(graph, weight, sources).edges
    else:
        edge_of = _edges(graph, graph.arcs())
        sums = np.bincount(edge_of, flows.arcs, edge_of.max(initial=-1) + 1).astype(np.float64)
    return _by_edge(graph, sums, weight, normalized, nodes)


def betweenness_centrality_subset(
    G: Any,
    sources: Iterable[Hashable],
    targets: Iterable[Hashable],
    normalized: bool = False,
    weight: Weight = None,
) -> Values:
    """Sums over pairs of a source and a target of the share of shortest paths through each node."""
    graph = converted(G)
    starts, ends = _positions(graph, sources), _members(graph, targets)
    flows = _together(graph, weight, starts, ends)
    sums = (
        _one_by_one(graph, weight, starts, targets=ends).nodes if flows is None else flows.vertices
    )
    return _rescale(
        _by_node(graph, sums),
        len(graph),
        normalized=normalized,
        directed=graph.is_directed(),
        endpoints=False,
    )


def edge_betweenness_centrality_subset(
    G: Any,
    sources: Iterable[Hashable],
    targets: Iterable[Hashable],
    normalized: bool = False,
    weight: Weight = None,
) -> Values:
    """Sums over pairs of a source and a target of the share of shortest paths over each edge."""
    graph = converted(G)
    starts, ends = _positions(graph, sources), _members(graph, targets)
    sums = _one_by_one(graph, weight, starts, targets=ends, edges_of_subset=True).edges
    return _by_edge(graph, sums, weight, normalized, None)


def _positions(graph: DispatchGraph, nodes: Iterable[Hashable]) -> Int32s:
    """Raises KeyError for a node that the graph does not have, as NetworkX does."""
    found = []
    for node in nodes:
        hash(node)
        found.append(graph.index.position(node))
        if found[-1] == ABSENT:
            raise KeyError(node)
    return np.array(found, np.int32)


def _members(graph: DispatchGraph, nodes: Iterable[Hashable]) -> Bools:
    """(n,) whether a vertex is one of the nodes; the graph need not have all of them."""
    found = np.zeros(len(graph), np.bool_)
    found[
        [position for node in set(nodes) if (position := graph.index.position(node)) != ABSENT]
    ] = True
    return found


def _by_node(graph: DispatchGraph, sums: Float64s) -> Values:
    return dict(zip(graph, sums.tolist(), strict=True))


def _by_edge(
    graph: DispatchGraph, sums: Float64s, weight: Weight, normalized: bool, nodes: list[Any] | None
) -> Values:
    """Rescaled values by edge, in the order of the graph's edges; in multigraphs the
    shortest parallel ones share.
    """
    values = _rescale(
        dict(zip(_edge_ends(graph), sums.tolist(), strict=True)),
        len(graph),
        normalized=normalized,
        directed=graph.is_directed(),
        sampled_nodes=nodes,
    )
    if not graph.is_multigraph():
        return values
    length = _weight_function(graph, weight)
    shared: Values = {}
    for (u, v), value in values.items():
        edges: Mapping[Any, Any] = graph._adj[u][v]
        least = length(u, v, edges)
        ways = [key for key, data in edges.items() if length(u, v, {key: data}) == least]
        shared.update(
            {(u, v, key): 0.0 for key in edges} | {(u, v, key): value / len(ways) for key in ways}
        )
    return shared


def _edge_ends(graph: DispatchGraph) -> Iterator[tuple[Any, Any]]:
    arcs, nodes = graph.arcs(), graph.index.nodes
    own = _is_own(graph, arcs)
    for tail, head in zip(arcs.tails[own].tolist(), arcs.heads[own].tolist(), strict=True):
        yield nodes[tail], nodes[head]


def _is_own(graph: DispatchGraph, arcs: DispatchArcs) -> Bools:
    """(m,) whether an arc names its edge: of undirected edges the one from the node
    that comes first.
    """
    return np.full(arcs.m, graph.is_directed()) | (arcs.tails <= arcs.heads)


def _edges(graph: DispatchGraph, arcs: DispatchArcs) -> Int64s:
    """(m,) number of the edge of each arc, in the order of `_edge_ends`."""
    own = _is_own(graph, arcs)
    numbers = np.cumsum(own) - 1
    low, high = np.minimum(arcs.tails, arcs.heads), np.maximum(arcs.tails, arcs.heads)
    if not own.all():
        key = low.astype(np.int64) * arcs.n + high
        order = np.flatnonzero(own)[np.argsort(key[own])]
        numbers[~own] = numbers[order[np.searchsorted(key[order], key[~own])]]
    return numbers


def _together(
    graph: DispatchGraph, weight: Weight, sources: Int32s, targets: Bools | None = None
) -> FlowSum | None:
    """Flows by the program for many sources, arcs in the graph's order; None where it
    does not apply.

    Sums of floats depend on their order, and so do ties between paths; with lengths of
    0 NetworkX's numbers depend on the order of its search.
    """
    arcs = _required_arcs(graph, weight)
    if len(graph) < TOGETHER_FROM or not arcs.whole or not (arcs.lengths > 0).all():
        return None
    kind = np.int32 if arcs.most <= np.iinfo(np.int32).max else np.int64
    whole = Graph.from_arcs(arcs.n, arcs.tails, arcs.heads, arcs.lengths.astype(kind))
    origins = np.bincount(sources, minlength=arcs.n).astype(np.float64)
    destinations = np.ones(arcs.n) if targets is None else targets.astype(np.float64)
    try:
        found = sum_flows(whole, origins, destinations)
    except (SeparatorsTooLarge, UnsuitableGraph, OutOfMemory, Unavailable):
        return None
    flows = np.empty(arcs.m)
    flows[np.lexsort((arcs.heads, arcs.tails))] = found.arcs[
        np.lexsort((whole.indices, whole.tails))
    ]
    return found._replace(arcs=flows)


def _required_arcs(graph: DispatchGraph, weight: Weight) -> DispatchArcs:
    """The arcs; raises NotDispatched for lengths that NetworkX's search for betweenness
    is not made for.
    """
    hidden = "hidden edges for betweenness", "NetworkX adds up their lengths, which are None"
    arcs = graph.complete_arcs(weight, *hidden)
    if arcs.least < 0:
        raise NotDispatched(
            "negative lengths for betweenness",
            "NetworkX's answer depends on the order of its search",
        )
    return arcs


class _Sums(NamedTuple):
    nodes: Float64s  # (n,)
    edges: Float64s  # (edges,)


class _Ways(NamedTuple):
    """Shortest paths from a source."""

    counts: Float64s  # (n,) numbers of paths; by lengths all are doubled
    arcs: Int64s  # (m,) by head: the arcs of ``w`` begin at ``first[w]``
    first: Int64s  # (n + 1,)
    numbers: Int64s  # (n,) of the arcs by head


def _one_by_one(
    graph: DispatchGraph,
    weight: Weight,
    sources: Int32s,
    *,
    targets: Bools | None = None,
    endpoints: bool = False,
    edges_of_subset: bool = False,
) -> _Sums:
    """Sums in NetworkX's order."""
    arcs, n = _required_arcs(graph, weight), len(graph)
    edge_of = _edges(graph, arcs)
    sums = _Sums(np.zeros(n), np.zeros(edge_of.max(initial=-1) + 1))
    first = offsets_of(np.bincount(arcs.heads, minlength=n))
    ways = _Ways(np.empty(n), np.empty(arcs.m, np.int64), first, np.empty(n, np.int64))
    searcher = None if weight is None else Searcher(graph, arcs)
    ends = np.ones(n, np.bool_) if targets is None else targets.copy()
    for source in sources.tolist():
        order = (
            _search_levels(arcs, source, ways)
            if searcher is None
            else _search(searcher, arcs, source, ways)
        )
        was_end, ends[source] = ends[source], targets is None or (edges_of_subset and ends[source])
        _share(
            order,
            arcs.tails,
            edge_of,
            ways,
            ends,
            endpoints,
            edges_of_subset,
            sums.nodes,
            sums.edges,
        )
        ends[source] = was_end
    return sums


def _search_levels(arcs: DispatchArcs, source: int, ways: _Ways) -> Int32s:
    levels, parents, order = (np.full(arcs.n, UNREACHED, np.int32) for _ in range(3))
    order = order[: search_levels(arcs.rows, source, np.inf, levels, parents, order)]
    _find_ways_by_levels(arcs.rows, order, levels, ways)
    return order


def _search(searcher: Searcher, arcs: DispatchArcs, source: int, ways: _Ways) -> Int32s:
    tree = searcher.search([source])
    _find_ways(arcs.rows, tree.order, tree.distances.astype(np.float64), ways)
    return tree.order


@njit
def _find_ways_by_levels(rows: ArcRows, order: Int32s, levels: Int32s, ways: _Ways) -> None:
    ways.counts[:], ways.numbers[:] = 0.0, 0
    ways.counts[order[0]] = 1.0
    for v in order:
        for arc in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.heads[arc]
            if levels[w] == levels[v] + 1:
                ways.counts[w] += ways.counts[v]
                ways.arcs[ways.first[w] + ways.numbers[w]] = arc
                ways.numbers[w] += 1


@njit
def _find_ways(rows: ArcRows, order: Int32s, distances: Float64s, ways: _Ways) -> None:
    """What NetworkX's search adds up while it settles the vertices in this order, also
    along arcs of length 0.
    """
    indptr, heads, lengths = rows
    counts, n = ways.counts, len(ways.counts)
    settled, seen, found_from = np.zeros(n, np.bool_), np.full(n, np.nan), np.empty(n, np.int32)
    counts[:], ways.numbers[:] = 0.0, 0
    source = order[0]
    counts[source], seen[source], found_from[source] = 1.0, 0.0, source
    for v in order:
        counts[v] += counts[found_from[v]]
        settled[v] = True
        for arc in range(indptr[v], indptr[v + 1]):
            w = heads[arc]
            offered = distances[v] + lengths[arc]
            if not settled[w] and not offered >= seen[w]:  # NaN if it is not seen
                seen[w], counts[w], found_from[w] = offered, 0.0, v
                ways.arcs[ways.first[w]], ways.numbers[w] = arc, 1
            elif offered == seen[w]:
                counts[w] += counts[v]
                ways.arcs[ways.first[w] + ways.numbers[w]] = arc
                ways.numbers[w] += 1


@njit
def _share(
    order: Int32s,
    tails: Int32s,
    edge_of: Int64s,
    ways: _Ways,
    ends: Bools,
    endpoints: bool,
    edges_of_subset: bool,
    nodes: Float64s,
    edges: Float64s,
) -> None:
    """Add what passes nodes and edges, the last settled first; paths end where ``ends`` says."""
    counts, passing = ways.counts, np.zeros(len(nodes))
    source = order[0]
    if endpoints:
        nodes[source] += len(order) - 1
    for i in range(len(order) - 1, -1, -1):
        w = order[i]
        each = (passing[w] + (1.0 if ends[w] else 0.0)) / counts[w]
        for position in range(ways.first[w], ways.first[w] + ways.numbers[w]):
            arc = ways.arcs[position]
            v = tails[arc]
            if not edges_of_subset:
                share = counts[v] * each
            elif ends[w]:
                share = (counts[v] / counts[w]) * (1.0 + passing[w])
            else:
                share = passing[w] / ways.numbers[w]
            edges[edge_of[arc]] += share
            passing[v] += share
        if w != source:
            nodes[w] += passing[w] + 1 if endpoints else passing[w]
