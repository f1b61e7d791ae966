"""Headers of panes: title, progress and badge stand side by side uncut, said shorter
where there is little room.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.pane import PaneHeader
from gui.canvas.race_bars import BadgeSize, RaceBars
from gui.canvas.split import best_columns, cells
from gui.model.race import Racer, Standing, standings
from gui.style.theme import tokens
from gui.style.widgets import ElidedBox
from solvers.picture.variant_colours import variant_colour

TITLE, SHORT = "Bellman-Ford edge + flags", "BF edge + flags"
TEXTS = ("iteration 186 of 1 186", "186 of 1 186", "186")
FINAL = ("iteration 1 186 of 1 186", "1 186 of 1 186", "1 186")


@pytest.fixture
def header(qtbot: QtBot) -> PaneHeader:
    header = PaneHeader()
    qtbot.addWidget(header)
    header.box.addItem(TITLE)
    header.box.setItemData(0, (SHORT,), ElidedBox.FORMS_ROLE)
    header.box.setCurrentIndex(0)
    header.show()
    return header


@pytest.mark.parametrize("width", [520, 400, 330, 260, 200])
def test_progress_is_whole_and_the_title_as_long_as_it_can_be(
    header: PaneHeader, width: int
) -> None:
    header.resize(width, 34)
    header.show_progress(TEXTS, FINAL, strong=True)
    label = header.progress
    assert label.text() in TEXTS
    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
    assert header.box.geometry().right() < label.x()
    assert label.geometry().right() < max(width, header.minimumWidth())


def test_a_wide_header_says_everything(header: PaneHeader) -> None:
    header.resize(520, 34)
    header.show_progress(TEXTS, FINAL, strong=True)
    assert header.progress.text() == TEXTS[0]
    assert header.box.fontMetrics().horizontalAdvance(TITLE) < header.box.width()


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
    header.show_standing(
        Standing(Racer("bf-edge-flags", TITLE, 1920.0), 1920.0 if place else 64.0, place)
    )
    badge = header.badge
    assert badge.width() >= badge.width_in(badge.size_shown)
    assert header.box.geometry().right() < badge.x()
    assert badge.geometry().right() < max(width, header.minimumWidth())
    assert badge.text.startswith("3rd" if place else "64.0 ms")
    if width == 520:
        assert badge.size_shown is BadgeSize.LARGE


def test_a_header_tells_that_one_row_has_no_room_for_the_name(
    qtbot: QtBot, header: PaneHeader
) -> None:
    standing = Standing(Racer("bf-edge-flags", TITLE, 1920.0), 64.0, None)
    header.resize(520, 34)
    header.show_standing(standing)
    assert not header.crowded
    with qtbot.waitSignal(header.crowded_changed):
        header.resize(190, 34)
    assert header.crowded
    header.set_two_rows(True)
    assert header.crowded, "whatever it has now"
    assert header.box.shown_text == SHORT
    with qtbot.waitSignal(header.crowded_changed):
        header.show_standing(None)
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
        assert bars.shown_name(0) == name
        assert bars.track(0).left() == bars.track(1).left() > metrics.horizontalAdvance(name)
    assert bars.shown_name(1) == "Dijkstra heap", "which has room"


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


@pytest.mark.parametrize(
    ("count", "width", "height", "aspect", "columns"),
    [
        (2, 700, 700, 1.0, 2),
        (2, 300, 900, 1.0, 1),
        (3, 900, 400, 1.0, 3),
        (3, 700, 770, 0.76, 2),
        (3, 250, 900, 1.0, 1),
        (4, 700, 770, 0.76, 2),
        (4, 1600, 300, 1.0, 4),
        (1, 100, 100, 1.0, 1),
        (0, 100, 100, 1.0, 1),
    ],
)
def test_columns(count: int, width: int, height: int, aspect: float, columns: int) -> None:
    assert best_columns(count, width, height, aspect, 30.0) == columns


def test_panes_too_narrow_for_their_headers_are_a_last_resort() -> None:
    assert best_columns(4, 506, 270, 0.76, 46.0) == 4
    assert best_columns(4, 506, 270, 0.76, 46.0, 225.0) == 2
    assert best_columns(2, 200, 100, 1.0, 30.0, 225.0) == 1


def test_the_last_pane_takes_the_rest_of_its_row() -> None:
    assert cells(3, 2) == [(0, 0, 1), (0, 1, 1), (1, 0, 2)]
    assert cells(4, 2)[-1] == (1, 1, 1)
    assert cells(2, 1) == [(0, 0, 1), (1, 0, 1)]
    assert cells(0, 1) == []
