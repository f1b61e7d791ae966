"""``solve`` with closed and slowed roads: the options, and the comparison with the
network as it is in the file.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from solvers.commands.console import Console
from solvers.commands.hour_options import add_hour_options, at_hour, parse_hour
from solvers.commands.solve_step import SolveFindings, SolveOptions, SolveStep
from solvers.core.result import Result
from solvers.core.variant import Answers, Variant
from solvers.errors import InputError
from solvers.features.closed_roads.differences import Differences, write_differences
from solvers.graphs.changed_arcs import CLOSED
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.graphs.searched import turn_search
from solvers.graphs.weights import exact_distance
from solvers.running.answers.answer import PathAnswer
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from solvers.system.optional_packages import require_parquet
from solvers.text import format_distance, grouped, plural

_ONCE = MeasurementPlan(warmups=0, trials=1)
_ROAD = re.compile(r"(-?\d+)([-:])(-?\d+)")


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--close",
        action="append",
        default=[],
        metavar="ID-ID",
        help="close the road between two vertices (ID:ID: in that direction only); may be repeated",
    )
    parser.add_argument(
        "--slow",
        action="append",
        default=[],
        metavar="ID-ID=FACTOR",
        help="multiply the weights of a road (ID:ID=FACTOR: "
        "in that direction only); may be repeated",
    )
    add_hour_options(parser)
    parser.add_argument(
        "--differences",
        metavar="FILE.csv|.parquet",
        help="with --close or --slow: write the distance of every vertex before "
        "and after, and the difference",
    )


def _step(arguments: argparse.Namespace, choices: Sequence[Choice]) -> SolveStep:
    changes, differences = _parse_changes(arguments), arguments.differences
    _require_comparison(changes, choices, differences)
    whole: list[Graph] = []  # at the hour, with all roads
    earlier: list[Result] = []

    def change(graph: Graph, console: Console) -> Graph:
        whole.append(at_hour(graph, changes.hour, console))
        changed = changes.apply(graph, whole[0])
        if changed.base is not None and changed.has_turns and (told := turn_search().told(changed)):
            console.line(told)
        return changed

    def before(request: RunRequest, token: CancelToken) -> None:
        earlier.extend(_solve_before(request, whole[0], token) if changes else ())

    def find(
        _: RunRequest, results: Sequence[Result], console: Console, token: CancelToken
    ) -> SolveFindings:
        found = [Comparison(one, _of_variant(one.variant, results)) for one in earlier]
        for comparison in found:
            _print_comparison(comparison, console)
        if differences:
            path = Path(differences)
            if _write_comparison(found[0] if found else None, path, console, token):
                console.wrote(path)
        return SolveFindings()

    return SolveStep(find, (differences,), changes, change, before)


OPTIONS = SolveOptions(_add, _step)


def _parse_changes(arguments: argparse.Namespace) -> RoadChanges:
    """Changes of ``--close ID-ID``, ``--slow ID-ID=FACTOR`` and ``--at``; of one road, a
    slow-down replaces a closure.

    Raises InputError for another form, or a factor that is 0, negative, infinite or not
    a number; as `parse_hour`.
    """
    roads = [_road(text, "--close ID-ID", text, CLOSED) for text in arguments.close]
    changes = RoadChanges(hour=parse_hour(arguments)).with_roads(roads)
    for text in arguments.slow:
        ends, equals, number = text.rpartition("=")
        form = "--slow ID-ID=FACTOR"
        try:
            factor = float(number)
        except ValueError:
            equals, factor = "", 1.0
        if not equals:
            raise InputError(f"{form}: the factor is missing or not a number in “{text}”.")
        road = _road(ends, form, text, 1.0)
        changes = changes.slow(factor, (road.tail, road.head), one_way=road.one_way)
    return changes


def _road(text: str, form: str, whole: str, factor: float) -> RoadChange:
    found = _ROAD.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{form} takes the ids of two vertices, with - between them for both directions or : "
            f"for one; “{whole}” is neither."
        )
    return RoadChange(int(found[1]), int(found[3]), factor, one_way=found[2] == ":")


def _require_comparison(
    changes: RoadChanges, choices: Sequence[Choice], differences: str | None
) -> None:
    """Check that the differences that ``--differences`` writes can be computed; raises
    `InputError`.
    """
    require_parquet(differences)
    if differences and not changes:
        raise InputError("--differences compares with changed roads: give --close or --slow.")
    if differences and _comparing(choices) is None:
        raise InputError(
            "--differences needs a variant that computes the distances "
            "of all vertices from the source."
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """The answer on the network as it is in the file, and on the changed one."""

    before: Result
    after: Result | None  # of the same variant; None if it was not solved

    @property
    def differences(self) -> Differences | None:
        """For every vertex; None if one side is not solved and proved, or does not have
        all distances.
        """
        before, after = self.before, self.after
        if (
            after is None
            or not (before.ok and after.ok)
            or before.variant.answers is not Answers.SSSP
        ):
            return None
        if before.distances is None or after.distances is None:
            return None
        return Differences(before.graph, before.distances, after.distances)


def _solve_before(request: RunRequest, graph: Graph, token: CancelToken) -> Iterable[Result]:
    """Solve once on ``graph``, without the changes, by the first variant that computes
    all distances, or the first.

    Nothing if there is no source: all pairs are not compared.
    """
    choice = _comparing(request.choices) or request.choices[0]
    if request.source is None or choice.variant.answers is Answers.APSP:
        return ()
    once = replace(request, graph=graph, choices=(choice,), plan=_ONCE, trace=False)
    return islice(run(once, cancel=token), 1)


def _of_variant(variant: Variant, results: Sequence[Result]) -> Result | None:
    return next((result for result in results if result.variant is variant), None)


def _print_comparison(comparison: Comparison, console: Console) -> None:
    """Print path and length before and after, and the difference."""
    before, after = comparison.before, comparison.after
    if after is None or not (before.ok and after.ok):
        failed = before if not before.ok else after
        console.line(f"before and after: not compared: {failed.error if failed else 'not solved'}")
        return
    if before.target is not None:
        console.line(f"before: {_path(before)}")
        console.line(f"after:  {_path(after)}")
        console.line(f"difference: {_difference(before, after)}")
    if (differences := comparison.differences) is not None:
        console.line(f"all vertices: {differences.text}")


def _write_comparison(
    comparison: Comparison | None, path: Path, console: Console, token: CancelToken
) -> bool:
    """Write the differences of all vertices; False, with a line that says so, if there are none."""
    differences = None if comparison is None else comparison.differences
    if differences is None:
        console.error_line(
            f"{path} is not written: no variant that computes all "
            "distances was solved on both sides."
        )
        return False
    write_differences(differences, path, console.progress_for(token, f"writing {path.name}"))
    console.clear_progress()
    return True


def _comparing(choices: Sequence[Choice]) -> Choice | None:
    return next((choice for choice in choices if choice.variant.answers is Answers.SSSP), None)


def _path(result: Result) -> str:
    answer = PathAnswer.of_result(result)
    if answer is None or answer.path is None:
        return "the target cannot be reached"
    return f"{plural(len(answer.path), 'vertex', 'vertices')}, {answer.parts[0]}"


def _difference(before: Result, after: Result) -> str:
    assert before.distances is not None
    assert after.distances is not None
    assert before.target is not None
    was = exact_distance(before.distances, before.target)
    is_now = exact_distance(after.distances, before.target)
    if was == is_now:
        same = (
            before.path is not None
            and after.path is not None
            and list(before.path) == list(after.path)
        )
        return "none" if before.path is None or same else "none, by another path"
    if is_now == float("inf"):
        return "the target is cut off"
    if was == float("inf"):
        return "the target has become reachable"
    sign, word = ("+", "more") if is_now > was else ("", "less")
    words = f"{format_distance(abs(is_now - was), after.graph.weight_unit)} {word}"
    return f"{words} ({sign}{grouped(100 * (is_now / was - 1), '.1f')} %)" if was > 0 else words
