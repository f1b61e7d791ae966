"""Cards over the picture: legend, width of roads, key of lines, size of an isochrone,
scale bar, and what the colours of an explained iteration stand for.

What legends and scale bar cover of a view is computed here too, so that a fitted graph
stays clear of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from solvers.core.labelling import Labelling, VertexState, state_words, widest_words
from solvers.graphs.isochrone import Isochrone, within_text
from solvers.picture.colours import Tokens
from solvers.picture.display import (
    DASHED,
    Area,
    Box,
    Disc,
    Mark,
    Plate,
    Stroke,
    Symbol,
    TextSizes,
    Words,
    cross,
    hex_colour,
)
from solvers.picture.overlay.close_view import state_fill, state_look
from solvers.picture.overlay.legend import (
    LETTERS,
    MOST_BAR,
    bar_mark,
    distance_text,
    legend_regions,
    legend_texts,
    ramp_marks,
    scale_bar,
)
from solvers.picture.overlay.lines import CYCLE_WIDTH, way_colour
from solvers.picture.overlay.signs import SIGN_RADIUS, sign_shape
from solvers.picture.overlay.view import baseline, height_of
from solvers.picture.raster.marks import PATH_WIDTH
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.camera import Camera, Cover
from solvers.picture.scene.close_arcs import ArcLook
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.figure import ArcState
from solvers.picture.scene.ramps import rgb
from solvers.text import capitalised, plural

PADDING = 10.0
MARGIN = 12.0
NARROW = 520.0  # width of views in which the zoom buttons form a column, and fewer cards are shown
CARD_OPACITY, CARD_RADIUS = 0.9, 9.0
_BAR_WIDTH, _BAR_HEIGHT = 150.0, 8.0
_REGION_HEIGHT = 5.0
_BAR_ROOM = 6.0  # of a scale bar below its words
_WEDGE, _WEDGE_STEPS = 5.0, 24  # height of the line that widens, where it is widest; colours
_LONGEST_SCALE_BAR = MOST_BAR + 2 * PADDING  # width of its card
_ROADS_CARD = 150.0  # about the width of the card of roads
_KEY_LINE, _CROSS = 24.0, 3.5  # length, and half of the cross on one
_KEY_DOT = 4.0  # radius
_WIDEST_TEXT = "123 456 789"  # at either end of a legend

CYCLE_WORDS, _PATH_WORDS = "negative cycle", "shortest path"
_ARC_WORDS = {
    ArcState.TREE: "tentative path",
    ArcState.RELAXED: "relaxed, no improvement",
    ArcState.IMPROVED: "improved",
}
_DOT, _SAMPLE = 5.5, 24.0  # radius of a vertex and length of an arc in the legend of an explanation
_GAP, _LEADING = 16.0, 4.0  # between entries, and between rows


class KeyRow(NamedTuple):
    """A kind of line or dot, and what it stands for."""

    colour: str
    dashes: Sequence[float]
    is_crossed: bool  # out
    words: str
    is_dot: bool = False


@dataclass(frozen=True)
class LegendCard:
    """What is written and drawn on a card."""

    width: float  # of what is on it
    height: float
    marks: Callable[[Box], Iterator[Mark]]  # in a box of that size

    @property
    def size(self) -> tuple[float, float]:
        return self.width + 2 * PADDING, self.height + 2 * PADDING

    def placed(self, left: float, bottom: float, tokens: Tokens) -> tuple[Box, list[Mark]]:
        """Its place, and the marks of the card there."""
        width, height = self.size
        place = Box(left, bottom - height, left + width, bottom)
        return place, [panel(place, tokens), *self.marks(place.grown(-PADDING))]


def panel(place: Box, tokens: Tokens) -> Plate:
    """The background of annotations: a nearly opaque card with a hairline."""
    return Plate(place, tokens.panel, tokens.border, CARD_RADIUS, 1.0, CARD_OPACITY)


def legend_card(sizes: TextSizes, legend: Legend, tokens: Tokens) -> LegendCard:
    """The legend of the shades, below that of a sign."""
    title, low, high = legend_texts(legend)
    line = height_of(sizes, LETTERS)
    bar = max(_BAR_HEIGHT, _REGION_HEIGHT * len(legend_regions(legend)))
    sign, above = legend.sign, 0.0 if legend.sign is None else 3 * SIGN_RADIUS

    def marks(inside: Box) -> Iterator[Mark]:
        left, right, top = inside.x0, inside.x1, inside.y0
        if sign is not None:
            yield from sign_shape(sign, left + 1.5 * SIGN_RADIUS, top + SIGN_RADIUS, tokens)
            y = baseline(sizes, LETTERS, top + SIGN_RADIUS)
            yield Words(left + above + 4.0, y, sign.title, tokens.text, LETTERS)
            top += above
        yield Words(left, baseline(sizes, LETTERS, top + line / 2), title, tokens.muted, LETTERS)
        yield from ramp_marks(Box(left, top + line, right, top + line + bar), legend, tokens)
        y = baseline(sizes, LETTERS, inside.y1 - line / 2)
        yield Words(left, y, low, tokens.text, LETTERS)
        yield Words(right, y, high, tokens.text, LETTERS, "end")

    width = _legend_width(sizes, title, low, high)
    return LegendCard(width, 2 * line + bar + above, marks)


def _legend_width(sizes: TextSizes, title: str, low: str, high: str) -> float:
    title_width, *ends = (sizes.width(words, LETTERS) for words in (title, low, high))
    return max(_BAR_WIDTH, title_width, sum(ends) + 16.0)


def scale_card(
    sizes: TextSizes,
    camera: Camera,
    metres_per_unit: float,
    tokens: Tokens,
    room: float = math.inf,
) -> LegendCard | None:
    """The scale bar, no longer than ``room``, with its length; None if the scale is unknown."""
    bar = scale_bar(camera, metres_per_unit, room)
    if bar is None:
        return None
    length, words = bar
    line = height_of(sizes, LETTERS)

    def marks(inside: Box) -> Iterator[Mark]:
        x, y = inside.middle.real, baseline(sizes, LETTERS, inside.y0 + line / 2)
        yield Words(x, y, words, tokens.text, LETTERS, "middle")
        yield bar_mark(x - length / 2, inside.y1, length, tokens)

    return LegendCard(max(length, sizes.width(words, LETTERS)), line + _BAR_ROOM, marks)


def scale_bar_width(camera: Camera, metres_per_unit: float) -> float:
    """Width in pixels of the scale bar with its card; 0 if the scale is unknown."""
    bar = scale_bar(camera, metres_per_unit)
    return 0.0 if bar is None else bar[0] + 2 * PADDING


def roads_card(sizes: TextSizes, words: str, tokens: Tokens) -> LegendCard:
    """What the width of roads stands for, over a line that widens."""
    words, line = capitalised(words), height_of(sizes, LETTERS)

    def marks(inside: Box) -> Iterator[Mark]:
        y = baseline(sizes, LETTERS, inside.y0 + line / 2)
        yield Words(inside.x0, y, words, tokens.muted, LETTERS)
        yield _wedge(inside.x0, inside.y1 - _WEDGE / 2, inside.width, tokens)

    return LegendCard(sizes.width(words, LETTERS), line + _BAR_ROOM, marks)


def _wedge(left: float, middle: float, width: float, tokens: Tokens) -> Symbol:
    """The line that widens: the same with each picture."""
    reach = Box(0.0, -_WEDGE / 2, width, _WEDGE / 2)
    name = f"wedge {width} {tokens.road} {tokens.road_great}"
    return Symbol(left, middle, name, reach, _wedge_shapes(width, tokens.road, tokens.road_great))


@lru_cache(4)
def _wedge_shapes(width: float, thin_colour: str, wide_colour: str) -> tuple[Area, ...]:
    low, high = rgb(thin_colour), rgb(wide_colour)
    step, shapes = width / _WEDGE_STEPS, list[Area]()
    for k in range(_WEDGE_STEPS):
        thin, wide = (_WEDGE / 2 * end / _WEDGE_STEPS for end in (k, k + 1))
        corners = [(k * step, -thin), ((k + 1) * step, -wide), ((k + 1) * step, wide)]
        colour = hex_colour(low + (k + 0.5) / _WEDGE_STEPS * (high - low))
        shapes.append(Area(np.array([*corners, (k * step, thin)]), colour))
    return tuple(shapes)


def key_card(sizes: TextSizes, rows: Sequence[KeyRow], tokens: Tokens) -> LegendCard:
    """What lines of these kinds stand for."""
    line = height_of(sizes, LETTERS)

    def marks(inside: Box) -> Iterator[Mark]:
        for i, row in enumerate(rows):
            yield from _key_marks(sizes, row, inside.x0, inside.y0 + (i + 0.5) * line, tokens)

    width = max(_key_width(sizes, row) for row in rows)
    return LegendCard(width, len(rows) * line, marks)


def key_strip(
    sizes: TextSizes, rows: Sequence[KeyRow], left: float, middle: float, tokens: Tokens
) -> tuple[float, list[Mark]]:
    """What lines and dots of these kinds stand for, beside each other: where they end, and
    their marks.
    """
    marks = list[Mark]()
    for row in rows:
        marks += _key_marks(sizes, row, left + _GAP, middle, tokens)
        left += _GAP + _key_width(sizes, row)
    return left, marks


def _key_width(sizes: TextSizes, row: KeyRow) -> float:
    return _KEY_LINE + 6.0 + sizes.width(row.words, LETTERS)


def _key_marks(
    sizes: TextSizes, row: KeyRow, left: float, middle: float, tokens: Tokens
) -> Iterator[Mark]:
    if row.is_dot:
        yield Disc((left + _KEY_LINE / 2, middle), _KEY_DOT, row.colour, None)
    else:
        ends = np.array([(left, middle), (left + _KEY_LINE, middle)])
        yield Stroke(ends, row.colour, 2.0, dashes=row.dashes)
    if row.is_crossed:
        yield Stroke(cross(left + _KEY_LINE / 2, middle, _CROSS), row.colour, 2.0)
    y = baseline(sizes, LETTERS, middle)
    yield Words(left + _KEY_LINE + 6.0, y, row.words, tokens.text, LETTERS)


def key_rows(content: PictureContent, tokens: Tokens) -> list[KeyRow]:
    """Rows of the legend for what is drawn of a play-back, marked roads, other ways and a
    cycle; explanations have a legend of their own.
    """
    rows = [
        KeyRow(getattr(tokens, one.colour), one.dashes, one.sign is None, one.words)
        for one in content.road_marks
        if content.has(Layer.ROADS)
    ]
    for way in content.other_ways if content.has(Layer.PATH) else ():
        rows.append(KeyRow(way_colour(way.place, tokens.dark), (), False, way.text))
    if content.path_before is not None and content.has(Layer.PATH):
        rows.append(KeyRow(tokens.text, DASHED, False, "path before"))
    if content.cycle and content.has(Layer.CYCLE):
        rows.append(KeyRow(tokens.cycle, DASHED, False, CYCLE_WORDS))
    is_played = content.activity.trace is not None and content.explanation is None
    if is_played and content.has(Layer.FRONTIER):
        active = state_words(Labelling.CORRECTING)[VertexState.ACTIVE]
        rows.append(KeyRow(tokens.frontier, (), False, active, is_dot=True))
    return rows


def isochrone_words(isochrone: Isochrone, unit: str) -> tuple[str, str]:
    """Budget and size: ``("Within 5.00 km", "4 045 vertices, 9 908 arcs, 760 km of road")``."""
    counts = f"{plural(isochrone.vertices, 'vertex', 'vertices')}, {plural(isochrone.arcs, 'arc')}"
    length = distance_text(isochrone.length, isochrone.unit)
    return capitalised(within_text(isochrone.budget, unit)), f"{counts}, {length} of road"


def isochrone_card(sizes: TextSizes, isochrone: Isochrone, unit: str, tokens: Tokens) -> LegendCard:
    """The size of the isochrone."""
    lines, line = isochrone_words(isochrone, unit), height_of(sizes, LETTERS)

    def marks(inside: Box) -> Iterator[Mark]:
        for i, (words, colour) in enumerate(zip(lines, (tokens.muted, tokens.text), strict=True)):
            y = baseline(sizes, LETTERS, inside.y0 + (i + 0.5) * line)
            yield Words(inside.x0, y, words, colour, LETTERS)

    return LegendCard(max(sizes.width(words, LETTERS) for words in lines), 2 * line, marks)


def annotation_covers(sizes: TextSizes, width: float, factor: float, *, scale: bool) -> list[Cover]:
    """Covers of the legend and, if there is a ``scale``, of what is beside it, all
    enlarged by ``factor``.

    They are for the longest scale bar that has room, since its length follows from the
    camera that is sought.
    """
    across = _legend_width(sizes, "", _WIDEST_TEXT, _WIDEST_TEXT) + 2 * PADDING
    height, line = MARGIN + 2 * PADDING, height_of(sizes, LETTERS)
    covers = [(MARGIN, MARGIN + across, height + 2 * line + _BAR_HEIGHT)]
    if scale:
        left = 2 * MARGIN + across
        roads = 0.0 if width < NARROW else _ROADS_CARD + MARGIN
        covers.append((left, left + roads + _LONGEST_SCALE_BAR, height + line + _BAR_ROOM))
    scaled = (
        Cover(left * factor, min(width, right * factor), height * factor)
        for left, right, height in covers
    )
    return [cover for cover in scaled if cover.left < width]


# -- legend of an explanation -----------------------------------------------------------------


def states_card(
    sizes: TextSizes,
    width: float,
    tokens: Tokens,
    labelling: Labelling,
    *,
    cycle: bool = False,
) -> LegendCard:
    """Vertex and arc states in as few rows as ``width`` allows, and the path or a negative
    ``cycle``.
    """
    rows, line = legend_rows(sizes, width - 2 * PADDING), height_of(sizes, LETTERS) + _LEADING
    path, named = ArcLook(tokens.path, PATH_WIDTH), state_words(labelling)
    if cycle:
        path = ArcLook(tokens.cycle, CYCLE_WIDTH, is_dashed=True)

    def marks(inside: Box) -> Iterator[Mark]:
        states = iter([*VertexState, *_ARC_WORDS, None])
        for i, row in enumerate(rows):
            x, middle = inside.x0, inside.y0 - _LEADING / 2 + (i + 0.5) * line
            for sample, words in row:
                state = next(states)
                if isinstance(state, VertexState):
                    fill = state_fill(state, tokens)
                    edge, words = min(1.6, fill.width), named[state]
                    yield Disc((x + _DOT, middle), _DOT, fill.background, fill.outline, edge)
                else:
                    look = path if state is None else state_look(state, tokens)
                    ends = np.array([(x, middle), (x + sample, middle)])
                    yield Stroke(ends, look.colour, look.width, dashes=look.dashes)
                if state is None:
                    words = CYCLE_WORDS if cycle else _PATH_WORDS
                y = baseline(sizes, LETTERS, middle)
                yield Words(x + sample + 6.0, y, words, tokens.text, LETTERS)
                x += sample + 8.0 + sizes.width(words, LETTERS) + _GAP

    across = max(row_width(row, sizes) for row in rows)
    return LegendCard(across, len(rows) * line - _LEADING, marks)


def states_legend_height(sizes: TextSizes, width: float, *, rows: int = 0) -> float:
    """Height of an explanation's legend that may be so wide, or has so many rows."""
    rows = rows or len(legend_rows(sizes, width - 2 * PADDING))
    return rows * (height_of(sizes, LETTERS) + _LEADING) + 2 * PADDING - _LEADING


def legend_rows(sizes: TextSizes, room: float) -> list[list[tuple[float, str]]]:
    """The entries, each a sample's width and words: in one row, in two by their kinds,
    or in as many as it takes. Words of other families are shorter, and a negative cycle
    stands in place of the path.
    """
    vertices = [(2 * _DOT, words) for words in widest_words()]
    last = max((CYCLE_WORDS, _PATH_WORDS), key=lambda words: sizes.width(words, LETTERS))
    arcs = [(_SAMPLE, words) for words in (*_ARC_WORDS.values(), last)]
    for rows in ([vertices + arcs], [vertices, arcs]):
        if max(row_width(row, sizes) for row in rows) <= room:
            return rows
    return [row for entries in (vertices, arcs) for row in wrapped_rows(entries, sizes, room)]


def wrapped_rows(
    entries: list[tuple[float, str]], sizes: TextSizes, room: float
) -> list[list[tuple[float, str]]]:
    rows: list[list[tuple[float, str]]] = [[]]
    for entry in entries:
        if rows[-1] and row_width([*rows[-1], entry], sizes) > room:
            rows.append([])
        rows[-1].append(entry)
    return rows


def row_width(row: list[tuple[float, str]], sizes: TextSizes) -> float:
    gaps = _GAP * (len(row) - 1)
    return gaps + sum(sample + 8.0 + sizes.width(words, LETTERS) for sample, words in row)
