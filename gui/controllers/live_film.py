"""Records drags in live mode, and exports them as films."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from gui.canvas.area import CanvasArea
from gui.controllers.exporting import Exporting
from gui.export.composition import PictureState
from gui.export.live_film import LiveFilmState
from gui.model.drag_recording import DragRecording, DragStep, drag_along
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from solvers.running.live.query import LiveAnswer
from solvers.text import plural

_NOTHING = "There is nothing to film: record a drag in live mode, or set a target that the source can reach."


class LiveFilm(QObject):
    """Handles Run > Record drag and File > Export live film.

    Parameters
    ----------
    session, canvas, exporting

    Signals
    -------
    recording_changed(bool)
    """

    recording_changed = Signal(bool)

    def __init__(self, session: Session, canvas: CanvasArea, exporting: Exporting, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._canvas, self._exporting = session, canvas, exporting
        self._recording: DragRecording | None = None
        self._active = False
        session.live.answered.connect(self._follow)
        session.live.toggled.connect(lambda on: None if on else self.record(False))
        session.graph_changed.connect(self._forget)

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
            words = f"Recorded {count}. File > Export live film writes them as GIF or MP4."
            self._session.notice(Notice(Severity.INFO, words))
        self.recording_changed.emit(on)

    def ask_to_export(self) -> None:
        """Ask for options and a file, and export the recorded drag or, without one, a drag along the path."""
        self.record(False)
        film = self.film()
        if film is None:
            self._session.notice(Notice(Severity.INFO, _NOTHING))
        else:
            self._exporting.ask_film_of(film, "step")

    def film(self) -> LiveFilmState | None:
        """The film of the recorded drag or, without one, of the source moving along the path; None without either."""
        answer, picture = self._session.live.answer, self._canvas.picture_state()
        if answer is None or not isinstance(picture, PictureState) or picture.content.scene.graph is not answer.graph:
            return None
        steps = () if self._recording is None else self._recording.steps()
        if len(steps) < 2:
            steps = _along_path(answer)
        return LiveFilmState(picture, steps, answer.query.weights) if len(steps) > 1 else None

    def _follow(self) -> None:
        answer = self._session.live.answer
        if self._active and self._recording is not None and answer is not None:
            self._recording.add(DragStep(answer.query.sources, answer.query.target), time.monotonic())

    def _forget(self) -> None:
        """Another graph is open."""
        self._recording = None
        self.record(False)


def _along_path(answer: LiveAnswer) -> tuple[DragStep, ...]:
    if answer.path is None or len(answer.path) < 2:
        return ()
    others = tuple(source for source in answer.query.sources if source != int(answer.path[0]))
    return drag_along(answer.path, others, answer.query.target)
