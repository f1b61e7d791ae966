"""Locks between processes, so that of several that need the same compiled function only one compiles it.

Ranks of one MPI program, or the workers of a test run, come to the same functions at the same time. The first of them
compiles; the others wait, and load the result from the cache. A lock is one byte of a file in the cache folder, chosen
by function and argument types; the system releases it when its process ends.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from solvers.host.byte_lock import try_lock, unlock

_FILE = "compiling.lock"
_BYTES = 1 << 30  # so many that two functions rarely share one, which would only make them wait
_POLL_S = 0.02
_PATIENCE_S = 120.0  # after which a function is compiled here as well: waiting only saves time

_files: dict[str, int] = {}  # open descriptors by folder, kept: closing one would release all locks on its file
_held: set[tuple[str, int]] = set()


def compile_once(compiled: Any) -> None:
    """Make a cached numba function wait while another process compiles it for the same types."""
    compile_here, cache = compiled.compile, compiled._cache
    load = cache.load_overload
    open_locks: list[ExitStack] = []

    def load_or_lock(signature: Any, context: Any) -> Any:
        found = load(signature, context)
        if found is None and open_locks:
            open_locks[-1].enter_context(_locked(cache._cache_path, f"{cache._cache_file._index_name} {signature}"))
            found = load(signature, context)  # it may have been compiled in the meantime
        return found

    def compile_or_wait(signature: Any) -> Any:
        with global_compiler_lock, ExitStack() as locks:  # in this order, as numba's own lock is held while compiling
            open_locks.append(locks)
            try:
                return compile_here(signature)
            finally:
                open_locks.pop()

    cache.load_overload = load_or_lock
    compiled.compile = compile_or_wait


@contextmanager
def _locked(folder: str, name: str) -> Iterator[None]:
    """Hold the lock of a name; without it after a long wait, or where the folder permits no locks."""
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % _BYTES
    key = (folder, place)
    file = None if key in _held else _acquire(folder, place)
    if file is None:
        yield
        return
    _held.add(key)
    try:
        yield
    finally:
        _held.discard(key)
        unlock(file, place)


def _acquire(folder: str, place: int) -> int | None:
    """The file whose byte is locked now; None if it cannot be."""
    try:
        file = _lock_file(folder)
    except OSError:
        return None
    deadline = time.monotonic() + _PATIENCE_S
    while not try_lock(file, place):
        if time.monotonic() > deadline:
            return None
        time.sleep(_POLL_S)
    return file


def _lock_file(folder: str) -> int:
    """The open lock file of a folder, both made anew if somebody has removed them: others would lock a new file."""
    if folder not in _files or os.fstat(_files[folder]).st_nlink == 0:
        os.makedirs(folder, exist_ok=True)
        _files[folder] = os.open(os.path.join(folder, _FILE), os.O_RDWR | os.O_CREAT, 0o666)
    return _files[folder]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_held.clear)  # locks stay with the parent
