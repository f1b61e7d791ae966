"""Curves of the arcs of a close view: beside opposite arcs, and in a small graph around
vertices between their ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from gui.painting.drawing import Road, bend_point, disc_radius, marker_radius, point_along
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.lesson import MOST_VERTICES
from solvers.picture.scene.scene import ArcForm, Detail, DrawableGraph
from solvers.system.array_types import Float64s

_CLEARANCE = 3.0  # pixels between an arc and a vertex that it passes
# of a curve's middle, as shares of the length, tried in turn
_DEVIATIONS = (0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5)
_SAMPLES = np.linspace(0.02, 0.98, 33)


@dataclass(frozen=True)
class ArcCurve:
    """A quadratic curve: an arc's, or a part of it."""

    start: QPointF
    control: QPointF
    end: QPointF

    def reversed(self) -> ArcCurve:
        return ArcCurve(self.end, self.control, self.start)

    def part(self, first: float, last: float) -> ArcCurve:
        """The part between two shares."""
        control = (
            self.start * ((1 - first) * (1 - last))
            + self.control * ((1 - first) * last + first * (1 - last))
            + self.end * (first * last)
        )
        ends = (point_along(self.start, self.control, self.end, share) for share in (first, last))
        return ArcCurve(next(ends), control, next(ends))

    def within(self, area: QRectF) -> ArcCurve | None:
        """The curve from where it first enters ``area`` to where it leaves it for good;
        None if it is outside.
        """
        if area.contains(self.start) and area.contains(self.end):
            return self
        across, down = (
            [getattr(point, side)() for point in (self.start, self.control, self.end)]
            for side in ("x", "y")
        )
        shares = sorted(
            {0.0, 1.0}
            | _crossings(across, area.left(), area.right())
            | _crossings(down, area.top(), area.bottom())
        )
        inside = [
            (first, last)
            for first, last in pairwise(shares)
            if area.contains(point_along(self.start, self.control, self.end, (first + last) / 2))
        ]
        return self.part(inside[0][0], inside[-1][1]) if inside else None


def _crossings(points: Sequence[float], *borders: float) -> set[float]:
    """Shares at which one coordinate of a quadratic curve is that of a border."""
    start, control, end = points
    square, slope = start - 2 * control + end, control - start
    found = set()
    for border in borders:
        root = slope * slope - square * (start - border)
        if root < 0 or slope == square == 0:
            continue
        # stable where the curve is nearly straight
        sum_of_two = -(slope + math.copysign(math.sqrt(root), slope))
        if square:
            found.add(sum_of_two / square)
        if sum_of_two:
            found.add((start - border) / sum_of_two)
    return {share for share in found if 0.0 < share < 1.0}


def curve_points(curves: Float64s, shares: Float64s) -> Float64s:
    """(k, s, 2) points of quadratic curves given by (k, 3, 2) start, control and end points."""
    t = shares[None, :, None]
    start, control, end = curves[:, None, 0], curves[:, None, 1], curves[:, None, 2]
    return start * (1 - t) ** 2 + control * (2 * t * (1 - t)) + end * t**2


def arc_controls(
    scene: DrawableGraph, camera: Camera, detail: Detail | None
) -> Mapping[Road, QPointF]:
    """Control points, in pixels, of the quadratic curves of arcs that are not straight,
    by tail and head.

    Of two opposite arcs drawn as one, both are in it. Kept in ``detail`` while the
    camera stays.
    """
    if detail is None:
        return {}
    kept = detail.plans.get(arc_controls)
    if isinstance(kept, tuple) and kept[0] == camera:
        controls: dict[Road, QPointF] = kept[1]
        return controls
    controls = _controls(scene, camera, detail)
    detail.plans[arc_controls] = camera, controls
    return controls


def _controls(scene: DrawableGraph, camera: Camera, detail: Detail) -> dict[Road, QPointF]:
    arcs = [arc for arc in detail.arcs if arc.form is not ArcForm.LOOP]
    if not arcs or scene.curves is not None:
        return {}
    index = {int(v): i for i, v in enumerate(detail.ends)}
    ends = np.array([(index[arc.tail], index[arc.head]) for arc in arcs])
    points = camera.to_screen(scene.positions[detail.ends])
    controls = {}
    for arc, (start, end) in zip(arcs, points[ends].tolist(), strict=True):
        if arc.form is ArcForm.BENT:
            controls[arc.tail, arc.head] = bend_point(QPointF(*start), QPointF(*end))
    if scene.graph.n > MOST_VERTICES:
        return controls
    room = marker_radius(disc_radius(scene, camera)) + _CLEARANCE
    middles = points[ends].mean(axis=1)
    for k, arc in enumerate(arcs):
        if arc.form is ArcForm.BENT:
            middles[k] = controls[arc.tail, arc.head].toTuple()
    gaps = _gaps(np.stack((points[ends[:, 0]], middles, points[ends[:, 1]]), axis=1), ends, points)
    for k in np.flatnonzero(gaps < room).tolist():
        arc = arcs[k]
        control = _around(
            ends[k], middles[k], float(gaps[k]), points, room, one_sided=arc.form is ArcForm.BENT
        )
        controls[arc.tail, arc.head] = control
        if arc.form is ArcForm.BOTH_WAYS:
            controls[arc.head, arc.tail] = control
    return controls


def _gaps(curves: Float64s, ends: NDArray[np.intp], points: Float64s) -> Float64s:
    """(k,) distance of each curve from the nearest vertex that is not at one of its ends;
    infinity without one.
    """
    along = curve_points(curves, _SAMPLES)
    found = np.full(len(curves), math.inf)
    for vertex, point in enumerate(points):
        gaps = np.hypot(along[..., 0] - point[0], along[..., 1] - point[1]).min(axis=1)
        # no curve is clear of another vertex at its end, as on the two sides of a bollard
        at_end = np.hypot(*(curves[:, ::2] - point).T).min(axis=0) < _CLEARANCE
        gaps[at_end | (ends == vertex).any(axis=1)] = math.inf
        np.fmin(found, gaps, out=found)
    return found


def _around(
    ends: NDArray[np.intp],
    middle: Float64s,
    gap: float,
    points: Float64s,
    room: float,
    *,
    one_sided: bool,
) -> QPointF:
    """Control point of the flattest curve that is clear of other vertices, or of the
    clearest, if none is.

    ``middle`` and ``gap`` are those of the present curve. An arc beside an opposite one
    stays on its side.
    """
    start, end = points[ends]
    across = np.array((start[1] - end[1], end[0] - start[0]))
    sides = (1.0,) if one_sided else (1.0, -1.0)
    offsets = [2.0 * share * side for share in _DEVIATIONS for side in sides]
    controls = np.array([(start + end) / 2 + across * offset for offset in offsets])
    curves = np.stack(
        [np.broadcast_to(start, controls.shape), controls, np.broadcast_to(end, controls.shape)],
        axis=1,
    )
    gaps = _gaps(curves, np.broadcast_to(ends, (len(curves), 2)), points)
    clear = np.flatnonzero(gaps >= room)
    best = int(clear[0]) if len(clear) else int(np.argmax(gaps))
    return QPointF(*(controls[best] if gaps[best] > gap else middle))
