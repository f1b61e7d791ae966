"""Flows of the shortest paths from many sources together, over the arcs of a hierarchy.

A source climbs, and the sweep goes from the roots down, both with counts of shortest
paths: a path's last vertex above a vertex is unique, so each path is counted once. Then
the sweep goes back, from the lowest vertex to the roots. A flow ends at each vertex
that is reached, and is divided among the tight arcs in proportion to the paths over
them; what came by the climb goes back along it. The flow of every up arc is summed over
all sources.

The tree is swept in pieces (`flow_pieces`). What happens in a piece and below depends
on distances and counts at its boundary only, and of these on differences and ratios:
adding to all distances, or multiplying all counts, changes no share. Most sources come
to a distant piece by the same few ways, so they are *alike* there, and one column
stands for all of them, with the sum of their masses. Of 1,024 neighbours in a road
network, pieces of 64 vertices have one column in the median. Sources within a piece
keep columns of their own there, for what they climb.

Columns are swept sixteen together. A row holds distances, counts or shares of a slot,
and which columns each arc is tight in is a mask of sixteen bits. Backwards, arcs that
are tight in no column are skipped.

With ``count`` the shortest paths from the source to a vertex, the flow that passes or
ends there is the *share* of one path times ``count``. Shares need no division on the
way: an arc passes on the share of its head times its own count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.features.all_sources.flows.flow_pieces import FlowPieces
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt16s
from solvers.system.intrinsics import ROW, atomic_add
from solvers.system.jit import njit
from solvers.system.lane_rows import (
    align_rows,
    count_rows,
    end_rows,
    reached_rows,
    relax_rows,
    share_rows,
)

_WORK = 1 << 21  # rows of arcs between two looks at `FlowMemory.stop`, roughly


class FlowNetwork(NamedTuple):
    """What the sweeps read; paths longer than ``limit`` carry nothing."""

    parent: Int32s
    depth: Int32s
    size: Int32s
    up_first: Int64s
    up_depth: UInt16s
    up: AnyArray
    count_up: Float64s
    down: AnyArray  # by place, like the next two
    count_down: Float64s
    masses: Float64s  # (n,) of vertices as destinations
    infinity: Any
    limit: Any
    # whether sources are alike if their distances differ by the same: whole numbers
    # without a limit
    shifts: bool


class FlowSums(NamedTuple):
    """Sums over sources, one of each for each thread."""

    up: Float64s  # (threads, arcs up) flows from the lower end to the upper
    down: Float64s  # (threads, arcs up) and back, by place
    ends: Float64s  # (threads, n) what ends at each vertex, by place
    lengths: Float64s  # (threads, 1) of all paths, times what flows over them
    greatest: Float64s  # (threads, 1) greatest scaled count of paths


class FlowMemory(NamedTuple):
    """What each thread works with: stacks of the pieces that are open, and the climbs of a group.

    The rows of a piece are those of its first sixteen columns, by slot, then those of
    the next.
    """

    stop: Int64s  # (1,) is set to end all threads
    state: Int64s  # (threads, 4) see `GROUP`, ...
    frames: Int64s  # (threads, levels, 5) see `_PIECE`, ...
    distances: AnyArray  # (threads, rows, ROW)
    counts: Float64s
    shares: Float64s
    inside: UInt16s  # (threads, rows) columns in which paths end at a vertex
    tight: UInt16s  # (threads, arcs of rows)
    # (threads, columns) the source within the piece that a column belongs to, or `NONE`
    owner: Int32s
    origins: Float64s  # (threads, columns) sums of masses of sources
    offsets: Float64s  # (threads, columns) and of masses times what was taken off their distances
    arrived: Float64s  # (threads, columns) masses that are reached in the piece and below
    totals: Float64s  # (threads, columns) of their distances, times their masses
    farthest: Float64s  # (threads, columns) and the greatest distance
    column: Int32s  # (threads, columns) column of the next piece, or `NONE`
    factors: Float64s  # (threads, columns) by which its counts were multiplied
    shifts: Float64s  # (threads, columns) and what was taken off its distances
    table: Int32s  # (threads, 2 * columns of a piece) of hashes
    aligned: AnyArray  # (threads, height, ROW) what is compared at a boundary, like the next
    ratios: Float64s
    paths: Int32s  # (threads, sources, height), like the next three
    climbed: AnyArray
    climbed_counts: Float64s
    climbed_shares: Float64s


# group of sources, next piece, its level, sources that are done
GROUP, _NEXT, _LEVEL, DONE = range(4)
# what is found of a source: the masses that it reaches, the sum of their distances, times
# these, and the greatest distance, where nothing has a mass of 0 or lies beyond the limit
ARRIVED, TOTAL, FARTHEST = range(3)
# a piece, where its rows, masks, columns begin; columns
_PIECE, _ROWS, _TIGHT, _COLUMNS, _COUNT = range(5)


def flow_memory(
    pieces: FlowPieces, height: int, kind: np.dtype[Any], threads: int, columns: int
) -> FlowMemory:
    """Working memory of each thread for groups of so many sources."""
    rows_above, arcs_above, levels = pieces.deepest
    blocks = -(-columns // ROW)
    rows, masks = rows_above * blocks, arcs_above * blocks
    by_row, by_source = (threads, max(1, rows), ROW), (threads, columns, max(1, height))
    by_column = (threads, (levels + 1) * blocks * ROW)
    table = 1 << (2 * blocks * ROW - 1).bit_length()
    return FlowMemory(
        np.zeros(1, np.int64),
        np.zeros((threads, 4), np.int64),
        np.zeros((threads, levels + 1, 5), np.int64),
        np.empty(by_row, kind),
        np.empty(by_row),
        np.empty(by_row),
        np.empty(by_row[:2], np.uint16),
        np.empty((threads, max(1, masks)), np.uint16),
        np.empty(by_column, np.int32),
        np.empty(by_column),
        np.empty(by_column),
        np.empty(by_column),
        np.empty(by_column),
        np.empty(by_column),
        np.empty(by_column, np.int32),
        np.empty(by_column),
        np.empty(by_column),
        np.empty((threads, table), np.int32),
        np.empty((threads, max(1, height), ROW), kind),
        np.empty((threads, max(1, height), ROW)),
        np.empty(by_source, np.int32),
        np.empty(by_source, kind),
        np.empty(by_source),
        np.empty(by_source),
    )


@njit
def advance(
    t: int,
    starts: Int32s,  # ranks of the sources, ascending
    origins: Float64s,
    cuts: Int64s,  # (groups + 1,) where groups of sources begin
    network: FlowNetwork,
    pieces: FlowPieces,
    memory: FlowMemory,
    sums: FlowSums,
    places: Int64s,  # (sources,) where in ``arrived`` each is
    arrived: Float64s,  # (all sources, 3) see `ARRIVED`, ...
) -> None:
    """Threads take every so many groups, until ``memory.stop`` is set. ``sums`` need not be
    initialised.
    """
    state = memory.state[t]
    sums.up[t], sums.down[t], sums.ends[t] = 0.0, 0.0, 0.0
    sums.lengths[t], sums.greatest[t] = 0.0, 0.0
    while atomic_add(memory.stop, 0, 0) == 0 and state[GROUP] < len(cuts) - 1:
        begin, end = cuts[state[GROUP]], cuts[state[GROUP] + 1]
        _advance(
            t,
            _WORK,
            starts[begin:end],
            origins[begin:end],
            network,
            pieces,
            memory,
            sums,
            places[begin:end],
            arrived,
        )
        if state[_NEXT] == 0:
            state[GROUP] += len(memory.state)
            state[DONE] += end - begin


@njit
def _advance(
    t: int,
    work: int,
    starts: Int32s,
    origins: Float64s,
    network: FlowNetwork,
    pieces: FlowPieces,
    memory: FlowMemory,
    sums: FlowSums,
    places: Int64s,  # (sources,) where in ``arrived`` each is
    arrived: Float64s,  # (all sources, 3) see `ARRIVED`, ...
) -> None:
    """Sweep pieces of one group of sources until about so much work is done."""
    state, frames, number = memory.state[t], memory.frames[t], len(pieces.parent)
    if state[_NEXT] == 0:
        _begin(t, starts, origins, network, memory)
    while work > 0:
        p = state[_NEXT]
        above = pieces.parent[p] if p < number else NONE
        while frames[state[_LEVEL], _PIECE] != above:
            _sweep_back(t, state[_LEVEL], starts, network, pieces, memory, sums)
            state[_LEVEL] -= 1
        if p == number:
            _finish(t, starts, network, memory, sums.up[t], places, arrived)
            state[_NEXT] = 0
            break
        level = state[_LEVEL] + 1
        count = _merge(t, p, level, starts, network, pieces, memory)
        if count == 0:  # nothing is reached here and below
            state[_NEXT] = pieces.after[p]
            work -= 1
            continue
        _sweep_down(t, level, starts, network, pieces, memory, sums)
        state[_LEVEL], state[_NEXT] = level, p + 1
        arcs = pieces.arc_first[pieces.first[p + 1]] - pieces.arc_first[pieces.first[p]]
        work -= -(-count // ROW) * (arcs + 8)


@njit
def _begin(
    t: int, starts: Int32s, origins: Float64s, network: FlowNetwork, memory: FlowMemory
) -> None:
    """Climbs of all sources, and a frame above all pieces with a column for each."""
    memory.state[t, _LEVEL] = 0
    frame = memory.frames[t, 0]
    frame[_PIECE], frame[_ROWS], frame[_TIGHT], frame[_COLUMNS], frame[_COUNT] = (
        NONE,
        0,
        0,
        0,
        len(starts),
    )
    for i in range(len(starts)):
        _climb(
            starts[i],
            network,
            memory.paths[t, i],
            memory.climbed[t, i],
            memory.climbed_counts[t, i],
        )
        memory.climbed_shares[t, i, :] = 0.0
        memory.owner[t, i], memory.origins[t, i] = i, origins[i]
        memory.offsets[t, i] = memory.arrived[t, i] = 0.0
        memory.totals[t, i] = memory.farthest[t, i] = 0.0


@njit
def _finish(
    t: int,
    starts: Int32s,
    network: FlowNetwork,
    memory: FlowMemory,
    flows: Float64s,
    places: Int64s,
    arrived: Float64s,
) -> None:
    for i in range(len(starts)):
        found = arrived[places[i]]
        found[ARRIVED], found[TOTAL] = memory.arrived[t, i], memory.totals[t, i]
        found[FARTHEST] = memory.farthest[t, i]
        _climb_back(
            network.depth[starts[i]],
            network,
            memory.paths[t, i],
            memory.climbed[t, i],
            memory.climbed_counts[t, i],
            memory.climbed_shares[t, i],
            flows,
        )


@njit
def _climb(v: int, network: FlowNetwork, path: Int32s, reached: AnyArray, counts: Float64s) -> None:
    """Distances and counts of shortest paths over up arcs from ``v`` to its ancestors, by depth."""
    path[:], reached[:], counts[:] = NONE, network.infinity, 0.0
    reached[network.depth[v]], counts[network.depth[v]] = 0, 1.0
    while v != NONE:
        k = network.depth[v]
        path[k] = v
        if reached[k] < network.infinity:
            for a in range(network.up_first[v], network.up_first[v + 1]):
                if network.up[a] < network.infinity:
                    offered, above = reached[k] + network.up[a], network.up_depth[a]
                    if offered < reached[above]:
                        reached[above], counts[above] = offered, counts[k] * network.count_up[a]
                    elif offered == reached[above]:
                        counts[above] += counts[k] * network.count_up[a]
        v = network.parent[v]


@njit
def _merge(
    t: int,
    p: int,
    level: int,
    starts: Int32s,
    network: FlowNetwork,
    pieces: FlowPieces,
    memory: FlowMemory,
) -> int:
    """Open a piece: columns that are alike at its boundary become one; returns the
    number of columns.

    Those from which nothing is reached have none.
    """
    above, frame = memory.frames[t, level - 1], memory.frames[t, level]
    first, size = pieces.boundary_first[p], pieces.boundary_first[p + 1] - pieces.boundary_first[p]
    own_slots = pieces.first[p + 1] - pieces.first[p]
    slots, outer = size + own_slots, _slots(pieces, above[_PIECE])
    blocks_above = (above[_COUNT] + ROW - 1) // ROW
    rows = above[_ROWS] + blocks_above * outer
    masks = above[_TIGHT] + blocks_above * _arcs(pieces, above[_PIECE])
    columns = above[_COLUMNS] + blocks_above * ROW
    frame[_PIECE], frame[_ROWS], frame[_TIGHT], frame[_COLUMNS] = p, rows, masks, columns
    root = pieces.rank[pieces.first[p]]
    lowest = root - network.size[root]
    distances, counts, boundary = (
        memory.distances[t],
        memory.counts[t],
        pieces.boundary[first : first + size],
    )
    mask = 16
    while mask < 2 * above[_COUNT]:
        mask *= 2
    table = memory.table[t]
    table[:mask] = NONE
    mask -= 1
    found = 0
    aligned, ratios = memory.aligned[t], memory.ratios[t]
    nearest, paths, keys = np.empty(ROW, distances.dtype), np.empty(ROW), np.empty(ROW)
    for m in range(above[_COUNT]):
        at, lane, outer_column = above[_ROWS] + m // ROW * outer, m % ROW, above[_COLUMNS] + m
        if lane == 0:
            align_rows(
                distances,
                counts,
                at,
                boundary,
                network.infinity,
                network.shifts,
                nearest,
                paths,
                keys,
                aligned,
                ratios,
            )
        owner = memory.owner[t, outer_column]
        column, factor, shift = found, 1.0, distances.dtype.type(0)
        if owner != NONE and lowest < starts[owner] <= root:
            to, to_lane = rows + found // ROW * slots, found % ROW
            for j in range(size):
                distances[to + j, to_lane] = distances[at + boundary[j], lane]
                counts[to + j, to_lane] = counts[at + boundary[j], lane]
        else:
            owner = NONE
            if not nearest[lane] <= network.limit:
                memory.column[t, outer_column] = NONE
                continue
            shift = nearest[lane] if network.shifts else shift
            factor = 1.0 / paths[lane]
            key = np.uint64(np.float64(keys[lane]).view(np.int64)) * np.uint64(0x9E3779B97F4A7C15)
            place = np.int64((key >> np.uint64(32)) & np.uint64(mask))
            while table[place] != NONE:
                column = int(table[place])
                other, other_lane = rows + column // ROW * slots, column % ROW
                j = 0
                while (
                    j < size
                    and distances[other + j, other_lane] == aligned[j, lane]
                    and counts[other + j, other_lane] == ratios[j, lane]
                ):
                    j += 1
                if j == size:
                    break
                place = (place + 1) & mask
                column = found
            if column == found:
                table[place] = found
                to, to_lane = rows + found // ROW * slots, found % ROW
                for j in range(size):
                    distances[to + j, to_lane] = aligned[j, lane]
                    counts[to + j, to_lane] = ratios[j, lane]
        memory.column[t, outer_column], memory.factors[t, outer_column] = column, factor
        memory.shifts[t, outer_column] = shift
        into, mass = columns + column, memory.origins[t, outer_column]
        if column == found:
            memory.owner[t, into] = owner
            memory.origins[t, into] = memory.offsets[t, into] = memory.arrived[t, into] = 0.0
            memory.totals[t, into] = memory.farthest[t, into] = 0.0
            found += 1
        memory.origins[t, into] += mass
        memory.offsets[t, into] += memory.offsets[t, outer_column] + mass * shift
    frame[_COUNT] = found
    blocks = (found + ROW - 1) // ROW
    for c in range(found, blocks * ROW):
        memory.owner[t, columns + c], memory.origins[t, columns + c] = NONE, 0.0
        memory.offsets[t, columns + c] = memory.arrived[t, columns + c] = 0.0
        memory.totals[t, columns + c] = memory.farthest[t, columns + c] = 0.0
        for j in range(size):
            distances[rows + c // ROW * slots + j, c % ROW] = network.infinity
            counts[rows + c // ROW * slots + j, c % ROW] = 0.0
    memory.shares[t, rows : rows + blocks * slots] = 0.0
    return found


@njit
def _slots(pieces: FlowPieces, p: int) -> int:
    if p == NONE:
        return 0
    return (
        pieces.first[p + 1]
        - pieces.first[p]
        + pieces.boundary_first[p + 1]
        - pieces.boundary_first[p]
    )


@njit
def _arcs(pieces: FlowPieces, p: int) -> int:
    return (
        0
        if p == NONE
        else pieces.arc_first[pieces.first[p + 1]] - pieces.arc_first[pieces.first[p]]
    )


@njit
def _sweep_down(
    t: int,
    level: int,
    starts: Int32s,
    network: FlowNetwork,
    pieces: FlowPieces,
    memory: FlowMemory,
    sums: FlowSums,
) -> None:
    """Distances and counts of a piece's vertices from its root down."""
    frame = memory.frames[t, level]
    p, slots, arcs = frame[_PIECE], _slots(pieces, frame[_PIECE]), _arcs(pieces, frame[_PIECE])
    begin, end = pieces.first[p], pieces.first[p + 1]
    size, first = slots - (end - begin), pieces.arc_first[begin]
    slot, down = pieces.slot[first : first + arcs], network.down[first : first + arcs]
    factors = network.count_down[first : first + arcs]
    root = pieces.rank[begin]
    climbs = root - network.size[root] < starts[-1] and starts[0] <= root
    lengths, farthest, most = np.empty(ROW), np.empty(ROW), np.zeros(ROW)
    for block in range((frame[_COUNT] + ROW - 1) // ROW):
        rows, columns = frame[_ROWS] + block * slots, frame[_COLUMNS] + block * ROW
        distances, counts = (
            memory.distances[t, rows : rows + slots],
            memory.counts[t, rows : rows + slots],
        )
        tight = memory.tight[t, frame[_TIGHT] + block * arcs : frame[_TIGHT] + (block + 1) * arcs]
        owner, arrived = (
            memory.owner[t, columns : columns + ROW],
            memory.arrived[t, columns : columns + ROW],
        )
        lengths[:], farthest[:] = 0.0, 0.0
        for i in range(begin, end):
            own, v = size + i - begin, pieces.rank[i]
            lowest, above = pieces.arc_first[i] - first, pieces.arc_first[i + 1] - first
            on_path = False
            if climbs:
                for lane in range(ROW):
                    s = owner[lane]
                    distances[own, lane] = network.infinity
                    if s != NONE and v - network.size[v] < starts[s] <= v:
                        distances[own, lane], on_path = memory.climbed[t, s, network.depth[v]], True
            relax_rows(
                distances, own, on_path, distances, own, slot, down, lowest, above, network.infinity
            )
            if on_path:
                for lane in range(ROW):
                    s, counts[own, lane] = owner[lane], 0.0
                    if s != NONE and v - network.size[v] < starts[s] <= v:
                        if memory.climbed[t, s, network.depth[v]] == distances[own, lane]:
                            counts[own, lane] = memory.climbed_counts[t, s, network.depth[v]]
                        else:  # the climb is no shortest path
                            memory.climbed_counts[t, s, network.depth[v]] *= -1
            count_rows(
                distances,
                counts,
                own,
                on_path,
                slot,
                down,
                factors,
                tight,
                lowest,
                above,
                network.infinity,
            )
            inside = reached_rows(
                distances, own, network.limit, network.masses[i], lengths, arrived
            )
            for lane in range(ROW):
                most[lane] = max(most[lane], counts[own, lane])
            for lane in range(ROW):
                far = distances[own, lane]
                if far < network.infinity:
                    farthest[lane] = max(farthest[lane], np.float64(far))
            if on_path:  # no path leads from a source to itself
                for lane in range(ROW):
                    if owner[lane] != NONE and starts[owner[lane]] == v:
                        inside &= ~np.uint16(1 << lane)
                        arrived[lane] -= network.masses[i]
            memory.inside[t, rows + own] = inside
        for lane in range(ROW):
            sums.lengths[t, 0] += memory.origins[t, columns + lane] * lengths[lane]
            sums.lengths[t, 0] += memory.offsets[t, columns + lane] * arrived[lane]
            memory.totals[t, columns + lane] = lengths[lane]
            memory.farthest[t, columns + lane] = farthest[lane]
    sums.greatest[t, 0] = max(sums.greatest[t, 0], most.max())


@njit
def _sweep_back(
    t: int,
    level: int,
    starts: Int32s,
    network: FlowNetwork,
    pieces: FlowPieces,
    memory: FlowMemory,
    sums: FlowSums,
) -> None:
    """Shares of a piece's vertices up to its boundary, from where they go to the columns above."""
    frame, outer = memory.frames[t, level], memory.frames[t, level - 1]
    p, slots, arcs = frame[_PIECE], _slots(pieces, frame[_PIECE]), _arcs(pieces, frame[_PIECE])
    begin, end = pieces.first[p], pieces.first[p + 1]
    size, first = slots - (end - begin), pieces.arc_first[begin]
    slot, factors = pieces.slot[first : first + arcs], network.count_down[first : first + arcs]
    flows, root = sums.down[t, first : first + arcs], pieces.rank[begin]
    climbs = root - network.size[root] < starts[-1] and starts[0] <= root
    for block in range((frame[_COUNT] + ROW - 1) // ROW):
        rows, columns = frame[_ROWS] + block * slots, frame[_COLUMNS] + block * ROW
        shares, counts = (
            memory.shares[t, rows : rows + slots],
            memory.counts[t, rows : rows + slots],
        )
        tight = memory.tight[t, frame[_TIGHT] + block * arcs : frame[_TIGHT] + (block + 1) * arcs]
        owner, origins = (
            memory.owner[t, columns : columns + ROW],
            memory.origins[t, columns : columns + ROW],
        )
        for i in range(end - 1, begin - 1, -1):
            own, v = size + i - begin, pieces.rank[i]
            inside = memory.inside[t, rows + own]
            sums.ends[t, i] += end_rows(shares, counts, own, inside, network.masses[i], origins)
            if climbs:
                for lane in range(ROW):
                    s, k = owner[lane], network.depth[v]
                    if (
                        s != NONE
                        and v - network.size[v] < starts[s] <= v
                        and memory.climbed_counts[t, s, k] > 0
                    ):
                        memory.climbed_shares[t, s, k] = shares[own, lane]
            share_rows(
                shares,
                counts,
                own,
                slot,
                factors,
                tight,
                flows,
                pieces.arc_first[i] - first,
                pieces.arc_first[i + 1] - first,
            )
    _pass_on(t, frame, outer, _slots(pieces, outer[_PIECE]), slots, pieces, memory)


@njit
def _pass_on(
    t: int,
    frame: Int64s,
    outer: Int64s,
    outer_slots: int,
    slots: int,
    pieces: FlowPieces,
    memory: FlowMemory,
) -> None:
    """Close a piece: give what columns have at its boundary to the columns that they
    stand for, by their masses.
    """
    first, last = pieces.boundary_first[frame[_PIECE]], pieces.boundary_first[frame[_PIECE] + 1]
    shares = memory.shares[t]
    parts, rows, lanes = np.empty(ROW), np.empty(ROW, np.int64), np.empty(ROW, np.int64)
    for block in range((outer[_COUNT] + ROW - 1) // ROW):
        parts[:], rows[:], lanes[:] = 0.0, frame[_ROWS], 0
        for lane in range(min(ROW, outer[_COUNT] - block * ROW)):
            above = outer[_COLUMNS] + block * ROW + lane
            column = np.int64(memory.column[t, above])
            if column == NONE:
                continue
            below, shift = frame[_COLUMNS] + column, memory.shifts[t, above]
            memory.arrived[t, above] += memory.arrived[t, below]
            memory.totals[t, above] += memory.totals[t, below] + shift * memory.arrived[t, below]
            if memory.arrived[t, below] > 0:
                far = memory.farthest[t, below] + shift
                memory.farthest[t, above] = max(memory.farthest[t, above], far)
            whole = memory.origins[t, below]
            if whole > 0:
                parts[lane] = memory.origins[t, above] / whole * memory.factors[t, above]
            rows[lane], lanes[lane] = frame[_ROWS] + column // ROW * slots, column % ROW
        to = outer[_ROWS] + block * outer_slots
        for j in range(last - first):
            row = to + pieces.boundary[first + j]
            for lane in range(ROW):
                shares[row, lane] += parts[lane] * shares[rows[lane] + j, lanes[lane]]


@njit
def _climb_back(
    depth: int,
    network: FlowNetwork,
    path: Int32s,
    reached: AnyArray,
    counts: Float64s,
    shares: Float64s,
    flows: Float64s,
) -> None:
    """Shares along the climb, from the root to the source at ``depth``."""
    for k in range(depth + 1):
        if reached[k] < network.infinity:
            for a in range(network.up_first[path[k]], network.up_first[path[k] + 1]):
                above = network.up_depth[a]
                is_tight = (
                    network.up[a] < network.infinity
                    and reached[k] + network.up[a] == reached[above]
                )
                if is_tight and shares[above] > 0:
                    passed = shares[above] * network.count_up[a]
                    shares[k] += passed
                    flows[a] += passed * abs(counts[k])
