"""Records what the user changes, whichever way, and undoes it: end points, roads,
variants, view, ...

Values are compared with those last seen. Results need no recording: the session keeps
those that do not answer the current question, and they return with the end points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from gui.canvas.area import CanvasArea
from gui.canvas.view import ViewState
from gui.features.undo.history import History
from gui.model.changes import Change
from gui.model.session import Session
from solvers.core.variant import all_variants, find_variant, registered
from solvers.graphs.changed_arcs import RoadArea
from solvers.graphs.network import Ends
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.text import plural


@dataclass(frozen=True)
class VertexPlace:
    """World coordinates of a vertex that can be moved."""

    vertex: int
    x: float
    y: float


class UndoController(QObject):
    """Handles Edit > Undo and Edit > Redo."""

    changed = Signal()  # another step can be undone or redone

    def __init__(self, session: Session, canvas: CanvasArea, parent: QObject):
        super().__init__(parent)
        self._session, self._canvas = session, canvas
        self.history = History(self)
        self.history.indexChanged.connect(self._announce)
        session.changes.recorded.connect(self.history.record)
        session.changes.take_back = self.history.take_back
        self._ends = Ends()
        self._chosen: frozenset[str] = frozenset()
        self._parameters: dict[str, Mapping[str, Any]] = {}
        self._roads, self._roads_took_effect = RoadChanges(), True
        self._view: ViewState | None = None
        # a click on a family ticks many variants
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._record_choices_and_view)
        session.graph_changed.connect(self.start_again)
        session.changes.settled.connect(self.start_again)
        session.ends_wanted.connect(self._record_ends)
        session.roads_wanted.connect(self._record_roads)
        session.network_changed.connect(self._follow_roads)
        session.choices.changed.connect(self._later.start)
        canvas.view_changed.connect(self._later.start)
        canvas.scenes.changed.connect(self._note_view)
        canvas.scenes.vertex_moved.connect(self._record_place)
        self.start_again()

    def undo(self) -> None:
        """Take back the last step."""
        self._step(self.history.undo)

    def redo(self) -> None:
        """Make the step again that was taken back last."""
        self._step(self.history.redo)

    def _step(self, step: Callable[[], None]) -> None:
        self._record_choices_and_view()
        step()
        self._note_choices()
        self._note_view()

    def _announce(self) -> None:
        """No signal of the stack itself, which forgets its steps when it is destroyed."""
        self.changed.emit()

    def start_again(self) -> None:
        """Forget the steps about the graph: it is another one, or what was set so far
        was not the user's doing.
        """
        self._later.stop()
        self.history.clear()
        self._note_choices()
        self._ends = self._session.ends
        self._roads = self._session.roads
        self._roads_took_effect = self._roads == self._session.applied_roads
        self._note_view()

    def _record_ends(self) -> None:
        before, after = self._ends, self._session.ends
        self._ends = after
        if before != after:
            text, want = _ends_text(before, after), self._session.want_ends
            refused = self._session.solves(after) and not self._session.solves(before)
            thing = "end points", object()
            self.history.record(Change(text, thing, before, after, want, is_return=refused))

    def _record_roads(self) -> None:
        before, after = self._roads, self._session.roads
        self._roads = after
        if before != after:
            is_hour = replace(before, hour=after.hour) == after
            text = _hour_text(after) if is_hour else _roads_text(before, after)
            thing = ("hour",) if is_hour else ("roads", object())
            session = self._session
            refused = not self._roads_took_effect and after == session.applied_roads
            self._roads_took_effect = after == session.applied_roads
            want = session.want_roads
            self.history.record(Change(text, thing, before, after, want, is_return=refused))

    def _follow_roads(self) -> None:
        if self._session.applied_roads == self._roads:
            self._roads_took_effect = True

    def _record_choices_and_view(self) -> None:
        self._later.stop()
        if self.history.applying:
            return
        self._record_chosen()
        self._record_parameters()
        self._record_view()

    def _note_choices(self) -> None:
        self._chosen = frozenset(self._session.choices.ids)
        self._parameters = self._current_parameters()

    def _record_chosen(self) -> None:
        # one of the user's own may have been deleted
        before = frozenset(i for i in self._chosen if registered(i))
        self._chosen = after = frozenset(self._session.choices.ids)
        changed = before ^ after
        if changed:
            what = (
                find_variant(next(iter(changed))).full_title
                if len(changed) == 1
                else f"{len(changed)} variants"
            )
            verbs = [verb for verb, ids in (("tick", after), ("untick", before)) if ids & changed]
            set_chosen = self._session.choices.choose_only
            self.history.record(
                Change(
                    f"{' and '.join(verbs)} {what}", ("chosen", object()), before, after, set_chosen
                )
            )

    def _current_parameters(self) -> dict[str, Mapping[str, Any]]:
        return {
            variant.id: self._session.choices.parameters(variant.id) for variant in all_variants()
        }

    def _record_parameters(self) -> None:
        before, after = self._parameters, self._current_parameters()
        self._parameters = after
        for variant_id, values in after.items():
            for name, value in values.items():
                # of a variant that is new, nothing was set
                old = before.get(variant_id, values)[name]
                if old != value:
                    thing = ("parameter", variant_id, name)
                    text = f"set {name} of {find_variant(variant_id).full_title}"
                    self.history.record(
                        Change(
                            text,
                            thing,
                            (variant_id, name, old),
                            (variant_id, name, value),
                            self._set_parameter,
                        )
                    )

    def _set_parameter(self, setting: tuple[str, str, object]) -> None:
        if registered(setting[0]):
            self._session.choices.set_parameter(*setting)

    def _note_view(self) -> None:
        self._view = self._canvas.canvas.view.state

    def _record_view(self) -> None:
        before, after = self._view, self._canvas.canvas.view.state
        self._view = after
        if before is not None and after is not None and not after.looks_like(before):
            self.history.record(
                Change("move the view", ("view",), before, after, self._canvas.canvas.view.show)
            )

    def _record_place(
        self, vertex: int, before: tuple[float, float], after: tuple[float, float]
    ) -> None:
        places = VertexPlace(vertex, *before), VertexPlace(vertex, *after)
        move = self._canvas.scenes.move_vertex
        thing = ("vertex", vertex, object())
        self.history.record(
            Change("move a vertex", thing, *places, lambda at: move(at.vertex, at.x, at.y))
        )
        self._note_view()


def _hour_text(changes: RoadChanges) -> str:
    return "end weights by hour" if changes.hour is None else f"weigh roads at {changes.hour.at}"


def _roads_text(before: RoadChanges, after: RoadChanges) -> str:
    known: set[RoadChange | RoadArea] = {*before.roads, *before.areas}
    entries: tuple[RoadChange | RoadArea, ...] = (*after.areas, *after.roads)
    added = [entry for entry in entries if entry not in known]
    if not added or len(after) < len(before):
        return f"open {plural(len(before) - len(after), 'road')} again"
    count = sum(len(entry) if isinstance(entry, RoadArea) else 1 for entry in added)
    return f"{'close' if all(entry.closes for entry in added) else 'slow'} {plural(count, 'road')}"


def _ends_text(before: Ends, after: Ends) -> str:
    was, now = before.sources, after.sources
    if was != now and before.target != after.target:
        swapped = (was[:1], (before.target,)) == ((after.target,), now[:1])
        return "swap source and target" if swapped else "set source and target"
    if was == now:
        return "set target"
    if len(was) == len(now) == 1 or not was or not now:
        return "set source"
    if len(was) == len(now):
        return "move a source"
    return "add a source" if len(now) > len(was) else "remove a source"
