"""``solve --alternatives``: the shortest path and alternatives to it, found by a hierarchy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from solvers.commands.console import Console
from solvers.commands.solve_step import SolveFindings, SolveOptions, SolveStep
from solvers.core.result import Result
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.parameters import require_whole
from solvers.running.answers.answer import ALTERNATIVES, PathAnswer, path_of
from solvers.running.request import Choice, RunRequest
from solvers.running.ways import MOST_ALTERNATIVES, FoundWays
from solvers.system.cancel import CancelToken, Progress
from solvers.units import to_public_unit


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--alternatives",
        type=int,
        metavar="K",
        help=f"also find up to K ways from source to target beside the shortest, 1 to "
        f"{MOST_ALTERNATIVES}; --path then writes them all, one track each",
    )


def _step(arguments: argparse.Namespace, _: Sequence[Choice]) -> SolveStep:
    count = arguments.alternatives
    if count is not None:
        require_whole("solve", "alternatives", count, 1, MOST_ALTERNATIVES)
        if arguments.source is None or arguments.target is None:
            raise InputError(
                "--alternatives are ways from a source to a target: "
                "give --source ID and --target ID."
            )

    def find(
        request: RunRequest, _: Sequence[Result], console: Console, token: CancelToken
    ) -> SolveFindings:
        if count is None:
            return SolveFindings({"alternatives": None})
        ways = _find(request, count, console.progress_for(token, "finding alternatives"))
        console.clear_progress()
        _show(request.graph, ways, console)
        described = _described(request.graph, ways)
        paths = PathAnswer.of_ways(request.graph, ways, ALTERNATIVES)
        return SolveFindings({"alternatives": described}, tuple(paths))

    return SolveStep(find)


OPTIONS = SolveOptions(_add, _step)


def _find(request: RunRequest, count: int, progress: Progress) -> FoundWays:
    """Raises NegativeCycle, UnsuitableGraph, Cancelled."""
    # Imported here because few ask for them: hierarchies take half as long to import as the rest.
    from solvers.features.alternatives.ways import by_other_weights, find_ways, with_others
    from solvers.running.prepared_network import network_as_possible

    assert request.source is not None
    assert request.target is not None
    state = network_as_possible(request.graph, progress)
    ways = find_ways(state, request.source, request.target, count)
    return with_others(ways, state, by_other_weights(state))


def _show(graph: Graph, ways: FoundWays, console: Console) -> None:
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


def _described(graph: Graph, ways: FoundWays) -> dict[str, object]:
    """The ways for ``--json``, lengths in the public unit of the weights."""
    return {
        "note": ways.note,
        "ways": [_described_way(one) for one in PathAnswer.of_ways(graph, ways, ALTERNATIVES)],
    }


def _described_way(answer: PathAnswer) -> dict[str, object]:
    graph = answer.graph
    return {
        "way": answer.way,
        "distance": to_public_unit(answer.length, graph.weight_unit),
        "shared": answer.shared,
        "path": [graph.vertex_id(vertex) for vertex in path_of(answer).tolist()],
        "path_sums": answer.sums,
    }
