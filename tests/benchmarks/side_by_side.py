"""Ours and other people's programs on one graph, trial by trial in turn: one table.

``python -m tests.benchmarks.side_by_side --graph FILE|road:N|rmat:SCALE [--problem sssp|apsp]
[--vs scipy,networkit,igraph,rustworkx] [--ours ID,ID...] [--device auto|cuda|opencl] [--trials N]``

Every program solves once uncounted, then all take turns, so that whatever else the machine does falls on all alike.
Ours is timed twice: "solve", and "total" with copies to the device and back. All answers are checked: ours by the
verifier, theirs against ours. Peers that are not installed are named; the extra ``bench`` brings them.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solvers import machine
from solvers.availability import availability
from solvers.catalog import Answers, Variant, find
from solvers.commands.console import BAD_INPUT, Console
from solvers.devices import pick
from solvers.devices.base import Device
from solvers.errors import DeviceUnavailable, TautlineError
from solvers.graph import Graph
from solvers.problem import Problem
from solvers.text import format_duration, format_ratio
from solvers.verify import verify_apsp, verify_sssp
from solvers.weights import to_float
from tests.benchmarks.graphs import good_source, graph_of
from tests.benchmarks.peers import PEERS

OURS = {
    "sssp": ("auto", "dijkstra-heap", "sssp-delta-omp", "sssp-near-far", "sssp-near-far-cluster"),
    "apsp": ("auto-apsp", "dijkstra-apsp-serial", "fw-omp-tiled", "apsp-frontier", "fw-blocked"),
}
_HEADER = ("program", "solve", "min – max", "total", "n", "peer ÷ ours", "verified")


@dataclass
class Contender:
    """One program in the race.

    Attributes
    ----------
    work : callable
        Does it once: milliseconds of the solve and in all, and the answer.
    """

    name: str
    work: Callable[[], tuple[float, float, NDArray[np.float64]]]
    is_peer: bool
    note: str = ""
    solve_ms: list[float] = field(default_factory=list)
    total_ms: list[float] = field(default_factory=list)
    verified: str = "–"


def our_contender(entry: Variant, graph: Graph, source: int | None, device: Device | None) -> Contender:
    """A variant of ours on its defaults."""
    here = device if entry.runs_on.takes_device else None
    problem = Problem(graph, source, None, entry.settle({}), here)
    _ = problem.distance_type
    contender = Contender(entry.id, lambda: (0.0, 0.0, np.empty(0)), is_peer=False)

    def work() -> tuple[float, float, NDArray[np.float64]]:
        solution = entry.solve(problem)
        contender.note = solution.note
        if contender.verified == "–":
            prove = verify_apsp if source is None else (lambda g, d: verify_sssp(g, source, d))
            contender.verified = "yes" if prove(graph, solution.distances).verified else "NO"
        return solution.phases.solve, solution.phases.total, to_float(solution.distances)

    contender.work = work
    return contender


def peer_contender(name: str, graph: Graph, source: int | None) -> Contender:
    """Another program, its graph built beforehand."""
    solve = PEERS[name].prepare(graph, source)

    def work() -> tuple[float, float, NDArray[np.float64]]:
        started = time.perf_counter()
        answer = solve()
        spent = (time.perf_counter() - started) * 1e3
        return spent, spent, answer

    return Contender(name, work, is_peer=True)


def race(contenders: Sequence[Contender], trials: int) -> None:
    """Once uncounted, then in turn; every peer's answer is held against the first proved one of ours."""
    answers = [contender.work()[2] for contender in contenders]
    proved = next((a for c, a in zip(contenders, answers, strict=True) if not c.is_peer and c.verified == "yes"), None)
    for contender, answer in zip(contenders, answers, strict=True):
        if contender.is_peer and proved is not None:
            contender.verified = "yes" if np.allclose(answer, proved, rtol=1e-5, equal_nan=False) else "NO"
    for _ in range(trials):
        for contender in contenders:
            solve_ms, total_ms, _answer = contender.work()
            contender.solve_ms.append(solve_ms)
            contender.total_ms.append(total_ms)


def rows(contenders: Sequence[Contender]) -> list[tuple[str, ...]]:
    """The table; the ratio is each peer's median over that of our best proved program, total by total."""
    ours = [statistics.median(c.total_ms) for c in contenders if not c.is_peer and c.verified == "yes"]
    best = min(ours, default=float("nan"))
    return [
        (
            contender.name,
            format_duration(statistics.median(contender.solve_ms)),
            f"{format_duration(min(contender.solve_ms))} – {format_duration(max(contender.solve_ms))}",
            format_duration(statistics.median(contender.total_ms)),
            str(len(contender.solve_ms)),
            format_ratio(statistics.median(contender.total_ms) / best),
            contender.verified,
        )
        for contender in contenders
    ]


def contenders_for(
    graph: Graph, source: int | None, ours: Sequence[str], peers: Sequence[str], device: Device | None, console: Console
) -> list[Contender]:
    """Those that can run here; the others are named with the reason."""
    found = []
    for name in ours:
        entry = find(name)
        here = availability(entry, graph, device)
        if here.available:
            found.append(our_contender(entry, graph, source, device))
        else:
            console.line(f"without {name}: {here.reason}")
    for name in peers:
        if name not in PEERS:
            console.line(f"without {name}: no such peer is known ({', '.join(PEERS)} are)")
        elif not PEERS[name].is_here:
            console.line(f"without {name}: not installed (pip install -e .[bench])")
        elif graph.has_negative_weights:
            console.line(f"without {name}: Dijkstra needs weights of zero or more")
        else:
            found.append(peer_contender(name, graph, source))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", required=True, metavar="FILE|road:N|rmat:SCALE")
    parser.add_argument("--problem", choices=("sssp", "apsp"), default="sssp")
    parser.add_argument("--source", type=int, metavar="ID", help="default: one from which much can be reached")
    parser.add_argument("--vs", default=",".join(PEERS), metavar="NAME[,NAME...]")
    parser.add_argument("--ours", metavar="ID[,ID...]", help="default: what is fastest on some machine")
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl")
    parser.add_argument("--trials", type=int, default=7, metavar="N")
    arguments = parser.parse_args(argv)
    console = Console()
    try:
        _compare(arguments, console)
    except TautlineError as error:
        console.complain(error)
        return BAD_INPUT
    return 0


def _compare(arguments: argparse.Namespace, console: Console) -> None:
    graph = graph_of(arguments.graph)
    device = _device(arguments.device)
    single = arguments.problem == Answers.SSSP.value
    start = good_source(graph) if arguments.source is None else graph.vertex(arguments.source)
    ours = arguments.ours.split(",") if arguments.ours else OURS[arguments.problem]
    found = contenders_for(graph, start if single else None, ours, _names(arguments.vs), device, console)
    race(found, arguments.trials)
    question = f"from {int(graph.ids[start])}" if single else "all pairs"
    console.line(f"{graph.name}: {graph.n:,} vertices, {graph.m:,} arcs, {question}")
    kernels = f"; kernels on {device.name}" if device is not None else ""
    console.line(f"{machine.cpu_name()}, {machine.cores()} cores{kernels}; Python {platform.python_version()}")
    console.table(_HEADER, rows(found), right=" rrrrr")
    for contender in found:
        if contender.note:
            console.line(f"{contender.name}: {contender.note}")


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _device(spec: str) -> Device | None:
    try:
        return pick(spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None


if __name__ == "__main__":
    sys.exit(main())
