"""What more cores gain: ``python -m tests.benchmarks.cores [--cores 1,2,4,8,16] [--only
NAME,...] [--scale F] [--trials N]``.

Each number of cores has a process of its own, which may use no others, siblings of one
core last. One runs before them, whose times are not used: it compiles, and prepares
what is kept on disk. The table has the median of the trials at each number of cores,
and at the greatest

- linear: the share of the time that it would take if every core did its part;
- busy: processor time of all threads for each second that passes;
- serial: the share of the work of one core that more cores do not shorten, from the
  least and the greatest number (Amdahl).

``--scale`` multiplies the sizes of all graphs; at 1 all takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from solvers.algorithms.hierarchy.metric import customise
from solvers.algorithms.hierarchy.preparation import hierarchy_of
from solvers.commands.console import Console
from solvers.errors import TautpathError
from solvers.features.all_sources.reductions import REDUCTIONS
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import run_all_sources
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.writers import write_dimacs
from solvers.picture.layout.stress import layout
from solvers.running.engines import SearchEngine
from solvers.system.array_types import AnyArray
from solvers.system.openmp import team
from solvers.text import format_duration
from solvers.verification.verify import verify_apsp, verify_sssp
from tests.benchmarks.graphs import graph_of, machine_line, names_in
from tests.benchmarks.layouts import without_coordinates
from tests.benchmarks.timing import Times, timed

_OWNER = "benchmark"
_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"

Work = Callable[[], object]


@dataclass(frozen=True)
class Gain:
    """Times of one piece of work in ms by number of cores, ascending."""

    clock: Mapping[int, float]
    processor: Mapping[int, float]

    @property
    def linear(self) -> float:
        """Share of a linear gain, between the least and the greatest number of cores."""
        least, most = min(self.clock), max(self.clock)
        return self.clock[least] * least / (self.clock[most] * most)

    @property
    def busy(self) -> float:
        """Busy cores at the greatest number."""
        most = max(self.clock)
        return self.processor[most] / self.clock[most]

    @property
    def serial(self) -> float | None:
        """Share of the work that does not shorten; None for one number of cores."""
        least, most = min(self.clock), max(self.clock)
        if least == most:
            return None
        shared = (self.clock[least] - self.clock[most]) / (1 / least - 1 / most)
        fixed = self.clock[least] - shared / least
        return min(1.0, max(0.0, fixed / (fixed + shared)))


def works(scale: float, folder: Path) -> Iterator[tuple[str, Callable[[], Work]]]:
    """Name of each piece of work, and what prepares it."""

    def road(vertices: int) -> Graph:
        return graph_of(f"road:{max(64, int(vertices * scale))}")

    yield "flows, whole with proofs", lambda: partial(_run, road(40_000), has_flows=True)
    yield "all sources, whole", lambda: partial(_run, road(40_000), has_flows=False)
    yield "customising", lambda: _customising(road(1_000_000))
    yield "layout", lambda: partial(layout, without_coordinates(road(300_000)))
    yield "reading .gr", lambda: _reading(road(2_000_000), folder / "plain" / "road.gr")
    yield "reading .gr.gz", lambda: _reading(road(500_000), folder / "packed" / "road.gr.gz")
    yield "verifying one source", lambda: _verifying_row(road(2_000_000))
    yield "verifying all pairs", lambda: _verifying_matrix(road(6_000))


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cores", default="1,2,4,8,16", metavar="N,N,...")
    parser.add_argument("--only", default="", metavar="NAME,...", help="works that begin so")
    parser.add_argument("--scale", type=float, default=1.0, metavar="F")
    parser.add_argument("--trials", type=int, default=3, metavar="N")
    parser.add_argument("--here", action="store_true", help="measure in this process, as JSON")
    arguments = parser.parse_args(given)
    if arguments.here:
        _measure_here(arguments)
        return 0
    console, allowed = Console(), spread_cores()
    counts = sorted({int(count) for count in names_in(arguments.cores)})
    left_out = [count for count in counts if count > len(allowed)]
    counts = [count for count in counts if count <= len(allowed)]
    console.line(machine_line(f"median of {arguments.trials}"))
    if left_out:
        console.line(f"Left out, as there are {len(allowed)} cores: {left_out}")
    found: dict[str, dict[int, Times]] = {}
    list(_measured(allowed, replaced(arguments, trials=1)))  # compiles and prepares
    for count in counts:
        for name, times in _measured(allowed[:count], arguments):
            found.setdefault(name, {})[count] = times
        console.line(f"{count} cores: measured")
    header = ("work", *map(str, counts), "linear", "busy", "serial")
    console.table(header, [_row(name, times) for name, times in found.items()], right=" " + "r" * 9)
    return 0


def replaced(arguments: argparse.Namespace, **changes: object) -> argparse.Namespace:
    """The same arguments, some of them changed."""
    return argparse.Namespace(**{**vars(arguments), **changes})


def spread_cores() -> list[int]:
    """Processors that this process may use, the second thread of a core after all first ones."""
    allowed = sorted(os.sched_getaffinity(0))
    return sorted(allowed, key=lambda cpu: (_siblings(cpu).index(cpu), cpu))


def _siblings(cpu: int) -> list[int]:
    try:
        listed = Path(_SIBLINGS.format(cpu)).read_text(encoding="ascii").strip()
    except OSError:
        return [cpu]
    ends = (part.split("-") for part in listed.split(","))
    return [one for pair in ends for one in range(int(pair[0]), int(pair[-1]) + 1)]


def _measured(cores: Sequence[int], arguments: argparse.Namespace) -> Iterator[tuple[str, Times]]:
    """Each work and its times, in a process that may use these cores only."""
    settings = [f"--{name}={getattr(arguments, name)}" for name in ("only", "scale", "trials")]
    command = [sys.executable, "-m", "tests.benchmarks.cores", "--here", *settings]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)  # which the process inherits
    try:
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    finally:
        os.sched_setaffinity(0, before)
    for line in said.splitlines():
        if line.startswith("{"):
            one = json.loads(line)
            yield one["name"], Times(one["clock"], one["processor"])


def _measure_here(arguments: argparse.Namespace) -> None:
    wanted = tuple(names_in(arguments.only)) or ("",)
    with tempfile.TemporaryDirectory() as folder:
        for name, prepare in works(arguments.scale, Path(folder)):
            if not name.startswith(wanted):
                continue
            try:
                times = timed(prepare(), arguments.trials)
            except TautpathError as error:
                print(f"{name}: left out, {error}", file=sys.stderr, flush=True)
                continue
            print(json.dumps({"name": name, **vars(times)}), flush=True)


def _row(name: str, times: Mapping[int, Times]) -> tuple[str, ...]:
    medians = {count: one.medians for count, one in times.items()}
    gain = Gain({k: m[0] for k, m in medians.items()}, {k: m[1] for k, m in medians.items()})
    serial = "" if gain.serial is None else f"{gain.serial:.1%}"
    clock = (format_duration(statistics.median(one.clock)) for one in times.values())
    return name, *clock, f"{gain.linear:.0%}", f"{gain.busy:.1f}", serial


def _run(graph: Graph, *, has_flows: bool) -> None:
    found = run_all_sources(AllSourcesRequest(graph, REDUCTIONS[:2], has_flows=has_flows))
    assert found.verified, found.verdict.text


def _customising(graph: Graph) -> Work:
    hierarchy, _ = hierarchy_of(graph, _OWNER)
    kind = graph.distance_type
    weights = graph.weights_in(kind.dtype)

    def work() -> None:
        with team(0, _OWNER) as threads:
            customise(hierarchy, weights, kind, threads)

    return work


def _reading(graph: Graph, path: Path) -> Work:
    path.parent.mkdir()
    write_dimacs(graph, path)
    return lambda: read_graph(path)


def _rows(graph: Graph, sources: int) -> AnyArray:
    state = SearchEngine(graph, graph, "")
    return np.stack([state.row(source) for source in range(sources)])


def _verifying_row(graph: Graph) -> Work:
    row = _rows(graph, 1)[0]

    def work() -> None:
        assert verify_sssp(graph, 0, row).verified

    return work


def _verifying_matrix(graph: Graph) -> Work:
    matrix = _rows(graph, graph.n)

    def work() -> None:
        assert verify_apsp(graph, matrix).verified

    return work


if __name__ == "__main__":
    sys.exit(main())
