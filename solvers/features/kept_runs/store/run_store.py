"""The store of runs: all measurements, in one SQLite file."""

from __future__ import annotations

import itertools
import logging
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from solvers.core.result import Status
from solvers.devices.device import kind_of_driver
from solvers.errors import StoreUnavailable, UnknownName
from solvers.features.kept_runs.store.database import (
    StoreFile,
    connected,
    files_to_read,
    make_private,
    own_file,
    set_aside_if_unusable,
    store_file,
    take_over,
)
from solvers.features.kept_runs.store.rows import (
    NOT_UNDERSTOOD,
    Row,
    run_of,
    statements_of,
    transaction,
    trial_of,
    variant_of,
)
from solvers.running.kept_run import KeptRun, KeptVariant
from solvers.system import machine
from solvers.system.disk_cache import DELETED_KEPT

if TYPE_CHECKING:
    from solvers.running.estimate import EarlierTime

log = logging.getLogger(__name__)

_MOST_TIMES = 500  # the newest: the machine, its drivers and the program change


@dataclass(frozen=True)
class VariantSummary:
    """What a list of runs tells of a variant."""

    variant: str
    median_ms: float | None  # of the total times
    status: Status | None
    verified: bool | None


@dataclass(frozen=True)
class RunSummary:
    """What a list of runs tells of a run."""

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

    What cannot be understood, since a field of it is damaged or of a newer version, is left
    out; ``unreadable`` has a sentence for each, by what it is.
    """

    def __init__(self, path: Path | None = None):
        self.path = path or store_file()
        self.unreadable: dict[str, str] = {}

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
                for summary in self._summaries_in(connection, deleted):
                    found.setdefault(summary.run.run_id, summary)
        return tuple(_newest_first(found.values(), lambda summary: summary.run))

    def run(self, run_id: str) -> KeptRun:
        """One run with its variants and trials.

        Raises UnknownName. Raises StoreUnavailable: also if the run is not understood.
        """
        known = []
        for file in self.files():
            with file.reading() as connection:
                row = connection.execute(
                    "SELECT * FROM runs WHERE run_id = ?", (run_id,)
                ).fetchone()
                if row is not None:
                    if (found := self._run_in(connection, row)) is None:
                        raise StoreUnavailable(file.path, self.unreadable[_name_of(row)])
                    return found
                known += [each[0] for each in connection.execute("SELECT run_id FROM runs")]
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
                    if (run := self._run_in(connection, row)) is not None:
                        found.setdefault(run.run_id, run)
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

    def _summaries_in(self, connection: sqlite3.Connection, deleted: bool) -> Iterator[RunSummary]:
        unfinished = self._medians_of_unfinished(connection)

        def summary_of(row: Row) -> VariantSummary:
            status, verified = row["status"], row["verified"]
            early = unfinished.get((row["run_id"], row["position"]))
            return VariantSummary(
                row["variant"],
                early if status is None else row["median_ms"],
                None if status is None else Status(status),
                None if verified is None else bool(verified),
            )

        variants: defaultdict[str, list[VariantSummary]] = defaultdict(list)
        for row in connection.execute(
            "SELECT run_id, position, variant, median_ms, status, verified FROM variants "
            "ORDER BY run_id, position"
        ):
            variants[row["run_id"]] += self._understood(row, summary_of)
        question = f"SELECT * FROM runs WHERE deleted_utc IS {'NOT ' if deleted else ''}NULL"
        for row in connection.execute(question).fetchall():
            for run in self._understood(row, run_of):
                yield RunSummary(run, tuple(variants[run.run_id]), row["deleted_utc"] or "")

    def _run_in(self, connection: sqlite3.Connection, row: Row) -> KeptRun | None:
        """The run of a row, with its variants and trials; None if it is not understood."""

        def variant_with_trials(found: Row) -> KeptVariant:
            trials = connection.execute(
                "SELECT * FROM trials WHERE run_id = ? AND position = ? ORDER BY trial",
                (found["run_id"], found["position"]),
            ).fetchall()
            understood = [one for trial in trials for one in self._understood(trial, trial_of)]
            return variant_of(found, understood)

        def run_with_variants(found: Row) -> KeptRun:
            rows = connection.execute(
                "SELECT * FROM variants WHERE run_id = ? ORDER BY position", (found["run_id"],)
            ).fetchall()
            variants = (self._understood(each, variant_with_trials) for each in rows)
            return run_of(found, itertools.chain.from_iterable(variants))

        return next(iter(self._understood(row, run_with_variants)), None)

    def _medians_of_unfinished(
        self, connection: sqlite3.Connection
    ) -> dict[tuple[str, int], float]:
        """Median total time in ms, over the trials so far, of the variants that were killed
        or still run.
        """
        times: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        for row in connection.execute(
            "SELECT trials.* FROM variants CROSS JOIN trials USING (run_id, position) "
            "WHERE variants.status IS NULL"
        ):
            for trial in self._understood(row, trial_of):
                if trial.status is Status.OK and not trial.is_warmup:
                    times[row["run_id"], row["position"]].append(trial.phases.total)
        return {key: statistics.median(sample) for key, sample in times.items()}

    def earlier_times(self, variant_ids: Collection[str], cpu: str = "") -> tuple[EarlierTime, ...]:
        """Times of these variants on a processor, "" for this machine's, newest first; none
        if the store cannot be read.
        """
        from solvers.running.estimate import EarlierTime

        marks = ", ".join("?" for _ in variant_ids)
        found: list[tuple[str, EarlierTime]] = []
        runs: dict[str, KeptRun] = {}

        def time_of(row: Row) -> tuple[str, EarlierTime]:
            kept, of = variant_of(row), runs[row["run_id"]]
            time = EarlierTime(
                kept.variant,
                kept.parameters,
                of.graph.vertices,
                of.graph.arcs,
                kept.device_name,
                row["median_ms"],
                device_kind=kind_of_driver(kept.driver),
                source=of.source,
                graph_sha256=of.graph.sha256,
                run_id=of.run_id,
            )
            return kept.started_utc, time

        for file in self.files():
            try:
                with file.reading() as connection:
                    rows = connection.execute(
                        "SELECT variants.* FROM variants JOIN runs USING (run_id) WHERE median_ms "
                        "IS NOT NULL AND NOT warm_graph AND deleted_utc IS NULL AND cpu = ? "
                        f"AND variant IN ({marks}) ORDER BY variants.started_utc DESC LIMIT ?",
                        (cpu or machine.cpu_name(), *variant_ids, _MOST_TIMES),
                    ).fetchall()
                    for run_id in {row["run_id"] for row in rows}:
                        (run,) = connection.execute(
                            "SELECT * FROM runs WHERE run_id = ?", (run_id,)
                        )
                        for understood in self._understood(run, run_of):
                            runs[run_id] = understood
                    for row in rows:
                        if row["run_id"] in runs:
                            found += self._understood(row, time_of)
            except StoreUnavailable as error:
                log.info("earlier times are not known: %s", error)
        found.sort(key=lambda pair: pair[0], reverse=True)
        return tuple(time for _, time in found[:_MOST_TIMES])

    def _understood(self, row: Row, read: Callable[[Row], _Kept]) -> list[_Kept]:
        """What a row holds; nothing, and a sentence in ``unreadable``, if that cannot be told."""
        try:
            return [read(row)]
        except NOT_UNDERSTOOD as error:
            what, _, place = str(error).replace("`", "").partition(" - at $.")
            reason = ": ".join(filter(None, (place, what.rstrip("."))))
            name = _name_of(row)
            self.unreadable[name] = f"{name} is left out, as it cannot be read: {reason}."
            return []


def _name_of(row: Row) -> str:
    """What a row is of, in words."""
    places = (("trial", "trial"), ("position", "variant"), ("run_id", "run"))
    known = set(row.keys())
    return " of ".join(f"{what} {row[name]}" for name, what in places if name in known)


def _newest_first(found: Iterable[_Kept], in_it: Callable[[_Kept], KeptRun]) -> list[_Kept]:
    by_id = sorted(found, key=lambda kept: in_it(kept).run_id)
    return sorted(by_id, key=lambda kept: in_it(kept).started_utc, reverse=True)


@contextmanager
def _what_can_be_read(file: StoreFile) -> Iterator[None]:
    """Of a newer version's file, leave out tables that this one cannot read."""
    try:
        yield
    except StoreUnavailable:
        if not file.is_newer:
            raise
