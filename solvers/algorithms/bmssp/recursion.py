"""The recursion (the paper's Algorithm 3), which can be stopped at any vertex, with
BaseCase and FindPivots.

A call of level l has sources S and a bound B, such that the shortest path to every
incomplete vertex below B visits a complete source. It completes all descendants of S
below some B', which is less than B only if they are k 2^(l t) or more by then.
FindPivots leaves few of the sources; they go to a block queue, which returns the
2^((l-1) t) least vertices at a time, the sources of a call one level lower, with the
bound that separates them from the rest. What that completes is relaxed, and the
vertices it reaches go into the queue.

A label can fall while its vertex waits in the queue: on a lower level it may be reached
by another path, and even be completed. An entry whose label is no longer the vertex's
is dropped when it comes out. The entries on which the queue's invariant rests are never
outdated, since a complete vertex's label falls no further.

BaseCase (Algorithm 2) is Dijkstra's algorithm from one complete vertex, for its k
nearest descendants.

FindPivots (Algorithm 1) makes k rounds of Bellman-Ford, after which all vertices within
k arcs of a complete source are complete. For the rest only the sources with trees of k
vertices or more are needed, the pivots: at most a k-th of all that was reached. If more
than k times the number of sources is reached, all are pivots. The trees are those of
the current predecessors. The paper also asks that the two labels of an arc fit
together; without that the trees are larger but still disjoint, so the bound on the
number of pivots holds, and every complete vertex is in a tree whose root is a complete
source, by the arcs of its shortest path.
"""

from __future__ import annotations

from solvers.algorithms.bmssp.block_queue import (
    close_queue,
    insert,
    open_queue,
    prepend,
    pull,
    stage,
)
from solvers.algorithms.bmssp.labels import NONE, copy_label, improves, inlined, is_below, precedes
from solvers.algorithms.bmssp.pool import has_room
from solvers.algorithms.bmssp.search import (
    CALLED,
    CHOOSE,
    PIVOTS,
    PULL,
    RELAX,
    Search,
    complete,
    end_pass,
)
from solvers.system.array_types import AnyArray
from solvers.system.jit import njit

RUNNING, NEEDS_ROOM, DONE = range(3)


@njit
def advance(s: Search, budget: int) -> int:
    """Do about ``budget`` steps, arcs and vertices, or fill the log.

    Returns RUNNING; NEEDS_ROOM where the queues have less than ``state.room`` free
    places; DONE.
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


@njit
def _log_is_full(s: Search) -> bool:
    """Whether the log may have no room for another pass, which can have n vertices."""
    state = s.state[0]
    room = s.log.vertices.shape[0]
    return room > 0 and (
        state.logged == s.log.passes.shape[0] or state.logged_vertices + s.order.shape[0] > room
    )


@inlined
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


@njit
def _room(s: Search, needed: int) -> bool:
    s.state[0].room = needed
    return has_room(s.queues, needed)


@inlined
def _call(s: Search) -> None:
    """Pull the sources of the next call of the level below, and begin it."""
    state = s.state[0]
    child = s.frames[state.level - 1]
    sources = s.sources[child.sources_at :]
    count = pull(s.queues, s.vertices, state.level, sources, child)
    state.work += count
    child.sources = count
    if count > 0:
        state.level -= 1
        child.phase = CALLED


@inlined
def _finish(s: Search) -> None:
    """End the call: set its end, and complete what FindPivots reached below it."""
    state, vertices = s.state[0], s.vertices
    frame, end = s.frames[state.level], s.ends[state.level]
    if s.queues.queues[state.level].size == 0:
        copy_label(end, frame)
    else:
        copy_label(end, s.ends[state.level - 1])
    for i in range(frame.reached_at, frame.reached_at + frame.reached):
        v = s.reached[i]
        if not vertices[v].complete and is_below(vertices, v, end):
            complete(s, v)
    close_queue(s.queues, vertices, state.level)
    state.work += frame.reached
    _return(s)


@njit
def _return(s: Search) -> None:
    """Continue the call one level higher: it relaxes what the current one has completed."""
    state = s.state[0]
    state.cursor = s.frames[state.level].begin
    state.level += 1
    if state.level < s.frames.shape[0]:
        s.frames[state.level].phase = RELAX


@inlined
def _relax_completed(s: Search, until: int) -> bool:
    """Relax what the level below has completed, then put back what it has not; False
    where the queues need room.
    """
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


@njit(inline="always")
def _improve(s: Search, u: int, arc: int) -> bool:
    """Whether an arc of ``u`` improves the label of its head, which gets the new one then."""
    state, vertices = s.state[0], s.vertices
    v = s.indices[arc]
    length = vertices[u].length + s.weights[arc]
    zeros = 0 if length > vertices[u].length else vertices[u].zeros + 1
    if not improves(vertices, v, length, zeros, u):
        return False
    state.pass_improved += length < vertices[v].length
    vertices[v].length = length
    vertices[v].zeros = zeros
    vertices[v].predecessor = u
    return True


@njit
def _relax(s: Search, u: int) -> None:
    """Relax the arcs of ``u``; vertices for the queue are pending then.

    Nothing is called here, as numba would count references for that at each vertex,
    which takes as long as its arcs.
    """
    state, vertices = s.state[0], s.vertices
    frame, end = s.frames[state.level], s.ends[state.level - 1]
    for arc in range(s.indptr[u], s.indptr[u + 1]):
        v = s.indices[arc]
        if not _improve(s, u, arc):
            continue
        if is_below(vertices, v, frame) and not is_below(vertices, v, end):
            s.pending[state.pending] = v
            state.pending += 1
    arcs = s.indptr[u + 1] - s.indptr[u]
    state.pass_relaxed += arcs
    state.work += arcs + 1


@inlined
def _enter_pending(s: Search) -> None:
    """Insert the pending vertices that are not below the bound of the last call, and
    stage the others.
    """
    state, vertices = s.state[0], s.vertices
    level = state.level
    below = s.frames[level - 1]
    for i in range(state.pending):
        v = s.pending[i]
        if is_below(vertices, v, below):
            stage(s.queues, vertices, level, v)
        else:
            insert(s.queues, vertices, level, v)
    state.pending = 0


@inlined
def _put_back(s: Search) -> None:
    """Prepend what is staged, and the sources of the last call that it has not completed."""
    state, vertices = s.state[0], s.vertices
    below, end = s.frames[state.level - 1], s.ends[state.level - 1]
    for i in range(below.sources_at, below.sources_at + below.sources):
        v = s.sources[i]
        if is_below(vertices, v, below) and not is_below(vertices, v, end):
            stage(s.queues, vertices, state.level, v)
    state.work += below.sources + s.queues.queues[state.level].staged
    prepend(s.queues, state.level)


@njit
def base_case(s: Search) -> None:
    """Complete the k nearest descendants of the source, itself included, that are below the bound.

    The call ends at its bound if there were no more than k, else at the label of the
    next. Here that one stays in the heap; the paper takes it out and completes k + 1
    vertices less the last, which is the same.
    """
    frame, end, state, vertices, heap = s.frames[0], s.ends[0], s.state[0], s.vertices, s.heap
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
    copy_label(end, frame)
    if size > 0:
        end.vertex = heap[0]
        end.length = vertices[end.vertex].length
        end.zeros = vertices[end.vertex].zeros
    for i in range(size):
        vertices[heap[i]].place = NONE
    state.work += state.pass_relaxed + 1
    end_pass(s, s.order[frame.begin : state.completed])


@njit(inline="always")
def _is_nearer(vertices: AnyArray, a: int, b: int) -> bool:
    return precedes(
        vertices[a].length, vertices[a].zeros, a, vertices[b].length, vertices[b].zeros, b
    )


@njit
def _sift_up(vertices: AnyArray, heap: AnyArray, hole: int, v: int) -> None:
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


@njit
def _pop(vertices: AnyArray, heap: AnyArray, size: int) -> int:
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


@njit
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


@njit
def relax_rounds(s: Search, until: int) -> bool:
    """Continue the rounds until ``state.work`` is ``until``; whether they are over.

    They end at once when more than k times the sources have been reached: all sources
    are pivots then, and the other vertices reached are not needed.
    """
    state = s.state[0]
    frame = s.frames[state.level]
    while state.work < until:
        if state.cursor < state.front:
            _relax_in_round(s, s.fronts[state.side, state.cursor])
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


@njit
def _relax_in_round(s: Search, u: int) -> None:
    """Relax the arcs of ``u``, until too much has been reached; what improves is in the
    next front.
    """
    state, vertices = s.state[0], s.vertices
    frame = s.frames[state.level]
    most = s.k * frame.sources
    begin = s.indptr[u]
    for arc in range(begin, s.indptr[u + 1]):
        state.work += 1
        state.pass_relaxed += 1
        v = s.indices[arc]
        if not _improve(s, u, arc) or not is_below(vertices, v, frame):
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


@njit
def choose_pivots(s: Search) -> None:
    """Open the call's queue and insert the pivots; there is room for all sources."""
    state, vertices = s.state[0], s.vertices
    frame = s.frames[state.level]
    open_queue(s.queues, state.level, frame)
    many = frame.reached > s.k * frame.sources
    if many:
        frame.reached = 0
    else:
        _count_descendants(
            vertices, s.reached[frame.reached_at : frame.reached_at + frame.reached], state.calls
        )
    for i in range(frame.sources):
        v = s.sources[frame.sources_at + i]
        if many or vertices[v].descendants >= s.k:
            insert(s.queues, vertices, state.level, v)
    state.work += frame.sources + frame.reached


@njit
def _count_descendants(vertices: AnyArray, reached: AnyArray, call: int) -> None:
    """Set ``descendants`` of each root of the forest of predecessors among ``reached``,
    itself included.
    """
    for v in reached:
        vertices[v].root = NONE
        vertices[v].descendants = 0
    for v in reached:
        vertices[_root(vertices, v, call)].descendants += 1


@njit
def _root(vertices: AnyArray, v: int, call: int) -> int:
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
