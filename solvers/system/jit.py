"""numba's ``njit`` with a disk cache that is also invalidated by changes in imported
modules; one process compiles.

numba stores machine code with a hash of the source file of its function. Functions
called in other modules, and constants read from them, are compiled into that code, but
are not part of the hash: after a change there, numba would run stale code. The locators
of this module, installed by numba's setting ``CACHE_LOCATOR_CLASSES``, add both to the
hash. The files stay where numba puts them: in ``NUMBA_CACHE_DIR``, else in
``__pycache__``, else, if the program's folder is read-only, in the user's cache. A
stale file is overwritten, so that files do not accumulate. If none of these folders is
writable, functions are compiled in memory, in each process again.

Ranks of one MPI program, or the workers of a test run, come to the same functions at
the same time. The first of them compiles; the others wait, and load the result from the
cache. A lock is one byte of a file in the cache folder, chosen by function and argument
types; the system releases it when its process ends.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

from solvers.system import packaged_code
from solvers.system.file_lock import try_lock, unlock

log = logging.getLogger(__name__)

# bytes, below which a disk counts as full; numba would raise OSError half-way
_LEAST_FREE = 16 << 20
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)
_setting = threading.Lock()  # modules may be imported in several threads

_FILE = "compiling.lock"
_BYTES = 1 << 30  # so many that two functions rarely share one, which would only make them wait
_POLL_S = 0.02
_PATIENCE_S = 120.0  # after which a function is compiled here as well: waiting only saves time

# descriptors by folder and place: closing one releases all locks on its file
_held: dict[tuple[str, int], int] = {}


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit``; with ``cache``, machine code on disk is used only if it matches
    the current source.

    If no cache folder is writable, ``cache`` is ignored, with one warning in the log.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if not cache:
            return numba.njit(**options)(function)
        try:
            with _OurLocators():
                compiled = numba.njit(cache=True, **options)(function)
                if not numba.config.DISABLE_JIT:
                    _tolerate_renamed_types(compiled)
                    compile_once(compiled)
                return compiled
        except NoCacheFolder:
            _say_once()
            return numba.njit(**options)(function)

    return decorate


def _tolerate_renamed_types(compiled: Any) -> None:
    """Treat an index on disk as stale if it names classes that do not exist any more.

    numba unpickles the types of the arguments before it compares the stamps.
    """
    index = compiled._cache._cache_file
    load = index._load_index

    def load_index() -> dict[Any, Any]:
        try:
            return load()
        except (AttributeError, ImportError) as error:
            log.debug("compiled functions of an earlier version are not used: %s", error)
            return {}

    index._load_index = load_index


class NoCacheFolder(Exception):  # not an OSError, which numba would catch
    """No folder for compiled code is writable."""


class _OurLocators:
    """Sets numba's cache locators while a function is decorated, unless the user has set them."""

    def __enter__(self) -> None:
        _setting.acquire()
        self._before = numba.config.CACHE_LOCATOR_CLASSES
        names = (f"{__name__}.{locator.__name__}" for locator in LOCATORS)
        numba.config.CACHE_LOCATOR_CLASSES = self._before or ",".join(names)

    def __exit__(self, *_: object) -> None:
        numba.config.CACHE_LOCATOR_CLASSES = self._before
        _setting.release()


class _StampOfAllUsed:
    """Mix-in that adds what a function uses from other modules to numba's stamp of its
    source file.
    """

    def __init__(self, function: Callable[..., Any], file: str):
        super().__init__(function, file)  # type: ignore[call-arg]
        self._used = stamp(function)
        self._own = _hash_of_file(file)

    def get_source_stamp(self) -> tuple[str, str]:
        """By content: files that were copied or installed have another time."""
        return self._own, self._used

    def ensure_cache_path(self) -> None:
        """Create the folder; OSError if it cannot be written, or the disk is full."""
        super().ensure_cache_path()  # type: ignore[misc]
        folder = self.get_cache_path()  # type: ignore[attr-defined]
        if shutil.disk_usage(folder).free < _LEAST_FREE:
            raise OSError("the disk is full")


class InGivenFolder(_StampOfAllUsed, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Locator of ``NUMBA_CACHE_DIR``."""


class BesideSource(_StampOfAllUsed, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Locator of ``__pycache__``."""


class InUserCache(_StampOfAllUsed, caching.UserWideCacheLocator):  # type: ignore[misc]
    """Locator of numba's folder in the user's cache."""


class Nowhere:
    """The last locator in the list; raises `NoCacheFolder`."""

    @staticmethod
    def from_function(function: Callable[..., Any], file: str) -> None:
        raise NoCacheFolder(file)


LOCATORS = (InGivenFolder, BesideSource, InUserCache, Nowhere)


@functools.cache
def _say_once() -> None:
    log.warning(
        "Compiled code cannot be cached, because neither the program's folder "
        "nor the user's cache folder is writable; every start will take longer. "
        "Set NUMBA_CACHE_DIR to a writable folder."
    )


def stamp(function: Callable[..., Any]) -> str:
    """Hash of everything that a function may use from outside its own file.

    These are the files of the modules whose compiled functions its module imports,
    directly or indirectly, and the values of the constants of all of them.
    """
    used = _uses(function.__globals__, function.__module__.partition(".")[0])
    texts, seen, waiting = set(used.constants), {function.__module__}, list(used.modules)
    while waiting:
        module = waiting.pop()
        if module.__name__ not in seen:
            seen.add(module.__name__)
            content = _file_hash(module)
            texts.add(f"{module.__name__}: {content}")
            used = _uses_of_module(module, content)
            texts.update(used.constants)
            waiting += used.modules
    return hashlib.sha256("\n".join(sorted(texts)).encode(errors="surrogateescape")).hexdigest()


@dataclass(frozen=True)
class _Uses:
    """Constants of a module as text, including imported ones, and the modules that its
    compiled functions call.
    """

    constants: frozenset[str]
    modules: frozenset[ModuleType]


@functools.cache
def _uses_of_module(module: ModuleType, content: str) -> _Uses:
    """Cached `_Uses` of a fully imported module, by the content of its file."""
    return _uses(vars(module), module.__name__.partition(".")[0])


def _uses(names: Mapping[str, Any], package: str) -> _Uses:
    constants, modules = set(), set()
    for name, value in list(names.items()):
        if name.startswith("__"):
            continue
        constant = _constant(value)
        module = _origin(value, {package, "solvers", "gui"})
        if constant is not None:
            constants.add(f"{name} = {constant}")
        elif module is not None:
            modules.add(module)
    return _Uses(frozenset(constants), frozenset(modules))


def _constant(value: object) -> str | None:
    """A constant as text that is the same in every process; None if numba does not
    treat the value as a constant.
    """
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, type) and issubclass(value, Enum):
        return str([(member.name, _constant(member.value)) for member in value])
    if isinstance(value, type) and issubclass(value, tuple):
        return str(getattr(value, "_fields", ""))
    if isinstance(value, tuple):
        inner = [_constant(item) for item in value]
        return None if None in inner else str(inner)
    return repr(value) if isinstance(value, _CONSTANTS) else None


def _origin(value: object, followed: set[str]) -> ModuleType | None:
    """The module that defines a compiled function or an intrinsic; one of our own
    modules is returned itself.
    """
    if isinstance(value, ModuleType):
        return value if value.__name__.partition(".")[0] in followed else None
    if type(value).__module__.startswith("numba.") and hasattr(value, "__wrapped__"):
        return sys.modules.get(inspect.unwrap(value).__module__)  # type: ignore[arg-type]
    return None


def _file_hash(module: ModuleType) -> str:
    file = module.__file__
    if file is None:
        return ""
    return _hash_of_file(file)


def _hash_of_file(file: str) -> str:
    state = os.stat(file)
    return _content_hash(_FileState(file, state.st_mtime_ns, state.st_size))


@dataclass(frozen=True)
class _FileState:
    """A file at one time: any change gives another value, so that it can be the key of a cache."""

    path: str
    modified_ns: int
    size: int


@functools.cache
def _content_hash(file: _FileState) -> str:
    with open(file.path, "rb") as opened:
        return hashlib.sha256(opened.read()).hexdigest()


def compile_once(compiled: Any) -> None:
    """Make a cached numba function wait while another process compiles it for the same types."""
    compile_here, cache = compiled.compile, compiled._cache
    load = cache.load_overload
    open_locks: list[ExitStack] = []

    def load_or_lock(signature: Any, context: Any) -> Any:
        found = load(signature, context)
        if found is None:
            found = packaged_code.load(cache, signature, context)
        if found is None and open_locks:
            open_locks[-1].enter_context(
                _locked(cache._cache_path, f"{cache._cache_file._index_name} {signature}")
            )
            found = load(signature, context)  # it may have been compiled in the meantime
            if found is None:
                log.debug("compiling %s for %s", cache._cache_file._index_name, signature)
        return found

    def compile_or_wait(signature: Any) -> Any:
        load_array_functions()
        # in this order, as numba's own lock is held while compiling
        with global_compiler_lock, ExitStack() as locks:
            open_locks.append(locks)
            try:
                return compile_here(signature)
            finally:
                open_locks.pop()

    cache.load_overload = load_or_lock
    cache._cache_file.save = functools.partial(_save, cache._cache_file)
    compiled.compile = compile_or_wait


def _save(files: Any, key: Any, data: Any) -> None:
    """Save compiled code in a file named by its types, before the index tells of it.

    numba numbers the files: two processes that compiled a function for different types
    at once took the same number, and one then loaded the other's code. Now the later
    index at most forgets an entry, which is compiled again.
    """
    # without addresses, which differ between processes
    types = re.sub("0x[0-9a-f]+", "", repr(key))
    name = files._data_name(int.from_bytes(hashlib.sha256(types.encode()).digest()[:6], "big"))
    files._save_data(name, data)
    files._save_index(files._load_index() | {key: name})


@functools.cache
def load_array_functions() -> None:
    """Import what numba compiles and loads functions with, but not SciPy's linear
    algebra, half of the time.

    numba imports it here only to see that it can; where a function multiplies matrices,
    numba looks again.
    """
    from numba.core.registry import cpu_target
    from numba.np import linalg

    with global_compiler_lock:
        look = linalg.ensure_blas
        if PathFinder.find_spec("scipy") is not None:
            linalg.ensure_blas = lambda: None
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = look
        cpu_target.target_context.refresh()
        cpu_target.typing_context.refresh()


@contextmanager
def _locked(folder: str, name: str) -> Iterator[None]:
    """Hold the lock of a name; without it after a long wait, or where the folder
    permits no locks.
    """
    offset = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % _BYTES
    if (folder, offset) in _held or (file := _acquire(folder, offset)) is None:
        yield
        return
    _held[folder, offset] = file
    try:
        yield
    finally:
        _held.pop((folder, offset), None)  # a process that was forked meanwhile holds none
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
    for (other, _), file in _held.items():
        if other == folder and os.fstat(file).st_nlink:
            return file
    os.makedirs(folder, exist_ok=True)
    return os.open(os.path.join(folder, _FILE), os.O_RDWR | os.O_CREAT, 0o666)


def _close_unused(file: int) -> None:
    if file not in _held.values():
        os.close(file)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_held.clear)  # locks stay with the parent
