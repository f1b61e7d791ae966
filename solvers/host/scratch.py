"""Temporary folders and files whose names identify their owner, so that those of killed programs can be removed.

A name holds the process id and a tag of the machine: ``tautline-mpi-4711-3fa2c1-x8k2``. Process ids are compared only
where the tag is this machine's (and in a container, this container's), because folders may be shared.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import psutil

from solvers.errors import FileNotWritten
from solvers.host.refusal import reason_of

_OWNED = re.compile(r"^\.?tautline-(?:[a-z]+-)?(?P<pid>\d+)-(?P<machine>[0-9a-f]{6})-")
_CLOCK_SLACK_S = 2.0  # file systems and the process table round times differently
_TAIL = 24  # characters of a file's own name that are kept, for its suffixes


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A new temporary folder, removed at the end of the ``with`` block.

    Raises
    ------
    FileNotWritten
        If none can be made: no temporary folder is writable, or the disk is full.
    """
    folder = _make(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def folder_until_exit(kind: str) -> Path:
    """A new temporary folder, removed when this process ends; raises as `temporary_folder`."""
    folder, owner = _make(kind), os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return folder


def temporary_beside(target: Path) -> Path:
    """An unused, hidden name in the folder of ``target`` with the same suffixes; nothing is created."""
    return target.with_name(f".tautline-{_owner()}-{uuid.uuid4().hex[:8]}-{target.name[-_TAIL:]}")


def sweep_temporary_folder() -> None:
    """Remove the entries of killed processes from the temporary folder. Never raises."""
    with suppress(OSError):
        sweep(Path(tempfile.gettempdir()))


def sweep(folder: Path) -> None:
    """Remove entries of ``folder`` whose owner has ended; those of living processes and other machines are kept."""
    try:
        entries = [entry for entry in os.scandir(folder) if _OWNED.match(entry.name)]
    except OSError:
        return
    for entry in entries:
        with suppress(OSError):
            if _is_abandoned(entry):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


@cache
def sweep_once(folder: Path) -> None:
    """As `sweep`, at most once for each folder and process."""
    sweep(folder)


def _make(kind: str) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=f"tautline-{kind}-{_owner()}-"))
    except OSError as error:
        raise FileNotWritten(os.environ.get("TMPDIR") or "/tmp", f"no temporary folder: {reason_of(error)}") from error


def _owner() -> str:
    return f"{os.getpid()}-{_machine()}"


@cache
def _machine() -> str:
    """A tag of this machine and its process namespace, which differs between containers."""
    processes = ""
    with suppress(OSError):
        processes = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {processes}".encode()).hexdigest()[:6]


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    found = _OWNED.match(entry.name)
    if found is None or found["machine"] != _machine():
        return False
    state = entry.stat(follow_symlinks=False)
    if hasattr(os, "getuid") and state.st_uid != os.getuid():
        return False
    try:
        process = psutil.Process(int(found["pid"]))
        # A process that is younger than the entry has been given its owner's number.
        return process.status() == psutil.STATUS_ZOMBIE or process.create_time() > state.st_mtime + _CLOCK_SLACK_S
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
