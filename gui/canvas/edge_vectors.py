"""The edges of a picture as vectors, for drawings that are scaled: the raster's colours, fading and dots as strokes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from gui.canvas.camera import Camera
from gui.canvas.detail import Detail
from gui.canvas.ink import FADE_LENGTH, Measures
from gui.canvas.pens import pen
from gui.canvas.scene import DrawableGraph, visible_runs
from gui.canvas.shown import Layer, Shown
from gui.canvas.tone import cividis, stroke_opacity
from gui.theme import Tokens
from solvers.observer import SILENT, Observer

VECTOR_EDGES = 50_000  # visible edges from which a raster is the smaller file and the faster picture
_PLAIN = -1  # the tint of what was not visited
_TINT_STEP = 8  # tints that are told apart: 32 of the 256
_FADE_STEPS = 4  # classes of ink per halving
_OUTSIDE = 8.0  # logical pixels round the view that lines are cut to
_DOT = 0.01  # length of a line whose round caps make a dot


def visible_edges(scene: DrawableGraph, camera: Camera) -> NDArray[np.int64]:
    """Indices of the edges whose boxes meet the view."""
    seen = camera.bounds
    found = [np.empty(0, np.int64)]
    for first, last in visible_runs(scene, seen, 1 << 20):
        x0, y0, x1, y1 = scene.segments[first:last].T
        inside = (np.minimum(x0, x1) <= seen.x1) & (np.maximum(x0, x1) >= seen.x0)
        inside &= (np.minimum(y0, y1) <= seen.y1) & (np.maximum(y0, y1) >= seen.y0)
        found.append(np.flatnonzero(inside) + first)
    return np.concatenate(found)


def draw_edges(
    painter: QPainter, camera: Camera, shown: Shown, tokens: Tokens, edges: NDArray[np.int64], detail: Detail | None,
    observer: Observer = SILENT,
) -> None:  # fmt: skip
    """Lines, then dots, then the frontier with its trail; what ``detail`` draws arc by arc is left to it."""
    measures = Measures.of(shown.scene, camera.scale)
    if detail is not None and detail.arcs:
        close = np.isin(shown.scene.ends[edges], detail.vertices).all(axis=1)
        edges = edges[~close]
    lines, tints, ink = _half_edges(camera, shown, edges)
    if not shown.has(Layer.EDGES):
        kept = tints != _PLAIN
        lines, tints, ink = lines[kept], tints[kept], ink[kept]
    classes = np.round(_FADE_STEPS * np.log2(ink)).astype(np.int64)
    for tint in np.unique(tints):
        for fade in np.unique(classes[tints == tint]):
            observer.checkpoint()
            some = lines[(tints == tint) & (classes == fade)]
            amount = measures.gain * 2.0 ** (float(fade) / _FADE_STEPS)
            _stroke(painter, some, _colour(int(tint), tokens, amount), measures.line)
    if detail is None:
        _draw_dots(painter, camera, shown, tokens, measures, observer)


def _draw_dots(
    painter: QPainter, camera: Camera, shown: Shown, tokens: Tokens, measures: Measures, observer: Observer
) -> None:
    scene, activity = shown.scene, shown.activity
    radius = max(measures.dot, 1.5 if scene.edges == 0 else 0.0)
    seen = np.flatnonzero(_within(camera.to_screen(scene.positions), camera))
    if radius:
        tints = _tints(shown, seen)
        for tint in np.unique(tints):
            observer.checkpoint()
            if tint != _PLAIN or shown.has(Layer.EDGES):
                _dot(painter, camera, shown, seen[tints == tint], _colour(int(tint), tokens, 2.0), radius)
    if not shown.has(Layer.FRONTIER):
        return
    for vertices, freshness in activity.trail(shown.position):
        observer.checkpoint()
        colour = QColor(tokens.trail)
        colour.setAlphaF(0.15 + 0.55 * freshness)
        _dot(painter, camera, shown, vertices, colour, measures.frontier * (0.5 + 0.3 * freshness))
    _dot(painter, camera, shown, activity.frontier(shown.position), QColor(tokens.frontier), measures.frontier)


def _half_edges(
    camera: Camera, shown: Shown, edges: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Lines cut to the view, with tint and ink; halves apart where the two ends differ in tint."""
    ends, segments = shown.scene.ends[edges], shown.scene.segments[edges].astype(np.float64)
    points = camera.to_screen(segments.reshape(-1, 2, 2))
    length = np.hypot(*(points[:, 1] - points[:, 0]).T)
    ink = np.sqrt(np.minimum(1.0, FADE_LENGTH / np.maximum(length, 1e-9)))
    tail, head = _tints(shown, ends[:, 0]), _tints(shown, ends[:, 1])
    alike = tail == head
    middle = points.mean(axis=1)
    lines = np.concatenate(
        (
            points[alike].reshape(-1, 4),
            np.concatenate((points[~alike, 0], middle[~alike]), axis=1),
            np.concatenate((middle[~alike], points[~alike, 1]), axis=1),
        )
    )
    tints = np.concatenate((tail[alike], tail[~alike], head[~alike]))
    ink = np.concatenate((ink[alike], ink[~alike], ink[~alike]))
    cut, kept = _cut(lines, camera)
    return cut, tints[kept], ink[kept]


def _tints(shown: Shown, vertices: NDArray[np.integer]) -> NDArray[np.int64]:
    """Class of tint of each vertex, `_PLAIN` where it is not visited (or that is not shown)."""
    activity = shown.activity
    if not shown.has(Layer.VISITED) or not len(activity.reveal):
        return np.full(len(vertices), _PLAIN, np.int64)
    visited = activity.reveal[vertices] <= shown.position
    return np.where(visited, activity.shade[vertices] // _TINT_STEP, _PLAIN).astype(np.int64)


def _colour(tint: int, tokens: Tokens, ink: float) -> QColor:
    if tint == _PLAIN:
        colour = QColor(tokens.edge)
    else:
        table = np.round(cividis(tokens.dark))
        colour = QColor(*(int(c) for c in table[min(255, tint * _TINT_STEP + _TINT_STEP // 2)]))
    colour.setAlphaF(stroke_opacity(ink, tinted=tint != _PLAIN, dark=tokens.dark))
    return colour


def _cut(lines: NDArray[np.float64], camera: Camera) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Lines cut to a little more than the view (Liang and Barsky), and which of them are left."""
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


def _within(points: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    size = np.array([camera.width, camera.height])
    return ((points >= -_OUTSIDE) & (points <= size + _OUTSIDE)).all(axis=1)  # false for NaN


def _dot(
    painter: QPainter, camera: Camera, shown: Shown, vertices: NDArray[np.integer], colour: QColor, radius: float
) -> None:
    points = camera.to_screen(shown.scene.positions[vertices])
    points = points[_within(points, camera)]
    _stroke(painter, np.concatenate((points, points + np.array([_DOT, 0.0])), axis=1), colour, 2.0 * radius)


def _stroke(painter: QPainter, lines: NDArray[np.float64], colour: QColor, width: float) -> None:
    if not len(lines):
        return
    path = QPainterPath()
    for x0, y0, x1, y1 in np.round(lines, 2).tolist():
        path.moveTo(x0, y0)
        path.lineTo(x1, y1)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(colour, width))
    painter.drawPath(path)
