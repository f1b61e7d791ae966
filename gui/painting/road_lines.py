"""Lines of roads on the screen, which follow their curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath

from gui.picture.scene.camera import Camera
from gui.picture.scene.courses import road_courses
from gui.picture.scene.scene import DrawableGraph

Road = tuple[int, int]


def road_lines(scene: DrawableGraph, camera: Camera, roads: Sequence[Road]) -> dict[Road, list[QPointF]]:
    """The points of each road, tail and head included; nothing if all roads of the scene are straight."""
    if scene.curves is None or not roads:
        return {}
    ends = np.array(roads, np.int32)
    points, begins = road_courses(scene, ends[:, 0], ends[:, 1])
    screen = [QPointF(x, y) for x, y in camera.to_screen(points).tolist()]
    return {road: screen[begins[i] : begins[i + 1]] for i, road in enumerate(roads)}


def add_line(path: QPainterPath, line: Sequence[QPointF]) -> None:
    """Add a polyline to a path."""
    path.moveTo(line[0])
    for point in line[1:]:
        path.lineTo(point)


def cut_line(line: Sequence[QPointF], share: float) -> list[QPointF]:
    """The part of a polyline from its start to a share of its length."""
    steps = [QPointF.dotProduct(b - a, b - a) ** 0.5 for a, b in pairwise(line)]
    left, found = share * sum(steps), [line[0]]
    for start, end, step in zip(line, line[1:], steps, strict=False):
        if left <= step:
            return [*found, start + (end - start) * (left / step if step > 0 else 0.0)]
        left -= step
        found.append(end)
    return found


def bend_through_middle(line: Sequence[QPointF]) -> QPointF:
    """Control point of the quadratic curve from start to end that passes the middle of a polyline."""
    middle = cut_line(line, 0.5)[-1]
    return middle * 2 - (line[0] + line[-1]) / 2
