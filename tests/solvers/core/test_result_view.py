"""What is said of a result: proof, outcome, disturbances, and the comparison with another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Result, Status, Trial, Verdict
from solvers.core.result_view import (
    GPU_VARIATION,
    PROCESSOR_VARIATION,
    Proof,
    ResultView,
    newest_run,
    obstacle,
    speed_up,
)
from solvers.core.variant import find_variant
from solvers.running.answers.fastest import fastest
from solvers.text import format_ratio
from tests import graphs
from tests.solvers.fakes import diamond
from tests.solvers.features.kept_runs.store.kept import kept_variant_of

PROVED = Verdict(True, 0, "All 4 distances proved.")
BUSY = Disturbance(DisturbanceKind.LOAD, "Other programs kept 0.5 of 2 cores busy.")
NOT_A_GPU = Disturbance(DisturbanceKind.NOT_A_GPU, "The kernels ran on the processor.")
GRAPH = diamond()
ALONE = np.array([0, 2, 4, 5, np.iinfo(np.int32).max], np.int32)


def result_of(variant_id: str, *times: float, **attributes: object) -> Result:
    trials = tuple(Trial(i, False, Phases(solve=ms)) for i, ms in enumerate(times))
    made = Result(
        find_variant(variant_id),
        {},
        GRAPH,
        0,
        3,
        trials=trials,
        verdict=PROVED,
        run_id="a",
        timestamp_utc="2026-11-27",
    )
    return replace(made, **attributes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "verdict", "proof", "cell", "text"),
    [
        (Status.OK, PROVED, Proof.PROVED, "yes", "verified: all 4 distances proved"),
        (
            Status.OK,
            Verdict(True, 0, "Rows proved.", (1, 2), 7),
            Proof.SAMPLED,
            "sampled, 2 rows",
            "sampled, 2 rows: rows proved",
        ),
        (
            Status.OK,
            Verdict(False, 3, "Vertex 2 is too far."),
            Proof.WRONG,
            "no: 3 wrong",
            "wrong at 3 entries: vertex 2 is too far",
        ),
        (Status.OK, None, Proof.UNCHECKED, "not run", "not verified"),
        (Status.SKIPPED, None, Proof.NO_ANSWER, "skipped", ""),
        (Status.CANCELLED, None, Proof.NO_ANSWER, "cancelled", ""),
        (Status.NEGATIVE_CYCLE, None, Proof.NO_ANSWER, "negative cycle", ""),
        (None, None, Proof.NO_ANSWER, "interrupted", ""),
    ],
)
def test_proof_and_outcome(status, verdict, proof, cell, text) -> None:
    """The same of a result and of a kept variant."""
    kept = kept_variant_of("bf-serial", 1.0, status=status, verdict=verdict)
    measured = [kept]
    if status is not None:
        measured.append(result_of("bf-serial", 1.0, status=status, verdict=verdict))
    for one in measured:
        view = ResultView(one)
        assert (view.proof, view.proof_cell, view.proof_text) == (proof, cell, text)


def test_kernels_on_a_processor_are_no_disturbance() -> None:
    device = {"device_name": "A processor", "disturbances": (NOT_A_GPU,)}
    view = ResultView(result_of("bf-edge", *(1.0,) * 6, **device))
    assert view.disturbances == ()
    assert not view.on_gpu
    assert view.doubt == ""
    assert view.sample.variation == PROCESSOR_VARIATION
    gpu = ResultView(result_of("bf-edge", 1.0, device_name="A GPU"))
    assert gpu.on_gpu
    assert gpu.sample.variation == GPU_VARIATION


@pytest.mark.parametrize(
    ("kind", "load", "slowdown"),
    [
        (DisturbanceKind.LOAD, 0.5, 1.5),
        (DisturbanceKind.LOAD, None, 2.0),
        (DisturbanceKind.STEAL, 0.5, 2.0),
        (DisturbanceKind.SPREAD, 0.5, 1.0),
    ],
)
def test_what_others_used_may_have_prolonged_the_times(kind, load, slowdown) -> None:
    disturbed = {"disturbances": (Disturbance(kind, "words"),), "load": load}
    assert ResultView(result_of("bf-serial", 1.0, **disturbed)).sample.slowdown == slowdown


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"graph": graphs.at_random(4, 9, seed=1)}, "another graph"),
        ({"variant": find_variant("fw-serial")}, "another problem"),
        ({"source": 1}, "another source"),
        ({"run_id": "b"}, "another run"),
        ({"verdict": Verdict(False, 1, "wrong")}, "no right answer"),
        ({"status": Status.CANCELLED}, "no right answer"),
    ],
)
def test_times_of_another_run_problem_or_answer_are_not_compared(change, why) -> None:
    """1.24× became 0.525× after an unticked variant was left standing."""
    baseline = result_of("bf-serial", *(2.0,) * 6)
    other = replace(result_of("dijkstra-heap", *(1.0,) * 6), **change)
    assert obstacle(other, baseline) == why
    up = speed_up(other, baseline)
    assert (up is None) == bool(why)
    assert up is None or up.value == 2.0
    across = obstacle(other, baseline, across_runs=True)
    assert across == ("" if why == "another run" else why)


def test_the_baseline_has_no_interval_with_itself() -> None:
    baseline = result_of("bf-serial", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    up = speed_up(baseline, baseline)
    assert (up.value, up.low, up.high) == (1.0, 1.0, 1.0)


def test_a_small_ratio_is_a_fraction() -> None:
    assert [format_ratio(x) for x in (1 / 176, 0.0999, 0.25, 1.0)] == [
        "1/176",
        "1/10.0",
        "0.250×",
        "1.00×",
    ]


@pytest.mark.parametrize(
    ("slow", "fast", "disturbed", "headline", "remark"),
    [
        ((32.0,) * 6, (2.0,) * 6, (), "{}: 16 times faster than {}", "2.00 ms, proved"),
        (
            (32.0,) * 6,
            (2.0,) * 6,
            (BUSY,),
            "{}: 16 times faster (11 to 24) than {}",
            "2.00 ms, proved; times disturbed",
        ),
        (
            (2.2,) * 6,
            (2.0,) * 6,
            (BUSY,),
            "Uncertain whether {} is faster than {}",
            "2.00 ms against 2.20 ms, both proved; times disturbed",
        ),
        (
            (32.0,),
            (2.0,),
            (),
            "{}: at least 4.00 times faster (16 measured, up to 64) than {}",
            "2.00 ms, proved; few trials",
        ),
        (
            (3.0,),
            (2.0,),
            (),
            "Uncertain whether {} is faster than {}",
            "2.00 ms against 3.00 ms, both proved; few trials",
        ),
        (
            (1, 2, 3, 4.1, 5, 6, 7),
            (1, 2, 3, 4.0, 5, 6, 7),
            (),
            "{} and {}: no difference shown",
            "4.00 ms, proved",
        ),
        ((2.4,) * 6, (2.0,) * 6, (), "{}: 20 % faster than {}", "2.00 ms, proved"),
        (
            (3.1, 3.1, 3.2, 3.2, 3.3, 9.0),
            (2.0,) * 6,
            (BUSY,),
            "{}: at least 1.03 times faster (1.60 measured, up to 6.75) than {}",
            "2.00 ms, proved; times disturbed",
        ),
    ],
)
def test_the_headline_says_what_was_measured(slow, fast, disturbed, headline, remark) -> None:
    """A factor of 72 was called uncertain after nearly every run."""
    trust = {"disturbances": disturbed, "load": 0.5}
    results = [
        result_of("bf-serial", *slow, **trust),
        result_of("dijkstra-heap", *fast, **trust),
    ]
    found = fastest(results, results[0], "total")
    names = [find_variant(name).full_title for name in ("dijkstra-heap", "bf-serial")]
    assert found.headline() == headline.format(*names)
    assert found.remark == remark
    assert found.is_uncertain == headline.startswith("Uncertain")
    assert found.is_proved


def test_an_older_run_does_not_compete() -> None:
    old = result_of("bf-serial", *(1.0,) * 6, run_id="old", timestamp_utc="2026-11-26")
    new = [result_of("dijkstra-heap", *(5.0,) * 6), result_of("dijkstra-array", *(10.0,) * 6)]
    found = fastest([old, *new], new[0], "total")
    assert (found.variant.id, found.rival.variant.id) == ("dijkstra-heap", "dijkstra-array")


def test_of_runs_in_one_millisecond_the_last_is_the_newest() -> None:
    same = {"timestamp_utc": "2026-11-26T10:00:00.001+00:00"}
    first, second = (result_of("bf-serial", 1.0, run_id=name, **same) for name in ("b", "a"))
    assert (newest_run([first, second]), newest_run([second, first])) == ("a", "b")


def test_a_target_that_cannot_be_reached_stands_in_the_headline() -> None:
    """Vertex 99 of the diamond is alone."""
    results = [
        replace(result_of(name, *(ms,) * 6), source=0, target=4, distances=ALONE)
        for name, ms in (("bf-serial", 32.0), ("dijkstra-heap", 2.0))
    ]
    found = fastest(results, results[0], "total")
    assert found.headline().startswith("99 cannot be reached from 10. ")
    assert "16 times faster than" in found.headline()
