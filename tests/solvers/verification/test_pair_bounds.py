"""Bounds from both ends prove right answers, and no wrong one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, INT64, weight_type
from solvers.system.array_types import AnyArray
from solvers.system.cancel import SILENT
from solvers.verification.pair_bounds import is_proved_by_bounds
from tests import graphs


def is_proved(graph: Graph, source: int, target: int, distances: AnyArray) -> bool:
    return is_proved_by_bounds(graph, source, target, distances, SILENT)


def all_claims(graph: Graph, source: int) -> AnyArray:
    """Right distances from the source to every vertex."""
    return graphs.as_solved(graphs.right_distances(graph, source), graph.distance_type)


def path_claims(graph: Graph, source: int, target: int) -> AnyArray:
    """Right distances of the vertices on one shortest path only."""
    right = all_claims(graph, source)
    claims = np.full_like(right, weight_type(right.dtype).infinity)
    v, left = target, graph.n
    while left:
        claims[v], left = right[v], left - 1
        if v == source:
            break
        into = np.flatnonzero(graph.indices == v)
        before = [
            int(graph.tails[arc])
            for arc in into
            if right[graph.tails[arc]] + graph.weights[arc] == right[v]
            and claims[graph.tails[arc]] >= weight_type(right.dtype).infinity
        ]
        if not before:  # only by arcs of weight zero, round a cycle
            return right
        v = before[0]
    return claims


def cases(dtype: type) -> list[tuple[Graph, int, int]]:
    made = [
        graphs.at_random(40, 120, seed=seed, dtype=dtype, directed=bool(seed % 2))
        for seed in range(8)
    ]
    return [
        (graph, source, int(target))
        for graph in made
        for source in (0, 17)
        for target in np.flatnonzero(np.isfinite(graphs.right_distances(graph, source)))[::7]
    ]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_right_answers_are_proved_and_changed_ones_are_not(dtype: type) -> None:
    for graph, source, target in cases(dtype):
        for claims in (all_claims(graph, source), path_claims(graph, source, target)):
            assert is_proved(graph, source, target, claims)
            for change in (-1, 1):
                wrong = claims.copy()
                wrong[target] += change
                assert not is_proved(graph, source, target, wrong)


@given(graph=graphs.graphs(), data=st.data())
def test_what_is_proved_is_right(graph: Graph, data: st.DataObject) -> None:
    """Whatever is claimed, of graphs with arcs of any kind."""
    if graph.weights.dtype.kind != "i" or graph.has_negative_weights:
        return
    source, target = (data.draw(st.integers(0, graph.n - 1)) for _ in range(2))
    claims = all_claims(graph, source)
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, graph.n - 1))
        infinity = weight_type(claims.dtype).infinity
        claims[place] = data.draw(st.one_of(st.integers(-3, 60), st.just(infinity)))
    right = all_claims(graph, source)
    claimed = claims < weight_type(claims.dtype).infinity
    if is_proved(graph, source, target, claims):
        assert claims[target] == right[target]
        assert (claims[claimed] == right[claimed]).all()
        assert claimed[target]


def test_a_reverse_that_misleads_proves_nothing() -> None:
    """The search from the target follows it, and is not believed."""
    detour = graphs.from_list(4, [(0, 1, 5), (1, 3, 5), (0, 2, 3), (2, 3, 4)])
    longer = np.array([0, 5, INT32.infinity, 10], np.int32)
    for reverse in (detour, detour.reverse, graphs.from_list(4, [(3, 1, 5), (1, 0, 5)])):
        lying = replace(detour)
        lying.__dict__["reverse"] = reverse
        assert not is_proved(lying, 0, 3, longer)


@pytest.mark.parametrize("weight", [2**61, 2**62, 2**63 - 1])
def test_lengths_that_might_wrap_are_left_to_others(weight: int) -> None:
    graph = graphs.from_list(3, [(0, 1, weight), (1, 2, weight)], np.int64)
    for claim in (weight, INT64.infinity - 1, -2):
        assert not is_proved(graph, 0, 2, np.array([0, weight, claim], np.int64))


def test_a_sum_that_wraps_is_no_tight_arc() -> None:
    """5 + (2**63 - 3) - 2 wraps to -2**63, whose absolute value is itself."""
    graph = graphs.from_list(3, [(0, 1, 5), (1, 2, 2**63 - 3)], np.int64)
    assert not is_proved(graph, 0, 2, np.array([0, 5, 2], np.int64))
