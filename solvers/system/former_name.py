"""What was kept when this program was called Tautline, until version 1.0.0.

The user's folders and settings under that name are moved to those under the present one
when they are first asked for. Sessions that the user saved keep their names; they are
read by `SESSION_SUFFIX` and `SESSION_FORMAT`. This is the only module that knows the name.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterator
from pathlib import Path

NAME = "tautline"
TITLE = "Tautline"
SESSION_SUFFIX = ".tautline"
SESSION_FORMAT = "tautline session"
ALL_SOURCES_FORMAT = "tautline all-sources 1"

PRESENT = "tautpath"
_PRESENT_TITLE = "Tautpath"
_PRESENT_SUFFIX = ".tautpath"

log = logging.getLogger(__name__)


@functools.cache
def take_over() -> str:
    """Move the user's folders of data and of caches to the present name, once.

    Where both folders have an entry of one name, that of the present name stays and the
    former one is left. Returns a sentence that says what was moved, which is also logged
    as a warning; "" if nothing was.
    """
    from platformdirs import user_cache_path, user_data_path  # a GPU server may lack it

    try:
        data = user_data_path(NAME), user_data_path(PRESENT)
        caches = user_cache_path(NAME), user_cache_path(PRESENT)
    except RuntimeError:  # no home folder
        return ""
    is_data_moved = move_entries(*data)
    move_entries(*caches)
    if not is_data_moved:
        return ""
    for session in data[1].rglob(f"*{SESSION_SUFFIX}"):
        _move(session, session.with_suffix(_PRESENT_SUFFIX))
    told = (
        f"Tautpath was called {TITLE} before: runs, kernels and sessions kept in {data[0]} "
        f"are now in {data[1]}."
    )
    log.warning("%s", told)
    return told


def move_entries(former: Path, present: Path) -> bool:
    """Move what is in a folder into another one, which is made; True if anything was moved."""
    moved = [
        _move(entry, present / entry.name.replace(TITLE, _PRESENT_TITLE))
        for entry in _entries(former)
    ]
    if moved and all(moved):
        _remove(former)
    return any(moved)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:  # there is none, which is usual, or it is closed to this user
        return


def _move(former: Path, present: Path) -> bool:
    if os.path.lexists(present):
        return False
    try:
        present.parent.mkdir(parents=True, exist_ok=True)
        former.rename(present)
    except OSError as error:  # another process has moved it, or may
        log.info("%s was not moved: %s", former.name, error)
        return False
    return True


def _remove(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        log.info("the former folder stays: %s", error)
