"""How many warm-ups and trials are made: as many as the plan fixes, or as the spread of the times asks for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest

from solvers.contracts.catalog import RunsOn, Variant
from solvers.contracts.problem import Problem
from solvers.contracts.results import Result, Status, Trial
from solvers.contracts.sample_statistics import median_interval
from solvers.errors import ParameterError
from solvers.host.observer import CancelToken
from solvers.host.timing import Phases
from solvers.running.listener import RunListener
from solvers.running.plan import ADAPTIVE, LEAST_TRIALS, MOST_TRIALS, MOST_WARMUPS, MeasurementPlan
from solvers.running.progress import Meter, Progress
from solvers.running.runner import Choice, RunRequest, run
from solvers.running.trials import TrialLoop
from tests.solvers.fakes import diamond, fake_variant, solve_sssp


class Clock:
    """A clock that only the fake variant moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def loop_of(
    times_ms: Iterable[float],
    plan: MeasurementPlan,
    compile_s: float = 0.0,
    report: Callable[[Progress], None] = lambda progress: None,
) -> TrialLoop:
    """A finished loop over a variant with those times; compilation falls into the first execution."""
    clock, times, first = Clock(), iter(times_ms), [compile_s]

    def solve(problem):
        if problem.graph.n == 2:  # the compilation of a plan without warm-ups
            return solve_sssp(problem)
        ms = next(times)
        clock.now_s += ms / 1e3 + (first.pop() if first else 0.0)
        return replace(solve_sssp(problem), phases=Phases(solve=ms))

    variant = fake_variant(solve=solve)
    meter = Meter(variant, 0, 1, (1.0,), report)
    meter.stage("warm-up")
    loop = TrialLoop(variant, plan, RunListener(), meter, lambda distances: None, clock)
    loop.run(Problem(diamond(), 0))
    return loop


def counts(loop: TrialLoop) -> tuple[int, int]:
    warmups = sum(trial.is_warmup for trial in loop.trials)
    return warmups, len(loop.trials) - warmups


STEADY = itertools.repeat(100.0)


def noisy(low: float, high: float) -> Iterable[float]:
    return itertools.cycle((low, high))


# -- warm-ups --------------------------------------------------------------------------------------------------------


def test_warm_ups_end_when_two_in_a_row_agree():
    assert counts(loop_of([900, 300, 120, 118, *[100] * 20], ADAPTIVE)) == (4, LEAST_TRIALS)
    assert counts(loop_of([104, 100, *[100] * 20], ADAPTIVE)) == (2, LEAST_TRIALS)


def test_warm_ups_that_never_agree_are_given_up():
    warmups, _ = counts(loop_of([1000, 500, 250, 125, 62, *[30] * 300], ADAPTIVE))
    assert warmups == MOST_WARMUPS


def test_the_cold_start_is_kept_apart_and_holds_the_compilation():
    loop = loop_of([80, 50, 50, *[50] * 20], ADAPTIVE, compile_s=2.0)
    assert loop.cold_ms == pytest.approx(2080)
    assert loop.trials[0].is_warmup
    assert loop.trials[0].phases.total == 80


def test_compilation_does_not_use_up_the_time_limit():
    plan = MeasurementPlan(trials=5, time_limit_s=3.0)
    assert counts(loop_of(STEADY, plan, compile_s=2.5)) == (2, 5)


def test_a_cold_start_longer_than_the_time_limit_is_the_only_warm_up():
    assert counts(loop_of(itertools.repeat(60_000.0), ADAPTIVE)) == (1, 1)


def test_without_warm_ups_there_is_no_cold_start():
    loop = loop_of(STEADY, MeasurementPlan(0, 3))
    assert counts(loop) == (0, 3)
    assert loop.cold_ms is None


# -- trials ----------------------------------------------------------------------------------------------------------


def test_steady_times_need_the_fewest_trials_that_have_an_interval():
    assert counts(loop_of(STEADY, ADAPTIVE)) == (2, LEAST_TRIALS)


def test_short_steady_solves_are_repeated_until_they_cover_a_tenth_of_a_second():
    assert counts(loop_of(itertools.repeat(2.0), ADAPTIVE)) == (2, 50)
    assert counts(loop_of(itertools.repeat(0.01), ADAPTIVE)) == (2, MOST_TRIALS)


def test_noisy_times_go_on_until_the_count_is_reached():
    plan = MeasurementPlan(warmups=1, most_trials=40, time_limit_s=1000)
    assert counts(loop_of(noisy(100, 150), plan)) == (1, 40)


def test_noisy_times_go_on_until_the_time_is_up():
    plan = MeasurementPlan(warmups=1, time_limit_s=2.0)
    loop = loop_of(noisy(100, 150), plan)
    assert counts(loop) == (1, 16)
    assert sum(trial.phases.total for trial in loop.trials[1:]) == 2000


def test_a_wider_precision_needs_fewer_trials():
    times = [100, *[100 + 4 * (i * 7 % 5) for i in range(400)]]
    wide = counts(loop_of(times, MeasurementPlan(warmups=1, precision=0.10)))[1]
    narrow = counts(loop_of(times, MeasurementPlan(warmups=1, precision=0.03, time_limit_s=1000)))[1]
    assert LEAST_TRIALS == wide < narrow < MOST_TRIALS


def test_solve_and_total_must_both_be_precise():
    clock, wobble = Clock(), noisy(1, 30)

    def solve(problem):
        return replace(solve_sssp(problem), phases=Phases(prepare=1000, solve=next(wobble)))

    meter = Meter(fake_variant(), 0, 1, (1.0,), lambda progress: None)
    meter.stage("warm-up")
    plan = MeasurementPlan(warmups=1, most_trials=30)
    loop = TrialLoop(fake_variant(solve=solve), plan, RunListener(), meter, lambda distances: None, clock)
    loop.run(Problem(diamond(), 0))
    assert counts(loop) == (1, 30)


def test_intervals_of_series_that_stop_early_hold_the_true_median_in_most_cases():
    """Fewer than 95 %, since a series stops when its interval happens to be narrow; the help says so."""
    source, held = np.random.default_rng(7), 0
    for _ in range(200):
        times = 100 * source.lognormal(0.0, 0.05, size=MOST_TRIALS + 1)
        loop = loop_of(times.tolist(), MeasurementPlan(warmups=1, time_limit_s=1000))
        low, high = median_interval([trial.phases.total for trial in loop.trials[1:]])
        held += low <= 100 <= high
    assert held >= 0.85 * 200


def test_fixed_counts_are_kept_whatever_the_times_are():
    assert counts(loop_of(noisy(1, 90_000), MeasurementPlan(3, 4))) == (3, 4)
    assert counts(loop_of(STEADY, MeasurementPlan(3, 9))) == (3, 9)


def test_a_time_limit_may_end_a_fixed_count_but_not_before_one_trial():
    assert counts(loop_of(STEADY, MeasurementPlan(1, 100, time_limit_s=0.45))) == (1, 5)
    assert counts(loop_of(STEADY, MeasurementPlan(10, 100, time_limit_s=0.05))) == (1, 1)


@pytest.mark.parametrize("plan", [ADAPTIVE, MeasurementPlan(2, 20), MeasurementPlan(time_limit_s=float("inf"))])
def test_progress_only_grows_and_ends_within_its_stage(monkeypatch, plan):
    monkeypatch.setattr("solvers.running.progress.PROGRESS_INTERVAL_S", 0.0)
    heard = []
    loop_of(noisy(100, 150), plan, report=heard.append)
    fractions = [progress.fraction for progress in heard]
    assert fractions == sorted(fractions)
    assert 0.8 < fractions[-1] <= 1


def test_progress_names_the_precision_reached(monkeypatch):
    monkeypatch.setattr("solvers.running.progress.PROGRESS_INTERVAL_S", 0.0)
    heard = []
    loop_of([100, *[100] * 5, 104, *[100] * 300], MeasurementPlan(warmups=1), report=heard.append)
    words = [progress.stage for progress in heard]
    assert words[1:8] == ["warm-up 1 of 1", *(f"trial {i}" for i in range(1, 7))]
    assert words[8] == "trial 7, median ± 4.0 %"


@pytest.mark.parametrize(
    "options",
    [
        {"warmups": -1},
        {"trials": -1},
        {"most_trials": 0},
        {"time_limit_s": 0.0},
        {"time_limit_s": float("nan")},
        {"precision": 0.0},
        {"precision": 3.0},
    ],
)
def test_a_plan_knows_its_ranges(options):
    with pytest.raises(ParameterError):
        MeasurementPlan(**options)


# -- listener and skip -----------------------------------------------------------------------------------------------


class Diary(RunListener):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def measuring_begins(self, variant: Variant) -> None:
        self.entries.append(f"{variant.id} begins")

    def measuring_ends(self, variant: Variant) -> None:
        self.entries.append(f"{variant.id} ends")

    def trial_begins(self, variant: Variant, stage: str) -> None:
        self.entries.append(f"{variant.id}: {stage}")

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        self.entries.append(f"{variant.id} {'warm-up' if trial.is_warmup else 'trial'} {trial.index}")


def results_of(*variants: Variant, listener: RunListener | None = None, token: CancelToken | None = None, **options):
    choices, plan = tuple(Choice(v) for v in variants), MeasurementPlan(1, 2)
    request = RunRequest(diamond(), 0, 3, choices, plan=plan, **options)
    return list(run(request, cancel=token, listener=listener))


def skipping(token: CancelToken, at: int) -> Variant:
    """A variant during whose execution with that number, from 0, the user skips it."""
    counter = itertools.count()

    def solve(problem):
        if next(counter) == at:
            token.skip()
        return solve_sssp(problem)

    return fake_variant("skipped", solve)


def test_measuring_begins_before_the_warm_up_and_ends_before_the_proof():
    diary = Diary()
    solve = fake_variant("a", lambda p: diary.entries.append("a solves") or solve_sssp(p))
    results_of(solve, listener=diary)
    assert diary.entries == [
        "a begins", "a: warm-up 1 of 1", "a solves", "a warm-up 0", "a: trial 1 of 2", "a solves", "a trial 1",
        "a: trial 2 of 2", "a solves", "a trial 2", "a ends",
    ]  # fmt: skip


def test_measuring_ends_after_a_failure_and_never_begins_for_what_cannot_run():
    def fail(problem):
        raise ZeroDivisionError

    diary = Diary()
    results_of(fake_variant("b", fail), fake_variant("c", runs_on=RunsOn.GPU), listener=diary)
    assert diary.entries == ["b begins", "b: warm-up 1 of 1", "b ends"]


def test_skip_ends_one_variant_and_keeps_its_trials():
    token, diary = CancelToken(), Diary()
    skipped, after = results_of(skipping(token, at=2), fake_variant("after"), listener=diary, token=token)
    assert skipped.status is Status.SKIPPED
    assert skipped.error == "Skipped."
    assert [t.status for t in skipped.trials] == [Status.OK, Status.OK, Status.SKIPPED]
    assert len(skipped.times()) == 1
    assert after.ok
    entries = [entry for entry in diary.entries if ":" not in entry]
    assert entries[-6:-1] == ["skipped ends", "after begins", "after warm-up 0", "after trial 1", "after trial 2"]


def test_a_skip_that_comes_too_late_does_not_hit_the_next_variant():
    token = CancelToken()

    class Late(RunListener):
        def measuring_ends(self, variant: Variant) -> None:
            if variant.id == "first":
                token.skip()

    results: list[Result] = results_of(
        fake_variant("first"), fake_variant("second"), listener=Late(), token=token, verify=False
    )
    assert [r.status for r in results] == [Status.OK, Status.OK]


def test_a_listener_that_waits_can_be_cancelled():
    token = CancelToken()

    class Waiting(RunListener):
        def measuring_begins(self, variant: Variant) -> None:
            token.cancel()
            token.raise_if_cancelled()

    (result,) = results_of(fake_variant("never"), fake_variant("nor"), listener=Waiting(), token=token)
    assert result.status is Status.CANCELLED
    assert result.trials == ()
