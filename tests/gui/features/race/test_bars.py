"""Clocks and bars of a race: none is cut, and bars have one scale of time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.pane import BadgeSize, PaneHeader
from gui.features.race.bars import RaceBadge, RaceBars, RaceTrack
from gui.features.race.display import RaceClock
from gui.features.race.standings import Racer, Standing, standings
from gui.style.theme import tokens
from solvers.picture.variant_colours import variant_colour
from tests.gui.canvas.headers import FINAL, SHORT, TEXTS, TITLE, header

__all__ = ["header"]


def shown_clock(header: PaneHeader, elapsed_ms: float, place: int | None) -> RaceBadge:
    """The clock of a run in a header."""
    clock = RaceClock(RaceBadge(), RaceTrack())
    header.set_badge(clock.as_badge())
    clock.badge.show_standing(Standing(Racer("bf-edge-flags", TITLE, 1920.0), elapsed_ms, place))
    header.refit()
    return clock.badge


@pytest.mark.parametrize("percent", [100, 150])
@pytest.mark.parametrize("width", [520, 330, 250, 190])
@pytest.mark.parametrize("place", [None, 3])
def test_the_clock_of_a_race_is_never_cut(
    header: PaneHeader, type_of: Callable[[int], None], width: int, percent: int, place: int | None
) -> None:
    """At 1280 x 720 and 150 % a flag and "ns" were left of it, over the box."""
    type_of(percent)
    header.resize(width, 60)
    header.show_progress(TEXTS, FINAL, strong=True)
    badge = shown_clock(header, 1920.0 if place else 64.0, place)
    assert badge.width() >= badge.width_in(badge.size_shown)
    assert header.box.geometry().right() < badge.x()
    assert badge.geometry().right() < max(width, header.minimumWidth())
    assert badge.text.startswith("3rd" if place else "64.0 ms")
    if width == 520:
        assert badge.size_shown is BadgeSize.LARGE


def test_a_header_tells_that_one_row_has_no_room_for_the_name(
    qtbot: QtBot, header: PaneHeader
) -> None:
    header.resize(520, 34)
    badge = shown_clock(header, 64.0, None)
    assert not header.crowded
    with qtbot.waitSignal(header.crowded_changed):
        header.resize(190, 34)
    assert header.crowded
    header.set_two_rows(True)
    assert header.crowded, "whatever it has now"
    assert header.box.shown_text == SHORT
    with qtbot.waitSignal(header.crowded_changed):
        badge.show_standing(None)
        header.refit()
    assert not header.crowded


def test_names_in_the_bars_are_shortened_before_they_are_cut(qtbot: QtBot) -> None:
    bars, metrics = RaceBars(), QFontMetricsF(QApplication.font())
    qtbot.addWidget(bars)
    racers = (
        Racer("bf-edge-flags", TITLE, 9.0, SHORT),
        Racer("dijkstra-heap", "Dijkstra heap", 9.0, "Dij. heap"),
    )
    bars.show_standings(tuple(Standing(racer, 1.0, None) for racer in racers))
    for room, name in ((TITLE, TITLE), (SHORT, SHORT)):
        bars.resize(round((metrics.horizontalAdvance(room) + 20) / 0.4), 60)
        assert bars._fitting_name(bars.standings[0])[0] == name
        assert bars.track(0).left() == bars.track(1).left() > metrics.horizontalAdvance(name)
    assert bars._fitting_name(bars.standings[1])[0] == "Dijkstra heap", "which has room"


def test_bars_of_a_race_have_one_scale_of_time(qtbot: QtBot) -> None:
    bars = RaceBars()
    qtbot.addWidget(bars)
    racers = (
        Racer("bf-serial", "A", 0.2),
        Racer("dijkstra-heap", "B", 12.9),
        Racer("bf-edge-flags", "C", 6.45),
    )
    bars.show_standings(standings(racers, 20.0))
    bars.resize(700, bars.sizeHint().height())
    image = bars.grab().toImage()
    lengths = []
    for row, racer in enumerate(racers):
        track, colour = bars.track(row), QColor(variant_colour(racer.variant_id, tokens().dark))
        y = round(track.center().y())
        lengths.append(
            sum(
                image.pixelColor(x, y) == colour
                for x in range(int(track.left()), int(track.right()) + 1)
            )
        )
    track = bars.track(0).width()
    assert lengths == pytest.approx([0.0155 * track, track, track / 2], abs=3.5)
    assert lengths[0] >= 2
