"""The first start: the sample is opened, solved quickly, and played."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gui.canvas.area import CanvasArea
from gui.controllers.opening import Opening
from gui.controllers.running import Running
from gui.model.devices import Devices
from gui.model.playback import Playback
from gui.model.samples import DEFAULT
from gui.model.session import Session
from solvers.running.request import MeasurementPlan

QUICK = MeasurementPlan(time_limit_s=1.0)  # for each variant, so that there is soon something to see


class FirstStart(QObject):
    """Shows what the program does before anything was pressed; ends when the user opens or runs something.

    Parameters
    ----------
    session, playback, devices, opening, running
    area : CanvasArea
        The sample is solved once its picture is there.
    """

    def __init__(
        self, session: Session, playback: Playback, devices: Devices, opening: Opening, running: Running,
        area: CanvasArea, parent: QObject | None = None,
    ):  # fmt: skip
        super().__init__(parent)
        self._session, self._playback, self._devices = session, playback, devices
        self._opening, self._running, self._area = opening, running, area
        self._waits = self._began = False
        session.graph_changed.connect(self._follow)
        devices.found.connect(lambda: QTimer.singleShot(0, self, self._follow))  # once variants have been ticked
        session.run_state_changed.connect(lambda: QTimer.singleShot(0, self, self._give_up))  # once results are there
        playback.trace_changed.connect(self._play)
        area.graph_canvas.framed.connect(self._show)

    def begin(self) -> None:
        """Open the sample, and solve and play it as soon as the devices are known."""
        self._waits = True
        self._opening.open_sample()

    def _show(self) -> None:
        """Go on after a frame was drawn: measuring would keep the first one waiting."""
        if not self._began:
            self._follow()
        self._play()

    @property
    def _has_picture(self) -> bool:
        return self._area.graph_canvas.frame is not None

    def _follow(self) -> None:
        session = self._session
        if not self._waits or session.graph is None:
            return
        if session.graph_source.path != str(DEFAULT.path.resolve()) or session.results:
            self._waits = False
        elif self._ready():
            self._began = True
            self._running.run(plan=QUICK)

    def _ready(self) -> bool:
        """Whether the picture is there, and variants can be run."""
        session = self._session
        idle = session.run_state.running_variant is None and not session.run_state.queued
        return self._has_picture and self._devices.known and bool(session.chosen_ids) and idle

    def _give_up(self) -> None:
        """End with a run that was cancelled before it had a result: another run is the user's own."""
        session = self._session
        if (
            self._began
            and session.run_state.running_variant is None
            and not session.run_state.queued
            and not session.results
        ):
            self._waits = False

    def _play(self) -> None:
        """Play the first trace, which arrives after the run, once there is a picture to play it on."""
        if self._waits and self._has_picture and self._playback.length and self._session.results:
            self._waits = False
            self._playback.play()
