"""Generated graphs: the promises of each family, road networks, the shipped samples,
and the random numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.dissection import dissection_order
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.errors import Cancelled, ParameterError, UnknownName
from solvers.graphs.generators import Generator, find, generators, road_kernels, road_towns
from solvers.graphs.generators import road as road_module
from solvers.graphs.graph import Graph
from solvers.graphs.random_numbers import fill_real, fill_whole, mix
from solvers.graphs.readers import read_graph
from solvers.system.cancel import CancelToken, Progress

SMALL: Mapping[str, Mapping[str, object]] = {
    "contention": {"vertices": 50},
    "grid": {"columns": 7, "rows": 5},
    "random": {"vertices": 300},
    "rmat": {"scale": 8},
    "road": {"vertices": 1500},
}
FAMILIES = pytest.mark.parametrize("family", generators(), ids=lambda family: family.id)


def test_every_family_is_found_and_road_comes_first() -> None:
    assert [family.id for family in generators()] == [
        "road",
        "contention",
        "grid",
        "random",
        "rmat",
    ]
    assert find("rmat").title.startswith("R-MAT")


def test_an_unknown_family_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="road"):
        find("roads")


@FAMILIES
def test_the_card_is_complete(family: Generator) -> None:
    assert family.idea.endswith(".")
    assert all(parameter.meaning.endswith(".") for parameter in family.parameters)


@FAMILIES
def test_same_parameters_same_graph(family: Generator) -> None:
    assert family.generate(SMALL[family.id]).sha256 == family.generate(SMALL[family.id]).sha256


@FAMILIES
def test_another_seed_another_graph(family: Generator) -> None:
    if not any(parameter.name == "seed" for parameter in family.parameters):
        pytest.skip("this family has no randomness")
    graphs = [family.generate({**SMALL[family.id], "seed": seed}) for seed in (1, 2)]

    assert graphs[0].sha256 != graphs[1].sha256


@FAMILIES
def test_parameters_are_checked(family: Generator) -> None:
    with pytest.raises(UnknownName):
        family.generate({"sise": 3})
    with pytest.raises(ParameterError):
        family.generate({family.parameters[0].name: -1})


@FAMILIES
def test_cancel_stops_it(family: Generator) -> None:
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        family.generate(SMALL[family.id], Progress(token))


@FAMILIES
def test_progress_never_falls(family: Generator) -> None:
    heard: list[float] = []

    family.generate(
        SMALL[family.id], Progress(report=lambda done, total: heard.append(done / total))
    )

    assert heard
    assert heard == sorted(heard)
    assert heard[-1] <= 1


def test_random_graphs_have_one_degree_and_no_self_loops() -> None:
    graph = find("random").generate({"vertices": 2_000, "degree": 7})

    assert set(graph.out_degrees.tolist()) == {7}
    assert not np.any(graph.tails == graph.indices)
    assert set(graph.weights.tolist()) == set(range(1, 11))
    assert np.bincount(graph.indices, minlength=graph.n).max() < 30  # heads are even


def test_contention_is_the_papers_graph() -> None:
    graph = find("contention").generate()

    assert (graph.n, graph.m) == (1024, 2 * 1022)
    assert graph.weights[graph.row(0)].tolist() == [1] * 1022
    assert graph.indices[graph.row(0)].tolist() == list(range(1, 1023))
    into_last = graph.weights[graph.indices == 1023]
    assert sorted(into_last.tolist()) == list(range(1, 1023))  # all differ, and the least sum is 2
    assert graph.coordinates is not None


def test_least_contention() -> None:
    graph = find("contention").generate({"vertices": 3})

    assert (graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist()) == (
        [0, 1],
        [1, 2],
        [1, 1],
    )


def test_rmat_is_skewed_as_its_constants_say() -> None:
    graph = find("rmat").generate({"scale": 10, "edge_factor": 16})
    shares = (
        np.histogram2d(graph.tails, graph.indices, bins=2, range=[[0, graph.n], [0, graph.n]])[0]
        / graph.m
    )

    assert (graph.n, graph.m) == (1024, 16 * 1024)
    assert shares == pytest.approx(np.array([[0.57, 0.19], [0.19, 0.05]]), abs=0.02)
    assert graph.out_degrees.max() > 10 * graph.out_degrees.mean()


def weights_by_ends(graph: Graph) -> dict[tuple[int, int], int]:
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)
    return dict(zip(ends, graph.weights.tolist(), strict=True))


def test_grid_streets_weigh_the_same_both_ways() -> None:
    graph = find("grid").generate({"columns": 4, "rows": 3, "low": 1, "high": 1000})
    weights = weights_by_ends(graph)

    assert graph.m == 2 * (3 * 3 + 4 * 2)
    assert all(weights[head, tail] == weight for (tail, head), weight in weights.items())
    assert graph.coordinates.xy[5].tolist() == [1, 1]
    assert not graph.directed


def test_graphs_without_arcs() -> None:
    grid, random = (
        find("grid").generate({"columns": 1, "rows": 1}),
        find("random").generate({"vertices": 5, "degree": 0}),
    )

    assert ((grid.n, grid.m), (random.n, random.m)) == ((1, 0), (5, 0))


def test_grid_past_all_memory_is_refused() -> None:
    with pytest.raises(ParameterError):
        find("grid").generate({"columns": 20_000, "rows": 20_000})


@pytest.mark.parametrize("family", ["grid", "random", "rmat"])
def test_weights_stay_in_their_range(family: str) -> None:
    graph = find(family).generate({**SMALL[family], "low": -2, "high": 3})

    assert (graph.weights.min(), graph.weights.max()) == (-2, 3)
    with pytest.raises(ParameterError):
        find(family).generate({**SMALL[family], "low": 4, "high": 3})


def test_more_last_vertices_and_scattered_costs_keep_the_answer() -> None:
    graph = find("contention").generate({"vertices": 40, "lasts": 6, "order": "scattered"})
    into = [graph.weights[graph.indices == last].tolist() for last in range(34, 40)]

    assert (graph.n, graph.m) == (40, 33 + 33 * 6)
    # the least sum is 2 at each of them
    assert all(sorted(costs) == list(range(1, 34)) for costs in into)
    assert len({tuple(costs) for costs in into}) == 6
    assert all(costs != sorted(costs, reverse=True) for costs in into)


@pytest.mark.parametrize(
    "given", [{"vertices": 5, "lasts": 4}, {"vertices": 10_000_000, "lasts": 4096}]
)
def test_contention_that_does_not_fit_is_refused(given: Mapping[str, object]) -> None:
    with pytest.raises(ParameterError, match="lasts"):
        find("contention").generate(given)


PATTERNS = pytest.mark.parametrize("pattern", ["towns", "lattice"])


def road(vertices: int, seed: int = 1, water: bool = True, pattern: str = "towns") -> Graph:
    return find("road").generate(
        {"vertices": vertices, "seed": seed, "water": water, "pattern": pattern}
    )


def matrix(graph: Graph) -> coo_array:
    return coo_array((graph.weights, (graph.tails, graph.indices)), shape=(graph.n, graph.n))


@PATTERNS
@pytest.mark.parametrize("water", [True, False])
@pytest.mark.parametrize("vertices", [16, 17, 24, 100, 1_000, 1_337, 5_000, 60_000])
def test_exactly_as_many_vertices_all_of_one_piece(
    vertices: int, water: bool, pattern: str
) -> None:
    for seed in (1, 2, 3):
        graph = road(vertices, seed, water, pattern)

        assert graph.n == vertices
        assert connected_components(matrix(graph), directed=False)[0] == 1
        assert graph.ids.tolist() == list(range(1, vertices + 1))


def test_as_sparse_as_the_dimacs_roads() -> None:
    """New York has 2.76 arcs for each vertex, Florida 2.51; 16 and 20 % of their
    vertices are dead ends.
    """
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
    return float(counts.sum()) / graph.n, tree.height


def test_separators_grow_slowly() -> None:
    """As on real roads. Those of a lattice grow with the square root: levels double at
    four times the size.
    """
    (small_arcs, small), (large_arcs, large) = (
        hierarchy_sizes(road(n, seed=4)) for n in (25_000, 100_000)
    )

    assert large < 1.8 * small
    assert large_arcs < 1.25 * small_arcs
    lattice_arcs, lattice = hierarchy_sizes(road(100_000, seed=4, pattern="lattice"))
    assert large < 0.8 * lattice
    assert large_arcs < 0.85 * lattice_arcs


def test_towns_are_dense_and_the_country_is_not() -> None:
    def densest(pattern: str) -> float:
        """Vertices in the fullest hundredth of the map's cells, as a multiple of the
        median cell's.
        """
        graph = road(60_000, water=False, pattern=pattern)
        counts = np.histogram2d(*graph.coordinates.xy.T, bins=50)[0]
        return float(np.quantile(counts[counts > 0], 0.99) / np.median(counts[counts > 0]))

    assert densest("towns") > 3
    assert densest("lattice") < 2.5


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(ParameterError, match="towns, lattice"):
        road(100, pattern="hexagons")


def test_every_road_is_two_arcs_of_one_weight() -> None:
    graph = road(3_000)
    forth = weights_by_ends(graph)

    assert len(forth) == graph.m  # no parallel arcs
    assert all(forth[head, tail] == weight for (tail, head), weight in forth.items())
    assert not np.any(graph.tails == graph.indices)
    assert not graph.directed


@PATTERNS
def test_weights_are_lengths_and_main_roads_are_faster(pattern: str) -> None:
    graph = road(20_000, pattern=pattern)
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

    assert not graph.coordinates.geographic
    assert np.isfinite(graph.coordinates.xy).all()
    assert len(np.unique(graph.coordinates.xy, axis=0)) > 0.999 * graph.n
    assert graph.weights.max() < 15 * graph.weights.mean()  # nothing leaps across the map


def test_water_makes_detours() -> None:
    """With a river between, some near neighbours on the map are far apart on the road."""

    def worst_detour(graph: Graph) -> float:
        xy = graph.coordinates.xy
        start = int(np.argmin(np.hypot(*(xy - np.quantile(xy, 0.5, axis=0)).T)))
        far = np.hypot(*(xy - xy[start]).T)
        ratio = dijkstra(matrix(graph).tocsr(), indices=start) / np.maximum(far, 1)
        return float(ratio[(far > 1_000) & (far < 3_000)].max())

    assert np.mean(
        [worst_detour(road(20_000, seed, True)) for seed in range(1, 7)]
    ) > 1.2 * np.mean([worst_detour(road(20_000, seed, False)) for seed in range(1, 7)])


# These look at a few bridges or sample points, or count bytes.
BRIEF = {
    "land_fraction",
    "share_kept",
    "find_bridges",
    "length_of_bridges",
    "cut_bridges",
    "emit_bridges",
    "count_dead_ends",
    "cycles",
}


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

    for module in (road_kernels, road_towns, road_module):
        for name, kernel in list(vars(module).items()):
            if (
                hasattr(kernel, "py_func")
                and kernel.__module__ == module.__name__
                and not name.startswith("_")
            ):
                monkeypatch.setattr(module, name, heard(name, kernel))
    find("road").generate(
        {"vertices": 60_000, "pattern": pattern}, Progress(CancelToken(since_look.clear))
    )

    few = {name for name, count in calls.items() if count < 16}
    assert few == (BRIEF if pattern == "towns" else BRIEF - {"share_kept"})


def test_progress_rises_in_small_steps() -> None:
    heard: list[float] = []

    find("road").generate(
        {"vertices": 60_000}, Progress(report=lambda done, total: heard.append(done / total))
    )

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


SAMPLES = Path(__file__).resolve().parents[3] / "resources" / "samples"


def test_harbour_is_what_the_generator_makes() -> None:
    """Holds on every platform: floating point, hash and order are all fixed."""
    reading = read_graph(SAMPLES / "harbour.gr.gz")
    made = find("road").generate({"vertices": 3000, "seed": 3, "pattern": "lattice"})

    assert reading.graph.sha256 == made.sha256
    assert np.array_equal(reading.graph.coordinates.xy, made.coordinates.xy)
    assert reading.report.warnings == ()


def test_textbook_paths_cost_what_its_comment_says() -> None:
    graph = read_graph(SAMPLES / "textbook.gr").graph
    matrix = csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))

    distances, before = dijkstra(matrix, indices=0, return_predecessors=True)
    path = [7]
    while path[-1] != 0:
        path.append(int(before[path[-1]]))

    assert distances[7] == 13
    assert [int(graph.ids[v]) for v in reversed(path)] == [1, 2, 5, 3, 7, 8]
    assert matrix[0, 3] + matrix[3, 5] + matrix[5, 7] == 19
    assert graph.coordinates is not None


def test_the_readme_counts_right() -> None:
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")

    for name in (
        "harbour.gr.gz",
        "textbook.gr",
        "negative-arcs.gr",
        "negative-cycle.gr",
        "contention.gr",
        "grid.gr",
    ):
        report = read_graph(SAMPLES / name).report
        assert f"| {report.vertices:,} | {report.arcs:,} |" in next(
            line for line in text.splitlines() if name in line
        )


_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def finish(z: int) -> int:
    """SplitMix64's finaliser (Steele, Lea, Flood 2014) in Python integers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


@pytest.mark.parametrize("seed", [0, 1, 2**53, 2**64 - 1])
@pytest.mark.parametrize("counter", [0, 1, 10**12])
def test_same_bits_as_the_definition(seed: int, counter: int) -> None:
    assert int(mix(np.uint64(seed), counter)) == finish(
        (finish((seed + _GOLDEN) & _MASK) + counter * _GOLDEN) & _MASK
    )


def test_pieces_make_the_same_whole() -> None:
    all_at_once, in_pieces = np.empty(1_000, dtype=np.int32), np.empty(1_000, dtype=np.int32)

    fill_whole(np.uint64(5), 0, -3, 3, all_at_once)
    fill_whole(np.uint64(5), 0, -3, 3, in_pieces[:400])
    fill_whole(np.uint64(5), 400, -3, 3, in_pieces[400:])

    assert all_at_once.tolist() == in_pieces.tolist()


def test_numbers_are_even_and_neighbouring_seeds_have_nothing_in_common() -> None:
    first, second = np.empty(100_000), np.empty(100_000)

    fill_real(np.uint64(1), 0, 0.0, 1.0, first)
    fill_real(np.uint64(2), 0, 0.0, 1.0, second)

    assert first.mean() == pytest.approx(0.5, abs=0.005)
    assert np.histogram(first, 10, (0, 1))[0].std() < 200
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.02
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.02
