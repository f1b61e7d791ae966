"""Comparing two runs: ratios with intervals that hold what they promise, and what differed besides."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solvers.running.comparison import circumstances, compare, ratio_of_medians
from tests.graphs import at_random
from tests.solvers.running.store.kept import kept_run_of, kept_variant_of


def test_the_ratio_is_that_of_the_medians():
    ratio = ratio_of_medians([1.0, 2.0, 3.0], [5.0, 6.0, 100.0])
    assert ratio.value == 3.0
    assert (ratio.low, ratio.high, ratio.differs) == (None, None, None), "three trials are too few for an interval"


def test_the_interval_of_price_and_bonett_by_hand():
    """Five values each: ranks 1 and 5, outside which the median lies with 1/32 a side, z = 1.8627."""
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
    if kind == "lognormal":
        draw, right = (lambda n, k: k * rng.lognormal(0, 0.3, n)), 1.5
    else:  # the shape of program times: a least time, and a long tail
        draw, right = (lambda n, k: k * (10 + rng.exponential(2, n))), 1.5
    held = 0
    for _ in range(1000):
        ratio = ratio_of_medians(draw(sizes[0], 1.0).tolist(), draw(sizes[1], right).tolist())
        held += ratio.low <= right <= ratio.high
    assert held >= 920


@pytest.mark.parametrize(
    ("first", "second"), [([], [1.0]), ([1.0], []), ([0.0] * 6, [1.0] * 6), ([1.0] * 6, [0.0] * 6)]
)
def test_without_times_there_is_no_ratio(first, second):
    assert ratio_of_medians(first, second) is None


def test_a_time_of_zero_among_others_gives_no_interval():
    ratio = ratio_of_medians([0.0, 1.0, 1.0, 1.0, 1.0], [2.0] * 5)
    assert ratio.value == 2.0
    assert ratio.low is None


def test_variants_of_both_runs_come_first_and_lone_ones_have_no_ratio():
    first = kept_run_of("a", kept_variant_of("bf-serial", 1.0), kept_variant_of("dijkstra-heap", 4.0))
    second = kept_run_of("b", kept_variant_of("dijkstra-heap", 2.0), kept_variant_of("auto", 3.0))
    rows = compare(first, second)
    assert [row.variant for row in rows] == ["dijkstra-heap", "bf-serial", "auto"]
    assert [row.ratio and row.ratio.value for row in rows] == [0.5, None, None]
    assert rows[1].second is None
    assert rows[2].first is None


def test_the_phase_is_chosen():
    first = kept_variant_of("bf-vertex", 1.0)
    second = replace(first, trials=tuple(replace(t, phases=replace(t.phases, h2d=3.0)) for t in first.trials))
    runs = kept_run_of("a", first), kept_run_of("b", second)
    assert compare(*runs, "total")[0].ratio.value == 4.0
    assert compare(*runs, "solve")[0].ratio.value == 1.0


def test_parameters_and_devices_that_differ_are_told():
    first = kept_variant_of("bf-vertex", 1.0, parameters={"block": 128, "early_exit": True}, device="H100")
    second = kept_variant_of("bf-vertex", 1.0, parameters={"block": 256, "early_exit": True}, device="H200")
    (row,) = compare(kept_run_of("a", first), kept_run_of("b", second))
    assert row.differences == ("block 128 → 256", "H100 → H200")


def test_what_differs_between_the_runs_is_told():
    first = kept_run_of("a")
    same, moved = kept_run_of("b"), kept_run_of("c", source=20)
    other = kept_run_of("d", graph=at_random(9, 20, seed=1))
    assert not any(c.differs for c in circumstances(first, same))
    assert [c.what for c in circumstances(first, moved) if c.differs] == ["Source"]
    assert [c.what for c in circumstances(first, other) if c.differs] == ["Graph", "Target"]


def test_a_warm_graph_is_named_as_a_difference():
    cold, warm = (kept_variant_of("bf-vertex", 1.0, 2.0, graph_upload_ms=ms) for ms in (None, 0.5))
    (found,) = compare(kept_run_of("a", cold), kept_run_of("b", warm))
    assert found.differences == ("the graph is uploaded in every trial → the graph stays on the device",)
    (alike,) = compare(kept_run_of("a", warm), kept_run_of("b", warm))
    assert alike.differences == ()
