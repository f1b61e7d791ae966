"""The guided tour, help pages, lists of devices and shortcuts, and the search.

The tour has a few stops, each beside a part of the window; some carry out what they
describe. Help > Devices lists devices and broken drivers, and is kept up to date while
it is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QPoint, QRect, QSize
from PySide6.QtWidgets import QDialog, QMainWindow, QWidget

from gui.dialogs.messages import DetailsDialog, show_log
from gui.dialogs.search import Finds, SearchCard
from gui.model.devices import Devices
from gui.shell.commands import Commands
from gui.shell.side_bars import reveal
from gui.shell.tour_bubble import TourBubble
from solvers.system.feature import placed

if TYPE_CHECKING:  # imported when a dialog is opened
    from gui.dialogs.help import AboutDialog, DevicesDialog, HelpPage, ShortcutsDialog

_DialogT = TypeVar("_DialogT", bound=QDialog)


class TourAnchor(Enum):
    """Parts of the window that the tour shows."""

    WINDOW = "window"
    ENDPOINTS = "end points"
    VARIANTS = "variants"
    RUN = "run"
    RESULTS = "results"
    PLAY = "play"
    CARD = "card"
    CHARTS = "charts"


@dataclass(frozen=True)
class Stop:
    """A place of the window that the tour explains."""

    place: TourAnchor | QWidget
    title: str
    text: str
    command: str = ""  # id of a command that is carried out on arrival; "" for none


TOUR_SAMPLE = "grid"
STOPS = (
    Stop(
        TourAnchor.WINDOW,
        "Shortest paths, seen",
        "This tour takes three minutes. It opens a small grid of streets, on which everything can "
        "be followed; what was open comes back at its end. Return goes on, Esc ends it at any "
        "time.",
        f"sample-{TOUR_SAMPLE}",
    ),
    Stop(
        TourAnchor.ENDPOINTS,
        "Source and target",
        "A triangle, or on large graphs a pin with a dot, marks the source; a square, or a pin "
        "with one, the target. Type ids here, drag the marks there, or press S or T and click a "
        "vertex.",
    ),
    Stop(
        TourAnchor.VARIANTS,
        "Variants",
        "An algorithm can be written in many ways: for one core, many cores or a GPU. Tick those "
        "to compare. Greyed ones say why they cannot run here.",
    ),
    Stop(
        TourAnchor.RUN,
        "Run",
        "Each ticked variant is run several times, and its answer is proved. "
        "Press Next: the tour presses Run.",
    ),
    Stop(
        TourAnchor.RESULTS,
        "Results",
        "The median time of each variant, how it compares with the baseline, and a tick if the "
        "answer was proved. Select a row to see that run everywhere.",
        "run",
    ),
    Stop(
        TourAnchor.PLAY,
        "Play-back",
        "The selected variant ran again, with its iterations recorded. Click the picture: Space "
        "plays, the arrow keys step. The bright vertices are the frontier: their arcs are relaxed "
        "in this iteration.",
        "play",
    ),
    Stop(
        TourAnchor.CARD,
        "The selected variant",
        "Its idea, which thread does what, what to watch, its parameters and its code. "
        "Coloured words lead to the glossary.",
    ),
    Stop(
        TourAnchor.CHARTS,
        "Charts",
        "Times with their spread, phases, frontier sizes, and what the device did. Each can be a "
        "window of its own, and be exported.",
    ),
    Stop(
        TourAnchor.WINDOW,
        "Now yours",
        "Open a road network or a social graph, or generate one. Press L for live answers while "
        "you drag, Ctrl+K to find any command, F1 for the keys.",
    ),
)


class TourController(QObject):
    """Shows the stops one after another."""

    def __init__(self, window: QMainWindow):
        super().__init__(window)
        self._window = window
        self._arrived = -1  # the last stop whose command was carried out
        self.number: int | None = None
        self.stops: Sequence[Stop] = STOPS
        self.bubble: TourBubble | None = None

    def use(
        self,
        commands: Commands,
        places: Mapping[TourAnchor, QWidget],
        remember: Callable[[], Callable[[], None]],
        added: Iterable[tuple[str, Stop]],
    ) -> None:
        """Carry out these commands, and point at the widget of each place; further stops are
        ``added`` behind those of a title.

        ``remember`` is called when a tour begins, and what it returns when it ends: it
        brings back what was open.
        """
        self._commands, self._places, self._remember = commands, places, remember
        self.stops = placed(STOPS, added, attrgetter("title"))

    def start(self) -> None:
        """Begin with the first stop."""
        if self.bubble is None:
            self.bubble = TourBubble(self._window)
            self.bubble.forward.connect(lambda: self._go(1))
            self.bubble.back.connect(lambda: self._go(-1))
            self.bubble.ended.connect(self.end)
        if self.number is None:
            self._give_back = self._remember()
        self._arrived = -1
        self.number = 0
        self._show()

    def end(self) -> bool:
        """End the tour, and bring back what was open; False if there is none."""
        if self.number is None or self.bubble is None:
            return False
        self.number = None
        self.bubble.close_tour()
        self._give_back()
        return True

    @property
    def on(self) -> bool:
        return self.number is not None

    def _go(self, by: int) -> None:
        if self.number is None:
            return
        if self.number + by >= len(self.stops):
            self.end()
            return
        self.number = max(0, self.number + by)
        self._show()

    def _show(self) -> None:
        """Show the stop; carry its command out if it was not reached before and the
        command is possible.
        """
        assert self.bubble is not None
        assert self.number is not None
        stop = self.stops[self.number]
        place = stop.place if isinstance(stop.place, QWidget) else self._places.get(stop.place)
        reveal(place)
        if stop.command and self.number > self._arrived:
            self._commands[stop.command].trigger()
        self._arrived = max(self._arrived, self.number)
        outlined = None if stop.place is TourAnchor.WINDOW else place
        self.bubble.show_stop(stop.title, stop.text, self.number + 1, len(self.stops), outlined)


class HelpController(QObject):
    """Opens help pages, the lists of devices and shortcuts, the search, and what is
    said about the program.
    """

    def __init__(self, devices: Devices, window: QWidget):
        super().__init__(window)
        self._devices, self._window = devices, window

    def use(self, finds: Finds, below: QWidget) -> None:
        """Find these things, in a card over the widget ``below``."""
        self._finds, self._below = finds, below

    def search(self) -> SearchCard:
        """Open the field that finds everything, or go on with the one that is open."""
        card = self._window.findChild(SearchCard)
        if card is not None and card.isVisible():
            card.field.selectAll()
            return card
        corner = (
            self._below.mapTo(self._window, QPoint(0, 0))
            if self._below.isVisible()
            else QPoint(0, 0)
        )
        place = QRect(
            corner,
            self._below.size() if self._below.isVisible() else QSize(self._window.width(), 0),
        )
        return SearchCard(self._finds, self._window, place)

    def show_shortcuts(self) -> ShortcutsDialog:
        from gui.dialogs.help import ShortcutsDialog

        return self._open(ShortcutsDialog(self._finds.commands, self._window))

    def show_page(self, page: str | Path, anchor: str = "") -> HelpPage:
        """Open a page of help, at a place in it if ``anchor`` names one."""
        from gui.dialogs.help import show_page

        return show_page(page, self._window, anchor)

    def show_about(self) -> AboutDialog:
        from gui.dialogs.help import AboutDialog

        return self._open(AboutDialog(self._window))

    def show_log(self) -> DetailsDialog:
        """Show the end of the log of windows, the newest line last."""
        return show_log(self._window)

    def show_devices(self) -> DevicesDialog:
        """List devices and broken drivers, with remedies."""
        from gui.dialogs.help import DevicesDialog

        dialog = DevicesDialog(self._window)
        dialog.show_list(self._devices.list)
        dialog.refresh_requested.connect(lambda: self._devices.discover(again=True))
        self._devices.found.connect(dialog.show_list)
        return self._open(dialog)

    @staticmethod
    def _open(dialog: _DialogT) -> _DialogT:
        dialog.open()
        return dialog
