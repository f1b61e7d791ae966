"""A router's questions beside those of other programs, on one graph in one run: pair,
path, row, tree, table, pairs.

``python -m tests.benchmarks.router --graph FILE|road:N|... [--pairs 1000000] [--device
none|cuda]``

A figure is the median of several calls from Python, proofs of a sample included;
RoutingKit's package, SciPy, igraph, networkit and rustworkx answer where they are
installed (extra ``bench``), on graphs built before; a distance of each is held against
ours. Of tables they answer 20 of the 1,000 rows, RoutingKit all.

"first call" is `prepare` and the first distance in a process of its own, from what is
on disk, imports of the router included, with the graph in memory; "first call, whole
process" counts the interpreter's start and NumPy, too. "stress" are answers to 8
threads that ask while another updates and closes for ten seconds, held against SciPy.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import prepare
from solvers.features.router.router import Router
from solvers.graphs.graph import Graph
from solvers.text import format_duration
from tests.benchmarks.graphs import graph_of, machine_line

_FIRST = """
import sys, time, numpy as np
from solvers.graphs.graph import Graph
loading = time.perf_counter()
kept = np.load(sys.argv[1])
graph = Graph(kept["indptr"], kept["indices"], kept["weights"])
began = time.perf_counter()
from solvers import prepare
prepare(graph, device=None).distance(0, graph.n - 1)
print(time.perf_counter() - began, began - loading)
"""
_TABLE, _ROWS = 1000, 20
_SECONDS = 3.0  # for each figure, at most, once it has been called
_GOALS = {  # ms, on New York with two cores
    "distance": 0.04,
    "path": 0.15,
    "distances": 2.5,
    "table": 80,
    "pairs": 12_000,
    "first call": 300,
}
_STRESS_S = 10.0

Figure = tuple[str, float | str]  # the question, and seconds or words


def median(ask: Callable[[int], object]) -> float:
    """Median time of a call in s; calls are numbered from 1, and that of number 0 does
    not count.
    """
    ask(0)
    times: list[float] = []
    while len(times) < 200 and (not times or sum(times) < _SECONDS):
        began = time.perf_counter()
        ask(len(times) + 1)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


class Questions:
    """Pairs of vertices, by index, and our answers."""

    def __init__(self, graph: Graph, router: Router, pairs: int):
        random = np.random.default_rng(0)
        self.graph, self.router = graph, router
        self.pairs = random.integers(graph.n, size=(1001, 2))
        self.many = random.choice(graph.ids, (pairs, 2))
        self.listed: list[list[int]] = self.pairs.tolist()
        self.right = router.lengths(graph.ids[self.pairs])

    def check(self, name: str, found: object) -> None:
        """Hold a program's answer to the first pair against ours."""
        if not np.isclose(float(found), self.right[0]):  # type: ignore[arg-type]
            raise SystemExit(f"{name} finds {found} for {self.right[0]}")


def ours(q: Questions) -> Iterator[Figure]:
    router, ids = q.router, q.graph.ids[q.pairs]
    listed = ids.tolist()
    yield "distance", median(lambda i: router.distance(*listed[i]))
    yield "path", median(lambda i: router.path(*listed[i]))
    yield "distances", median(lambda i: router.distances(listed[i][0]))
    yield "tree", median(lambda i: router.tree(listed[i][0]))
    yield "table", median(lambda i: router.table(ids[:_TABLE, 0], ids[:_TABLE, 1]))
    yield "pairs", median(lambda i: router.lengths(q.many[: None if i else 100]))
    changed = q.graph.weights.copy()

    def change(i: int) -> None:
        changed[i] += 1
        router.update(changed)

    yield "update of one arc", median(change)
    router.update(q.graph.weights)
    first, whole = _first_call(q.graph)
    yield "first call", first
    yield "first call, whole process", whole
    yield "stress", _stress(q)


def _first_call(graph: Graph) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, indptr=graph.indptr, indices=graph.indices, weights=graph.weights)
        found: list[tuple[float, float]] = []
        for _ in range(6):
            began = time.perf_counter()
            run = subprocess.run(
                [sys.executable, "-c", _FIRST, str(path)], capture_output=True, check=True
            )
            first, loading = map(float, run.stdout.split())
            found.append((first, time.perf_counter() - began - loading))
    return statistics.median(first for first, _ in found[1:]), statistics.median(
        whole for _, whole in found[1:]
    )


def _stress(q: Questions) -> str:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    graph, random = q.graph, np.random.default_rng(1)
    sources, targets = random.choice(graph.n, 8), random.choice(graph.n, 50)
    metrics = [
        graph.weights,
        graph.weights * 3,
        np.where(random.random(graph.m) < 0.3, 2 * graph.weights, graph.weights),
    ]
    arcs = random.choice(graph.m, 20)
    ends = np.stack((graph.tails[arcs], graph.indices[arcs]), axis=1)
    closed = graph.weights.astype(np.float64)
    closed[np.isin(graph.tails * graph.n + graph.indices, ends @ (graph.n, 1))] = np.inf
    rows: list[NDArray[Any]] = []
    for weights in (*metrics, closed):
        order = np.lexsort((weights, graph.indices, graph.tails))
        tails, heads, sums = (
            graph.tails[order],
            graph.indices[order],
            weights[order].astype(np.float64),
        )
        lightest = np.r_[True, (np.diff(tails) != 0) | (np.diff(heads) != 0)] & np.isfinite(sums)
        matrix = csr_array(
            (sums[lightest], (tails[lightest], heads[lightest])), shape=(graph.n, graph.n)
        )
        rows.append(dijkstra(matrix, indices=sources)[:, targets])
    asked, wrong, ends_at = [0] * 8, [0] * 8, time.monotonic() + _STRESS_S

    def ask(thread: int) -> None:
        to, source = graph.ids[targets], int(graph.ids[sources[thread]])
        while time.monotonic() < ends_at:
            pairs = np.stack((np.full(len(to), source), to), axis=1)
            answers = (
                q.router.table([source], to)[0],
                q.router.distances(source)[targets],
                q.router.lengths(pairs),
                q.router.paths(pairs).distances,
            )
            asked[thread] += len(answers)
            wrong[thread] += sum(
                not any(np.array_equal(a, row[thread]) for row in rows) for a in answers
            )

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    updates = 0
    while time.monotonic() < ends_at:
        q.router.update(metrics[updates % 3])
        if updates % 3 == 0:
            q.router.close(graph.ids[ends], both_ways=False)
        updates += 1
    for thread in threads:
        thread.join()
    q.router.update(graph.weights)
    return f"{sum(wrong)} wrong of {sum(asked):,}, {updates} updates"


def _routingkit(q: Questions) -> Iterator[Figure]:
    import routingkit_cch

    from solvers.algorithms.hierarchy.preparation import hierarchy_of

    graph, pairs = q.graph, q.listed
    arcs = graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist()
    order = hierarchy_of(graph, "RoutingKit")[0].tree.order.tolist()
    metric = routingkit_cch.CCHMetric(routingkit_cch.CCH(order, arcs[0], arcs[1], False), arcs[2])
    query = routingkit_cch.CCHQuery(metric)
    q.check("RoutingKit", query.run(*pairs[0]).distance)
    to_all = routingkit_cch.CCHOneToMany(metric, list(range(graph.n)))
    to_some = routingkit_cch.CCHOneToMany(metric, [b for _, b in pairs[:_TABLE]])
    yield "distance", median(lambda i: query.run(*pairs[i]).distance)
    yield "path", median(lambda i: query.run(*pairs[i]).node_path)
    yield "distances", median(lambda i: to_all.distances_from(pairs[i][0]))
    yield "table", median(lambda i: [to_some.distances_from(a) for a, _ in pairs[:_TABLE]])


def _scipy(q: Questions) -> Iterator[Figure]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    pairs, few = q.listed, q.pairs[:_ROWS, 0]
    matrix = csr_array((q.graph.weights.astype(float), q.graph.indices, q.graph.indptr))
    q.check("SciPy", dijkstra(matrix, indices=pairs[0][0])[pairs[0][1]])
    yield "distances", median(lambda i: dijkstra(matrix, indices=pairs[i][0]))
    yield "tree", median(lambda i: dijkstra(matrix, indices=pairs[i][0], return_predecessors=True))
    yield f"{_ROWS} rows of the table", median(lambda i: dijkstra(matrix, indices=few))


def _igraph(q: Questions) -> Iterator[Figure]:
    import igraph

    graph, pairs = q.graph, q.listed
    built = igraph.Graph(
        graph.n, list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)), directed=True
    )
    built.es["w"] = graph.weights.tolist()
    few, to = q.pairs[:_ROWS, 0].tolist(), list(dict.fromkeys(q.pairs[:_TABLE, 1].tolist()))
    q.check("igraph", built.distances(*pairs[0], weights="w")[0][0])
    yield "distance", median(lambda i: built.distances(*pairs[i], weights="w"))
    yield "path", median(lambda i: built.get_shortest_path(*pairs[i], weights="w"))
    yield "distances", median(lambda i: built.distances(pairs[i][0], weights="w"))
    yield f"{_ROWS} rows of the table", median(lambda i: built.distances(few, to, weights="w"))


def _networkit(q: Questions) -> Iterator[Figure]:
    import networkit
    from networkit import distance

    graph, pairs = q.graph, q.listed
    # It takes the bytes of the arrays as they are.
    whole = networkit.GraphFromCoo(
        (
            graph.weights.astype(float),
            (graph.tails.astype(np.uint64), graph.indices.astype(np.uint64)),
        ),
        n=graph.n,
        weighted=True,
        directed=True,
    )
    few = q.pairs[:_ROWS, 0].tolist()
    q.check("networkit", distance.BidirectionalDijkstra(whole, *pairs[0]).run().getDistance())
    yield (
        "distance",
        median(lambda i: distance.BidirectionalDijkstra(whole, *pairs[i]).run().getDistance()),
    )
    yield (
        "distances",
        median(lambda i: distance.Dijkstra(whole, pairs[i][0], False).run().getDistances()),
    )
    yield "tree", median(lambda i: distance.Dijkstra(whole, pairs[i][0]).run().getDistances())
    yield (
        f"{_ROWS} rows of the table",
        median(lambda i: distance.SPSP(whole, few).run().getDistances()),
    )


def _rustworkx(q: Questions) -> Iterator[Figure]:
    import rustworkx as rx

    graph, pairs = q.graph, q.listed
    digraph = rx.PyDiGraph()
    digraph.add_nodes_from(range(graph.n))
    digraph.add_edges_from(
        list(zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))
    )
    few = q.pairs[:_ROWS, 0].tolist()
    lengths = rx.digraph_dijkstra_shortest_path_lengths
    q.check("rustworkx", lengths(digraph, pairs[0][0], float, pairs[0][1])[pairs[0][1]])
    yield "distance", median(lambda i: lengths(digraph, pairs[i][0], float, pairs[i][1]))
    yield (
        "path",
        median(
            lambda i: rx.digraph_dijkstra_shortest_paths(digraph, pairs[i][0], pairs[i][1], float)
        ),
    )
    yield "distances", median(lambda i: lengths(digraph, pairs[i][0], float))
    yield f"{_ROWS} rows of the table", median(lambda i: [lengths(digraph, a, float) for a in few])


_PEERS = {
    "RoutingKit": ("routingkit_cch", _routingkit),
    "SciPy": ("scipy", _scipy),
    "igraph": ("igraph", _igraph),
    "networkit": ("networkit", _networkit),
    "rustworkx": ("rustworkx", _rustworkx),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graph", required=True)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--device", default="none")
    chosen = parser.parse_args()
    graph = graph_of(chosen.graph)
    router = prepare(graph, device=None if chosen.device == "none" else chosen.device)
    q = Questions(graph, router, chosen.pairs)
    programs = {"Tautpath": ours} | {
        name: ask for name, (module, ask) in _PEERS.items() if find_spec(module)
    }
    figures: dict[str, dict[str, str]] = {}
    for program, ask in programs.items():
        for question, found in ask(q):
            shown = found if isinstance(found, str) else format_duration(found * 1e3)
            print(program, question, shown, file=sys.stderr, flush=True)
            figures.setdefault(question, {})[program] = shown
    print(
        machine_line(
            graph.name,
            f"{_TABLE} x {_TABLE} in a table, {chosen.pairs:,} pairs",
            router.note,
            str(q.router.proofs),
        )
    )
    print(
        f"| question | goal | {' | '.join(programs)} |",
        "|---" * (2 + len(programs)) + "|",
        sep="\n",
    )
    for question, row in figures.items():
        goal = format_duration(_GOALS[question]) if question in _GOALS else ""
        print(
            f"| {question} | {goal} | {' | '.join(row.get(program, '') for program in programs)} |"
        )


if __name__ == "__main__":
    main()
