"""Icons are drawn once for all windows, in the colours that are asked for."""

from __future__ import annotations

from PySide6.QtGui import QColor

from gui.style.common_widgets import dot_icon
from gui.style.icons import icon

RED, GREEN = "#cc0000", "#00cc00"


def test_windows_share_the_pixels_of_an_icon() -> None:
    """Otherwise each window leaves copies of all its icons in Qt's pixmap cache."""
    assert icon("open", RED).cacheKey() == icon("open", RED).cacheKey()
    assert icon("open").cacheKey() == icon("open").cacheKey()
    assert dot_icon(QColor(RED)).cacheKey() == dot_icon(QColor(RED)).cacheKey()


def test_another_colour_is_another_icon() -> None:
    assert icon("open", RED).cacheKey() != icon("open", GREEN).cacheKey()
    assert dot_icon(QColor(RED)).pixmap(14, 14).toImage().pixelColor(7, 7) == QColor(RED)
    assert dot_icon(QColor(GREEN)).pixmap(14, 14).toImage().pixelColor(7, 7) == QColor(GREEN)
