"""Displays of graphs and answers, for notebooks.

The package that draws stands above what it draws: `solvers` tells here where it is, and
it is loaded at the first display.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

_home: list[Callable[[], ModuleType]] = []


def provide(home: Callable[[], ModuleType]) -> None:
    """Let ``home`` load the module whose functions make displays."""
    _home[:] = [home]


def display(kind: str, shown: object, *given: Any, **options: Any) -> Any:
    """What the module's function ``kind`` makes of ``shown``."""
    return getattr(_home[0](), kind)(shown, *given, **options)


def mime_bundle(
    shown: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> tuple[dict[str, str | bytes], dict[str, dict[str, int]]]:
    """Data and metadata of ``shown`` by MIME type, as IPython asks for them."""
    found: tuple[dict[str, str | bytes], dict[str, dict[str, int]]]
    found = display("display_of", shown)._repr_mimebundle_(include, exclude)
    return found
