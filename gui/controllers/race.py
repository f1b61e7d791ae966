"""Run > Race: two to four runs side by side by real time, from one start."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.canvas.area import CanvasArea
from gui.controllers.run import RunController
from gui.model.jobs import JobKind, Jobs
from gui.model.playback import Pace, Playback
from gui.model.race import racers_among
from gui.model.session import Session
from gui.model.shown_run import can_synchronise
from solvers.core.result import Result
from solvers.core.variant import Answers, find_variant

_LEAST = 2
_HOW = "A race needs two variants that answer from one source. Tick them, and press Race again."


class RaceController(QObject):
    """Starts a race of the fastest results; without two of them, runs the ticked variants first."""

    toggled = Signal(bool)

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        running: RunController,
        area: CanvasArea,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._playback, self._jobs = session, playback, jobs
        self._running, self._area = running, area
        self.on = self._shown = self._waits_for_results = self._waits_for_traces = False
        self._before: tuple[int, Pace] = (1, Pace.ITERATIONS)
        session.results.changed.connect(self._follow)
        session.results.run_state_changed.connect(self._follow)
        jobs.changed.connect(self._follow)
        area.split_changed.connect(self._follow_panes)
        area.split_page.race_strip.closed.connect(lambda: self.set_on(False))

    def set_on(self, on: bool) -> None:
        """Start or end the race; its end restores panes and pace."""
        if on == self.on:
            return
        if on and not self._can_start():
            self.toggled.emit(False)
            return
        self.on = on
        if on:
            self._before = self._area.split_count, self._playback.pace
            self._begin()
        else:
            self._end()
        self.toggled.emit(on)

    def leave(self) -> bool:
        """End the race; False if none was on."""
        was_on = self.on
        self.set_on(False)
        return was_on

    def _racers(self) -> tuple[Result, ...]:
        return racers_among(
            [one for one in self._session.results.all if one.ok and can_synchronise(one)]
        )

    def _can_start(self) -> bool:
        """Whether there are results to race, or variants to run for it; says what is
        missing otherwise.
        """
        if len(self._racers()) >= _LEAST:
            return True
        ticked = [find_variant(variant_id) for variant_id in self._session.choices.ids]
        if sum(variant.answers is Answers.SSSP for variant in ticked) >= _LEAST:
            return True
        self._session.inform(_HOW)
        return False

    def _begin(self) -> None:
        racers = self._racers()
        if len(racers) < _LEAST:
            self._waits_for_results = True
            self._running.start()  # `_follow` goes on from here
            return
        self._waits_for_results, self._waits_for_traces = False, True
        self._playback.set_pace(Pace.TIME)
        self._area.race([result.variant.id for result in racers])
        self._shown = True
        self._follow()

    def _end(self) -> None:
        self._shown = self._waits_for_results = self._waits_for_traces = False
        count, pace = self._before
        self._area.race(())
        self._area.split(count)
        self._playback.set_pace(pace)

    def _follow(self) -> None:
        if not self.on or self._jobs.running(JobKind.SOLVE):
            return
        # another source, or results were cleared
        if not self._waits_for_results and len(self._racers()) < _LEAST:
            self.set_on(False)
            return
        if self._waits_for_results:
            self._start_with_new_results()
        elif self._waits_for_traces and not self._traces_are_coming():
            self._waits_for_traces = False
            self._playback.to_start()
            self._playback.play()

    def _start_with_new_results(self) -> None:
        if len(self._racers()) >= _LEAST:
            self._begin()
        elif (
            not self._session.results.run_state.queued
            and self._session.results.run_state.running_variant is None
        ):
            self._session.inform(_HOW)
            self.set_on(False)

    def _traces_are_coming(self) -> bool:
        """Whether a run of the race is yet to be recorded; one that cannot be is raced without."""
        missing = [pane for pane in self._area.split_view.panes if pane.displayed_run.trace is None]
        return bool(missing) and self._jobs.running(JobKind.TRACE) is not None

    def _follow_panes(self) -> None:
        """End the race when its panes are closed."""
        if self._shown and self._area.split_count < _LEAST:
            self.set_on(False)
