"""An area of roads does what its roads do one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import ParameterError, UnknownArc
from solvers.graphs.changed_arcs import RoadArea
from solvers.graphs.road_changes import RoadChanges
from tests.solvers.graphs.test_road_changes import STREETS, arcs_of

ends = st.tuples(*[st.integers(-3, 6) | st.sampled_from([2**40])] * 2)
pairs = st.lists(ends, max_size=6)


def area(roads: list[tuple[int, int]], factor: float = np.inf) -> RoadArea:
    return RoadArea.of(np.array(roads, np.int64).reshape(-1, 2), factor)


@given(pairs, pairs)
def test_areas_are_sets_of_roads(some: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    one, other = ({frozenset(road) for road in roads} for roads in (some, others))
    assert {frozenset(road) for road in area(some).ends.tolist()} == one
    assert area(some) == area([road[::-1] for road in reversed(some)])
    assert hash(area(some)) == hash(area(some[::-1]))
    left = area(some).without(np.array(others, np.int64).reshape(-1, 2))
    assert {frozenset(road) for road in left.ends.tolist()} == one - other
    covered = area(some).covers(np.array(others, np.int64).reshape(-1, 2))
    assert covered.tolist() == [frozenset(road) in one for road in others]


def test_an_area_and_its_roads_change_the_same_arcs() -> None:
    roads = [(11, 10), (12, 13)]
    for factor in (np.inf, 2.5):
        together = RoadChanges().with_area(area(roads, factor)).apply(STREETS)
        one_by_one = RoadChanges().close(*roads) if factor == np.inf else RoadChanges().slow(factor, *roads)
        assert arcs_of(together) == arcs_of(one_by_one.apply(STREETS))
        assert (together.name, together.sha256) == (one_by_one.apply(STREETS).name, one_by_one.apply(STREETS).sha256)


def test_what_comes_later_counts() -> None:
    slowed = RoadChanges().slow(2, (10, 11), (12, 13))
    closed = slowed.with_area(area([(11, 10)]))
    assert len(closed) == 2
    assert [(road.tail, road.head) for road in closed.roads] == [(12, 13)]
    again = closed.slow(3, (10, 11))
    assert [weight for tail, _, weight in arcs_of(again.apply(STREETS)) if tail == 10] == [12, 18, 3]
    assert again.with_area(area([(12, 13), (10, 11)], 5.0)) == RoadChanges().with_area(area([(10, 11), (12, 13)], 5.0))


def test_roads_and_areas_are_opened_again() -> None:
    changes = RoadChanges().close((10, 12)).with_area(area([(10, 11), (12, 13)]))
    assert len(changes.without((11, 10))) == 2
    assert changes.without((11, 10), (12, 13)) == RoadChanges().close((10, 12))
    assert changes.without_area(area([(10, 12), (10, 11)])) == RoadChanges().with_area(area([(12, 13)]))
    assert not changes.without_area(area([(10, 12), (10, 11), (12, 13)]))


def test_plain_values_give_areas_back() -> None:
    changes = RoadChanges().close((10, 12)).with_area(area([(10, 11), (12, 13)], 2.0)).with_area(area([(1, 2)]))
    assert RoadChanges.from_dict(json.loads(json.dumps(changes.to_dict()))) == changes
    for ends_of in ([[1, 2], [3]], [[1, "a"]], 7, [[1.5, 2.0]]):
        with pytest.raises(ParameterError, match="pairs of whole numbers"):
            RoadChanges.from_dict({"roads": [{"ends": ends_of, "factor": None}]})
    with pytest.raises(ParameterError, match="above 0"):
        area([(1, 2)], 0.0)


def test_an_unknown_road_of_an_area_is_named() -> None:
    with pytest.raises(UnknownArc, match="10 – 13"):
        RoadChanges().with_area(area([(10, 11), (13, 10)])).apply(STREETS)
