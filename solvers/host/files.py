"""Atomic file replacement, and early checks that an output path is writable."""

from __future__ import annotations

import atexit
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from solvers.errors import FileNotWritten
from solvers.host.refusal import reason_of
from solvers.host.scratch import sweep_once, temporary_beside

_PIECE_BYTES = 1 << 26


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
    try:
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError("it is a folder")
        if mode is None or stat.S_ISREG(mode):
            yield from _beside(target)
        else:
            yield target
    except OSError as error:
        raise FileNotWritten(path, reason_of(error)) from error


def _beside(target: Path) -> Iterator[Path]:
    """The temporary file; it replaces ``target`` unless the block raises."""
    sweep_once(target.parent)
    temporary = temporary_beside(target)
    remove = partial(_remove, temporary)
    atexit.register(remove)  # if the program exits while a daemon thread is in the block
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        remove()
        atexit.unregister(remove)


def _remove(temporary: Path) -> None:
    with suppress(OSError):  # what went wrong before is what the user must know
        temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """The file's type and permissions; None if it does not exist.

    Raises
    ------
    OSError
        If the system refuses to look: a closed folder, a name that is too long.
    """
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def save_array(path: Path, array: NDArray[Any]) -> None:
    """As ``numpy.save``, but a full disk raises an OSError with its error number."""
    with path.open("wb") as file:
        array = np.asarray(array, order="C")
        npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
        cells = array.reshape(-1).view(np.uint8).data
        for first in range(0, len(cells), _PIECE_BYTES):
            file.write(cells[first : first + _PIECE_BYTES])


def require_writable_file(path: Path | str) -> None:
    """Check, before a long computation, that its output file can be written.

    Raises
    ------
    FileNotWritten
        If ``path`` is a folder, or its folder is missing or not writable.
    """
    try:
        target = Path(os.path.realpath(path))
        mode, folder = _mode(target), _mode(target.parent)
    except OSError as error:
        raise FileNotWritten(path, reason_of(error)) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise FileNotWritten(path, "it is a folder")
    if folder is None or not stat.S_ISDIR(folder):
        raise FileNotWritten(path, f"there is no folder {target.parent}")
    place = target.parent if mode is None or stat.S_ISREG(mode) else target  # a device is written to directly
    if not os.access(place, os.W_OK):
        raise FileNotWritten(path, f"no permission to write in {place}")


def require_writable_folder(path: Path | str) -> None:
    """Check that an output folder is writable, or can be created.

    Raises
    ------
    FileNotWritten
        If the folder, or its nearest existing parent, is not a folder or not writable.
    """
    try:
        target = Path(os.path.realpath(path))
        nearest = next(place for place in (target, *target.parents) if _mode(place) is not None)
        is_folder = nearest.is_dir()
    except OSError as error:
        raise FileNotWritten(path, reason_of(error)) from error
    if not is_folder:
        raise FileNotWritten(path, f"{nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise FileNotWritten(path, f"no permission to write in {nearest}")
