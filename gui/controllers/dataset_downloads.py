"""File > Datasets: download in a job, one dataset after the other; open and remove what is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.controllers.opening import Opening
from gui.dialogs.question import Reply, ask
from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.errors import TautlineError, WrongChecksum, format_bytes
from solvers.graphs.datasets import Dataset, datasets, size_words
from solvers.running.store.kept_run import ReadingOptions

if TYPE_CHECKING:
    from gui.dialogs.datasets import DatasetsDialog
    from solvers.graphs.datasets import DatasetStore

JOB = "download"
WAITS = "waits"


class DatasetDownloads(QObject):
    """Shows the dialog, and does what it asks for; downloads go on after it was closed.

    Parameters
    ----------
    session, jobs, opening
    window : QWidget
        Parent of the dialog.
    """

    def __init__(self, session: Session, jobs: Jobs, opening: Opening, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._opening, self._window = session, jobs, opening, window
        self.catalogue: tuple[Dataset, ...] | None = None
        self.store: DatasetStore | None = None
        self._dialog: DatasetsDialog | None = None
        self._waiting: list[tuple[Dataset, bool]] = []
        self._current: Dataset | None = None

    def show(self) -> DatasetsDialog:
        """Open the list."""
        if self._dialog is None:
            from gui.dialogs.datasets import DatasetsDialog  # imported here: few sessions download

            dialog = DatasetsDialog(self._known(), self._cache(), self._window)
            dialog.download_requested.connect(self.download)
            dialog.cancel_requested.connect(self.cancel)
            dialog.open_requested.connect(self.open)
            dialog.remove_requested.connect(self.remove)
            self._dialog = dialog
        self._dialog.refresh()
        self._dialog.show()
        self._dialog.raise_()
        return self._dialog

    def download(self, wanted: Dataset, accept_changed: bool = False) -> None:
        """Download a dataset, after those that were asked for before."""
        self._waiting.append((wanted, accept_changed))
        self._tell_busy(wanted, WAITS)
        self._next()

    def cancel(self, wanted: Dataset) -> None:
        """Stop a download, or take it out of the queue; what has arrived is kept."""
        if wanted == self._current:
            self._jobs.cancel(JOB)
        else:
            self._waiting = [entry for entry in self._waiting if entry[0] != wanted]
            self._tell_busy(wanted, "")

    def open(self, wanted: Dataset) -> None:
        """Check the files of a dataset in a job, then open its graph."""
        store = self._cache()
        beside = "" if wanted.coordinates is None else str(store.path(wanted.coordinates))
        options = ReadingOptions(beside, wanted.undirected)
        self._jobs.start(
            "open", f"Checking {wanted.id}", lambda _: store.check(wanted),
            on_success=lambda _: self._opening.open(store.path(wanted.graph), options),
            on_failure=self._session.notice_error,
        )  # fmt: skip
        if self._dialog is not None:
            self._dialog.hide()

    def remove(self, wanted: Dataset) -> None:
        """Ask, then remove a dataset's files."""
        size = format_bytes(self._cache().presence(wanted).bytes)
        words = f"Remove {wanted.title} ({size}) from this machine? It can be downloaded again."
        ask(self._dialog or self._window, "Remove a dataset", words, [Reply("Remove", lambda: self._remove(wanted))])

    def _remove(self, wanted: Dataset) -> None:
        store = self._cache()
        try:
            store.remove(wanted, tuple(found for found in self._known() if store.presence(found).complete))
        except TautlineError as error:
            self._session.notice_error(error)
        self._tell_busy(wanted, "")

    # -- the queue ---------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        wanted, accept_changed = self._waiting.pop(0)
        self._current = wanted
        title, store = f"Downloading {wanted.id}", self._cache()

        def work(context: JobContext) -> None:
            store.get(wanted, context.observer(title), accept_changed=accept_changed)

        job = self._jobs.start(
            JOB, title, work,
            on_success=lambda _: self._succeeded(wanted),
            on_failure=lambda error: self._failed(wanted, error),
            on_cancel=lambda: self._ended(wanted, "Stopped; what has arrived is kept, and Resume goes on from there."),
        )  # fmt: skip
        self._tell_busy(wanted, "connecting")
        job.progressed.connect(lambda fraction, _: self._progressed(wanted, fraction))

    def _progressed(self, wanted: Dataset, fraction: float) -> None:
        if self._dialog is not None and self._dialog.isVisible() and wanted == self._current:
            self._dialog.show_busy(wanted.id, f"{fraction:.0%}")
            self._dialog.show_progress(fraction)
            self._dialog.show_outcome(f"Downloading {wanted.title}: {fraction:.0%} of {size_words(wanted)}")

    def _succeeded(self, wanted: Dataset) -> None:
        words = f"{wanted.title} is downloaded and checked."
        self._ended(wanted, words)
        if self._dialog is None or not self._dialog.isVisible():
            notice = Notice(Severity.INFO, words, "", "Open", lambda: self.open(wanted))
            self._session.notice(notice)

    def _failed(self, wanted: Dataset, error: Exception) -> None:
        changed = isinstance(error, WrongChecksum) and not error.published
        self._ended(wanted, Notice.of(error).text, wanted if changed else None)
        if self._dialog is None or not self._dialog.isVisible():
            self._session.notice_error(error)

    def _ended(self, wanted: Dataset, words: str, changed: Dataset | None = None) -> None:
        self._current = None
        self._tell_busy(wanted, "")
        if self._dialog is not None:
            self._dialog.show_progress(0.0)
            self._dialog.show_outcome(words, changed)
        self._next()

    def _tell_busy(self, wanted: Dataset, words: str) -> None:
        if self._dialog is not None:
            self._dialog.show_busy(wanted.id, words)

    def _known(self) -> tuple[Dataset, ...]:
        if self.catalogue is None:
            self.catalogue = datasets()
        return self.catalogue

    def _cache(self) -> DatasetStore:
        if self.store is None:
            from solvers.graphs.datasets import DatasetStore

            self.store = DatasetStore()
        return self.store
