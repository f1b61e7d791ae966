"""How far ``auto`` is from the fastest variant that is prepared, from one source.

::

    python -m tests.benchmarks.automatic GRAPH... [--device auto|cuda|opencl|none]
        [--trials N] [--rounds N]

For each graph two rows: with nothing prepared, among the variants that need no
preparation, and with a hierarchy and parts prepared, among all. A row has the variant
that ``auto`` takes with its total, the fastest with its own, and the ratio of the two,
for a graph that is uploaded each time and for one that stays on the device. Totals are
medians; the variants take turns in rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

import numpy as np

from solvers.algorithms.auto.table import choose
from solvers.commands.console import BAD_INPUT, Console
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.text import format_count, format_duration
from tests.benchmarks.graphs import SPECS, device_of, good_source, machine_line, measure_each

_UNPREPARED = ("dijkstra-heap", "sssp-delta-omp", "sssp-near-far", "sssp-near-far-cluster")
_PREPARED = ("sssp-blocked", "cch-tree", "cch-tree-device")
_HEADER = ("graph", "prepared", "upload", "auto takes", "total", "fastest", "total", "ratio")


def main(argv: Sequence[str] | None = None) -> int:
    """Print one table for all graphs; returns the exit status."""
    parser = argparse.ArgumentParser(prog="automatic", description=__doc__)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH", help=SPECS)
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "opencl", "none"))
    parser.add_argument("--trials", type=int, default=5, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    arguments, console = parser.parse_args(argv), Console()
    try:
        device = None if arguments.device == "none" else device_of(arguments.device)
    except DeviceUnavailable as error:
        console.error_line(error)
        return BAD_INPUT
    console.line(machine_line(device.name if device else "no device"))
    rows: list[tuple[str, ...]] = []

    def measure(graph: Graph) -> None:
        rows.extend(_rows(graph, device, arguments.trials, arguments.rounds, console))

    status = measure_each(arguments.graphs, console, measure)
    console.table(_HEADER, rows, right="    r r r")
    return status


def _rows(
    graph: Graph, device: Device | None, trials: int, rounds: int, console: Console
) -> list[tuple[str, ...]]:
    warmths = (False, True) if device is not None and not device.is_cpu else (False,)
    first = {warm: choose(Answers.SSSP, graph, device, warm=warm).variant.id for warm in warmths}
    totals = _totals(graph, device, trials, rounds, warmths)
    kept = graph.peek_cached("hierarchy")
    arcs = kept[0].arcs if isinstance(kept, tuple) else 0
    console.line(
        f"{graph.name}: {format_count(graph.n)} vertices, {format_count(graph.m)} arcs, "
        f"{format_count(arcs)} arcs of its hierarchy"
    )
    for (variant_id, warm), total in sorted(totals.items(), key=lambda entry: entry[1]):
        console.line(f"  {variant_id}{', stays' if warm else ''}: {format_duration(total)}")
    rows: list[tuple[str, ...]] = []
    for warm in warmths:
        for prepared, known in (("nothing", _UNPREPARED), ("all", _UNPREPARED + _PREPARED)):
            chosen = first[warm]
            if prepared == "all":
                chosen = choose(Answers.SSSP, graph, device, warm=warm).variant.id
            there = {name: totals[name, warm] for name in known if (name, warm) in totals}
            mine = totals.get((chosen, warm))
            if not there or mine is None:
                continue
            best = min(there, key=lambda name: there[name])
            rows.append(
                (
                    graph.name,
                    prepared,
                    "stays" if warm else "each time",
                    chosen,
                    format_duration(mine),
                    best,
                    format_duration(there[best]),
                    f"{mine / there[best]:.2f}",
                )
            )
    return rows


def _totals(
    graph: Graph, device: Device | None, trials: int, rounds: int, warmths: Sequence[bool]
) -> dict[tuple[str, bool], float]:
    """Median total in ms of each variant that solves the graph."""
    names = _UNPREPARED + _PREPARED
    choices, source = tuple(Choice(find_variant(name)) for name in names), good_source(graph)
    found: dict[tuple[str, bool], list[float]] = {}
    for _ in range(rounds):
        for warm in warmths:
            plan = MeasurementPlan(2, trials, warm_graph=warm)
            for result in run(RunRequest(graph, source, None, choices, device, plan)):
                if result.ok:
                    totals = np.asarray(result.times("total")).tolist()
                    found.setdefault((result.variant.id, warm), []).extend(totals)
    return {key: statistics.median(totals) for key, totals in found.items()}


if __name__ == "__main__":
    sys.exit(main())
