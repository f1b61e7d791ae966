"""The cache folders of PyOpenCL and CuPy for compiled kernels, and the fallback if they are not writable.

Both libraries fail then. PyOpenCL is given a folder of ours, because a lock file that a killed program left in its own
makes every later compilation wait for a minute.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

_LEAST_FREE = 16 << 20  # bytes, below which a disk counts as full
_STALE_LOCK_S = 30.0  # a lock is held while one binary is read or written


@cache
def opencl_cache() -> str | None:
    """Folder for PyOpenCL, chosen once per process; None if kernels are kept in memory."""
    folders = _writable(_opencl_folders)
    if folders is None:
        return None
    _remove_stale_lock(folders[0])
    return str(folders[0])


def prepare_pyopencl(environment: MutableMapping[str, str] | None = None) -> None:
    """Set the variables that PyOpenCL reads when it is imported."""
    environment = os.environ if environment is None else environment
    environment.setdefault("PYOPENCL_CACHE_FAILURE_FATAL", "")  # it is read without asking whether it is set
    if opencl_cache() is None:
        environment["PYOPENCL_NO_CACHE"] = "1"


def prepare_cupy(environment: MutableMapping[str, str] | None = None) -> None:
    """Let CuPy keep kernels in memory if its folder cannot be written."""
    environment = os.environ if environment is None else environment
    given = environment.get("CUPY_CACHE_DIR")
    if _writable(lambda: (Path(given) if given else Path.home() / ".cupy" / "kernel_cache",)) is None:
        environment["CUPY_CACHE_IN_MEMORY"] = "1"


def _opencl_folders() -> tuple[Path, ...]:
    """Our folder for kernels, and the one in which pytools caches PyOpenCL's Python code that launches them."""
    from platformdirs import user_cache_path

    version = ".".join(map(str, sys.version_info[:3]))
    return user_cache_path("tautline") / f"opencl-kernels-py{version}", user_cache_path("pytools", "pytools")


def _writable(find: Callable[[], tuple[Path, ...]]) -> tuple[Path, ...] | None:
    """The folders, made; None, said once in the log, if one of them cannot be written or its disk is full."""
    try:
        folders = find()
        for folder in folders:
            _require_room(folder)
    except (OSError, RuntimeError):  # Path.home() raises the latter
        _say_once()
        return None
    return folders


def _require_room(folder: Path) -> None:
    """Make the folder and a file in it.

    Raises
    ------
    OSError
        If the system refuses, or the disk is full.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0")
        file.flush()
    if shutil.disk_usage(folder).free < _LEAST_FREE:
        raise OSError("the disk is full")


@cache
def _say_once() -> None:
    log.warning(
        "Compiled kernels cannot be cached, because the user's cache folder is not writable or its disk is full; "
        "every start will take longer. Make room in the home folder, or set "
        "XDG_CACHE_HOME and CUPY_CACHE_DIR to other folders."
    )


def _remove_stale_lock(folder: Path) -> None:
    with suppress(OSError):
        lock = folder / "lock"
        if time.time() - lock.stat().st_mtime > _STALE_LOCK_S:
            os.unlink(lock)
