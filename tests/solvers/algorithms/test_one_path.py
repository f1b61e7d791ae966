"""Variants that answer with one path: right to every target, and no larger a search
than their idea allows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.one_path.astar import lower_bound
from solvers.core.availability import availability
from solvers.core.problem import Solution
from solvers.core.variant import Answers, Variant, all_variants, find_variant
from solvers.errors import Cancelled, NegativeCycle, UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import INT32, to_float
from solvers.verification.verify import verify_cycle, verify_target
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms import cases
from tests.weight_types import skip_where_not_tested

ONE_PATH = [entry for entry in all_variants() if entry.answers is Answers.TARGET]

every_variant = pytest.mark.parametrize("entry", ONE_PATH, ids=lambda entry: entry.id)
in_every_type = pytest.mark.parametrize("dtype", graphs.DTYPES)


def somewhere(graph: Graph, geographic: bool = False) -> Graph:
    """The graph with its vertices at random places, several of them at the same."""
    places = np.random.default_rng(1).integers(0, 40, (graph.n, 2)).astype(np.float64)
    return replace(graph, coordinates=Coordinates(places, geographic))


def solve(entry: Variant, graph: Graph, source: int, target: int, **options: Any) -> Solution:
    return cases.solve(entry.id, placed(entry, graph), source=source, target=target, **options)


def placed(entry: Variant, graph: Graph) -> Graph:
    return somewhere(graph) if entry.needs_coordinates and graph.coordinates is None else graph


def expect_right(entry: Variant, graph: Graph, source: int, target: int) -> None:
    solution = solve(entry, graph, source, target)
    right = graphs.right_distances(graph, source)
    found = to_float(solution.distances)
    tolerance = 1e-5 if graph.weights.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(found[target], right[target], rtol=tolerance)
    given_ones = np.isfinite(found)
    np.testing.assert_allclose(
        found[given_ones], right[given_ones], rtol=tolerance, err_msg="what it gives is right"
    )
    verdict = verify_target(graph, source, target, solution.distances)
    assert verdict.verified, verdict.text


@every_variant
@in_every_type
@pytest.mark.parametrize("name", graphs.BY_HAND)
def test_every_difficulty(entry: Variant, dtype: str, name: str) -> None:
    graph = graphs.by_hand(name, dtype)
    for target in range(graph.n):
        expect_right(entry, graph, 0, target)
        expect_right(entry, graph, graph.n - 1, target)


@every_variant
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(entry: Variant, data: st.DataObject) -> None:
    graph = somewhere(data.draw(graphs.graphs()), geographic=data.draw(st.booleans()))
    vertex = st.integers(0, graph.n - 1)
    expect_right(entry, graph, data.draw(vertex), data.draw(vertex))


@every_variant
@pytest.mark.parametrize("directed", [True, False])
def test_graphs_of_some_size(entry: Variant, directed: bool) -> None:
    graph = graphs.at_random(600, 2_000, seed=11, directed=directed)
    for target in range(0, graph.n, 23):
        expect_right(entry, graph, target // 2, target)


def of_mixed_magnitudes(dtype: str, seed: int) -> Graph:
    """Streets in a grid, some missing, whose two directions weigh differently, most of
    them beyond comparison.
    """
    chance = np.random.default_rng(seed)
    crossings = np.arange(400, dtype=np.int32).reshape(20, 20)
    tails = np.concatenate((crossings[:, :-1].ravel(), crossings[:-1].ravel()))
    heads = np.concatenate((crossings[:, 1:].ravel(), crossings[1:].ravel()))
    kept = chance.random(len(tails)) < 0.9
    tails, heads = tails[kept], heads[kept]
    count = 2 * len(tails)
    if dtype == "float64":
        weights = 10.0 ** chance.uniform(-300, 300, count)
    else:
        weights = np.where(
            chance.random(count) < 0.3, chance.random(count) * 1e-4, chance.random(count) * 1e3
        )
    both = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    return somewhere(Graph.from_arcs(400, *both, weights.astype(dtype)))


@every_variant
@pytest.mark.parametrize(
    ("dtype", "seed"), [("float32", 3), ("float32", 5), ("float64", 0), ("float64", 13)]
)
def test_weights_of_very_different_magnitudes(entry: Variant, dtype: str, seed: int) -> None:
    """A sum hides a way round that is far too long on its first arcs: all distances on
    the way are claimed, too.
    """
    skip_where_not_tested(dtype)
    graph = of_mixed_magnitudes(dtype, seed)
    for source, target in np.random.default_rng(seed).integers(0, graph.n, (20, 2)).tolist():
        solution = solve(entry, graph, source, target)
        verdict = verify_target(graph, source, target, solution.distances)
        assert verdict.verified, f"{source} to {target}: {verdict.text}"


@every_variant
@pytest.mark.parametrize("name", graphs.NEGATIVE)
def test_negative_weights_are_solved_or_refused_in_words(entry: Variant, name: str) -> None:
    graph = graphs.by_hand(name)
    if not entry.needs_nonnegative:
        expect_right(entry, graph, 0, graph.n - 1)
        return
    with pytest.raises(UnsuitableGraph, match="needs non-negative weights"):
        solve(entry, graph, 0, graph.n - 1)
    assert not availability(entry, somewhere(graph), None).available


@every_variant
def test_a_negative_cycle_is_shown_where_negative_weights_are_taken(entry: Variant) -> None:
    if entry.needs_nonnegative:
        pytest.skip("refuses negative weights")
    graph, _ = graphs.with_negative_cycle("of three")
    with pytest.raises(NegativeCycle) as found:
        solve(entry, graph, 0, 4)
    assert verify_cycle(graph, found.value.vertices).verified


@every_variant
@in_every_type
def test_the_trace_adds_up(entry: Variant, dtype: str) -> None:
    graph = somewhere(graphs.at_random(300, 900, seed=5, dtype=dtype, directed=False))
    watched, trace = cases.watched(entry.id, graph, target=250)
    np.testing.assert_array_equal(watched.distances, solve(entry, graph, 0, 250).distances)
    assert trace.iterations == len(trace) == watched.iterations
    assert trace.total_relaxed == watched.relaxations
    assert trace.frontier(0).tolist() in ([0], [250])
    assert (trace.ms >= 0).all()


@every_variant
def test_cancel_is_obeyed(entry: Variant) -> None:
    with pytest.raises(Cancelled):
        solve(entry, graphs.at_random(300, 1_200, seed=1), 0, 200, progress=cases.cancelled())


@pytest.mark.data
@every_variant
def test_across_new_york(entry: Variant) -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    solution = solve(entry, graph, 0, graph.n - 1)
    verdict = verify_target(graph, 0, graph.n - 1, solution.distances)
    assert verdict.verified, verdict.text


SIDE = 60


@pytest.fixture(scope="module")
def blocks() -> Graph:
    """A grid of streets 10 long, vertices at their crossings."""
    number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel()))
    both = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    rows, columns = np.divmod(np.arange(SIDE * SIDE), SIDE)
    places = Coordinates(np.column_stack((columns, rows)).astype(np.float64))
    weights = np.full(len(both[0]), 10, dtype=np.int32)
    return Graph.from_arcs(
        SIDE * SIDE, *both, weights, coordinates=places, directed=False, name="blocks"
    )


def taken(variant_id: str, graph: Graph, source: int, target: int) -> int:
    return cases.solve(variant_id, graph, source=source, target=target).iterations


def test_each_covers_less_ground(blocks: Graph) -> None:
    """Fifteen blocks east along a street, from the middle of the town."""
    source = SIDE * (SIDE // 2) + 20
    target = source + 15
    disc = taken("dijkstra-target", blocks, source, target)
    discs = taken("dijkstra-bidirectional", blocks, source, target)
    egg = taken("astar", blocks, source, target)
    assert egg < discs < disc < blocks.n
    assert egg <= 3 * 16, (
        "straight ahead the bound is exact: only the street itself is worth a look"
    )


def test_the_bound_is_the_best_pace_times_the_straight_line(blocks: Graph) -> None:
    assert blocks.coordinates is not None
    bound = lower_bound(blocks, blocks.coordinates, INT32)
    assert bound.pace == pytest.approx(10, rel=1e-5)
    assert bound.pace < 10, "a hair below, lest rounding promise too much"


def test_degrees_are_measured_on_the_sphere() -> None:
    """A degree of longitude at 60° north is half one at the equator; across the date
    line it is a short way.
    """
    arcs = [(0, 1, 100), (1, 0, 100)]
    graph = graphs.from_list(2, arcs, np.int32, name="two places")
    paces = [
        lower_bound(
            graph, Coordinates(np.array(ends, dtype=np.float64), geographic=True), INT32
        ).pace
        for ends in ([(0, 0), (1, 0)], [(0, 60), (1, 60)], [(179.5, 0), (-179.5, 0)])
    ]
    assert paces[1] == pytest.approx(2 * paces[0], rel=1e-3)
    assert paces[2] == pytest.approx(paces[0], rel=1e-6)


def test_one_place_for_all_makes_it_dijkstra() -> None:
    graph = graphs.by_hand("a grid")
    bound = lower_bound(graph, Coordinates(np.zeros((graph.n, 2))), INT32)
    assert bound.pace == 0


def test_missing_coordinates_are_told_before_and_after() -> None:
    graph = graphs.by_hand("a grid")
    told = availability(find_variant("astar"), graph, None)
    assert not told.available
    assert "needs coordinates" in told.reason
    with pytest.raises(UnsuitableGraph, match=r"a grid has none; open it with its \.co file"):
        cases.solve("astar", graph, target=5)
