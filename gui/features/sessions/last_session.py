"""Keeps what is open and chosen in a file while the window is open, and offers it at
the next start.

A window writes its state into a file of its own in the folder of the run store, as a
session file that also names the run whose results are shown. At a proper end the file
becomes that of the last session. One that is still there, and whose window has ended,
was left by a window that was killed. Each window locks the number of its file, which
the system releases with the process, however that ends.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from gui.canvas.renderer import Renderer
from gui.features.sessions.controller import SessionFileController
from gui.features.sessions.file import SUFFIX, SavedSession, read_session, write_session
from gui.model.jobs import JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from gui.model.session_sections import SectionFields
from gui.shell.start_page import StartOffer, StartPage
from solvers.errors import TautpathError
from solvers.system.disk_cache import data_folder
from solvers.system.file_lock import try_lock, unlock
from solvers.text import long_time

CONTINUE = "Continue where you were"
_INTERVAL_MS = 1000
_MOST_WINDOWS = 16  # open or killed, whose state is kept
_LOCKS, _LAST = "windows.lock", f"last{SUFFIX}"
log = logging.getLogger(__name__)

# open descriptors by folder, kept: closing one would release all locks on its file
_lock_files: dict[Path, int] = {}
_held: set[tuple[Path, int]] = set()  # by this process, which its own locks do not keep out


@dataclass(frozen=True)
class LastSession:
    saved: SavedSession
    kept_utc: str  # when it was written
    killed: bool  # whether its window did not end as it should


class WindowFiles:
    """The files of windows in a folder: that of this window, that of a killed one, and
    that of the last session.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._own = self._left = 0  # numbers of locked files; 0 for none

    def begin(self) -> None:
        """Choose a number for this window and, among the files of killed windows, the newest.

        Raises OSError if the folder cannot be made or written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._folder not in _lock_files:
            _lock_files[self._folder] = os.open(
                self._folder / _LOCKS, os.O_RDWR | os.O_CREAT, 0o600
            )
        left: list[int] = []
        for number in filter(self._lock, range(1, _MOST_WINDOWS + 1)):
            if self._file(number).exists():
                left.append(number)
            elif self._own:
                self._unlock(number)
            else:
                self._own = number
        left.sort(key=lambda number: self._file(number).stat().st_mtime_ns)
        self._left = left.pop() if left else 0
        if not self._own and left:
            self._own = left.pop(0)
        for number in left:
            self._unlock(number)

    @property
    def own(self) -> Path | None:
        """The file of this window; None if too many others are open."""
        return self._file(self._own) if self._own else None

    @property
    def left(self) -> Path | None:
        """The file of a window that was killed; no other window offers it."""
        return self._file(self._left) if self._left else None

    @property
    def last(self) -> Path | None:
        """The file of the last session that ended as it should."""
        path = self._folder / _LAST
        return path if path.is_file() else None

    def take_over(self) -> None:
        """Go on with the file of the killed window, whose state this window has now."""
        if self._left:
            self._drop(self._own)
            self._own, self._left = self._left, 0

    def forget_left(self) -> None:
        self._drop(self._left)
        self._left = 0

    def end(self) -> None:
        """Make the file of this window, or else that of the killed one, that of the
        last session.
        """
        kept = next(
            (path for path in (self.own, self.left) if path is not None and path.exists()), None
        )
        if kept is not None:
            try:
                os.replace(kept, self._folder / _LAST)
            except OSError as error:
                log.info(
                    "the state of the window is not kept as that of the last session: %s", error
                )
        for number in (self._own, self._left):
            self._drop(number)
        self._own = self._left = 0

    def _file(self, number: int) -> Path:
        return self._folder / f"window-{number}{SUFFIX}"

    def _lock(self, number: int) -> bool:
        key = (self._folder, number)
        if key in _held or not try_lock(_lock_files[self._folder], number):
            return False
        _held.add(key)
        return True

    def _unlock(self, number: int) -> None:
        unlock(_lock_files[self._folder], number)
        _held.discard((self._folder, number))

    def _drop(self, number: int) -> None:
        if number:
            with suppress(OSError):
                self._file(number).unlink(missing_ok=True)
            self._unlock(number)


class LastSessionController(QObject):
    """Keeps the state of the window once a second, and brings that of the last one back."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        session_files: SessionFileController,
        page: StartPage,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._jobs, self._session_files = session, jobs, session_files
        self._page = page
        self._files: WindowFiles | None = None
        self._writer: Renderer[tuple[Path, SavedSession]] | None = None
        self._written: SavedSession | None = None
        self._offer: LastSession | None = None
        self._says_again = False
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self.keep)
        jobs.measuring_changed.connect(self._hold)
        session.graph_changed.connect(self._follow_graph)

    def begin(self, *, opens: bool = False) -> None:
        """Keep the state from now on, and offer that of the last window.

        ``opens`` tells that a graph is being opened, whose arrival removes notices.
        """
        if self._files is not None:
            return
        files = WindowFiles(data_folder() / "windows")
        try:
            files.begin()
        except OSError:
            log.warning("the state of the window cannot be kept")
            log.info("the state of the window", exc_info=True)
            return
        self._files, self._says_again = files, opens
        writer = self._writer = Renderer(_StateWriter, self._jobs.window, self._jobs.quiet)
        writer.failed.connect(
            lambda error: log.info("the state of the window was not kept: %s", error)
        )
        self.destroyed.connect(lambda: writer.stop())
        self._timer.start()
        killed, path = files.left is not None, files.left or files.last
        if path is not None:
            kinds = self._session_files.kinds(of_window=True)
            self._jobs.start(
                JobKind.LAST_SESSION,
                "Reading the last session",
                lambda _: _read(path, kinds, killed),
                on_success=self._take,
                on_failure=self._refuse,
            )

    def keep(self) -> None:
        """Have the state written by a thread, if it is another than the one written last."""
        state, path = self._state(), None if self._files is None else self._files.own
        if (
            self._writer is not None
            and path is not None
            and state is not None
            and state != self._written
        ):
            self._written = state
            self._writer.request((path, state))

    def end(self) -> None:
        """Keep the state as that of the last session: the window closes."""
        self._timer.stop()
        if self._files is None or self._writer is None:
            return
        self._writer.stop()
        state, path = self._state(), self._files.own
        if state is not None and path is not None:
            try:
                write_session(path, state)
            except TautpathError as error:
                log.info("the state of the window was not kept: %s", error)
        self._files.end()
        self._files = self._writer = None

    def _state(self) -> SavedSession | None:
        """What is to be kept; None without a graph, and for one that cannot be had again."""
        source = self._session.graph_source
        can_be_had = source.path or source.generator
        return self._session_files.current(of_window=True) if can_be_had else None

    def _hold(self, measuring: bool) -> None:
        """Do nothing while a run measures."""
        if self._files is not None:
            self._timer.stop() if measuring else self._timer.start()

    def _take(self, last: LastSession) -> None:
        self._offer = last
        words = f"{last.saved.graph.name}, {long_time(last.kept_utc)}"
        self._page.offer_first(StartOffer(CONTINUE, words, self.restore))
        self._say()

    def _refuse(self, error: Exception) -> None:
        """A file that cannot be read is of no use to anybody."""
        log.warning("the last session cannot be read (%s)", type(error).__name__)
        log.info("the last session: %s", error)
        if self._files is not None:
            self._files.forget_left()

    def _say(self) -> None:
        if (last := self._offer) is not None and last.killed:
            text = (
                f"Tautpath ended unexpectedly on {long_time(last.kept_utc)}, with "
                f"{last.saved.graph.name} open. What was measured is kept."
            )
            self._session.notice(Notice(Severity.WARNING, text, "", CONTINUE, self.restore))

    def _follow_graph(self) -> None:
        if self._says_again:
            self._says_again = False
            # after the window has followed the change, which removes notices
            self._session.window.later(self._say)

    def restore(self) -> None:
        if (last := self._offer) is not None:
            self._says_again = False
            self._session_files.restore(
                last.saved, data_folder() / "windows", lambda: self._restored(last)
            )

    def _restored(self, last: LastSession) -> None:
        self._offer = None
        self._page.offer_first(None)
        if last.killed and self._files is not None:
            self._files.take_over()
            self._written = None


class _StateWriter:
    """Writes files, in the thread of a `Renderer`, which waits for measurements."""

    def frames(
        self, request: tuple[Path, SavedSession], *, newer: Callable[[], bool]
    ) -> Iterator[object]:
        write_session(*request)
        return iter(())

    def settle(self, request: tuple[Path, SavedSession]) -> None:
        """Nothing is prepared while idle."""


def _read(path: Path, kinds: Sequence[type[SectionFields]], killed: bool) -> LastSession:
    kept = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return LastSession(read_session(path, kinds), kept.isoformat(timespec="seconds"), killed)
