"""All that the program replaces in numba's private parts, and the names of all that it uses.

A numba that lacks one of these names cannot be used: `missing_names` tells which, and
the requirement in ``pyproject.toml`` ends before the first numba that is not tested.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import operator
import pickle
import pkgutil
import re
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack
from importlib.machinery import PathFinder
from typing import Any

import numba
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

from solvers.system import packaged_code
from solvers.system.compile_lock import locked
from solvers.system.source_stamp import hash_of_file, stamp

log = logging.getLogger(__name__)

_NAMES = (
    "numba:config.CACHE_LOCATOR_CLASSES",
    "numba:config.DISABLE_JIT",
    "numba.core.caching:UserProvidedCacheLocator.get_source_stamp",
    "numba.core.caching:InTreeCacheLocator.ensure_cache_path",
    "numba.core.caching:UserWideCacheLocator.from_function",
    "numba.core.caching:IndexDataCacheFile.load",
    "numba.core.compiler_lock:global_compiler_lock",
    "numba.core.registry:cpu_target.target_context.refresh",
    "numba.core.registry:cpu_target.typing_context.refresh",
    "numba.np.linalg:ensure_blas",
    "numba.np.arraymath",
    "numba.np.ufunc",
)
_NAMES_OF_A_FUNCTION = (
    "compile",
    "_cache.load_overload",
    "_cache._cache_path",
    "_cache._index_key",
    "_cache._impl.filename_base",
    "_cache._impl.locator.get_source_stamp",
    "_cache._impl.rebuild",
    "_cache._py_func",
    "_cache._cache_file._index_name",
    "_cache._cache_file._index_path",
    "_cache._cache_file._load_index",
    "_cache._cache_file._save_index",
    "_cache._cache_file._data_name",
    "_cache._cache_file._save_data",
    "_cache._cache_file.save",
)

# bytes, below which a disk counts as full; numba would raise OSError half-way
_LEAST_FREE = 16 << 20
_setting = threading.Lock()  # modules may be imported in several threads


def missing_names(compiled: Any) -> list[str]:
    """The names of this module that numba does not have, or a function that it ``compiled``."""
    missing = []
    names = [(name, functools.partial(pkgutil.resolve_name, name)) for name in _NAMES]
    for name in _NAMES_OF_A_FUNCTION:
        names.append((name, functools.partial(operator.attrgetter(name), compiled)))
    for name, look in names:
        try:
            look()
        except (AttributeError, ImportError):
            missing.append(name)
    return missing


def openmp_vendor() -> str:
    """Whose OpenMP runtime numba loads; raises ImportError without one."""
    return str(importlib.import_module("numba.np.ufunc.omppool").openmp_vendor)


def tolerate_renamed_types(compiled: Any) -> None:
    """Treat an index on disk as stale if it is damaged, or names classes that are gone.

    numba unpickles the types of the arguments before it compares the stamps.
    """
    index = compiled._cache._cache_file
    load = index._load_index

    def load_index() -> dict[Any, Any]:
        try:
            return load()
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError) as error:
            log.debug("compiled functions on disk are not used: %s", error)
            return {}

    index._load_index = load_index


class NoCacheFolder(Exception):  # not an OSError, which numba would catch
    """No folder for compiled code is writable."""


class OurLocators:
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
        self._own = hash_of_file(file)

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
                locked(cache._cache_path, f"{cache._cache_file._index_name} {signature}")
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
