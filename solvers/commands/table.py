"""Results of a run as text: the problem, a table with one row per variant, the path."""

from __future__ import annotations

import math
from collections.abc import Sequence

from solvers.commands.console import Console
from solvers.contracts.results import Result, Status, comparable
from solvers.errors import printable
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import RunRequest
from solvers.text import format_count, format_distance, format_duration, format_ratio, plural

_HEADER = (
    *("id", "variant", "median", "95 % interval", "min – max", "trials", "cold", "solve", "speed-up", "iterations"),
    *("relaxed", "proved", "distance"),
)
_ALIGNMENT = "  rrrrrrrrr r"
_NOTHING = "–"
_MARK = " *"


def describe_problem(request: RunRequest) -> str:
    """One line on the problem: graph, source and target, trials, device."""
    graph = request.graph
    parts = [f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"]
    if request.source is not None:
        to = "" if request.target is None else f" to {printable(str(graph.vertex_id(request.target)))}"
        parts.append(f"from {printable(str(graph.vertex_id(request.source)))}{to}")
    parts.append(_describe_plan(request.plan))
    if request.device is not None:
        parts.append(f"kernels on {request.device.name}")
    return "; ".join(parts)


def _describe_plan(plan: MeasurementPlan) -> str:
    warmups = "warm-ups as needed" if plan.warmups is None else plural(plan.warmups, "warm-up")
    trials = f"up to {plural(plan.most, 'trial')}" if plan.trials is None else plural(plan.trials, "trial")
    limit = "" if math.isinf(plan.limit_s) else f", {plan.limit_s:g} s a variant at most"
    warm = ", the graph stays on the device" if plan.warm_graph else ""
    return f"{trials} after {warmups}{limit}{warm}"


def print_results(results: Sequence[Result], console: Console) -> None:
    """Print one row per variant, notes, and the path.

    "median", its 95 % confidence interval and "min – max" are of total times, including copies; "cold" is the first
    start, including compilation. A mark beside the
    median refers to a line below the table, which says what may have falsified the times.
    """
    baseline = results[0] if results else None
    console.table(_HEADER, [_row(result, baseline) for result in results], right=_ALIGNMENT)
    for result in results:
        if result.note:
            console.line(f"{result.variant.id}: {result.note}")
    for result in results:
        if result.graph_upload_ms is not None:
            console.line(f"{result.variant.id}: {warm_graph_words(result.graph_upload_ms)}")
    for result in results:
        if result.disturbances:
            console.line(f"*{result.variant.id}: {' '.join(d.words for d in result.disturbances)}")
    _print_path(results, console)


def warm_graph_words(upload_ms: float) -> str:
    """A sentence on a graph that stayed on the device."""
    upload = format_duration(upload_ms)
    return f"The graph stayed on the device; the times do not contain its upload, which took {upload} once."


def _row(result: Result, baseline: Result | None) -> tuple[str, ...]:
    times = result.times()
    median, solve = result.median(), result.median("solve")
    reference = baseline.median() if baseline is not None and comparable(result, baseline, "total") else None
    distance = result.target_distance
    interval, mark = result.confidence(), _MARK if result.disturbances else " " * len(_MARK)
    return (
        result.variant.id,
        result.variant.full_title,
        (_NOTHING if median is None else format_duration(median)) + mark,
        _NOTHING if interval is None else _range(*interval),
        _range(min(times), max(times)) if times else _NOTHING,
        format_count(len(times)),
        _NOTHING if result.cold_ms is None else format_duration(result.cold_ms),
        _NOTHING if solve is None else format_duration(solve),
        format_ratio(reference / median) if reference and median else _NOTHING,
        _NOTHING if result.iterations is None else format_count(result.iterations),
        _NOTHING if result.relaxations is None else format_count(result.relaxations),
        _proved(result),
        _NOTHING if distance is None else format_distance(distance, result.graph.weight_unit),
    )


def _range(low_ms: float, high_ms: float) -> str:
    return f"{format_duration(low_ms)} – {format_duration(high_ms)}"


def _proved(result: Result) -> str:
    if result.status is not Status.OK:
        return result.status.value.replace("_", " ")
    if result.verdict is None:
        return "not run"
    verdict = result.verdict
    return verdict.answer if verdict.verified else f"no: {format_count(verdict.wrong_vertices)} wrong"


def _print_path(results: Sequence[Result], console: Console) -> None:
    """Print the first path found, or that there is none."""
    for result in results:
        if result.path is not None and result.target_distance is not None:
            length = format_distance(result.target_distance, result.graph.weight_unit)
            console.line(f"path: {plural(len(result.path), 'vertex', 'vertices')}, length {length}")
            return
    for result in results:
        if result.ok and result.source is not None and result.target is not None:
            source, target = (printable(str(result.graph.vertex_id(v))) for v in (result.source, result.target))
            console.line(f"path: {target} cannot be reached from {source}")
            return
