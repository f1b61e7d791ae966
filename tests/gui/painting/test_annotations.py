"""Annotations of the picture: the scale bar, and the sentence of an iteration."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.painting.annotations import scale_bar
from gui.painting.close_view import legend_rows, row_width
from gui.painting.picture import paint_annotations
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import FIRST_LAYERS, Layer
from gui.picture.scene.scene import build_scene
from gui.style.colours import LIGHT
from solvers.graphs.graph import Coordinates, Graph
from tests.gui.pictures import camera_for, content_of, frame_of, graph_of, textbook, trace_of, watched

SIZE = (900, 640)


def test_scale_bar_of_a_degree_of_latitude_is_right():
    xy = np.array([[10.0, 50.0], [10.0, 51.0]])
    graph = Graph.from_arcs(2, [0], [1], np.ones(1, np.int32), coordinates=Coordinates(xy, geographic=True))
    scene = build_scene(graph)
    pixels_per_degree = 1112.0
    camera = Camera(0.0, 0.0, pixels_per_degree, 100.0, 100.0)  # the degree is the unit extent
    length, words = scale_bar(camera, scene.metres_per_unit)
    assert words == "10 km"
    assert length == pytest.approx(100.0, rel=0.01)


def test_planar_coordinates_have_no_scale_bar():
    scene = build_scene(graph_of([(0, 1, 1)], [(0, 0), (1, 1)]))
    assert scale_bar(Camera(0.0, 0.0, 100.0, 100.0, 100.0), scene.metres_per_unit) is None


def test_a_run_that_told_no_distances_is_put_into_words_on_the_lesson_s_layer():
    graph = textbook()
    silent = Activity(graph.n, None, trace_of(8, [[0], [1, 4]]))
    untold = replace(watched(graph, "dijkstra-heap"), activity=silent, position=1)
    camera = camera_for(untold.scene, SIZE)
    frame, pictures = frame_of(untold, camera=camera), []
    for layers in (FIRST_LAYERS, FIRST_LAYERS - {Layer.LESSON}):
        image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        paint_annotations(painter, frame, camera, replace(untold, layers=layers), LIGHT)
        painter.end()
        pictures.append(np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]).copy())
    assert (pictures[0][:60] != 0).any()
    assert not (pictures[1][:60] != 0).any()


@pytest.mark.parametrize("width", [300, 900])
def test_the_scale_bar_stands_over_the_legend_where_a_pane_is_narrow(width: int) -> None:
    xy = np.array([[10.0, 50.0], [10.0, 51.0], [11.0, 50.0]])
    arcs = ([0, 1], [1, 2], np.ones(2, np.int32))
    graph = Graph.from_arcs(3, *arcs, coordinates=Coordinates(xy, geographic=True))
    content = content_of(graph, answer=np.array([0, 4000, 9000], np.int32))
    camera = camera_for(content.scene, (width, 400))
    frame = frame_of(content, camera=camera)
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(width, 400))
    painter = QPainter(generator)
    paint_annotations(painter, frame, camera, content, LIGHT)
    painter.end()
    places = {
        "".join(node.itertext()).strip(): (float(node.get("x", 0)), float(node.get("y", 0)))
        for node in ElementTree.fromstring(bytes(buffer.data().data())).iter()
        if node.tag.endswith("text")
    }
    bar, *_ = (place for text, place in places.items() if text.endswith((" km", " m")) and "," not in text)
    assert bar[0] < width - 12
    title = max(y for text, (_, y) in places.items() if "istance" in text)
    assert (bar[1] < title) == (width == 300)


@pytest.mark.parametrize("room", [400.0, 90.0, 45.0])
def test_the_scale_bar_is_a_round_distance_that_fits(room: float) -> None:
    length, words = scale_bar(Camera(0.0, 0.0, 0.01, 400.0, 300.0), 1.0, room) or (0.0, "")
    assert 0.35 * min(150.0, room) < length <= min(150.0, room)
    assert words.split()[0].strip("0") in ("1", "2", "5")


@pytest.mark.parametrize("width", [700.0, 330.0, 200.0])
def test_the_legend_of_a_lesson_takes_as_many_rows_as_it_needs(width: float) -> None:
    """In large type it reached under the zoom buttons and over the edge of the canvas."""
    metrics = QFontMetricsF(QFont())
    rows = legend_rows(metrics, width)
    assert sum(map(len, rows)) == 7
    assert max(row_width(row, metrics) for row in rows) <= width
