"""The file of the run store: its place, connections to it, and what happens if it cannot be used.

Durability
----------
The store is in WAL mode with ``synchronous=NORMAL``: a commit appends to the write-ahead log without waiting for the
disk. A process that is killed loses nothing that it has committed; a power cut can lose the last commits, but not the
consistency of the file. While a run is recorded, the log is not copied into the file (``wal_autocheckpoint=0``), since
that waits for the disk and would disturb the trials.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from solvers.errors import StoreUnavailable
from solvers.host.refusal import reason_of
from solvers.running.store.schema import APPLICATION_ID, VERSION, migrate, version_of

FOLDER_VARIABLE = "TAUTLINE_DATA"
BUSY_S = 5.0  # how long a write waits for another program's
_RETRY_S = 0.01
_COMPANIONS = ("-wal", "-shm")
_UNUSABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
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
    """The user's run store: ``runs.sqlite3`` in the folder named by ``TAUTLINE_DATA``, or in the user's data folder."""
    if folder := os.environ.get(FOLDER_VARIABLE):
        return Path(folder) / "runs.sqlite3"
    from platformdirs import user_data_path

    return user_data_path("tautline") / "runs.sqlite3"


def connect(path: Path, *, checkpoints: bool = True) -> sqlite3.Connection:
    """A connection for the calling thread, which closes it; the file is created if missing.

    Parameters
    ----------
    path : Path
    checkpoints : bool
        Whether commits may copy the log into the file, which waits for the disk.

    Raises
    ------
    StoreUnavailable
    """
    connection = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if not checkpoints:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        migrate(connection)
    except (OSError, sqlite3.Error) as error:
        if connection is not None:
            connection.close()
        raise StoreUnavailable(path, refusal(error)) from error
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that is closed at the end of the block; errors of SQLite become `StoreUnavailable`."""
    connection = connect(path)
    try:
        yield connection
    except sqlite3.Error as error:
        raise StoreUnavailable(path, refusal(error)) from error
    finally:
        connection.close()


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """As `connected`, but also where nothing can be written, as in a folder of somebody else."""
    try:
        connection = connect(path)
    except StoreUnavailable:
        connection = _connect_unchanging(path)
    try:
        yield connection
    except sqlite3.Error as error:
        raise StoreUnavailable(path, refusal(error)) from error
    finally:
        connection.close()


def _connect_unchanging(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody writes, without log and locks.

    Raises
    ------
    StoreUnavailable
        If it is no store of this version.
    """
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreUnavailable(path, refusal(error)) from error
    try:
        version = version_of(connection)
    except sqlite3.Error as error:
        connection.close()
        raise StoreUnavailable(path, refusal(error)) from error
    if version != VERSION:
        connection.close()
        raise StoreUnavailable(path, "it is of another version")
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing of it if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def set_aside_if_unusable(path: Path) -> str:
    """Rename a store that is damaged, or that a newer version has written; nothing is deleted.

    Returns
    -------
    str
        A sentence for the user; "" if the store can be used or does not exist.
    """
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
    return f"The store of runs {why}. It was renamed to {aside.name} in {path.parent}, and a new one was begun."


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
            if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


def _fault(path: Path) -> str:
    """What keeps this program from using the file, as the end of a sentence; "" if nothing does."""
    try:
        if not path.is_file() or path.stat().st_size == 0:
            return ""
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)
    except (OSError, sqlite3.Error):
        return ""  # whatever it is, it is no fault of the content
    try:
        version = version_of(connection)
        if version > VERSION:
            return "was written by a newer version of Tautline"
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
