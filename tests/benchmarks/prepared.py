"""What is prepared, and graphs that stay on the device: ``python -m
tests.benchmarks.prepared GRAPH... [--device auto|cuda|opencl] [--variants ID,ID...]
[--trials N]``

For each graph two tables. First the steps of a partition, on one thread and on all
cores, made anew and from known parts. Then solve and total times from one source, by
trials that upload the graph and trials with a warm graph, in turns, and what the upload
took; above and below them, what ``auto`` chooses before anything is prepared and
afterwards. Median, minimum and maximum, and the number of trials; the answers of the
first round are verified. A graph is a file or ``road:24000000``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from solvers.algorithms.auto.table import choose
from solvers.algorithms.near_far.partition import PartOrder, grow_parts, partition_graph
from solvers.commands.console import BAD_INPUT, Console
from solvers.core.result import Result
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.threads import thread_team
from solvers.text import format_count, format_duration
from tests.benchmarks.graphs import SPECS, device_of, good_source, machine_line, measure_each
from tests.benchmarks.timing import Times, cells

VARIANTS = (
    "sssp-blocked",
    "cch-tree-device",
    "cch-tree",
    "sssp-near-far-cluster",
    "sssp-near-far",
    "sssp-delta-omp",
)
_LIMITS = (1_024, 4_096)  # vertices and arcs of a part
_ROUNDS = 3


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="prepared", description=(__doc__ or "").partition("\n\n")[2]
    )
    parser.add_argument("graphs", nargs="+", metavar="GRAPH", help=SPECS)
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "opencl"))
    parser.add_argument("--variants", default=",".join(VARIANTS), help="ids, separated by commas")
    parser.add_argument(
        "--trials",
        type=int,
        default=5,
        metavar="N",
        help=f"in each of {_ROUNDS} rounds (default: 5)",
    )
    arguments, console = parser.parse_args(argv), Console()
    try:
        device = device_of(arguments.device)
    except DeviceUnavailable as error:
        console.error_line(error)
        return BAD_INPUT
    console.line(machine_line(device.name if device else "no device"))

    def measure(graph: Graph) -> None:
        console.line(f"nothing prepared: {_choices(graph, device)}")
        _partitioning(graph, arguments.trials, console)
        _solving(graph, device, arguments.variants.split(","), arguments.trials, console)
        console.line(f"all prepared: {_choices(graph, device)}")

    return measure_each(arguments.graphs, console, measure)


def _choices(graph: Graph, device: Device | None) -> str:
    """What ``auto`` takes without and with a warm graph."""
    cold, warm = (
        choose(Answers.SSSP, graph, device, source=good_source(graph), warm=warm).variant.id
        for warm in (False, True)
    )
    return f"auto takes {cold}" + ("" if warm == cold else f", and with a warm graph {warm}")


def _partitioning(graph: Graph, trials: int, console: Console) -> None:
    def grow(threads: int | None) -> PartOrder:
        with thread_team(threads) as team:
            return grow_parts(graph, *_LIMITS, team)

    known = grow(None)
    marked = known.marked()
    made = partition_graph(graph, *_LIMITS)
    console.line(
        f"{format_count(made.count)} parts, {100 * len(made.cut_heads) / max(1, graph.m):.2f} "
        "% of the arcs cut"
    )
    steps: dict[str, Callable[[], object]] = {
        "parts grown by one thread": partial(grow, 1),
        "parts grown by all cores": partial(grow, None),
        "partition, growing included": lambda: partition_graph(graph, *_LIMITS),
        "partition of known parts": lambda: partition_graph(graph, *_LIMITS, known=known),
        "check of parts from disk": lambda: PartOrder.from_marked(marked, graph, *_LIMITS),
        "hash of the structure": lambda: replace(graph).structure_sha256,
    }
    times = {name: Times() for name in steps}
    for _ in range(trials):
        for name, step in steps.items():
            times[name].of(step)
    rows = [(name, *cells(found.clock)) for name, found in times.items()]
    console.table(("step", "median", "min – max"), rows, right=" rr")


def _solving(
    graph: Graph, device: Device | None, ids: Sequence[str], trials: int, console: Console
) -> None:
    found: dict[tuple[str, bool], list[Result]] = {
        (name, warm): [] for name in ids for warm in (False, True)
    }
    choices, source = tuple(Choice(find_variant(name)) for name in ids), good_source(graph)
    for number in range(_ROUNDS):
        for warm in (False, True):
            plan = MeasurementPlan(2, trials, warm_graph=warm)
            for result in run(
                RunRequest(graph, source, None, choices, device, plan, verify=number == 0)
            ):
                found[result.variant.id, warm].append(result)
    rows = []
    for (name, warm), results in found.items():
        failed = next((result for result in results if not result.ok), None)
        if failed is not None:
            console.line(f"{name}: {failed.error or 'wrong'}")
        elif not warm or results[0].has_warm_graph:  # otherwise a warm graph changes nothing
            rows.append(_row(name, results))
    console.table(
        ("variant", "graph", "solve", "total", "min – max", "n", "upload"), rows, right="  rrrrr"
    )


def _row(name: str, results: Sequence[Result]) -> tuple[str, ...]:
    """Solve and total times; "graph" is "–" where no device is used."""
    graph = (
        "stays"
        if results[0].has_warm_graph
        else "uploaded"
        if results[0].peak_device_bytes
        else "–"
    )
    solve, total = (
        np.concatenate([r.times(phase) for r in results]).tolist() for phase in ("solve", "total")
    )
    uploads = [r.graph_upload_ms for r in results if r.graph_upload_ms is not None]
    upload = format_duration(statistics.median(uploads)) if uploads else "–"
    return name, graph, cells(solve)[0], *cells(total), format_count(len(total)), upload


if __name__ == "__main__":
    sys.exit(main())
