"""Prominence of roads: the great ones, by class or flow, are drawn wide and bright, the
others thin. No Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from solvers.graphs.graph import Graph
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.lit_roads import LEVELS
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.road_segments import arcs_of_segments, road_totals
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Float32s, UInt8s
from solvers.system.kept import KeptValue

_DECADES = 3.6  # of the logarithmic scale of flows, down from the greatest
# quantile of the flows that is the greatest of the scale: bridges and tunnels exceed
# all roads
_TOP = 0.999
# level of a path, ..., of a motorway
_OF_CLASS = np.array([0, 30, 75, 130, 170, 205, 232, 255], np.uint8)
# level of the least road that is drawn by itself; smaller ones are shaded by their
# density
_LIT_FROM = 96
_FLOWS = "traffic of shortest paths"


@dataclass(frozen=True, eq=False)
class Prominence:
    """Prominence of a graph's roads. Compared by identity, so keep one while it is shown."""

    graph: Graph  # with all roads
    levels: UInt8s  # (m,) of the road of each arc, from the least to the greatest
    words: str = _FLOWS  # what tells great roads from small ones
    # the levels of the segments of the scene that was drawn last, and the shades of those
    # that are drawn by themselves
    _drawn: KeptValue[UInt8s] = field(default_factory=KeptValue, repr=False)
    _lit: KeptValue[UInt8s] = field(default_factory=KeptValue, repr=False)

    @classmethod
    def of_classes(cls, graph: Graph) -> Prominence | None:
        """By the classes of roads; None if the graph's file does not tell them."""
        classes = None if graph.roads is None else graph.roads.class_of
        return None if classes is None else cls(graph, _OF_CLASS[classes], "class of road")

    @classmethod
    def of_flows(cls, graph: Graph, flows: Float32s) -> Prominence:
        """By (m,) flows of arcs, of which only ratios count."""
        roads = road_totals(graph, flows.astype(np.float64))
        used = roads[roads > 0]
        if not len(used):
            return cls(graph, np.zeros(graph.m, np.uint8))
        top = math.log10(float(np.quantile(used, _TOP)))
        with np.errstate(divide="ignore"):
            share = np.clip(1.0 + (np.log10(roads) - top) / _DECADES, 0.0, 1.0)
        return cls(graph, np.round((LEVELS - 1) * share).astype(np.uint8))

    @property
    def is_difference(self) -> bool:
        return False

    @property
    def nothing(self) -> int:
        """The shade of a road that is too small to be drawn by its own width and colour."""
        return 0

    @property
    def legend(self) -> Legend:
        return Legend(self.words, 0.0, 1.0, "", ramp=Ramp.FLOWS, ends=("least", "greatest"))

    def shades_on(self, scene: DrawableGraph) -> UInt8s:
        """(e,) position of each drawn segment's road on the ramp of flows."""
        levels = self.on(scene)
        return self._lit.of(
            (levels,), lambda: np.where(levels >= _LIT_FROM, levels, 0).astype(np.uint8)
        )

    def fits(self, scene: DrawableGraph) -> bool:
        """Whether the scene is of the graph, and its roads lie where they are."""
        return scene.graph.as_read is self.graph and not (scene.laid_out or scene.contracted)

    def on(self, scene: DrawableGraph) -> UInt8s:
        """(e,) level of each drawn segment."""
        return self._drawn.of(scene.drawn_parts, lambda: self._found_on(scene))

    def _found_on(self, scene: DrawableGraph) -> UInt8s:
        arcs = arcs_of_segments(scene, self.graph)
        return np.where(arcs >= 0, self.levels[arcs], 0).astype(np.uint8)
