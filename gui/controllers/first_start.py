"""The first start: the sample is opened, solved quickly and played, if the user wants it.

Default variants are ticked. Compiling ahead does in the background, at the first start
after an installation, what `make run` has compiled before.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import COMPILE_TITLE
from gui.controllers.open import OpenController
from gui.controllers.run import RunController
from gui.model.devices import Devices
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.playback import Playback
from gui.model.samples import DEFAULT
from gui.model.session import Session
from solvers.core.availability import availability
from solvers.core.variant import Answers, all_variants
from solvers.devices.device import Device
from solvers.running.request import MeasurementPlan
from solvers.system import packaged_code
from solvers.system.cancel import Progress

if TYPE_CHECKING:  # imported once the window is there
    from solvers.running.compile_ahead import RehearsalRecord

# for each variant, so that there is soon something to see
QUICK = MeasurementPlan(time_limit_s=1.0)

# for machines whose processor is not to be used unasked
OFF_VARIABLE = "TAUTPATH_NO_COMPILING_AHEAD"
# imported in turns of their own: together they keep the window from answering for 50 ms
_NEEDED = ("solvers.verification.prover", "solvers.running.run", "solvers.running.compile_ahead")
_COMPILE_NOTICE = (
    "Tautpath compiles its functions for this machine, once after installation: the first graph "
    "and the first run take some seconds longer."
)

log = logging.getLogger(__name__)


class FirstStartController(QObject):
    """Shows what the program does after one press; ends when the user opens or runs
    something else.
    """

    def __init__(
        self,
        session: Session,
        playback: Playback,
        devices: Devices,
        opening: OpenController,
        running: RunController,
        area: CanvasArea,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._playback, self._devices = session, playback, devices
        self._opening, self._running, self._area = opening, running, area
        self._waits = self._began = False
        session.graph_changed.connect(self._follow)
        # once variants have been ticked
        devices.found.connect(lambda: session.window.later(self._follow))
        # Once results are there. Qt's timers keep a call, and with it the window, if
        # the window is destroyed before.
        session.results.run_state_changed.connect(lambda: session.window.later(self._give_up))
        playback.trace_changed.connect(self._play)
        area.graph_canvas.frames.framed.connect(self._show)

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
        return self._area.graph_canvas.frames.newest is not None

    def _follow(self) -> None:
        session = self._session
        self._give_up()  # where that still waits for its turn
        if not self._waits or session.graph is None:
            return
        if session.graph_source.path != str(DEFAULT.path.resolve()) or session.results.all:
            self._waits = False
        elif self._ready():
            self._began = True
            self._running.start(plan=QUICK)

    def _ready(self) -> bool:
        """Whether the picture is there, and variants can be run."""
        session = self._session
        idle = (
            session.results.run_state.running_variant is None
            and not session.results.run_state.queued
        )
        return self._has_picture and self._devices.known and bool(session.choices.ids) and idle

    def _give_up(self) -> None:
        """End with a run that was cancelled before it had a result: another run is the
        user's own.
        """
        session = self._session
        if (
            self._began
            and session.results.run_state.running_variant is None
            and not session.results.run_state.queued
            and not session.results.all
        ):
            self._waits = False

    def _play(self) -> None:
        """Play the first trace, which arrives after the run, once there is a picture to
        play it on.
        """
        if (
            self._waits
            and self._has_picture
            and self._playback.length
            and self._session.results.all
        ):
            self._waits = False
            self._playback.play()


# The papers' fastest Bellman-Ford, its edge-parallel rival, and what both have to beat.
PREFERRED = ("bf-strided-flag", "bf-edge-flags", "dijkstra-heap")
_ENOUGH = 2


def default_choices(device: Device | None) -> tuple[str, ...]:
    """Ids of a representative set that can run with or without a device."""
    runnable = [v for v in all_variants() if availability(v, None, device).available]
    chosen = [v.id for v in runnable if v.id in PREFERRED]
    others = [
        v.id for v in runnable if v.answers is Answers.SSSP and not v.racy and v.id not in chosen
    ]
    return tuple(chosen + others[: max(0, _ENOUGH - len(chosen))])


class CompileAheadController(QObject):
    """A job that makes the rehearsals that are missing, one at a time and with low priority.

    A run or an experiment ends it, because it would change their times; it goes on
    afterwards. Cancelled by the user, it goes on at the next start.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        parent: QObject,
        record: RehearsalRecord | None = None,
    ):
        super().__init__(parent)
        self._session, self._jobs, self._record = session, jobs, record
        self._wanted = False  # of a job that a run interrupted
        jobs.changed.connect(self._follow_jobs)

    def begin(self) -> None:
        """Start in a later turn, unless everything was rehearsed or it is switched off; after
        a run that is in progress.
        """
        self._wanted = False
        if os.environ.get(OFF_VARIABLE):
            return
        for module in _NEEDED:
            self._session.window.later(partial(import_module, module))
        self._session.window.later(self._begin)

    def _begin(self) -> None:
        from solvers.running.compile_ahead import STEPS, WINDOW, RehearsalRecord, rehearse

        record = RehearsalRecord() if self._record is None else self._record
        missing = record.missing(step.name for step in STEPS)
        if not missing:
            return
        waits = self._session.graph is None and not packaged_code.is_usable()
        if WINDOW.name in missing and waits:
            self._session.inform(_COMPILE_NOTICE)  # until the graph is there
        if self._jobs.measures:
            self._wanted = True
            return

        def work(context: JobContext) -> None:
            text = [""]

            def report(done: float, total: float) -> None:
                context.progress(
                    done / total, f"{COMPILE_TITLE}: {text[0]}" if text[0] else COMPILE_TITLE
                )

            # Not `context.progress_for`, which waits during trials: jobs that measure
            # end these processes.
            progress = Progress(context.cancel, report)
            rehearse(
                STEPS,
                progress,
                record,
                low_priority=True,
                say=lambda what: text.__setitem__(0, what),
            )

        self._jobs.start(JobKind.COMPILE, COMPILE_TITLE, work, on_failure=_failed)

    def _follow_jobs(self) -> None:
        measuring = self._jobs.measures
        if measuring and self._jobs.running(JobKind.COMPILE) is not None:
            self._wanted = True
            self._jobs.drop(JobKind.COMPILE)
        elif not measuring and self._wanted:
            self.begin()


def _failed(error: Exception) -> None:
    """Nothing is lost: what was not compiled ahead is compiled when it is needed."""
    log.warning("compiling ahead failed (%s)", type(error).__name__)
    log.info("compiling ahead: %s", error)
