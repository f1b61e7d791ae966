"""The block queue keeps its order, every call keeps the paper's promises, and the
variant is right and stoppable.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solvers.algorithms.bmssp import bmssp
from solvers.algorithms.bmssp.block_queue import (
    close_queue,
    insert,
    open_queue,
    prepend,
    pull,
    stage,
)
from solvers.algorithms.bmssp.labels import NONE, labelled, unreached
from solvers.algorithms.bmssp.pool import BlockQueues, empty_queues, with_room
from solvers.algorithms.bmssp.recursion import DONE, NEEDS_ROOM, advance
from solvers.algorithms.bmssp.search import (
    CALLED,
    CHOOSE,
    PULL,
    RELAX,
    PassLog,
    Search,
    Shape,
    start,
)
from solvers.core.problem import Solution
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.verification.verify import verify_sssp
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms import cases
from tests.weight_types import skip_where_not_tested

Label = tuple[Any, int, int, int]
Bound = tuple[Any, int, int]


def least_labels(graph: Graph, source: int) -> dict[int, Label]:
    """The least label of each reached vertex, ``(length, zeros, vertex, predecessor)``:
    Dijkstra's algorithm on these.

    Lengths are added and rounded in the graph's distance type.
    """
    kind = graph.distance_type.dtype.type
    weights = graph.weights.astype(kind)
    least: dict[int, Label] = {}
    waiting: list[Label] = [(kind(0), 0, source, NONE)]
    while waiting:
        label = heapq.heappop(waiting)
        length, zeros, u, _ = label
        if u in least:
            continue
        least[u] = label
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            through = kind(length + weights[arc])
            heapq.heappush(
                waiting, (through, 0 if through > length else zeros + 1, int(graph.indices[arc]), u)
            )
    return least


class Knowledge:
    """What is true of a graph's labels, to hold a `Search` in progress against."""

    def __init__(self, graph: Graph, source: int):
        self.least = least_labels(graph, source)

    def ancestors(self, v: int) -> list[int]:
        """The shortest path to ``v``, backwards from ``v`` itself."""
        path = []
        while v != NONE:
            path.append(v)
            v = self.least[v][3]
        return path

    def complete(self, search: Search) -> set[int]:
        """The vertices whose label and whose ancestors' labels are the least ones."""
        right = {v for v, label in self.least.items() if label_of(search, v) == label}
        return {v for v in right if right.issuperset(self.ancestors(v))}

    def below(self, bound: Bound) -> set[int]:
        return {v for v, label in self.least.items() if label[:3] < bound}

    def descendants(self, sources: set[int]) -> set[int]:
        """The sources that can be reached, and all vertices whose shortest path visits one."""
        return {v for v in self.least if not sources.isdisjoint(self.ancestors(v))}


def label_of(search: Search, v: int) -> Label:
    record = search.vertices[v]
    return record["length"], int(record["zeros"]), v, int(record["predecessor"])


def bound_of(search: Search, level: int, end: bool = False) -> Bound:
    """The bound of the call of a level, or the one up to which it has completed."""
    record = (search.ends if end else search.frames)[level]
    return record["length"], int(record["zeros"]), int(record["vertex"])


def begin_queue(of: BlockQueues, level: int, capacity: int, infinity: int = 1000) -> Bound:
    """Open the queue of a level; returns its bound."""
    bound = (infinity, 0, NONE)
    of.queues["capacity"][level] = capacity
    open_queue(of, level, np.array([bound], labelled(of.entries["length"].dtype))[0])
    return bound


def pull_from(
    of: BlockQueues, vertices: NDArray[Any], level: int, pulled: NDArray[np.int32]
) -> tuple[int, Bound]:
    bound = np.zeros(1, labelled(of.entries["length"].dtype))
    count = pull(of, vertices, level, pulled, bound[0])
    return count, tuple(bound[0].tolist())


def sources_of(search: Search, level: int) -> set[int]:
    return set(_list(search.sources, search.frames[level], "sources"))


def reached_of(search: Search, level: int) -> set[int]:
    return set(_list(search.reached, search.frames[level], "reached"))


def _list(of: np.ndarray[Any, Any], frame: Any, name: str) -> list[int]:
    begin = int(frame[f"{name}_at"])
    numbers: list[int] = of[begin : begin + int(frame[name])].tolist()
    return numbers


def queue_of(search: Search, level: int) -> dict[int, Bound]:
    """The entries of a level's queue, by vertex."""
    entries = search.queues.entries
    found = {}
    for v in range(len(search.vertices)):
        entry = int(search.vertices["entry"][v])
        while entry != NONE:
            if entries["level"][entry] == level:
                found[v] = (entries["length"][entry], int(entries["zeros"][entry]), v)
            entry = int(entries["chain"][entry])
    return found


N = 30
BOUND = (1000, 0, -1)
LEVEL = 1

Entry = tuple[int, int, int]
Step = tuple[str, list[tuple[int, int]]]


class Pair:
    """A block queue beside its model: the label of each entry in a dictionary."""

    def __init__(self, capacity: int, room: int = 2 * N + 2):
        self.capacity = capacity
        self.of = empty_queues(2, np.int32, room)
        self.vertices = unreached(N, np.int32, 2000)
        self.model: dict[int, Entry] = {}
        assert begin_queue(self.of, LEVEL, capacity) == BOUND

    def label(self, v: int) -> Entry:
        return int(self.vertices["length"][v]), int(self.vertices["zeros"][v]), v

    def lower(self, v: int, length: int, zeros: int = 0) -> None:
        self.vertices["length"][v], self.vertices["zeros"][v] = min(
            self.label(v)[:2], (length, zeros)
        )

    def keep(self, v: int) -> None:
        self.model[v] = min(self.label(v), self.model.get(v, BOUND))

    def insert(self, items: list[tuple[int, int]]) -> None:
        for v, length in items:
            self.lower(v, length // 3, length % 3)
            insert(self.of, self.vertices, LEVEL, v)
            self.keep(v)

    def lower_only(self, items: list[tuple[int, int]]) -> None:
        for v, length in items:
            self.lower(v, length)

    def prepend(self, items: list[tuple[int, int]]) -> None:
        """Prepend each item with a label below all that is in the queue."""
        least = min((label[0] for label in self.model.values()), default=0)
        for v, distance in items:
            self.lower(v, least - 1 - distance)
            stage(self.of, self.vertices, LEVEL, v)
            self.keep(v)
        prepend(self.of, LEVEL)

    def pull(self, _: object = None) -> None:
        pulled = np.empty(self.capacity, np.int32)
        count, bound = pull_from(self.of, self.vertices, LEVEL, pulled)
        ordered = sorted(self.model.values())
        taken, rest = ordered[: self.capacity], ordered[self.capacity :]
        current = [v for *_, v in taken if self.model[v] == self.label(v)]
        assert sorted(pulled[:count].tolist()) == sorted(current)
        assert bound == (rest[0] if rest else BOUND)
        self.model = {label[2]: label for label in rest}

    def expect_shape(self) -> None:
        queue = self.of.queues[LEVEL]
        inserted, prepended = (
            chain(self.of, int(queue[name])) for name in ("inserted", "prepended")
        )
        assert in_order(self.of.blocks, int(queue["root"])) == inserted
        found: list[Entry] = []
        for blocks in (prepended, inserted):
            so_far: list[Entry] = []
            for block in blocks:
                labels = entries(self.of, block)
                assert len(labels) == self.of.blocks["count"][block] <= self.capacity
                if so_far and labels:
                    assert max(so_far) < min(labels), "all of a block is below all of the next"
                so_far += labels
                if blocks is inserted:
                    bound = tuple(
                        self.of.blocks[block][name] for name in ("length", "zeros", "vertex")
                    )
                    assert max(so_far, default=bound) <= bound
            found += so_far
        assert sorted(found) == sorted(self.model.values())
        assert queue["size"] == len(found)


def chain(of: BlockQueues, block: int) -> list[int]:
    found = []
    while block != NONE:
        found.append(block)
        assert len(found) <= len(of.blocks), "a list that never ends"
        block = int(of.blocks["following"][block])
    return found


def entries(of: BlockQueues, block: int) -> list[Entry]:
    """The labels in a block, links checked in both directions."""
    labels = []
    before, entry = NONE, int(of.blocks["first"][block])
    while entry != NONE:
        record = of.entries[entry]
        assert (record["before"], record["block"]) == (before, block)
        labels.append((int(record["length"]), int(record["zeros"]), int(record["vertex"])))
        before, entry = entry, int(record["after"])
    return labels


def in_order(blocks: NDArray[Any], root: int) -> list[int]:
    """The blocks of a tree by their bounds, heights checked."""
    if root == NONE:
        return []
    left, right = (in_order(blocks, int(blocks[side][root])) for side in ("left", "right"))
    heights = [
        0 if child == NONE else blocks["height"][child]
        for child in (blocks["left"][root], blocks["right"][root])
    ]
    assert abs(heights[0] - heights[1]) <= 1
    assert blocks["height"][root] == 1 + max(heights)
    return [*left, root, *right]


items = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, 300)), min_size=1, max_size=12)
steps = st.lists(
    st.tuples(st.sampled_from(["insert", "insert", "lower_only", "prepend", "pull", "pull"]), items)
)


@given(st.integers(1, 9), steps)
def test_any_sequence_of_operations(capacity: int, steps: list[Step]) -> None:
    pair = Pair(capacity)
    for name, given_items in steps:
        pair.of = with_room(pair.of, N)
        getattr(pair, name)(given_items)
        pair.expect_shape()
    close_queue(pair.of, pair.vertices, LEVEL)
    assert (pair.vertices["entry"] == NONE).all()
    pool = pair.of.pool[0]
    assert pool["entries_free"] == pool["entries_used"]
    assert pool["blocks_free"] == pool["blocks_used"]


def test_a_value_below_a_bound_that_has_been_passed() -> None:
    """Blocks are emptied, then a vertex arrives that belongs where they were, and
    splits the first of the rest.
    """
    pair = Pair(1)
    pair.insert([(v, 30 * v) for v in range(1, 8)])
    for _ in range(3):
        pair.pull()
    pair.insert([(0, 50), (9, 95)])
    pair.expect_shape()
    for _ in range(6):
        pair.pull()
    assert not pair.model


def test_more_than_a_block_is_prepended_in_blocks_of_half() -> None:
    pair = Pair(8)
    pair.insert([(20, 900)])
    pair.prepend([(v, (7 * v) % 19) for v in range(19)])
    pair.expect_shape()
    sizes = [
        int(pair.of.blocks["count"][b])
        for b in chain(pair.of, int(pair.of.queues[LEVEL]["prepended"]))
    ]
    assert sum(sizes) == 19
    assert max(sizes) <= 4


def test_queues_of_two_levels_hold_the_same_vertex() -> None:
    pair = Pair(4)
    begin_queue(pair.of, 0, 4)
    pair.insert([(5, 60)])
    insert(pair.of, pair.vertices, 0, 5)
    close_queue(pair.of, pair.vertices, 0)
    pair.expect_shape()
    pair.pull()


def test_the_pools_grow_and_keep_what_they_hold() -> None:
    pair = Pair(2, room=4)
    for v in range(N):
        pair.of = with_room(pair.of, 1)
        pair.insert([(v, 7 * v % 90)])
        pair.expect_shape()
    assert N <= len(pair.of.entries) < 4 * N


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("capacity", [1, 64, 5000])
def test_it_divides_tens_of_thousands(dtype: str, capacity: int) -> None:
    n = 25_000  # each is inserted from Python
    lengths = np.random.default_rng(4).integers(0, 30_000, n).astype(dtype)
    vertices = unreached(n, dtype, 2**30)
    vertices["length"] = lengths
    of = empty_queues(1, dtype, 2 * n)
    begin_queue(of, 0, capacity, 2**30 - 1)
    for v in range(n):
        insert(of, vertices, 0, v)
    order = np.lexsort((np.arange(n), lengths))
    pulled = np.empty(capacity, np.int32)
    for begin in range(0, min(n, 50 * capacity), capacity):
        count, bound = pull_from(of, vertices, 0, pulled)
        expected = order[begin : begin + capacity]
        assert sorted(pulled[:count]) == sorted(expected)
        if begin + capacity < n:
            following = order[begin + capacity]
            assert (bound[0], bound[2]) == (lengths[following], following)


Check = Callable[[Knowledge, Search, int], None]
NO_LOG = PassLog(np.empty(0, np.int32), np.zeros((0, 3), np.int64))


@st.composite
def full_of_ties(draw: Callable[..., Any], most: int = 16) -> Graph:
    n = draw(st.integers(1, most))
    vertex = st.integers(0, n - 1)
    dtype = draw(st.sampled_from([name for name in ("int32", "float32") if name in graphs.DTYPES]))
    weights = [0, 0, 1, 2] if dtype == "int32" else [0, 1e-9, 1, 1 + 2**-20, 3e7]
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.sampled_from(weights)), max_size=4 * n))
    return graphs.from_list(n, arcs, dtype, directed=draw(st.booleans()), name="ties")


shapes = st.tuples(st.integers(1, 4), st.integers(1, 3))


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


@given(full_of_ties(), shapes)
def test_the_answer_is_the_least_labels(graph: Graph, shape: tuple[int, int]) -> None:
    search = run(graph, *shape, budget=10**6)
    least = least_labels(graph, 0)
    assert {v: label_of(search, v) for v in least} == least
    assert sorted(search.order[: int(search.state["completed"][0])].tolist()) == sorted(least), (
        "each once"
    )
    assert (
        search.vertices["predecessor"][[v for v in range(graph.n) if v not in least]] == -1
    ).all()


@given(full_of_ties(), shapes)
def test_a_call_begins_with_what_it_is_promised(graph: Graph, shape: tuple[int, int]) -> None:
    """The shortest path to each incomplete vertex below the bound visits a complete source."""
    k, t = shape

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) != CALLED:
            return
        complete, sources = knowledge.complete(search), sources_of(search, level)
        assert 1 <= len(sources) <= 2 ** (level * t)
        assert knowledge.below(bound_of(search, level)) - complete <= knowledge.descendants(
            sources & complete
        )

    run(graph, k, t, check)


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
        sources, complete, pivots = (
            sources_of(search, level),
            knowledge.complete(search),
            queue_of(search, level),
        )
        assert set(pivots) <= sources
        many = len(reached) > k * len(sources)
        assert many or k * len(pivots) <= len(reached)
        concerned = knowledge.descendants(sources) & knowledge.below(bound_of(search, level))
        near = set() if many else reached & complete
        assert concerned - near <= knowledge.descendants(set(pivots) & complete)

    run(graph, k, t, check)


@given(full_of_ties(), shapes)
def test_a_call_completes_just_the_descendants_below_its_end(
    graph: Graph, shape: tuple[int, int]
) -> None:
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


@given(full_of_ties(), shapes)
def test_between_calls_the_queue_covers_what_is_left(graph: Graph, shape: tuple[int, int]) -> None:
    """Each incomplete vertex below the bound is behind a complete one whose entry has its label."""

    def check(knowledge: Knowledge, search: Search, level: int) -> None:
        if phase(search, level) != PULL:
            return
        complete = knowledge.complete(search)
        entered = {
            v
            for v, label in queue_of(search, level).items()
            if v in complete and label == knowledge.least[v][:3]
        }
        below = knowledge.descendants(sources_of(search, level)) & knowledge.below(
            bound_of(search, level)
        )
        assert below - complete <= knowledge.descendants(entered)

    run(graph, *shape, check)


@pytest.mark.parametrize(
    ("n", "k", "t"), [(2, 1, 1), (255, 1, 3), (256, 2, 4), (264_346, 2, 6), (3_600_000, 2, 7)]
)
def test_the_papers_parameters(n: int, k: int, t: int) -> None:
    shape = Shape.of(n)
    assert (shape.k, shape.t) == (k, t)
    assert 2 ** ((shape.levels - 1) * t) < n <= 2 ** (shape.levels * t), (
        "as few levels as hold all vertices"
    )


@pytest.mark.parametrize("budget", [1, 7, 10**6])
def test_steps_of_any_length_give_the_same(budget: int) -> None:
    graph = graphs.at_random(200, 900, seed=8)
    search = run(graph, 2, 2, budget=budget)
    whole = run(graph, 2, 2, budget=10**9)
    for name in ("completed", "passes", "relaxed"):
        assert search.state[name] == whole.state[name]
    completed = int(whole.state["completed"][0])
    assert search.order[:completed].tolist() == whole.order[:completed].tolist()


SHAPES = [(0, 0), (1, 1), (2, 1), (2, 3), (3, 2), (5, 4)]
every_shape = pytest.mark.parametrize(("k", "t"), SHAPES)


def solve(graph: Graph, **options: Any) -> Solution:
    return cases.solve("bmssp", graph, **options)


def expect_scipys(graph: Graph, source: int = 0, **parameters: int) -> None:
    solution = solve(graph, source=source, **parameters)
    np.testing.assert_array_equal(to_float(solution.distances), cases.by_scipy(graph, source))
    assert verify_sssp(graph, source, solution.distances).verified
    cases.expect_tree(graph, solution, source)


def grid(width: int, weight: int = 1) -> Graph:
    """A square grid of equal weights: as many shortest paths as there can be."""
    at = np.arange(width * width).reshape(width, width)
    arcs = [
        *zip(at[:, :-1].flat, at[:, 1:].flat, strict=True),
        *zip(at[:-1].flat, at[1:].flat, strict=True),
    ]
    return graphs.from_list(
        width * width, [(u, v, weight) for u, v in arcs], directed=False, name="grid"
    )


def random_of(weights: Sequence[int], n: int, m: int, seed: int) -> Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, n, (2, m)).tolist()
    chosen = generator.choice(list(weights), m).tolist()
    return graphs.from_list(n, list(zip(*ends, chosen, strict=True)), name="random")


# --- ties
# --------------------------------------------------------------------------------------


@every_shape
@pytest.mark.parametrize("weight", [0, 1])
def test_a_grid_of_equal_weights(weight: int, k: int, t: int) -> None:
    expect_scipys(grid(30, weight), source=432, k=k, t=t)


@every_shape
def test_cycles_of_weight_zero(k: int, t: int) -> None:
    """Rings of zeros, joined by arcs of weight 0 and 1 in both directions."""
    rings, size = 30, 7
    arcs = [(r * size + i, r * size + (i + 1) % size, 0) for r in range(rings) for i in range(size)]
    arcs += [(r * size, ((r * 11 + 1) % rings) * size + 3, r % 2) for r in range(rings)]
    arcs += [(((r * 11 + 1) % rings) * size + 3, r * size, 1) for r in range(rings)]
    expect_scipys(graphs.from_list(rings * size, arcs), k=k, t=t)


@every_shape
@pytest.mark.parametrize("seed", range(4))
def test_few_different_weights(seed: int, k: int, t: int) -> None:
    expect_scipys(random_of([0, 0, 1, 2], 600, 1500, seed), k=k, t=t)


@pytest.mark.parametrize("seed", range(4))
def test_many_vertices_with_the_papers_parameters(seed: int) -> None:
    """Several levels: 20,000 vertices make k = 2, t = 5, and three levels above the base case."""
    expect_scipys(
        random_of([0, 1, 3] if seed % 2 else range(1, 50_000), 20_000, 60_000, seed), source=seed
    )


def test_rounding_makes_no_difference() -> None:
    """In float32 a weight of 1 vanishes beside 2^25, so that sums tie that are not
    equal: all are decided alike.
    """
    skip_where_not_tested("float32")
    generator = np.random.default_rng(2)
    n, m = 500, 2500
    ends = generator.integers(0, n, (2, m)).tolist()
    weights = generator.choice([0.5, 1, 3, 2.0**25], m).tolist()
    graph = graphs.from_list(n, list(zip(*ends, weights, strict=True)), "float32")
    expected = cases.solve("dijkstra-heap", graph).distances
    for k, t in SHAPES:
        solution = solve(graph, k=k, t=t)
        np.testing.assert_array_equal(solution.distances, expected)
        np.testing.assert_array_equal(solution.predecessors, solve(graph).predecessors)


def test_predecessors_do_not_depend_on_the_shape() -> None:
    graph = random_of([0, 1, 2], 400, 1600, 9)
    first, *rest = (solve(graph, k=k, t=t).predecessors for k, t in SHAPES)
    for other in rest:
        np.testing.assert_array_equal(other, first)


# --- runs
# --------------------------------------------------------------------------------------


def test_cancel_is_heard_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmssp, "_BUDGET", 100)
    progress, heard = cases.cancelled_when(lambda done, total: len(heard) == 10)
    with pytest.raises(Cancelled):
        solve(random_of(range(1, 100), 2000, 8000, 1), progress=progress)
    assert len(heard) == 10
    assert heard == sorted(heard)


def test_the_queues_grow_where_many_vertices_wait() -> None:
    """From a hub all others are reached at once: more than the queues have room for at first."""
    n = 5000
    arcs: list[Any] = [(0, v, 1 + (7 * v) % n) for v in range(1, n)]
    expect_scipys(graphs.from_list(n, arcs))


@pytest.mark.parametrize("logged", [64, 2**16])
def test_what_is_completed_together_is_active_together(
    logged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every arc that leaves a reached vertex is relaxed at least once; large calls make
    large passes.
    """
    monkeypatch.setattr(bmssp, "_LOGGED", logged)
    graph = random_of(range(1, 100), 3000, 9000, 3)
    solution, trace = cases.watched("bmssp", graph)
    reached = np.isfinite(to_float(solution.distances))
    assert trace.iterations == solution.iterations
    assert trace.total_relaxed == solution.relaxations >= graph.out_degrees[reached].sum()
    assert (trace.first_active >= 0).tolist() == reached.tolist()
    assert trace.active.max() > reached.sum() / 8
    assert np.median(trace.active) <= 4, "most passes are small"


@pytest.mark.data
def test_new_york_as_scipy_has_it() -> None:
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    expect_scipys(graph, source=1000)
