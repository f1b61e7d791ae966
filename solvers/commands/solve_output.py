"""Output of ``solve``: the results as text, and the options and files for the path and
the distances of the answer.

The text is the problem, a table with one row per variant, and the path.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from solvers.commands.console import Console
from solvers.core.result import Result
from solvers.core.result_view import NOTHING, ResultView, first_right, speed_up
from solvers.core.samples import Ratio
from solvers.core.variant import Answers
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadPoint
from solvers.graphs.route import place_text
from solvers.graphs.weights import to_float
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, distance_cell, require_path
from solvers.running.answers.fastest import fastest
from solvers.running.answers.table import MAP_KINDS, PATH_KINDS, distances_table, path_table
from solvers.running.answers.write import require_places, require_writable_kind, write_answer
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.system.cancel import CancelToken
from solvers.system.files import replace_atomically, save_array
from solvers.text import format_count, format_duration, format_ratio, plural
from solvers.units import public_unit, to_public_unit

_HEADER = (
    "id",
    "variant",
    "median",
    "95 % interval",
    "min – max",
    "trials",
    "cold",
    "prepared",
    "solve",
    "speed-up",
    "iterations",
    "relaxed",
    "proved",
    "distance",
)
_ALIGNMENT = "  rrrrrrrrrr r"
_MARK = " *"

_MATRIX = ".npy"


NO_DISTANCES = "no variant that computes all distances was solved and verified"


def describe_problem(request: RunRequest) -> str:
    """One line on the problem: graph, source and target, trials, device."""
    graph = request.graph
    parts = [f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"]
    if request.source is not None:
        to = "" if request.target is None else f" to {place_text(graph, request.target)}"
        parts.append(f"from {place_text(graph, request.source)}{to}")
    parts.append(_describe_plan(request.plan))
    if request.device is not None:
        parts.append(f"kernels on {request.device.name}")
    return "; ".join(parts)


def _describe_plan(plan: MeasurementPlan) -> str:
    warmups = "warm-ups as needed" if plan.warmups is None else plural(plan.warmups, "warm-up")
    trials = (
        f"up to {plural(plan.most, 'trial')}"
        if plan.trials is None
        else plural(plan.trials, "trial")
    )
    limit = "" if math.isinf(plan.limit_s) else f", {plan.limit_s:g} s a variant at most"
    warm = ", the graph stays on the device" if plan.warm_graph else ""
    return f"{trials} after {warmups}{limit}{warm}"


def described(
    request: RunRequest,
    results: Sequence[Result],
    points: Sequence[RoadPoint | None] = (None, None),
) -> dict[str, object]:
    """The problem and its results for ``--json``; times in milliseconds, lengths in the
    public unit of the weights.
    """
    graph, baseline = request.graph, first_right(results)
    return {
        **graph_facts(graph),
        "source": None if request.source is None else graph.vertex_id(request.source),
        "target": None if request.target is None else graph.vertex_id(request.target),
        "points": [None if point is None else point.described(graph) for point in points],
        "results": [_described(result, baseline) for result in results],
    }


def graph_facts(graph: Graph) -> dict[str, object]:
    """What tells a graph from others, for ``--json``."""
    return {
        "graph": graph.name,
        "graph_sha256": graph.sha256,
        "vertices": graph.n,
        "arcs": graph.m,
        "directed": graph.directed,
        "weight_unit": public_unit(graph.weight_unit),
        "hour": graph.overlay.hour or None,
        "interpretation": graph.interpretation,
    }


def _described(result: Result, baseline: Result | None) -> dict[str, object]:
    path, view, answer = result.path, ResultView(result), PathAnswer.of_result(result)
    length = None if answer is None or math.isinf(answer.length) else answer.length
    return {
        "variant": result.variant.id,
        "parameters": dict(result.parameters),
        "device": result.device_name,
        "status": result.status,
        "error": result.error,
        "verified": result.verdict is not None and result.verdict.verified,
        "verdict": "" if result.verdict is None else result.verdict.text,
        "median_ms": result.median(),
        "interval_ms": result.confidence(),
        "speed_up": _described_ratio(speed_up(result, baseline)),
        "chosen": view.chosen,
        "solve_ms": result.median("solve"),
        "cold_ms": result.cold_ms,
        "preparation_ms": view.preparation_ms,
        "times_ms": result.times(),
        "iterations": result.iterations,
        "relaxations": result.relaxations,
        "distance": None if length is None else to_public_unit(length, result.graph.weight_unit),
        "path": None
        if path is None
        else [result.graph.vertex_id(vertex) for vertex in path.tolist()],
        "path_sums": None if path is None or answer is None else answer.sums,
        "note": result.note,
        "disturbances": [disturbance.words for disturbance in view.disturbances],
    }


def _described_ratio(ratio: Ratio | None) -> dict[str, object] | None:
    return None if ratio is None else {**asdict(ratio), "differs": ratio.differs}


def print_results(results: Sequence[Result], console: Console) -> None:
    """Print one row per variant, notes, which one is the fastest, and the path.

    "median", its 95 % confidence interval and "min – max" are of total times, including
    copies; "cold" is the first start, including compilation; "prepared" is the longest
    preparation, such as of a hierarchy that was made. A mark beside the median
    refers to a line below the table, which names possible disturbances of the times.
    """
    baseline = first_right(results)
    console.table(_HEADER, [_row(result, baseline) for result in results], right=_ALIGNMENT)
    for result in results:
        if result.note:
            console.line(f"{result.variant.id}: {result.note}")
    for result in results:
        if result.graph_upload_ms is not None:
            console.line(f"{result.variant.id}: {warm_graph_words(result.graph_upload_ms)}")
    for result in results:
        if disturbances := ResultView(result).disturbances:
            console.line(f"*{result.variant.id}: {' '.join(d.words for d in disturbances)}")
    found = fastest(results, baseline, "total")
    if found is not None and found.rival is not None:
        console.line(found.sentence())
    _print_path(results, console)


def warm_graph_words(upload_ms: float) -> str:
    """A sentence on a graph that stayed on the device."""
    upload = format_duration(upload_ms)
    return (
        "The graph stayed on the device; the times do not contain its "
        f"upload, which took {upload} once."
    )


def _row(result: Result, baseline: Result | None) -> tuple[str, ...]:
    view, solve = ResultView(result), ResultView(result, "solve")
    up, mark = speed_up(result, baseline), _MARK if view.disturbances else " " * len(_MARK)
    return (
        result.variant.id,
        f"{result.variant.full_title}{view.remark()}",
        view.median_text + mark,
        view.interval_text,
        view.range_text,
        format_count(view.trials),
        NOTHING if result.cold_ms is None else format_duration(result.cold_ms),
        format_duration(view.preparation_ms) if view.preparation_ms else NOTHING,
        solve.median_text,
        NOTHING if up is None else format_ratio(up.value),
        NOTHING if result.iterations is None else format_count(result.iterations),
        NOTHING if result.relaxations is None else format_count(result.relaxations),
        view.proof_cell,
        distance_cell(result),
    )


def _print_path(results: Sequence[Result], console: Console) -> None:
    """Print the first path found, or that there is none."""
    for result in results:
        answer = PathAnswer.of_result(result)
        if answer is not None and answer.path is not None:
            vertices = plural(len(answer.path), "vertex", "vertices")
            console.line(f"path: {', '.join((vertices, *answer.parts))}")
            return
    for result in results:
        if result.ok and result.source is not None and result.target is not None:
            source, target = (
                place_text(result.graph, vertex) for vertex in (result.source, result.target)
            )
            console.line(f"path: {target} cannot be reached from {source}")
            return


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--distances",
        metavar="FILE.npy|.csv|.parquet|.geojson",
        help=(
            "write the first variant's distances: .npy float64, inf if unreachable; the others one "
            "row per vertex, with its id, coordinates, distance and predecessor"
        ),
    )
    parser.add_argument(
        "--path",
        metavar="FILE.geojson|.gpx|.csv|.parquet",
        help="write the path to the target along the curves of its roads",
    )


def require_kinds(arguments: argparse.Namespace, choices: Sequence[Choice]) -> None:
    """Check names and question before the graph is read; raises ParameterError,
    PackageMissing, InputError.
    """
    if arguments.path:
        require_writable_kind(Path(arguments.path), PATH_KINDS)
        if arguments.source is None or arguments.target is None:
            raise InputError(
                "--path writes the path from a source to a target: "
                "give --source ID and --target ID."
            )
    if arguments.distances and Path(arguments.distances).suffix:
        require_writable_kind(Path(arguments.distances), (_MATRIX, *MAP_KINDS))
    if arguments.distances and not _is_matrix(arguments.distances):
        if all(choice.variant.answers is Answers.TARGET for choice in choices):
            raise InputError(
                "--distances needs a variant that computes the distances of all vertices."
            )
        if arguments.source is None:
            raise InputError(
                "--distances writes a table of the distances from one source: give --source ID, "
                f"or a name that ends in {_MATRIX} for the matrix of all pairs."
            )


def require_coordinates(arguments: argparse.Namespace, graph: Graph) -> None:
    """Check that the graph has what the files need, before anything is solved: coordinates."""
    for name in (arguments.path, arguments.distances):
        if name:
            require_places(graph, Path(name))


def write_answers(
    results: Sequence[Result],
    arguments: argparse.Namespace,
    console: Console,
    token: CancelToken,
    paths: Sequence[PathAnswer] = (),
) -> tuple[Path, ...]:
    """Write the requested files, and report why others have no answer; returns those
    written. ``paths`` are written in place of the path.
    """
    written = []
    if arguments.distances:
        path = Path(arguments.distances)
        if (result := first_with_distances(results)) is None:
            console.error_line(f"{path} is not written: {NO_DISTANCES}.")
        else:
            _write_distances(result, path, arguments, console, token)
            written.append(path)
    if arguments.path:
        path = Path(arguments.path)
        try:
            first = _first_with_path(results)
            found = paths or [require_path(PathAnswer.of_result(first), first)]
        except InputError as error:
            console.error_line(f"{path} is not written. {error}")
        else:
            progress = console.progress_for(token, f"writing {path.name}")
            table = path_table(found)
            written.append(write_answer(table, path, progress, plain=arguments.csv_plain))
    console.clear_progress()
    return tuple(written)


def _write_distances(
    result: Result, path: Path, arguments: argparse.Namespace, console: Console, token: CancelToken
) -> None:
    if _is_matrix(path.name):
        assert result.distances is not None  # `first_with_distances` looked
        with replace_atomically(path) as temporary:
            save_array(
                temporary, to_public_unit(to_float(result.distances), result.graph.weight_unit)
            )
    else:
        progress = console.progress_for(token, f"writing {path.name}")
        table = distances_table(DistancesAnswer.of_result(result))
        write_answer(table, path, progress, plain=arguments.csv_plain)


def first_with_distances(results: Sequence[Result]) -> Result | None:
    """The first that was solved and verified, and computes all distances."""
    usable = (
        r
        for r in results
        if r.ok and r.variant.answers is not Answers.TARGET and r.distances is not None
    )
    return next(usable, None)


def _first_with_path(results: Sequence[Result]) -> Result:
    """The first with a path; without one the first that was solved and verified, or
    else the first.
    """
    return min(results, key=lambda result: (result.path is None, not result.ok))


def _is_matrix(name: str) -> bool:
    """Whether the array alone is written: under a name without an ending too."""
    return Path(name).suffix.lower() not in MAP_KINDS
