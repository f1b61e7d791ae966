"""Comparing two runs: what is faster, what cannot be compared, and what differed besides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.core.result import Disturbance, DisturbanceKind, Verdict
from solvers.features.kept_runs.comparison import circumstances, compare
from tests.graphs import at_random
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of


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


H100 = {"parameters": {"block": 128, "early_exit": True}, "device_name": "H100"}
H200 = {"parameters": {"block": 256, "early_exit": True}, "device_name": "H200"}
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
    ("variant", "of_run", "of_variant", "obstacle"),
    [
        ("bf-serial", {}, {}, ""),
        ("bf-serial", {"graph": at_random(9, 20, seed=1)}, {}, "different graphs"),
        ("bf-serial", {"source": 20}, {}, "different sources"),
        ("fw-serial", {"source": 20}, {}, ""),
        ("dijkstra-target", {"target": 20}, {}, "different targets"),
        ("bf-serial", {"target": 20}, {}, ""),
        ("bf-serial", {}, {"verdict": WRONG}, "wrong answer: second"),
    ],
)
def test_a_variant_is_faster_only_where_its_times_can_be_compared(
    variant, of_run, of_variant, obstacle
):
    """Two runs on different graphs were called "6.24× faster"."""
    first = kept_run_of("a", kept_variant_of(variant, *(2 * ms for ms in SIX)))
    (row,) = compare(
        first, kept_run_of("b", kept_variant_of(variant, *SIX, **of_variant), **of_run)
    )
    assert (row.obstacle, row.differs) == (obstacle, not obstacle)
    assert obstacle in row.outcome
    assert row.verdict == ("not comparable" if obstacle else "faster")


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (1000.0, 10.0, "100× faster (50.0× – 200×); times disturbed"),
        (10.0, 1000.0, "100× slower (50.0× – 200×); times disturbed"),
        (15.0, 10.0, "uncertain: times disturbed"),
    ],
)
def test_a_disturbance_widens_the_interval_and_abolishes_no_difference_of_a_hundred(
    first, second, outcome
):
    runs = (
        kept_run_of(name, kept_variant_of("bf-serial", *(ms,) * 6, disturbances=LOAD, load=1.0))
        for name, ms in (("a", first), ("b", second))
    )
    (row,) = compare(*runs)
    assert row.outcome == outcome


def test_what_differs_between_the_runs_is_told():
    first = kept_run_of("a")
    same, moved = kept_run_of("b"), kept_run_of("c", source=20)
    other = kept_run_of("d", graph=at_random(9, 20, seed=1))
    assert not any(c.differs for c in circumstances(first, same))
    assert [c.what for c in circumstances(first, moved) if c.differs] == ["Source"]
    assert [c.what for c in circumstances(first, other) if c.differs] == ["Graph", "Target"]
