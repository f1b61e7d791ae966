"""Curved roads in pictures: pixels where the curves are, in every way of drawing, and the attribution."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.export.composition import PictureState, whole_image
from gui.export.page import Page
from gui.painting.annotations import attribution_of
from gui.painting.drawing import cut_line, road_lines
from gui.painting.picture import paint_annotations, paint_graph
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from gui.picture.scene.paths import PathTree
from gui.picture.scene.scene import build_scene
from gui.style.colours import LIGHT
from tests.curved import ATTRIBUTION, curved_town
from tests.gui.pictures import camera_for, frame_of, is_like

SIZE = (400, 300)


def content(**rest: object) -> PictureContent:
    graph = curved_town()
    answer = np.array([0, 10, 30, 40], np.int32)
    rest.setdefault("layers", FIRST_LAYERS - {Layer.MARKERS})
    return PictureContent(build_scene(graph), Activity(graph.n, answer, None, "ds"), **rest)


def painted(content: PictureContent) -> np.ndarray:
    camera = camera_for(content.scene, SIZE)
    frame = frame_of(content, camera=camera)
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    paint_graph(painter, frame, camera, content, LIGHT)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[::-1]).copy()


def near(pixels: np.ndarray, content: PictureContent, x: float, y: float) -> np.ndarray:
    """The pixels around a place of the town."""
    world = np.array([(x - 5.0) / 10.0, -(y - 0.5) / 10.0])
    column, row = camera_for(content.scene, SIZE).to_screen(world).round().astype(int)
    return pixels[row - 3 : row + 4, column - 3 : column + 4]


def test_the_path_goes_along_the_curve() -> None:
    shown = content(path=np.array([0, 1, 2, 3], np.int32))
    pixels = painted(shown)

    assert is_like(near(pixels, shown, 4.3, 3), LIGHT.path).any()
    assert not is_like(near(pixels, shown, 4.3, -2), LIGHT.path).any()
    assert is_like(near(pixels, shown, 5, 0), LIGHT.canvas).all()  # no line between the ends


def test_the_tree_and_the_roads_go_along_the_curves() -> None:
    tree = PathTree(np.array([-1, 0, 1, 2], np.int32))
    shown = content(tree=tree, layers=frozenset({Layer.EDGES, Layer.TREE}))
    pixels = painted(shown)

    assert is_like(near(pixels, shown, 4.3, 3), LIGHT.path, 60).any()
    assert not is_like(near(pixels, shown, 4.3, -2), LIGHT.canvas).all()  # the other of two parallel roads is drawn
    assert is_like(near(pixels, shown, 5, 0), LIGHT.canvas).all()


def test_lines_of_roads_and_parts_of_them() -> None:
    scene = content().scene
    line = road_lines(scene, camera_for(scene, SIZE), [(1, 2)])[1, 2]

    half = cut_line(line, 0.5)

    assert len(line) == 4
    assert half[:2] == line[:2]
    assert half[-1].x() == pytest.approx(SIZE[0] / 2)
    assert cut_line(line, 1.0)[-1] == line[-1]


def test_the_attribution_stands_on_the_picture_and_in_exports() -> None:
    shown = content()
    camera = camera_for(shown.scene, SIZE)
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    paint_annotations(painter, frame_of(shown, camera=camera), camera, shown, LIGHT, with_legend=False)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[::-1])
    export = whole_image(PictureState(shown, shown.scene.bounds).compose(Page(*SIZE, dpi=96)))

    assert attribution_of(shown.scene.graph) == ATTRIBUTION
    assert is_like(pixels[-30:, SIZE[0] // 2 :], LIGHT.muted, 60).any()
    assert not is_like(pixels[:-40], LIGHT.muted, 60).any()
    exported = np.frombuffer(export.constBits(), np.uint32).reshape(SIZE[::-1])
    assert is_like(exported[-90:, SIZE[0] // 2 :], LIGHT.muted, 60).any()
