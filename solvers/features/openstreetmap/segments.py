"""Segments, the straight pieces of ways between two successive nodes, and the chains
that they are contracted to.

Segments have lengths and travel times. They are joined through nodes of degree 2, so
that vertices are junctions and dead ends. First within ways: a node inside a way that
touches nothing else is no vertex. The runs of segments left are *pieces*. Then across
ways: two pieces that meet at a node of degree 2 are joined if both may be used in the
same directions and have the same name. Arrays do the work of both steps but the walk
along joined pieces, which are few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solvers.features.openstreetmap.extract import Extract, Ways
from solvers.graphs.csr import slices
from solvers.graphs.weighting import great_circle
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s, UInt8s
from solvers.system.ranges import offsets_of

_KMH = 3.6  # km/h of a metre a second

_NO_END = -1
_NOBODY, _VISITORS, _ALL = range(3)
_WALKED = 10_000  # chains between two checks for cancellation


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of all ways, way by way; those with a missing end are left out.

    A node with a barrier is parted: each segment that ends there has an end of its own,
    so that roads lead up to it and no way leads through.
    """

    ids: Int64s  # (n,) those of `Extract.ids`, then of the further ends at barriers, ascending
    xy: Float64s  # (n, 2) degrees
    tails: Int64s  # (s,) indices of the nodes in ``ids``
    heads: Int64s  # (s,)
    ways: Int64s  # (s,)
    follows: Bools  # (s,) whether a segment begins where the one before it in the same way ends
    metres: Float64s  # (s,)
    there: Float64s  # (s,) seconds along the way; infinite where it may not be used
    back: Float64s  # (s,) seconds against it
    missing: int  # segments left out because a node is not in the file

    def __len__(self) -> int:
        return len(self.tails)


def segments_of(extract: Extract, checkpoint: Callable[[], None]) -> Segments:
    ways, xy = extract.ways, extract.xy
    nodes = np.empty(len(ways.refs), np.int64)
    for begin, end in slices(len(nodes)):
        nodes[begin:end] = np.searchsorted(extract.ids, ways.refs[begin:end])
        checkpoint()
    way_of = np.repeat(np.arange(len(ways)), np.diff(ways.offsets))
    within = way_of[1:] == way_of[:-1]
    tails, heads = nodes[:-1], nodes[1:]
    placed = np.isfinite(xy[:, 0])
    known = placed[tails] & placed[heads]
    chosen = np.flatnonzero(within & known & (tails != heads))
    checkpoint()
    metres = _lengths(xy, tails[chosen], heads[chosen], checkpoint)
    ways_of_chosen = way_of[chosen]
    there, back = _seconds(extract, ways_of_chosen, metres)
    follows = np.zeros(len(chosen), np.bool_)
    follows[1:] = (np.diff(chosen) == 1) & (ways_of_chosen[1:] == ways_of_chosen[:-1])
    missing = int(np.count_nonzero(within & ~known))
    ids, place, ends = _parted_at_barriers(extract, np.concatenate((tails[chosen], heads[chosen])))
    tails, heads = ends[: len(chosen)], ends[len(chosen) :]
    return Segments(
        ids, xy[place], tails, heads, ways_of_chosen, follows, metres, there, back, missing
    )


def _parted_at_barriers(extract: Extract, ends: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Ids of the nodes and of further ones at barriers, the node of `Extract` of each, and
    the ends with them.

    The first end at a barrier keeps the node's id; the others get ids beyond those of the
    file.
    """
    blocked = np.isin(extract.ids, extract.ways.stopping, assume_unique=True)
    here = np.flatnonzero(blocked[ends])
    _, first = np.unique(ends[here], return_index=True)
    further = np.delete(here, first)
    nodes, ends = len(extract.ids), ends.copy()
    place = np.concatenate((np.arange(nodes), ends[further]))
    ends[further] = np.arange(nodes, len(place))
    new = extract.ids[-1] + 1 + np.arange(len(further))
    return np.concatenate((extract.ids, new)), place, ends


def _lengths(
    xy: Float64s, tails: Int64s, heads: Int64s, checkpoint: Callable[[], None]
) -> Float64s:
    metres = np.empty(len(tails))
    for begin, end in slices(len(tails)):
        metres[begin:end] = great_circle(xy[tails[begin:end]], xy[heads[begin:end]])
        checkpoint()
    return metres


def _seconds(extract: Extract, ways: Int64s, metres: Float64s) -> tuple[Float64s, Float64s]:
    """Travel times in both directions; a known time of a whole way is divided by length."""
    table = extract.ways
    whole = np.bincount(ways, metres, minlength=len(table))
    timed = (table.seconds > 0) & (whole > 0)
    pace = np.divide(table.seconds, whole, out=np.zeros(len(table)), where=timed)  # seconds a metre
    times = []
    for speed in (table.forward, table.backward):
        is_open = speed > 0
        usual = np.divide(_KMH, speed, out=np.zeros(len(table)), where=is_open)
        slowness = np.where(timed, pace, usual)
        times.append(np.where(is_open[ways], metres * slowness[ways], np.inf))
    return times[0], times[1]


@dataclass(frozen=True, eq=False)
class Chains:
    """Roads between two vertices.

    The nodes between the ends of chain ``k``, from first to last, are
    ``nodes[offsets[k]:offsets[k + 1]]``.
    """

    first: Int64s  # (c,) indices of the nodes at the ends
    last: Int64s  # (c,)
    name_of: Int32s  # (c,)
    class_of: UInt8s  # (c,) of the first of its ways
    metres: Float64s  # (c,)
    there: Float64s  # (c,) seconds from first to last; infinite where it may not be used
    back: Float64s  # (c,) and from last to first
    offsets: Int64s  # (c + 1,)
    nodes: Int64s
    ways: Int64s  # (c, 2) ways at the first and at the last end
    # (c, 2) whether it is for destination only, from first to last and back
    for_destination: Bools
    # (c, 2) whether who arrives at the first end, and at the last, travels along the way
    along: Bools

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Runs of segments of one way without a vertex between them."""

    starts: Int64s  # (q + 1,): piece k has the segments starts[k] to starts[k + 1] - 1
    ends: Int64s  # (2q,): node at the beginning of each piece, then at the end of each
    name_of: Int32s
    class_of: UInt8s
    # who may use it along the way, and against it: `_NOBODY`, `_VISITORS` or `_ALL`
    there: UInt8s
    back: UInt8s

    def __len__(self) -> int:
        return len(self.starts) - 1


def contract(
    segments: Segments,
    nodes: int,
    ways: Ways,
    checkpoint: Callable[[], None] = lambda: None,
    kept: Int64s | None = None,
) -> Chains:
    """Join segments through nodes of degree 2 but those ``kept``; ``nodes`` is the number
    of nodes.
    """
    degree = np.bincount(segments.tails, minlength=nodes) + np.bincount(
        segments.heads, minlength=nodes
    )
    if kept is not None:
        degree[kept] = np.maximum(degree[kept], 3)
    pieces = _pieces(segments, degree, ways)
    checkpoint()
    order, turned, begins = _walks(_links(pieces, degree), checkpoint)
    checkpoint()
    return _joined(segments, pieces, order, turned, begins)


def _pieces(segments: Segments, degree: Int64s, ways: Ways) -> _Pieces:
    count = len(segments)
    begins = ~(segments.follows & (degree[segments.tails] == 2))
    firsts = np.flatnonzero(begins)
    starts = np.append(firsts, count)
    ends = np.concatenate((segments.tails[firsts], segments.heads[starts[1:] - 1]))
    way = segments.ways[firsts]
    there, back = (
        np.where(np.isinf(seconds[firsts]), _NOBODY, _ALL - ways.for_destination[way, side])
        for side, seconds in enumerate((segments.there, segments.back))
    )
    return _Pieces(starts, ends, ways.name_of[way], ways.class_of[way], there, back)


def _links(pieces: _Pieces, degree: Int64s) -> Int64s:
    """For each end of a piece, the end that it is joined to, or `_NO_END`.

    The beginning of piece ``p`` is end ``p``, its end is end ``p + q`` of ``q`` pieces.
    """
    count = len(pieces)
    candidates = np.flatnonzero(degree[pieces.ends] == 2)
    order = candidates[np.argsort(pieces.ends[candidates], kind="stable")]
    # a node of degree 2 that ends pieces ends exactly two, or one at both ends
    one, other = order[0::2], order[1::2]
    p, q = one % count, other % count
    into_p = np.where(one >= count, pieces.there[p], pieces.back[p])  # towards the node
    from_p = np.where(one >= count, pieces.back[p], pieces.there[p])
    into_q = np.where(other >= count, pieces.there[q], pieces.back[q])
    from_q = np.where(other >= count, pieces.back[q], pieces.there[q])
    fit = (
        (p != q)
        & (pieces.name_of[p] == pieces.name_of[q])
        & (into_p == from_q)
        & (into_q == from_p)
    )
    links = np.full(2 * count, _NO_END, np.int64)
    links[one[fit]], links[other[fit]] = other[fit], one[fit]
    return links


def _walks(links: Int64s, checkpoint: Callable[[], None]) -> tuple[Int64s, Bools, Int64s]:
    """The pieces chain by chain, whether each is passed backwards, and where each chain begins."""
    count = len(links) // 2
    is_joined = links != _NO_END
    has_link = is_joined[:count] | is_joined[count:]
    alone = np.flatnonzero(~has_link)
    order: list[int] = []
    begins: list[int] = []
    visited = np.zeros(count, np.bool_)
    free = np.flatnonzero(~is_joined & np.concatenate((has_link, has_link)))
    rings = np.flatnonzero(has_link)  # those not visited from a free end form rings
    table = links.tolist()
    for number, start in enumerate(np.concatenate((free, rings)).tolist()):
        if number % _WALKED == 0:
            checkpoint()
        if visited[start % count]:
            continue
        begins.append(len(order))
        end = start
        while end != _NO_END and not visited[end % count]:
            visited[end % count] = True
            order.append(end)
            end = table[(end + count) % (2 * count)]
    entered = np.concatenate((alone, np.array(order, np.int64)))
    starts = np.concatenate((np.arange(len(alone)), np.array(begins, np.int64) + len(alone)))
    return entered % max(1, count), entered >= count, starts.astype(np.int64)


def _joined(
    segments: Segments, pieces: _Pieces, order: Int64s, turned: Bools, begins: Int64s
) -> Chains:
    count = np.diff(pieces.starts)[order]
    stop = np.cumsum(count)
    step = np.arange(int(stop[-1]) if len(stop) else 0) - np.repeat(stop - count, count)
    backwards = np.repeat(turned, count)
    index = np.where(
        backwards,
        np.repeat(pieces.starts[order + 1], count) - 1 - step,
        np.repeat(pieces.starts[order], count) + step,
    )
    after = np.where(backwards, segments.tails[index], segments.heads[index])
    there = np.where(backwards, segments.back[index], segments.there[index])
    back = np.where(backwards, segments.there[index], segments.back[index])
    chain_stop = np.append(stop[begins[1:] - 1], stop[-1:]) if len(begins) else stop
    chain_start = np.concatenate(([0], chain_stop[:-1])).astype(np.int64)[: len(begins)]
    is_last = np.zeros(len(index), np.bool_)
    is_last[chain_stop - 1] = True
    lead = order[begins]
    first = np.where(turned[begins], pieces.ends[lead + len(pieces)], pieces.ends[lead])
    return Chains(
        first,
        after[chain_stop - 1],
        pieces.name_of[lead],
        pieces.class_of[lead],
        _sums(segments.metres[index], chain_start),
        _sums(there, chain_start),
        _sums(back, chain_start),
        offsets_of(chain_stop - chain_start - 1),
        after[~is_last],
        segments.ways[index[np.stack((chain_start, chain_stop - 1), axis=1)]],
        np.where(
            turned[begins, None],
            np.stack((pieces.back[lead], pieces.there[lead]), axis=1),
            np.stack((pieces.there[lead], pieces.back[lead]), axis=1),
        )
        == _VISITORS,
        np.stack((backwards[chain_start], ~backwards[chain_stop - 1]), axis=1),
    )


def _sums(values: Float64s, starts: Int64s) -> Float64s:
    return np.add.reduceat(values, starts) if len(starts) else values[:0]
