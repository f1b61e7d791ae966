"""Marks on a finished picture: light of a frontier, border of an isochrone, changed
roads; the path beside it. No Qt.

The frontier and its trail are spots of light, added in bounded time. Light adds up and
hides nothing: where spots overlap, the picture gets brighter (on a light canvas, more
saturated), and what lies beneath stays visible. The frontier is hot, the trail of the
pictures before it cools down. A frontier of few vertices has large spots, so that a
single settled vertex is seen at any zoom.

The border of an isochrone is the points on roads where the budget ends. Closed and
slowed roads are drawn here where they are too many to be painted one by one. The path
is a picture of its own: stroking it takes longer than all else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.raster.edge_buffers import EdgeBuffers, PixelSizes
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.paths import PathTree, distinct, draw_tree, points_on_roads, polyline
from solvers.picture.scene.ramps import rgb
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Float32s, Float64s, Int32s, UInt8s, UInt32s
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

# spots, those of a trail included, from which they are snapped to pixels, at most one
# per pixel
CROWD = 20_000
_NOTHING_SEEN = np.empty((0, 0), np.uint8)

BORDER_RADIUS = 1.3  # logical pixels, at least
_SHARE_OF_SPACING = 0.12  # of the mean distance between vertices
MOST_BORDER_RADIUS = 3.5

# roads in view that are painted one by one, dashed and with signs, for the time of a
# repaint
MOST_PAINTED = 600
_ROAD_WIDTH = 1.5  # logical pixels

PROFILE_STEPS = 128  # of the squared distance from the middle of a spot
HOT_WHITE = 0.45  # share of white in the middle of a hot spot
_KEPT_PROFILES = 2048
_OPAQUE = np.uint32(0xFF000000)
# channels of ARGB that can be multiplied together
_EVEN, _ODD = np.uint32(0x00FF00FF), np.uint32(0xFF00FF00)
_HALF = np.uint32(0x00800080)  # rounds both of them

MOST_RADIUS = 7.0  # logical pixels of the spots of at most
# vertices, trail included; those of more are smaller by a power of their number
FEW, FEW_POWER = 25, 0.25
HALO = 2.6  # radius of the glow around a spot, relative to the spot's
HALO_OPACITY = 0.34
HALO_UPTO = 600  # vertices of a frontier whose spots have a glow
# relative to the spots of a frontier: the oldest, and the increase with freshness; the
# opacity increases with a power of it
TRAIL_SIZE = (0.5, 0.3)
TRAIL_OPACITY, TRAIL_POWER = (0.06, 0.49), 1.5
# vertices of a frontier that is a line, and of one that fills an area
LINE_UPTO, AREA_FROM = 1000, 50_000
# opacity of the light where a frontier fills an area: what lies beneath is still seen
AREA_OPACITY = 0.72
# share of a spot's pixels that spots are snapped to in a crowd: roads leave some free
SNAPPED_CROWDING = 0.67
EMBER = 0.4  # share of the trail's colour in that of a frontier that fills an area
ADDING = 128  # as of `spot_profile`, on a dark canvas

PATH_WIDTH = 3.0
HALO_WIDTH = 6.5
GLOW_WIDTH, GLOW_OPACITY = 13.0, 0.24
_PATH_STEPS = 4096  # of the closeness to the path's middle, even in the square of the distance


@njit(error_model="numpy")
def place_spots(
    spots: Float32s,
    positions: Float64s,
    vertices: Int32s,
    scale: float,
    dx: float,
    dy: float,
    left: int,
    top: int,
    right: int,
    bottom: int,
    seen: UInt8s,
    mark: int,
) -> int:
    """Write the pixel coordinates of the vertices inside a pixel rectangle to (k, 2)
    ``spots``; returns their number.

    If ``seen``, (bottom - top, right - left), is not empty, a spot is moved to the
    centre of its pixel, which is set to ``mark``, and a pixel with that mark gets no
    second spot: this bounds the work by the number of pixels.
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


def _visible_spots(
    buffers: EdgeBuffers, positions: Float64s, groups: Sequence[Int32s], radius: float
) -> list[Float32s]:
    """Pixel coordinates of the vertices of each group in view; at most one per pixel
    and group if they are many.
    """
    total, reach = sum(map(len, groups)), math.ceil(radius) + 1
    first, last = buffers.view.span
    left, top, right, bottom = window = (
        -reach,
        first - reach,
        buffers.view.width + reach,
        last + reach,
    )
    seen = np.zeros((bottom - top, right - left), np.uint8) if total > CROWD else _NOTHING_SEEN
    spots = np.empty((total, 2), np.float32)
    placed, start = [], 0
    for mark, vertices in enumerate(groups, 1):
        free = spots[start:]
        count = place_spots(free, positions, vertices, *buffers.view.transform, *window, seen, mark)
        placed.append(free[:count])
        start += count
    return placed


def border_points(isochrone: Isochrone, scene: DrawableGraph) -> Float64s:
    """(k, 2) world coordinates of the points where the budget ends; NaN where an end
    has no place.
    """
    return points_on_roads(
        scene, isochrone.border_tails, isochrone.border_heads, isochrone.border_shares
    )


def border_radius(spacing: float) -> float:
    """Radius of a point in logical pixels, for vertices that are ``spacing`` pixels apart."""
    return min(MOST_BORDER_RADIUS, max(BORDER_RADIUS, _SHARE_OF_SPACING * spacing))


def draw_border(
    image: UInt32s, buffers: EdgeBuffers, isochrone: Isochrone, tokens: Tokens, team: ThreadTeam
) -> None:
    points = border_points(isochrone, buffers.view.scene)
    radius = border_radius(buffers.measures.spacing) * buffers.view.ratio
    every = np.arange(len(points), dtype=np.int32)
    (spots,) = _visible_spots(buffers, points, [every], radius)
    _add_lights(image, buffers, [(spots, *spot_profile(round(radius, 1), tokens.text, 1.0))], team)


def draw_road_lines(
    image: UInt32s,
    buffers: EdgeBuffers,
    marks: Sequence[RoadMarks],
    tokens: Tokens,
    team: ThreadTeam,
) -> bool:
    """Draw the marked roads in view; False if they are few, so that nothing is drawn."""
    view = buffers.view
    scale, dx, dy = view.transform
    lines = []
    for one in marks:
        ends = view.scene.positions[one.ends]
        points = view.camera.to_screen(ends)
        lines.append(ends[view.camera.sees(points.min(axis=1), points.max(axis=1), 0.0)])
    if sum(map(len, lines)) <= MOST_PAINTED:
        return False
    width = max(1, round(_ROAD_WIDTH * view.ratio))
    for one, ends in reversed(list(zip(marks, lines, strict=True))):
        count, colour = len(ends), getattr(tokens, one.colour)
        if count:
            points = ends.transpose(1, 0, 2).reshape(-1, 2)  # all tails, then all heads
            roads = PathTree(
                np.concatenate((np.full(count, -1), np.arange(count))).astype(np.int32)
            )
            draw_tree(
                image, roads, points, (view.span[0], scale, dx, dy), (argb(colour), width), team
            )
    return True


@lru_cache(_KEPT_PROFILES)
def spot_profile(
    radius: float,
    colour: str,
    opacity: float,
    *,
    soft: bool = False,
    hot: bool = False,
    adding: int = 0,
) -> tuple[UInt32s, UInt32s, float]:
    """The light of a spot of ``radius`` pixels by distance from its middle, for `add_light`.

    ``opacity`` is that of the middle. ``soft`` light fades with the distance, as a
    halo; else the spot has an antialiased edge. The middle of a ``hot`` spot is nearly
    white. With ``adding`` 0, a channel keeps all but the light's opacity of what it
    had, as on a light canvas; with 256, all but the light's own channel, so that it
    only gets brighter. Between them, light adds up and keeps its hue.

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
    alpha = opacity * (
        (1.0 - distance / reach) ** 2 if soft else np.clip(radius + 0.5 - distance, 0.0, 1.0)
    )
    white = (
        HOT_WHITE * np.clip(1.0 - distance / max(radius, 1.0), 0.0, 1.0)
        if hot
        else np.zeros(PROFILE_STEPS)
    )
    channels = (rgb(colour)[::-1] * (1.0 - white[:, None]) + 255.0 * white[:, None]) * alpha[
        :, None
    ]
    light = np.column_stack((channels, 255.0 * alpha))
    taken = (light[:, 3:] * (256 - adding) + light * adding) / 255.0
    rest = 256 - np.round(taken).astype(np.uint32)
    # Rounded down: with what is kept, rounded to nearest, no channel exceeds 255.
    blue, green, red, opaque = np.floor(light + 1e-9).astype(np.uint32).T
    argb: UInt32s = opaque << 24 | red << 16 | green << 8 | blue
    return argb, rest, reach


@njit(inline="always")
def _kept(under: np.uint32, shift: int, rest: np.uint32) -> np.uint32:
    """A channel, reduced to ``rest`` 256ths."""
    channel = (under >> np.uint32(shift)) & np.uint32(255)
    return ((channel * rest + np.uint32(128)) >> np.uint32(8)) << np.uint32(shift)


@njit(error_model="numpy")
def add_light(
    image: UInt32s, top: int, spots: Float32s, light: UInt32s, rest: UInt32s, reach: float
) -> None:
    """Add (k, 2) ``spots`` in pixels to premultiplied ARGB, whose row 0 is row ``top``
    of the whole picture; those of opaque profiles are discs.
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
        for row in range(
            max(top, math.floor(y - reach)), min(top + rows - 1, math.floor(y + reach)) + 1
        ):
            down = (row + 0.5 - y) ** 2
            first = (row - top) * columns
            for column in range(
                max(0, math.floor(x - reach)), min(columns - 1, math.floor(x + reach)) + 1
            ):
                square = (column + 0.5 - x) ** 2 + down
                if square >= square_reach:
                    continue
                # unsigned: spares numba the check for negative indices
                step = np.uint64(int(square * steps))
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
                    pixels[pixel] = (
                        (more & ~_OPAQUE)
                        + below
                        + _kept(under, 24, rest[step, 3])
                        + (more & _OPAQUE)
                    )


@dataclass(frozen=True, eq=False)
class Wave:
    """Vertices that shine alike: the frontier, or one picture of the trail."""

    vertices: Int32s  # (k,)
    radius: float  # of a spot, in logical pixels
    opacity: float  # in the middle of a spot, in 0..1
    heat: float  # 1 for the colour of a frontier, 0 for that of the trail
    adding: int  # as of `spot_profile`, on a dark canvas
    halo: bool = False  # whether this is the glow around the spots

    def colour(self, tokens: Tokens) -> str:
        return _mixed(tokens.frontier, tokens.trail, self.heat)


@lru_cache(_KEPT_PROFILES)
def _mixed(frontier: str, trail: str, heat: float) -> str:
    """Colour "#RRGGBB" of a wave, of which each picture has some twenty."""
    mixed = heat * rgb(frontier) + (1.0 - heat) * rgb(trail)
    return "#{:02X}{:02X}{:02X}".format(*mixed.round().astype(int))


def waves_of(content: PictureContent, measures: PixelSizes, ratio: float = math.inf) -> list[Wave]:
    """The trail, oldest first, then the frontier; ``ratio`` is pixels per logical one
    where spots are snapped.
    """
    trail, now = content.trail, content.frontier
    count = len(now) + sum(len(vertices) for vertices, _ in trail)
    crowding = math.pi * (measures.frontier / measures.spacing) ** 2 if measures.spacing else 1.0
    size = footprint(measures.frontier, count)
    if count > CROWD:  # spots on the same pixel are one: without this a small picture was dull
        crowding = min(crowding, SNAPPED_CROWDING * math.pi * (size * ratio) ** 2)
    waves = [
        Wave(
            vertices,
            size * _along(TRAIL_SIZE, freshness),
            _along(TRAIL_OPACITY, freshness**TRAIL_POWER) * spot_opacity(len(vertices), crowding),
            0.0,
            ADDING,
        )
        for vertices, freshness in trail
    ]
    area = filling(len(now))
    opacity = spot_opacity(len(now), crowding)
    heat = 1.0 - EMBER * area
    adding = round(ADDING * (1.0 - area))
    if len(now) <= HALO_UPTO:
        waves.append(Wave(now, size * HALO, HALO_OPACITY, heat, adding, halo=True))
    return [*waves, Wave(now, size, opacity, heat, adding)]


def footprint(radius: float, count: int) -> float:
    """Radius of each of ``count`` spots: larger than ``radius`` where there are few, so
    that a single one is seen.
    """
    return max(radius, min(MOST_RADIUS, MOST_RADIUS * (FEW / max(1, count)) ** FEW_POWER))


def filling(count: int) -> float:
    """How much a frontier of that many vertices is an area: 0 for a line, 1 for an area."""
    return min(1.0, math.log(max(1.0, count / LINE_UPTO)) / math.log(AREA_FROM / LINE_UPTO))


def spot_opacity(count: int, crowding: float) -> float:
    """Opacity of a spot: 1 in a frontier that is a line; where it fills an area,
    `AREA_OPACITY` for all on a pixel.

    ``crowding`` is the number of spots on a pixel where all vertices shine.
    """
    alone = 1.0 - (1.0 - AREA_OPACITY) ** (1.0 / max(1.0, crowding))
    filled = alone if crowding >= 1.0 else 1.0 - (1.0 - alone) * crowding
    return 1.0 - (1.0 - filled) * filling(count)


def draw_frontier(
    image: UInt32s, buffers: EdgeBuffers, content: PictureContent, tokens: Tokens, team: ThreadTeam
) -> None:
    """Add the light of the trail and of the frontier to a picture."""
    ratio = buffers.view.ratio
    waves = waves_of(content, buffers.measures, ratio)
    widest = max(wave.radius for wave in waves) * ratio
    placed = _visible_spots(
        buffers, buffers.view.scene.positions, [wave.vertices for wave in waves], widest
    )
    lights = [
        (spots, *_profile(wave, ratio, tokens))
        for wave, spots in zip(waves, placed, strict=True)
        if len(spots)
    ]
    _add_lights(image, buffers, lights, team)


def _add_lights(
    image: UInt32s,
    buffers: EdgeBuffers,
    lights: Sequence[tuple[Float32s, UInt32s, UInt32s, float]],
    team: ThreadTeam,
) -> None:
    """Add spots with their profiles, one after another."""

    def draw(first: int, last: int) -> None:
        for light in lights:
            add_light(image[first:last], buffers.view.span[0] + first, *light)

    team.run_over(buffers.bands(), draw)


def _profile(wave: Wave, ratio: float, tokens: Tokens) -> tuple[UInt32s, UInt32s, float]:
    """The profile of a wave's spots, of rounded sizes, so that those of the next
    picture are known already.
    """
    radius, opacity = round(wave.radius * ratio, 1), round(wave.opacity, 2)
    hot = tokens.dark and wave.heat == 1.0 and not wave.halo
    adding = wave.adding if tokens.dark else 0
    return spot_profile(
        radius, wave.colour(tokens), opacity, soft=wave.halo, hot=hot, adding=adding
    )


def _along(size: tuple[float, float], freshness: float) -> float:
    return size[0] + size[1] * freshness


@dataclass(frozen=True, eq=False)
class PathPicture:
    """The path with its halo and glow, in the part of a view that they take."""

    path: Int32s
    camera: Camera
    ratio: float
    pixels: UInt32s  # (h, w): premultiplied ARGB
    corner: tuple[int, int]  # of the part in the view, in device pixels


def path_picture(
    path: Int32s, scene: DrawableGraph, camera: Camera, ratio: float, tokens: Tokens
) -> PathPicture:
    """Draw the path as `overlay.draw_path` strokes it."""
    points = camera.to_screen(polyline(scene, path))
    points = points[distinct(points)] * ratio
    if not len(points):
        return PathPicture(path, camera, ratio, np.zeros((1, 1), np.uint32), (0, 0))
    reach = GLOW_WIDTH / 2 * ratio + 0.5
    size = np.array([camera.width, camera.height]) * ratio
    low, high = np.clip([points.min(axis=0) - reach, points.max(axis=0) + reach], 0.0, size)
    low, high = np.floor(low).astype(int), np.ceil(high).astype(int)
    pixels = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint32)
    _draw_line(pixels, points - low, reach, _path_colours(ratio, tokens))
    return PathPicture(path, camera, ratio, pixels, (int(low[0]), int(low[1])))


@lru_cache(8)
def _path_colours(ratio: float, tokens: Tokens) -> UInt32s:
    """Premultiplied ARGB by closeness to the middle of a path."""
    reach = GLOW_WIDTH / 2 * ratio + 0.5
    distance = reach * np.sqrt(np.linspace(1.0, 0.0, _PATH_STEPS))
    mixed = np.zeros((_PATH_STEPS, 4))
    strokes = (
        (tokens.path, GLOW_WIDTH, GLOW_OPACITY),
        (tokens.halo, HALO_WIDTH, 1.0),
        (tokens.path, PATH_WIDTH, 1.0),
    )
    for colour, width, opacity in strokes:
        alpha = opacity * np.clip(width / 2 * ratio + 0.5 - distance, 0.0, 1.0)[:, None]
        mixed = alpha * np.append(255.0, rgb(colour)) + (1.0 - alpha) * mixed
    alpha, red, green, blue = np.round(mixed).astype(np.uint32).T
    colours: UInt32s = alpha << 24 | red << 16 | green << 8 | blue
    return colours


@njit(error_model="numpy")
def _draw_line(pixels: UInt32s, points: Float64s, reach: float, colours: UInt32s) -> None:
    """Draw a line through (k, 2) points onto empty pixels, with ``colours`` by
    closeness to its middle.
    """
    rows, columns = pixels.shape
    farthest = reach * reach
    steps = (colours.shape[0] - 1) / farthest
    for i in range(max(1, len(points) - 1)):
        x0, y0 = points[i, 0], points[i, 1]
        across = points[min(i + 1, len(points) - 1), 0] - x0
        down = points[min(i + 1, len(points) - 1), 1] - y0
        square = across * across + down * down
        inverse = 1.0 / square if square > 0.0 else 0.0
        top = max(0.0, min(y0, y0 + down) - reach)
        bottom = min(rows - 1.0, max(y0, y0 + down) + reach)
        for row in range(math.floor(top), math.floor(bottom) + 1):
            left, right = min(x0, x0 + across), max(x0, x0 + across)
            if abs(down) > 1e-9:  # the part of the line near this row
                enter, leave = (row + 0.5 - reach - y0) / down, (row + 0.5 + reach - y0) / down
                enter, leave = max(0.0, min(enter, leave)), min(1.0, max(enter, leave))
                left = x0 + min(enter * across, leave * across)
                right = x0 + max(enter * across, leave * across)
            first = math.floor(max(0.0, left - reach))
            last = math.floor(min(columns - 1.0, right + reach))
            for column in range(first, last + 1):
                x, y = column + 0.5 - x0, row + 0.5 - y0
                along = min(1.0, max(0.0, (x * across + y * down) * inverse))
                aside, below = x - along * across, y - along * down
                away = aside * aside + below * below
                if away < farthest:
                    pixels[row, column] = max(
                        pixels[row, column], np.uint32(1.0 + (farthest - away) * steps)
                    )
    for row in range(rows):
        for column in range(columns):
            if pixels[row, column]:
                pixels[row, column] = colours[pixels[row, column] - 1]
