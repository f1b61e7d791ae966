"""``convert``: read a graph in any format and write it in another, by the name of the output."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console, interruptible
from solvers.commands.options import add_graph_options, read
from solvers.graphs.writers import TURNS_LEFT_OUT, write_graph
from solvers.system.files import require_writable_file
from solvers.text import plural


def configure(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument(
        "out",
        metavar="OUT",
        help="the file to write: .gr (DIMACS), .mtx (Matrix Market), .graphml, or .txt, .edges, "
        ".edgelist (edge list); .gz after it compresses",
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    require_writable_file(arguments.out)
    with interruptible() as token:
        reading = read(arguments, console, token)
        written = write_graph(reading.graph, arguments.out, console.progress_for(token, "writing"))
        console.clear_progress()
    graph = reading.graph
    if graph.has_turns:
        console.error_line(TURNS_LEFT_OUT)
    console.line(f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}")
    console.wrote(*written)
    return 0
