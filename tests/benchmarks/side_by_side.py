"""Ours and other people's programs on one graph, trial by trial in turn: one table.

``python -m tests.benchmarks.side_by_side --graph FILE|road:N[:PATTERN]|rmat:SCALE|...
[--problem sssp|apsp] [--vs scipy,networkit,igraph,routingkit,gap,rustworkx] [--ours
ID,ID...] [--device auto|cuda|opencl] [--trials N]``

Every program solves once uncounted, then all take turns, so that whatever else the
machine does falls on all alike. Ours is timed twice: "solve", and "total" with copies
to the device and back. All answers are checked: ours by the verifier, theirs against
ours (of all pairs, 1,000 rows). Peers have processes of their own
(``peer_process.py``); those that are not installed, too small for the graph or too slow
are named. The extra ``bench`` brings them, but for GAP's program (``gap.py``).

"limit" is the least time that the chip could take for what the kernel must do at least,
and what sets it (``limits.py``); "reached" is that over the solve.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
from collections.abc import Sequence

from solvers.commands.console import BAD_INPUT, Console
from solvers.errors import TautpathError
from solvers.text import format_duration, format_ratio
from tests.benchmarks.contenders import (
    Contender,
    OurProgram,
    Question,
    our_contenders,
    ours_for,
    peer_contenders,
    race,
)
from tests.benchmarks.graphs import (
    SPECS,
    STARTS,
    device_of,
    graph_of,
    machine_line,
    names_in,
    start_of,
)
from tests.benchmarks.limits import Limit, chip_of, limits_of
from tests.benchmarks.peers import PEERS
from tests.benchmarks.timing import cells

_HEADER = (
    "program",
    "solve",
    "min – max",
    "total",
    "n",
    "peer ÷ ours",
    "verified",
    "limit",
    "reached",
)
_ALIGNED = " rrrrr  r"


def rows(
    contenders: Sequence[Contender], limits: dict[str, Limit] | None = None
) -> list[tuple[str, ...]]:
    """The table; the ratio is each program's median over that of our best proved one,
    total by total.
    """
    ours = [
        statistics.median(c.total_ms)
        for c in contenders
        if not c.is_peer and c.verified == "yes" and c.total_ms
    ]
    best = min(ours, default=float("nan"))
    table: list[tuple[str, ...]] = []
    for contender in contenders:
        solve, total = statistics.median(contender.solve_ms), statistics.median(contender.total_ms)
        limit = (limits or {}).get(contender.name)
        table.append(
            (
                contender.name,
                *cells(contender.solve_ms),
                format_duration(total),
                "warm-up" if contender.warm_up_counts else str(len(contender.solve_ms)),
                format_ratio(total / best),
                contender.verified,
                "" if limit is None else f"{format_duration(limit.ms)}, {limit.binds}",
                "" if limit is None else f"{limit.ms / solve:.1%}",
            )
        )
    return table


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graph", required=True, metavar=SPECS)
    parser.add_argument("--weights", default="column", metavar="unit|column|random:LO:HI:SEED")
    parser.add_argument("--problem", choices=("sssp", "apsp"), default="sssp")
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--source", type=int, metavar="ID", help="default: one from which much can be reached"
    )
    start.add_argument(
        "--from", dest="where", choices=STARTS, default="good", help="the source, by where it lies"
    )
    parser.add_argument("--vs", default=",".join(PEERS), metavar="NAME[,NAME...]")
    parser.add_argument(
        "--ours", metavar="ID[,ID...]", help="default: what is fastest on some machine"
    )
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl")
    parser.add_argument("--trials", type=int, default=7, metavar="N")
    parser.add_argument(
        "--peer-limit-s", type=float, default=60.0, metavar="S", help="for all runs of one peer"
    )
    parser.add_argument(
        "--peer-build-s",
        type=float,
        default=120.0,
        metavar="S",
        help="for one peer to build its graph",
    )
    parser.add_argument(
        "--peer-most-arcs", type=int, metavar="M", help="instead of each peer's own limit"
    )
    parser.add_argument(
        "--limit-s", type=float, default=60.0, metavar="S", help="for all runs of one of ours"
    )
    parser.add_argument("--markdown", action="store_true", help="a table for a README")
    arguments = parser.parse_args(argv)
    console = Console()
    try:
        _compare(arguments, console)
    except TautpathError as error:
        console.error_line(error)
        return BAD_INPUT
    return 0


def _compare(arguments: argparse.Namespace, console: Console) -> None:
    graph = graph_of(arguments.graph, arguments.weights)
    device = device_of(arguments.device)
    start = (
        start_of(graph, arguments.where)
        if arguments.source is None
        else graph.vertex(arguments.source)
    )
    question = Question(graph, start if arguments.problem == "sssp" else None, device)
    _ = graph.path_bound  # every variant asks for it; the first should not pay alone
    ours = names_in(arguments.ours) if arguments.ours else ours_for(arguments.problem)
    found = our_contenders(question, ours, arguments.limit_s, console)
    names, most_s, build_s = names_in(arguments.vs), arguments.peer_limit_s, arguments.peer_build_s
    found += peer_contenders(question, names, most_s, console, arguments.peer_most_arcs, build_s)
    try:
        left = race(found, arguments.trials, console)
        limits = _limits(left, question)
    finally:
        for contender in found:
            contender.program.close()
    asked = (
        "all pairs"
        if question.source is None
        else f"from {int(graph.ids[start])} ({arguments.where})"
    )
    if arguments.source is not None:
        asked = f"from {arguments.source}"
    console.line(f"{graph.name}: {graph.n:,} vertices, {graph.m:,} arcs, {asked}")
    kernels = f"kernels on {device.name}" if device is not None else ""
    console.line(machine_line(kernels, f"Python {platform.python_version()}"))
    _print(rows(left, limits), arguments.markdown, console)
    for contender in left:
        if contender.note:
            console.line(f"{contender.name}: {contender.note}")


def _limits(contenders: Sequence[Contender], question: Question) -> dict[str, Limit]:
    """Of our kernels that were counted, on a chip whose ceilings are known."""
    chip = chip_of(question.device)
    proved = [c for c in contenders if isinstance(c.program, OurProgram) and c.verified == "yes"]
    if chip is None or not proved:
        return {}
    names, answers = (
        [c.name for c in proved],
        [c.program.answer for c in proved if isinstance(c.program, OurProgram)],
    )
    return limits_of(names, question.graph, question.source, answers[0], chip)


def _print(table: Sequence[tuple[str, ...]], markdown: bool, console: Console) -> None:
    used = len(_HEADER) if any(row[-1] for row in table) else len(_HEADER) - 2
    header, lines = _HEADER[:used], [row[:used] for row in table]
    if not markdown:
        console.table(header, lines, right=_ALIGNED)
        return
    for line in ("", header, ["---"] * used, *lines, ""):
        console.line(f"| {' | '.join(line)} |" if line else "")


if __name__ == "__main__":
    sys.exit(main())
