"""``runs``: list, show, compare, export and delete the runs that “solve” and the window
have kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console
from solvers.commands.options import require_places
from solvers.commands.results_file import results_files
from solvers.core.result_view import NOTHING, ResultView, interval_of_ratio
from solvers.errors import InputError
from solvers.features.kept_runs.comparison import VariantComparison, circumstances, compare
from solvers.features.kept_runs.store.run_store import RunStore, RunSummary
from solvers.features.kept_runs.trials_file import read_trials
from solvers.program import typed_command
from solvers.running.kept_results import results_of
from solvers.running.kept_run import KeptRun, KeptVariant
from solvers.running.records import write_all
from solvers.text import format_duration, format_ratio, local_time, plural


def configure(parser: argparse.ArgumentParser) -> None:
    as_json = "print a list of objects as JSON"
    parser.add_argument("--json", action="store_true", help=as_json)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list all runs, newest first (the default)")
    listing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=as_json)
    show = actions.add_parser("show", help="print one run")
    show.add_argument("run", metavar="RUN", help="id of a run, or its beginning")
    comparing = actions.add_parser("compare", help="compare two runs, variant by variant")
    comparing.add_argument("first", metavar="BASELINE")
    comparing.add_argument("second", metavar="RUN")
    others = "".join(f", or {kind.title}" for kind in results_files())
    export = actions.add_parser("export", help=f"write trials.csv and summary.csv{others}")
    export.add_argument("runs", nargs="+", metavar="RUN")
    export.add_argument("--csv", metavar="DIR", help="folder; existing tables are kept")
    for kind in results_files():
        export.add_argument(f"--{kind.option}", metavar=kind.metavar, help=kind.help)
    opening = actions.add_parser(
        "import", help="add the runs of a trials.csv, for example of another machine"
    )
    opening.add_argument("file", metavar="TRIALS.csv")
    delete = actions.add_parser("delete", help="delete runs")
    delete.add_argument("runs", nargs="+", metavar="RUN")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.json and arguments.action not in (None, "list"):
        raise InputError(f"--json is for the list of runs, not for {arguments.action}.")
    store = RunStore()
    if remark := store.prepare():
        console.error_line(remark)
    try:
        return _perform(arguments, store, console)
    finally:
        for sentence in store.unreadable.values():
            console.error_line(sentence)


def _perform(arguments: argparse.Namespace, store: RunStore, console: Console) -> int:
    if arguments.action == "show":
        _show(store.run(_full_id(store, arguments.run)), console)
    elif arguments.action == "compare":
        first, second = (
            store.run(_full_id(store, name)) for name in (arguments.first, arguments.second)
        )
        _compare(first, second, console)
    elif arguments.action == "export":
        _export([store.run(_full_id(store, name)) for name in arguments.runs], arguments, console)
    elif arguments.action == "import":
        runs = read_trials(arguments.file)
        store.add(runs)
        console.line(f"kept {plural(len(runs), 'run')}: {', '.join(run.run_id for run in runs)}")
    elif arguments.action == "delete":
        found = list(dict.fromkeys(_full_id(store, name) for name in arguments.runs))
        store.delete(found)
        console.line(f"deleted {plural(len(found), 'run')}")
    else:
        _list(store.summaries(), arguments.json, console)
    return 0


def _full_id(store: RunStore, beginning: str) -> str:
    """The id of the only run that begins so; raises `InputError` if several do,
    `UnknownName` if none does.
    """
    ids = [summary.run.run_id for summary in store.summaries()]
    found = [run_id for run_id in ids if run_id.startswith(beginning)]
    if len(found) > 1 and beginning not in found:
        raise InputError(
            f"{plural(len(found), 'run')} begin with “{beginning}”: {', '.join(found)}."
        )
    if beginning in found or not found:
        return store.run(beginning).run_id
    return found[0]


def _list(summaries: tuple[RunSummary, ...], as_json: bool, console: Console) -> None:
    if as_json:
        console.json([_described(summary) for summary in summaries])
        return
    if not summaries:
        console.line("No runs are kept yet; “solve” and the window keep every run.")
        return
    rows = [
        (
            summary.run.run_id,
            _minute(summary.run.started_utc),
            summary.run.graph.name,
            summary.run.ends,
            plural(len(summary.variants), "variant"),
            _fastest(summary),
            "" if summary.run.complete else "interrupted",
            summary.run.name,
        )
        for summary in summaries
    ]
    console.table(("run", "when", "graph", "from → to", "ran", "fastest", "", "name"), rows)


def _described(summary: RunSummary) -> dict[str, object]:
    run = summary.run
    return {
        "run_id": run.run_id,
        "started_utc": run.started_utc,
        "complete": run.complete,
        "name": run.name,
        "baseline": run.is_baseline,
        "graph": run.graph.name,
        "graph_sha256": run.graph.sha256,
        "interpretation": run.graph.interpretation,
        "source": run.source_name or run.source,
        "target": run.target_name or run.target,
        "machine": run.machine.cpu,
        "host": run.machine.host,
        "app_version": run.app_version,
        "origin": run.origin,
        "variants": summary.variants,
    }


def _show(run: KeptRun, console: Console) -> None:
    what, graph = f" “{run.name}”" if run.name else "", run.graph
    console.line(
        f"run {run.run_id}{what}, {_minute(run.started_utc)}"
        + ("" if run.complete else ", interrupted")
    )
    size = f"{plural(graph.vertices, 'vertex', 'vertices')}, {plural(graph.arcs, 'arc')}"
    console.line(f"{graph.name}: {size}; from {run.ends}")
    if graph.interpretation is not None:
        console.line(f"read as: {graph.interpretation.line}")
    cores = "" if run.machine.cores is None else f", {plural(run.machine.cores, 'core')}"
    host = f"{run.machine.host}: " if run.machine.host else ""
    console.line(
        f"{host}{run.machine.cpu or 'unknown machine'}{cores}; "
        f"Tautpath {run.app_version}, {run.origin}"
    )
    header = ("variant", "median", "min – max", "trials", "status", "proved", "device")
    console.table(header, [_variant_cells(variant) for variant in run.variants], right=" rrr")


def _variant_cells(variant: KeptVariant) -> tuple[str, ...]:
    view = ResultView(variant)
    return (
        variant.variant,
        view.median_text,
        view.range_text,
        str(view.trials),
        view.outcome or "solved",
        view.proof_cell,
        variant.device_name,
    )


def _compare(first: KeptRun, second: KeptRun, console: Console) -> None:
    """Print the second run relative to the first; differences in their circumstances
    come before the times.
    """
    for fact in circumstances(first, second):
        console.line(
            f"{fact.what}: {fact.first} → {fact.second}"
            if fact.differs
            else f"{fact.what}: {fact.first}"
        )
    header = ("variant", first.run_id, second.run_id, "ratio", "interval", "")
    console.table(header, [_comparison_cells(row) for row in compare(first, second)], right=" rrrr")


def _comparison_cells(row: VariantComparison) -> tuple[str, ...]:
    ratio = row.ratio
    return (
        row.variant,
        *(NOTHING if v is None else ResultView(v).median_text for v in (row.first, row.second)),
        NOTHING if ratio is None else format_ratio(ratio.value),
        NOTHING if ratio is None else interval_of_ratio(ratio),
        "; ".join((row.outcome, *row.differences)),
    )


def _export(runs: list[KeptRun], arguments: argparse.Namespace, console: Console) -> None:
    kinds = results_files()
    asked = [(kind, getattr(arguments, kind.option)) for kind in kinds]
    files = [(kind, Path(name)) for kind, name in asked if name]
    if not arguments.csv and not files:
        others = "".join(f", --{kind.option} {kind.metavar} for {kind.title}" for kind in kinds)
        raise InputError(f"Say what to export: --csv DIR for tables{others}.")
    if files and len(runs) > 1:
        option = files[0][0].option
        raise InputError(f"--{option} writes one run: “{typed_command()} runs export RUN”.")
    require_places(*(str(path) for _, path in files), folders=(arguments.csv,))
    if arguments.csv:
        console.wrote(
            *write_all([result for run in runs for result in results_of(run)], arguments.csv)
        )
    for kind, path in files:
        kind.write(path, results_of(runs[0]), runs[0].name, console)


def _fastest(summary: RunSummary) -> str:
    best = summary.fastest
    return (
        NOTHING
        if best is None or best.median_ms is None
        else f"{best.variant} {format_duration(best.median_ms)}"
    )


def _minute(timestamp: str) -> str:
    """A time of day here; the text itself if it is not a timestamp, which is possible
    in a foreign table.
    """
    moment = local_time(timestamp)
    return timestamp if moment is None else moment.strftime("%Y-%m-%d %H:%M")
