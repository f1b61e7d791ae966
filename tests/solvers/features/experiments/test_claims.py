"""Claims of the papers against what was measured."""

from __future__ import annotations

import pytest

from solvers.core.result import Disturbance, DisturbanceKind, Verdict
from solvers.features.experiments.claims import ClaimVerdict, judge
from solvers.features.experiments.measurement import Omission
from solvers.features.experiments.spec import ExperimentScale
from tests.solvers.features.experiments.measured import ON_PROCESSOR, by_label, points
from tests.solvers.features.experiments.samples import sample

CLAIM = """of = { series = "scan" }
to = { series = "heap", arity = 4 }
at_least = 0.000001
"""
SCAN, HEAP = [4.0, 4.1, 4.2, 4.3, 4.4, 4.5], [1.0, 1.01, 1.02, 1.03, 1.04, 1.05]
TIMES = {"scan": SCAN, "heap, arity 2": [2.0] * 6, "heap, arity 4": HEAP}


def judged(tmp_path, claim, times=None, **attributes):
    experiment = sample(tmp_path, (CLAIM, claim))
    found = by_label(experiment, TIMES if times is None else times, **attributes)
    (judgement,) = judge(experiment, ExperimentScale.SMALL, found)
    return judgement


def ratio(bounds, extra=""):
    return (
        f'of = {{ series = "scan" }}\n'
        f'to = {{ series = "heap", arity = 4 }}\n'
        'phase = "solve"\n'
        f"{bounds}\n"
        f"{extra}\n"
    )


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ("at_least = 3.5", ClaimVerdict.HOLDS),
        ("at_least = 4.5", ClaimVerdict.FAILS),
        ("at_least = 3\nat_most = 3.5", ClaimVerdict.FAILS),
        ("at_most = 5", ClaimVerdict.HOLDS),
        ("at_least = 4.1", ClaimVerdict.UNCERTAIN),
        ("at_most = 4.1", ClaimVerdict.UNCERTAIN),
    ],
)
def test_a_ratio_is_held_against_its_bounds(tmp_path, bounds, verdict):
    found = judged(tmp_path, ratio(bounds))
    assert found.verdict is verdict
    assert found.figure.startswith("4.15× (")
    assert "vertices 40" in found.figure


@pytest.mark.parametrize(
    ("at", "graph", "sizes"), [("each", "every", {20, 40}), ("smallest", "the smallest", {20})]
)
def test_a_claim_may_speak_of_each_or_the_smallest_graph(tmp_path, at, graph, sizes):
    found = judged(tmp_path, ratio("at_least = 3.5", f'at = "{at}"'))
    assert found.verdict is ClaimVerdict.HOLDS
    assert {size for size in (20, 40) if f"vertices {size}" in found.figure} == sizes
    assert found.needed == f"at least 3.5× on {graph} graph"


def test_a_claim_about_gpus_is_not_tested_by_a_processor(tmp_path):
    claim = ratio("at_least = 3.5", "needs_gpu = true")
    found = judged(tmp_path, claim, device_name="AMD EPYC", disturbances=ON_PROCESSOR)
    assert found.verdict is ClaimVerdict.UNTESTABLE
    assert found.figure, "the figure is told all the same"
    assert "processor" in found.reason
    assert judged(tmp_path, claim, device_name="NVIDIA H200").verdict is ClaimVerdict.HOLDS


LOAD = (Disturbance(DisturbanceKind.LOAD, "Other programs kept a core busy."),)


def test_a_claim_whose_times_are_in_doubt_is_uncertain(tmp_path):
    """All its points were ringed as disturbed, or measured once, and it held."""
    disturbed = judged(tmp_path, ratio("at_least = 3.5"), disturbances=LOAD)
    assert (disturbed.verdict, disturbed.reason) == (
        ClaimVerdict.UNCERTAIN,
        "the limit lies within the interval; times disturbed",
    )
    far = judged(tmp_path, ratio("at_least = 1.5"), disturbances=LOAD)
    assert far.verdict is ClaimVerdict.HOLDS, "a disturbance abolishes no large difference"
    few = judged(
        tmp_path, ratio("at_least = 3.5"), {label: times[:4] for label, times in TIMES.items()}
    )
    assert (few.verdict, few.reason) == (
        ClaimVerdict.UNCERTAIN,
        "the limit lies within the interval; few trials",
    )
    counted = judged(
        tmp_path, 'kind = "iterations"\nof = { series = "scan" }\nat_most = 12\n', disturbances=LOAD
    )
    assert counted.verdict is ClaimVerdict.HOLDS, "a load does not change counts"


def test_a_wrong_answer_proves_nothing(tmp_path):
    found = judged(tmp_path, ratio("at_least = 4.0"), verdict=Verdict(False, 3, "wrong"))
    assert found.verdict is ClaimVerdict.UNTESTABLE


def test_what_was_left_out_is_the_reason(tmp_path):
    experiment = sample(tmp_path)
    omission = Omission(points(experiment)[2], "the file is not here")
    (found,) = judge(experiment, ExperimentScale.SMALL, [], [omission])
    assert found.verdict is ClaimVerdict.UNTESTABLE
    assert "heap, arity 4" in found.reason
    assert "the file is not here" in found.reason


def best_arity(best):
    return f'kind = "best"\nof = {{ series = "heap" }}\nparameter = "arity"\nbest = {best}\n'


@pytest.mark.parametrize(("best", "verdict"), [(4, ClaimVerdict.HOLDS), (2, ClaimVerdict.FAILS)])
def test_the_best_value_of_a_parameter(tmp_path, best, verdict):
    found = judged(tmp_path, best_arity(best))
    assert found.verdict is verdict
    assert "arity 4 is the fastest" in found.figure


@pytest.mark.parametrize("best", [2, 4])
def test_the_best_value_is_uncertain_where_the_next_is_within_the_spread(tmp_path, best):
    times = {"heap, arity 2": [1.02, *HEAP[1:]], "heap, arity 4": HEAP}
    assert judged(tmp_path, best_arity(best), times).verdict is ClaimVerdict.UNCERTAIN


def test_the_best_value_among_one_is_no_finding(tmp_path):
    assert (
        judged(tmp_path, best_arity(4), {"heap, arity 4": HEAP}).verdict is ClaimVerdict.UNTESTABLE
    )


@pytest.mark.parametrize(
    ("best", "verdict"), [(4, ClaimVerdict.UNTESTABLE), (2, ClaimVerdict.FAILS)]
)
def test_the_best_value_needs_all_values_but_a_better_one_is_enough_to_refute_it(
    tmp_path, best, verdict
):
    experiment = sample(
        tmp_path, ("arity = [2, 4]", "arity = [2, 4, 8]"), (CLAIM, best_arity(best))
    )
    missing = [
        Omission(one, "too slow") for one in points(experiment) if one.parameters.get("arity") == 8
    ]
    (found,) = judge(experiment, ExperimentScale.SMALL, by_label(experiment, TIMES), missing)
    assert found.verdict is verdict
    assert found.reason == ("arity 8 was not measured" if best == 4 else "")


def test_iterations_are_counted_on_the_largest_graph(tmp_path):
    claim = 'kind = "iterations"\nof = { series = "scan" }\nat_most = 12\n'
    found = judged(tmp_path, claim)
    assert (found.verdict, found.figure[:2]) == (ClaimVerdict.HOLDS, "12")
    assert judged(tmp_path, claim.replace("12", "11")).verdict is ClaimVerdict.FAILS


def test_efficiency_is_speed_up_per_unit(tmp_path):
    threads = (
        'variant = "dijkstra-array"',
        'variant = "sssp-delta-omp"\nparameters = { threads = [1, 2] }',
    )
    claim = (
        'kind = "efficiency"\n'
        'of = { series = "scan", threads = 2 }\n'
        'parameter = "threads"\n'
        "at_least = 0.7\n"
    )
    claim += 'phase = "solve"\n'
    experiment = sample(tmp_path, threads, (CLAIM, claim))
    found = by_label(experiment, {"scan, threads 1": [3.0] * 6, "scan, threads 2": [2.0] * 6})
    (judgement,) = judge(experiment, ExperimentScale.SMALL, found)
    assert judgement.verdict is ClaimVerdict.HOLDS
    assert judgement.figure.startswith("75 % with threads 2")
