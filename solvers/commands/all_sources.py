"""``all-sources``: eccentricity, closeness and reach of every vertex; radius, diameter and centre of the graph."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import FAILED, Console, interruptible
from solvers.commands.graphs import add_graph_options, read
from solvers.host.files import require_writable_file
from solvers.host.parquet import require_parquet
from solvers.running.all_sources.reductions import REDUCTIONS, find_reductions
from solvers.running.all_sources.request import AllSourcesRequest, Direction, find_sweep_device
from solvers.running.all_sources.runner import run_all_sources
from solvers.running.all_sources.table import write_table
from solvers.text import format_duration


def configure(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "--reduce",
        default="eccentricity,closeness",
        metavar="NAME[,NAME...]",
        help=f"what to compute: {', '.join(r.name for r in REDUCTIONS)} (default: eccentricity,closeness)",
    )
    parser.add_argument("--budget", type=float, metavar="B", help="greatest distance that counts for reach")
    parser.add_argument(
        "--direction",
        choices=[direction.value for direction in Direction],
        default=Direction.OUT.value,
        help="distances from a vertex to the others (out, the default), or to it (in)",
    )
    parser.add_argument(
        "--wasserman-faust",
        action="store_true",
        help="multiply closeness by the share of the other vertices that are reached",
    )
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="default: all cores")
    parser.add_argument(
        "--device",
        default="auto",
        metavar="cuda|opencl|auto|none",
        help="device that sweeps (default: auto, an NVIDIA GPU if there is one; none: the processor's threads)",
    )
    parser.add_argument("--csv", metavar="FILE.csv|.parquet", help="write one row a vertex")
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="keep finished vertices in FILE, and go on from those that an interrupted run has kept there",
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    reductions = find_reductions(name.strip() for name in arguments.reduce.split(","))
    device = find_sweep_device(arguments.device)
    for path in (arguments.csv, arguments.resume):
        if path:
            require_writable_file(path)
    require_parquet(arguments.csv)
    with interruptible() as token:
        request = AllSourcesRequest(
            read(arguments, console, token).graph,
            reductions,
            arguments.budget,
            Direction(arguments.direction),
            arguments.wasserman_faust,
            arguments.threads,
            device,
            Path(arguments.resume) if arguments.resume else None,
        )
        found = run_all_sources(request, lambda words: console.observer(token, words))
    for sentence in found.sentences:
        console.line(sentence)
    console.line(f"{found.verdict.text} Took {format_duration(found.seconds * 1e3)}.")
    console.line(found.note)
    if not found.verdict.verified:
        console.error_line(f"the answer is wrong: {found.verdict.text}")
        return FAILED
    if arguments.csv:
        write_table(found, Path(arguments.csv))
        console.line(f"wrote {arguments.csv}")
    return 0
