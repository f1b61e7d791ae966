"""One picture by every painter: what window, vector export and notebook draw of a close view
lies in the same places, and pixels of QPainter and Pillow are alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from gui.export.svg import svg_document
from gui.painting.picture import paint_graph, paint_view, view_of
from solvers.features.notebooks.picture import RATIO
from solvers.features.notebooks.picture import Picture as NotebookPicture
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import TextStyle
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.scene.content import PictureContent
from tests.gui.export.drawn import rendered
from tests.gui.pictures import channels, content_of, graph_of, street_grid, textbook, watched

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_SHIFTS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def weighted() -> PictureContent:
    """Bent arcs, one of both directions, a loop and a path around a vertex."""
    arcs = [(0, 1, 2), (1, 0, 5), (1, 2, 1), (2, 1, 1), (0, 3, 4), (3, 3, 1), (0, 2, 9)]
    places = [(0, 0), (4, 0), (8, 0), (4, 3)]
    path = np.array([0, 2], np.int32)
    return content_of(graph_of(arcs, places), source=0, target=2, path=path)


CONTENTS: dict[str, Callable[[], PictureContent]] = {
    "arcs": weighted,
    "lesson": lambda: replace(watched(textbook(), "dijkstra-heap"), position=2),
    "path": lambda: watched(textbook(), "dijkstra-heap"),
}


def marks_of(document: str) -> dict[str, np.ndarray]:
    """Places of texts (left end and baseline), discs and ends of strokes in an SVG, sorted."""
    found: dict[str, list[tuple[float, ...]]] = {"texts": [], "discs": [], "strokes": []}
    sizes = PillowTextSizes()
    for node in ElementTree.fromstring(document).iter():
        kind, text = node.tag.rpartition("}")[2], "".join(node.itertext()).strip()
        if kind == "text":
            style = TextStyle(int(float(node.get("font-size", "12"))))
            shift = _SHIFTS[node.get("text-anchor", "start")] * sizes.width(text, style)
            x, y = float(node.get("x", 0)), float(node.get("y", 0))
            found["texts"].append((sum(map(ord, text)), x - shift, y))
        elif kind in ("circle", "ellipse"):
            radius = node.get("r") or node.get("rx") or "0"
            found["discs"].append(
                (float(node.get("cx", 0)), float(node.get("cy", 0)), float(radius))
            )
        elif kind == "path":
            numbers = [float(number) for number in _NUMBER.findall(node.get("d", ""))]
            if numbers[:2] != numbers[-2:]:  # no rectangle with round corners
                found["strokes"].append((*numbers[:2], *numbers[-2:]))
    return {kind: np.array(sorted(places)) for kind, places in found.items()}


@pytest.mark.parametrize("name", CONTENTS)
def test_vector_export_and_notebook_have_strokes_discs_and_texts_in_the_same_places(name: str):
    """The notebook bent arcs, set heads and placed weights by numbers of its own."""
    picture = NotebookPicture(CONTENTS[name](), [])
    frame, camera, content = picture._frame, picture._camera, picture.content
    assert frame.detail is not None

    def paint(painter: QPainter) -> None:
        view = view_of(painter, frame, camera, content, LIGHT)
        paint_view(painter, view, lambda shown: overlay_marks(shown, frame))

    page = QRectF(0.0, 0.0, camera.width, camera.height)
    export = marks_of(svg_document(page, "", paint).decode())
    notebook = marks_of(picture.svg())
    for kind, places in export.items():
        ours = places[places[:, -1] < camera.height]
        theirs = notebook[kind][notebook[kind][:, 2 if kind == "texts" else 1] < camera.height]
        assert len(ours) == len(theirs) > 2, kind
        np.testing.assert_allclose(ours, theirs, atol=1.5, err_msg=kind)


@pytest.mark.parametrize(
    ("name", "tokens"), [*((name, LIGHT) for name in CONTENTS), ("path", DARK)]
)
def test_the_window_and_the_notebook_have_the_same_pixels(name: str, tokens: Tokens):
    picture = NotebookPicture(CONTENTS[name](), [], dark=tokens.dark)
    frame, camera = picture._frame, picture._camera
    height, width = frame.pixels.shape
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(RATIO)
    with QPainter(image) as painter:
        paint_graph(painter, frame, camera, picture.content, tokens)
    window = np.frombuffer(image.constBits(), np.uint8).reshape(height, width, 4)[..., 2::-1]
    notebook = np.asarray(picture.image)[:height]
    apart = np.abs(window.astype(int) - notebook).max(axis=-1)
    assert apart.mean() < 2.0
    assert (apart > 100).mean() < 0.005, "letters alone differ, by the rounding of their places"
    drawn = (np.abs(notebook - notebook[0, 0].astype(int)).max(axis=-1) > 30).mean()
    assert drawn > 0.02


def test_the_vectors_of_a_notebook_are_its_pixels(tmp_path: Path):
    """Roads were an image in the SVG of a notebook."""
    graph = street_grid(24, 16)
    hops = (np.arange(graph.n) % 24 + np.arange(graph.n) // 24).astype(np.int32)
    path = np.arange(24, dtype=np.int32)
    content = content_of(graph, answer=hops, source=0, target=23, path=path)
    picture = NotebookPicture(content, ["a grid"])
    (tmp_path / "p.svg").write_text(picture.svg(), "utf-8")
    assert "<image" not in picture.svg()
    pixels = np.asarray(picture.image).astype(int)
    height, width = pixels.shape[:2]
    drawing = channels(rendered(tmp_path / "p.svg", width, height))
    parts = [
        part[: height // 24 * 24, : width // 24 * 24]
        .reshape(height // 24, 24, width // 24, 24, 3)
        .mean(axis=(1, 3))
        for part in (pixels, drawing)
    ]
    apart = np.abs(parts[0] - parts[1])
    assert apart.mean() < 3.0
    assert apart.max() < 60.0
