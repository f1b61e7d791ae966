"""pyqtgraph, imported in steps: at once it keeps the window from answering for a fifth of
a second.

Modules of charts have it as ``pg`` from here, which takes the steps that are left.
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets

from solvers.system.threads import in_background

_NAME = "pyqtgraph"
# what it imports where it is there, and takes long
_NEEDED = ("PySide6.QtOpenGLWidgets", "PySide6.QtTest")
# likewise, in some 50 ms each; without classes of Qt, so that another thread may
_NEEDED_BESIDE = ("cuda.pathfinder", "cuda.bindings.driver")
_STEP_S = 0.008
_WAIT_S = 0.002
_CLASSES = 8  # of Qt, which are made when they are first named


def step() -> bool:
    """Import a part of pyqtgraph, in some milliseconds; whether more is left."""
    end = time.perf_counter() + _STEP_S
    return any(time.perf_counter() >= end for _ in _steps)


def __getattr__(name: str) -> Any:
    if name != "pg":
        raise AttributeError(name)
    for _ in _steps:
        pass
    return import_module(_NAME)


def _import() -> Iterator[None]:
    yield from _name_all_of_qt()
    for needed in _NEEDED:
        with suppress(ImportError):
            import_module(needed)
        yield
    yield from _import_beside()
    spec = find_spec(_NAME)
    loader: Any = spec and spec.loader
    source = loader and loader.get_source(_NAME)
    if spec is None or not source or _NAME in sys.modules:
        return  # in a bundle, or begun by another thread: at once, by `pg`
    sys.modules[_NAME] = module = module_from_spec(spec)
    try:
        for statement in ast.parse(source).body:
            exec(compile(ast.Module([statement], []), str(spec.origin), "exec"), vars(module))
            yield
    except Exception:
        del sys.modules[_NAME]
        raise


def _import_beside() -> Iterator[None]:
    def run() -> None:
        for needed in _NEEDED_BESIDE:
            with suppress(ImportError):
                import_module(needed)

    beside = in_background(run)
    while not beside.done():
        wait((beside,), _WAIT_S)
        yield


def _name_all_of_qt() -> Iterator[None]:
    for module in (QtCore, QtGui, QtWidgets):
        for number, name in enumerate(dir(module)):
            getattr(module, name)
            if number % _CLASSES == 0:
                yield


_steps = _import()
