"""The road pattern "lattice": a jittered lattice whose separators grow with the square root of its size.

Every twelfth lattice line is an arterial road, every fourth of those a motorway: unbroken, straighter and faster. Other
streets are removed at random, more of them in the country than in towns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.generators.road_kernels import ARTERIAL, MOTORWAY, STREAMS, STREET
from solvers.graphs.generators.terrain import EAST, NORTH, bend, density, is_water, join, neighbour
from solvers.graphs.random_numbers import unit
from solvers.system.jit import njit

PER_JUNCTION = 1.7  # vertices per junction, including the inner vertices of streets
ARTERIAL_EVERY, ARTERIAL_FIRST = 12, 5
_MOTORWAY_EVERY = 48
_SPACING = 100.0  # between junctions, in the map's unit
_JITTER, _ARTERIAL_JITTER = 0.30, 0.10
_KEPT_IN_COUNTRY, _KEPT_IN_TOWN = 0.50, 0.95


@njit(cache=True, nogil=True)
def place_junctions(
    columns: int,
    rows: int,
    first: int,
    last: int,
    seed: Any,
    phase: NDArray[np.float64],
    least_half_width: float,
    xy: NDArray[np.int32],
    land: NDArray[np.bool_],
) -> None:
    """Jitter, distort and scale the junctions of some rows.

    ``least_half_width`` is the river's least half width; below 0 there is no water.
    """
    for row in range(first, last):
        for column in range(columns):
            j = row * columns + column
            across = _ARTERIAL_JITTER if _line_class(column) > STREET else _JITTER
            along = _ARTERIAL_JITTER if _line_class(row) > STREET else _JITTER
            u = (column + 0.5 + across * (2 * unit(seed, 2 * j) - 1)) / columns
            v = (row + 0.5 + along * (2 * unit(seed, 2 * j + 1) - 1)) / rows
            if least_half_width > 0:
                land[j] = not is_water((column + 0.5) / columns, (row + 0.5) / rows, least_half_width, phase)
            x, y = bend(u, v, phase)
            xy[j, 0] = round(x * columns * _SPACING)
            xy[j, 1] = round(y * rows * _SPACING)


@njit(cache=True, nogil=True)
def choose_streets(
    columns: int,
    rows: int,
    first: int,
    last: int,
    seed: Any,
    land: NDArray[np.bool_],
    streets: NDArray[np.uint8],
    root: NDArray[np.int32],
) -> None:
    """Keep all arterial roads, and a random selection of the other streets that is denser in towns."""
    for row in range(first, last):
        for column in range(columns):
            j = row * columns + column
            kept = _KEPT_IN_COUNTRY + (_KEPT_IN_TOWN - _KEPT_IN_COUNTRY) * density(seed + np.uint64(1), column, row)
            for direction in (EAST, NORTH):
                k = neighbour(columns, rows, j, direction)
                if k < 0 or not land[j] or not land[k]:
                    continue
                kind = _line_class(row if direction == EAST else column)
                if kind > STREET or unit(seed, STREAMS + 2 * j + direction) < kept:
                    streets[j, direction] = kind
                    join(root, j, k)


@njit(cache=True, nogil=True)
def _line_class(line: int) -> int:
    """Class of the road along a lattice line."""
    if line % ARTERIAL_EVERY != ARTERIAL_FIRST:
        return STREET
    return MOTORWAY if line % _MOTORWAY_EVERY == ARTERIAL_FIRST + ARTERIAL_EVERY else ARTERIAL
