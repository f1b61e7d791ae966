"""What a feature adds to the library and the command line, declared in its package's head.

A feature is a package of `solvers.features`, found by importing it; nothing of the core
imports one. A head imports nothing heavy, since the command line reads all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from solvers.system.discovery import modules_of

T = TypeVar("T")

FEATURES = "solvers.features"


@dataclass(frozen=True)
class Command:
    """A command; its module in the package has ``configure`` and ``execute``, as those of
    `solvers.commands`, and its name.
    """

    name: str
    purpose: str
    package: str = "solvers.commands"
    after: str = ""  # the command that it follows in lists

    @property
    def module(self) -> str:
        return f"{self.package}.{self.name.replace('-', '_')}"


@dataclass(frozen=True)
class VariantSource:
    """Variants that are found when the program runs, as the user's are; processes that do not
    run variants for the user do not find them.

    Its module has ``add_variants()``, which registers them and raises nothing, ``problems()``,
    what kept some from being used, and ``add_folder(folder)``, which raises InputError, for the
    option of every command and of the window.
    """

    module: str
    option: str
    purpose: str

    def add_variants(self) -> None:
        self._imported.add_variants()

    def add_folder(self, folder: str) -> None:
        self._imported.add_folder(folder)

    def problems(self) -> Iterable[object]:
        problems: Iterable[object] = self._imported.problems()
        return problems

    @property
    def _imported(self) -> Any:
        return import_module(self.module)


@dataclass(frozen=True)
class Feature:
    """What a feature adds; ``FEATURE`` in the head of its package."""

    title: str
    commands: tuple[Command, ...] = ()
    variants: str = ""  # the package whose modules declare its variants
    variant_source: VariantSource | None = None
    formats: str = ""  # the module whose ``FORMATS`` are read
    # public names of the library, with their modules; type checkers have all public names
    # from `solvers/__init__.pyi`
    names: Mapping[str, str] = field(default_factory=dict)
    # a module whose `rehearse(graph)` makes its first calls, so that what they need is compiled
    first_calls: str = ""
    calls_in_window: bool = False  # whether the window makes these calls, too
    # the module whose ``EXPLANATIONS`` pictures of small graphs draw
    # (`solvers/picture/scene/explanation.py`); one feature has it
    explanations: str = ""
    displays: str = ""  # a module with the displays of graphs and answers (`solvers/displays.py`)
    # the module whose ``SEARCH``, a `TurnSearch` (`solvers/graphs/searched.py`), says how
    # networks with rules for turns are searched
    search: str = ""
    # the module whose ``close_marks(view, radius)`` lie over the arcs of a close view, in which
    # the discs of vertices have that radius in pixels
    marks: str = ""
    # the module whose ``PLACES``, a `PlaceEnds` (`solvers/graphs/places.py`), says how ends that
    # are places on the map become vertices
    places: str = ""
    ways: str = ""  # the module whose ``WayFinder()`` is a `FindWays` (`solvers/running/ways.py`)
    solve: str = ""  # the module whose ``OPTIONS`` the command ``solve`` has, too
    results: str = ""  # the module whose ``FILE`` is written of results (`ResultsFile`)
    needs: tuple[str, ...] = ()  # features without which it does not work


@cache
def features() -> dict[str, Feature]:
    """The features that are here, by the names of their packages."""
    return {module.__name__.rpartition(".")[2]: module.FEATURE for module in modules_of(FEATURES)}


def offered(module_of: Callable[[Feature], str], name: str) -> list[Any]:
    """What features offer by a name, in the modules that they have for it; imports these."""
    modules = filter(None, map(module_of, features().values()))
    return [getattr(import_module(module), name) for module in modules]


def variant_sources() -> list[VariantSource]:
    return [one.variant_source for one in features().values() if one.variant_source]


def placed(rows: Iterable[T], added: Iterable[tuple[str, T]], name: Callable[[T], str]) -> list[T]:
    """Rows with others added, each behind the row whose name stands beside it.

    That may be an added one; "" is before the first. Those behind the same row stand in their
    order. What would follow a row that is not here, as where another feature was taken out,
    stands last.
    """
    found, waiting = list(rows), list(added)
    while waiting:
        names = [name(row) for row in found]
        known = (one for one in reversed(waiting) if one[0] in ("", *names))
        after, row = one = next(known, waiting[0])
        waiting.remove(one)
        place = names.index(after) + 1 if after in names else len(found)
        found.insert(place if after else 0, row)
    return found
