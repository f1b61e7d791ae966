"""The raster's layers as vector strokes, for SVG: edges, bands, tree, dots and frontier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPainter, QPainterPath

from gui.painting.drawing import pen
from gui.style.widgets import faded, outline_with
from solvers.graphs.isochrone import Isochrone
from solvers.picture.colours import Tokens
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
from solvers.picture.scene.paths import TREE_WIDTH, drawn_tree
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import Detail
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
_LONGEST_PATH = 16_000  # lines: QtSvg leaves out what a path has beyond 32,767 moves and lines
_DOT = 0.01  # length of a line whose round caps make a dot


@dataclass(frozen=True)
class _ShadeClasses:
    """Classes of the 256 shades drawn in one colour: a band, or adjacent shades."""

    classes: Int64s  # (256,)
    colours: tuple[QColor, ...]

    @classmethod
    def of(cls, content: PictureContent, tokens: Tokens) -> _ShadeClasses:
        ramp = Ramp.DISTANCES if content.legend is None else content.legend.ramp
        table = make_tones(tokens, ramp=ramp).shades
        if content.legend is not None and content.legend.has_bands:
            found, classes = np.unique(banded(table, content.legend), return_inverse=True)
        else:
            classes = np.arange(256) // _SHADE_STEP
            found = table[_SHADE_STEP // 2 :: _SHADE_STEP]
        return cls(classes.astype(np.int64), tuple(QColor.fromRgb(int(argb)) for argb in found))


def draw_raster(
    painter: QPainter,
    camera: Camera,
    content: PictureContent,
    tokens: Tokens,
    edges: Int64s,
    sketch: Frame,
    progress: Progress = SILENT,
) -> None:
    """Draw lines, dots, tree, frontier, trail and border, except for what the sketch's
    detail draws individually.
    """
    detail = sketch.detail
    vectors = _Vectors(painter, camera, content, tokens, progress)
    vectors.draw_lines(edges, detail)
    if detail is None:
        vectors.draw_dots()
    if detail is None or content.flows is not None:
        vectors.draw_flows(edges)
    if detail is None or not detail.arcs:
        vectors.draw_tree()
    if detail is None and content.flows is None:
        vectors.draw_frontier()
    if detail is None:
        for isochrone in sketch.isochrones:
            vectors.draw_border(isochrone)


class _Vectors:
    """Draws the layers of the raster on a painter."""

    def __init__(
        self,
        painter: QPainter,
        camera: Camera,
        content: PictureContent,
        tokens: Tokens,
        progress: Progress,
    ):
        self._painter, self._camera, self._content, self._tokens = painter, camera, content, tokens
        self._progress = progress
        self._measures = PixelSizes.of(content.scene, camera.scale)
        self._shades = _ShadeClasses.of(content, tokens)
        self._faint = content.legend is not None
        self._road_pen, self._levels = roads_drawn(
            content.scene, content.shown_prominence, self._measures
        )
        self._road_colours = road_colours(
            tokens, faint=self._faint, prominent=content.shown_prominence is not None
        )

    def draw_lines(self, edges: Int64s, detail: Detail | None) -> None:
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
            self._progress.checkpoint()
            amount = measures.gain * 2.0 ** (fade / _FADE_STEPS)
            width = measures.line * float(self._road_pen.widths[level])
            _stroke(self._painter, some, self._colour(kind, amount), width)

    def draw_flows(self, edges: Int64s) -> None:
        """Draw roads by width and colour of their flow, the greatest last, over the
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
                self._progress.checkpoint()
                opacity = share * opacities[middle] * (strengths[middle] ** 2 if widened else 1.0)
                if flows.nothing // _FLOW_STEP == middle // _FLOW_STEP or opacity < _LEAST_OPACITY:
                    continue
                colour = faded(QColor(*(int(channel) for channel in colours[middle])), opacity)
                some = lines[classes == middle // _FLOW_STEP]
                _stroke(self._painter, some, colour, 2.0 * halves[middle] + widened)

    def draw_dots(self) -> None:
        scene = self._content.scene
        radius = max(self._measures.dot, LONE_DOT if scene.strokes == 0 else 0.0)
        if not radius:
            return
        points = self._camera.to_screen(scene.positions)
        seen = np.flatnonzero(self._camera.sees(points, points, _OUTSIDE))
        kinds = self._kinds(seen)
        radii = np.round(dot_radii(scene, seen, radius), 1)
        for kind in np.unique(kinds):
            self._progress.checkpoint()
            if kind == _PLAIN and not self._content.has(Layer.EDGES):
                continue
            colour = self._colour(int(kind), dot_density(scene))
            for size in np.unique(radii[kinds == kind]):
                if size > 0.0:
                    self._dot(seen[(kinds == kind) & (radii == size)], colour, float(size))

    def draw_tree(self) -> None:
        tree = self._content.tree
        if tree is None or not self._content.has(Layer.TREE):
            return
        self._progress.checkpoint()
        tree, positions = drawn_tree(self._content.scene, tree)
        ends = positions[tree.predecessors[tree.heads]], positions[tree.heads]
        lines, _ = _cut(
            np.concatenate([self._camera.to_screen(end) for end in ends], axis=1), self._camera
        )
        _stroke(self._painter, lines, faded(self._tokens.path, _TREE_OPACITY), TREE_WIDTH)

    def draw_frontier(self) -> None:
        """The raster's light as dots that let through what lies beneath: vectors cannot
        be added up.
        """
        if not self._content.has(Layer.FRONTIER):
            return
        for wave in waves_of(self._content, self._measures):
            self._progress.checkpoint()
            opacity = _GLOW * wave.opacity if wave.halo else wave.opacity
            self._dot(wave.vertices, faded(wave.colour(self._tokens), opacity), wave.radius)

    def draw_border(self, isochrone: Isochrone) -> None:
        """Draw the points where the budget ends."""
        self._progress.checkpoint()
        points = self._camera.to_screen(border_points(isochrone, self._content.scene))
        self._dot_at(points, QColor(self._tokens.text), border_radius(self._measures.spacing))

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

    def _colour(self, kind: int, strength: float) -> QColor:
        if kind == _PLAIN:
            colour = QColor(*(round(float(channel)) for channel in self._road_colours(strength)))
        else:
            colour = QColor(self._shades.colours[kind])
        colour.setAlphaF(
            stroke_opacity(
                strength,
                visited=kind != _PLAIN,
                dark=self._tokens.dark,
                faint=self._faint,
                prominent=self._content.shown_prominence is not None,
            )
        )
        return colour

    def _dot(self, vertices: NDArray[np.integer], colour: QColor, radius: float) -> None:
        self._dot_at(
            self._camera.to_screen(self._content.scene.positions[vertices]), colour, radius
        )

    def _dot_at(self, points: Float64s, colour: QColor, radius: float) -> None:
        points = points[self._camera.sees(points, points, _OUTSIDE)]
        _stroke(
            self._painter,
            np.concatenate((points, points + np.array([_DOT, 0.0])), axis=1),
            colour,
            2.0 * radius,
        )


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


def _stroke(painter: QPainter, lines: Float64s, colour: QColor, width: float) -> None:
    outline_with(painter, pen(colour, width))
    for first in range(0, len(lines), _LONGEST_PATH):
        path = QPainterPath()
        for x0, y0, x1, y1 in np.round(lines[first : first + _LONGEST_PATH], 2).tolist():
            path.moveTo(x0, y0)
            path.lineTo(x1, y1)
        painter.drawPath(path)
