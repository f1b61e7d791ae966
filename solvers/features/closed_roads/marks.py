"""Closed and slowed roads in a picture, and the vertices that are farther by them. No Qt."""

from __future__ import annotations

import numpy as np

from solvers.features.closed_roads.differences import Differences
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.display import DASHED, DOTTED
from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.values import VertexValues
from solvers.system.array_types import Bools, Float64s, Int32s


def marks_of(graph: Graph, changes: RoadChanges) -> tuple[RoadMarks, ...]:
    """The marks of changes to ``graph``; raises UnknownVertex."""
    tails, heads, factors, one_way = changes.columns()
    ends = np.stack((graph.vertices(tails), graph.vertices(heads)), axis=1)
    return road_marks(ends.astype(np.int32), factors, one_way)


def road_marks(ends: Int32s, factors: Float64s, one_way: Bools) -> tuple[RoadMarks, ...]:
    """Closed roads dashed and crossed out, slowed ones dotted with their factor.

    ``ends`` is (k, 2), ``factors`` (k,), infinity for a closed road, ``one_way`` (k,).
    """
    closed, found = np.isinf(factors), list[RoadMarks]()
    if closed.any():
        found.append(RoadMarks(ends[closed], one_way[closed], "closed", "closed", DASHED))
    if not closed.all():
        slower = factors[~closed]
        told = RoadMarks(
            ends[~closed],
            one_way[~closed],
            "slowed",
            "warning",
            DOTTED,
            lambda road: f"×{slower[road]:g}",
        )
        found.append(told)
    return tuple(found)


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
