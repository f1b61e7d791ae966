"""A race: started with or without results, by real time, with clocks, flags and bars; its end restores the view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.model.playback import Pace
from gui.window import MainWindow
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, tick_only, wait_until_idle

RACERS = ("dijkstra-heap", "bf-serial", "bf-python")


@pytest.fixture
def racing(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """Three runs of the textbook graph race, started by the button before anything was run."""
    open_graph(qtbot, window, TINY)
    tick_only(window, *RACERS)
    button = window.toolbar.widgetForAction(window.commands["race"])
    assert button.text() == "Race"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    panes = window.canvas.split_view
    qtbot.waitUntil(
        lambda: len(panes.panes) == 3 and all(pane.displayed_run.trace is not None for pane in panes.panes),
        timeout=PATIENCE_MS,
    )
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.playback.playing or window.playback.position > 0)
    return window


def test_the_race_is_run_by_real_time_and_ends_in_the_order_of_the_table(qtbot: QtBot, racing: MainWindow) -> None:
    assert racing.playback.pace is Pace.TIME
    assert racing.canvas.race_strip.isVisible()
    racing.playback.pause()
    racing.playback.to_end()
    medians = {r.variant.id: r.median("solve") for r in racing.session.results}
    standings = racing.canvas.race_strip.bars.standings
    assert [s.racer.variant_id for s in standings] == sorted(RACERS, key=lambda name: medians[name])
    assert [s.place for s in standings] == [1, 2, 3]
    for standing in standings:
        assert standing.elapsed_ms == pytest.approx(medians[standing.racer.variant_id])
    badges = [pane.badge for pane in racing.canvas.split_view.panes]
    assert all(badge.isVisible() for badge in badges)
    assert [badge.text.split()[0] for badge in badges] == ["1st", "2nd", "3rd"]
    assert racing.canvas.race_strip.words.text().startswith("1 s shows ")


def test_clocks_are_equal_until_a_run_ends(racing: MainWindow) -> None:
    racing.playback.pause()
    racing.playback.seek(0)
    standings = racing.canvas.race_strip.bars.standings
    running = [standing.elapsed_ms for standing in standings if standing.place is None]
    assert running
    assert running == pytest.approx([running[0]] * len(running))
    assert racing.canvas.split_view.elapsed_ms == pytest.approx(running[0])
    assert all(s.elapsed_ms <= running[0] for s in standings if s.place is not None)


def test_escape_ends_the_race_and_restores_the_view(qtbot: QtBot, racing: MainWindow) -> None:
    racing.canvas.canvas.setFocus()
    qtbot.keyClick(racing.canvas.canvas, Qt.Key.Key_Escape)
    assert not racing.commands["race"].isChecked()
    assert racing.canvas.split_count == 1
    assert racing.playback.pace is Pace.ITERATIONS
    assert not racing.canvas.race_strip.isVisible()


def test_closing_the_panes_ends_the_race(racing: MainWindow) -> None:
    racing.commands["split-1"].trigger()
    assert not racing.racing.on
    assert not racing.commands["race"].isChecked()


def test_another_source_ends_the_race(racing: MainWindow) -> None:
    racing.session.set_source(3)
    assert not racing.racing.on


def test_the_bars_are_as_long_as_the_runs_have_come(racing: MainWindow) -> None:
    racing.playback.pause()
    racing.playback.to_end()
    bars = racing.canvas.race_strip.bars
    picture = bars.grab().toImage()
    for row, standing in enumerate(bars.standings):
        track = bars.track(row)
        at = picture.pixelColor(round(track.right() - 6), round(track.center().y()))
        assert at.saturation() > 20 or standing.share < 1


def test_without_two_variants_it_says_what_to_do(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "fw-serial")
    window.commands["race"].trigger()
    assert not window.commands["race"].isChecked()
    assert window.notices.notice is not None
    assert "two variants that answer from one source" in window.notices.notice.text
    assert window.jobs.running("solve") is None
