"""What is written around a picture: an explanation's sentence, legends and scale bar, the
attribution that the licence of a graph's data asks for, and badges; and where all of it
has room.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from solvers.core.labelling import Labelling, common
from solvers.graphs.graph import Graph
from solvers.picture.colours import Tokens
from solvers.picture.display import Box, Mark, Plate, TextSizes, TextStyle, Words, text_style
from solvers.picture.overlay.cards import (
    CARD_OPACITY,
    MARGIN,
    NARROW,
    PADDING,
    LegendCard,
    isochrone_card,
    key_card,
    key_rows,
    legend_card,
    panel,
    roads_card,
    scale_bar_width,
    scale_card,
    states_card,
    states_legend_height,
)
from solvers.picture.overlay.legend import LETTERS
from solvers.picture.overlay.view import OverlayView, baseline, height_of, wrapped
from solvers.picture.raster.frames import Frame
from solvers.picture.scene.camera import Cover
from solvers.system.array_types import Float64s

_CARD_GAP = 6.0  # between legends, in pixels
_LEGENDS_HEIGHT = 64.0
# of the zoom buttons in the lower right corner, kept free by legend and scale bar
BUTTONS_WIDTH = 120.0
COLUMN_WIDTH = 44.0  # of the buttons in narrow views
_LEAST_SCALE_BAR = 40.0  # beside the legend
_BADGES = 76.0  # height of the badges in the upper left corner, below which cards may move
_LESSON_ROOM = 135.0  # height that fitting leaves around a graph for sentence, discs and labels
LEAST_EXPLAINED = 290.0  # height of a page that has room for the legend of an explanation
_LEAST_GRAPH = 120.0  # height of a small graph beside which a legend is shown
_GRAPH_SHARE, _SIZE_STEP = 0.36, 0.05  # of a view's height that larger type leaves to the graph
_EXPLAINED_WIDTH = 400.0  # of a view in which its type has 100 per cent, in pixels
_NEAR = 8.0  # pixels about a card in which a point counts as covered
_SENTENCE, _LONG_SENTENCE = text_style(10.5), text_style(8.5)
_ATTRIBUTION = text_style(7.5)


@dataclass(eq=False)
class Annotations:
    """Marks of legends and what else is written.

    ``cards``: places of sentence and legends, but for an explanation's.
    ``top``, ``right``: of what is there, with scale bar and an explanation's legend.
    ``end``: the x where the lowest row of it ends.
    """

    marks: list[Mark] = field(default_factory=list)
    cards: list[Box] = field(default_factory=list)
    top: float = math.inf
    right: float = 0.0
    end: float = 0.0

    def put(self, card: LegendCard, left: float, bottom: float, tokens: Tokens) -> Box:
        """Add the marks of a card; returns its place."""
        place, marks = card.placed(left, bottom, tokens)
        self.marks += marks
        self.top, self.right = min(self.top, place.y0), max(self.right, place.x1)
        return place


def annotations_of(
    view: OverlayView,
    frame: Frame,
    *,
    bottom: float | None = None,
    with_legend: bool = True,
    kept_free: float = 0.0,
    legend_width: float | None = None,
    legend_left: float = 0.0,
    attribution_bottom: float | None = None,
    clear_of: Float64s | None = None,
) -> Annotations:
    """Legend, scale bar, attribution, badge and an explanation's sentence.

    ``bottom`` defaults to the view's; ``kept_free`` is the width of what lies in the
    lower right corner. Legends are arranged for a view of ``legend_width``, by default
    the view's, that begins at ``legend_left``, and move to be ``clear_of`` (k, 2)
    points. The attribution stands on ``attribution_bottom``, by default where legends do,
    and above them where they leave it no room.
    """
    camera, content, tokens, sizes = view.camera, view.content, view.tokens, view.sizes
    bottom = camera.height - MARGIN if bottom is None else bottom
    found = Annotations()
    if frame.detail is not None and content.sentence:
        card, *lines = sentence_marks(sizes, content.sentence, camera.width, tokens)
        found.cards.append(card.box)
        found.marks += [card, *lines]
    if with_legend:
        width = camera.width if legend_width is None else legend_width
        legends = legends_of(
            replace(view, camera=replace(camera, width=width)),
            frame,
            bottom,
            left=MARGIN + legend_left,
            kept_free=kept_free,
            clear_of=clear_of,
        )
        found.cards += legends.cards
        found.marks += legends.marks
        found.end = legends.end
    if words := attribution_of(content.scene.graph):
        right, lowest = _right_of(camera.width, kept_free), attribution_bottom or bottom
        if right - sizes.width(words, _ATTRIBUTION) < found.end + MARGIN:
            lowest -= _LEGENDS_HEIGHT
        found.marks += _attribution(sizes, right, lowest, words, tokens)
    if frame.drawn < 1.0:
        found.marks += badge(sizes, f"{max(1, round(100 * frame.drawn))} % of edges drawn", tokens)
    return found


def legends_of(
    view: OverlayView,
    frame: Frame,
    bottom: float,
    *,
    left: float = MARGIN,
    kept_free: float = 0.0,
    clear_of: Float64s | None = None,
    outside: bool = False,
    beside: Collection[Labelling] = (),
) -> Annotations:
    """Legends and scale bar from ``left`` on, clear of ``kept_free`` at the right.
    ``outside`` the picture an explanation's has room in any case. Explanations of other
    families may be ``beside`` it.

    They stand side by side while there is room, else one above the other. One that
    would cover some of the (k, 2) points ``clear_of`` goes to the upper left corner, if
    it covers fewer of them there.
    """
    camera, content, tokens, sizes = view.camera, view.content, view.tokens, view.sizes
    right = left - MARGIN + _right_of(camera.width, kept_free)
    places = _CardPlaces(left, bottom, right, clear_of, tokens)
    if content.explanation is not None and frame.detail is not None:
        room = states_legend_room(sizes, camera.width, camera.height, kept_free)
        # a page has a margin for it
        if outside or (room if kept_free else camera.height >= LEAST_EXPLAINED):
            cycle, labelling = bool(content.cycle), common([content.explanation.labelling, *beside])
            card = states_card(sizes, right - left, tokens, labelling, cycle=cycle)
            places.next = places.found.put(card, left, bottom, tokens).x1 + MARGIN
    else:
        for card in _cards(view, frame):
            places.put(card)
    metres, found = content.scene.metres_per_unit, places.found
    found.end = places.next - MARGIN
    room, at = right - places.next - 2 * PADDING, (places.next, bottom)
    # a narrow pane
    if room < min(_LEAST_SCALE_BAR, scale_bar_width(camera, metres)) and places.above < bottom:
        at, room = (left, places.above), right - left
    scale = scale_card(sizes, camera, metres, tokens, room)
    if scale is not None:
        found.end = max(found.end, found.put(scale, *at, tokens).x1)
    return found


def states_legend_room(
    sizes: TextSizes, width: float, height: float, kept_free: float = BUTTONS_WIDTH
) -> float:
    """Height that an explanation's legend takes in a view of that size, with its margin; 0
    where there is no room for it.
    """
    legend = states_legend_height(sizes, _right_of(width, kept_free) - MARGIN) + MARGIN
    return legend if height - legend >= _LESSON_ROOM + _LEAST_GRAPH else 0.0


def states_strip_size(sizes: TextSizes, width: float, size: float) -> float:
    """Factor of an explanation's legend below a picture in type of that ``size``: as large as
    leaves it two rows.
    """
    two = states_legend_height(sizes, math.inf, rows=2)
    while size > 1.0 and states_legend_height(sizes, _strip_room(width / size)) > two:
        size -= _SIZE_STEP
    return size


def explained_size(
    sizes: TextSizes, width: float, height: float, size: float, *, legend: bool
) -> float:
    """Factor of discs, labels and annotations of a small graph in type of that ``size``:
    as large as leaves room for the graph, and for a ``legend`` on the picture.
    """
    factor = min(size, width / _EXPLAINED_WIDTH)
    while factor > 1.0:
        room = states_legend_room(sizes, width / factor, height / factor) if legend else 0.0
        fits = bool(room) or not legend
        if fits and height - factor * (_LESSON_ROOM + room) >= _GRAPH_SHARE * height:
            return factor
        factor -= _SIZE_STEP
    return 1.0


def _right_of(width: float, kept_free: float) -> float:
    """Where legends end in a view so wide."""
    return width - MARGIN - (kept_free if width >= NARROW else min(kept_free, COLUMN_WIDTH))


def _strip_room(width: float) -> float:
    """Width of a legend in a strip so wide."""
    return _right_of(width, BUTTONS_WIDTH) - MARGIN


def _cards(view: OverlayView, frame: Frame) -> list[LegendCard]:
    """What the picture needs explained; width of roads, and size of an isochrone, only
    where there is room.
    """
    sizes, content, tokens = view.sizes, view.content, view.tokens
    is_narrow, cards = view.camera.width < NARROW, list[LegendCard]()
    legend, roads, isochrone = frame.legend, content.shown_prominence, frame.isochrone
    if legend is not None:
        cards.append(legend_card(sizes, legend, tokens))
        if isochrone is not None and not is_narrow:
            cards.append(isochrone_card(sizes, isochrone, legend.unit, tokens))
    if roads is not None and content.explanation is None and not (cards and is_narrow):
        if content.lit_roads is roads:
            cards.append(legend_card(sizes, roads.legend, tokens))
        else:
            cards.append(roads_card(sizes, roads.legend.quantity, tokens))
    if key := key_rows(content, tokens):
        cards.append(key_card(sizes, key, tokens))
    return cards


class _CardPlaces:
    """Where the next card goes: beside the last one, above it, or in the upper left corner.

    ``next``: where the lowest row goes on.
    ``above``: lower edge of a card above all cards at the left.
    """

    def __init__(
        self, left: float, bottom: float, right: float, clear_of: Float64s | None, tokens: Tokens
    ):
        self._left, self._bottom, self._right, self._clear_of = left, bottom, right, clear_of
        self.next, self.above, self._top, self._tokens = left, bottom, _BADGES, tokens
        self.found = Annotations()

    def put(self, card: LegendCard) -> None:
        width, height = card.size
        places = [(self.next, self._bottom), (self._left, self.above)]
        if self.next > self._left and self.next + width > self._right:
            places = places[1:]
        if self._clear_of is not None:
            places.append((self._left, self._top + height))
        at = min(
            places,
            key=lambda place: self._covered(
                Box(place[0], place[1] - height, place[0] + width, place[1])
            ),
        )
        drawn = self.found.put(card, *at, self._tokens)
        self.found.cards.append(drawn)
        if at[1] == self._bottom:
            self.next = max(self.next, drawn.x1 + MARGIN)
        if self._clear_of is not None and at == places[-1]:
            self._top = drawn.y1 + _CARD_GAP
        else:
            self.above = min(self.above, drawn.y0 - _CARD_GAP)

    def _covered(self, place: Box) -> int:
        """Number of points that a card in that place would cover."""
        return 0 if self._clear_of is None else place.grown(_NEAR).count(self._clear_of)


# -- sentence, attribution, badge ------------------------------------------------------------


def _sentence(sizes: TextSizes, words: str, width: float) -> tuple[Box, list[Words]]:
    """Place and lines of the sentence of an iteration along the top of a view so wide."""
    style, room = _SENTENCE, width - 2 * MARGIN - 2 * PADDING
    if sizes.width(words, style) > room:
        style = _LONG_SENTENCE
    lines, height = wrapped(sizes, words, room, style), height_of(sizes, style)
    left, top = MARGIN + PADDING, MARGIN + PADDING / 2
    widest = max(sizes.width(line, style) for line in lines)
    place = Box(left, top, left + widest, top + len(lines) * height).grown(PADDING, PADDING / 2)
    at = [baseline(sizes, style, top + (i + 0.5) * height) for i in range(len(lines))]
    return place, [Words(left, y, line, "", style) for y, line in zip(at, lines, strict=True)]


def sentence_marks(
    sizes: TextSizes, words: str, width: float, tokens: Tokens
) -> tuple[Plate, *tuple[Words, ...]]:
    """The sentence of an iteration on its card."""
    place, lines = _sentence(sizes, words, width)
    return panel(place, tokens), *(replace(line, colour=tokens.text) for line in lines)


def sentence_height(sizes: TextSizes, words: str, width: float) -> float:
    """Height of the sentence's card."""
    return _sentence(sizes, words, width)[0].height


def attribution_of(graph: Graph) -> str:
    """Text of the attribution; "" if the data need none."""
    return "" if graph.roads is None else graph.roads.attribution


def attribution_covers(sizes: TextSizes, graph: Graph, width: float, factor: float) -> list[Cover]:
    """What the attribution covers of a view so wide, beside the zoom buttons."""
    if not (words := attribution_of(graph)):
        return []
    right = factor * _right_of(width / factor, BUTTONS_WIDTH)
    left = right - factor * sizes.width(words, _ATTRIBUTION)
    return [Cover(max(0.0, left), right, factor * (MARGIN + height_of(sizes, _ATTRIBUTION)))]


def _attribution(
    sizes: TextSizes, right: float, bottom: float, text: str, tokens: Tokens
) -> Iterator[Mark]:
    """The attribution, which ends at ``right`` and stands on ``bottom``."""
    style: TextStyle = _ATTRIBUTION
    width, height = sizes.width(text, style), height_of(sizes, style)
    box = Box(right - width - 2.0, bottom - height, right + 2.0, bottom)
    yield Plate(box, tokens.canvas, tokens.canvas, 2.0, 0.0, CARD_OPACITY)
    y = baseline(sizes, style, box.middle.imag)
    yield Words(box.middle.real, y, text, tokens.muted, style, "middle")


def badge(sizes: TextSizes, text: str, tokens: Tokens, *, top: float = MARGIN) -> Iterator[Mark]:
    """A short remark in the upper left corner."""
    width, height = sizes.width(text, LETTERS) + 2 * PADDING, height_of(sizes, LETTERS) + PADDING
    card = Box(MARGIN, top, MARGIN + width, top + height)
    yield panel(card, tokens)
    y = baseline(sizes, LETTERS, card.middle.imag)
    yield Words(card.middle.real, y, text, tokens.text, LETTERS, "middle")
