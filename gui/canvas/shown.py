"""All that the picture shows, as one value: screen and export draw from it alone. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gui.canvas.activity import Activity
from gui.canvas.scene import DrawableGraph


class Layer(Enum):
    """What can be switched on and off; the value is its name for people."""

    EDGES = "edges"
    VISITED = "visited"
    FRONTIER = "frontier"
    PATH = "path"
    MARKERS = "markers"
    CYCLE = "negative cycle"


ALL_LAYERS = frozenset(Layer)


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be seen, whatever the view.

    Attributes
    ----------
    scene : DrawableGraph
    activity : Activity
    position : int
        Kept iteration of the trace.
    source, target : int or None
    path : (k,) int32 or None
    cycle : tuple of int
    layers : frozenset of Layer
    """

    scene: DrawableGraph
    activity: Activity
    position: int = 0
    source: int | None = None
    target: int | None = None
    path: NDArray[np.int32] | None = None
    cycle: tuple[int, ...] = ()
    layers: frozenset[Layer] = field(default=ALL_LAYERS)

    def has(self, layer: Layer) -> bool:
        return layer in self.layers
