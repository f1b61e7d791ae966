"""Other people's programs for the same questions, each behind one function.

They come with the extra ``bench`` and are imported here only, when asked for: igraph is
under the GPL, and no part of the program may need it. Building their graph is not
timed, as copying to a device is not part of our "solve" either; nor is turning their
answer into our arrays, which is our doing. What a caller waits for between the two is.

Each is asked the fastest way that its interface has. Where all weights are 1 that is
breadth-first search, for those that offer it; the table says so.
"""

from __future__ import annotations

import importlib.util
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from tests.benchmarks.gap import PROGRAM, best_search

Rows = NDArray[np.float64]
"""(k, n) distances from k vertices, inf where unreachable."""


@dataclass(frozen=True)
class Task:
    """A question put to a peer, its graph built.

    Attributes
    ----------
    solve : callable
        Does the work once; the answer in the peer's own form.
    rows : callable
        From that answer and the sources wanted to `Rows`. For one source: that one's
        row, whatever is wanted; none from a program that tells no distances and has
        proved them itself.
    how : str
        What was called, where the peer had a choice.
    ms : callable or None
        From the answer to the time that the program itself took, where ours would count
        more than the work.
    """

    solve: Callable[[], Any]
    rows: Callable[[Any, NDArray[Any]], Rows]
    how: str = ""
    ms: Callable[[Any], float] | None = None


@dataclass(frozen=True)
class Peer:
    """A program to compare with."""

    name: str
    module: str
    # from graph and source (None: all pairs) to the task
    prepare: Callable[[Graph, int | None], Task]
    # beyond which building its graph takes longer, or more memory, than a comparison is
    # worth
    most_arcs: int
    why: str  # what the arcs cost it
    integers: bool = False  # it takes integer weights only
    program: str = ""  # the environment's variable that names it, of one that is no module

    @property
    def is_here(self) -> bool:
        if self.program:
            return bool(os.environ.get(self.program))
        return importlib.util.find_spec(self.module) is not None

    def too_big(self, graph: Graph, most_arcs: int | None = None) -> str:
        """Why it is not given the graph; "" where it is."""
        limit = self.most_arcs if most_arcs is None else most_arcs
        if graph.m <= limit:
            return ""
        return f"{graph.m:,} arcs are more than the {limit:,} it is given here ({self.why})"


def _scipy(graph: Graph, source: int | None) -> Task:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    # SciPy adds parallel arcs up where they are not merged first, and takes an explicit
    # zero for an arc.
    tails, heads, weights = _least_parallel(graph)
    matrix = csr_array((weights, (tails, heads)), shape=(graph.n, graph.n))
    return Task(
        lambda: dijkstra(matrix, indices=source),
        lambda answer, wanted: answer[None] if source is not None else answer[wanted],
    )


def _networkit(graph: Graph, source: int | None) -> Task:
    import networkit

    logging.getLogger("networkit").setLevel(logging.ERROR)
    tails, heads, weights = _least_parallel(graph)
    # it takes the arrays' bytes as they are
    ends = tails.astype(np.uint64), heads.astype(np.uint64)
    by_steps = _all_are_one(graph)
    arcs = ends if by_steps else (weights, ends)
    built = networkit.GraphFromCoo(arcs, n=graph.n, weighted=not by_steps, directed=True)

    def solve() -> Any:
        if source is None:
            return networkit.distance.APSP(built).run().getDistances(asarray=True)
        search = networkit.distance.BFS if by_steps else networkit.distance.Dijkstra
        return search(built, source, storePaths=False).run().getDistances(asarray=True)

    def rows(answer: Any, wanted: NDArray[Any]) -> Rows:
        found = np.atleast_2d(np.asarray(answer))
        return _infinite(found if source is not None else found[wanted])

    return Task(solve, rows, _BY_STEPS if by_steps else "")


def _igraph(graph: Graph, source: int | None) -> Task:
    import igraph

    built = igraph.Graph(
        n=graph.n, edges=np.column_stack((graph.tails, graph.indices)), directed=True
    )
    by_steps = _all_are_one(graph)
    weights = None if by_steps else graph.weights.tolist()  # a list is what it reads fastest

    def solve() -> Any:
        return built.distances(source=source, weights=weights, algorithm="dijkstra")

    def rows(answer: Any, wanted: NDArray[Any]) -> Rows:
        return np.array(
            answer if source is not None else [answer[row] for row in wanted], dtype=np.float64
        )

    return Task(solve, rows, _BY_STEPS if by_steps else "")


def _rustworkx(graph: Graph, source: int | None) -> Task:
    import rustworkx

    built = rustworkx.PyDiGraph(multigraph=True, node_count_hint=graph.n, edge_count_hint=graph.m)
    built.add_nodes_from(range(graph.n))
    weights = graph.weights.astype(np.float64).tolist()
    arcs = list(zip(graph.tails.tolist(), graph.indices.tolist(), weights, strict=True))
    built.extend_from_weighted_edge_list(arcs)

    def row(start: int, lengths: Any) -> NDArray[np.float64]:
        distances = np.full(graph.n, np.inf)
        vertices = np.fromiter(lengths.keys(), np.int64, len(lengths))
        distances[vertices] = np.fromiter(lengths.values(), np.float64, len(lengths))
        distances[start] = 0.0
        return distances

    if source is not None:
        return Task(
            lambda: rustworkx.digraph_dijkstra_shortest_path_lengths(built, source, float, None),
            lambda answer, wanted: row(source, answer)[None],
        )
    if _all_are_one(graph):
        return Task(
            lambda: rustworkx.digraph_distance_matrix(built, null_value=np.inf),
            lambda answer, wanted: np.asarray(answer)[wanted],
            _BY_STEPS,
        )
    return Task(
        lambda: rustworkx.digraph_all_pairs_dijkstra_path_lengths(built, float),
        lambda answer, wanted: np.array([row(int(start), answer[int(start)]) for start in wanted]),
    )


def _routingkit(graph: Graph, source: int | None) -> Task:
    import routingkit_cch

    from solvers.algorithms.hierarchy.preparation import hierarchy_of

    tails, heads, weights = _least_parallel(graph)
    order = hierarchy_of(graph, "RoutingKit")[0].tree.order.tolist()
    built = routingkit_cch.CCH(order, tails.tolist(), heads.tolist(), False)
    metric = routingkit_cch.CCHMetric(built, weights.astype(np.int64).tolist())
    to_all = routingkit_cch.CCHOneToMany(metric, list(range(graph.n)))

    def solve() -> Any:
        return [
            to_all.distances_from(start)
            for start in (range(graph.n) if source is None else (source,))
        ]

    def rows(answer: Any, wanted: NDArray[Any]) -> Rows:
        picked = answer if source is not None else [answer[row] for row in wanted]
        return np.array(
            [[np.inf if d is None else d for d in row] for row in picked], dtype=np.float64
        )

    return Task(solve, rows, "one to many, customised, with our order; the answer is a list")


def _gap(graph: Graph, source: int | None) -> Task:
    if source is None:
        raise ValueError("it solves from one source only")
    search = best_search(graph, source)
    return Task(
        search.solve,
        lambda answer, wanted: np.empty((0, graph.n)),
        f"delta {search.delta}, its best of four; the time and the proof are its own",
        ms=lambda answer: float(answer),
    )


_BY_STEPS = "breadth-first search, since all weights are 1"

PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "scipy",
            "scipy",
            _scipy,
            200_000_000,
            "arrays of 12 bytes an arc, and as much again while it is built",
        ),
        Peer(
            "networkit",
            "networkit",
            _networkit,
            200_000_000,
            "16 bytes an arc, and 40 while its graph is built",
        ),
        Peer(
            "igraph",
            "igraph",
            _igraph,
            20_000_000,
            "half a minute to build 17 million, and a list of weights that every call copies",
        ),
        Peer(
            "routingkit",
            "routingkit_cch",
            _routingkit,
            20_000_000,
            "lists of Python numbers, and the order of the network",
            integers=True,
        ),
        Peer(
            "gap",
            "",
            _gap,
            200_000_000,
            "a file of 8 bytes an arc that every call reads",
            integers=True,
            program=PROGRAM,
        ),
        Peer(
            "rustworkx",
            "rustworkx",
            _rustworkx,
            20_000_000,
            "a Python tuple an arc while its graph is built",
        ),
    )
}


def _all_are_one(graph: Graph) -> bool:
    return bool((graph.weights == 1).all())


def _least_parallel(
    graph: Graph,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Arcs as lists, without loops and of parallel arcs only the least."""
    tails, heads, weights = graph.tails, graph.indices, graph.weights.astype(np.float64)
    parallel = np.any((tails[1:] == tails[:-1]) & (heads[1:] == heads[:-1]))
    if parallel:  # heads ascend within a row already, so that only the weights are left to sort
        order = np.lexsort((weights, heads, tails))
        tails, heads, weights = tails[order], heads[order], weights[order]
    kept = tails != heads
    kept[1:] &= (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    return tails[kept], heads[kept], weights[kept]


def _infinite(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """networkit says "the greatest double" for what cannot be reached."""
    return np.where(distances >= np.finfo(np.float64).max, np.inf, distances)
