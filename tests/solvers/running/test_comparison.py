"""Comparing two runs: ratios with intervals that hold what they promise, and what
differed besides.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solvers.core.result import Disturbance, DisturbanceKind, Verdict
from solvers.running.comparison import circumstances, compare, ratio_of_medians
from tests.graphs import at_random
from tests.solvers.running.store.kept import kept_run_of, kept_variant_of


def test_the_ratio_is_that_of_the_medians():
    ratio = ratio_of_medians([1.0, 2.0, 3.0], [5.0, 6.0, 100.0])
    assert ratio.value == 3.0
    assert (ratio.low, ratio.high, ratio.differs) == (None, None, None), (
        "three trials are too few for an interval"
    )
    ratio = ratio_of_medians([0.0, 1.0, 1.0, 1.0, 1.0], [2.0] * 5)
    assert (ratio.value, ratio.low) == (2.0, None), "a time of zero gives no interval"


def test_the_interval_of_price_and_bonett_by_hand():
    """Five values each: ranks 1 and 5, outside which the median lies with 1/32 a side,
    z = 1.8627.
    """
    first, second = [1.0, 2.0, 4.0, 8.0, 16.0], [2.0, 2.0, 2.0, 2.0, 2.0]
    ratio = ratio_of_medians(first, second)
    half = 1.959964 * math.log(16) / (2 * 1.862732)
    assert ratio.value == 0.5
    assert ratio.low == pytest.approx(0.5 * math.exp(-half), rel=1e-5)
    assert ratio.high == pytest.approx(0.5 * math.exp(half), rel=1e-5)
    assert ratio.differs is False


def test_swapped_runs_have_the_reciprocal_ratio():
    rng = np.random.default_rng(2)
    first, second = rng.lognormal(0, 0.2, 9).tolist(), rng.lognormal(1, 0.4, 14).tolist()
    forth, back = ratio_of_medians(first, second), ratio_of_medians(second, first)
    assert forth.value * back.value == pytest.approx(1)
    assert forth.low * back.high == pytest.approx(1)
    assert forth.differs


@pytest.mark.parametrize("sizes", [(5, 5), (6, 30), (20, 20), (100, 60)])
@pytest.mark.parametrize("kind", ["lognormal", "shifted"])
def test_the_interval_holds_the_true_ratio_in_about_95_of_100_cases(kind, sizes):
    rng = np.random.default_rng(7)
    held, right = 0, 1.5

    def draw(n, factor):  # "shifted" is the shape of program times: a least time, and a long tail
        return factor * (
            rng.lognormal(0, 0.3, n) if kind == "lognormal" else 10 + rng.exponential(2, n)
        )

    for _ in range(1000):
        ratio = ratio_of_medians(draw(sizes[0], 1.0).tolist(), draw(sizes[1], right).tolist())
        held += ratio.low <= right <= ratio.high
    assert held >= 920


@pytest.mark.parametrize(
    ("first", "second"), [([], [1.0]), ([1.0], []), ([0.0] * 6, [1.0] * 6), ([1.0] * 6, [0.0] * 6)]
)
def test_without_times_there_is_no_ratio(first, second):
    assert ratio_of_medians(first, second) is None


def test_variants_of_both_runs_come_first_and_lone_ones_have_no_ratio():
    first = kept_run_of(
        "a", kept_variant_of("bf-serial", 1.0), kept_variant_of("dijkstra-heap", 4.0)
    )
    second = kept_run_of("b", kept_variant_of("dijkstra-heap", 2.0), kept_variant_of("auto", 3.0))
    rows = compare(first, second)
    assert [row.variant for row in rows] == ["dijkstra-heap", "bf-serial", "auto"]
    assert [row.ratio and row.ratio.value for row in rows] == [0.5, None, None]
    assert rows[1].second is None
    assert rows[2].first is None


def test_the_phase_is_chosen():
    first = kept_variant_of("bf-vertex", 1.0)
    second = replace(
        first, trials=tuple(replace(t, phases=replace(t.phases, h2d=3.0)) for t in first.trials)
    )
    runs = kept_run_of("a", first), kept_run_of("b", second)
    assert compare(*runs, "total")[0].ratio.value == 4.0
    assert compare(*runs, "solve")[0].ratio.value == 1.0


H100 = {"parameters": {"block": 128, "early_exit": True}, "device": "H100"}
H200 = {"parameters": {"block": 256, "early_exit": True}, "device": "H200"}
WARM = {"graph_upload_ms": 0.5}


@pytest.mark.parametrize(
    ("first", "second", "differences"),
    [
        (H100, H200, ("block 128 → 256", "H100 → H200")),
        ({}, WARM, ("the graph is uploaded in every trial → the graph stays on the device",)),
        (WARM, WARM, ()),
    ],
)
def test_parameters_devices_and_warm_graphs_that_differ_are_named(first, second, differences):
    runs = (
        kept_run_of("a", kept_variant_of("bf-vertex", 1.0, **options))
        for options in (first, second)
    )
    (row,) = compare(*runs)
    assert row.differences == differences


SIX = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
LOAD = (Disturbance(DisturbanceKind.LOAD, "busy"),)
WRONG = Verdict(False, 1, "wrong")


@pytest.mark.parametrize(
    ("variant", "of_run", "of_variant", "obstacle", "doubt"),
    [
        ("bf-serial", {}, {}, "", ""),
        ("bf-serial", {"graph": at_random(9, 20, seed=1)}, {}, "different graphs", ""),
        ("bf-serial", {"source": 20}, {}, "different sources", ""),
        ("fw-serial", {"source": 20}, {}, "", ""),
        ("dijkstra-target", {"target": 20}, {}, "different targets", ""),
        ("bf-serial", {"target": 20}, {}, "", ""),
        ("bf-serial", {}, {"verdict": WRONG}, "wrong answer: second", ""),
        ("bf-serial", {}, {"disturbances": LOAD}, "", "disturbed: second"),
    ],
)
def test_a_variant_is_faster_only_where_its_times_can_be_compared(
    variant, of_run, of_variant, obstacle, doubt
):
    """Two runs on different graphs were called "6.24× faster"."""
    first = kept_run_of("a", kept_variant_of(variant, *(2 * ms for ms in SIX)))
    (row,) = compare(
        first, kept_run_of("b", kept_variant_of(variant, *SIX, **of_variant), **of_run)
    )
    assert (row.obstacle, row.doubt, row.differs) == (obstacle, doubt, not obstacle and not doubt)


def test_what_differs_between_the_runs_is_told():
    first = kept_run_of("a")
    same, moved = kept_run_of("b"), kept_run_of("c", source=20)
    other = kept_run_of("d", graph=at_random(9, 20, seed=1))
    assert not any(c.differs for c in circumstances(first, same))
    assert [c.what for c in circumstances(first, moved) if c.differs] == ["Source"]
    assert [c.what for c in circumstances(first, other) if c.differs] == ["Graph", "Target"]
