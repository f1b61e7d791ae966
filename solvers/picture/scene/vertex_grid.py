"""Spatial index: vertices binned into square tiles, to find those under the pointer or
in view. No Qt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.edges import places_of_runs
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of
from solvers.system.threads import ThreadTeam, run_sequences, split_evenly

PIECE = 400_000  # vertices between two cancellation checks
_VERTICES_PER_TILE = 24
_MOST_BITS = 11  # of a side


@dataclass(frozen=True, eq=False)
class VertexGrid:
    """Tiles over the world square from (-0.5, -0.5) to (0.5, 0.5)."""

    positions: Float64s  # (n, 2)
    # (side * side + 1,): tile ``t = row * side + column`` holds ``order[starts[t]:starts[t + 1]]``
    starts: Int64s
    order: Int32s  # (p,): the vertices that have a place, tile by tile, ascending within each
    side: int

    @classmethod
    def of(cls, positions: Float64s, team: ThreadTeam, progress: Progress = SILENT) -> VertexGrid:
        """Build the index of all placed vertices."""
        n = len(positions)
        side = 1 << min(_MOST_BITS, max(0, round(0.5 * math.log2(max(1, n) / _VERTICES_PER_TILE))))
        runs = split_evenly(n, team.threads)
        pieces = [
            [
                (run[0] + first, run[0] + last)
                for first, last in split_evenly(run[1] - run[0], -(-(run[1] - run[0]) // PIECE))
            ]
            for run in runs
        ]
        counts = np.zeros((len(runs), side * side), dtype=np.int64)
        run_sequences(
            team,
            lambda i, first, last: _count(positions, side, counts[i], first, last),
            pieces,
            progress,
        )
        starts = offsets_of(counts.sum(axis=0))
        places_of_runs(counts)
        order = np.empty(starts[-1], dtype=np.int32)
        run_sequences(
            team,
            lambda i, first, last: _place(positions, side, counts[i], order, first, last),
            pieces,
            progress,
        )
        return cls(positions, starts, order, side)

    def nearest(self, x: float, y: float, radius: float) -> int:
        """The vertex nearest to world point (x, y), the highest index on ties; -1 if
        none lies within ``radius``.
        """
        return int(_nearest(self.positions, self.starts, self.order, self.side, x, y, radius))

    def within(self, bounds: Bounds, limit: int) -> Int32s:
        """Vertices inside ``bounds``, ascending; an arbitrary ``limit`` of them if
        there are more.
        """
        found = np.empty(limit, dtype=np.int32)
        count = _within(
            self.positions,
            self.starts,
            self.order,
            self.side,
            bounds.x0,
            bounds.y0,
            bounds.x1,
            bounds.y1,
            found,
        )
        return np.sort(found[:count])

    def rows_over(self, bounds: Bounds) -> Iterator[Int32s]:
        """Vertices of the tiles that meet ``bounds``, one row of tiles at a time;
        includes some just outside.
        """
        left, right = tile_of(bounds.x0, self.side), tile_of(bounds.x1, self.side)
        for row in range(tile_of(bounds.y0, self.side), tile_of(bounds.y1, self.side) + 1):
            yield self.order[
                self.starts[row * self.side + left] : self.starts[row * self.side + right + 1]
            ]


@njit
def tile_of(at: float, side: int) -> int:
    """Column or row of the tile that holds a world coordinate, clamped to the outermost ones."""
    return min(side - 1, max(0, math.floor(min(2.0, max(-2.0, at + 0.5)) * side)))


@njit
def _count(positions: Float64s, side: int, counts: Int64s, first: int, last: int) -> None:
    for v in range(first, last):
        x, y = positions[v, 0], positions[v, 1]
        if x == x and y == y:
            counts[tile_of(y, side) * side + tile_of(x, side)] += 1


@njit
def _place(
    positions: Float64s, side: int, places: Int64s, order: Int32s, first: int, last: int
) -> None:
    for v in range(first, last):
        x, y = positions[v, 0], positions[v, 1]
        if x == x and y == y:
            tile = tile_of(y, side) * side + tile_of(x, side)
            order[places[tile]] = v
            places[tile] += 1


@njit
def _nearest(
    positions: Float64s, starts: Int64s, order: Int32s, side: int, x: float, y: float, radius: float
) -> int:
    best, best_square = -1, radius * radius
    for row in range(tile_of(y - radius, side), tile_of(y + radius, side) + 1):
        first = starts[row * side + tile_of(x - radius, side)]
        last = starts[row * side + tile_of(x + radius, side) + 1]
        for i in range(first, last):
            v = order[i]
            across, down = positions[v, 0] - x, positions[v, 1] - y
            square = across * across + down * down
            if square < best_square or (square == best_square and v > best):
                best, best_square = v, square
    return best


@njit
def _within(
    positions: Float64s,
    starts: Int64s,
    order: Int32s,
    side: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    found: Int32s,
) -> int:
    count = 0
    for row in range(tile_of(y0, side), tile_of(y1, side) + 1):
        for i in range(
            starts[row * side + tile_of(x0, side)], starts[row * side + tile_of(x1, side) + 1]
        ):
            v = order[i]
            if x0 <= positions[v, 0] <= x1 and y0 <= positions[v, 1] <= y1:
                if count == found.shape[0]:
                    return count
                found[count] = v
                count += 1
    return count
