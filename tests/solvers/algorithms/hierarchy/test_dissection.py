"""Orders by nested dissection: separators, the process of METIS, and what it refuses."""

from __future__ import annotations

import time
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.hierarchy import dissection
from solvers.algorithms.hierarchy.adjacency import (
    Adjacency,
    adjacency_of,
    estimated_separator,
    induced,
)
from solvers.algorithms.hierarchy.dissection import dissection_order, separator
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.core.availability import availability
from solvers.core.variant import find_variant
from solvers.errors import (
    Cancelled,
    OrderFailed,
    Unavailable,
)
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import (
    children,
    needs_metis,
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
def test_what_metis_refuses_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Adjacency(np.arange(2_002, dtype=np.int64), np.full(2_001, 10**6, np.int32))
    left = np.empty(0, np.int32), np.arange(broken.n, dtype=np.int32), broken
    monkeypatch.setattr(dissection, "eliminate_low_degrees", lambda *_: left)
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
    monkeypatch.setattr("solvers.core.availability._installed", set())
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
