"""numba's ``njit`` with a disk cache that is also invalidated by changes in imported
modules; one process compiles.

numba stores machine code with a hash of the source file of its function. Functions
called in other modules, and constants read from them, are compiled into that code, but
are not part of the hash: after a change there, numba would run stale code. The locators
of `numba_private`, installed by numba's setting ``CACHE_LOCATOR_CLASSES``, add both to the
hash. The files stay where numba puts them: in ``NUMBA_CACHE_DIR``, else in
``__pycache__``, else, if the program's folder is read-only, in the user's cache; with
``TAUTPATH_COMPILED``, in the folder that it names, for all checkouts. A stale file is
overwritten, so that files do not accumulate. If none of these folders is
writable, functions are compiled in memory, in each process again.

A function is compiled, and numba imported, when it is called first: most programs call few
of some 400 functions, and numba's import takes as long as a quarter of the window's.

Ranks of one MPI program, or the workers of a test run, come to the same functions at
the same time. The first of them compiles; the others wait, and load the result from the
cache (`compile_lock`).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, overload

from solvers.system.late import CompiledFunction, Later

log = logging.getLogger(__name__)

prange: Any = Later("numba:prange")


@overload
def njit(function: Callable[..., Any], /) -> Any: ...


@overload
def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]: ...


def njit(
    function: Callable[..., Any] | None = None, /, *, cache: bool = True, **options: Any
) -> Any:
    """``numba.njit`` without the interpreter's lock; with ``cache``, machine code on disk is
    used only if it matches the current source.

    If no cache folder is writable, ``cache`` is ignored, with one warning in the log.
    """
    if function is None:
        return functools.partial(njit, cache=cache, **options)
    return CompiledFunction(function, functools.partial(_made, function, cache, options))


def _made(function: Callable[..., Any], cache: bool, options: dict[str, Any]) -> Any:
    import numba

    from solvers.system.numba_private import (
        NoCacheFolder,
        OurLocators,
        compile_once,
        tolerate_renamed_types,
    )

    options = {"nogil": True, "no_cfunc_wrapper": True} | options  # nothing calls it from C
    if not cache:
        return numba.njit(**options)(function)
    try:
        with OurLocators():
            compiled = numba.njit(cache=True, **options)(function)
            if not numba.config.DISABLE_JIT:
                tolerate_renamed_types(compiled)
                compile_once(compiled)
            return compiled
    except NoCacheFolder:
        _say_once()
        return numba.njit(**options)(function)


@functools.cache
def _say_once() -> None:
    log.warning(
        "Compiled code cannot be cached, because neither the program's folder "
        "nor the user's cache folder is writable; every start will take longer. "
        "Set NUMBA_CACHE_DIR to a writable folder."
    )
