"""Warnings of the library, at the line of the program that called it."""

from __future__ import annotations

import sys
import warnings

from solvers.errors import TautpathWarning


def warn(message: str, category: type[TautpathWarning]) -> None:
    """Warn at the innermost line that is not in this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]
