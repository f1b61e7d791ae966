"""Who is where in a race at one moment of real time."""

from __future__ import annotations

import pytest

from gui.features.race.standings import (
    MOST_RACERS,
    Racer,
    racers_among,
    slow_motion,
    standings,
    time_scale,
)
from solvers.core.result import Result
from tests.gui.panels.sample import activity_trace, make_result, opened_session

FAST, SLOW, LAST = Racer("a", "A", 2.0), Racer("b", "B", 8.0), Racer("c", "C", 8.0)


def test_clocks_stop_at_the_end_and_places_follow_the_durations() -> None:
    found = standings((SLOW, FAST, LAST), 4.0)
    assert [(s.elapsed_ms, s.share, s.place) for s in found] == [
        (4.0, 0.5, None),
        (2.0, 0.25, 1),
        (4.0, 0.5, None),
    ]
    at_end = standings((SLOW, FAST, LAST), 8.0)
    assert [s.place for s in at_end] == [2, 1, 2]
    assert [s.finish for s in at_end] == [1.0, 0.25, 1.0]
    assert [s.factor_text for s in at_end] == ["4.00×", "", "4.00×"]
    assert [s.factor_text for s in found] == ["", "", ""], "not before the end"


def test_a_run_without_duration_has_ended() -> None:
    (only,) = standings((Racer("a", "A", 0.0),), 0.0)
    assert (only.share, only.place) == (1.0, 1)


@pytest.mark.parametrize(
    ("shown_ms", "words"),
    [
        (2.0, "1 s shows 2 ms, 500 times slower"),
        (0.0131, "1 s shows 13 µs, 76\u202f000 times slower"),
        (250.0, "1 s shows 250 ms, 4 times slower"),
        (1000.0, "1 s shows 1 s, real time"),
        (4000.0, "1 s shows 4 s, 4 times faster"),
        (0.0, ""),
    ],
)
def test_slow_motion_is_said_in_words(shown_ms: float, words: str) -> None:
    assert slow_motion(shown_ms) == words


def test_the_clock_is_that_of_the_timed_runs() -> None:
    """Recording took 0.16 ms where the timed runs took 2 ms: the order of a race is
    that of the table.
    """
    session = opened_session()
    watched = activity_trace((1, 2, 3, 1))
    assert time_scale(
        make_result(session, "bf-serial", (1.0, 2.0, 3.0), trace=watched)
    ) == pytest.approx(2.0 / 0.16)
    assert time_scale(make_result(session, "bf-serial", trace=watched)) == 1.0
    assert time_scale(make_result(session, "bf-serial", (1.0, 2.0))) == 1.0


def test_the_fastest_race() -> None:
    session = opened_session()
    ids = ("bf-serial", "bf-python", "dijkstra-heap", "bf-vertex", "bf-edge", "bf-strided")
    results: list[Result] = [make_result(session, name, (9.0 - i,)) for i, name in enumerate(ids)]
    racers = racers_among([*results, make_result(session, "bf-edge-flags")])
    assert [result.variant.id for result in racers] == list(reversed(ids))[:MOST_RACERS]
