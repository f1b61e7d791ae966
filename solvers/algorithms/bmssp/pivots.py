"""FindPivots (the paper's Algorithm 1): k rounds of Bellman-Ford, and the sources that still matter after them.

What is at most k arcs from a complete source is complete after k rounds. Beyond, only the sources count that have trees
of k vertices or more below them, the pivots: at most a k-th of all that was reached. If much is reached, more than k
times the number of sources, then the sources are few beside it, and all are pivots.

The trees are those of the current predecessors. The paper also asks that the two labels of an arc fit together; without
that the trees are larger, but no less disjoint, so the number of pivots is bounded as before, and every complete vertex
is in a tree whose root is a complete source, by the arcs of its shortest path.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.algorithms.bmssp.block_queue import insert, open_queue
from solvers.algorithms.bmssp.compiled import inner
from solvers.algorithms.bmssp.labels import NONE, improves, precedes
from solvers.algorithms.bmssp.search import Search, end_pass


@inner
def begin_rounds(s: Search) -> None:
    """The sources are the first front, and what has been reached."""
    state = s.state[0]
    frame = s.frames[state.level]
    state.calls += 1
    state.rounds += 1
    state.round = 0
    state.side = 0
    state.cursor = 0
    state.found = 0
    state.front = frame.sources
    frame.reached = frame.sources
    for i in range(frame.sources):
        v = s.sources[frame.sources_at + i]
        s.vertices[v].reached = state.calls
        s.reached[frame.reached_at + i] = v
        s.fronts[0, i] = v
    state.work += frame.sources


@inner
def relax_rounds(s: Search, until: int) -> bool:
    """Continue the rounds until ``state.work`` is ``until``; whether they are over.

    They end at once when more than k times the sources have been reached: all sources are pivots then, so that nothing
    that was reached need be kept.
    """
    state = s.state[0]
    frame = s.frames[state.level]
    while state.work < until:
        if state.cursor < state.front:
            _relax(s, s.fronts[state.side, state.cursor])
            state.cursor += 1
            if frame.reached > s.k * frame.sources:
                end_pass(s, s.fronts[state.side, : state.cursor])
                return True
            continue
        end_pass(s, s.fronts[state.side, : state.front])
        state.round += 1
        if state.round == s.k or state.found == 0:
            return True
        state.rounds += 1
        state.side = 1 - state.side
        state.front = state.found
        state.found = 0
        state.cursor = 0
    return False


@inner
def _relax(s: Search, u: int) -> None:
    """Relax the arcs of ``u``, until too much has been reached; what improves is in the next front."""
    state, vertices = s.state[0], s.vertices
    frame = s.frames[state.level]
    most = s.k * frame.sources
    begin = s.indptr[u]
    for arc in range(begin, s.indptr[u + 1]):
        state.work += 1
        state.pass_relaxed += 1
        v = s.indices[arc]
        length = vertices[u].length + s.weights[arc]
        zeros = 0 if length > vertices[u].length else vertices[u].zeros + 1
        if not improves(vertices, v, length, zeros, u):
            continue
        state.pass_improved += length < vertices[v].length
        vertices[v].length = length
        vertices[v].zeros = zeros
        vertices[v].predecessor = u
        if not precedes(length, zeros, v, frame.length, frame.zeros, frame.vertex):
            continue
        if vertices[v].round != state.rounds:
            vertices[v].round = state.rounds
            s.fronts[1 - state.side, state.found] = v
            state.found += 1
        if vertices[v].reached != state.calls:
            vertices[v].reached = state.calls
            s.reached[frame.reached_at + frame.reached] = v
            frame.reached += 1
            if frame.reached > most:
                return


@inner
def choose_pivots(s: Search) -> None:
    """Open the call's queue and insert the pivots; there is room for all sources."""
    state, vertices = s.state[0], s.vertices
    frame = s.frames[state.level]
    open_queue(s.queues, state.level, s.queues.queues[state.level].capacity, frame.length, frame.zeros, frame.vertex)
    many = frame.reached > s.k * frame.sources
    if many:
        frame.reached = 0
    else:
        _count_descendants(vertices, s.reached[frame.reached_at : frame.reached_at + frame.reached], state.calls)
    for i in range(frame.sources):
        v = s.sources[frame.sources_at + i]
        if many or vertices[v].descendants >= s.k:
            insert(s.queues, vertices, state.level, v)
    state.work += frame.sources + frame.reached


@inner
def _count_descendants(vertices: NDArray[Any], reached: NDArray[Any], call: int) -> None:
    """Set ``descendants`` of each root of the forest of predecessors among ``reached``, itself included."""
    for v in reached:
        vertices[v].root = NONE
        vertices[v].descendants = 0
    for v in reached:
        vertices[_root(vertices, v, call)].descendants += 1


@inner
def _root(vertices: NDArray[Any], v: int, call: int) -> int:
    """The root of ``v``'s tree, noted at every vertex on the way."""
    root = v
    while vertices[root].root == NONE:
        above = vertices[root].predecessor
        if above == NONE or vertices[above].reached != call:
            vertices[root].root = root
        else:
            root = above
    root = vertices[root].root
    while vertices[v].root == NONE:
        vertices[v].root = root
        v = vertices[v].predecessor
    return root
