"""Rasteriser of antialiased lines and dots into arrays, for millions of edges. No Qt.

A frame is drawn in two passes. The first, here, fills two buffers that depend only on
the view: the accumulated line coverage of each pixel (``density``) and the vertex it
belongs to (``claims``; a pixel of an edge belongs to the nearer end). The second
(``pixel_colours.py``) colours the pixels by the state of their vertices, in time
proportional to the pixels. A step of the play-back, another result or another colour
scheme therefore draws no edge again.

Overlapping lines add up in ``density``, and a tone curve (``pixel_colours.py``) maps
density to colour.

The result does not depend on the drawing order, so that threads, slices and a GPU
(``lines.cu``, the same arithmetic) give the same pixels. Density is an integer count of
`UNITS`, up to `MOST_DENSITY`. The greatest claim wins: that of a vertex, else of the
last edge that covers enough of the pixel, else of the first edge that only touches it.

- the end ``k`` (0 or 1) of edge ``e`` claims ``2 * e + k + 1``, negated if it only
touches the pixel;
- vertex ``v`` of a graph with ``m`` edges claims ``2 * m + v + 1``; pixels without any
line or dot hold `UNCLAIMED`.
"""

from __future__ import annotations

import math

import numpy as np

from solvers.picture.scene.edges import BLOCK
from solvers.system.array_types import Float32s, Float64s, Int32s, Int64s, UInt8s
from solvers.system.jit import njit

UNITS = 1024  # of density, on a pixel that one line covers
MOST_DENSITY = 2**30 - 1  # units: a million lines on one pixel; two such sums fit into 32 bits
MOST_SHORT_DENSITY = 2 * UNITS  # units of an edge shorter than a pixel
UNCLAIMED = np.iinfo(np.int32).min

LONGEST = 1e12  # pixels; longer lines (and infinite or NaN coordinates) are not drawn
OWNING_COVERAGE = 0.35  # a line that covers less of a pixel does not take it over


@njit(inline="always")
def _add_coverage(density: Int32s, claims: Int32s, at: int, amount: float, claim: int) -> None:
    """Add ``amount`` to a pixel of the flattened buffers and raise its claim."""
    pixel = np.uint64(at)  # unsigned: spares numba the check for negative indices
    density[pixel] = min(density[pixel] + np.int32(amount), np.int32(MOST_DENSITY))
    claims[pixel] = max(claims[pixel], np.int32(claim))


@njit(error_model="numpy")
def _draw_line(
    density: Int32s,
    claims: Int32s,
    step_a: int,
    step_b: int,
    window: tuple[int, int, int, int],
    a0: float,
    b0: float,
    a1: float,
    b1: float,
    half: float,
    strength: float,
    u: int,
    v: int,
) -> None:
    """Draw a line along its major axis ``a`` (columns), ``|b1 - b0| <= a1 - a0``; rows
    are given as ``b``.

    The flattened buffers hold the ``columns`` from ``first_a`` on, ``step_a`` elements
    apart, and so the ``rows``, as ``window`` says; ``u`` and ``v`` are the claims of
    the ends.
    """
    first_a, first_b, columns, rows = window
    slope = (b1 - b0) / (a1 - a0)
    middle = 0.5 * (a0 + a1)
    thick = half * math.sqrt(1.0 + slope * slope)
    peak = min(1.0, 2.0 * thick)
    first, last = max(float(first_a), np.floor(a0)), min(first_a + columns - 1.0, np.floor(a1))
    reach = thick + 2.0
    # restrict to the visible part
    if min(b0, b1) < first_b - reach or max(b0, b1) > first_b + rows + reach:
        enter = (first_b - reach - b0) / slope + a0
        leave = (first_b + rows + reach - b0) / slope + a0
        first = max(first, np.floor(min(enter, leave) - 1.0))
        last = min(last, np.floor(max(enter, leave) + 1.0))
    if not first <= last:
        return
    for column in range(int(first), int(last) + 1):
        left = max(a0, float(column))
        right = min(a1, column + 1.0)
        if right <= left:
            continue
        centre = 0.5 * (left + right)
        b = b0 + slope * (centre - a0)
        end = u if centre < middle else v
        low = max(first_b, math.floor(b - thick - 0.5))
        high = min(first_b + rows - 1, math.floor(b + thick + 0.5))
        for row in range(low, high + 1):
            cover = min(peak, thick + 0.5 - abs(row + 0.5 - b)) * (right - left)
            if cover > 0.0:
                claim = end if cover > OWNING_COVERAGE else -end
                at = (column - first_a) * step_a + (row - first_b) * step_b
                _add_coverage(density, claims, at, strength * cover + 0.5, claim)


@njit(error_model="numpy")
def draw_edges(
    density: Int32s,
    claims: Int32s,
    top: int,
    segments: Float32s,
    ends: Int32s,
    blocks: Int64s,
    skip: UInt8s,
    scale: float,
    dx: float,
    dy: float,
    line_width: float,
    fade: float,
    levels: UInt8s,
    widths: Float64s,
    strengths: Float64s,
) -> None:
    """Add edges to a frame or to some of its rows; the pixels of a row do not depend on
    which rows are drawn.

    ``density`` and ``claims`` are updated; ``top`` is the row of the frame that their
    row 0 stands for. Pixels are world * ``scale`` + (``dx``, ``dy``). ``segments`` are
    (e, 4) world x0, y0, x1, y1, not drawn with an end that is not finite; ``ends`` (e,
    2); ``blocks`` (b,) numbers of blocks of `BLOCK` edges. Edges between two vertices
    marked in ``skip``, (n,) or (0,), are left to vectors. Lines longer than ``fade``
    pixels get fainter, with the square root of their length. ``widths``, relative to
    ``line_width``, and ``strengths``, at most 2, are by level of an edge; ``levels``
    (e,) are not read if there is only one.
    """
    rows, columns = density.shape
    bottom = top + rows
    masked, even = skip.shape[0] > 0, widths.shape[0] == 1
    upright, turned = (0, top, columns, rows), (top, 0, rows, columns)
    density, claims = density.reshape(-1), claims.reshape(-1)
    for block in blocks:
        end = min(segments.shape[0], (block + 1) * BLOCK)
        for e in range(block * BLOCK, end):
            y0 = segments[e, 1] * scale + dy
            y1 = segments[e, 3] * scale + dy
            level = 0 if even else levels[e]
            width = line_width * widths[level]
            if not (min(y0, y1) < bottom + width and max(y0, y1) > top - width):
                continue
            x0 = segments[e, 0] * scale + dx
            x1 = segments[e, 2] * scale + dx
            if masked and skip[ends[e, 0]] and skip[ends[e, 1]]:
                continue
            across, down = abs(x1 - x0), abs(y1 - y0)
            square = across * across + down * down
            u, v = 2 * e + 1, 2 * e + 2
            if square < 1.0:  # shorter than a pixel
                column, row = math.floor(0.5 * (x0 + x1)), math.floor(0.5 * (y0 + y1))
                if 0 <= column < columns and top <= row < bottom:
                    short = int(
                        min(
                            float(MOST_SHORT_DENSITY),
                            max(1.0, math.sqrt(square) * width * UNITS * strengths[level] + 0.5),
                        )
                    )
                    _add_coverage(density, claims, (row - top) * columns + column, short, u)
                continue
            if not (min(x0, x1) < columns + width and max(x0, x1) > -width):
                continue
            if not (across < LONGEST and down < LONGEST):  # also skips NaN
                continue
            length = math.sqrt(square)
            half = 0.5 * width
            strength = (
                UNITS * strengths[level] * (1.0 if length <= fade else math.sqrt(fade / length))
            )
            if across >= down:
                if x0 <= x1:
                    _draw_line(
                        density, claims, 1, columns, upright, x0, y0, x1, y1, half, strength, u, v
                    )
                else:
                    _draw_line(
                        density, claims, 1, columns, upright, x1, y1, x0, y0, half, strength, v, u
                    )
            elif y0 <= y1:
                _draw_line(
                    density, claims, columns, 1, turned, y0, x0, y1, x1, half, strength, u, v
                )
            else:
                _draw_line(
                    density, claims, columns, 1, turned, y1, x1, y0, x0, half, strength, v, u
                )


@njit(error_model="numpy")
def draw_vertices(
    density: Int32s,
    claims: Int32s,
    top: int,
    points: Float64s,
    vertices: Int32s,
    edges: int,
    scale: float,
    dx: float,
    dy: float,
    radii: Float64s,
    strength: float,
) -> None:
    """Add ``vertices`` at ``points``, of a graph with ``edges``, as discs of ``radii``
    pixels; see `draw_edges`.
    """
    rows, columns = density.shape
    density, claims = density.reshape(-1), claims.reshape(-1)
    for i in range(vertices.shape[0]):
        reach = radii[i] + 0.5
        x = points[i, 0] * scale + dx
        y = points[i, 1] * scale + dy
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(
            max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1
        ):
            for column in range(
                max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1
            ):
                across, down = column + 0.5 - x, row + 0.5 - y
                cover = reach - math.sqrt(across * across + down * down)
                if cover > 0.0:
                    units = int(min(float(MOST_DENSITY), UNITS * strength * min(1.0, cover) + 0.5))
                    _add_coverage(
                        density,
                        claims,
                        (row - top) * columns + column,
                        units,
                        2 * edges + vertices[i] + 1,
                    )


@njit(inline="always")
def owner_of(claim: int, ends: Int32s) -> int:
    """The vertex that a drawn pixel belongs to."""
    at = abs(claim) - 1
    return ends[at] if at < ends.shape[0] else at - ends.shape[0]


def blank(width: int, height: int) -> tuple[Int32s, Int32s]:
    """New, empty ``(density, claims)`` buffers of that size."""
    density, claims = np.empty((2, height, width), np.int32)  # one array, for huge pages
    clear(density, claims)
    return density, claims


def clear(density: Int32s, claims: Int32s) -> None:
    """Make buffers empty."""
    density.fill(0)
    claims.fill(UNCLAIMED)
