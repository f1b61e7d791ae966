"""The runs in the store, as the window lists them; reading the list is a job. No widgets."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.core.variant import all_variants
from solvers.errors import StoreUnavailable
from solvers.running.kept_run import KeptRun
from solvers.running.request import RunRequest

if TYPE_CHECKING:  # the store is imported in the job that reads it first
    from solvers.features.kept_runs.store.recorder import RunRecorder
    from solvers.features.kept_runs.store.run_store import RunStore, RunSummary
    from solvers.running.estimate import EarlierTime

log = logging.getLogger(__name__)
_AFTER_DROPPED_MS = 300


@dataclass(frozen=True)
class _Found:
    remark: str
    summaries: tuple[RunSummary, ...]
    deleted: tuple[RunSummary, ...]
    earlier_times: tuple[EarlierTime, ...]


class RunList(QObject):
    """Summaries of all kept runs, newest first, and the recorders of new ones.

    A store that cannot be used is said once; everything else works without it.
    """

    changed = Signal()  # the list was read again

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        store: RunStore | None = None,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._given_store = store
        self._summaries: tuple[RunSummary, ...] = ()
        self._deleted: tuple[RunSummary, ...] = ()
        self._earlier_times: tuple[EarlierTime, ...] = ()
        self._prepared = False
        self._said = False
        self._told: set[str] = set()  # what cannot be read
        self._recorders: list[RunRecorder] = []
        self._latest_id = ""
        session.graph_changed.connect(self._forget_latest)
        self._dropped = QTimer(self, singleShot=True, interval=_AFTER_DROPPED_MS)
        self._dropped.timeout.connect(self._follow_runs)
        jobs.changed.connect(self._follow_runs)

    @cached_property
    def _store(self) -> RunStore:
        from solvers.features.kept_runs.store.run_store import RunStore

        return self._given_store or RunStore()

    @property
    def summaries(self) -> tuple[RunSummary, ...]:
        return self._summaries

    @property
    def deleted(self) -> tuple[RunSummary, ...]:
        """The runs that were deleted and can be restored, newest first."""
        return self._deleted

    @property
    def earlier_times(self) -> tuple[EarlierTime, ...]:
        """Times of the newest runs on this machine, for estimates."""
        return self._earlier_times

    def load(self) -> None:
        """Read the list, in a job; the first time, or after damage, an unusable store
        is set aside before.
        """
        prepared = self._prepared

        def read(_: JobContext) -> _Found:
            if prepared:
                try:
                    return self._found()
                except StoreUnavailable:
                    log.debug("the store of runs cannot be read any more", exc_info=True)
            return self._found(self._store.prepare())

        self._jobs.start(
            JobKind.RUNS,
            "Reading the list of runs",
            read,
            on_success=self._show,
            on_failure=self._refuse,
        )

    def run(self, run_id: str) -> KeptRun:
        """A run with its trials; raises as `RunStore.run`."""
        return self._store.run(run_id)

    def baseline_of(self, graph_sha256: str) -> RunSummary | None:
        return next(
            (
                s
                for s in self._summaries
                if s.run.is_baseline and s.run.graph.sha256 == graph_sha256
            ),
            None,
        )

    def add(self, runs: Sequence[KeptRun]) -> None:
        """Add runs from elsewhere; raises as `RunStore.add`. For jobs: `load` shows them."""
        self._store.add(runs)

    def rename(self, run_id: str, name: str) -> None:
        self._store.rename(run_id, name)
        self.load()

    def set_baseline(self, run_id: str, pinned: bool) -> None:
        self._store.set_baseline(run_id, pinned)
        self.load()

    def delete(self, run_ids: Sequence[str]) -> None:
        self._store.delete(run_ids)
        self.load()

    def restore(self, run_ids: Sequence[str]) -> None:
        self._store.restore(run_ids)
        self.load()

    def recorder(self, request: RunRequest, run_id: str, name: str) -> RunRecorder | None:
        """A recorder for a run of the open graph, None where roads are cut; the list is read
        again when it has ended.
        """
        if request.graph.cut is not None:
            return None
        from solvers.features.kept_runs.store.recorder import RunRecorder

        source = replace(self._session.graph_source, roads=self._session.applied_roads)
        recorder = RunRecorder(self._store, request, "window", source, name, run_id=run_id)
        self._recorders.append(recorder)
        self._latest_id = recorder.run_id
        return recorder

    @property
    def latest_id(self) -> str:
        """The newest run of the open graph in this window; "" if there is none."""
        return self._latest_id

    def _forget_latest(self) -> None:
        self._latest_id = ""

    def _follow_runs(self) -> None:
        """Show what was recorded, when no run is in progress."""
        if not self._recorders or self._jobs.running(JobKind.SOLVE):
            return
        ended = [recorder for recorder in self._recorders if recorder.ended]
        self._recorders = [recorder for recorder in self._recorders if not recorder.ended]
        if self._recorders:
            # its job is on the way to a checkpoint, and will not be heard of again
            self._dropped.start()
        if ended:
            problem = next(
                (recorder.problem for recorder in ended if recorder.problem is not None), None
            )
            if problem is not None:
                self._refuse(problem)
            self.load()

    def _found(self, remark: str = "") -> _Found:
        known = [variant.id for variant in all_variants()]
        listed, deleted = self._store.summaries(), self._store.summaries(deleted=True)
        times = self._store.earlier_times(known)
        new = set(self._store.unreadable.values()) - self._told
        self._told |= new
        return _Found(" ".join(filter(None, (remark, *sorted(new)))), listed, deleted, times)

    def _show(self, found: _Found) -> None:
        self._summaries, self._deleted = found.summaries, found.deleted
        self._earlier_times = found.earlier_times
        self._prepared = True
        if found.remark:
            self._session.warn(found.remark)
        self.changed.emit()

    def _refuse(self, error: Exception) -> None:
        """Say once that the store cannot be used."""
        if not isinstance(error, StoreUnavailable):
            self._session.notice_error(error)
        elif not self._said:
            self._said = True
            self._session.warn(f"{error} Results are still shown.")
