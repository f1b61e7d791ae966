"""Draws the frontier and its trail as light onto a coloured picture, in bounded time. No Qt.

Light adds up and hides nothing: where spots overlap, the picture gets brighter (on a light canvas, more saturated), and
what lies beneath stays visible. The frontier is hot, the trail of the pictures before it cools down. A frontier of few
vertices has large spots, so that a single settled vertex is seen at any zoom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import discs
from gui.picture.raster.edge_buffers import EdgeBuffers, Measures
from gui.picture.raster.light import add_light, spot_profile
from gui.picture.scene.content import PictureContent
from gui.picture.scene.ramps import rgb
from gui.style.tokens import Tokens
from solvers.system.threads import ThreadTeam

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
    """Vertices that shine alike: the frontier, or one picture of the trail.

    Attributes
    ----------
    vertices : (k,) int32
    radius : float
        Of a spot, in logical pixels.
    opacity : float
        In the middle of a spot, in 0..1.
    heat : float
        1 for the colour of a frontier, 0 for that of the trail.
    adding : int
        As of `light.spot_profile`, on a dark canvas.
    halo : bool
        Whether this is the glow around the spots.
    """

    vertices: NDArray[np.int32]
    radius: float
    opacity: float
    heat: float
    adding: int
    halo: bool = False

    def colour(self, tokens: Tokens) -> str:
        mixed = self.heat * rgb(tokens.frontier) + (1.0 - self.heat) * rgb(tokens.trail)
        return "#{:02X}{:02X}{:02X}".format(*mixed.round().astype(int))


def waves_of(content: PictureContent, measures: Measures, ratio: float = math.inf) -> list[Wave]:
    """The trail, oldest first, then the frontier.

    Parameters
    ----------
    content : PictureContent
    measures : Measures
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
        count = discs.place_spots(free, positions, wave.vertices, *buffers.view.transform, *window, seen, mark)
        placed.append(free[:count])
        start += count
    return placed


def _along(size: tuple[float, float], freshness: float) -> float:
    return size[0] + size[1] * freshness
