"""The formats that are read: one table, from which recognition, the file dialog, options
and messages follow; recognition of exchange formats and road networks by their first bytes.
Imports none of their readers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from solvers.errors import FileFormatError, OptionNotApplicable
from solvers.graphs.readers.file_format import (
    ATTRIBUTED,
    BOM,
    TEXT_TABLE,
    UNPACKED_BYTES,
    ZIP,
    FileFormat,
    NetworkFormat,
    opened,
)
from solvers.graphs.readers.foreign import XML_KINDS, foreign_kind
from solvers.graphs.reading import ReadingOptions
from solvers.system.feature import offered
from solvers.text import listed

_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_COMMENT_LINES = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\n)*")
_GML_START = re.compile(
    rb"\s*(?:graph\s*\[|(?:Creator|Version|Comment)\b.*?\bgraph\s*\[)",
    re.IGNORECASE | re.DOTALL,
)
_PAJEK_START = re.compile(rb"\s*\*(?:network|vertices)\b", re.IGNORECASE)

TNTP_START = re.compile("<number of", re.IGNORECASE)
"""The first line of a network of TNTP, whose links are a table."""

_OWN = (
    FileFormat(
        "DIMACS .gr",
        (".gr",),
        "directed",
        "the arcs' lengths; coordinates from the `.co` file of the same name",
    ),
    FileFormat("edge lists", (".txt",), "directed", "the third column, if there is one"),
    FileFormat(
        "algs4",
        (".txt",),
        "digraphs directed, maps undirected",
        "the edges' weights; maps have coordinates, and Euclidean lengths",
    ),
    FileFormat("PACE p tw", (".gr",), "undirected", "none"),
    FileFormat("TIGER", (".tmp",), "undirected", "lengths in metres; longitude and latitude"),
    FileFormat(
        "GraphML",
        (".graphml",),
        title="GraphML",
        reader="networkx_formats.read_graphml",
        element=b"graphml",
        options=ATTRIBUTED,
    ),
    FileFormat(
        "GEXF",
        (".gexf",),
        title="GEXF",
        reader="networkx_formats.read_gexf",
        element=b"gexf",
        options=ATTRIBUTED,
    ),
    FileFormat(
        "Pajek",
        (".net", ".paj"),
        "arcs directed, edges both ways",
        "from the file",
        "Pajek (.net)",
        "pajek.read_pajek",
        begins=_PAJEK_START,
    ),
    FileFormat(
        "GML",
        (".gml",),
        title="GML",
        reader="networkx_formats.read_gml",
        begins=_GML_START,
        options=ATTRIBUTED,
    ),
    FileFormat(
        "node-link JSON",
        (".json", ".geojson", ".jsonl", ".geojsonl"),
        "as the file says; lines of GeoJSON undirected, they meet where they share a point",
        "from attributes, also of graphology, Cytoscape, vis.js, lists of edges and dicts of "
        "neighbours; of GeoJSON from properties, else the length in metres",
        "node-link JSON",
        "json_formats.read_json",
        begins=re.compile(rb"[\s\x1e]*[{\[]"),
        options=(*ATTRIBUTED, "join"),
    ),
    FileFormat(
        "Matrix Market",
        (".mtx",),
        "symmetric matrices undirected",
        "the entries",
        "Matrix Market",
        "matrix_files.read_matrix_market",
        begins=re.compile(rb"%%?\s*MatrixMarket", re.IGNORECASE),
    ),
    FileFormat(
        ".npz",
        (".npz",),
        "directed",
        "the entries",
        "SciPy sparse matrix (.npz)",
        "matrix_files.read_npz",
    ),
    FileFormat("METIS", (".graph", ".metis"), "undirected", "as the header says"),
    FileFormat(
        "tables of edges in CSV or Parquet",
        (".csv", ".tsv", ".parquet"),
        "directed, or as a column says",
        "the column of that title, or a chosen one (`--columns from,to,km`)",
        options=TEXT_TABLE,
    ),
    FileFormat(
        "TNTP",
        (".tntp",),
        "directed",
        "a chosen column (`--columns init_node,term_node,length`)",
        options=TEXT_TABLE,
    ),
)
FORMATS_READ = (
    *_OWN,
    *(form for forms in offered(lambda one: one.formats, "FORMATS") for form in forms),
)
"""All formats, in the order of lists and of recognition by the first bytes."""

WITH_ATTRIBUTES = listed([form.short for form in FORMATS_READ if form.has_attributes])
"""Names of the formats whose edges have attributes."""

NETWORKS: tuple[NetworkFormat, ...] = tuple(form.network for form in FORMATS_READ if form.network)
"""The formats of road networks."""

_NETWORK_FILES = listed([f"{form.file}s" for form in NETWORKS] or ["road networks"])
_FOR = {
    "columns": "tables of edges, CSV or Parquet",
    "separator": "tables of edges in text",
    "header": "tables of edges in text",
    "attribute": WITH_ATTRIBUTES,
    "join": "lines of GeoJSON",
    "profile": _NETWORK_FILES,
    "largest_part": _NETWORK_FILES,
    "turns": _NETWORK_FILES,
    "coordinates": f"files other than {_NETWORK_FILES}, which have their own coordinates",
    "undirected": f"files other than {_NETWORK_FILES}, which have their own directions",
}


def require_applicable(options: ReadingOptions, applicable: Sequence[str], form: str) -> None:
    """Raise `OptionNotApplicable` for a chosen option that is not ``applicable`` to
    the format titled ``form``.
    """
    for name, meant in _FOR.items():
        value = getattr(options, name)
        if name not in applicable and value not in ("", None, False):
            remedy = f"It is for {meant}; this file takes {listed(applicable)}"
            raise OptionNotApplicable(name, value, form, remedy)
    if options.weights in ("metres", "seconds") and "profile" not in applicable:
        reason = (
            "This file has one weight for each arc at most; "
            f"metres and seconds are for {_NETWORK_FILES}"
        )
        raise OptionNotApplicable("weights", options.weights, form, reason)
    if options.attribute and options.weights != "column":
        reason = (
            f"The weights are “{options.weights[:40]}”; "
            "an attribute is read only with weights “column”"
        )
        raise OptionNotApplicable("attribute", options.attribute, form, reason)


def network_format(path: Path, head: bytes) -> tuple[NetworkFormat, str] | None:
    """The format of a road network, and the kind of the file that begins with ``head``;
    None if it is none. Raises `FileFormatError` for a file that is like one.
    """
    for form in NETWORKS:
        if (kind := form.recognise(path, head)) is not None:
            return form, kind
    return None


def exchange_format(path: Path, head: bytes) -> FileFormat | None:
    """The exchange format of a file that begins with ``head``; None if it is none of these.

    METIS files, which are only numbers, are recognised by `solvers.graphs.readers.metis`.
    Raises `FileFormatError` for a file of another kind that is known, and for other XML.
    """
    if head.startswith(ZIP) and b".npy" in head:
        return next(form for form in FORMATS_READ if ".npz" in form.suffixes)
    inner = opened(head)[0].removeprefix(BOM)
    for begin in (head[:UNPACKED_BYTES], inner):
        if (kind := foreign_kind(begin)) is not None:
            raise FileFormatError(path, f"this is {kind.name}, which is not read", hint=kind.remedy)
    inner = inner.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    start = inner.lstrip()
    if TNTP_START.match(start[:20].decode("latin-1")):
        return None  # a table below its metadata
    if start.startswith(b"<"):
        return _xml_format(path, start)
    body = inner[_COMMENT_LINES.match(inner).end() :]  # type: ignore[union-attr]
    for form in FORMATS_READ:
        if form.begins and (form.begins.match(inner) or form.begins.match(body)):
            return form
    return None


def _xml_format(path: Path, start: bytes) -> FileFormat:
    root = _ELEMENT.search(re.sub(rb"<!--.*?(-->|$)", b"", start, flags=re.DOTALL))
    name = root[2] if root else b""
    for form in FORMATS_READ:
        if name and form.element == name and form.network is None:
            return form
    known = [form.short for form in FORMATS_READ if form.element]
    hint = f"Of XML files Tautpath reads {listed(known)}."
    element = name.decode("ascii", "replace")
    if element in XML_KINDS:
        title, remedy = XML_KINDS[element]
        raise FileFormatError(path, f"this is {title}, which is not read", hint=remedy)
    found = f", whose first element is “{element}”" if name else ""
    raise FileFormatError(path, f"this is an XML file{found}, but no graph", hint=hint)
