"""What the charts draw, as data."""

from __future__ import annotations

import pytest

from gui.charts.frontier import series_of
from gui.charts.row_figure import phase_rows, timing_rows, with_live_row
from gui.model.session import Session
from solvers.core.result import Status, Verdict
from tests.gui.panels.sample import activity_trace, failed_result, make_result, opened_session


@pytest.fixture
def session() -> Session:
    session = opened_session()
    session.add_result(make_result(session, "bf-serial", (59.0, 61.0, 60.0)))
    session.add_result(make_result(session, "bf-vertex", (5.0, 6.0, 4.0)))
    session.add_result(failed_result(session, "fw-cell", Status.ERROR, "no"))
    return session


def test_quickest_first_warm_ups_and_failures_left_out(session: Session) -> None:
    rows = timing_rows(session.results, "total")
    assert [(row.variant_id, row.median, row.low, row.high) for row in rows] == [
        ("bf-vertex", 6.0, 5.0, 7.0),
        ("bf-serial", 61.0, 60.0, 62.0),
    ]
    assert rows[0].median_text == "6.00 ms"
    assert "bf-vertex" in rows[0].words
    assert "min 5.00 ms, max 7.00 ms, 3 trials" in rows[0].words


def test_speed_ups_are_of_each_trial_over_the_baselines_median(session: Session) -> None:
    rows = timing_rows(session.results, "solve", session.baseline, speed_up=True)
    assert [row.variant_id for row in rows] == ["bf-vertex", "bf-serial"]
    assert sorted(rows[0].samples) == [10.0, 12.0, 15.0]
    assert rows[0].median_text == "12.0×"
    assert rows[1].median == 1.0


def test_without_a_timed_baseline_there_are_no_speed_ups(session: Session) -> None:
    assert timing_rows(session.results, "total", None, speed_up=True) == ()
    assert timing_rows(session.results, "total", session.result("fw-cell"), speed_up=True) == ()


def test_phases_are_those_of_the_trial_of_median_total(session: Session) -> None:
    rows = phase_rows(session.results)
    assert [(row.variant_id, row.parts) for row in rows] == [
        ("bf-vertex", (1.0, 0.0, 5.0, 0.0)),
        ("bf-serial", (1.0, 0.0, 60.0, 0.0)),
    ]
    assert rows[0].total == 6.0
    assert rows[0].words.splitlines()[-2:] == ["Prepare: 1.00 ms", "Solve: 5.00 ms"]


def test_curves_of_thinned_traces_are_means_so_that_runs_compare(session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (1.0,), trace=activity_trace((1, 4, 2))))
    session.add_result(make_result(session, "bf-vertex", (1.0,), trace=activity_trace((3, 5), stride=4)))
    whole, thinned = series_of(session.results, "active")
    assert (whole.values.tolist(), whole.end) == ([1, 4, 2], 3.0)
    assert (thinned.values.tolist(), thinned.end) == ([3, 5], 5.0)
    assert series_of(session.results, "relaxed")[0].values.tolist() == [3, 12, 6]


def test_the_variant_being_run_has_its_trials_so_far_in_the_last_row(session: Session) -> None:
    running = make_result(session, "bf-serial", (9.0, 3.0, 5.0))
    rows = with_live_row(timing_rows(session.results, "total"), running.variant, running.trials, "total")
    assert rows[-1].title == "Bellman-Ford serial (running)"
    assert rows[-1].samples == tuple(running.times("total"))
    assert len({row.variant_id for row in rows}) == len(rows), "its earlier row is replaced"
    ratios = with_live_row((), running.variant, running.trials, "total", reference=18.0)
    assert ratios[0].samples == tuple(18.0 / ms for ms in running.times("total"))
    assert with_live_row((), running.variant, running.trials[:1], "total") == (), "a warm-up is not shown"


def test_a_warm_graph_is_named_and_has_no_speed_up_over_a_cold_one(session: Session) -> None:
    device = {"device_name": "A device"}
    session.add_result(make_result(session, "bf-vertex", (5.0,), graph_upload_ms=2.0, **device))
    warm, _ = timing_rows(session.results, "total")
    assert warm.title == "Bellman-Ford vertex (warm graph)"
    assert warm.short_title.endswith(" (warm graph)")
    cold = make_result(session, "bf-strided", (9.0,), **device)
    assert "bf-vertex" not in [row.variant_id for row in timing_rows(session.results, "total", cold, speed_up=True)]
    assert "bf-vertex" in [row.variant_id for row in timing_rows(session.results, "solve", cold, speed_up=True)]
    wrong = make_result(session, "bf-vertex", (5.0,), graph_upload_ms=2.0, verdict=Verdict(False, 1, "no"))
    assert timing_rows([wrong], "total")[0].title.endswith(" (warm graph, wrong)")
