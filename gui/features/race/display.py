"""Clocks and flags in the headers of panes, and the strip below them, which follow the
play-back.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from gui.canvas.area import CanvasArea
from gui.canvas.pane import HeaderBadge, Pane
from gui.canvas.split_page import PageStrip
from gui.features.race.bars import RaceBadge, RaceStrip, RaceTrack
from gui.features.race.standings import (
    Racer,
    Standing,
    ms_per_second,
    slow_motion,
    standings,
    time_scale,
)
from gui.model.playback import Pace, Playback, run_clock
from gui.style.text import short_title


@dataclass(frozen=True)
class RaceClock:
    """What a pane shows of its run."""

    badge: RaceBadge
    track: RaceTrack

    def as_badge(self) -> HeaderBadge:
        badge = self.badge
        return HeaderBadge(
            badge, self.track, badge.width_in, lambda: badge.least_width, badge.show_in
        )


class RaceDisplay(QObject):
    """Follows the play-back while a race is on."""

    def __init__(self, playback: Playback, area: CanvasArea):
        super().__init__(area)
        self._playback, self._view, self._page = playback, area.split_view, area.split_page
        self.strip = RaceStrip()
        self._clocks: dict[Pane, RaceClock] = {}
        self.on = False
        playback.ticked.connect(self._follow)
        playback.state_changed.connect(self._follow)
        self._view.panes_changed.connect(self._follow)

    def set_on(self, on: bool) -> None:
        """Show, or no longer show, clocks, flags and bars."""
        self.on = on
        self._view.set_clock(time_scale if on else None)
        strip = PageStrip(self.strip, self.strip.bars, self.strip.height_with)
        self._page.set_strip(strip if on else None)
        self._follow()

    def _follow(self) -> None:
        panes = self._view.panes if self.on else ()
        for pane in [pane for pane in self._clocks if pane not in panes]:
            del self._clocks[pane]
            if pane in self._view.panes:
                pane.set_badge(None)
        if not self.on:
            return
        for pane in panes:
            if pane not in self._clocks:
                self._clocks[pane] = clock = RaceClock(RaceBadge(), RaceTrack())
                pane.set_badge(clock.as_badge())
        running = [pane for pane in panes if pane.displayed_run.trace is not None]
        found = standings([_racer(pane) for pane in running], self._view.elapsed_ms)
        shown: dict[Pane, Standing] = dict(zip(running, found, strict=True))
        for pane, clock in self._clocks.items():
            _show(pane, clock, shown.get(pane))
        self.strip.show_race(found, self._words(len(panes) - len(running)))

    def _words(self, missing: int) -> str:
        count = len(self._view.panes)
        if missing:
            return f"Recording the runs: {count - missing} of {count}"
        if self._playback.pace is not Pace.TIME:
            return "Choose equal time in the play bar to race by real time"
        return slow_motion(ms_per_second(self._playback) * self._view.leader_scale)


def _show(pane: Pane, clock: RaceClock, standing: Standing | None) -> None:
    before = clock.badge.standing
    clock.badge.show_standing(standing)
    clock.track.show_standing(standing)
    if before is None or standing is None or before.racer != standing.racer:
        pane.refit()


def _racer(pane: Pane) -> Racer:
    result, trace = pane.result, pane.displayed_run.trace
    assert result is not None  # a pane with a trace has its result
    total = float(run_clock(trace)[-1]) * time_scale(result)
    return Racer(result.variant.id, result.variant.full_title, total, short_title(result.variant))
