"""Drawing into arrays: antialiased lines, dots and colours at millions a frame. Knows no Qt.

A frame is drawn in two strokes. The first fills two buffers from the view alone: how much ink lies on each pixel
(``density``) and which vertex it belongs to (``claims``: an edge belongs to its nearer end). The second colours the
pixels by what is known of their owners, in time proportional to the pixels: so a step of the play-back, another result
or another colour scheme never draws an edge again.

Lines add up: where edges lie close the ink grows, and the tone curve (``tone_map.py``) turns ink into colour.

What comes out does not depend on the order of drawing, so that threads, slices and a GPU (``lines.cu``, the same
arithmetic) give the same pixels. Ink is counted in whole `UNITS`, up to `MOST_INK`. A pixel goes to the greatest claim:
that of a vertex, else the last edge that covers enough of it, else the first of those that only touch it.

- the end ``k`` (0 or 1) of edge ``e`` claims ``2 * e + k + 1``, negative where it only touches;
- vertex ``v`` of a graph with ``m`` edges claims ``2 * m + v + 1``; where nothing is drawn stands `UNCLAIMED`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import NEVER
from gui.picture.scene.edge_order import BLOCK
from solvers.host.jit import njit

UNITS = 1024  # of ink, on a pixel that one line covers
MOST_INK = 2**30 - 1  # units: a million lines on one pixel; two such sums still fit
MOST_SHORT_INK = 2 * UNITS  # of an edge that lies within a pixel
UNCLAIMED = np.iinfo(np.int32).min

LONGEST = 1e12  # pixels; past it (and at infinity) a line has no place
OWNING_COVERAGE = 0.35  # a line that covers less of a pixel does not take it from another


@njit(cache=True, nogil=True, inline="always")
def _lay(density: NDArray[np.int32], claims: NDArray[np.int32], at: int, ink: float, claim: int) -> None:
    """Add ``ink`` to a pixel of the flattened buffers and lay a claim to it."""
    pixel = np.uint64(at)  # numba need not look whether it counts from the end
    density[pixel] = min(density[pixel] + np.int32(ink), np.int32(MOST_INK))
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
    ink: float,
    u: int,
    v: int,
) -> None:
    """One line along the major axis ``a`` (columns), ``|b1 - b0| <= a1 - a0``; rows are given as ``b``.

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
    if min(b0, b1) < first_b - reach or max(b0, b1) > first_b + rows + reach:  # go only where it is in sight
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
        who = u if centre < middle else v
        low = max(first_b, math.floor(b - thick - 0.5))
        high = min(first_b + rows - 1, math.floor(b + thick + 0.5))
        for row in range(low, high + 1):
            cover = min(peak, thick + 0.5 - abs(row + 0.5 - b)) * (right - left)
            if cover > 0.0:
                claim = who if cover > OWNING_COVERAGE else -who
                at = (column - first_a) * step_a + (row - first_b) * step_b
                _lay(density, claims, at, ink * cover + 0.5, claim)


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
    """Add edges to a frame, or to some of its rows: what falls on a row is the same, whichever rows are drawn with it.

    Parameters
    ----------
    density : (h, w) int32
        Units of ink, added to.
    claims : (h, w) int32
        The greatest so far.
    top : int
        The frame's row that row 0 of the buffers stands for.
    segments : (e, 4) float32
        World x0, y0, x1, y1; an end that is not finite leaves the edge out.
    ends : (e, 2) int32
    blocks : (b,) integers
        Runs of `BLOCK` edges to draw, by number.
    skip : (n,) uint8 or (0,)
        Edges between two marked vertices are left out (they are drawn otherwise).
    scale, dx, dy : float
        Pixel = world * scale + d.
    width : float
        Line width in pixels.
    fade : float
        Lines longer than this many pixels carry less ink, by the square root of their length.
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
            if square < 1.0:  # within a pixel; before all that such an edge does not need
                column, row = math.floor(0.5 * (x0 + x1)), math.floor(0.5 * (y0 + y1))
                if 0 <= column < columns and top <= row < bottom:
                    short = int(min(float(MOST_SHORT_INK), max(1.0, math.sqrt(square) * dense + 0.5)))
                    _lay(density, claims, (row - top) * columns + column, short, u)
                continue
            if not (min(x0, x1) < columns + width and max(x0, x1) > -width):
                continue
            if not (across < LONGEST and down < LONGEST):  # false for NaN, too: an edge without a place is left out
                continue
            length = math.sqrt(square)
            ink = UNITS * (1.0 if length <= fade else math.sqrt(fade / length))
            if across >= down:
                if x0 <= x1:
                    _draw_line(density, claims, 1, columns, upright, x0, y0, x1, y1, half, ink, u, v)
                else:
                    _draw_line(density, claims, 1, columns, upright, x1, y1, x0, y0, half, ink, v, u)
            elif y0 <= y1:
                _draw_line(density, claims, columns, 1, turned, y0, x0, y1, x1, half, ink, u, v)
            else:
                _draw_line(density, claims, columns, 1, turned, y1, x1, y0, x0, half, ink, v, u)


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
    radius: float,
    ink: float,
) -> None:
    """Add ``vertices`` at ``points``, of a graph with ``edges``, as discs of ``radius`` pixels; see `draw_edges`."""
    rows, columns = density.shape
    density, claims = density.reshape(-1), claims.reshape(-1)
    reach = radius + 0.5
    for i in range(vertices.shape[0]):
        x = points[i, 0] * scale + dx
        y = points[i, 1] * scale + dy
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                across, down = column + 0.5 - x, row + 0.5 - y
                cover = reach - math.sqrt(across * across + down * down)
                if cover > 0.0:
                    units = int(min(float(MOST_INK), UNITS * ink * min(1.0, cover) + 0.5))
                    _lay(density, claims, (row - top) * columns + column, units, 2 * edges + vertices[i] + 1)


@njit(cache=True, nogil=True, inline="always")
def owner_of(claim: int, ends: NDArray[np.int32]) -> int:
    """The vertex that a pixel with ink on it belongs to."""
    at = abs(claim) - 1
    return ends[at] if at < ends.shape[0] else at - ends.shape[0]


@njit(cache=True, nogil=True, inline="always")
def blend(under: np.uint32, over: np.uint32, alpha: np.uint32) -> np.uint32:
    """Two premultiplied ARGB colours; ``alpha`` in 0..256, ``over`` opaque."""
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
    tint_alphas: NDArray[np.uint32],
    tints: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Turn ink into colour.

    Parameters
    ----------
    image : (h, w) uint32
        Premultiplied ARGB, written.
    density, claims : (h, w)
        As `draw_edges` left them.
    ends : (2 * e,) int32
        Tail and head of each edge in turn.
    reveal : (n,) int32 or (0,)
        Iteration from which a vertex counts as visited, NEVER for none; empty where nothing is visited.
    shade : (n,) uint8
        Which of ``tints`` a visited vertex has.
    upto : int
        The iteration that is shown.
    edge_colours : (s,) uint32
        Colour of plain edges for each step of ink.
    tint_alphas : (s,) uint32
        Opacity of the tint for each step of ink, 0..256.
    tints : (256,) uint32
    canvas : uint32
    steps_per_unit : float
        Index into the curves = square root of units of ink * steps_per_unit.
    show_edges : bool
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    tinted = reveal.shape[0] > 0
    for row in range(rows):
        for column in range(columns):
            ink = density[row, column]
            if ink <= 0:
                image[row, column] = canvas
                continue
            step = min(last, int(math.sqrt(ink * steps_per_unit)))
            v = owner_of(claims[row, column], ends) if tinted else 0
            if tinted and reveal[v] <= upto:
                image[row, column] = blend(canvas, tints[shade[v]], tint_alphas[step])
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
    tint_alphas: NDArray[np.uint32],
    tints: NDArray[np.uint32],
    canvas: np.uint32,
    steps_per_unit: float,
    show_edges: bool,
) -> None:
    """Both colours that a pixel can have, and the iteration that changes it: what `step_ground` chooses from.

    Parameters
    ----------
    plain, visited : (h, w) uint32
        Premultiplied ARGB before and from iteration ``since``; written.
    since : (h, w) int32
        NEVER where a pixel does not change; written.

    The others are those of `colour_pixels`, ``reveal`` not empty.
    """
    rows, columns = density.shape
    last = edge_colours.shape[0] - 1
    for row in range(rows):
        for column in range(columns):
            ink = density[row, column]
            plain[row, column] = visited[row, column] = canvas
            since[row, column] = NEVER
            if ink <= 0:
                continue
            step = min(last, int(math.sqrt(ink * steps_per_unit)))
            if show_edges:
                plain[row, column] = edge_colours[step]
            v = owner_of(claims[row, column], ends)
            if reveal[v] != NEVER:
                visited[row, column] = blend(canvas, tints[shade[v]], tint_alphas[step])
                since[row, column] = reveal[v]


@njit(cache=True, nogil=True)
def pick_colours(
    image: NDArray[np.uint32],
    plain: NDArray[np.uint32],
    visited: NDArray[np.uint32],
    since: NDArray[np.int32],
    upto: int,
) -> None:
    """The picture of iteration ``upto``, from what `lay_ground` laid; ``image`` is written."""
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
    """Pixel coordinates of those ``vertices`` that lie between ``left`` and ``right``, ``top`` and ``bottom``.

    Parameters
    ----------
    spots : (k, 2) float32
        Written.
    left, top, right, bottom : int
    seen : (bottom - top, right - left) uint8 or (0, 0)
        Where given, a spot is moved to the middle of its pixel, which is set to ``mark``; on a pixel so marked no
        second one is placed. So a crowd costs no more than its pixels.
    mark : int

    Returns
    -------
    int
        How many were written.
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
    """Paint discs over a picture: ``colour`` opaque ARGB, ``opacity`` in 0..1; ``top`` as in `draw_edges`."""
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
    """Fresh ``(density, claims)`` buffers for a frame of that many pixels."""
    return np.zeros((height, width), np.int32), np.full((height, width), UNCLAIMED, np.int32)
