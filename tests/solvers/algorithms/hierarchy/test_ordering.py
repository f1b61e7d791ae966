"""The order of a network: kept on disk, begun ahead, and refused where separators are large."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.hierarchy import ordering, preparation
from solvers.algorithms.hierarchy.adjacency import (
    adjacency_of,
)
from solvers.errors import (
    Cancelled,
    SeparatorsTooLarge,
)
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import in_background
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.hierarchy.reference import (
    children,
    needs_metis,
    network,
    solve,
)


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
        monkeypatch.setattr(preparation, "_load", lambda kind: None)
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
    beside = list[Future[None]]()

    def wait(kind: object) -> None:
        taken.set()
        assert is_over.wait(60)

    def listed(work: Callable[[], None]) -> Future[None]:
        beside.append(in_background(work))
        return beside[-1]

    monkeypatch.setattr(preparation, "_load", wait)
    monkeypatch.setattr(ordering, "in_background", listed)
    with ThreadPoolExecutor(1) as other:
        with ordering.ordered_ahead(graph, "test"):
            found = other.submit(preparation.hierarchy_of, graph, "test")
            assert taken.wait(60)
        is_over.set()
        hierarchy, _ = found.result()
    assert sorted(hierarchy.tree.order.tolist()) == list(range(graph.n))
    (written,) = beside  # the block is over, so that nobody waits for it
    written.result()
    assert len(list((cache.parent / "hierarchies").iterdir())) == 1


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


@pytest.mark.data
def test_real_networks_are_told_apart() -> None:
    roads = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    social = read_graph(data_file("snap/p2p-Gnutella30.txt.gz")).graph
    ordering._require_small_separators(roads, adjacency_of(roads), "cch-tree")
    with pytest.raises(SeparatorsTooLarge):
        ordering._require_small_separators(social, adjacency_of(social), "cch-tree")
