"""The store of runs: all measurements, in one SQLite file."""

from __future__ import annotations

import json
import logging
import sqlite3
import statistics
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from solvers.core.result import Status, Trial
from solvers.core.variant import Algorithm, RunsOn
from solvers.devices.device import kind_of_driver
from solvers.errors import StoreUnavailable, UnknownName
from solvers.running.estimate import EarlierTime
from solvers.running.store.database import (
    StoreFile,
    connected,
    files_to_read,
    make_private,
    own_file,
    set_aside_if_unusable,
    store_file,
    take_over,
    transaction,
)
from solvers.running.store.kept_run import KeptRun, KeptVariant
from solvers.running.store.rows import run_of, statements_of, trial_of, variant_of
from solvers.system import machine
from solvers.system.disk_cache import DELETED_KEPT

log = logging.getLogger(__name__)

# What reading a run of a newer version may raise.
_NOT_UNDERSTOOD = (ValueError, LookupError, TypeError, AttributeError, zlib.error)
_MOST_TIMES = 500  # the newest: the machine, its drivers and the program change


@dataclass(frozen=True)
class VariantSummary:
    variant: str
    median_ms: float | None  # of the total times
    status: Status | None
    verified: bool | None


@dataclass(frozen=True)
class RunSummary:
    run: KeptRun  # without its variants
    variants: tuple[VariantSummary, ...]
    deleted_utc: str = ""  # "" for a run that is not deleted

    @property
    def fastest(self) -> VariantSummary | None:
        """The variant with the least median among those whose answer is not known to be wrong."""
        timed = [v for v in self.variants if v.median_ms is not None and v.verified is not False]
        return min(timed, key=lambda v: v.median_ms or 0.0, default=None)


_Kept = TypeVar("_Kept")


class RunStore:
    """Kept runs, by default the user's. Every method opens its own connection: threads
    and programs may share a store.

    Every method raises `StoreUnavailable` if the file cannot be read or written. The
    file is created on demand. If a newer version has written the one at ``path``, it is
    only read, and `own_path` is another one.
    """

    def __init__(self, path: Path | None = None):
        self.path = path or store_file()

    @property
    def own_path(self) -> Path:
        """The file that this version writes."""
        return own_file(self.path)

    def prepare(self) -> str:
        """Set a damaged file aside, make the files private, and take over what older
        versions kept beside it.

        Runs that were deleted over `DELETED_KEPT` ago are removed. Called once at the start.
        Returns a sentence for the user; "" if the file could be used.
        """
        make_private(self.path)
        remark = set_aside_if_unusable(self.path)
        take_over(self.path)
        if self.own_path.exists():
            before = (datetime.now(UTC) - DELETED_KEPT).isoformat(timespec="milliseconds")
            try:
                with connected(self.own_path) as connection:
                    connection.execute("DELETE FROM runs WHERE deleted_utc < ?", (before,))
            except StoreUnavailable as error:  # read-only: everything in it is listed
                log.info("deleted runs stay in the store: %s", error)
        return remark

    def files(self) -> tuple[StoreFile, ...]:
        """Where runs are read from, this version's own file first."""
        return files_to_read(self.path)

    def summaries(self, *, deleted: bool = False) -> tuple[RunSummary, ...]:
        """The kept runs, or those that were deleted and can be restored, newest first."""
        found: dict[str, RunSummary] = {}
        for file in self.files():
            with _what_can_be_read(file), file.reading() as connection:
                for summary in _summaries_in(connection, file, deleted):
                    found.setdefault(summary.run.run_id, summary)
        return tuple(_newest_first(found.values(), lambda summary: summary.run))

    def run(self, run_id: str) -> KeptRun:
        """One run with its variants and trials.

        Raises UnknownName. Raises StoreUnavailable: also if a newer version has written
        what this one does not understand.
        """
        known = []
        for file in self.files():
            with file.reading() as connection:
                row = connection.execute(
                    "SELECT * FROM runs WHERE run_id = ?", (run_id,)
                ).fetchone()
                if row is not None:
                    return _run_in(connection, row, file)
                known += [found[0] for found in connection.execute("SELECT run_id FROM runs")]
        raise UnknownName("run", run_id, known)

    def runs_of_experiment(self, experiment: str) -> tuple[KeptRun, ...]:
        """The runs that are parts of an experiment, newest first, with their variants
        and trials.
        """
        found: dict[str, KeptRun] = {}
        question = "SELECT * FROM runs WHERE experiment = ? AND deleted_utc IS NULL"
        for file in self.files():
            with _what_can_be_read(file), file.reading() as connection:
                for row in connection.execute(question, (experiment,)).fetchall():
                    with _what_can_be_read(file):
                        found.setdefault(row["run_id"], _run_in(connection, row, file))
        return tuple(_newest_first(found.values(), lambda run: run))

    def holds(self, run_id: str) -> bool:
        """Whether a run of that id is kept and not deleted."""
        question = "SELECT 1 FROM runs WHERE run_id = ? AND deleted_utc IS NULL"
        for file in self.files():
            with _what_can_be_read(file), file.reading() as connection:
                if connection.execute(question, (run_id,)).fetchone() is not None:
                    return True
        return False

    def add(self, runs: Iterable[KeptRun]) -> None:
        """Add whole runs; one that is kept already is replaced, and no longer deleted."""
        with connected(self.own_path) as connection, transaction(connection):
            for run in runs:
                connection.execute("DELETE FROM runs WHERE run_id = ?", (run.run_id,))
                for sql, values in statements_of(run):
                    connection.execute(sql, values)

    def rename(self, run_id: str, name: str) -> None:
        """Set the user's name of a run; "" for none."""
        with self._changing((run_id,)) as connection:
            connection.execute("UPDATE runs SET name = ? WHERE run_id = ?", (name, run_id))

    def set_baseline(self, run_id: str, pinned: bool = True) -> None:
        """Pin a run as the baseline of its graph, in place of another; or unpin it."""
        with self._changing((run_id,)) as connection:
            graph = "(SELECT graph_sha256 FROM runs WHERE run_id = ?)"
            connection.execute(
                f"UPDATE runs SET is_baseline = 0 WHERE graph_sha256 = {graph}", (run_id,)
            )
            connection.execute(
                "UPDATE runs SET is_baseline = ? WHERE run_id = ?", (int(pinned), run_id)
            )

    def delete(self, run_ids: Sequence[str]) -> None:
        """Take runs off the list; `restore` brings them back for `DELETED_KEPT`."""
        self._mark_deleted(run_ids, datetime.now(UTC).isoformat(timespec="milliseconds"))

    def restore(self, run_ids: Sequence[str]) -> None:
        self._mark_deleted(run_ids, None)

    def _mark_deleted(self, run_ids: Sequence[str], when: str | None) -> None:
        with self._changing(run_ids) as connection:
            for run_id in run_ids:
                connection.execute(
                    "UPDATE runs SET deleted_utc = ? WHERE run_id = ?", (when, run_id)
                )

    @contextmanager
    def _changing(self, run_ids: Sequence[str]) -> Iterator[sqlite3.Connection]:
        """A transaction on this version's own file, unless one of the runs is in that
        of a newer version.
        """
        for file in self.files():
            if file.is_newer:
                self._require_own(run_ids, file)
        with connected(self.own_path) as connection, transaction(connection):
            yield connection

    def _require_own(self, run_ids: Sequence[str], newer: StoreFile) -> None:
        theirs: set[str] = set()
        with _what_can_be_read(newer), newer.reading() as connection:
            theirs |= {row[0] for row in connection.execute("SELECT run_id FROM runs")}
        if not theirs.isdisjoint(run_ids):
            raise StoreUnavailable(
                newer.path, "a newer version of Tautpath has written it, so its runs are only read"
            )


def earlier_times(
    store: RunStore, variant_ids: Collection[str], cpu: str = ""
) -> tuple[EarlierTime, ...]:
    """Times of these variants on a processor, "" for this machine's, newest first; none
    if the store cannot be read.
    """
    marks = ", ".join("?" for _ in variant_ids)
    found: list[tuple[str, EarlierTime]] = []
    for file in store.files():
        try:
            with file.reading() as connection, _understood(file):
                rows = connection.execute(
                    "SELECT variants.started_utc, variant, parameters, vertices, arcs, device, "
                    "median_ms, driver FROM variants JOIN runs USING (run_id) WHERE median_ms IS "
                    "NOT NULL AND graph_upload_ms IS NULL AND deleted_utc IS NULL AND cpu = ? AND "
                    f"variant IN ({marks}) ORDER BY variants.started_utc DESC LIMIT ?",
                    (cpu or machine.cpu_name(), *variant_ids, _MOST_TIMES),
                ).fetchall()
                found += [
                    (
                        began,
                        EarlierTime(
                            name,
                            json.loads(given),
                            n,
                            m,
                            device,
                            ms,
                            device_kind=kind_of_driver(driver),
                        ),
                    )
                    for began, name, given, n, m, device, ms, driver in rows
                ]
        except StoreUnavailable as error:
            log.info("earlier times are not known: %s", error)
    return tuple(
        time for _, time in sorted(found, key=lambda pair: pair[0], reverse=True)[:_MOST_TIMES]
    )


def _newest_first(found: Iterable[_Kept], in_it: Callable[[_Kept], KeptRun]) -> list[_Kept]:
    by_id = sorted(found, key=lambda kept: in_it(kept).run_id)
    return sorted(by_id, key=lambda kept: in_it(kept).started_utc, reverse=True)


@contextmanager
def _what_can_be_read(file: StoreFile) -> Iterator[None]:
    """Of a newer version's file, leave out what this one cannot read."""
    try:
        yield
    except StoreUnavailable:
        if not file.is_newer:
            raise


def _summaries_in(
    connection: sqlite3.Connection, file: StoreFile, deleted: bool
) -> Iterator[RunSummary]:
    unfinished = _medians_of_unfinished(connection)
    variants: defaultdict[str, list[sqlite3.Row]] = defaultdict(list)
    for row in connection.execute(
        "SELECT run_id, position, variant, median_ms, status, verified FROM variants "
        "ORDER BY run_id, position"
    ):
        variants[row["run_id"]].append(row)
    question = f"SELECT * FROM runs WHERE deleted_utc IS {'NOT ' if deleted else ''}NULL"
    for row in connection.execute(question).fetchall():
        with _what_can_be_read(file), _understood(file):
            outcomes = tuple(_variant_summary(v, unfinished) for v in variants[row["run_id"]])
            yield RunSummary(run_of(row), outcomes, row["deleted_utc"] or "")


def _variant_summary(row: sqlite3.Row, unfinished: dict[tuple[str, int], float]) -> VariantSummary:
    run_id, position, variant, median_ms, status, verified = row
    return VariantSummary(
        variant,
        unfinished.get((run_id, position)) if status is None else median_ms,
        None if status is None else Status(status),
        None if verified is None else bool(verified),
    )


def _run_in(connection: sqlite3.Connection, row: Any, file: StoreFile) -> KeptRun:
    run_id = row["run_id"]
    with _understood(file):
        trials: defaultdict[int, list[Trial]] = defaultdict(list)
        for trial in connection.execute(
            "SELECT * FROM trials WHERE run_id = ? ORDER BY position, trial", (run_id,)
        ):
            trials[trial["position"]].append(trial_of(trial))
        variants: list[KeptVariant] = [
            variant_of(found, trials[found["position"]])
            for found in connection.execute(
                "SELECT * FROM variants WHERE run_id = ? ORDER BY position", (run_id,)
            )
        ]
        if file.is_newer:
            for variant in variants:  # tables of results need them
                Algorithm(variant.algorithm), RunsOn(variant.runs_on)
        return run_of(row, variants)


@contextmanager
def _understood(file: StoreFile) -> Iterator[None]:
    """Raise `StoreUnavailable` for content of a newer version that this one cannot read."""
    try:
        yield
    except _NOT_UNDERSTOOD as error:
        if not file.is_newer:
            raise
        reason = "a newer version of Tautpath has written a run that this one does not understand"
        raise StoreUnavailable(file.path, reason) from error


def _medians_of_unfinished(connection: sqlite3.Connection) -> dict[tuple[str, int], float]:
    """Median total time in ms, over the trials so far, of the variants that were killed
    or still run.
    """
    times: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for run_id, position, total in connection.execute(
        "SELECT run_id, position, prepare_ms + h2d_ms + solve_ms + d2h_ms "
        "FROM variants CROSS JOIN trials USING (run_id, position) "
        "WHERE variants.status IS NULL AND trials.status = 'ok' AND NOT is_warmup"
    ):
        times[run_id, position].append(total)
    return {key: statistics.median(sample) for key, sample in times.items()}
