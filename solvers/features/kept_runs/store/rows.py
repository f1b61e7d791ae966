"""Kept runs as rows of the store's tables, and back; the schema of the store, as the
list of its migrations.

A run, a variant and a trial are each a row with one JSON text, its ``record``; other
columns are what is searched, and what the user may change later, which then counts.

``PRAGMA user_version`` of a file is the number of migrations that it has had. A change
of the schema is one more version in ``run_store.sql``; versions that were
released are never edited.

Ids are chosen by the program, not by SQLite, so that a statement that could not be
written can be repeated as it is.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from solvers.core.result import Trial
from solvers.errors import TautpathError
from solvers.graphs.road_changes import RoadChanges
from solvers.running.kept_run import KeptRun, KeptVariant, reading_before
from solvers.system.known_types import known

APPLICATION_ID = 0x5441_5554  # tells a run store from other SQLite files

Row = Mapping[str, Any]
Statement = tuple[str, tuple[Any, ...]]

_KEYS = {"runs": "run_id", "variants": "run_id, position", "trials": "run_id, position, trial"}


def _migrations() -> tuple[tuple[str, ...], ...]:
    """The statements of each version, from the file of the schema."""
    schema = Path(__file__).with_name("run_store.sql").read_text("utf-8")
    versions = (version.partition("\n")[2] for version in schema.split("\n-- version ")[1:])
    return tuple(tuple(filter(None, map(str.strip, version.split(";\n")))) for version in versions)


MIGRATIONS = _migrations()
VERSION = len(MIGRATIONS)


def migrate(
    connection: sqlite3.Connection, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS
) -> None:
    """Bring a store up to date: all missing migrations in one transaction.

    Another program may migrate at the same time; the version is read again under the
    lock. Raises sqlite3.Error if the file cannot be written; it is then as before.
    """
    if version_of(connection) >= len(migrations):
        return
    connection.create_function("record", -1, _former_record, deterministic=True)
    with transaction(connection):
        for statements in migrations[version_of(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def version_of(connection: sqlite3.Connection) -> int:
    """Number of migrations that the file has had; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing of it if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # what SQLite has rolled back by itself, as on a full disk, must not hide the reason
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def statements_of(run: KeptRun) -> list[Statement]:
    """The insertions of a whole run with its variants and trials."""
    found = [run_insertion(run)]
    for position, variant in enumerate(run.variants):
        found += variant_insertions(run.run_id, position, variant)
    return found


def run_insertion(run: KeptRun) -> Statement:
    """A statement that inserts the run without its variants, or replaces it, and its values."""
    record = asdict(replace(run, variants=()))
    record["graph"]["source"]["roads"] = run.graph.source.roads.to_dict()
    row = {
        "run_id": run.run_id,
        "started_utc": run.started_utc,
        "ended_utc": run.ended_utc,
        "name": run.name,
        "is_baseline": run.is_baseline,
        "experiment": run.experiment,
        "graph_sha256": run.graph.sha256,
        "cpu": run.machine.cpu,
    }
    return _insertion("runs", row, record)


def variant_insertions(run_id: str, position: int, variant: KeptVariant) -> list[Statement]:
    """As `run_insertion`, of a variant and its trials."""
    verdict = variant.verdict
    row = {
        "run_id": run_id,
        "position": position,
        "started_utc": variant.started_utc,
        "variant": variant.variant,
        "status": variant.status and variant.status.value,
        "verified": verdict and verdict.verified,
        "median_ms": variant.median() if variant.status else None,
        "warm_graph": variant.has_warm_graph,
    }
    trials = [trial_insertion(run_id, position, trial) for trial in variant.trials]
    return [_insertion("variants", row, asdict(replace(variant, trials=()))), *trials]


def trial_insertion(run_id: str, position: int, trial: Trial) -> Statement:
    row = {"run_id": run_id, "position": position, "trial": trial.index}
    # written between trials, and most of what is in a store: fields of no value are left out
    record = {name: value for name, value in vars(trial).items() if value not in (None, "")}
    record["phases"] = {name: ms for name, ms in vars(trial.phases).items() if ms}
    return _insertion("trials", row, record)


def run_of(row: Row, variants: Iterable[KeptVariant] = ()) -> KeptRun:
    """Raises one of `NOT_UNDERSTOOD`, as the next two."""
    record = json.loads(row["record"])
    source = record["graph"]["source"]
    roads = RoadChanges.from_dict({"roads": [], **source.pop("roads")})
    # runs of the first versions do not say how turns were read
    source["reading"] = {"turns": reading_before(source["path"]), **source["reading"]}
    run = msgspec.convert(record, known(KeptRun))
    return replace(
        run,
        ended_utc=row["ended_utc"],
        name=row["name"],
        is_baseline=bool(row["is_baseline"]),
        graph=replace(run.graph, source=replace(run.graph.source, roads=roads)),
        variants=tuple(variants),
    )


def variant_of(row: Row, trials: Iterable[Trial] = ()) -> KeptVariant:
    kept = msgspec.convert(json.loads(row["record"]), known(KeptVariant))
    return replace(kept, trials=tuple(trials))


def trial_of(row: Row) -> Trial:
    return msgspec.convert(json.loads(row["record"]), known(Trial))


NOT_UNDERSTOOD = (ValueError, LookupError, TypeError, AttributeError, TautpathError)
"""What reading a row may raise whose record is not as this version writes it."""


def _insertion(table: str, row: dict[str, Any], record: Mapping[str, Any]) -> Statement:
    # without ensure_ascii, a file name that is not UTF-8 could not be stored
    row["record"] = json.dumps(record, separators=(",", ":"), default=_plain)
    return _insertion_text(table, tuple(row)), tuple(map(_cell, row.values()))


@cache
def _insertion_text(table: str, columns: tuple[str, ...]) -> str:
    """Kept, as one is needed between any two trials."""
    marks = ", ".join("?" for _ in columns)
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) "
        f"ON CONFLICT ({_KEYS[table]}) DO UPDATE SET {changed}"
    )


def _plain(value: object) -> Any:
    """Of a parameter, a number of NumPy or a member of an enumeration."""
    return value.value if isinstance(value, Enum) else cast(np.generic, value).item()


def _cell(value: Any) -> Any:
    """Text that SQLite can store: bytes of a file's name that are not UTF-8 are escaped."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


# -- what versions before 7 had in columns


def _former_record(*places_and_cells: Any) -> str:
    """The record of a row of columns, by the place of each cell in it. It checks nothing:
    what is no right value is refused when the record is read.
    """
    record: dict[str, Any] = {}
    pairs = zip(places_and_cells[::2], places_and_cells[1::2], strict=True)
    for place, cell in pairs:
        where, _, kind = place.partition(":")
        *outer, name = where.split(".")
        inner = record
        for one in outer:
            inner = inner.setdefault(one, {})
        with suppress(LookupError):  # a field that this row does not have
            inner[name] = _FORMER_CELLS[kind](cell)
    return json.dumps(record)


def _json_cell(text: Any) -> Any:
    try:
        return text if text is None else json.loads(text)
    except (ValueError, TypeError):
        return text


def _json_field(name: str) -> Callable[[Any], Any]:
    def field_of(text: Any) -> Any:
        found = _json_cell(text)
        if not isinstance(found, dict):
            raise KeyError(name)
        return found[name]

    return field_of


def _ids_cell(blob: Any) -> Any:
    """Ids of vertices, which were compressed."""
    try:
        return [] if blob is None else np.frombuffer(zlib.decompress(blob), "<i8").tolist()
    except (ValueError, TypeError, zlib.error):
        return "damaged"


def _pairs_cell(text: Any) -> Any:
    found = _json_cell(text)
    try:
        return [{"kind": kind, "words": words} for kind, words in found]
    except (ValueError, TypeError):
        return found


_FORMER_CELLS: dict[str, Callable[[Any], Any]] = {
    # a path that is not UTF-8 was kept as bytes
    "": lambda cell: os.fsdecode(cell) if isinstance(cell, bytes) else cell,
    "bool": lambda cell: None if cell is None else bool(cell),
    "json": _json_cell,
    "ids": _ids_cell,
    "pairs": _pairs_cell,
    "generator": _json_field("generator"),
    "parameters": _json_field("parameters"),
}
