"""Paths as lines of the view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtGui import QImage, QPainter

from gui.painting.overlay import draw_markers, polyline
from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import build_scene
from gui.style.tokens import LIGHT
from tests.gui.pictures import camera_for, content_of, graph_of, street_grid


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array([[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]])
    scene = build_scene(graph_of([(i, i + 1, 1) for i in range(5)], [(i, 0) for i in range(6)]))
    line = polyline(replace(scene, positions=positions), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(replace(scene, positions=nowhere), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))


def test_ids_beside_the_markers_grow_with_the_type(qapp):
    """In a presentation, whose type is larger, they kept their size."""
    content = content_of(street_grid(), source=5, target=2300)
    camera = camera_for(content.scene)
    inked = []
    for factor in (1.0, 2.0):
        image = QImage(round(camera.width), round(camera.height), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        draw_markers(painter, camera, content, LIGHT, None, type_factor=factor)
        painter.end()
        inked.append(int((np.frombuffer(image.constBits(), np.uint32) != 0).sum()))
    assert inked[1] > 1.5 * inked[0]
