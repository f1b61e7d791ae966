"""Other people's programs for the same questions, each behind one function.

They come with the extra ``bench`` and are imported here only, when asked for: igraph is under the GPL, and no part of
the program may need it. Building their graph is not timed, as copying to a device is not part of our "solve" either;
what a caller waits for after that is.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graph import Graph

Solve = Callable[[], NDArray[np.float64]]
"""Does the work once; distances as float64 with inf where unreachable, (n,) or (n, n)."""


@dataclass(frozen=True)
class Peer:
    """A program to compare with.

    Attributes
    ----------
    name, module : str
    prepare : callable
        From graph and source (None: all pairs) to what does the work.
    """

    name: str
    module: str
    prepare: Callable[[Graph, int | None], Solve]

    @property
    def is_here(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def _scipy(graph: Graph, source: int | None) -> Solve:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    # SciPy adds parallel arcs up where they are not merged first, and takes an explicit zero for an arc.
    tails, heads, weights = _least_parallel(graph)
    matrix = csr_array((weights, (tails, heads)), shape=(graph.n, graph.n))
    return lambda: dijkstra(matrix, indices=source)


def _networkit(graph: Graph, source: int | None) -> Solve:
    import networkit

    logging.getLogger("networkit").setLevel(logging.ERROR)
    tails, heads, weights = _least_parallel(graph)
    ends = tails.astype(np.uint64), heads.astype(np.uint64)  # it takes the arrays' bytes as they are
    built = networkit.GraphFromCoo((weights, ends), n=graph.n, weighted=True, directed=True)

    def solve() -> NDArray[np.float64]:
        if source is None:
            search = networkit.distance.APSP(built).run()
            return _infinite(np.array(search.getDistances()))
        return _infinite(np.array(networkit.distance.Dijkstra(built, source, storePaths=False).run().getDistances()))

    return solve


def _igraph(graph: Graph, source: int | None) -> Solve:
    import igraph

    built = igraph.Graph(n=graph.n, edges=np.column_stack((graph.tails, graph.indices)), directed=True)
    weights = graph.weights.astype(np.float64).tolist()

    def solve() -> NDArray[np.float64]:
        rows = np.array(built.distances(source=source, weights=weights, algorithm="dijkstra"), dtype=np.float64)
        return rows if source is None else rows[0]

    return solve


def _rustworkx(graph: Graph, source: int | None) -> Solve:
    import rustworkx

    built = rustworkx.PyDiGraph(multigraph=True)
    built.add_nodes_from(range(graph.n))
    arcs = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.astype(np.float64).tolist(), strict=True)
    built.add_edges_from(list(arcs))

    def row(start: int, lengths: object) -> NDArray[np.float64]:
        distances = np.full(graph.n, np.inf)
        found = dict(lengths)  # type: ignore[call-overload]
        distances[list(found)] = list(found.values())
        distances[start] = 0.0
        return distances

    def solve() -> NDArray[np.float64]:
        if source is None:
            found = rustworkx.all_pairs_dijkstra_path_lengths(built, float)
            return np.array([row(start, found[start]) for start in range(graph.n)])
        return row(source, rustworkx.dijkstra_shortest_path_lengths(built, source, float))

    return solve


PEERS = {
    peer.name: peer
    for peer in (
        Peer("scipy", "scipy", _scipy),
        Peer("networkit", "networkit", _networkit),
        Peer("igraph", "igraph", _igraph),
        Peer("rustworkx", "rustworkx", _rustworkx),
    )
}


def _least_parallel(graph: Graph) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Arcs as lists, without loops and of parallel arcs only the least."""
    order = np.lexsort((graph.weights, graph.indices, graph.tails))
    tails, heads = graph.tails[order], graph.indices[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    kept = first & (tails != heads)
    return tails[kept], heads[kept], graph.weights[order][kept].astype(np.float64)


def _infinite(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """networkit says "the greatest double" for what cannot be reached."""
    return np.where(distances >= np.finfo(np.float64).max, np.inf, distances)
