"""The display list of a picture: strokes, areas, discs and words in logical pixels. No Qt.

They are made without a window and drawn by thin painters: `gui.painting.display` by
QPainter, `solvers.notebook.painter` by Pillow, and here as SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from solvers.system.array_types import Float64s

_CURVE_POINTS = 21


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points, (k, 2), or the quadratic curve from the first to the last of
    three.
    """

    points: Float64s
    colour: str
    width: float
    is_curve: bool = False
    is_dashed: bool = False
    opacity: float = 1.0
    dash_offset: float = 0.0  # what of the dashes lies before the first point, in pixels

    @property
    def outline(self) -> Float64s:
        """(k, 2) points so dense that lines between them look like the curve."""
        if not self.is_curve:
            return self.points
        start, control, end = self.points
        share = np.linspace(0.0, 1.0, _CURVE_POINTS)[:, None]
        outline: Float64s = (
            start * (1 - share) ** 2 + control * 2 * share * (1 - share) + end * share**2
        )
        return outline

    def svg(self) -> str:
        looks = f'fill="none" stroke="{self.colour}" stroke-width="{self.width:g}"'
        looks += f' stroke-opacity="{self.opacity:g}"' if self.opacity < 1.0 else ""
        looks += ' stroke-dasharray="6 4"' if self.is_dashed else ""
        looks += ' stroke-linejoin="round" stroke-linecap="round"'
        if self.is_curve:
            (x0, y0), (x1, y1), (x2, y2) = self.points.tolist()
            way = f"M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}"
            return f'<path d="{way}" {looks}/>'
        return f'<polyline points="{_listed(self.points)}" {looks}/>'


@dataclass(frozen=True, eq=False)
class Area:
    """A filled polygon through points, (k, 2)."""

    points: Float64s
    fill: str
    opacity: float = 1.0

    def svg(self) -> str:
        opacity = f' fill-opacity="{self.opacity:g}"' if self.opacity < 1.0 else ""
        return f'<polygon points="{_listed(self.points)}" fill="{self.fill}"{opacity}/>'


@dataclass(frozen=True)
class Disc:
    middle: Sequence[float]
    radius: float
    fill: str | None
    outline: str
    width: float = 1.4

    def svg(self) -> str:
        return (
            f'<circle cx="{self.middle[0]:.1f}" cy="{self.middle[1]:.1f}" r="{self.radius:.1f}" '
            f'fill="{self.fill or "none"}" stroke="{self.outline}" stroke-width="{self.width:g}"/>'
        )


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its baseline."""

    x: float
    y: float
    text: str
    colour: str
    size: float = 13.0
    anchor: str = "start"  # "start", "middle" or "end" of the text is at ``x``
    halo: str | None = None

    def svg(self) -> str:
        halo = "" if self.halo is None else f' stroke="{self.halo}" stroke-width="4"'
        return (
            f'<text x="{self.x:.1f}" y="{self.y:.1f}" fill="{self.colour}"{halo} '
            f'paint-order="stroke" font-size="{self.size:g}" text-anchor="{self.anchor}">'
            f"{escape(self.text)}</text>"
        )


Shape = Stroke | Area | Disc
Mark = Shape | Words


def box(x: float, y: float, width: float, height: float, fill: str) -> Area:
    return Area(
        np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float64),
        fill,
    )


def _listed(points: Float64s) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
