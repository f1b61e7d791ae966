"""Communities of a graph with hubs, such as a social network, as values that colour its
vertices. No Qt.

They are found by the method of Blondel, Guillaume, Lambiotte and Lefebvre (2008):
vertices move to the community of a neighbour while that raises the modularity; then
communities become vertices, and so on. Weights are not looked at.
"""

from __future__ import annotations

import numpy as np

from solvers.graphs.graph import Graph
from solvers.picture.layout.adjacency import undirected
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.ramps import COMMUNITY_COLOURS, Ramp
from solvers.picture.scene.scene import HUB
from solvers.picture.scene.values import VertexValues
from solvers.system.array_types import Float64s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit
from solvers.text import plural

_MOST_PASSES = 30  # over all vertices of a level
_LEAST_MOVED = 1e-3  # share of the vertices, below which a level ends

_Arcs = tuple[Int64s, Int64s, Float64s, Float64s]


def community_values(graph: Graph, progress: Progress) -> VertexValues | None:
    """Colours by community, the largest first; None without hubs, and where all
    vertices are alike.
    """
    degrees = np.bincount(graph.indices, minlength=graph.n) + graph.out_degrees
    if not graph.m or float(degrees.max()) < HUB * float(degrees[degrees > 0].mean()):
        return None
    labels = communities(graph, progress)
    sizes = np.bincount(labels)
    count = int((sizes > 1).sum())
    if count < 2:
        return None
    shade = ((labels % COMMUNITY_COLOURS + 0.5) * 256 / COMMUNITY_COLOURS).astype(np.uint8)
    legend = Legend(
        f"{plural(count, 'community', 'communities')}",
        0.0,
        float(count),
        "",
        ramp=Ramp.COMMUNITIES,
        ends=("largest", "smallest"),
    )

    def words(vertex: int) -> str:
        label = int(labels[vertex])
        return f"{label + 1} of {count}, {plural(int(sizes[label]), 'vertex', 'vertices')}"

    return VertexValues(shade, np.zeros(graph.n, np.int32), legend, words)


def communities(graph: Graph, progress: Progress) -> Int64s:
    """(n,) community of each vertex, numbered by falling size."""
    neighbours = undirected(graph.n, graph.indptr, graph.indices)
    indptr, indices = neighbours.indptr, neighbours.indices.astype(np.int64)
    weights, own = np.ones(len(indices)), np.zeros(graph.n)
    labels = np.arange(graph.n)
    while True:
        progress.checkpoint()
        found = _moved(indptr, indices, weights, own, _MOST_PASSES, _LEAST_MOVED)
        kept, joined = np.unique(found, return_inverse=True)
        labels = joined[labels]
        if len(kept) == len(found):
            break
        indptr, indices, weights, own = _merged(indptr, indices, weights, own, joined, len(kept))
    order = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[labels]


def _merged(
    indptr: Int64s,
    indices: Int64s,
    weights: Float64s,
    own: Float64s,
    joined: Int64s,
    count: int,
) -> _Arcs:
    """The graph of communities: rows, neighbours, weights, and weights within each."""
    tails, heads = joined[np.repeat(np.arange(len(own)), np.diff(indptr))], joined[indices]
    inside = tails == heads
    within = np.bincount(joined, own, count) + np.bincount(tails[inside], weights[inside], count)
    pairs, which = np.unique(tails[~inside] * count + heads[~inside], return_inverse=True)
    starts = np.searchsorted(pairs // count, np.arange(count + 1)).astype(np.int64)
    return (
        starts,
        pairs % count,
        np.bincount(which, weights[~inside], len(pairs)).astype(float),
        within.astype(float),
    )


@njit
def _moved(
    indptr: Int64s,
    indices: Int64s,
    weights: Float64s,
    own: Float64s,
    most_passes: int,
    least_moved: float,
) -> Int64s:
    """(n,) community of each vertex when moves have ended: each begins alone.

    ``own`` are the weights of arcs within a vertex, both directions counted.
    """
    n = own.shape[0]
    labels = np.arange(n)
    degrees = own.copy()
    for v in range(n):
        for i in range(indptr[v], indptr[v + 1]):
            degrees[v] += weights[i]
    whole = max(degrees.sum(), 1.0)
    totals = degrees.copy()
    links = np.zeros(n)
    for _ in range(most_passes):
        moves = 0
        for v in range(n):
            home = labels[v]
            for i in range(indptr[v], indptr[v + 1]):
                links[labels[indices[i]]] += weights[i]
            totals[home] -= degrees[v]
            best, most = home, links[home] - totals[home] * degrees[v] / whole
            for i in range(indptr[v], indptr[v + 1]):
                label = labels[indices[i]]
                gain = links[label] - totals[label] * degrees[v] / whole
                if gain > most + 1e-12:
                    best, most = label, gain
            totals[best] += degrees[v]
            for i in range(indptr[v], indptr[v + 1]):
                links[labels[indices[i]]] = 0.0
            if best != home:
                labels[v] = best
                moves += 1
        if moves <= least_moved * n:
            break
    return labels
