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
import os
import pickle
import pkgutil
import re
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching, errors, types
from numba.core.compiler import Flags
from numba.core.compiler_lock import global_compiler_lock

from solvers.program import ROOT
from solvers.system import packaged_code
from solvers.system.collections_paused import collections_paused
from solvers.system.compile_lock import locked
from solvers.system.files import make_private_folder
from solvers.system.long_waits import NOTICE
from solvers.system.source_stamp import hash_of_file, stamp

log = logging.getLogger(__name__)

_NAMES = (
    "numba:config.CACHE_LOCATOR_CLASSES",
    "numba:config.DISABLE_JIT",
    "numba.core.caching:UserProvidedCacheLocator.get_source_stamp",
    "numba.core.caching:InTreeCacheLocator.ensure_cache_path",
    "numba.core.caching:InTreeCacheLocator.get_cache_path",
    "numba.core.caching:UserWideCacheLocator.from_function",
    "numba.core.caching:IndexDataCacheFile.load",
    "numba.core.compiler:Flags.__eq__",
    "numba.core.compiler:Flags.__hash__",
    "numba.core.compiler_lock:global_compiler_lock",
    "numba.core.funcdesc:PythonFunctionDescriptor.llvm_cpython_wrapper_name",
    "numba.core.registry:cpu_target.target_context.refresh",
    "numba.core.registry:cpu_target.typing_context.refresh",
    "numba.core.types:IntegerLiteral.literal_type",
    "numba.np.linalg:ensure_blas",
    "numba.np.arraymath",
    "numba.np.ufunc",
)
_NAMES_OF_A_FUNCTION = (
    "compile",
    "add_overload",
    "get_call_template",
    "overloads",
    "targetoptions",
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

SHARED_VARIABLE = "TAUTPATH_COMPILED"
"""Names a folder of compiled functions that several checkouts of the program share."""

_VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__)

# the flags of a caller that numba's own functions are compiled with
_INHERITED = ("nrt", "fastmath", "error_model", "forceinline")

# bytes, below which a disk counts as full; numba would raise OSError half-way
_LEAST_FREE = 16 << 20
_setting = threading.Lock()  # modules may be imported in several threads
_writable: set[str] = set()  # folders of compiled functions


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
        self._is_decorated = False

    def get_source_stamp(self) -> tuple[str, str]:
        """By content: files that were copied or installed have another time."""
        return self._own, self._used

    def ensure_cache_path(self) -> None:
        """Create the folder; OSError if it cannot be written, or the disk is full.

        numba calls it for each function that is decorated, and to save one: only then a
        folder is looked at again.
        """
        folder = self.get_cache_path()  # type: ignore[attr-defined]
        to_save, self._is_decorated = self._is_decorated, True
        if folder in _writable and not to_save:
            return
        super().ensure_cache_path()  # type: ignore[misc]
        make_private_folder(Path(folder))
        if shutil.disk_usage(folder).free < _LEAST_FREE:
            raise OSError("the disk is full")
        _writable.add(folder)


class InGivenFolder(_StampOfAllUsed, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Locator of ``NUMBA_CACHE_DIR``."""


class InSharedFolder(_StampOfAllUsed, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Locator of ``TAUTPATH_COMPILED``, for our own functions: by what they are, not in which
    checkout, so that checkouts share what they have in common and keep what differs apart.

    The module counts: what is kept of a function names it.
    """

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Any:
        if not os.environ.get(SHARED_VARIABLE) or not _is_ours(file):
            return None
        return super().from_function(function, file)

    @functools.cache  # noqa: B019 - a locator lives as long as its function
    def get_cache_path(self) -> str:
        module = Path(self._py_file).relative_to(ROOT).as_posix()
        content = (*_VERSIONS, module, *self.get_source_stamp())
        digest = hashlib.sha256("\n".join(content).encode()).hexdigest()[:20]
        name = f"{Path(self._py_file).stem}-{digest}"
        return str(Path(os.environ[SHARED_VARIABLE]) / name)


@functools.cache
def _is_ours(file: str) -> bool:
    return Path(file).is_relative_to(ROOT)


class BesideSource(_StampOfAllUsed, caching.InTreeCacheLocator):  # type: ignore[misc]
    """Locator of ``__pycache__``."""


class InUserCache(_StampOfAllUsed, caching.UserWideCacheLocator):  # type: ignore[misc]
    """Locator of numba's folder in the user's cache."""


class Nowhere:
    """The last locator in the list; raises `NoCacheFolder`."""

    @staticmethod
    def from_function(function: Callable[..., Any], file: str) -> None:
        raise NoCacheFolder(file)


LOCATORS = (InGivenFolder, InSharedFolder, BesideSource, InUserCache, Nowhere)


def compile_once(compiled: Any) -> None:
    """Compile what a cached numba function is called with, and no more.

    While another process compiles it for the same types, this one waits. For compiled
    callers it is compiled without the wrapper that Python calls, which takes a fifth of
    the time or more, and is compiled again should Python call it after all; literal
    whole numbers are numbers like others, for which it is not compiled once more.
    """
    _OneCompilation(compiled)


class _OneCompilation:
    def __init__(self, compiled: Any):
        self._compiled, self._cache = compiled, compiled._cache
        self._load, self._compile = self._cache.load_overload, compiled.compile
        self._add, self._template = compiled.add_overload, compiled.get_call_template
        self._for_caller = False  # whether a compiled function asks next
        self._open: list[tuple[ExitStack, bool]] = []  # locks, and whether a compiled one asked
        self._cache.load_overload = self.load_or_lock
        self._cache._cache_file.save = functools.partial(_save, self._cache._cache_file)
        compiled.compile = self.compile_or_wait
        compiled.add_overload = self.add
        compiled.get_call_template = self.template

    def template(self, arguments: Any, named: Any) -> Any:
        """What a compiled function calls."""
        with global_compiler_lock:
            self._for_caller = True
            try:
                return self._template(
                    tuple(map(_number, arguments)),
                    {name: _number(kind) for name, kind in dict(named).items()},
                )
            finally:
                self._for_caller = False

    def compile_or_wait(self, signature: Any) -> Any:
        load_array_functions()
        # in this order, as numba's own lock is held while compiling
        with global_compiler_lock, collections_paused(), ExitStack() as locks:
            for_caller, self._for_caller = self._for_caller, False
            present = self._compiled.overloads.get(signature)
            if present is not None and not for_caller and not _has_wrapper(present):
                del self._compiled.overloads[signature]
            self._compiled.targetoptions["no_cpython_wrapper"] = for_caller
            self._open.append((locks, for_caller))
            try:
                return self._compile(signature)
            finally:
                self._open.pop()

    def load_or_lock(self, signature: Any, context: Any) -> Any:
        found = self._load_fit(signature, context)
        if found is None and self._open:
            name = self._cache._cache_file._index_name
            until_compiled = self._open[-1][0]
            until_compiled.enter_context(NOTICE.compiling())
            until_compiled.enter_context(locked(self._cache._cache_path, f"{name} {signature}"))
            found = self._load_fit(signature, context)  # compiled in the meantime?
            if found is None:
                log.debug("compiling %s for %s", name, signature)
        return found

    def _load_fit(self, signature: Any, context: Any) -> Any:
        for_caller = bool(self._open) and self._open[-1][1]
        for load in (self._load, functools.partial(packaged_code.load, self._cache)):
            found = load(signature, context)
            if found is not None and (for_caller or _has_wrapper(found)):
                return found
        return None

    def add(self, result: Any) -> None:
        """Without a wrapper, the function is nothing that Python can find and call."""
        if _has_wrapper(result):
            self._add(result)
        else:
            self._compiled.overloads[tuple(result.signature.args)] = result


def _number(kind: Any) -> Any:
    """The type of a literal whole number without its value; any other type unchanged."""
    return kind.literal_type if isinstance(kind, types.IntegerLiteral) else kind


def _has_wrapper(result: Any) -> bool:
    """Whether Python can call a compiled function."""
    return bool(result.library.get_pointer_to_function(result.fndesc.llvm_cpython_wrapper_name))


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


def _compile_alike(one: Flags, other: object) -> Any:
    """Whether what numba compiled of its own for a caller with ``one`` serves ``other`` too.

    numba compares flags for nothing else, and then all of them, by way of two dictionaries:
    it would compile ``np.empty`` anew for callers with and without a wrapper.
    """
    if type(one) is not Flags or type(other) is not Flags:
        return _equal_flags(one, other)
    return all(getattr(one, name) == getattr(other, name) for name in _INHERITED)


_equal_flags = Flags.__eq__
Flags.__eq__, Flags.__hash__ = _compile_alike, lambda flags: hash(type(flags))

# numba has the terminal initialised for the colours of each error that it makes, of which a
# function makes hundreds while candidates for its calls are tried; none is printed there
errors.ColorShell = nullcontext  # type: ignore[attr-defined]


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
