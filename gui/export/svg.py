"""Streaming SVG writer: vectors by Qt's generator, with one large raster embedded band by band.

Qt encodes an image in one call, which for large pictures takes seconds without a chance
to cancel, and memory for the whole image. Therefore a single pixel is drawn as a
placeholder, and the real image replaces it in the file, band by band.

Qt does not write clip paths either. Therefore content that must be clipped to a part of
the page is drawn as a separate document and embedded as a symbol clipped to its
rectangle.

The text is made portable: Qt names the family alone, which other machines do not have,
and places texts by their widths in it. Right-aligned ones would not end where they
should in another face.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import BinaryIO
from xml.parsers.expat import ParserCreate

from PySide6.QtCore import QBuffer, QRectF
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.export.encoders import write_png
from gui.export.page import SCREEN_DPI, Page
from gui.style.text import with_true_widths
from solvers.system.array_types import UInt32s
from solvers.system.cancel import SILENT, Progress

_BAND_PIXELS = 2_000_000

_CHUNK = 1 << 18  # bytes parsed between two cancellation checks
_HEAD = {"svg", "title", "desc"}  # elements of the document itself, not of its content

_FALLBACKS = ("Inter", "DejaVu Sans", "Verdana", "Segoe UI", "Helvetica", "Arial")
_FORBIDDEN = bytes(code for code in range(32) if code not in b"\t\n\r")
_FAMILY = re.compile(rb'font-family="([^"]*)"')
_TEXT = re.compile(rb"<text ([^>]*)>([^<]*)</text>")
_POINTS_PER_INCH, _INCHES_PER_METRE = 72.0, 39.3701


@dataclass(frozen=True)
class RasterLayer:
    """The raster image below the vectors, at a place in logical pixels; its size is in pixels."""

    place: QRectF
    width: int
    height: int
    # ``rows(first, last, progress)`` gives rows ``first`` to ``last - 1``, (last -
    # first, width) premultiplied ARGB
    rows: Callable[[int, int, Progress], UInt32s]


@dataclass(frozen=True)
class Part:
    """Vectors clipped to a place on the page; ``paint`` takes logical pixels relative
    to its upper left corner.
    """

    place: QRectF
    paint: Callable[[QPainter], None]


def write_svg(
    path: Path,
    page: Page,
    title: str,
    ground: RasterLayer | None,
    parts: Sequence[Part],
    progress: Progress = SILENT,
) -> None:
    """Write ``parts`` over ``ground``, each over the previous ones; raises OSError, Cancelled."""
    whole = QRectF(0.0, 0.0, page.across, page.down)

    def paint_ground(painter: QPainter) -> None:
        if not page.transparent:
            painter.fillRect(whole, QColor(page.canvas_colour))
        if ground is not None:
            painter.drawImage(ground.place, QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied))

    with path.open("wb") as file:

        def write(text: str) -> None:
            file.write(text.encode())

        def put_image() -> None:
            assert ground is not None  # without it nothing draws an image
            write("data:image/png;base64,")
            coded = _Base64File(file)
            _write_png(coded, ground, page, progress)
            coded.finish()

        copy_whole(
            svg_document(whole, title, paint_ground, page.text_scale), write, put_image, progress
        )
        for number, part in enumerate(parts):
            progress.checkpoint()
            if part.place == whole:
                _write_content(part, number, write, progress)
            else:
                _write_cut(part, number, write, progress)
        write("</svg>\n")


def svg_document(
    place: QRectF, title: str, paint: Callable[[QPainter], None], enlarged: float = 1.0
) -> bytes:
    """SVG by Qt; programs place it ``enlarged`` times as large as its logical pixels are."""
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize((place.size() * enlarged).toSize())
    generator.setViewBox(QRectF(0.0, 0.0, place.width(), place.height()))
    generator.setResolution(round(SCREEN_DPI))
    generator.setTitle(title)
    with QPainter(generator) as painter:  # ended even if painting is cancelled, as Qt requires
        paint(painter)
    return portable(bytes(buffer.data().data()))


def _write_content(
    part: Part, number: int, write: Callable[[str], None], progress: Progress
) -> None:
    """Write the content of a part, with ids that are unique in the file."""
    copy_content(svg_document(part.place, "", part.paint), write, f"part{number}-", progress)


def _write_cut(part: Part, number: int, write: Callable[[str], None], progress: Progress) -> None:
    """Write a part clipped twice, as symbol and by path: Qt ignores clip paths, and
    librsvg does not clip symbols.
    """
    place = part.place
    size = f'width="{place.width():.3f}" height="{place.height():.3f}"'
    box = f'x="{place.x():.3f}" y="{place.y():.3f}" {size}'
    view = f'viewBox="0 0 {place.width():.3f} {place.height():.3f}" overflow="hidden"'
    write(
        "<defs>\n"
        f'<clipPath id="clip{number}"><rect {box}/></clipPath>\n'
        f'<symbol id="part{number}" {view}>\n'
    )
    _write_content(part, number, write, progress)
    write(
        "</symbol></defs>\n"
        f'<g clip-path="url(#clip{number})"><use xlink:href="#part{number}" {box}/></g>\n'
    )


def _write_png(file: _Base64File, ground: RasterLayer, page: Page, progress: Progress) -> None:
    rows = max(1, _BAND_PIXELS // ground.width)

    def bands() -> Iterator[UInt32s]:
        for first in range(0, ground.height, rows):
            progress.checkpoint(first, ground.height)
            yield ground.rows(first, min(ground.height, first + rows), progress)

    write_png(
        file,
        (ground.width, ground.height),
        bands(),
        page.dpi,
        transparent=page.transparent,
        progress=progress,
    )


class _Base64File:
    """Writes bytes as base64; they may arrive in pieces of any size."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._rest = b""

    def write(self, data: bytes) -> None:
        data = self._rest + data
        whole = len(data) - len(data) % 3
        self._file.write(base64.b64encode(data[:whole]))
        self._rest = data[whole:]

    def finish(self) -> None:
        self._file.write(base64.b64encode(self._rest))
        self._rest = b""


def copy_whole(
    document: bytes,
    write: Callable[[str], None],
    put_image: Callable[[], None] | None,
    progress: Progress,
) -> None:
    """Copy all of a document, SVG by Qt, except for the end tag of its root.

    ``put_image`` writes the address (``xlink:href``) that replaces that of an image in
    the document.

    Raises Cancelled.
    """
    write('<?xml version="1.0" encoding="UTF-8"?>\n')
    _copy(document, _Copier(write, "", set(), put_image), progress)


def copy_content(
    document: bytes, write: Callable[[str], None], prefix: str, progress: Progress
) -> None:
    """Copy a document's content without root and title; ids and references to them get
    ``prefix``; raises Cancelled.
    """
    _copy(document, _Copier(write, prefix, _HEAD, None), progress)


def _copy(document: bytes, copier: _Copier, progress: Progress) -> None:
    parser = ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartElementHandler = copier.start
    parser.EndElementHandler = copier.end
    parser.CharacterDataHandler = copier.characters
    for start in range(0, len(document), _CHUNK):
        progress.checkpoint()
        parser.Parse(document[start : start + _CHUNK], False)
    parser.Parse(b"", True)


class _Copier:
    """Writes what a parser reads."""

    def __init__(
        self,
        write: Callable[[str], None],
        prefix: str,
        left_out: set[str],
        put_image: Callable[[], None] | None,
    ):
        self._write, self._prefix, self._left_out, self._put_image = (
            write,
            prefix,
            left_out,
            put_image,
        )
        self._path: list[str] = []
        self._tag_open = False

    def start(self, name: str, attributes: list[str]) -> None:
        self._path.append(name)
        if name in self._left_out:
            return
        self._close_tag()
        self._write(f"<{name}")
        for key, value in zip(attributes[::2], attributes[1::2], strict=True):
            if key == "xlink:href" and name == "image" and self._put_image is not None:
                self._write(f' {key}="')
                self._put_image()
                self._write('"')
            else:
                quoted = escape(self._own(key, value), quote=False).replace('"', "&quot;")
                self._write(f' {key}="{quoted}"')
        self._tag_open = True

    def characters(self, content: str) -> None:
        if self._path[-1] not in self._left_out:
            self._close_tag()
            self._write(escape(content, quote=False))

    def end(self, name: str) -> None:
        self._path.pop()
        if name in self._left_out or name == "svg":
            return
        self._write("/>" if self._tag_open else f"</{name}>")
        self._tag_open = False

    def _close_tag(self) -> None:
        if self._tag_open:
            self._write(">")
            self._tag_open = False

    def _own(self, key: str, value: str) -> str:
        """The attribute's value, with the prefix if it is an id or refers to one."""
        if key == "id":
            return self._prefix + value
        for reference in ("url(#", "#") if key == "xlink:href" else ("url(#",):
            if value.startswith(reference):
                return reference + self._prefix + value.removeprefix(reference)
        return value


def portable(document: bytes) -> bytes:
    """``document`` with fonts and widths of texts that other programs understand, and
    without control characters.

    Every text gets the width that it has here (``textLength``), and a list of families,
    the last of which every program has. XML forbids the control characters, which Qt
    passes on from texts.
    """
    document = document.translate(None, _FORBIDDEN)
    document = _TEXT.sub(_with_length, document)
    return _FAMILY.sub(
        lambda found: b'font-family="%s"' % _families(found[1].decode()).encode(), document
    )


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
    return b'<text %s textLength="%.3f" lengthAdjust="spacingAndGlyphs">%s</text>' % (
        attributes,
        width,
        found[2],
    )


@cache
def _font(attributes: str) -> QFont:
    """The font of a text element; Qt writes sizes in units of `SCREEN_DPI` to the inch."""
    values = dict(re.findall(r'font-(family|size|weight|style)="([^"]*)"', attributes))
    font = with_true_widths(QFont(unescape(values.get("family", ""))))
    font.setPointSizeF(float(values.get("size", 12.0)) * _POINTS_PER_INCH / SCREEN_DPI)
    font.setWeight(QFont.Weight(int(values.get("weight", 400))))
    font.setItalic(values.get("style") == "italic")
    return font


@cache
def _paper() -> QImage:
    """A paint device with the resolution of the documents."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    set_resolution(image, SCREEN_DPI)
    return image


def set_resolution(image: QImage, dpi: float) -> None:
    """State a resolution in the image, without resampling it."""
    per_metre = round(dpi * _INCHES_PER_METRE)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
