"""The play-back: where it stands after every press, at any speed, at both ends."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.model.playback import PREFERRED_SECONDS, SPEED_RANGE, Pace, Playback, run_clock
from solvers.contracts.trace import ActivityTrace, TraceRecorder


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


def test_a_new_trace_stands_at_its_end_and_plays_in_about_twelve_seconds(playback: Playback) -> None:
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


def test_play_from_the_end_begins_anew_and_pauses_at_the_end(playback: Playback, qtbot: QtBot) -> None:
    positions: list[int] = []
    playback.moved.connect(positions.append)
    playback.set_speed(400)
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
    for _ in range(60):
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


def test_every_move_of_the_clock_is_ticked_but_only_whole_steps_are_moves(playback: Playback, qtbot: QtBot) -> None:
    ticks, moves = [], []
    playback.seek(0)
    playback.ticked.connect(lambda: ticks.append(playback.elapsed_ms))
    playback.moved.connect(moves.append)
    playback.set_speed(4.0)
    playback.play()
    qtbot.waitUntil(lambda: len(moves) >= 2)
    playback.pause()
    assert len(ticks) > 2 * len(moves)
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
