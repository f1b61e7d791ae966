"""Differences between distances as colours: who is farther than before, and by how much. No Qt."""

from __future__ import annotations

import numpy as np

from gui.picture.scene.activity import NEVER, Legend
from gui.picture.scene.ramps import Ramp
from gui.picture.scene.vertex_values import VertexValues
from solvers.running.differences import Differences


def difference_values(differences: Differences) -> VertexValues | None:
    """The colours; None if no distance has changed.

    Vertices with the same distance as before have no colour. One that is cut off has the colour of the greatest
    increase, one that has become reachable that of the greatest decrease.
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
    return VertexValues((shares * 255).astype(np.uint8), np.where(differ, 0, NEVER).astype(np.int32), legend)
