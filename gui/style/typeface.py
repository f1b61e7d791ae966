"""The typeface of the window, pictures and exports, which is shipped: texts are as wide on every machine.

Figures have one width. Characters that it lacks, such as those of other scripts, come from the fonts of the system.
"""

from __future__ import annotations

import logging
import re

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

import resources

log = logging.getLogger(__name__)

FOLDER = resources.FOLDER / "fonts"
SANS, MONO = "Tautline Sans", "Tautline Mono"
_FAMILIES = re.compile(r'font-family="[^"]*"')


def use_typeface(app: QGuiApplication) -> None:
    """Give the application the typeface, in the size that the desktop chose. Needed once."""
    if app.font().family() == SANS:
        return
    for path in sorted(FOLDER.glob("*.ttf")):
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            log.warning("Qt cannot read a bundled font; text uses a font of the system")
            log.debug("font that cannot be read: %s", path)
    app.setFont(with_true_widths(_in_family(app.font(), SANS, QFont.StyleHint.SansSerif)))


def mono_font(scale: float = 1.0) -> QFont:
    """The font of program text, ``scale`` times the application's size."""
    font = _in_family(QFont(), MONO, QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(font.pointSizeF() * scale)
    return font


def with_true_widths(font: QFont) -> QFont:
    """``font`` with widths that the system's settings do not round to whole pixels."""
    result = QFont(font)
    result.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return result


def in_typeface(svg: str) -> str:
    """An SVG document as Qt shall draw it, which does not understand lists of families."""
    return _FAMILIES.sub(f'font-family="{SANS}"', svg)


def _in_family(font: QFont, family: str, hint: QFont.StyleHint) -> QFont:
    result = QFont(font)
    result.setFamily(family)
    result.setStyleHint(hint)
    return result
