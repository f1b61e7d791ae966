"""Betweenness of a run: against NetworkX, estimated, proved, killed and resumed, and
written to files.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import all_sources, generate, read
from solvers.algorithms.hierarchy import ordering
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.devices.device import Device
from solvers.errors import (
    Cancelled,
    FileFormatError,
    InputError,
    OutOfMemory,
    ParameterError,
    SeparatorsTooLarge,
    UnsuitableGraph,
)
from solvers.features.all_sources import betweenness
from solvers.features.all_sources.betweenness import FlowRun, GrowingFlows, sum_flows
from solvers.features.all_sources.flow_engines import FlowQuestion
from solvers.features.all_sources.flow_files import (
    betweenness_table,
    greatest_flows,
    read_masses,
)
from solvers.features.all_sources.flows import device_flows, flow_columns, flow_sweep, path_flows
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import COMPUTING, run_all_sources
from solvers.graphs.graph import Graph
from solvers.running.answers.frames import table_of
from solvers.running.answers.write import write_answer
from solvers.running.prepared_network import prepared_network
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.graphs import DTYPES

pytestmark = pytest.mark.openmp


@pytest.fixture
def town() -> Graph:
    return read(grid())


def grid(columns: int = 12, rows: int = 15) -> Any:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(columns, rows))
    rng = np.random.default_rng(1)
    for u, v in graph.edges:
        graph[u][v]["weight"] = int(rng.integers(1, 4))
    return graph


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HierarchyRows, "most_sources", 16)
    monkeypatch.setattr(flow_sweep.HierarchyFlows, "most_sources", 16)
    monkeypatch.setattr(betweenness, "_LEAST_ROWS", 4)


@pytest.mark.parametrize(
    "graph", [grid(), nx.gnp_random_graph(200, 0.06, seed=1, directed=True)], ids=["grid", "gnp"]
)
def test_betweenness_is_that_of_networkx(graph: Any) -> None:
    found = all_sources(graph, ["betweenness"])
    expected = nx.betweenness_centrality(graph, weight="weight", normalized=False)

    assert found.flows is not None
    np.testing.assert_allclose(
        found.flows.vertices, [expected[v] for v in found.graph.ids], atol=1e-7
    )
    assert found.verdict.verified
    assert "recomputed" in found.verdict.text

    shares = all_sources(graph, ["betweenness"], normalized=True)
    expected = nx.betweenness_centrality(graph, weight="weight")
    np.testing.assert_allclose(shares.betweenness, [expected[v] for v in graph], atol=1e-9)
    np.testing.assert_array_equal(shares.to_series("betweenness"), shares.betweenness)
    np.testing.assert_array_equal(shares.flows.vertices, found.flows.vertices)
    with pytest.raises(InputError, match="leave masses"):
        all_sources(graph, ["betweenness"], normalized=True, masses=np.ones(len(graph)))


@pytest.mark.parametrize("kind", [name for name in DTYPES if "float" in name] or ["float64"])
def test_lengths_of_floats_tie_where_their_decimals_do(kind: Any) -> None:
    """0.1 + 0.2 is not 0.3: counted in floats, there were no paths at all, or fewer."""
    whole, graph = grid(), grid()
    for u, v in graph.edges:
        graph[u][v]["weight"] = round(graph[u][v]["weight"] * 0.1, 1)
    floats = read(graph)
    floats = replace(floats, weights=floats.weights.astype(kind))
    found, expected = all_sources(floats, ["betweenness"]), all_sources(whole, ["betweenness"])
    assert found.verdict.verified
    np.testing.assert_allclose(found.flows.arcs, expected.flows.arcs, atol=1e-7)


def test_only_what_another_program_computed_is_called_recomputed() -> None:
    """Several weights and large separators: Brandes' algorithm computes all flows, so
    nothing is computed again.
    """
    rng, graph = np.random.default_rng(1), nx.gnp_random_graph(60, 0.2, seed=1, directed=True)
    for u, v in graph.edges:
        graph[u][v]["weight"] = int(rng.integers(1, 9))
    request = AllSourcesRequest(read(graph), has_flows=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_sweep, "HierarchyFlows", _refused)
        by_brandes = run_all_sources(request).verdict
    assert by_brandes.verified
    assert "recomputed" not in by_brandes.text
    assert "recomputed" in run_all_sources(request).verdict.text


def _refused(graph: Graph, *_: object) -> None:
    raise SeparatorsTooLarge("test", graph.name, 9, 1)


def test_chosen_sources_are_a_subset_and_drawn_ones_an_estimate() -> None:
    graph = grid(20, 20)
    expected = nx.betweenness_centrality(graph, weight="weight", normalized=False)
    part = all_sources(graph, ["betweenness"], sources=[5, 77]).flows
    subset = nx.betweenness_centrality_subset(graph, [5, 77], list(graph), weight="weight")
    assert part is not None
    np.testing.assert_allclose(part.vertices, [subset[v] for v in part.graph.ids], atol=1e-8)

    estimate = all_sources(graph, ["betweenness"], sources=200).flows
    assert estimate.intervals is not None
    exact = np.array([expected[v] for v in estimate.graph.ids])
    low, high = estimate.intervals
    assert np.mean((low <= exact) & (exact <= high)) > 0.8
    assert estimate.vertices.sum() == pytest.approx(exact.sum(), rel=0.1)

    whole = all_sources(graph, ["betweenness"], sources=400).flows
    assert whole.intervals is not None
    np.testing.assert_allclose(whole.vertices, exact, atol=1e-7)
    np.testing.assert_allclose(whole.intervals[1] - whole.intervals[0], 0, atol=1e-7)


def test_flows_grow_from_one_source_to_those_of_the_run(
    town: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(betweenness, "_FILM_SOURCES", 64)
    whole = run_all_sources(AllSourcesRequest(town, has_flows=True)).flows
    assert whole is not None
    growing = GrowingFlows(whole)
    assert (growing.counts[0], growing.counts[-2:]) == (1, [64, town.n])
    gaps = [
        np.abs(growing.at(position).shares - whole.shares).max()
        for position in range(len(growing.counts))
    ]
    assert gaps[0] > 3 * gaps[-2] > gaps[-1] == 0
    again = growing.at(0)
    assert again.paths == town.n - 1
    np.testing.assert_allclose(again.shares, GrowingFlows(whole).at(0).shares)


def test_a_cancelled_run_goes_on_to_the_same_flows(
    town: Graph, small_chunks: None, tmp_path: Path
) -> None:
    state, token = tmp_path / "state", CancelToken()
    whole = run_all_sources(AllSourcesRequest(town, has_flows=True)).flows
    request = AllSourcesRequest(town, has_flows=True, state=state)

    def cancel_later(stage: str) -> Progress:
        def look(share: float, _: str) -> None:
            if stage == COMPUTING and share > 0.4:
                token.cancel()

        return Progress(token, look)

    with pytest.raises(Cancelled):
        run_all_sources(request, cancel_later)
    assert state.with_name("state.flows").exists()
    resumed = run_all_sources(request)

    assert "were read from the state file" in resumed.note
    np.testing.assert_allclose(resumed.flows.arcs, whole.arcs, rtol=1e-12)
    assert resumed.verdict.verified
    np.testing.assert_array_equal(run_all_sources(request).flows.arcs, resumed.flows.arcs)


@pytest.mark.parametrize("damage", ["state", "flows", "no flows", "another order"])
def test_what_the_files_have_lost_is_computed_again(
    town: Graph,
    small_chunks: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
) -> None:
    state = tmp_path / "state"
    request = AllSourcesRequest(town, has_flows=True, state=state)
    whole = run_all_sources(request)
    kept = state.with_name("state.flows")
    if damage == "state":
        state.write_bytes(state.read_bytes()[:-100])
    elif damage == "flows":
        kept.write_bytes(kept.read_bytes()[:1000])
    elif damage == "no flows":
        kept.unlink()
    else:
        by_degree = ordering.minimum_degree_order
        # turned by half, the network is the same: so many arcs up, but others
        monkeypatch.setattr(ordering, "minimum_degree_order", lambda a: 179 - by_degree(a))
        request = replace(request, graph=read(grid()))
    again = run_all_sources(request)

    assert "were read from the state file" not in again.note
    assert again.verdict.verified
    np.testing.assert_allclose(again.flows.arcs, whole.flows.arcs, rtol=1e-12)
    np.testing.assert_array_equal(again.summaries.totals, whole.summaries.totals)


@pytest.mark.parametrize("attack", ["arcs", "source", "totals"])
def test_wrong_flows_are_told(town: Graph, monkeypatch: pytest.MonkeyPatch, attack: str) -> None:
    right_arcs, right_flows = flow_sweep.HierarchyFlows.arc_flows, flow_sweep.HierarchyFlows.flows

    def wrong_arcs(self: Any, totals: Any, progress: Progress) -> Any:
        arcs = right_arcs(self, totals, progress)
        # not where one source is recomputed
        if attack == "arcs" and totals.starts.astype(bool).sum() > 1:
            arcs[[0, 1]] = arcs[[1, 0]]
        return arcs

    def wrong_flows(self: Any, sources: Any, progress: Progress) -> Any:
        totals = right_flows(self, sources, progress)
        if attack == "source":
            totals.carried[1][:] *= 1.001
        elif attack == "totals" and len(sources) > 1:
            totals.length *= 1.000001
        return totals

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "arc_flows", wrong_arcs)
    monkeypatch.setattr(flow_sweep.HierarchyFlows, "flows", wrong_flows)
    found = run_all_sources(AllSourcesRequest(town, has_flows=True))
    assert not found.verdict.verified
    assert {"arcs": "", "source": "From ", "totals": "Flow times weight"}[
        attack
    ] in found.verdict.text


def a_tie(graph: Graph, flows: Any) -> tuple[list[int], list[int]]:
    """Two ways of two arcs, of the same length and between the same vertices, with flows."""
    ways: dict[tuple[int, int, int], list[int]] = {}
    for first in np.flatnonzero(flows > 0).tolist():
        for last in range(graph.m)[graph.row(int(graph.indices[first]))]:
            length = int(graph.weights[first] + graph.weights[last])
            ends = int(graph.tails[first]), int(graph.indices[last]), length
            if flows[last] > 0 and ways.setdefault(ends, [first, last]) != [first, last]:
                return ways[ends], [first, last]
    raise AssertionError


@pytest.mark.parametrize("source", [0, 77, 179])
def test_of_a_sample_a_small_part_of_a_path_on_another_way_is_found(
    town: Graph, monkeypatch: pytest.MonkeyPatch, source: int
) -> None:
    """It is as long, and balanced."""
    engine = FlowQuestion.of(town, 1).engine()
    alone = engine.flows(np.array([source], np.int32), SILENT)
    left, taken = a_tie(town, engine.arc_flows(alone, SILENT))
    right = flow_sweep.HierarchyFlows.arc_flows

    def lying(self: Any, totals: Any, progress: Progress) -> Any:
        arcs = right(self, totals, progress)
        if totals.starts[source] > 0:
            arcs[left] -= 1e-6
            arcs[taken] += 1e-6
        return arcs

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "arc_flows", lying)
    monkeypatch.setattr(betweenness, "_LEAST_FLOWS", 180)
    found = run_all_sources(AllSourcesRequest(town, has_flows=True))
    assert not found.verified
    assert f"From {source}, the flow of" in found.verdict.text


def test_requests_that_make_no_sense_are_refused(town: Graph) -> None:
    with pytest.raises(InputError, match="direction"):
        all_sources(town, ["betweenness"], direction="in")
    with pytest.raises(InputError, match="180 vertices"):
        all_sources(town, ["betweenness"], masses=[1.0, 2.0])
    with pytest.raises(InputError, match="No source has a mass"):
        all_sources(town, ["betweenness"], masses=np.arange(180) == 3, sources=[4, 5])
    with pytest.raises(InputError, match="mass of vertex 3"):
        all_sources(town, ["betweenness"], masses=np.where(np.arange(180) == 3, -1.0, 1.0))
    with pytest.raises(UnsuitableGraph, match="weight 0"):
        all_sources(nx.Graph([(0, 1, {"weight": 0})]), ["betweenness"])


def test_tables_have_masses_flows_shares_and_intervals(town: Graph, tmp_path: Path) -> None:
    masses = tmp_path / "masses.csv"
    masses.write_text("id,people\n0,10\n5,2.5\n179,7\n")
    read_back = read_masses(town, str(masses))
    assert read_back[[0, 5, 179]].tolist() == [10, 2.5, 7]
    assert read_back.sum() == 19.5
    for line in ("5,many", "5,-1", "5,nan", "5", "5,1,2", "0,2", "180,1"):
        masses.write_text(f"0,1\n{line}\n")
        with pytest.raises(FileFormatError) as refused:
            read_masses(town, str(masses))
        assert (refused.value.line, refused.value.text) == (2, line)
    masses.write_text("0,many\n5,1\n")
    with pytest.raises(FileFormatError):  # this is no heading
        read_masses(town, str(masses))

    found = all_sources(town, ["betweenness"], sources=20, masses=read_back + 1).flows
    assert found is not None
    write_answer(betweenness_table(found), tmp_path / "v.csv")
    rows = list(csv.DictReader((tmp_path / "v.csv").read_text().splitlines()))
    assert [float(row["betweenness"]) for row in rows] == found.vertices.tolist()
    assert all(
        float(row["at_least"]) <= float(row["betweenness"]) <= float(row["at_most"]) for row in rows
    )
    write_answer(table_of(found), tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert [float(row["flow"]) for row in rows] == found.arcs.tolist()
    heading, listed = greatest_flows(found)
    assert heading[:3] == ("from", "to", "flow")
    ends = [end for row in listed for end in row[:2]]
    assert len(set(ends)) == len(ends) == 20, "no road piece by piece"
    assert not greatest_flows(replace(found, arcs=1e12 * found.arcs))[1][0][2].count("e")
    with pytest.raises(ParameterError):
        write_answer(table_of(found), tmp_path / "a.xls")
    with pytest.raises(UnsuitableGraph):
        write_answer(table_of(found), tmp_path / "a.geojson")


def test_arcs_on_a_map_are_lines(tmp_path: Path) -> None:
    graph = generate("road", vertices=200, seed=1)
    found = all_sources(graph, ["betweenness"]).flows
    assert found is not None
    write_answer(table_of(found), tmp_path / "a.geojson")
    features = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert len(features) == np.count_nonzero(found.arcs)
    assert {feature["geometry"]["type"] for feature in features} == {"LineString"}
    assert features[0]["properties"]["flow"] > 0


def test_flows_kept_of_another_request_are_not_used(town: Graph, tmp_path: Path) -> None:
    state = tmp_path / "state"
    run_all_sources(AllSourcesRequest(town, has_flows=True, state=state))
    run = _run(AllSourcesRequest(town, has_flows=True, masses=np.full(180, 2.0)))
    assert not run.resume(state, {}).any()


def test_a_gpu_computes_flows_and_a_processor_by_threads(town: Graph, device: Device) -> None:
    found = run_all_sources(AllSourcesRequest(town, has_flows=True, device=device))
    assert found.verdict.verified
    assert found.flows is not None
    assert found.flows.engine == ("hierarchy" if device.is_cpu else f"hierarchy on {device.kind}")


def test_flows_that_do_not_fit_into_a_gpu_are_computed_by_threads(
    town: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OutOfMemory("Flows", 2, 1)

    monkeypatch.setattr(device_flows, "DeviceFlows", refuse)
    monkeypatch.setattr(
        HierarchyRows, "device", SimpleNamespace(is_cpu=False, name="GPU", kind="cuda")
    )
    assert _run(AllSourcesRequest(town, has_flows=True)).engine.name == "hierarchy"


@pytest.mark.parametrize(("n", "m", "engine"), [(400, 4_000, "levels"), (400, 400, "hierarchy")])
def test_a_hierarchy_of_many_arcs_gives_way_to_levels(
    n: int, m: int, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On wiki-Vote sweeps took 4.85 ms a source, levels 0.18. What sweeps need is not made."""
    made: list[str] = []
    gather = flow_sweep.HierarchyFlows._gather

    def counted(flows: flow_sweep.HierarchyFlows) -> object:
        made.append(flows.name)
        return gather(flows)

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "_gather", counted)
    drawn = graphs.at_random(n, m, seed=1)
    graph = Graph(drawn.indptr, drawn.indices, np.ones(drawn.m, np.int32))
    run = _run(AllSourcesRequest(graph, has_flows=True))
    assert run.engine.name == engine
    assert bool(made) == (engine == "hierarchy")


def _run(request: AllSourcesRequest) -> FlowRun:
    return FlowRun(request, prepared_network(request.graph, threads=1), 1, SILENT)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "levels"])
def test_betweenness_of_subsets_of_sources_and_targets(directed: bool, weighted: bool) -> None:
    graph = nx.gnm_random_graph(30, 70, seed=4, directed=directed)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = 1 + number % 5 if weighted else 1
    ends = [3, 1, 8, 20], [20, 7, 8, 2, 11]
    found = all_sources(graph, "betweenness", sources=ends[0], targets=ends[1], device=None)
    right = nx.betweenness_centrality_subset(graph, *ends, weight="weight", backend="networkx")
    np.testing.assert_allclose(found.betweenness, [right[v] for v in range(30)], atol=1e-9)
    assert found.verified
    cut = all_sources(graph, "betweenness", cutoff=4, targets=ends[1], device=None)
    budget = all_sources(graph, "betweenness", budget=4, device=None)
    masses = np.isin(np.arange(30), ends[1])
    by_hand = sum_flows(read(graph), np.ones(30), masses.astype(float))
    whole = all_sources(graph, "betweenness", targets=ends[1], device=None)
    np.testing.assert_allclose(whole.betweenness, by_hand.vertices, atol=1e-9)
    assert cut.verified
    assert (cut.betweenness <= whole.betweenness + 1e-9).all()
    everywhere = all_sources(graph, "betweenness", cutoff=4, targets=range(30), device=None)
    np.testing.assert_allclose(everywhere.betweenness, budget.betweenness, atol=1e-9)


def swept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sources whose rows are reduced from now on."""
    found: list[int] = []
    summarise = HierarchyRows.summarise

    def watched(rows: HierarchyRows, sources: Any, *more: Any) -> Any:
        found.extend(sources.tolist())
        return summarise(rows, sources, *more)

    monkeypatch.setattr(HierarchyRows, "summarise", watched)
    return found


@pytest.mark.usefixtures("small_chunks")
def test_rows_are_a_sample_where_the_sweep_of_flows_gives_their_numbers(
    town: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = swept(monkeypatch)
    names = ["eccentricity", "closeness"]
    right = all_sources(town, reduce=names, threads=1, device=None)
    assert len(rows) == town.n
    rows.clear()
    both = all_sources(town, reduce=["betweenness", *names], threads=1, device=None)
    assert both.verified
    assert len(set(rows)) == len(rows) == 4 * 12  # of each chunk
    told = f"computed the distances of {len(rows)} of {town.n} sources"
    assert told in both.verdict.text
    assert "lengths by a sample" in both.verdict.text
    for own, other in zip(both.summaries.arrays, right.summaries.arrays, strict=True):
        assert np.array_equal(own, other)
    assert (both.radius, both.diameter_ends) == (right.radius, right.diameter_ends)


def test_a_run_of_few_sources_is_no_sample(town: Graph) -> None:
    found = all_sources(town, reduce="betweenness", sources=[1, 5, 8])
    assert "sample" not in found.verdict.text


@pytest.mark.usefixtures("small_chunks")
def test_a_wrong_length_in_any_chunk_is_found(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled or not: it is not that of the flows."""
    flows, wrong = flow_sweep.HierarchyFlows.flows, 0

    def lying(engine: Any, sources: Any, progress: Progress) -> path_flows.FlowTotals:
        found = flows(engine, sources, progress)
        assert found.rows is not None
        found.rows[sources == wrong, flow_columns.TOTAL] -= 1
        return found

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "flows", lying)
    for wrong in range(0, town.n, 23):
        request = AllSourcesRequest(town, (), threads=1, has_flows=True)
        assert not run_all_sources(request).verified, wrong


@pytest.mark.parametrize("column", range(3))
def test_wrong_numbers_that_add_up_are_found_by_the_sample(
    town: Graph, column: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    flows = flow_sweep.HierarchyFlows.flows

    def lying(engine: Any, sources: Any, progress: Progress) -> path_flows.FlowTotals:
        found = flows(engine, sources, progress)
        assert found.rows is not None
        if len(sources) == town.n:
            found.rows[:, column] += np.arange(town.n) % 2 * 2 - 1
        return found

    monkeypatch.setattr(flow_sweep.HierarchyFlows, "flows", lying)
    found = run_all_sources(AllSourcesRequest(town, (), has_flows=True))
    assert not found.verified
    assert "over other distances than those of its row" in found.verdict.text


@pytest.mark.parametrize(
    "graph",
    [
        read(grid()),
        generate("road", vertices=1500),
        graphs.at_random(150, 300, seed=3),
        graphs.from_list(7, [(0, 1, 4), (1, 2, 3), (2, 0, 1), (3, 4, 2), (5, 5, 1)]),
    ],
    ids=["grid", "road", "random", "parts"],
)
def test_the_sweep_of_flows_gives_the_numbers_of_its_rows(graph: Graph) -> None:
    found = all_sources(graph, reduce=["eccentricity", "betweenness"])
    engine = FlowQuestion.of(graph, 1).engine(needs_hierarchy=True)
    sources = np.random.default_rng(2).permutation(graph.n).astype(np.int32)
    rows = engine.flows(sources, SILENT).rows
    assert rows is not None
    expected = found.summaries.take(sources)
    assert np.array_equal(rows[:, flow_columns.ARRIVED] + 1, expected.reached)
    assert np.array_equal(rows[:, flow_columns.TOTAL], expected.totals)
    assert np.array_equal(rows[:, flow_columns.FARTHEST], expected.farthest)
