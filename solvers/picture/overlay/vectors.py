"""The raster's layers as strokes, for SVG: edges, bands, tree, dots and frontier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
from solvers.picture.display import Stroke, hex_colour
from solvers.picture.raster.edge_buffers import (
    FADE_LENGTH,
    LONE_DOT,
    PixelSizes,
    dot_density,
    dot_radii,
    roads_drawn,
)
from solvers.picture.raster.flow_light import FlowPen, drawn_strength
from solvers.picture.raster.frames import Frame
from solvers.picture.raster.marks import border_points, border_radius, waves_of
from solvers.picture.raster.pixel_colours import make_tones, road_colours, stroke_opacity
from solvers.picture.scene.activity import banded
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.detail import Detail
from solvers.picture.scene.paths import TREE_WIDTH, drawn_tree
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.system.array_types import Bools, Float64s, Int64s
from solvers.system.cancel import SILENT, Progress

VECTOR_EDGES = 50_000  # visible edges from which a raster is smaller and faster to open
_PLAIN = -1  # class of unvisited vertices
_SHADE_STEP = 8  # shades per class without bands: 32 classes
_TREE_OPACITY = 0.75  # as in the raster
_GLOW = 1.0 / 6.0  # mean opacity of a halo relative to its middle: it has no gradient here
_FADE_STEPS = 4  # classes of line strength per halving
_OUTSIDE = 8.0  # logical pixels around the view to which lines are clipped
_FLOW_STEP = 8  # shades of flows per class
_LEVEL_STEP = 16  # levels of prominence per class
# Logical pixels by which the light of a great flow is wider than its road, and opacity;
# then the road itself.
_FLOW_LAYERS = ((14.0, 0.05), (9.0, 0.07), (5.0, 0.10), (2.5, 0.13), (0.0, 1.0))
_LEAST_OPACITY = 0.02
_LONGEST = 16_000  # lines of a stroke: QtSvg leaves out what has more than 32,767 points
_DOT = 0.01  # length of a line whose round caps make a dot


@dataclass(frozen=True)
class _ShadeClasses:
    """Classes of the 256 shades drawn in one colour: a band, or adjacent shades."""

    classes: Int64s  # (256,)
    colours: tuple[str, ...]

    @classmethod
    def of(cls, content: PictureContent, tokens: Tokens) -> _ShadeClasses:
        ramp = Ramp.DISTANCES if content.legend is None else content.legend.ramp
        table = make_tones(tokens, ramp=ramp).shades
        if content.legend is not None and content.legend.has_bands:
            found, classes = np.unique(banded(table, content.legend), return_inverse=True)
        else:
            classes = np.arange(256) // _SHADE_STEP
            found = table[_SHADE_STEP // 2 :: _SHADE_STEP]
        return cls(classes.astype(np.int64), tuple(f"#{argb & 0xFFFFFF:06X}" for argb in found))


def raster_strokes(
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    edges: Int64s,
    sketch: Frame,
    progress: Progress = SILENT,
) -> Iterator[Stroke]:
    """Lines, dots, tree, frontier, trail and border, except for what the sketch's detail
    draws individually; raises Cancelled.
    """
    detail, vectors = sketch.detail, _Vectors(camera, content, tokens)
    for stroke in vectors.layers(edges, detail, sketch.isochrones):
        progress.checkpoint()
        yield stroke


class _Vectors:
    """The layers of the raster in a view."""

    def __init__(self, camera: Camera, content: PictureContent, tokens: Tokens):
        self._camera, self._content, self._tokens = camera, content, tokens
        self._measures = PixelSizes.of(content.scene, camera.scale)
        self._shades = _ShadeClasses.of(content, tokens)
        self._faint = content.legend is not None
        self._road_pen, self._levels = roads_drawn(
            content.scene, content.shown_prominence, self._measures
        )
        self._road_colours = road_colours(
            tokens, faint=self._faint, prominent=content.shown_prominence is not None
        )

    def layers(
        self, edges: Int64s, detail: Detail | None, isochrones: Sequence[Isochrone]
    ) -> Iterator[Stroke]:
        flows = self._content.flows
        yield from self._lines(edges, detail)
        if detail is None:
            yield from self._dots()
        if detail is None or flows is not None:
            yield from self._flows(edges)
        if detail is None or not detail.arcs:
            yield from self._tree()
        if detail is None and flows is None:
            yield from self._frontier()
        for isochrone in isochrones if detail is None else ():
            yield from self._border(isochrone)

    def _lines(self, edges: Int64s, detail: Detail | None) -> Iterator[Stroke]:
        content, measures = self._content, self._measures
        if detail is not None and detail.arcs and content.scene.curves is None:
            close = np.isin(content.scene.ends[edges], detail.ends).all(axis=1)
            edges = edges[~close]
        lines, kinds, strength, levels = self._half_edges(edges)
        if not content.has(Layer.EDGES):
            kept = kinds != _PLAIN
            lines, kinds, strength, levels = lines[kept], kinds[kept], strength[kept], levels[kept]
        fades = np.round(_FADE_STEPS * np.log2(strength)).astype(np.int64)
        if not len(lines):
            return
        classes, members = np.unique(
            np.stack((levels, kinds, fades), axis=1), axis=0, return_inverse=True
        )
        order = np.argsort(members.reshape(-1), kind="stable")
        parts = np.split(
            lines[order], np.cumsum(np.bincount(members.reshape(-1), minlength=len(classes)))[:-1]
        )
        # the greatest roads last
        for (level, kind, fade), some in zip(classes.tolist(), parts, strict=True):
            amount = measures.gain * 2.0 ** (fade / _FADE_STEPS)
            width = measures.line * float(self._road_pen.widths[level])
            yield from _strokes(some, *self._colour(kind, amount), width)

    def _flows(self, edges: Int64s) -> Iterator[Stroke]:
        """Roads by width and colour of their flow, the greatest last, over the
        light of the great ones.
        """
        flows, scene = self._content.lit_roads, self._content.scene
        if flows is None:
            return
        shades = flows.shades_on(scene)[edges].astype(np.int64)
        strengths, flow_pen = drawn_strength(flows), FlowPen.of(self._measures)
        halves, opacities = flow_pen.half_widths(strengths), flow_pen.opacities(strengths)
        points = self._camera.to_screen(
            scene.segments[edges].astype(np.float64).reshape(-1, 2, 2)
        ).reshape(-1, 4)
        lines, kept = _cut(points, self._camera)
        classes = shades[kept] // _FLOW_STEP
        middles = np.minimum(255, np.unique(classes) * _FLOW_STEP + _FLOW_STEP // 2)
        colours = ramp_colours(flows.legend.ramp, self._tokens.dark)
        for widened, share in _FLOW_LAYERS:
            for middle in sorted(middles.tolist(), key=lambda shade: float(strengths[shade])):
                opacity = share * opacities[middle] * (strengths[middle] ** 2 if widened else 1.0)
                if flows.nothing // _FLOW_STEP == middle // _FLOW_STEP or opacity < _LEAST_OPACITY:
                    continue
                some = lines[classes == middle // _FLOW_STEP]
                width = 2.0 * halves[middle] + widened
                yield from _strokes(some, hex_colour(colours[middle]), opacity, width)

    def _dots(self) -> Iterator[Stroke]:
        scene = self._content.scene
        radius = max(self._measures.dot, LONE_DOT if scene.strokes == 0 else 0.0)
        if not radius:
            return
        points = self._camera.to_screen(scene.positions)
        seen = np.flatnonzero(self._camera.sees(points, points, _OUTSIDE))
        kinds = self._kinds(seen)
        radii = np.round(dot_radii(scene, seen, radius), 1)
        for kind in np.unique(kinds):
            if kind == _PLAIN and not self._content.has(Layer.EDGES):
                continue
            colour = self._colour(int(kind), dot_density(scene))
            for size in np.unique(radii[kinds == kind]):
                if size > 0.0:
                    some = points[seen[(kinds == kind) & (radii == size)]]
                    yield from self._spots(some, *colour, float(size))

    def _tree(self) -> Iterator[Stroke]:
        tree = self._content.tree
        if tree is None or not self._content.has(Layer.TREE):
            return
        tree, positions = drawn_tree(self._content.scene, tree)
        ends = positions[tree.predecessors[tree.heads]], positions[tree.heads]
        lines, _ = _cut(
            np.concatenate([self._camera.to_screen(end) for end in ends], axis=1), self._camera
        )
        yield from _strokes(lines, self._tokens.path, _TREE_OPACITY, TREE_WIDTH)

    def _frontier(self) -> Iterator[Stroke]:
        """The raster's light as dots that let through what lies beneath: vectors cannot
        be added up.
        """
        if not self._content.has(Layer.FRONTIER):
            return
        for wave in waves_of(self._content, self._measures):
            opacity = _GLOW * wave.opacity if wave.halo else wave.opacity
            points = self._camera.to_screen(self._content.scene.positions[wave.vertices])
            yield from self._spots(points, wave.colour(self._tokens), opacity, wave.radius)

    def _border(self, isochrone: Isochrone) -> Iterator[Stroke]:
        """The points where the budget ends."""
        points = self._camera.to_screen(border_points(isochrone, self._content.scene))
        radius = border_radius(self._measures.spacing)
        yield from self._spots(points, self._tokens.text, 1.0, radius)

    def _half_edges(self, edges: Int64s) -> tuple[Float64s, Int64s, Float64s, Int64s]:
        """Lines clipped to the view, with class, strength and level; split in half if
        the ends differ in class.
        """
        scene = self._content.scene
        ends, segments = scene.ends[edges], scene.segments[edges].astype(np.float64)
        points = self._camera.to_screen(segments.reshape(-1, 2, 2))
        length = np.hypot(*(points[:, 1] - points[:, 0]).T)
        strength = np.sqrt(np.minimum(1.0, FADE_LENGTH / np.maximum(length, 1e-9)))
        levels = np.zeros(len(edges), np.int64)
        if len(self._road_pen.widths) > 1:
            levels = self._levels[edges].astype(np.int64) // _LEVEL_STEP * _LEVEL_STEP
        strength *= self._road_pen.strengths[levels]
        tail, head = self._kinds(ends[:, 0]), self._kinds(ends[:, 1])
        alike = tail == head
        middle = points.mean(axis=1)
        lines = np.concatenate(
            (
                points[alike].reshape(-1, 4),
                np.concatenate((points[~alike, 0], middle[~alike]), axis=1),
                np.concatenate((middle[~alike], points[~alike, 1]), axis=1),
            )
        )
        kinds = np.concatenate((tail[alike], tail[~alike], head[~alike]))
        strength = np.concatenate((strength[alike], strength[~alike], strength[~alike]))
        levels = np.concatenate((levels[alike], levels[~alike], levels[~alike]))
        cut, kept = _cut(lines, self._camera)
        return cut, kinds[kept], strength[kept], levels[kept]

    def _kinds(self, vertices: NDArray[np.integer]) -> Int64s:
        """Shade class of each vertex; `_PLAIN` for one without a shade."""
        shading = self._content.shading
        if shading is None or not len(shading.reveal):
            return np.full(len(vertices), _PLAIN, np.int64)
        visited = shading.reveal[vertices] <= self._content.position
        return np.where(visited, self._shades.classes[shading.shade[vertices]], _PLAIN)

    def _colour(self, kind: int, strength: float) -> tuple[str, float]:
        """Colour and opacity of a line or dot."""
        if kind == _PLAIN:
            colour = hex_colour(np.round(self._road_colours(strength)))
        else:
            colour = self._shades.colours[kind]
        return colour, stroke_opacity(
            strength,
            visited=kind != _PLAIN,
            dark=self._tokens.dark,
            faint=self._faint,
            prominent=self._content.shown_prominence is not None,
        )

    def _spots(
        self, points: Float64s, colour: str, opacity: float, radius: float
    ) -> Iterator[Stroke]:
        points = points[self._camera.sees(points, points, _OUTSIDE)]
        lines = np.concatenate((points, points + np.array([_DOT, 0.0])), axis=1)
        yield from _strokes(lines, colour, opacity, 2.0 * radius)


def _cut(lines: Float64s, camera: Camera) -> tuple[Float64s, Bools]:
    """Lines clipped to slightly more than the view (Liang and Barsky), and a mask of
    the remaining ones.
    """
    start, along = lines[:, :2], lines[:, 2:] - lines[:, :2]
    enter, leave = np.zeros(len(lines)), np.ones(len(lines))
    outside = ~np.isfinite(lines).all(axis=1)
    for axis, size in ((0, camera.width), (1, camera.height)):
        with np.errstate(divide="ignore", invalid="ignore"):
            a = (-_OUTSIDE - start[:, axis]) / along[:, axis]
            b = (size + _OUTSIDE - start[:, axis]) / along[:, axis]
        moves = along[:, axis] != 0.0
        enter = np.where(moves, np.fmax(enter, np.fmin(a, b)), enter)
        leave = np.where(moves, np.fmin(leave, np.fmax(a, b)), leave)
        outside |= ~moves & ~((start[:, axis] >= -_OUTSIDE) & (start[:, axis] <= size + _OUTSIDE))
    kept = ~outside & (enter < leave)
    start, along, enter, leave = start[kept], along[kept], enter[kept, None], leave[kept, None]
    return np.concatenate((start + enter * along, start + leave * along), axis=1), kept


def _strokes(lines: Float64s, colour: str, opacity: float, width: float) -> Iterator[Stroke]:
    for first in range(0, len(lines), _LONGEST):
        some = lines[first : first + _LONGEST]
        points = np.full((len(some), 3, 2), np.nan)
        points[:, :2] = np.round(some.reshape(-1, 2, 2), 2)
        yield Stroke(points.reshape(-1, 2)[:-1], colour, width, opacity=opacity)
