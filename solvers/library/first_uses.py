"""Calls of the library that many programs begin with, so that what they need is compiled.

``tautpath compile`` makes them. Whole weights are what files of road networks have;
NetworkX, OSMnx, pandas and SciPy give float64. Functions are compiled for each type, and
betweenness of weights with more digits than 64 bits hold is counted in another way than
that of short decimals.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from solvers.graphs.graph import Graph
from solvers.library.graphs import generate, read
from solvers.library.solving import solve
from solvers.running.compile_ahead import Report
from solvers.system.feature import offered

EDGES = [(1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 4, 1), (4, 1, 2)]
SIDE = 30  # junctions of the streets' grid: small networks are searched in another way
FIRST = 10_000_000  # the ids of OpenStreetMap are long


def rehearse(report: Report) -> None:
    """Make the calls; ``report`` is told of each kind of graph."""
    halves = [(u, v, weight / 2) for u, v, weight in EDGES]
    drawn = streets()
    graphs: dict[str, Callable[[], Graph]] = {
        "whole weights": lambda: read(EDGES),
        "short decimals": lambda: read(halves),
        "short decimals, both ways": lambda: read(halves, undirected=True),
        "named vertices": lambda: read([("a", "b", 2), ("b", "c", 3)]),
        "a road network": lambda: generate("road", vertices=3000, seed=1),
        "streets as OSMnx has them": lambda: read(drawn),
        "a matrix": lambda: read(nx.to_scipy_sparse_array(drawn, weight="length")),
    }
    total = len(graphs) + 2
    for done, (name, made) in enumerate(graphs.items()):
        report(done, total, f"the library: {name}")
        graph = made()
        ends = graph.vertex_id(0), graph.vertex_id(graph.n - 1)
        first_answers(graph, *ends)
        for rehearse_feature in offered(lambda one: one.first_calls, "rehearse"):
            rehearse_feature(graph)
        graph.plot()._repr_mimebundle_()
    report(total - 2, total, "the library: files")
    files()
    report(total - 1, total, "the library: NetworkX")
    if "tautpath" in nx.config.backends:  # of an installation
        backend()


def streets() -> Any:
    """As OSMnx has them: a multigraph with places, and lengths with many digits."""
    drawn, found = random.Random(1), nx.MultiDiGraph(crs="epsg:4326")
    for v in range(SIDE * SIDE):
        found.add_node(FIRST + v, x=9.5 + v % SIDE * 0.001, y=47.1 + v // SIDE * 0.001)
    for v in range(SIDE * SIDE):
        for head in (v + 1 if (v + 1) % SIDE else v, v + SIDE):
            if v < head < SIDE * SIDE:
                length = 60 + 40 * drawn.random()
                found.add_edge(FIRST + v, FIRST + head, length=length)
                found.add_edge(FIRST + head, FIRST + v, length=length)
    return found


def first_answers(graph: Graph, first: Hashable, last: Hashable) -> None:
    one = solve(graph, source=first)
    one.path_to(last)
    one._repr_mimebundle_()
    solve(graph, source=first, target=last)
    solve(graph, "dijkstra-heap", source=first, target=last)
    solve(graph)
    solve(graph, sources=[first, last])


def backend() -> None:
    """NetworkX's functions, on weights that are whole numbers, floats, and none."""
    whole = nx.DiGraph((u, v, {"length": length}) for u, v, length in EDGES)
    for drawn in (whole, nx.Graph(streets()), nx.DiGraph(streets())):
        first, last = next(iter(drawn)), list(drawn)[-1]
        for weight in ("length", None):
            by = {"weight": weight, "backend": "tautpath"}
            nx.shortest_path(drawn, first, last, **by)
            nx.shortest_path_length(drawn, first, **by)
            nx.betweenness_centrality(drawn, **by)
            nx.edge_betweenness_centrality(drawn, **by)
            nx.closeness_centrality(drawn, distance=weight, backend="tautpath")
            nx.average_shortest_path_length(drawn, **by)
            nx.eccentricity(drawn, **by)
        alone = {"weight": "length", "backend": "tautpath"}
        calls: tuple[Callable[..., Any], ...] = (
            nx.dijkstra_path,
            nx.bidirectional_dijkstra,
            nx.bellman_ford_path,
            nx.astar_path,
        )
        for call in calls:
            call(drawn, first, last, **alone)
        dict(nx.all_pairs_dijkstra_path_length(drawn, **alone))
        nx.single_source_dijkstra(drawn, first, **alone)
        nx.floyd_warshall_numpy(drawn, **alone)


def files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "roads.csv"
        for lengths in ("1,2,3\n2,3,4\n", "1,2,3.25\n2,3,4.5\n"):
            table.write_text(f"source,target,length\n{lengths}")
            solve(read(table), source=1, target=3)
    solve(([0, 2, 3, 3], [1, 2, 2], np.array([4.5, 9.25, 3.0])), source=0)
