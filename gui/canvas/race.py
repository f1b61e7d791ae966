"""Shows a race in the panes of a split view: clocks, flags, and the bars below."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.canvas.pane import Pane
from gui.canvas.race_strip import RaceStrip
from gui.canvas.split import SplitView
from gui.model.playback import Pace, Playback, run_clock
from gui.model.race import Racer, ms_per_second, slow_motion, standings, time_scale
from gui.style.names import short_title


class RaceDisplay(QObject):
    """Follows the play-back while a race is on.

    Parameters
    ----------
    playback : Playback
    view : SplitView
    strip : RaceStrip
    """

    def __init__(self, playback: Playback, view: SplitView, strip: RaceStrip):
        super().__init__(view)
        self._playback, self._view, self._strip = playback, view, strip
        self._on = False
        strip.hide()
        playback.ticked.connect(self._follow)
        playback.state_changed.connect(self._follow)
        view.panes_changed.connect(self._follow)

    @property
    def on(self) -> bool:
        return self._on

    def set_on(self, on: bool) -> None:
        """Show, or no longer show, clocks, flags and bars."""
        self._on = on
        self._strip.setVisible(on)
        self._view.set_timed(on)
        self._follow()

    def _follow(self) -> None:
        running = [pane for pane in self._view.panes if pane.displayed_run.trace is not None]
        for pane in self._view.panes:
            pane.canvas.set_path_at_end(self._on)
            if not self._on or pane not in running:
                pane.show_standing(None)
        if not self._on:
            return
        missing = len(self._view.panes) - len(running)
        found = standings([_racer(pane) for pane in running], self._view.elapsed_ms)
        for pane, standing in zip(running, found, strict=True):
            pane.show_standing(standing)
        self._strip.show_race(found, self._words(missing))

    def _words(self, missing: int) -> str:
        count = len(self._view.panes)
        if missing:
            return f"Recording the runs: {count - missing} of {count}"
        if self._playback.pace is not Pace.TIME:
            return "Choose equal time in the play bar to race by real time"
        return slow_motion(ms_per_second(self._playback) * self._view.leader_scale)


def _racer(pane: Pane) -> Racer:
    result, trace = pane.result, pane.displayed_run.trace
    assert result is not None  # a pane with a trace has its result
    total = float(run_clock(trace)[-1]) * time_scale(result)
    return Racer(result.variant.id, result.variant.full_title, total, short_title(result.variant))
