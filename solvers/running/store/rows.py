"""Kept runs as rows of the store's tables, and back; the schema of the store, as the
list of its migrations.

``PRAGMA user_version`` of a file is the number of migrations that it has had. A change
of the schema is one more version in ``resources/run_store.sql``; versions that were
released are never edited.

Ids are chosen by the program, not by SQLite, so that a statement that could not be
written can be repeated as it is.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from enum import Enum
from functools import cache
from typing import Any

import msgspec
import numpy as np

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.graphs.interpretation import Interpretation
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_changes import RoadChanges
from solvers.running.store.kept_run import (
    GraphFacts,
    GraphSource,
    KeptRun,
    KeptVariant,
    MachineFacts,
    turns_before,
)
from solvers.system.files import RESOURCES

APPLICATION_ID = 0x5441_5554  # tells a run store from other SQLite files

# Columns that are fields as they are: of a run, its graph and machine; of a variant, from its
# begin, and of its outcome.
_RUN = (
    "run_id",
    "started_utc",
    "app_version",
    "origin",
    "source",
    "target",
    "name",
    "experiment",
    "source_name",
    "target_name",
)
_GRAPH = ("vertices", "arcs", "weight_type", "weight_unit")
_MACHINE = ("cpu", "cores", "system", "host")
_BEGUN = ("variant", "algorithm", "runs_on", "paper", "device", "driver", "started_utc")
_COUNTED = ("iterations", "relaxations", "peak_device_bytes")
_MEASURED = ("note", "target_distance", "cold_ms", "load", "graph_upload_ms")

Row = Mapping[str, Any]


def _migrations() -> tuple[tuple[str, ...], ...]:
    """The statements of each version, from the file of the schema."""
    schema = (RESOURCES / "run_store.sql").read_text("utf-8")
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
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in migrations[version_of(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """Number of migrations that the file has had; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def insertion(table: str, row: Row) -> tuple[str, tuple[Any, ...]]:
    """A statement that inserts the row, or replaces the columns of the row with the
    same key, and its values.
    """
    return _insertion_text(table, tuple(row)), tuple(map(_cell, row.values()))


@cache
def _insertion_text(table: str, columns: tuple[str, ...]) -> str:
    """Kept, as one is needed between any two trials."""
    marks = ", ".join("?" for _ in columns)
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns)
    key = {"runs": "run_id", "variants": "run_id, position", "trials": "run_id, position, trial"}[
        table
    ]
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) "
        f"ON CONFLICT ({key}) DO UPDATE SET {changed}"
    )


def statements_of(run: KeptRun) -> list[tuple[str, tuple[Any, ...]]]:
    """The insertions of a whole run with its variants and trials."""
    found = [insertion("runs", run_row(run))]
    for position, variant in enumerate(run.variants):
        found.append(insertion("variants", variant_row(run.run_id, position, variant)))
        found += [
            insertion("trials", trial_row(run.run_id, position, trial)) for trial in variant.trials
        ]
    return found


def run_row(run: KeptRun) -> dict[str, Any]:
    graph, source = run.graph, run.graph.source
    reading = asdict(source.reading) | {
        "generator": source.generator,
        "parameters": dict(source.parameters),
        **source.roads.to_dict(),
    }
    return {
        **_fields(run, *_RUN, "is_baseline"),
        **_fields(graph, *_GRAPH, "directed"),
        **_fields(run.machine, *_MACHINE),
        "ended_utc": run.ended_utc or None,
        "graph": graph.name,
        "graph_sha256": graph.sha256,
        "graph_path": _path_cell(source.path),
        "reading": _json(reading),
        "interpretation": _json(asdict(graph.interpretation)) if graph.interpretation else "",
    }


def run_of(row: Row, variants: Iterable[KeptVariant] = ()) -> KeptRun:
    how = json.loads(row["reading"])
    path = os.fsdecode(row["graph_path"])
    source = GraphSource(
        path,
        msgspec.convert({"turns": turns_before(path)} | how, ReadingOptions),
        # not in stores of earlier versions
        how.get("generator", ""),
        how.get("parameters", {}),
        RoadChanges.from_dict({"roads": []} | how),
    )
    graph = GraphFacts(
        row["graph"],
        row["graph_sha256"],
        **{name: row[name] for name in _GRAPH},
        directed=None if row["directed"] is None else bool(row["directed"]),
        source=source,
        interpretation=msgspec.json.decode(row["interpretation"], type=Interpretation)
        if row["interpretation"]
        else None,
    )
    return KeptRun(
        **{name: row[name] for name in _RUN},
        graph=graph,
        machine=MachineFacts(*(row[name] for name in _MACHINE)),
        variants=tuple(variants),
        ended_utc=row["ended_utc"] or "",
        is_baseline=bool(row["is_baseline"]),
    )


def variant_row(run_id: str, position: int, variant: KeptVariant) -> dict[str, Any]:
    """The columns of a variant; those of its outcome are left out while it runs."""
    row = {
        "run_id": run_id,
        "position": position,
        **_fields(variant, *_BEGUN),
        "parameters": _json(dict(variant.parameters), sort_keys=True),
    }
    return row if variant.status is None else row | _outcome_columns(variant)


def _outcome_columns(variant: KeptVariant) -> dict[str, Any]:
    verdict = variant.verdict
    return {
        **_fields(variant, "status", "error", *_COUNTED, *_MEASURED),
        "median_ms": variant.median(),
        "verified": verdict and verdict.verified,
        "wrong_vertices": verdict and verdict.wrong_vertices,
        "verdict": verdict.text if verdict else "",
        "checked_rows": _json([int(row) for row in verdict.rows] if verdict else []),
        "verdict_seed": verdict and verdict.seed,
        "distances_sha256": variant.distances_sha256 or None,
        "path": _packed(variant.path),
        "cycle": _packed(variant.cycle),
        "disturbances": _json([(d.kind.value, d.words) for d in variant.disturbances]),
    }


def variant_of(row: Row, trials: Iterable[Trial]) -> KeptVariant:
    return KeptVariant(
        **{name: row[name] for name in (*_BEGUN, "error", *_COUNTED, *_MEASURED)},
        parameters=json.loads(row["parameters"]),
        status=None if row["status"] is None else Status(row["status"]),
        trials=tuple(trials),
        verdict=_verdict_of(row),
        distances_sha256=row["distances_sha256"] or "",
        path=_unpacked(row["path"]),
        cycle=_unpacked(row["cycle"]),
        disturbances=tuple(
            Disturbance(DisturbanceKind(kind), words)
            for kind, words in json.loads(row["disturbances"])
        ),
    )


def _verdict_of(row: Row) -> Verdict | None:
    if row["verified"] is None:
        return None
    rows = tuple(json.loads(row["checked_rows"]))
    return Verdict(
        bool(row["verified"]), row["wrong_vertices"], row["verdict"], rows, row["verdict_seed"]
    )


def trial_row(run_id: str, position: int, trial: Trial) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "position": position,
        "trial": trial.index,
        **_fields(trial, "is_warmup", "status", "error", "iterations", "relaxations"),
        **{f"{name}_ms": ms for name, ms in asdict(trial.phases).items()},
    }


def trial_of(row: Row) -> Trial:
    phases = Phases(row["prepare_ms"], row["h2d_ms"], row["solve_ms"], row["d2h_ms"])
    return Trial(
        row["trial"],
        bool(row["is_warmup"]),
        phases,
        Status(row["status"]),
        row["error"],
        row["iterations"],
        row["relaxations"],
    )


def _fields(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _json(value: object, *, sort_keys: bool = False) -> str:
    return json.dumps(value, sort_keys=sort_keys, ensure_ascii=False)


def _cell(value: Any) -> Any:
    """A value of Python or NumPy as SQLite stores it."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Enum):
        return value.value
    return value.item() if isinstance(value, np.generic) else value


def _text(text: str) -> str:
    """Text that SQLite can store: bytes of a file's name that are not UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _path_cell(path: str) -> str | bytes:
    """A path as text, or as bytes if it is not UTF-8: it is needed unchanged to open
    the file again.
    """
    return path if _text(path) == path else os.fsencode(path)


def _packed(ids: tuple[int, ...]) -> bytes | None:
    """Vertex ids, compressed; None if there are none."""
    return zlib.compress(np.array(ids, dtype="<i8").tobytes(), 1) if ids else None


def _unpacked(blob: bytes | None) -> tuple[int, ...]:
    return tuple(np.frombuffer(zlib.decompress(blob), dtype="<i8").tolist()) if blob else ()
