"""BaseCase (the paper's Algorithm 2): Dijkstra's algorithm from one complete vertex, for its k nearest descendants."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.algorithms.bmssp.compiled import inner
from solvers.algorithms.bmssp.labels import NONE, improves, precedes
from solvers.algorithms.bmssp.search import Search, complete, end_pass
from solvers.host.jit import njit


@inner
def base_case(s: Search) -> None:
    """Complete the k nearest descendants of the source, itself included, that are below the bound.

    The call ends at its bound if there were no more than k, else at the label of the next. Here that one stays in the
    heap; the paper takes it out and completes k + 1 vertices less the last, which is the same.
    """
    frame, state, vertices, heap = s.frames[0], s.state[0], s.vertices, s.heap
    frame.begin = state.completed
    heap[0] = s.sources[frame.sources_at]
    vertices[heap[0]].place = 0
    size = 1
    while size > 0 and state.completed - frame.begin < s.k:
        u = heap[0]
        size = _pop(vertices, heap, size)
        complete(s, u)
        for arc in range(s.indptr[u], s.indptr[u + 1]):
            v = s.indices[arc]
            length = vertices[u].length + s.weights[arc]
            zeros = 0 if length > vertices[u].length else vertices[u].zeros + 1
            if improves(vertices, v, length, zeros, u) and precedes(
                length, zeros, v, frame.length, frame.zeros, frame.vertex
            ):
                state.pass_improved += length < vertices[v].length
                vertices[v].length = length
                vertices[v].zeros = zeros
                vertices[v].predecessor = u
                if vertices[v].place == NONE:
                    vertices[v].place = size
                    size += 1
                _sift_up(vertices, heap, vertices[v].place, v)
        state.pass_relaxed += s.indptr[u + 1] - s.indptr[u]
    frame.end_length, frame.end_zeros, frame.end_vertex = frame.length, frame.zeros, frame.vertex
    if size > 0:
        least = heap[0]
        frame.end_length, frame.end_zeros, frame.end_vertex = vertices[least].length, vertices[least].zeros, least
    for i in range(size):
        vertices[heap[i]].place = NONE
    state.work += state.pass_relaxed + 1
    end_pass(s, s.order[frame.begin : state.completed])


@njit(cache=True, nogil=True, inline="always")
def _is_nearer(vertices: NDArray[Any], a: int, b: int) -> bool:
    return precedes(vertices[a].length, vertices[a].zeros, a, vertices[b].length, vertices[b].zeros, b)


@inner
def _sift_up(vertices: NDArray[Any], heap: NDArray[Any], hole: int, v: int) -> None:
    """Put ``v`` at ``hole``, or above while it is nearer than what is there."""
    while hole > 0:
        parent = (hole - 1) // 2
        if not _is_nearer(vertices, v, heap[parent]):
            break
        heap[hole] = heap[parent]
        vertices[heap[hole]].place = hole
        hole = parent
    heap[hole] = v
    vertices[v].place = hole


@inner
def _pop(vertices: NDArray[Any], heap: NDArray[Any], size: int) -> int:
    """Remove the nearest vertex, the first; returns the new size."""
    vertices[heap[0]].place = NONE
    size -= 1
    if size == 0:
        return size
    v = heap[size]
    hole = 0
    while 2 * hole + 1 < size:
        child = 2 * hole + 1
        if child + 1 < size and _is_nearer(vertices, heap[child + 1], heap[child]):
            child += 1
        if not _is_nearer(vertices, heap[child], v):
            break
        heap[hole] = heap[child]
        vertices[heap[hole]].place = hole
        hole = child
    heap[hole] = v
    vertices[v].place = hole
    return size
