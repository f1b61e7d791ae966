"""``solve``: run variants on a graph file, print their comparison, and write tables,
distances and a picture.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Hashable, Sequence
from pathlib import Path

from solvers.commands.console import Console, add_json_option, exit_status, interruptible
from solvers.commands.options import add_graph_options, read, reading_options, require_places
from solvers.commands.solve_output import (
    add_answer_options,
    describe_problem,
    described,
    print_results,
    require_coordinates,
    require_kinds,
    write_answers,
)
from solvers.commands.solve_step import SolveStep, solve_options
from solvers.core.result import Result, Status
from solvers.core.variant import Answers, Variant, find_variant
from solvers.errors import FileNotWritten, InputError, UnknownName
from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadPoint, with_places
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.search import Spot, find
from solvers.graphs.writers import TURNS_LEFT_OUT, write_dimacs
from solvers.program import typed_command
from solvers.running.estimate import estimate_run
from solvers.running.kept_run import GraphSource
from solvers.running.records import write_all
from solvers.running.request import (
    ADAPTIVE,
    Choice,
    MeasurementPlan,
    RunFollower,
    RunListener,
    RunProgress,
    RunRequest,
    find_device,
)
from solvers.running.run import followed_run, new_run_id
from solvers.system.cancel import CancelToken
from solvers.text import quoted

PICTURE_ENDINGS = (".png", ".svg")


def configure(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    add_graph_options(parser)
    option(
        "--variants",
        "--variant",
        metavar="ID[,ID...]",
        help="what to run; the first is the baseline",
    )
    option(
        "--source",
        metavar="ID",
        help="source vertex, by the file's id; of a map also coordinates, as “47.14, 9.52”, and "
        "names of places: the nearest point of a road, or, where roads are changed, the nearest "
        "vertex; and names of streets (not needed for all pairs)",
    )
    option(
        "--target", metavar="ID", help="target vertex, as --source: its distance and the path to it"
    )
    option(
        "--set",
        action="append",
        default=[],
        metavar="ID.PARAM=VALUE",
        help="set a parameter of a variant; may be repeated",
    )
    option(
        "--device",
        default="auto",
        metavar="cuda|opencl|auto",
        help="device that runs kernels (default: auto)",
    )
    option(
        "--trials",
        type=int,
        metavar="N",
        help="timed runs of each variant (default: until the median is precise)",
    )
    option(
        "--warmups",
        "--warmup",
        type=int,
        metavar="N",
        help="untimed runs before them (default: until two agree within 5 %%)",
    )
    option(
        "--time-limit",
        type=float,
        metavar="S",
        help="begin no further run of a variant after S seconds (default: 10; "
        "without a limit if --trials is given)",
    )
    option(
        "--most-trials",
        type=int,
        default=ADAPTIVE.most_trials,
        metavar="N",
        help=f"without --trials, stop after N timed runs (default: {ADAPTIVE.most_trials})",
    )
    option(
        "--precision",
        type=_per_cent,
        default=100 * ADAPTIVE.precision,
        metavar="P",
        help="without --trials, stop when the 95 %% confidence interval of the median is within P "
        "per cent of it (default: 3)",
    )
    option(
        "--warm-graph",
        action="store_true",
        help="keep the graph on the device between the trials of a variant: "
        "they copy only the source and the answer",
    )
    option("--trace", action="store_true", help="trace one more run of each, for iterations.csv")
    option(
        "--csv",
        metavar="DIR",
        help="write trials.csv and summary.csv (and iterations.csv); "
        "with a number in the name if they exist",
    )
    option(
        "--csv-plain",
        action="store_true",
        help="write texts that begin with =, +, - or @ as they are; "
        "by default an apostrophe before them keeps spreadsheets from running them as formulas",
    )
    add_answer_options(parser)
    option("--picture", metavar="FILE.png|.svg", help="draw the graph with the path")
    option(
        "--write-graph",
        metavar="FILE.gr",
        help="write the graph, with closed and slowed roads, as a DIMACS file "
        "(and its coordinates beside it)",
    )
    for added in solve_options():
        added.add(parser)
    add_json_option(parser, "problem and results")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    steps: list[SolveStep] = []
    try:
        return _solve(arguments, console, steps)
    except FileNotWritten:
        for step in steps:
            if step.unwritten is not None and (told := step.unwritten()):
                console.error_line(told)
        raise


def _solve(arguments: argparse.Namespace, console: Console, steps: list[SolveStep]) -> int:
    """Solve, and write what is asked for; ``steps`` of features are added."""
    console.json_only = arguments.json
    options = solve_options()
    further = [variant for added in options for variant in added.variants(arguments)]
    choices = parse_choices(arguments.variants, arguments.set, further)
    if arguments.picture and console.draw_picture is None:
        raise InputError(
            f"--picture needs the window's libraries: run it as “{typed_command()} solve ...”."
        )
    if arguments.picture and Path(arguments.picture).suffix.lower() not in PICTURE_ENDINGS:
        raise InputError(
            f"--picture {arguments.picture}: its name must end in {' or '.join(PICTURE_ENDINGS)}."
        )
    steps += [added.step(arguments, choices) for added in options if added.step is not None]
    require_kinds(arguments, choices)
    places = (
        arguments.distances,
        arguments.path,
        arguments.picture,
        arguments.write_graph,
        *(file for step in steps for file in step.files),
    )
    require_places(*places, folders=(arguments.csv,))
    device = find_device(arguments.device, [c.variant for c in choices])
    with interruptible() as token:
        changed = read(arguments, console, token).graph
        changes = RoadChanges()
        for step in steps:
            if step.change is not None:
                changed = step.change(changed, console)
            changes = changes if step.changes is None else step.changes
        graph, ends, points = _ends(changed, arguments, console, on_roads=not changes)
        request = RunRequest(
            graph,
            source=ends[0],
            target=ends[1],
            choices=choices,
            device=device,
            plan=_plan(arguments),
            trace=arguments.trace or any(step.trace for step in steps),
        )
        _require_source(request)
        require_coordinates(arguments, graph)
        path = os.path.abspath(arguments.graph)
        source = GraphSource(path, reading_options(arguments), roads=changes)
        run_id = new_run_id()
        asked = (step.follow(request, run_id, source, console) for step in steps if step.follow)
        followers = [one for one in asked if one is not None]
        _announce_long_run(request, steps, console)
        for step in steps:
            if step.before is not None:
                step.before(request, token)
        results = run_and_report(request, console, token, run_id, followers)
        found = [step.find(request, results, console, token) for step in steps if step.find]
        if arguments.write_graph:
            path = Path(arguments.write_graph)
            written = write_dimacs(graph, path, console.progress_for(token, f"writing {path.name}"))
            console.clear_progress()
            if graph.has_turns:
                console.error_line(TURNS_LEFT_OUT)
            console.wrote(*written)
    if arguments.csv:
        console.wrote(
            *write_all(results, arguments.csv, choices[0].variant.id, plain=arguments.csv_plain)
        )
    token.check()
    paths = [path for one in found for path in one.paths]
    console.wrote(*write_answers(results, arguments, console, token, paths))
    if arguments.picture and console.draw_picture is not None:
        console.draw_picture(
            Path(arguments.picture), graph, results, request.source, request.target
        )
        console.wrote(Path(arguments.picture))
    if arguments.json:
        more = {key: value for one in found for key, value in one.described.items()}
        console.json(described(request, results, points) | more)
    return report_failures(results, console)


def _per_cent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(
            f"it takes per cent, more than 0 and less than 100, not “{quoted(text)}”"
        )
    return value


def parse_choices(
    ids: str | None, settings: Sequence[str] = (), further: Sequence[Variant] = ()
) -> tuple[Choice, ...]:
    """Parse ``--variants`` and every ``--set`` into choices with validated parameters.

    ``further`` variants follow; they alone are named with those that they are based on.
    Raises UnknownName, ParameterError; InputError if no variant is named, or ``--set`` has
    another form.
    """
    names = list(dict.fromkeys(name.strip() for name in (ids or "").split(",") if name.strip()))
    if ids is None:
        names = [variant.base_id for variant in further]
    names = list(dict.fromkeys([*names, *(variant.id for variant in further)]))
    if ids is None and not names:
        raise InputError("The following option is required: --variants. Try: tautpath solve --help")
    if not names:
        raise InputError("--variants is empty; “tautpath variants” lists the variants.")
    variants = {name: find_variant(name) for name in names}
    given: dict[str, dict[str, str]] = {name: {} for name in variants}
    for setting in settings:
        name_of_parameter, equals, value = setting.partition("=")
        name, dot, parameter = name_of_parameter.partition(".")
        if not (equals and dot):
            raise InputError(f"--set takes ID.PARAM=VALUE, not “{setting}”.")
        if name not in given:
            raise UnknownName("chosen variant", name, names)
        given[name][parameter] = value
    return tuple(Choice(v, v.settle(given[name])) for name, v in variants.items())


class _ConsoleListener(RunListener):
    """Shows the progress of a run on the console."""

    def __init__(self, console: Console):
        self._console = console

    def progress(self, progress: RunProgress) -> None:
        self._console.progress(progress.fraction, f"{progress.variant.id}: {progress.stage}")


def _plan(arguments: argparse.Namespace) -> MeasurementPlan:
    return MeasurementPlan(
        warmups=arguments.warmups,
        trials=arguments.trials,
        most_trials=arguments.most_trials,
        time_limit_s=arguments.time_limit,
        precision=arguments.precision / 100,
        warm_graph=arguments.warm_graph,
    )


def run_and_report(
    request: RunRequest,
    console: Console,
    token: CancelToken,
    run_id: str = "",
    followers: Sequence[RunFollower] = (),
) -> list[Result]:
    """Run with progress display, then print the table of results."""
    listener = _ConsoleListener(console)
    results = list(followed_run(request, run_id, followers, listener, token))
    if not console.json_only:
        console.line(describe_problem(request))
        print_results(results, console)
    return results


def _announce_long_run(request: RunRequest, steps: Sequence[SolveStep], console: Console) -> None:
    """Say how long the run will take, if someone is waiting for it."""
    if not console.is_watched:
        return
    ids = {choice.variant.id for choice in request.choices}
    known = [one for step in steps if step.earlier_times for one in step.earlier_times(ids)]
    if (estimate := estimate_run(request, known)).is_worth_telling:
        console.note(f"Expected to take {estimate.words}; Ctrl+C keeps what is finished.")


def report_failures(results: Sequence[Result], console: Console) -> int:
    """Print one line per result that failed or is wrong; return the exit status."""
    status = 0
    for result in results:
        if result.status is not Status.OK:
            _report_error(result, result.error, console)
            status = max(status, exit_status(result.fault))
        elif result.verdict is not None and not result.verdict.verified:
            _report_error(result, f"the answer is wrong: {result.verdict.text}", console)
            status = max(status, 1)
    return status


def _report_error(result: Result, text: str, console: Console) -> None:
    name = result.variant.id
    console.error_line(text if text.startswith(name) else f"{name}: {text}")


def _ends(
    graph: Graph, arguments: argparse.Namespace, console: Console, *, on_roads: bool
) -> tuple[Graph, list[int | None], list[RoadPoint | None]]:
    """The graph, the vertices that the options name, and the points of roads that stand
    for coordinates and places, as of `with_places`; these are told, and the vertex of a
    street. Raises as `find` and `with_places`.

    Where roads are closed or slowed, and so not ``on_roads``, the nearest vertex stands for
    them: the graph without the changes has it, too.
    """
    spots = [text and find(graph, text) for text in (arguments.source, arguments.target)]
    cut, ends, points = with_places(
        graph, [spot and _end_of(graph, spot, on_roads) for spot in spots]
    )
    for spot, point in zip(spots, points, strict=True):
        if spot is None:
            continue
        sentence = spot.sentence(graph) if point is None else point.sentence(graph, spot.name)
        if sentence:
            console.line(sentence)
    return cut, ends, points


def _end_of(graph: Graph, spot: Spot, on_roads: bool) -> Hashable:
    """The id of a vertex, or a place that stands for a point of a road."""
    if spot.place is not None and on_roads:
        return spot.place
    return graph.vertex_id(spot.vertex)


def _require_source(request: RunRequest) -> None:
    for choice in request.choices:
        if choice.variant.answers is not Answers.APSP and request.source is None:
            raise InputError(f"{choice.variant.id} needs a source: give --source ID.")
        if choice.variant.answers is Answers.TARGET and request.target is None:
            raise InputError(f"{choice.variant.id} needs a target: give --target ID.")
