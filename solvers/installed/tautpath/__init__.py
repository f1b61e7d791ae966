"""The library under the program's name: ``from tautpath import read, solve``.

The build installs this package beside `solvers`, whose public names it has; see there.
``python -m tautpath`` starts the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import solvers
from solvers import __all__ as __all__
from solvers import __version__ as __version__

if TYPE_CHECKING:
    from solvers import *  # noqa: F403


def _attribute(name: str) -> object:
    try:
        found: object = getattr(solvers, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # a module with it has every name for type checkers
    __getattr__ = _attribute


def __dir__() -> list[str]:
    return dir(solvers)
