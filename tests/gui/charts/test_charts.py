"""Charts on the screen: their data, where marks are, what a click does, how they share the room."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QToolButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gui.charts.board import ChartBoard
from gui.charts.chart import Chart, Switch
from gui.charts.plot import ChartPlot, PlacedMark
from gui.charts.rows import phase_rows, timing_rows, with_live_row
from gui.charts.tables import DEVICE, FRONTIER, PHASES_KIND, TIMING, frontier_curves
from gui.model.playback import Playback
from gui.model.run_state import RunState
from gui.model.session import Session
from gui.model.settings import (
    CHART,
    DEVICE_QUANTITY,
    LINEAR,
    PHASE,
    SCALE,
    SOLVE,
    SPEED_UP,
    TIMING_QUANTITY,
    UNIT,
    WARPS,
    DisplayChoices,
    Settings,
)
from gui.model.window_thread import WindowThread
from gui.style import theme
from gui.style.text import count_tick
from gui.style.theme import tokens
from solvers.core.result import Disturbance, DisturbanceKind, Status, Verdict
from solvers.core.variant import all_variants
from solvers.picture.charts.files import chart_svg
from solvers.picture.charts.table import BAND_WORDS, Axis, ChartData, Curve
from solvers.picture.colours import Scheme
from solvers.picture.palette import Colour
from solvers.picture.variant_colours import variant_colour
from tests.gui.panels.sample import activity_trace, failed_result, make_result, opened_session

AnyWidget = TypeVar("AnyWidget", bound=QWidget)


@pytest.fixture
def session() -> Session:
    session = opened_session()
    times = {"bf-serial": (99.0,) * 3, "bf-vertex": (8.0, 9.0, 11.0), "bf-strided": (0.0,) * 3}
    for variant_id, ms in times.items():
        session.results.add([make_result(session, variant_id, ms)])
    session.results.select("bf-serial")
    return session


def shown(qtbot: QtBot, widget: AnyWidget, width: int, height: int) -> AnyWidget:
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    qtbot.waitExposed(widget)
    if isinstance(widget, Chart):
        widget.view.grab()  # lays the scene out
    return widget


@pytest.fixture
def chart(qtbot: QtBot, session: Session) -> Chart:
    return shown(qtbot, Chart(session, TIMING), 500, 260)


@pytest.fixture
def board(qtbot: QtBot, session: Session) -> ChartBoard:
    return shown(qtbot, ChartBoard(session, Playback()), 380, 400)


def keys(chart: Chart) -> tuple[str, ...]:
    return chart.rows.keys


def mark(chart: Chart, variant_id: str) -> PlacedMark:
    """The median of a variant."""
    return next(one for one in chart.view.marks if one.mark.point == variant_id)


def legend_words(view: ChartPlot) -> list[str]:
    """What the legend says."""
    return [] if view._legend is None else [label.text for _, label in view._legend.items]


def rows_in_view(view: ChartPlot) -> range:
    first, count = view._rows
    return range(first, first + count)


def spot(chart: Chart, variant_id: str) -> QPoint:
    """Where the median of a variant is in the view."""
    return chart.view.mapFromScene(chart.view.pixel(mark(chart, variant_id).at))


def test_an_empty_chart_says_what_will_be_there(qtbot: QtBot) -> None:
    chart = Chart(opened_session(), TIMING)
    qtbot.addWidget(chart)
    chart.show()
    assert chart.make_table() is None
    assert chart.empty.isVisible()
    assert not chart.is_drawn, "the start of the window waits for no plot"
    assert chart.to_export() is None
    device = Chart(chart.session, DEVICE)
    qtbot.addWidget(device)
    device.show()
    device.choices.choose(DEVICE_QUANTITY, WARPS)
    assert "No watched run has warps of a GPU." in device.empty.text(), "its switch did nothing"


def test_marks_stand_at_the_logarithm_of_their_value(chart: Chart) -> None:
    """1 ms, 10 ms and 100 ms: equal steps in log10, and the pixels say the same as the axis."""
    spots = [spot(chart, key) for key in ("bf-strided", "bf-vertex", "bf-serial")]
    assert keys(chart) == ("bf-strided", "bf-vertex", "bf-serial"), "the quickest is on top"
    assert spots[1].x() - spots[0].x() == pytest.approx(spots[2].x() - spots[1].x(), abs=1)
    assert spots[0].y() < spots[1].y() < spots[2].y()
    assert mark(chart, "bf-vertex").at.x() == pytest.approx(1.0)
    chart.switches[SCALE].buttons[LINEAR].click()
    assert mark(chart, "bf-serial").at.x() == pytest.approx(100.0)
    assert chart.view.box.viewRange()[0][0] == 0


def test_error_bars_and_trials_are_the_values_that_the_table_has(
    qtbot: QtBot, session: Session
) -> None:
    """pyqtgraph's error bars ignore a logarithmic axis: 9 to 12 ms was 9 to 12 decades."""
    import pyqtgraph as pg

    session.results.add([make_result(session, "bf-vertex", (8.0, 9.0, 9.5, 9.7, 10.0, 11.0))])
    chart = shown(qtbot, Chart(session, TIMING), 500, 260)
    row = keys(chart).index("bf-vertex")
    bars = [item for item in chart.view.plot.items if isinstance(item, pg.ErrorBarItem)]
    ends = {
        (x - left, x + right)
        for bar in bars
        for x, y, left, right in zip(
            *(bar.opts[name] for name in ("x", "y", "left", "right")), strict=True
        )
        if abs(y - row) < 0.4  # below its name
    }
    found = mark(chart, "bf-vertex").mark
    wanted = [found.extent, (found.low, found.high)]
    placed = sorted((math.log10(low), math.log10(high)) for low, high in wanted)
    assert np.array(sorted(ends)) == pytest.approx(np.array(placed[-len(ends) :]))
    assert found.extent == (9.0, 12.0)
    assert legend_words(chart.view) == ["median", "95 % interval", "range", "trial, 3 to 6 each"]


def test_ticks_stand_where_their_label_says_and_an_axis_has_one_unit(
    chart: Chart, session: Session
) -> None:
    """300 µs, 1 ms and 3 s on one axis have to be converted to be compared."""
    session.results.add([make_result(session, "dijkstra-heap", (0.05, 4000.0))])
    axis, box = chart.view.x_axis, chart.view.box
    labelled = axis.tickValues(*box.viewRange()[0], box.width())[0][1]
    said = axis.tickStrings(labelled, 1.0, 1.0)
    assert len(said) >= 3
    assert [float(text.replace("\u202f", "")) for text in said] == pytest.approx(
        [10**place for place in labelled]
    )
    assert "ms" in axis.labelText


def test_speed_ups_are_over_the_baseline(chart: Chart, session: Session) -> None:
    chart.switches[TIMING_QUANTITY].buttons[SPEED_UP].click()
    assert [mark(chart, key).mark.y for key in keys(chart)] == [100.0, 10.0, 1.0]
    chart.switches[PHASE].buttons[SOLVE].click()
    assert keys(chart) == ("bf-vertex", "bf-serial"), "0 ms has no ratio"
    session.results.set_baseline("bf-vertex")
    assert mark(chart, keys(chart)[0]).mark.y == 1.0


def test_trials_of_the_variant_being_run_appear_one_by_one(chart: Chart, session: Session) -> None:
    trials = make_result(session, "bf-serial", (9.0, 3.0)).trials
    before = keys(chart)
    session.results.set_run_state(RunState((), "bf-serial", trials[:1]))
    assert keys(chart) == before, "warm-ups have no dot"
    for made in (2, 3):
        session.results.set_run_state(RunState((), "bf-serial", trials[:made]))
        assert keys(chart)[-1] == "bf-serial"
        assert len(mark(chart, "bf-serial").mark.samples) == made - 1
    session.results.set_run_state(RunState())
    assert keys(chart) == before


def test_in_a_low_chart_rows_come_before_the_legend(chart: Chart) -> None:
    assert legend_words(chart.view)
    chart.resize(500, 190)
    assert not legend_words(chart.view)
    chart.refresh()
    assert not legend_words(chart.view)
    chart.resize(500, 400)
    assert legend_words(chart.view)


def test_a_few_rows_are_seen_whole_before_the_legend(chart: Chart) -> None:
    """At 1280 x 720 the third row was scrolled away, beside a legend of five lines."""
    chart.resize(340, 260)
    assert chart.rows.scroll_bar.maximum() == 0


def test_a_low_chart_takes_its_first_results(qtbot: QtBot) -> None:
    """At 200 % the first result of a run ended in a crash report."""
    session = opened_session()
    chart = shown(qtbot, Chart(session, TIMING), 500, 190)
    session.results.add([make_result(session, "bf-serial", (99.0,) * 3)])
    qtbot.waitUntil(lambda: bool(chart.view.marks))


def test_a_disturbed_median_is_hollow(chart: Chart, session: Session) -> None:
    words = "Other programs used 1.4 cores during the trials."
    doubt = (Disturbance(DisturbanceKind.LOAD, words),)
    session.results.add([make_result(session, "bf-vertex", (9.0,) * 6, disturbances=doubt)])
    picture = chart.view.grab().toImage()
    assert picture.pixelColor(spot(chart, "bf-vertex")).name().upper() == tokens().panel
    assert "disturbed" in legend_words(chart.view)
    assert words in chart.rows.words_of("bf-vertex")
    assert "95 % confidence interval 10.0 ms to 10.0 ms" in chart.rows.words_of("bf-vertex")


def test_a_click_on_a_mark_selects_everywhere(qtbot: QtBot, chart: Chart, session: Session) -> None:
    place = spot(chart, "bf-vertex")
    qtbot.mouseClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.results.selected_id == "bf-vertex"


def test_what_is_selected_elsewhere_has_a_stripe_and_its_colour(
    chart: Chart, session: Session
) -> None:
    session.results.select("bf-strided")
    picture = chart.view.grab().toImage()
    stripe = spot(chart, "bf-strided") + QPoint(30, 0)
    plain = spot(chart, "bf-serial") - QPoint(30, 0)
    assert picture.pixelColor(stripe) != picture.pixelColor(plain)
    assert picture.pixelColor(plain).lightnessF() > 0.95
    colour = variant_colour("bf-vertex", tokens().dark)
    assert picture.pixelColor(spot(chart, "bf-vertex")).name().upper() == colour
    chart.resize(chart.width(), 900)
    tall, mark_at = chart.view.grab().toImage(), spot(chart, "bf-strided") + QPoint(30, 0)
    for below in (-9, 9):
        beside = mark_at + QPoint(0, below)
        assert tall.pixelColor(beside) == tall.pixelColor(mark_at), "it lay behind the name alone"


def test_hovering_names_the_variant_and_its_numbers(chart: Chart) -> None:
    chart.view.scene().sigMouseMoved.emit(chart.view.pixel(mark(chart, "bf-vertex").at))
    assert chart.rows.hovered == "bf-vertex"
    assert QToolTip.text()
    assert chart.rows.words_of("bf-vertex").splitlines() == [
        "Bellman-Ford vertex  (bf-vertex)",
        "median 10.0 ms",
        "min 9.00 ms, max 12.0 ms, 3 trials",
    ]


def test_up_and_down_walk_through_the_rows(qtbot: QtBot, chart: Chart, session: Session) -> None:
    qtbot.keyClick(chart, Qt.Key.Key_Up)
    assert session.results.selected_id == "bf-vertex"
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    assert session.results.selected_id == "bf-serial"


def test_the_chart_turns_dark_with_the_window(chart: Chart) -> None:
    theme.apply(QGuiApplication.instance(), Scheme.DARK)
    dark = chart.view.grab().toImage().pixelColor(3, 3)
    theme.apply(QGuiApplication.instance(), Scheme.LIGHT)
    assert dark.lightnessF() < 0.2
    assert chart.view.grab().toImage().pixelColor(3, 3).lightnessF() > 0.8


def test_stacked_bars_join_without_gaps_and_end_at_the_total(
    qtbot: QtBot, session: Session
) -> None:
    chart = shown(qtbot, Chart(session, PHASES_KIND), 500, 260)
    prepare, solve = (one.box for one in chart.view.marks if one.mark.point == "bf-vertex")
    assert solve.left() == pytest.approx(prepare.right())
    assert solve.width() == pytest.approx(9 * prepare.width())
    assert solve.right() == pytest.approx(10.0)
    assert legend_words(chart.view) == ["Prepare", "Solve"]


def test_the_frontiers_cursor_follows_the_play_back_and_a_click_moves_it(
    qtbot: QtBot, session: Session
) -> None:
    playback = Playback()
    chart = shown(qtbot, Chart(session, FRONTIER, playback=playback), 500, 260)
    assert chart.make_table() is None
    trace = activity_trace(tuple(range(1, 101)))
    session.results.add([make_result(session, "bf-vertex", (9.0,), trace=trace)])
    playback.load(trace)
    chart.view.grab()
    assert chart.playhead.iteration == 100
    playback.seek(41)
    assert chart.playhead.iteration == 42
    at = chart.view.mapFromScene(chart.view.pixel(QPointF(20.0, 1.0)))
    qtbot.mouseClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert abs(playback.position - 19) <= 1
    chart.view.scene().sigMouseMoved.emit(chart.view.pixel(QPointF(20.0, 1.0)))
    assert "Iteration 20 of the watched run, vertices active" in QToolTip.text()
    assert "Bellman-Ford vertex: 20" in QToolTip.text()


def test_the_board_lays_charts_side_by_side_where_there_is_room(
    qtbot: QtBot, board: ChartBoard, session: Session
) -> None:
    assert not board.is_wide
    assert [board.tabs.tabText(i) for i in range(board.tabs.count())] == [
        "Timing",
        "Phases",
        "Frontier",
        "Device",
    ]
    board.resize(1000, 700)
    assert board.is_wide
    assert all(chart.isVisible() for chart in board.charts)
    assert (
        board.timing.mapTo(board, QPoint(0, 0)).y() == board.phases.mapTo(board, QPoint(0, 0)).y()
    )
    board.resize(380, 400)
    board.tabs.setCurrentIndex(1)
    assert board.current is board.phases
    assert board.phases.isVisible()
    assert not board.timing.isVisible()


def test_a_chart_moves_to_a_window_of_its_own_and_back(
    qtbot: QtBot, board: ChartBoard, session: Session
) -> None:
    button = next(b for b in board.phases.findChildren(QToolButton) if "window" in b.toolTip())
    board.tabs.setCurrentIndex(1)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (window,) = board._windows.values()
    assert window.isVisible()
    assert window.windowTitle().startswith("Phases")
    assert board.phases.window() is window
    assert [board.tabs.tabText(i) for i in range(board.tabs.count())] == [
        "Timing",
        "Frontier",
        "Device",
    ]
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert "dijkstra-heap" in keys(board.phases)
    window.close()
    assert not board._windows
    assert [board.tabs.tabText(i) for i in range(board.tabs.count())] == [
        "Timing",
        "Phases",
        "Frontier",
        "Device",
    ]
    assert board.phases.window() is board


def test_open_tab_and_scale_are_remembered(
    qtbot: QtBot, session: Session, settings: Settings
) -> None:
    board = shown(qtbot, ChartBoard(session, Playback(), DisplayChoices(settings)), 380, 400)
    board.timing.switches[SCALE].buttons[LINEAR].click()
    board.tabs.setCurrentIndex(2)
    later = shown(qtbot, ChartBoard(session, Playback(), DisplayChoices(settings)), 380, 400)
    assert later.tabs.tabText(later.tabs.currentIndex()) == "Frontier"
    assert later.timing.switches[SCALE].chosen == LINEAR
    settings.keep(f"display/{CHART}", "Removed in a later version")
    assert DisplayChoices(settings)[CHART] == "Timing"


def test_a_long_run_has_its_median_over_a_pale_band_which_the_legend_explains(
    qtbot: QtBot, session: Session
) -> None:
    """A run that alternates was a solid block from its least to its most."""
    sizes = ([10] * 9 + [900]) * 300
    session.results.add(
        [make_result(session, "bf-vertex", (9.0,), trace=activity_trace(tuple(sizes)))]
    )
    chart = shown(qtbot, Chart(session, FRONTIER), 400, 300)
    assert legend_words(chart.view)[-1] == BAND_WORDS
    picture = chart.view.grab().toImage()

    def lightness_at(value: float) -> float:
        """The darkest of five pixels, one above the other."""
        at = chart.view.mapFromScene(chart.view.pixel(QPointF(1500.0, math.log10(value))))
        return min(picture.pixelColor(at + QPoint(0, dy)).lightnessF() for dy in range(-2, 3))

    strong = QColor(variant_colour("bf-vertex", tokens().dark)).lightnessF()
    assert strong + 0.15 < lightness_at(70.0) < QColor(tokens().panel).lightnessF() - 0.05
    assert lightness_at(10.0) < strong + 0.12


@pytest.mark.parametrize(
    ("low", "high", "unit"), [(0.8, 8e7, ""), (2e6, 3e9, " M"), (1e3, 9e8, " k")]
)
def test_a_logarithmic_axis_of_counts_writes_all_its_numbers_in_one_way(
    qtbot: QtBot, session: Session, low: float, high: float, unit: str
) -> None:
    """500 and 1 k stood on one axis, and 500 k beside 1 M."""
    curve = Curve("run", Colour("#112233", "#445566"), np.array([low, high]), 1)
    axis = Axis("", is_log=True, write=partial(count_tick, size=low), span=(low, high))
    table = ChartData("", Axis("", write=lambda value: ""), axis, curves=(curve,))
    view = shown(qtbot, Chart(session, TIMING), 500, 260).view
    view.show_chart(table, tokens(), view.font())
    (_, places), _ = view.y_axis.logTickValues(math.log10(low), math.log10(high), 300.0, None)
    in_file = re.findall(r">([\d\u202f]+[ kMG]*)<", chart_svg(table))
    for said in (view.y_axis.tickStrings(places, 1.0, 1.0), in_file):
        assert len(said) >= 3
        assert {text.lstrip("0123456789\u202f") for text in said} == {unit}


@pytest.fixture
def crowded(qtbot: QtBot) -> Chart:
    """More variants than a chart of 300 pixels has room for."""
    session = opened_session()
    for place, variant in enumerate(all_variants()):
        session.results.add([make_result(session, variant.id, (1.0 + place,))])
    return shown(qtbot, Chart(session, TIMING), 500, 300)


def test_many_rows_scroll_and_the_axis_stays_in_view(crowded: Chart) -> None:
    assert crowded.height() == 300
    bar, view = crowded.rows.scroll_bar, crowded.view
    assert bar.isVisible()
    middle = view.mapFromScene(view.x_axis.sceneBoundingRect().center())
    assert view.viewport().rect().contains(middle)
    rows = rows_in_view(view)
    assert rows.start == 0
    assert view.box.height() / len(rows) >= 17
    bar.setValue(bar.maximum())
    assert rows_in_view(view).stop == len(keys(crowded))
    assert len(rows_in_view(view)) == len(rows)


def test_a_selected_row_is_scrolled_into_view(crowded: Chart) -> None:
    for row in (len(keys(crowded)) - 1, 0):
        crowded.session.results.select(keys(crowded)[row])
        assert row in rows_in_view(crowded.view)


def test_the_wheel_scrolls_the_rows(crowded: Chart, qtbot: QtBot) -> None:
    middle = QPointF(crowded.view.viewport().rect().center())
    wheel = QWheelEvent(
        middle,
        crowded.view.viewport().mapToGlobal(middle),
        QPoint(),
        QPoint(0, -240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(crowded.view.viewport(), wheel)
    assert crowded.rows.scroll_bar.value() > 0


def test_a_chart_that_is_seen_follows_in_a_turn_of_its_own(
    qtbot: QtBot, chart: Chart, session: Session
) -> None:
    session.window = WindowThread(session)
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert "dijkstra-heap" not in keys(chart)
    qtbot.waitUntil(lambda: "dijkstra-heap" in keys(chart))


def test_a_plot_is_made_once_there_is_something_to_show(qtbot: QtBot) -> None:
    session = opened_session()
    chart = Chart(session, TIMING)
    qtbot.addWidget(chart)
    chart.resize(500, 260)
    chart.show()
    qtbot.waitExposed(chart)
    session.results.add([make_result(session, "bf-serial", (99.0,) * 3)])
    qtbot.waitUntil(lambda: chart.is_drawn and bool(chart.view.marks))
    assert chart.view.isVisible()
    assert not chart.empty.isVisible()
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    assert session.results.selected_id == "bf-serial"


def test_a_chart_behind_a_tab_is_drawn_once_it_is_seen(
    qtbot: QtBot, board: ChartBoard, session: Session
) -> None:
    """Redrawing all charts for every result held up the window; only what is seen has
    to follow at once.
    """
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert "dijkstra-heap" in keys(board.timing)
    assert "dijkstra-heap" not in keys(board.phases)
    board.tabs.setCurrentIndex(1)
    assert "dijkstra-heap" in keys(board.phases)


def test_a_compact_switch_shows_the_chosen_button_and_a_click_chooses_the_next(
    qtbot: QtBot,
) -> None:
    """In a narrow chart in large type "Linear" was cut to "L"."""
    switch = Switch(("Times", "Speed-up", "Rate"), "What is drawn")
    qtbot.addWidget(switch)
    switch.show()
    heard: list[str] = []
    switch.group.buttonClicked.connect(lambda: heard.append(switch.chosen))

    def seen() -> list[str]:
        return [choice for choice, button in switch.buttons.items() if button.isVisible()]

    switch.set_compact(True)
    assert switch.full_width > switch.buttons["Times"].sizeHint().width()
    for choice in ("Times", "Speed-up", "Rate"):
        assert seen() == [choice]
        qtbot.mouseClick(switch.buttons[choice], Qt.MouseButton.LeftButton)
    assert heard == ["Speed-up", "Rate", "Times"]
    switch.show_choice("Rate")
    assert seen() == ["Rate"]
    switch.set_compact(False)
    assert seen() == ["Times", "Speed-up", "Rate"]
    qtbot.mouseClick(switch.buttons["Rate"], Qt.MouseButton.LeftButton)
    assert switch.chosen == "Rate"


@pytest.fixture
def measured_session() -> Session:
    session = opened_session()
    session.results.add([make_result(session, "bf-serial", (59.0, 61.0, 60.0))])
    session.results.add([make_result(session, "bf-vertex", (5.0, 6.0, 4.0))])
    session.results.add([failed_result(session, "fw-cell", Status.ERROR, "no")])
    return session


def test_quickest_first_warm_ups_and_failures_left_out(measured_session: Session) -> None:
    rows = timing_rows(measured_session.results.all, "total")
    assert [(row.variant_id, row.median, row.low, row.high) for row in rows] == [
        ("bf-vertex", 6.0, 5.0, 7.0),
        ("bf-serial", 61.0, 60.0, 62.0),
    ]
    assert rows[0].median_text == "6.00 ms"
    assert "bf-vertex" in rows[0].words
    assert "min 5.00 ms, max 7.00 ms, 3 trials" in rows[0].words


def test_speed_ups_are_of_each_trial_over_the_baselines_median(measured_session: Session) -> None:
    rows = timing_rows(
        measured_session.results.all, "solve", measured_session.results.baseline, speed_up=True
    )
    assert [row.variant_id for row in rows] == ["bf-vertex", "bf-serial"]
    assert sorted(rows[0].samples) == [10.0, 12.0, 15.0]
    assert rows[0].median_text == "12.0×"
    assert rows[1].median == 1.0


def test_without_a_timed_baseline_there_are_no_speed_ups(measured_session: Session) -> None:
    assert timing_rows(measured_session.results.all, "total", None, speed_up=True) == ()
    assert (
        timing_rows(
            measured_session.results.all,
            "total",
            measured_session.results.get("fw-cell"),
            speed_up=True,
        )
        == ()
    )


def test_phases_are_those_of_the_trial_of_median_total(measured_session: Session) -> None:
    rows = phase_rows(measured_session.results.all)
    assert [(row.variant_id, row.parts) for row in rows] == [
        ("bf-vertex", (1.0, 0.0, 5.0, 0.0)),
        ("bf-serial", (1.0, 0.0, 60.0, 0.0)),
    ]
    assert rows[0].total == 6.0
    assert rows[0].words.splitlines()[-2:] == ["Prepare: 1.00 ms", "Solve: 5.00 ms"]


def test_curves_of_thinned_traces_are_means_so_that_runs_compare(measured_session: Session) -> None:
    measured_session.results.add(
        [make_result(measured_session, "bf-serial", (1.0,), trace=activity_trace((1, 4, 2)))]
    )
    measured_session.results.add(
        [make_result(measured_session, "bf-vertex", (1.0,), trace=activity_trace((3, 5), stride=4))]
    )
    whole, thinned = frontier_curves(measured_session.results.all, "active")
    assert (whole.values.tolist(), whole.end) == ([1, 4, 2], 3.0)
    assert (thinned.values.tolist(), thinned.end) == ([3, 5], 5.0)
    assert frontier_curves(measured_session.results.all, "relaxed")[0].values.tolist() == [3, 12, 6]


def test_the_variant_being_run_has_its_trials_so_far_in_the_last_row(
    measured_session: Session,
) -> None:
    running = make_result(measured_session, "bf-serial", (9.0, 3.0, 5.0))
    rows = with_live_row(
        timing_rows(measured_session.results.all, "total"), running.variant, running.trials, "total"
    )
    assert rows[-1].title == "Bellman-Ford serial (running)"
    assert rows[-1].samples == tuple(running.times("total"))
    assert len({row.variant_id for row in rows}) == len(rows), "its earlier row is replaced"
    ratios = with_live_row((), running.variant, running.trials, "total", reference=18.0)
    assert ratios[0].samples == tuple(18.0 / ms for ms in running.times("total"))
    assert with_live_row((), running.variant, running.trials[:1], "total") == (), (
        "a warm-up is not shown"
    )


def test_a_warm_graph_is_named_and_has_no_speed_up_over_a_cold_one(
    measured_session: Session,
) -> None:
    device = {"device_name": "A device"}
    measured_session.results.add(
        [make_result(measured_session, "bf-vertex", (5.0,), graph_upload_ms=2.0, **device)]
    )
    warm, _ = timing_rows(measured_session.results.all, "total")
    assert warm.title == "Bellman-Ford vertex (warm graph)"
    assert warm.short_title.endswith(" (warm graph)")
    cold = make_result(measured_session, "bf-strided", (9.0,), **device)
    for phase, compared in (("total", False), ("solve", True)):
        rows = timing_rows(measured_session.results.all, phase, cold, speed_up=True)
        assert ("bf-vertex" in [row.variant_id for row in rows]) is compared
    wrong = make_result(
        measured_session, "bf-vertex", (5.0,), graph_upload_ms=2.0, verdict=Verdict(False, 1, "no")
    )
    assert timing_rows([wrong], "total")[0].title.endswith(" (warm graph, wrong)")


@pytest.mark.parametrize("height", [300, 420])
def test_a_chart_behind_a_tab_has_its_axis_and_legend_in_view_once_it_is_seen(
    qtbot: QtBot, session: Session, height: int
) -> None:
    """The legend took the height that its words need in a view that is not laid out yet."""
    board = shown(qtbot, ChartBoard(session, Playback()), 340, height)
    session.window = WindowThread(session)
    trace = activity_trace((1, 5, 9))
    session.results.add([make_result(session, "bf-serial", (1.0,), trace=trace)])
    bar = board.tabs.tabBar()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(2).center())
    qtbot.waitUntil(lambda: board.frontier.table is not None)
    QApplication.processEvents()
    view = board.frontier.view
    assert legend_words(view) == ["Bellman-Ford serial"]
    assert view._legend.sceneBoundingRect().bottom() <= view.height()
    assert view.box.height() > 50


def test_in_a_panel_names_stand_in_the_plot_which_has_the_panels_width(
    qtbot: QtBot, session: Session
) -> None:
    """Names and figures left a third of a panel to the marks, and were shortened."""
    chart = shown(qtbot, Chart(session, TIMING), 340, 300)
    chart.resize(340, 300)  # its switches had no room
    QApplication.processEvents()
    assert chart.view.names_inside
    assert chart.view.box.width() > chart.view.width() - 40
    picture, at = chart.view.grab().toImage(), spot(chart, "bf-strided")
    name_px = chart.fontMetrics().horizontalAdvance("Bellman-Ford strided")
    line = range(at.y() - 22, at.y() - 9)
    ink = [
        x
        for x in range(picture.width())
        if any(picture.pixelColor(x, y).lightnessF() < 0.5 for y in line)
    ]
    name = [x for x in ink if x < picture.width() * 0.7]
    assert name[-1] - name[0] > 0.8 * name_px, "the whole name"
    assert ink[-1] > picture.width() - 40, "the figure is at the right end"
    chart.resize(900, 300)
    QApplication.processEvents()
    assert not chart.view.names_inside
    assert chart.view.box.width() < chart.view.width() - name_px


def test_no_count_below_one_is_labelled(qtbot: QtBot, session: Session) -> None:
    """A frontier of one or two vertices had an axis with 0.8 and 0.9 of one."""
    session.results.add(
        [make_result(session, "bf-vertex", (9.0,), trace=activity_trace((1, 2, 1)))]
    )
    view = shown(qtbot, Chart(session, FRONTIER), 500, 260).view
    labelled = view.y_axis.tickValues(*view.box.viewRange()[1], view.box.height())[0][1]
    assert len(labelled) >= 2
    assert min(labelled) == pytest.approx(0.0)


def test_tabs_show_the_descenders_of_their_names(board: ChartBoard) -> None:
    """Names of other tabs stood two pixels lower, and the bar cut the g of Timing."""
    bar = board.tabs.tabBar()

    def height_of_ink() -> int:
        place = bar.tabRect(0).adjusted(8, 0, -8, -2)  # without the line below the open one
        picture = bar.grab(place).toImage()
        columns = range(picture.width())
        dark = [
            y
            for y in range(picture.height())
            if any(picture.pixelColor(x, y).lightnessF() < 0.6 for x in columns)
        ]
        return dark[-1] - dark[0]

    whole = height_of_ink()
    board.tabs.setCurrentIndex(1)
    assert height_of_ink() == whole


def test_in_large_type_rows_axis_and_quantity_are_in_view_without_scrolling(
    qtbot: QtBot, session: Session, type_of: Callable[[int], None]
) -> None:
    """At 1280 x 720 and 150 % the legend's last line was cut by the panel."""
    type_of(150)
    board = shown(qtbot, ChartBoard(session, Playback()), 420, 290)
    area = board.tabs.currentWidget()
    assert isinstance(area, QScrollArea)
    assert area.verticalScrollBar().maximum() == 0
    board.timing.view.grab()
    assert len(rows_in_view(board.timing.view)) >= 2
    assert board.timing.view.x_axis.labelText == "Total time, ms"


def test_a_file_shows_what_the_screen_shows_and_no_selection(chart: Chart, tmp_path: Path) -> None:
    chart.choices.choose(UNIT, "µs")
    chart.choices.choose(PHASE, SOLVE)
    texts = []
    for selected in ("bf-serial", "bf-vertex"):
        chart.session.results.select(selected)
        texts.append(chart_svg(chart.to_export()))
    assert texts[0] == texts[1]
    assert "Solve time, µs" in texts[0]
    assert "9\u202f000" in texts[0]
    assert "vertices, " in texts[0], "graph and source"
