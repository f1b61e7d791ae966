"""The answer that is shown without a run, and the marker in hand that it follows. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.network import Place
from solvers.running.answers.unmeasured import UnmeasuredAnswer

TOLD_MS = 100  # between two times that texts follow a marker in hand


@dataclass(frozen=True)
class HeldMarker:
    """The marker in the user's hand."""

    is_source: bool
    place: int  # index among the session's sources
    vertex: int
    on_road: Place | None = None  # where it is in place of the vertex


class UnmeasuredState(QObject):
    """What is shown without a run; kept by the session, set by whoever finds answers.

    It knows the open network, and refuses vertices and answers of another. ``words`` are what
    the user should know about the answer: what found it, or why there is none. Whoever finds
    answers sets ``is_sought``; else runs are shown, also with several sources.
    """

    changed = Signal()  # `answer` is new, or was dropped
    # likewise, but ten times a second while a marker is in hand: for texts, which take longer
    # to lay out than a picture to paint, and cannot be read faster
    told = Signal()
    follows_changed = Signal(bool)
    ways_wanted = Signal(bool)
    held_changed = Signal()  # a marker in hand is over another vertex, or was released

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._network: Graph | None = None
        self._follows = self._wants_ways = False
        self._held: HeldMarker | None = None
        self._answer: UnmeasuredAnswer | None = None
        self.words = ""
        self.is_sought = False
        self._untold = False
        self._telling = QTimer(self, interval=TOLD_MS)
        self._telling.timeout.connect(self._tell_in_time)
        self.changed.connect(self._tell)

    @property
    def follows(self) -> bool:
        """Whether answers follow end points while they are dragged."""
        return self._follows

    def set_follows(self, on: bool) -> None:
        if on != self._follows:
            self._follows = on
            if not on:
                self._held, self.words = None, ""
                self.show(None)
            self.follows_changed.emit(on)

    @property
    def wants_ways(self) -> bool:
        """Whether other good ways are to be found beside the path."""
        return self._wants_ways

    def want_ways(self, on: bool) -> None:
        if on != self._wants_ways:
            self._wants_ways = on
            self.ways_wanted.emit(on)

    def choose(self, place: int) -> None:
        """Make another way of the answer the path that is shown."""
        if self._answer is not None and place != self._answer.chosen:
            self.show(self._answer.choosing(place))

    def reset_silently(self, graph: Graph) -> None:
        """Drop what concerns the network that was open, or had other weights. Called by the
        session, which calls `emit_changes` afterwards.
        """
        self._network = graph.as_read
        self._held, self._answer, self.words = None, None, ""

    def emit_changes(self) -> None:
        """Emit what `reset_silently` has changed, when all of the session is of the new graph."""
        for signal in (self.held_changed, self.changed):
            signal.emit()

    @property
    def held(self) -> HeldMarker | None:
        """The marker being dragged; None if there is none, or answers do not follow it."""
        return self._held

    def hold(self, marker: HeldMarker | None) -> None:
        """Say which marker is in hand and where; None when it was dropped or taken back.

        Raises ForeignQuery if it is not over a vertex of the open graph.
        """
        network = self._network
        if marker is not None and network is not None and not 0 <= marker.vertex < network.n:
            text = f"vertex {marker.vertex} is not among its {network.n}"
            raise ForeignQuery(network.name, text)
        if self._follows and marker != self._held:
            self._held = marker
            self.held_changed.emit()
            if marker is None and self._untold:
                self._tell()

    @property
    def answer(self) -> UnmeasuredAnswer | None:
        """The newest answer; None before the first, and while nobody looks for one."""
        return self._answer

    def show(self, answer: UnmeasuredAnswer | None) -> None:
        """Show an answer in place of the one before.

        Raises ForeignQuery if it is of another network than the open one.
        """
        network = self._network
        if answer is not None and network is not None and not answer.is_of(network):
            raise ForeignQuery(network.name, f"the answer is of {answer.graph.name}")
        if answer is not self._answer:
            self._answer = answer
            self.changed.emit()

    def _tell(self) -> None:
        if self._telling.isActive() and self._held is not None:
            self._untold = True
            return
        self._untold = False
        if self._held is not None:
            self._telling.start()
        self.told.emit()

    def _tell_in_time(self) -> None:
        self._telling.stop()
        if self._untold:
            self._tell()
