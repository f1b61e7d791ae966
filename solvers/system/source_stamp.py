"""A hash of all that a compiled function uses from outside its own file."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np

from solvers.system.late import CompiledFunction, Later

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)


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
    if isinstance(value, Later):
        value = value.now()
    if isinstance(value, CompiledFunction):
        return sys.modules.get(value.__module__)
    if type(value).__module__.startswith("numba.") and hasattr(value, "__wrapped__"):
        return sys.modules.get(inspect.unwrap(value).__module__)  # type: ignore[arg-type]
    return None


def _file_hash(module: ModuleType) -> str:
    file = module.__file__
    if file is None:
        return ""
    return hash_of_file(file)


def hash_of_file(file: str) -> str:
    """A hash of what is in a file now."""
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
