"""Roads drawn by width, colour and light of their flow, over the picture of all roads. No Qt.

Roads are drawn from the least flow to the greatest into two buffers: position on the
ramp, and coverage. Pieces of a road overlap in round joints; coverage is therefore the
greater of two, not their sum. What shines is then blurred and added, to a dark canvas
as light, to a light one as ink. From far the great roads glow as one; from near each
has a halo, and a seam in the canvas's colour where roads pass close to each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.raster.edge_buffers import PixelSizes, View, move_pixels, uncovered
from solvers.picture.raster.pixel_colours import argb, blend
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.lit_roads import LitRoads, nearness
from solvers.picture.scene.ramps import ramp_colours
from solvers.picture.scene.scene import visible_blocks
from solvers.system.array_types import Float32s, Float64s, Int64s, UInt8s, UInt32s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

# half of the width in logical pixels of the least and the greatest flow: far, near
_WIDTHS = ((0.30, 1.75), (0.9, 5.0))
_POWERS = (2.4, 1.2)  # of the width by strength: far, near
_OPACITY = (0.12, 0.65)  # of the least flow: far, near
_OPAQUE = (0.80, 0.60)  # strength from which roads are opaque: far, near
_SEAM = 1.7  # logical pixels of canvas beside a road, where roads are wide
_SEAM_OPACITY = 0.85
_CELL = 4  # logical pixels of a cell of the blurred light
_BLURS = ((1.0, 0.55), (4.0, 1.0))  # standard deviation in cells, and weight
_REACH = 4  # standard deviations up to which light reaches
_LIGHT_POWER = 2.2  # of strength: only great flows shine
_LIGHT = {False: 0.42, True: 1.0}  # by darkness of the scheme


@dataclass(frozen=True)
class FlowPen:
    """Sizes of roads by the strength of their flow, at one scale, in logical pixels."""

    near: float  # 0 where vertices are close together, 1 where single roads are seen

    @classmethod
    def of(cls, measures: PixelSizes) -> FlowPen:
        return cls(nearness(measures.spacing))

    def half_widths(self, strength: Float64s) -> Float64s:
        least, most = (self._between(far, near) for far, near in zip(*_WIDTHS, strict=True))
        return least + (most - least) * strength ** self._between(*_POWERS)

    def opacities(self, strength: Float64s) -> Float64s:
        least = self._between(*_OPACITY)
        return least + (1.0 - least) * np.minimum(1.0, strength / self._between(*_OPAQUE))

    @property
    def seam(self) -> float:
        """Opacity of the canvas's colour beside a road."""
        return _SEAM_OPACITY * min(1.0, max(0.0, 2.5 * self.near - 1.0))

    def _between(self, far: float, near: float) -> float:
        return far + (near - far) * self.near


def drawn_strength(flows: LitRoads) -> Float64s:
    """(256,) strength of each shade in 0..1; 0 for a shade that is not drawn."""
    away = np.abs(np.arange(256.0) - flows.nothing)
    strength: Float64s = np.minimum(1.0, away / (127.0 if flows.is_difference else 255.0))
    return strength


class FlowLight:
    """The roads of one view, drawn by their flow, and their light: laid over any
    picture of that view.

    What lies in the view ``before``, too, is not drawn again, but moved: that one is of
    no use then.
    """

    def __init__(
        self,
        view: View,
        measures: PixelSizes,
        flows: LitRoads,
        tokens: Tokens,
        team: ThreadTeam,
        before: FlowLight | None = None,
    ):
        self.view, self.flows = view, flows
        self._tokens, self._pen = tokens, FlowPen.of(measures)
        cell = self._cell = max(1, round(_CELL * view.ratio))
        first, last = view.span
        # cells above and below, from which light reaches the rows
        beyond = math.ceil(_REACH * _BLURS[-1][0]) + 1
        top, bottom = (first // cell - beyond) * cell, (-(-last // cell) + beyond) * cell
        self._above = first - top
        shape = bottom - top, -(-view.width // cell) * cell
        strength = drawn_strength(flows)
        shift = (
            None
            if before is None or not before.is_of(before.view, flows, tokens)
            else view.shift_from(before.view)
        )
        self._shades: UInt8s
        if before is None or shift is None:
            self._shades, self._buffers = flows.shades_on(view.scene), _empty(shape)
            self._draw(strength, 0, top, self._buffers, team)
        else:
            self._shades, self._buffers = before._shades, before._buffers
            for each in self._buffers:
                move_pixels(each, *shift)
            for x0, y0, x1, y1 in uncovered(shape, *shift):
                part = _empty((y1 - y0, x1 - x0))
                self._draw(strength, x0, top + y0, part, team)
                for source, target in zip(part, self._buffers, strict=True):
                    target[y0:y1, x0:x1] = source
        self._at, self._cover, self._beside = self._buffers
        self._colours = ramp_colours(flows.legend.ramp, tokens.dark).astype(np.float32)
        power = strength**_LIGHT_POWER
        power *= _LIGHT[tokens.dark]
        cells = np.empty((shape[0] // cell, shape[1] // cell * 3), np.float32)

        def gather(low: int, high: int) -> None:
            band = slice(low, high)
            _gather(
                cells[low // cell : high // cell],
                self._at[band],
                self._cover[band],
                self._colours,
                power,
                cell,
                tokens.dark,
            )

        team.run_over(_bands(shape[0], cell, team), gather)
        self._light = _blurred(cells, team).reshape(len(cells), -1, 3)

    def is_of(self, view: View, flows: LitRoads, tokens: Tokens) -> bool:
        return (self.view, self.flows, self._tokens) == (view, flows, tokens)

    def lay_over(self, image: UInt32s, background: str | None, team: ThreadTeam) -> None:
        """Draw over the view's (h, w) premultiplied ARGB; ``background`` as of
        `pixel_colours.make_tones`.
        """
        clear, dark = background == "transparent", self._tokens.dark
        canvas = argb(self._tokens.canvas if clear or background is None else background)
        seam = 0.0 if clear else self._pen.seam

        def compose(low: int, high: int) -> None:
            _compose(
                image[low:high],
                self._at,
                self._cover,
                self._beside,
                self._above + low,
                self._light,
                self._colours,
                self._cell,
                canvas,
                seam,
                dark,
                clear,
            )

        team.run_over(_bands(len(image), 1, team), compose)

    def _draw(
        self,
        strength: Float64s,
        left: int,
        top: int,
        buffers: tuple[Float32s, ...],
        team: ThreadTeam,
    ) -> None:
        """Fill empty buffers, whose pixel (0, 0) is pixel (``left``, ``top``) of the view."""
        view, (rows, width), (scale, dx, dy) = self.view, buffers[0].shape, self.view.transform
        halves = self._pen.half_widths(strength) * view.ratio
        opacities = self._pen.opacities(strength)
        seam = _SEAM * view.ratio
        reach = float(halves.max()) + seam + 1.0
        segments, shades = view.scene.segments, self._shades
        window = (left - reach, top - reach, left + width + reach, top + rows + reach)
        x0, x1 = ((x - dx) / scale for x in window[::2])
        y0, y1 = ((y - dy) / scale for y in window[1::2])
        blocks = visible_blocks(view.scene, Bounds(x0, y0, x1, y1))
        seen = _sorted_in_view(
            blocks, segments, shades, self.flows.nothing, strength, scale, dx, dy, *window
        )
        at, cover, beside = buffers

        def draw(low: int, high: int) -> None:
            band = slice(low, high)
            _draw_roads(
                at[band],
                cover[band],
                beside[band],
                top + low,
                segments,
                seen,
                shades,
                halves,
                opacities,
                seam if self._pen.seam else 0.0,
                scale,
                dx - left,
                dy,
            )

        team.run_over(_bands(rows, self._cell, team), draw)


def _empty(shape: tuple[int, int]) -> tuple[Float32s, Float32s, Float32s]:
    """Buffers of the share of the ramp, the opacity, and the opacity beside roads."""
    at, cover, beside = np.zeros((3, *shape), np.float32)
    return at, cover, beside


def _bands(rows: int, step: int, team: ThreadTeam) -> list[tuple[int, int]]:
    """Rows divided for the threads, at multiples of ``step``."""
    cuts = np.linspace(0, rows // step, max(1, 3 * team.threads) + 1).astype(int) * step
    cuts[-1] = rows
    return [(low, high) for low, high in pairwise(cuts.tolist()) if high > low]


def _blurred(cells: Float32s, team: ThreadTeam) -> Float32s:
    """(rows, 3 * columns) light, blurred with all standard deviations; SciPy's filter
    takes three times as long.
    """
    total, across = np.zeros_like(cells), np.empty_like(cells)
    bands = _bands(len(cells), 1, team)
    for sigma, weight in _BLURS:
        shares = np.exp(-0.5 * (np.arange(-_REACH * sigma, _REACH * sigma + 1) / sigma) ** 2)
        shares = (shares / shares.sum()).astype(np.float32)
        team.run_over(bands, _blur_across, cells, shares, across)
        team.run_over(bands, _blur_down, across, shares * np.float32(weight), total)
    return total


@njit
def _blur_across(
    light: Float32s, shares: Float32s, blurred: Float32s, first: int, last: int
) -> None:
    """Blur rows of (rows, 3 * columns) light along themselves."""
    reach, width = 3 * (len(shares) // 2), light.shape[1]
    padded = np.zeros(width + 2 * reach, np.float32)
    for row in range(first, last):
        for x in range(width):
            padded[reach + x] = light[row, x]
        out = blurred[row]
        out[:] = 0.0
        for i in range(len(shares)):
            # without its own indices the loop is not vectorised
            part = padded[3 * i : 3 * i + width]
            for x in range(width):
                out[x] += shares[i] * part[x]


@njit
def _blur_down(light: Float32s, shares: Float32s, blurred: Float32s, first: int, last: int) -> None:
    """Add light blurred across rows to some rows."""
    reach = len(shares) // 2
    for row in range(first, last):
        out = blurred[row]
        for i in range(max(0, reach - row), min(len(shares), len(light) + reach - row)):
            part = light[row + i - reach]
            for x in range(len(out)):
                out[x] += shares[i] * part[x]


@njit(error_model="numpy")
def _sorted_in_view(
    blocks: Int64s,
    segments: Float32s,
    shades: UInt8s,
    nothing: int,
    strength: Float64s,
    scale: float,
    dx: float,
    dy: float,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
) -> Int64s:
    """Segments of ``blocks`` with a flow whose boxes meet a rectangle of pixels, from
    the least strength up.
    """
    levels = np.minimum(255.0, 255.0 * strength).astype(np.int64)
    count = np.zeros(257, np.int64)
    level = np.zeros(len(blocks) * BLOCK, np.uint8)
    for i in range(len(level)):
        e = blocks[i // BLOCK] * BLOCK + i % BLOCK
        if e >= len(shades) or shades[e] == nothing:
            continue
        xa, xb = segments[e, 0] * scale + dx, segments[e, 2] * scale + dx
        ya, yb = segments[e, 1] * scale + dy, segments[e, 3] * scale + dy
        if max(xa, xb) >= x0 and min(xa, xb) <= x1 and max(ya, yb) >= y0 and min(ya, yb) <= y1:
            level[i] = max(1, levels[shades[e]])
            count[level[i] + 1] += 1
    first = np.cumsum(count)
    found = np.empty(first[-1], np.int64)
    for i in range(len(level)):
        if level[i] > 0:
            found[first[level[i]]] = blocks[i // BLOCK] * BLOCK + i % BLOCK
            first[level[i]] += 1
    return found


@njit(error_model="numpy")
def _draw_roads(
    at: Float32s,
    cover: Float32s,
    beside: Float32s,
    top: int,
    segments: Float32s,
    chosen: Int64s,
    shades: UInt8s,
    halves: Float64s,
    opacities: Float64s,
    seam: float,
    scale: float,
    dx: float,
    dy: float,
) -> None:
    """Add ``chosen`` segments with round ends to buffers whose row 0 is row ``top`` of the picture.

    ``at`` is the position on the ramp, ``cover`` in 0..1, and ``beside`` the coverage
    of the road with its seam.
    """
    rows, columns = at.shape
    for e in chosen:
        shade = shades[e]
        half, opacity = halves[shade], opacities[shade]
        thin = min(1.0, 2.0 * half)  # narrower than a pixel: fainter
        outer = half + seam
        reach = max(outer, 0.5) + 0.5
        x0, y0 = segments[e, 0] * scale + dx, segments[e, 1] * scale + dy - top
        x1, y1 = segments[e, 2] * scale + dx, segments[e, 3] * scale + dy - top
        low = max(0, math.floor(min(y0, y1) - reach))
        high = min(rows - 1, math.floor(max(y0, y1) + reach))
        if low > high:
            continue
        across, down = x1 - x0, y1 - y0
        square = across * across + down * down
        inverse = 1.0 / square if square > 0.0 else 0.0
        farthest = (outer + 0.5) * (outer + 0.5)
        for row in range(low, high + 1):
            y = row + 0.5
            left, right = min(x0, x1), max(x0, x1)
            if abs(down) > 1e-9:  # the part of the segment near this row
                enter, leave = (y - reach - y0) / down, (y + reach - y0) / down
                enter, leave = max(0.0, min(enter, leave)), min(1.0, max(enter, leave))
                xa, xb = x0 + enter * across, x0 + leave * across
                left, right = min(xa, xb), max(xa, xb)
            for column in range(
                max(0, math.floor(left - reach)), min(columns - 1, math.floor(right + reach)) + 1
            ):
                x = column + 0.5
                along = min(1.0, max(0.0, ((x - x0) * across + (y - y0) * down) * inverse))
                aside, below = x - x0 - along * across, y - y0 - along * down
                away = aside * aside + below * below
                if away >= farthest:
                    continue
                away = math.sqrt(away)
                if seam > 0.0:
                    beside[row, column] = max(beside[row, column], min(1.0, outer + 0.5 - away))
                part = min(thin, half + 0.5 - away)  # of the pixel
                if part <= 0.0:
                    continue
                new, old = part * opacity, (1.0 - part) * cover[row, column]
                at[row, column] = (new * shade + old * at[row, column]) / (new + old)
                cover[row, column] = max(cover[row, column], new)


@njit(error_model="numpy")
def _gather(
    light: Float32s,
    at: Float32s,
    cover: Float32s,
    colours: Float32s,
    power: Float64s,
    cell: int,
    dark: bool,
) -> None:
    """Mean light of each cell, (rows, 3 * columns) in 0..1; for a light canvas, of its
    complement.
    """
    share = 1.0 / (255.0 * cell * cell)
    for row in range(light.shape[0]):
        for column in range(light.shape[1] // 3):
            red = green = blue = np.float32(0.0)
            for y in range(row * cell, (row + 1) * cell):
                for x in range(column * cell, (column + 1) * cell):
                    if cover[y, x] > 0.0:
                        shade = int(at[y, x])
                        amount = np.float32(cover[y, x] * power[shade] * share)
                        red += amount * (
                            colours[shade, 0] if dark else np.float32(255.0) - colours[shade, 0]
                        )
                        green += amount * (
                            colours[shade, 1] if dark else np.float32(255.0) - colours[shade, 1]
                        )
                        blue += amount * (
                            colours[shade, 2] if dark else np.float32(255.0) - colours[shade, 2]
                        )
            light[row, 3 * column] = red
            light[row, 3 * column + 1] = green
            light[row, 3 * column + 2] = blue


@njit(error_model="numpy")
def _compose(
    image: UInt32s,
    at: Float32s,
    cover: Float32s,
    beside: Float32s,
    above: int,
    light: Float32s,
    colours: Float32s,
    cell: int,
    canvas: np.uint32,
    seam: float,
    dark: bool,
    clear: bool,
) -> None:
    """Lay seams, roads and light over a picture whose row 0 is row ``above`` of the buffers.

    Light is added, on a light canvas as ink; where the canvas is clear, both cover it.
    """
    left, share = _between_cells(image.shape[1], light.shape[1], cell)
    rows = _between_cells(image.shape[0] + above, light.shape[0], cell)
    full, inked = np.float32(255.0), np.float32(0.0 if clear and not dark else 1.0)
    aim, half = full if dark else np.float32(0.0), np.float32(0.5)
    shone = np.zeros((2, 3, image.shape[1]), np.float32)  # by two rows of cells
    spread = -1  # the first of them
    for row in range(image.shape[0]):
        r0, down = rows[0][row + above], rows[1][row + above]
        if r0 != spread:
            for k in range(3):
                for column in range(image.shape[1]):
                    shone[0, k, column] = shone[1, k, column]
            for i in range(1 if spread >= 0 and r0 == spread + 1 else 0, 2):
                cells = light[min(light.shape[0] - 1, r0 + i)]
                for column in range(image.shape[1]):
                    c0, c1 = left[column], min(cells.shape[0] - 1, left[column] + 1)
                    for k in range(3):
                        shone[i, k, column] = cells[c0, k] + share[column] * (
                            cells[c1, k] - cells[c0, k]
                        )
            spread = r0
        for column in range(image.shape[1]):
            if seam > 0.0 and beside[row + above, column] > 0.0:
                side = beside[row + above, column] * seam
                image[row, column] = blend(image[row, column], canvas, np.uint32(256.0 * side))
            amount = cover[row + above, column]
            if amount > 0.0:
                place = at[row + above, column]
                shade = min(254, int(place))
                part = place - shade
                over = np.uint32(0xFF)
                for k in range(3):
                    channel = colours[shade, k] + part * (colours[shade + 1, k] - colours[shade, k])
                    over = (over << np.uint32(8)) | np.uint32(channel + half)
                image[row, column] = blend(image[row, column], over, np.uint32(256.0 * amount))
        pixels = image[row]
        up = np.float32(1.0) - down
        above_cells = shone[0]
        below_cells = shone[1]
        reds, greens, blues = above_cells[0], above_cells[1], above_cells[2]
        reds_below, greens_below, blues_below = below_cells[0], below_cells[1], below_cells[2]
        for column in range(len(pixels)):  # without a branch, so that it is vectorised
            red = min(np.float32(1.0), up * reds[column] + down * reds_below[column])
            green = min(np.float32(1.0), up * greens[column] + down * greens_below[column])
            blue = min(np.float32(1.0), up * blues[column] + down * blues_below[column])
            pixel = np.int32(pixels[column])
            alpha = np.float32((pixel >> np.int32(24)) & np.int32(255))
            r = np.float32((pixel >> np.int32(16)) & np.int32(255))
            g = np.float32((pixel >> np.int32(8)) & np.int32(255))
            b = np.float32(pixel & np.int32(255))
            lit = np.int32(alpha + (full - alpha) * max(red, green, blue) + half) << np.int32(24)
            lit |= np.int32(r + (aim - r) * red * inked + half) << np.int32(16)
            lit |= np.int32(g + (aim - g) * green * inked + half) << np.int32(8)
            pixels[column] = np.uint32(lit | np.int32(b + (aim - b) * blue * inked + half))


@njit(error_model="numpy")
def _between_cells(pixels: int, cells: int, cell: int) -> tuple[Int64s, Float32s]:
    """The cell whose centre lies before each pixel's, and how far the pixel is on the
    way to the next.
    """
    before, share = np.empty(pixels, np.int64), np.empty(pixels, np.float32)
    for pixel in range(pixels):
        at = max(0.0, (pixel + 0.5) / cell - 0.5)
        whole = min(cells - 1, int(at))
        before[pixel], share[pixel] = whole, at - whole
    return before, share
