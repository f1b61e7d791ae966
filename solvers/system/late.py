"""What compiled functions use, looked up when one is called first.

numba knows neither `Later` nor `CompiledFunction`: before it compiles a function that
refers to one, the reference is replaced by what it stands for.
"""

from __future__ import annotations

import functools
import pkgutil
import threading
from collections.abc import Callable, Iterator, MutableMapping
from types import CodeType, ModuleType
from typing import Any

# Held while functions are made, never while one is compiled or called.
_making = threading.RLock()


class Later:
    """Something of numba's, or of a module that needs it, for compiled functions to use.

    Parameters
    ----------
    name : str
        As ``"package.module:attribute"``.
    """

    def __init__(self, name: str):
        self._name = name

    def now(self) -> Any:
        """What is named; imports its module."""
        return pkgutil.resolve_name(self._name)

    def __call__(self, *arguments: Any) -> Any:
        """For functions that run uncompiled, as numba is told by ``NUMBA_DISABLE_JIT``."""
        return self.now()(*arguments)


class CompiledFunction:
    """A function that numba compiles when it is called first, with numba's attributes.

    Parameters
    ----------
    function : callable
        In Python.
    make : callable
        Returns numba's function.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[], Any]):
        functools.update_wrapper(self, function)
        self._function, self._make = function, make
        self._found: Any = None
        self._is_whole = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        found = self._found if self._is_whole else self.now()
        return found(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.now(), name)

    def __reduce__(self) -> str:
        return str(self.__qualname__)

    def now(self) -> Any:
        """numba's function, which other compiled functions call."""
        if not self._is_whole:
            with _making:
                if self._found is None:  # functions may call each other
                    self._found = self._make()
                    try:
                        _look_up_names(self._function)
                    except BaseException:
                        self._found = None  # looked up anew at the next call
                        raise
                    self._is_whole = True
        return self._found


def _look_up_names(function: Callable[..., Any]) -> None:
    """Put numba's functions where a function refers to ours, which numba does not know."""
    names = set(_names_in(function.__code__))
    known = function.__globals__
    for module in (known.get(name) for name in names):
        if isinstance(module, ModuleType):
            _look_up(vars(module), names)
    _look_up(known, names)
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, CompiledFunction | Later):
            cell.cell_contents = cell.cell_contents.now()


def _look_up(known: MutableMapping[str, Any], names: set[str]) -> None:
    for name in names & known.keys():
        if isinstance(known[name], CompiledFunction | Later):
            known[name] = known[name].now()


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
