"""A router's questions beside those of other programs, on one graph in one run: pair, path, row, table, many pairs.

``python -m tests.benchmarks.router --graph FILE|road:N|... [--pairs 1000000] [--device none|cuda]``

A figure is the median of several calls from Python, proofs of a sample included; SciPy, igraph, networkit, rustworkx
and RoutingKit's package answer in turn where they are installed (extra ``bench``). The row "first call" is `prepare`
and the first distance in a process of its own, from the order on disk, with the graph read before.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from solvers import prepare
from solvers.graphs.graph import Graph
from solvers.text import format_duration
from tests.benchmarks.graphs import graph_of

_FIRST = """
import sys, time, numpy as np
from solvers.graphs.graph import Graph
kept = np.load(sys.argv[1])
graph = Graph(kept["indptr"], kept["indices"], kept["weights"])
import solvers.library.router
began = time.perf_counter()
solvers.library.router.prepare(graph, device=None).distance(0, graph.n - 1)
print(time.perf_counter() - began)
"""
_TABLE = 1000
_SECONDS = 3.0  # for each figure, at most, once it has been called


def median(ask: Callable[[int], object]) -> float:
    """Median time of a call in s; calls are numbered from 1, and that of number 0 does not count."""
    ask(0)
    times: list[float] = []
    while len(times) < 200 and (not times or sum(times) < _SECONDS):
        began = time.perf_counter()
        ask(len(times) + 1)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def ours(graph: Graph, pairs: int, device: str | None) -> Iterator[tuple[str, float]]:
    router, random = prepare(graph, device=device), np.random.default_rng(0)
    some, many = random.choice(graph.ids, (1001, 2)), random.choice(graph.ids, (pairs, 2))
    listed = some.tolist()
    yield "distance", median(lambda i: router.distance(*listed[i]))
    yield "path", median(lambda i: router.path(*listed[i]))
    yield "distances", median(lambda i: router.distances(listed[i][0]))
    yield "tree", median(lambda i: router.tree(listed[i][0]))
    yield f"table {_TABLE} x {_TABLE}", median(lambda i: router.table(some[:_TABLE, 0], some[:_TABLE, 1]))
    yield f"{pairs} pairs", median(lambda i: router.lengths(many[: None if i else 100]))
    changed = graph.weights.copy()

    def change(i: int) -> None:
        changed[i] += 1
        router.update(changed)

    yield "update of one arc", median(change)
    yield "first call", _first_call(graph)


def _first_call(graph: Graph) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, indptr=graph.indptr, indices=graph.indices, weights=graph.weights)
        command = [sys.executable, "-c", _FIRST, str(path)]
        found = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(4)]
    return statistics.median(found[1:])


def theirs(graph: Graph) -> Iterator[tuple[str, str, float]]:
    """Other programs' name, question and time. Their graph is built before."""
    random = np.random.default_rng(0)
    pairs = random.integers(graph.n, size=(1001, 2)).tolist()
    some = random.integers(graph.n, size=20).tolist()
    arcs: Any = (graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist())
    if find_spec("scipy"):
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        matrix = csr_array((graph.weights.astype(float), graph.indices, graph.indptr))
        yield "SciPy", "distances", median(lambda i: dijkstra(matrix, indices=pairs[i][0]))
        yield "SciPy", "tree", median(lambda i: dijkstra(matrix, indices=pairs[i][0], return_predecessors=True))
        yield "SciPy", f"20 of {_TABLE} rows of the table", median(lambda i: dijkstra(matrix, indices=some))
    if find_spec("igraph"):
        import igraph

        built = igraph.Graph(graph.n, list(zip(arcs[0], arcs[1], strict=True)), directed=True)
        yield "igraph", "distance", median(lambda i: built.distances(*pairs[i], weights=arcs[2]))
        yield "igraph", "path", median(lambda i: built.get_shortest_path(*pairs[i], weights=arcs[2]))
        yield "igraph", "distances", median(lambda i: built.distances(pairs[i][0], weights=arcs[2]))
    if find_spec("networkit"):
        import networkit
        from networkit import distance

        whole = networkit.GraphFromCoo((graph.weights.astype(float), (graph.tails, graph.indices)), graph.n, True, True)
        yield (
            "networkit",
            "distance",
            median(lambda i: distance.BidirectionalDijkstra(whole, *pairs[i]).run()),
        )
        yield (
            "networkit",
            "distances",
            median(lambda i: distance.Dijkstra(whole, pairs[i][0], False).run().getDistances()),
        )
    if find_spec("rustworkx"):
        import rustworkx

        digraph = rustworkx.PyDiGraph()
        digraph.add_nodes_from(range(graph.n))
        digraph.add_edges_from(list(zip(*arcs, strict=True)))
        yield (
            "rustworkx",
            "distances",
            median(lambda i: rustworkx.digraph_dijkstra_shortest_path_lengths(digraph, pairs[i][0], float)),
        )
    if find_spec("routingkit_cch"):
        import routingkit_cch

        from solvers.algorithms.hierarchy.preparation import hierarchy_of

        order = hierarchy_of(graph, "RoutingKit")[0].tree.order.tolist()
        metric = routingkit_cch.CCHMetric(routingkit_cch.CCH(order, arcs[0], arcs[1], False), arcs[2])
        query = routingkit_cch.CCHQuery(metric)
        to_all = routingkit_cch.CCHOneToMany(metric, list(range(graph.n)))
        to_some = routingkit_cch.CCHOneToMany(metric, [b for _, b in pairs[:_TABLE]])
        yield "RoutingKit", "distance", median(lambda i: query.run(*pairs[i]).distance)
        yield "RoutingKit", "path", median(lambda i: query.run(*pairs[i]).node_path)
        yield "RoutingKit", "distances", median(lambda i: to_all.distances_from(pairs[i][0]))
        yield (
            "RoutingKit",
            f"table {_TABLE} x {_TABLE}",
            median(lambda i: [to_some.distances_from(a) for a, _ in pairs[:_TABLE]]),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--device", default="none")
    chosen = parser.parse_args()
    graph = graph_of(chosen.graph)
    device = None if chosen.device == "none" else chosen.device
    for question, seconds in ours(graph, chosen.pairs, device):
        print(f"| Tautline | {question} | {format_duration(seconds * 1e3)} |", flush=True)
    for name, question, seconds in theirs(graph):
        print(f"| {name} | {question} | {format_duration(seconds * 1e3)} |", flush=True)


if __name__ == "__main__":
    main()
