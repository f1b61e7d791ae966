"""A recorded drag: its steps at their times."""

from __future__ import annotations

import numpy as np
import pytest

from gui.features.live import recording as recording_module
from gui.features.live.recording import DragRecording, DragStep, drag_along


def step(vertex: int) -> DragStep:
    return DragStep((vertex,), 9)


@pytest.mark.parametrize(
    ("recorded", "rate", "shown"),
    [
        (((1, 10.0), (2, 10.1), (3, 10.3)), 10.0, [1, 2, 2, 3]),
        # a pause is shortened, a repeated step kept once
        (((1, 0.0), (1, 0.5), (2, 60.0)), 4.0, [1, 1, 1, 1, 2]),
    ],
)
def test_steps_come_at_their_times(recorded, rate, shown) -> None:
    recording = DragRecording()
    for vertex, time_s in recorded:
        recording.add(step(vertex), time_s)
    assert len(recording) == len({vertex for vertex, _ in recorded})
    assert [s.sources[0] for s in recording.steps(rate=rate)] == shown


def test_nothing_recorded_gives_no_steps_and_one_step_is_one() -> None:
    recording = DragRecording()
    assert recording.steps() == ()
    recording.add(step(4), 1.0)
    assert recording.steps() == (step(4),)


def test_a_recording_ends_at_its_limit(monkeypatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_STEPS", 5)
    recording = DragRecording()
    for vertex in range(9):
        recording.add(step(vertex), float(vertex))
    assert len(recording) == 5


def test_a_scripted_drag_begins_and_ends_with_the_path() -> None:
    path = np.arange(1000, dtype=np.int32)
    steps = drag_along(path, (7, 8), 999)
    assert len(steps) == 150
    assert (steps[0], steps[-1]) == (DragStep((0, 7, 8), 999), DragStep((999, 7, 8), 999))
    assert drag_along(path[:2], (), None) == (DragStep((0,), None), DragStep((1,), None))
