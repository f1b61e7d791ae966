"""The block queue returns what a sorted list returns, and keeps its shape after every operation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from solvers.algorithms.bmssp.block_queue import close_queue, insert, open_queue, prepend, pull, stage
from solvers.algorithms.bmssp.labels import NONE, unreached
from solvers.algorithms.bmssp.pool import BlockQueues, empty_queues, with_room
from tests.weight_types import types_of

N = 30
BOUND = (1000, 0, -1)
LEVEL = 1

Label = tuple[int, int, int]
Step = tuple[str, list[tuple[int, int]]]


class Pair:
    """A block queue beside its model: the label of each entry in a dictionary."""

    def __init__(self, capacity: int, room: int = 2 * N + 2):
        self.capacity = capacity
        self.of = empty_queues(2, np.int64, room)
        self.vertices = unreached(N, np.int64, 2000)
        self.model: dict[int, Label] = {}
        open_queue(self.of, LEVEL, capacity, *BOUND)

    def label(self, v: int) -> Label:
        return int(self.vertices["length"][v]), int(self.vertices["zeros"][v]), v

    def lower(self, v: int, length: int, zeros: int = 0) -> None:
        self.vertices["length"][v], self.vertices["zeros"][v] = min(self.label(v)[:2], (length, zeros))

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
        count, *bound = pull(self.of, self.vertices, LEVEL, pulled)
        ordered = sorted(self.model.values())
        taken, rest = ordered[: self.capacity], ordered[self.capacity :]
        current = [v for *_, v in taken if self.model[v] == self.label(v)]
        assert sorted(pulled[:count].tolist()) == sorted(current)
        assert tuple(map(int, bound)) == (rest[0] if rest else BOUND)
        self.model = {label[2]: label for label in rest}

    def expect_shape(self) -> None:
        queue = self.of.queues[LEVEL]
        inserted, prepended = (chain(self.of, int(queue[name])) for name in ("inserted", "prepended"))
        assert in_order(self.of.blocks, int(queue["root"])) == inserted
        found: list[Label] = []
        for blocks in (prepended, inserted):
            so_far: list[Label] = []
            for block in blocks:
                labels = entries(self.of, block)
                assert len(labels) == self.of.blocks["count"][block] <= self.capacity
                if so_far and labels:
                    assert max(so_far) < min(labels), "all of a block is below all of the next"
                so_far += labels
                if blocks is inserted:
                    bound = tuple(self.of.blocks[block][name] for name in ("length", "zeros", "vertex"))
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


def entries(of: BlockQueues, block: int) -> list[Label]:
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
        0 if child == NONE else blocks["height"][child] for child in (blocks["left"][root], blocks["right"][root])
    ]
    assert abs(heights[0] - heights[1]) <= 1
    assert blocks["height"][root] == 1 + max(heights)
    return [*left, root, *right]


items = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, 300)), min_size=1, max_size=12)
steps = st.lists(st.tuples(st.sampled_from(["insert", "insert", "lower_only", "prepend", "pull", "pull"]), items))


@settings(max_examples=300, deadline=None)
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
    """Blocks are emptied, then a vertex arrives that belongs where they were, and splits the first of the rest."""
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
    sizes = [int(pair.of.blocks["count"][b]) for b in chain(pair.of, int(pair.of.queues[LEVEL]["prepended"]))]
    assert sum(sizes) == 19
    assert max(sizes) <= 4


def test_queues_of_two_levels_hold_the_same_vertex() -> None:
    pair = Pair(4)
    open_queue(pair.of, 0, 4, *BOUND)
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


@pytest.mark.parametrize("dtype", types_of("bmssp"))
@pytest.mark.parametrize("capacity", [1, 64, 5000])
def test_it_divides_a_hundred_thousand(dtype: str, capacity: int) -> None:
    n = 100_000
    lengths = np.random.default_rng(4).integers(0, 30_000, n).astype(dtype)
    vertices = unreached(n, dtype, 2**30)
    vertices["length"] = lengths
    of = empty_queues(1, dtype, 2 * n)
    open_queue(of, 0, capacity, lengths.dtype.type(2**30 - 1), 0, -1)
    for v in range(n):
        insert(of, vertices, 0, v)
    order = np.lexsort((np.arange(n), lengths))
    pulled = np.empty(capacity, np.int32)
    for begin in range(0, min(n, 50 * capacity), capacity):
        count, *bound = pull(of, vertices, 0, pulled)
        expected = order[begin : begin + capacity]
        assert sorted(pulled[:count]) == sorted(expected)
        if begin + capacity < n:
            following = order[begin + capacity]
            assert (bound[0], bound[2]) == (lengths[following], following)
