"""A race: started with or without results, by real time, with clocks, flags and bars;
its end restores the view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.area import ZoomButtons
from gui.canvas.pane import Pane
from gui.features.race.bars import RaceBadge, RaceStrip
from gui.model.jobs import JobKind
from gui.model.playback import Pace
from gui.model.settings import PHASE, SOLVE, TOTAL
from gui.style.widgets import ElidedBox
from gui.window import MainWindow
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    controller_of,
    open_graph,
    tick_only,
    wait_until_idle,
)

RACERS = ("dijkstra-heap", "bf-serial", "bf-python")


@pytest.fixture
def racing(qtbot: QtBot, shared_window: MainWindow) -> Iterator[MainWindow]:
    """Three runs of the textbook graph race, started by its key before anything was run."""
    window = shared_window
    open_graph(qtbot, window, TINY)
    tick_only(window, *RACERS)
    window.resize(1280, 800)
    qtbot.keyClick(window, Qt.Key.Key_R)
    panes = window.parts.canvas.split_view
    qtbot.waitUntil(
        lambda: (
            len(panes.panes) == 3
            and all(pane.displayed_run.trace is not None for pane in panes.panes)
        ),
        timeout=PATIENCE_MS,
    )
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.playing or window.parts.playback.position > 0)
    yield window
    window.commands["race"].setChecked(False)


def race_again(qtbot: QtBot, window: MainWindow) -> None:
    """Race with the results that are there."""
    window.commands["race"].trigger()
    qtbot.waitUntil(lambda: controller_of(window, "race").on, timeout=PATIENCE_MS)


def strip_of(window: MainWindow) -> RaceStrip:
    strip: RaceStrip = controller_of(window, "race").display.strip
    return strip


def clock_of(window: MainWindow, pane: Pane) -> RaceBadge:
    badge: RaceBadge = controller_of(window, "race").display._clocks[pane].badge
    return badge


def test_the_race_is_run_by_real_time_with_clocks_bars_and_paths(racing: MainWindow) -> None:
    """It ends in the order of the table; a path is shown where a run has ended."""
    assert racing.parts.playback.pace is Pace.TIME
    assert strip_of(racing).isVisible()
    racing.parts.playback.pause()
    racing.parts.playback.to_end()
    medians = {r.variant.id: r.median("solve") for r in racing.parts.session.results.all}
    standings = strip_of(racing).bars.standings
    assert [s.racer.variant_id for s in standings] == sorted(RACERS, key=lambda name: medians[name])
    assert [s.place for s in standings] == [1, 2, 3]
    for standing in standings:
        assert standing.elapsed_ms == pytest.approx(medians[standing.racer.variant_id])
    badges = [clock_of(racing, pane) for pane in racing.parts.canvas.split_view.panes]
    assert all(badge.isVisible() for badge in badges)
    assert [badge.text.split()[0] for badge in badges] == ["1st", "2nd", "3rd"]
    assert strip_of(racing).words.text().startswith("1 s shows ")

    racing.parts.playback.seek(0)
    standings = strip_of(racing).bars.standings
    running = [standing.elapsed_ms for standing in standings if standing.place is None]
    assert running
    assert running == pytest.approx([running[0]] * len(running))
    assert racing.parts.canvas.split_view.elapsed_ms == pytest.approx(running[0])
    assert all(s.elapsed_ms <= running[0] for s in standings if s.place is not None)
    racing.parts.playback.to_end()
    bars = strip_of(racing).bars
    picture = bars.grab().toImage()
    for row, standing in enumerate(bars.standings):
        track = bars.track(row)
        at = picture.pixelColor(round(track.right() - 6), round(track.center().y()))
        assert at.saturation() > 20 or standing.share < 1

    panes = racing.parts.canvas.split_view.panes
    racing.parts.playback.pause()
    racing.parts.playback.to_start()
    assert all(
        pane.canvas.content.known_path is None
        for pane in panes
        if clock_of(racing, pane).standing.place is None
    )
    assert any(clock_of(racing, pane).standing.place is None for pane in panes)
    racing.parts.playback.to_end()
    assert all(pane.canvas.content.known_path is not None for pane in panes)
    racing.commands["race"].setChecked(False)
    racing.parts.playback.to_start()
    assert racing.parts.canvas.canvas.content.known_path is None, "as without a race"


def test_escape_closed_panes_and_another_source_end_the_race(
    qtbot: QtBot, racing: MainWindow
) -> None:
    racing.parts.canvas.canvas.setFocus()
    qtbot.keyClick(racing.parts.canvas.canvas, Qt.Key.Key_Escape)
    assert not racing.commands["race"].isChecked()
    assert racing.parts.canvas.split_count == 1
    assert racing.parts.playback.pace is Pace.ITERATIONS
    assert not strip_of(racing).isVisible()

    race_again(qtbot, racing)
    racing.commands["split-1"].trigger()
    assert not controller_of(racing, "race").on
    assert not racing.commands["race"].isChecked()

    race_again(qtbot, racing)
    racing.parts.session.set_source(3)
    assert not controller_of(racing, "race").on


def test_without_two_variants_it_says_what_to_do(qtbot: QtBot, shared_window: MainWindow) -> None:
    open_graph(qtbot, shared_window, TINY)
    tick_only(shared_window, "dijkstra-heap", "fw-serial")
    shared_window.commands["race"].trigger()
    assert not shared_window.commands["race"].isChecked()
    assert "two variants that answer from one source" in shared_window.notices.notice.text
    assert shared_window.parts.jobs.running(JobKind.SOLVE) is None


def test_a_race_has_the_room_of_the_panels_and_the_table_counts_what_it_counts(
    racing: MainWindow,
) -> None:
    """Panes were 100 pixels wide at 1280 x 720, and the table beside them had other times."""
    choices, bars = racing.parts.display_choices, racing.bars
    assert choices[PHASE] == SOLVE
    assert not any(bars.is_shown(title) for title in ("Results", "Variants"))
    bars.open("Results", by_user=True)
    assert bars.is_shown("Results")
    racing.commands["race"].setChecked(False)
    assert choices[PHASE] == TOTAL


def test_a_race_with_little_room_gives_it_to_the_pictures(
    racing: MainWindow, type_of: Callable[[int], None]
) -> None:
    racing.parts.playback.pause()
    racing.bars.fold(False)
    racing.resize(1600, 1000)
    QApplication.processEvents()
    panes, strip = racing.parts.canvas.split_view.panes, strip_of(racing)
    buttons = racing.parts.canvas.findChild(ZoomButtons)
    assert strip.bars.isVisible()
    assert buttons.isVisible()
    assert not buttons.geometry().intersects(strip.geometry())
    type_of(150)
    racing.resize(960, 600)
    QApplication.processEvents()
    racing.parts.playback.to_end()
    assert not strip.bars.isVisible()
    assert not buttons.isVisible()
    for pane in panes:
        head, badge = pane.head, clock_of(racing, pane)
        assert head.in_two_rows
        assert badge.text.split()[0] in {"1st", "2nd", "3rd"}
        assert badge.text.endswith("s"), "the clock beside the place"
        assert badge.width() >= badge.sizeHint().width()
        bar = head.badge.bar
        assert bar.grab().toImage().pixelColor(3, bar.height() // 2).saturation() > 20
    type_of(100)
    racing.resize(1600, 1000)
    QApplication.processEvents()
    assert strip.bars.isVisible()
    assert not any(pane.head.in_two_rows for pane in panes)
    box = panes[0].box
    box.setItemText(box.currentIndex(), 30 * "long name ")
    box.setItemData(box.currentIndex(), (20 * "long name ",), ElidedBox.FORMS_ROLE)
    racing.resize(1590, 1000)
    QApplication.processEvents()
    assert all(pane.head.in_two_rows for pane in panes), (
        "a name that has no room beside its clock gets a row"
    )
    assert not strip.bars.isVisible()
    assert buttons.isVisible(), "there is height enough"
