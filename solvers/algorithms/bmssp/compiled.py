"""Decorator of the functions that are called by compiled code only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvers.host.jit import njit


def inner(function: Callable[..., Any]) -> Any:
    """Compile without the wrappers by which Python and C would call it, which take a third of the time to compile."""
    return njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
