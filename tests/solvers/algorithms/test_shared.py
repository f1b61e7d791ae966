"""What families of algorithms share: pieces of sweeps, widths of buckets, and proofs of
negative cycles.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.arcs import vertex_ranges
from solvers.algorithms.bucket_width import bin_width, bucket_width, mean_weights
from solvers.algorithms.negative_cycle import cycle_weight, find_negative_cycle
from solvers.devices.device import Device
from solvers.errors import Cancelled, NegativeCycle
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import FLOAT32, INT32, INT64
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.cases import ALL, TWO_ARRAYS, cancelled, graph_of, random_graph, solve


@pytest.mark.parametrize(
    "degrees", [[], [0], [5], [0, 0, 0, 0], [1, 2, 3, 4, 5], [50, 0, 0, 1], [0, 0, 50], [3] * 40]
)
@pytest.mark.parametrize("arcs", [1, 4, 1000])
def test_ranges_cover_everything_once(degrees: list[int], arcs: int) -> None:
    indptr = np.concatenate(([0], np.cumsum(degrees))).astype(np.int64)
    ranges = vertex_ranges(indptr, arcs)
    assert [v for first, last in ranges for v in range(first, last)] == list(range(len(degrees)))
    heaviest = max(degrees, default=0)
    for first, last in ranges:
        assert int(indptr[last] - indptr[first]) + (last - first) <= arcs + heaviest + 1


def test_roads_get_wide_buckets_and_other_graphs_narrow_ones() -> None:
    road, dense = graphs.by_hand("a grid"), graphs.by_hand("complete")
    for on_cpu in (False, True):
        assert mean_weights(road, on_cpu) > mean_weights(dense, on_cpu)
    assert mean_weights(road, on_cpu=True) < mean_weights(road, on_cpu=False), (
        "rounds cost less on a processor"
    )


def test_a_hub_makes_a_graph_no_road_network() -> None:
    """Few arcs a vertex on average, but the whole graph lies two arcs away: a path of
    many does not cross a bucket.
    """
    star = graphs.from_list(40, [(0, i, 1) for i in range(1, 40)], np.int32, name="a star")
    assert mean_weights(star, on_cpu=False) < mean_weights(graphs.by_hand("a grid"), on_cpu=False)


def test_a_width_is_counted_in_mean_weights() -> None:
    graph = graphs.from_list(3, [(0, 1, 10), (1, 2, 30)], np.int32, name="two arcs")
    assert bucket_width(graph, INT32, 3.0, on_cpu=False) == 60


def test_few_heavy_arcs_do_not_widen_the_bins_of_threads() -> None:
    """They raise the mean so far that one bin held all vertices, and each was relaxed 160 times."""
    ends = [(u, (u + k) % 100) for u in range(100) for k in range(1, 7)]
    even, wide = (
        graphs.from_list(100, [(*end, weight(i)) for i, end in enumerate(ends)], np.int32, name="")
        for weight in (lambda i: i % 100, lambda i: 10 ** (i % 7))
    )
    assert bin_width(even, INT32, 0.0, threads=2) > even.mean_weight / 2
    assert 1 < bin_width(wide, INT32, 0.0, threads=2) < wide.mean_weight / 100


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_a_distance_and_a_width_do_not_wrap(kind) -> None:
    graph = graphs.by_hand("heavy")
    width = bucket_width(graph, kind, 1e6, on_cpu=False)
    with np.errstate(over="raise"):
        assert kind.dtype.type(kind.infinity) + width > kind.infinity


def test_no_weights_still_make_a_positive_width() -> None:
    for name in ("no arcs", "one vertex"):
        assert bucket_width(graphs.by_hand(name), INT32, 0.0, on_cpu=False) >= 1
    zeros = graphs.from_list(2, [(0, 1, 0)], np.float32, name="zeros")
    assert bucket_width(zeros, FLOAT32, 0.0, on_cpu=False) > 0


def proved(graph: Graph, error: NegativeCycle) -> None:
    """The cycle is one: its arcs exist, no vertex comes twice, and the sum is as told
    and below zero.
    """
    assert len(set(error.vertices)) == len(error.vertices) > 0
    total = 0.0
    for tail, head in zip(error.vertices, (*error.vertices[1:], error.vertices[0]), strict=True):
        row = graph.row(tail)
        total += float(graph.weights[row][graph.indices[row] == head].min())
    assert total == pytest.approx(error.weight)
    assert error.weight < 0


@pytest.mark.parametrize("early_exit", [True, False], ids=["early", "full"])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("variant_id", ALL)
def test_a_cycle_in_reach(variant_id: str, dtype: str, early_exit: bool, device: Device) -> None:
    arcs = [(0, 1, 5), (1, 2, 3), (2, 3, -4), (3, 1, -2), (3, 4, 1), (0, 4, 2)]
    graph = graph_of(5, *arcs, dtype=dtype)
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device, early_exit=early_exit)
    proved(graph, found.value)
    assert sorted(found.value.vertices) == [1, 2, 3]
    assert found.value.weight == -3
    assert 1 <= found.value.iterations <= graph.n


@pytest.mark.parametrize("variant_id", ALL)
def test_a_cycle_of_length_zero_is_none(variant_id: str, device: Device) -> None:
    graph = graph_of(4, (0, 1, 3), (1, 2, -3), (2, 1, 3), (2, 3, 1))
    assert solve(variant_id, graph, device).distances.tolist() == [0, 3, 0, 1]


@pytest.mark.parametrize("variant_id", ALL)
def test_distances_do_not_wrap_before_the_cycle_is_seen(variant_id: str, device: Device) -> None:
    """n passes round this cycle would pass -2**31 many times over; a wrapped sum would
    look like a long way.
    """
    n, heavy = 400, 2**20
    arcs = [(v, v + 1, heavy) for v in range(n - 1)] + [(n - 1, 0, -heavy * n)]
    graph = graph_of(n, *arcs)
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device)
    assert found.value.weight == -heavy
    assert len(found.value.vertices) == n


@pytest.mark.parametrize("variant_id", ALL)
def test_the_longest_negative_path_is_no_cycle(variant_id: str, device: Device) -> None:
    """A path as long as the bound on path lengths: the floor lies beneath it, not on it."""
    graph = graph_of(64, *[(v, v + 1, -(2**24)) for v in range(63)])
    assert solve(variant_id, graph, device).distances[-1] == -63 * 2**24


@pytest.mark.parametrize("variant_id", ALL)
def test_bitcoin_trust(variant_id: str, device: Device) -> None:
    """A real graph full of negative cycles; seen by the floor long before n passes are made."""
    graph = read_graph(data_file("snap/soc-sign-bitcoinotc.csv.gz")).graph
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device)
    proved(graph, found.value)
    assert found.value.iterations < graph.n


@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
@pytest.mark.parametrize("largest", [1, 32])
def test_the_pass_of_the_fall_does_not_depend_on_when_the_host_looks(
    variant_id: str, largest: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solvers.algorithms.bellman_ford import passes

    monkeypatch.setattr(passes, "LARGEST_BATCH", largest)
    with pytest.raises(NegativeCycle) as found:
        solve(
            variant_id,
            graph_of(50, (0, 1, 1), (1, 0, -11), *[(v, v + 1, 1) for v in range(1, 49)]),
            device,
        )
    # vertex 0 falls by 10 in every second pass: -60 in the 12th is the bound 1 + 11 +
    # 48 itself, -70 is past it
    assert found.value.iterations == 14


class TestFinder:
    def test_only_reached_vertices_count(self) -> None:
        graph = graph_of(4, (0, 1, 1), (2, 3, -5), (3, 2, 1))
        everything = np.ones(4, dtype=bool)
        assert sorted(find_negative_cycle(graph, everything)) == [2, 3]
        assert find_negative_cycle(graph, np.array([True, True, False, False])) == ()

    @pytest.mark.parametrize("seed", range(20))
    def test_it_finds_a_cycle_exactly_where_there_is_one(self, seed: int) -> None:
        """A graph without negative cycles, then the same with one arc that closes one
        of length -1.
        """
        graph = random_graph(60, 240, seed, negative=True)
        everything = np.ones(graph.n, dtype=bool)
        assert find_negative_cycle(graph, everything) == ()
        ring = np.random.default_rng(seed).permutation(60)[: 2 + seed]
        following = np.roll(ring, -1)
        weights = np.ones(len(ring), dtype=np.int32)
        weights[0] = -len(ring)
        closed = Graph.from_arcs(
            60,
            np.concatenate((graph.tails, ring)),
            np.concatenate((graph.indices, following)),
            np.concatenate((graph.weights, weights)),
        )
        cycle = find_negative_cycle(closed, everything)
        assert cycle_weight(closed, cycle) < 0

    def test_the_least_parallel_arc_counts(self) -> None:
        graph = graph_of(2, (0, 1, 5), (0, 1, -3), (1, 0, 2))
        cycle = find_negative_cycle(graph, np.ones(2, dtype=bool))
        assert sorted(cycle) == [0, 1]
        assert cycle_weight(graph, cycle) == -1

    def test_rounding_is_no_cycle(self) -> None:
        """0.1 + 0.2 - 0.3 in floating point is no way to get shorter for ever."""
        graph = graph_of(3, (0, 1, 0.1), (1, 2, 0.2), (2, 0, -(0.1 + 0.2)), dtype=np.float64)
        cycle = find_negative_cycle(graph, np.ones(3, dtype=bool))
        assert cycle == () or cycle_weight(graph, cycle) < 0

    def test_it_can_be_cancelled(self) -> None:
        with pytest.raises(Cancelled):
            find_negative_cycle(random_graph(60, 240, 1), np.ones(60, dtype=bool), cancelled())
