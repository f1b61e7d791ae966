"""The typeface: every machine sets texts as wide, whatever fonts it has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QApplication

from gui.style.text import MONO, SANS, mono_font

PROGRAM = """
import hashlib
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from gui.app import make_application
from gui.style.text import mono_font

app = make_application()
text = "Δ-stepping: 1,234 arcs relaxed → 3.14 ms"
for base in (QFont(), mono_font()):
    for weight in (QFont.Weight.Normal, QFont.Weight.DemiBold, QFont.Weight.Bold):
        font = QFont(base)
        font.setWeight(weight)
        image = QImage(400, 40, QImage.Format.Format_RGB32)
        image.fill("white")
        with QPainter(image) as painter:
            painter.setFont(font)
            painter.drawText(4, 25, text)
        metrics = QFontMetricsF(font)
        pixels = hashlib.sha256(bytes(image.constBits())).hexdigest()
        print(metrics.horizontalAdvance(text), metrics.height(), pixels)
"""
NO_FONTS = "<fontconfig><dir>{0}/none</dir><cachedir>{0}/cache</cachedir></fontconfig>"


def test_the_application_and_program_text_are_set_in_it(qapp: QApplication) -> None:
    assert QFontInfo(QFont()).family() == QFontInfo(qapp.font()).family() == SANS
    assert QFontInfo(mono_font()).family() == MONO


@pytest.mark.parametrize("weight", [QFont.Weight.Normal, QFont.Weight.DemiBold, QFont.Weight.Bold])
def test_figures_have_one_width_without_asking(weight: QFont.Weight) -> None:
    """Numbers in columns, and counters that run, would shift otherwise."""
    font = QFont()
    font.setWeight(weight)
    assert QFontInfo(font).weight() == weight
    assert len({QFontMetricsF(font).horizontalAdvance(figure * 4) for figure in "0123456789"}) == 1


@pytest.mark.slow  # starts two windows
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere fonts are not those of fontconfig")
def test_texts_are_the_same_without_any_font_of_the_system(tmp_path: Path) -> None:
    """Layouts that fitted did not where a browser had brought Noto."""
    config = tmp_path / "fonts.conf"
    config.write_text(NO_FONTS.format(tmp_path), encoding="utf-8")
    with_fonts, without = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for environment in ({}, {"FONTCONFIG_FILE": str(config)})
    )
    assert len(without.splitlines()) == 6
    assert without == with_fonts
