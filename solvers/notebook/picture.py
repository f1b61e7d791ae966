"""A graph's picture with legend, histogram and caption, as PNG or SVG; no Qt.

Roads are the pixels of `solvers.picture`; paths, markers, arcs of small graphs and all
words are marks over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PIL import Image

from solvers.graphs.weights import exact_distance
from solvers.notebook.painter import font, paint, png_of, svg_of, wrapped
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Disc, Mark, Stroke, Words, box
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import ArcLook, CloseArcs, disc_radius
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.figure import MARKER_RADIUS, OUTLINE
from solvers.picture.scene.paths import distinct, polyline
from solvers.picture.scene.ramps import ramp_colours
from solvers.picture.scene.scene import ArcForm, Detail
from solvers.picture.scene.values import ReductionMap
from solvers.system.array_types import Float64s, Int64s
from solvers.system.threads import thread_team
from solvers.text import format_distance
from solvers.verification.paths import lightest_arcs

RATIO = 2  # device pixels per logical pixel
WIDTH, HEIGHTS = 760, (240, 520)  # of the map: its height by the shape of the graph
_MARGIN, _LINE, _SIZE = 14.0, 19.0, 13.0
_LEGEND, _HISTOGRAM = 44.0, 120.0
_AROUND = 36.0  # pixels above and below the graph
_LARGEST_SCALE = 130.0  # pixels of a mean edge: a few close vertices stay a small picture
_STEPS = 64  # of the bar of the legend
_PATH, _HALO = 4.0, 7.0


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn, and what is written below it."""

    content: PictureContent
    caption: Sequence[str]  # sentences, each on lines of its own
    histogram: ReductionMap | None = None
    wrong: Int64s = field(default_factory=lambda: np.empty(0, np.int64))  # vertices to mark
    dark: bool = False

    def png(self) -> bytes:
        return png_of(self.image)

    def svg(self) -> str:
        _, base, marks = self._drawn
        return svg_of(base, marks, *self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        lower = (_LEGEND if self._legend else 0.0) + (_HISTOGRAM if self.histogram else 0.0)
        return WIDTH, round(self._camera.height + lower + _LINE * len(self._lines) + _MARGIN)

    @cached_property
    def image(self) -> Image.Image:
        _, base, marks = self._drawn
        whole = base.copy()
        paint(whole, marks, RATIO)
        return whole

    @cached_property
    def _camera(self) -> Camera:
        """Shows the whole graph, no higher than it needs."""
        scene = self.content.scene
        limit = _LARGEST_SCALE / scene.mean_length if scene.mean_length else math.inf
        widest = Camera.fitting(scene.bounds, WIDTH, HEIGHTS[1], limit=limit)
        needed = (scene.bounds.y1 - scene.bounds.y0) * widest.scale + 2 * _AROUND
        return widest.resized(WIDTH, min(max(needed, HEIGHTS[0]), HEIGHTS[1]))

    @cached_property
    def radius(self) -> float:
        """Of a vertex that is drawn one by one, in logical pixels."""
        return disc_radius(self.content.scene, self._camera)

    @property
    def _tokens(self) -> Tokens:
        return DARK if self.dark else LIGHT

    @property
    def _legend(self) -> Legend | None:
        return self.content.legend

    @cached_property
    def _lines(self) -> list[str]:
        room = WIDTH - 2 * _MARGIN
        return [line for text in self.caption for line in wrapped(text, room, _SIZE)]

    @cached_property
    def _drawn(self) -> tuple[Frame, Image.Image, list[Mark]]:
        """The frame, the pixels below the marks, and the marks."""
        request = Request(self.content, self._camera, RATIO, self._tokens)
        with thread_team() as team:
            frame = FramePainter(team).last_frame(request)
        width, height = self.size
        base = Image.new("RGB", (width * RATIO, height * RATIO), self._tokens.panel)
        channels = frame.pixels.view(np.uint8).reshape(*frame.pixels.shape, 4)[..., 2::-1]
        base.paste(Image.fromarray(np.ascontiguousarray(channels)), (0, 0))
        return frame, base, list(self._marks(frame))

    def _marks(self, frame: Frame) -> Iterator[Mark]:
        tokens, content = self._tokens, self.content
        to_screen = self._camera.to_screen
        if frame.detail is not None:
            yield from _detail(self, frame.detail)
        elif content.path is not None:
            points = to_screen(polyline(content.scene, content.path))
            points = points[distinct(points)]
            yield Stroke(points, tokens.halo, _HALO)
            yield Stroke(points, tokens.path, _PATH)
        places = to_screen(content.scene.positions)
        around = MARKER_RADIUS if frame.detail is None else self.radius
        for vertex in self.wrong[np.isfinite(places[self.wrong]).all(axis=1)].tolist():
            yield Disc(places[vertex].tolist(), around + 5, None, tokens.bad, 3.0)
        if frame.detail is None:
            for end, colour in ((content.source, tokens.source), (content.target, tokens.target)):
                if end is not None and np.isfinite(places[end]).all():
                    yield Disc(places[end].tolist(), MARKER_RADIUS, colour, tokens.halo, 2.0)
        yield from self._below()

    def _below(self) -> Iterator[Mark]:
        """Legend, histogram and caption."""
        y, tokens, legend = self._camera.height, self._tokens, self._legend
        if legend is not None:
            yield from _bar(legend, tokens, y)
            y += _LEGEND
        if self.histogram is not None:
            yield from _bins(self.histogram, tokens, y)
            y += _HISTOGRAM
        for i, line in enumerate(self._lines):
            colour = tokens.text if i == 0 else tokens.muted
            yield Words(_MARGIN, y + _LINE * (i + 1) - 2, line, colour, _SIZE)


def _hex(colour: Float64s) -> str:
    return "#{:02X}{:02X}{:02X}".format(*colour.round().astype(int))


def _bar(legend: Legend, tokens: Tokens, y: float) -> Iterator[Mark]:
    colours = ramp_colours(legend.ramp, tokens.dark)[:: 256 // _STEPS]
    across = (WIDTH - 2 * _MARGIN) / _STEPS
    for i, colour in enumerate(colours):
        yield box(_MARGIN + i * across, y + 8, across + 0.5, 10, _hex(colour))
    ends = legend.ends or (
        format_distance(legend.low, legend.unit, exact=False),
        format_distance(legend.high, legend.unit, exact=False),
    )
    below = y + 34
    yield Words(_MARGIN, below, ends[0], tokens.muted, 12)
    yield Words(WIDTH / 2, below, legend.quantity, tokens.muted, 12, "middle")
    yield Words(WIDTH - _MARGIN, below, ends[1], tokens.muted, 12, "end")


def _bins(found: ReductionMap, tokens: Tokens, y: float) -> Iterator[Mark]:
    """The histogram: how many vertices or roads have which value."""
    low, most = y + _HISTOGRAM - 20, max(1, int(found.counts.max(initial=0)))
    across = (WIDTH - 2 * _MARGIN) / len(found.counts)
    colours = ramp_colours(found.ramp, tokens.dark)
    heights = (_HISTOGRAM - 44) * found.counts / most
    for i, (height, shade) in enumerate(zip(heights.tolist(), found.bin_shades, strict=True)):
        yield box(_MARGIN + i * across, low - height, across, height, _hex(colours[shade]))
    yield Stroke(np.array([(_MARGIN, low), (WIDTH - _MARGIN, low)]), tokens.grid, 1)
    yield Words(_MARGIN, y + 14, f"{found.title}: {found.things[1]}", tokens.text, 12)
    yield Words(_MARGIN, low + 15, found.write(float(found.edges[0])), tokens.muted, 12)
    last = found.write(float(found.edges[-1]))
    yield Words(WIDTH - _MARGIN, low + 15, last, tokens.muted, 12, "end")


def _detail(picture: Picture, detail: Detail) -> Iterator[Mark]:
    """The arcs and vertices of a small graph one by one, with ids and weights."""
    content, tokens, camera = picture.content, picture._tokens, picture._camera
    graph, scene = content.scene.graph, content.scene
    places = camera.to_screen(scene.positions)
    radius, whole = picture.radius, Bounds(0.0, 0.0, camera.width, camera.height)
    arcs = CloseArcs(scene, camera, detail, radius, whole, whole, lambda _: radius + 1.0)
    mean = scene.mean_length * camera.scale
    walked = set()
    if content.path is not None:
        walked = set(zip(content.path.tolist(), content.path[1:].tolist(), strict=False))
    labels: list[Mark] = []
    for arc in detail.arcs:
        on_path = (arc.tail, arc.head) in walked or (
            arc.form is ArcForm.BOTH_WAYS and (arc.head, arc.tail) in walked
        )
        look = ArcLook(tokens.path, _PATH) if on_path else ArcLook(tokens.edge_dense, OUTLINE)
        yield from arcs.marks(arc, look, (arc.form is not ArcForm.BOTH_WAYS, False))
        if arc.form is not ArcForm.LOOP and mean > 4 * _SIZE:
            middle = arcs.middle(arc)
            found = lightest_arcs(graph, np.array([arc.tail, arc.head]))
            weight = exact_distance(graph.weights, int(found[0]))
            words = format_distance(weight, exact=False)
            x, y = middle.real, middle.imag + 4
            labels.append(Words(x, y, words, tokens.text, 12, "middle", tokens.canvas))
    yield from labels
    shading = content.shading
    colours = None
    if shading is not None and shading.legend is not None and len(shading.reveal):
        colours = ramp_colours(shading.legend.ramp, tokens.dark)
    for v in detail.vertices.tolist():
        fill = tokens.raised
        if colours is not None and shading is not None and shading.reveal[v] != NEVER:
            fill = _hex(colours[shading.shade[v]])
        outline = {content.target: tokens.target, content.source: tokens.source}.get(v)
        at = places[v].tolist()
        yield Disc(at, radius, fill, outline or tokens.edge_dense, 3.0 if outline else 1.4)
        yield from _label(graph.vertex_label(v), at, radius, fill, tokens)


def _label(
    text: str, at: Sequence[float], radius: float, fill: str, tokens: Tokens
) -> Iterator[Mark]:
    """An id inside its disc where there is room, else above it."""
    if font(_SIZE).getlength(text) <= 1.7 * radius:
        is_light = sum(int(fill[i : i + 2], 16) for i in (1, 3, 5)) > 380
        colour = LIGHT.text if is_light else DARK.text
        yield Words(at[0], at[1] + 4.5, text, colour, _SIZE, "middle")
    elif radius > 5:
        yield Words(at[0], at[1] - radius - 4, text, tokens.text, 12, "middle", tokens.canvas)
