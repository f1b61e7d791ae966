"""Results of this session or of one stored run, which return with their question; the
forecast of the next run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.export.picture import caption
from gui.model.forecast import Forecast, RemainingTime, TimeLeft
from gui.model.question import Question
from gui.model.results import Results
from gui.model.results_aside import ResultsAside, bytes_of
from gui.model.session import Session
from solvers.core.problem import Phases
from solvers.core.result import Result, Status, Trial
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.picture.scene.activity import activity_of
from solvers.picture.scene.content import vertex_rows
from solvers.running.answers.answer import PathAnswer, common_digits
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.network_results import route
from solvers.running.request import ADAPTIVE, Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.gui.model.solved import diamond, solve
from tests.solvers.features.kept_runs.store.kept import kept_run_of


@pytest.fixture
def question() -> Question:
    return Question(diamond(), 0, 3)


@pytest.fixture
def shown(question: Question) -> Results:
    made = Results()
    made.reset_silently(question)
    return made


def test_a_result_of_an_earlier_run_is_no_baseline(question: Question, shown: Results) -> None:
    """1.24× became 0.525× after an unticked variant was left standing."""
    old, new = solve(question), solve(question, "bf-serial")
    shown.add([old])
    shown.set_baseline("dijkstra-heap")
    shown.add([replace(new, timestamp_utc=old.timestamp_utc + "1")])
    assert shown.baseline is not None
    assert shown.baseline.variant.id == "bf-serial"
    again = replace(old, run_id=new.run_id, timestamp_utc=old.timestamp_utc + "2")
    shown.add([again])
    assert shown.baseline is again, "the chosen one is back"


def test_a_failure_is_no_baseline(question: Question, shown: Results) -> None:
    """A first variant that failed left the whole table without speed-ups."""
    solved = solve(question)
    failed = replace(
        solve(question, "bf-serial"),
        status=Status.ERROR,
        error="it broke",
        trials=(),
        distances=None,
    )
    shown.add([failed])
    assert shown.baseline is None
    shown.add([solved])
    assert shown.baseline is solved


def test_the_baseline_is_a_result_that_is_shown(
    question: Question, shown: Results, qtbot: QtBot
) -> None:
    first = solve(question)
    shown.add([first, replace(solve(question, "bf-serial"), run_id=first.run_id)])
    with qtbot.waitSignal(shown.changed):
        shown.set_baseline("bf-serial")
    with qtbot.assertNotEmitted(shown.changed):
        shown.set_baseline("bf-serial")
        shown.set_baseline("fw-serial")
    assert shown.baseline is shown.get("bf-serial")


def test_a_stored_run_gives_way_to_results_for_another_source(
    question: Question, shown: Results
) -> None:
    """New results after a stored run and another source counted as part of that run;
    the next ones replaced them.
    """
    run, later = kept_run_of("stored"), replace(question, source=1)
    shown.show_stored(run, [solve(question)])
    shown.exchange(later)
    assert shown.stored_run is None
    first, second = solve(later), solve(later, "bf-serial")
    shown.add([first])
    assert shown.stored_run is None
    shown.add([second])
    assert shown.all == (first, second)
    shown.exchange(question)
    assert shown.stored_run is run, "it returns with its question"


def test_results_of_this_session_return_from_behind_a_stored_run(
    question: Question, shown: Results
) -> None:
    own, elsewhere = solve(question), replace(question, source=1)
    shown.add([own])
    shown.set_aside(elsewhere)
    shown.show_stored(kept_run_of("stored"), [solve(elsewhere)])
    assert shown.has_aside
    shown.exchange(question)
    assert (shown.all, shown.stored_run, shown.baseline) == ((own,), None, own)


def test_cleared_results_leave_nothing_behind(
    question: Question, shown: Results, qtbot: QtBot
) -> None:
    shown.show_stored(kept_run_of("stored"), [solve(question)])
    with qtbot.waitSignals([shown.changed, shown.selection_changed]):
        shown.clear()
    assert (shown.all, shown.stored_run, shown.baseline, shown.has_aside) == ((), None, None, False)
    with qtbot.assertNotEmitted(shown.changed):
        shown.clear()
        shown.exchange(question)


def test_results_set_aside_are_limited_in_bytes() -> None:
    question = Question(diamond(), 0, 3)
    results = [solve(question, variant_id) for variant_id in ("dijkstra-heap", "bf-serial")]
    aside = ResultsAside(bytes_of(results[1]))
    aside.put(results, None, None)
    assert [entry.result for entry in aside.take(lambda _: True)] == results[1:], (
        "the oldest goes first"
    )


@pytest.mark.parametrize(
    ("variant_id", "other_target", "other_source"),
    [
        ("dijkstra-heap", True, False),
        ("dijkstra-bidirectional", False, False),
        ("fw-serial", True, True),
    ],
)
def test_what_a_result_answers(
    question: Question, variant_id: str, other_target: bool, other_source: bool
) -> None:
    result = solve(question, variant_id)
    assert question.answered_by(result)
    assert replace(question, target=2).answered_by(result) == other_target
    assert replace(question, source=1).answered_by(result) == other_source
    assert not replace(question, graph=diamond()).answered_by(result)


def line(weights: np.ndarray) -> Graph:
    n = len(weights) + 1
    return Graph.from_arcs(n, np.arange(n - 1), np.arange(1, n), weights, name="line")


def solved(graph: Graph, variant_id: str = "dijkstra-heap") -> Result:
    variant = find_variant(variant_id)
    choice = Choice(variant, variant.settle({}))
    (result,) = run(RunRequest(graph, 0, graph.n - 1, (choice,), None, MeasurementPlan(0, 1)))
    return result


def test_integers_past_2_to_53_are_shown_to_the_last_digit():
    result = solved(line(np.array([9007199254740992, 1], np.int64)))
    assert result.target_distance == 9007199254740993
    assert (
        PathAnswer.of_result(result).length_text == "9\u202f007\u202f199\u202f254\u202f740\u202f993"
    )
    assert "0 → 2: 9\u202f007\u202f199\u202f254\u202f740\u202f993" in caption(result.graph, result)


def test_the_hover_card_gives_integers_past_2_to_53_exactly():
    from types import SimpleNamespace

    graph = line(np.array([9007199254740992, 1], np.int64))
    activity = activity_of(graph, solved(graph), None)
    content = SimpleNamespace(
        scene=SimpleNamespace(graph=graph),
        activity=activity,
        explanation=None,
        values=None,
        levels=None,
    )
    assert (
        dict(vertex_rows(content, None, 2))["distance"]
        == "9\u202f007\u202f199\u202f254\u202f740\u202f993"
    )


def test_a_stale_predecessor_gives_no_path_rather_than_a_longer_one():
    graph = Graph.from_arcs(
        3, np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([5, 10_000_000, 10_000_001], np.int32)
    )
    answer = np.array([0, 5, 10_000_001], np.int32)
    stale = np.array([-1, 0, 1], np.int32)
    result = replace(solved(graph), distances=answer, predecessors=stale)
    assert route(result, 2) is None
    assert (
        PathAnswer.of_result(replace(result, path=np.array([0, 1, 2], np.int32))).length_text
        is None
    )
    right = replace(result, predecessors=np.array([-1, 0, 0], np.int32))
    assert route(right, 2).tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_digits_of_a_floating_point_length_agree_with_sum_and_distance(dtype):
    random = np.random.default_rng(3)
    for n in (3, 40, 3000):
        result = solved(line(random.uniform(0.01, 1.0, n).astype(dtype)))
        shown = PathAnswer.of_result(result).length_text
        digits = len(shown.removeprefix("≈ ").replace("\u202f", "").replace(".", "").lstrip("0"))
        total = float(np.sum(result.graph.weights, dtype=np.longdouble))
        for value in (total, result.target_distance):
            assert float(f"{value:.{digits}g}") == float(
                shown.removeprefix("≈ ").replace("\u202f", "")
            )


def test_common_digits():
    assert common_digits(1.0, 1.0) == 7
    assert common_digits(1.23456, 1.23444) == 3  # 1.23; at four digits 1.235 and 1.234
    assert common_digits(0.99999, 1.00001) == 4
    assert common_digits(1.0, 2.0) == 0


def test_the_estimate_follows_the_session(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    assert forecast.estimate is None
    session.open_graph(
        Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32))
    )
    assert forecast.estimate is None, "nothing is ticked"
    with qtbot.waitSignal(forecast.changed):
        session.choices.choose("dijkstra-heap")
    assert forecast.estimate.basis is EstimateBasis.MODEL
    session.choices.set_plan(MeasurementPlan(warmups=0, trials=10))
    request = session.request()
    assert request is not None
    session.results.add(run(request))
    assert forecast.estimate.basis is EstimateBasis.MEASURED


def test_times_of_earlier_sessions_count(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    session.open_graph(
        Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32))
    )
    session.choices.choose("dijkstra-heap")
    session.choices.set_plan(MeasurementPlan(warmups=0, trials=10))
    parameters = find_variant("dijkstra-heap").settle({})
    forecast.use([EarlierTime("dijkstra-heap", parameters, 3, 2, "", total_ms=2_000.0)])
    assert forecast.estimate.seconds == 20.0


def trials(warmups: int, timed: int) -> list[Trial]:
    return [Trial(i, i < warmups, Phases(solve=1.0)) for i in range(warmups + timed)]


@pytest.mark.parametrize(
    ("plan", "estimated", "made", "waiting", "now", "end"),
    [
        (MeasurementPlan(trials=5), {"a": 10.0, "b": 20.0}, (), ("b", "unknown"), 3.0, 30.0),
        (MeasurementPlan(warmups=1, trials=5), {"a": 999.0}, trials(1, 2), (), 6.0, 6.0 + 3 * 2.0),
        (
            MeasurementPlan(warmups=1, trials=100, time_limit_s=10.0),
            {},
            trials(1, 2),
            (),
            6.0,
            10.0,
        ),
        (ADAPTIVE, {"a": 1.0}, trials(2, 6), (), 5.0, 5.0),
    ],
    ids=[
        "estimates before the trials",
        "extrapolated",
        "not past the time limit",
        "longer than estimated ends now",
    ],
)
def test_when_the_rest_ends(plan, estimated, made, waiting, now, end) -> None:
    remaining = RemainingTime(plan, estimated)
    remaining.begin("a", 100.0)
    assert remaining.end(made, waiting, 100.0 + now) == pytest.approx(100.0 + end)


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
