"""What a feature adds to the window, and what the window offers to it.

A feature is a package of `gui.features`, found by importing it; nothing of the core
imports one. Its head has ``contribute(parts, window)``, which is called while the window
is made, and imports the rest of the package when that is first used. Its rows of the menus
stand in `actions.toml` beside the head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtWidgets import QBoxLayout

from gui.controllers.help import Stop
from gui.dialogs.search import Entry
from gui.model.session_sections import SessionSection
from gui.panels.variant_card import CardView
from gui.parts import WindowComponents
from gui.shell.centre import OverlayStack
from gui.shell.commands import Act, Commands
from gui.shell.side_bars import MODES, BarSide, Mode, Panel, SideBars
from gui.shell.start_page import StartPage
from solvers.core.variant import Variant
from solvers.system.discovery import modules_of
from solvers.system.feature import placed

if TYPE_CHECKING:  # imported when a picture is exported
    from gui.export.composition import PictureState, Subject

FEATURES = "gui.features"


class WindowActs(Protocol):
    """What some actions do with widgets that only the window knows."""

    @property
    def bars(self) -> SideBars:
        """The side bars; read when an action is triggered."""

    @property
    def start_page(self) -> StartPage:
        """What is shown while no graph is open."""

    @property
    def commands(self) -> Commands:
        """All rows; read when an action is triggered."""

    @property
    def overlay(self) -> OverlayStack:
        """The picture with what lies over it."""

    @property
    def centre(self) -> QBoxLayout:
        """The picture, and what stands above and below it."""

    def controller_of(self, feature: str) -> Any:
        """The controller of a feature that another needs; after the window is made."""

    def refresh(self) -> None:
        """Enable the rows that are possible now."""

    def choose_mode(self, mode: Mode) -> None:
        """Enter a mode of the window."""

    def quit(self) -> None:
        """Close, after asking if something would be lost."""

    def show_plan(self) -> None:
        """Open the fields for trials, warm-ups and time limit."""

    def set_menu_bar(self, on: bool) -> None:
        """Have the menus in a bar, or behind the button of the toolbar."""


@dataclass(frozen=True)
class PlacedPanel:
    """A panel of a feature, and where it stands."""

    side: BarSide
    after: str  # title of the panel that it follows on its rail
    panel: Panel


@dataclass(frozen=True)
class FileKind:
    """Files that are opened in another way than graphs."""

    takes: Callable[[Path], bool]  # by the name or the beginning of a file
    open: Callable[[Sequence[Path]], object]  # those given together


@dataclass(frozen=True)
class Contribution:
    """What a feature adds to a window."""

    acts: Mapping[str, Act] = field(default_factory=dict)  # by the ids of its rows
    # by such ids: what to do first, where the row is not possible now; else "". Asked by
    # `WindowActs.refresh`
    missing: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    panels: tuple[PlacedPanel, ...] = ()
    # ids of rows that are buttons on the cards of variants, too: of those that fit
    on_cards: Mapping[str, Callable[[Variant], bool]] = field(default_factory=dict)
    card_views: tuple[CardView, ...] = ()  # of the selected variant, on its card
    modes: tuple[Mode, ...] = ()  # of the window
    stops: tuple[tuple[str, Stop], ...] = ()  # of the tour, behind those of a title
    openers: tuple[str, ...] = ()  # ids of rows that lead to a graph: start page, graph's menu
    sections: tuple[SessionSection[Any], ...] = ()  # what a session keeps of it
    files: tuple[FileKind, ...] = ()  # that it opens, by drop and command line
    # the animation of a picture, in place of the iterations of its run; None where it has none
    animation: Callable[[PictureState], Subject | None] = lambda _: None
    # what of it would be lost with the open graph, in words; "" for nothing
    lost: Callable[[], str] = lambda: ""
    # a mode of the window is entered, or the first graph is opened in it
    enter: Callable[[Mode], object] = lambda _: None
    finds: Callable[[], Iterable[Entry]] = tuple  # in the search
    # what to call when the tour ends, to have the graph back that is open now; None without one
    remember: Callable[[], Callable[[], object] | None] = lambda: None
    # when the window is first shown; says whether files are being opened
    begin: Callable[[bool], object] = lambda _: None
    end: Callable[[], object] = lambda: None  # when it is closed
    # what does it; made at the first call
    controller: Callable[[], Any] | None = None


def contributions(parts: WindowComponents, window: WindowActs) -> dict[str, Contribution]:
    """What each feature that is here adds to this window, by the name of its package."""
    found: dict[str, Contribution] = {
        module.__name__.rpartition(".")[2]: module.contribute(parts, window)
        for module in modules_of(FEATURES)
    }
    for one in found.values():
        parts.sections += one.sections
        parts.export.animations.append(one.animation)
        parts.losses.others.append(one.lost)
    return found


def tables_of_rows() -> list[Path]:
    """The rows of menus that features add."""
    heads = (Path(str(module.__file__)) for module in modules_of(FEATURES))
    tables = (head.with_name("actions.toml") for head in heads)
    return [table for table in tables if table.is_file()]


def modes_of(features: Iterable[Contribution]) -> tuple[Mode, ...]:
    """The modes of the window, and those that features add."""
    return (*MODES, *(mode for feature in features for mode in feature.modes))


def with_panels(
    panels: Iterable[Panel], side: BarSide, features: Iterable[Contribution]
) -> list[Panel]:
    """The panels of a side, and those that features add to it."""
    added = (one for feature in features for one in feature.panels if one.side is side)
    return placed(panels, ((one.after, one.panel) for one in added), attrgetter("title"))
