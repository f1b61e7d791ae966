"""What an observed run tells of every pass, on a graph small enough to follow by hand.

::

    0 --4--> 1 --1--> 3 --1--> 4         pass 1: 0 lowers 1 (4) and 2 (1)
    0 --1--> 2 --2--> 1                  pass 2: 1 lowers 3 (5); 2 lowers 1 (3)
                                         pass 3: 1 lowers 3 (4); 3 lowers 4 (6)
                                         pass 4: 3 lowers 4 (5)
                                         pass 5: 4 has no arcs, nothing falls: the end (and all n passes)
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.contracts.trace import ActivityTrace, TraceRecorder
from solvers.devices.base import Device
from tests.solvers.algorithms.bellman_ford.cases import (
    ALL,
    FLAGGED,
    ON_HOST,
    TWO_ARRAYS,
    graph_of,
    random_graph,
    solve,
    textbook,
)

GRAPH = graph_of(6, (0, 1, 4), (0, 2, 1), (1, 3, 1), (2, 1, 2), (3, 4, 1))


def traced(variant_id: str, graph, device: Device, **given: object) -> tuple[ActivityTrace, int | None]:
    recorder = TraceRecorder(graph.n)
    solution = solve(variant_id, graph, device, observer=recorder, **given)
    assert recorder.finish().iterations == solution.iterations
    return recorder.finish(), solution.relaxations


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_frontiers_of_the_two_array_variants_are_the_textbooks(variant_id: str, device: Device) -> None:
    trace, relaxations = traced(variant_id, GRAPH, device)
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [[0], [1, 2], [1, 3], [3, 4], [4]]
    assert trace.improved.tolist() == [2, 2, 2, 1, 0]
    assert trace.active.tolist() == [1, 2, 2, 2, 1]
    expected = [2, 2, 2, 1, 0] if variant_id in FLAGGED else [5] * 5
    assert trace.relaxed.tolist() == expected
    assert relaxations == sum(expected)


@pytest.mark.parametrize("variant_id", ALL)
def test_totals_add_up_in_every_variant(variant_id: str, device: Device) -> None:
    graph = random_graph(400, 2000, 11)
    trace, relaxations = traced(variant_id, graph, device)
    assert trace.frontier(0).tolist() == [0]
    assert trace.active.tolist()[1:] == trace.improved.tolist()[:-1], "who fell in a pass is active in the next"
    assert trace.improved[-1] == 0, "the last pass confirms"
    assert relaxations == trace.total_relaxed
    reached = np.flatnonzero(np.isfinite(textbook(graph, 0)[0]))
    np.testing.assert_array_equal(np.flatnonzero(trace.first_active >= 0), reached)
    if variant_id in FLAGGED:
        degrees = [int(graph.out_degrees[trace.frontier(k)].sum()) for k in range(len(trace))]
        assert trace.relaxed.tolist() == degrees
    else:
        assert (trace.relaxed == graph.m).all()
    assert (trace.ms >= 0).all()


@pytest.mark.parametrize("variant_id", ALL)
def test_watching_changes_no_distance(variant_id: str, device: Device) -> None:
    graph = random_graph(400, 2000, 12)
    watched = solve(variant_id, graph, device, observer=TraceRecorder(graph.n))
    np.testing.assert_array_equal(watched.distances, solve(variant_id, graph, device).distances)


@pytest.mark.parametrize("variant_id", FLAGGED)
def test_unwatched_flagged_runs_claim_no_count(variant_id: str, device: Device) -> None:
    assert solve(variant_id, GRAPH, device).relaxations is None


@pytest.mark.parametrize("variant_id", ON_HOST)
def test_the_baselines_follow_the_vertex_order(variant_id: str) -> None:
    """In place, pass 1 lowers 1, 2, 3 and 1 again and 4; the corrected 1 reaches 3 and 4 in pass 2."""
    recorder = TraceRecorder(GRAPH.n)
    solve(variant_id, GRAPH, observer=recorder)
    trace = recorder.finish()
    assert [trace.frontier(k).tolist() for k in range(len(trace))] == [[0], [1, 2, 3, 4], [3, 4]]


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_without_early_exit_the_empty_passes_are_told_too(variant_id: str, device: Device) -> None:
    trace, _ = traced(variant_id, graph_of(9, (0, 1, 1)), device, early_exit=False)
    assert trace.active.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
