"""Markers of source and target: pins, or around large discs a triangle and a square, each
with its id.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from solvers.picture.colours import Tokens
from solvers.picture.display import (
    Area,
    Box,
    Disc,
    Mark,
    Shape,
    Symbol,
    TextStyle,
    Words,
    filled,
    text_colour_on,
)
from solvers.picture.overlay.view import LabelStyles, OverlayView, baseline
from solvers.picture.scene.close_arcs import Point, disc_radius, marker_radius
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.figure import id_fits, is_figure
from solvers.picture.scene.ramps import region_colour
from solvers.system.array_types import Float64s

PIN_RADIUS, _PIN_RISE = 7.5, 18.0  # of its head, and how far that is above the vertex
PIN_HEIGHT = _PIN_RISE + PIN_RADIUS + 3.0  # with its edge
_GLYPH = 2.7  # half of the dot in a source's pin, and of the square in a target's
_SHADOW = 0.22  # opacity of the shadow around a marker
_CROSS = 7.0  # half of the sign of a closed road, which ids leave visible
_ID_DROP = 0.08  # of a disc's radius: a triangle is wider below its middle
_NEAR_BORDER = 12.0  # farther away an id would not be seen to belong to its marker
# pixels between a marker and its id, and between an id and the edge of the view
_LABEL_GAP, _EDGE = 4.0, 2.0
_TRIANGLE = ((0.0, -1.15), (1.05, 0.75), (-1.05, 0.75))
_SQUARE = ((-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86))


def marker_marks(view: OverlayView) -> Iterator[Mark]:
    """Source and target with their ids, which grow with the type; the source on top."""
    content, tokens = view.content, view.tokens
    if not content.has(Layer.MARKERS):
        return
    scene, sources = content.scene, [content.source, *content.more_sources]
    marks = [(content.target, False, tokens.target)]
    for place in range(len(sources) - 1, -1, -1):
        marks.append((sources[place], True, source_colour(content, place, tokens)))
    disc = 0.0 if view.detail is None else disc_radius(scene, view.camera)
    end = np.array([scene.bounds.x1, scene.bounds.y1])
    # labels of a close view are placed
    border = math.inf if view.detail else float(view.camera.to_screen(end)[0])
    # and by ids
    taken = [Box.around(x, y, 2 * _CROSS, 2 * _CROSS) for x, y in view.crosses()]
    for vertex, is_source, colour in marks:
        if vertex is None or not np.isfinite(scene.positions[vertex]).all():
            continue
        at = view.point_of(vertex)
        yield from marker(is_source, at, colour, disc)
        yield _marker_id(view, scene.graph.vertex_label(vertex), at, disc, colour, border, taken)


def source_colour(content: PictureContent, place: int, tokens: Tokens) -> str:
    """Colour of a source's marker: that of its region, if there are several."""
    return region_colour(place, tokens.dark) if content.more_sources else tokens.source


def marker(is_source: bool, at: Point, colour: str, disc: float = 0.0) -> Iterator[Mark]:
    """One marker at a vertex whose disc has that radius, without an id."""
    if is_figure(disc):
        corners = np.array(_TRIANGLE if is_source else _SQUARE) * marker_radius(disc)
        yield from _outlined(np.add(corners, (at.real, at.imag)), colour)
    else:
        name = f"{'source' if is_source else 'target'} {colour}"
        yield Symbol(at.real, at.imag, name, pin_area(0j), _pin(is_source, colour))


def pin_head(tip: Point) -> Point:
    """Centre of the round part of a pin."""
    return tip - 1j * _PIN_RISE


def pin_area(tip: Point) -> Box:
    """What a pin covers, with its edge."""
    side = PIN_RADIUS + 3.0
    return Box(tip.real - side, tip.imag - PIN_HEIGHT, tip.real + side, tip.imag + 3.0)


def marker_label(
    view: OverlayView,
    vertex: Point,
    disc: float,
    text: str,
    style: TextStyle,
    border: float = math.inf,
    taken: Sequence[Box] = (),
) -> tuple[Point, Box]:
    """Start of the id next to a marker, if it does not fit inside, and what it covers: to
    its right or, at the edge of the view, left.

    An id that would lie across ``border``, the right end of the drawing in pixels,
    starts behind it if that is near. One that would overlap ids that have ``taken`` its
    place is to the left.
    """
    area, width = view.area, view.sizes.width(text, style)
    ascent, descent = view.sizes.heights(style)
    within = is_figure(disc)
    centre, radius = (
        (vertex, marker_radius(disc)) if within else (pin_head(vertex), PIN_RADIUS + 2.0)
    )
    x = centre.real + radius + _LABEL_GAP
    if x < border < min(x + width, x + _NEAR_BORDER):
        x = border + _LABEL_GAP
    y = centre.imag - radius + 2.0 if within else centre.imag + ascent / 2 - 1.0
    if Box.around(vertex.real, vertex.imag, 0.0, 0.0).inside(area):
        box = Box(x, y - ascent, x + width, y + descent)
        if any(box.overlaps(other) for other in taken) or x + width > area.x1 - _EDGE:
            x = max(area.x0 + _EDGE, centre.real - radius - _LABEL_GAP - width)
        y = max(area.y0 + ascent + _EDGE, y)
    return complex(x, y), Box(x, y - ascent, x + width, y + descent)


def _marker_id(
    view: OverlayView,
    text: str,
    at: Point,
    disc: float,
    colour: str,
    border: float,
    taken: list[Box],
) -> Words:
    """The id inside the marker if it fits, else next to it."""
    style = LabelStyles.of(disc).ids
    if id_fits(view.sizes.width(text, style), disc):
        y = baseline(view.sizes, style, at.imag + _ID_DROP * disc)
        return Words(at.real, y, text, text_colour_on(colour), style, "middle")
    style = style._replace(size=round(view.type_factor * style.size))
    others = taken if view.detail is None else ()
    start, box = marker_label(view, at, disc, text, style, border, others)
    taken.append(box)
    tokens = view.tokens
    return Words(start.real, start.imag, text, tokens.text, style, halo=tokens.canvas)


def _outlined(corners: Float64s, colour: str) -> Iterator[Area]:
    """A marker with a white edge and a shadow around it."""
    yield Area(corners, None, _SHADOW, "#000000", 4.5)
    yield Area(corners, None, 1.0, "#FFFFFF", 2.8)
    yield Area(corners, colour)


@cache
def _pin(is_source: bool, colour: str) -> tuple[Shape, ...]:
    """A pin with its tip at the origin."""
    head, glyph = pin_head(0j), text_colour_on(colour)
    sign: Shape = filled(Box.around(head.real, head.imag, 2 * _GLYPH, 2 * _GLYPH), glyph)
    if is_source:
        sign = Disc((head.real, head.imag), _GLYPH, glyph, None)
    return (*_outlined(_pin_outline(), colour), sign)


def _pin_outline() -> Float64s:
    """(k, 2): a drop, of a round head and two sides that meet at the tip."""
    r, head = PIN_RADIUS, pin_head(0j)
    share = np.linspace(0.0, 1.0, 9)[:-1]
    rest = 1.0 - share
    # a cubic curve from the tip to the left of the head
    side = (
        3 * rest**2 * share * complex(-0.25 * r, -0.75 * r)
        + 3 * rest * share**2 * (head + complex(-r, 0.75 * r))
        + share**3 * (head - r)
    )
    turn = head - r * np.exp(1j * np.pi * np.linspace(0.0, 1.0, 25))
    drop = np.concatenate((side, turn, -side[:0:-1].conj()))
    return np.stack((drop.real, drop.imag), axis=1)
