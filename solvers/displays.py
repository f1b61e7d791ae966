"""Displays of graphs and answers, for notebooks: made by a feature, which stands above what it
draws and is loaded at the first display.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from solvers.errors import Unavailable
from solvers.system.feature import features


@cache
def _home() -> ModuleType | None:
    """The module whose functions make displays; None where no feature has one."""
    name = next((one.displays for one in features().values() if one.displays), "")
    return import_module(name) if name else None


def display(kind: str, shown: object, *given: Any, **options: Any) -> Any:
    """What the module's function ``kind`` makes of ``shown``."""
    home = _home()
    if home is None:
        raise Unavailable("Nothing here draws displays: this installation has no notebooks.")
    return getattr(home, kind)(shown, *given, **options)


def mime_bundle(
    shown: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> tuple[dict[str, str | bytes], dict[str, dict[str, int]]]:
    """Data and metadata of ``shown`` by MIME type, as IPython asks for them."""
    if _home() is None:
        return {"text/plain": repr(shown)}, {}
    found: tuple[dict[str, str | bytes], dict[str, dict[str, int]]]
    found = display("display_of", shown)._repr_mimebundle_(include, exclude)
    return found
