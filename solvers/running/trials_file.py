"""Reader of ``trials.csv``, written by this program here or on another machine: back
into kept runs.

Columns are found by name and may stand in any order; unknown ones are ignored. Rows
with the same ``run_id`` are one run, and in it those with the same ``variant``. What
the table does not hold, such as the path, stays unknown.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.core.variant import Algorithm, RunsOn
from solvers.errors import FileFormatError, FileMissing
from solvers.graphs.weights import WEIGHT_TYPES
from solvers.running.records import SCHEMA_VERSION
from solvers.running.store.kept_run import GraphFacts, KeptRun, KeptVariant, MachineFacts
from solvers.system.files import open_regular, reason_of
from solvers.text import format_count

REQUIRED = (
    "variant",
    "algorithm",
    "runs_on",
    "graph",
    "graph_sha256",
    "vertices",
    "arcs",
    "weight_type",
    "trial",
    "is_warmup",
    "solve_ms",
    "status",
)
_FIRST_COLUMN = "schema_version"
_HINT = "It must be a trials.csv as “solve --csv” and the window's export write it."
_ON_PROCESSOR = ("serial", "openmp", "mpi")
_SAMPLED = "sampled, "

Value = TypeVar("Value")


def is_trials_file(path: Path) -> bool:
    """Whether the file begins as a ``trials.csv`` does; False if it cannot be read."""
    try:
        with open_regular(path) as file:
            head = file.read(4096)
    except OSError:
        return False
    names = (
        head.removeprefix(b"\xef\xbb\xbf")
        .split(b"\n", 1)[0]
        .strip()
        .replace(b";", b",")
        .split(b",")
    )
    return _FIRST_COLUMN.encode() in names and b"is_warmup" in names


def read_trials(path: Path | str) -> tuple[KeptRun, ...]:
    """The runs of a table, in order of appearance.

    Raises FileFormatError with line and column, if a value is missing or wrong.
    """
    path = Path(path)
    runs: dict[str, KeptRun] = {}
    variants: dict[tuple[str, str], KeptVariant] = {}
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8-sig", newline="") as file:
            for cells in _rows(path, file):
                run = _run_of(cells, path)
                runs[run.run_id] = _joined(runs.get(run.run_id), run, cells)
                key = run.run_id, cells.text("variant")
                known = variants.get(key) or _variant_of(cells)
                variants[key] = _with_trial(known, cells)
    except FileNotFoundError as error:
        raise FileMissing(path) from error
    except OSError as error:
        raise FileFormatError(path, reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise FileFormatError(path, "it is not UTF-8 text", hint=_HINT) from error
    if not runs:
        raise FileFormatError(path, "it has a header but no trials", hint=_HINT)
    return tuple(
        replace(
            run,
            variants=tuple(_ended(v) for (owner, _), v in variants.items() if owner == run.run_id),
        )
        for run in runs.values()
    )


@dataclass(frozen=True)
class _Cells:
    """One row: cells by column, with the position for errors."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """The cell without the apostrophe that protects spreadsheets; "" if there is no
        such column.
        """
        text = self.cells.get(column) or ""
        return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "\t") else text

    def read(self, column: str, parse: Callable[[str], Value], what: str) -> Value | None:
        """The parsed cell; None if it is empty."""
        text = self.text(column)
        if not text:
            return None
        try:
            return parse(text)
        except (ValueError, KeyError, TypeError):
            raise self.error(column, f"“{text}” is not {what}") from None

    def required(self, column: str, parse: Callable[[str], Value], what: str) -> Value:
        value = self.read(column, parse, what)
        if value is None:
            raise self.error(column, f"{what} is missing")
        return value

    def error(self, column: str, reason: str) -> FileFormatError:
        return FileFormatError(self.path, f"column {column}: {reason}", line=self.line)


def _rows(path: Path, lines: Iterator[str]) -> Iterator[_Cells]:
    table = csv.reader(lines, strict=True)
    try:
        header = next(table, [])
        missing = [name for name in REQUIRED if name not in header]
        if missing:
            reason = f"the header has no column {', '.join(missing)}"
            raise FileFormatError(path, reason, line=1, text=",".join(header), hint=_HINT)
        for row in table:
            if not row:
                continue
            if len(row) != len(header):
                reason = f"{len(row)} cells, but the header has {len(header)} columns"
                raise FileFormatError(path, reason, line=table.line_num)
            yield _Cells(path, table.line_num, dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise FileFormatError(path, f"it is not CSV: {error}", line=table.line_num) from error


def _run_of(cells: _Cells, path: Path) -> KeptRun:
    version = cells.read(_FIRST_COLUMN, int, "a whole number")
    if version is not None and version > SCHEMA_VERSION:
        raise cells.error(
            _FIRST_COLUMN,
            f"{version} is newer than this version of Tautpath, which reads {SCHEMA_VERSION}",
        )
    graph = GraphFacts(
        cells.required("graph", str, "a name"),
        cells.required("graph_sha256", _digest, "a SHA-256 in hexadecimal"),
        cells.required("vertices", _count, "a count"),
        cells.required("arcs", _count, "a count"),
        cells.required("weight_type", _weight_type, f"one of {', '.join(WEIGHT_TYPES)}"),
        weight_unit=cells.text("distance_unit"),
    )
    (source, source_name), (target, target_name) = (
        _end(cells.text(name)) for name in ("source", "target")
    )
    started = cells.text("timestamp_utc")
    run_id = cells.text("run_id") or _made_up_id(
        path, graph, source_name or source, target_name or target
    )
    cpu = cells.text("device") if cells.text("runs_on") in _ON_PROCESSOR else ""
    return KeptRun(
        run_id,
        started,
        cells.text("app_version"),
        path.name,
        graph,
        source,
        target,
        MachineFacts(cpu, host=cells.text("host")),
        ended_utc=started or "unknown",
        experiment=cells.text("experiment"),
        source_name=source_name,
        target_name=target_name,
    )


def _end(text: str) -> tuple[int | None, str]:
    """Id and name of an end point; in a graph whose vertices have names its id is not
    in the file.
    """
    try:
        return (int(text) if text else None), ""
    except ValueError:
        return None, text


def _joined(known: KeptRun | None, run: KeptRun, cells: _Cells) -> KeptRun:
    """The run with what this row adds: rows of a device do not name the processor."""
    if known is None:
        return run
    ends = [(each.source, each.source_name, each.target, each.target_name) for each in (known, run)]
    if known.graph != run.graph or ends[0] != ends[1]:
        raise cells.error(
            "run_id", f"the rows of run {run.run_id} differ in graph, source or target"
        )
    return known if known.machine.cpu else replace(known, machine=run.machine)


def _made_up_id(path: Path, graph: GraphFacts, source: object, target: object) -> str:
    """An id for rows without one, the same whenever the file is read."""
    what = f"{path.resolve()}\0{graph}\0{source}\0{target}"
    return hashlib.sha256(what.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _variant_of(cells: _Cells) -> KeptVariant:
    runs_on = cells.required(
        "runs_on", RunsOn, f"one of {', '.join(r.value for r in RunsOn)}"
    ).value
    algorithm = cells.required(
        "algorithm", Algorithm, f"one of {', '.join(a.value for a in Algorithm)}"
    )
    return KeptVariant(
        variant=cells.required("variant", str, "an id"),
        algorithm=algorithm.value,
        runs_on=runs_on,
        paper=cells.text("paper"),
        parameters=cells.read("parameters", _json_object, "a JSON object") or {},
        device="" if runs_on in _ON_PROCESSOR else cells.text("device"),
        driver=cells.text("driver"),
        started_utc=cells.text("timestamp_utc"),
        status=Status.OK,
        verdict=_verdict_of(cells),
        peak_device_bytes=cells.read("peak_device_bytes", _count, "a count") or 0,
        target_distance=cells.read("target_distance", _number, "a number"),
        distances_sha256=cells.text("distances_sha256"),
        load=cells.read("load", float, "a number"),
        disturbances=tuple(_disturbances_of(cells)),
        graph_upload_ms=cells.read("graph_upload_ms", _duration, "a time in ms"),
    )


def _verdict_of(cells: _Cells) -> Verdict | None:
    answer = cells.text("verified")
    if answer in ("", "not_run"):
        return None
    wrong = cells.read("wrong_vertices", _count, "a count") or 0
    if answer.startswith(_SAMPLED):
        rows = cells.read("verified", _sampled_rows, "yes, no, not_run or “sampled, N rows”") or 0
        return Verdict(
            True,
            wrong,
            f"Distances of {format_count(rows)} rows proved",
            tuple(range(rows)),
            seed=0,
        )
    if answer not in ("yes", "no"):
        raise cells.error("verified", f"“{answer}” is not yes, no, not_run or “sampled, N rows”")
    text = (
        "All distances proved" if answer == "yes" else f"{format_count(wrong)} distances are wrong"
    )
    return Verdict(answer == "yes", wrong, f"{text}, according to the file.")


def _disturbances_of(cells: _Cells) -> Iterator[Disturbance]:
    for name in filter(None, (part.strip() for part in cells.text("disturbed").split(";"))):
        try:
            kind = DisturbanceKind(name)
        except ValueError:
            continue  # a kind that a newer version knows
        yield Disturbance(kind, f"The file says: {name.replace('_', ' ')}.")


def _with_trial(variant: KeptVariant, cells: _Cells) -> KeptVariant:
    status = cells.required("status", Status, f"one of {', '.join(s.value for s in Status)}")
    error = cells.text("error")
    index = cells.read("trial", _count, "a count")
    if index is None:  # the variant failed before its first trial
        return replace(variant, status=status, error=error)
    if any(trial.index == index for trial in variant.trials):
        raise cells.error("trial", f"trial {index} of {variant.variant} occurs twice in one run")
    trial = Trial(
        index,
        cells.required("is_warmup", _boolean, "true or false"),
        _phases_of(cells, status),
        status,
        error,
        cells.read("iterations", _count, "a count"),
        cells.read("relaxations", _count, "a count"),
    )
    return replace(variant, trials=(*variant.trials, trial))


def _phases_of(cells: _Cells, status: Status) -> Phases:
    if status is not Status.OK:
        return Phases()
    prepare, h2d, d2h = (
        cells.read(f"{name}_ms", _duration, "a time in ms") or 0.0
        for name in ("prepare", "h2d", "d2h")
    )
    return Phases(prepare, h2d, cells.required("solve_ms", _duration, "a time in ms"), d2h)


def _ended(variant: KeptVariant) -> KeptVariant:
    """Status and counts of the variant are those of its last trial."""
    if not variant.trials:
        return variant
    last = variant.trials[-1]
    return replace(
        variant,
        status=last.status,
        error=last.error,
        iterations=last.iterations,
        relaxations=last.relaxations,
    )


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def _digest(text: str) -> str:
    if len(text) != 64:
        raise ValueError
    int(text, 16)
    return text


def _weight_type(text: str) -> str:
    return WEIGHT_TYPES[text].name


def _duration(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError
    return value


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        value = float(text)
        if math.isnan(value):
            raise
        return value


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _json_object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError
    return value


def _sampled_rows(text: str) -> int:
    return _count("".join(filter(str.isdigit, text.removeprefix(_SAMPLED))))
