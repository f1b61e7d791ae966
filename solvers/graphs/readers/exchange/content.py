"""Recognition of exchange formats by their first bytes. Imports none of their readers."""

from __future__ import annotations

import re
from pathlib import Path

from solvers.errors import FileFormatError
from solvers.graphs.readers.osm.content import opened

WEIGHT_ATTRIBUTES = ("weight", "length", "cost", "distance", "value")
ATTRIBUTED_FORMATS = ("graphml", "gexf", "gml", "json")
"""Formats whose edges have attributes by name, and the names that are known to be weights."""

_ZIP = b"PK\x03\x04"
_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_XML_FORMATS = {b"graphml": "graphml", b"gexf": "gexf"}
_COMMENT_LINES = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\n)*")
_GML_START = re.compile(rb"\s*(?:graph\s*\[|(?:Creator|Version|Comment)\b[^\n]*\n)", re.IGNORECASE)
_PAJEK_START = re.compile(rb"\s*\*(?:network|vertices)\b", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"


def exchange_format(path: Path, head: bytes) -> str | None:
    """The format of a file that begins with ``head``; None if it is none of these.

    METIS files, which are only numbers, are recognised by `solvers.graphs.readers.exchange.metis`.

    Parameters
    ----------
    path : Path
        For errors.
    head : bytes

    Returns
    -------
    str or None
        "graphml", "gexf", "json", "gml", "pajek", "matrix-market" or "npz".

    Raises
    ------
    FileFormatError
        For an XML file of another kind.
    """
    if head.startswith(_ZIP):
        return "npz" if b".npy" in head else None
    inner = opened(head)[0].removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if inner.startswith(b"%%MatrixMarket"):
        return "matrix-market"
    start = inner.lstrip()
    if start.startswith(b"<"):
        return _xml_format(path, start)
    if start.startswith((b"{", b"[")):
        return "json"
    body = inner[_COMMENT_LINES.match(inner).end() :]  # type: ignore[union-attr]
    if _PAJEK_START.match(body):
        return "pajek"
    return "gml" if _GML_START.match(body) else None


def _xml_format(path: Path, start: bytes) -> str:
    root = _ELEMENT.search(re.sub(rb"<!--.*?(-->|$)", b"", start, flags=re.DOTALL))
    name = root[2] if root else b""
    if name in _XML_FORMATS:
        return _XML_FORMATS[name]
    hint = "Of XML files Tautline reads GraphML, GEXF and OpenStreetMap."
    found = f", whose first element is “{name.decode('ascii', 'replace')}”" if name else ""
    raise FileFormatError(path, f"this is an XML file{found}, but no graph", hint=hint)
