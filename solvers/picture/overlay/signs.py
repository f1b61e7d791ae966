"""Signs beside vertices. They differ in shape, so that no eye needs their colour."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.display import Area, Disc, Shape, Stroke
from solvers.picture.scene.activity import Sign

SIGN_RADIUS = 8.0
_EDGE, _WIDTH = 4.0, 1.8  # widths of the edge of a sign, and of what is drawn on it


def sign_shape(sign: Sign, x: float, y: float, tokens: Tokens) -> Iterator[Shape]:
    """The sign around a point."""
    if sign.corners:
        outline = np.add(sign.corners, (x, y))
        yield Area(outline, None, 1.0, tokens.canvas, _EDGE)
        yield Area(outline, tokens.text)
    else:
        yield Disc((x, y), SIGN_RADIUS, None, tokens.canvas, _EDGE)
        yield Disc((x, y), SIGN_RADIUS, tokens.text, None)
    for line in sign.lines:
        yield Stroke(np.add(line, (x, y)), tokens.canvas, _WIDTH)
