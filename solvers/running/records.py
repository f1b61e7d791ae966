"""The CSV files that a user takes home: every trial as it was, a summary of the timed ones, and the watched iterations.

All three are UTF-8 with a header line; Booleans are ``true`` and ``false``, an unknown value is empty, an unreachable
target's distance is ``inf``. ``trials.csv`` holds samples only and ``summary.csv`` aggregates only.

Notes
-----
Quantiles interpolate linearly between order statistics (Hyndman and Fan's type 7, NumPy's default); ``sd_ms`` is the
sample standard deviation (n - 1). ``distances_sha256`` is over the distances as little-endian float64 in vertex-id
order, row by row for all pairs, infinity where unreachable; for one path over the target's distance alone: equal for
equal answers, in whatever type they were found.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.catalog import Answers
from solvers.contracts.results import Result, Status, Trial
from solvers.contracts.trace import ActivityTrace
from solvers.errors import FileNotWritten
from solvers.graphs.weights import to_float
from solvers.host import machine
from solvers.host.files import replace_atomically
from solvers.version import __version__

SCHEMA_VERSION = 1

_KEY_COLUMNS = (
    *("schema_version", "run_id", "timestamp_utc", "app_version", "experiment", "paper", "variant", "algorithm"),
    *("runs_on", "device", "driver", "parameters", "graph", "graph_sha256", "vertices", "arcs", "weight_type"),
    *("source", "target"),
)
_TIME_COLUMNS = ("prepare_ms", "h2d_ms", "solve_ms", "d2h_ms", "total_ms")
_OUTCOME_COLUMNS = ("verified", "wrong_vertices", "target_distance", "distances_sha256")
TRIAL_COLUMNS = (
    *_KEY_COLUMNS,
    *("trial", "is_warmup", *_TIME_COLUMNS, "iterations", "relaxations", "peak_device_bytes", "status", "error"),
    *_OUTCOME_COLUMNS,
)
SUMMARY_COLUMNS = (
    *_KEY_COLUMNS,
    *("status", "verified", "phase", "n", "median_ms", "mean_ms", "sd_ms", "min_ms", "p25_ms", "p75_ms", "max_ms"),
    *("baseline", "ratio_to_baseline"),
)
ITERATION_COLUMNS = ("run_id", "variant", "iteration", "active", "relaxed", "improved", "ms")
SUMMARY_PHASES = ("solve", "total")


def write_all(
    results: Sequence[Result], folder: Path | str, baseline: str = "", experiment: str = ""
) -> tuple[Path, ...]:
    """Write ``trials.csv``, ``summary.csv`` and, where a run was watched, ``iterations.csv`` into ``folder``.

    Parameters
    ----------
    results : sequence of Result
    folder : Path or str
        Made if it is not there.
    baseline : str
        Id of the variant that ratios are taken to; the first result's where empty.
    experiment : str
        Id of the experiment that the results belong to, if any.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    FileNotWritten
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileNotWritten(folder, error.strerror or str(error)) from error
    written = [folder / "trials.csv", folder / "summary.csv"]
    write_trials(results, written[0], experiment)
    write_summary(results, written[1], baseline, experiment)
    if any(isinstance(r.trace, ActivityTrace) for r in results):
        written.append(folder / "iterations.csv")
        write_iterations(results, written[-1])
    return tuple(written)


def write_trials(results: Iterable[Result], path: Path | str, experiment: str = "") -> None:
    """One row per trial, warm-ups included, in the order in which they ran.

    A variant that came to no trial has one row with an empty ``trial``, so that its failure is on record. Times,
    iterations and relaxations are empty where a trial did not end well. Relaxations that the trial did not count itself
    are those of the watched run, if there was one.

    Raises
    ------
    FileNotWritten
    """
    _write(path, TRIAL_COLUMNS, (row for result in results for row in _trial_rows(result, experiment)))


def write_summary(results: Sequence[Result], path: Path | str, baseline: str = "", experiment: str = "") -> None:
    """One row per result and phase ("solve", "total") over its timed trials that ended well.

    ``ratio_to_baseline`` is the median over the median of the ``baseline`` variant on the same graph and source: 2 took
    twice as long. It is empty where there is no such result.

    Raises
    ------
    FileNotWritten
    """
    baseline = baseline or (results[0].variant.id if results else "")
    _write(
        path,
        SUMMARY_COLUMNS,
        (row for result in results for row in _summary_rows(result, results, baseline, experiment)),
    )


def write_iterations(results: Iterable[Result], path: Path | str) -> None:
    """One row per kept iteration of every watched single-source run, counted from 1.

    Where the trace was thinned to keep within its memory, ``iteration`` counts in steps of its stride, and the counts
    of a row are sums over the iterations up to the next.

    Raises
    ------
    FileNotWritten
    """
    _write(path, ITERATION_COLUMNS, (row for result in results for row in _iteration_rows(result)))


def distances_sha256(distances: NDArray[Any]) -> str:
    """Fingerprint of an answer, hexadecimal (see the notes of this module)."""
    digest = hashlib.sha256()
    for start in range(0, len(distances), 1024):  # a large matrix is not doubled in memory
        block = to_float(distances[start : start + 1024]) + 0.0  # -0.0 is 0.0
        digest.update(np.ascontiguousarray(block, dtype="<f8").data)
    return digest.hexdigest()


def _write(path: Path | str, columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> None:
    with replace_atomically(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _key(result: Result, experiment: str) -> dict[str, Any]:
    """The columns that say what was run, on what, where and when."""
    graph, variant = result.graph, result.variant
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": result.run_id,
        "timestamp_utc": result.timestamp_utc,
        "app_version": __version__,
        "experiment": experiment,
        "paper": "; ".join(map(str, variant.papers)),
        "variant": variant.id,
        "algorithm": variant.algorithm.value,
        "runs_on": variant.runs_on.value,
        "device": result.device_name or machine.cpu_name(),
        "driver": result.driver,
        "parameters": json.dumps(dict(result.parameters), sort_keys=True, ensure_ascii=False),
        "graph": graph.name,
        "graph_sha256": graph.sha256,
        "vertices": graph.n,
        "arcs": graph.m,
        "weight_type": graph.weight_type.name,
        "source": _file_id(result, result.source),
        "target": _file_id(result, result.target),
    }


def _file_id(result: Result, vertex: int | None) -> int | None:
    return None if vertex is None else int(result.graph.ids[vertex])


def _verified(result: Result) -> str:
    if result.verdict is None:
        return "not_run"
    return "yes" if result.verdict.verified else "no"


def _trial_rows(result: Result, experiment: str) -> Iterator[dict[str, Any]]:
    shared = _key(result, experiment) | {
        "peak_device_bytes": result.peak_device_bytes,
        "verified": _verified(result),
        "wrong_vertices": result.verdict.wrong_vertices if result.verdict else None,
        "target_distance": result.target_distance,
        "distances_sha256": _fingerprint(result),
    }
    for trial in result.trials:
        yield shared | _sample(trial, result.relaxations)
    if not result.trials:
        yield shared | {"status": result.status.value, "error": result.error}


def _fingerprint(result: Result) -> str | None:
    """Of the whole answer; of the target's distance where the variant answers only for that, whatever else it met."""
    distances = result.distances
    if distances is not None and result.variant.answers is Answers.TARGET and result.target is not None:
        distances = distances[[result.target]]
    return None if distances is None else distances_sha256(distances)


def _sample(trial: Trial, watched_relaxations: int | None) -> dict[str, Any]:
    ended_well = trial.status is Status.OK
    times = {name: _ms(getattr(trial.phases, name.removesuffix("_ms"))) for name in _TIME_COLUMNS if ended_well}
    counted = watched_relaxations if trial.relaxations is None and ended_well else trial.relaxations
    return {
        "trial": trial.index,
        "is_warmup": trial.is_warmup,
        "iterations": trial.iterations,
        "relaxations": counted,
        "status": trial.status.value,
        "error": trial.error,
        **times,
    }


def _summary_rows(
    result: Result, results: Sequence[Result], baseline: str, experiment: str
) -> Iterator[dict[str, Any]]:
    shared = _key(result, experiment) | {
        "status": result.status.value,
        "verified": _verified(result),
        "baseline": baseline,
    }
    reference = _baseline_result(result, results, baseline)
    for phase in SUMMARY_PHASES:
        times = result.times(phase)
        row = shared | {"phase": phase, "n": len(times)}
        if times:
            row |= _statistics(times)
        base = reference.median(phase) if reference else None
        if times and base:
            row["ratio_to_baseline"] = row["median_ms"] / _ms(base)
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
    low, quarter, median, three_quarters, high = np.quantile(sample, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return {
        "median_ms": _ms(median),
        "mean_ms": _ms(float(sample.mean())),
        "sd_ms": _ms(float(sample.std(ddof=1))) if len(sample) > 1 else None,
        "min_ms": _ms(low),
        "p25_ms": _ms(quarter),
        "p75_ms": _ms(three_quarters),
        "max_ms": _ms(high),
    }


def _ms(value: float) -> float:
    """A time to the nanosecond, which no clock here resolves."""
    return round(value, 6)


def _iteration_rows(result: Result) -> Iterator[dict[str, Any]]:
    trace = result.trace
    if not isinstance(trace, ActivityTrace):
        return
    for k in range(len(trace)):
        yield {
            "run_id": result.run_id,
            "variant": result.variant.id,
            "iteration": k * trace.stride + 1,
            "active": int(trace.active[k]),
            "relaxed": int(trace.relaxed[k]),
            "improved": int(trace.improved[k]),
            "ms": _ms(float(trace.ms[k])),
        }
