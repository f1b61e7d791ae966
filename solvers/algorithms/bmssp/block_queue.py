"""The block queue: keys come out in batches of the least ones, and neither the batches
nor the queue are sorted.

The structure of the paper's Lemma 3.3. Blocks hold up to M entries, unsorted; all
entries of a block are less than all of the next. There are two lists of blocks:
`insert` adds to one, whose blocks are found by their upper bounds and split at the
median when they overflow; `prepend` puts whole blocks in front of the other. `pull`
takes the first blocks of both, until they hold more than M entries, and selects the M
least.

Amortised costs for N keys: insert O(log(N / M)), prepend of L keys O(L log(L / M)),
pull O(M); on average instead of in the worst case, because `select` is quickselect with
the median of three. The paper takes the worst-case linear selection of Blum et al.
1973, whose constant is several times as large.

The caller makes room first: `insert` and `stage` take an entry each, and insert, or
prepend for each staged entry, at most a block.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.algorithms.bmssp.labels import NONE, copy_label, is_below, is_less
from solvers.algorithms.bmssp.pool import (
    BlockQueues,
    add_block,
    entry_of,
    first_block_not_below,
    free_block,
    free_entry,
    link,
    new_block,
    new_entry,
    unlink,
    without_first_block,
)
from solvers.system.array_types import AnyArray
from solvers.system.jit import njit


@njit
def open_queue(of: BlockQueues, level: int, bound: Any) -> None:
    """Begin an empty queue for labels below ``bound``; takes one block."""
    queue = of.queues[level]
    queue.size = 0
    queue.staged = 0
    copy_label(queue, bound)
    queue.prepended = NONE
    block = new_block(of)
    copy_label(of.blocks[block], bound)
    queue.inserted = block
    queue.root = add_block(of.blocks, NONE, block, of.path)


@njit
def insert(of: BlockQueues, vertices: AnyArray, level: int, v: int) -> None:
    """Add ``v`` with its label, which is below the bound; if it is there already, the
    lesser label remains.
    """
    queue = of.queues[level]
    entry = _entry_to_place(of, vertices, level, v)
    if entry == NONE:
        return
    block = first_block_not_below(of, queue.root, entry)
    link(of, entry, block)
    queue.size += 1
    if of.blocks[block].count > queue.capacity:
        _split(of, level, block)


@njit
def stage(of: BlockQueues, vertices: AnyArray, level: int, v: int) -> None:
    """Collect ``v`` for `prepend`; if it is in the queue or staged already, the lesser
    label remains.
    """
    queue = of.queues[level]
    entry = _entry_to_place(of, vertices, level, v)
    if entry != NONE:
        of.staged[queue.staged] = entry
        queue.staged += 1


@njit
def _entry_to_place(of: BlockQueues, vertices: AnyArray, level: int, v: int) -> int:
    """An entry of ``v`` with its label, in no block; NONE if ``v`` stays where it is."""
    entry = entry_of(of, vertices, level, v)
    if entry == NONE:
        return new_entry(of, vertices, level, v)
    record = of.entries[entry]
    if not is_below(vertices, v, record):
        return NONE
    record.length = vertices[v].length
    record.zeros = vertices[v].zeros
    if record.block == NONE:  # staged
        return NONE
    unlink(of, entry)
    of.queues[level].size -= 1
    return entry


@njit
def prepend(of: BlockQueues, level: int) -> None:
    """Put the staged entries in front: all of them must be less than every entry of the queue."""
    queue = of.queues[level]
    items = of.staged
    half = queue.capacity if queue.staged <= queue.capacity else (queue.capacity + 1) // 2
    depth = 0
    low = np.int64(0)
    high = queue.staged
    while high > 0:
        # Halve the last range until it fits into a block; what precedes it waits on the path.
        while high - low > half:
            middle = (high - low) // 2
            select(of.entries, items, low, high, middle)
            of.path[depth] = low
            depth += 1
            low += middle
        _prepend_block(of, level, low, high)
        high = low
        if depth > 0:
            depth -= 1
            low = np.int64(of.path[depth])
    queue.size += queue.staged
    queue.staged = 0


@njit
def _prepend_block(of: BlockQueues, level: int, low: int, high: int) -> None:
    block = new_block(of)
    for i in range(low, high):
        link(of, of.staged[i], block)
    of.blocks[block].following = of.queues[level].prepended
    of.queues[level].prepended = block


@njit
def _split(of: BlockQueues, level: int, block: int) -> None:
    """Move the greater half of a block's entries to a new block behind it."""
    queue = of.queues[level]
    count = _gather(of, np.int64(block), np.int64(0))
    kept = (count + 1) // 2
    select(of.entries, of.scratch, np.int64(0), count, kept)
    new = new_block(of)
    copy_label(of.blocks[new], of.blocks[block])
    of.blocks[new].following = of.blocks[block].following
    of.blocks[block].following = new
    for i in range(kept, count):
        unlink(of, of.scratch[i])
        link(of, of.scratch[i], new)
    greatest = of.scratch[0]
    for i in range(1, kept):
        if is_less(of.entries[greatest], of.entries[of.scratch[i]]):
            greatest = of.scratch[i]
    copy_label(of.blocks[block], of.entries[greatest])
    queue.root = add_block(of.blocks, queue.root, new, of.path)


@njit
def _gather(of: BlockQueues, block: int, at: int) -> int:
    """Write a block's entries to the scratch space from ``at`` on; returns their end."""
    entry = of.blocks[block].first
    while entry != NONE:
        of.scratch[at] = entry
        at += 1
        entry = of.entries[entry].after
    return at


@njit
def _gather_first(of: BlockQueues, block: int, at: int, enough: int) -> int:
    """Write the entries of the first blocks of a list to the scratch space, until they
    are more than ``enough``.
    """
    begin = at
    while block != NONE and at - begin <= enough:
        at = _gather(of, block, at)
        block = of.blocks[block].following
    return at


@njit
def pull(of: BlockQueues, vertices: AnyArray, level: int, pulled: AnyArray, bound: Any) -> int:
    """Take the M least entries, or all if there are fewer; their vertices are written
    to ``pulled``, (M,), unsorted.

    Entries whose label is no longer that of their vertex are dropped instead of
    returned. Returns the number of vertices, and sets ``bound``, which separates them
    from the rest: the least remaining label, or the queue's bound.
    """
    queue = of.queues[level]
    count = _gather_first(of, np.int64(queue.prepended), np.int64(0), queue.capacity)
    count = _gather_first(of, np.int64(queue.inserted), count, queue.capacity)
    taken = min(count, queue.capacity)
    copy_label(bound, queue)
    if count > taken:
        select(of.entries, of.scratch, np.int64(0), count, taken)
        least = of.scratch[taken]
        for i in range(taken + 1, count):
            if is_less(of.entries[of.scratch[i]], of.entries[least]):
                least = of.scratch[i]
        copy_label(bound, of.entries[least])
    current = 0
    for i in range(taken):
        entry = of.entries[of.scratch[i]]
        v = entry.vertex
        if entry.length == vertices[v].length and entry.zeros == vertices[v].zeros:
            pulled[current] = v
            current += 1
        unlink(of, of.scratch[i])
        free_entry(of, vertices, of.scratch[i])
    queue.size -= taken
    _drop_empty_blocks(of, level)
    return current


@njit
def _drop_empty_blocks(of: BlockQueues, level: int) -> None:
    """Take empty blocks off the front of both lists; the last block of the inserted
    ones always stays.
    """
    queue = of.queues[level]
    while queue.prepended != NONE and of.blocks[queue.prepended].count == 0:
        block = queue.prepended
        queue.prepended = of.blocks[block].following
        free_block(of, block)
    while of.blocks[queue.inserted].count == 0 and of.blocks[queue.inserted].following != NONE:
        block = queue.inserted
        queue.inserted = of.blocks[block].following
        queue.root = without_first_block(of.blocks, queue.root, of.path)
        free_block(of, block)


@njit
def close_queue(of: BlockQueues, vertices: AnyArray, level: int) -> None:
    queue = of.queues[level]
    block = queue.prepended
    while block != NONE:
        following = of.blocks[block].following
        _drop_entries(of, vertices, block)
        free_block(of, block)
        block = following
    depth = 1
    of.path[0] = queue.root
    while depth > 0:
        depth -= 1
        block = of.path[depth]
        for child in (of.blocks[block].left, of.blocks[block].right):
            if child != NONE:
                of.path[depth] = child
                depth += 1
        _drop_entries(of, vertices, block)
        free_block(of, block)
    queue.size = 0


@njit
def _drop_entries(of: BlockQueues, vertices: AnyArray, block: int) -> None:
    entry = of.blocks[block].first
    while entry != NONE:
        after = of.entries[entry].after
        unlink(of, entry)
        free_entry(of, vertices, entry)
        entry = after


@njit
def select(entries: AnyArray, items: AnyArray, low: int, high: int, count: int) -> None:
    """Permute ``items[low:high]``, numbers of entries, so that the ``count`` least come first."""
    cut = low + count
    high -= 1
    while low < high and low < cut <= high:
        pivot = _median(entries, items[low], items[(low + high) // 2], items[high])
        i = low
        j = high
        while i <= j:
            while is_less(entries[items[i]], entries[pivot]):
                i += 1
            while is_less(entries[pivot], entries[items[j]]):
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if cut <= j:
            high = j
        elif cut >= i:
            low = i
        else:
            return


@njit
def _median(entries: AnyArray, a: int, b: int, c: int) -> int:
    if is_less(entries[b], entries[a]):
        a, b = b, a
    if is_less(entries[c], entries[b]):
        b = a if is_less(entries[c], entries[a]) else c
    return b
