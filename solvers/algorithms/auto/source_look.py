"""What lies around a source, by a look that soon ends, and how many levels all will have.

The look is a breadth-first search of `_MOST` vertices. How many levels all take follows from
how far it has come, by coordinates; without these, by the numbers of vertices, where they
count rows; else by how fast it grows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from solvers.graphs.graph import Graph
from solvers.system.array_types import Int32s, Int64s
from solvers.system.jit import njit

_MOST, _MOST_ARCS = 2_000, 40_000  # vertices and arcs that a look from the source takes in
_CHECKED = 4_000  # vertices of a look where few more may be reached
_SLOTS, _SHIFT = 8_192, np.uint32(19)  # of the table of vertices seen, 2**(32 - 19)
# How many times as many vertices as may be reached a graph has, for which this is looked into;
# and by how much the number that is expected may grow while as many are found again.
_POCKET, _SURE = 4, 1.25
# Vertices between the ends of an arc, from which the next distance is not in a core's first
# cache, nor in its second.
_APART, _FAR_APART = 2**13, 2**17
# Vertices between two that are found one after the other, from which the rows of the second
# are not fetched ahead with those of the first.
_SCATTERED_BY = 2**11
_LEAST_GROWTH = 1.0  # exponent of the vertices within a number of levels
_RIM = 1.2  # over the growth: how much farther than a ball of as many vertices all reach
_SPOTS = 128  # vertices of which the coordinates are looked at
_RIM_VERTICES, _RIM_STRIDE = 64, 4  # where a look ended, and which of them are looked at
# How much farther than evenly spread vertices those of a look may lie, by coordinates.
_SPREAD = 2.5
_CLIPPED = 4  # steps to a radius that the ends of a network clip
_AS_LARGE = 2 / math.sqrt(math.pi)  # radius of a circle over half the side of a square
_TO_CORNERS = 1.1  # levels to the farthest corner of the bounding box, over those needed
# A look's share of the rows that it would have crossed if each arc led to the next one; the
# fewest rows; and what a row is longer than it seems from a vertex amid it.
_ROW_BY_ROW, _FEWEST_ROWS, _LONGER = 0.5, 4.0, 1.25


class SourceLook(NamedTuple):
    """What lies around a source, by a breadth-first search that soon ends."""

    found: int  # vertices
    arcs: int
    levels: int
    half: int  # vertices within half of the levels
    rim: Int32s  # some that were found last
    span: int  # most that the number of a vertex differs from the source's
    widest: int  # most that the numbers of an arc's ends differ
    apart: int  # arcs whose ends are `_APART` in memory
    far_apart: int
    is_whole: bool  # whether no more vertices are reached
    pocket: int  # vertices that are expected to be reached, if these are few; else 0
    longest: int  # most arcs that leave a vertex
    scattered: int  # vertices that are `_SCATTERED_BY` from the one found before


def look_around(graph: Graph, source: int) -> SourceLook:
    """What lies around a vertex."""
    return SourceLook(*_counts(graph.indptr, graph.indices, source, graph.directed))


def levels_of_all(graph: Graph, source: int, reached: int, look: SourceLook) -> float:
    """Levels of all ``reached`` vertices, expected from those of a look."""
    growth = max(_LEAST_GROWTH, math.log2(look.found / max(1, look.half)))
    if look.is_whole:
        return 1.0 + look.levels
    if not look.pocket:
        find = _rows_from if graph.coordinates is None else _levels_across
        if levels := find(graph, source, growth, look):
            return levels
    more = ((1 + reached) / (1 + look.found)) ** (1 / growth)
    rim = 1 + _RIM * min(1.0, growth - 1) / growth  # none of a path
    return rim * (1 + look.levels) * more


def _levels_across(graph: Graph, source: int, growth: float, look: SourceLook) -> float:
    """Levels to the farthest corner, if the coordinates tell how far a level leads; else 0.

    They are those of a look as wide as this one, and of one with as many vertices where
    these are spread evenly, whichever network is denser round the source: the geometric
    mean, that is.
    """
    assert graph.coordinates is not None
    low, high, scale = graph.network.cached("extent", lambda: _extent(graph))
    (x, y), rim = graph.coordinates.xy[source].tolist(), graph.coordinates.xy[look.rim].tolist()
    # plain numbers, as calls of numpy for so few take longer than all else here
    radius = sum([math.hypot(scale * (u - x), v - y) for u, v in rim]) / max(1, len(rim))
    left, right, down, up = scale * (x - low[0]), scale * (high[0] - x), y - low[1], high[1] - y
    area = abs((left + right) * (down + up)) * look.found / graph.n
    even = _even_radius(left, right, down, up, area)
    if not 0 < radius < _SPREAD * even < math.inf:
        return 0.0
    corner = max(left, right), max(down, up)
    return look.levels * math.hypot(*corner) / (_TO_CORNERS * math.sqrt(radius * even))


def _even_radius(left: float, right: float, down: float, up: float, area: float) -> float:
    """Radius of a look that covers an area of a network that ends so far from its source."""
    half = math.sqrt(area) / 2  # of a square, which is soon clipped
    for _ in range(_CLIPPED if half > min(left, right, down, up) else 0):
        covered = (min(half, left) + min(half, right)) * (min(half, down) + min(half, up))
        if not 0 < covered < area:
            break
        half *= math.sqrt(area / covered)
    return half * _AS_LARGE


def _extent(graph: Graph) -> tuple[list[float], list[float], float]:
    """Least and greatest coordinates of some vertices, and by what the first are multiplied so
    that both have one unit: NaN where they are not finite.
    """
    assert graph.coordinates is not None
    some = graph.coordinates.xy[:: (graph.n // _SPOTS) | 1]  # odd, as rows often have even numbers
    low, high = some.min(axis=0).tolist(), some.max(axis=0).tolist()
    middle = math.radians(low[1] + high[1]) / 2 if graph.coordinates.geographic else 0.0
    return low, high, math.cos(middle) if math.isfinite(middle) else math.nan


def _rows_from(graph: Graph, source: int, growth: float, look: SourceLook) -> float:
    """Levels to the farthest vertex, if the numbers of vertices count row by row, so that no
    arc leads farther than to the next row; else 0.
    """
    rows = graph.n / max(1, look.widest)
    if min(rows, look.levels) < _FEWEST_ROWS or look.span < _ROW_BY_ROW * look.widest * look.levels:
        return 0.0
    across, growth = max(source, graph.n - source) / look.widest, max(2.0, growth)
    row = _LONGER * graph.n * look.levels**growth / (look.found * rows)
    return across + min(row ** (1 / (growth - 1)), look.widest)  # vertices of a row


@njit
def _counts(
    indptr: Int64s, indices: Int32s, source: int, directed: bool
) -> tuple[int, int, int, int, Int32s, int, int, int, int, bool, int, int, int]:
    """The counts of a `SourceLook`, by levels."""
    seen, queue = np.full(_SLOTS, -1, np.int32), np.empty(_CHECKED, np.int32)
    first = np.empty(_CHECKED + 1, np.int32)  # of each level, in the queue
    seen[_slot(seen, source)], queue[0] = source, source
    found, arcs, apart, far_apart, levels, done = 1, 0, 0, 0, 0, 0
    most, expected = _MOST, 0.0
    span, widest, longest, scattered, before = 0, 0, 0, 0, source
    while done < found and found < most and arcs < _MOST_ARCS:
        first[levels] = done
        levels += 1
        end = found
        while done < end and found < most and arcs < _MOST_ARCS:
            u = queue[done]
            done += 1
            row, end_of_row = indptr[u], indptr[u + 1]
            longest = max(longest, end_of_row - row)
            for arc in range(row, min(end_of_row, row + _MOST_ARCS)):
                v = indices[arc]
                arcs += 1
                wide = abs(v - u)
                apart += wide >= _APART
                far_apart += wide >= _FAR_APART
                widest = max(widest, wide)
                slot = _slot(seen, v)
                if seen[slot] < 0:
                    seen[slot], queue[found] = v, v
                    scattered += abs(v - before) >= _SCATTERED_BY
                    before = v
                    span = max(span, abs(v - source))
                    found += 1
                    if found == most:
                        last, expected = expected, _expected(found, arcs)
                        is_pocket = directed and _POCKET * expected < len(indptr)
                        if most == _CHECKED or not is_pocket:
                            break
                        most = _CHECKED
    first[levels] = done
    is_whole = done == found and arcs < _MOST_ARCS
    is_pocket = not is_whole and found == _CHECKED and expected < _SURE * last
    pocket = int(expected) if is_pocket else 0
    half = first[(levels + 1) // 2]
    rim = queue[max(0, found - _RIM_VERTICES) : found : _RIM_STRIDE].copy()
    ends = span, widest, apart, far_apart
    return found, arcs, levels, half, rim, *ends, is_whole, pocket, longest, scattered


@njit
def _expected(found: int, arcs: int) -> float:
    """How many vertices are reached if arcs lead to all of them alike, by the share of arcs
    that led to one that had been found.
    """
    return found * arcs / (2.0 * max(1, arcs - found + 1))


@njit
def _slot(seen: Int32s, vertex: Any) -> Any:
    """Where a vertex is in the table, or would be."""
    mixed = np.uint32(np.uint32(vertex) * np.uint32(0x9E3779B9))
    mixed = np.uint32((mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA6B))
    slot = np.int64(mixed >> _SHIFT)
    while seen[slot] >= 0 and seen[slot] != vertex:
        slot = (slot + 1) % _SLOTS
    return slot
