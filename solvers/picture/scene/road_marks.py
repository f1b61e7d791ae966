"""Changed roads for drawing, the roads under a point, and the roads inside a lasso. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.scene import DrawableGraph, visible_runs
from solvers.picture.scene.values import VertexValues
from solvers.running.differences import Differences
from solvers.system.array_types import Bools, Float32s, Float64s, Int32s, Int64s
from solvers.system.jit import njit

_BANDS = 512  # horizontal ones of a lasso, by which its sides are found


@dataclass(frozen=True, eq=False)
class RoadMarks:
    """Changed roads by the indices of their ends."""

    ends: Int32s  # (k, 2): in the direction of change, where only one is changed
    factors: Float64s  # (k,): infinity for a closed road
    one_way: Bools  # (k,)

    @classmethod
    def of(cls, graph: Graph, changes: RoadChanges) -> RoadMarks:
        """The marks of changes to ``graph``; raises UnknownVertex."""
        tails, heads, factors, one_way = changes.columns()
        ends = np.stack((graph.vertices(tails), graph.vertices(heads)), axis=1)
        return cls(ends.astype(np.int32), factors, one_way)


def roads_at(scene: DrawableGraph, x: float, y: float, radius: float) -> list[tuple[int, int]]:
    """The ends of each drawn road within ``radius`` of a point, the nearest road first."""
    nearest: dict[frozenset[int], tuple[float, tuple[int, int]]] = {}
    for first, last in visible_runs(
        scene, Bounds(x - radius, y - radius, x + radius, y + radius), BLOCK
    ):
        distances = _distances_to(scene.segments[first:last].astype(np.float64), x, y)
        for piece in np.flatnonzero(distances <= radius).tolist():
            tail, head = scene.roads[first + piece].tolist()
            found = float(distances[piece]), (tail, head)
            key = frozenset((tail, head))
            nearest[key] = min(found, nearest.get(key, found))
    return [road for _, road in sorted(nearest.values())]


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


def _distances_to(segments: Float64s, x: float, y: float) -> Float64s:
    start, along = segments[:, :2], segments[:, 2:] - segments[:, :2]
    to_point = np.array([x, y]) - start
    squared = (along * along).sum(axis=1)
    share = np.clip((to_point * along).sum(axis=1) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    rest = to_point - share[:, None] * along
    return np.hypot(rest[:, 0], rest[:, 1])


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
    bands = np.arange(len(sides)) - np.repeat(np.cumsum(counts) - counts - low, counts)
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


def difference_values(differences: Differences) -> VertexValues | None:
    """The colours; None if no distance has changed.

    Vertices with the same distance as before have no colour. One that is cut off has
    the colour of the greatest increase, one that has become reachable that of the
    greatest decrease.
    """
    values = differences.values
    finite = values[np.isfinite(values)]
    differ = ~np.isnan(values) & (values != 0)
    if not differ.any():
        return None
    both_ways = bool((values[differ] < 0).any())
    most = float(np.abs(finite).max(initial=0.0)) or 1.0
    low = -most if both_ways else 0.0
    shares = (np.clip(np.nan_to_num(values, nan=0.0), low, most) - low) / (most - low)
    unit = differences.graph.weight_unit
    legend = (
        Legend("nearer or farther than before by", low, most, unit, ramp=Ramp.DIFFERENCES)
        if both_ways
        else Legend("farther than before by", low, most, unit, ramp=Ramp.INCREASES)
    )
    return VertexValues(
        (shares * 255).astype(np.uint8), np.where(differ, 0, NEVER).astype(np.int32), legend
    )
