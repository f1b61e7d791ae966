"""Calls of the library that many programs begin with, so that what they need is compiled."""

from __future__ import annotations

import tempfile
from pathlib import Path

import networkx as nx
import numpy as np

import solvers

EDGES = [(1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 4, 1)]


def main() -> None:
    network = solvers.generate("road", vertices=3000, seed=1)
    whole = solvers.read(EDGES)
    real = solvers.read([(u, v, weight / 2) for u, v, weight in EDGES])
    names = solvers.read([("a", "b", 2), ("b", "c", 3)])
    for graph in (network, whole, real, names):
        first, last = graph.ids[0], graph.ids[-1]
        if graph is names:
            first, last = "a", "c"
        print(solvers.solve(graph, source=first))
        print(solvers.solve(graph, source=first, target=last))
        router = solvers.prepare(graph)
        print(router.distance(first, last), router.path(first, last))
        router.table([first, last])
        print(len(router.alternatives(first, last, 2)))
        print(solvers.all_sources(graph))
    print(solvers.solve(whole))
    solvers.all_sources(network, reduce="betweenness")
    tails, heads = np.array([0, 1, 2]), np.array([1, 2, 0])
    drawn = nx.DiGraph(zip(tails.tolist(), heads.tolist(), strict=True))
    print(solvers.solve(drawn, source=0))
    print(nx.dijkstra_path(drawn, 0, 2, backend="tautpath"))
    print(nx.betweenness_centrality(drawn, backend="tautpath"))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "roads.csv"
        table.write_text("source,target,length\n1,2,3\n2,3,4\n")
        print(solvers.solve(solvers.read(table), source=1, target=3))


if __name__ == "__main__":
    main()
