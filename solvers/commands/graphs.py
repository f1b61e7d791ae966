"""Options of commands that read a graph file, and the reading."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console
from solvers.errors import printable
from solvers.graphs.readers import Reading, read_graph
from solvers.host.observer import CancelToken


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graph", metavar="GRAPH", help="DIMACS .gr, SNAP edge list, algs4, PACE or TIGER; plain or gzip"
    )
    parser.add_argument(
        "--coordinates", metavar="FILE", help="a DIMACS .co file (default: the one with the name of the .gr file)"
    )
    parser.add_argument("--undirected", action="store_true", help="store both arcs of every line")
    parser.add_argument(
        "--weights",
        default="column",
        metavar="unit|column|random:LO:HI:SEED",
        help="source of the weights (default: the file's column, or 1 if it has none)",
    )


def read(arguments: argparse.Namespace, console: Console, token: CancelToken) -> Reading:
    """Read the graph that the options name, with progress; raises as `read_graph`."""
    name = printable(Path(arguments.graph).name)
    reading = read_graph(
        arguments.graph,
        coordinates=arguments.coordinates,
        undirected=True if arguments.undirected else None,
        weights=arguments.weights,
        observer=console.observer(token, f"reading {name}"),
    )
    console.clear_progress()
    return reading
