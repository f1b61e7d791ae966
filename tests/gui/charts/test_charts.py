"""Charts on the screen: their data, where marks are, what a click does, how they share the room."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.charts.board import ChartBoard
from gui.charts.chart import Chart, Switch
from gui.charts.iteration_chart import BAND_WORDS, FrontierChart, IterationFigure, series_of
from gui.charts.rows import phase_rows, timing_rows, with_live_row
from gui.charts.scales import counts, envelope, medians
from gui.charts.timing import PhaseMarks, PhasesChart, TimingChart, TimingMarks
from gui.model.playback import Playback
from gui.model.results import RunState
from gui.model.session import Session
from gui.model.settings import CHART, LINEAR, SOLVE, SPEED_UP, DisplayChoices, Settings
from gui.model.window_thread import WindowThread
from gui.style import theme
from gui.style.theme import tokens, variant_colour
from solvers.core.result import Disturbance, DisturbanceKind, Status, Verdict
from solvers.core.variant import all_variants
from solvers.picture.colours import Scheme
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
def chart(qtbot: QtBot, session: Session) -> TimingChart:
    return shown(qtbot, TimingChart(session), 500, 260)


@pytest.fixture
def board(qtbot: QtBot, session: Session) -> ChartBoard:
    return shown(qtbot, ChartBoard(session, Playback()), 380, 400)


def marks(chart: TimingChart) -> TimingMarks:
    found = chart.figure.marks
    assert isinstance(found, TimingMarks)
    return found


def test_an_empty_chart_says_what_will_be_there(qtbot: QtBot) -> None:
    chart = TimingChart(opened_session())
    qtbot.addWidget(chart)
    chart.show()
    assert chart.is_empty
    assert chart.empty.isVisible()


def test_medians_stand_at_the_logarithm_of_their_value(chart: TimingChart) -> None:
    """1 ms, 10 ms and 100 ms: equal steps in log10, and the pixels say the same as the view box."""
    pixels = [marks(chart).median_pixel(row) for row in range(3)]
    assert pixels[1].x() - pixels[0].x() == pytest.approx(pixels[2].x() - pixels[1].x(), abs=0.01)
    assert pixels[0].y() < pixels[1].y() < pixels[2].y(), "the quickest is on top"
    place = chart.figure.box.mapToView(pixels[1])
    assert (place.x(), place.y()) == (pytest.approx(math.log10(10.0)), pytest.approx(1.0))


def test_ticks_stand_where_their_label_says(chart: TimingChart) -> None:
    axis = chart.figure.x_axis
    low, high = chart.figure.box.viewRange()[0]
    [(_, labelled), _] = axis.tickValues(low, high, chart.figure.box.width())
    said = dict(zip(axis.tickStrings(labelled, 1.0, 1.0), labelled, strict=True))
    assert said["10"] == pytest.approx(1.0)
    assert said["100"] == pytest.approx(2.0)


def test_linear_starts_at_zero(chart: TimingChart) -> None:
    chart.scale.choose(LINEAR)
    chart.view.grab()
    assert chart.figure.box.viewRange()[0][0] == 0
    assert chart.figure.box.mapToView(marks(chart).median_pixel(2)).x() == pytest.approx(100.0)


def test_speed_ups_are_over_the_baseline(chart: TimingChart, session: Session) -> None:
    chart.quantity.choose(SPEED_UP)
    chart.view.grab()
    assert [row.median for row in marks(chart).rows] == [100.0, 10.0, 1.0]
    chart.phase.choose(SOLVE)
    assert [row.variant_id for row in chart.rows()] == ["bf-vertex", "bf-serial"], (
        "0 ms has no ratio"
    )
    session.results.set_baseline("bf-vertex")
    assert chart.rows()[0].median == 1.0


def test_trials_of_the_variant_being_run_appear_one_by_one(
    chart: TimingChart, session: Session
) -> None:
    trials = make_result(session, "bf-serial", (9.0, 3.0)).trials
    before = [row.variant_id for row in marks(chart).rows]
    session.results.set_run_state(RunState((), "bf-serial", trials[:1]))
    assert [row.variant_id for row in marks(chart).rows] == before, "warm-ups have no dot"
    for made in (2, 3):
        session.results.set_run_state(RunState((), "bf-serial", trials[:made]))
        assert marks(chart).rows[-1].variant_id == "bf-serial"
        assert len(marks(chart).rows[-1].samples) == made - 1
    session.results.set_run_state(RunState())
    assert [row.variant_id for row in marks(chart).rows] == before


def test_in_a_low_chart_rows_come_before_the_legend(chart: TimingChart) -> None:
    assert len(chart.figure.legend.shown) > 1
    chart.resize(500, 190)
    chart.view.grab()
    assert [words for _, words in chart.figure.legend.shown] == ["Total time, ms"]
    chart.refresh()
    assert len(chart.figure.legend.shown) == 1
    chart.resize(500, 400)
    assert len(chart.figure.legend.shown) > 1


def test_a_disturbed_median_is_hollow(chart: TimingChart, session: Session) -> None:
    words = "Other programs used 1.4 cores during the trials."
    doubt = (Disturbance(DisturbanceKind.LOAD, words),)
    session.results.add([make_result(session, "bf-vertex", (9.0,) * 6, disturbances=doubt)])
    picture = chart.view.grab().toImage()
    at = chart.view.mapFromScene(scene_point(chart, 1))
    assert picture.pixelColor(at).name().upper() == tokens().panel
    assert words in chart.words_of("bf-vertex")
    assert "95 % confidence interval 10.0 ms to 10.0 ms" in chart.words_of("bf-vertex")


def scene_point(chart: TimingChart, row: int) -> QPointF:
    return chart.figure.box.mapToScene(marks(chart).median_pixel(row))


def test_a_click_on_a_mark_selects_everywhere(
    qtbot: QtBot, chart: TimingChart, session: Session
) -> None:
    point = chart.view.mapFromScene(scene_point(chart, 1))
    qtbot.mouseClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(point))
    assert session.results.selected_id == "bf-vertex"
    assert marks(chart).selected == "bf-vertex"


def test_what_is_selected_elsewhere_is_emphasised_here(
    chart: TimingChart, session: Session
) -> None:
    session.results.select("bf-strided")
    assert marks(chart).selected == "bf-strided"
    picture = chart.view.grab().toImage()
    stripe = chart.view.mapFromScene(scene_point(chart, 0)) + QPoint(30, 0)
    plain = chart.view.mapFromScene(scene_point(chart, 2)) - QPoint(30, 0)
    assert picture.pixelColor(stripe) != picture.pixelColor(plain)
    assert picture.pixelColor(plain).name().upper() == tokens().panel


def test_the_median_is_drawn_in_the_variants_colour(chart: TimingChart) -> None:
    picture = chart.view.grab().toImage()
    at = chart.view.mapFromScene(scene_point(chart, 1))
    assert picture.pixelColor(at).name().upper() == variant_colour("bf-vertex", tokens().dark)


def test_hovering_names_the_variant_and_its_numbers(chart: TimingChart) -> None:
    chart.view.scene().sigMouseMoved.emit(scene_point(chart, 1))
    assert marks(chart).hovered == "bf-vertex"
    assert chart.words_of("bf-vertex").splitlines() == [
        "Bellman-Ford vertex  (bf-vertex)",
        "median 10.0 ms",
        "min 9.00 ms, max 12.0 ms, 3 trials",
    ]


def test_up_and_down_walk_through_the_rows(
    qtbot: QtBot, chart: TimingChart, session: Session
) -> None:
    qtbot.keyClick(chart, Qt.Key.Key_Up)
    assert session.results.selected_id == "bf-vertex"
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    assert session.results.selected_id == "bf-serial"


def test_the_chart_turns_dark_with_the_window(chart: TimingChart) -> None:
    theme.apply(QGuiApplication.instance(), Scheme.DARK)
    dark = chart.figure.t.dark
    theme.apply(QGuiApplication.instance(), Scheme.LIGHT)
    assert dark
    assert not chart.figure.t.dark


def test_stacked_bars_join_without_gaps_and_end_at_the_total(
    qtbot: QtBot, session: Session
) -> None:
    chart = shown(qtbot, PhasesChart(session), 500, 260)
    bars = chart.figure.marks
    assert isinstance(bars, PhaseMarks)
    row = bars.keys.index("bf-vertex")
    prepare, _, solve, _ = (bars.segment(row, i) for i in range(4))
    assert solve.left() == pytest.approx(prepare.right())
    assert solve.width() == pytest.approx(9 * prepare.width())
    assert chart.figure.box.mapToView(
        QPointF(solve.right(), solve.center().y())
    ).x() == pytest.approx(10.0)


def test_the_frontiers_cursor_follows_the_play_back_and_a_click_moves_it(
    qtbot: QtBot, session: Session
) -> None:
    playback = Playback()
    chart = shown(qtbot, FrontierChart(session, playback), 500, 260)
    assert chart.is_empty
    trace = activity_trace(tuple(range(1, 101)))
    session.results.add([make_result(session, "bf-vertex", (9.0,), trace=trace)])
    playback.load(trace)
    chart.view.grab()
    assert isinstance(chart.figure, IterationFigure)
    assert chart.figure.cursor_line.iteration == 100
    playback.seek(41)
    assert chart.figure.cursor_line.iteration == 42
    x = chart.figure.curves.to_pixel(20.0, 0).x()
    at = chart.view.mapFromScene(chart.figure.box.mapToScene(QPointF(x, 30)))
    qtbot.mouseClick(chart.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert abs(playback.position - 19) <= 1


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
    (window,) = board.windows
    assert window.isVisible()
    assert window.windowTitle().startswith("Phases")
    assert board.phases.window() is window
    assert [board.tabs.tabText(i) for i in range(board.tabs.count())] == [
        "Timing",
        "Frontier",
        "Device",
    ]
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert "dijkstra-heap" in board.phases.figure.marks.keys
    window.close()
    assert not board.windows
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
    board.timing.scale.choose(LINEAR)
    board.tabs.setCurrentIndex(2)
    later = shown(qtbot, ChartBoard(session, Playback(), DisplayChoices(settings)), 380, 400)
    assert later.tabs.tabText(later.tabs.currentIndex()) == "Frontier"
    assert later.timing.scale.chosen == LINEAR
    settings.keep(f"display/{CHART}", "Removed in a later version")
    assert DisplayChoices(settings)[CHART] == "Timing"


def test_a_run_longer_than_the_chart_is_wide_is_drawn_without_gaps_and_with_its_peak(
    qtbot: QtBot, session: Session
) -> None:
    sizes = [1, 900] * 1500
    sizes[2345] = 5000
    session.results.add(
        [make_result(session, "bf-vertex", (9.0,), trace=activity_trace(tuple(sizes)))]
    )
    chart = shown(qtbot, FrontierChart(session, Playback()), 400, 260)
    curves = chart.figure.curves
    series = curves.series[0]
    low, high = envelope(series.values, 300)
    columns = curves.columns(low, high, 0.0, 300.0, 1.2)
    assert len(columns) == 300
    for left, right in pairwise(columns):
        assert right.left() <= left.right() + 1e-6
        assert right.top() <= left.bottom() + 1e-6
        assert left.top() <= right.bottom() + 1e-6
    peak = min(columns, key=lambda column: column.top())
    assert chart.figure.box.mapToView(QPointF(0, peak.top())).y() == pytest.approx(
        math.log10(5000), abs=1e-3
    )


def test_a_long_run_has_its_median_over_a_pale_band_which_the_legend_explains(
    qtbot: QtBot, session: Session
) -> None:
    """A run that alternates was a solid block from its least to its most."""
    sizes = ([10] * 9 + [900]) * 300
    session.results.add(
        [make_result(session, "bf-vertex", (9.0,), trace=activity_trace(tuple(sizes)))]
    )
    assert set(medians(np.array(sizes, np.float64), 60).tolist()) == {10.0}
    chart = shown(qtbot, FrontierChart(session, Playback()), 400, 260)
    words = [words for _, words in chart.figure.legend.shown]
    assert words[-1] == BAND_WORDS
    axis, box = chart.figure.x_axis, chart.figure.box
    assert box.viewRange()[0][0] < 0.0
    assert axis.ticks(*box.viewRange()[0], box.width())[0][0] > 0, "there is no iteration 0"
    picture = chart.view.grab().toImage()

    def lightness_at(value: float) -> float:
        """The darkest of five pixels, one above the other."""
        pixel = chart.figure.curves.to_pixel(1500.0, math.log10(value))
        at = chart.view.mapFromScene(chart.figure.box.mapToScene(pixel))
        return min(picture.pixelColor(at + QPoint(0, dy)).lightnessF() for dy in range(-2, 3))

    strong = QColor(variant_colour("bf-vertex", tokens().dark)).lightnessF()
    assert strong + 0.15 < lightness_at(70.0) < QColor(tokens().panel).lightnessF() - 0.05
    assert lightness_at(10.0) < strong + 0.12
    chart.resize(4000, 260)
    QApplication.processEvents()
    assert BAND_WORDS not in [words for _, words in chart.figure.legend.shown]


@pytest.fixture
def crowded(qtbot: QtBot) -> TimingChart:
    """More variants than a chart of 300 pixels has room for."""
    session = opened_session()
    for place, variant in enumerate(all_variants()):
        session.results.add([make_result(session, variant.id, (1.0 + place,))])
    return shown(qtbot, TimingChart(session), 500, 300)


def test_many_rows_scroll_and_the_axis_stays_in_view(crowded: TimingChart) -> None:
    assert crowded.height() == 300
    assert crowded.scroll_bar.isVisible()
    axis = crowded.figure.x_axis
    assert (
        crowded.view.viewport()
        .rect()
        .contains(crowded.view.mapFromScene(axis.sceneBoundingRect().center()))
    )
    rows = marks(crowded).rows_in_view()
    assert rows.start == 0
    assert marks(crowded).row_rect(0).height() >= 18
    crowded.scroll_bar.setValue(crowded.scroll_bar.maximum())
    assert marks(crowded).rows_in_view().stop == len(marks(crowded).keys)
    assert len(marks(crowded).rows_in_view()) == len(rows)


def test_a_selected_row_is_scrolled_into_view(crowded: TimingChart) -> None:
    last = marks(crowded).keys[-1]
    crowded.session.results.select(last)
    assert len(marks(crowded).keys) - 1 in marks(crowded).rows_in_view()
    crowded.session.results.select(marks(crowded).keys[0])
    assert 0 in marks(crowded).rows_in_view()


def test_the_wheel_scrolls_the_rows(crowded: TimingChart, qtbot: QtBot) -> None:
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
    assert crowded.scroll_bar.value() > 0


def test_the_stripe_of_a_lone_row_looks_like_a_row(qtbot: QtBot) -> None:
    session = opened_session()
    session.results.add([make_result(session, "bf-serial", (5.0,))])
    chart = shown(qtbot, TimingChart(session), 500, 600)
    assert marks(chart).row_rect(0).height() > 300
    assert marks(chart).stripe_rect(0).height() == pytest.approx(34)


def test_a_chart_that_is_seen_follows_in_a_turn_of_its_own(
    qtbot: QtBot, chart: TimingChart, session: Session
) -> None:
    session.window = WindowThread(session)
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert "dijkstra-heap" not in marks(chart).keys
    qtbot.waitUntil(lambda: "dijkstra-heap" in marks(chart).keys)


def test_a_chart_behind_a_tab_is_drawn_once_it_is_seen(
    qtbot: QtBot, board: ChartBoard, session: Session
) -> None:
    """Redrawing all charts for every result held up the window; only what is seen has
    to follow at once.
    """
    seen = board.timing.figure
    session.results.add([make_result(session, "dijkstra-heap", (1.0,))])
    assert board.timing.figure is seen, "only filled again"
    assert "dijkstra-heap" in board.timing.figure.marks.keys
    assert "dijkstra-heap" not in board.phases.figure.marks.keys
    board.tabs.setCurrentIndex(1)
    assert "dijkstra-heap" in board.phases.figure.marks.keys


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
    whole, thinned = series_of(measured_session.results.all, "active")
    assert (whole.values.tolist(), whole.end) == ([1, 4, 2], 3.0)
    assert (thinned.values.tolist(), thinned.end) == ([3, 5], 5.0)
    assert series_of(measured_session.results.all, "relaxed")[0].values.tolist() == [3, 12, 6]


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
    qtbot.waitUntil(lambda: board.frontier.figure is not None)
    QApplication.processEvents()
    legend = board.frontier.figure.legend
    assert legend.sceneBoundingRect().bottom() <= board.frontier.view.height()
    assert legend.rect().height() <= 3 * board.fontMetrics().height()


def test_in_a_panel_names_stand_in_the_plot_which_has_the_panels_width(
    qtbot: QtBot, session: Session
) -> None:
    """Names and figures left a third of a panel to the marks, and were shortened."""
    chart = shown(qtbot, TimingChart(session), 340, 300)
    assert chart.figure.box.width() > chart.figure.rect().width() - 20
    picture, at = chart.view.grab().toImage(), chart.view.mapFromScene(scene_point(chart, 0))
    name_px = chart.fontMetrics().horizontalAdvance("Bellman-Ford vertex")
    line = range(at.y() - 22, at.y() - 9)
    ink = [
        x
        for x in range(picture.width())
        if any(picture.pixelColor(x, y).lightnessF() < 0.5 for y in line)
    ]
    name = [x for x in ink if x < picture.width() * 0.7]
    assert name[-1] - name[0] > 0.8 * name_px, "the whole name"
    assert ink[-1] > picture.width() - 40, "the figure is at the right end"
    wide = shown(qtbot, TimingChart(session), 900, 300)
    assert wide.figure.box.width() < wide.view.width() - name_px


def test_the_legend_shows_each_mark_as_it_is_drawn(qtbot: QtBot, session: Session) -> None:
    session.results.add([make_result(session, "bf-vertex", (8.0, 9.0, 9.5, 9.7, 10.0, 11.0))])
    chart = shown(qtbot, TimingChart(session), 500, 260)
    words = [words for _, words in chart.figure.legend.shown]
    assert words == ["Total time, ms", "median", "95 % interval", "range", "trial, 3 to 6 each"]
    assert all(callable(swatch) for swatch, _ in chart.figure.legend.shown[1:])
    place = chart.view.mapFromScene(chart.figure.legend.sceneBoundingRect()).boundingRect()
    picture = chart.view.grab(place).toImage()
    grey = [
        [picture.pixelColor(x, y).name().upper() == tokens().muted for x in range(picture.width())]
        for y in range(picture.height())
    ]
    longest = max(len(run) for row in grey for run in "".join(" x"[p] for p in row).split())
    assert longest >= 12, "the bar of the interval"


def test_an_axis_has_one_unit(chart: TimingChart, session: Session) -> None:
    """300 µs, 1 ms and 3 s on one axis have to be converted to be compared."""
    session.results.add([make_result(session, "dijkstra-heap", (0.05, 4000.0))])
    chart.view.grab()
    axis = chart.figure.x_axis
    [(_, labelled), _] = axis.tickValues(*chart.figure.box.viewRange()[0], chart.figure.box.width())
    said = axis.tickStrings(labelled, 1.0, 1.0)
    assert len(said) >= 3
    assert [float(text.replace("\u202f", "")) for text in said] == pytest.approx(
        [10**place for place in labelled]
    )


@pytest.mark.parametrize(
    ("low", "high", "letter"), [(0.8, 4e5, ""), (0.8, 8e7, ""), (2e6, 3e9, " M"), (1e3, 9e8, " k")]
)
def test_a_logarithmic_axis_of_counts_has_one_way_of_printing_numbers(
    qtbot: QtBot, session: Session, low: float, high: float, letter: str
) -> None:
    """500 and 1 k stood on one axis, and 500 k beside 1 M."""
    chart = shown(qtbot, TimingChart(session), 500, 260)
    axis = chart.figure.add_counts(counts(True, low, high), high)
    labelled, _ = axis.ticks(math.log10(low), math.log10(high), 300.0)
    said = axis.tickStrings(labelled, 1.0, 1.0)
    assert len(said) >= 3
    assert all(text.endswith(letter) for text in said)
    values = [float(text.removesuffix(letter).replace("\u202f", "")) for text in said]
    unit = {"": 1.0, " k": 1e3, " M": 1e6}[letter]
    assert [value * unit for value in values] == pytest.approx([10**place for place in labelled])
    metrics = QFontMetricsF(chart.figure.text_font)
    assert max(map(metrics.horizontalAdvance, said)) + 4 < axis.maximumWidth()


def test_no_count_below_one_is_labelled(qtbot: QtBot, session: Session) -> None:
    """A frontier of one or two vertices had an axis with 0.8 and 0.9 of one."""
    session.results.add(
        [make_result(session, "bf-vertex", (9.0,), trace=activity_trace((1, 2, 1)))]
    )
    figure = shown(qtbot, FrontierChart(session, Playback()), 500, 260).figure
    labelled, _ = figure.y_axis.ticks(*figure.box.viewRange()[1], figure.box.height())
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
    assert [words for _, words in board.timing.figure.legend.shown] == ["Total time, ms"]
    assert len(marks(board.timing).rows_in_view()) >= 2
