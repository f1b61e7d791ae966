"""A height-balanced (AVL) tree over the blocks of a queue, ordered by their upper bounds.

The first bound at or above a value is found in O(log b) steps among b blocks; in as many a block is added, and the
first one removed, which is the only one that a queue removes.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.algorithms.bmssp.compiled import inner
from solvers.algorithms.bmssp.labels import NONE, precedes
from solvers.host.jit import njit

DEEPEST = 64  # no tree of fewer than 2^31 blocks is deeper than 1.44 x 31


@njit(cache=True, nogil=True)
def first_at_or_above(blocks: NDArray[Any], root: int, length: Any, zeros: int, vertex: int) -> int:
    """The block with the least bound that is not less than the value; NONE if there is none."""
    found = NONE
    node = root
    while node != NONE:
        if precedes(blocks[node].length, blocks[node].zeros, blocks[node].vertex, length, zeros, vertex):
            node = blocks[node].right
        else:
            found = node
            node = blocks[node].left
    return found


@njit(cache=True, nogil=True)
def add(blocks: NDArray[Any], root: int, new: int, path: NDArray[Any]) -> int:
    """Add the block ``new``, whose bound is that of no other; returns the root.

    Parameters
    ----------
    path : (DEEPEST,) int32
        Scratch space.
    """
    blocks[new].left = NONE
    blocks[new].right = NONE
    blocks[new].height = 1
    depth = 0
    node = root
    while node != NONE:
        path[depth] = node
        depth += 1
        node = blocks[node].left if _is_before(blocks, new, node) else blocks[node].right
    below = new
    for i in range(depth - 1, -1, -1):
        node = path[i]
        if _is_before(blocks, below, node):
            blocks[node].left = below
        else:
            blocks[node].right = below
        below = _balanced(blocks, node)
    return below


@njit(cache=True, nogil=True)
def without_first(blocks: NDArray[Any], root: int, path: NDArray[Any]) -> int:
    """Remove the block with the least bound; returns the root.

    Parameters
    ----------
    path : (DEEPEST,) int32
        Scratch space.
    """
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


@inner
def _is_before(blocks: NDArray[Any], a: int, b: int) -> bool:
    return precedes(
        blocks[a].length, blocks[a].zeros, blocks[a].vertex, blocks[b].length, blocks[b].zeros, blocks[b].vertex
    )


@inner
def _height(blocks: NDArray[Any], node: int) -> int:
    return 0 if node == NONE else blocks[node].height


@inner
def _measure(blocks: NDArray[Any], node: int) -> None:
    blocks[node].height = 1 + max(_height(blocks, blocks[node].left), _height(blocks, blocks[node].right))


@inner
def _balanced(blocks: NDArray[Any], node: int) -> int:
    """Restore the balance at ``node``, whose subtrees are balanced; returns the root of the subtree."""
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


@inner
def _rotated_left(blocks: NDArray[Any], node: int) -> int:
    above = blocks[node].right
    blocks[node].right = blocks[above].left
    blocks[above].left = node
    _measure(blocks, node)
    _measure(blocks, above)
    return above


@inner
def _rotated_right(blocks: NDArray[Any], node: int) -> int:
    above = blocks[node].left
    blocks[node].left = blocks[above].right
    blocks[above].right = node
    _measure(blocks, node)
    _measure(blocks, above)
    return above
