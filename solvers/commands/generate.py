"""``generate``: write a synthetic graph as a DIMACS file; the family's parameters are options."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console, interruptible
from solvers.commands.options import require_places
from solvers.graphs.generators import Generator, find, generators
from solvers.graphs.writers import write_dimacs
from solvers.text import plural


def configure(parser: argparse.ArgumentParser) -> None:
    families = parser.add_subparsers(dest="family", metavar="FAMILY", required=True)
    for family in generators():
        _configure_family(
            families.add_parser(family.id, help=family.title, description=family.idea), family
        )


def _configure_family(parser: argparse.ArgumentParser, family: Generator) -> None:
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="FILE",
        help="the .gr file to write; .gr.gz is compressed",
    )
    for parameter in family.parameters:
        parser.add_argument(
            f"--{parameter.name.replace('_', '-')}",
            dest=f"parameter:{parameter.name}",
            metavar="VALUE",
            help=(
                f"{parameter.meaning} ({parameter.describe_range()}; "
                f"default: {_shown(parameter.default)})"
            ).replace("%", "%%"),
        )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    family = find(arguments.family)
    named = {
        key.partition(":")[2]: value
        for key, value in vars(arguments).items()
        if key.startswith("parameter:")
    }
    parameters = family.settle({name: value for name, value in named.items() if value is not None})
    require_places(arguments.out)
    with interruptible() as token:
        graph = family.generate(parameters, console.progress_for(token, f"generating {family.id}"))
        console.clear_progress()
        written = write_dimacs(
            graph, Path(arguments.out), progress=console.progress_for(token, "writing")
        )
    console.line(f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}")
    console.wrote(*written)
    return 0


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
