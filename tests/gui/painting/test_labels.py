"""The labels of a small graph: none overlaps another or lies on a vertex.

Labels of a close view: inside the view, beside their vertices, and dropped rather than cut off.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.painting.drawing import disc_radius
from gui.painting.labels import Box, Fonts, LabelPlan, labels_of
from solvers.graphs.readers import read_graph
from tests.data import data_file
from tests.gui.pictures import camera_for, frame_of, textbook, watched

SIZE = (900, 640)


@pytest.mark.parametrize("sample", ["textbook", "tiny"])
def test_no_two_labels_overlap_and_none_lies_on_a_vertex(sample):
    graph = textbook() if sample == "textbook" else read_graph(data_file("other/tinyEWD.txt")).graph
    content = watched(graph, "bf-python")
    camera = camera_for(content.scene, SIZE)
    detail = frame_of(content, camera=camera).detail
    image = QImage(8, 8, QImage.Format.Format_ARGB32)  # a painter does not keep its image alive
    painter = QPainter(image)
    labels = labels_of(detail, camera, content, Fonts.of(painter, disc_radius(content.scene, camera)))
    painter.end()
    boxes = [box for _, box in labels.weights] + list(labels.ids.values()) + list(labels.values.values())
    assert len(labels.values) == 8
    assert len(labels.weights) >= len(detail.arcs) - 1
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))
    centres = camera.to_screen(content.scene.positions)
    for box in boxes:
        nearest = np.clip(centres, [box.left(), box.top()], [box.right(), box.bottom()])
        assert np.hypot(*(nearest - centres).T).min() > disc_radius(content.scene, camera)


VIEW = (200.0, 120.0)


def plan(discs: list[tuple[float, float, float]], curves: list[list[tuple[float, float]]] | None = None) -> LabelPlan:
    return LabelPlan(VIEW, np.array(discs, np.float64), np.array(curves or [], np.float64).reshape(-1, 3, 2))


@pytest.mark.parametrize("centre", [(4.0, 4.0), (196.0, 4.0), (100.0, 118.0), (2.0, 60.0), (100.0, 60.0)])
def test_a_label_of_a_vertex_in_view_is_all_in_view(centre: tuple[float, float]) -> None:
    box = plan([(*centre, 6.0)]).round_disc(0, 50.0, 14.0)
    assert box is not None
    assert box.inside(*VIEW)
    nearest = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
    assert np.hypot(*(nearest - centre)) >= 6.0, "beside its vertex, not on it"


def test_a_label_of_an_arc_keeps_to_the_part_in_view() -> None:
    leaving = [(20.0, 60.0), (220.0, 60.0), (420.0, 60.0)]
    box = plan([(20.0, 60.0, 5.0)], [leaving]).on_curve(0, 30.0, 12.0)
    assert box is not None
    assert box.inside(*VIEW)


def test_a_label_without_a_place_in_view_is_left_out() -> None:
    beyond = [(190.0, 60.0), (300.0, 60.0), (420.0, 60.0)]
    assert plan([(190.0, 60.0, 5.0)], [beyond]).on_curve(0, 30.0, 12.0) is None


def test_a_box_is_moved_only_as_far_as_it_is_outside() -> None:
    assert Box(-5.0, 10.0, 15.0, 20.0).moved_inside(*VIEW) == Box(0.0, 10.0, 20.0, 20.0)
    assert Box(190.0, 115.0, 210.0, 125.0).moved_inside(*VIEW) == Box(180.0, 110.0, 200.0, 120.0)
    assert Box(1.0, 2.0, 3.0, 4.0).moved_inside(*VIEW) == Box(1.0, 2.0, 3.0, 4.0)
