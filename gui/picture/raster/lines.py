"""Rasteriser of antialiased lines, dots and discs into arrays, for millions of edges. No Qt.

A frame is drawn in two passes. The first fills two buffers that depend only on the view: the accumulated line coverage
of each pixel (``density``) and the vertex it belongs to (``claims``; a pixel of an edge belongs to the nearer end). The
second colours the pixels by the state of their vertices, in time proportional to the pixels. A step of the play-back,
another result or another colour scheme therefore draws no edge again.

Overlapping lines add up in ``density``, and the tone curve (``tone_map.py``) maps density to colour.

The result does not depend on the drawing order, so that threads, slices and a GPU (``lines.cu``, the same
arithmetic) give the same pixels. Density is an integer count of `UNITS`, up to `MOST_DENSITY`. The greatest claim wins:
that of a vertex, else of the last edge that covers enough of the pixel, else of the first edge that only touches it.

- the end ``k`` (0 or 1) of edge ``e`` claims ``2 * e + k + 1``, negated if it only touches the pixel;
- vertex ``v`` of a graph with ``m`` edges claims ``2 * m + v + 1``; pixels without any line or dot hold `UNCLAIMED`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import NEVER
from gui.picture.scene.edge_order import BLOCK
from solvers.host.jit import njit

UNITS = 1024  # of density, on a pixel that one line covers
MOST_DENSITY = 2**30 - 1  # units: a million lines on one pixel; two such sums fit into 32 bits
MOST_SHORT_DENSITY = 2 * UNITS  # units of an edge shorter than a pixel
UNCLAIMED = np.iinfo(np.int32).min

LONGEST = 1e12  # pixels; longer lines (and infinite or NaN coordinates) are not drawn
OWNING_COVERAGE = 0.35  # a line that covers less of a pixel does not take it over


@njit(cache=True, nogil=True, inline="always")
def _add_coverage(density: NDArray[np.int32], claims: NDArray[np.int32], at: int, amount: float, claim: int) -> None:
    """Add ``amount`` to a pixel of the flattened buffers and raise its claim."""
    pixel = np.uint64(at)  # unsigned: spares numba the check for negative indices
    density[pixel] = min(density[pixel] + np.int32(amount), np.int32(MOST_DENSITY))
    claims[pixel] = max(claims[pixel], np.int32(claim))


@njit(cache=True, nogil=True, error_model="numpy")
def _draw_line(
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
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
    """Draw a line along its major axis ``a`` (columns), ``|b1 - b0| <= a1 - a0``; rows are given as ``b``.

    The flattened buffers hold the ``columns`` from ``first_a`` on, ``step_a`` elements apart, and so the ``rows``, as
    ``window`` says; ``u`` and ``v`` are the claims of the ends.
    """
    first_a, first_b, columns, rows = window
    slope = (b1 - b0) / (a1 - a0)
    middle = 0.5 * (a0 + a1)
    thick = half * math.sqrt(1.0 + slope * slope)
    peak = min(1.0, 2.0 * thick)
    first, last = max(float(first_a), np.floor(a0)), min(first_a + columns - 1.0, np.floor(a1))
    reach = thick + 2.0
    if min(b0, b1) < first_b - reach or max(b0, b1) > first_b + rows + reach:  # restrict to the visible part
        enter, leave = (first_b - reach - b0) / slope + a0, (first_b + rows + reach - b0) / slope + a0
        first, last = max(first, np.floor(min(enter, leave) - 1.0)), min(last, np.floor(max(enter, leave) + 1.0))
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


@njit(cache=True, nogil=True, error_model="numpy")
def draw_edges(
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    top: int,
    segments: NDArray[np.float32],
    ends: NDArray[np.int32],
    blocks: NDArray[np.int64],
    skip: NDArray[np.uint8],
    scale: float,
    dx: float,
    dy: float,
    width: float,
    fade: float,
) -> None:
    """Add edges to a frame or to some of its rows; the pixels of a row do not depend on which rows are drawn.

    Parameters
    ----------
    density : (h, w) int32
        Accumulated coverage in `UNITS`; updated.
    claims : (h, w) int32
        Greatest claims so far; updated.
    top : int
        Row of the frame that row 0 of the buffers stands for.
    segments : (e, 4) float32
        World x0, y0, x1, y1; edges with an end that is not finite are not drawn.
    ends : (e, 2) int32
    blocks : (b,) integers
        Numbers of the blocks of `BLOCK` edges to draw.
    skip : (n,) uint8 or (0,)
        Edges between two marked vertices are skipped (they are drawn as vectors).
    scale, dx, dy : float
        Pixel = world * scale + d.
    width : float
        Line width in pixels.
    fade : float
        Length in pixels from which lines get fainter, with the square root of their length.
    """
    rows, columns = density.shape
    bottom = top + rows
    half, dense = 0.5 * width, width * UNITS
    masked = skip.shape[0] > 0
    upright, turned = (0, top, columns, rows), (top, 0, rows, columns)
    density, claims = density.reshape(-1), claims.reshape(-1)
    for block in blocks:
        end = min(segments.shape[0], (block + 1) * BLOCK)
        for e in range(block * BLOCK, end):
            y0 = segments[e, 1] * scale + dy
            y1 = segments[e, 3] * scale + dy
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
                    short = int(min(float(MOST_SHORT_DENSITY), max(1.0, math.sqrt(square) * dense + 0.5)))
                    _add_coverage(density, claims, (row - top) * columns + column, short, u)
                continue
            if not (min(x0, x1) < columns + width and max(x0, x1) > -width):
                continue
            if not (across < LONGEST and down < LONGEST):  # also skips NaN
                continue
            length = math.sqrt(square)
            strength = UNITS * (1.0 if length <= fade else math.sqrt(fade / length))
            if across >= down:
                if x0 <= x1:
                    _draw_line(density, claims, 1, columns, upright, x0, y0, x1, y1, half, strength, u, v)
                else:
                    _draw_line(density, claims, 1, columns, upright, x1, y1, x0, y0, half, strength, v, u)
            elif y0 <= y1:
                _draw_line(density, claims, columns, 1, turned, y0, x0, y1, x1, half, strength, u, v)
            else:
                _draw_line(density, claims, columns, 1, turned, y1, x1, y0, x0, half, strength, v, u)


@njit(cache=True, nogil=True, error_model="numpy")
def draw_vertices(
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    top: int,
    points: NDArray[np.float64],
    vertices: NDArray[np.int32],
    edges: int,
    scale: float,
    dx: float,
    dy: float,
    radii: NDArray[np.float64],
    strength: float,
) -> None:
    """Add ``vertices`` at ``points``, of a graph with ``edges``, as discs of ``radii`` pixels; see `draw_edges`."""
    rows, columns = density.shape
    density, claims = density.reshape(-1), claims.reshape(-1)
    for i in range(vertices.shape[0]):
        reach = radii[i] + 0.5
        x = points[i, 0] * scale + dx
        y = points[i, 1] * scale + dy
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                across, down = column + 0.5 - x, row + 0.5 - y
                cover = reach - math.sqrt(across * across + down * down)
                if cover > 0.0:
                    units = int(min(float(MOST_DENSITY), UNITS * strength * min(1.0, cover) + 0.5))
                    _add_coverage(density, claims, (row - top) * columns + column, units, 2 * edges + vertices[i] + 1)


@njit(cache=True, nogil=True, inline="always")
def owner_of(claim: int, ends: NDArray[np.int32]) -> int:
    """The vertex that a drawn pixel belongs to."""
    at = abs(claim) - 1
    return ends[at] if at < ends.shape[0] else at - ends.shape[0]


@njit(cache=True, nogil=True, inline="always")
def blend(under: np.uint32, over: np.uint32, alpha: np.uint32) -> np.uint32:
    """Blend the opaque colour ``over`` onto premultiplied ARGB; ``alpha`` in 0..256."""
    rest = np.uint32(256) - alpha
    low = (
        ((over & np.uint32(0x00FF00FF)) * alpha + (under & np.uint32(0x00FF00FF)) * rest) >> np.uint32(8)
    ) & np.uint32(0x00FF00FF)
    high = ((over >> np.uint32(8)) & np.uint32(0x00FF00FF)) * alpha + (
        (under >> np.uint32(8)) & np.uint32(0x00FF00FF)
    ) * rest
    return low | (high & np.uint32(0xFF00FF00))


@njit(cache=True, nogil=True, error_model="numpy")
def colour_pixels(
    image: NDArray[np.uint32],
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    ends: NDArray[np.int32],
    reveal: NDArray[np.int32],
    shade: NDArray[np.uint8],
    upto: int,
    edge_colours: NDArray[np.uint32],
    shade_alphas: NDArray[np.uint32],
    shades: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Colour the pixels of a frame.

    Parameters
    ----------
    image : (h, w) uint32
        Premultiplied ARGB; written.
    density, claims : (h, w)
        As filled by `draw_edges`.
    ends : (2 * e,) int32
        Tail and head of each edge, alternating.
    reveal : (n,) int32 or (0,)
        Iteration from which a vertex counts as visited, or NEVER; empty if nothing is visited.
    shade : (n,) uint8
        Index into ``shades`` of each visited vertex.
    upto : int
        Current iteration.
    edge_colours : (s,) uint32
        Colour of unvisited edges for each step of the tone curve.
    shade_alphas : (s,) uint32
        Opacity of visited edges for each step of the tone curve, 0..256.
    shades : (256,) uint32
        Colours of visited vertices.
    canvas : uint32
    steps_per_unit : float
        Step of the tone curve = sqrt(density * steps_per_unit).
    show_edges : bool
        Draw unvisited edges.
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    any_visited = reveal.shape[0] > 0
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            if amount <= 0:
                image[row, column] = canvas
                continue
            step = min(last, int(math.sqrt(amount * steps_per_unit)))
            v = owner_of(claims[row, column], ends) if any_visited else 0
            if any_visited and reveal[v] <= upto:
                image[row, column] = blend(canvas, shades[shade[v]], shade_alphas[step])
            elif show_edges:
                image[row, column] = edge_colours[step]
            else:
                image[row, column] = canvas


@njit(cache=True, nogil=True, error_model="numpy")
def fill_two_colours(
    plain: NDArray[np.uint32],
    visited: NDArray[np.uint32],
    since: NDArray[np.int32],
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    ends: NDArray[np.int32],
    reveal: NDArray[np.int32],
    shade: NDArray[np.uint8],
    edge_colours: NDArray[np.uint32],
    shade_alphas: NDArray[np.uint32],
    shades: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Compute both colours that a pixel can have, and the iteration at which it changes, for `pick_colours`.

    Parameters
    ----------
    plain, visited : (h, w) uint32
        Premultiplied ARGB before and from iteration ``since``; written.
    since : (h, w) int32
        Iteration of the change, or NEVER; written.

    The other parameters are those of `colour_pixels`; ``reveal`` must not be empty.
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            plain[row, column] = visited[row, column] = canvas
            since[row, column] = NEVER
            if amount <= 0:
                continue
            step = min(last, int(math.sqrt(amount * steps_per_unit)))
            if show_edges:
                plain[row, column] = edge_colours[step]
            v = owner_of(claims[row, column], ends)
            if reveal[v] != NEVER:
                visited[row, column] = blend(canvas, shades[shade[v]], shade_alphas[step])
                since[row, column] = reveal[v]


@njit(cache=True, nogil=True)
def pick_colours(
    image: NDArray[np.uint32],
    plain: NDArray[np.uint32],
    visited: NDArray[np.uint32],
    since: NDArray[np.int32],
    upto: int,
) -> None:
    """Write the picture of iteration ``upto`` into ``image``, from the arrays of `fill_two_colours`."""
    rows, columns = image.shape
    for row in range(rows):
        for column in range(columns):
            image[row, column] = visited[row, column] if since[row, column] <= upto else plain[row, column]


@njit(cache=True, nogil=True, error_model="numpy")
def place_spots(
    spots: NDArray[np.float32],
    positions: NDArray[np.float64],
    vertices: NDArray[np.int32],
    scale: float,
    dx: float,
    dy: float,
    left: int,
    top: int,
    right: int,
    bottom: int,
    seen: NDArray[np.uint8],
    mark: int,
) -> int:
    """Compute pixel coordinates of the ``vertices`` inside a pixel rectangle.

    Parameters
    ----------
    spots : (k, 2) float32
        Written.
    left, top, right, bottom : int
    seen : (bottom - top, right - left) uint8 or (0, 0)
        If given, a spot is moved to the centre of its pixel, which is set to ``mark``, and a pixel with that mark gets
        no second spot. This bounds the work by the number of pixels.
    mark : int

    Returns
    -------
    int
        Number of spots written.
    """
    crowded = seen.shape[0] > 0
    count = 0
    for v in vertices:
        x = positions[v, 0] * scale + dx
        y = positions[v, 1] * scale + dy
        if not (left <= x < right and top <= y < bottom):
            continue
        if crowded:
            row, column = math.floor(y), math.floor(x)
            if seen[row - top, column - left] == mark:
                continue
            seen[row - top, column - left] = mark
            x, y = column + 0.5, row + 0.5
        spots[count, 0], spots[count, 1] = x, y
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def draw_discs(
    image: NDArray[np.uint32], top: int, spots: NDArray[np.float32], radius: float, colour: np.uint32, opacity: float
) -> None:
    """Paint discs onto a picture: ``colour`` opaque ARGB, ``opacity`` in 0..1; ``top`` as in `draw_edges`."""
    rows, columns = image.shape
    reach = radius + 0.5
    outside, inside = reach * reach, max(0.0, radius - 0.5) ** 2
    full = np.uint32(256.0 * opacity)
    for i in range(spots.shape[0]):
        x, y = spots[i, 0], spots[i, 1]
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            down = (row + 0.5 - y) ** 2
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                square = (column + 0.5 - x) ** 2 + down
                if square >= outside:
                    continue
                alpha = full if square <= inside else np.uint32(256.0 * opacity * (reach - math.sqrt(square)))
                image[row - top, column] = blend(image[row - top, column], colour, alpha)


def blank(width: int, height: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """New, empty ``(density, claims)`` buffers of that size."""
    return np.zeros((height, width), np.int32), np.full((height, width), UNCLAIMED, np.int32)
