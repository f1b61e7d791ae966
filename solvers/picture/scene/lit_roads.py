"""Roads with width, colour and light of their own: by values shown in place of distances, or
by how great they are. No Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from solvers.graphs.graph import Graph
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Float64s, UInt8s

# pixels between neighbouring vertices, from which roads are wider, and up to which
FAR_SPACING, NEAR_SPACING = 2.0, 60.0
# of the least and the greatest roads, in widths of a line: far, near
ROAD_WIDTHS = ((0.8, 2.4), (0.85, 2.6))
# density of these roads, in that of a line: far, near; at most 2
ROAD_STRENGTHS = ((0.15, 2.0), (0.5, 1.8))
ROAD_POWERS = (1.6, 1.0)  # of width and density by level: far, near
LEVELS = 256


class LitRoads(Protocol):
    """What lights roads. Compared by identity, so keep one while it is shown."""

    @property
    def graph(self) -> Graph:
        """The graph with all roads."""

    @property
    def legend(self) -> Legend: ...

    @property
    def is_difference(self) -> bool:
        """Whether the ramp goes both ways from its middle."""

    @property
    def nothing(self) -> int:
        """The shade of a road that is drawn as without light."""

    def shades_on(self, scene: DrawableGraph) -> UInt8s:
        """(e,) position of each drawn segment's road on the ramp of the legend."""


class RoadValues(LitRoads, Protocol):
    """Values of roads, shown in place of distances and values of vertices."""

    def rows(self, tail: int, head: int) -> list[tuple[str, str]]:
        """Names and values of the road between two vertices, for its card."""


class RoadLevels(LitRoads, Protocol):
    """How great each road is: great ones are drawn wide and bright, the others thin."""

    def fits(self, scene: DrawableGraph) -> bool:
        """Whether the scene is of the graph, and its roads lie where they are."""

    def on(self, scene: DrawableGraph) -> UInt8s:
        """(e,) level of each drawn segment, below `LEVELS`."""


@dataclass(frozen=True, eq=False)
class RoadPen:
    """Width and density of lines by level, relative to those of a line without one, at
    one scale.
    """

    widths: Float64s  # (LEVELS,)
    strengths: Float64s  # (LEVELS,)

    @classmethod
    def of(cls, spacing: float) -> RoadPen:
        """For a mean distance of neighbouring vertices in logical pixels."""
        near = nearness(spacing)

        def between(far: float, close: float) -> float:
            return far + (close - far) * near

        share = np.linspace(0.0, 1.0, LEVELS) ** between(*ROAD_POWERS)
        (thin, wide), (faint, strong) = (
            [between(far, close) for far, close in zip(*pairs, strict=True)]
            for pairs in (ROAD_WIDTHS, ROAD_STRENGTHS)
        )
        return cls(thin + (wide - thin) * share, faint * (strong / faint) ** share)


def nearness(spacing: float) -> float:
    """0 where neighbouring vertices are so many pixels apart that roads are thin, 1 where
    single roads are seen.
    """
    far = max(spacing, 1e-9) / FAR_SPACING
    return min(1.0, max(0.0, math.log(far) / math.log(NEAR_SPACING / FAR_SPACING)))


EVEN = RoadPen(np.ones(1), np.ones(1))
NO_LEVELS: UInt8s = np.zeros(1, np.uint8)
