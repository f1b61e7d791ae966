"""Scale of a ring layout: which circles of the picture stand for which distances. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.bands import round_step


@dataclass(frozen=True)
class RingScale:
    """Circles around one point, by distance.

    Attributes
    ----------
    centre : (float, float)
        World coordinates.
    radius : float
        World units, of the circle of distance ``high``.
    low, high : float
        Distances of the centre and of the outermost vertex that is reached.
    unit : str
    whole : bool
        Whether all distances are whole numbers.
    """

    centre: tuple[float, float]
    radius: float
    low: float
    high: float
    unit: str = ""
    whole: bool = False

    @classmethod
    def of(
        cls, positions: NDArray[np.float64], low: float, high: float, unit: str = "", *, whole: bool = False
    ) -> RingScale:
        """The scale of a layout of radius 1 around (0, 0), as `build_scene` places it: centred, longer side 1."""
        least, most = positions.min(axis=0), positions.max(axis=0)
        extent = float((most - least).max()) or 1.0
        x, y = (-(least + most) / 2 / extent).tolist()
        return cls((x, y), 1.0 / extent, low, high, unit, whole)

    @property
    def circles(self) -> list[tuple[float, float]]:
        """(distance, radius in world units) of circles at round distances, the innermost first."""
        step = max(round_step(self.low, self.high), 1.0 if self.whole and self.high > self.low else 0.0)
        if step <= 0.0:
            return []
        first, last = int(np.floor(self.low / step)) + 1, int(np.floor(self.high / step + 1e-9))
        per_unit = self.radius / (self.high - self.low)
        return [(k * step, (k * step - self.low) * per_unit) for k in range(first, last + 1)]
