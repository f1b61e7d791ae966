"""The labels of a small graph: none overlaps another or lies on a vertex."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.painting.detail_labels import Fonts, labels_of
from gui.painting.geometry import disc_radius
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
