"""The road pattern "towns": towns apart, with few roads between regions, as real networks have.

The lattice of junctions is divided into quarters recursively. The larger the regions on
the two sides of a border, the smaller the share of streets that cross it: besides trunk
roads, the streets that leave a region of n vertices grow with about the fourth root of
n, on a plain lattice with the square root. Every region of 32 x 32 junctions has a
town, every region of 128 x 128 a city, and so on. The map is contracted and turned
around their centres, so that the lattice has narrow streets in towns and long roads
between them, and some junctions of the country are left out. Streets that do not lead
through may remain as dead ends.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from solvers.graphs.generators.road_kernels import (
    ARTERIAL,
    DEAD_END,
    MOTORWAY,
    STREAMS,
    STREET,
    Lattice,
)
from solvers.graphs.generators.terrain import (
    EAST,
    NORTH,
    bend,
    join,
    neighbour,
    river_banks,
    shore_of_columns,
)
from solvers.graphs.random_numbers import unit
from solvers.system.array_types import Float32s, Float64s
from solvers.system.jit import njit

PER_JUNCTION = 1.17  # vertices per junction, including dead ends and the inner vertices of streets
ARTERIAL_EVERY, ARTERIAL_FIRST = 32, 16
_MOTORWAY_EVERY, _MOTORWAY_FIRST = 128, 80
_COLLECTOR_EVERY, _COLLECTOR_FIRST = 8, 4  # roads that the country's streets lead to

_MAP_STEP = 4  # junctions from one point of the map to the next
_SPACING = 250.0  # mean distance of neighbouring junctions, in the map's unit
_TOWN, _CITY = 32, 128  # junctions along a town's and a city's region
_TIMES = 4  # a larger region is so many times longer
_TURN = 0.8  # most by which a centre's streets are turned, in radians
_JITTER, _MAIN_JITTER = 0.30, 0.10

_LEFT_OUT = 0.4  # share of junctions away from main roads, where no town is near
_LEAST_SIDE_WITH_COUNTRY = 64
_SAMPLES = 64  # along each axis, to count the junctions that are not left out
_KEPT_IN_COUNTRY, _KEPT_IN_TOWN, _KEPT_OF_COLLECTORS = 0.76, 0.93, 0.92
# streets are kept more and less often by turns, which makes most junctions meetings of
# three
_ALTERNATION = 0.22
_DEAD_ENDS = 0.45  # share of streets not kept
# share of streets that cross the border of regions of length x: 4.9 / (2 * x) ** 0.55
_CROSSED, _EXPONENT = 4.9, 0.55
_ALWAYS_CROSSED = 6  # level up to which arterial roads cross every border
_LEAST_BORDER, _BORDERS = 3, 32  # level of the least border that matters, and number of levels


def side_of_lattice(n: int, land: float, seed: np.uint64) -> int:
    """Junctions along each side of a lattice for ``n`` vertices; ``land`` is the share
    of the map that is land.
    """
    wanted = n / PER_JUNCTION / land
    side = int(math.sqrt(wanted))
    for _ in range(3):  # the share left out depends a little on the side
        side = int(math.sqrt(wanted / share_kept(side, seed)))
    return side


@njit
def share_kept(side: int, seed: Any) -> float:
    """Share of the junctions that are not left out, from a sample."""
    if side < _LEAST_SIDE_WITH_COUNTRY:
        return 1.0
    total = 0.0
    for row in range(_SAMPLES):
        for column in range(_SAMPLES):
            u, v = (column + 0.5) / _SAMPLES * side, (row + 0.5) / _SAMPLES * side
            total += (1 - _contracted(u, v, side, seed)[2]) ** 2
    off_main_roads = (1 - 1 / _COLLECTOR_EVERY - 1 / ARTERIAL_EVERY) ** 2
    return 1 - _LEFT_OUT * off_main_roads * total / _SAMPLES**2


def empty_map(side: int) -> Float32s:
    """Room for the map: x, y in the map's unit and the density of streets, 0 to 1, at
    every `_MAP_STEP`-th junction.
    """
    return np.empty((side // _MAP_STEP + 2, side // _MAP_STEP + 2, 3), dtype=np.float32)


@njit
def fill_map(lattice: Lattice, first: int, last: int, points: Float32s) -> None:
    """Fill some rows of the map. Invertible shears make straight roads winding without
    letting roads cross.
    """
    side, phase = lattice.side, lattice.phase
    for row in range(first, last):
        for column in range(points.shape[1]):
            u, v, density = _contracted(column * _MAP_STEP, row * _MAP_STEP, side, lattice.seed)
            u += 5 * math.sin(v / 13 + phase[0]) + 10 * math.sin(v / 41 + phase[1])
            v += 5 * math.sin(u / 11 + phase[2]) + 10 * math.sin(u / 47 + phase[3])
            x, y = bend(u / side, v / side, phase)
            points[row, column, 0] = x * side * _SPACING
            points[row, column, 1] = y * side * _SPACING
            points[row, column, 2] = density


@njit
def _contracted(u: float, v: float, side: int, seed: Any) -> tuple[float, float, float]:
    """The position to which a point of the lattice is moved, in junctions, and the
    density of streets there.
    """
    region, kept, stream = _TOWN, 1.0, 4 * STREAMS
    while region < 2 * side:
        column, row = math.floor(u / region), math.floor(v / region)
        counter = stream + 8 * (column * 1_000_003 + row)
        size = unit(seed, counter) ** 2  # most are small
        radius = region * (0.20 + 0.29 * size)
        free = region / 2 - radius
        x = (column + 0.5) * region + free * (2 * unit(seed, counter + 1) - 1)
        y = (row + 0.5) * region + free * (2 * unit(seed, counter + 2) - 1)
        inside = 1 - ((u - x) ** 2 + (v - y) ** 2) / radius**2
        if inside > 0:
            share = (0.10 + 0.45 * size + 0.35 * unit(seed, counter + 3)) * inside**2
            angle = _TURN * (2 * unit(seed, counter + 4) - 1) * inside**2
            along, across = (1 - share) * math.cos(angle), (1 - share) * math.sin(angle)
            u, v = x + along * (u - x) - across * (v - y), y + across * (u - x) + along * (v - y)
            if region <= _CITY:
                kept *= 1 - share
        region *= _TIMES
        stream += STREAMS
    return u, v, min(1.0, (1 - kept) / 0.6)


@njit
def place_junctions(
    lattice: Lattice, first: int, last: int, least_half_width: float, points: Float32s
) -> None:
    """Jitter the junctions of some rows, take their positions from the map, and leave
    out some in the country.

    ``least_half_width`` is the river's least half width; below 0 there is no water.
    """
    side, seed, phase, xy, land = lattice[:5]
    shore = shore_of_columns(side, phase)
    for row in range(first, last):
        along = _MAIN_JITTER if _line_class(row) > STREET else _JITTER
        west, east = river_banks((row + 0.5) / side, least_half_width, phase)
        for column in range(side):
            j = row * side + column
            across = _MAIN_JITTER if _line_class(column) > STREET else _JITTER
            u = (column + 0.5 + across * (2 * unit(seed, 2 * j) - 1)) / _MAP_STEP
            v = (row + 0.5 + along * (2 * unit(seed, 2 * j + 1) - 1)) / _MAP_STEP
            xy[j, 0] = round(_at(points, u, v, 0))
            xy[j, 1] = round(_at(points, u, v, 1))
            if least_half_width > 0 and (
                row + 0.5 < shore[column] * side or west < (column + 0.5) / side < east
            ):
                land[j] = False
            elif side >= _LEAST_SIDE_WITH_COUNTRY and not (_is_main(row) or _is_main(column)):
                country = 1 - _at(points, u, v, 2)
                land[j] = unit(seed, 3 * STREAMS + j) >= _LEFT_OUT * country**2


@njit
def _at(points: Float32s, u: float, v: float, channel: int) -> float:
    """The map between its points, by bilinear interpolation."""
    column, row = int(u), int(v)
    s, t = u - column, v - row
    south = points[row, column, channel] * (1 - s) + points[row, column + 1, channel] * s
    north = points[row + 1, column, channel] * (1 - s) + points[row + 1, column + 1, channel] * s
    return south * (1 - t) + north * t


@njit
def choose_streets(
    lattice: Lattice, first: int, last: int, points: Float32s, shares: Float64s
) -> None:
    """Keep a random selection of streets: more in towns than in the country, across
    borders by `crossing_shares`.
    """
    side, land = lattice.side, lattice.land
    for row in range(first, last):
        for column in range(side):
            j = row * side + column
            if not land[j]:
                continue
            density = _at(points, (column + 0.5) / _MAP_STEP, (row + 0.5) / _MAP_STEP, 2)
            kept = _KEPT_IN_COUNTRY + (_KEPT_IN_TOWN - _KEPT_IN_COUNTRY) * density
            alternating = kept + (_ALTERNATION if (row + column) % 2 == 0 else -_ALTERNATION)
            for direction in (EAST, NORTH):
                k = neighbour(side, j, direction)
                if k < 0 or not land[k]:
                    continue
                line, position = (row, column) if direction == EAST else (column, row)
                kind, level = _line_class(line), _border(position)
                if kind > STREET:
                    share = 1.0 if kind == MOTORWAY else shares[level, 1]
                else:
                    usual = max(kept, _KEPT_OF_COLLECTORS) if _is_main(line) else alternating
                    share = min(usual, shares[level, 0])
                chance = unit(lattice.seed, STREAMS + 2 * j + direction)
                if chance < share:
                    lattice.streets[j, direction] = kind
                    join(lattice.root, j, k)
                elif chance > 1 - (1 - share) * _DEAD_ENDS:
                    lattice.streets[j, direction] = DEAD_END


def crossing_shares() -> Float64s:
    """The share of streets, and of arterial roads, that cross a border, by its level:
    (levels, 2).
    """
    level = np.arange(_BORDERS)
    streets = _CROSSED * 2.0 ** (-_EXPONENT * (level + 1))
    shares = np.stack((streets, 2.0 ** (_EXPONENT * (_ALWAYS_CROSSED - level))), axis=1)
    shares[:_LEAST_BORDER] = 1.0
    return np.minimum(shares, 1.0)


@njit
def _border(line: int) -> int:
    """Level of the border between a line of the lattice and the next: k where regions
    of 2**k junctions meet.
    """
    level = 0
    while ((line + 1) >> level) & 1 == 0:
        level += 1
    return level


@njit
def _line_class(line: int) -> int:
    """Class of the road along a lattice line."""
    if line % ARTERIAL_EVERY != ARTERIAL_FIRST:
        return STREET
    return MOTORWAY if line % _MOTORWAY_EVERY == _MOTORWAY_FIRST else ARTERIAL


@njit
def _is_main(line: int) -> bool:
    """Whether the road along a lattice line leads through the country."""
    return line % _COLLECTOR_EVERY == _COLLECTOR_FIRST or _line_class(line) > STREET
