"""Draws the frontier and its trail as discs onto a coloured picture, in bounded time. No Qt."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines
from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.tone_map import argb
from gui.picture.scene.content import PictureContent
from gui.style.tokens import Tokens
from solvers.host.threads import ThreadTeam

CROWD = 20_000  # vertices, trail included, from which discs are snapped to pixels, at most one per pixel
_TRAIL_SIZE = (0.5, 0.3)  # relative to the frontier's radius: the oldest disc, and the increase with freshness
_TRAIL_OPACITY = (0.15, 0.55)
_NOTHING_SEEN = np.empty((0, 0), np.uint8)


def draw_frontier(
    image: NDArray[np.uint32], buffers: EdgeBuffers, content: PictureContent, tokens: Tokens, team: ThreadTeam
) -> None:
    """Paint the trail, oldest first, then the frontier of the current iteration."""
    radius = buffers.measures.frontier * buffers.view.ratio
    trail = content.activity.trail(content.position)
    waves = [*(vertices for vertices, _ in trail), content.activity.frontier(content.position)]
    looks = [
        (radius * _along(_TRAIL_SIZE, freshness), argb(tokens.trail), _along(_TRAIL_OPACITY, freshness))
        for _, freshness in trail
    ]
    looks.append((radius, argb(tokens.frontier), 1.0))
    discs = list(zip(_placed(waves, buffers, radius), looks, strict=True))

    def draw(first: int, last: int) -> None:
        for spots, look in discs:
            lines.draw_discs(image[first:last], buffers.view.span[0] + first, spots, *look)

    team.run(partial(draw, *band) for band in buffers.bands())


def _placed(waves: list[NDArray[np.int32]], buffers: EdgeBuffers, radius: float) -> list[NDArray[np.float32]]:
    """Pixel positions of the visible vertices of each iteration; at most one per pixel if there are many."""
    total = sum(map(len, waves))
    reach = math.ceil(radius) + 1
    first, last = buffers.view.span
    left, top, right, bottom = window = (-reach, first - reach, buffers.view.width + reach, last + reach)
    seen = np.zeros((bottom - top, right - left), np.uint8) if total > CROWD else _NOTHING_SEEN
    spots = np.empty((total, 2), np.float32)
    placed, start = [], 0
    for mark, vertices in enumerate(waves, 1):
        free = spots[start:]
        positions = buffers.view.scene.positions
        count = lines.place_spots(free, positions, vertices, *buffers.view.transform, *window, seen, mark)
        placed.append(free[:count])
        start += count
    return placed


def _along(size: tuple[float, float], freshness: float) -> float:
    return size[0] + size[1] * freshness
