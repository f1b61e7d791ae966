"""Memory of the block queues: entries and blocks in two growing pools that all levels
share, and the trees of blocks.

An entry is a vertex with a label, in a doubly linked list: that of its block, or none
while it is staged. The entries of one vertex, at most one a queue, are chained, so that
a queue finds its own by walking as many as there are levels.

A height-balanced (AVL) tree orders the blocks of a queue by their upper bounds. The
first bound at or above a value is found in O(log b) steps among b blocks; in as many a
block is added, and the first one removed, which is the only one that a queue removes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from solvers.algorithms.bmssp.labels import NONE, is_less, labelled
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.jit import njit

LEAST_ROOM = 1024

_POOL = np.dtype(
    [(name, np.int64) for name in ("entries_used", "entries_free", "blocks_used", "blocks_free")]
    + [(name, np.int32) for name in ("free_entry", "free_block")],
    align=True,
)

DEEPEST = 64  # no tree of fewer than 2^31 blocks is deeper than 1.44 x 31


class BlockQueues(NamedTuple):
    """The block queues of all levels, at most one a level."""

    # (levels,): ``inserted`` and ``prepended``: first block of either list; ``root`` of
    # the tree over the inserted ones; ``size`` in entries; ``staged`` entries, not
    # counted in ``size``; ``capacity`` of a block; and the upper bound ``length``,
    # ``zeros``, ``vertex``
    queues: AnyArray
    # ``length``, ``zeros``, ``vertex``; ``before`` and ``after`` in the block;
    # ``block``; ``chain``, the vertex's next entry; ``level`` of the queue
    entries: AnyArray
    # upper bound ``length``, ``zeros``, ``vertex``; ``first`` entry, their ``count``;
    # ``following`` block; ``left``, ``right`` and ``height`` in the tree
    blocks: AnyArray
    # (entries,): entries that wait for `prepend`; entries being split or selected from
    staged: Int32s
    scratch: Int32s
    path: Int32s  # (2 * DEEPEST,)
    # (1,) record: places used since the start, places free again, and the first of
    # these
    pool: AnyArray

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def empty_queues(levels: int, length: DTypeLike, room: int = LEAST_ROOM) -> BlockQueues:
    """Queues with room for ``room`` entries and as many blocks."""
    pool = np.zeros(1, _POOL)
    pool["free_entry"] = pool["free_block"] = NONE
    queue = labelled(length, ("inserted", "prepended", "root"), ("size", "staged", "capacity"))
    entry = labelled(length, ("before", "after", "block", "chain", "level"))
    block = labelled(length, ("first", "count", "following", "left", "right", "height"))
    return BlockQueues(
        np.zeros(levels, queue),
        np.zeros(room, entry),
        np.zeros(room, block),
        staged=np.empty(room, np.int32),
        scratch=np.empty(room, np.int32),
        path=np.empty(2 * DEEPEST, np.int32),
        pool=pool,
    )


def with_room(of: BlockQueues, more: int) -> BlockQueues:
    """The same queues with free places for at least ``more`` entries and blocks; twice
    as large where that is not so.

    Growing by a factor keeps the cost of copying in proportion to what was added.
    """
    pool = of.pool[0]
    entries = _grown(of.entries, int(pool["entries_free"]), int(pool["entries_used"]), more)
    blocks = _grown(of.blocks, int(pool["blocks_free"]), int(pool["blocks_used"]), more)
    staged, scratch = (_longer(array, len(entries)) for array in (of.staged, of.scratch))
    return of._replace(entries=entries, blocks=blocks, staged=staged, scratch=scratch)


def _grown(records: AnyArray, free: int, used: int, more: int) -> AnyArray:
    lacking = more - free - (len(records) - used)
    return (
        _longer(records, max(2 * len(records), len(records) + lacking)) if lacking > 0 else records
    )


def _longer(array: AnyArray, length: int) -> AnyArray:
    if len(array) >= length:
        return array
    longer = np.zeros(length, array.dtype)
    longer[: len(array)] = array
    return longer


@njit
def has_room(of: BlockQueues, more: int) -> bool:
    """Whether ``more`` entries and as many blocks can be added."""
    pool = of.pool[0]
    entries = pool.entries_free + of.entries.shape[0] - pool.entries_used
    blocks = pool.blocks_free + of.blocks.shape[0] - pool.blocks_used
    return min(entries, blocks) >= more


@njit
def new_block(of: BlockQueues) -> int:
    """An empty block, in no list."""
    pool = of.pool[0]
    block = pool.free_block
    if block != NONE:
        pool.free_block = of.blocks[block].following
        pool.blocks_free -= 1
    else:
        block = np.int32(pool.blocks_used)
        pool.blocks_used += 1
    of.blocks[block].first = NONE
    of.blocks[block].count = 0
    of.blocks[block].following = NONE
    return block


@njit
def free_block(of: BlockQueues, block: int) -> None:
    pool = of.pool[0]
    of.blocks[block].following = pool.free_block
    pool.free_block = block
    pool.blocks_free += 1


@njit
def entry_of(of: BlockQueues, vertices: AnyArray, level: int, v: int) -> int:
    """The entry of ``v`` in the queue of ``level``; NONE if there is none."""
    entry = vertices[v].entry
    while entry != NONE and of.entries[entry].level != level:
        entry = of.entries[entry].chain
    return entry


@njit
def new_entry(of: BlockQueues, vertices: AnyArray, level: int, v: int) -> int:
    pool = of.pool[0]
    entry = pool.free_entry
    if entry != NONE:
        pool.free_entry = of.entries[entry].after
        pool.entries_free -= 1
    else:
        entry = np.int32(pool.entries_used)
        pool.entries_used += 1
    record = of.entries[entry]
    record.vertex = v
    record.level = level
    record.length = vertices[v].length
    record.zeros = vertices[v].zeros
    record.block = NONE
    record.chain = vertices[v].entry
    vertices[v].entry = entry
    return entry


@njit
def free_entry(of: BlockQueues, vertices: AnyArray, entry: int) -> None:
    """Take an entry that is in no block off its vertex's chain."""
    pool = of.pool[0]
    record = of.entries[entry]
    at = vertices[record.vertex].entry
    if at == entry:
        vertices[record.vertex].entry = record.chain
    else:
        while of.entries[at].chain != entry:
            at = of.entries[at].chain
        of.entries[at].chain = record.chain
    record.after = pool.free_entry
    pool.free_entry = entry
    pool.entries_free += 1


@njit
def link(of: BlockQueues, entry: int, block: int) -> None:
    """Put an entry into a block."""
    first = of.blocks[block].first
    of.entries[entry].block = block
    of.entries[entry].before = NONE
    of.entries[entry].after = first
    if first != NONE:
        of.entries[first].before = entry
    of.blocks[block].first = entry
    of.blocks[block].count += 1


@njit
def unlink(of: BlockQueues, entry: int) -> None:
    """Take an entry out of its block."""
    record = of.entries[entry]
    if record.before == NONE:
        of.blocks[record.block].first = record.after
    else:
        of.entries[record.before].after = record.after
    if record.after != NONE:
        of.entries[record.after].before = record.before
    of.blocks[record.block].count -= 1
    record.block = NONE


@njit
def first_block_not_below(of: BlockQueues, root: int, entry: int) -> int:
    """The block with the least bound that is not less than the entry; NONE if there is none."""
    blocks, label = of.blocks, of.entries[entry]
    found = NONE
    node = root
    while node != NONE:
        if is_less(blocks[node], label):
            node = blocks[node].right
        else:
            found = node
            node = blocks[node].left
    return found


@njit
def add_block(blocks: AnyArray, root: int, new: int, path: AnyArray) -> int:
    """Add the block ``new``, whose bound no other block has; returns the root. ``path``
    is scratch space.
    """
    blocks[new].left = NONE
    blocks[new].right = NONE
    blocks[new].height = 1
    depth = 0
    node = root
    while node != NONE:
        path[depth] = node
        depth += 1
        node = blocks[node].left if is_less(blocks[new], blocks[node]) else blocks[node].right
    below = new
    for i in range(depth - 1, -1, -1):
        node = path[i]
        if is_less(blocks[below], blocks[node]):
            blocks[node].left = below
        else:
            blocks[node].right = below
        below = _balanced(blocks, node)
    return below


@njit
def without_first_block(blocks: AnyArray, root: int, path: AnyArray) -> int:
    """Remove the block with the least bound; returns the root. ``path`` is scratch space."""
    depth = 0
    node = root
    while blocks[node].left != NONE:
        path[depth] = node
        depth += 1
        node = blocks[node].left
    below = blocks[node].right
    for i in range(depth - 1, -1, -1):
        blocks[path[i]].left = below
        below = _balanced(blocks, path[i])
    return below


@njit
def _height(blocks: AnyArray, node: int) -> int:
    return 0 if node == NONE else blocks[node].height


@njit
def _measure(blocks: AnyArray, node: int) -> None:
    blocks[node].height = 1 + max(
        _height(blocks, blocks[node].left), _height(blocks, blocks[node].right)
    )


@njit
def _balanced(blocks: AnyArray, node: int) -> int:
    """Restore the balance at ``node``, whose subtrees are balanced; returns the root of
    the subtree.
    """
    left = blocks[node].left
    right = blocks[node].right
    lean = _height(blocks, left) - _height(blocks, right)
    if lean > 1:
        if _height(blocks, blocks[left].left) < _height(blocks, blocks[left].right):
            blocks[node].left = _rotated_left(blocks, left)
        return _rotated_right(blocks, node)
    if lean < -1:
        if _height(blocks, blocks[right].right) < _height(blocks, blocks[right].left):
            blocks[node].right = _rotated_right(blocks, right)
        return _rotated_left(blocks, node)
    _measure(blocks, node)
    return node


@njit
def _rotated_left(blocks: AnyArray, node: int) -> int:
    above = blocks[node].right
    blocks[node].right = blocks[above].left
    blocks[above].left = node
    _measure(blocks, node)
    _measure(blocks, above)
    return above


@njit
def _rotated_right(blocks: AnyArray, node: int) -> int:
    above = blocks[node].left
    blocks[node].left = blocks[above].right
    blocks[above].right = node
    _measure(blocks, node)
    _measure(blocks, above)
    return above
