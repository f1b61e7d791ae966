"""Text of SVG documents that Qt has written, for programs without Qt's fonts.

Qt names the family that it was asked for, often an alias such as "Sans Serif" that only Linux desktops know, and places
texts by their widths in that family. Elsewhere they would be set in another face, and right-aligned ones would not end
where they should.
"""

from __future__ import annotations

import re
from functools import cache
from html import unescape

from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage

from gui.export.page import SCREEN_DPI

_FALLBACKS = ("DejaVu Sans", "Verdana", "Segoe UI", "Helvetica", "Arial")
_FORBIDDEN = bytes(code for code in range(32) if code not in b"\t\n\r")
_FAMILY = re.compile(rb'font-family="([^"]*)"')
_TEXT = re.compile(rb"<text ([^>]*)>([^<]*)</text>")
_POINTS_PER_INCH, _INCHES_PER_METRE = 72.0, 39.3701


def portable(document: bytes) -> bytes:
    """``document`` with fonts and widths of texts that other programs understand, and without control characters.

    Every text gets the width that it has here (``textLength``), and a list of families, the last of which every program
    has. XML forbids the control characters, which Qt passes on from texts.
    """
    document = document.translate(None, _FORBIDDEN)
    document = _TEXT.sub(_with_length, document)
    return _FAMILY.sub(lambda found: b'font-family="%s"' % _families(found[1].decode()).encode(), document)


@cache
def _families(asked: str) -> str:
    """The family that Qt takes for ``asked``, and others like it."""
    taken = QFontInfo(QFont(unescape(asked))).family().replace("'", "")
    names = dict.fromkeys((taken, *_FALLBACKS))
    return ", ".join((*(f"'{name}'" if " " in name else name for name in names), "sans-serif"))


def _with_length(found: re.Match[bytes]) -> bytes:
    attributes, words = found[1], unescape(found[2].decode())
    if len(words) < 2:
        return found[0]
    width = QFontMetricsF(_font(attributes.decode()), _paper()).horizontalAdvance(words)
    return b'<text %s textLength="%.3f" lengthAdjust="spacingAndGlyphs">%s</text>' % (attributes, width, found[2])


@cache
def _font(attributes: str) -> QFont:
    """The font of a text element; Qt writes sizes in units of `SCREEN_DPI` to the inch."""
    values = dict(re.findall(r'font-(family|size|weight|style)="([^"]*)"', attributes))
    font = QFont(unescape(values.get("family", "")))
    font.setPointSizeF(float(values.get("size", 12.0)) * _POINTS_PER_INCH / SCREEN_DPI)
    font.setWeight(QFont.Weight(int(values.get("weight", 400))))
    font.setItalic(values.get("style") == "italic")
    return font


@cache
def _paper() -> QImage:
    """A paint device with the resolution of the documents."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(SCREEN_DPI * _INCHES_PER_METRE))
    image.setDotsPerMeterY(round(SCREEN_DPI * _INCHES_PER_METRE))
    return image
