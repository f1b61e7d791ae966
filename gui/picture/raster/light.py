"""Draws the frontier and its trail as spots of light onto a coloured picture, in bounded time. No Qt.

Light adds up and hides nothing: where spots overlap, the picture gets brighter (on a light canvas, more saturated),
and what lies beneath stays visible. The frontier is hot, the trail of the pictures before it cools down. A frontier of
few vertices has large spots, so that a single settled vertex is seen at any zoom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.edge_buffers import EdgeBuffers, Measures
from gui.picture.raster.marks import place_spots
from gui.picture.scene.content import PictureContent
from gui.picture.scene.ramps import rgb
from gui.style.colours import Tokens
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

PROFILE_STEPS = 128  # of the squared distance from the middle of a spot
_HOT = 0.45  # share of white in the middle of a hot spot
_KEPT_PROFILES = 2048
_OPAQUE = np.uint32(0xFF000000)
_EVEN, _ODD = np.uint32(0x00FF00FF), np.uint32(0xFF00FF00)  # channels of ARGB that can be multiplied together
_HALF = np.uint32(0x00800080)  # rounds both of them


@lru_cache(_KEPT_PROFILES)
def spot_profile(
    radius: float, colour: str, opacity: float, *, soft: bool = False, hot: bool = False, adding: int = 0
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], float]:
    """The light of a spot by distance from its middle, for `add_light`.

    Parameters
    ----------
    radius : float
        In pixels.
    colour : str
        "#RRGGBB".
    opacity : float
        In the middle, in 0..1.
    soft : bool
        Whether the light fades with the distance, as a halo does; else the spot has an edge, antialiased.
    hot : bool
        Whether the middle is nearly white.
    adding : int
        0 to lay the colour over, as on a light canvas: a channel keeps all but the light's opacity of what it had. 256
        to add light: it keeps all but the light's own channel, so that it only gets brighter. Between them, light adds
        up and keeps its hue.

    Returns
    -------
    light : (PROFILE_STEPS,) uint32
        Premultiplied ARGB, even in the square of the distance.
    rest : (PROFILE_STEPS, 4) uint32
        What blue, green, red and alpha keep of what they had, in 0..256.
    reach : float
        Distance in pixels at which the light ends.
    """
    reach = radius if soft else radius + 0.5
    distance = np.sqrt(np.linspace(0.0, 1.0, PROFILE_STEPS)) * reach
    alpha = opacity * ((1.0 - distance / reach) ** 2 if soft else np.clip(radius + 0.5 - distance, 0.0, 1.0))
    white = _HOT * np.clip(1.0 - distance / max(radius, 1.0), 0.0, 1.0) if hot else np.zeros(PROFILE_STEPS)
    channels = (rgb(colour)[::-1] * (1.0 - white[:, None]) + 255.0 * white[:, None]) * alpha[:, None]
    light = np.column_stack((channels, 255.0 * alpha))
    taken = (light[:, 3:] * (256 - adding) + light * adding) / 255.0
    rest = 256 - np.round(taken).astype(np.uint32)
    # Rounded down: with what is kept, rounded to nearest, no channel exceeds 255.
    blue, green, red, opaque = np.floor(light + 1e-9).astype(np.uint32).T
    argb: NDArray[np.uint32] = opaque << 24 | red << 16 | green << 8 | blue
    return argb, rest, reach


@njit(cache=True, nogil=True, inline="always")
def _kept(under: np.uint32, shift: int, rest: np.uint32) -> np.uint32:
    """A channel, reduced to ``rest`` 256ths."""
    channel = (under >> np.uint32(shift)) & np.uint32(255)
    return ((channel * rest + np.uint32(128)) >> np.uint32(8)) << np.uint32(shift)


@njit(cache=True, nogil=True, error_model="numpy")
def add_light(
    image: NDArray[np.uint32],
    top: int,
    spots: NDArray[np.float32],
    light: NDArray[np.uint32],
    rest: NDArray[np.uint32],
    reach: float,
) -> None:
    """Add spots to a picture.

    Parameters
    ----------
    image : (h, w) uint32
        Premultiplied ARGB; updated.
    top : int
        Row of the whole picture that row 0 of ``image`` stands for.
    spots : (k, 2) float32
        Pixel coordinates.
    light, rest, reach
        As of `spot_profile`.
    """
    rows, columns = image.shape
    pixels = image.reshape(-1)
    square_reach = reach * reach
    steps = (light.shape[0] - 1) / square_reach
    lays_over = rest[0, 0] == rest[0, 3] and rest[0, 2] == rest[0, 3]  # one factor for all channels
    for i in range(spots.shape[0]):
        x, y = spots[i, 0], spots[i, 1]
        if not (-reach < x < columns + reach and top - reach < y < top + rows + reach):
            continue
        for row in range(max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1):
            down = (row + 0.5 - y) ** 2
            first = (row - top) * columns
            for column in range(max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1):
                square = (column + 0.5 - x) ** 2 + down
                if square >= square_reach:
                    continue
                step = np.uint64(int(square * steps))  # unsigned: spares numba the check for negative indices
                pixel = np.uint64(first + column)
                under, more = pixels[pixel], light[step]
                if lays_over:
                    kept = rest[step, 3]
                    even = (((under & _EVEN) * kept + _HALF) >> np.uint32(8)) & _EVEN
                    odd = (((under >> np.uint32(8)) & _EVEN) * kept + _HALF) & _ODD
                    pixels[pixel] = more + (even | odd)
                else:
                    below = (
                        _kept(under, 0, rest[step, 0])
                        | _kept(under, 8, rest[step, 1])
                        | _kept(under, 16, rest[step, 2])
                    )
                    pixels[pixel] = (more & ~_OPAQUE) + below + _kept(under, 24, rest[step, 3]) + (more & _OPAQUE)


CROWD = 20_000  # vertices, trail included, from which spots are snapped to pixels, at most one per pixel
MOST_RADIUS = 7.0  # logical pixels of the spots of at most
FEW = 25  # vertices, trail included; those of more are smaller
HALO = 2.6  # radius of the glow around a spot, relative to the spot's
_HALO_OPACITY = 0.34
_HALO_UPTO = 600  # vertices of a frontier whose spots have a glow
_TRAIL_SIZE = (0.5, 0.3)  # relative to the spots of a frontier: the oldest, and the increase with freshness
_TRAIL_OPACITY = (0.06, 0.49)
_LINE, _AREA = 1000, 50_000  # vertices of a frontier that is a line, and of one that fills an area
_COVER = 0.72  # opacity of the light where a frontier fills an area: what lies beneath is still seen
_SNAPPED_CROWDING = 0.67  # share of a spot's pixels that spots are snapped to in a crowd: roads leave some free
_EMBER = 0.4  # share of the trail's colour in that of a frontier that fills an area
_ADDING = 128  # as of `light.spot_profile`, on a dark canvas
_NOTHING_SEEN = np.empty((0, 0), np.uint8)


@dataclass(frozen=True, eq=False)
class Wave:
    """Vertices that shine alike: the frontier, or one picture of the trail."""

    vertices: NDArray[np.int32]  # (k,)
    radius: float  # of a spot, in logical pixels
    opacity: float  # in the middle of a spot, in 0..1
    heat: float  # 1 for the colour of a frontier, 0 for that of the trail
    adding: int  # as of `light.spot_profile`, on a dark canvas
    halo: bool = False  # whether this is the glow around the spots

    def colour(self, tokens: Tokens) -> str:
        mixed = self.heat * rgb(tokens.frontier) + (1.0 - self.heat) * rgb(tokens.trail)
        return "#{:02X}{:02X}{:02X}".format(*mixed.round().astype(int))


def waves_of(content: PictureContent, measures: Measures, ratio: float = math.inf) -> list[Wave]:
    """The trail, oldest first, then the frontier.

    Parameters
    ----------
    ratio : float
        Pixels to a logical one, if many spots are snapped to pixels.
    """
    trail, now = content.trail, content.frontier
    count = len(now) + sum(len(vertices) for vertices, _ in trail)
    crowding = math.pi * (measures.frontier / measures.spacing) ** 2 if measures.spacing else 1.0
    size = footprint(measures.frontier, count)
    if count > CROWD:  # spots on the same pixel are one: without this a small picture was dull
        crowding = min(crowding, _SNAPPED_CROWDING * math.pi * (size * ratio) ** 2)
    waves = [
        Wave(
            vertices,
            size * _along(_TRAIL_SIZE, freshness),
            _along(_TRAIL_OPACITY, freshness**1.5) * spot_opacity(len(vertices), crowding),
            0.0,
            _ADDING,
        )
        for vertices, freshness in trail
    ]
    area = filling(len(now))
    opacity, heat, adding = spot_opacity(len(now), crowding), 1.0 - _EMBER * area, round(_ADDING * (1.0 - area))
    if len(now) <= _HALO_UPTO:
        waves.append(Wave(now, size * HALO, _HALO_OPACITY, heat, adding, halo=True))
    return [*waves, Wave(now, size, opacity, heat, adding)]


def footprint(radius: float, count: int) -> float:
    """Radius of each of ``count`` spots: larger than ``radius`` where there are few, so that a single one is seen."""
    return max(radius, min(MOST_RADIUS, MOST_RADIUS * (FEW / max(1, count)) ** 0.25))


def filling(count: int) -> float:
    """How much a frontier of that many vertices is an area: 0 for a line, 1 for an area."""
    return min(1.0, math.log(max(1.0, count / _LINE)) / math.log(_AREA / _LINE))


def spot_opacity(count: int, crowding: float) -> float:
    """Opacity of a spot: 1 in a frontier that is a line; where it fills an area, `_COVER` for all on a pixel.

    Parameters
    ----------
    count : int
        Vertices of the frontier.
    crowding : float
        Number of spots on a pixel where all vertices shine.
    """
    alone = 1.0 - (1.0 - _COVER) ** (1.0 / max(1.0, crowding))
    filled = alone if crowding >= 1.0 else 1.0 - (1.0 - alone) * crowding
    return 1.0 - (1.0 - filled) * filling(count)


def draw_frontier(
    image: NDArray[np.uint32], buffers: EdgeBuffers, content: PictureContent, tokens: Tokens, team: ThreadTeam
) -> None:
    """Add the light of the trail and of the frontier to a picture."""
    waves = waves_of(content, buffers.measures, buffers.view.ratio)
    lights = [
        (places, *_profile(wave, buffers.view.ratio, tokens))
        for wave, places in zip(waves, _placed(waves, buffers), strict=True)
        if len(places)
    ]

    def draw(first: int, last: int) -> None:
        for light in lights:
            add_light(image[first:last], buffers.view.span[0] + first, *light)

    team.run(partial(draw, *band) for band in buffers.bands())


def _profile(wave: Wave, ratio: float, tokens: Tokens) -> tuple[NDArray[np.uint32], NDArray[np.uint32], float]:
    """The profile of a wave's spots, of rounded sizes, so that those of the next picture are known already."""
    radius, opacity = round(wave.radius * ratio, 1), round(wave.opacity, 2)
    hot = tokens.dark and wave.heat == 1.0 and not wave.halo
    adding = wave.adding if tokens.dark else 0
    return spot_profile(radius, wave.colour(tokens), opacity, soft=wave.halo, hot=hot, adding=adding)


def _placed(waves: list[Wave], buffers: EdgeBuffers) -> list[NDArray[np.float32]]:
    """Pixel positions of the visible vertices of each wave; at most one per pixel and wave if there are many."""
    total = sum(len(wave.vertices) for wave in waves)
    reach = math.ceil(max(wave.radius for wave in waves) * buffers.view.ratio) + 1
    first, last = buffers.view.span
    left, top, right, bottom = window = (-reach, first - reach, buffers.view.width + reach, last + reach)
    seen = np.zeros((bottom - top, right - left), np.uint8) if total > CROWD else _NOTHING_SEEN
    spots = np.empty((total, 2), np.float32)
    placed, start = [], 0
    for mark, wave in enumerate(waves, 1):
        free = spots[start:]
        positions = buffers.view.scene.positions
        count = place_spots(free, positions, wave.vertices, *buffers.view.transform, *window, seen, mark)
        placed.append(free[:count])
        start += count
    return placed


def _along(size: tuple[float, float], freshness: float) -> float:
    return size[0] + size[1] * freshness
