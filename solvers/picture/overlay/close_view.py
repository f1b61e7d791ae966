"""Marks of a close view: arcs with heads and weights, vertices with ids, and the states of
an explanation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solvers.core.labelling import VertexState
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.display import (
    Box,
    Disc,
    Mark,
    Plate,
    Stroke,
    Words,
    part_of_line,
    text_colour_on,
)
from solvers.picture.overlay.labels import VALUE_GAP, VALUE_PADDING, Labels, labels_of, weight_text
from solvers.picture.overlay.view import LabelStyles, OverlayView, baseline, label
from solvers.picture.raster.marks import border_radius
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.close_arcs import (
    ArcLook,
    CloseArcs,
    Point,
    disc_radius,
    marker_radius,
    road_lines,
)
from solvers.picture.scene.content import Layer
from solvers.picture.scene.detail import ArcForm, DetailArc
from solvers.picture.scene.figure import (
    ACTIVE_OUTLINE,
    ARC_WIDTHS,
    LESSON_OUTLINE,
    MARKER_ROOM,
    OUTLINE,
    ArcState,
    id_fits,
)
from solvers.system.array_types import Float64s

_AROUND = 20.0  # pixels around the view in which lines are drawn
_BESIDE_FLOWS = 0.35  # opacity of arcs over roads that show their flow
_GROUND = 0.8  # opacity of the canvas behind a label
_CHIP_RADIUS = 3.5


@dataclass(frozen=True)
class Fill:
    """Drawing style of a vertex."""

    background: str
    outline: str
    width: float = OUTLINE


def state_look(state: ArcState, tokens: Tokens) -> ArcLook:
    """How an arc of an explained iteration looks; states also differ in width and dashes."""
    colours = (tokens.edge, tokens.edge_dense, tokens.frontier, tokens.good)
    return ArcLook(colours[state], ARC_WIDTHS[state], state is ArcState.RELAXED)


def state_fill(state: VertexState, tokens: Tokens) -> Fill:
    """Style of a vertex of an explained iteration: white, pale, bright or dark."""
    return {
        VertexState.UNREACHED: Fill(tokens.panel, tokens.edge, LESSON_OUTLINE),
        VertexState.TENTATIVE: Fill(tokens.selection, tokens.frontier, LESSON_OUTLINE),
        VertexState.ACTIVE: Fill(tokens.frontier, tokens.text, ACTIVE_OUTLINE),
        VertexState.INACTIVE: Fill(tokens.edge_dense, tokens.edge_dense, LESSON_OUTLINE),
    }[state]


class CloseView:
    """The marks of one close view."""

    def __init__(self, view: OverlayView):
        content, detail, camera = view.content, view.detail, view.camera
        assert detail is not None
        self._view, self._content, self._detail = view, content, detail
        self._tokens, self._sizes = view.tokens, view.sizes
        self.radius = disc_radius(content.scene, camera)
        self._marked = {content.source, content.target} if content.has(Layer.MARKERS) else set()
        seen = Bounds(-_AROUND, -_AROUND, camera.width + _AROUND, camera.height + _AROUND)
        scene, room = content.scene, self._room
        self._arcs = CloseArcs(scene, camera, detail, self.radius, view.clear, seen, room)
        self._points = self._arcs.points
        self.frontier = self._frontier_in_view()
        self._styles = LabelStyles.of(self.radius)

    @cached_property
    def labels(self) -> Labels:
        return labels_of(self._view, self._styles)

    def arcs(self) -> Iterator[Mark]:
        """Arcs with their heads; of an explained iteration the important ones last."""
        if self._content.has(Layer.EDGES):
            for arc in sorted(self._detail.arcs, key=self.state):
                yield from self.arc(arc)

    def arc(self, arc: DetailArc) -> Iterator[Mark]:
        yield from self._arcs.marks(arc, self._look(arc), self.heads(arc))

    def border(self, isochrone: Isochrone) -> Iterator[Mark]:
        """The covered parts of the arcs on which the budget ends."""
        for points, is_curve, tail in self._covered(isochrone):
            if (shade := self._shade(tail)) is not None:
                yield Stroke(points, shade, OUTLINE + 0.6, is_curve)

    def border_points(self, isochrone: Isochrone) -> Iterator[Mark]:
        """The points where the budget ends, also on vertices."""
        radius = border_radius(4.0 * self.radius)
        for points, *_ in self._covered(isochrone):
            yield Disc(points[-1].tolist(), radius, self._tokens.text, self._tokens.halo, 1.0)

    def _covered(self, isochrone: Isochrone) -> Iterator[tuple[Float64s, bool, int]]:
        """Covered part of each arc on which the budget ends, whether it is a curve, and
        the arc's tail.
        """
        ends = self._detail.ends
        tails, heads = isochrone.border_tails, isochrone.border_heads
        inside = np.isin(tails, ends) & np.isin(heads, ends)
        shares = isochrone.border_shares[inside].tolist()
        roads = list(zip(tails[inside].tolist(), heads[inside].tolist(), strict=True))
        lines = road_lines(self._content.scene, self._view.camera, roads)
        for road, share in zip(roads, shares, strict=True):
            if (line := lines.get(road)) is not None:
                yield part_of_line(line, share), False, road[0]
            else:
                yield self._arcs.curve(*road).part(0.0, share).points, True, road[0]

    def weights(self) -> Iterator[Mark]:
        """The weights that fit; drawn after the path, which would cover them."""
        for arc, box in self.labels.weights:
            yield from self.weight(arc, box)

    def weight(self, arc: DetailArc, box: Box) -> Iterator[Mark]:
        yield from self._label(box, weight_text(arc, self._content), is_id=False)

    def vertices(self) -> Iterator[Mark]:
        """Discs with ids, and the tentative distances so far."""
        for vertex in self._detail.vertices.tolist():
            yield from self.vertex(vertex)
        for vertex in self.labels.values:
            yield from self.value(vertex)

    def vertex(self, vertex: int) -> Iterator[Mark]:
        """Its disc with its id; around a marker, a ring while it is active."""
        at = self._points[vertex]
        middle = at.real, at.imag
        if vertex not in self._marked:
            fill = self._fill(vertex)
            radius = self.radius * (1.15 if vertex in self.frontier else 1.0)
            yield Disc(middle, radius, fill.background, fill.outline, fill.width)
            yield from self._id(vertex, at, text_colour_on(fill.background))
        elif vertex in self.frontier:
            ring = MARKER_ROOM * marker_radius(self.radius)
            yield Disc(middle, ring, None, self._tokens.frontier, ACTIVE_OUTLINE)

    def _label(self, box: Box, text: str, *, is_id: bool) -> Iterator[Mark]:
        tokens, styles = self._tokens, self._styles
        colour, style = (tokens.muted, styles.ids) if is_id else (tokens.text, styles.weights)
        yield from label(self._sizes, box, text, colour, style, tokens.canvas, _GROUND)

    def state(self, arc: DetailArc) -> ArcState:
        """State of an explained arc; of two opposite arcs drawn as one, the more
        important state. A heavier parallel is relaxed without effect.
        """
        explained = self._content.explanation
        if explained is None:
            return ArcState.IDLE
        there = explained.arc(arc.tail, arc.head)
        if arc.bow:
            return ArcState.RELAXED if there >= ArcState.RELAXED else ArcState.IDLE
        return (
            max(there, explained.arc(arc.head, arc.tail))
            if arc.form is ArcForm.BOTH_WAYS
            else there
        )

    def _look(self, arc: DetailArc) -> ArcLook:
        content = self._content
        if content.explanation is not None:
            return state_look(self.state(arc), self._tokens)
        is_in_tree = content.in_tree(arc.tail, arc.head) or (
            arc.form is ArcForm.BOTH_WAYS and content.in_tree(arc.head, arc.tail)
        )
        if is_in_tree and not arc.bow:
            return ArcLook(self._tokens.path, 2.2)
        if self._shade(arc.tail) is not None and (shade := self._shade(arc.head)) is not None:
            return ArcLook(shade, OUTLINE + 0.6)
        opacity = 1.0 if content.flows is None else _BESIDE_FLOWS
        return ArcLook(self._tokens.edge_dense, OUTLINE, opacity=opacity)

    def heads(self, arc: DetailArc) -> tuple[bool, bool]:
        """Whether to draw an arrow head at the arc's head, and at its tail.

        Opposite arcs drawn as one have none, except for the direction being relaxed in
        an explanation.
        """
        if arc.form is not ArcForm.BOTH_WAYS:
            return True, False
        explained = self._content.explanation
        if explained is None:
            return False, False
        there, back = explained.arc(arc.tail, arc.head), explained.arc(arc.head, arc.tail)
        return there > max(ArcState.IDLE, back - 1), back > max(ArcState.IDLE, there - 1)

    def _room(self, vertex: int) -> float:
        """Distance from a vertex' centre at which arrows end."""
        if vertex in self._marked:
            return 1.12 * self.radius + 2.0
        return self.radius * (1.15 if vertex in self.frontier else 1.0) + 1.0

    def _id(self, vertex: int, at: Point, colour: str) -> Iterator[Mark]:
        style, text = self._styles.ids, self._content.scene.graph.vertex_label(vertex)
        if id_fits(self._sizes.width(text, style), self.radius):
            y = baseline(self._sizes, style, at.imag)
            yield Words(at.real, y, text, colour, style, "middle")
        elif vertex in self.labels.ids:
            yield from self._label(self.labels.ids[vertex], text, is_id=True)

    def value(self, vertex: int) -> Iterator[Mark]:
        """A tentative distance on a chip, if it fits; after an improvement, next to the
        former one, struck out.
        """
        if (room := self.labels.values.get(vertex)) is None:
            return
        explained, tokens, style = self._content.explanation, self._tokens, self._styles.values
        assert explained is not None
        value, former = explained.value(vertex), explained.former_value(vertex)
        width = self._sizes.width(value, style) + 2 * VALUE_PADDING
        width += self._sizes.width(former, style) + VALUE_GAP if former else 0.0
        chip = _beside(self._points[vertex].real, room, width)
        is_gained = vertex in explained.improved
        outline = tokens.good if is_gained else tokens.border
        yield Plate(chip, tokens.panel, outline, _CHIP_RADIUS, 1.6 if is_gained else 1.0)
        y = baseline(self._sizes, style, chip.middle.imag)
        if former:
            struck = style._replace(weight=400, is_struck=True)
            yield Words(chip.x0 + VALUE_PADDING, y, former, tokens.muted, struck)
        plain = tokens.muted if value == "∞" else tokens.text
        colour = tokens.good if is_gained else plain
        yield Words(chip.x1 - VALUE_PADDING, y, value, colour, style, "end")

    def _frontier_in_view(self) -> set[int]:
        if not self._content.has(Layer.FRONTIER):
            return set()
        explained = self._content.explanation
        active = self._content.frontier.tolist() if explained is None else explained.relaxing
        return self._points.keys() & active

    def _shade(self, vertex: int) -> str | None:
        """The colour of a vertex's value; None if it has none yet."""
        shading, position = self._content.shading, self._content.position
        if shading is None or not len(shading.reveal) or shading.reveal[vertex] > position:
            return None
        return self._view.shade(int(shading.shade[vertex]))

    def _fill(self, vertex: int) -> Fill:
        if self._content.explanation is not None:
            return state_fill(self._content.explanation.vertex(vertex), self._tokens)
        background = self._shade(vertex) or self._tokens.panel
        if vertex in self.frontier:
            background = self._tokens.frontier
        return Fill(background, self._tokens.edge_dense)


def _beside(x: float, room: Box, width: float) -> Box:
    """The part of ``room`` next to its vertex, ``width`` wide."""
    spare = max(0.0, room.width - width)
    left = spare / 2
    if room.x0 > x:
        left = 0.0
    elif room.x1 < x:
        left = spare
    return Box(room.x0 + left, room.y0, room.x1 - (spare - left), room.y1)
