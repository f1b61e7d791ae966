"""Limits the size of a folder of cached files."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger(__name__)


def remove_oldest(folder: Path, most_bytes: int, newest: Path) -> None:
    """Remove the files that were used longest ago until the others have at most so many bytes; ``newest`` stays.

    Raises
    ------
    OSError
        If the folder cannot be listed.
    """
    files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(folder) if entry.is_file()]
    total = sum(status.st_size for status, _ in files)
    for status, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if total <= most_bytes:
            return
        if path != newest:
            remove_cached(path)
            total -= status.st_size


def make_way(path: Path) -> None:
    """Remove a pipe, device or socket from where a cached file is to be written: opening a pipe would wait.

    Raises
    ------
    OSError
        If it cannot be removed, as a folder.
    """
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return
    if not is_file:
        path.unlink()


def remove_cached(path: Path) -> None:
    """Remove a file if that is allowed; a file that stays is only logged."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("cannot remove %s: %s", path, error)
