"""Pivots of a connected graph, the numbers of arcs from them to all vertices, and pivot MDS. No Qt.

Deep graphs, such as roads, take pivots far from one another, found in rounds: each
round takes the farthest vertices of the regions around the pivots so far, and its
breadth-first searches run on all cores. In shallow graphs, such as social networks,
farthest vertices are outliers; random pivots represent them better, and 64 searches
advance together, one bit of a word each (Then et al. 2014).

Pivot MDS is the classical scaling of all vertices by their distances to pivots (Brandes
and Pich 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solvers.picture.layout.adjacency import Neighbours
from solvers.system.array_types import Float32s, Float64s, Int16s, Int32s, Int64s, UInt32s, UInt64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import atomic_add, load_shared
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, in_threads, in_watched_threads, split_evenly

SHALLOW = 32  # arcs from end to end up to which searches advance together
MOST_HOPS = 32_000  # larger numbers of arcs count as this
WORD = 64  # searches that advance together
_SEARCH_PIECE = 60_000  # vertices between two cancellation checks
_DENSE = 16  # neighbours a vertex, from which also the searches of small graphs advance together
_ROWS = 100  # searches of small graphs between two cancellation checks
_CLAIMED = 20_000  # vertices from which two threads look for their nearest pivots
_ROUND = 16  # searches that run side by side, independent of the number of cores
_FIRST = 8  # pivots of the first picture, or somewhat more
_MANY = 500_000  # vertices from which on it has fewer ...
_FEW = 4  # ... so that it comes soon
# distance of two pivots of one round, relative to that of the later one from earlier
# pivots
_APART = 0.8

_Advance = Callable[[int, int], None]

_SAMPLE = 20_000  # vertices from which the axes are computed; more do not change them visibly
_MDS_BLOCK = 1_000  # rows of the sample that are added up together
_ROTATED = 32  # most columns whose eigenvectors are found by rotations, in some 0.4 ms
# rotations of each pair of columns, at most, and the share of squares off the diagonal at the end
_ROTATIONS, _EXACT = 30, 1e-30
_MDS_PIECE = 5_000  # vertices that are worth a thread


@dataclass(frozen=True, eq=False)
class Pivots:
    """Pivots and the regions of the vertices nearest to each."""

    vertices: Int32s  # (k,)
    hops: Int16s  # (n, k): number of arcs from each pivot, at most `MOST_HOPS`
    sizes: Float64s  # (k,): number of vertices of each region
    squares: Float64s  # (k,): mean square of the number of arcs from the pivot within its region
    shallow: bool  # whether the graph has at most about `SHALLOW` arcs from end to end


def depth_of(adjacency: Neighbours) -> int:
    """Greatest number of arcs from the vertex that a breadth-first search from vertex 0
    finds last.
    """
    hops = np.empty(adjacency.n, np.int16)
    far = _search(*adjacency.unsigned, adjacency.n - 1, hops)
    return int(hops[far])


def pivots_of(
    adjacency: Neighbours,
    count: int,
    team: ThreadTeam,
    rng: np.random.Generator,
    progress: Progress = SILENT,
    advance: _Advance = lambda done, total: None,
    early: Callable[[Int16s], None] | None = None,
) -> Pivots:
    """Choose up to ``count`` pivots of a connected graph in breadth-first order.

    ``advance`` is called with (done, total) after each round of searches; ``early``
    with the first (n, k) numbers of arcs if more than twice as many are to come.
    """
    count = min(count, adjacency.n)
    hops_from_end = np.empty(adjacency.n, np.int16)
    farthest = _search(*adjacency.unsigned, adjacency.n - 1, hops_from_end)
    if hops_from_end[farthest] <= SHALLOW:
        chosen = np.sort(rng.permutation(adjacency.n)[:count]).astype(np.int32)
        hops = hops_together(adjacency, chosen, team, progress, advance)
        nearest, owner = hops.min(axis=1), hops.argmin(axis=1).astype(np.int32)
        return _with_regions(chosen, hops, nearest, owner, shallow=True)
    return _far_apart(adjacency, hops_from_end, count, team, progress, advance, early)


def hops_together(
    adjacency: Neighbours,
    pivots: Int32s,
    team: ThreadTeam,
    progress: Progress = SILENT,
    advance: _Advance = lambda done, total: None,
) -> Int16s:
    """(n, k) numbers of arcs from the pivots of a connected shallow graph."""
    n = adjacency.n
    hops = np.zeros((n, len(pivots)), np.int16)
    runs = split_evenly(n, max(team.threads, -(-n // _SEARCH_PIECE)))
    for first in range(0, len(pivots), WORD):
        word = pivots[first : first + WORD]
        seen, now, fresh = (np.zeros(n, np.uint64) for _ in range(3))
        seen[word] = now[word] = np.uint64(1) << np.arange(len(word), dtype=np.uint64)
        level = 0
        while now.any():
            level += 1
            team.run_over(
                runs,
                _advance_word,
                adjacency.indptr,
                adjacency.indices,
                seen,
                now,
                fresh,
                hops,
                first,
                level,
                progress=progress,
            )
            now, fresh = fresh, now
        advance(min(first + WORD, len(pivots)), len(pivots))
    return hops


def hops_from_all(adjacency: Neighbours, team: ThreadTeam, progress: Progress = SILENT) -> Int16s:
    """(n, n) numbers of arcs between all vertices of a small connected graph."""
    n = adjacency.n
    if len(adjacency.indices) > _DENSE * n and depth_of(adjacency) <= SHALLOW:
        return hops_together(adjacency, np.arange(n, dtype=np.int32), team, progress)
    hops = np.empty((n, n), np.int16)
    rows = split_evenly(n, max(1, n // _ROWS))
    team.run_over(rows, _search_each, *adjacency.unsigned, hops, progress=progress)
    return hops


def _far_apart(
    adjacency: Neighbours,
    hops_from_end: Int16s,
    count: int,
    team: ThreadTeam,
    progress: Progress,
    advance: _Advance,
    early: Callable[[Int16s], None] | None,
) -> Pivots:
    """Pivots far from one another, with as many searches side by side as there are
    pivots, up to `_ROUND`.

    ``hops_from_end`` are the (n,) numbers of arcs from the last vertex, the first
    pivot.
    """
    n = adjacency.n
    rows = np.empty((count, n), np.int16)
    nearest, owner = np.full(n, MOST_HOPS + 1, np.int16), np.zeros(n, np.int32)
    chosen = np.array([n - 1], np.int32)  # last in breadth-first order, so an end of the graph
    rows[0] = hops_from_end
    shown_at = _FEW if n >= _MANY else _FIRST
    sharing = min(team.threads, 1 + n // _CLAIMED)
    done = 0
    while True:
        fresh, before = len(chosen) - done, done
        if before:  # the first is there
            state = np.zeros(2, np.int64)
            work = state, *adjacency.unsigned, chosen[before:], rows[before:]
            in_watched_threads(
                min(team.threads, fresh), progress.checkpoint, state, _search_some, *work
            )
        done = len(chosen)
        farthest = np.empty((sharing, done), np.int32)
        own = rows[:done], before, nearest, owner, farthest
        in_threads(sharing, _claim, sharing, *own)
        advance(done, count)
        if done == count:
            break
        if early is not None and before < shown_at <= done and count > 2 * done:
            early(rows[:done].T)
        ends = _farthest(farthest, nearest)
        ends = ends[nearest[ends] > 0]  # not the pivot itself
        ends = ends[np.argsort(-nearest[ends], kind="stable")]
        chosen = np.concatenate(
            (chosen, _apart(ends, rows[:done], nearest, min(_ROUND, count - done)))
        )
    hops = np.empty((n, count), np.int16)
    runs = split_evenly(n, max(team.threads, n // _SEARCH_PIECE))

    def turn(first: int, last: int) -> None:
        hops[first:last] = rows[:, first:last].T

    team.run_over(runs, turn, progress=progress)
    return _with_regions(chosen, hops, nearest, owner, shallow=False)


def _apart(ends: Int32s, rows: Int16s, nearest: Int16s, most: int) -> Int32s:
    """The first of ``ends``, and up to ``most`` in all that are known to be far from
    those before them.

    By the triangle inequality two vertices are at least as far apart as their distances
    to any pivot differ. Without this, two regions with a common border would both offer
    the same place.
    """
    kept = [int(ends[0])]
    for v in ends[1:].tolist():
        if len(kept) == most:
            break
        least = np.abs(rows[:, kept].astype(np.int32) - rows[:, [v]]).max(axis=0)
        if (least >= _APART * nearest[v]).all():
            kept.append(v)
    return np.array(kept, np.int32)


def _with_regions(
    chosen: Int32s, hops: Int16s, nearest: Int16s, owner: Int32s, *, shallow: bool
) -> Pivots:
    sizes = np.bincount(owner, minlength=len(chosen)).astype(np.float64)
    squares = np.bincount(owner, weights=nearest.astype(np.float64) ** 2, minlength=len(chosen))
    return Pivots(chosen, hops, sizes, squares / np.maximum(sizes, 1.0), shallow)


@njit
def _search(indptr: UInt64s, indices: UInt32s, root: int, hops: Int16s) -> int:
    """Write the numbers of arcs from ``root`` to ``hops``; returns the vertex that was
    reached last. Without a branch on what is new, which cannot be predicted.
    """
    hops[:] = -1
    queue = np.empty(hops.shape[0] + 1, np.uint32)
    queue[0] = root
    hops[root] = 0
    head, tail = np.uint64(0), np.uint64(1)
    while head < tail:
        u = np.uint64(queue[head])
        head += np.uint64(1)
        further = np.int16(min(hops[u] + 1, MOST_HOPS))
        for arc in range(indptr[u], indptr[u + np.uint64(1)]):
            v = indices[arc]
            queue[tail] = v
            tail += np.uint64(hops[v] < 0)
            hops[v] = further if hops[v] < 0 else hops[v]
    return int(np.int64(queue[tail - np.uint64(1)]))


@njit
def _search_some(
    _: int,
    state: Int64s,  # set to end all threads; the next search
    indptr: UInt64s,
    indices: UInt32s,
    roots: Int32s,
    rows: Int16s,
) -> None:
    """Search from root after root; several threads share them."""
    while load_shared(state, 0) == 0:
        i = atomic_add(state, 1, 1)
        if i >= len(roots):
            break
        _search(indptr, indices, roots[i], rows[i])


@njit
def _search_each(indptr: UInt64s, indices: UInt32s, hops: Int16s, first: int, last: int) -> None:
    """Row ``v`` of ``hops`` for the roots ``first .. last - 1``."""
    for root in range(first, last):
        _search(indptr, indices, root, hops[root])


@njit
def _advance_word(
    indptr: Int64s,
    indices: Int32s,
    seen: UInt64s,
    now: UInt64s,
    fresh: UInt64s,
    hops: Int16s,
    column: int,
    level: int,
    first: int,
    last: int,
) -> None:
    """One level of up to 64 searches, those of the pivots from ``column`` on, for the
    vertices ``first .. last - 1``.

    ``now`` holds the searches that reached each vertex in the level before.
    """
    width = min(WORD, hops.shape[1] - column)
    everything = ~np.uint64(0) >> np.uint64(WORD - width)
    for v in range(first, last):
        fresh[v] = 0
        missing = everything & ~seen[v]
        if missing == 0:
            continue
        reached = np.uint64(0)
        for arc in range(indptr[v], indptr[v + 1]):
            reached |= now[indices[arc]]
        reached &= missing
        fresh[v] = reached
        seen[v] |= reached
        i = 0
        while reached:
            if reached & np.uint64(1):
                hops[v, column + i] = level
            reached >>= np.uint64(1)
            i += 1


@njit
def _claim(
    part: int,
    parts: int,
    rows: Int16s,
    before: int,
    nearest: Int16s,
    owner: Int32s,
    farthest: Int32s,
) -> None:
    """Give pivots the vertices that are nearer to them than to all pivots ``before``, and find
    the first vertex of each region that is farthest from its pivot, both of one range of the
    vertices.

    ``farthest`` is (parts, pivots), -1 where a region has none in a range.
    """
    n = len(nearest)
    begin, end = n * part // parts, n * (part + 1) // parts
    for pivot in range(before, len(rows)):
        hops = rows[pivot]
        for v in range(begin, end):
            if hops[v] < nearest[v]:
                nearest[v] = hops[v]
                owner[v] = pivot
    ends = farthest[part]
    ends[:] = -1
    for v in range(begin, end):
        known = ends[owner[v]]
        if known < 0 or nearest[v] > nearest[known]:
            ends[owner[v]] = v


def _farthest(farthest: Int32s, nearest: Int16s) -> Int32s:
    """(pivots,) the first vertex of each region that is farthest from its pivot, by those of
    ranges.
    """
    far = np.where(farthest < 0, np.int16(-1), nearest[farthest])
    ends: Int32s = farthest[far.argmax(axis=0), np.arange(farthest.shape[1])]
    return ends


def pivot_mds(
    hops: Int16s, columns: int, team: ThreadTeam, progress: Progress = SILENT
) -> Float32s:
    """(n, 2) places of all vertices by the first ``columns`` of (n, k) distances to pivots,
    with as large a mean square.
    """
    hops = np.ascontiguousarray(hops)  # rows are read by vector instructions
    n, step = len(hops), max(1, len(hops) // _SAMPLE)
    sampled = -(-n // step)
    blocks = -(-sampled // _MDS_BLOCK)
    sharing = min(team.threads, blocks)
    sums, products = np.zeros((blocks, columns)), np.zeros((blocks, columns, columns), np.float32)
    in_threads(sharing, _add_squares, sharing, hops, step, sums)
    means = sums.sum(axis=0) / sampled
    in_threads(sharing, _add_products, sharing, hops, step, means.astype(np.float32), products)
    inner = products.sum(axis=0, dtype=np.float64) / sampled
    # LAPACK's threads would keep all cores busy for a while; of few vertices there is no other work
    is_rotated = blocks > 1 and columns <= _ROTATED
    values, vectors = _eigenpairs(inner) if is_rotated else np.linalg.eigh(inner, "U")
    axes = (
        vectors[:, -2:][:, ::-1]
        if len(values) > 1
        else np.column_stack((vectors, np.zeros_like(vectors)))
    )
    square = float(values[-2:].sum())  # mean square of the places along the axes
    axes = axes * (math.sqrt(means.mean() / 2.0 / square) if square > 0 else 1.0)
    progress.checkpoint()
    places = np.empty((n, 2), np.float32)
    sharing = min(team.threads, 1 + n // _MDS_PIECE)
    in_threads(sharing, _place, sharing, hops, means, axes, places)
    return places


@njit
def _add_squares(part: int, parts: int, hops: Int16s, step: int, sums: Float64s) -> None:
    """Sums of the squares of each column in every ``step``-th row, of whole numbers and
    therefore exact; the rows in blocks, of which every ``parts``-th is added here.
    """
    for block in range(part, len(sums), parts):
        into = sums[block]
        for v in range(*_rows_of(block, step, len(hops))):
            row = hops[v]
            for i in range(len(into)):
                into[i] += float(row[i]) * float(row[i])


@njit(fastmath=True)
def _add_products(
    part: int, parts: int, hops: Int16s, step: int, means: Float32s, products: Float32s
) -> None:
    """Sums of the products of two columns, in and above the diagonal, as `_add_squares`.

    Minus half of the squares, with zero means of rows and columns, are inner products.
    """
    row, columns = np.empty_like(means), np.empty((len(means), _MDS_BLOCK), np.float32)
    for block in range(part, len(products), parts):
        rows = 0
        for v in range(*_rows_of(block, step, len(hops))):
            _centre(hops[v], means, row)
            columns[:, rows] = row
            rows += 1
        for i in range(len(means)):
            for j in range(i, len(means)):
                one, other, total = columns[i], columns[j], np.float32(0.0)
                for k in range(rows):
                    total += one[k] * other[k]
                products[block, i, j] = total


@njit
def _rows_of(block: int, step: int, n: int) -> tuple[int, int, int]:
    """The range of the rows of a block."""
    return block * _MDS_BLOCK * step, min(n, (block + 1) * _MDS_BLOCK * step), step


# inlined, as two copies, of this process and from the cache, may add in another order
@njit(fastmath=True, forceinline=True)
def _centre(hops: Int16s, means: Float32s, row: Float32s) -> None:
    total = np.float32(0.0)
    for i in range(len(row)):
        row[i] = np.float32(hops[i]) * np.float32(hops[i]) - means[i]
        total += row[i]
    total /= np.float32(len(row))
    for i in range(len(row)):
        row[i] = np.float32(-0.5) * (row[i] - total)


@njit
def _eigenpairs(upper: Float64s) -> tuple[Float64s, Float64s]:
    """As ``np.linalg.eigh(upper, "U")``, by Jacobi's rotations: one thread, which leaves none
    spinning.
    """
    k = len(upper)
    rest, vectors = np.triu(upper) + np.triu(upper, 1).T, np.eye(k)  # vectors by row
    least = _EXACT * (rest * rest).sum()
    for _ in range(_ROTATIONS):
        if (np.triu(rest, 1) ** 2).sum() <= least:
            break
        for p in range(k - 1):
            for q in range(p + 1, k):
                if rest[p, q] == 0.0:
                    continue
                ratio = (rest[q, q] - rest[p, p]) / (2.0 * rest[p, q])
                tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.hypot(ratio, 1.0))
                cosine = 1.0 / math.hypot(tangent, 1.0)
                _turn(rest.T, p, q, cosine, tangent * cosine)
                _turn(rest, p, q, cosine, tangent * cosine)
                _turn(vectors, p, q, cosine, tangent * cosine)
    order = np.argsort(np.diag(rest))
    return np.diag(rest)[order], vectors[order].T


@njit
def _turn(rows: Float64s, p: int, q: int, cosine: float, sine: float) -> None:
    for i in range(rows.shape[1]):
        one, other = rows[p, i], rows[q, i]
        rows[p, i] = cosine * one - sine * other
        rows[q, i] = sine * one + cosine * other


@njit(fastmath=True)
def _place(
    part: int, parts: int, hops: Int16s, means: Float64s, axes: Float64s, places: Float32s
) -> None:
    """Places of one range of the vertices: their centred rows along the axes."""
    n, columns = len(hops), len(means)
    along_x, along_y = axes[:, 0].copy(), axes[:, 1].copy()
    # what is taken off all rows, and for each unit of the mean of a row
    x, y, each_x, each_y = 0.0, 0.0, along_x.sum(), along_y.sum()
    mean = means.mean()
    for i in range(columns):
        x += (means[i] - mean) * along_x[i]
        y += (means[i] - mean) * along_y[i]
    for v in range(n * part // parts, n * (part + 1) // parts):
        row, to_x, to_y, total = hops[v], 0.0, 0.0, 0.0
        for i in range(columns):
            square = float(row[i]) * float(row[i])
            to_x += square * along_x[i]
            to_y += square * along_y[i]
            total += square
        total /= columns
        places[v, 0] = -0.5 * (to_x - x - total * each_x)
        places[v, 1] = -0.5 * (to_y - y - total * each_y)
