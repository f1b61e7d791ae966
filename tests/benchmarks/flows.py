"""Flows of shortest paths beside peers: ``PYTHONPATH=PEERS python -m
tests.benchmarks.flows GRAPH... [--sources K]``.

Processor time a source of one thread, from the same K random sources, in turns: our
engine, igraph, and networkit, which draws K sources itself. What all sources take at
that rate follows. ``--exact`` computes the flows of all sources on all cores first,
proves their length and balances, and prints the time that the clock shows. ``--engines``
times every engine of ours that a graph permits, instead of peers.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers.commands.console import Console
from solvers.errors import TautpathError
from solvers.features.all_sources.betweenness import sum_flows
from solvers.features.all_sources.flow_engines import FlowQuestion
from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows
from solvers.features.all_sources.flows.level_flows import LevelFlows, has_levels
from solvers.features.all_sources.flows.path_flows import FlowEngine, brandes_flows
from solvers.features.all_sources.flows.whole_weights import whole_weights
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import prepared_network
from solvers.system.cancel import SILENT
from solvers.system.openmp import team
from tests.benchmarks.graphs import SPECS, machine_line, measure_each

_TRIALS = 3


def main(argv: Sequence[str]) -> int:
    """Print one line for each graph and program; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.flows", description=__doc__)
    parser.add_argument("graphs", nargs="+", metavar=SPECS)
    parser.add_argument("--sources", type=int, default=1024, metavar="K")
    parser.add_argument(
        "--peer-sources", type=int, default=None, metavar="K", help="fewer for slow peers"
    )
    parser.add_argument("--exact", action="store_true", help="all sources on all cores, too")
    parser.add_argument("--engines", action="store_true", help="all of ours instead of peers")
    arguments = parser.parse_args(argv)
    console = Console()
    console.line(machine_line())

    def measure(graph: Graph) -> None:
        if arguments.exact:
            sum_flows(graph, np.eye(1, graph.n)[0], np.ones(graph.n))  # compiled and prepared
            began = time.perf_counter()
            sum_flows(graph, np.ones(graph.n), np.ones(graph.n))
            seconds = time.perf_counter() - began
            console.line(
                f"{graph.name} · exact: {seconds:.2f} s, {1e3 * seconds / graph.n:.3f} ms a source"
            )
        drawn = np.random.default_rng(1).permutation(graph.n)[: arguments.sources].astype(np.int32)
        few = drawn[: arguments.peer_sources]
        with team(1, "benchmark"):
            name, ours = _ours(graph)
            programs = [(name, ours, drawn)]
            if arguments.engines:
                programs += [(name, solve, few) for name, solve in _engines(graph).items()]
            else:
                programs += [("igraph", _igraph(graph), few), ("networkit", _networkit(graph), few)]
            times: dict[str, list[float]] = {program[0]: [] for program in programs}
            ours(drawn[:64])  # compiled
            for _ in range(_TRIALS):
                for program, solve, sources in programs:
                    began = time.process_time()
                    solve(sources)
                    times[program].append((time.process_time() - began) / len(sources))
        for program, found in times.items():
            each = statistics.median(found)
            console.line(
                f"{graph.name} · {program}: {1e3 * each:.3f} ms a source, {each * graph.n:.4g} "
                "s for all"
            )

    return measure_each(arguments.graphs, console, measure)


def _ours(graph: Graph) -> tuple[str, Callable[[NDArray[np.int32]], object]]:
    engine = FlowQuestion.of(graph, 1).engine()
    return engine.name, lambda sources: engine.arc_flows(engine.flows(sources, SILENT), SILENT)


def _engines(graph: Graph) -> dict[str, Callable[[NDArray[np.int32]], object]]:
    """Every engine of one thread, whichever would be chosen, by name."""
    whole = whole_weights(graph)
    graph, limit = whole.graph, whole.limit(None)
    rows, ones = prepared_network(graph, threads=1), np.ones(graph.n)
    engines: list[FlowEngine] = [brandes_flows(graph, rows.rows, ones, limit.high, 1)]
    if has_levels(graph):
        engines.append(LevelFlows(graph, ones, limit.high, 1))
    with suppress(TautpathError):  # a graph with large separators
        engines.append(HierarchyFlows(graph, ones, limit.high, 1, rows.row, SILENT))
    return {f"engine {e.name}": partial(e.flows, progress=SILENT) for e in engines}


def _igraph(graph: Graph) -> Callable[[NDArray[np.int32]], object]:
    import igraph

    made = igraph.Graph(
        n=graph.n, edges=np.stack((graph.tails, graph.indices), axis=1), directed=True
    )
    weights = None if (graph.weights == 1).all() else graph.weights.tolist()
    return lambda sources: made.betweenness(
        directed=True, weights=weights, sources=sources.tolist()
    )


def _networkit(graph: Graph) -> Callable[[NDArray[np.int32]], object]:
    import networkit

    networkit.setNumberOfThreads(1)
    weighted = not (graph.weights == 1).all()
    # it takes the arrays' bytes as they are
    ends = graph.tails.astype(np.uint64), graph.indices.astype(np.uint64)
    arcs = (graph.weights.astype(np.float64), ends) if weighted else ends
    made = networkit.GraphFromCoo(arcs, n=graph.n, weighted=weighted, directed=True)
    return lambda sources: networkit.centrality.EstimateBetweenness(
        made, len(sources), False, False
    ).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
