"""``solve --alternatives``: the shortest path and alternatives to it, found by a hierarchy."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console
from solvers.errors import InputError, OrderFailed, OutOfMemory, SeparatorsTooLarge, Unavailable
from solvers.graphs.graph import Graph
from solvers.parameters import require_whole
from solvers.running.answers.answer import ALTERNATIVES, PathAnswer, path_of
from solvers.running.request import RunRequest
from solvers.running.ways import MOST_ALTERNATIVES, FoundWays
from solvers.system.cancel import Progress
from solvers.units import to_public_unit


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--alternatives",
        type=int,
        metavar="K",
        help=f"also find up to K ways from source to target beside the shortest, 1 to "
        f"{MOST_ALTERNATIVES}; --path then writes them all, one track each",
    )


def require(arguments: argparse.Namespace) -> None:
    """Check the option before the graph is read; raises ParameterError, InputError."""
    if arguments.alternatives is None:
        return
    require_whole("solve", "alternatives", arguments.alternatives, 1, MOST_ALTERNATIVES)
    if arguments.source is None or arguments.target is None:
        raise InputError(
            "--alternatives are ways from a source to a target: give --source ID and --target ID."
        )


def find(request: RunRequest, count: int | None, progress: Progress) -> FoundWays | None:
    """The ways that are asked for; None if none are. Raises NegativeCycle,
    UnsuitableGraph, Cancelled.
    """
    if count is None or request.source is None or request.target is None:
        return None
    # Imported here because few ask for them: hierarchies take half as long to import as the rest.
    from solvers.running.alternatives import by_other_weights, find_ways, with_others
    from solvers.running.prepared_network import network_with_hierarchy, searched_network

    try:
        state = network_with_hierarchy(request.graph, progress)
    except (SeparatorsTooLarge, OutOfMemory, OrderFailed, Unavailable):
        state = searched_network(request.graph)
    ways = find_ways(state, request.source, request.target, count)
    return with_others(ways, state, by_other_weights(state))


def show(graph: Graph, ways: FoundWays, console: Console) -> None:
    """Print a row for each way, and what they are."""
    if not ways.ways:
        return
    answers = PathAnswer.of_ways(graph, ways, ALTERNATIVES)
    first = answers[0]
    also = ("also",) if first.measures else ()
    header = ("way", first.quantity, *also, "difference", "shared", "arcs")
    rows = [(answer.way, *answer.cells(first)) for answer in answers]
    console.table(header, rows, right=" rrrrr")
    console.line(ways.note)


def described(graph: Graph, ways: FoundWays | None) -> dict[str, object] | None:
    """The ways for ``--json``, lengths in the public unit of the weights."""
    if ways is None:
        return None
    return {
        "note": ways.note,
        "ways": [_described(answer) for answer in PathAnswer.of_ways(graph, ways, ALTERNATIVES)],
    }


def _described(answer: PathAnswer) -> dict[str, object]:
    graph = answer.graph
    return {
        "way": answer.way,
        "distance": to_public_unit(answer.length, graph.weight_unit),
        "shared": answer.shared,
        "path": [graph.vertex_id(vertex) for vertex in path_of(answer).tolist()],
        "path_sums": answer.sums,
    }
