"""Limits the size of a folder of cached files."""

from __future__ import annotations

import logging
import os
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
    total = sum(stat.st_size for stat, _ in files)
    for stat, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if total <= most_bytes:
            return
        if path != newest:
            remove_cached(path)
            total -= stat.st_size


def remove_cached(path: Path) -> None:
    """Remove a file if that is allowed; a file that stays is only logged."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("cannot remove %s: %s", path, error)
