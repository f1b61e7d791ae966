"""One matrix by every painter: window, vector export and notebook have the same marks over
the same cells.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QColor, QImage, QPainter

from gui.export.composition import MatrixState
from gui.export.page import Page
from gui.export.picture import draw_image, export_picture
from gui.painting.display import QtTextSizes, paint_marks
from gui.style.paint import smooth
from solvers.core.variant import find_variant
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.letters import PillowTextSizes
from solvers.picture.matrix import MatrixContent, matrix_explanation_of
from solvers.picture.matrix_pixels import MatrixFramePainter, MatrixRequest
from solvers.picture.overlay.matrix import MatrixLayout, MatrixOverlay
from solvers.picture.pillow_painter import paint
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Bounds, Camera
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from tests.gui.export.drawn import pixels_of, rendered
from tests.gui.pictures import channels, textbook
from tests.solvers.picture.test_matrix import GRAPH, N, matrix, rising, tile_trace
from tests.solvers.running.requests import TRACE_ONLY

WIDTH, HEIGHT, RATIO = 520, 480, 2


def explained() -> MatrixContent:
    graph, entry = textbook(), find_variant("fw-omp-loop")
    choice = Choice(entry, entry.settle({}))
    (result,) = run(RunRequest(graph, 0, 7, (choice,), None, TRACE_ONLY, trace=True))
    explanation = matrix_explanation_of(graph, result.trace, 4, 0)
    return MatrixContent(graph, result.distances, result.trace, 4, 0, 7, explanation)


def numbers() -> MatrixContent:
    graph = textbook()
    return MatrixContent(graph, np.arange(64, dtype=np.int32).reshape(8, 8), None, 0, 2, 5)


CONTENTS: dict[str, Callable[[], MatrixContent]] = {
    "explained": explained,
    "numbers": numbers,
    "tiles": lambda: MatrixContent(GRAPH, rising(), tile_trace(), 1),
    "unreachable": lambda: MatrixContent(GRAPH, matrix(N, "int32"), None, 0, 5, 70),
}


def assert_alike(one: np.ndarray, other: np.ndarray) -> None:
    """Whether means of blocks are: places of letters are rounded in different ways."""
    height, width = (side // 20 for side in one.shape[:2])
    apart = np.abs(one - other)[: 20 * height, : 20 * width]
    blocks = [
        part[: 20 * height, : 20 * width].reshape(height, 20, width, 20, 3).mean(axis=(1, 3))
        for part in (one, other)
    ]
    assert apart.mean() < 2.0
    assert np.abs(blocks[0] - blocks[1]).max() < 30.0


@pytest.mark.parametrize(
    ("name", "tokens"), [*((name, LIGHT) for name in CONTENTS), ("explained", DARK)]
)
def test_qpainter_and_pillow_paint_the_same_marks(qapp, name: str, tokens: Tokens):
    content = CONTENTS[name]()
    layout = MatrixLayout.of(content, WIDTH, HEIGHT)
    n, plot = content.graph.n, layout.plot
    camera = Camera.fitting(Bounds(0, 0, n, n), plot.width, plot.height, margin=0.0)
    request = MatrixRequest(content, camera, RATIO, tokens, argb(tokens.canvas))
    shown = layout, MatrixFramePainter().frame(request), camera, content, tokens
    window = QImage(WIDTH * RATIO, HEIGHT * RATIO, QImage.Format.Format_RGB32)
    window.setDevicePixelRatio(RATIO)
    window.fill(QColor(tokens.canvas))
    with QPainter(window) as painter:
        smooth(painter)
        sizes = QtTextSizes(painter.font())
        paint_marks(painter, MatrixOverlay(*shown, sizes, RATIO).marks())
    notebook = Image.new("RGB", (WIDTH * RATIO, HEIGHT * RATIO), tokens.canvas)
    ground = np.asarray(notebook).astype(int)
    paint(notebook, MatrixOverlay(*shown, PillowTextSizes(), RATIO).marks(), RATIO)
    ours, theirs = channels(pixels_of(window))[..., :3], np.asarray(notebook).astype(int)
    assert_alike(ours, theirs)
    assert (np.abs(theirs - ground).max(axis=-1) > 30).mean() > 0.01


@pytest.mark.parametrize("name", CONTENTS)
def test_vectors_are_the_same_picture_as_an_image(qapp, tmp_path: Path, name: str):
    content, page = CONTENTS[name](), Page(900, 800, 96)
    n = content.graph.n
    state = MatrixState(content, Bounds(0, 0, n, n), "textbook")
    image = channels(pixels_of(draw_image(state, page)))
    drawing = channels(rendered(export_picture(tmp_path / "m.svg", state, page), 900, 800))
    assert_alike(image, drawing)
