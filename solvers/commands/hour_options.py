"""Options of commands that weigh the roads as at an hour."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.hours import Hour
from solvers.graphs.road_changes import RoadChanges


def add_hour_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hours",
        metavar="FILE.toml|.csv|.parquet",
        help="factors of the weights by class of road, or speeds of arcs, at some hours of the "
        "day; with --at",
    )
    parser.add_argument(
        "--at",
        metavar="HH:MM",
        help="weigh all roads as at this hour of --hours; this is no time-dependent search",
    )


def parse_hour(arguments: argparse.Namespace) -> Hour | None:
    """The hour that is asked for; raises as `Hour.of`, and ParameterError for one that the
    table does not have.
    """
    if (arguments.hours is None) != (arguments.at is None):
        raise InputError("--hours and --at go together: give a table, and one of its hours.")
    if arguments.hours is None:
        return None
    hour = Hour.of(arguments.hours, arguments.at)
    hour.table.require(hour.at)
    return hour


def at_hour(graph: Graph, hour: Hour | None, console: Console) -> Graph:
    """The graph at an hour, which is told; raises as `RoadChanges.apply`."""
    if hour is None:
        return graph
    changed = RoadChanges(hour=hour).apply(graph)
    words = "all of a path is weighed as at this hour: no time-dependent search"
    more = hour.table.stands_for(graph)
    console.line(f"hour: {hour.at}; {'; '.join(filter(None, (words, more)))}")
    if left_out := hour.table.left_out(graph):
        console.error_line(f"warning: {left_out}")
    return changed
