"""In a close view a road is lit exactly as far as the budget goes, in the raster's colours and in single arcs."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gui.painting.picture import paint_graph
from gui.picture.raster.frames import FramePainter, Request
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import PictureContent
from gui.picture.scene.scene import build_scene
from gui.style.tokens import DARK, LIGHT, Tokens
from tests.graphs import right_distances
from tests.gui.pictures import street_grid

WIDTH, HEIGHT = 480, 360
SPACING = 22.0  # pixels between vertices: too close for single arcs


def painted(budget: float, tokens: Tokens) -> tuple[np.ndarray, Camera, PictureContent]:
    """(h, w, 3) of a grid of streets of length 1 around its first vertex, within ``budget``."""
    graph = street_grid()
    scene = build_scene(graph)
    activity = Activity(graph.n, right_distances(graph, 0), None, "", budget)
    content = PictureContent(scene, activity)
    unit = float(scene.positions[1, 0] - scene.positions[0, 0])
    middle = scene.positions[8 * 60 + 8]
    camera = Camera(float(middle[0]), float(middle[1]), SPACING / unit, WIDTH, HEIGHT)
    frame = FramePainter().last_frame(Request(content, camera, 1.0, tokens))
    assert frame.detail is None
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor(tokens.canvas))
    painter = QPainter(image)
    paint_graph(painter, frame, camera, content, tokens)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(HEIGHT, WIDTH, 4)[:, :, 2::-1].astype(int)
    return pixels.copy(), camera, content


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("share", "place", "lit"), [(0.2, 0.42, False), (0.8, 0.58, True)])
def test_a_road_is_lit_as_far_as_the_budget_goes(tokens: Tokens, share: float, place: float, lit: bool) -> None:
    """On either side of the middle, where the raster alone would change its colour."""
    pixels, camera, content = painted(16.0 + share, tokens)
    start, end = (camera.to_screen(content.scene.positions[8 * 60 + column]) for column in (8, 9))
    x, y = start + place * (end - start)
    near = pixels[round(y) - 1 : round(y) + 2, round(x)]
    ground = np.array(QColor(tokens.canvas).getRgb()[:3])
    red, _, blue = near[np.abs(near - ground).sum(axis=1).argmax()]
    assert (blue - red > 40) == lit, "the ramp is blue, and roads outside are grey"
