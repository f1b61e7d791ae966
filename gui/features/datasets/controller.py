"""Downloads datasets one after the other; those that are here can be opened and removed."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.controllers.open import OpenController
from gui.dialogs.messages import Reply, ask
from gui.features.datasets.dialog import DatasetsDialog
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.errors import WrongChecksum
from solvers.features.datasets.catalogue import Dataset, DatasetStore, datasets, size_words
from solvers.graphs.reading import ReadingOptions
from solvers.text import format_bytes, format_percent

WAITS = "waits"


class DatasetsController(QObject):
    """Shows the dialog, and does what it asks for; downloads go on after it was closed."""

    def __init__(self, session: Session, jobs: Jobs, opening: OpenController, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._opening, self._window = session, jobs, opening, window
        self.catalogue, self.store = datasets(), DatasetStore()
        self._dialog: DatasetsDialog | None = None
        self._waiting: list[tuple[Dataset, bool]] = []
        self._current: Dataset | None = None

    def show(self) -> DatasetsDialog:
        if self._dialog is None:
            dialog = DatasetsDialog(self.catalogue, self.store, self._window)
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
            self._jobs.cancel(JobKind.DOWNLOAD)
        else:
            self._waiting = [entry for entry in self._waiting if entry[0] != wanted]
            self._tell_busy(wanted, "")

    def open(self, wanted: Dataset) -> None:
        """Check the files of a dataset in a job, then open its graph."""
        store = self.store
        beside = "" if wanted.coordinates is None else str(store.path(wanted.coordinates))
        options = ReadingOptions(beside, wanted.undirected)
        self._jobs.start(
            JobKind.OPEN,
            f"Checking {wanted.id}",
            lambda _: store.check(wanted),
            on_success=lambda _: self._opening.open(store.path(wanted.graph), options),
            on_failure=self._session.notice_error,
        )
        if self._dialog is not None:
            self._dialog.hide()

    def remove(self, wanted: Dataset) -> None:
        """Ask, then remove a dataset's files."""
        size = format_bytes(self.store.presence(wanted).bytes)
        text = f"Remove {wanted.title} ({size}) from this machine? It can be downloaded again."
        ask(
            self._dialog or self._window,
            "Remove a dataset",
            text,
            [Reply("Remove", lambda: self._remove(wanted))],
        )

    def _remove(self, wanted: Dataset) -> None:
        store = self.store
        with self._session.reporting_errors():
            store.remove(
                wanted, tuple(found for found in self.catalogue if store.presence(found).complete)
            )
        self._tell_busy(wanted, "")

    def _next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        wanted, accept_changed = self._waiting.pop(0)
        self._current = wanted
        title, store = f"Downloading {wanted.id}", self.store

        def work(context: JobContext) -> None:
            store.get(wanted, context.progress_for(title), accept_changed=accept_changed)

        self._jobs.start(
            JobKind.DOWNLOAD,
            title,
            work,
            on_success=lambda _: self._succeeded(wanted),
            on_failure=lambda error: self._failed(wanted, error),
            on_cancel=lambda: self._ended(
                wanted, "Stopped. Resume continues from what was downloaded."
            ),
            on_progress=lambda fraction, _: self._progressed(wanted, fraction),
        )
        self._tell_busy(wanted, "connecting")

    def _progressed(self, wanted: Dataset, fraction: float) -> None:
        if self._dialog is not None and self._dialog.isVisible() and wanted == self._current:
            self._dialog.show_busy(wanted.id, f"{format_percent(fraction)}")
            self._dialog.show_progress(fraction)
            self._dialog.show_outcome(
                f"Downloading {wanted.title}: {format_percent(fraction)} of {size_words(wanted)}"
            )

    def _succeeded(self, wanted: Dataset) -> None:
        text = f"{wanted.title} is downloaded and checked."
        self._ended(wanted, text)
        if self._dialog is None or not self._dialog.isVisible():
            notice = Notice(Severity.INFO, text, "", "Open", lambda: self.open(wanted))
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
