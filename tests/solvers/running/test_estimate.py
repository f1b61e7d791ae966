"""Expected time of a run: from earlier runs, scaled from other graphs, or from the
model; and which of these.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.core.variant import Algorithm, Answers, RunsOn, all_variants, find_variant
from solvers.parameters import Parameter
from solvers.running.estimate import (
    EarlierTime,
    EstimateBasis,
    GraphShape,
    RunEstimate,
    VariantEstimate,
    compile_seconds,
    estimate_run,
    model_seconds,
    rounded_duration,
)
from solvers.running.request import ADAPTIVE, Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests import graphs
from tests.solvers.fakes import FakeDevice, diamond, fake_variant
from tests.solvers.running.requests import TRACE_ONLY

FIXED = MeasurementPlan(1, 5)


def estimate(*earlier, variant=None, plan=FIXED, graph=None, device=None, **options):
    choices = (Choice(variant or fake_variant(), options.pop("parameters", {})),)
    return estimate_run(
        RunRequest(graph or diamond(), 0, None, choices, device, plan, **options), earlier
    )


def earlier(total_ms, vertices=5, arcs=5, variant_id="fake", device_name="", **parameters):
    return EarlierTime(variant_id, parameters, vertices, arcs, device_name, total_ms)


# -- what it rests on
# ------------------------------------------------------------------------------------------------


def test_earlier_runs_on_this_graph_are_believed():
    found = estimate(earlier(900), earlier(1000), earlier(1700), earlier(5, vertices=7))
    assert found.seconds == pytest.approx(6 * 1.0)
    assert found.basis is EstimateBasis.MEASURED
    assert found.words == "about 6 s (measured before on this graph)"


def test_a_result_becomes_an_earlier_time():
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(fake_variant()),)))
    assert EarlierTime.of(result) == earlier(10.0)
    assert EarlierTime.of(replace(result, trials=())) is None
    assert estimate(EarlierTime.of(result)).seconds == pytest.approx(0.06)


def test_other_graphs_are_scaled_as_the_algorithm_grows():
    cubic = fake_variant("fake", answers=Answers.APSP)
    cubic = replace(cubic, algorithm=Algorithm.FLOYD_WARSHALL)
    large = graphs.at_random(400, 1600, seed=1)
    found = estimate(
        earlier(1000, vertices=200, arcs=800),
        variant=cubic,
        graph=large,
        plan=MeasurementPlan(0, 1),
    )
    assert found.seconds == pytest.approx(8.0, rel=0.05)
    assert found.basis is EstimateBasis.SCALED


def test_the_graph_that_is_nearest_in_size_is_scaled():
    near, far = earlier(70, vertices=6, arcs=6), earlier(9e9, vertices=10**6, arcs=10**7)
    assert estimate(near, far).seconds == estimate(far, near).seconds == estimate(near).seconds


def test_the_same_parameters_come_first():
    variant = fake_variant(parameters=(Parameter("block", 256, "Threads."),))
    same, other = earlier(1000, block=256), earlier(9000, block=64)
    assert estimate(same, other, variant=variant).seconds == pytest.approx(6.0)
    assert estimate(other, variant=variant).basis is EstimateBasis.SCALED
    assert estimate(
        same, other, variant=variant, parameters={"block": 64}
    ).seconds == pytest.approx(54.0)


def test_other_variants_and_devices_say_nothing():
    gpu = fake_variant(runs_on=RunsOn.GPU)
    model = estimate(variant=gpu, device=FakeDevice())
    assert model.basis is EstimateBasis.MODEL
    strangers = (
        earlier(1e6),
        earlier(1e6, device_name="Other"),
        earlier(1e6, variant_id="x", device_name="Fake Nine"),
    )
    assert estimate(*strangers, variant=gpu, device=FakeDevice()) == model
    known = estimate(earlier(1000, device_name="Fake Nine"), variant=gpu, device=FakeDevice())
    assert known.basis is EstimateBasis.MEASURED


def test_what_cannot_run_takes_no_time():
    found = estimate(earlier(1e6), variant=fake_variant(runs_on=RunsOn.GPU))
    assert (found.variants, found.basis) == ((), EstimateBasis.MEASURED)


def test_compilation_is_counted_until_a_time_is_known():
    gpu = fake_variant(runs_on=RunsOn.GPU)
    (first,) = estimate(variant=gpu, device=FakeDevice()).variants
    assert first.compile_s == compile_seconds(gpu) > compile_seconds(fake_variant())
    assert first.seconds > first.compile_s
    (known,) = estimate(
        earlier(1000, device_name="Fake Nine"), variant=gpu, device=FakeDevice()
    ).variants
    assert (known.compile_s, known.seconds) == (0.0, pytest.approx(6.0))


# -- the plan
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "trial_ms", "seconds"),
    [
        (MeasurementPlan(0, 3), 1000, 3.0),
        (MeasurementPlan(2, 3), 1000, 5.0),
        (MeasurementPlan(1, 1000, time_limit_s=4), 1000, 5.0),
        (ADAPTIVE, 100, 1.4),  # two warm-ups and twelve trials
        (ADAPTIVE, 5000, 15.0),  # a cold start and ten seconds
        (ADAPTIVE, 60_000, 120.0),  # a cold start and one trial
        (ADAPTIVE, 1, 0.102),  # a tenth of a second, and two warm-ups
        (MeasurementPlan(most_trials=3), 100, 0.5),
    ],
)
def test_warm_ups_trials_and_limit_are_counted(plan, trial_ms, seconds):
    assert estimate(earlier(trial_ms), plan=plan).seconds == pytest.approx(seconds)


def test_a_traced_run_is_one_more():
    assert estimate(earlier(1000), plan=FIXED, trace=True).seconds == pytest.approx(7.0)
    assert estimate(earlier(1000), plan=TRACE_ONLY, trace=True).seconds == pytest.approx(1.0)


def test_a_run_is_the_sum_of_its_variants_and_as_good_as_the_worst_that_matters():
    def part(seconds, basis):
        return VariantEstimate("v", seconds, basis)

    measured, model = EstimateBasis.MEASURED, EstimateBasis.MODEL
    whole = RunEstimate((part(99.0, measured), part(1.0, model)))
    assert (whole.seconds, whole.basis) == (100.0, measured)
    assert RunEstimate((part(80.0, measured), part(20.0, model))).basis is model
    assert whole.is_worth_telling
    assert not RunEstimate((part(9.0, model),)).is_worth_telling


def test_durations_are_rounded():
    shown = [rounded_duration(s) for s in (0.1, 12.4, 19, 23, 89, 100, 3600, 9000, 1e8)]
    assert shown == [
        "1 s",
        "12 s",
        "19 s",
        "25 s",
        "90 s",
        "2 min",
        "60 min",
        "2 h",
        "27\u202f780 h",
    ]


# -- the model
# --------------------------------------------------------------------------------------

ROADS = GraphShape(264_346, 733_846, is_narrow=True)
PEERS = GraphShape(10_876, 39_994, is_narrow=False)
RANDOM = GraphShape(65_536, 458_752, is_narrow=False)


@pytest.mark.parametrize(
    ("variant_id", "shape", "kernels_on", "measured_s"),
    # Medians of tests/benchmarks/2026-11, on two cores or one H200.
    [
        ("dijkstra-heap", ROADS, None, 0.035),
        ("dijkstra-array", ROADS, None, 39.5),
        ("bf-serial", ROADS, None, 1.5),
        ("bf-python", ROADS, None, 54.7),
        ("dijkstra-mpi", ROADS, None, 22.3),
        ("da2cf-f-gpu", ROADS, FakeDevice(kind="cuda"), 8.57),
        ("da2cf-uh3", ROADS, FakeDevice(kind="cuda"), 84.3),
        ("da2cf-uh1", RANDOM, FakeDevice(is_cpu=True), 0.11),
        ("da2cf-f-gpu", RANDOM, FakeDevice(is_cpu=True), 0.04),
        ("bf-edge", ROADS, FakeDevice(kind="cuda"), 0.013),
        ("bf-strided-flag", ROADS, FakeDevice(is_cpu=True), 1.52),
        ("fw-cell", PEERS, FakeDevice(kind="cuda"), 3.7),
        ("dijkstra-apsp-serial", PEERS, None, 70.0),
        ("dijkstra-apsp-source", PEERS, FakeDevice(kind="cuda"), 26.0),
        ("apsp-frontier", PEERS, FakeDevice(is_cpu=True), 4.3),
    ],
)
def test_the_model_has_the_order_of_magnitude(
    monkeypatch, variant_id, shape, kernels_on, measured_s
):
    monkeypatch.setattr("solvers.system.machine.cores", lambda: 2)
    assert 0.1 < model_seconds(find_variant(variant_id), shape, kernels_on) / measured_s < 10


def test_every_variant_has_a_time_that_grows_with_the_graph():
    device = FakeDevice()
    larger = GraphShape(2 * ROADS.n, 2 * ROADS.m, is_narrow=True)
    for variant in all_variants():
        assert 0 < model_seconds(variant, ROADS, device) < model_seconds(variant, larger, device), (
            variant.id
        )


def test_graphs_of_small_degree_are_deep():
    assert GraphShape.of(graphs.at_random(50, 100, seed=1)).is_narrow
    assert ROADS.depth > 1000
    assert PEERS.depth < 20
    assert not GraphShape.of(graphs.at_random(50, 350, seed=1)).is_narrow, (
        "seven arcs a vertex are no roads"
    )
    assert not GraphShape(0, 0, is_narrow=False).depth > 1


@pytest.mark.parametrize(
    ("variant_id", "shape", "fast", "slow", "ratio"),
    [
        ("bf-serial", ROADS, {"early_exit": True}, {"early_exit": False}, 100),  # one pass a vertex
        ("dijkstra-apsp-serial", PEERS, {"queue": "heap"}, {"queue": "array"}, 10),
    ],
)
def test_parameters_change_the_work(variant_id, shape, fast, slow, ratio) -> None:
    less, more = (
        model_seconds(find_variant(variant_id), shape, None, parameters)
        for parameters in (fast, slow)
    )
    assert more > ratio * less


def test_times_through_opencl_say_nothing_of_cuda() -> None:
    """They are of the same GPU, by name."""
    seen = EarlierTime("bf-edge", {}, 10, 20, "Fake Nine", 5.0, device_kind="opencl")
    assert seen.is_of(FakeDevice(kind="opencl"))
    assert not seen.is_of(FakeDevice(kind="cuda"))
    assert not seen.is_of(None)
