"""All sources: against matrices of distances, NetworkX and igraph's definitions;
cancelled, killed and resumed.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import networkx as nx
import numpy as np
import psutil
import pytest

from solvers import all_sources, generate
from solvers.algorithms.hierarchy import batched_sweep
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.device_hierarchy import DeviceHierarchy
from solvers.algorithms.near_far import lane_search
from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.devices.device import Device, KernelSource
from solvers.errors import (
    Cancelled,
    InputError,
    NegativeCycle,
    OutOfMemory,
    ParameterError,
    SeparatorsTooLarge,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
)
from solvers.features.all_sources import call as call_module
from solvers.features.all_sources import engine as engine_module
from solvers.features.all_sources import request as request_module
from solvers.features.all_sources import run as run_module
from solvers.features.all_sources.reductions import REDUCTIONS, DistanceBins, parse_bins
from solvers.features.all_sources.request import AllSourcesRequest, Direction
from solvers.features.all_sources.run import (
    COMPUTING,
    chunk_size,
    chunks,
    run_all_sources,
)
from solvers.graphs.graph import Graph
from solvers.running import engines, row_engines
from solvers.running.answers.frames import table_of
from solvers.running.answers.write import write_answer
from solvers.running.row_engines import DeviceRows
from solvers.system import machine, openmp
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.curved import curved_town
from tests.weight_types import skip_where_not_tested

pytestmark = pytest.mark.openmp

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if separators were large."""
    monkeypatch.setattr(engines, "prepare", refuse_hierarchies)


def refuse_hierarchies(graph: Graph, *_: object, **__: object) -> None:
    raise SeparatorsTooLarge("test", graph.name, 9, 1)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HierarchyRows, "most_sources", 16)


def check(graph: Graph, direction: str = "out", budget: float = 25.05) -> None:
    """Every number against the matrix of distances."""
    found = all_sources(
        graph, ["eccentricity", "closeness", "reach"], budget=budget, direction=direction
    )
    matrix = graphs.right_matrix(graph)
    matrix = matrix.T if direction == "in" else matrix
    finite = np.isfinite(matrix)
    lengths = np.where(finite, matrix, 0)
    rounding = 0 if graph.weight_type.is_integer else 1e-6
    np.testing.assert_allclose(found.eccentricity, lengths.max(axis=1), rtol=rounding)
    np.testing.assert_array_equal(found.reached, finite.sum(axis=1))
    np.testing.assert_array_equal(found.values("reach"), (matrix <= budget).sum(axis=1))
    np.testing.assert_allclose(found.summaries.totals, lengths.sum(axis=1), rtol=rounding)
    mutual = finite & finite.T
    in_part = mutual[mutual.sum(axis=1).argmax()]
    assert (found.radius, found.diameter) == (
        found.eccentricity[in_part].min(),
        found.eccentricity.max(),
    )
    assert (
        found.centre_vertices.tolist()
        == np.flatnonzero(in_part & (found.eccentricity == found.radius)).tolist()
    )
    first, last = found.end_vertices if direction == "out" else found.end_vertices[::-1]
    np.testing.assert_allclose(matrix[first, last], found.diameter, rtol=rounding)
    assert found.verdict.verified
    assert len(found.verdict.rows) >= 2


@pytest.mark.parametrize(
    ("dtype", "direction"), [("int32", "in"), *((name, "out") for name in graphs.DTYPES)]
)
def test_by_a_hierarchy(dtype: str, direction: str) -> None:
    check(graphs.at_random(70, 150, seed=4, dtype=dtype), direction)


@pytest.mark.parametrize("direction", ["out", "in"])
def test_by_searches(direction: str, searches: None) -> None:
    check(graphs.at_random(70, 150, seed=4), direction)


@pytest.mark.parametrize("lie", ["directed", "reverse"])
@pytest.mark.parametrize("by", ["hierarchy", "searches"])
def test_a_wrong_reverse_is_not_proved(lie: str, by: str, request: pytest.FixtureRequest) -> None:
    """The engine searches the wrong arcs, and would prove its rows on the same."""
    if by == "searches":
        request.getfixturevalue("searches")
    graph = graphs.at_random(70, 150, seed=4, low=1)
    if lie == "directed":
        object.__setattr__(graph, "directed", False)  # it cannot be made so
    else:
        graph.__dict__["reverse"] = graph
    found = run_all_sources(AllSourcesRequest(graph, direction=Direction.IN))
    assert not found.verdict.verified
    assert run_all_sources(AllSourcesRequest(graph)).verdict.verified, (
        "in the other direction nothing is wrong"
    )


def test_on_a_device(device: Device) -> None:
    graph = graphs.at_random(70, 150, seed=4)
    request = AllSourcesRequest(graph, REDUCTIONS, 25.0, device=device)
    found, right = run_all_sources(request), run_all_sources(replace(request, device=None))
    assert found.engine == f"hierarchy on {device.kind}"
    assert found.verdict.verified
    require_equal(found.summaries.arrays, right.summaries.arrays)


@pytest.mark.parametrize("share", [1.0, 0.0], ids=["with room", "without room"])
def test_the_hierarchy_is_copied_to_a_device_once_if_it_may_stay(
    device: Device, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """And is freed with the run, also where that is cancelled."""
    monkeypatch.setattr(DeviceRows, "most_sources", 16)
    monkeypatch.setattr(row_engines, "_KEPT_SHARE", share)
    uploads, engines = list[object](), list[DeviceRows]()
    upload, kept = DeviceHierarchy.upload, DeviceRows.kept
    monkeypatch.setattr(
        DeviceHierarchy, "upload", lambda *given: uploads.append(given) or upload(*given)
    )
    monkeypatch.setattr(DeviceRows, "kept", lambda self: engines.append(self) or kept(self))
    graph = graphs.at_random(70, 150, seed=4)
    request = AllSourcesRequest(graph, REDUCTIONS, 25.0, device=device)
    found, right = run_all_sources(request), run_all_sources(replace(request, device=None))
    require_equal(found.summaries.arrays, right.summaries.arrays)
    assert found.verdict.verified
    assert (len(uploads) == 1) == bool(share)
    token = CancelToken(lambda: token.cancel() if len(uploads) > before else None)
    before = len(uploads)
    with pytest.raises(Cancelled):
        run_all_sources(request, lambda stage: Progress(token))
    assert len(engines) == 2
    assert all(engine._warm is None for engine in engines)


@pytest.mark.gpu
def test_what_a_gpu_compiles_ahead_is_what_it_needs(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead, needed = list[KernelSource](), set[KernelSource]()

    def compiled(self: object, source: KernelSource) -> Any:
        needed.add(source)
        return compile_one(self, source)

    compile_one = type(device).compile
    monkeypatch.setattr(type(device), "compile", compiled)
    monkeypatch.setattr(
        request_module, "compile_ahead", lambda device, sources: ahead.extend(sources)
    )
    graph = generate("road", vertices=400)
    run_all_sources(AllSourcesRequest.of(graph, ["betweenness"], device=device))
    assert len(set(ahead)) == 3
    assert needed.issuperset(ahead)


def test_a_gpu_begins_to_compile_when_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is computed: for rows that are reduced and whole ones, and for flows."""
    gpu = SimpleNamespace(is_cpu=False, compile=lambda source: kernels.append(source.path.name))
    kernels = list[str]()

    class Computed(Exception):
        pass

    def run(request: AllSourcesRequest, watch: object) -> NoReturn:
        raise Computed

    def compile_now(device: Any, sources: Iterable[KernelSource]) -> None:
        for source in sources:
            device.compile(source)

    monkeypatch.setattr(call_module, "find_sweep_device", lambda device: gpu)
    monkeypatch.setattr(request_module, "compile_ahead", compile_now)
    monkeypatch.setattr(run_module, "run_all_sources", run)
    for what, expected in (("closeness", []), ("betweenness", ["device_flows.cu"])):
        kernels.clear()
        with pytest.raises(Computed):
            all_sources(generate("road", vertices=100), [what])
        assert kernels == ["device_batch.cu", "device_batch.cu", *expected]
    kernels.clear()
    gpu.is_cpu = True
    with pytest.raises(Computed):
        all_sources(generate("road", vertices=100), ["betweenness"])
    assert not kernels


def require_equal(found: Iterable[np.ndarray], right: Iterable[np.ndarray]) -> None:
    for one, other in zip(found, right, strict=True):
        np.testing.assert_array_equal(one, other)


def test_chosen_sources(small_chunks: None, tmp_path: Path) -> None:
    graph = graphs.at_random(90, 100, seed=5)
    chosen = np.random.default_rng(1).permutation(90)[:40].astype(np.int64)
    whole = run_all_sources(AllSourcesRequest(graph, REDUCTIONS, 25.0))
    request = AllSourcesRequest(graph, REDUCTIONS, 25.0, sources=chosen, state=tmp_path / "state")
    found = run_all_sources(request)
    require_equal(found.summaries.arrays, (array[chosen] for array in whole.summaries.arrays))
    assert found.source_vertices.tolist() == chosen.tolist()
    assert set(found.verdict.rows) <= set(chosen.tolist())
    start, end = found.end_vertices
    assert (
        graphs.right_matrix(graph)[start, end] == found.diameter == whole.eccentricity[chosen].max()
    )
    assert found.sentences[2].startswith("Of 40 sources among 90 vertices")
    assert "40 of 40 vertices were read" in run_all_sources(request).note
    others = run_all_sources(replace(request, sources=chosen[::-1].copy()))
    assert "or other sources" in others.note
    np.testing.assert_array_equal(others.closeness, found.closeness[::-1])


def pairs_of(matrix: np.ndarray, lower: np.ndarray) -> list[int]:
    """Finite distances between different vertices in the bins that begin at ``lower``, by NumPy."""
    finite = matrix[np.isfinite(matrix) & ~np.eye(*matrix.shape, dtype=bool)]
    return np.histogram(finite, [*lower, np.inf])[0].tolist()


@pytest.mark.parametrize("bins", [DistanceBins(6, 7.03), DistanceBins(64, 1.03, is_powers=True)])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_a_histogram(dtype: str, bins: DistanceBins, small_chunks: None) -> None:
    skip_where_not_tested(dtype)
    graph = graphs.at_random(70, 150, seed=4, dtype=dtype)
    found = run_all_sources(AllSourcesRequest(graph, (), bins=bins))
    right = pairs_of(graphs.right_matrix(graph), bins.lower)
    assert found.histogram.pairs.tolist() == right
    assert right[-1] == 0 if bins.is_powers else right[-1] > 0, "the last bin has no end"
    assert found.histogram.pairs.sum() == found.reached.sum() - graph.n
    assert len(found.verdict.rows) >= 5


def test_a_histogram_by_searches_and_on_a_device(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, bins = graphs.at_random(70, 150, seed=4), DistanceBins(6, 7.0)
    request = AllSourcesRequest(graph, (), bins=bins, device=device, state=tmp_path / "state")
    right = pairs_of(graphs.right_matrix(graph), bins.lower)
    assert run_all_sources(request).histogram.pairs.tolist() == right
    again = run_all_sources(request)
    assert "70 of 70 vertices were read" in again.note
    assert again.histogram.pairs.tolist() == right
    monkeypatch.setattr(engines, "prepare", refuse_hierarchies)
    searched = run_all_sources(replace(request, device=None, bins=DistanceBins(3, 7.0)))
    assert "other sources" in searched.note
    assert searched.histogram.pairs.tolist() == [*right[:2], sum(right[2:])]


def test_rows_of_large_networks_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphs.at_random(70, 150, seed=4)
    with openmp.team(2, "test") as threads:
        engine = HierarchyRows(graph, threads)
        monkeypatch.setattr(machine, "memory", lambda: machine.Memory(1000, 1000))
        found = list(engine.rows(np.arange(70, dtype=np.int32), SILENT))
    assert [chosen.start for chosen, _ in found] == list(range(70))
    rows = np.concatenate([rows for _, rows in found])
    np.testing.assert_array_equal(
        rows < graph.distance_type.infinity, np.isfinite(graphs.right_matrix(graph))
    )


def test_distances_that_are_not_counted_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "count_distances", lambda *_: np.array([1, 2, 3]))
    with pytest.warns(UserWarning, match=r"distances are in bins, but \d+ vertices are reached"):
        all_sources(graphs.at_random(30, 60, seed=1), ["histogram"], bins=(3, 5.0), device="none")


def test_bins_are_what_they_were_made_of() -> None:
    for text in ("", "powers:", "powers:0", "10", "10:x", "0:5", "10:-1", "9999999:1", "10:inf"):
        with pytest.raises(InputError, match=r"does not define bins|bins, not|number above 0"):
            parse_bins(text)
    for text in ("powers:2.5", "50:1000.0"):
        assert parse_bins(text).text == text
    assert parse_bins("powers").lower[:4].tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("direction", ["out", "in"])
def test_the_graph_is_ordered_while_the_device_is_sought(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, direction: str
) -> None:
    pytest.importorskip("pymetis")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    own = psutil.Process()
    graph, before, begun = generate("road", vertices=1500), own.children(), list[psutil.Process]()

    def find(spec: object) -> None:
        begun.extend(child for child in own.children() if child not in before)

    monkeypatch.setattr(call_module, "find_sweep_device", find)
    found = all_sources(graph, sources=3, direction=direction)
    assert found.verified
    assert "ordering took" in found.note
    assert len(begun) == 1
    assert own.children() == before


def test_sources_of_the_library() -> None:
    graph = graphs.at_random(30, 60, seed=1)
    ids = [graph.vertex_id(7), graph.vertex_id(2)]
    assert all_sources(graph, sources=ids).sources == ids
    drawn = all_sources(graph, sources=5).sources
    assert len(set(drawn)) == 5
    assert drawn == all_sources(graph, sources=5).sources


def test_vertices_of_the_answer_are_named_by_their_ids() -> None:
    """They were indices, where everything else takes and gives ids."""
    found = all_sources([("x", "y", 2), ("y", "z", 3), ("z", "y", 4), ("y", "x", 1)])
    assert (found.sources, found.centre, found.diameter_ends) == (
        ["x", "y", "z"],
        ["y"],
        ("x", "z"),
    )
    assert (found.centre_vertices.tolist(), found.end_vertices) == ([1], (0, 2))
    numbered = all_sources([(7, 5, 2), (5, 9, 3)], sources=[9, 7])
    assert (numbered.sources, numbered.diameter_ends) == ([9, 7], (7, 9))
    assert numbered.source_vertices.tolist() == [2, 1]


@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_closeness_to_some_targets_and_up_to_a_distance(
    small_chunks: None, direction: str, dtype: str
) -> None:
    skip_where_not_tested(dtype)
    graph = graphs.at_random(90, 200, seed=5, dtype=dtype)
    matrix = graphs.right_matrix(graph)
    if direction == "in":
        matrix = matrix.T
    np.fill_diagonal(matrix, np.inf)
    chosen = [50, 3, 17, 88]
    cutoff = float(np.median(matrix[np.isfinite(matrix)]))
    targets = [graph.vertex_id(v) for v in chosen]
    for limit, ends in ((cutoff, None), (None, targets), (cutoff, targets)):
        found = all_sources(graph, cutoff=limit, targets=ends, direction=direction, device=None)
        rows = matrix if ends is None else matrix[:, chosen]
        counts = np.isfinite(rows) if limit is None else rows <= limit
        totals = np.where(counts, rows, 0).sum(axis=1)
        right = np.divide(counts.sum(axis=1), totals, out=np.zeros(90), where=totals > 0)
        np.testing.assert_allclose(found.closeness, right, rtol=1e-6)
        assert found.verified
    some = all_sources(graph, sources=targets, cutoff=cutoff, direction=direction, device=None)
    whole = all_sources(graph, cutoff=cutoff, direction=direction, device=None)
    np.testing.assert_array_equal(some.closeness, whole.closeness[chosen])
    np.testing.assert_array_equal(
        whole.eccentricity, all_sources(graph, direction=direction, device=None).eccentricity
    )


def test_limits_that_do_not_apply_are_refused(tmp_path: Path) -> None:
    graph = graphs.at_random(9, 20, seed=5)
    with pytest.raises(ParameterError, match="“cutoff” cannot be -1"):
        all_sources(graph, cutoff=-1)
    with pytest.raises(InputError, match="keeps whole rows"):
        all_sources(graph, cutoff=1, resume=tmp_path / "state")
    with pytest.raises(InputError, match="leave cutoff and targets out"):
        all_sources(graph, cutoff=1, cluster="local")


def test_undirected_in_many_chunks_and_negative_weights(small_chunks: None) -> None:
    check(graphs.at_random(90, 100, seed=5, directed=False))
    check(graphs.from_list(4, [(0, 1, 5), (1, 2, -3), (2, 3, 2), (3, 1, 1)]))
    with pytest.raises(NegativeCycle):
        all_sources(graphs.from_list(3, [(0, 1, 1), (1, 2, -3), (2, 0, 1)]))


def test_one_vertex() -> None:
    found = all_sources(graphs.from_list(1, []))
    assert (found.radius, found.diameter, found.end_vertices) == (0, 0, (0, 0))
    assert found.closeness.tolist() == [0.0]


def test_as_networkx_defines_them() -> None:
    network = nx.gnp_random_graph(40, 0.12, seed=3, directed=True)
    for number, (_, _, data) in enumerate(network.edges(data=True)):
        data["weight"] = 1 + number % 7
    found = all_sources(network, ["closeness"], direction="in", wasserman_faust=True)
    right = nx.closeness_centrality(network, distance="weight")
    np.testing.assert_allclose(found.closeness, [right[v] for v in range(40)], rtol=1e-12)
    strong = network.subgraph(max(nx.strongly_connected_components(network), key=len)).copy()
    found = all_sources(strong)
    right = nx.eccentricity(strong, weight="weight")
    assert found.eccentricity.tolist() == [
        right[found.graph.vertex_id(v)] for v in range(found.graph.n)
    ]
    assert set(found.centre) == set(nx.center(strong, weight="weight"))


def test_the_centre_is_not_where_a_one_way_road_ends() -> None:
    """The last vertex reaches nothing, and had eccentricity 0; so had a vertex without arcs."""
    triangle = [(0, 1, 2), (1, 2, 3), (2, 0, 4)]
    found = all_sources(graphs.from_list(5, [*triangle, (0, 3, 1), (0, 1, 9)]))
    assert (found.radius, found.centre_vertices.tolist()) == (5, [0])
    assert (
        found.sentences[0]
        == "Radius 5, at vertex 10, in the largest strongly connected part (3 of 5 vertices)."
    )
    ids = [found.graph.vertex_id(v) for v in (3, 1)]
    assert all_sources(found.graph, sources=ids).centre == ids[1:]
    assert all_sources(found.graph, sources=ids[:1]).radius == 0
    apart = all_sources(graphs.from_list(4, triangle, directed=False))
    assert "in the largest connected part (3 of 4 vertices)" in apart.sentences[0]


def test_tenths_stay_inside(tmp_path: Path) -> None:
    """A road network counts in tenths of seconds; everything that comes out or goes in
    is in seconds.
    """
    town = curved_town()
    wanted = ["eccentricity", "closeness", "reach", "histogram", "betweenness"]
    found = all_sources(town, wanted, budget=2.0, bins=(4, 1.0))
    assert found.request.budget == 20
    assert (found.radius, found.diameter) == (3.0, 6.0)
    assert found.eccentricity.tolist() == [4.0, 3.0, 5.0, 6.0]
    np.testing.assert_allclose(found.closeness, [3 / 8, 3 / 6, 3 / 10, 3 / 12])
    assert found.histogram.bins.lower.tolist() == [0, 1, 2, 3]
    assert found.histogram.pairs.tolist() == [0, 4, 1, 7]
    for budget in ("2 s", "2", "2s"):
        assert all_sources(town, ["reach"], budget=budget).values("reach").tolist() == [2, 3, 2, 2]
    assert found.sentences[0].startswith(
        "Radius 3 s, at vertex 20 (Main Street, Hill Road, Valley Road)"
    )
    path = write_answer(table_of(found), tmp_path / "a.csv")
    with path.open(newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert list(row) == [
        "vertex",
        "x",
        "y",
        "roads",
        "eccentricity_s",
        "closeness_per_s",
        "reach",
        "betweenness",
        "reached",
        "budget_s",
        "attribution",
    ]
    assert (row["x"], row["roads"], row["eccentricity_s"], row["budget_s"]) == (
        "0.0",
        "Main Street",
        "4.0",
        "2.0",
    )
    path = write_answer(table_of(found.flows), tmp_path / "f.csv")
    with path.open(newline="", encoding="utf-8") as file:
        assert {row["weight_s"] for row in csv.DictReader(file)} == {"1.0", "2.0", "4.0"}


def test_vertices_that_do_not_reach_all_are_counted() -> None:
    found = all_sources(graphs.from_list(4, [(0, 1, 2), (1, 2, 2)]))
    assert found.incomplete == 4
    assert "4 of 4 vertices do not reach all others" in " ".join(found.sentences)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"reduce": ["eccentrcity"]}, UnknownName, "Nearest: eccentricity"),
        ({"reduce": []}, InputError, "No reduction is named"),
        ({"reduce": ["reach"]}, InputError, "Reach needs a budget"),
        ({"reduce": ["reach"], "budget": -1}, ParameterError, "at least 0"),
        (
            {"reduce": ["reach"], "budget": "2km"},
            ParameterError,
            "2km is a length, and the weights are without a unit",
        ),
        ({"budget": float("nan")}, ParameterError, "at least 0"),
        ({"threads": -1}, ParameterError, "at least 0"),
        ({"reduce": ["histgram"]}, UnknownName, "Nearest: histogram"),
        ({"sources": []}, InputError, "No source is named"),
        ({"sources": 0}, InputError, "0 sources cannot be drawn"),
        ({"sources": 3}, InputError, "has 2 vertices"),
        ({"sources": ["x"]}, UnknownVertex, "no vertex"),
    ],
)
def test_bad_requests(arguments: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        all_sources(graphs.from_list(2, [(0, 1, 1)]), **arguments)


def test_graphs_that_have_no_answer(searches: None) -> None:
    with pytest.raises(InputError, match="has no vertices"):
        all_sources(graphs.from_list(0, []))
    with pytest.raises(UnsuitableGraph, match="negative weights and large separators"):
        all_sources(graphs.from_list(2, [(0, 1, -1)]), device="none")
    with pytest.raises(InputError, match="bins of a histogram begin at 0"):
        all_sources(graphs.from_list(2, [(0, 1, -1)]), "histogram")


def test_no_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(1000, 1000))
    with pytest.raises(OutOfMemory, match="searches of"):
        all_sources(graphs.at_random(90, 200, seed=3))


def test_searches_of_large_graphs_are_left_between_parts_of_a_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = graphs.at_random(200, 500, seed=8)
    sources = np.arange(200, dtype=np.int32)
    with openmp.team(2, "test") as threads:
        together = SearchedRows(graph, threads).summarise(sources, np.int32(9), SILENT)
        monkeypatch.setattr(lane_search, "_CALL_ARCS", 50)
        looks: list[None] = []
        counting = Progress(CancelToken(lambda: looks.append(None)))
        apart = SearchedRows(graph, threads).summarise(sources, np.int32(9), counting)
    assert len(looks) > 40
    require_equal(together.arrays, apart.arrays)


def test_sweeps_are_left_within_a_batch_and_can_be_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a mark of the batch that was left, which would spoil the next."""
    graph, sources = graphs.at_random(700, 900, seed=8), np.arange(16, dtype=np.int32)
    given: list[tuple[Any, ...]] = []
    reduce = batched_sweep._reduce_batches

    def told(*work: Any) -> None:
        given.append(work)
        reduce(*work)

    monkeypatch.setattr(batched_sweep, "_reduce_batches", told)
    with openmp.team(1, "test"):
        found = HierarchyRows(graph, 1).summarise(sources, np.int32(9), SILENT)
    ((_, state, _, order, budget, height, arrays, weights, _),) = given
    memory = batched_sweep._lane_memory(graph.n, height, *found.arrays[:2])
    work = sources[order], budget, arrays, weights, memory
    state[:] = 1
    assert not batched_sweep._reduce_batch(state, *work)
    assert not memory.marked.any()
    state[:] = 0
    assert batched_sweep._reduce_batch(state, *work)
    own = memory.farthest, memory.totals, memory.reached, memory.within
    require_equal(own, found.take(order).arrays)


def test_chunks_cover_what_is_not_finished() -> None:
    finished = np.zeros(40_000, np.bool_)
    finished[1000:9000] = True
    covered = finished.astype(int)
    for first, last in chunks(finished, chunk_size(40_000, HierarchyRows, 2)):
        assert last - first <= 8192
        covered[first:last] += 1
    assert (covered == 1).all()
    assert list(chunks(np.ones(5, np.bool_), 5)) == []


def test_cancelled_and_resumed(tmp_path: Path, small_chunks: None) -> None:
    graph, token = graphs.at_random(100, 300, seed=2), CancelToken()
    request = AllSourcesRequest(graph, REDUCTIONS, 20.0, Direction.OUT, state=tmp_path / "state")

    def stop_at_half(done: float, total: float) -> None:
        if total == graph.n and done >= 50:
            token.cancel()

    with pytest.raises(Cancelled):
        run_all_sources(
            request, lambda words: Progress(token, stop_at_half if words == COMPUTING else None)
        )
    found = run_all_sources(request)
    assert "64 of 100 vertices were read" in found.note
    # 4 chunks before, 3 after, the diameter's
    assert found.verdict.text.startswith("8 of 100 rows proved")
    fresh = run_all_sources(AllSourcesRequest(graph, REDUCTIONS, 20.0))
    require_equal(found.summaries.arrays, fresh.summaries.arrays)


_KILLED = """
import os, signal, sys
from solvers import all_sources
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.device_hierarchy import DeviceHierarchy
from solvers.features.all_sources.state_file import StateFile
from tests import graphs
HierarchyRows.most_sources = 16
append, kept = StateFile.append, []
def append_and_die(self, done):
    append(self, done)
    kept.append(done)
    if len(kept) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
StateFile.append = append_and_die
all_sources(graphs.at_random(100, 300, seed=2), device="none", resume=sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_process_is_resumed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    program = [sys.executable, "-c", _KILLED, str(state)]
    ended = subprocess.run(program, cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    with state.open("ab") as file:
        file.write(b"rows half a record")  # as a process that dies while it writes leaves it
    graph = graphs.at_random(100, 300, seed=2)
    found = all_sources(graph, device="none", resume=state)
    assert "48 of 100 vertices were read from the state file" in found.note
    assert "its end is damaged" in found.note
    np.testing.assert_array_equal(found.summaries.totals, all_sources(graph).summaries.totals)
    again = all_sources(graph, device="none", resume=state)
    assert "100 of 100 vertices were read" in again.note


def test_rows_proved_again_do_not_count_twice() -> None:
    graph = Graph.from_arcs(1, np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32))
    network = run_module.prepared_network(graph, threads=1)
    proofs = engine_module.RowProofs(network, None, 1)
    proofs.earlier = 2
    assert proofs.verdict.text.startswith("1 of 1 row proved")


def test_memory_is_given_back_when_the_engines_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    engines: list[weakref.ref[Any]] = []
    choose = run_module.prepared_network

    def watched(*given: Any, **more: Any) -> Any:
        network = choose(*given, **more)
        engines.append(weakref.ref(network))
        engines.append(weakref.ref(network.sweeps))
        return network

    left: list[Any] = []
    monkeypatch.setattr(run_module, "prepared_network", watched)
    monkeypatch.setattr(run_module, "in_background", lambda work: work())
    monkeypatch.setattr(
        run_module, "return_free_memory", lambda: left.extend(engine() for engine in engines)
    )
    run_all_sources(AllSourcesRequest(generate("road", vertices=100), has_flows=True))
    assert left == [None, None]
