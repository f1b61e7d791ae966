"""Roads drawn by width, colour and light of their flow, over the picture of all roads. No Qt.

Roads are drawn from the least flow to the greatest into two buffers: position on the ramp, and coverage. Pieces of a
road overlap in round joints; coverage is therefore the greater of two, not their sum. What shines is then blurred and
added, to a dark canvas as light, to a light one as ink. From far the great roads glow as one; from near each has a
halo, and a seam in the canvas's colour where roads pass close to each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from gui.picture.raster.edge_buffers import Measures, View, move_pixels, uncovered
from gui.picture.raster.pixel_colours import argb, blend
from gui.picture.scene.flows import RoadFlows
from gui.picture.scene.prominence import Prominence
from gui.picture.scene.ramps import ramp_colours
from gui.style.colours import Tokens
from solvers.system.array_types import Float32s, Float64s, Int64s, UInt8s, UInt32s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

_FAR, _NEAR = 2.0, 60.0  # pixels between neighbouring vertices, from which roads are wider, and up to which
_WIDTHS = (
    (0.30, 1.75),
    (0.9, 5.0),
)  # half of the width in logical pixels of the least and the greatest flow: far, near
_POWERS = (2.4, 1.2)  # of the width by strength: far, near
_OPACITY = (0.12, 0.65)  # of the least flow: far, near
_OPAQUE = (0.80, 0.60)  # strength from which roads are opaque: far, near
_SEAM = 1.7  # logical pixels of canvas beside a road, where roads are wide
_SEAM_OPACITY = 0.85
_CELL = 4  # logical pixels of a cell of the blurred light
_BLURS = ((1.0, 0.55), (4.0, 1.0))  # standard deviation in cells, and weight
_REACH = 4  # standard deviations up to which light reaches
_LEAST_LIGHT = 0.5 / 255  # less does not change a pixel
_LIGHT_POWER = 2.2  # of strength: only great flows shine
_LIGHT = {False: 0.42, True: 1.0}  # by darkness of the scheme


@dataclass(frozen=True)
class FlowPen:
    """Sizes of roads by the strength of their flow, at one scale, in logical pixels."""

    near: float  # 0 where vertices are close together, 1 where single roads are seen

    @classmethod
    def of(cls, measures: Measures) -> FlowPen:
        spread = math.log(max(measures.spacing, 1e-9) / _FAR) / math.log(_NEAR / _FAR)
        return cls(min(1.0, max(0.0, spread)))

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


def drawn_strength(flows: RoadFlows | Prominence) -> Float64s:
    """(256,) strength of each shade in 0..1; 0 for a shade that is not drawn."""
    away = np.abs(np.arange(256.0) - flows.nothing)
    strength: Float64s = np.minimum(1.0, away / (127.0 if flows.is_difference else 255.0))
    return strength


class FlowLight:
    """The roads of one view, drawn by their flow, and their light: laid over any picture of that view.

    What lies in the view ``before``, too, is not drawn again.
    """

    def __init__(
        self, view: View, measures: Measures, flows: RoadFlows | Prominence, tokens: Tokens, team: ThreadTeam,
        before: FlowLight | None = None,
    ):  # fmt: skip
        self.view, self.flows = view, flows
        self._tokens, self._pen = tokens, FlowPen.of(measures)
        cell = self._cell = max(1, round(_CELL * view.ratio))
        first, last = view.span
        beyond = math.ceil(_REACH * _BLURS[-1][0]) + 1  # cells above and below, from which light reaches the rows
        top, bottom = (first // cell - beyond) * cell, (-(-last // cell) + beyond) * cell
        self._above = first - top
        shape = bottom - top, -(-view.width // cell) * cell
        self._at, self._cover, self._beside = self._buffers = tuple(np.zeros(shape, np.float32) for _ in range(3))
        strength = drawn_strength(flows)
        shift = None if before is None or not before.is_of(before.view, flows, tokens) else view.shift_from(before.view)
        self._shades: UInt8s = flows.shades_on(view.scene) if before is None or shift is None else before._shades
        if before is None or shift is None:
            self._draw(strength, 0, top, self._buffers, team)
        else:
            for source, target in zip(before._buffers, self._buffers, strict=True):
                move_pixels(source, target, *shift)
            for x0, y0, x1, y1 in uncovered(shape, *shift):
                part = tuple(np.zeros((y1 - y0, x1 - x0), np.float32) for _ in range(3))
                self._draw(strength, x0, top + y0, part, team)
                for source, target in zip(part, self._buffers, strict=True):
                    target[y0:y1, x0:x1] = source
        self._colours = ramp_colours(flows.legend.ramp, tokens.dark).astype(np.float32)
        power = strength**_LIGHT_POWER
        cells = _cells_of(self._at, self._cover, self._colours, power, cell, tokens.dark)
        self._light = _blurred(cells * np.float32(_LIGHT[tokens.dark]), team)

    def is_of(self, view: View, flows: RoadFlows | Prominence, tokens: Tokens) -> bool:
        return (self.view, self.flows, self._tokens) == (view, flows, tokens)

    def lay_over(self, image: UInt32s, background: str | None, team: ThreadTeam) -> None:
        """Draw over the view's (h, w) premultiplied ARGB; ``background`` as of `pixel_colours.make_tones`."""
        clear, dark = background == "transparent", self._tokens.dark
        canvas = argb(self._tokens.canvas if clear or background is None else background)
        seam = 0.0 if clear else self._pen.seam

        def compose(low: int, high: int) -> None:
            _compose(
                image[low:high], self._at, self._cover, self._beside, self._above + low, self._light, self._colours,
                self._cell, canvas, seam, dark, clear,
            )  # fmt: skip

        team.run(partial(compose, *band) for band in _bands(len(image), 1, team))

    def _draw(
        self, strength: Float64s, left: int, top: int, buffers: tuple[Float32s, ...],
        team: ThreadTeam,
    ) -> None:  # fmt: skip
        """Fill empty buffers, whose pixel (0, 0) is pixel (``left``, ``top``) of the view."""
        view, (rows, width), (scale, dx, dy) = self.view, buffers[0].shape, self.view.transform
        halves, opacities = self._pen.half_widths(strength) * view.ratio, self._pen.opacities(strength)
        seam = _SEAM * view.ratio
        reach = float(halves.max()) + seam + 1.0
        segments, shades = view.scene.segments, self._shades
        window = (left - reach, top - reach, left + width + reach, top + rows + reach)
        seen = _sorted_in_view(segments, shades, self.flows.nothing, strength, scale, dx, dy, *window)
        at, cover, beside = buffers

        def draw(low: int, high: int) -> None:
            band = slice(low, high)
            _draw_roads(
                at[band], cover[band], beside[band], top + low, segments, seen, shades, halves, opacities,
                seam if self._pen.seam else 0.0, scale, dx - left, dy,
            )  # fmt: skip

        team.run(partial(draw, *band) for band in _bands(rows, self._cell, team))


def _bands(rows: int, step: int, team: ThreadTeam) -> list[tuple[int, int]]:
    """Rows divided for the threads, at multiples of ``step``."""
    cuts = np.linspace(0, rows // step, max(1, 3 * team.threads) + 1).astype(int) * step
    cuts[-1] = rows
    return [(low, high) for low, high in pairwise(cuts.tolist()) if high > low]


def _blurred(cells: Float32s, team: ThreadTeam) -> Float32s:
    """(rows, columns, 3) light, blurred with all standard deviations."""
    from scipy.ndimage import gaussian_filter  # imported here, as few pictures have flows

    total = np.zeros_like(cells)

    def blur(channel: int) -> None:
        for sigma, weight in _BLURS:
            total[..., channel] += weight * gaussian_filter(
                cells[..., channel], sigma, mode="constant", truncate=_REACH
            )

    team.run(partial(blur, channel) for channel in range(3))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _sorted_in_view(
    segments: Float32s, shades: UInt8s, nothing: int, strength: Float64s,
    scale: float, dx: float, dy: float, x0: float, y0: float, x1: float, y1: float,
) -> Int64s:  # fmt: skip
    """Segments with a flow whose boxes meet a pixel rectangle, from the least strength to the greatest."""
    levels = np.minimum(255.0, 255.0 * strength).astype(np.int64)
    count = np.zeros(257, np.int64)
    level = np.zeros(len(shades), np.uint8)
    for e in range(len(shades)):
        if shades[e] == nothing:
            continue
        xa, xb = segments[e, 0] * scale + dx, segments[e, 2] * scale + dx
        ya, yb = segments[e, 1] * scale + dy, segments[e, 3] * scale + dy
        if max(xa, xb) >= x0 and min(xa, xb) <= x1 and max(ya, yb) >= y0 and min(ya, yb) <= y1:
            level[e] = max(1, levels[shades[e]])
            count[level[e] + 1] += 1
    first = np.cumsum(count)
    found = np.empty(first[-1], np.int64)
    for e in range(len(shades)):
        if level[e] > 0:
            found[first[level[e]]] = e
            first[level[e]] += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
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

    ``at`` is the position on the ramp, ``cover`` in 0..1, and ``beside`` the coverage of the road with its seam.
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
        low, high = max(0, math.floor(min(y0, y1) - reach)), min(rows - 1, math.floor(max(y0, y1) + reach))
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
            for column in range(max(0, math.floor(left - reach)), min(columns - 1, math.floor(right + reach)) + 1):
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


@njit(cache=True, nogil=True, error_model="numpy")
def _cells_of(
    at: Float32s, cover: Float32s, colours: Float32s, power: Float64s,
    cell: int, dark: bool,
) -> Float32s:  # fmt: skip
    """Mean light of each cell, (rows, columns, 3) in 0..1; for a light canvas, of its complement."""
    light = np.zeros((at.shape[0] // cell, at.shape[1] // cell, 3), np.float32)
    share = 1.0 / (255.0 * cell * cell)
    for row in range(at.shape[0]):
        for column in range(at.shape[1]):
            if cover[row, column] > 0.0:
                shade = int(at[row, column])
                amount = cover[row, column] * power[shade] * share
                for k in range(3):
                    colour = colours[shade, k] if dark else 255.0 - colours[shade, k]
                    light[row // cell, column // cell, k] += amount * colour
    return light


@njit(cache=True, nogil=True, error_model="numpy")
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
    """Lay seams, roads and light over a picture whose row 0 is row ``above`` of the buffers."""
    left, share = _between_cells(image.shape[1], light.shape[1], cell)
    rows = _between_cells(image.shape[0] + above, light.shape[0], cell)
    for row in range(image.shape[0]):
        r0, down = rows[0][row + above], rows[1][row + above]
        here = light[r0] + down * (light[min(light.shape[0] - 1, r0 + 1)] - light[r0])
        for column in range(image.shape[1]):
            pixel = image[row, column]
            side = beside[row + above, column] * seam
            if side > 0.0:
                pixel = blend(pixel, canvas, np.uint32(256.0 * side))
            amount = cover[row + above, column]
            if amount > 0.0:
                place = at[row + above, column]
                shade = min(254, int(place))
                part = place - shade
                over = np.uint32(0xFF)
                for k in range(3):
                    channel = colours[shade, k] + part * (colours[shade + 1, k] - colours[shade, k])
                    over = (over << np.uint32(8)) | np.uint32(channel + np.float32(0.5))
                pixel = blend(pixel, over, np.uint32(256.0 * amount))
            c0, right = left[column], share[column]
            c1 = min(here.shape[0] - 1, c0 + 1)
            red = min(np.float32(1.0), here[c0, 0] + right * (here[c1, 0] - here[c0, 0]))
            green = min(np.float32(1.0), here[c0, 1] + right * (here[c1, 1] - here[c0, 1]))
            blue = min(np.float32(1.0), here[c0, 2] + right * (here[c1, 2] - here[c0, 2]))
            most = max(red, green, blue)
            if most >= _LEAST_LIGHT:
                pixel = _lit(pixel, red, green, blue, most, dark, clear)
            image[row, column] = pixel


@njit(cache=True, nogil=True, error_model="numpy")
def _between_cells(pixels: int, cells: int, cell: int) -> tuple[Int64s, Float32s]:
    """The cell whose centre lies before each pixel's, and how far the pixel is on the way to the next."""
    at = np.maximum(0.0, (np.arange(pixels) + 0.5) / cell - 0.5)
    before = np.minimum(cells - 1, at.astype(np.int64))
    return before, (at - before).astype(np.float32)


@njit(cache=True, nogil=True, inline="always")
def _lit(
    pixel: np.uint32, red: np.float32, green: np.float32, blue: np.float32, most: np.float32, dark: bool, clear: bool
) -> np.uint32:
    """A pixel with light added, or with ink on a light canvas."""
    half, full = np.float32(0.5), np.float32(255.0)
    alpha = pixel >> np.uint32(24)
    r = np.float32((pixel >> np.uint32(16)) & np.uint32(255))
    g = np.float32((pixel >> np.uint32(8)) & np.uint32(255))
    b = np.float32(pixel & np.uint32(255))
    if dark:
        r, g, b = r + (full - r) * red, g + (full - g) * green, b + (full - b) * blue
    elif not clear:
        r, g, b = r - r * red, g - g * green, b - b * blue
    if clear:
        alpha = np.uint32(min(full, np.float32(alpha) + (full - np.float32(alpha)) * most + half))
    lit = (alpha << np.uint32(8)) | np.uint32(min(full, r + half))
    lit = (lit << np.uint32(8)) | np.uint32(min(full, g + half))
    return np.uint32((lit << np.uint32(8)) | np.uint32(min(full, b + half)))
