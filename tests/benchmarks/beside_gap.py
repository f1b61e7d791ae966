"""Delta-stepping beside GAP's, by number of threads: ``TAUTPATH_GAP=PROGRAM python -m
tests.benchmarks.beside_gap [--graphs SPEC[@WEIGHTS] ...] [--threads 1,2,4,8,16]
[--ours ID,ID] [--trials N]``

Each cell has GAP's median in ms, with the best of four widths of a bucket, those of ours
with what they choose, and in brackets ours over GAP's. All take turns: after a trial that
does not count, or two of ours from another vertex, two that do, without rest, as threads
that have slept must be woken. The array of distances counts in both, Python's part in
ours; reading the graph, and sorting its arcs by weight, in none.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from solvers.commands.console import Console
from solvers.core.problem import Problem, Solution, TrialScope
from solvers.core.variant import Variant, find_variant
from solvers.graphs.graph import Graph
from solvers.verification.verify import verify_sssp
from tests.benchmarks.gap import GapSearch, best_searches
from tests.benchmarks.graphs import SPECS, good_source, graph_of, machine_line, names_in

_TO_255 = "random:1:255:1"
_GRAPHS = (
    "random:10000:12",
    "grid:700x700",
    "rmat:18",
    f"random:1000000:8@{_TO_255}",
    f"rmat:20@{_TO_255}",
)
_OURS = "sssp-delta-omp,sssp-pull-omp"
_AT_ONCE = 2  # trials of one program before it is another's turn


def main(given: Sequence[str] | None = None) -> int:
    """Print a line of a table for each graph; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", nargs="+", default=_GRAPHS, metavar=f"{SPECS}[@WEIGHTS]")
    parser.add_argument("--threads", default="1,2,4,8,16", metavar="N,N,...")
    parser.add_argument("--ours", default=_OURS, metavar="ID,ID,...")
    parser.add_argument("--trials", type=int, default=8, metavar="N")
    arguments = parser.parse_args(given)
    console = Console()
    threads = [int(number) for number in names_in(arguments.threads)]
    entries = [find_variant(name) for name in names_in(arguments.ours)]
    console.line(machine_line(f"medians of {arguments.trials}"))
    lines = [f"| | {' | '.join(map(str, threads))} |", f"|{'---|' * (len(threads) + 1)}"]
    for spec in arguments.graphs:
        name, _, weights = spec.partition("@")
        graph = graph_of(name, weights or "column")
        cells = []
        for search in best_searches(graph, good_source(graph), threads):
            times = _times(graph, search, entries, arguments.trials)
            cells.append(_cell([statistics.median(each) for each in times]))
            console.line(f"{spec}, {search.threads} threads: {cells[-1]}")
        lines.append(f"| {spec} ({graph.m:,} arcs) | {' | '.join(cells)} |")
    for line in lines:
        console.line(line)
    return 0


def _cell(medians: Sequence[float]) -> str:
    theirs, *ours = medians
    shown = " : ".join(f"{ms:#.3g}".rstrip(".") for ms in medians)
    return f"{shown} ({', '.join(f'{ms / theirs:.2f}' for ms in ours)})"


def _times(
    graph: Graph, search: GapSearch, entries: Sequence[Variant], trials: int
) -> list[list[float]]:
    """Milliseconds of all trials: GAP's, and those of each of ours."""
    times: list[list[float]] = [[] for _ in (search, *entries)]
    threads = search.threads or 0
    with TrialScope() as scope:
        for entry in entries:
            for _ in range(3):  # the first bound is learned, and helpers come
                solution = _solve(graph, search.source, threads, entry, scope)
            if not verify_sssp(graph, search.source, solution.distances).verified:
                raise ValueError(f"{entry.id}: wrong distances")
        while len(times[0]) < trials:
            times[0] += search.trials(1 + _AT_ONCE)[1:]
            for entry, ours in zip(entries, times[1:], strict=True):
                other = (search.source + graph.n // 3) % graph.n
                starts = [other] * 2 + [search.source] * _AT_ONCE
                solved = [_solve(graph, start, threads, entry, scope) for start in starts]
                ours += [solution.phases.total for solution in solved[-_AT_ONCE:]]
    return times


def _solve(graph: Graph, source: int, threads: int, entry: Variant, scope: TrialScope) -> Solution:
    settled = entry.settle({"threads": threads})
    return entry.solve(Problem(graph, source, None, settled, scope=scope))


if __name__ == "__main__":
    sys.exit(main())
