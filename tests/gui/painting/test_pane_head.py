"""Heads of panes and the card beside the pointer: texts and where they have room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QPointF, QSize
from PySide6.QtGui import QFont, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.painting.annotations import draw_hover_card
from gui.painting.pane_head import PaneHead, progress_texts
from gui.style.text import short_title
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import all_variants, find_variant
from solvers.picture.colours import LIGHT
from solvers.picture.scene.camera import Camera
from tests.gui.pictures import painted


def svg_texts(
    size: tuple[int, int], paint: Callable[[QPainter], object]
) -> list[ElementTree.Element]:
    """The texts of a picture."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(*size))
    with QPainter(generator) as painter:
        paint(painter)
    nodes = ElementTree.fromstring(bytes(buffer.data().data())).iter()
    return [node for node in nodes if node.tag.endswith("text")]


def text_of(node: ElementTree.Element) -> str:
    return "".join(node.itertext()).strip()


@pytest.mark.parametrize("x", [75.0, 150.0])
def test_a_card_beside_the_pointer_is_not_cut_off_at_the_left_of_a_narrow_pane(x: float) -> None:
    camera, rows = (
        Camera(0.0, 0.0, 1.0, 160.0, 80.0),
        [("vertex", "12345678"), ("distance", "12 345 678")],
    )
    pixels = painted(
        (160, 80), lambda p: draw_hover_card(p, QPointF(x, 40.0), rows, camera, LIGHT, ring=False)
    )
    assert abs(int(np.flatnonzero(pixels.any(axis=0))[0]) - 4) <= 1


def trace_of_length(iterations: int) -> ActivityTrace:
    recorder = TraceRecorder(4)
    for k in range(iterations):
        recorder.iteration(np.array([k % 4]), 4, 1, 1.0)
    return recorder.finish()


def test_the_texts_say_less_and_less() -> None:
    assert progress_texts(trace_of_length(3000), 1199, 1200.0, False) == (
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000",
        "1\u202f200 of 3\u202f000",
        "1\u202f200",
    )
    assert (
        progress_texts(trace_of_length(3000), 2999, None, True)[0]
        == "iteration 3\u202f000 of 3\u202f000, done"
    )


def texts_of(head: PaneHead, width: float) -> list[str]:
    """Texts that a header draws, progress first."""
    return [
        text_of(node)
        for node in svg_texts((round(width), 28), lambda painter: head.paint(painter, width, LIGHT))
    ]


@pytest.mark.parametrize("width", [1280 / 3, 853 / 2, 853 / 3])
def test_no_title_is_elided_on_a_slide_of_two_three_or_four_panes(width: float) -> None:
    progress = progress_texts(trace_of_length(3000), 1199, None, False)
    for variant in all_variants():
        head = PaneHead(variant.id, variant.full_title, progress, True, short_title(variant))
        shown, title = texts_of(head, width)
        assert title in (variant.full_title, short_title(variant))
        assert "1\u202f200" in shown


def test_a_whole_title_goes_before_a_long_progress() -> None:
    variant = find_variant("dijkstra-heap")
    head = PaneHead(
        variant.id,
        variant.full_title,
        progress_texts(trace_of_length(3000), 1199, 1200.0, False),
        True,
        "Dij.",
    )
    assert texts_of(head, 900.0) == [
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s",
        variant.full_title,
    ]
    assert texts_of(head, 270.0)[1] == variant.full_title
    assert texts_of(head, 150.0)[1] == "Dij."


def test_headers_can_share_the_type_size_of_the_longest() -> None:
    """On half a slide the four headers had three sizes."""
    font, progress = QFont(), progress_texts(trace_of_length(3000), 1199, None, False)
    long, short = (
        PaneHead(v.id, v.full_title, progress, True, short_title(v))
        for v in map(find_variant, ("bf-edge-flags-shared", "dijkstra-heap"))
    )
    least = long.points_in(font, 260.0)
    assert least < short.points_in(font, 260.0)
    assert replace(short, most_points=least).points_in(font, 260.0) == least
