"""The store of runs: everything that was measured, in one SQLite file."""

from __future__ import annotations

import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from solvers.contracts.results import Status, Trial
from solvers.errors import StoreUnavailable, UnknownName
from solvers.running.store.database import connected, reading, set_aside_if_unusable, store_file, transaction
from solvers.running.store.kept_run import KeptRun, KeptVariant
from solvers.running.store.rows import run_of, statements_of, trial_of, variant_of

DELETED_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class VariantSummary:
    """One variant of a listed run.

    Attributes
    ----------
    variant : str
    median_ms : float or None
        Median total time.
    status : Status or None
    verified : bool or None
    """

    variant: str
    median_ms: float | None
    status: Status | None
    verified: bool | None


@dataclass(frozen=True)
class RunSummary:
    """One row of the list of runs.

    Attributes
    ----------
    run : KeptRun
        Without its variants.
    variants : tuple of VariantSummary
    """

    run: KeptRun
    variants: tuple[VariantSummary, ...]

    @property
    def fastest(self) -> VariantSummary | None:
        """The variant with the least median among those whose answer is not known to be wrong."""
        timed = [v for v in self.variants if v.median_ms is not None and v.verified is not False]
        return min(timed, key=lambda v: v.median_ms or 0.0, default=None)


class RunStore:
    """Kept runs. Every method opens a connection of its own: a store may be used from several threads and programs.

    Every method raises `StoreUnavailable` if the file cannot be read or written.

    Parameters
    ----------
    path : Path, optional
        The user's store by default; created on demand.

    Attributes
    ----------
    path : Path
    """

    def __init__(self, path: Path | None = None):
        self.path = path or store_file()

    def prepare(self) -> str:
        """Set an unusable file aside, and remove what was deleted over a day ago; called once at the start.

        Returns
        -------
        str
            A sentence for the user; "" if the file could be used.
        """
        remark = set_aside_if_unusable(self.path)
        if self.path.exists():
            before = (datetime.now(UTC) - DELETED_KEPT).isoformat(timespec="milliseconds")
            with suppress(StoreUnavailable), connected(self.path) as connection:  # read-only: what is there is listed
                connection.execute("DELETE FROM runs WHERE deleted_utc < ?", (before,))
        return remark

    # -- reading -----------------------------------------------------------------------------------------------------

    def summaries(self) -> tuple[RunSummary, ...]:
        """All runs, newest first."""
        if not self.path.exists():
            return ()
        with reading(self.path) as connection:
            unfinished = _medians_of_unfinished(connection)
            variants: defaultdict[str, list[VariantSummary]] = defaultdict(list)
            for row in connection.execute(
                "SELECT run_id, position, variant, median_ms, status, verified FROM variants ORDER BY run_id, position"
            ):
                run_id, position, variant, median_ms, status, verified = row
                summary = VariantSummary(
                    variant,
                    unfinished.get((run_id, position)) if status is None else median_ms,
                    None if status is None else Status(status),
                    None if verified is None else bool(verified),
                )
                variants[run_id].append(summary)
            rows = connection.execute(
                "SELECT * FROM runs WHERE deleted_utc IS NULL ORDER BY started_utc DESC, run_id"
            ).fetchall()
        return tuple(RunSummary(run_of(row), tuple(variants[row["run_id"]])) for row in rows)

    def run(self, run_id: str) -> KeptRun:
        """One run with its variants and trials.

        Raises
        ------
        UnknownName
        """
        with reading(self.path) as connection:
            row = connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
            if row is None:
                known = [found[0] for found in connection.execute("SELECT run_id FROM runs")]
                raise UnknownName("run", run_id, known)
            trials: defaultdict[int, list[Trial]] = defaultdict(list)
            for trial in connection.execute(
                "SELECT * FROM trials WHERE run_id = ? ORDER BY position, trial", (run_id,)
            ):
                trials[trial["position"]].append(trial_of(trial))
            variants: list[KeptVariant] = [
                variant_of(found, trials[found["position"]])
                for found in connection.execute("SELECT * FROM variants WHERE run_id = ? ORDER BY position", (run_id,))
            ]
        return run_of(row, variants)

    def runs_of_experiment(self, experiment: str) -> tuple[KeptRun, ...]:
        """The runs that are parts of an experiment, newest first, with their variants and trials."""
        if not self.path.exists():
            return ()
        with reading(self.path) as connection:
            found = connection.execute(
                "SELECT run_id FROM runs WHERE experiment = ? AND deleted_utc IS NULL "
                "ORDER BY started_utc DESC, run_id",
                (experiment,),
            ).fetchall()
        return tuple(self.run(row["run_id"]) for row in found)

    def holds(self, run_id: str) -> bool:
        """Whether a run of that id is kept and not deleted."""
        if not self.path.exists():
            return False
        with reading(self.path) as connection:
            found = connection.execute("SELECT 1 FROM runs WHERE run_id = ? AND deleted_utc IS NULL", (run_id,))
            return found.fetchone() is not None

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(self, runs: Iterable[KeptRun]) -> None:
        """Add whole runs; one that is kept already is replaced, and no longer deleted."""
        with connected(self.path) as connection, transaction(connection):
            for run in runs:
                connection.execute("DELETE FROM runs WHERE run_id = ?", (run.run_id,))
                for sql, values in statements_of(run):
                    connection.execute(sql, values)

    def rename(self, run_id: str, name: str) -> None:
        """Set the user's name of a run; "" for none."""
        self._set(run_id, "name = ?", name)

    def set_baseline(self, run_id: str, pinned: bool = True) -> None:
        """Pin a run as the baseline of its graph, in place of another; or unpin it."""
        with connected(self.path) as connection, transaction(connection):
            graph = "(SELECT graph_sha256 FROM runs WHERE run_id = ?)"
            connection.execute(f"UPDATE runs SET is_baseline = 0 WHERE graph_sha256 = {graph}", (run_id,))
            connection.execute("UPDATE runs SET is_baseline = ? WHERE run_id = ?", (int(pinned), run_id))

    def delete(self, run_ids: Sequence[str]) -> None:
        """Take runs off the list; `restore` brings them back for a day."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._mark_deleted(run_ids, now)

    def restore(self, run_ids: Sequence[str]) -> None:
        """Undo `delete`."""
        self._mark_deleted(run_ids, None)

    def _mark_deleted(self, run_ids: Sequence[str], when: str | None) -> None:
        with connected(self.path) as connection, transaction(connection):
            for run_id in run_ids:
                connection.execute("UPDATE runs SET deleted_utc = ? WHERE run_id = ?", (when, run_id))

    def _set(self, run_id: str, assignment: str, value: object) -> None:
        with connected(self.path) as connection:
            connection.execute(f"UPDATE runs SET {assignment} WHERE run_id = ?", (value, run_id))


def _medians_of_unfinished(connection: sqlite3.Connection) -> dict[tuple[str, int], float]:
    """Median total time in ms, over the trials so far, of the variants that were killed or still run."""
    times: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for run_id, position, total in connection.execute(
        "SELECT run_id, position, prepare_ms + h2d_ms + solve_ms + d2h_ms "
        "FROM variants CROSS JOIN trials USING (run_id, position) "  # in this order: few variants, then their trials
        "WHERE variants.status IS NULL AND trials.status = 'ok' AND NOT is_warmup"
    ):
        times[run_id, position].append(total)
    return {key: statistics.median(sample) for key, sample in times.items()}
