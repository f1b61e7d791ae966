"""Options of commands that read a graph file, and the reading."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console
from solvers.errors import printable
from solvers.graphs.readers import NetworkOptions, Reading, TableOptions, read_graph
from solvers.graphs.readers.edge_tables.options import SEPARATORS
from solvers.graphs.readers.network_options import PROFILES
from solvers.host.observer import CancelToken


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graph",
        metavar="GRAPH",
        help="DIMACS .gr, edge list, algs4, PACE, TIGER, GraphML, GEXF, GML, Pajek, node-link JSON or Matrix Market, "
        "plain or gzip; CSV or Parquet table of edges; .npz of SciPy; OpenStreetMap .osm.pbf, .osm, .osm.bz2",
    )
    parser.add_argument(
        "--coordinates", metavar="FILE", help="a DIMACS .co file (default: the one with the name of the .gr file)"
    )
    parser.add_argument("--undirected", action="store_true", help="store both arcs of every line")
    parser.add_argument(
        "--weights",
        default="column",
        metavar="unit|column|metres|seconds|random:LO:HI:SEED",
        help="source of the weights (default: the file's column, or 1 if it has none; OpenStreetMap: seconds)",
    )
    parser.add_argument(
        "--profile", default="", choices=PROFILES, help="who travels in an OpenStreetMap network (default: car)"
    )
    parser.add_argument(
        "--largest-part",
        action="store_true",
        help="leave out what is not connected with the largest part of an OpenStreetMap network",
    )
    parser.add_argument(
        "--attribute",
        default="",
        metavar="NAME",
        help="attribute of edges that holds the weight, in GraphML, GEXF, GML and node-link JSON (default: the first "
        "of weight, length, cost, distance and value)",
    )
    parser.add_argument(
        "--columns",
        default="",
        metavar="SOURCE,TARGET[,WEIGHT]",
        help="columns of a table of edges, CSV or Parquet, by title or by number from 1 (default: as the titles say)",
    )
    parser.add_argument(
        "--separator", default="", choices=SEPARATORS, help="what separates the cells of a table (default: as it seems)"
    )
    parser.add_argument(
        "--header",
        default="",
        choices=("yes", "no"),
        help="whether the first row of a table holds titles (default: as it seems)",
    )


def table_options(arguments: argparse.Namespace) -> TableOptions:
    header = {"": None, "yes": True, "no": False}[arguments.header]
    return TableOptions(arguments.columns, arguments.separator, header)


def read(arguments: argparse.Namespace, console: Console, token: CancelToken) -> Reading:
    """Read the graph that the options name, with progress; raises as `read_graph`."""
    name = printable(Path(arguments.graph).name)
    reading = read_graph(
        arguments.graph,
        coordinates=arguments.coordinates,
        undirected=True if arguments.undirected else None,
        weights=arguments.weights,
        network=NetworkOptions(arguments.profile, arguments.largest_part),
        table=table_options(arguments),
        attribute=arguments.attribute,
        observer=console.observer(token, f"reading {name}"),
    )
    console.clear_progress()
    return reading
