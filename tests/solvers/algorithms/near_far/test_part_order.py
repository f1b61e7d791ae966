"""Orders by parts: the same however many threads, cut apart only where few arcs cross, and kept on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.near_far import part_order, partition
from solvers.algorithms.near_far.part_order import PartOrder, grow_parts
from solvers.algorithms.near_far.partition import has_parts, load_parts, partition_graph, save_parts
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.system.threads import thread_team

LIMITS = (256, 1_024)


@pytest.fixture(scope="module")
def roads() -> Graph:
    return find("road").generate({"vertices": 20_000})


@pytest.fixture
def in_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of 5,000 vertices, so that no large graph must be made."""
    monkeypatch.setattr(part_order, "_RANGE", 5_000)
    monkeypatch.setattr(part_order, "_MOST_CROSSING", 0.03)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    monkeypatch.setattr(partition, "LEAST_VERTICES", 100)
    return tmp_path / "parts"


def grown(graph: Graph, threads: int = 2) -> PartOrder:
    with thread_team(threads) as team:
        return grow_parts(graph, *LIMITS, team)


def cut_arcs(graph: Graph, parts: PartOrder) -> int:
    part_of = np.empty(graph.n, np.int32)
    part_of[parts.order] = np.repeat(np.arange(parts.count), np.diff(parts.first))
    return int((part_of[graph.tails] != part_of[graph.indices]).sum())


@pytest.mark.usefixtures("in_ranges")
def test_ranges_give_whole_parts_whatever_the_number_of_threads(roads: Graph) -> None:
    one, four = grown(roads, 1), grown(roads, 4)
    np.testing.assert_array_equal(one.order, four.order)
    np.testing.assert_array_equal(one.first, four.first)
    assert sorted(one.order.tolist()) == list(range(roads.n))
    assert np.diff(one.first).max() <= LIMITS[0]
    for border in (5_000, 10_000, 15_000):
        assert border in one.first, "a part reaches from one range into another"


def test_ranges_cut_hardly_more_arcs(roads: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = cut_arcs(roads, grown(roads))
    monkeypatch.setattr(part_order, "_RANGE", 5_000)
    monkeypatch.setattr(part_order, "_MOST_CROSSING", 0.03)
    assert cut_arcs(roads, grown(roads)) < 1.25 * alone


@pytest.mark.usefixtures("in_ranges")
def test_a_graph_numbered_at_random_is_not_cut_into_ranges(roads: Graph) -> None:
    place = np.random.default_rng(5).permutation(roads.n)
    shuffled = Graph.from_arcs(roads.n, place[roads.tails], place[roads.indices], roads.weights)
    assert cut_arcs(shuffled, grown(shuffled)) < 0.15 * roads.m


def test_parts_on_disk_serve_other_weights(roads: Graph, store: Path) -> None:
    assert not has_parts(roads, *LIMITS)
    assert load_parts(roads, *LIMITS) is None
    made = partition_graph(roads, *LIMITS)
    save_parts(roads, *LIMITS, made.parts)
    heavier = Graph(roads.indptr, roads.indices, roads.weights * 2)
    assert has_parts(heavier, *LIMITS)
    assert not has_parts(heavier, 512, 2_048)
    known = load_parts(heavier, *LIMITS)
    assert known is not None
    again = partition_graph(heavier, *LIMITS, known=known)
    np.testing.assert_array_equal(again.order, made.order)
    np.testing.assert_array_equal(again.heads, made.heads)
    np.testing.assert_array_equal(again.cut_weights, 2 * made.cut_weights)
    (file,) = store.iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert load_parts(heavier, *LIMITS) is None, "a damaged file is not used"


def test_what_are_no_parts_of_the_graph_is_refused(roads: Graph) -> None:
    marked = grown(roads).marked()
    whole = PartOrder.from_marked(marked, roads, *LIMITS)
    assert whole is not None
    np.testing.assert_array_equal(whole.marked(), marked)
    twice, unbegun, far = marked.copy(), marked.copy(), marked.copy()
    twice[-1] = twice[-2]
    unbegun[0] = ~unbegun[0]
    far[-1] = roads.n
    for wrong in (twice, unbegun, far, marked[:-1]):
        assert PartOrder.from_marked(wrong, roads, *LIMITS) is None
    assert PartOrder.from_marked(marked, roads, LIMITS[0] // 2, LIMITS[1]) is None
