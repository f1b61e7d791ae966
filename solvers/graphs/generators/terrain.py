"""Terrain of the road generator: water, density of towns, the map's distortion, and the
lattice of junctions.

Unit coordinates: u from 0 (west) to 1 (east), v from 0 (south) to 1 (north). Neighbours
of a junction are those of the lattice; connected components are found by union-find.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from solvers.graphs.random_numbers import unit
from solvers.system.array_types import Float64s, Int32s
from solvers.system.jit import njit

_TAU = 2 * math.pi
_PHASES = 10**15  # first random counter of the phases; no vertex uses it

EAST, NORTH = 0, 1


def phases(seed: int) -> Float64s:
    """The eight random phases (radians) that determine a map."""
    return np.array([_TAU * unit(np.uint64(seed), _PHASES + k) for k in range(8)])


@njit
def coast(u: float, phase: Float64s) -> float:
    """The v coordinate of the coast at ``u``; below it is sea."""
    return (
        0.13
        + 0.05 * math.sin(_TAU * 0.8 * u + phase[0])
        + 0.018 * math.sin(_TAU * 2.9 * u + phase[1])
    )


@njit
def river(v: float, phase: Float64s) -> float:
    """The u coordinate of the river's centre line at ``v``."""
    return (
        0.52
        + 0.10 * math.sin(_TAU * 0.9 * v + phase[2])
        + 0.025 * math.sin(_TAU * 2.4 * v + phase[3])
    )


@njit
def is_water(u: float, v: float, least_half_width: float, phase: Float64s) -> bool:
    """Whether a point is water: sea in the south, and a river from the north that
    widens towards its mouth.
    """
    return v < coast(u, phase) or abs(u - river(v, phase)) < _half_width(v, least_half_width)


@njit
def _half_width(v: float, least: float) -> float:
    return max(least, 0.016 + 0.05 * max(0.0, 0.5 - v) ** 2)


@njit
def river_banks(v: float, least_half_width: float, phase: Float64s) -> tuple[float, float]:
    """The u coordinates between which there is the river at ``v``."""
    middle, half_width = river(v, phase), _half_width(v, least_half_width)
    return middle - half_width, middle + half_width


@njit
def shore_of_columns(columns: int, phase: Float64s) -> Float64s:
    """The v coordinate of the coast at the middle of each of the map's columns, (columns,)."""
    shore = np.empty(columns)
    for column in range(columns):
        shore[column] = coast((column + 0.5) / columns, phase)
    return shore


@njit
def bend(u: float, v: float, phase: Float64s) -> tuple[float, float]:
    """Smooth distortion of the map, which curves streets and varies their density; it
    is invertible.

    The partial derivatives of the offset are at most 0.34 (along an axis) and 0.25
    (across): the Jacobian is positive.
    """
    x = (
        u
        + 0.036 * math.sin(_TAU * 1.5 * u + phase[4])
        + 0.030 * math.sin(_TAU * 1.3 * v + phase[5])
    )
    y = (
        v
        + 0.036 * math.sin(_TAU * 1.5 * v + phase[6])
        + 0.030 * math.sin(_TAU * 1.2 * u + phase[7])
    )
    return x, y


@njit
def density(seed: Any, column: float, row: float) -> float:
    """Density of the road network, 0 to 1: smooth noise with a wavelength of about ten streets."""
    x, y = column / 11.0, row / 11.0
    column_0, row_0 = math.floor(x), math.floor(y)
    s, t = x - column_0, y - row_0
    s, t = s * s * (3 - 2 * s), t * t * (3 - 2 * t)
    corner = np.int64(column_0) * 1_000_003 + np.int64(row_0)
    south = unit(seed, corner) * (1 - s) + unit(seed, corner + 1_000_003) * s
    north = unit(seed, corner + 1) * (1 - s) + unit(seed, corner + 1_000_004) * s
    return south * (1 - t) + north * t


@njit
def find(root: Int32s, j: int) -> int:
    """Root of ``j``'s set (union-find with path halving)."""
    while root[j] != j:
        root[j] = root[root[j]]
        j = root[j]
    return j


@njit
def join(root: Int32s, j: int, k: int) -> bool:
    """Unite the sets of ``j`` and ``k``; False if they were the same."""
    a, b = find(root, j), find(root, k)
    if a == b:
        return False
    root[max(a, b)] = min(a, b)
    return True


@njit
def neighbour(side: int, j: int, direction: int) -> int:
    """The junction to the east or north, or -1 at the border."""
    if direction == EAST:
        return j + 1 if (j + 1) % side else -1
    return j + side if j + side < side * side else -1
