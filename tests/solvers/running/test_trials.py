"""How many trials are made, how the machine around them is sampled, and which
disturbances are found in samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import psutil
import pytest

from solvers.core.problem import Phases, Problem, Solution
from solvers.core.result import DisturbanceKind as Kind
from solvers.core.result import Result, Status, Trial, median_interval
from solvers.core.variant import RunsOn, Variant
from solvers.devices.monitor import GpuClockSample
from solvers.errors import ParameterError
from solvers.running import trials
from solvers.running.request import (
    ADAPTIVE,
    LEAST_TRIALS,
    MOST_TRIALS,
    MOST_WARMUPS,
    Choice,
    MeasurementPlan,
    RunListener,
    RunProgress,
    RunRequest,
    StageProgress,
)
from solvers.running.run import run
from solvers.running.trials import (
    Conditions,
    MachineSample,
    TrialLoop,
    disturbances_of,
    outliers,
    slow_start,
    spread,
    too_short,
)
from solvers.system import machine
from solvers.system.cancel import CancelToken
from solvers.system.machine import CpuConditions, CpuSample
from tests.solvers.fakes import FakeDevice, diamond, fake_variant, solve_sssp


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
    report: Callable[[RunProgress], None] = lambda progress: None,
) -> TrialLoop:
    """A finished loop over a variant with those times; compilation falls into the first
    execution.
    """
    clock, times, first = Clock(), iter(times_ms), [compile_s]

    def solve(problem):
        if problem.graph.n == 2:  # the compilation of a plan without warm-ups
            return solve_sssp(problem)
        ms = next(times)
        clock.now_s += ms / 1e3 + (first.pop() if first else 0.0)
        return replace(solve_sssp(problem), phases=Phases(solve=ms))

    variant = fake_variant(solve=solve)
    meter = StageProgress(variant, 0, 1, (1.0,), report)
    meter.stage("warm-up")
    loop = TrialLoop(variant, plan, RunListener(), meter, lambda distances: None, clock=clock)
    loop.run(Problem(diamond(), 0))
    return loop


def counts(loop: TrialLoop) -> tuple[int, int]:
    warmups = sum(trial.is_warmup for trial in loop.trials)
    return warmups, len(loop.trials) - warmups


STEADY = itertools.repeat(100.0)


def noisy(low: float, high: float) -> Iterable[float]:
    return itertools.cycle((low, high))


# -- how many
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times_ms", "plan", "warmups_and_trials"),
    [
        # Warm-ups end when two in a row agree, at five that never do, or after a cold
        # start longer than the limit.
        ([900, 300, 120, 118, *[100] * 20], ADAPTIVE, (4, LEAST_TRIALS)),
        ([104, 100, *[100] * 20], ADAPTIVE, (2, LEAST_TRIALS)),
        ([1000, 500, 250, 125, 62, *[30] * 300], ADAPTIVE, (MOST_WARMUPS, LEAST_TRIALS)),
        ([60_000] * 9, ADAPTIVE, (1, 1)),
        # Short steady solves are repeated until they cover a tenth of a second.
        ([2.0] * 300, ADAPTIVE, (2, 50)),
        ([0.01] * 300, ADAPTIVE, (2, MOST_TRIALS)),
        # Noisy times go on until the count is reached, or the time is up.
        ([100, 150] * 150, MeasurementPlan(warmups=1, most_trials=40, time_limit_s=1000), (1, 40)),
        ([100, 150] * 150, MeasurementPlan(warmups=1, time_limit_s=2.0), (1, 16)),
        # Fixed counts are kept whatever the times are; a time limit may end them, but
        # not before one trial.
        ([1, 90_000] * 9, MeasurementPlan(3, 4), (3, 4)),
        ([100] * 300, MeasurementPlan(3, 9), (3, 9)),
        ([100] * 300, MeasurementPlan(1, 100, time_limit_s=0.45), (1, 5)),
        ([100] * 300, MeasurementPlan(10, 100, time_limit_s=0.05), (1, 1)),
    ],
)
def test_warm_ups_and_trials_are_as_many_as_needed(times_ms, plan, warmups_and_trials):
    assert counts(loop_of(times_ms, plan)) == warmups_and_trials


def test_the_cold_start_is_kept_apart_and_holds_the_compilation():
    loop = loop_of([80, 50, 50, *[50] * 20], ADAPTIVE, compile_s=2.0)
    assert loop.cold_ms == pytest.approx(2080)
    assert loop.trials[0].is_warmup
    assert loop.trials[0].phases.total == 80


def test_compilation_does_not_use_up_the_time_limit():
    plan = MeasurementPlan(trials=5, time_limit_s=3.0)
    assert counts(loop_of(STEADY, plan, compile_s=2.5)) == (2, 5)


def test_without_warm_ups_there_is_no_cold_start():
    loop = loop_of(STEADY, MeasurementPlan(0, 3))
    assert counts(loop) == (0, 3)
    assert loop.cold_ms is None


def test_a_wider_precision_needs_fewer_trials():
    times = [100, *[100 + 4 * (i * 7 % 5) for i in range(400)]]
    wide = counts(loop_of(times, MeasurementPlan(warmups=1, precision=0.10)))[1]
    narrow = counts(loop_of(times, MeasurementPlan(warmups=1, precision=0.03, time_limit_s=1000)))[
        1
    ]
    assert LEAST_TRIALS == wide < narrow < MOST_TRIALS


def test_solve_and_total_must_both_be_precise():
    clock, wobble = Clock(), noisy(1, 30)

    def solve(problem):
        return replace(solve_sssp(problem), phases=Phases(prepare=1000, solve=next(wobble)))

    meter = StageProgress(fake_variant(), 0, 1, (1.0,), lambda progress: None)
    meter.stage("warm-up")
    plan = MeasurementPlan(warmups=1, most_trials=30)
    loop = TrialLoop(
        fake_variant(solve=solve), plan, RunListener(), meter, lambda distances: None, clock=clock
    )
    loop.run(Problem(diamond(), 0))
    assert counts(loop) == (1, 30)


def test_intervals_of_series_that_stop_early_hold_the_true_median_in_most_cases():
    """Fewer than 95 %, since a series stops when its interval happens to be narrow; the
    help says so.
    """
    source, held = np.random.default_rng(7), 0
    for _ in range(200):
        times = 100 * source.lognormal(0.0, 0.05, size=MOST_TRIALS + 1)
        loop = loop_of(times.tolist(), MeasurementPlan(warmups=1, time_limit_s=1000))
        low, high = median_interval([trial.phases.total for trial in loop.trials[1:]])
        held += low <= 100 <= high
    assert held >= 0.85 * 200


@pytest.mark.parametrize(
    "plan", [ADAPTIVE, MeasurementPlan(2, 20), MeasurementPlan(time_limit_s=float("inf"))]
)
def test_progress_only_grows_and_ends_within_its_stage(monkeypatch, plan):
    monkeypatch.setattr("solvers.running.request.PROGRESS_INTERVAL_S", 0.0)
    heard = []
    loop_of(noisy(100, 150), plan, report=heard.append)
    fractions = [progress.fraction for progress in heard]
    assert fractions == sorted(fractions)
    assert 0.8 < fractions[-1] <= 1


def test_progress_names_the_precision_reached(monkeypatch):
    monkeypatch.setattr("solvers.running.request.PROGRESS_INTERVAL_S", 0.0)
    heard = []
    loop_of([100, *[100] * 5, 104, *[100] * 300], MeasurementPlan(warmups=1), report=heard.append)
    words = [progress.stage for progress in heard]
    assert words[1:8] == ["warm-up 1 of 1", *(f"trial {i}" for i in range(1, 7))]
    assert words[8] == "trial 7, median ± 4.0 %"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("warmups", -1),
        ("trials", -1),
        ("most_trials", 0),
        ("time_limit_s", 0.0),
        ("time_limit_s", float("nan")),
        ("precision", 0.0),
        ("precision", 3.0),
    ],
)
def test_a_plan_knows_its_ranges(name, value):
    with pytest.raises(ParameterError):
        MeasurementPlan(**{name: value})


# -- listener and skip
# -----------------------------------------------------------------------------------------------


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
        self.entries.append(
            f"{variant.id} {'warm-up' if trial.is_warmup else 'trial'} {trial.index}"
        )


def results_of(
    *variants: Variant,
    listener: RunListener | None = None,
    token: CancelToken | None = None,
    **options,
):
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
        "a begins",
        "a: warm-up 1 of 1",
        "a solves",
        "a warm-up 0",
        "a: trial 1 of 2",
        "a solves",
        "a trial 1",
        "a: trial 2 of 2",
        "a solves",
        "a trial 2",
        "a ends",
    ]


def test_measuring_ends_after_a_failure_and_never_begins_for_what_cannot_run():
    def fail(problem):
        raise ZeroDivisionError

    diary = Diary()
    results_of(fake_variant("b", fail), fake_variant("c", runs_on=RunsOn.GPU), listener=diary)
    assert diary.entries == ["b begins", "b: warm-up 1 of 1", "b ends"]


@pytest.mark.parametrize(("after_s", "told"), [(0.0, [1]), (math.inf, [])])
def test_the_first_answer_is_judged_once_between_two_trials(monkeypatch, after_s, told):
    heard: list[Result] = []

    class First(RunListener):
        def answer_found(self, variant: Variant, judge: Callable[[], Result]) -> None:
            heard.append(judge())

    monkeypatch.setattr("solvers.running.run.FIRST_ANSWER_S", after_s)
    (result,) = results_of(fake_variant("a"), listener=First())
    assert [len(first.trials) for first in heard] == told
    assert all(
        first.ok and first.verdict == result.verdict and first.run_id == result.run_id
        for first in heard
    )
    assert all(first.path.tolist() == result.path.tolist() for first in heard)
    assert len(result.trials) == 3


def test_a_sample_leaves_out_what_the_window_did_between_two_trials():
    moved = sample(10.0).leaving_out(sample(12.0, busy_s=1.0), sample(15.0, busy_s=4.0))
    assert moved.until(sample(17.0, busy_s=5.0)).cpu.load == pytest.approx(0.5)
    assert moved.gpu is None


def test_the_time_limit_leaves_out_what_is_done_between_two_trials():
    now = [0.0]

    def between(solution: Solution) -> None:
        now[0] += 100.0

    meter = StageProgress(fake_variant(), 0, 1, (1.0,), lambda progress: None)
    meter.stage("warm-up")
    plan = MeasurementPlan(warmups=1, trials=3, time_limit_s=5.0)
    loop = TrialLoop(
        fake_variant(), plan, RunListener(), meter, lambda _: None, clock=lambda: now[0]
    )
    loop.run(Problem(diamond(), 0, 3), between)
    assert len(loop.trials) == 4


def test_skip_ends_one_variant_and_keeps_its_trials():
    token, diary = CancelToken(), Diary()
    skipped, after = results_of(
        skipping(token, at=2), fake_variant("after"), listener=diary, token=token
    )
    assert skipped.status is Status.SKIPPED
    assert skipped.error == "Skipped."
    assert [t.status for t in skipped.trials] == [Status.OK, Status.OK, Status.SKIPPED]
    assert len(skipped.times()) == 1
    assert after.ok
    entries = [entry for entry in diary.entries if ":" not in entry]
    assert entries[-6:-1] == [
        "skipped ends",
        "after begins",
        "after warm-up 0",
        "after trial 1",
        "after trial 2",
    ]


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
            token.check()

    (result,) = results_of(
        fake_variant("never"), fake_variant("nor"), listener=Waiting(), token=token
    )
    assert result.status is Status.CANCELLED
    assert result.trials == ()


def sample(wall_s: float, busy_s: float = 0.0, gpu: GpuClockSample | None = None) -> MachineSample:
    return MachineSample(CpuSample(wall_s, busy_s, own_s=0.0), gpu)


def test_gpu_times_become_shares_of_the_time_between():
    before, after = (
        sample(10.0, gpu=GpuClockSample(1.0, 5.0)),
        sample(14.0, gpu=GpuClockSample(2.0, 5.2)),
    )
    between = before.until(after)
    assert (between.gpu_hot, between.gpu_power_limited) == (0.25, pytest.approx(0.05))


def test_without_a_gpu_only_the_processor_is_told():
    assert sample(10.0).until(sample(12.0, busy_s=3.0)).cpu.load == 1.5
    assert sample(10.0, gpu=GpuClockSample(1.0, 1.0)).until(sample(12.0)).gpu_hot == 0


@pytest.mark.parametrize("error", [psutil.AccessDenied(), OSError("no /proc")])
def test_counters_that_cannot_be_read_leave_the_load_unknown_and_end_nothing(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(machine, "sample_cpu", fail)
    unread = MachineSample.take(None)
    assert isinstance(unread.until(unread), Conditions)
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(fake_variant()),)))
    assert result.ok
    assert result.load is None
    assert result.disturbances == ()


QUIET = Conditions(CpuConditions(8, load=0.05))
EVEN = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1, 99.9, 100.3]


def found(times=EVEN, conditions=QUIET, runs_on=RunsOn.SERIAL, device=None, solve=None):
    return disturbances_of({"solve": solve or times, "total": times}, conditions, runs_on, device)


def only(**case):
    (disturbance,) = found(**case)
    return disturbance.kind, disturbance.words


def during(cores=8, **cpu):
    return Conditions(CpuConditions(cores, **cpu))


# -- the machine
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "kind", "text"),
    [
        (during(8, load=1.6), Kind.LOAD, "Other programs kept 1.60 of 8 cores busy."),
        (during(1, load=0.9), Kind.LOAD, "Other programs kept 0.900 of 1 core busy."),
        (during(2, load=0.3), Kind.LOAD, "Other programs kept 0.300 of 2 cores busy."),
        (during(128, load=7.0), Kind.LOAD, "Other programs kept 7.00 of 128 cores busy."),
        (during(own_work=0.4), Kind.OWN_WORK, "Other work of this program kept 0.400 cores busy."),
        (
            during(4, stolen=0.4),
            Kind.STEAL,
            "The hypervisor withheld 10 % of the processor's time.",
        ),
        (
            during(held_back=0.2),
            Kind.THROTTLED,
            "The CPU quota of this container was used up for 20 % of the time.",
        ),
        (
            during(overheated=True),
            Kind.THROTTLED,
            "The processor lowered its clock because of heat.",
        ),
    ],
)
def test_what_disturbs_the_machine_is_reported(conditions, kind, text):
    assert only(conditions=conditions) == (kind, text)


@pytest.mark.parametrize(
    "conditions",
    [
        QUIET,
        during(load=None),
        during(128, load=5.0),
        during(2, load=0.2),
        during(own_work=0.09),
        during(4, stolen=0.03),
    ],
)
def test_steady_times_on_a_quiet_machine_are_undisturbed(conditions):
    assert found(conditions=conditions) == ()


@pytest.mark.parametrize(
    ("field", "reason"), [("gpu_hot", "heat"), ("gpu_power_limited", "its power limit")]
)
def test_a_slowed_gpu_is_reported(field, reason):
    text = f"The GPU lowered its clock because of {reason} for 25 % of the time."
    assert only(conditions=Conditions(QUIET.cpu, **{field: 0.25})) == (Kind.THROTTLED, text)


def test_threads_of_a_variant_are_not_other_work():
    assert found(conditions=during(own_work=0.4), runs_on=RunsOn.OPENMP) == ()


# -- the device
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs_on", [RunsOn.GPU, RunsOn.HYBRID])
def test_kernels_on_the_processor_are_not_a_gpus(runs_on):
    words = "The kernels ran on the processor (Fake Nine), not on a GPU."
    assert only(runs_on=runs_on, device=FakeDevice(is_cpu=True)) == (Kind.NOT_A_GPU, words)
    assert found(runs_on=runs_on, device=FakeDevice()) == ()
    assert found(runs_on=RunsOn.ANY, device=FakeDevice(is_cpu=True)) == ()


# -- the times
# --------------------------------------------------------------------------------------


def test_a_slow_first_trial_is_told_as_such_and_not_as_an_outlier():
    times = [160.0, *EVEN[1:]]
    assert only(times=times) == (
        Kind.SLOW_START,
        "The first trial took 160 ms, the median is 100 ms.",
    )
    assert slow_start([50.0, *EVEN[1:]]) is None, "a fast first trial is an outlier"
    assert outliers([50.0, *EVEN[1:]]) is not None


def test_outliers_count_from_one_trial_in_twenty():
    assert (
        only(times=[*EVEN, 300.0])[1] == "1 of 11 trials lie far from the others, such as 300 ms."
    )
    assert found(times=[*EVEN * 3, 300.0]) == ()
    assert only(times=[*EVEN * 3, 300.0, 200.0])[0] is Kind.OUTLIERS


def test_two_groups_of_times_are_a_spread():
    assert [d.kind for d in found(times=[100.0] * 6 + [200.0] * 5)] == [Kind.SPREAD]


def test_near_trials_are_no_outliers_however_even_the_others_are():
    assert found(times=[100.0] * 10 + [109.0]) == ()
    assert only(times=[100.0] * 10 + [111.0])[0] is Kind.OUTLIERS


def test_four_trials_have_no_outliers():
    assert found(times=[100.0, 100.0, 100.0, 150.0, 100.0][:4]) == (
        spread([100.0, 100.0, 100.0, 150.0]),
    )


def test_spread_over_a_tenth_of_the_median_is_told():
    times = [100.0 + 4 * i for i in range(10)]
    assert only(times=times) == (
        Kind.SPREAD,
        "The middle half of the trials spreads over 15 % of the median.",
    )
    assert found(times=[100.0 + 2 * i for i in range(10)]) == ()
    assert spread([5.0]) is None


def test_solve_times_count_if_totals_show_nothing():
    solve = [10.0 + i for i in range(10)]
    assert found(solve=solve) == (spread(solve),)


def test_times_of_few_clock_steps_are_told():
    assert too_short([0.04] * 6, step_ms=0.0005) is not None
    assert too_short([0.05] * 6, step_ms=0.0005) is None
    cuda = FakeDevice(kind="cuda")
    words = "The median solve time of 20.0 µs is short for a clock of 500 ns."
    assert only(times=[0.02] * 6, runs_on=RunsOn.GPU, device=cuda) == (Kind.SHORT, words)


def test_a_coarse_clock_of_the_host_is_told(monkeypatch):
    monkeypatch.setattr(trials, "_host_step_ms", lambda: 15.6)
    assert only()[0] is Kind.SHORT


def test_without_trials_nothing_is_told():
    assert found(times=[], conditions=during(load=8.0)) == ()


# -- in a run
# --------------------------------------------------------------------------------------


def test_a_run_tells_what_its_samples_show(monkeypatch):
    loaded = Conditions(CpuConditions(2, load=1.9))
    monkeypatch.setattr("solvers.running.trials.MachineSample.until", lambda before, after: loaded)
    gpu = fake_variant("gpu", runs_on=RunsOn.GPU)
    choices = (Choice(gpu), Choice(fake_variant("cannot", runs_on=RunsOn.GPU, cuda_only=True)))
    result, unavailable = run(RunRequest(diamond(), 0, None, choices, FakeDevice(is_cpu=True)))
    assert [d.kind for d in result.disturbances] == [Kind.NOT_A_GPU, Kind.LOAD]
    assert result.load == 1.9
    assert result.cold_ms > 0
    assert result.confidence() == (10.0, 10.0)
    assert result.confidence("solve") == (3.0, 3.0)
    assert unavailable.disturbances == ()
    assert unavailable.load is None
