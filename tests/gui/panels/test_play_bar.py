"""The play bar: its table of states, its sentences, its slider, and what it does
without in little room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.model.playback import Pace, Playback
from gui.model.session import Session
from gui.panels import play_state as states
from gui.panels.play_bar import PlayBar
from gui.panels.play_state import (
    LOOKS,
    BarPart,
    Button,
    PlayState,
    dropped_parts,
    play_state,
    whole_texts,
)
from gui.panels.scrubber import peaks, wants_log
from gui.style.theme import tokens
from solvers.core.recorder import TraceRecorder
from solvers.core.result import Status
from solvers.core.trace import ActivityTrace, TracePhase
from tests.golden import Golden
from tests.gui.panels.sample import activity_trace, failed_result, make_result, matrix_trace
from tests.gui.windows import type_into

SIZES = (1, 2, 4, 6, 5, 3, 2, 1)


@pytest.fixture
def playback() -> Playback:
    return Playback()


@pytest.fixture
def bar(qtbot: QtBot, playback: Playback, session: Session) -> PlayBar:
    bar = PlayBar(playback, session)
    qtbot.addWidget(bar)
    bar.resize(640, 110)
    bar.show()
    return bar


# -- the table: no pixels
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "position", "playing", "state"),
    [
        (0, 0, False, PlayState.EMPTY),
        (8, 0, False, PlayState.AT_START),
        (8, 3, False, PlayState.BETWEEN),
        (8, 7, False, PlayState.AT_END),
        (8, 3, True, PlayState.PLAYING),
        (1, 0, False, PlayState.AT_END),
    ],
)
def test_states(length: int, position: int, playing: bool, state: PlayState) -> None:
    assert play_state(length, position, playing) is state


def test_the_table_of_buttons(golden: Golden) -> None:
    rows = [
        f"{state.value}: "
        + ", ".join(look.label if look.enabled else f"({look.label})" for look in looks.values())
        for state, looks in LOOKS.items()
    ]
    assert all(set(LOOKS[state]) == set(Button) for state in PlayState)
    golden.check(
        "play bar", "buttons by state; those in brackets cannot be pressed", "\n".join(rows)
    )


# -- sentences
# --------------------------------------------------------------------------------------

PHASES = (TracePhase("climb", "vertex", 0, 3), TracePhase("sweep", "level", 3, 16))
TRACES = {
    "every iteration": activity_trace(SIZES),
    "every 4th iteration": activity_trace((4,) * 16, stride=4),
    "named phases": replace(activity_trace(SIZES, stride=2), phases=PHASES),
    "steps of a matrix": matrix_trace(),
}


@pytest.mark.parametrize("name", TRACES)
def test_what_is_said_of_positions(golden: Golden, name: str) -> None:
    trace = TRACES[name]
    said = [
        states.stride_text(trace),
        states.gathered_text(trace, 294),
        states.gathered_text(trace, 1),
    ]
    for position in (0, 1, 3):
        where = states.where_text(trace, position)
        said += [f"{where} / {states.without_words(where)}"]
        said += ["   ".join(states.facts(trace, position, gathered)) for gathered in (1, 3)]
    golden.check("play bar", name, "\n".join(filter(None, said)))


def test_values_of_the_slider() -> None:
    assert states.activity(TRACES["every 4th iteration"]).tolist() == [4] * 16
    assert states.activity(TRACES["steps of a matrix"]).tolist() == [4, 8, 4, 8]
    assert (states.without_words(""), states.gathered_text(None, 5)) == ("", "")


def test_what_a_trace_offers(session: Session, golden: Golden) -> None:
    cycle = failed_result(session, "bf-vertex", Status.NEGATIVE_CYCLE, "cycle")
    failed = failed_result(session, "bf-serial", Status.ERROR, "no")
    offers = map(
        states.trace_offer, (None, make_result(session, "bf-serial", (9.0,)), cycle, failed)
    )
    golden.check(
        "play bar",
        "offers of a trace",
        "\n".join(f"{o.text}{' [Trace]' * o.can_trace}" for o in offers),
    )


def test_the_time_of_a_trace_is_guessed_from_the_timed_run(session: Session) -> None:
    """A heap settles 3.6 million vertices in half a second, and tells of them in a
    second: not in 6 minutes.
    """
    graph = session.graph
    many = {"iterations": 3_600_000, "relaxations": 3_600_000 * graph.m // graph.n}
    heap = make_result(session, "dijkstra-heap", (499.0,), **many)
    untimed = make_result(session, "dijkstra-heap", **many)
    kernel = make_result(session, "bf-strided", (9.0,), iterations=1000, relaxations=10**6)
    costs = [states.trace_cost(result)[0] for result in (heap, untimed, kernel)]
    assert costs == pytest.approx([750, 5400, 310]), (
        "each iteration of the kernel waits for the device"
    )


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("20", 20.0),
        (" 20 s ", 20.0),
        ("1.5 min", 90.0),
        ("2m", 120.0),
        ("0,5 sec", 0.5),
        ("soon", None),
        ("", None),
        ("-3", None),
        ("0 s", None),
        ("nan", None),
        ("1e999", None),
    ],
)
def test_a_duration_is_typed_in_words_of_the_user(typed: str, seconds: float | None) -> None:
    assert states.seconds_of(typed) == seconds


def test_durations_are_those_offered_and_ones_own() -> None:
    assert states.fit_choices(None) == states.fit_choices(15.0) == [5.0, 15.0, 30.0]
    assert states.fit_choices(20.0) == [5.0, 15.0, 20.0, 30.0]
    assert [states.fit_text(s) for s in (5.0, 12.5, 3600.0)] == ["5 s", "12.5 s", "3600 s"]


def test_every_pace_has_a_name_and_a_reason() -> None:
    assert set(states.PACES) == set(Pace)
    assert len({pace.name for pace in states.PACES.values()}) == len(Pace)
    assert all("side by side" in pace.tip.lower() for pace in states.PACES.values())


# -- the bar
# --------------------------------------------------------------------------------------


def test_without_a_trace_it_says_how_to_get_one(
    qtbot: QtBot, bar: PlayBar, session: Session
) -> None:
    session.results.selection_changed.emit()
    assert bar.isHidden(), "there is nothing to play"
    session.results.add([make_result(session, "bf-serial", (9.0,))])
    assert bar.offer.isVisible()
    assert bar.trace_button.isVisible()
    with qtbot.waitSignal(bar.trace_requested, timeout=1000):
        qtbot.mouseClick(bar.trace_button, Qt.MouseButton.LeftButton)


def test_buttons_step_and_jump(qtbot: QtBot, bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES))
    presses = [
        (Button.FIRST, 0),
        (Button.FORWARD, 1),
        (Button.FORWARD, 2),
        (Button.BACK, 1),
        (Button.LAST, 7),
    ]
    for button, position in presses:
        qtbot.mouseClick(bar.buttons[button], Qt.MouseButton.LeftButton)
        assert playback.position == position
    assert bar.where.text() == "iteration 8 of 8"
    assert bar.watched.isVisibleTo(bar)
    assert bar.watched.text() == "watched run"
    assert "Its times include the recording" in bar.facts.toolTip().replace("\n", " ")
    assert not bar.buttons[Button.FORWARD].isEnabled()


def test_play_becomes_pause(qtbot: QtBot, bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES * 50))
    qtbot.mouseClick(bar.buttons[Button.PLAY], Qt.MouseButton.LeftButton)
    assert playback.playing
    assert bar.buttons[Button.PLAY].toolTip().startswith("Pause")
    qtbot.mouseClick(bar.buttons[Button.PLAY], Qt.MouseButton.LeftButton)
    assert not playback.playing


def test_scrubbing_moves_the_play_back(qtbot: QtBot, bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES))
    scrubber = bar.scrubber
    for position in (2, 6, 0):
        point = QPoint(round(scrubber.x_of(position)), 20)
        qtbot.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=point)
        assert playback.position == position
    qtbot.mousePress(scrubber, Qt.MouseButton.LeftButton, pos=QPoint(round(scrubber.x_of(1)), 20))
    assert scrubber.position_at(-50) == 0
    assert scrubber.position_at(9999) == 7


def test_the_slider_answers_to_keys(qtbot: QtBot, bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES))
    for key, position in (
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_End, 7),
        (Qt.Key.Key_Left, 6),
    ):
        qtbot.keyClick(bar.scrubber, key)
        assert playback.position == position


def test_the_slider_follows_and_marks_what_was_played(bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace((5,) * 8))
    playback.seek(3)
    picture = bar.scrubber.grab().toImage()
    y = picture.height() - 8
    played, ahead = (picture.pixelColor(round(bar.scrubber.x_of(at)), y) for at in (1, 6))
    ground = picture.pixelColor(1, 1)
    assert played.name().upper() == tokens().accent
    assert len({played.name(), ahead.name(), ground.name()}) == 3


def test_speed_and_loop(bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES))
    bar.speed_box.setValue(100)
    assert playback.speed == 100
    bar.speed_box.setValue(0.5)
    assert playback.speed == 0.5
    assert bar.fit_box.currentText() == "own"
    bar.loop_button.click()
    assert playback.loop


def test_a_speed_of_thousands_can_be_typed_and_changed(
    qtbot: QtBot, bar: PlayBar, playback: Playback
) -> None:
    playback.load(activity_trace(SIZES))
    playback.set_speed(17_623.0)
    assert bar.speed_box.text() == "17\N{NARROW NO-BREAK SPACE}623 it/s"
    type_into(qtbot, bar.speed_box, "20 000")
    assert playback.speed == 20_000


def test_the_duration_is_chosen_from_the_list_or_typed(
    qtbot: QtBot, bar: PlayBar, playback: Playback
) -> None:
    playback.load(activity_trace(SIZES * 50))
    box = bar.fit_box
    assert box.currentText() == "15 s"
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert (playback.seconds, playback.speed) == (5.0, 80.0)
    box.lineEdit().selectAll()
    qtbot.keyClicks(box, "20")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert (playback.seconds, playback.speed) == (20.0, 20.0)
    assert [box.itemText(i) for i in range(box.count())] == ["5 s", "15 s", "20 s", "30 s"]
    box.lineEdit().selectAll()
    qtbot.keyClicks(box, "soon")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert (playback.seconds, box.currentText()) == (20.0, "20 s")


def test_the_bar_says_how_many_steps_a_picture_gathers(bar: PlayBar, playback: Playback) -> None:
    playback.load(activity_trace(SIZES * 225))
    assert bar.stride.text() == "gathered 2 steps a picture"
    assert "in 2 iterations: " in bar.facts.text()
    playback.step(-1)
    assert not bar.stride.isVisible()
    assert "in 2 iterations" not in bar.facts.text()
    playback.play()
    playback.pause()
    assert bar.stride.isVisible()


def long_trace() -> ActivityTrace:
    recorder = TraceRecorder(300_000)
    ones = np.ones(264_346, np.int64)
    recorder.iterations(
        np.arange(264_347), np.arange(264_346, dtype=np.int32), ones, ones, 0.001 * ones
    )
    return recorder.finish()


def test_a_narrow_bar_still_says_how_far_the_longest_run_is(
    qtbot: QtBot, playback: Playback, session: Session
) -> None:
    """At 1280 x 720 it hid the number of iterations, and pushed the side bars aside."""
    playback.load(long_trace())
    holder = QWidget()  # in a layout, as in the window
    qtbot.addWidget(holder)
    bar = PlayBar(playback, session)
    QVBoxLayout(holder).addWidget(bar)
    holder.show()
    for width, with_words in ((900, True), (0, False), (900, True)):
        holder.resize(width, 130)
        qtbot.waitUntil(lambda with_words=with_words: bar.watched.isVisible() is with_words)
    holder.resize(0, 130)
    qtbot.waitUntil(lambda: not bar.watched.isVisible())
    assert bar.width() <= 640
    wanted = bar.where.fontMetrics().horizontalAdvance(bar.where.text())
    qtbot.waitUntil(lambda: bar.where.width() >= wanted)


@pytest.mark.parametrize("percent", [100, 150])
@pytest.mark.parametrize("width", [340, 420, 520, 640, 900])
def test_nothing_in_the_bar_is_cut(
    qtbot: QtBot,
    playback: Playback,
    session: Session,
    type_of: Callable[[int], None],
    width: int,
    percent: int,
) -> None:
    """At 1280 x 720 it read "itera", "s" and "40.", and at 150 % even less."""
    type_of(percent)
    holder = QWidget()
    qtbot.addWidget(holder)
    bar = PlayBar(playback, session, holder)
    playback.load(long_trace())
    bar.setGeometry(0, 0, width, 180)  # as over the canvas: whatever it would like to have
    holder.show()
    playback.seek(132_174)
    shown = [bar.where, bar.facts, *bar.buttons.values(), bar.pace_button]
    shown += [
        part
        for part in (bar.watched, bar.fit_box, bar.speed_box, bar.loop_button, bar.stride)
        if part.isVisible()
    ]
    cut = [part for part in shown if part.width() < part.minimumSizeHint().width()]
    assert not cut
    assert max(part.geometry().right() for part in shown) < width
    assert "132\N{NARROW NO-BREAK SPACE}" in bar.where.text()
    assert " active" in bar.facts.text()
    assert "arcs relaxed" in bar.facts.toolTip() or "arcs relaxed" in bar.facts.text()


def test_the_pace_is_named_in_the_bar_and_chosen_there(
    qtbot: QtBot, bar: PlayBar, playback: Playback
) -> None:
    playback.load(activity_trace(SIZES))
    assert bar.pace_button.text() == "iterations"
    for pace, words_of_it in states.PACES.items():
        bar.paces[pace].trigger()
        assert playback.pace is pace
        assert bar.pace_button.text() == words_of_it.short
        assert bar.pace_button.toolTip().startswith(f"{words_of_it.name}: ")
    playback.set_pace(Pace.TIME)  # as the menu does
    assert bar.paces[Pace.TIME].isChecked()
    assert bar.pace_button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_a_long_run_keeps_its_peak_however_few_pixels_there_are() -> None:
    values = np.ones(100_000)
    values[54_321] = 999
    high = peaks(values.astype(np.int64), 300)
    assert len(high) == 300
    assert (high.max(), high.min()) == (999, 1)
    assert peaks(np.array([3, 9, 4]), 300).tolist() == [3, 9, 4]
    assert len(peaks(np.empty(0, np.int64), 300)) == 0
    assert wants_log(values.astype(np.int64))
    assert not wants_log(np.empty(0, np.int64))
    assert not wants_log(np.array(SIZES))
    assert wants_log(np.array([1, 2, 1, 3, 90_000]))


def test_without_a_trace_the_bar_is_one_line(
    bar: PlayBar, session: Session, playback: Playback
) -> None:
    """It took room from the picture."""
    playback.load(activity_trace(SIZES))
    full = bar.sizeHint().height()
    playback.load(None)
    session.results.add([make_result(session, "bf-vertex", (9.0,))])
    assert bar.sizeHint().height() < 0.6 * full


SAVINGS = dict(zip(BarPart, (80, 60, 90, 50, 30, 60, 40), strict=True))


@pytest.mark.parametrize(
    ("room", "dropped"),
    [
        (700, 0),
        (699, 1),
        (620, 1),
        (619, 2),
        (560, 2),
        (470, 3),
        (421, 4),
        (419, 5),
        (330, 6),
        (200, 7),
    ],
)
def test_parts_go_in_their_order(room: int, dropped: int) -> None:
    assert dropped_parts(700, SAVINGS, room) == set(list(BarPart)[:dropped])


@pytest.mark.parametrize(
    ("texts", "room", "count"),
    [(3, 330, 3), (3, 329, 2), (3, 215, 2), (3, 214, 1), (3, 20, 1), (0, 100, 0)],
)
def test_only_whole_texts_are_shown(texts: int, room: int, count: int) -> None:
    assert whole_texts([100] * texts, 15, room) == count


def test_live_has_no_play_bar(bar: PlayBar, playback: Playback, session: Session) -> None:
    playback.load(activity_trace(SIZES))
    for on in (True, False):
        session.unmeasured.set_follows(on)
        assert bar.isHidden() == on, "iterations are not in the picture"
