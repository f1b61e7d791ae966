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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.errors import FileFormatError, FileMissing
from solvers.running.kept_run import GraphFacts, KeptRun, KeptVariant
from solvers.running.record_columns import TRIAL_COLUMNS
from solvers.running.records import FORMULA_STARTS, SCHEMA_VERSION
from solvers.system.files import open_regular, reason_of
from solvers.system.known_types import known
from solvers.text import format_count, local_time

_COLUMNS = {column.name: column for column in TRIAL_COLUMNS}
_REQUIRED = [column.name for column in TRIAL_COLUMNS if column.needed]
_FIRST_COLUMN = "schema_version"
_HINT = "It must be a trials.csv as “solve --csv” and the window's export write it."
_ON_PROCESSOR = ("serial", "openmp", "threads", "mpi")
_SAMPLED = "sampled, "

# what a row does not say of its run
_UNTOLD: dict[str, Any] = {
    "run_id": "",
    "started_utc": "",
    "app_version": "",
    "origin": "",
    "source": None,
    "target": None,
    "machine": {},
}

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


class _Row(Struct):
    """What the cells of a row say."""

    run: KeptRun
    variant: KeptVariant
    trial: Trial | None = None


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
        return text[1:] if text[:1] == "'" and text[1:2] in FORMULA_STARTS else text

    def read(self, column: str, parse: Callable[[str], Value]) -> Value | None:
        """The parsed cell; None if it is empty."""
        text = self.text(column)
        if not text:
            return None
        try:
            return parse(text)
        except (ValueError, KeyError, TypeError):
            raise self.wrong(column) from None

    @cached_property
    def row(self) -> _Row:
        """The row, each cell as the type of its field; raises FileFormatError."""
        has_trial, needed = bool(self.text("trial")), set(_REQUIRED) - {"trial"}
        if not has_trial:
            needed -= {"is_warmup"}
        if self.text("status") != Status.OK.value or not has_trial:
            needed -= {"solve_ms"}
        for column in filter(needed.__contains__, _REQUIRED):
            if not self.text(column):
                raise self.error(column, f"{_COLUMNS[column].what} is missing")
        values: dict[str, Any] = {"run": {**_UNTOLD, "machine": {}}, "variant": {}}
        if has_trial:
            values["trial"] = {"phases": {}}
        fields = {one.place(has_trial): one.name for one in TRIAL_COLUMNS}
        for place, column in fields.items():
            if place and (text := self.text(column)):
                *outer, name = place.split(".")
                inner = values
                for one in outer:
                    inner = inner.setdefault(one, {})
                inner[name] = text
        try:
            return msgspec.convert(values, known(_Row), strict=False)
        except msgspec.ValidationError as error:
            place = str(error).rpartition("`$.")[2].rstrip("`")
            # which its record checks by itself
            raise self.wrong(fields.get(place, "weight_type")) from None

    def wrong(self, column: str) -> FileFormatError:
        return self.error(column, f"“{self.text(column)}” is not {_COLUMNS[column].what}")

    def error(self, column: str, reason: str) -> FileFormatError:
        return FileFormatError(self.path, f"column {column}: {reason}", line=self.line)


def _rows(path: Path, lines: Iterator[str]) -> Iterator[_Cells]:
    table = csv.reader(lines, strict=True)
    try:
        header = next(table, [])
        missing = [name for name in _REQUIRED if name not in header]
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
    version = cells.read(_FIRST_COLUMN, int)
    if version is not None and version > SCHEMA_VERSION:
        raise cells.error(
            _FIRST_COLUMN,
            f"{version} is newer than this version of Tautpath, which reads {SCHEMA_VERSION}",
        )
    run = cells.row.run
    (source, source_name), (target, target_name) = (
        _end(cells, name) for name in ("source", "target")
    )
    started = cells.text("timestamp_utc")
    cells.read("timestamp_utc", _moment)
    made_up = _made_up_id(path, run.graph, source_name or source, target_name or target)
    cpu = cells.text("device") if cells.text("runs_on") in _ON_PROCESSOR else ""
    return replace(
        run,
        run_id=run.run_id or made_up,
        started_utc=started,
        ended_utc=started or "unknown",
        origin=path.name,
        machine=replace(run.machine, cpu=cpu),
        source=source,
        target=target,
        source_name=source_name,
        target_name=target_name,
    )


def _end(cells: _Cells, column: str) -> tuple[int | None, str]:
    """Id and name of an end point; in a graph whose vertices have names its id is not
    in the file.
    """
    text = cells.text(column)
    try:
        vertex = int(text) if text else None
    except ValueError:
        return None, text
    if vertex is not None and abs(vertex) >= 2**63:
        raise cells.wrong(column)
    return vertex, ""


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
    kept = cells.row.variant
    return replace(
        kept,
        parameters=cells.read("parameters", _json_object) or {},
        device_name="" if kept.runs_on.value in _ON_PROCESSOR else cells.text("device"),
        status=Status.OK,
        error="",
        verdict=_verdict_of(cells),
        disturbances=tuple(_disturbances_of(cells)),
    )


def _verdict_of(cells: _Cells) -> Verdict | None:
    answer = cells.text("verified")
    if answer in ("", "not_run"):
        return None
    wrong = cells.read("wrong_vertices", _count) or 0
    if answer.startswith(_SAMPLED):
        rows = cells.read("verified", _sampled_rows) or 0
        return Verdict(
            True,
            wrong,
            f"Distances of {format_count(rows)} rows proved",
            tuple(range(rows)),
            seed=0,
        )
    if answer not in ("yes", "no"):
        raise cells.wrong("verified")
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
    row = cells.row
    if (trial := row.trial) is None:  # the variant failed before its first trial
        return replace(variant, status=row.variant.status, error=row.variant.error)
    if any(known.index == trial.index for known in variant.trials):
        raise cells.error(
            "trial", f"trial {trial.index} of {variant.variant} occurs twice in one run"
        )
    return replace(variant, trials=(*variant.trials, trial))


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


def _moment(text: str) -> None:
    """Refuse a time that no clock here can show; a text that is no time stays as it is."""
    with suppress(ValueError):
        datetime.fromisoformat(text)
        if local_time(text) is None:
            raise KeyError(text)


def _json_object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError
    return value


def _sampled_rows(text: str) -> int:
    return _count("".join(filter(str.isdigit, text.removeprefix(_SAMPLED))))
