"""The time that is left follows the rate since the job was first seen."""

from __future__ import annotations

import pytest

from gui.model.time_left import TimeLeft


def test_a_resumed_job_is_not_taken_for_a_fast_one() -> None:
    left = TimeLeft()
    assert left.seconds(0.6, 100.0) is None
    assert left.seconds(0.8, 110.0) == pytest.approx(10.0)
    assert left.seconds(1.0, 120.0) == 0.0


def test_nothing_is_said_before_there_is_a_rate() -> None:
    left = TimeLeft()
    assert left.seconds(0.0, 5.0) is None
    assert left.seconds(0.5, 5.1) is None
    assert left.seconds(0.001, 60.0) is None
