"""The legend of the picture's shades and the scale bar: their texts, ramp and bar; and both
in one low row for strips outside the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.display import (
    Box,
    Gradient,
    Mark,
    Stroke,
    TextSizes,
    Words,
    filled,
    hex_colour,
    text_style,
)
from solvers.picture.overlay.signs import SIGN_RADIUS, sign_shape
from solvers.picture.overlay.view import baseline
from solvers.picture.scene.activity import Legend, band_colours, band_shades
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.ramps import COMMUNITY_COLOURS, Ramp, RegionRamps, ramp_colours
from solvers.picture.scene.values import rounded, short_distance
from solvers.system.array_types import Float64s
from solvers.text import capitalised, grouped, listed

MOST_BAR, _LEAST_BAR = 150.0, 20.0  # lengths of the scale bar in logical pixels
TICK = 5.0  # at its ends
ROW_HEIGHT = 26.0
LETTERS = text_style(8.5)  # of cards and rows
_RAMP_WIDTH, _LEAST_RAMP, _RAMP_HEIGHT = 110.0, 36.0, 12.0
_GAP, _GROUP_GAP = 7.0, 24.0
_STOPS = 32  # colours of a ramp without bands
_BETWEEN = 0.8  # pixels between bands


def legend_texts(legend: Legend) -> tuple[str, str, str]:
    """What the shades stand for, and the values at both ends."""
    low, high = legend.ends or (
        distance_text(legend.low, legend.unit),
        distance_text(legend.high, legend.unit),
    )
    bands = f", bands of {distance_text(legend.step, legend.unit)}" if legend.step > 0.0 else ""
    if legend.bounds:
        ends = [distance_text(bound, legend.unit) for bound in legend.bounds]
        bands = f", within {listed(ends)}"
    return capitalised(legend.quantity) + bands, low, high


def distance_text(value: float, unit: str) -> str:
    """A distance as legends and cards say it."""
    return short_distance(rounded(value), unit)


def ramp_marks(place: Box, legend: Legend, tokens: Tokens) -> Iterator[Mark]:
    """The shades, those of several regions one above the other."""
    colours, regions = ramp_colours(legend.ramp, tokens.dark), legend_regions(legend)
    each = place.height / len(regions)
    for i, shades in enumerate(regions):
        bar = Box(place.x0, place.y0 + i * each, place.x1, place.y0 + (i + 1) * each)
        if legend.ramp is Ramp.COMMUNITIES or legend.has_bands:
            for first, last, colour in _blocks(legend, colours, shades):
                left, right = (place.x0 + share * place.width for share in (first, last))
                right = max(left + 1.0, right - _BETWEEN)
                yield filled(Box(left, bar.y0, right, bar.y1), hex_colour(colour))
        else:
            last = shades.stop - 1
            at = np.rint(np.linspace(shades.start, last, _STOPS)).astype(int)
            yield Gradient(bar, [hex_colour(colour) for colour in colours[at]])
    for tick in legend.ticks:
        x = place.x0 + tick * place.width
        yield filled(Box(x - 0.5, place.y0, x + 0.5, place.y1), tokens.panel)


def _blocks(
    legend: Legend, colours: Float64s, shades: slice
) -> Iterator[tuple[float, float, Float64s]]:
    """Where blocks of one colour begin and end, as shares, and their colours."""
    if legend.ramp is Ramp.COMMUNITIES:
        count = min(COMMUNITY_COLOURS, int(legend.high))
        for k in range(count):
            middle = (2 * k + 1) * 128 // COMMUNITY_COLOURS
            yield k / count, (k + 1) / count, colours[middle]
    else:
        inside, begins = band_colours(colours, legend)[shades], band_shades(legend)[1][shades]
        for first, last in pairwise([0, *np.flatnonzero(begins).tolist(), len(inside)]):
            yield first / len(inside), last / len(inside), inside[first]


def legend_regions(legend: Legend) -> list[slice]:
    """The shades of each region; all if there are no regions."""
    if not isinstance(legend.ramp, RegionRamps):
        return [slice(0, 256)]
    levels = legend.ramp.levels
    return [slice(i * levels, (i + 1) * levels) for i in range(legend.ramp.count)]


def scale_bar(
    camera: Camera, metres_per_unit: float, room: float = math.inf
) -> tuple[float, str] | None:
    """Length in pixels and text of a round distance that is no longer than ``room``;
    None if the scale is unknown.
    """
    if metres_per_unit <= 0:
        return None
    metres_per_pixel = metres_per_unit / camera.scale
    most = max(_LEAST_BAR, min(MOST_BAR, room)) * metres_per_pixel
    power = 10.0 ** math.floor(math.log10(most))
    metres = max(step * power for step in (1, 2, 5) if step * power <= most)
    return metres / metres_per_pixel, _length_text(metres)


def _length_text(metres: float) -> str:
    if metres >= 1000:
        return f"{grouped(metres / 1000, 'g')} km"
    return f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"


def bar_mark(left: float, y: float, length: float, tokens: Tokens) -> Stroke:
    """The line of a scale bar, with a tick up at each end."""
    right, up = left + length, y - TICK
    points = np.array([(left, up), (left, y), (right, y), (right, up)])
    return Stroke(points, tokens.text, 1.6)


def legend_row(
    sizes: TextSizes,
    legend: Legend | None,
    camera: Camera,
    metres_per_unit: float,
    tokens: Tokens,
    room: float = math.inf,
    kept_free: float = 0.0,
) -> tuple[float, list[Mark]]:
    """ "Distance 0 m (ramp) 144 km" and the scale bar, from x = 0; the x where they end,
    and their marks.

    In a narrow ``room`` the ramp is shorter and the scale bar is left out, so that as
    much as ``kept_free`` of it is free; then the words beside a sign are
    left out.
    """
    marks: list[Mark] = []
    y = baseline(sizes, LETTERS, ROW_HEIGHT / 2)

    def across(words: str) -> float:
        return sizes.width(words, LETTERS)

    def write(words: str, at: float, colour: str) -> float:
        marks.append(Words(at, y, words, colour, LETTERS))
        return at + across(words)

    x = 0.0
    if legend is not None:
        title, low, high = legend_texts(legend)
        needed = across(title) + across(low) + across(high) + 3 * _GAP
        name = "" if legend.sign is None else legend.sign.title
        if legend.sign is not None:
            needed += _GROUP_GAP + 2 * SIGN_RADIUS
            name = name if needed + _GAP + across(name) + _LEAST_RAMP <= room else ""
            needed += _GAP + across(name) if name else 0.0
        beside = room - kept_free - needed
        ramp = min(
            _RAMP_WIDTH, beside if beside >= _LEAST_RAMP else max(_LEAST_RAMP, room - needed)
        )
        x = write(title, x, tokens.muted) + _GAP
        x = write(low, x, tokens.text) + _GAP
        top = (ROW_HEIGHT - _RAMP_HEIGHT) / 2
        marks += ramp_marks(Box(x, top, x + ramp, top + _RAMP_HEIGHT), legend, tokens)
        x = write(high, x + ramp + _GAP, tokens.text)
        if legend.sign is not None:
            x += _GROUP_GAP + SIGN_RADIUS
            marks += sign_shape(legend.sign, x, ROW_HEIGHT / 2, tokens)
            x = write(name, x + SIGN_RADIUS + _GAP, tokens.text) if name else x + SIGN_RADIUS
    bar, end = scale_bar(camera, metres_per_unit), x
    x += _GROUP_GAP if x else 0.0
    if bar is None or x + bar[0] + _GAP + across(bar[1]) > room - kept_free:
        return end, marks
    length, words = bar
    marks.append(bar_mark(x, (ROW_HEIGHT + TICK) / 2, length, tokens))
    return write(words, x + length + _GAP, tokens.text), marks
