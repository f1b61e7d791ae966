"""``info``: print the read report of a graph file, with its warnings."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import asdict

from solvers.commands.console import Console, add_json_option, interruptible
from solvers.commands.options import add_graph_options, read
from solvers.commands.solve_output import graph_facts
from solvers.errors import TurnsNotSearched
from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading
from solvers.graphs.searched import searched_graph, searched_text
from solvers.graphs.turn_rules import TurnRules
from solvers.text import format_count, format_distance, format_duration, plural
from solvers.units import to_public_unit


def configure(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    add_json_option(parser, "an object")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    with interruptible() as token:
        reading = read(arguments, console, token, told=False)
    if arguments.json:
        console.json(_described(reading))
        return 0
    facts = _facts(reading)
    width = max(len(name) for name, _ in facts)
    for name, fact in facts:
        console.line(f"{name.ljust(width)}  {fact}")
    return 0


def _described(reading: Reading) -> dict[str, object]:
    graph, report = reading.graph, reading.report
    unit = graph.weight_unit

    def public(bound: float) -> int | float:
        value = to_public_unit(bound, unit)
        return int(value) if graph.weight_type.is_integer and value == int(value) else value

    return asdict(report) | {
        **graph_facts(graph),
        "weight_type": graph.weight_type.name,
        "least_weight": public(report.least_weight),
        "greatest_weight": public(report.greatest_weight),
        "zero_arcs": _zero_arcs(graph),
        "turns": None if graph.turns is None else _turns(graph, graph.turns),
    }


def _zero_arcs(graph: Graph) -> int:
    """Arcs that make no path longer."""
    return int((graph.weights == 0).sum())


def _turns(graph: Graph, rules: TurnRules) -> dict[str, object]:
    size: tuple[int | None, int | None] = None, None
    with suppress(TurnsNotSearched):
        searched = searched_graph(graph).searched
        size = searched.n, searched.m
    return asdict(rules.report) | {
        "refused": [{"relation": one, "reason": reason} for one, reason in rules.report.refused],
        "searched_vertices": size[0],
        "searched_arcs": size[1],
    }


def _facts(reading: Reading) -> list[tuple[str, str]]:
    graph, report = reading.graph, reading.report
    weights = "none: there are no arcs, so each vertex reaches itself alone"
    if graph.m:
        bounds = (report.least_weight, report.greatest_weight)
        least, greatest = (
            format_distance(to_public_unit(bound, graph.weight_unit)) for bound in bounds
        )
        weights = least if least == greatest else f"{least} to {greatest}"
        weights += f" ({graph.weight_type.name}; {report.weights_from})"
    facts = [
        ("graph", graph.name),
        ("format", report.format),
        ("vertices", format_count(graph.n)),
        (
            "arcs",
            format_count(graph.m)
            + ("" if graph.directed else " (undirected: both arcs of every edge)"),
        ),
        ("weights", weights),
        ("read as", "" if graph.interpretation is None else graph.interpretation.line),
        ("turns", searched_text(graph)),
        ("coordinates", report.coordinates_from or "none"),
        (
            "special arcs",
            (
                f"{plural(report.self_loops, 'self-loop')}, "
                f"{format_count(report.parallel_arcs)} parallel"
                + (f", {format_count(zero)} of weight 0" if (zero := _zero_arcs(graph)) else "")
            ),
        ),
        ("read in", format_duration(report.seconds * 1e3)),
        ("sha256", graph.sha256),
    ]
    facts = [(name, value) for name, value in facts if value]
    if graph.has_labels:
        few = ", ".join(graph.vertex_label(vertex) for vertex in range(min(3, graph.n)))
        facts.insert(3, ("vertex names", few + (", …" if graph.n > 3 else "")))
    elif graph.n:
        facts.insert(3, ("vertex ids", f"{int(graph.ids[0])} to {int(graph.ids[-1])}"))
    if report.negative_arcs:
        facts.insert(-2, ("negative", plural(report.negative_arcs, "arc")))
    return facts
