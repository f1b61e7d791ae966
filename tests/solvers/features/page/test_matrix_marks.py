"""The matrix of a page's lesson in headless Chromium, beside that of a notebook. Skipped without
Chromium.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from solvers.features.lesson.lesson import StepProgress
from solvers.features.lesson.matrix_lesson import MatrixLesson, matrix_lesson_of
from solvers.features.lesson.pairs_lesson import pair_steps_of, start_distances
from solvers.features.page.close_marks import Chip
from solvers.features.page.document import PageContent, write_page
from solvers.features.page.drawing import drawing_of
from solvers.features.page.matrix_marks import pair_chips
from solvers.features.page.pack import Packer
from solvers.features.page.pairs import pack_lesson
from solvers.graphs.graph import Graph
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Pixels
from solvers.picture.letters import PillowTextSizes
from solvers.picture.matrix import MatrixContent
from solvers.picture.matrix_pixels import MatrixFramePainter, MatrixRequest
from solvers.picture.overlay.matrix import MatrixLayout, MatrixOverlay
from solvers.picture.pillow_painter import paint
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.scene import build_scene
from tests.quick import THOROUGH
from tests.solvers.features.lesson.test_pairs_lesson import watched
from tests.solvers.features.page.test_drawing import chromium, needs_chromium
from tests.solvers.features.page.test_questions import small_graph

__all__ = ["chromium"]

_LEFT, _TOP, _REST = 70, 40, 8  # pixels around a matrix
# moves the view to a scale of the marks and whole pixels; the side of a cell, and a corner
_AT_WHOLE_PIXELS = """(({ runs: [{ cellMarks }], about: { n } }, v, [pane]) => {
    const side = cellMarks.scales.findLast(one => n * one <= v.scale);
    const [left, top] = [v.width, v.height].map(size => Math.round((size - n * side) / 2));
    const centre = (size, before) => (size / 2 - before) / side / n - 0.5;
    const [x, y] = [centre(v.width, left), centre(v.height, top)];
    tautpath.view = { ...v, scale: n * side, x, y };
    return [side, pane.left + left, pane.top + top];
})(tautpath.model, tautpath.view, tautpath.viewPanes())"""


def notebook_matrix(lesson: MatrixLesson, side: float, tokens: Tokens) -> Image.Image:
    graph, trace = lesson.graph, lesson.trace
    content = MatrixContent(graph, trace.distances[-1], trace, lesson.position, explanation=lesson)
    layout = MatrixLayout.of(content, 900, 900)
    plot = layout.plot
    camera = Camera(plot.width / 2 / side, plot.height / 2 / side, side, plot.width, plot.height)
    request = MatrixRequest(content, camera, 1.0, tokens, argb(tokens.canvas))
    frame = MatrixFramePainter().frame(request)
    overlay = MatrixOverlay(layout, frame, camera, content, tokens, PillowTextSizes(), 1.0)
    image = Image.new("RGB", (900, 900), tokens.canvas)
    paint(image, [Pixels(plot.x0, plot.y0, frame.pixels, 1.0), *overlay.marks()], 1.0)
    return around(image, plot.x0, plot.y0, side * graph.n)


def around(image: Image.Image, left: float, top: float, side: float) -> Image.Image:
    """The part with a matrix."""
    ends = left + side + _REST, top + side + _REST
    return image.crop((int(left) - _LEFT, int(top) - _TOP, *map(int, ends)))


@needs_chromium
@pytest.mark.parametrize(
    ("variant", "tile", "tokens"),
    [("fw-serial", {}, LIGHT), ("fw-omp-tiled", {"tile": 4}, DARK)],
    ids=["light", "dark"],
)
def test_a_matrix_of_a_page_has_the_pixels_of_a_notebook(chromium, tmp_path, variant, tile, tokens):
    """Pages had rings, chips and ids of their own, nothing of what earlier phases wrote, nor of
    what a distance replaces.
    """
    graph = small_graph(1)
    result = watched(graph, variant, **tile)
    content = PageContent(graph, [result], 0, graph.n - 1, drawing_of(build_scene(graph)))
    path = write_page(content, tmp_path / "page.html")
    chromium.open(path, 1400, 900, dark=tokens.dark)
    chromium.run("document.fonts.load('700 14px \"Tautpath Sans\"').then(() => 0)")
    side, *corner = chromium.run(_AT_WHOLE_PIXELS)
    for position in range(0, len(result.trace), 1 if THOROUGH else 2):
        lesson = matrix_lesson_of(graph, result.trace, position, 0)
        steps = pair_steps_of(lesson)
        chromium.run(f"tautpath.seek({position})")
        for done in (0, 1, len(steps) // 2 + 1):
            if done:
                chromium.run(f"tautpath.showStep({done - 1})")
                lesson = replace(lesson, progress=StepProgress(steps, steps[:done]))
            chromium.settle()
            page = around(Image.fromarray(chromium.marks(tokens.canvas)), *corner, side * graph.n)
            wanted = notebook_matrix(lesson, side, tokens)
            apart = np.subtract(*(np.asarray(one, np.float64) for one in (page, wanted)))
            height, width = (size // 12 for size in apart.shape[:2])
            blocks = apart[: 12 * height, : 12 * width].reshape(height, 12, width, 12, 3)
            assert np.abs(blocks.mean(axis=(1, 3))).max() < 45.0, "a mark is missing"
            assert np.abs(apart).mean() < 6.0, "letters and edges of lines alone differ"


@pytest.mark.parametrize(("variant", "n"), [("fw-serial", 12), ("fw-omp-tiled", 60)])
def test_every_change_of_a_cell_has_marks(variant, n):
    """Of chips with equal widths, the first found stood for all, also if it had not fallen."""
    chance = np.random.default_rng(n)
    arcs = chance.integers(0, n, (4 * n, 2)).T
    weights = chance.integers(0, 99, 4 * n).astype(np.int32)
    graph = Graph.from_arcs(n, *arcs, weights, ids=np.arange(n))
    result, sizes, words = watched(graph, variant), PillowTextSizes(), {}
    lesson = pack_lesson(Packer(), 0, result)
    chips = pair_chips(result, lesson, words, sizes)
    matrices = [start_distances(graph), *result.trace.distances]
    both = pairwise(one.ravel().tolist() for one in matrices)
    changes = {change for each in both for change in zip(*each, strict=True)}
    changes |= {
        (matrix[step["row"], step["column"]], step["fall"])
        for matrix, steps in zip(matrices, lesson["steps"], strict=False)
        for step in steps
        if step["fall"] is not None
    }
    for before, after in changes:
        former = words[before] if after < before < np.inf else ""
        assert Chip(words[after], former, after < before).key(sizes) in chips
