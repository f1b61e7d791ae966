"""The roads inside a lasso. No Qt."""

from __future__ import annotations

import numpy as np

from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.scene import DrawableGraph, visible_runs
from solvers.system.array_types import Bools, Float32s, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.ranges import numbers_in

_BANDS = 512  # horizontal ones of a lasso, by which its sides are found


def roads_inside(scene: DrawableGraph, outline: Float64s) -> Int32s:
    """Ends, (k, 2), of drawn roads with their middle, or that of a piece of their
    curve, inside a (p, 2) outline.
    """
    if len(outline) < 3:
        return np.empty((0, 2), np.int32)
    runs, bands = visible_runs(scene, Bounds.of(outline), 1 << 62), _bands_of(outline)
    found = [
        scene.roads[first:last][_middles_inside(scene.segments[first:last], outline, *bands)]
        for first, last in runs
    ]
    inside = np.concatenate(found) if found else np.empty((0, 2), np.int32)
    return inside if scene.curves is None else np.unique(inside, axis=0)


def _bands_of(outline: Float64s) -> tuple[Int64s, Int64s, float, float]:
    """The sides of an outline by the horizontal bands that they meet; side ``i`` ends
    at corner ``i``.

    Band ``b`` has the sides from ``first[b]`` to ``first[b + 1]`` in the first array;
    then lowest y, and bands per unit.
    """
    ends = outline[:, 1], np.roll(outline[:, 1], 1)
    lowest, highest = float(outline[:, 1].min()), float(outline[:, 1].max())
    per_unit = _BANDS / (highest - lowest) if highest > lowest else 0.0
    low, high = (
        ((y - lowest) * per_unit).astype(np.int64).clip(0, _BANDS - 1)
        for y in (np.minimum(*ends), np.maximum(*ends))
    )
    counts = high - low + 1
    sides = np.repeat(np.arange(len(outline)), counts)
    bands = numbers_in(low, counts)
    order = np.argsort(bands, kind="stable")
    return sides[order], np.searchsorted(bands[order], np.arange(_BANDS + 1)), lowest, per_unit


@njit
def _middles_inside(
    segments: Float32s,
    outline: Float64s,
    sides: Int64s,
    first: Int64s,
    lowest: float,
    per_unit: float,
) -> Bools:
    """By the even-odd rule."""
    inside = np.zeros(len(segments), np.bool_)
    for e in range(len(segments)):
        x, y = (segments[e, 0] + segments[e, 2]) / 2, (segments[e, 1] + segments[e, 3]) / 2
        if not (x == x and y >= lowest):
            continue
        band = int((y - lowest) * per_unit)
        if band > len(first) - 2:
            if band > len(first) - 1:
                continue
            band = len(first) - 2
        for k in range(first[band], first[band + 1]):
            i = sides[k]
            last = i - 1 if i > 0 else len(outline) - 1
            x0, y0, x1, y1 = outline[i, 0], outline[i, 1], outline[last, 0], outline[last, 1]
            if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
                inside[e] = not inside[e]
    return inside
