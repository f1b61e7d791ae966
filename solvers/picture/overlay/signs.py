"""Signs of what a wrong answer looks like. They differ in shape, so that no eye needs their
colour.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.display import Area, Disc, Shape, Stroke
from solvers.running.kernel_check import Looks

SIGN_RADIUS = 8.0
_EDGE, _WIDTH = 4.0, 1.8  # widths of the edge of a sign, and of what is drawn on it
_SQUARE = ((-8, -8), (8, -8), (8, 8), (-8, 8))
_DIAMOND = ((0, -10), (10, 0), (0, 10), (-10, 0))
_TRIANGLE = ((-10.4, -7.2), (10.4, -7.2), (0, 11.2))
_MINUS = (((-3.2, 0), (3.2, 0)),)
# corners, none of a disc, and the lines on them
_SIGNS = {
    # a pause in a square
    Looks.MISSING_PASS: (_SQUARE, (((-2.8, -4), (-2.8, 4)), ((2.8, -4), (2.8, 4)))),
    # a flag in a diamond
    Looks.STALE_FLAG: (_DIAMOND, (((-2, 5.2), (-2, -4.8), (4, -2.4), (-2, 0.4)),)),
    Looks.TOO_SMALL: (_TRIANGLE, (((-3.2, -2.4), (3.2, -2.4)),)),
    # a cross in a disc
    Looks.LOST_UPDATE: ((), (((-3.2, -3.2), (3.2, 3.2)), ((-3.2, 3.2), (3.2, -3.2)))),
}


def fault_sign(looks: Looks, x: float, y: float, tokens: Tokens) -> Iterator[Shape]:
    """The sign around a point."""
    corners, lines = _SIGNS.get(looks, ((), _MINUS))
    if corners:
        outline = np.add(corners, (x, y))
        yield Area(outline, None, 1.0, tokens.canvas, _EDGE)
        yield Area(outline, tokens.text)
    else:
        yield Disc((x, y), SIGN_RADIUS, None, tokens.canvas, _EDGE)
        yield Disc((x, y), SIGN_RADIUS, tokens.text, None)
    for line in lines:
        yield Stroke(np.add(line, (x, y)), tokens.canvas, _WIDTH)
