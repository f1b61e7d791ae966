"""A drawing of vectors shows the layers that the picture shows: each of them, on and off, with and without a raster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gui.export import composition
from gui.export.composition import PictureState
from gui.export.page import Page
from gui.export.picture import draw_image, export_picture
from gui.model.samples import FOLDER as SAMPLES
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.levels import LevelView, level_picture
from gui.picture.scene.paths import PathTree
from gui.picture.scene.road_marks import RoadMarks
from gui.picture.scene.scene import build_scene
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.variant import find_variant
from solvers.graphs.readers import read_graph
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from tests.gui.pictures import channels, content_of, street_grid, trace_of
from tests.solvers.running.requests import TRACE_ONLY

PAGE = Page(720, 540, 96)
COLUMNS, ROWS = 60, 40
BLOCK = 12  # pixels whose mean is compared: strokes may lie a fraction of a pixel beside the raster's


def grid_state() -> PictureState:
    """A street grid with a path, a frontier, a cycle and a tree: all but a lesson, for which it is too large, with
    separators marked."""
    graph = street_grid(COLUMNS, ROWS)
    vertices = np.arange(graph.n)
    column, row = vertices % COLUMNS, vertices // COLUMNS
    before = np.where(column > 0, vertices - 1, vertices - COLUMNS).astype(np.int32)
    before[0] = -1
    trace = trace_of(graph.n, [np.flatnonzero(column + row == k).tolist() for k in range(COLUMNS + ROWS - 1)])
    cycle = (305, 306, 307, 367, 427, 426, 425, 365)
    content = content_of(
        graph, trace=trace, answer=(column + row).astype(np.int32), position=60, source=0, target=1515,
        path=np.arange(1500, 1516, dtype=np.int32), cycle=cycle, layers=frozenset(Layer), tree=PathTree(before),
    )  # fmt: skip
    picture = level_picture(levels_of(graph), content.scene)
    closed = np.arange(COLUMNS * 12, COLUMNS * 13 - 1)
    ends = np.column_stack((closed, closed + 1)).astype(np.int32)
    marks = RoadMarks(ends, np.where(closed % 2, np.inf, 3.0), np.zeros(len(ends), np.bool_))
    content = replace(content, levels=LevelView(picture, 0, 7), road_marks=marks)
    return PictureState(content, content.scene.bounds)


def figure_state() -> PictureState:
    """The textbook graph, whose arcs are drawn one by one, in the middle of a run."""
    graph = read_graph(SAMPLES / "textbook.gr").graph
    entry = find_variant("bf-python")
    (result,) = run(RunRequest(graph, 0, graph.n - 1, (Choice(entry, entry.settle({})),), None, TRACE_ONLY, trace=True))
    activity = Activity(graph.n, result.distances, result.trace)
    tree = PathTree(result.predecessors)
    scene = build_scene(graph)
    content = PictureContent(scene, activity, activity.last, 0, graph.n - 1, result.path, (), frozenset(Layer), tree)
    return PictureState(content, scene.bounds)


def with_layers(state: PictureState, layers: frozenset[Layer]) -> PictureState:
    return replace(state, content=replace(state.content, layers=layers))


def pixels_of(image: QImage) -> np.ndarray:
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


def drawn(state: PictureState) -> np.ndarray:
    return pixels_of(draw_image(state, PAGE))


def written(state: PictureState, folder: Path) -> np.ndarray:
    """The SVG of a state, drawn again by Qt."""
    path = export_picture(folder / "p.svg", state, PAGE)
    image = QImage(PAGE.width, PAGE.height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(path)).render(painter)
    painter.end()
    return pixels_of(image)


def blocks(pixels: np.ndarray) -> np.ndarray:
    """Mean colour of every block."""
    height, width = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
    parts = channels(pixels)[: height * BLOCK, : width * BLOCK].reshape(height, BLOCK, width, BLOCK, 3)
    return parts.mean(axis=(1, 3))


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Cosine between two changes of a picture: 1 where the same changed in the same way."""
    return float((one * other).sum() / (np.linalg.norm(one) * np.linalg.norm(other)))


EVERYTHING = frozenset(Layer)
SHOWN_AS_VALUES = (Layer.LEVELS, Layer.DIFFERENCE)
ON_A_GRID = [layer for layer in Layer if layer not in (Layer.LESSON, *SHOWN_AS_VALUES)]
IN_A_LESSON = [Layer.EDGES, Layer.FRONTIER, Layer.PATH, Layer.MARKERS, Layer.LESSON]
IN_A_FIGURE = [Layer.VISITED, Layer.BANDS, Layer.TREE]  # a lesson draws these its own way
CASES = [
    *((grid_state, most, EVERYTHING, layer) for most in (100, 50_000) for layer in ON_A_GRID),
    *((figure_state, 50_000, EVERYTHING, layer) for layer in IN_A_LESSON),
    *((figure_state, 50_000, EVERYTHING - {Layer.LESSON}, layer) for layer in IN_A_FIGURE),
]


@pytest.mark.parametrize(("make", "most", "layers", "layer"), CASES)
def test_a_layer_changes_the_drawing_as_it_changes_the_picture(tmp_path, monkeypatch, make, most, layers, layer):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    state = make()
    states = [with_layers(state, some) for some in (layers, layers - {layer})]
    on, off = (blocks(drawn(some)) for some in states)
    vector_on, vector_off = (blocks(written(some, tmp_path)) for some in states)
    picture, drawing = on - off, vector_on - vector_off
    assert np.linalg.norm(picture) > 40  # it is to be seen at all
    assert np.linalg.norm(drawing) == pytest.approx(np.linalg.norm(picture), rel=0.35)
    assert likeness(picture, drawing) > 0.9


@pytest.mark.parametrize(
    ("make", "most", "apart"), [(grid_state, 100, 0.2), (grid_state, 50_000, 6.0), (figure_state, 50_000, 0.5)]
)
def test_with_all_layers_drawing_and_picture_are_alike(tmp_path, monkeypatch, make, most, apart):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    difference = np.abs(blocks(drawn(make())) - blocks(written(make(), tmp_path)))
    assert difference.mean() < apart  # of 255; antialiasing and the fading of crowds are not the raster's
    assert ("<image" in (tmp_path / "p.svg").read_text()) == (most == 100)
