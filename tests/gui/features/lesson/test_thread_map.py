"""Which thread does what, as the card of a variant draws it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from gui.features.lesson.thread_map import CAPTION_TOP, DataShape, ThreadMapView, thread_map
from gui.style.paint import scaled_font
from gui.window import MainWindow
from solvers.core.variant import WorkMapping


@pytest.fixture
def view(qtbot: QtBot) -> ThreadMapView:
    view = ThreadMapView()
    qtbot.addWidget(view)
    return view


def test_the_card_has_the_drawing_that_the_selected_variant_declares(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.parts.session.results.select("apsp-frontier")
    (diagram,) = window.card.findChildren(ThreadMapView)
    wanted = "One block of threads per source; each fills its row"
    qtbot.waitUntil(lambda: diagram.map.caption == wanted)
    assert diagram.map.workers == ("b0", "b1", "b2", "b3")


@pytest.mark.parametrize("mapping", WorkMapping)
def test_every_mapping_is_drawn(mapping: WorkMapping) -> None:
    drawing = thread_map(mapping)
    assert drawing.caption == mapping.value
    pieces = drawing.pieces**2 if drawing.shape is DataShape.MATRIX else drawing.pieces
    handled = {piece for _, piece in drawing.links}
    assert handled | set(drawing.idle) == set(range(pieces)), "each piece is someone's, or idle"
    assert not handled & set(drawing.idle)
    assert {worker for worker, _ in drawing.links} <= set(range(len(drawing.workers)))


def test_different_mappings_have_different_pictures(view: ThreadMapView) -> None:
    view.resize(280, 140)
    seen: dict[bytes, WorkMapping] = {}
    for mapping in WorkMapping:
        view.show_map(dataclasses.replace(thread_map(mapping), caption=""))
        image = view.grab().toImage()
        pixels = bytes(image.constBits())
        assert pixels not in seen, f"{mapping} looks like {seen[pixels]}"
        seen[pixels] = mapping


@pytest.mark.parametrize("width", [120, 200, 280])
@pytest.mark.parametrize("mapping", WorkMapping)
def test_a_caption_is_shown_whole(view: ThreadMapView, mapping: WorkMapping, width: int) -> None:
    view.show_map(thread_map(mapping))
    height = view.heightForWidth(width)
    words = QRect(0, 0, width, 1000)
    flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    needed = QFontMetrics(scaled_font(view.font(), 0.9)).boundingRect(words, flags, mapping.value)
    assert needed.width() <= width
    assert CAPTION_TOP + needed.height() <= height
    assert view.accessibleName() == mapping.value


def test_the_thread_map_is_as_large_as_the_type(
    view: ThreadMapView, type_of: Callable[[int], None]
) -> None:
    """Its boxes kept their size, and labels in large type ran over them."""
    view.show_map(dataclasses.replace(thread_map(WorkMapping.THREAD_PER_VERTEX), caption=""))
    view.resize(600, 300)
    drawn = []
    for percent in (100, 150):
        type_of(percent)
        pixels = view.grab().toImage()
        ground = pixels.pixelColor(599, 299)
        rows = [
            y
            for y in range(300)
            if any(pixels.pixelColor(x, y) != ground for x in range(0, 500, 3))
        ]
        drawn.append(max(rows))
    assert drawn[1] == pytest.approx(1.5 * drawn[0], abs=3)
    assert view.heightForWidth(600) >= 1.5 * CAPTION_TOP
