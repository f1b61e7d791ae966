"""``degrees``: print how many vertices have each number of outgoing arcs."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console, add_json_option, interruptible
from solvers.commands.options import add_graph_options, read
from solvers.features.degrees.counts import HEADER, count_degrees


def configure(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    add_json_option(parser, "an object, vertices by outgoing arcs")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    with interruptible() as token:
        counts = count_degrees(read(arguments, console, token, told=False).graph)
    if arguments.json:
        degrees, vertices = counts.degrees.tolist(), counts.vertices.tolist()
        console.json(dict(zip(map(str, degrees), vertices, strict=True)))
        return 0
    console.line(counts.summary)
    console.table(HEADER, counts.rows(), right="rrr")
    return 0
