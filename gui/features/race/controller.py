"""Run > Race: two to four runs side by side by real time, from one start."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.contributions import WindowActs
from gui.features.race.display import RaceDisplay
from gui.features.race.standings import racers_among
from gui.model.jobs import JobKind
from gui.model.playback import Pace
from gui.model.settings import PHASE, SOLVE, TOTAL
from gui.model.shown_run import can_synchronise
from gui.parts import WindowComponents
from solvers.core.result import Result
from solvers.core.variant import Answers, find_variant

_LEAST = 2
_HEADLINE = "race by solve time: without preparation and copies"
_HOW = "A race needs two variants that answer from one source. Tick them, and press Race again."


class RaceController(QObject):
    """Starts a race of the fastest results; without two of them, runs the ticked variants first."""

    ended = Signal()  # also where it did not begin

    def __init__(self, parts: WindowComponents, acts: WindowActs):
        super().__init__(parts.window)
        session, jobs, area = parts.session, parts.jobs, parts.canvas
        self._session, self._playback, self._jobs = session, parts.playback, jobs
        self._running, self._area, self._bars = parts.run, area, acts.bars
        self._choices, self._phase_before = parts.display_choices, TOTAL
        self.display = RaceDisplay(parts.playback, area)
        self.on = self._shown = self._waits_for_results = self._waits_for_traces = False
        self._before: tuple[int, Pace] = (1, Pace.ITERATIONS)
        session.results.changed.connect(self._follow)
        session.results.run_state_changed.connect(self._follow)
        jobs.changed.connect(self._follow)
        area.split_changed.connect(self._follow_panes)
        self.display.strip.closed.connect(lambda: self.set_on(False))

    def set_on(self, on: bool) -> None:
        """Start or end the race; its end restores panes and pace."""
        if on == self.on:
            return
        if on and not self._can_start():
            self.ended.emit()
            return
        self.on = on
        if on:
            self._before = self._area.split_count, self._playback.pace
            self._begin()
        else:
            self._end()
        self._take_room(on)
        if not on:
            self.ended.emit()

    def _take_room(self, on: bool) -> None:
        """Give the race the room of the panels, and have tables and charts count what it
        counts.
        """
        self._area.set_headline(_HEADLINE if on else "")
        self._bars.fold(on)
        if on:
            self._phase_before = self._choices[PHASE]
        self._choices.choose(PHASE, SOLVE if on else self._phase_before)

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
        self._area.split(len(racers))
        self._area.split_view.show_variants([result.variant.id for result in racers])
        self.display.set_on(True)
        self._shown = True
        self._follow()

    def _end(self) -> None:
        self._shown = self._waits_for_results = self._waits_for_traces = False
        count, pace = self._before
        self.display.set_on(False)
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
