"""What holds for every family, and the promises of each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from solvers.errors import Cancelled, ParameterError, UnknownName
from solvers.graphs.generators import Generator, find, generators
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
    assert [family.id for family in generators()] == ["road", "contention", "grid", "random", "rmat"]
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

    family.generate(SMALL[family.id], Progress(report=lambda done, total: heard.append(done / total)))

    assert heard
    assert heard == sorted(heard)
    assert heard[-1] <= 1


def test_random_graphs_have_one_degree_and_no_self_loops() -> None:
    graph = find("random").generate({"vertices": 2_000, "degree": 7})

    assert set(graph.out_degrees.tolist()) == {7}
    assert not np.any(graph.tails == graph.indices)
    assert set(graph.weights.tolist()) == set(range(1, 11))
    assert np.bincount(graph.indices, minlength=graph.n).max() < 30  # heads are even


def test_random_graph_of_degree_zero() -> None:
    assert find("random").generate({"vertices": 5, "degree": 0}).m == 0


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

    assert (graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist()) == ([0, 1], [1, 2], [1, 1])


def test_rmat_is_skewed_as_its_constants_say() -> None:
    graph = find("rmat").generate({"scale": 10, "edge_factor": 16})
    shares = np.histogram2d(graph.tails, graph.indices, bins=2, range=[[0, graph.n], [0, graph.n]])[0] / graph.m

    assert (graph.n, graph.m) == (1024, 16 * 1024)
    assert shares == pytest.approx(np.array([[0.57, 0.19], [0.19, 0.05]]), abs=0.02)
    assert graph.out_degrees.max() > 10 * graph.out_degrees.mean()


def test_grid_streets_weigh_the_same_both_ways() -> None:
    graph = find("grid").generate({"columns": 4, "rows": 3, "low": 1, "high": 1000})
    weights = dict(
        zip(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), graph.weights.tolist(), strict=True)
    )

    assert graph.m == 2 * (3 * 3 + 4 * 2)
    assert all(weights[head, tail] == weight for (tail, head), weight in weights.items())
    assert graph.coordinates is not None
    assert graph.coordinates.xy[5].tolist() == [1, 1]
    assert not graph.directed


def test_grid_of_one_vertex() -> None:
    graph = find("grid").generate({"columns": 1, "rows": 1})

    assert (graph.n, graph.m) == (1, 0)


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
    assert all(sorted(costs) == list(range(1, 34)) for costs in into)  # the least sum is 2 at each of them
    assert len({tuple(costs) for costs in into}) == 6
    assert all(costs != sorted(costs, reverse=True) for costs in into)


@pytest.mark.parametrize("given", [{"vertices": 5, "lasts": 4}, {"vertices": 10_000_000, "lasts": 4096}])
def test_contention_that_does_not_fit_is_refused(given: Mapping[str, object]) -> None:
    with pytest.raises(ParameterError, match="lasts"):
        find("contention").generate(given)
