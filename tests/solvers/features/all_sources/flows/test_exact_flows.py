"""Which paths are equally short is decided exactly: flows against NetworkX with fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import all_sources, read
from solvers.devices.device import Device
from solvers.errors import SeparatorsTooLarge, UnsuitableGraph, WrongAnswer
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.flow_engines import FlowQuestion
from solvers.features.all_sources.flows import flow_sweep
from solvers.features.all_sources.flows.exact_flows import ProvedFlows, WideCounting
from solvers.features.all_sources.flows.path_flows import CountedFlows
from solvers.features.all_sources.flows.whole_weights import whole_weights
from solvers.system.cancel import SILENT
from solvers.system.openmp import team

pytestmark = pytest.mark.openmp

_RNG = random.Random(5)
_SOME = [_RNG.random() for _ in range(4)]


def digits(rng: random.Random) -> float:
    """A number whose sums with others do not fit into 64 bits."""
    return rng.random() / 3 ** rng.randint(0, 9)


POOLS = {
    "decimals": [k / 10 for k in range(1, 8)],
    "many powers of ten": [k * 10.0**p for k in (1, 2, 3) for p in (-8, -7, 0, 7, 8)],
    "the last bit": [1.0, 1 + 2.0**-52, 2.0, 2 + 2.0**-51, 1e8, 1e8 + 1e-8, 1e-8, 2e-8],
    "sums": _SOME + [a + b for a in _SOME for b in _SOME],
    "random": [digits(_RNG) for _ in range(60)],
    "wide": [1e-8, 3e-8, 2e-8, 1 / 3, 2 / 3, 1e8 / 3, 2e8 / 3, 1e8, 1.0],
}


def graphs(pool: list[float], seed: int, n: int) -> Any:
    rng = random.Random(seed)
    graph = nx.gnp_random_graph(n, rng.choice([2, 4]) / n, seed=seed, directed=seed % 2 == 1)
    for edge in graph.edges:
        graph.edges[edge]["weight"] = rng.choice(pool)
    return graph


def by_fractions(graph: Any) -> list[float]:
    weights = [weight for *_, weight in graph.edges(data="weight")]
    are_decimals = all(float(f"{weight:.15g}") == weight for weight in weights)
    exact = graph.copy()
    for edge in exact.edges:
        weight = exact.edges[edge]["weight"]
        exact.edges[edge]["weight"] = Fraction(str(weight) if are_decimals else weight)
    found = nx.betweenness_centrality(exact, weight="weight", normalized=False)
    return [float(found[v]) for v in sorted(graph)]


def flows_of(graph: Any, **options: Any) -> Flows:
    found = all_sources(read(graph), ["betweenness"], **{"device": None, **options})
    assert found.verdict.verified, found.verdict.text
    assert found.flows is not None
    return found.flows


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("engine", ["hierarchy", "search"])
def test_betweenness_is_that_of_fractions(
    pool: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in whole units, the last bit and what is small beside the greatest were lost."""
    if engine == "search":
        monkeypatch.setattr(flow_sweep, "HierarchyFlows", _refused)
    for seed in range(12):
        graph = graphs(POOLS[pool], seed, 12 if seed < 10 else 40)
        found = flows_of(graph)
        assert found.engine == engine
        np.testing.assert_allclose(found.vertices, by_fractions(graph), atol=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize("pool", POOLS)
def test_betweenness_of_a_gpu_is_that_of_fractions(pool: str, device: Device) -> None:
    for seed in range(12):
        graph = graphs(POOLS[pool], seed, 12 if seed < 10 else 40)
        found = flows_of(graph, device=device)
        assert found.engine == "hierarchy on cuda"
        np.testing.assert_allclose(found.vertices, by_fractions(graph), atol=1e-9)


def _refused(graph: Any, *_: object) -> None:
    raise SeparatorsTooLarge("test", graph.name, 9, 1)


@pytest.mark.parametrize("far", [1e8, 1e8 / 3])
def test_small_weights_beside_a_great_one_are_not_lost(far: float) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 1e-8), (1, 2, 1e-8), (0, 2, 3e-8), (3, 4, far)])
    assert flows_of(graph).vertices.tolist() == [0, 1, 0, 0, 0]
    graph[0][2]["weight"] = 2e-8
    assert flows_of(graph).vertices.tolist() == [0, 0.5, 0, 0, 0]


def test_sources_are_proved_where_rounding_changes_nothing_and_searched_elsewhere() -> None:
    """Beside random weights, a tie of two sources that is none by the last bit."""
    rng = random.Random(1)
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8))
    for edge in graph.edges:
        graph.edges[edge]["weight"] = digits(rng)
    near, more = 1 / 5, 2 / 5 + 2**-54
    graph.add_weighted_edges_from([(90, 91, near), (91, 92, near), (90, 92, more), (98, 99, 3e5)])
    ours = read(graph)
    assert whole_weights(ours).wide is not None
    with team(2, "test") as threads:
        engine = FlowQuestion.of(ours, threads).engine()
        assert isinstance(engine, ProvedFlows)
        proved = engine.proves(np.arange(ours.n, dtype=np.int32), SILENT)
    assert proved.tolist() == [vertex not in (90, 92) for vertex in ours.ids]
    found = all_sources(ours, ["betweenness"], device=None)
    assert found.verdict.verified
    assert found.flows is not None
    np.testing.assert_allclose(found.flows.vertices, by_fractions(graph), atol=1e-9)


def test_what_is_proved_or_searched_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(9, 9))
    for edge in graph.edges:
        graph.edges[edge]["weight"] = digits(rng)
    masses = np.array([rng.random() for _ in graph])
    proved = flows_of(graph, masses=masses, budget=1.7)
    monkeypatch.setattr(
        ProvedFlows, "proves", lambda self, sources, _: np.zeros(len(sources), np.bool_)
    )
    searched = flows_of(graph, masses=masses, budget=1.7)
    np.testing.assert_allclose(searched.arcs, proved.arcs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("third", [0.3, 1 / 3])
def test_a_budget_is_compared_exactly(third: float) -> None:
    """Decimals with decimals: 0.1 + 0.2 is within 0.3. Floats as they are."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.2), (2, 3, third)])
    inner = flows_of(graph, budget=0.3).vertices.tolist()
    assert inner == [0, 1 if third == 0.3 else 0, 0, 0]
    up = float(np.nextafter(0.3, 1))  # 0.1 + 0.2 of floats is a little less
    assert flows_of(graph, budget=up).vertices.tolist() == [0, 1, 0, 0]


def test_weights_are_whole_in_a_unit_that_is_exact() -> None:
    def of(*weights: Any, kind: str = "float64") -> Any:
        n = len(weights)
        graph = read(([0, *range(1, n + 1), n], list(range(1, n + 1)), np.array(weights, kind)))
        return whole_weights(graph)

    for found, unit, counts in (
        (of(0.1, 0.25, 3), Fraction(1, 100), [10, 25, 300]),
        (of(1.5e300, 4.5e300), Fraction(15 * 10**299), [1, 3]),
        (of(1e-30, 7e-30), Fraction(1, 10**30), [1, 7]),
        (of(0.1, 0.2, kind="float32"), Fraction(1, 10), [1, 2]),
        (of(1 / 3, 2 / 3), Fraction(1 / 3), [1, 2]),
        (of(5e-324, 1e-323), Fraction(5e-324), [1, 2]),
        (of(0.0, 0.0), Fraction(1), [0, 0]),
    ):
        assert (found.unit, found.graph.weights.tolist(), found.wide) == (unit, counts, None)

    found = of(1 / 3, 1e8 / 7, 0.0)
    exact = [
        (high * found.wide.base + low) * found.unit / found.wide.base
        for high, low in zip(found.wide.high.tolist(), found.wide.low.tolist(), strict=True)
    ]
    assert exact == [Fraction(1 / 3), Fraction(1e8 / 7), 0]
    with pytest.raises(UnsuitableGraph, match=r"span too many powers of ten, from 3\.33e-31"):
        of(1e-30 / 3, 1e30)


def test_what_little_masses_send_is_kept() -> None:
    """What passes is told from rounding by what flows in, however little it is."""
    path = nx.path_graph(3)
    assert flows_of(path, masses=[1e-6, 1e-6, 1e-6]).vertices[1] == pytest.approx(1e-12)


def test_flows_of_tiny_lengths_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths below 1e-9 passed as equal, whatever they were."""
    graph, right = nx.path_graph(20), flow_sweep.HierarchyFlows.arc_flows
    nx.set_edge_attributes(graph, 1e-12, "weight")

    def doubled(self: Any, totals: Any, progress: Any) -> Any:
        several = totals.starts.astype(bool).sum() > 16  # not where a sample is recomputed
        return right(self, totals, progress) * (2 if several else 1)

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "arc_flows", doubled)
    with pytest.warns(WrongAnswer):
        found = all_sources(read(graph), ["betweenness"], device=None)
    assert "Flow times weight" in found.verdict.text


def test_wide_searches_are_used_for_graphs_of_large_separators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flow_sweep, "HierarchyFlows", _refused)
    graph = read(graphs(POOLS["random"], 3, 30))
    with team(1, "test") as threads:
        engine = FlowQuestion.of(graph, threads).engine()
    assert isinstance(engine, CountedFlows)
    assert isinstance(engine.counting, WideCounting)
