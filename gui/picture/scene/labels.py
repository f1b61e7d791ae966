"""Placement of labels without overlap: weights on their arcs, other labels around their vertices. No Qt.

All sizes and places are in logical pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SHARES = (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)  # of an arc's length: positions tried for its label, best first
_DIRECTIONS = tuple(
    (math.cos(math.radians(a)), math.sin(math.radians(a))) for a in (-90, 90, 0, 180, -45, -135, 45, 135)
)
_RINGS = (3.0, 12.0)  # pixels between a vertex and its label, the nearer first
_SAMPLE_RANGE, _MOST_SAMPLES = (24, 96), 4_000  # sampled points per arc, and of all arcs, for the cost of covering them
_LINE_COST = 1.0  # per covered arc point


@dataclass(frozen=True)
class Box:
    """A rectangle; touching rectangles do not overlap."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def overlaps(self, other: Box) -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def inside(self, width: float, height: float) -> bool:
        """Whether all of it is in a view of that size."""
        return self.x0 >= 0 and self.y0 >= 0 and self.x1 <= width and self.y1 <= height

    def moved_inside(self, width: float, height: float) -> Box:
        """The box moved as little as brings all of it into a view of that size, which is larger."""
        right = max(0.0, -self.x0) - max(0.0, self.x1 - width)
        down = max(0.0, -self.y0) - max(0.0, self.y1 - height)
        return Box(self.x0 + right, self.y0 + down, self.x1 + right, self.y1 + down)


def curve_points(curves: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, s, 2) points of quadratic curves given by (k, 3, 2) start, control and end points."""
    t = shares[None, :, None]
    start, control, end = curves[:, None, 0], curves[:, None, 1], curves[:, None, 2]
    return start * (1 - t) ** 2 + control * (2 * t * (1 - t)) + end * t**2


class LabelPlan:
    """Places labels one by one, each inside the view and without overlapping earlier ones.

    Parameters
    ----------
    size : (float, float)
        Size of the view.
    discs : (n, 3) float64
        Centre and radius of each vertex in view.
    curves : (k, 3, 2) float64
        Start, control and end point of each drawn arc.
    """

    def __init__(self, size: tuple[float, float], discs: NDArray[np.float64], curves: NDArray[np.float64]):
        self._size, self._discs = size, discs
        low, high = _SAMPLE_RANGE
        samples = min(high, max(low, _MOST_SAMPLES // max(1, len(curves))))
        self._points = curve_points(curves, np.linspace(0.04, 0.96, samples))
        self._curves = curves
        self._taken: list[Box] = []

    @property
    def taken(self) -> Sequence[Box]:
        return self._taken

    def reserve(self, box: Box) -> None:
        """Keep labels out of ``box``."""
        self._taken.append(box)

    def on_curve(self, index: int, width: float, height: float) -> Box | None:
        """A place for the label of arc ``index`` on the arc; None if there is none."""
        places = curve_points(self._curves[index : index + 1], np.array(_SHARES))[0]
        boxes = [Box.around(x, y, width, height) for x, y in places]
        others = np.delete(self._points, index, axis=0).reshape(-1, 2)
        return self._best(boxes, [0.1 * i for i in range(len(boxes))], others)

    def at(self, box: Box) -> Box | None:
        """``box`` if it is free, else None."""
        return self._best([box], [0.0], np.empty((0, 2)))

    def round_disc(self, index: int, width: float, height: float) -> Box | None:
        """A place for a label next to vertex ``index``; None if there is none."""
        x, y, radius = self._discs[index]
        seen = Box(x, y, x, y).inside(*self._size)
        boxes, costs = [], []
        for ring, gap in enumerate(_RINGS):
            for i, (dx, dy) in enumerate(_DIRECTIONS):
                reach = radius + gap
                across, down = (reach * d + _sign(d) * side / 2 for d, side in ((dx, width), (dy, height)))
                box = Box.around(x + across, y + down, width, height)
                boxes.append(box.moved_inside(*self._size) if seen else box)
                costs.append(0.3 * i + 3.0 * ring)
        return self._best(boxes, costs, self._points.reshape(-1, 2))

    def _best(self, boxes: list[Box], costs: list[float], points: NDArray[np.float64]) -> Box | None:
        free = [i for i, box in enumerate(boxes) if not any(box.overlaps(other) for other in self._taken)]
        free = [i for i in free if boxes[i].inside(*self._size) and not self._on_disc(boxes[i])]
        if not free:
            return None
        best = min(free, key=lambda i: costs[i] + self._cost(boxes[i], points))
        self._taken.append(boxes[best])
        return boxes[best]

    def _on_disc(self, box: Box) -> bool:
        nearest_x = np.clip(self._discs[:, 0], box.x0, box.x1)
        nearest_y = np.clip(self._discs[:, 1], box.y0, box.y1)
        gaps = np.hypot(nearest_x - self._discs[:, 0], nearest_y - self._discs[:, 1])
        return bool((gaps < self._discs[:, 2]).any())

    def _cost(self, box: Box, points: NDArray[np.float64]) -> float:
        x, y = points[:, 0], points[:, 1]
        crossed = np.count_nonzero((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1))
        return float(_LINE_COST * crossed)


def _sign(value: float) -> float:
    """-1, 0 or 1; values within rounding error of 0 count as 0."""
    return 0.0 if abs(value) < 1e-9 else math.copysign(1.0, value)
