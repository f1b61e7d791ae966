"""Shapes of the marks in charts, which tell lines of one colour apart."""

from __future__ import annotations

import math

RADIUS = 4.5
"""Of a mark, in pixels."""


def _corners(count: int, first: float, *radii: float) -> tuple[tuple[float, float], ...]:
    """Corners of a polygon around 0, 0 with these distances in turn; the first one at an angle in turns."""
    angles = (math.tau * (first + i / count) for i in range(count))
    return tuple(
        (radii[i % len(radii)] * math.cos(a), radii[i % len(radii)] * math.sin(a)) for i, a in enumerate(angles)
    )


# Triangle, diamond, triangle on its tip, four-pointed star; in radii of a mark.
_POLYGONS = (
    _corners(3, -0.25, 1.35), _corners(4, -0.25, 1.35), _corners(3, 0.25, 1.35), _corners(8, 0.125, 1.6, 0.6),
)  # fmt: skip


def shape(index: int, x: float, y: float, attributes: str) -> str:
    """A circle, square, or one of `_POLYGONS`, so that lines differ without their colours."""
    r, kind = RADIUS, index % (2 + len(_POLYGONS))
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {attributes}/>'
    if kind == 1:
        return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}" {attributes}/>'
    points = " ".join(f"{x + r * across:.1f},{y + r * down:.1f}" for across, down in _POLYGONS[kind - 2])
    return f'<polygon points="{points}" {attributes}/>'
