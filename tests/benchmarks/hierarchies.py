"""Hierarchies beside other programs: ``python -m tests.benchmarks.hierarchies GRAPH...
[--device auto|cuda|opencl]``.

For each graph: what is prepared once, step by step; one source to all vertices, in
turns, by SciPy, RoutingKit and variants of ours, with what each prepared for itself in
a column apart; many sources at once, per source; and customising. Median, minimum and
maximum, and the number of trials; answers are checked. A graph is a file or
``road:24000000``. ``--sweep`` measures every choice of the parameters of
``cch-batch-device`` instead.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.batched_sweep import LANES, settle_rows, working_memory
from solvers.algorithms.hierarchy.device_customise import customise_on_device
from solvers.algorithms.hierarchy.device_sweeps import settle_and_reduce, settle_into_rows
from solvers.algorithms.hierarchy.metric import customise
from solvers.algorithms.hierarchy.preparation import Prepared, hierarchy_of, prepare
from solvers.algorithms.hierarchy.supergraph import bytes_of
from solvers.commands.console import BAD_INPUT, Console
from solvers.devices.device import Device
from solvers.errors import SeparatorsTooLarge, TautpathError
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.system.openmp import team
from solvers.text import format_count, format_duration, plural
from tests.benchmarks.contenders import (
    Contender,
    OurProgram,
    Question,
    our_contenders,
    peer_contenders,
    race,
)
from tests.benchmarks.graphs import (
    SPECS,
    device_of,
    good_source,
    machine_line,
    measure_each,
    names_in,
)
from tests.benchmarks.timing import cells, timed

ONE_SOURCE = (
    "dijkstra-heap",
    "sssp-delta-omp",
    "sssp-near-far",
    "sssp-near-far-cluster",
    "sssp-blocked",
    "cch-tree",
    "cch-tree-device",
)
_SWEPT = {
    "block": (32, 64),
    "each": (1, 2, 4),
    "piece": (32, 64, 128, 512),
    "abreast": (4096, 65536),
}
_NAME = "benchmark"
_SHARE = 0.7  # of the free memory, for rows of distances
_SEED = 1


@dataclass
class Measured:
    """One line of a table: durations in ms, of ``sources`` sources each."""

    name: str
    sources: int = 1
    ms: list[float] = field(default_factory=list)

    def row(self) -> tuple[str, ...]:
        each = [ms / self.sources for ms in self.ms]
        count = format_count(self.sources) if self.sources > 1 else ""
        return self.name, *cells(each), str(len(each)), count


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graphs", nargs="+", metavar=SPECS)
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl|none")
    parser.add_argument("--vs", default="scipy,routingkit", metavar="NAME[,NAME...]")
    parser.add_argument("--ours", default=",".join(ONE_SOURCE), metavar="ID[,ID...]")
    parser.add_argument("--trials", type=int, default=7, metavar="N")
    parser.add_argument(
        "--sources", type=int, default=16384, metavar="K", help="of the table of many sources"
    )
    parser.add_argument(
        "--limit-s", type=float, default=60.0, metavar="S", help="for all runs of one program"
    )
    parser.add_argument(
        "--sweep", action="store_true", help="the parameters of cch-batch-device, with K sources"
    )
    arguments = parser.parse_args(argv)
    console = Console()
    try:
        device = device_of(arguments.device)
    except TautpathError as error:
        console.error_line(error)
        return BAD_INPUT
    kernels = f"kernels on {device.name}" if device is not None else ""
    console.line(machine_line(kernels, f"Python {platform.python_version()}"))
    return measure_each(
        arguments.graphs, console, lambda graph: _measure(graph, device, arguments, console)
    )


def _measure(
    graph: Graph, device: Device | None, arguments: argparse.Namespace, console: Console
) -> None:
    ready = _prepared(graph, console)
    if ready is None:
        return
    sources = _sources(graph, arguments.sources)
    if arguments.sweep:
        if device is not None:
            _print(_swept(graph, device, sources, arguments.trials, console), console)
        return
    _one_source(graph, device, arguments, console)
    console.line("many sources, each; a batch's sources lie together:")
    _print(_many_sources(graph, ready, device, sources, arguments.trials), console)
    console.line("customising:")
    _print(_customising(graph, ready, device, arguments.trials), console)


def _prepared(graph: Graph, console: Console) -> Prepared | None:
    """Order, contract and customise; says how long it took, and how large it has become."""
    began = time.perf_counter()
    _ = graph.distance_type  # every program asks for it
    console.line(f"bound of path lengths: {_since(began)}")
    began = time.perf_counter()
    try:
        hierarchy, note = hierarchy_of(graph, _NAME)
        console.line(f"order and contraction: {_since(began)} ({note})")
        ready = prepare(graph, None, _NAME)
    except SeparatorsTooLarge as error:
        console.line(f"without hierarchies: {error}")
        return None
    size = bytes_of(graph.n, hierarchy.arcs, graph.m) / 1e6
    weights = (
        hierarchy.arcs
        * graph.distance_type.dtype.itemsize
        * (1 if ready.metric.is_symmetric else 2)
        / 1e6
    )
    console.line(
        f"{plural(hierarchy.tree.height, 'level')}, {format_count(hierarchy.arcs)} arcs up, "
        f"{size:,.0f} MB and {weights:,.0f} MB of weights"
    )
    return ready


def _one_source(
    graph: Graph, device: Device | None, arguments: argparse.Namespace, console: Console
) -> None:
    question = Question(graph, good_source(graph), device)
    found = our_contenders(question, names_in(arguments.ours), arguments.limit_s, console)
    found += peer_contenders(question, names_in(arguments.vs), arguments.limit_s, console)
    try:
        left = race(found, arguments.trials, console)
    finally:
        for contender in found:
            contender.program.close()
    console.line(f"one source, vertex {int(graph.ids[good_source(graph)])}:")
    header = ("program", "prepared once", "solve", "min – max", "total", "n", "verified")
    console.table(header, [_row(contender) for contender in left], right=" rrrr  ")


def _row(contender: Contender) -> tuple[str, ...]:
    program, times = contender.program, contender.solve_ms
    return (
        contender.name,
        format_duration(program.first_prepare_ms or 0.0) if isinstance(program, OurProgram) else "",
        *cells(times),
        format_duration(statistics.median(contender.total_ms)),
        "warm-up" if contender.warm_up_counts else str(len(times)),
        contender.verified,
    )


def _sources(graph: Graph, count: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Vertices that lie together: a range of ranks, with a fixed place."""
    order = hierarchy_of(graph, _NAME)[0].tree.order
    first = int(np.random.default_rng(_SEED).integers(0, max(1, graph.n - count + 1)))
    return order[first : first + count]


def _many_sources(
    graph: Graph, ready: Prepared, device: Device | None, sources: Any, trials: int
) -> list[Measured]:
    ways: list[tuple[Measured, Callable[[], float]]] = []
    with team(0, _NAME) as threads:
        row = graph.n * graph.distance_type.dtype.itemsize
        # beside the working memory
        fitting = int(_SHARE * machine.memory().free_bytes) // row - LANES * threads
        few = sources[: max(LANES, min(4 * LANES * threads, fitting // 2))]
        rows = np.empty((len(few), graph.n), graph.distance_type.dtype)
        working = working_memory(graph.n, graph.distance_type, threads)

        def on_cores() -> float:
            began = time.perf_counter()
            settle_rows(ready.hierarchy, ready.metric, graph.distance_type, few, rows, working)
            return (time.perf_counter() - began) * 1e3

        ways.append((Measured(f"cch-batch, {plural(threads, 'thread')}", len(few)), on_cores))
        if device is not None:
            on_device = device
            ways.append(
                (
                    Measured("on the device, reduced", len(sources)),
                    lambda: _reduced_ms(graph, on_device, sources, {}),
                )
            )
            ways.append(
                (
                    Measured("on the device, rows copied", len(few)),
                    lambda: _copied_ms(graph, on_device, few),
                )
            )
            _check(graph, ready, device, few[:LANES], working)
        for measured, run in [*ways, *(ways * trials)]:
            measured.ms.append(run())
    for measured, _ in ways:
        del measured.ms[0]  # the warm-up
    return [measured for measured, _ in ways]


def _reduced_ms(graph: Graph, device: Device, sources: Any, settings: dict[str, int]) -> float:
    began = time.perf_counter()
    for _ in settle_and_reduce(graph, device, sources, budget=1e6, settings=settings):
        pass
    return (time.perf_counter() - began) * 1e3


def _copied_ms(graph: Graph, device: Device, sources: Any) -> float:
    began = time.perf_counter()
    for _ in settle_into_rows(graph, device, sources):
        pass
    return (time.perf_counter() - began) * 1e3


def _check(graph: Graph, ready: Prepared, device: Device, sources: Any, working: Any) -> None:
    """The device's reductions against rows of the processor."""
    kind = graph.distance_type
    rows = np.empty((len(sources), graph.n), kind.dtype)
    settle_rows(ready.hierarchy, ready.metric, kind, sources, rows, working)
    _, found = next(settle_and_reduce(graph, device, sources))
    for row, farthest, total in zip(rows, found.farthest, found.totals, strict=False):
        finite = row[row < kind.infinity]
        assert np.isclose(farthest, finite.max()), "the device's eccentricities are wrong"
        assert np.isclose(total, finite.sum(dtype=np.float64)), "the device's sums are wrong"


def _customising(
    graph: Graph, ready: Prepared, device: Device | None, trials: int
) -> list[Measured]:
    kind, weights = graph.distance_type, graph.weights.astype(graph.distance_type.dtype, copy=False)
    found = []
    with team(0, _NAME) as threads:
        times = timed(lambda: customise(ready.hierarchy, weights, kind, threads), trials)
        found.append(Measured(plural(threads, "thread"), ms=times.clock))
    if device is not None:
        on_device = Measured(f"{device.name}, kernels alone")
        _ = customise_on_device(graph, ready.hierarchy, kind, device)  # the warm-up
        for _ in range(trials):
            metric, ms = customise_on_device(graph, ready.hierarchy, kind, device)
            on_device.ms.append(ms)
        assert np.array_equal(metric.up, ready.metric.up), "the device's weights are wrong"
        found.append(on_device)
    return found


def _swept(
    graph: Graph, device: Device, sources: Any, trials: int, console: Console
) -> Iterator[Measured]:
    """Every choice of the parameters, fastest last."""
    found = []
    for values in itertools.product(*_SWEPT.values()):
        settings = dict(zip(_SWEPT, values, strict=True))
        measured = Measured(
            " ".join(f"{name}={value}" for name, value in settings.items()), len(sources)
        )
        try:
            _reduced_ms(graph, device, sources, settings)
            measured.ms = [_reduced_ms(graph, device, sources, settings) for _ in range(trials)]
        except TautpathError as error:
            console.line(f"without {measured.name}: {error}")
        else:
            found.append(measured)
    return iter(sorted(found, key=lambda one: -statistics.median(one.ms)))


def _print(found: Any, console: Console) -> None:
    header = ("way", "each", "min – max", "n", "sources")
    console.table(header, [measured.row() for measured in found], right=" rrrr")


def _since(began: float) -> str:
    return format_duration((time.perf_counter() - began) * 1e3)


if __name__ == "__main__":
    sys.exit(main())
