"""Headers of panes: the progress text gets shorter with the room, and is elided rather than cut."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.painting.pane_head import PaneHead, progress_texts
from gui.style.colours import LIGHT
from gui.style.text import fitting_text, short_title
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import all_variants, find_variant


def trace_of(iterations: int) -> ActivityTrace:
    recorder = TraceRecorder(4)
    for k in range(iterations):
        recorder.iteration(np.array([k % 4]), 4, 1, 1.0)
    return recorder.finish()


def test_the_texts_say_less_and_less() -> None:
    assert progress_texts(trace_of(3000), 1199, 1200.0, False) == (
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s", "1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000", "1\u202f200 of 3\u202f000", "1\u202f200",
    )  # fmt: skip
    assert progress_texts(trace_of(3000), 2999, None, True)[0] == "iteration 3\u202f000 of 3\u202f000, done"


def test_the_longest_text_that_fits_is_shown() -> None:
    metrics = QFontMetricsF(QFont())
    texts = ("iteration 1\u202f200 of 3\u202f000", "1\u202f200 of 3\u202f000", "1\u202f200")
    for text in texts:
        assert fitting_text(texts, metrics, metrics.horizontalAdvance(text)) == text


def test_a_text_that_does_not_fit_is_elided() -> None:
    metrics = QFontMetricsF(QFont())
    room = metrics.horizontalAdvance("1,2…") + 1.0
    elided = fitting_text(("1\u202f200 of 3\u202f000", "1\u202f200"), metrics, room, Qt.TextElideMode.ElideRight)
    assert elided.startswith("1")
    assert elided.endswith("…")
    assert metrics.horizontalAdvance(elided) <= room


def texts_of(head: PaneHead, width: float) -> list[str]:
    """Texts that a header draws, progress first."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(round(width), 28))
    painter = QPainter(generator)
    head.paint(painter, width, LIGHT)
    painter.end()
    root = ElementTree.fromstring(bytes(buffer.data().data()))
    return ["".join(node.itertext()).strip() for node in root.iter() if node.tag.endswith("text")]


@pytest.mark.parametrize("width", [1280 / 3, 853 / 2, 853 / 3])
def test_no_title_is_elided_on_a_slide_of_two_three_or_four_panes(width: float) -> None:
    progress = progress_texts(trace_of(3000), 1199, None, False)
    for variant in all_variants():
        head = PaneHead(variant.id, variant.full_title, progress, True, short_title(variant))
        shown, title = texts_of(head, width)
        assert title in (variant.full_title, short_title(variant))
        assert "1\u202f200" in shown


def test_a_whole_title_goes_before_a_long_progress() -> None:
    variant = find_variant("dijkstra-heap")
    head = PaneHead(variant.id, variant.full_title, progress_texts(trace_of(3000), 1199, 1200.0, False), True, "Dij.")
    assert texts_of(head, 900.0) == ["iteration 1\u202f200 of 3\u202f000  ·  1.20 s", variant.full_title]
    assert texts_of(head, 270.0)[1] == variant.full_title
    assert texts_of(head, 150.0)[1] == "Dij."


def test_headers_can_share_the_type_size_of_the_longest() -> None:
    """On half a slide the four headers had three sizes."""
    font, progress = QFont(), progress_texts(trace_of(3000), 1199, None, False)
    long, short = (
        PaneHead(v.id, v.full_title, progress, True, short_title(v))
        for v in map(find_variant, ("bf-edge-flags-shared", "dijkstra-heap"))
    )
    least = long.points_in(font, 260.0)
    assert least < short.points_in(font, 260.0)
    assert replace(short, most_points=least).points_in(font, 260.0) == least
