"""The recursion (the paper's Algorithm 3), as a machine that can be stopped at any vertex.

A call of level l has sources S and a bound B, such that the shortest path to every incomplete vertex below B visits a
complete source. It completes all descendants of S below some B', which is less than B only if they are k 2^(l t) or
more by then. FindPivots leaves few of the sources; they go to a block queue, which hands back the 2^((l-1) t) least
vertices at a time, the sources of a call one level lower, with the bound that separates them from the rest. What that
completes is relaxed, and what is reached by it goes into the queue.

A label can fall while its vertex waits in the queue: on a lower level it may be reached by another path, and even be
completed. An entry whose label is not the vertex's any more is dropped when it comes out. None of those by which the
queue keeps its invariant is like that, since a complete vertex's label falls no further.
"""

from __future__ import annotations

from solvers.algorithms.bmssp.base_case import base_case
from solvers.algorithms.bmssp.block_queue import close_queue, insert, prepend, pull, stage
from solvers.algorithms.bmssp.compiled import inner
from solvers.algorithms.bmssp.labels import improves, precedes
from solvers.algorithms.bmssp.pivots import begin_rounds, choose_pivots, relax_rounds
from solvers.algorithms.bmssp.pool import has_room
from solvers.algorithms.bmssp.search import CALLED, CHOOSE, PIVOTS, PULL, RELAX, Search, complete, end_pass
from solvers.host.jit import njit

RUNNING, NEEDS_ROOM, DONE = range(3)


@njit(cache=True, nogil=True)
def advance(s: Search, budget: int) -> int:
    """Do about ``budget`` steps, arcs and vertices, or fill the log.

    Returns
    -------
    int
        RUNNING; NEEDS_ROOM where the queues have less than ``state.room`` free places; DONE.
    """
    state = s.state[0]
    until = state.work + budget
    while state.level < s.frames.shape[0]:
        if state.work >= until or _log_is_full(s):
            return RUNNING
        if not _step(s, until):
            return NEEDS_ROOM
        state.work += 1
    return DONE


@inner
def _log_is_full(s: Search) -> bool:
    """Whether the log may have no room for another pass, which can have n vertices."""
    state = s.state[0]
    room = s.log.vertices.shape[0]
    return room > 0 and (state.logged == s.log.passes.shape[0] or state.logged_vertices + s.order.shape[0] > room)


@inner
def _step(s: Search, until: int) -> bool:
    """Continue the current call; False where the queues need room."""
    state = s.state[0]
    frame = s.frames[state.level]
    if frame.phase == CALLED and state.level == 0:
        base_case(s)
        _return(s)
    elif frame.phase == CALLED:
        frame.begin = state.completed
        begin_rounds(s)
        frame.phase = PIVOTS
    elif frame.phase == PIVOTS:
        if relax_rounds(s, until):
            frame.phase = CHOOSE
    elif frame.phase == CHOOSE:
        if not _room(s, frame.sources + 1):
            return False
        choose_pivots(s)
        frame.phase = PULL
    elif frame.phase == PULL:
        if state.completed - frame.begin >= frame.limit or s.queues.queues[state.level].size == 0:
            _finish(s)
        else:
            _call(s)
    else:
        return _relax_completed(s, until)
    return True


@inner
def _room(s: Search, needed: int) -> bool:
    s.state[0].room = needed
    return has_room(s.queues, needed)


@inner
def _call(s: Search) -> None:
    """Pull the sources of the next call of the level below, and begin it."""
    state = s.state[0]
    child = s.frames[state.level - 1]
    sources = s.sources[child.sources_at :]
    count, child.length, child.zeros, child.vertex = pull(s.queues, s.vertices, state.level, sources)
    state.work += count
    child.sources = count
    if count > 0:
        state.level -= 1
        child.phase = CALLED


@inner
def _finish(s: Search) -> None:
    """End the call: set its end, and complete what FindPivots reached below it."""
    state, vertices = s.state[0], s.vertices
    frame, below = s.frames[state.level], s.frames[state.level - 1]
    if s.queues.queues[state.level].size == 0:
        frame.end_length, frame.end_zeros, frame.end_vertex = frame.length, frame.zeros, frame.vertex
    else:
        frame.end_length, frame.end_zeros, frame.end_vertex = below.end_length, below.end_zeros, below.end_vertex
    for i in range(frame.reached_at, frame.reached_at + frame.reached):
        v = s.reached[i]
        if not vertices[v].complete and precedes(
            vertices[v].length, vertices[v].zeros, v, frame.end_length, frame.end_zeros, frame.end_vertex
        ):
            complete(s, v)
    close_queue(s.queues, vertices, state.level)
    state.work += frame.reached
    _return(s)


@inner
def _return(s: Search) -> None:
    """Continue the call one level higher: it relaxes what the current one has completed."""
    state = s.state[0]
    state.cursor = s.frames[state.level].begin
    state.level += 1
    if state.level < s.frames.shape[0]:
        s.frames[state.level].phase = RELAX


@inner
def _relax_completed(s: Search, until: int) -> bool:
    """Relax what the level below has completed, then put back what it has not; False where the queues need room."""
    state = s.state[0]
    frame, below = s.frames[state.level], s.frames[state.level - 1]
    while state.pending > 0 or state.cursor < state.completed:
        if state.pending > 0:
            if not _room(s, s.queues.queues[state.level].staged + state.pending):
                return False
            _enter_pending(s)
        elif state.work >= until:
            return True
        else:
            _relax(s, s.order[state.cursor])
            state.cursor += 1
    if not _room(s, s.queues.queues[state.level].staged + below.sources):
        return False
    _put_back(s)
    end_pass(s, s.order[below.begin : state.completed])
    frame.phase = PULL
    return True


@inner
def _relax(s: Search, u: int) -> None:
    """Relax the arcs of ``u``; vertices for the queue are pending then.

    Nothing is called here, as numba would count references for that at each vertex, which takes as long as its arcs.
    """
    state, vertices = s.state[0], s.vertices
    frame, below = s.frames[state.level], s.frames[state.level - 1]
    for arc in range(s.indptr[u], s.indptr[u + 1]):
        v = s.indices[arc]
        length = vertices[u].length + s.weights[arc]
        zeros = 0 if length > vertices[u].length else vertices[u].zeros + 1
        if not improves(vertices, v, length, zeros, u):
            continue
        state.pass_improved += length < vertices[v].length
        vertices[v].length = length
        vertices[v].zeros = zeros
        vertices[v].predecessor = u
        if precedes(length, zeros, v, frame.length, frame.zeros, frame.vertex) and not precedes(
            length, zeros, v, below.end_length, below.end_zeros, below.end_vertex
        ):
            s.pending[state.pending] = v
            state.pending += 1
    arcs = s.indptr[u + 1] - s.indptr[u]
    state.pass_relaxed += arcs
    state.work += arcs + 1


@inner
def _enter_pending(s: Search) -> None:
    """Insert the pending vertices that are not below the bound of the last call, and stage the others."""
    state, vertices = s.state[0], s.vertices
    level = state.level
    below = s.frames[level - 1]
    for i in range(state.pending):
        v = s.pending[i]
        if precedes(vertices[v].length, vertices[v].zeros, v, below.length, below.zeros, below.vertex):
            stage(s.queues, vertices, level, v)
        else:
            insert(s.queues, vertices, level, v)
    state.pending = 0


@inner
def _put_back(s: Search) -> None:
    """Prepend what is staged, and the sources of the last call that it has not completed."""
    state, vertices = s.state[0], s.vertices
    below = s.frames[state.level - 1]
    for i in range(below.sources_at, below.sources_at + below.sources):
        v = s.sources[i]
        length, zeros = vertices[v].length, vertices[v].zeros
        if precedes(length, zeros, v, below.length, below.zeros, below.vertex) and not precedes(
            length, zeros, v, below.end_length, below.end_zeros, below.end_vertex
        ):
            stage(s.queues, vertices, state.level, v)
    state.work += below.sources + s.queues.queues[state.level].staged
    prepend(s.queues, state.level)
