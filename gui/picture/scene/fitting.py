"""Cameras that show a whole graph clear of the cards along the lower edge of the view. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.camera import Bounds, Camera

CLEARANCE = 6.0  # pixels between a card and the nearest vertex
_MOST_POINTS = 20_000  # a sample of so many shows where a graph is, at a few hundred microseconds a camera


@dataclass(frozen=True)
class Cover:
    """What lies over the lower edge of a view, in logical pixels.

    Attributes
    ----------
    left, right : float
        Its sides.
    height : float
        From the lower edge of the view to its top.
    """

    left: float
    right: float
    height: float


def sample_of(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, 2) evenly chosen placed points of (n, 2), few enough to test many cameras with."""
    finite = np.isfinite(positions)
    placed = np.flatnonzero(finite[:, 0] & finite[:, 1])  # far faster than ``all`` along an axis of two
    return positions[placed[:: max(1, -(-len(placed) // _MOST_POINTS))]]


def clear_camera(
    points: NDArray[np.float64], bounds: Bounds, width: float, height: float, covers: Sequence[Cover], *,
    margin: float, limit: float,
) -> Camera:  # fmt: skip
    """The camera of the largest scale that shows ``bounds`` and has no point beneath a cover.

    Parameters
    ----------
    points : (k, 2) array of float64
        What must be clear, in world coordinates.
    bounds : Bounds
    width, height : float
        Size of the view.
    covers : sequence of Cover
    margin : float
        Share of the view that stays free on each side.
    limit : float
        The most pixels per world unit.

    Returns
    -------
    Camera
        Keeps as much of the view free below, to the left and to the right as that takes: often nothing.
    """
    sides = margin * width, margin * height
    plain = (sides[0], sides[1], sides[0], sides[1])
    candidates = [Camera.within(bounds, width, height, insets, limit) for insets in _insets(plain, covers, width)]
    candidates.sort(key=lambda camera: -camera.scale)  # stable: of equal scales, the one that keeps less free
    clear = (camera for camera in candidates if not _covered(points, camera, covers))
    return next(clear, candidates[-1])


def _insets(
    plain: tuple[float, float, float, float], covers: Sequence[Cover], width: float
) -> list[tuple[float, float, float, float]]:
    """Insets (left, top, right, bottom) that keep none, some or all sides with covers free."""
    left, top, right, bottom = plain
    lefts, rights, bottoms = {left}, {right}, {bottom}
    for cover in covers:
        bottoms.add(max(bottom, cover.height + CLEARANCE))
        if cover.left + cover.right <= width:
            lefts.add(max(left, cover.right + CLEARANCE))
        else:
            rights.add(max(right, width - cover.left + CLEARANCE))
    return [(a, top, b, c) for c, b, a in product(sorted(bottoms), sorted(rights), sorted(lefts))]


def _covered(points: NDArray[np.float64], camera: Camera, covers: Sequence[Cover]) -> bool:
    x, y = camera.to_screen(points).T
    low = y > camera.height - max((cover.height for cover in covers), default=0.0) - CLEARANCE
    x, y = x[low], y[low]
    return any(
        bool(
            np.any(
                (x > cover.left - CLEARANCE)
                & (x < cover.right + CLEARANCE)
                & (y > camera.height - cover.height - CLEARANCE)
            )
        )
        for cover in covers
    )
