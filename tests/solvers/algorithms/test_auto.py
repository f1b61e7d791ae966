"""The program's own choice: right for the question, possible on this machine, and explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.auto import evidence, table
from solvers.algorithms.auto.costs import COSTS, Costs, SourceQuestion
from solvers.algorithms.auto.evidence import known_times
from solvers.algorithms.auto.table import TABLE, Rule, choose
from solvers.algorithms.hierarchy.preparation import hierarchy_of
from solvers.algorithms.near_far.partition import partition_graph, save_parts, seconds_to_partition
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers, Variant, find_variant
from solvers.devices.device import Device
from solvers.errors import Unavailable
from solvers.graphs.generators import find
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.weights import INT32
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system import openmp
from tests import graphs
from tests.solvers.fakes import FakeDevice, fake_variant, solve_sssp


def fake(kind: str = "cuda", is_cpu: bool = False, capability: int = 90, free: int = 10**11) -> Any:
    device = FakeDevice(free, kind, is_cpu)
    device.compute_capability, device.compute_units = capability, 132
    return device


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's caches, in which nothing is prepared yet, on a machine of 16 cores."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    monkeypatch.setattr(table.machine, "cores", lambda: 16)


H200, OLDER = fake(), fake(capability=80)
OPENCL_CPU, OPENCL_GPU = fake("opencl", True, 0), fake("opencl", False, 0)


def path_graph(n: int, weight: int = 1) -> Graph:
    return Graph.from_arcs(
        n, np.arange(n - 1), np.arange(1, n), np.full(n - 1, weight, dtype=np.int32), name="a path"
    )


def grid(side: int) -> Graph:
    return find("grid").generate({"columns": side, "rows": side})


SMALL, MIDDLE, LARGE = path_graph(100), path_graph(50_000), path_graph(300_000)
WIDE, BIG = graphs.at_random(20_000, 100_000, seed=1), graphs.at_random(200_000, 1_600_000, seed=1)
GRID = grid(400)
TEAM = "sssp-delta-omp"
ON_PATHS = "dijkstra-heap"  # which holds one vertex: 1.2 ms for 50,000, where buckets take 9.8


def price(monkeypatch: pytest.MonkeyPatch, *ids: str) -> None:
    """Have the variants take longer the later they are named, and all others longest."""
    order = {name: float(i) for i, name in enumerate(ids)}
    costs = {name: Costs({"start": 1e6 * order.get(name, 99.0)}) for name in COSTS}
    monkeypatch.setattr(table, "COSTS", costs)


def chosen(answers: Answers, graph: Graph, device: Any) -> str:
    return choose(answers, graph, device, source=0).variant.id


@pytest.mark.parametrize(
    ("graph", "machine", "expected"),
    [
        (SMALL, None, "dijkstra-heap"),
        (SMALL, H200, "dijkstra-heap"),
        (grid(20), None, "sssp-delta-omp"),
        (grid(20), H200, "sssp-delta-omp"),
        (grid(100), H200, "sssp-delta-omp"),
        (GRID, None, "sssp-delta-omp"),
        (GRID, OPENCL_CPU, "sssp-delta-omp"),
        (GRID, H200, "sssp-blocked"),
        (GRID, OLDER, "sssp-blocked"),
        (GRID, OPENCL_GPU, "sssp-delta-omp"),
        (WIDE, None, "sssp-delta-omp"),
        (WIDE, H200, "sssp-delta-omp"),
        (BIG, H200, "sssp-delta-omp"),
        (BIG, OPENCL_GPU, "sssp-delta-omp"),
        (BIG, OPENCL_CPU, "sssp-delta-omp"),
        (path_graph(10, weight=-1), H200, "bf-serial"),
        (path_graph(50_000, weight=-1), H200, "bf-strided-flag"),
        (path_graph(50_000, weight=-1), OPENCL_CPU, "bf-serial"),
        (graphs.at_random(500, 5_000, seed=1), None, "fw-omp-tiled"),
        (graphs.at_random(500, 5_000, seed=1), H200, "fw-blocked"),
        (graphs.at_random(500, 5_000, seed=1), OPENCL_GPU, "fw-tiled-shared"),
        (graphs.at_random(2_000, 200_000, seed=1), fake(free=8 * 10**6), "fw-blocked-streamed"),
        (path_graph(2_000), None, "apsp-lanes-omp"),
        (path_graph(2_000), OPENCL_CPU, "apsp-lanes-omp"),
        (path_graph(2_000), H200, "apsp-frontier"),
        (path_graph(2_000, weight=-1), None, "fw-omp-tiled"),
    ],
)
def test_graph_and_machine_decide(graph: Graph, machine: Any, expected: str) -> None:
    assert chosen(find_variant(expected).answers, graph, machine) == expected


def fresh(graph: Graph, weights: int = 1) -> Graph:
    """The same graph for which nothing is prepared, with weights that differ."""
    return Graph(graph.indptr, graph.indices, graph.weights * weights)


def test_a_hierarchy_that_was_prepared_is_taken() -> None:
    graph = fresh(MIDDLE)
    assert chosen(Answers.SSSP, graph, None) == ON_PATHS
    assert chosen(Answers.TARGET, graph, None) == "dijkstra-bidirectional"
    find_variant("cch-tree").solve(Problem(graph, 0))
    by_choice = choose(Answers.SSSP, graph, None, source=0)
    assert by_choice.variant.id == "cch-tree"
    assert by_choice.why.endswith(", and its hierarchy was prepared earlier.")
    assert chosen(Answers.SSSP, graph, H200) == "cch-tree"
    find_variant("cch-pair").solve(Problem(graph, 0, 9))
    assert chosen(Answers.TARGET, graph, None) == "cch-pair"


def test_a_prepared_hierarchy_whose_sums_are_added_up_again_is_no_faster_than_a_search() -> None:
    for factor, expected in (2, "cch-tree"), (1.5, ON_PATHS):
        graph = Graph(MIDDLE.indptr, MIDDLE.indices, MIDDLE.weights * factor)
        find_variant("cch-tree").solve(Problem(graph, 0))
        assert chosen(Answers.SSSP, graph, H200) == expected


def test_copies_do_not_count_where_the_graph_stays_on_the_device(
    monkeypatch: pytest.MonkeyPatch, device: Device
) -> None:
    price(monkeypatch, "cch-tree-device", "cch-tree")
    monkeypatch.setitem(table.COSTS, "cch-tree-device", Costs({"upload": 2e6}))
    graph = fresh(MIDDLE)
    find_variant("cch-tree-device").solve(Problem(graph, 0, device=device))
    assert chosen(Answers.SSSP, graph, H200) == "cch-tree"
    warm = choose(Answers.SSSP, graph, H200, source=0, warm=True)
    assert warm.variant.id == "cch-tree-device"


def test_an_order_on_disk_is_taken_where_the_rest_takes_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find_variant("cch-tree").solve(Problem(fresh(MIDDLE), 0))
    graph = fresh(MIDDLE, weights=2)
    by_choice = choose(Answers.SSSP, graph, None, source=0)
    assert by_choice.variant.id == "cch-tree"
    assert by_choice.why.endswith(", and the order of its hierarchy is on disk.")
    assert chosen(Answers.TARGET, graph, None) == "cch-pair"
    # which is done before the hierarchy is
    assert chosen(Answers.SSSP, graph, H200) == ON_PATHS
    note = find_variant("auto").solve(Problem(graph, 0)).note
    assert note.startswith(by_choice.why)
    assert "the order was read from disk" in note
    monkeypatch.setattr(table, "AFFORDABLE_S", 1e-3)
    assert chosen(Answers.SSSP, fresh(MIDDLE), None) == ON_PATHS


def test_a_hierarchy_is_made_when_searches_have_cost_as_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = fresh(MIDDLE)
    monkeypatch.setattr(table, "HIERARCHY_S", 3 * table.SAVED_S * (graph.n + graph.m) / graph.m)
    changed = changed_graph(graph, np.where(np.arange(graph.m) == 9, INT32.infinity, graph.weights))
    table.count_questions(graph, 2)
    assert chosen(Answers.SSSP, graph, None) == ON_PATHS
    table.count_questions(changed)
    by_choice = choose(Answers.SSSP, graph, None, source=0)
    assert (by_choice.variant.id, chosen(Answers.TARGET, graph, None)) == ("cch-tree", "cch-pair")
    assert "as many questions were asked" in by_choice.why
    assert chosen(Answers.SSSP, graph, H200) == ON_PATHS  # as a hierarchy saves less there
    assert chosen(Answers.SSSP, fresh(MIDDLE), None) == ON_PATHS  # asked of another graph


def test_a_graph_whose_hierarchy_is_refused_is_searched_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = fresh(MIDDLE)
    table.count_questions(graph, 10**6)
    monkeypatch.setattr("solvers.algorithms.hierarchy.preparation.most_arcs", lambda _: 0)
    assert chosen(Answers.SSSP, graph, None) == "cch-tree"
    note = find_variant("auto").solve(Problem(graph, 0)).note
    assert note.startswith(f"{ON_PATHS} was chosen")
    assert chosen(Answers.SSSP, graph, None) == ON_PATHS


def test_a_hierarchy_of_many_arcs_is_not_taken_because_it_exists() -> None:
    """Sweeping the 13 million arcs of that of rmat:15 took 17.6 ms, near-far 2.1 on a GPU."""
    graph = graphs.at_random(2_000, 20_000, seed=1)
    find_variant("cch-tree").solve(Problem(graph, 0))
    prepared = find_variant("cch-tree").prepared
    assert prepared is not None
    state = prepared(graph, None)
    assert state is not None
    assert state.is_complete
    assert state.arcs is not None
    assert state.arcs > 25 * graph.m
    assert chosen(Answers.SSSP, graph, None) != "cch-tree"
    assert chosen(Answers.SSSP, graph, H200) != "cch-tree"


def test_hierarchies_are_not_taken_for_negative_weights_or_another_structure() -> None:
    find_variant("cch-tree").solve(Problem(fresh(MIDDLE), 0))
    assert chosen(Answers.SSSP, fresh(MIDDLE, weights=-1), None) == "bf-serial"
    assert chosen(Answers.SSSP, path_graph(MIDDLE.n + 1), None) == ON_PATHS


def test_arcs_are_sorted_once_the_questions_asked_make_it_pay() -> None:
    """random:30000:128 on 16 cores: 0.82 ms in place of 1.67, after 226 ms of sorting."""
    graph = graphs.at_random(20_000, 1_200_000, seed=1)
    assert chosen(Answers.SSSP, graph, None) == TEAM
    table.count_questions(graph, 10)
    assert chosen(Answers.SSSP, graph, None) == TEAM
    table.count_questions(graph, 10_000)
    note = find_variant("auto").solve(Problem(graph, 0)).note
    assert note.startswith("sssp-pull-omp was chosen: as many questions were asked as make sorting")
    by_choice = choose(Answers.SSSP, graph, None, source=0)
    assert by_choice.variant.id == "sssp-pull-omp"
    assert by_choice.why.endswith(", and its arcs were sorted by weight earlier.")
    weights = np.where(np.arange(graph.m) == 9, INT32.infinity, graph.weights)
    assert chosen(Answers.SSSP, changed_graph(graph, weights), None) == TEAM


def test_arcs_are_not_sorted_for_long_networks_nor_where_few_weights_are_most_of_the_sum() -> None:
    """A grid of 1500 by 12 by 12: 29 ms in place of 14; wide rmat:15: 2.5 in place of 1.6."""
    graph = graphs.at_random(20_000, 1_200_000, seed=1)
    wide = np.where(np.arange(graph.m) % 50 == 0, 10_000_000, graph.weights).astype(np.int32)
    uneven = Graph(graph.indptr, graph.indices, wide)
    at = np.arange(30 * 4_000)
    steps = [1, 2, 30, 31, 32, 60]
    tails = np.concatenate([at[:-step] for step in steps])
    heads = np.concatenate([at[step:] for step in steps])
    long = Graph.from_arcs(len(at), tails, heads, np.ones(len(tails), np.int32))
    for left_out in uneven, long:
        assert not SourceQuestion(left_out, 0, 16).may_pull
        table.count_questions(left_out, 10**7)
        assert "pull" not in chosen(Answers.SSSP, left_out, None)


def test_arcs_are_not_sorted_where_vertices_have_few() -> None:
    """p2p-Gnutella04, 3.7 arcs a vertex: 1.28 ms in place of 0.40, though they are sorted."""
    graph = graphs.at_random(20_000, 74_000, seed=1)
    find_variant("sssp-pull-omp").solve(Problem(graph, 0))
    assert chosen(Answers.SSSP, graph, None) == TEAM
    assert not SourceQuestion(graph, 0, 16).may_pull
    assert SourceQuestion(graphs.at_random(20_000, 160_000, seed=1), 0, 16).may_pull


def test_few_arcs_are_estimated_for_one_thread() -> None:
    """random:10000:8 on 16 cores: 0.60 ms, as of one thread, in place of 0.33."""
    question = SourceQuestion(graphs.at_random(10_000, 80_000, seed=1), 0, 16)
    delta = COSTS[TEAM]
    assert (delta.threads(question), COSTS["sssp-pull-omp"].threads(question)) == (1, 5)
    assert delta.ms(question) == replace(delta, together={}, shared={}).ms(question)
    assert delta.threads(SourceQuestion(graphs.at_random(20_000, 300_000, seed=1), 0, 16)) == 16


def test_distances_fall_once_where_all_arcs_weigh_the_same() -> None:
    """A random graph of 12,000 vertices: 0.34 ms with weights of 1, not 0.65."""
    graph = graphs.at_random(10_000, 80_000, seed=1)
    even = replace(graph, weights=np.full(graph.m, 7, np.int32))
    falls = [SourceQuestion(one, 0, 16).amounts["falls"] for one in (even, graph)]
    assert falls[0] == even.n
    assert falls[1] > 2 * even.n


def test_bins_are_narrowed_or_arcs_repeated_where_few_weights_are_heavy() -> None:
    graph = graphs.at_random(10_000, 80_000, seed=1)
    weights = np.where(np.arange(graph.m) % 50 == 0, 10_000_000, graph.weights).astype(np.int32)
    hub = graphs.at_random(10_000, 80_000, seed=1)
    hub = Graph.from_arcs(
        hub.n,
        np.where(np.arange(hub.m) % 8 == 0, 5, hub.tails),
        hub.indices,
        weights,
    )
    for one, is_narrowed in (replace(graph, weights=weights), True), (hub, False):
        amounts = SourceQuestion(one, 0, 16).amounts
        assert (amounts["narrowed bins"] > 0) == is_narrowed
        assert (amounts["arcs repeated"] > 0) == (not is_narrowed)


def levels_from(graph: Graph, source: int) -> int:
    """Levels of a breadth-first search."""
    level, seen = np.array([source]), np.zeros(graph.n, np.bool_)
    for number in range(graph.n):
        seen[level] = True
        reached = np.unique(
            np.concatenate([graph.indices[graph.indptr[u] : graph.indptr[u + 1]] for u in level])
        )
        level = reached[~seen[reached]]
        if not len(level):
            return number + 1
    raise AssertionError


@pytest.mark.parametrize(("rows", "columns"), [(700, 30), (30, 700), (140, 150)])
@pytest.mark.parametrize("has_coordinates", [True, False])
def test_long_networks_are_told_from_square_ones(
    rows: int, columns: int, has_coordinates: bool
) -> None:
    """A grid of 2000 by 60 has three times as many rounds as the look from the source said."""
    graph = find("grid").generate({"rows": rows, "columns": columns})
    if not has_coordinates:
        graph = replace(graph, coordinates=None)
    for source in graph.n // 2, graph.n // 3 + 7, 0:
        rounds = SourceQuestion(graph, source, 16).amounts["rounds"]
        assert 0.5 < rounds / levels_from(graph, source) < 2


def test_a_look_that_fills_a_strip_is_as_long_as_it_is() -> None:
    """From the end of a strip a look leads farther than where no ends are near."""
    graph = find("grid").generate({"rows": 20, "columns": 2_000})
    for source in 0, graph.n // 2:  # the first of a row
        rounds = SourceQuestion(graph, source, 16).amounts["rounds"]
        assert 0.9 < rounds / levels_from(graph, source) < 1.1


def test_a_hub_that_is_the_source_does_not_make_numbers_count_rows() -> None:
    """From a hub to which a network is near, 15 rounds were expected, not 4."""
    n, hub = 30_000, np.arange(1, 8_000)
    draw = np.random.default_rng(1)
    tails = np.concatenate([np.zeros_like(hub), draw.integers(0, n, 6 * n)])
    heads = np.concatenate([hub, draw.integers(0, n, 6 * n)])
    near = np.abs(tails - heads) < 8_000
    ends = tails[near], heads[near]
    graph = Graph.from_arcs(n, *ends, np.ones(near.sum(), np.int32), name="hub")
    assert SourceQuestion(graph, 0, 16).amounts["rounds"] < 5


def test_a_hub_takes_turns_on_a_device() -> None:
    amounts = SourceQuestion(BIG, 0, 16).amounts
    n, hub = BIG.n, np.arange(1, 2_001)
    tails = np.concatenate([np.zeros_like(hub), np.repeat(np.arange(n), np.diff(BIG.indptr))])
    heads = np.concatenate([hub, BIG.indices])
    weights = np.concatenate([np.full_like(hub, 1_000, np.int32), BIG.weights])
    with_hub = SourceQuestion(Graph.from_arcs(n, tails, heads, weights, name="hub"), 0, 16)
    assert with_hub.amounts["longest row"] > 50 * amounts["longest row"]


def test_rows_that_are_not_fetched_ahead_are_told_from_rows_that_are() -> None:
    """A grid that is searched along its rows is as slow as one numbered at random."""
    scattered = [
        SourceQuestion(find("grid").generate({"rows": rows, "columns": columns}), 0, 2).amounts[
            "scattered"
        ]
        for rows, columns in [(30, 2_500), (2_500, 30), (30, 250)]
    ]
    assert scattered[0] > 0.5 * 30 * 2_500
    assert scattered[1:] == [0.0, 0.0]


def test_coordinates_that_say_nothing_of_levels_are_left_out() -> None:
    draw = np.random.default_rng(1)
    for graph in WIDE, BIG:
        scattered = replace(graph, coordinates=Coordinates(draw.random((graph.n, 2))))
        far = draw.normal(scale=1e308, size=(graph.n, 2)).clip(-1e308, 1e308)
        apart = np.where(np.arange(graph.n) < graph.n - 1, 0.0, -np.inf)
        others = [
            replace(graph, coordinates=Coordinates(xy, geographic))
            for xy in (
                *(np.full((graph.n, 2), value) for value in (1.0, np.nan, np.inf)),
                far,
                np.column_stack((np.arange(graph.n), apart)),
            )
            for geographic in (False, True)
        ]
        plain = SourceQuestion(graph, 0, 16).amounts["rounds"]
        for other in scattered, *others:
            assert SourceQuestion(other, 0, 16).amounts["rounds"] == plain


def test_parts_on_disk_are_taken_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    price(monkeypatch, "sssp-blocked", "sssp-near-far-cluster", "sssp-delta-omp")
    graph = path_graph(70_000)
    assert chosen(Answers.SSSP, graph, H200) == "sssp-near-far-cluster"
    save_parts(graph, 512, 2_048, partition_graph(graph, 512, 2_048).parts)
    by_choice = choose(Answers.SSSP, graph, H200, source=0)
    assert by_choice.variant.id == "sssp-blocked"
    assert by_choice.why.endswith(", and its parts are on disk.")
    assert chosen(Answers.SSSP, graph, OPENCL_CPU) == "sssp-delta-omp"
    assert chosen(Answers.SSSP, graph, None) == "sssp-delta-omp"


def test_a_partition_that_would_take_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    price(monkeypatch, "sssp-blocked", "sssp-near-far", "sssp-near-far-cluster")
    assert chosen(Answers.SSSP, LARGE, H200) == "sssp-blocked"
    assert chosen(Answers.SSSP, LARGE, OPENCL_GPU) == "sssp-near-far"
    monkeypatch.setattr(table, "AFFORDABLE_S", 0.9 * seconds_to_partition(LARGE))
    assert chosen(Answers.SSSP, LARGE, H200) == "sssp-near-far"


def test_the_front_of_a_huge_road_network_needs_the_whole_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    price(monkeypatch, "sssp-near-far-cluster", "sssp-near-far")
    monkeypatch.setattr(table, "HUGE", 2 * LARGE.n)  # so that no huge graph must be made
    monkeypatch.setattr(table, "AFFORDABLE_S", 0)
    assert chosen(Answers.SSSP, MIDDLE, H200) == "sssp-near-far-cluster"
    assert chosen(Answers.SSSP, path_graph(LARGE.n + 10), H200) == "sssp-near-far"


def test_without_openmp_there_are_plain_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmp, "availability_error", lambda: Unavailable("no OpenMP"))
    assert chosen(Answers.SSSP, GRID, None) == "sssp-delta-omp"
    assert chosen(Answers.APSP, path_graph(2_000), None) == "dijkstra-apsp-serial"
    assert chosen(Answers.APSP, path_graph(2_000), OPENCL_CPU) == "apsp-frontier"


def test_what_keeps_the_last_row_from_running_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmp, "availability_error", lambda: Unavailable("no OpenMP here"))
    rows = tuple(row for row in TABLE[Answers.APSP] if row.variant_id == "apsp-lanes-omp")
    monkeypatch.setitem(TABLE, Answers.APSP, rows)
    with pytest.raises(Unavailable, match="no OpenMP here"):
        choose(Answers.APSP, MIDDLE, None)


def test_every_row_names_a_variant_that_answers_the_question() -> None:
    for answers, rows in TABLE.items():
        for row in rows:
            assert find_variant(row.variant_id).answers is answers or answers is Answers.TARGET
            assert not row.why.endswith(".")


def test_the_result_says_what_ran_and_why(device: Device) -> None:
    graph = graphs.at_random(200, 600, seed=3)
    choices = (Choice(find_variant("auto")), Choice(find_variant("dijkstra-heap")))
    by_choice, by_hand = run(RunRequest(graph, 0, None, choices, device, MeasurementPlan(1, 1)))
    assert by_choice.ok
    assert by_choice.note == choose(Answers.SSSP, graph, device, source=0).why
    assert by_choice.note.startswith("dijkstra-heap was chosen: ")
    assert by_hand.note == ""
    np.testing.assert_array_equal(by_choice.distances, by_hand.distances)


def test_the_chosen_variant_gets_its_defaults_and_the_device(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (table.Rule("sssp-near-far", lambda case: case.device is not None, "the test says so"),)
    monkeypatch.setitem(TABLE, Answers.SSSP, rows)
    graph = graphs.at_random(200, 600, seed=3)
    solution = find_variant("auto").solve(Problem(graph, 0, None, {}, device))
    assert solution.note == "sssp-near-far was chosen: the test says so."
    assert solution.peak_device_bytes > 0


def test_a_source_that_reaches_little_is_left_to_one_core() -> None:
    """p2p-Gnutella from a vertex that reaches few: a GPU takes five times as long."""
    tails, heads = np.arange(40_000), np.arange(40_000)[::-1]
    away = Graph.from_arcs(40_010, tails, heads, np.ones(40_000, np.int32))
    by_choice = choose(Answers.SSSP, away, H200, source=7)
    assert by_choice.variant.id == TEAM
    assert "reaches so few vertices" in by_choice.why


def test_of_a_small_graph_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """To hash its structure and ask the disk took ten times as long as the choice."""
    asked: list[str] = []
    monkeypatch.setattr(
        table, "find_variant", lambda name: asked.append(name) or find_variant(name)
    )
    assert chosen(Answers.SSSP, path_graph(15_000), H200) == ON_PATHS
    assert set(asked) == {ON_PATHS}


def test_the_whole_structure_is_hashed_only_where_a_hierarchy_is_taken_from_disk() -> None:
    """It took 35 ms of a search of 13 (random, 200,000 vertices, 1.6 M arcs), and 7 of one of
    4 (road:150000).
    """
    for graph in fresh(BIG), fresh(GRID), fresh(MIDDLE):
        choose(Answers.SSSP, graph, None, source=0)
        assert "structure_sha256" not in vars(graph)
    find_variant("cch-tree").solve(Problem(fresh(MIDDLE), 0))
    graph = fresh(MIDDLE)
    assert chosen(Answers.SSSP, graph, None) == "cch-tree"
    assert "structure_sha256" in vars(graph)


def test_the_order_of_a_graph_with_the_same_sketch_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solvers.graphs.graph.sketch_of_structure", lambda *_: "the same")
    find_variant("cch-tree").solve(Problem(fresh(MIDDLE), 0))
    heads = np.arange(1, 50_000)
    heads[-1] = 7
    weights = np.ones(49_999, np.int32)
    other = Graph.from_arcs(50_000, np.arange(49_999), heads, weights)
    assert chosen(Answers.SSSP, other, None) == ON_PATHS
    assert chosen(Answers.TARGET, other, None) == "dijkstra-bidirectional"
    assert chosen(Answers.SSSP, fresh(MIDDLE), None) == "cch-tree"
    table.count_questions(other, 10**6)  # its own is made when it pays
    assert chosen(Answers.SSSP, other, None) == "cch-tree"
    find_variant("cch-tree").solve(Problem(other, 0))
    assert chosen(Answers.SSSP, replace(other), None) == "cch-tree"


def test_what_an_order_on_disk_leads_to_is_known_before() -> None:
    graph = fresh(GRID)
    hierarchy, _ = hierarchy_of(graph, "the test")
    found = find_variant("cch-tree").prepared
    assert found is not None
    state = found(fresh(GRID), None)
    assert state is not None
    assert (state.arcs, state.levels) == (hierarchy.arcs, hierarchy.tree.height)
    assert state.left_s > 0


def test_a_pocket_of_thousands_that_lead_nowhere_else_is_found() -> None:
    """From a source that reached 8,000 of a million a GPU took 1.4 ms, cores 0.3."""
    draw = np.random.default_rng(5)
    n, pocket = 400_000, 7_000
    tails = np.repeat(np.arange(n), 5)
    heads = draw.integers(0, n, 5 * n)
    inside = tails >= n - pocket
    heads[inside] = draw.integers(n - pocket, n, np.count_nonzero(inside))
    graph = Graph.from_arcs(n, tails, heads, np.ones(len(tails), np.int32))
    within, without = (SourceQuestion(graph, source, 16) for source in (n - 1, 0))
    assert within.reached[0] == pytest.approx(pocket, rel=0.15)
    assert without.reached == (n, graph.m)
    assert choose(Answers.SSSP, graph, H200, source=n - 1, warm=True).variant.id == TEAM
    assert choose(Answers.SSSP, graph, H200, source=0, warm=True).variant.id == "sssp-near-far"


def test_why_of_a_small_sparse_graph_does_not_call_it_dense() -> None:
    why = choose(Answers.APSP, graphs.at_random(60, 120, seed=1), None).why
    assert "small or dense" in why


# -- what was measured
# --------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Solution]]:
    """Asks `auto` on a machine that has three variants, by estimate the first of them the
    fastest; the notes name what they take.
    """
    took = {"slow": (1.0, 4.0), "fast": (1.5, 2.0), "far": (30.0, 0.1)}

    def made(name: str, ms: float) -> Variant:
        def solve(problem: Problem) -> Solution:
            return replace(solve_sssp(problem), phases=Phases(solve=ms))

        return fake_variant(name, solve)

    variants = {name: made(name, ms) for name, (_, ms) in took.items()}
    monkeypatch.setattr(
        table, "find_variant", lambda name: variants.get(name) or find_variant(name)
    )
    costs = {name: Costs({"start": 1e6 * estimate}) for name, (estimate, _) in took.items()}
    for module in (table, evidence):
        monkeypatch.setattr(module, "COSTS", costs)
    rows = tuple(Rule(name, lambda _: True, "the table says so", estimated=True) for name in took)
    monkeypatch.setitem(TABLE, Answers.SSSP, rows)

    def ask(graph: Graph, times: int, source: int = 0) -> list[Solution]:
        return [find_variant("auto").solve(Problem(graph, source)) for _ in range(times)]

    return ask


def taken_by(solutions: Iterable[Any]) -> list[str]:
    return [solution.note.split(" ")[0] for solution in solutions]


def test_a_near_variant_is_tried_once_and_the_better_is_kept(asked: Any) -> None:
    graph = fresh(MIDDLE)
    solutions = asked(graph, 8)
    # the first time of each does not count, as it may compile and copy
    assert taken_by(solutions) == ["slow"] * 2 + ["fast"] * 6
    for tried in solutions[2:4]:
        words = "it is tried, as it may be faster on this network, where slow took at best 4.00 ms."
        assert tried.note == f"fast was chosen: {words}"
    for kept in solutions[4:]:
        words = "measured on this network, fast took at best 2.00 ms, slow took at best 4.00 ms."
        assert kept.note == f"fast was chosen: {words}"
    assert solutions[0].note == solutions[1].note == "slow was chosen: the table says so."


def test_a_single_time_near_the_best_that_the_estimates_doubt_is_taken_again(asked: Any) -> None:
    """grid:300x700 on an H200: sssp-blocked took once 6.5 ms in place of 2.3, and was never
    asked again.
    """
    graph = fresh(MIDDLE)
    for name, ms in ("slow", 3.5), ("fast", 2.0):
        for _ in range(2):
            evidence.note_time(graph, (name, "", False), ms)
    solutions = asked(graph, 3)
    assert taken_by(solutions) == ["slow", "fast", "fast"]
    assert "it is tried again, as it may be faster on this network" in solutions[0].note


def test_what_was_measured_serves_the_network_with_closed_roads_and_no_other(asked: Any) -> None:
    graph = fresh(MIDDLE)
    asked(graph, 4)
    changed = changed_graph(graph, np.where(np.arange(graph.m) == 9, INT32.infinity, graph.weights))
    assert taken_by(asked(changed, 1, source=20)) == ["fast"]
    assert taken_by(asked(fresh(MIDDLE), 1)) == ["slow"]


def test_all_trials_of_a_run_are_of_one_variant(asked: Any) -> None:
    graph = fresh(MIDDLE)
    for expected in ("slow", "fast", "fast"):
        choices = (Choice(find_variant("auto")),)
        plan = MeasurementPlan(1, 4)
        (result,) = run(RunRequest(graph, 0, None, choices, None, plan, tree=False))
        assert result.note.startswith(expected)
        assert len({trial.phases.total for trial in result.trials}) == 1


def test_a_variant_that_a_user_ran_is_known(asked: Any) -> None:
    graph = fresh(MIDDLE)
    for name in ("fast", "slow"):
        choices = (Choice(table.find_variant(name)),)
        list(run(RunRequest(graph, 0, None, choices, None, MeasurementPlan(1, 1), tree=False)))
    assert taken_by(asked(graph, 1)) == ["fast"]


def test_nothing_is_learnt_from_a_source_that_reaches_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    price(monkeypatch, TEAM)
    graph = path_graph(50_000)
    heap = find_variant("dijkstra-heap")
    for source, count in (graph.n - 9, 0), (0, 1):
        choices = (Choice(heap),)
        list(run(RunRequest(graph, source, None, choices, None, MeasurementPlan(1, 1), tree=False)))
        assert len(known_times(graph, None, False)) == count
    # more than a look from the source takes in
    for source, learnt in (graph.n - 3_000, {"dijkstra-heap"}), (9, {"dijkstra-heap", TEAM}):
        for _ in range(2):
            find_variant("auto").solve(Problem(graph, source))
        assert set(known_times(graph, None, False)) == learnt


def test_a_time_may_be_noted_by_another_thread_while_times_are_read() -> None:
    graph = fresh(MIDDLE)

    class Interrupted(evidence.Took):
        def __getattribute__(self, name: str) -> Any:
            evidence.note_time(graph, ("another", "", False), 1.0)
            return 2.0

    evidence.taken(graph)["one", "", False] = Interrupted()
    assert known_times(graph, None, False) == {"one": 2.0}
