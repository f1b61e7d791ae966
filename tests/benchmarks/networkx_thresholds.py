"""From how many nodes on the backend tautpath is faster: ``python -m
tests.benchmarks.networkx_thresholds``

Processor time of NetworkX's own function over that of the first call of the backend,
which converts the graph, on road networks and on random graphs of three edges a node.
The least sizes in `solvers/features/networkx_backend/interface.py` follow from it.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx

from solvers import generate, to_networkx
from solvers.system.machine import cores, cpu_name
from tests.benchmarks.networkx_backend import Call
from tests.solvers.features.networkx_backend.entry_points import registered

SIZES = (20, 30, 50, 100, 200, 500, 1000, 2000)
TRIALS = 5
_LEAST_S = 0.02  # that one trial lasts, of as many calls as that takes
_LONGEST_S = 0.1  # of one call of NetworkX, after which larger graphs are left out
_EDGES = 3  # a node, of the random graphs


def road(nodes: int) -> Any:
    return to_networkx(generate("road", vertices=nodes, seed=1), multigraph=False)


def scattered(nodes: int) -> Any:
    """A connected random graph with integer weights."""
    graph = nx.gnm_random_graph(nodes, (_EDGES - 1) * nodes, seed=1)
    nx.add_path(graph, range(nodes))
    chance = random.Random(1)
    for _, _, data in graph.edges(data=True):
        data["weight"] = chance.randrange(1, 1000)
    return graph


FAMILIES: dict[str, Callable[[int], Any]] = {"road": road, "random": scattered}


def calls(graph: Any) -> Iterator[Call]:
    """One function of each kind: from one node, and from all."""
    start = next(iter(graph))
    yield Call("single_source_shortest_path_length", graph, {"source": start})
    yield Call("single_source_dijkstra_path_length", graph, {"source": start})
    yield Call("single_source_bellman_ford_path_length", graph, {"source": start})
    yield Call("all_pairs_shortest_path_length", graph, {})
    yield Call("all_pairs_dijkstra_path_length", graph, {})
    yield Call("closeness_centrality", graph, {"distance": "weight"})
    yield Call("diameter", graph, {"weight": "weight"})


def seconds(work: Callable[[], object], trials: int) -> float:
    """Processor time of one call: the least of the trials, each of as many calls as last 20 ms."""
    number, spent = 1, 0.0
    while (spent := _time_of(work, number)) < _LEAST_S:
        number *= 2
    return min([spent, *(_time_of(work, number) for _ in range(trials - 1))]) / number


def _time_of(work: Callable[[], object], number: int) -> float:
    began = time.process_time()
    for _ in range(number):
        work()
    return time.process_time() - began


def ratio(call: Call, trials: int) -> tuple[float, float]:
    """Seconds of NetworkX, and how many times the first call of the backend is faster."""
    cache = call.graph.__networkx_cache__

    def first() -> None:
        cache.clear()
        call.run(backend="tautpath")

    first()  # compiles
    alone = seconds(lambda: call.run(backend="networkx"), trials)
    return alone, alone / seconds(first, trials)


def rows(family: str, sizes: tuple[int, ...], trials: int) -> Iterator[str]:
    """A row of the table for each function: the ratio at each size, "–" where it would
    take too long.
    """
    graphs = [FAMILIES[family](size) for size in sizes]
    names = [call.name for call in calls(graphs[0])]
    for name in names:
        cells, last = [], 0.0
        for graph in graphs:
            if last > _LONGEST_S:
                cells.append("–")
                continue
            last, times = ratio(next(call for call in calls(graph) if call.name == name), trials)
            cells.append(f"{times:.2g}×")
        yield f"| `{name}`, {family} | {' | '.join(cells)} |"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="Note: conversions to backend graphs")
    load = f", load {os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else ""
    print(f"{cpu_name()}, {cores()} cores{load}")
    print(f"| function | {' | '.join(map(str, given.sizes))} |\n|---|{'---|' * len(given.sizes)}")
    with registered():
        for family in FAMILIES:
            for row in rows(family, tuple(given.sizes), given.trials):
                print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
