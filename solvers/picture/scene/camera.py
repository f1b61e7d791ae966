"""Camera: centre and scale of a view, and cameras that show a whole graph. Immutable. No Qt.

Panning and zooming return a new camera. World coordinates are those of the drawable
graph: x to the right, y *down*, as on screens. Pixels are logical. A fitted graph lies
clear of the cards along the lower edge of the view.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from solvers.system.array_types import Bools, Float64s

MARGIN = 0.06  # of the view's shorter side, free on each side of a fitted graph
_MOST_INSET = 2 / 3  # of the view


@dataclass(frozen=True)
class Bounds:
    """A rectangle in world coordinates."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def of(cls, points: Float64s) -> Bounds:
        """Bounds of the finite points, never of zero size; a unit square if there are none."""
        placed = points[np.isfinite(points).all(axis=1)]
        if not len(placed):
            return cls(-0.5, -0.5, 0.5, 0.5)
        (x0, y0), (x1, y1) = placed.min(axis=0), placed.max(axis=0)
        return cls(float(x0), float(y0), float(x1), float(y1))

    @property
    def size(self) -> float:
        """The longer side."""
        return max(self.x1 - self.x0, self.y1 - self.y0)


class Margins(NamedTuple):
    """Pixels at the edges of a view, over which something lies."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


@dataclass(frozen=True)
class Camera:
    """A view of ``width`` x ``height`` logical pixels, ``scale`` pixels per world unit,
    looking at (x, y).
    """

    x: float
    y: float
    scale: float
    width: float
    height: float

    @classmethod
    def fitting(
        cls,
        bounds: Bounds,
        width: float,
        height: float,
        *,
        margin: float = MARGIN,
        limit: float = float("inf"),
    ) -> Camera:
        """The camera that shows all of ``bounds``, centred; ``limit`` caps the scale
        (for a few close vertices).
        """
        width, height = max(1.0, width), max(1.0, height)
        free = 1.0 - 2.0 * margin
        sides = [
            pixels * free / side
            for pixels, side in ((width, bounds.x1 - bounds.x0), (height, bounds.y1 - bounds.y0))
            if side > 0
        ]
        scale = min([*sides, limit]) if sides or np.isfinite(limit) else min(width, height) * free
        return cls((bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2, scale, width, height)

    @classmethod
    def within(
        cls,
        bounds: Bounds,
        width: float,
        height: float,
        insets: tuple[float, float, float, float],
        limit: float,
        *,
        most: float = _MOST_INSET,
    ) -> Camera:
        """The camera that shows ``bounds`` inside insets (left, top, right, bottom), which
        take at most a share of the view.
        """
        left, top, right, bottom = insets
        across = min(1.0, most * width / max(1.0, left + right))
        down = min(1.0, most * height / max(1.0, top + bottom))
        left, right, top, bottom = left * across, right * across, top * down, bottom * down
        inner = cls.fitting(
            bounds, width - left - right, height - top - bottom, margin=0.0, limit=limit
        )
        x = inner.x - (left - right) / 2 / inner.scale
        y = inner.y - (top - bottom) / 2 / inner.scale
        return cls(x, y, inner.scale, max(1.0, width), max(1.0, height))

    @property
    def offset(self) -> tuple[float, float]:
        """(dx, dy) of pixel = world * scale + d."""
        return self.width / 2 - self.x * self.scale, self.height / 2 - self.y * self.scale

    def cropped(self, margins: Margins) -> Camera:
        """The part of the view within margins."""
        return self._grown(margins, -1.0)

    def extended(self, margins: Margins) -> Camera:
        """The same view with margins around it."""
        return self._grown(margins, 1.0)

    def _grown(self, margins: Margins, sign: float) -> Camera:
        left, top, right, bottom = (sign * side for side in margins)
        return Camera(
            self.x + (right - left) / 2 / self.scale,
            self.y + (bottom - top) / 2 / self.scale,
            self.scale,
            max(1.0, self.width + left + right),
            max(1.0, self.height + top + bottom),
        )

    def enlarged(self, factor: float) -> Camera:
        """The same view in units of ``factor`` pixels, for a painter scaled by ``factor``."""
        return replace(
            self, scale=self.scale / factor, width=self.width / factor, height=self.height / factor
        )

    @property
    def bounds(self) -> Bounds:
        """The visible rectangle in world coordinates."""
        across, down = self.width / 2 / self.scale, self.height / 2 / self.scale
        return Bounds(self.x - across, self.y - down, self.x + across, self.y + down)

    def to_screen(self, world: Float64s) -> Float64s:
        """Pixels of world points, (..., 2)."""
        return world * self.scale + np.array(self.offset)

    def sees(self, low: Float64s, high: Float64s, around: float) -> Bools:
        """Mask of the boxes, by (k, 2) pixels of their least and greatest corners, that
        meet the view or what is up to ``around`` pixels beside it; False for NaN.
        """
        size = np.array([self.width, self.height])
        seen: Bools = np.all((high >= -around) & (low <= size + around), axis=1)
        return seen

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        dx, dy = self.offset
        return (px - dx) / self.scale, (py - dy) / self.scale

    def panned(self, px: float, py: float) -> Camera:
        """The camera after moving the picture by (``px``, ``py``) pixels to the right and down."""
        return replace(self, x=self.x - px / self.scale, y=self.y - py / self.scale)

    def zoomed(self, factor: float, px: float, py: float) -> Camera:
        """The camera scaled by ``factor``; the point under pixel (px, py) stays in place."""
        x, y = self.to_world(px, py)
        return replace(
            self,
            x=x + (self.x - x) / factor,
            y=y + (self.y - y) / factor,
            scale=self.scale * factor,
        )

    def towards(self, end: Camera, share: float) -> Camera:
        """A camera on the way to another: scales pass evenly, and the point that both
        show in one place stays there.
        """
        if share >= 1.0:
            return end
        scale, way = self.scale * (end.scale / self.scale) ** share, share
        if not math.isclose(self.scale, end.scale, rel_tol=1e-6):
            way = (1.0 / scale - 1.0 / self.scale) / (1.0 / end.scale - 1.0 / self.scale)
        x, y = self.x + (end.x - self.x) * way, self.y + (end.y - self.y) * way
        return replace(end, x=x, y=y, scale=scale)

    def centred(self, x: float, y: float) -> Camera:
        return replace(self, x=x, y=y)

    def resized(self, width: float, height: float) -> Camera:
        """The camera for another view size, with the same centre and scale."""
        return replace(self, width=max(1.0, width), height=max(1.0, height))


# share of its scale that a camera is worth less by the distance of the middle, in
# widths of the view
_OFF_CENTRE = 0.6
CLEARANCE = 6.0  # pixels between a card and the nearest vertex
# a sample of so many shows where a graph is, at a few hundred microseconds a camera
_MOST_POINTS = 20_000


@dataclass(frozen=True)
class Cover:
    """What lies over the lower edge of a view, in logical pixels."""

    left: float  # left, right: its sides
    right: float
    height: float  # from the lower edge of the view to its top


def sample_of(positions: Float64s) -> Float64s:
    """(k, 2) evenly chosen placed points of (n, 2), few enough to test many cameras with."""
    finite = np.isfinite(positions)
    # far faster than ``all`` along an axis of two
    placed = np.flatnonzero(finite[:, 0] & finite[:, 1])
    return positions[placed[:: max(1, -(-len(placed) // _MOST_POINTS))]]


def clear_camera(
    points: Float64s,
    bounds: Bounds,
    width: float,
    height: float,
    covers: Sequence[Cover],
    *,
    margin: float,
    limit: float,
) -> Camera:
    """The camera of the largest scale that shows ``bounds`` and has none of the (k, 2)
    world points beneath a cover.

    One that shows them in the middle may be of a somewhat smaller scale. ``margin`` is
    the share of the view that stays free on each side, ``limit`` the most pixels per
    world unit. The camera keeps as much of the view free below, to the left and to the
    right as that takes: often nothing.
    """
    sides = margin * width, margin * height
    plain = (sides[0], sides[1], sides[0], sides[1])
    candidates = [
        Camera.within(bounds, width, height, insets, limit)
        for insets in _insets(plain, covers, width)
    ]
    middle = (bounds.x0 + bounds.x1) / 2

    def worth(camera: Camera) -> float:
        return camera.scale * (1.0 - _OFF_CENTRE * abs(camera.x - middle) * camera.scale / width)

    candidates.sort(key=worth, reverse=True)  # stable: of equal worth, the one that keeps less free
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


def _covered(points: Float64s, camera: Camera, covers: Sequence[Cover]) -> bool:
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
