"""A lock between processes that compile: one byte of a file in the cache folder, chosen by name.

The system releases it when its process ends. While others compile, a process waits, and
loads their result.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from solvers.system.file_lock import try_lock, unlock

log = logging.getLogger(__name__)

_FILE = "compiling.lock"
_BYTES = 1 << 30  # so many that two functions rarely share one, which would only make them wait
_POLL_S = 0.02
_PATIENCE_S = 120.0  # after which a function is compiled here as well: waiting only saves time

# descriptors by folder and place: closing one releases all locks on its file
held: dict[tuple[str, int], int] = {}


@contextmanager
def locked(folder: str, name: str) -> Iterator[None]:
    """Hold the lock of a name; without it after a long wait, or where the folder
    permits no locks.
    """
    offset = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % _BYTES
    if (folder, offset) in held or (file := _acquire(folder, offset)) is None:
        yield
        return
    held[folder, offset] = file
    try:
        yield
    finally:
        held.pop((folder, offset), None)  # a process that was forked meanwhile holds none
        unlock(file, offset)
        _close_unused(file)


def _acquire(folder: str, offset: int) -> int | None:
    """The file whose byte is locked now; None if it cannot be."""
    try:
        file = _lock_file(folder)
    except OSError as error:
        log.debug("compiling without a lock: %s", error)
        return None
    deadline = time.monotonic() + _PATIENCE_S
    while not try_lock(file, offset):
        if time.monotonic() > deadline:
            log.warning(
                "another process has been compiling for %.0f s; not waiting for it any longer",
                _PATIENCE_S,
            )
            _close_unused(file)
            return None
        time.sleep(_POLL_S)
    return file


def _lock_file(folder: str) -> int:
    """The open lock file of a folder, both made anew if somebody has removed them:
    others would lock a new file.
    """
    for (other, _), file in held.items():
        if other == folder and os.fstat(file).st_nlink:
            return file
    os.makedirs(folder, exist_ok=True)
    return os.open(os.path.join(folder, _FILE), os.O_RDWR | os.O_CREAT, 0o666)


def _close_unused(file: int) -> None:
    if file not in held.values():
        os.close(file)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=held.clear)  # locks stay with the parent
