"""What is shown is of this session or of one stored run, and returns with the question that it answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui.model.question import Question
from gui.model.results_shown import ResultsShown
from solvers.core.result import Result, Status
from tests.gui.model.solved import diamond, solve
from tests.solvers.running.store.kept import kept_run_of


@pytest.fixture
def question() -> Question:
    return Question(diamond(), 0, 3)


def by_id(*results: Result) -> dict[str, Result]:
    return {result.variant.id: result for result in results}


def test_a_failure_is_no_baseline(question: Question) -> None:
    """A first variant that failed left the whole table without speed-ups."""
    shown, solved = ResultsShown(), solve(question)
    failed = replace(solve(question, "bf-serial"), status=Status.ERROR, error="it broke", trials=(), distances=None)
    shown.add(by_id(failed))
    assert shown.baseline is None
    shown.add(by_id(solved))
    assert shown.baseline is solved


def test_the_baseline_is_a_result_that_is_shown(question: Question) -> None:
    shown = ResultsShown()
    shown.add(by_id(solve(question), solve(question, "bf-serial")))
    assert shown.set_baseline("bf-serial")
    assert not shown.set_baseline("bf-serial"), "it already is"
    assert not shown.set_baseline("fw-serial"), "it has no result"
    assert shown.baseline is shown.get("bf-serial")


def test_a_stored_run_gives_way_to_results_for_another_source(question: Question) -> None:
    """New results after a stored run and another source counted as part of that run; the next ones replaced them."""
    shown, run, later = ResultsShown(), kept_run_of("stored"), replace(question, source=1)
    shown.set_aside()
    shown.show_stored(run, [solve(question)])
    assert shown.exchange(later)
    assert shown.stored_run is None
    first, second = solve(later), solve(later, "bf-serial")
    shown.add(by_id(first))
    assert shown.stored_run is None
    shown.add(by_id(second))
    assert shown.all == (first, second)
    shown.exchange(question)
    assert shown.stored_run is run, "it returns with its question"


def test_results_of_this_session_return_from_behind_a_stored_run(question: Question) -> None:
    shown, own, elsewhere = ResultsShown(), solve(question), replace(question, source=1)
    shown.add(by_id(own))
    shown.set_aside()
    shown.show_stored(kept_run_of("stored"), [solve(elsewhere)])
    assert shown.has_aside
    shown.exchange(question)
    assert (shown.all, shown.stored_run, shown.baseline) == ((own,), None, own)


def test_cleared_results_leave_nothing_behind(question: Question) -> None:
    shown = ResultsShown()
    assert not shown.clear(), "nothing was shown"
    shown.show_stored(kept_run_of("stored"), [solve(question)])
    assert shown.clear()
    assert (shown.all, shown.stored_run, shown.baseline, shown.has_aside) == ((), None, None, False)
    assert not shown.exchange(question), "nothing returns"
