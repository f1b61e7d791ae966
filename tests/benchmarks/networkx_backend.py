"""NetworkX with and without the backend tautpath: ``python -m
tests.benchmarks.networkx_backend [--quick]``.

Measured, not asserted. Each call goes through NetworkX's dispatch. "converted" is a
call on a graph whose conversion NetworkX keeps, "first call" one that converts it, "by
priority" a first call with ``backend_priority`` set, where the backend may leave the
call to NetworkX. The least of the trials counts, for other programs only add to it;
compilation is not included. Results are freed before the next trial begins.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx

from solvers import generate, read, to_networkx
from solvers.text import format_duration
from tests.data import data_file
from tests.solvers.features.networkx_backend.entry_points import registered

QUICK_VERTICES = 5_000
TRIALS = 5
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


@dataclass(frozen=True)
class Call:
    """One line of the table: a function, and its arguments but the graph."""

    name: str
    graph: Any
    arguments: dict[str, Any]
    words: str = ""

    def run(self, **backend: str) -> object:
        result = getattr(nx, self.name)(self.graph, **self.arguments, **backend)
        return list(result) if isinstance(result, Iterator) else result


def calls(quick: bool) -> Iterator[Call]:
    """What is measured: roads from one node and between two, and a smaller network from
    all nodes.
    """
    if quick:
        roads = to_networkx(generate("road", vertices=QUICK_VERTICES, seed=1), multigraph=False)
    else:
        roads = to_networkx(read(data_file("dimacs/USA-road-d.NY.gr.gz")), multigraph=False)
    nodes = list(roads)
    start, end = nodes[0], nodes[-1]
    for _, _, data in roads.edges(data=True):
        data["real"] = data["weight"] * 1.1
    yield Call("single_source_dijkstra_path_length", roads, {"source": start})
    yield Call(
        "single_source_dijkstra_path_length",
        roads,
        {"source": start, "weight": "real"},
        "real lengths",
    )
    yield Call("single_source_shortest_path_length", roads, {"source": start})
    yield Call("dijkstra_predecessor_and_distance", roads, {"source": start})
    yield Call("single_source_bellman_ford_path_length", roads, {"source": start})
    yield Call(
        "voronoi_cells", roads, {"center_nodes": set(nodes[:: len(nodes) // 100])}, "100 centres"
    )
    yield Call("dijkstra_path", roads, {"source": start, "target": end})
    yield Call("shortest_path", roads, {"source": start, "target": end, "weight": "weight"})
    yield Call("bidirectional_dijkstra", roads, {"source": start, "target": end})
    yield Call(
        "astar_path",
        roads,
        {"source": start, "target": end, "heuristic": _none},
        "a heuristic of 0",
    )
    town = to_networkx(generate("road", vertices=QUICK_VERTICES // 5, seed=2), multigraph=False)
    yield Call("closeness_centrality", town, {"distance": "weight"}, "1,000 nodes")
    yield Call("all_pairs_dijkstra_path_length", town, {}, "1,000 nodes")
    yield Call("diameter", town, {"weight": "weight"}, "1,000 nodes")


def _none(node: object, target: object) -> int:
    return 0


def least(
    work: Callable[[], object],
    trials: int,
    clock: Callable[[], float],
    before: Callable[[], object] = lambda: None,
) -> float:
    """Seconds of the fastest trial."""
    seconds = []
    for _ in range(trials):
        before()
        gc.collect()
        began = clock()
        result = work()
        seconds.append(clock() - began)
        del result
    return min(seconds)


def measure(
    call: Call, trials: int, clock: Callable[[], float]
) -> tuple[float, float, float, float]:
    """Seconds of NetworkX, of the backend with the graph converted, with the
    conversion, and by priority.
    """
    call.run(backend="tautpath")
    converted = least(lambda: call.run(backend="tautpath"), trials, clock)
    first = least(
        lambda: call.run(backend="tautpath"), trials, clock, call.graph.__networkx_cache__.clear
    )
    with nx.config(backend_priority=["tautpath"]):
        chosen = least(call.run, trials, clock, call.graph.__networkx_cache__.clear)
    return (
        least(lambda: call.run(backend="networkx"), max(1, trials // 2), clock),
        converted,
        first,
        chosen,
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help=f"generated roads of {QUICK_VERTICES:,} nodes"
    )
    parser.add_argument("--trials", type=int, default=TRIALS)
    words = "wall time, or the processor time of all threads, which other programs disturb less"
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help=words)
    given = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="Note: conversions to backend graphs")
    print("| function | NetworkX | converted | first call | by priority |\n|---|---|---|---|---|")
    with registered():
        for call in calls(given.quick):
            alone, *ours = measure(call, given.trials, CLOCKS[given.clock])
            name = f"`{call.name}`" + (f", {call.words}" if call.words else "")
            times = (f"{format_duration(1000 * s)}, {alone / s:.1f}×" for s in ours)
            print(f"| {name} | {format_duration(1000 * alone)} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
