"""State of live mode and the recording of what happens in it. No widgets.

The state is whether live mode is on, the marker in hand, and the newest answer. A
recording is a list of end points and closed roads over time, for an animation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from solvers.errors import ForeignQuery
from solvers.graphs.graph import Graph
from solvers.graphs.network import Place
from solvers.graphs.road_changes import RoadChanges
from solvers.running.live_query import LiveAnswer, require_vertex


@dataclass(frozen=True)
class HeldMarker:
    is_source: bool
    place: int  # index among the session's sources
    vertex: int
    on_road: Place | None = None  # where it is in place of the vertex


class LiveState(QObject):
    """Live mode of the open graph; kept by the session, set by
    `gui.controllers.live.LiveController`.

    It knows the open network, and refuses vertices and answers of another. ``usual_ms``
    is how long answers usually take; None before a second one, as the first may have
    had to compile.
    """

    toggled = Signal(bool)  # live mode was switched on or off
    held_changed = Signal()  # a marker in hand is over another vertex, or was released
    answered = Signal()  # `answer` is new, or was dropped
    words_changed = Signal()
    alternatives_toggled = Signal(bool)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._alternatives = False
        self._network: Graph | None = None
        self._on = False
        self._held: HeldMarker | None = None
        self._answer: LiveAnswer | None = None
        self._words = ""
        self.usual_ms: float | None = None

    @property
    def on(self) -> bool:
        return self._on

    def set_on(self, on: bool) -> None:
        if on != self._on:
            self._on = on
            if not on:
                self._held = None
                self.set_words("")
                self.show(None)
            self.toggled.emit(on)

    @property
    def alternatives(self) -> bool:
        """Whether answers have alternatives to the path."""
        return self._alternatives

    def set_alternatives(self, on: bool) -> None:
        if on != self._alternatives:
            self._alternatives = on
            self.alternatives_toggled.emit(on)

    def choose(self, place: int) -> None:
        """Make another way of the answer the path that is shown."""
        answer = self._answer
        if answer is not None and answer.ways is not None and place != answer.chosen:
            self.show(answer.choosing(place))

    def reset_silently(self, graph: Graph) -> None:
        """Drop what concerns the graph that was open. Called by the session, which
        calls `emit_changes` afterwards.
        """
        self._network = graph.as_read
        self._held, self._answer, self.usual_ms = None, None, None
        self._words = ""

    def reweigh(self, graph: Graph) -> None:
        """Drop the answer: ``graph`` has the vertices of the open one and other
        weights. Called by the session.
        """
        self._network, self._answer, self.usual_ms = graph.as_read, None, None

    def emit_changes(self) -> None:
        """Emit what `reset_silently` and `reweigh` have changed, when all of the session is of
        the new graph.
        """
        for signal in (self.held_changed, self.words_changed, self.answered):
            signal.emit()

    def _require(self, vertex: int) -> None:
        if self._network is not None:
            require_vertex(self._network, vertex)

    @property
    def held(self) -> HeldMarker | None:
        """The marker being dragged; None if there is none."""
        return self._held

    def hold(self, marker: HeldMarker | None) -> None:
        """Say which marker is in hand and where; None when it was dropped or taken back.

        Raises ForeignQuery if it is not over a vertex of the open graph.
        """
        if marker is not None:
            self._require(marker.vertex)
        if self._on and marker != self._held:
            self._held = marker
            self.held_changed.emit()

    @property
    def answer(self) -> LiveAnswer | None:
        """The newest answer; None before the first, and while live mode is off and
        there is one source.
        """
        return self._answer

    def show(self, answer: LiveAnswer | None) -> None:
        """Show an answer in place of the one before.

        Raises ForeignQuery if it is of another network than the open one.
        """
        if (
            answer is not None
            and self._network is not None
            and answer.graph.as_read is not self._network
        ):
            raise ForeignQuery(self._network.name, f"the answer is of {answer.graph.name}")
        if answer is not self._answer:
            self._answer = answer
            self.answered.emit()

    @property
    def words(self) -> str:
        """What the user should know about live mode now: its method, or why there is no answer."""
        return self._words

    def set_words(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.words_changed.emit()


MOST_STEPS = 20_000  # kept of a recording
RECORDING_RATE = 25.0  # steps per second of an animation at the speed of the hand
_SCRIPTED = 150  # most steps of a scripted drag
_STILL = 25  # steps before roads close, and with them closed
_CLOSING = 30  # steps while they close
_SLOWEST = 30.0  # factor of a road in the last step before it is closed
_NO_CHANGES = RoadChanges()


@dataclass(frozen=True)
class DragStep:
    """End points and roads at one moment."""

    sources: tuple[int, ...]
    target: int | None
    changes: RoadChanges = _NO_CHANGES
    # in the picture; while they are being closed, these are closed already
    marked: RoadChanges = _NO_CHANGES
    # whether the picture shows who is farther than with all roads open, not distances
    differences: bool = False


class DragRecording:
    """Steps with their times; repeated ones are kept once."""

    def __init__(self) -> None:
        self._steps: list[DragStep] = []
        self._times: list[float] = []

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, step: DragStep, time_s: float) -> None:
        """Add a step at a time in seconds, not before the last one; past `MOST_STEPS`
        nothing is added.
        """
        if len(self._steps) < MOST_STEPS and (not self._steps or step != self._steps[-1]):
            self._steps.append(step)
            self._times.append(time_s)

    def steps(self, rate: float = RECORDING_RATE) -> tuple[DragStep, ...]:
        """The steps shown at even times, ``rate`` a second; pauses are shortened to one second."""
        if not self._steps:
            return ()
        gaps = [min(1.0, later - earlier) for earlier, later in pairwise(self._times)]
        times = np.concatenate(([0.0], np.cumsum(gaps)))
        frames = np.arange(0.0, times[-1] + 0.5 / rate, 1.0 / rate)
        indices = np.searchsorted(times, frames + 1e-9, side="right") - 1
        shown = [self._steps[index] for index in indices.tolist()]
        return (*shown, self._steps[-1]) if shown[-1] != self._steps[-1] else tuple(shown)


def drag_along(
    path: NDArray[np.integer], others: tuple[int, ...], target: int | None
) -> tuple[DragStep, ...]:
    """A scripted drag: the first source moves along ``path``; the others and the target stay."""
    indices = np.unique(
        np.linspace(0, len(path) - 1, min(_SCRIPTED, len(path))).round().astype(int)
    )
    return tuple(DragStep((vertex, *others), target) for vertex in path[indices].tolist())


def closing_of(
    changes: RoadChanges, sources: tuple[int, ...], target: int | None, *, gradually: bool = True
) -> tuple[DragStep, ...]:
    """Scripted steps before, during and after changes to roads, and the differences that they make.

    If ``gradually``, roads become slower and slower before they are closed, so that
    field and path move. Roads with negative weights cannot be slowed.
    """
    before = DragStep(sources, target, RoadChanges(hour=changes.hour))
    during = [
        DragStep(sources, target, _partly(changes, step / _CLOSING), marked=changes)
        for step in range(1, _CLOSING if gradually else 1)
    ]
    after = DragStep(sources, target, changes, marked=changes)
    return (
        *[before] * _STILL,
        *during,
        *[after] * _STILL,
        *[replace(after, differences=True)] * 2 * _STILL,
    )


def _partly(changes: RoadChanges, share: float) -> RoadChanges:
    """``changes`` on the way: each factor grows evenly from 1, in proportion."""
    roads = tuple(replace(road, factor=_partial(road.factor, share)) for road in changes.roads)
    areas = tuple(replace(area, factor=_partial(area.factor, share)) for area in changes.areas)
    return replace(changes, roads=roads, areas=areas)


def _partial(factor: float, share: float) -> float:
    return float(min(factor, _SLOWEST) ** share)
