"""CSV export of results: one file each for trials, a summary of the timed trials, and
traced iterations.

Spreadsheets run cells that begin with = + - @ as formulas. Texts that begin so, such as
the name of a graph file, get an apostrophe before them unless ``plain``; numbers stay
as they are.

The files are UTF-8 with a header line. Booleans are ``true`` and ``false``, unknown
values are empty, and the distance of an unreachable target is ``inf``. ``trials.csv``
contains only samples, ``summary.csv`` only aggregates.

Notes
-----
Quantiles interpolate linearly between order statistics (Hyndman and Fan's type 7,
NumPy's default); ``sd_ms`` is the sample standard deviation (n - 1). ``ci_low_ms`` and
``ci_high_ms`` are the 95 % confidence interval of the median (see `median_interval`),
empty for fewer than six trials. ``cold_ms`` is the wall time of the first warm-up.
``disturbed`` names the kinds of disturbances that were found (see `DisturbanceKind`),
separated by "; ". ``load`` is the number of cores that other programs kept busy during
the trials. ``graph_upload_ms`` is the time for putting the graph on the device, where
it then stayed between the trials, whose times do not contain it; empty if every trial
uploads the graph, or there is no device. ``target_distance`` is in ``distance_unit``:
"s" and "m" for road networks, empty if weights have no unit; files of schema 4 and
before have tenths and no unit. ``host`` names the host of a cluster that measured; it
is empty otherwise. Columns that are only added, at the end, keep the schema's number.
``chosen`` is the variant that an automatic one ran, and ``note`` says why, and what was
prepared and how long that took; both are empty for others. ``preparation_ms`` is the
longest preparation of a trial or warm-up: where a hierarchy or a partition was made in
this run, its whole time.

``distances_sha256`` is the hash of the distances as little-endian float64 in order of
vertex ids, infinity for unreachable vertices; for all pairs the hash of the hashes of
the rows, and of the target's distance only for one-path variants. Equal answers have
equal hashes, whatever type they were computed in.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import numpy as np

from solvers.core.result import SUMMARY_PHASES, Result, Status
from solvers.core.result_view import ResultView, obstacle
from solvers.core.trace import ActivityTrace
from solvers.running.kept_results import kept_run, kept_variant
from solvers.running.record_columns import (
    DEVICE_FIELDS,
    ITERATION_COLUMNS,
    SUMMARY_COLUMNS,
    TRIAL_COLUMNS,
    RecordColumn,
)
from solvers.running.traced_run import Series, device_activity
from solvers.system.files import write_new_files
from solvers.units import public_unit, to_public_unit

SCHEMA_VERSION = 5

_TIMES = [one.name for one in TRIAL_COLUMNS if one.of_trial.startswith("phases.")]
FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def write_all(
    results: Sequence[Result],
    folder: Path | str,
    baseline: str = "",
    experiment: str = "",
    *,
    plain: bool = False,
) -> tuple[Path, ...]:
    """Write ``trials.csv``, ``summary.csv`` and, if a run was traced,
    ``iterations.csv`` into ``folder``.

    Existing tables are kept: the new ones then have a number, ``trials-2.csv`` and so
    on, the same for all of them.

    The folder is created if it does not exist. ``baseline`` is the id of the variant
    that ratios refer to, by default the first result's; ``experiment`` is the id of the
    experiment that the results belong to, "" if none. ``plain`` writes texts that
    spreadsheets take for formulas unchanged. Returns the files written. Raises
    FileNotWritten.
    """
    tables: dict[str, Callable[[Path], None]] = {
        "trials.csv": lambda path: write_trials(results, path, experiment, plain=plain),
        "summary.csv": lambda path: write_summary(results, path, baseline, experiment, plain=plain),
    }
    if any(isinstance(r.trace, ActivityTrace) for r in results):
        tables["iterations.csv"] = lambda path: write_iterations(results, path, plain=plain)
    return write_new_files(folder, tables)


def write_trials(
    results: Iterable[Result], path: Path | str, experiment: str = "", *, plain: bool = False
) -> None:
    """Write one row per trial, including warm-ups, in order of execution.

    A variant that failed before its first trial has one row with an empty ``trial``,
    which records the failure. Times, iterations and relaxations of failed trials are
    empty. If a trial did not count relaxations, those of the traced run are given, if
    there was one.
    """
    # A file name that is not UTF-8 is part of a graph's name.
    Path(path).write_text(
        trials_text(results, experiment, plain=plain),
        "utf-8",
        errors="backslashreplace",
        newline="",
    )


def trials_text(results: Iterable[Result], experiment: str = "", *, plain: bool = False) -> str:
    """The text that `write_trials` writes."""
    text = io.StringIO()
    rows = (row for result in results for row in _trial_rows(result, experiment))
    _write_rows(text, TRIAL_COLUMNS, rows, plain)
    return text.getvalue()


def write_summary(
    results: Sequence[Result],
    path: Path | str,
    baseline: str = "",
    experiment: str = "",
    *,
    plain: bool = False,
) -> None:
    """Write one row per result and phase ("solve", "total"), with statistics of the
    successful timed trials.

    ``ratio_to_baseline`` is the median divided by the median of the ``baseline``
    variant on the same graph and source: 2 means twice as long. It is empty if there is
    no such result, or if the graph stayed on the device for only one of the two and
    their total times contain different copies.
    """
    baseline = baseline or (results[0].variant.id if results else "")
    _write(
        path,
        SUMMARY_COLUMNS,
        (row for result in results for row in _summary_rows(result, results, baseline, experiment)),
        plain,
    )


def write_iterations(results: Iterable[Result], path: Path | str, *, plain: bool = False) -> None:
    """Write one row per kept iteration, counted from 1, of every traced single-source run.

    If the trace was thinned to limit its memory, ``iteration`` increases by the trace's
    stride, and the counts of a row are sums over the iterations before the next row.
    The columns on the device are those of `DeviceActivity`; they are empty for variants
    without kernels, and where a value is unknown.
    """
    _write(
        path,
        ITERATION_COLUMNS,
        (row for result in results for row in _iteration_rows(result)),
        plain,
    )


def _write(
    path: Path | str,
    columns: Sequence[RecordColumn],
    rows: Iterable[Mapping[str, Any]],
    plain: bool,
) -> None:
    with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        _write_rows(file, columns, rows, plain)


def _write_rows(
    file: TextIO, columns: Sequence[RecordColumn], rows: Iterable[Mapping[str, Any]], plain: bool
) -> None:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(column.name for column in columns)
    for row in rows:
        table.writerow(_cell(column, row.get(column.name), plain) for column in columns)


def _cell(column: RecordColumn, value: Any, plain: bool) -> Any:
    if value is None:
        return ""
    if column.digits is not None:
        return round(value, column.digits)
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return csv_text(value, plain)
    return value


def _cells(**values: object) -> dict[str, Any]:
    """The cells of columns that are fields of the run and the variant, or of the trial."""
    row, found = SimpleNamespace(**values), {}
    for column in (*TRIAL_COLUMNS, *SUMMARY_COLUMNS):
        place = column.place("trial" in values)
        if place.partition(".")[0] in values:
            found[column.name] = attrgetter(place)(row)
    return found


def _run_cells(result: Result, experiment: str) -> dict[str, Any]:
    """What all rows of a result have alike."""
    run, kept = kept_run(result, experiment), kept_variant(result)
    view, verdict, unit = ResultView(result), result.verdict, run.graph.weight_unit
    if kept.target_distance is not None:
        kept = replace(kept, target_distance=to_public_unit(kept.target_distance, unit))
    return {
        "schema_version": SCHEMA_VERSION,
        **_cells(run=run, variant=kept),
        "distance_unit": public_unit(unit),
        "device": kept.device_name or run.machine.cpu,
        "parameters": json.dumps(kept.parameters, sort_keys=True, ensure_ascii=False),
        "source": run.source_text,
        "target": run.target_text,
        "verified": "not_run" if verdict is None else verdict.answer,
        "wrong_vertices": verdict and verdict.wrong_vertices,
        "chosen": view.chosen,
        "disturbed": "; ".join(dict.fromkeys(d.kind.value for d in result.disturbances)),
        "preparation_ms": view.preparation_ms,
    }


def _trial_rows(result: Result, experiment: str) -> Iterator[dict[str, Any]]:
    shared = _run_cells(result, experiment)
    for trial in result.trials:
        row = shared | _cells(trial=trial)
        if trial.status is not Status.OK:
            row |= dict.fromkeys(_TIMES)
        elif trial.relaxations is None:
            row["relaxations"] = result.relaxations
        yield row
    if not result.trials:
        yield shared


def _summary_rows(
    result: Result, results: Sequence[Result], baseline: str, experiment: str
) -> Iterator[dict[str, Any]]:
    shared = _run_cells(result, experiment) | {"baseline": baseline}
    reference = _baseline_result(result, results, baseline)
    for phase in SUMMARY_PHASES:
        times = result.times(phase)
        row = shared | {"phase": phase, "n": len(times)}
        if times:
            row |= _statistics(times)
        if (interval := result.confidence(phase)) is not None:
            row |= dict(zip(("ci_low_ms", "ci_high_ms"), interval, strict=True))
        if times and reference is not None and (base := reference.median(phase)):
            across = bool(experiment)
            if not obstacle(result, reference, phase, across_runs=across):
                row["ratio_to_baseline"] = _ms(row["median_ms"]) / _ms(base)
        yield row


def _baseline_result(result: Result, results: Sequence[Result], baseline: str) -> Result | None:
    """The first result of the baseline variant that answers the same question."""
    for other in results:
        same_question = (other.graph.sha256, other.source) == (result.graph.sha256, result.source)
        if other.variant.id == baseline and same_question:
            return other
    return None


def _statistics(times: Sequence[float]) -> dict[str, float | None]:
    sample = np.array(times, dtype=np.float64)
    quantiles = np.quantile(sample, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return {
        **dict(zip(("min_ms", "p25_ms", "median_ms", "p75_ms", "max_ms"), quantiles, strict=True)),
        "mean_ms": float(sample.mean()),
        "sd_ms": float(sample.std(ddof=1)) if len(sample) > 1 else None,
    }


def _ms(value: float) -> float:
    """A time in ms, rounded to the nanosecond."""
    return round(value, 6)


def _iteration_rows(result: Result) -> Iterator[dict[str, Any]]:
    trace = result.trace
    if not isinstance(trace, ActivityTrace):
        return
    on_device = _device_counts(result)
    for k in range(len(trace)):
        yield {
            "run_id": result.run_id,
            "variant": result.variant.id,
            "iteration": k * trace.stride + 1,
            "active": int(trace.active[k]),
            "relaxed": int(trace.relaxed[k]),
            "improved": int(trace.improved[k]),
            "ms": float(trace.ms[k]),
            **{name: round(float(values[k]) * trace.stride) for name, values in on_device.items()},
        }


def _device_counts(result: Result) -> dict[str, Series]:
    """The columns on the device that are known, as means per iteration."""
    activity = device_activity(result)
    if activity is None:
        return {}
    counts = {name: getattr(activity, field) for name, field in DEVICE_FIELDS.items()}
    return {name: values for name, values in counts.items() if values is not None}


def csv_text(text: str, plain: bool = False) -> str:
    """A text that no spreadsheet runs as a formula: with an apostrophe before = + - @,
    unless ``plain``.
    """
    # Python's csv does not quote it, and readers take it for the end of a line
    text = text.replace("\r", "\\r")
    return f"'{text}" if text.startswith(FORMULA_STARTS) and not plain else text
