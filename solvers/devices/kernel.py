"""Kernels for both compilers: source text, checks of arguments, and the cache folders
of compiled kernels.

Drivers do not check types: a 32-bit scalar for an ``index_t``, or a buffer of another
element type, causes wrong results instead of an error. The parameters are parsed from
the kernel's text, so that both launchers apply the same checks, and pass integers in the
types that are declared.

PyOpenCL and CuPy fail if their cache folders are not writable, so there is a fallback.
PyOpenCL is given a folder of ours, because a lock file that a killed program left in
its own makes every later compilation wait for a minute.
"""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from solvers.devices.device import Device, KernelSource
from solvers.errors import FileNotWritten, ParameterError
from solvers.graphs.weights import DISTANCE_TYPES, WeightType
from solvers.system.array_types import AnyArray
from solvers.system.disk_cache import cache_folder
from solvers.system.files import folder_until_exit, make_private_folder
from solvers.system.once import Once

PORTABLE = Path(__file__).with_name("portable.h")
ALGORITHMS = Path(__file__).parents[1] / "algorithms"
# set: compiled kernels keep their line numbers, for compute-sanitizer
LINES_VARIABLE = "TAUTPATH_KERNEL_LINES"
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"[^\n]*$', re.MULTILINE)

Built = TypeVar("Built")

# by the file; filled in processes that run a user's changed kernel
replaced_texts: dict[Path, KernelText] = {}

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENTRY = re.compile(r"\bKERNEL\s+void\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)")
_CONST_IN = re.compile(r"CONST_IN\(([^)]*)\)")
_STRUCT = re.compile(r"\btypedef\s+struct\s*\{([^{}]*)\}\s*(\w+)\s*;")
_QUALIFIERS = re.compile(r"\b(?:GLOBAL|const|volatile|restrict|__restrict__|signed)\b")

_DTYPES: dict[str, np.dtype[Any]] = {
    "char": np.dtype(np.int8),
    "unsigned char": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "unsigned short": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "unsigned int": np.dtype(np.uint32),
    "index_t": np.dtype(np.int64),
    "unsigned_index_t": np.dtype(np.uint64),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}

log = logging.getLogger(__name__)

_LEAST_FREE = 16 << 20  # bytes, below which a disk counts as full
_STALE_LOCK_S = 30.0  # a lock is held while one binary is read or written


def distance_defines(kind: WeightType) -> dict[str, int | str]:
    """The macros that define ``dist_t`` and ``DIST_INF`` of a kernel for weight type ``kind``.

    >>> from solvers.graphs.weights import INT32
    >>> distance_defines(INT32)
    {'DIST_INT32': 1, 'DIST_INF': 1073741823}
    """
    infinity = "INFINITY" if math.isinf(kind.infinity) else int(kind.infinity)
    return {kind.define: 1, "DIST_INF": infinity}


@dataclass(frozen=True)
class KernelText:
    """A text that stands for that of a kernel file, and the name by which compilers call it."""

    name: str
    text: str


def kernel_text(path: Path, changed: KernelText | None = None) -> str:
    """``portable.h`` followed by the kernel file, or by ``changed`` in its place, with
    its includes expanded.

    The result is one text, so that the compilers need no include path. ``#line``
    directives keep file names and line numbers in compiler logs correct.
    """
    return (
        f'#line 1 "{PORTABLE.name}"\n'
        f"{PORTABLE.read_text(encoding='utf-8')}\n"
        f"{expanded_text(path, changed)}"
    )


def expanded_text(path: Path, changed: KernelText | None = None) -> str:
    """The text of ``path`` with a ``#line`` directive; each ``#include "..."`` is
    replaced by that file's text.

    A file that is not beside it is taken from the algorithms: ``#include
    "bellman_ford/relax.h"``.
    """
    own = (
        changed
        or replaced_texts.get(path)
        or KernelText(path.name, path.read_text(encoding="utf-8"))
    )
    name, text = own.name, own.text

    def insert(match: re.Match[str]) -> str:
        beside = path.parent / match.group(1)
        header = beside if beside.is_file() else ALGORITHMS / match.group(1)
        resume = text.count("\n", 0, match.end()) + 2
        if not header.is_file():
            return match.group()  # the compiler says in its own words that there is no such file
        return f'{expanded_text(header)}\n#line {resume} "{name}"'

    return f'#line 1 "{name}"\n' + _INCLUDE.sub(insert, text)


class Programs(Generic[Built]):
    """The kernels of a device, each built at its first use, by one thread while others that
    want the same one wait.
    """

    def __init__(self, build: Callable[[str, KernelSource], Built]):
        self._build = build
        self._made: dict[tuple[str, KernelSource], Once[Built]] = {}  # by text
        self._lock = threading.Lock()

    def get(self, source: KernelSource) -> Built:
        """Raises what ``build`` raises."""
        text = kernel_text(source.path)
        with self._lock:
            made = self._made.setdefault((text, source), Once(partial(self._build, text, source)))
        return made.get()


def compile_ahead(device: Device, sources: Iterable[KernelSource]) -> None:
    """Begin to compile what will be needed, each by a thread of its own: those that are kept
    for short work must not wait for compilers.

    Whoever needs one waits for it, and gets the error if there is one.
    """
    listed = list(sources)
    pool = ThreadPoolExecutor(max(1, len(listed)), "compile")
    for source in listed:
        pool.submit(device.compile, source)
    pool.shutdown(wait=False)


def check_block(
    kernel: str, device: str, grid: Sequence[int], block: Sequence[int], most: int
) -> None:
    """Raise ParameterError for a block of more than ``most`` threads, or none;
    ValueError for wrong dimensions.
    """
    if len(grid) != len(block) or not 1 <= len(grid) <= 3:
        raise ValueError(
            f"kernel {kernel}: grid {tuple(grid)} and block {tuple(block)} "
            "must both have 1 to 3 dimensions"
        )
    threads = math.prod(block)
    if not 1 <= threads <= most:
        raise ParameterError(
            kernel, "block", threads, f"{device} runs this kernel with 1 to {most} threads a block"
        )


def check_same_size(target: Any, origin: Any) -> None:
    """Raise TypeError or ValueError unless source and target of a copy have the same
    dtype and size.
    """
    if target.dtype != origin.dtype:
        raise TypeError(f"cannot copy {origin.dtype} into a buffer of {target.dtype}")
    if target.nbytes != origin.nbytes:
        raise ValueError(
            f"cannot copy shape {tuple(origin.shape)} into a buffer of shape {tuple(target.shape)}"
        )


def check_prefix_copy(origin: Any, target: AnyArray) -> None:
    """Check that ``target`` can receive the first elements of the buffer ``origin``.

    Raises TypeError if the dtypes differ, ValueError if it is not contiguous, or larger
    than the buffer.
    """
    if target.dtype != origin.dtype:
        raise TypeError(f"cannot copy {origin.dtype} into an array of {target.dtype}")
    if not target.flags.c_contiguous or target.nbytes > origin.nbytes:
        raise ValueError(
            f"cannot fill an array of shape {target.shape} from a buffer "
            f"of shape {tuple(origin.shape)}"
        )


@dataclass(frozen=True)
class KernelParameter:
    """A declared parameter of a kernel."""

    spelled: str  # text of the declaration
    # element type; None for a type defined by the kernel, which is not checked
    dtype: np.dtype[Any] | None
    is_pointer: bool


def declared_parameters(
    text: str, defines: Mapping[str, int | str]
) -> dict[str, tuple[KernelParameter, ...]]:
    """The parameters of each entry point in a kernel's text, by name of the entry point.

    Entry points with preprocessor lines between their parameters are omitted, so they
    are not checked.
    """
    text = _COMMENT.sub(" ", text)
    distance = next((kind.dtype for kind in DISTANCE_TYPES if kind.define in defines), None)
    known = _DTYPES | ({"dist_t": distance} if distance is not None else {})
    known |= _structures(text, known)
    entries = _ENTRY.findall(text)
    return {
        name: tuple(_parameter(spelled, known) for spelled in inside.split(",") if spelled.strip())
        for name, inside in entries
        if "#" not in inside
    }


def _structures(text: str, known: Mapping[str, np.dtype[Any]]) -> dict[str, np.dtype[Any]]:
    """The structures whose members are all scalars of known types, laid out as a C
    compiler does.
    """
    found = {}
    for body, name in _STRUCT.findall(text):
        members = [" ".join(member.split()) for member in body.split(";") if member.strip()]
        pairs = [member.rpartition(" ")[::2] for member in members]
        if all(type_name in known and field.isidentifier() for type_name, field in pairs):
            found[name] = np.dtype(
                [(field, known[type_name]) for type_name, field in pairs], align=True
            )
    return found


def _parameter(spelled: str, known: Mapping[str, np.dtype[Any]]) -> KernelParameter:
    spelled = " ".join(spelled.split())
    plain = _QUALIFIERS.sub(" ", _CONST_IN.sub(r"\1 *", spelled))
    # the last word is the parameter's name
    type_name = " ".join(re.split(r"[\s*]+", plain.strip())[:-1])
    return KernelParameter(spelled, known.get(type_name), "*" in plain)


class ArgumentCheck:
    """Checks the arguments of every launch of one kernel, and gives integers the declared
    types; accepted combinations of types are cached.

    Without a declaration plain Python numbers are refused, and nothing else.
    """

    def __init__(
        self, kernel: str, declared: tuple[KernelParameter, ...] | None, buffer_type: type
    ):
        self._kernel = kernel
        self._declared = declared
        self._buffer_type = buffer_type
        # by types of arguments: positions of integers, and what converts them
        self._approved: dict[tuple[object, ...], list[tuple[int, Callable[[Any], Any]]]] = {}

    def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """The arguments to pass.

        Raises TypeError if one does not match; it names the kernel, the position and the
        declaration. Raises OverflowError for an integer that does not fit.
        """
        types = tuple([(type(a), getattr(a, "dtype", None)) for a in arguments])
        known = self._approved.get(types)  # because a launch itself takes only microseconds
        integers = self._integers(arguments) if known is None else known
        if integers:
            arguments = list(arguments)
            for position, convert in integers:
                arguments[position] = convert(arguments[position])
        if known is None:
            self._refuse_plain_numbers(arguments)
            self._compare(arguments)
            self._approved[types] = integers
        return arguments

    def _integers(self, arguments: Sequence[Any]) -> list[tuple[int, Callable[[Any], Any]]]:
        return [
            (position, _bounded(parameter.dtype.type, argument))
            for position, (parameter, argument) in enumerate(
                zip(self._declared or (), arguments, strict=False)
            )
            if isinstance(argument, int | np.integer)
            and not parameter.is_pointer
            and parameter.dtype is not None
            and parameter.dtype.kind in "iu"
            and parameter.dtype != getattr(argument, "dtype", None)
        ]

    def _refuse_plain_numbers(self, arguments: Sequence[Any]) -> None:
        for position, argument in enumerate(arguments):
            structure = (
                isinstance(argument, np.ndarray) and argument.shape == () and argument.dtype.names
            )
            if not (structure or isinstance(argument, (self._buffer_type, np.generic))):
                raise TypeError(
                    f"argument {position} of kernel {self._kernel} is a Python "
                    f"{type(argument).__name__}: pass a buffer of the same device, "
                    "an integer, a NumPy scalar of exactly the parameter's type, or, "
                    "for a structure passed by value, a structured array with no dimensions"
                )

    def _compare(self, arguments: Sequence[Any]) -> None:
        if self._declared is None:
            return
        if len(self._declared) != len(arguments):
            raise TypeError(
                f"kernel {self._kernel} takes {len(self._declared)} arguments, "
                f"{len(arguments)} were given"
            )
        for position, (parameter, argument) in enumerate(
            zip(self._declared, arguments, strict=True)
        ):
            is_buffer = isinstance(argument, self._buffer_type)
            if is_buffer != parameter.is_pointer or parameter.dtype not in (None, argument.dtype):
                given = f"a {'buffer' if is_buffer else 'scalar'} of {argument.dtype}"
                raise TypeError(
                    f"argument {position} of kernel {self._kernel} is {given}; "
                    f"it declares “{parameter.spelled}”"
                )


def _bounded(kind: type[np.integer[Any]], argument: Any) -> Callable[[Any], Any]:
    """Converts numbers of the argument's type: NumPy compares only Python's with the bounds."""
    return kind if isinstance(argument, int) else lambda number: kind(int(number))


@cache
def opencl_cache() -> str | None:
    """Folder for PyOpenCL, chosen once per process; None if kernels are kept in memory."""
    if os.environ.get("PYOPENCL_NO_CACHE"):  # as PyOpenCL itself would
        return None
    folders = _writable(_opencl_folders)
    if folders is None:
        return None
    _remove_stale_lock(folders[0])
    log.debug("compiled kernels are kept in %s", folders[0])
    return str(folders[0])


def prepare_pyopencl() -> None:
    """Set the environment variables that PyOpenCL reads when it is imported."""
    # it is read without asking whether it is set
    os.environ.setdefault("PYOPENCL_CACHE_FAILURE_FATAL", "")
    if opencl_cache() is None:
        os.environ["PYOPENCL_NO_CACHE"] = "1"


def prepare_cupy() -> None:
    """Let CuPy keep kernels in memory if its folder cannot be written."""
    given = os.environ.get("CUPY_CACHE_DIR")
    if (
        _writable(lambda: (Path(given) if given else Path.home() / ".cupy" / "kernel_cache",))
        is None
    ):
        os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
        with suppress(FileNotWritten):  # CuPy 14.2 makes it when imported, also for nothing
            os.environ["CUPY_CACHE_DIR"] = str(folder_until_exit("cupy"))


def _opencl_folders() -> tuple[Path, ...]:
    """Our folder for kernels, and the one in which pytools caches PyOpenCL's Python
    code that launches them.
    """
    from platformdirs import user_cache_path

    version = ".".join(map(str, sys.version_info[:3]))
    kernels = cache_folder() / f"opencl-kernels-py{version}"
    return kernels, user_cache_path("pytools", "pytools")


def _writable(find: Callable[[], tuple[Path, ...]]) -> tuple[Path, ...] | None:
    """The folders, made; None, said once in the log, if one of them cannot be written
    or its disk is full.
    """
    try:
        folders = find()
        for folder in folders:
            _require_room(folder)
    except (OSError, RuntimeError) as error:  # Path.home() raises the latter
        log.debug("kernels are kept in memory: %s", error)
        _say_once()
        return None
    return folders


def _require_room(folder: Path) -> None:
    """Make the folder and a file in it; raises OSError if the system refuses, or the
    disk is full.
    """
    make_private_folder(folder)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0")
        file.flush()
    if shutil.disk_usage(folder).free < _LEAST_FREE:
        raise OSError("the disk is full")


@cache
def _say_once() -> None:
    log.warning(
        "Compiled kernels cannot be cached, because the user's cache folder is not writable or its "
        "disk is full; every start will take longer. Make room in the home folder, or set "
        "XDG_CACHE_HOME and CUPY_CACHE_DIR to other folders."
    )


def _remove_stale_lock(folder: Path) -> None:
    with suppress(OSError):
        lock = folder / "lock"
        if time.time() - lock.stat().st_mtime > _STALE_LOCK_S:
            os.unlink(lock)
            log.info("removed the lock of a program that was killed from the cache of kernels")
