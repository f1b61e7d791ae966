"""Each disturbance is found in a sample made to show it, and in no other."""

from __future__ import annotations

import pytest

from solvers.contracts.catalog import RunsOn
from solvers.contracts.disturbance import DisturbanceKind as Kind
from solvers.host.load import CpuConditions
from solvers.running import disturbances
from solvers.running.conditions import Conditions
from solvers.running.disturbances import disturbances_of, outliers, slow_start, spread, too_short
from solvers.running.runner import Choice, RunRequest, run
from tests.solvers.fakes import FakeDevice, diamond, fake_variant

QUIET = Conditions(CpuConditions(8, load=0.05))
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1, 99.9, 100.3]


def found(times=STEADY, conditions=QUIET, runs_on=RunsOn.SERIAL, device=None, solve=None):
    return disturbances_of({"solve": solve or times, "total": times}, conditions, runs_on, device)


def only(**case):
    (disturbance,) = found(**case)
    return disturbance.kind, disturbance.words


def machine(cores=8, **cpu):
    return Conditions(CpuConditions(cores, **cpu))


# -- the machine -----------------------------------------------------------------------------------------------------


def test_steady_times_on_a_quiet_machine_are_undisturbed():
    assert found() == ()
    assert found(conditions=machine(load=None)) == ()


def test_other_load_is_told_in_cores():
    assert only(conditions=machine(8, load=1.6)) == (Kind.LOAD, "Other programs kept 1.60 of 8 cores busy.")
    assert only(conditions=machine(2, load=0.3))[0] is Kind.LOAD
    assert only(conditions=machine(1, load=0.9)) == (Kind.LOAD, "Other programs kept 0.900 of 1 core busy.")


def test_a_large_machine_bears_a_little_load():
    assert found(conditions=machine(128, load=5.0)) == ()
    assert only(conditions=machine(128, load=7.0))[0] is Kind.LOAD
    assert found(conditions=machine(2, load=0.2)) == ()


def test_own_work_is_told_beside_serial_variants():
    busy = machine(load=0.0, own_work=0.4)
    assert only(conditions=busy) == (Kind.OWN_WORK, "Other work of this program kept 0.400 cores busy.")
    assert found(conditions=busy, runs_on=RunsOn.OPENMP) == (), "these threads are the variant's own"
    assert found(conditions=machine(load=0.0, own_work=0.09)) == ()


def test_steal_is_told():
    words = "The hypervisor withheld 10 % of the processor's time."
    assert only(conditions=machine(4, load=0.0, stolen=0.4)) == (Kind.STEAL, words)
    assert found(conditions=machine(4, load=0.0, stolen=0.03)) == ()


def test_a_used_up_quota_is_told():
    words = "The CPU quota of this container was used up for 20 % of the time."
    assert only(conditions=machine(load=0.0, held_back=0.2)) == (Kind.THROTTLED, words)


def test_heat_is_told():
    words = "The processor lowered its clock because of heat."
    assert only(conditions=machine(overheated=True)) == (Kind.THROTTLED, words)


@pytest.mark.parametrize(("field", "reason"), [("gpu_hot", "heat"), ("gpu_power_limited", "its power limit")])
def test_a_slowed_gpu_is_told(field, reason):
    words = f"The GPU lowered its clock because of {reason} for 25 % of the time."
    assert only(conditions=Conditions(QUIET.cpu, **{field: 0.25})) == (Kind.THROTTLED, words)


# -- the device ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs_on", [RunsOn.GPU, RunsOn.HYBRID])
def test_kernels_on_the_processor_are_not_a_gpus(runs_on):
    words = "The kernels ran on the processor (Fake Nine), not on a GPU."
    assert only(runs_on=runs_on, device=FakeDevice(is_cpu=True)) == (Kind.NOT_A_GPU, words)
    assert found(runs_on=runs_on, device=FakeDevice()) == ()
    assert found(runs_on=RunsOn.ANY, device=FakeDevice(is_cpu=True)) == ()


# -- the times -------------------------------------------------------------------------------------------------------


def test_a_slow_first_trial_is_told_as_such_and_not_as_an_outlier():
    times = [160.0, *STEADY[1:]]
    assert only(times=times) == (Kind.SLOW_START, "The first trial took 160 ms, the median is 100 ms.")
    assert slow_start([50.0, *STEADY[1:]]) is None, "a fast first trial is an outlier"
    assert outliers([50.0, *STEADY[1:]]) is not None


def test_outliers_count_from_one_trial_in_twenty():
    assert only(times=[*STEADY, 300.0])[1] == "1 of 11 trials lie far from the others, such as 300 ms."
    assert found(times=[*STEADY, *STEADY, *STEADY, 300.0]) == ()
    assert only(times=[*STEADY, *STEADY, *STEADY, 300.0, 200.0])[0] is Kind.OUTLIERS


def test_two_groups_of_times_are_a_spread():
    assert [d.kind for d in found(times=[100.0] * 6 + [200.0] * 5)] == [Kind.SPREAD]


def test_near_trials_are_no_outliers_however_even_the_others_are():
    assert found(times=[100.0] * 10 + [109.0]) == ()
    assert only(times=[100.0] * 10 + [111.0])[0] is Kind.OUTLIERS


def test_four_trials_have_no_outliers():
    assert found(times=[100.0, 100.0, 100.0, 150.0, 100.0][:4]) == (spread([100.0, 100.0, 100.0, 150.0]),)


def test_spread_over_a_tenth_of_the_median_is_told():
    times = [100.0 + 4 * i for i in range(10)]
    assert only(times=times) == (Kind.SPREAD, "The middle half of the trials spreads over 15 % of the median.")
    assert found(times=[100.0 + 2 * i for i in range(10)]) == ()
    assert spread([5.0]) is None


def test_solve_times_are_looked_at_where_totals_show_nothing():
    solve = [10.0 + i for i in range(10)]
    (disturbance,) = found(solve=solve)
    assert disturbance == spread(solve)


def test_times_of_few_clock_steps_are_told():
    assert too_short([0.04] * 6, step_ms=0.0005) is not None
    assert too_short([0.05] * 6, step_ms=0.0005) is None
    cuda = FakeDevice(kind="cuda")
    words = "The median solve time of 20.0 µs is short for a clock of 500 ns."
    assert only(times=[0.02] * 6, runs_on=RunsOn.GPU, device=cuda) == (Kind.SHORT, words)


def test_a_coarse_clock_of_the_host_is_told(monkeypatch):
    monkeypatch.setattr(disturbances, "_host_step_ms", lambda: 15.6)
    assert only()[0] is Kind.SHORT


def test_without_trials_nothing_is_told():
    assert found(times=[], conditions=machine(load=8.0)) == ()


# -- in a run --------------------------------------------------------------------------------------------------------


def test_a_run_tells_what_its_samples_show(monkeypatch):
    loaded = Conditions(CpuConditions(2, load=1.9))
    monkeypatch.setattr("solvers.running.conditions.MachineSample.until", lambda before, after: loaded)
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
