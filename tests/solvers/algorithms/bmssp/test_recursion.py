"""Every call keeps the paper's promises, on every level: the machine is stopped after each step and looked at.

The graphs are full of ties: few different weights, many of them 0, and in floating point some that are rounded off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.algorithms.bmssp.pool import with_room
from solvers.algorithms.bmssp.recursion import DONE, NEEDS_ROOM, advance
from solvers.algorithms.bmssp.search import CALLED, CHOOSE, PULL, RELAX, PassLog, Search, Shape, start
from solvers.graphs.graph import Graph
from tests import graphs
from tests.solvers.algorithms.bmssp.reference import (
    Knowledge,
    bound_of,
    label_of,
    least_labels,
    queue_of,
    reached_of,
    sources_of,
)
from tests.weight_types import types_of

Check = Callable[[Knowledge, Search, int], None]
NO_LOG = PassLog(np.empty(0, np.int32), np.zeros((0, 3), np.int64))


@st.composite
def full_of_ties(draw: Callable[..., Any], most: int = 16) -> Graph:
    n = draw(st.integers(1, most))
    vertex = st.integers(0, n - 1)
    dtype = draw(st.sampled_from([name for name in ("int32", "float32") if name in types_of("bmssp")]))
    weights = [0, 0, 1, 2] if dtype == "int32" else [0, 1e-9, 1, 1 + 2**-20, 3e7]
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.sampled_from(weights)), max_size=4 * n))
    return graphs.from_list(n, arcs, dtype, directed=draw(st.booleans()), name="ties")


shapes = st.tuples(st.integers(1, 4), st.integers(1, 3))
examples = settings(max_examples=60, deadline=None)


def run(graph: Graph, k: int, t: int, check: Check | None = None, budget: int = 1) -> Search:
    """Advance a run step by step, with a look after each."""
    search = start(graph, 0, graph.distance_type, Shape.of(graph.n, k, t), NO_LOG)
    knowledge = Knowledge(graph, 0)
    status = -1
    while status != DONE:
        status = advance(search, budget)
        if status == NEEDS_ROOM:
            search = search._replace(queues=with_room(search.queues, int(search.state["room"][0])))
        elif check is not None:
            check(knowledge, search, int(search.state["level"][0]))
    return search


def phase(search: Search, level: int) -> int:
    return int(search.frames["phase"][level]) if level < len(search.frames) else -1


@examples
@given(full_of_ties(), shapes)
def test_the_answer_is_the_least_labels(graph: Graph, shape: tuple[int, int]) -> None:
    search = run(graph, *shape, budget=10**6)
    least = least_labels(graph, 0)
    assert {v: label_of(search, v) for v in least} == least
    assert sorted(search.order[: int(search.state["completed"][0])].tolist()) == sorted(least), "each once"
    assert (search.vertices["predecessor"][[v for v in range(graph.n) if v not in least]] == -1).all()


@examples
@given(full_of_ties(), shapes)
def test_a_call_begins_with_what_it_is_promised(graph: Graph, shape: tuple[int, int]) -> None:
    """The shortest path to each incomplete vertex below the bound visits a complete source."""
    k, t = shape

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) != CALLED:
            return
        complete, sources = knowledge.complete(search), sources_of(search, level)
        assert 1 <= len(sources) <= 2 ** (level * t)
        assert knowledge.below(bound_of(search, level)) - complete <= knowledge.descendants(sources & complete)

    run(graph, k, t, check)


@examples
@given(full_of_ties(), shapes)
def test_the_pivots_are_few_and_enough(graph: Graph, shape: tuple[int, int]) -> None:
    """Lemma 3.2: what is below the bound is complete and reached, or behind a complete pivot."""
    k, t = shape
    few: list[set[int]] = []

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) == CHOOSE:
            few[:] = [reached_of(search, level)]
        if phase(search, level) != PULL or not few:
            return
        (reached,) = few
        few.clear()
        sources, complete, pivots = sources_of(search, level), knowledge.complete(search), queue_of(search, level)
        assert set(pivots) <= sources
        many = len(reached) > k * len(sources)
        assert many or k * len(pivots) <= len(reached)
        concerned = knowledge.descendants(sources) & knowledge.below(bound_of(search, level))
        near = set() if many else reached & complete
        assert concerned - near <= knowledge.descendants(set(pivots) & complete)

    run(graph, k, t, check)


@examples
@given(full_of_ties(), shapes)
def test_a_call_completes_just_the_descendants_below_its_end(graph: Graph, shape: tuple[int, int]) -> None:
    k, t = shape
    begun: dict[int, set[int]] = {}

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) == CALLED:
            begun[level] = sources_of(search, level)
        below = level - 1
        if phase(search, level) != RELAX or below not in begun:
            return
        end, bound = (bound_of(search, below, end) for end in (True, False))
        frame, done = search.frames[below], int(search.state["completed"][0])
        completed = set(search.order[int(frame["begin"]) : done].tolist())
        assert len(completed) == done - frame["begin"]
        assert completed == knowledge.descendants(begun.pop(below)) & knowledge.below(end)
        assert completed <= knowledge.complete(search)
        assert end == bound or (end < bound and len(completed) >= k * 2 ** (below * t))

    run(graph, k, t, check)


@examples
@given(full_of_ties(), shapes)
def test_between_calls_the_queue_covers_what_is_left(graph: Graph, shape: tuple[int, int]) -> None:
    """Each incomplete vertex below the bound is behind a complete one whose entry has its label."""

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) != PULL:
            return
        complete = knowledge.complete(search)
        entered = {
            v for v, label in queue_of(search, level).items() if v in complete and label == knowledge.least[v][:3]
        }
        below = knowledge.descendants(sources_of(search, level)) & knowledge.below(bound_of(search, level))
        assert below - complete <= knowledge.descendants(entered)

    run(graph, *shape, check)


@pytest.mark.parametrize(("n", "k", "t"), [(2, 1, 1), (255, 1, 3), (256, 2, 4), (264_346, 2, 6), (3_600_000, 2, 7)])
def test_the_papers_parameters(n: int, k: int, t: int) -> None:
    shape = Shape.of(n)
    assert (shape.k, shape.t) == (k, t)
    assert 2 ** ((shape.levels - 1) * t) < n <= 2 ** (shape.levels * t), "as few levels as hold all vertices"


@pytest.mark.parametrize("budget", [1, 7, 10**6])
def test_steps_of_any_length_give_the_same(budget: int) -> None:
    graph = graphs.at_random(200, 900, seed=8)
    search = run(graph, 2, 2, budget=budget)
    whole = run(graph, 2, 2, budget=10**9)
    for name in ("completed", "passes", "relaxed"):
        assert search.state[name] == whole.state[name]
    completed = int(whole.state["completed"][0])
    assert search.order[:completed].tolist() == whole.order[:completed].tolist()
