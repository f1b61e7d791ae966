"""Part of the graph that a canvas shows, independent of its size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gui.picture.scene.camera import Camera

_SAME = 1e-6


@dataclass(frozen=True)
class ViewState:
    """Centre and scale of a camera.

    Attributes
    ----------
    x, y, scale : float
    fitted : bool
        The whole graph is shown, whatever the canvas's size.
    """

    x: float
    y: float
    scale: float
    fitted: bool

    @classmethod
    def of(cls, camera: Camera, *, fitted: bool) -> ViewState:
        return cls(camera.x, camera.y, camera.scale, fitted)

    def looks_like(self, other: ViewState) -> bool:
        """Whether both show the same part of the graph."""
        if self.fitted or other.fitted:
            return self.fitted and other.fitted
        mine, others = (self.x, self.y, self.scale), (other.x, other.y, other.scale)
        return all(math.isclose(a, b, rel_tol=_SAME, abs_tol=_SAME) for a, b in zip(mine, others, strict=True))

    def camera(self, width: float, height: float) -> Camera:
        return Camera(self.x, self.y, self.scale, width, height)
