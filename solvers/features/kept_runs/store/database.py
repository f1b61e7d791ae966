"""The file of the run store: where it is, connections to it, and what happens if it cannot be used.

Durability
----------
The store is in WAL mode with ``synchronous=NORMAL``: a commit appends to the
write-ahead log without waiting for the disk. A process that is killed loses nothing
that it has committed; a power cut can lose the last commits, but not the consistency of
the file. While a run is recorded, the log is not copied into the file
(``wal_autocheckpoint=0``), since that waits for the disk and would disturb the trials.

Versions
--------
A file of a newer version is never written, renamed or migrated: its runs are read, as
far as this version understands them, and those of this version go into a file beside it
that is named after the schema (`own_file`). A version that can write the user's file
moves finished runs of such files into it (`take_over`), so that none is lost in either
direction.

Privacy
-------
A run names the user's files and places. Its file can be read by its owner only, as can
the folder if it is Tautpath's.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from solvers.errors import StoreUnavailable
from solvers.features.kept_runs.store.rows import (
    APPLICATION_ID,
    VERSION,
    migrate,
    transaction,
    version_of,
)
from solvers.system.disk_cache import data_folder, users_folder
from solvers.system.files import reason_of, require_regular

log = logging.getLogger(__name__)

BUSY_S = 5.0  # how long a write waits for another program's
_RETRY_S = 0.01
_COMPANIONS = ("-wal", "-shm")
_PRIVATE_FILE, _PRIVATE_FOLDER, _OTHERS = 0o600, 0o700, 0o077
# a run of another version that has not ended by then was killed
_INTERRUPTED_AFTER = timedelta(days=7)
_NO_LOG = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_UNUSABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NEWER = "it was written by a newer version of Tautpath"
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "no permission, or its folder is missing",
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_LOCKED: "another program has locked it",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is not a run store",
}


def store_file() -> Path:
    """The user's run store: ``runs.sqlite3`` in the folder named by ``TAUTPATH_DATA``,
    or in the user's data folder.
    """
    return data_folder() / "runs.sqlite3"


@dataclass(frozen=True)
class StoreFile:
    """A file with runs that can be read."""

    path: Path
    is_newer: bool  # whether a newer version has written it, so that this one only reads it

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection that is closed at the end of the block; raises `StoreUnavailable`."""
        return _reading_newer(self.path) if self.is_newer else reading(self.path)


def own_file(path: Path) -> Path:
    """The file that this version writes: ``path``, or one beside it where that is of a
    newer version.
    """
    return path.with_name(f"{path.stem}-schema-{VERSION}{path.suffix}") if is_newer(path) else path


def files_to_read(path: Path) -> tuple[StoreFile, ...]:
    """The files with the user's runs, this version's own before that of a newer one."""
    own = own_file(path)
    found = (StoreFile(own, False), *((StoreFile(path, True),) if own != path else ()))
    return tuple(file for file in found if file.path.exists())


def is_newer(path: Path) -> bool:
    """Whether it is a store of a newer version; False if that cannot be told."""
    if not path.is_file():
        return False
    try:
        with _reading_newer(path) as connection:
            kind = connection.execute("PRAGMA application_id").fetchone()[0]
            return bool(kind == APPLICATION_ID and version_of(connection) > VERSION)
    except StoreUnavailable:
        return False


def connect(path: Path, *, checkpoints: bool = True) -> sqlite3.Connection:
    """A connection for the calling thread, which closes it; the file is created if missing.

    Without ``checkpoints``, commits never copy the log into the file, which would wait
    for the disk.

    Raises StoreUnavailable.
    """
    connection = None
    try:
        _create_private(path)
        require_regular(path.stat(), path)
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if not checkpoints:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        migrate(connection)
        if version_of(connection) > VERSION:  # since `own_file` looked
            raise StoreUnavailable(path, _NEWER)
    except (OSError, sqlite3.Error, StoreUnavailable) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreUnavailable):
            raise
        raise StoreUnavailable(path, refusal(error)) from error
    return _with_rows(connection)


def connected(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """A connection that is closed at the end of the block; errors of SQLite become
    `StoreUnavailable`.
    """
    return _closed_after(connect(path), path)


@contextmanager
def _closed_after(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except sqlite3.Error as error:
        raise StoreUnavailable(path, refusal(error)) from error
    finally:
        connection.close()


def reading(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """As `connected`, but also where nothing can be written, as in another user's folder."""
    try:
        return connected(path)
    except StoreUnavailable:
        return _closed_after(_connect_unchanging(path), path)


def _reading_newer(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """A connection that changes nothing; not even what is in the log is copied into the file.

    Where the log cannot be opened, as on a read-only file system, the file is read
    without it.
    """
    for options in ("mode=ro", "immutable=1"):
        connection = None
        try:
            connection = _connect_by_uri(path, options)
            version_of(connection)
            return _closed_after(connection, path)
        except (OSError, sqlite3.Error) as error:
            if connection is not None:
                connection.close()
            refused = StoreUnavailable(path, refusal(error))
            if (getattr(error, "sqlite_errorcode", 0) & 0xFF) not in _NO_LOG:
                raise refused from error
    raise refused


def _connect_by_uri(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?{options}"
    return _with_rows(sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None))


def _with_rows(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Texts that are not UTF-8 are refused where their row is read, not by SQLite."""
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
    return connection


def _connect_unchanging(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody writes, without log and locks; to a copy in
    memory, brought up to date, of one of an earlier version.

    Raises StoreUnavailable if it cannot be read, or is of a newer version.
    """
    try:
        connection = _connect_by_uri(path, "immutable=1")
    except sqlite3.Error as error:
        raise StoreUnavailable(path, refusal(error)) from error
    try:
        version = version_of(connection)
        if version == VERSION:
            return connection
        with closing(connection):
            if version > VERSION:
                raise StoreUnavailable(path, _NEWER)
            return _up_to_date_copy(connection)
    except sqlite3.Error as error:
        connection.close()
        raise StoreUnavailable(path, refusal(error)) from error


def _up_to_date_copy(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The store in memory, with the schema of this version."""
    copy = _with_rows(sqlite3.connect(":memory:", isolation_level=None))
    connection.backup(copy)
    migrate(copy)
    return copy


def set_aside_if_unusable(path: Path) -> str:
    """Rename a store that is damaged, and leave one of a newer version where it is;
    nothing is deleted.

    Returns a sentence for the user; "" if the store can be used or does not exist.
    """
    if is_newer(path):
        own = own_file(path)
        remark = (
            f"The store of runs {path} was written by a newer version of Tautpath. It is left as "
            "it is: its runs are only read, as far as this version understands them. Runs of this "
            f"version are kept beside it in {own.name}, and the newer version imports them."
        )
        return " ".join(filter(None, (remark, set_aside_if_unusable(own))))
    why = _fault(path)
    if not why:
        return ""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}-set-aside-{stamp}{path.suffix}")
    try:
        os.replace(path, aside)
        for ending in _COMPANIONS:
            if (companion := Path(f"{path}{ending}")).exists():
                os.replace(companion, f"{aside}{ending}")
    except OSError as error:
        return f"The store of runs {path} {why}, and it cannot be renamed: {reason_of(error)}."
    return (
        f"The store of runs {why}. It was renamed to {aside.name} in "
        f"{path.parent}, and a new one was begun."
    )


def take_over(path: Path) -> None:
    """Move the runs that earlier versions have kept beside the store into it, without
    changing their files' schema.

    A run that another program is still recording stays where it is. If the program ends
    between copy and removal, the next start finds the copy. Files that cannot be read
    are left alone.
    """
    if is_newer(path):
        return
    for file in sorted(path.parent.glob(f"{path.stem}-schema-*{path.suffix}")):
        number = file.stem.rpartition("-")[2]
        if not number.isdigit() or int(number) > VERSION or _fault(file):
            continue
        try:
            _move_runs(file, path)
        except (StoreUnavailable, OSError, sqlite3.Error) as error:
            log.info("runs of an earlier version stay where they are: %s", error)


def _move_runs(source: Path, target: Path) -> None:
    latest = (datetime.now(UTC) - _INTERRUPTED_AFTER).isoformat(timespec="milliseconds")
    with (
        closing(_connect_by_uri(source, "mode=rw")) as theirs,
        closing(_up_to_date_copy(theirs)) as copy,
    ):
        theirs.execute("PRAGMA foreign_keys = ON")
        over = [
            row["run_id"]
            for row in copy.execute(
                "SELECT run_id FROM runs WHERE ended_utc != '' OR started_utc < ?", (latest,)
            )
        ]
        with connected(target) as ours, transaction(ours):
            for run_id in over:
                for table in ("runs", "variants", "trials"):
                    for row in copy.execute(f"SELECT * FROM {table} WHERE run_id = ?", (run_id,)):
                        names, marks = ", ".join(row.keys()), ", ".join("?" for _ in row)
                        ours.execute(
                            f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", tuple(row)
                        )
        with transaction(theirs):
            theirs.executemany("DELETE FROM runs WHERE run_id = ?", [(run_id,) for run_id in over])


def make_private(path: Path) -> None:
    """Let only their owner read the store, the files beside it with its name, and the
    folder if it is Tautpath's.

    Files of other users, and those that cannot be changed, stay as they are.
    """
    if os.name == "nt":  # the user's folders are private there
        return
    if path.parent == users_folder():
        _restrict(path.parent, _PRIVATE_FOLDER)
    with suppress(OSError):
        for file in path.parent.glob(f"{path.stem}*{path.suffix}*"):
            _restrict(file, _PRIVATE_FILE)


def _restrict(path: Path, mode: int) -> None:
    try:
        state = path.lstat()
        if state.st_uid == os.geteuid() and state.st_mode & _OTHERS and not path.is_symlink():
            path.chmod(mode)
    except FileNotFoundError:
        return
    except OSError as error:
        log.info("others may read the store of runs: %s", error)


def _create_private(path: Path) -> None:
    """Make the folder and an empty file, if missing; SQLite gives log and index the
    mode of the file.
    """
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))


def refusal(error: Exception) -> str:
    """Why the file cannot be used, in a few words."""
    if isinstance(error, OSError):
        return reason_of(error)
    code = getattr(error, "sqlite_errorcode", None)
    return _REASONS.get(code & 0xFF, str(error)) if code is not None else str(error)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Set the journal mode; SQLite does not wait by itself if another program is doing the same."""
    deadline = time.monotonic() + BUSY_S
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if (
                error.sqlite_errorcode & 0xFF
            ) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


def _fault(path: Path) -> str:
    """What keeps this program from using the file, as the end of a sentence; "" if nothing does."""
    try:
        if not path.is_file() or path.stat().st_size == 0:
            return ""
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)
    except (OSError, sqlite3.Error) as error:
        log.debug("the store of runs was not checked: %s", error)
        return ""  # the content is not known to be at fault
    try:
        kind = connection.execute("PRAGMA application_id").fetchone()[0]
        if kind != APPLICATION_ID and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return "is a file of another program"
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            return "is damaged"
    except sqlite3.DatabaseError as error:
        if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _UNUSABLE:
            return "is damaged"
    finally:
        connection.close()
    return ""
