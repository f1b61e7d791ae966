"""Text of SVG documents for programs without Qt's fonts."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from gui.export.svg import portable

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
    (found,) = (element for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text)
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
    assert float(text.attrib["textLength"]) == pytest.approx(QFontMetricsF(font).horizontalAdvance(WORDS), rel=0.05)
    assert text.attrib["lengthAdjust"] == "spacingAndGlyphs"
    assert text.text == WORDS
