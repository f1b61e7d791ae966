"""What is prepared for a graph: the dissection, the hierarchy that is kept and shared,
and new metrics of it.
"""

from __future__ import annotations

import importlib.util
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import fields, replace
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.hierarchy import dissection, ordering, pair, preparation
from solvers.algorithms.hierarchy import recustomise as recustomise_module
from solvers.algorithms.hierarchy.adjacency import (
    Adjacency,
    adjacency_of,
    estimated_separator,
    induced,
)
from solvers.algorithms.hierarchy.dissection import dissection_order, separator
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.recustomise import recustomise
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.core.availability import availability
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import (
    Cancelled,
    OrderFailed,
    OutOfMemory,
    ParameterError,
    SeparatorsTooLarge,
    Unavailable,
)
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import WeightType, to_float, weight_type
from solvers.system.cancel import CancelToken, Progress
from solvers.system.machine import Memory
from solvers.system.openmp import team
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.hierarchy.reference import (
    cancelled,
    hierarchy_by,
    hierarchy_by_degree,
)

SIDE = 60


@pytest.fixture(scope="module")
def grid() -> Graph:
    number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel()))
    both = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    return Graph.from_arcs(
        SIDE * SIDE, *both, np.ones(len(both[0]), np.int32), directed=False, name="grid"
    )


needs_metis = pytest.mark.skipif(
    importlib.util.find_spec("pymetis") is None, reason="pymetis is not installed"
)


def children() -> set[int]:
    """Processes that this one has started, those that have ended unnoticed, too."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


@needs_metis
@pytest.mark.parametrize("leaf", [10_000, 2_000])
def test_a_grid_has_small_separators(
    grid: Graph, monkeypatch: pytest.MonkeyPatch, leaf: int
) -> None:
    """In one call, and in parts: the order is a permutation, and far better than the
    order of the numbers.
    """
    monkeypatch.setattr(dissection, "_LEAF", leaf)
    adjacency = adjacency_of(grid)
    order = dissection_order(adjacency)
    assert sorted(order.tolist()) == list(range(grid.n))
    tree = elimination_tree(adjacency, order)
    arcs = count_up_arcs(adjacency, tree, 1 << 40).sum()
    rows = count_up_arcs(
        adjacency, elimination_tree(adjacency, np.arange(grid.n, dtype=np.int32)), 1 << 40
    ).sum()
    assert arcs < rows / 3
    assert tree.height < 6 * SIDE


@needs_metis
def test_vertices_without_neighbours_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphs.from_list(2_500, [(v, v + 1, 1) for v in range(2_000)], directed=False)
    order = dissection_order(adjacency_of(graph))
    assert sorted(order.tolist()) == list(range(graph.n))
    assert set(order[:499].tolist()) == set(range(2_001, 2_500))


def test_the_separator_covers_every_edge_between_the_halves(grid: Graph) -> None:
    adjacency = adjacency_of(grid)
    half = (np.arange(grid.n) % SIDE >= SIDE // 2).astype(np.int8)
    between = separator(adjacency, half)
    assert len(between) == SIDE
    half[between] = 2
    tails = np.repeat(np.arange(grid.n), np.diff(adjacency.first))
    assert not ((half[tails] == 0) & (half[adjacency.neighbours] == 1)).any()


def test_a_hub_separates_alone() -> None:
    adjacency = adjacency_of(graphs.from_list(9, [(0, v, 1) for v in range(1, 9)]))
    half = np.array([0, 1, 1, 1, 1, 0, 0, 0, 0], np.int8)
    assert separator(adjacency, half).tolist() == [0]
    assert len(separator(adjacency, np.zeros(9, np.int8))) == 0


def test_a_part_keeps_the_edges_inside(grid: Graph) -> None:
    whole = adjacency_of(grid)
    scratch = np.full(grid.n, -1, np.int32)
    part = induced(whole, np.arange(2 * SIDE, dtype=np.int32), scratch)
    assert part.edges == 2 * (SIDE - 1) + SIDE
    assert (scratch == -1).all()


@needs_metis
def test_cancelling_ends_the_process(grid: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()

    def look() -> None:
        if children() - before:
            token.cancel()

    token = CancelToken(look)

    with pytest.raises(Cancelled):
        dissection_order(adjacency_of(grid), Progress(token))
    deadline = time.monotonic() + 10
    while children() - before:
        assert time.monotonic() < deadline, "the process goes on"
        time.sleep(0.02)


@needs_metis
def test_what_metis_refuses_is_an_error_in_words() -> None:
    broken = Adjacency(np.arange(2_002, dtype=np.int64), np.full(2_001, 10**6, np.int32))
    with pytest.raises(OrderFailed, match="could not order the graph"):
        dissection_order(broken)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("order", "np.zeros(n)"),
        ("order", "np.arange(n) + 1"),
        ("order", "np.arange(n) - 1"),
        ("order", "np.full(n, 10**8)"),
        ("order", "np.arange(n - 1)"),
        ("bisect", "np.full(n, 2)"),
        ("bisect", "np.full(n, -1)"),
    ],
)
def test_an_answer_that_is_no_order_is_not_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, grid: Graph, task: str, answer: str
) -> None:
    script = tmp_path / "metis_process.py"
    kind = "int32" if task == "order" else "int8"
    script.write_text(
        "import sys\nimport numpy as np\n"
        f"sys.stdin.buffer.read()\nn = {grid.n}\n"
        f"sys.stdout.buffer.write(np.asarray({answer}).astype('{kind}').tobytes())\n"
    )
    monkeypatch.setattr(dissection, "_SCRIPT", script)
    monkeypatch.setattr(dissection, "_LEAF", grid.n if task == "order" else 10)
    with pytest.raises(OrderFailed, match="could not order the graph"):
        dissection_order(adjacency_of(grid))


def test_missing_pymetis_is_said_and_other_variants_stand(
    monkeypatch: pytest.MonkeyPatch, grid: Graph
) -> None:
    real = PathFinder.find_spec
    monkeypatch.setattr(
        PathFinder,
        "find_spec",
        lambda name, *place: None if name == "pymetis" else real(name, *place),
    )
    monkeypatch.setattr(dissection.sys, "platform", "linux")
    told = availability(find_variant("cch-tree"), grid, None)
    assert not told.available
    assert "pip install pymetis" in told.reason
    assert availability(find_variant("dijkstra-heap"), grid, None).available
    with pytest.raises(Unavailable, match="pip install pymetis"):
        dissection.require_pymetis("cch-tree")
    monkeypatch.setattr(dissection.sys, "platform", "win32")
    with pytest.raises(Unavailable, match="does not support Windows"):
        dissection.require_pymetis("cch-tree")


def network(seed: int = 3) -> Graph:
    """Streets of a town of 40 x 40 crossings, some of them one-way."""
    side = 40
    number = np.arange(side * side).reshape(side, side)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel(), number[:, 1:].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel(), number[:, :-1].ravel()))
    weights = np.random.default_rng(seed).integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(side * side, tails, heads, weights, name="town")


def solve(
    graph: Graph, variant_id: str = "cch-tree", target: int = 700, recorder: Recorder | None = None
) -> Solution:
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, 5, target, entry.settle({}), recorder=recorder))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    return tmp_path / "orders"


@needs_metis
def test_the_order_serves_other_weights_from_disk(cache: Path) -> None:
    first = solve(network(3))
    assert "ordering took" in first.note
    (stored,) = cache.iterdir()
    second_graph = network(4)
    second = solve(second_graph)
    assert "read from disk" in second.note
    np.testing.assert_array_equal(
        to_float(second.distances), graphs.right_distances(second_graph, 5)
    )
    assert solve(second_graph).note == second.note, (
        "what preparation took is said with every later answer"
    )
    assert list(cache.iterdir()) == [stored]


@needs_metis
def test_an_order_that_is_begun_ahead_is_the_same(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_CONTRACTED_SOONER", 0)
    plain, _ = preparation.hierarchy_of(network(), "test")
    shutil.rmtree(cache.parent)
    before, graph = children(), network()
    with ordering.ordered_ahead(graph, "test"):
        begun = children() - before
        assert len(begun) == 1
        monkeypatch.setattr(
            ordering, "adjacency_of", lambda *_: pytest.fail("its structure was made again")
        )
        monkeypatch.setattr(preparation, "_load_contraction", lambda: None)
        found, note = preparation.hierarchy_of(graph, "test")
        assert not begun & children()
    assert note.startswith("ordering took")
    np.testing.assert_array_equal(found.tree.order, plain.tree.order)
    assert len(list((cache.parent / "hierarchies").iterdir())) == 1


@needs_metis
@pytest.mark.parametrize("end", ["is not wanted", "is cancelled", "fails"])
def test_an_order_that_is_begun_ahead_ends_with_the_block(cache: Path, end: str) -> None:
    token, before, graph = CancelToken(), children(), network()
    ended = {"is not wanted": nullcontext, "is cancelled": lambda: pytest.raises(Cancelled)}
    with (
        ended.get(end, lambda: pytest.raises(ZeroDivisionError))(),
        ordering.ordered_ahead(graph, "test", Progress(token)),
    ):
        assert children() != before
        if end == "is cancelled":
            token.cancel()
            preparation.hierarchy_of(graph, "test", Progress(token))
        if end == "fails":
            raise ZeroDivisionError
    assert children() == before
    assert not cache.exists()
    _, note = preparation.hierarchy_of(graph, "test")  # what was begun is not waited for
    assert note.startswith("ordering took")


@needs_metis
def test_nothing_is_begun_ahead_where_the_order_is_known(cache: Path) -> None:
    graph = network()
    preparation.hierarchy_of(graph, "test")
    before = children()
    for known in (graph, network()):
        with ordering.ordered_ahead(known, "test"):
            assert children() == before


def test_a_refusal_ahead_is_raised_where_the_hierarchy_is_wanted(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, before = graphs.at_random(30_000, 60_000, seed=1, directed=False), children()
    with ordering.ordered_ahead(graph, "test"):
        assert children() == before
        monkeypatch.setattr(
            ordering, "adjacency_of", lambda *_: pytest.fail("its structure was made again")
        )
        with pytest.raises(SeparatorsTooLarge):
            preparation.hierarchy_of(graph, "test")


@needs_metis
def test_a_thread_that_has_taken_what_was_begun_goes_on_after_the_block(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_CONTRACTED_SOONER", 0)
    graph, taken, is_over = network(), threading.Event(), threading.Event()

    def wait() -> None:
        taken.set()
        assert is_over.wait(60)

    monkeypatch.setattr(preparation, "_load_contraction", wait)
    with ThreadPoolExecutor(1) as other:
        with ordering.ordered_ahead(graph, "test"):
            found = other.submit(preparation.hierarchy_of, graph, "test")
            assert taken.wait(60)
        is_over.set()
        hierarchy, _ = found.result()
    assert sorted(hierarchy.tree.order.tolist()) == list(range(graph.n))
    assert len(list((cache.parent / "hierarchies").iterdir())) == 1


@needs_metis
@pytest.mark.parametrize("harm", ["", "damaged", "of an earlier version"])
def test_a_hierarchy_is_read_from_disk_whole(
    cache: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr(preparation, "_CONTRACTED_SOONER", 0)
    first, _ = preparation.hierarchy_of(network(3), "test")
    (stored,) = (cache.parent / "hierarchies").iterdir()
    if harm == "damaged":
        stored.write_bytes(stored.read_bytes()[:-4] + b"1234")
    elif harm:
        monkeypatch.setattr(preparation, "_HIERARCHY_VERSION", "another")
    else:
        monkeypatch.setattr(
            ordering, "adjacency_of", lambda *_: pytest.fail("it is contracted again")
        )
    second, note = preparation.hierarchy_of(network(3), "test")
    assert note.startswith("the order was" if harm else "reading the hierarchy from disk took")
    for field in fields(Hierarchy):
        one, other = (getattr(found, field.name) for found in (first, second))
        for name in [entry.name for entry in fields(one)] if field.name == "tree" else [""]:
            a, b = (getattr(tree, name) if name else tree for tree in (one, other))
            np.testing.assert_array_equal(a, b)
            assert (a.dtype, b.flags.writeable, b.flags.aligned) == (b.dtype, True, True)
    if not harm:
        right = network(4)
        np.testing.assert_array_equal(
            to_float(solve(right).distances), graphs.right_distances(right, 5)
        )


@needs_metis
@pytest.mark.parametrize("harm", ["damaged", "of an earlier version", "no permutation"])
def test_a_bad_file_is_made_again_and_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    graph = network()
    solve(graph)
    (stored,) = cache.iterdir()
    if harm == "damaged":
        content = bytearray(stored.read_bytes())
        content[-3] ^= 1
        stored.write_bytes(content)
    elif harm == "no permutation":
        name = ordering.structure_hash(adjacency_of(graph))
        ordering.order_store().save(name, np.zeros(graph.n, np.int32))
    else:
        monkeypatch.setattr(ordering, "ORDER_VERSION", "another")
    again = solve(network())
    assert "ordering took" in again.note
    if harm != "no permutation":
        assert f"the stored order was {harm}" in again.note
    np.testing.assert_array_equal(to_float(again.distances), graphs.right_distances(graph, 5))


def test_the_structure_decides_not_weights_or_names() -> None:
    graph = network()
    same = replace(
        graph, weights=graph.weights[::-1].copy(), ids=np.arange(graph.n) * 7 + 1, name="other"
    )
    kept = (graph.tails != 0) & (graph.indices != 0)
    other = Graph.from_arcs(graph.n, graph.tails[kept], graph.indices[kept], graph.weights[kept])
    hashes = [ordering.structure_hash(adjacency_of(g)) for g in (graph, same, other)]
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]


def test_a_random_network_is_refused_before_it_is_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphs.at_random(30_000, 60_000, seed=1, directed=False)
    monkeypatch.setattr(ordering.Dissection, "begin", lambda *_: pytest.fail("it was ordered"))
    before = children()
    with pytest.raises(SeparatorsTooLarge, match="road networks") as refusal:
        solve(graph)
    assert refusal.value.arcs > 25 * graph.m
    assert children() == before


@needs_metis
def test_what_the_estimate_lets_through_is_counted(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "most_arcs", lambda graph: 2_000)
    monkeypatch.setattr(ordering, "_require_small_separators", lambda *_: None)
    with pytest.raises(SeparatorsTooLarge):
        solve(network())


def test_no_memory_for_the_hierarchy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation.machine, "memory", lambda: Memory(10**6, 1_000))
    with pytest.raises(OutOfMemory, match="the hierarchy of"):
        solve(graphs.by_hand("a grid"), target=3)


@pytest.mark.parametrize(
    ("edges", "at_most"),
    [
        ([(v, v + 1) for v in range(999)], 3),
        ([(0, v) for v in range(1, 1_000)], 1),
        ([(v, (v + 1) % 999 + (v == 998)) for v in range(999)] + [(999, v) for v in range(999)], 4),
    ],
    ids=["path", "star", "wheel"],
)
def test_thin_graphs_have_small_separators(edges: list[tuple[int, int]], at_most: int) -> None:
    graph = graphs.from_list(1_000, [(u, v, 1) for u, v in edges], directed=False)
    assert estimated_separator(adjacency_of(graph)) <= at_most


@pytest.mark.data
def test_real_networks_are_told_apart() -> None:
    roads = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    social = read_graph(data_file("snap/p2p-Gnutella30.txt.gz")).graph
    preparation._require_small_separators(roads, adjacency_of(roads), "cch-tree")
    with pytest.raises(SeparatorsTooLarge):
        preparation._require_small_separators(social, adjacency_of(social), "cch-tree")


@pytest.mark.data
@needs_metis
def test_new_york(cache: Path) -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    tree, path = solve(graph, target=graph.n - 1), solve(graph, "cch-pair", graph.n - 1)
    assert tree.distances[graph.n - 1] == path.distances[graph.n - 1]
    assert path.iterations < 600, "two climbs"


def test_a_path_longer_than_its_room_is_answered_by_a_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cycles of length 0 may be part of an unpacked path, in any number."""
    climbs = pair.shortest_path
    monkeypatch.setattr(
        pair, "shortest_path", lambda *given: (climbs(*given)[0], -1, *climbs(*given)[2:])
    )
    graph = graphs.by_hand("a grid")
    found = to_float(solve(graph, "cch-pair", 3).distances)
    np.testing.assert_allclose(found, graphs.right_distances(graph, 5))


def test_a_watched_run_climbs_and_then_sweeps_by_levels() -> None:
    graph = graphs.by_hand("a grid")
    recorder = TraceRecorder(graph.n)
    solve(graph, recorder=recorder, target=3)
    trace = recorder.finish()
    tree = preparation.hierarchy_of(graph, "test")[0].tree
    climbed = len(trace) - tree.height
    assert [(phase.name, phase.unit, phase.first, phase.last) for phase in trace.phases] == [
        ("climb", "vertex", 0, climbed),
        ("sweep", "level", climbed, len(trace)),
    ]
    assert [trace.frontier(k).tolist() for k in range(climbed)] == [[v] for v in ancestors(tree, 5)]
    for level in range(tree.height):
        assert set(tree.depth[tree.rank[trace.frontier(climbed + level)]]) == {level}
    assert (trace.distances[1:] <= trace.distances[:-1]).all()
    np.testing.assert_array_equal(trace.distances[-1], graphs.right_distances(graph, 5))


def ancestors(tree: preparation.EliminationTree, vertex: int) -> list[int]:
    found, v = [], int(tree.rank[vertex])
    while v >= 0:
        found.append(int(tree.order[v]))
        v = int(tree.parent[v])
    return found


@pytest.mark.parametrize("n", [0, 1])
def test_graphs_of_no_vertex_and_of_one(n: int) -> None:
    graph = Graph(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    entry = find_variant("cch-batch")
    assert entry.solve(Problem(graph, None, None, entry.settle({}))).distances.tolist() == [[0]] * n
    for variant_id in ("cch-tree", "cch-pair"):
        entry = find_variant(variant_id)
        if n:
            assert entry.solve(Problem(graph, 0, 0, entry.settle({}))).distances.tolist() == [0]
        else:
            with pytest.raises(ParameterError, match="source"):
                entry.solve(Problem(graph, 0, 0, entry.settle({})))


def test_a_watched_path_query_climbs_from_both_ends() -> None:
    graph = graphs.by_hand("a grid")
    recorder = TraceRecorder(graph.n)
    solve(graph, "cch-pair", recorder=recorder, target=3)
    assert [phase.name for phase in recorder.finish().phases] == ["source climb", "target climb"]


@st.composite
def changes(draw: st.DrawFn) -> tuple[Graph, np.ndarray, list[list[tuple[int, float]]]]:
    """A graph, an order, and rounds of new weights for some arcs: more, less, the same,
    or closed.
    """
    graph = draw(graphs.graphs(negative=draw(st.booleans())))
    order = np.array(draw(st.permutations(range(graph.n))), np.int32)
    change = st.tuples(
        st.integers(0, max(0, graph.m - 1)), st.sampled_from([0, 1, 2, 9, 50, np.inf, "as it was"])
    )
    rounds = (
        draw(st.lists(st.lists(change, min_size=1, max_size=5), min_size=1, max_size=3))
        if graph.m
        else []
    )
    return graph, order, rounds


def whole(hierarchy: Hierarchy, weights: np.ndarray, kind: WeightType) -> Metric:
    with team(1, "test"):
        return customise(hierarchy, weights, kind, 1)


@given(changes())
def test_weights_are_those_of_customising_everything(drawn) -> None:
    graph, order, rounds = drawn
    kind, hierarchy = weight_type(graph.weights.dtype), hierarchy_by(graph, order)
    weights = graph.weights.copy()
    metric = whole(hierarchy, weights, kind)
    for changed in rounds:
        before, kept = metric, (metric.up.copy(), metric.down.copy())
        for arc, value in changed:
            weights[arc] = graph.weights[arc] if value == "as it was" else min(value, kind.infinity)
        places = np.unique([arc for arc, _ in changed])
        with team(1, "test"), pytest.MonkeyPatch.context() as patch:
            patch.setattr(recustomise_module, "_FEW", 1 << 40)
            metric = recustomise(graph, hierarchy, metric, weights, places, kind, 1)
        right = whole(hierarchy, weights, kind)
        assert metric.negative_cycle == right.negative_cycle
        if not right.negative_cycle:
            np.testing.assert_array_equal(metric.up, right.up)
            np.testing.assert_array_equal(metric.down, right.down)
            assert metric.guarded >= right.guarded
        np.testing.assert_array_equal(before.up, kept[0])
        np.testing.assert_array_equal(before.down, kept[1])


def town() -> Graph:
    return graphs.at_random(400, 620, seed=5, directed=False, low=1)


def test_a_street_in_both_directions_keeps_one_array_for_both() -> None:
    graph = town()
    hierarchy = hierarchy_by_degree(graph)
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    tail, head = int(graph.tails[70]), int(graph.indices[70])
    street = np.flatnonzero(
        ((graph.tails == tail) & (graph.indices == head))
        | ((graph.tails == head) & (graph.indices == tail))
    )
    for places, symmetric in ((street, True), (street[:1], False)):
        weights = graph.weights.copy()
        weights[places] = graph.weight_type.infinity
        changed = recustomise(graph, hierarchy, metric, weights, places, graph.weight_type, 1)
        assert changed.is_symmetric is symmetric


def test_an_arc_that_no_shortest_way_takes_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = graphs.from_list(4, [(0, 1, 1), (1, 2, 1), (0, 2, 90), (2, 3, 1)], directed=False)
    hierarchy = hierarchy_by(graph, np.arange(4, dtype=np.int32))
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    heavy = np.flatnonzero(graph.weights == 90)
    weights = graph.weights.copy()
    weights[heavy] = 95
    monkeypatch.setattr(recustomise_module, "_FEW", 1 << 40)
    changed = recustomise(graph, hierarchy, metric, weights, heavy, graph.weight_type, 1)
    (differing,) = np.flatnonzero(changed.up != metric.up)
    assert (metric.up[differing], changed.up[differing]) == (90, 95)


def test_updating_is_cancelled() -> None:
    graph = town()
    hierarchy = hierarchy_by_degree(graph)
    metric = whole(hierarchy, graph.weights, graph.weight_type)
    with team(1, "test"), pytest.raises(Cancelled):
        recustomise(
            graph,
            hierarchy,
            metric,
            graph.weights,
            np.array([3]),
            graph.weight_type,
            1,
            cancelled(),
        )


@pytest.mark.parametrize("variant_id", ["cch-tree", "cch-pair"])
def test_a_closed_road_is_solved_from_what_was_prepared(variant_id: str) -> None:
    graph = town()
    entry = find_variant(variant_id)
    source, target = 0, 399

    def solved(on: Graph) -> np.ndarray:
        return to_float(entry.solve(Problem(on, source, target, entry.settle({}))).distances)

    solved(graph)
    right = graphs.right_distances(graph, source)
    target = int(np.argmax(np.where(np.isfinite(right), right, 0)))
    way = int(graph.indices[graph.row(source)][0])
    here, there, beyond = (
        graph.vertex_id(v) for v in (source, way, int(graph.indices[graph.row(way)][-1]))
    )
    changed = RoadChanges().close((here, there)).slow(3, (there, beyond)).apply(graph)
    asked = slice(None) if variant_id == "cch-tree" else [target]
    np.testing.assert_allclose(
        solved(changed)[asked], graphs.right_distances(changed, source)[asked], rtol=1e-12
    )
    np.testing.assert_allclose(solved(graph)[asked], right[asked], rtol=1e-12)
