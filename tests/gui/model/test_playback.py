"""The play-back: where it stands after every press, at any speed."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.model.playback import (
    FIT_RANGE,
    FIT_SECONDS,
    PREFERRED_SECONDS,
    SPEED_RANGE,
    Pace,
    Playback,
    run_clock,
)
from gui.model.settings import Settings
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace


def trace_of(length: int) -> ActivityTrace:
    recorder = TraceRecorder(length)
    for k in range(length):
        recorder.iteration(np.array([k]), 1, 1, 0.1)
    return recorder.finish()


@pytest.fixture
def playback(qtbot: QtBot) -> Playback:
    made = Playback()
    made.load(trace_of(20))
    return made


def test_a_new_trace_stands_at_its_end_and_plays_in_fifteen_seconds(playback: Playback) -> None:
    assert playback.position == 19
    assert playback.speed == pytest.approx(20 / PREFERRED_SECONDS)
    assert not playback.playing


def test_steps_stop_at_both_ends(playback: Playback) -> None:
    playback.step(1)
    assert playback.position == 19
    playback.step(-10)
    assert playback.position == 9
    playback.step(-10)
    assert playback.position == 0
    playback.to_end()
    assert playback.position == 19
    playback.to_start()
    assert playback.position == 0


def test_only_real_moves_are_told(playback: Playback, qtbot: QtBot) -> None:
    positions: list[int] = []
    playback.moved.connect(positions.append)
    playback.seek(5)
    playback.seek(5)
    playback.step(1)
    assert positions == [5, 6]


def test_play_from_the_end_begins_anew_and_pauses_at_the_end(
    playback: Playback, qtbot: QtBot
) -> None:
    positions: list[int] = []
    playback.set_speed(400)
    playback.moved.connect(positions.append)
    playback.play()
    assert playback.playing
    qtbot.waitUntil(lambda: not playback.playing)
    assert positions[0] == 0
    assert positions == sorted(positions)
    assert playback.position == 19


def test_in_a_loop_it_never_stops(playback: Playback, qtbot: QtBot) -> None:
    positions: list[int] = []
    playback.set_loop(True)
    playback.set_speed(1000)
    playback.moved.connect(positions.append)
    playback.play()
    qtbot.waitUntil(lambda: positions.count(0) >= 2)
    assert playback.playing
    playback.pause()


def test_a_step_pauses(playback: Playback) -> None:
    playback.play()
    playback.step(1)
    assert not playback.playing
    assert playback.position == 1


def test_speed_keeps_within_its_range(playback: Playback) -> None:
    for _ in range(60):
        playback.faster()
    assert playback.speed == SPEED_RANGE[1]
    for _ in range(80):
        playback.slower()
    assert playback.speed == SPEED_RANGE[0]


def test_without_a_trace_nothing_moves_and_nothing_breaks(qtbot: QtBot) -> None:
    playback = Playback()
    playback.toggle()
    playback.step(1)
    playback.seek(3)
    assert (playback.position, playback.length, playback.playing) == (0, 0, False)


def test_unloading_stops_the_clock(playback: Playback) -> None:
    playback.play()
    playback.load(None)
    assert not playback.playing
    assert playback.length == 0


def test_at_the_pace_of_time_a_long_iteration_lasts_longer(qtbot: QtBot) -> None:
    recorder = TraceRecorder(4)
    for k, ms in enumerate((1.0, 8.0, 1.0)):
        recorder.iteration(np.array([k]), 1, 1, ms)
    playback = Playback()
    playback.load(recorder.finish())
    assert run_clock(playback.trace).tolist() == [0, 1, 9, 10]
    playback.set_pace(Pace.TIME)
    playback.set_speed(3.0)  # three iterations of 10 ms in all a second: 10 ms of the run a second
    playback.seek(0)
    assert playback.elapsed_ms == pytest.approx(1.0)
    assert playback._after(1.2) == pytest.approx(0.5)  # 4 of the 8 ms of the second
    assert playback._after(2.4) == pytest.approx(1.0)
    assert playback._after(3.0) > 2  # past the end
    playback.set_pace(Pace.ITERATIONS)
    assert playback._after(1.2) == pytest.approx(1.2)


def test_the_leader_is_played_until_it_steps_down(playback: Playback) -> None:
    own, leader = playback.trace, trace_of(50)
    playback.lead(leader)
    assert (playback.length, playback.position) == (50, 49)
    other = trace_of(7)
    playback.load(other)
    assert playback.trace is leader
    playback.lead(None)
    assert playback.trace is other
    assert own is not other


def test_every_move_of_the_clock_is_ticked_but_only_whole_steps_are_moves(
    playback: Playback, qtbot: QtBot
) -> None:
    ticks, moves = [], []
    playback.seek(0)
    playback.ticked.connect(lambda: ticks.append(playback.elapsed_ms))
    playback.moved.connect(moves.append)
    playback.set_speed(2.0)
    playback.play()
    qtbot.waitUntil(lambda: len(moves) >= 2)
    playback.pause()
    assert len(ticks) > len(moves)
    assert ticks == sorted(ticks)


def test_play_back_stands_still_during_a_measurement_and_goes_on_afterwards(qtbot: QtBot) -> None:
    playback = Playback()
    playback.load(trace_of(30))
    playback.set_loop(True)
    playback.hold(True)
    playback.play()
    assert playback.playing
    qtbot.wait(100)
    assert playback.position == 0
    playback.hold(False)
    qtbot.waitUntil(lambda: playback.position > 0)
    playback.pause()


def long_run(length: int) -> ActivityTrace:
    """One vertex an iteration, as in Dijkstra's algorithm, recorded in one batch."""
    recorder = TraceRecorder(length)
    ones = np.ones(length, np.int64)
    recorder.iterations(
        np.arange(length + 1), np.arange(length, dtype=np.int32), ones, ones, np.full(length, 0.001)
    )
    return recorder.finish()


DIJKSTRA_ON_NEW_YORK = 264_346


@pytest.mark.parametrize(("seconds", "gathered"), [(5.0, 881), (15.0, 294), (30.0, 147)])
def test_a_run_of_any_length_is_gathered_into_the_wanted_seconds(
    qtbot: QtBot, seconds: float, gathered: int
) -> None:
    assert seconds in FIT_SECONDS
    playback = Playback()
    playback.load(long_run(DIJKSTRA_ON_NEW_YORK))
    playback.fit(seconds)
    assert playback.speed * seconds == pytest.approx(DIJKSTRA_ON_NEW_YORK)
    assert playback.gathered == gathered
    assert playback.seconds == seconds
    playback.load(trace_of(20))
    assert (playback.seconds, playback.gathered) == (seconds, 1), (
        "the next run lasts as long, with no need to gather"
    )


def test_a_step_shows_one_iteration_and_playing_gathers_again(qtbot: QtBot) -> None:
    playback = Playback()
    playback.load(long_run(90_000))
    told: list[tuple[int, int]] = []
    playback.moved.connect(lambda position: told.append((position, playback.gathered)))
    playback.seek(45_000)
    playback.step(1)
    playback.seek(45_001)
    playback.fit(30.0)
    assert told == [(45_000, 100), (45_001, 1), (45_001, 100), (45_001, 50)]


def test_a_speed_of_ones_own_ends_with_the_trace_it_was_chosen_for(playback: Playback) -> None:
    playback.set_speed(3.0)
    assert (playback.speed, playback.seconds) == (3.0, None)
    playback.load(trace_of(45))
    assert (playback.speed, playback.seconds) == (3.0, 15.0), "45 iterations in 15 s"
    playback.faster()
    assert playback.seconds is None


@pytest.mark.parametrize(("wanted", "kept"), [(0.0, FIT_RANGE[0]), (1e9, FIT_RANGE[1]), (7.5, 7.5)])
def test_a_duration_keeps_within_its_range(playback: Playback, wanted: float, kept: float) -> None:
    playback.fit(wanted)
    assert playback.seconds == kept


def test_by_time_a_picture_gathers_what_takes_equally_long(qtbot: QtBot) -> None:
    ms = np.concatenate((np.full(600, 1.0), np.full(600, 9.0)))
    recorder = TraceRecorder(1200)
    ones = np.ones(1200, np.int64)
    recorder.iterations(np.arange(1201), np.arange(1200, dtype=np.int32), ones, ones, ms)
    playback = Playback()
    playback.load(recorder.finish())
    playback.set_pace(Pace.TIME)
    playback.fit(5.0)
    assert playback.picture_ms == pytest.approx(20.0)
    playback.seek(300)
    quick = playback.gathered
    playback.seek(900)
    assert (quick, playback.gathered) == (20, 3)


def test_duration_and_pace_are_remembered(qtbot: QtBot, settings: Settings) -> None:
    playback = Playback(settings=settings)
    assert (playback.seconds, playback.pace) == (PREFERRED_SECONDS, Pace.ITERATIONS)
    playback.fit(42.0)
    playback.set_pace(Pace.PROGRESS)
    again = Playback(settings=settings)
    assert (again.seconds, again.pace) == (42.0, Pace.PROGRESS)


@pytest.mark.parametrize("seconds", ["", "soon", "nan", "-3"])
def test_a_damaged_setting_is_no_obstacle(qtbot: QtBot, settings: Settings, seconds: str) -> None:
    settings.keep("play/seconds", seconds)
    settings.keep("play/pace", "sideways")
    playback = Playback(settings=settings)
    assert playback.seconds in (PREFERRED_SECONDS, FIT_RANGE[0])
    assert playback.pace is Pace.ITERATIONS
