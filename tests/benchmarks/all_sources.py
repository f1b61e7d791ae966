"""Numbers of every vertex: ``python -m tests.benchmarks.all_sources GRAPH... [--device
auto|cuda|opencl|none]``.

For each graph: how rows are computed, the time of some thousand sources with their
reductions, by the wall and by the processor, and what all sources take at that rate;
``--whole`` runs all of them, with proofs, and says what was found. A graph is a file or
``road:24000000``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

import numpy as np

from solvers.algorithms.distance_rows import budget_of
from solvers.commands.console import Console
from solvers.devices import find_sweep_device
from solvers.features.all_sources.reductions import REDUCTIONS
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import run_all_sources
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import prepared_network
from solvers.system.cancel import SILENT
from solvers.system.openmp import team
from solvers.text import format_duration
from tests.benchmarks.graphs import SPECS, machine_line, measure_each
from tests.benchmarks.timing import Times, cells

_WARM = 64  # sources that are computed before, so that everything is compiled
_TRIALS = 3


def main(argv: Sequence[str]) -> int:
    """Print one table a graph; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.all_sources", description=__doc__)
    parser.add_argument("graphs", nargs="+", metavar=SPECS)
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl|none")
    parser.add_argument("--sources", type=int, default=4096, metavar="K")
    parser.add_argument("--budget", type=float, default=10_000.0, metavar="B")
    parser.add_argument("--whole", action="store_true", help="run all sources")
    arguments = parser.parse_args(argv)
    console = Console()
    console.line(machine_line())

    def measure(graph: Graph) -> None:
        _measure_part(graph, arguments, console)
        if arguments.whole:
            _measure_whole(graph, arguments, console)

    return measure_each(arguments.graphs, console, measure)


def _measure_part(graph: Graph, arguments: argparse.Namespace, console: Console) -> None:
    """Medians of some trials with the same sources, which lie in the middle of the numbering."""
    device, k = find_sweep_device(arguments.device), min(graph.n, arguments.sources)
    budget = budget_of(graph.distance_type, arguments.budget)
    first = (graph.n - k) // 2
    sources = np.arange(first, first + k, dtype=np.int32)
    times = Times()
    with team(0, "benchmark") as threads:
        network = prepared_network(graph, device, threads=threads)
        network.summarise(sources[:_WARM], budget, SILENT)
        for _ in range(_TRIALS):
            times.of(lambda: network.summarise(sources, budget, SILENT))
    console.line(network.note)
    header = ("", "sources", "median", "min – max", "each", "all at that rate")
    sides = (("wall", times.clock), ("processor", times.processor))
    console.table(header, [_cells(name, ms, k, graph.n) for name, ms in sides])


def _cells(name: str, ms: list[float], k: int, n: int) -> tuple[str, ...]:
    each = statistics.median(ms) / k
    return name, str(k), *cells(ms), format_duration(each), format_duration(each * n)


def _measure_whole(graph: Graph, arguments: argparse.Namespace, console: Console) -> None:
    device = find_sweep_device(arguments.device)
    found = run_all_sources(AllSourcesRequest(graph, REDUCTIONS, arguments.budget, device=device))
    for sentence in (*found.sentences, found.verdict.text, found.note):
        console.line(sentence)
    console.line(f"all sources with proofs: {format_duration(found.seconds * 1e3)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
