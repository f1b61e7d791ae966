"""What several commands share: options of a graph file, and checks of output paths."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from solvers.commands.console import Console
from solvers.graphs.readers import Reading, ReadingOptions, read_graph
from solvers.graphs.readers.formats import FORMATS_READ, NETWORKS, WITH_ATTRIBUTES
from solvers.graphs.reading import SEPARATORS
from solvers.graphs.turn_rules import COSTS, IGNORE, RESTRICTIONS, TurnCosts
from solvers.system.cancel import CancelToken
from solvers.system.files import require_writable_file, require_writable_folder
from solvers.text import listed, printable


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option(
        "graph",
        metavar="GRAPH",
        help=f"{listed([form.short for form in FORMATS_READ])}; texts plain or gzip",
    )
    option(
        "--coordinates",
        metavar="FILE",
        help="a DIMACS .co file (default: the one with the name of the .gr file)",
    )
    option("--undirected", action="store_true", help="store both arcs of every line")
    networks = " or ".join(form.short for form in FORMATS_READ if form.network)
    option(
        "--weights",
        default="column",
        metavar="unit|column|metres|seconds|random:LO:HI:SEED",
        help="source of the weights (default: the file's column, "
        f"or 1 if it has none{networks and f'; {networks}: seconds'})",
    )
    _add_network_options(parser, networks)
    option(
        "--attribute",
        default="",
        metavar="NAME",
        help=f"attribute of edges that holds the weight, in {WITH_ATTRIBUTES} "
        "(default: weight or, without it, the only length, time or cost)",
    )
    option(
        "--join",
        default="",
        metavar="METRES",
        help="join line ends of GeoJSON that are at most so far from another line, such as 1m "
        "(default: only where lines share a point)",
    )
    option(
        "--columns",
        default="",
        metavar="SOURCE,TARGET[,WEIGHT]",
        help="columns of a table of edges, CSV or Parquet, by title or by number from 1 "
        "(default: found by the titles)",
    )
    option(
        "--separator",
        default="",
        choices=SEPARATORS,
        help="what separates the cells of a table (default: detected)",
    )
    option(
        "--header",
        default="",
        choices=("yes", "no"),
        help="whether the first row of a table holds titles (default: detected)",
    )


def _add_network_options(parser: argparse.ArgumentParser, networks: str) -> None:
    """Options of road networks; none where no format of ``networks`` is read."""
    parser.set_defaults(profile="", largest_part=False, turns="")
    if not networks:
        return
    option, profiles = parser.add_argument, [name for form in NETWORKS for name, _ in form.profiles]
    option(
        "--profile",
        default="",
        choices=profiles,
        help=f"means of travel in a network of {networks} (default: {profiles[0]})",
    )
    option(
        "--largest-part",
        action="store_true",
        help=f"leave out what is not connected with the largest part of a network of {networks}",
    )
    option(
        "--turns",
        default="",
        metavar=f"{RESTRICTIONS}|{COSTS}[:NAME=SECONDS,...]|{IGNORE}",
        help=f"turns of a network of {networks}: the restrictions of its file (default), these "
        f"and what turns cost ({TurnCosts()}), or none",
    )


def reading_options(arguments: argparse.Namespace) -> ReadingOptions:
    """How the file is read; the path of its coordinates is absolute."""
    return ReadingOptions(
        coordinates=os.path.abspath(arguments.coordinates) if arguments.coordinates else "",
        undirected=arguments.undirected or None,
        weights=arguments.weights,
        profile=arguments.profile,
        largest_part=arguments.largest_part,
        columns=arguments.columns,
        separator=arguments.separator,
        header={"": None, "yes": True, "no": False}[arguments.header],
        attribute=arguments.attribute,
        join=arguments.join,
        turns=arguments.turns,
    )


def read(
    arguments: argparse.Namespace, console: Console, token: CancelToken, *, told: bool = True
) -> Reading:
    """Read the graph that the options name, with progress; raises as `read_graph`.

    Prints how it was read, unless not ``told``, and warnings to the standard error.
    """
    name = printable(Path(arguments.graph).name)
    progress = console.progress_for(token, f"reading {name}")
    reading = read_graph(arguments.graph, reading_options(arguments), progress)
    console.clear_progress()
    for warning in reading.report.warnings:
        console.error_line(f"warning: {name}: {warning}")
    if told and reading.graph.interpretation is not None:
        console.line(reading.graph.interpretation.line)
    return reading


def require_places(*files: str | None, folders: Iterable[str | None] = ()) -> None:
    """Check, before anything is computed, that the named output files and folders are writable."""
    for folder in filter(None, folders):
        require_writable_folder(folder)
    for file in filter(None, files):
        require_writable_file(file)
