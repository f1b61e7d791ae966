"""Mutual repulsion of all vertices by a convolution on a grid, in time that hardly depends on their number. No Qt.

The force between two vertices is r / (s^2 + r^2): bounded at short range, as in t-FDP (Zhong et al. 2023), and falling
with the distance as the entropy term of maxent-stress (Gansner, Hu and North 2013). It is computed by Fourier
transforms, which suits graphs of few arcs from end to end: the cells of the grid are much smaller than an edge.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers.system.cancel import SILENT, Observer
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

SIDE = 256  # cells
_MARGIN = 2.0  # cells on each side, so that every vertex lies between four cells
_PIECE = 100_000  # vertices between two cancellation checks


def repulsion(
    places: NDArray[np.float32], softness: float, team: ThreadTeam, observer: Observer = SILENT
) -> NDArray[np.float32]:
    """(n, 2) sum of the forces of all others on each vertex at (n, 2) ``places``.

    Parameters
    ----------
    softness : float
        Distance ``s`` at which the force is greatest.

    Raises
    ------
    Cancelled
    """
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(float((high - low).max()), 1e-6) / (SIDE - 2 * _MARGIN)
    at = (places - low) / np.float32(cell) + np.float32(_MARGIN)
    mass = np.zeros((SIDE, SIDE), np.float32)
    _spread(at, mass)
    observer.checkpoint()
    forces = _convolved(mass, softness / cell, team.threads) / np.float32(cell)
    pushed = np.empty_like(places)
    runs = split_evenly(len(places), max(team.threads, -(-len(places) // _PIECE)))
    team.run((partial(_gather, at, forces, pushed, *run) for run in runs), observer)
    return pushed


def _convolved(mass: NDArray[np.float32], softness: float, threads: int) -> NDArray[np.float32]:
    """(2, SIDE, SIDE) forces in x and y on a unit mass in each cell; lengths in cells."""
    from scipy import fft  # imported here: it takes long, and graphs with coordinates need no layout

    offsets = np.arange(2 * SIDE, dtype=np.float32)
    offsets[SIDE:] -= 2 * SIDE  # the grid is twice as wide, so that forces do not wrap around
    square = np.float32(softness**2) + offsets**2 + offsets[:, None] ** 2
    shape = (2 * SIDE, 2 * SIDE)
    spread = fft.rfft2(mass, shape, workers=threads)
    found = [
        fft.irfft2(spread * fft.rfft2(along / square, workers=threads), shape, workers=threads)[:SIDE, :SIDE]
        for along in (offsets, offsets[:, None])
    ]
    return np.stack(found).astype(np.float32)


@njit(cache=True, nogil=True)
def _spread(at: NDArray[np.float32], mass: NDArray[np.float32]) -> None:
    """Divide the mass of every vertex among the four cells around it."""
    for v in range(at.shape[0]):
        column, row = int(at[v, 0]), int(at[v, 1])
        right, down = at[v, 0] - column, at[v, 1] - row
        mass[row, column] += (1.0 - right) * (1.0 - down)
        mass[row, column + 1] += right * (1.0 - down)
        mass[row + 1, column] += (1.0 - right) * down
        mass[row + 1, column + 1] += right * down


@njit(cache=True, nogil=True)
def _gather(
    at: NDArray[np.float32], forces: NDArray[np.float32], pushed: NDArray[np.float32], first: int, last: int
) -> None:
    """The mean of the forces in the four cells around each vertex, as their masses were divided."""
    for v in range(first, last):
        column, row = int(at[v, 0]), int(at[v, 1])
        right, down = at[v, 0] - column, at[v, 1] - row
        for axis in range(2):
            above = (1.0 - right) * forces[axis, row, column] + right * forces[axis, row, column + 1]
            below = (1.0 - right) * forces[axis, row + 1, column] + right * forces[axis, row + 1, column + 1]
            pushed[v, axis] = (1.0 - down) * above + down * below
