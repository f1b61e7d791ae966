"""Places of the components of a graph: the largest in the middle, the others beside it. No Qt.

In networks of one large component and thousands of pairs, the pairs would make up the picture. They are drawn smaller
there, so that together they take no greater share of the area than of the vertices, or `_LEAST_SHARE` if that is more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_GAP = 1.6  # edge lengths between components
_DOMINANT = 0.1  # share of all vertices from which the largest component stands in the middle
_LEAST_SHARE = 0.05  # area of all other components relative to the largest, up to which they keep their size
_SIDE_GAP = 0.03  # of the largest component's width, between it and the others
_ASPECT = 1.5  # wanted width to height of many components of which none is dominant

_Floats = NDArray[np.float64]


def pack(positions: _Floats, starts: NDArray[np.int64]) -> None:
    """Move components side by side, in place.

    Parameters
    ----------
    positions : (n, 2) float64
        Of the vertices, component by component.
    starts : (c + 1,) int64
        Component ``i`` holds the vertices ``starts[i] .. starts[i + 1] - 1``.
    """
    if len(starts) < 2:
        return
    vertices = np.diff(starts)
    low, high = np.minimum.reduceat(positions, starts[:-1]), np.maximum.reduceat(positions, starts[:-1])
    by_size = np.argsort(-vertices, kind="stable")
    boxes = (high - low)[by_size] + _GAP
    if vertices[by_size[0]] >= max(2, _DOMINANT * vertices.sum()):
        scale = _scale_beside(boxes, vertices[by_size])
        boxes[1:] *= scale
        middles = _beside(boxes)
    else:
        scale = 1.0
        middles = _in_rows(boxes)
    scales, places = np.full(len(vertices), scale), np.empty((len(vertices), 2))
    scales[by_size[0]] = 1.0
    places[by_size] = middles
    which = np.repeat(np.arange(len(vertices)), vertices)
    positions -= ((low + high) / 2)[which]
    positions *= scales[which, None]
    positions += places[which]


def _scale_beside(boxes: _Floats, vertices: NDArray[np.int64]) -> float:
    """Factor, at most 1, by which the components after the first are drawn smaller."""
    if len(boxes) == 1:
        return 1.0
    share = max(_LEAST_SHARE, float(vertices[1:].sum()) / float(vertices[0]))
    return min(1.0, math.sqrt(share * float(boxes[0].prod()) / float(boxes[1:].prod(axis=1).sum())))


def _beside(boxes: _Floats) -> _Floats:
    """(c, 2) middles: the first component's at the origin, the others' in columns to its right and left in turn."""
    middles = np.zeros((len(boxes), 2))
    columns = _stacked(boxes[1:, 1], float(boxes[:, 1].max()))
    edges = [boxes[0, 0] * (0.5 + _SIDE_GAP)] * 2  # distance of the next column from the origin, right and left
    for number, (first, last) in enumerate(columns):
        width, heights = float(boxes[1 + first : 1 + last, 0].max()), boxes[1 + first : 1 + last, 1]
        side = number % 2
        middles[1 + first : 1 + last, 0] = (edges[side] + width / 2) * (-1.0 if side else 1.0)
        middles[1 + first : 1 + last, 1] = np.cumsum(heights) - heights / 2 - heights.sum() / 2
        edges[side] += width
    return middles


def _in_rows(boxes: _Floats) -> _Floats:
    """(c, 2) middles of components in rows, in the given order."""
    middles = np.empty((len(boxes), 2))
    y = 0.0
    for first, last in _stacked(
        boxes[:, 0], max(float(boxes[:, 0].max()), math.sqrt(_ASPECT * boxes.prod(axis=1).sum()))
    ):
        widths, height = boxes[first:last, 0], float(boxes[first:last, 1].max())
        middles[first:last, 0] = np.cumsum(widths) - widths / 2
        middles[first:last, 1] = y + height / 2
        y += height
    return middles


def _stacked(lengths: _Floats, room: float) -> list[tuple[int, int]]:
    """Ranges (first, last) of consecutive lengths, each with a sum of at most ``room``."""
    ends = np.cumsum(lengths)
    ranges, first = [], 0
    while first < len(lengths):
        before = float(ends[first - 1]) if first else 0.0
        last = max(first + 1, int(np.searchsorted(ends, before + room * (1 + 1e-9), side="right")))
        ranges.append((first, last))
        first = last
    return ranges
