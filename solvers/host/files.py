"""Atomic file replacement, and early checks that an output path is writable."""

from __future__ import annotations

import atexit
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from solvers.errors import FileNotWritten


@contextmanager
def replace_atomically(path: Path | str) -> Iterator[Path]:
    """Write ``path`` atomically: the ``with`` block writes a temporary file, which then replaces ``path``.

    If the block raises, or the program ends before the block does, the temporary file is removed and an existing
    ``path`` is unchanged. The temporary name keeps the suffix of ``path``, because writers choose compression and image
    format by it. Symbolic links are followed. Pipes and devices cannot be replaced and are written to directly.

    Parameters
    ----------
    path : Path or str

    Yields
    ------
    Path
        The temporary file, in the folder of ``path``.

    Raises
    ------
    FileNotWritten
        If the system refuses: missing folder, no permission, disk full.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target
        return
    temporary = target.with_name(f".{uuid.uuid4().hex[:8]}-{target.name}")
    remove = partial(temporary.unlink, missing_ok=True)
    atexit.register(remove)  # if the program exits while a daemon thread is in the block
    try:
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise FileNotWritten(path, error.strerror or str(error)) from error
    finally:
        remove()
        atexit.unregister(remove)


def require_writable_file(path: Path | str) -> None:
    """Check, before a long computation, that its output file can be written.

    Raises
    ------
    FileNotWritten
        If ``path`` is a folder, or its folder is missing or not writable.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileNotWritten(path, "it is a folder")
    if not target.parent.is_dir():
        raise FileNotWritten(path, f"there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise FileNotWritten(path, f"no permission to write in {target.parent}")


def require_writable_folder(path: Path | str) -> None:
    """Check that an output folder is writable, or can be created.

    Raises
    ------
    FileNotWritten
        If the folder, or its nearest existing parent, is not a folder or not writable.
    """
    target = Path(os.path.realpath(path))
    nearest = next(place for place in (target, *target.parents) if place.exists())
    if not nearest.is_dir():
        raise FileNotWritten(path, f"{nearest} is not a folder")
    if not os.access(nearest, os.W_OK):
        raise FileNotWritten(path, f"no permission to write in {nearest}")
