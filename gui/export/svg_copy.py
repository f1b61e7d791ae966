"""Copies the elements of an SVG document into another one, with unique ids; the output is streamed."""

from __future__ import annotations

from collections.abc import Callable
from xml.sax import make_parser
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import AttributesImpl

from solvers.system.cancel import Progress

_CHUNK = 1 << 18  # bytes parsed between two cancellation checks
_HEAD = {"svg", "title", "desc"}  # elements of the document itself, not of its content


def copy_whole(
    document: bytes, write: Callable[[str], None], put_image: Callable[[], None] | None, progress: Progress
) -> None:
    """Copy all of a document except for the end tag of its root.

    Parameters
    ----------
    document : bytes
        SVG as Qt writes it.
    write : callable
        Takes text.
    put_image : callable or None
        Writes the address (``xlink:href``) that replaces the one of an image in the document.

    Raises
    ------
    Cancelled
    """
    write('<?xml version="1.0" encoding="UTF-8"?>\n')
    _copy(document, _Copier(write, "", set(), put_image), progress)


def copy_content(document: bytes, write: Callable[[str], None], prefix: str, progress: Progress) -> None:
    """Copy a document's content without root and title; ids and references to them get ``prefix``.

    Raises
    ------
    Cancelled
    """
    _copy(document, _Copier(write, prefix, _HEAD, None), progress)


def _copy(document: bytes, copier: _Copier, progress: Progress) -> None:
    parser = make_parser()
    parser.setContentHandler(copier)
    for start in range(0, len(document), _CHUNK):
        progress.checkpoint()
        parser.feed(document[start : start + _CHUNK])  # type: ignore[attr-defined]
    parser.close()  # type: ignore[attr-defined]


class _Copier(ContentHandler):
    def __init__(
        self, write: Callable[[str], None], prefix: str, left_out: set[str], put_image: Callable[[], None] | None
    ):
        super().__init__()
        self._write, self._prefix, self._left_out, self._put_image = write, prefix, left_out, put_image
        self._path: list[str] = []
        self._tag_open = False

    def startElement(self, name: str, attributes: AttributesImpl) -> None:
        self._path.append(name)
        if name in self._left_out:
            return
        self._close_tag()
        self._write(f"<{name}")
        for key, value in attributes.items():
            if key == "xlink:href" and name == "image" and self._put_image is not None:
                self._write(f' {key}="')
                self._put_image()
                self._write('"')
            else:
                self._write(f" {key}={quoteattr(self._own(key, value))}")
        self._tag_open = True

    def characters(self, content: str) -> None:
        if self._path[-1] not in self._left_out:
            self._close_tag()
            self._write(escape(content))

    def endElement(self, name: str) -> None:
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
