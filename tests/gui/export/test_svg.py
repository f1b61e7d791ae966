"""SVG: the layers that the picture shows, text without Qt's fonts, and copied elements
under ids of their own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from gui.export import composition, svg
from gui.export.composition import PictureState
from gui.export.page import Page
from gui.export.picture import draw_image, export_picture
from gui.export.svg import copy_content, copy_whole, portable
from gui.model.samples import FOLDER as SAMPLES
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.variant import find_variant
from solvers.errors import Cancelled
from solvers.features.closed_roads.marks import road_marks
from solvers.features.prominence.roads import Prominence
from solvers.graphs.readers import read_graph
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.levels import LevelView, level_picture
from solvers.picture.scene.paths import PathTree
from solvers.picture.scene.scene import build_scene
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests.gui.export.drawn import pixels_of, rendered
from tests.gui.pictures import channels, content_of, street_grid, trace_of
from tests.quick import first_quick
from tests.solvers.running.requests import TRACE_ONLY

WORDS = 'Bellman-Ford "edge" & <flags>'


@pytest.fixture
def text(qapp: QApplication) -> ET.Element:
    """The text element of a document with one text, of 12 pixels in the alias "Sans Serif"."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    font = QFont("Sans Serif")
    font.setPixelSize(12)
    painter = QPainter(generator)
    painter.setFont(font)
    painter.drawText(10, 20, f"{WORDS}\x01")
    painter.end()
    root = ET.fromstring(portable(bytes(buffer.data().data())))
    (found,) = (
        element for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text
    )
    return found


def test_a_text_names_real_families_and_one_that_every_program_has(text: ET.Element) -> None:
    """Browsers showed exported charts and pictures in a serif face."""
    families = text.attrib["font-family"].split(", ")
    assert families[-1] == "sans-serif"
    assert "Sans Serif" not in families
    assert len(set(families)) == len(families) > 3


def test_a_text_is_as_wide_in_every_face(text: ET.Element) -> None:
    """Names right of which a chart begins ended up to 40 pixels before it."""
    font = QFont("Sans Serif")
    font.setPixelSize(12)
    assert float(text.attrib["textLength"]) == pytest.approx(
        QFontMetricsF(font).horizontalAdvance(WORDS), rel=0.05
    )
    assert text.attrib["lengthAdjust"] == "spacingAndGlyphs"
    assert text.text == WORDS


NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
DOCUMENT = f"""<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg width="9mm" {NAMES}>
<title>tit &amp; le</title>
<defs><linearGradient id="gradient1"><stop offset="0"/></linearGradient></defs>
<g fill="url(#gradient1)" stroke="#000000"><rect width="5"/>
<use xlink:href="#gradient1"/><image width="1" xlink:href="data:image/png;base64,AAAA"/>
<text xml:space="preserve">url(#gradient1) &lt;&amp;&gt;  “q”</text></g>
</svg>
"""


def copied(prefix: str) -> ElementTree.Element:
    """What was copied, within a root of its own."""
    texts: list[str] = []
    copy_content(DOCUMENT.encode(), texts.append, prefix, SILENT)
    return ElementTree.fromstring(f"<svg {NAMES}>{''.join(texts)}</svg>")


def test_without_a_prefix_the_content_is_the_same() -> None:
    original = ElementTree.fromstring(DOCUMENT)
    # but for root and title
    found, expected = list(copied("").iter())[1:], list(original.iter())[2:]
    assert [(e.tag, e.attrib, e.text) for e in found] == [
        (e.tag, e.attrib, e.text) for e in expected
    ]


def test_ids_and_what_refers_to_them_are_renamed_and_nothing_else() -> None:
    plain, renamed = list(copied("").iter()), list(copied("part7-").iter())
    changed = {
        (one.get(key), other.get(key))
        for one, other in zip(plain, renamed, strict=True)
        for key in one.attrib
        if one.get(key) != other.get(key)
    }
    assert changed == {
        ("gradient1", "part7-gradient1"),
        ("url(#gradient1)", "url(#part7-gradient1)"),
        ("#gradient1", "#part7-gradient1"),
    }
    assert [e.text for e in plain] == [e.text for e in renamed]


def test_an_image_is_put_in_the_place_of_that_in_the_document() -> None:
    texts: list[str] = []
    copy_whole(
        DOCUMENT.encode(), texts.append, lambda: texts.append("data:image/png;base64,BBBB"), SILENT
    )
    root = ElementTree.fromstring("".join(texts).split("?>", 1)[1] + "</svg>")
    assert [
        e.get("{http://www.w3.org/1999/xlink}href") for e in root.iter() if e.tag.endswith("image")
    ] == ["data:image/png;base64,BBBB"]
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "tit & le"


def test_cancel_is_heard_between_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg, "_CHUNK", 16)
    token = CancelToken()
    with pytest.raises(Cancelled):
        copy_whole(DOCUMENT.encode(), lambda text: token.cancel(), None, Progress(token))


PAGE = Page(720, 540, 96)
COLUMNS, ROWS = 60, 40
# pixels whose mean is compared: strokes may lie a fraction of a pixel beside the
# raster's
BLOCK = 12


def grid_state() -> PictureState:
    """A street grid with a path, a frontier, a cycle and a tree: all but a lesson, for
    which it is too large, with separators marked.
    """
    graph = street_grid(COLUMNS, ROWS)
    vertices = np.arange(graph.n)
    column, row = vertices % COLUMNS, vertices // COLUMNS
    before = np.where(column > 0, vertices - 1, vertices - COLUMNS).astype(np.int32)
    before[0] = -1
    trace = trace_of(
        graph.n, [np.flatnonzero(column + row == k).tolist() for k in range(COLUMNS + ROWS - 1)]
    )
    cycle = (305, 306, 307, 367, 427, 426, 425, 365)
    content = content_of(
        graph,
        trace=trace,
        answer=(column + row).astype(np.int32),
        position=60,
        source=0,
        target=1515,
        path=np.arange(1500, 1516, dtype=np.int32),
        cycle=cycle,
        layers=frozenset(Layer),
        tree=PathTree(before),
    )
    picture = level_picture(levels_of(graph), content.scene)
    closed = np.arange(COLUMNS * 12, COLUMNS * 13 - 1)
    ends = np.column_stack((closed, closed + 1)).astype(np.int32)
    marks = road_marks(ends, np.where(closed % 2, np.inf, 3.0), np.zeros(len(ends), np.bool_))
    great = np.where(
        graph.tails // COLUMNS == graph.indices // COLUMNS, graph.tails // COLUMNS % 5 == 2, False
    )
    prominence = Prominence(graph, np.where(great, 255, 60).astype(np.uint8))
    content = replace(
        content, levels=LevelView(picture, 0, 7), road_marks=marks, prominence=prominence
    )
    return PictureState(content, content.scene.bounds)


def figure_state() -> PictureState:
    """The textbook graph, whose arcs are drawn one by one, in the middle of a run."""
    graph = read_graph(SAMPLES / "textbook.gr").graph
    entry = find_variant("bf-python")
    (result,) = run(
        RunRequest(
            graph, 0, graph.n - 1, (Choice(entry, entry.settle({})),), None, TRACE_ONLY, trace=True
        )
    )
    activity = Activity(graph.n, result.distances, result.trace)
    tree = PathTree(result.predecessors)
    scene = build_scene(graph)
    content = PictureContent(
        scene, activity, activity.last, 0, graph.n - 1, result.path, (), frozenset(Layer), tree
    )
    return PictureState(content, scene.bounds)


def with_layers(state: PictureState, layers: frozenset[Layer]) -> PictureState:
    return replace(state, content=replace(state.content, layers=layers))


def drawn(state: PictureState) -> np.ndarray:
    return pixels_of(draw_image(state, PAGE))


def written(state: PictureState, folder: Path) -> np.ndarray:
    """The SVG of a state, drawn again by Qt."""
    return rendered(export_picture(folder / "p.svg", state, PAGE), PAGE.width, PAGE.height)


def blocks(pixels: np.ndarray) -> np.ndarray:
    """Mean colour of every block."""
    height, width = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
    parts = channels(pixels)[: height * BLOCK, : width * BLOCK].reshape(
        height, BLOCK, width, BLOCK, 3
    )
    return parts.mean(axis=(1, 3))


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Cosine between two changes of a picture: 1 where the same changed in the same way."""
    return float((one * other).sum() / (np.linalg.norm(one) * np.linalg.norm(other)))


def both_ways(state: PictureState, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of the picture and of the drawing."""
    return blocks(drawn(state)), blocks(written(state, folder))


# blocks of each case with no layer left out
WITH_ALL: dict[Any, tuple[np.ndarray, np.ndarray]] = {}
EVERYTHING = frozenset(Layer)
SHOWN_AS_VALUES = (Layer.LEVELS, Layer.DIFFERENCE)
NO_ROADS = Layer.NAMES  # which a grid has none of


def ended_state() -> PictureState:
    """The same at the end of the run, where the path is known."""
    state = grid_state()
    return state.at(state.length - 1)


def state_with(layer: Layer) -> Callable[[], PictureState]:
    return ended_state if layer is Layer.PATH else grid_state


ON_A_GRID = [layer for layer in Layer if layer not in (Layer.SO_FAR, NO_ROADS, *SHOWN_AS_VALUES)]
IN_A_LESSON = [Layer.EDGES, Layer.FRONTIER, Layer.PATH, Layer.MARKERS, Layer.SO_FAR]
IN_A_FIGURE = [Layer.VISITED, Layer.BANDS, Layer.TREE]  # a lesson draws these its own way
CASES = [
    *((state_with(layer), 50_000, EVERYTHING, layer) for layer in ON_A_GRID),
    *((figure_state, 50_000, EVERYTHING, layer) for layer in IN_A_LESSON),
    *((figure_state, 50_000, EVERYTHING - {Layer.SO_FAR}, layer) for layer in IN_A_FIGURE),
    (grid_state, 100, EVERYTHING, Layer.EDGES),
    *(
        (state_with(layer), 100, EVERYTHING, layer)
        for layer in ON_A_GRID
        if layer is not Layer.EDGES
    ),
]


@pytest.mark.parametrize(
    ("make", "most", "layers", "layer"), first_quick(CASES, len(CASES) - len(ON_A_GRID) + 1)
)
def test_a_layer_changes_the_drawing_as_it_changes_the_picture(
    tmp_path, monkeypatch, make, most, layers, layer
):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    case = make, most, layers
    if case not in WITH_ALL:
        WITH_ALL[case] = both_ways(with_layers(make(), layers), tmp_path)
    without = both_ways(with_layers(make(), layers - {layer}), tmp_path)
    picture, drawing = (on - off for on, off in zip(WITH_ALL[case], without, strict=True))
    assert np.linalg.norm(picture) > 40  # it is to be seen at all
    assert np.linalg.norm(drawing) == pytest.approx(np.linalg.norm(picture), rel=0.35)
    assert likeness(picture, drawing) > 0.9


@pytest.mark.parametrize(
    ("make", "most", "apart"),
    [(grid_state, 100, 0.2), (grid_state, 50_000, 6.0), (figure_state, 50_000, 0.5)],
)
def test_with_all_layers_drawing_and_picture_are_alike(tmp_path, monkeypatch, make, most, apart):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    difference = np.abs(blocks(drawn(make())) - blocks(written(make(), tmp_path)))
    # of 255; antialiasing and the fading of crowds are not the raster's
    assert difference.mean() < apart
    assert ("<image" in (tmp_path / "p.svg").read_text()) == (most == 100)
