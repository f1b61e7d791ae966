"""Animations of live mode: of a recorded drag, of a drag along the path, and of roads
that are closed or slowed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.canvas.area import CanvasArea
from gui.controllers.export import ExportController
from gui.features.live.controller import LiveController
from gui.features.live.recording import DragRecording, DragStep, closing_of, drag_along
from gui.model.session import Session
from solvers.picture.scene.content import Layer
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from solvers.text import plural

if TYPE_CHECKING:  # imported with the solver of live mode, for the first animation
    from gui.features.live.animation import LiveAnimationState

_NOTHING_TO_ANIMATE = (
    "There is nothing to animate: record a drag in live mode, "
    "or set a target that the source can reach; both ends must be vertices."
)
_NO_ROADS = (
    "There is no changed road to animate: close one by a right click, a lasso with Shift, "
    "or its ids in the Roads panel."
)


class DragRecorder(QObject):
    """Handles Run > Record drag, File > Export live animation and File > Export
    animation of changed roads.
    """

    recording_changed = Signal(bool)

    def __init__(
        self,
        live: LiveController,
        session: Session,
        canvas: CanvasArea,
        exporting: ExportController,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._live, self._session, self._canvas, self._exporting = live, session, canvas, exporting
        self._recording: DragRecording | None = None
        self._exported: DragRecording | None = None
        self._active = False
        session.unmeasured.changed.connect(self._follow)
        session.unmeasured.follows_changed.connect(lambda on: None if on else self.record(False))
        session.graph_changed.connect(self._forget)

    def lost(self) -> str:
        """That a recorded drag would be lost that nobody has asked to export; or ""."""
        recording = self._recording
        if recording is None or recording is self._exported or len(recording) < 2:
            return ""
        return "The recorded drag is not exported yet."

    def record(self, on: bool) -> None:
        """Begin a new recording, in place of the last one, or end it."""
        if on == self._active:
            return
        self._active = on
        if on:
            self._recording = DragRecording()
            self._follow()
        elif self._recording is not None and self._session.graph is not None:
            count = plural(len(self._recording), "step")
            text = f"Recorded {count}. File > Export live animation writes them as GIF or MP4."
            self._session.inform(text)
        self.recording_changed.emit(on)

    def ask_to_export(self) -> None:
        """Ask for options and a file, and export the recorded drag or, without one, a
        drag along the path.
        """
        self.record(False)
        animation = self.animation()
        if animation is None:
            self._session.inform(_NOTHING_TO_ANIMATE)
        else:
            self._exported = self._recording
            self._exporting.ask_animation_of(animation, "step")

    def ask_to_export_roads(self) -> None:
        """Ask for options and a file, and export how closing and slowing roads changes
        field and path.
        """
        animation = self.roads_animation()
        if animation is None:
            self._session.inform(_NO_ROADS)
        else:
            self._exporting.ask_animation_of(animation, "step")

    def roads_animation(self) -> LiveAnimationState | None:
        """The animation before, during and after the changes to roads, and of the
        differences; None without changes.
        """
        answer, changes = self._session.unmeasured.answer, self._session.applied_roads
        weights = self._live.weights
        if answer is None or weights is None or not changes:
            return None
        gradually = not weights.network.has_negative_weights
        return self._animation_of(
            closing_of(changes, answer.sources, answer.target, gradually=gradually), answer
        )

    def animation(self) -> LiveAnimationState | None:
        """The animation of the recorded drag or else of the source moving along the
        path; None without either.
        """
        answer = self._session.unmeasured.answer
        if answer is None:
            return None
        steps = () if self._recording is None else self._recording.steps()
        if len(steps) < 2:
            steps = tuple(self._with_roads(step) for step in _along_path(answer))
        return self._animation_of(steps, answer)

    def _animation_of(
        self, steps: tuple[DragStep, ...], answer: UnmeasuredAnswer
    ) -> LiveAnimationState | None:
        """In the view of the canvas; None for less than two steps, or while the canvas
        shows something else.
        """
        from gui.export.composition import PictureState
        from gui.export.picture import unmeasured_caption
        from gui.features.live.animation import LiveAnimationState

        picture, weights = self._canvas.picture_state(), self._live.weights
        if not isinstance(picture, PictureState) or weights is None or len(steps) < 2:
            return None
        if picture.content.scene.graph is not answer.graph or answer.graph.cut is not None:
            return None
        network = weights.network
        # each frame says which roads are closed
        name = f"{network.name}{answer.graph.overlay.at_hour}"
        picture = replace(picture, caption=unmeasured_caption(name, answer))
        return LiveAnimationState(picture, name, steps, network, weights.prepared)

    def _with_roads(self, step: DragStep) -> DragStep:
        """``step`` with the present changes to roads, and with their differences if the
        canvas shows them.
        """
        changes = self._session.applied_roads
        differences = bool(changes) and Layer.DIFFERENCE in self._canvas.options.shown
        return replace(step, changes=changes, marked=changes, differences=differences)

    def _follow(self) -> None:
        answer = self._session.unmeasured.answer
        on_vertices = answer is not None and answer.graph.cut is None  # of the network
        if self._active and self._recording is not None and answer is not None and on_vertices:
            step = self._with_roads(DragStep(answer.sources, answer.target))
            self._recording.add(step, time.monotonic())

    def _forget(self) -> None:
        """Another graph is open."""
        self._recording = self._exported = None
        self.record(False)


def _along_path(answer: UnmeasuredAnswer) -> tuple[DragStep, ...]:
    if answer.path is None or len(answer.path) < 2:
        return ()
    others = tuple(source for source in answer.sources if source != int(answer.path[0]))
    return drag_along(answer.path, others, answer.target)
