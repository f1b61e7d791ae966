"""A router: questions in ids, answers in NumPy, proofs, changed weights, threads,
pickles; compared with SciPy.
"""

from __future__ import annotations

import pickle
import threading
import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from solvers import generate, prepare, read
from solvers.algorithms.hierarchy import kept_climbs
from solvers.devices import discover
from solvers.errors import (
    DeviceUnavailable,
    NegativeCycle,
    OutOfMemory,
    ParameterError,
    UnknownArc,
    UnknownVertex,
    UnsuitableGraph,
    VerificationFailed,
)
from solvers.features.router import router as module
from solvers.features.router import zarr_table
from solvers.features.router.router import Router
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.weights import INT64
from solvers.running import engines
from solvers.running.engines import HierarchyEngine
from solvers.running.prepared_network import searched_network
from solvers.system import machine
from solvers.verification import device_rows
from tests.graphs import DTYPES, from_list, right_matrix
from tests.weight_types import skip_where_not_tested

ROUTERS = ("hierarchy", "searches")


def road(dtype: str = "int32", vertices: int = 400) -> Graph:
    """Some road network in one component, with ids that do not follow one another."""
    drawn = generate("road", vertices=vertices)
    weights = drawn.weights.astype(dtype) * np.dtype(dtype).type(
        1 if dtype.startswith("int") else 0.37
    )
    return replace(drawn, ids=10 + 3 * np.arange(drawn.n), weights=weights, assume_symmetric=True)


@pytest.fixture(autouse=True)
def _caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("solvers.running.network_pack.packs_folder", lambda: tmp_path)
    monkeypatch.setattr(kept_climbs, "user_folder", tmp_path.joinpath)


def router_of(graph: Graph, method: str, **options: Any) -> Router:
    router = prepare(graph, device=None, **options)
    if method == "searches":
        router._state = searched_network(graph)
    return router


def by_scipy(graph: Graph, weights: NDArray[Any]) -> NDArray[np.float64]:
    """All distances; the lightest of parallel arcs counts, and arcs of infinite weight
    are left out.
    """
    order = np.lexsort((weights, graph.indices, graph.tails))
    tails, heads, sorted_weights = (
        graph.tails[order],
        graph.indices[order],
        weights[order].astype(np.float64),
    )
    first = np.r_[True, (np.diff(tails) != 0) | (np.diff(heads) != 0)] & np.isfinite(sorted_weights)
    matrix = scipy.sparse.csr_array(
        (sorted_weights[first], (tails[first], heads[first])), shape=(graph.n, graph.n)
    )
    return np.asarray(dijkstra(matrix))


@pytest.mark.parametrize("method", ROUTERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_questions_have_the_answers_of_scipy(method: str, dtype: Any) -> None:
    graph = road(dtype)
    right, ids = by_scipy(graph, graph.weights), graph.ids
    router = router_of(graph, method, verify="all")
    chosen = np.random.default_rng(0).integers(graph.n, size=(40, 2))

    assert router.table(ids[:20], ids[chosen[:, 1]]) == pytest.approx(
        right[:20, chosen[:, 1]], rel=1e-5
    )
    assert router.table(ids[:20]) == pytest.approx(right[:20], rel=1e-5)
    assert router.lengths(ids[chosen]) == pytest.approx(right[tuple(chosen.T)], rel=1e-5)
    assert router.distances(int(ids[3])) == pytest.approx(right[3], rel=1e-5)
    assert router.eccentricity(int(ids[3])) == pytest.approx(right[3].max(), rel=1e-5)
    paths = router.paths(ids[chosen])
    assert paths.distances == pytest.approx(right[tuple(chosen.T)], rel=1e-5)
    for (a, b), path in zip(ids[chosen].tolist(), paths, strict=True):
        assert router.distance(a, b) == pytest.approx(
            right[np.searchsorted(ids, a), np.searchsorted(ids, b)], rel=1e-5
        )
        assert (path[0], path[-1]) == (a, b)
        assert len(router.path(a, b) or []) == len(path)
    tree = router.tree(int(ids[3]))
    assert (tree.predecessors < 0).sum() == 1
    inside, distances = router.within(int(ids[3]), float(np.median(right[3])))
    assert set(inside.tolist()) == set(ids[right[3] <= np.median(right[3])].tolist())
    assert (np.diff(distances) >= 0).all()
    nearest, distances = router.nearest(int(ids[3]), ids[10:30], 3)
    assert distances == pytest.approx(np.sort(right[3, 10:30])[:3], rel=1e-5)
    assert set(nearest.tolist()) <= set(ids[10:30].tolist())


def test_a_table_of_what_can_be_gone_through_once() -> None:
    graph = road(vertices=200)
    router, some = prepare(graph, device=None), graph.ids[:5].tolist()
    right = router.table(some, some).tolist()
    assert router.table(iter(some), iter(some)).tolist() == right
    assert router.table((one for one in some), dict.fromkeys(some)).tolist() == right


def test_many_pairs_in_several_threads_are_those_of_a_table() -> None:
    router = prepare(road(vertices=3000), device=None)
    chosen = np.random.default_rng(0).choice(router._network.ids, (5000, 2))
    lengths = router.lengths(chosen)

    assert lengths[:50].tolist() == np.diag(router.table(chosen[:50, 0], chosen[:50, 1])).tolist()
    assert router.paths(chosen).distances.tolist() == lengths.tolist()
    assert router.proofs.answered == 10_050
    assert 1 <= router.proofs.proved <= 3


@pytest.mark.parametrize("method", ROUTERS)
def test_pairs_in_different_components_have_no_path(method: str) -> None:
    graph = from_list(5, [(0, 1, 4), (1, 2, 3), (3, 4, 1)])
    router = router_of(graph, method, verify="all")
    pairs = [(10, 16), (10, 22), (22, 19), (13, 13)]

    assert (router.distance(10, 22), router.path(10, 22)) == (np.inf, None)
    assert router.lengths(pairs).tolist() == [7, np.inf, np.inf, 0]
    assert list(router.paths(pairs)) == [[10, 13, 16], None, None, [13]]
    assert router.table([10], [22, 16]).tolist() == [[np.inf, 7]]
    assert router.nearest(10, [22, 16], 5)[0].tolist() == [16]
    assert router.within(10, np.inf)[0].tolist() == [10, 13, 16]


def test_negative_weights_and_cycles_of_weight_zero() -> None:
    graph = from_list(5, [(0, 1, 4), (1, 2, -3), (2, 1, 3), (2, 3, -1), (4, 0, -2), (3, 3, 0)])
    router = prepare(graph, verify="all", device=None)

    assert router.table(graph.ids).tolist() == right_matrix(graph).tolist()
    assert router.table(graph.ids, graph.ids[:2]).tolist() == right_matrix(graph)[:, :2].tolist()
    assert router.paths([(10, 19), (22, 16)])[0] == [10, 13, 16, 19]
    with pytest.raises(NegativeCycle):
        router.update([4, -4, 3, -1, -2, 0])
    assert router.distance(10, 19) == 0
    with pytest.raises(UnsuitableGraph):
        searched_network(graph).with_weights(graph.weights - 1)


@pytest.mark.parametrize("method", ROUTERS)
def test_changed_weights_and_closed_arcs(method: str) -> None:
    graph = road()
    router = router_of(graph, method, verify="all")
    weights = graph.weights.astype(np.float64)
    arcs = np.array([0, 50, 51])
    router.close(
        np.stack((graph.ids[graph.tails[arcs]], graph.ids[graph.indices[arcs]]), axis=1),
        both_ways=False,
    )
    same_ends = np.isin(
        graph.tails * graph.n + graph.indices, graph.tails[arcs] * graph.n + graph.indices[arcs]
    )
    weights[same_ends] = np.inf

    assert np.array_equal(router.table(graph.ids), by_scipy(graph, weights))
    assert router.graph.m == graph.m - same_ends.sum()
    few = graph.weights.copy()
    few[[3, 99]] = 1
    floats = (weights * 2, graph.weights * 0.37) if "float64" in DTYPES else ()
    for changed in (few, graph.weights * 2, *floats, graph.weights):
        router.update(changed)
        assert_right(router, changed)
    assert router.graph is graph


@pytest.mark.parametrize("method", ROUTERS)
def test_weights_that_become_wide(method: str) -> None:
    skip_where_not_tested("int64")
    graph = road()
    router = router_of(graph, method, verify="all")
    router.update(graph.weights * 2**20)
    assert router.graph.distance_type is INT64
    assert_right(router, graph.weights * 2**20)


def assert_right(router: Router, weights: np.ndarray) -> None:
    few = router.graph.ids[:50]
    assert np.allclose(router.table(few), by_scipy(road(), weights)[:50])
    assert router.lengths([(10, 13)])[0] == pytest.approx(router.distance(10, 13))


def test_weights_given_at_first_take_the_place_of_the_graphs() -> None:
    graph = road()
    doubled = prepare(graph, graph.weights * 2, device=None)

    assert (
        doubled.table(graph.ids[:9]) == 2 * prepare(graph, device=None).table(graph.ids[:9])
    ).all()


def asked_of(router: Router, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sources of which rows are asked for from now on."""
    asked: list[int] = []
    rows = HierarchyEngine.rows

    def watched(state: HierarchyEngine, sources: NDArray[np.integer]) -> Any:
        asked.extend(sources.tolist())
        return rows(state, sources)

    monkeypatch.setattr(HierarchyEngine, "rows", watched)
    return asked


def test_pairs_are_proved_by_bounds_when_these_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_where_not_tested("int32")
    graph = road()
    router = prepare(graph, device=None, verify="all")
    asked = asked_of(router, monkeypatch)
    right, ids = by_scipy(graph, graph.weights), graph.ids.tolist()

    for i in range(9):
        assert router.distance(ids[i], ids[-1]) == right[i, -1]
    assert asked == [0, 1, 2]  # before bounds pay
    assert router.path(ids[5], ids[9]) is not None
    assert router.lengths([(ids[5], v) for v in ids[:40]]).tolist() == right[5, :40].tolist()
    assert router.distance(ids[4], ids[4]) == 0
    assert router.proofs.proved == 51
    assert len(asked) == 3

    router.close([(ids[0], v) for v in graph.ids[graph.indices[graph.row(0)]].tolist()])
    for i in range(1, 9):
        assert router.distance(ids[0], ids[i]) == np.inf
    assert asked[3:] == [0, 0, 0]


@pytest.mark.parametrize("change", [-1, 1, np.inf])
def test_wrong_lengths_and_paths_of_pairs_are_found(
    change: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when bounds prove pairs: each answer alone is changed, and both alike."""
    skip_where_not_tested("int32")
    graph = road()
    router = prepare(graph, device=None, verify="all")
    ids = graph.ids.tolist()
    for i in range(5):
        router.distance(ids[i], ids[40])
    own_length, own_path = HierarchyEngine.length, HierarchyEngine.path

    def wrong_length(state: HierarchyEngine, source: int, target: int) -> Any:
        right = own_length(state, source, target)
        return state.kind.infinity if change == np.inf else right + int(change)

    monkeypatch.setattr(HierarchyEngine, "length", wrong_length)
    with pytest.raises(VerificationFailed):
        router.distance(ids[3], ids[40])
    monkeypatch.setattr(
        HierarchyEngine, "path", lambda state, a, b: own_path(state, a, b)[::-1].copy()
    )
    with pytest.raises(VerificationFailed):
        router.distance(ids[3], ids[40])
    monkeypatch.setattr(HierarchyEngine, "length", own_length)
    assert router.distance(ids[3], ids[40]) == by_scipy(graph, graph.weights)[3, 40]  # by its row


@pytest.mark.parametrize("change", [-5, 5])
def test_a_wrong_metric_proves_no_pair(change: int) -> None:
    """Its paths are as long as its lengths say, but some are not shortest."""
    skip_where_not_tested("int32")
    graph = road()
    router = prepare(graph, device=None)
    state = router._state.engine
    assert isinstance(state, HierarchyEngine)
    wrong = np.where(state.metric.up < state.kind.infinity, state.metric.up, 0) + change
    up = np.where(state.metric.up < state.kind.infinity, np.maximum(wrong, 0), state.metric.up)
    up = up.astype(state.kind.dtype)
    lying = replace(state, metric=replace(state.metric, up=up, down=up))
    for i in range(6):
        router = Router(graph, replace(router._state, engine=lying), None, "all")
        router._proving(router._state)._pairs = 9  # so that bounds are asked
        with pytest.raises(VerificationFailed):
            router.lengths([(v, graph.ids[300 + i]) for v in graph.ids[:9]])


def test_large_separators_are_searched() -> None:
    router = prepare(generate("random", vertices=20_000), device=None)

    assert "separators are large" in router.note
    assert "searches" in repr(router)
    assert router.lengths([(1, 2), (1, 3)]).tolist() == router.table([1], [2, 3])[0].tolist()


def test_bad_input_is_named() -> None:
    graph = road()
    router = prepare(graph, device=None)
    ids = np.full(1_000_000, 10)
    ids[777_777] = 11

    with pytest.raises(UnknownVertex, match="position 777777 of targets") as caught:
        router.lengths(np.stack((np.full(1_000_000, 10), ids), axis=1))
    assert caught.value.position == 777_777
    with pytest.raises(UnknownVertex):
        router.distance(10, 11)
    with pytest.raises(ParameterError, match="weights"):
        router.update(graph.weights[1:])
    with pytest.raises(ParameterError):
        router.update(np.full(graph.m, np.nan))
    with pytest.raises(ParameterError):
        router.lengths(np.arange(9))
    with pytest.raises(UnknownArc):
        router.close([(10, 10)])
    with pytest.raises(ParameterError):
        prepare(graph, verify="some")  # type: ignore[arg-type]
    for ask in (
        lambda: router.nearest(10, [13], 0),
        lambda: router.nearest(10, [13], 1.5),  # type: ignore[arg-type]
        lambda: router.within(10, "soon"),
        lambda: router.table(10, [13]),  # type: ignore[arg-type]
        lambda: router.table("10", [13]),
        lambda: router.paths(None),  # type: ignore[arg-type]
        lambda: router.close((10, 13)),
        lambda: router.update([[1], [2, 3]]),
    ):
        with pytest.raises(ParameterError):
            ask()
    with pytest.raises(UnknownVertex) as caught:
        router.table(["10"], [13])
    assert caught.value.nearest == ("10 (int)",)


@pytest.mark.parametrize("weight", [2**62 - 1, 2**62, 2**63 - 1, -(2**62)])
def test_weights_that_stand_for_no_path_are_refused(weight: int) -> None:
    rows = [(0, 1, 5), (1, 2, 6)]
    router = prepare(rows, device=None)
    for ask in (
        lambda: prepare(rows, weights=[weight, 6], device=None),
        lambda: router.update([weight, 6]),
        lambda: router.update({(0, 1): weight}),
    ):
        with pytest.raises(ParameterError, match=r"0 → 1.*beyond the range of 64-bit integers"):
            ask()
    assert router.distance(0, 1) == 5


@pytest.mark.parametrize("weight", [2.0**62, 2.0**63, 1e300])
def test_large_floats_beside_a_closed_arc_stay_floats(weight: float) -> None:
    router = prepare([(0, 1, 5), (1, 2, 6)], device=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        router.update([weight, np.inf])
    assert router.distance(0, 1) == weight
    assert router.distance(0, 2) == np.inf


def test_weights_are_given_in_an_order_that_is_named() -> None:
    """Arcs are sorted when a graph is made, so that rows of a list were taken for others."""
    edges = [("b", "c", 3), ("a", "b", 4), ("a", "c", 99), ("b", "c", 50)]
    for undirected in (False, True):
        network = read(edges, undirected=undirected)
        router = prepare(network, [30, 4, 99, 50], device=None, order="rows")
        assert router.distance("a", "c") == 34
        router = pickle.loads(pickle.dumps(router))
        router.update([50, 5, 99, 31], order="rows")
        assert router.distance("a", "c") == 36
        router.update({("b", "c"): 7.5})
        assert router.distance("a", "c") == 12.5
        router.update({("b", "c"): np.inf})
        assert router.distance("a", "c") == 99
        router.update({})
        assert router.distance("a", "c") == 99
        router.update(network.weights)
        assert router.distance("a", "c") == 7
    assert router.distance("c", "a") == 7
    router.update({("a", "b"): 1, ("b", "a"): 2})
    assert (router.distance("a", "c"), router.distance("c", "a")) == (4, 5)
    with pytest.raises(ParameterError, match="has 4 rows"):
        router.update(network.weights, order="rows")
    with pytest.raises(ParameterError, match="weight of row 2"):
        router.update([1, 2, None, 3], order="rows")  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="“order” cannot be “lines”"):
        router.update([1, 2, 3, 4], order="lines")  # type: ignore[arg-type]
    with pytest.raises(UnknownArc, match="“a – a”"):
        router.update({("a", "a"): 1})
    with pytest.raises(UnknownVertex):
        router.update({("a", "d"): 1})
    with pytest.raises(ParameterError, match="the arc a → b"):
        router.update({("a", "b"): np.nan})
    with pytest.raises(ParameterError, match="takes pairs of ids"):
        router.update({"a": 1})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="not made from a table"):
        prepare(road(), device=None).update([1], order="rows")
    assert router.distance("a", "c") == 4


@pytest.mark.parametrize("ids", [("b", "a", "c"), (7, 5, 9)])
def test_weights_in_the_order_of_the_rows_of_a_file(tmp_path: Path, ids: tuple[Any, ...]) -> None:
    b, a, c = ids
    file = tmp_path / "roads.csv"
    file.write_text(f"from,to,km\n{b},{c},3\n{a},{b},4\n{a},{c},99\n{b},{c},50\n")
    for undirected in (False, True):
        router = prepare(read(file, undirected=undirected), device=None)
        assert router.distance(a, c) == 7
        router.update([50, 5, 99, 31], order="rows")
        assert router.distance(a, c) == 36


def test_a_table_larger_than_the_memory_goes_to_zarr_by_choice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    zarr = pytest.importorskip("zarr")
    graph = road()
    router = prepare(graph, device=None)
    right = router.table(graph.ids)
    scarce = replace(machine.memory(), free_bytes=1000)
    monkeypatch.setattr(machine, "memory", lambda: scarce)

    with pytest.raises(OutOfMemory, match="Zarr"):
        router.table(graph.ids)
    monkeypatch.setattr(machine, "memory", lambda: replace(scarce, free_bytes=1 << 40))
    monkeypatch.setattr(zarr_table, "_CELLS", 7 * graph.n)
    router.table(graph.ids, to=tmp_path / "table.zarr")
    assert np.array_equal(zarr.open_array(tmp_path / "table.zarr", mode="r")[:], right)


def test_a_wrong_row_raises() -> None:
    router = prepare(road(), device=None)
    state = router._state.engine
    assert isinstance(state, HierarchyEngine)
    wrong = state.metric.up.copy()
    wrong[len(wrong) // 2 :] += 1
    lying = replace(state, metric=replace(state.metric, up=wrong, down=wrong))
    router._state = replace(router._state, engine=lying)

    with pytest.raises(VerificationFailed):
        router.table(router._network.ids)
    with pytest.raises(VerificationFailed):
        router.lengths([(10, i) for i in router._network.ids.tolist()])
    assert router.proofs.proved == 0


@pytest.mark.parametrize("labelled", [False, True])
def test_pickles_name_the_parts_on_disk(labelled: bool) -> None:
    graph = road()
    if labelled:
        names = tuple(f"v{i}" for i in range(graph.n))
        graph = LabelledGraph(
            graph.indptr,
            graph.indices,
            graph.weights,
            directed=False,
            assume_symmetric=True,
            labels=names,
        )
    router = prepare(graph, device=None)
    first, last = graph.vertex_id(0), graph.vertex_id(graph.n - 1)
    whole = pickle.dumps(router)
    path = router.path(first, last)
    router.close([path[:2]])

    assert len(whole) < 20_000
    assert pickle.loads(whole).path(first, last) == path
    assert pickle.loads(pickle.dumps(router)).path(first, last) == router.path(first, last) != path


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_an_earlier_process_kept_answers_first(
    monkeypatch: pytest.MonkeyPatch, dtype: Any
) -> None:
    parts = [road(dtype, 1200), road(dtype, 300)]
    n = parts[0].n
    graph = Graph(
        np.concatenate((parts[0].indptr, parts[0].indptr[-1] + parts[1].indptr[1:])),
        np.concatenate((parts[0].indices, n + parts[1].indices)),
        np.concatenate([part.weights for part in parts]),
        ids=10 + 3 * np.arange(n + parts[1].n),
    )
    compiled = prepare(graph, device=None)
    monkeypatch.setattr(module, "COMPILED", "a module that no process has loaded")
    router = prepare(graph, device=None)
    pairs = np.random.default_rng(0).choice(graph.ids, (module._KEPT_ANSWERS + 9, 2)).tolist()

    assert [router.distance(*pair) for pair in pairs[:9]] == [
        compiled.distance(*pair) for pair in pairs[:9]
    ]
    assert "read from disk" in router.note
    assert router._made is None
    assert [router.distance(*pair) for pair in pairs] == [
        compiled.distance(*pair) for pair in pairs
    ]
    assert router._made is not None
    router = prepare(graph, device=None)
    assert router.distance(10, 13) == compiled.distance(10, 13)
    router.update(graph.weights * 2)
    assert router.distance(10, 13) == pytest.approx(2 * compiled.distance(10, 13))
    (file,) = kept_climbs.user_folder("climbs").glob("*.array")
    content = file.read_bytes()
    file.write_bytes(content[:-8] + bytes(8))
    assert prepare(graph, device=None)._made is not None
    other = replace(graph, weights=graph.weights * 2, assume_symmetric=True)
    assert prepare(other, device=None)._made is not None  # its climbs are kept now
    for swapped in kept_climbs.user_folder("climbs").glob("*.array"):
        swapped.write_bytes(content)
    assert prepare(other, device=None).distance(10, 13) == 2 * compiled.distance(10, 13)


def test_threads_ask_while_another_updates() -> None:
    graph = road(vertices=1000)
    metrics = [
        graph.weights,
        graph.weights * 3,
        np.where(np.arange(graph.m) % 97 == 0, 5000, graph.weights),
    ]
    right = [by_scipy(graph, weights) for weights in metrics]
    router = prepare(graph, device=None)
    ends = threading.Event()
    wrong: list[str] = []
    asked = [0] * 8

    def ask(thread: int) -> None:
        random = np.random.default_rng(thread)
        while not ends.is_set() or asked[thread] < 3:
            pairs = random.integers(graph.n, size=(60, 2))
            ids = graph.ids[pairs]
            answers = {
                "table": (
                    router.table(ids[:9, 0], ids[:9, 1]),
                    lambda d, p=pairs: d[np.ix_(p[:9, 0], p[:9, 1])],
                ),
                "lengths": (router.lengths(ids), lambda d, p=pairs: d[tuple(p.T)]),
                "paths": (router.paths(ids).distances, lambda d, p=pairs: d[tuple(p.T)]),
                "row": (router.distances(int(ids[0, 0])), lambda d, p=pairs: d[p[0, 0]]),
                "one": (router.distance(*ids[0].tolist()), lambda d, p=pairs: d[tuple(p[0])]),
            }
            wrong.extend(
                name
                for name, (found, of) in answers.items()
                if not any(np.array_equal(found, of(d)) for d in right)
            )
            asked[thread] += 1

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for i in range(60):
        router.update(metrics[i % 3])
    ends.set()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert min(asked) >= 3
    assert np.array_equal(router.distances(10), right[2][0])


@pytest.mark.parametrize(
    ("graph", "reason"), [("road", "NVIDIA GPU only"), ("random", "by a hierarchy only")]
)
def test_rows_stay_on_a_gpu_only(graph: str, reason: str) -> None:
    router = prepare(generate(graph, vertices=20_000), device=None)
    with pytest.raises(DeviceUnavailable, match=reason):
        router.rows_on_device()


@pytest.mark.gpu
def test_tables_on_a_gpu_are_those_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(device.kind == "cuda" for device in discover().devices):
        pytest.skip("no CUDA device")
    monkeypatch.setattr(engines, "_CELLS_ON_A_DEVICE", 1)
    graph = road(vertices=3000)
    here, there = prepare(graph, device=None), prepare(graph, device="cuda", verify="all")
    sources, targets = graph.ids[:600], graph.ids[::7]

    assert np.array_equal(there.table(sources, targets), here.table(sources, targets))
    assert np.array_equal(there.table(sources), here.table(sources))
    assert np.array_equal(there.rows_on_device(sources[::-1]).get(), here.table(sources[::-1]))
    assert there.rows_on_device().shape == (graph.n, graph.n)
    path = here.path(10, 13)
    here.close([path[:2]])
    there.close([path[:2]])
    assert np.array_equal(there.table(sources, targets), here.table(sources, targets))


@pytest.mark.gpu
@pytest.mark.parametrize("least", [1, 0])
def test_one_wrong_distance_on_a_gpu_is_found(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any row of the sample; also where the proof is made on the processor."""
    if not any(device.kind == "cuda" for device in discover().devices):
        pytest.skip("no CUDA device")
    graph = road(vertices=3000)
    weights = graph.weights.copy()
    weights[graph.weights == graph.weights.min()] = least
    graph = replace(graph, weights=weights)
    router = prepare(graph, device="cuda")
    rows = router.rows_on_device()
    monkeypatch.setattr(HierarchyEngine, "rows_on_device", lambda state, sources: rows)
    sampled = router._prover._sampled(graph.n, 1000)
    assert router.proofs.proved == len(sampled) == 3
    for i in sampled.tolist():
        for change in (-1, 1):
            rows[i, 1234 if i != 1234 else 5] += change
            with pytest.raises(VerificationFailed):
                router.rows_on_device()
            rows[i, 1234 if i != 1234 else 5] -= change
    router.rows_on_device()


def test_rows_are_proved_on_the_processor_where_a_gpu_lacks_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any) -> Any:
        raise OutOfMemory("The proof", 2, 1, "a GPU")

    class Rows(list[Any]):
        dtype, shape, nbytes = np.dtype(np.int32), (20, 20), 1600

    monkeypatch.setattr(device_rows, "proved_on_device", refused)
    router = prepare(road(vertices=20), device=None, verify="all")
    state, gpu = router._state, SimpleNamespace(session=nullcontext)
    sources = np.arange(router.graph.n)
    right = state.table(sources, None).astype(np.int32)
    for wrong in (0, 1):
        right[7] += wrong
        rows = Rows(SimpleNamespace(get=row.copy) for row in right)
        with pytest.raises(VerificationFailed) if wrong else nullcontext():
            state.require(router._proving(state).rows_on_device(gpu, sources, rows))
        assert router.proofs.proved >= len(sources)


def test_from_a_vertex_to_itself_leads_no_cycle_of_weight_0() -> None:
    ends = np.array([(a, b) for a in range(3) for b in range(3) if a != b], np.int32).T
    router = prepare(Graph.from_arcs(3, *ends, np.zeros(6, np.int32)))
    assert [router.path(v, v) for v in range(3)] == [[0], [1], [2]]
    assert list(router.paths([(1, 1)])) == [[1]]


@pytest.mark.parametrize("method", ROUTERS)
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_one_wrong_distance_of_a_table_is_found(
    method: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_where_not_tested(dtype)
    graph = road(dtype)
    router = router_of(graph, method, verify="all")
    right = router.table(graph.ids[:3])
    state = type(router._state.engine)
    for wrong in (right[1, 7] + 0.5, right[1, 7] - 1, np.inf, np.nan):
        table = right.copy()
        table[1, 7] = wrong
        monkeypatch.setattr(state, "table", lambda *_, table=table: table)
        with pytest.raises(VerificationFailed):
            router.table(graph.ids[:3])


@pytest.mark.parametrize("method", ROUTERS)
def test_no_pairs_have_no_paths(method: str) -> None:
    router = router_of(road(vertices=60), method)
    for pairs in ([], np.empty((0, 2), np.int64)):
        paths = router.paths(pairs)
        assert (len(paths), paths.distances.tolist(), list(paths)) == (0, [], [])
        assert router.lengths(pairs).tolist() == []
