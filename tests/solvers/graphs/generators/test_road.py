"""The made-up road network is connected, sparse, symmetric, costs what its roads are long, and has real separators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra

from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.dissection import dissection_order
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.errors import Cancelled, ParameterError
from solvers.graphs.generators import find, road_kernels, road_lattice, road_towns
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress

PATTERNS = pytest.mark.parametrize("pattern", ["towns", "lattice"])


def road(vertices: int, seed: int = 1, water: bool = True, pattern: str = "towns") -> Graph:
    return find("road").generate({"vertices": vertices, "seed": seed, "water": water, "pattern": pattern})


def matrix(graph: Graph) -> coo_array:
    return coo_array((graph.weights, (graph.tails, graph.indices)), shape=(graph.n, graph.n))


@PATTERNS
@pytest.mark.parametrize("water", [True, False])
@pytest.mark.parametrize("vertices", [16, 17, 24, 100, 1_000, 1_337, 5_000, 60_000])
def test_exactly_as_many_vertices_all_of_one_piece(vertices: int, water: bool, pattern: str) -> None:
    for seed in (1, 2, 3):
        graph = road(vertices, seed, water, pattern)

        assert graph.n == vertices
        assert connected_components(matrix(graph), directed=False)[0] == 1
        assert graph.ids.tolist() == list(range(1, vertices + 1))


def test_as_sparse_as_the_dimacs_roads() -> None:
    """New York has 2.76 arcs for each vertex, Florida 2.51; 16 and 20 % of their vertices are dead ends."""
    for seed in range(1, 6):
        graph = road(20_000, seed)
        degrees = np.bincount(graph.out_degrees, minlength=5) / graph.n

        assert 2.4 <= graph.m / graph.n <= 2.8
        assert 0.15 < degrees[1] < 0.25
        assert 0.2 < degrees[2] < 0.35
        assert degrees[3] + degrees[4] > 0.45
        assert graph.out_degrees.max() <= 5


def test_a_lattice_has_many_chains_and_few_dead_ends() -> None:
    graph = road(20_000, pattern="lattice")
    degrees = np.bincount(graph.out_degrees, minlength=5) / graph.n

    assert 2.4 <= graph.m / graph.n <= 2.8
    assert 0.02 < degrees[1] < 0.1
    assert degrees[2] > 0.45


def hierarchy_sizes(graph: Graph) -> tuple[float, int]:
    """Arcs up for each vertex, and levels."""
    adjacency = adjacency_of(graph)
    tree = elimination_tree(adjacency, dissection_order(adjacency))
    counts = count_up_arcs(adjacency, tree, 100 * graph.n)
    assert counts is not None
    return float(counts.sum()) / graph.n, tree.height


def test_separators_grow_slowly() -> None:
    """As on real roads. Those of a lattice grow with the square root: levels double at four times the size."""
    (small_arcs, small), (large_arcs, large) = (hierarchy_sizes(road(n, seed=4)) for n in (25_000, 100_000))

    assert large < 1.8 * small
    assert large_arcs < 1.25 * small_arcs
    lattice_arcs, lattice = hierarchy_sizes(road(100_000, seed=4, pattern="lattice"))
    assert large < 0.8 * lattice
    assert large_arcs < 0.85 * lattice_arcs


def test_towns_are_dense_and_the_country_is_not() -> None:
    def densest(pattern: str) -> float:
        """Vertices in the fullest hundredth of the map's cells, as a multiple of the median cell's."""
        graph = road(60_000, water=False, pattern=pattern)
        assert graph.coordinates is not None
        counts = np.histogram2d(*graph.coordinates.xy.T, bins=50)[0]
        return float(np.quantile(counts[counts > 0], 0.99) / np.median(counts[counts > 0]))

    assert densest("towns") > 3
    assert densest("lattice") < 2.5


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(ParameterError, match="towns, lattice"):
        road(100, pattern="hexagons")


def test_every_road_is_two_arcs_of_one_weight() -> None:
    graph = road(3_000)
    forth = dict(
        zip(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), graph.weights.tolist(), strict=True)
    )

    assert len(forth) == graph.m  # no parallel arcs
    assert all(forth[head, tail] == weight for (tail, head), weight in forth.items())
    assert not np.any(graph.tails == graph.indices)
    assert not graph.directed


@PATTERNS
def test_weights_are_lengths_and_main_roads_are_faster(pattern: str) -> None:
    graph = road(20_000, pattern=pattern)
    assert graph.coordinates is not None
    xy = graph.coordinates.xy
    lengths = np.hypot(*(xy[graph.tails] - xy[graph.indices]).T)
    cost = graph.weights / lengths

    assert graph.weights.dtype == np.int32
    assert graph.weights.min() >= 1
    assert cost[lengths > 20] == pytest.approx(1, abs=0.65)
    shares = [np.mean(np.abs(cost - speed) < 0.02) for speed in (1.0, 0.6, 0.4)]
    assert shares[0] > 0.6 > shares[1] > shares[2] > 0.01


@PATTERNS
def test_drawn_in_place_and_nowhere_twice(pattern: str) -> None:
    graph = road(20_000, pattern=pattern)
    assert graph.coordinates is not None

    assert not graph.coordinates.geographic
    assert np.isfinite(graph.coordinates.xy).all()
    assert len(np.unique(graph.coordinates.xy, axis=0)) > 0.999 * graph.n
    assert graph.weights.max() < 15 * graph.weights.mean()  # nothing leaps across the map


def test_water_makes_detours() -> None:
    """With a river between, some near neighbours on the map are far apart on the road."""

    def worst_detour(graph: Graph) -> float:
        assert graph.coordinates is not None
        xy = graph.coordinates.xy
        start = int(np.argmin(np.hypot(*(xy - np.quantile(xy, 0.5, axis=0)).T)))
        far = np.hypot(*(xy - xy[start]).T)
        ratio = dijkstra(matrix(graph).tocsr(), indices=start) / np.maximum(far, 1)
        return float(ratio[(far > 1_000) & (far < 3_000)].max())

    assert np.mean([worst_detour(road(20_000, seed, True)) for seed in range(1, 7)]) > 1.2 * np.mean(
        [worst_detour(road(20_000, seed, False)) for seed in range(1, 7)]
    )


# These look at a few bridges or sample points, or count bytes.
BRIEF = {
    "land_fraction", "share_kept", "find_bridges", "length_of_bridges", "cut_bridges", "emit_bridges",
    "count_dead_ends", "cycles",
}  # fmt: skip


@PATTERNS
def test_every_pass_over_the_lattice_is_cut_into_bands_with_a_look_at_cancel(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    since_look: list[str] = []
    calls: Counter[str] = Counter()

    def heard(name: str, kernel: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object) -> object:
            calls[name] += 1
            since_look.append(name)
            assert len(set(since_look) - BRIEF) <= 1, "two passes in a row, and no look between"
            return kernel(*arguments)

        return called

    for module in (road_kernels, road_towns, road_lattice):
        for name, kernel in list(vars(module).items()):
            if hasattr(kernel, "py_func") and kernel.__module__ == module.__name__ and not name.startswith("_"):
                monkeypatch.setattr(module, name, heard(name, kernel))
    find("road").generate({"vertices": 60_000, "pattern": pattern}, Progress(CancelToken(since_look.clear)))

    few = {name for name, count in calls.items() if count < 16}
    assert few == (BRIEF if pattern == "towns" else BRIEF - {"share_kept"})


def test_progress_rises_in_small_steps() -> None:
    heard: list[float] = []

    find("road").generate({"vertices": 60_000}, Progress(report=lambda done, total: heard.append(done / total)))

    assert heard == sorted(heard)
    assert np.diff(heard).max() < 0.01
    assert 0.8 < heard[-1] < 1  # the sorting is still to come


def test_cancel_in_the_middle() -> None:
    token = CancelToken()
    heard: list[float] = []

    def stop_half_way(done: float, total: float) -> None:
        heard.append(done / total)
        if heard[-1] > 0.5:
            token.cancel()

    with pytest.raises(Cancelled):
        find("road").generate({"vertices": 50_000}, Progress(token, stop_half_way))
    assert heard[-1] < 0.6
