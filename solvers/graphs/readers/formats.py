"""The formats that are read: one table, from which recognition, the file dialog, options
and messages follow; recognition of exchange formats and OpenStreetMap files by their first
bytes. Imports none of their readers.

OpenStreetMap files are recognised under gzip or bzip2 too, without importing osmium.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from solvers.errors import FileFormatError, OptionNotApplicable
from solvers.graphs.readers.foreign import XML_KINDS, foreign_kind
from solvers.graphs.reading import ReadingOptions
from solvers.text import listed

_ZIP = b"PK\x03\x04"
_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_COMMENT_LINES = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\n)*")
_GML_START = re.compile(
    rb"\s*(?:graph\s*\[|(?:Creator|Version|Comment)\b.*?\bgraph\s*\[)",
    re.IGNORECASE | re.DOTALL,
)
_PAJEK_START = re.compile(rb"\s*\*(?:network|vertices)\b", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"

# more than a packed block of bzip2, whose first bytes are known only with all of it
HEAD_BYTES = 1 << 20
_INNER_BYTES = 4096  # decompressed, after the blank lines
_UNPACKED_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"
# with the mark of a block: the first three bytes also begin texts
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
_PBF = re.compile(rb"\0\0..\x0a\x09OSM(Header|Data)", re.DOTALL)
_XML = re.compile(rb"<\s*(osm|osmChange)[\s/>]")
_UNPACK = "Unpack it first."


_ANY = ("weights", "coordinates", "undirected")
TABLE, TEXT_TABLE = (*_ANY, "columns"), (*_ANY, "columns", "separator", "header")
ATTRIBUTED = (*_ANY, "attribute")
NETWORK = ("weights", "profile", "largest_part", "turns")
PLAIN = _ANY
"""Options that apply to tables in Parquet and in text, to graphs with attributes, to
road networks and to others.
"""


@dataclass(frozen=True)
class FileFormat:
    """A format that is read: its row in `FORMATS_READ`, from which lists in messages, the
    file dialog, options and the guide follow.
    """

    short: str  # in lists of formats
    suffixes: tuple[str, ...]
    # in the documentation
    direction: str = "as the file says"
    weights: str = "from attributes"
    title: str = ""  # in reports; "" if the reader's module has it
    # function of a module of readers, "module.function", which is imported only for such
    # a file; "" if the format is recognised by rows of text, or by osmium
    reader: str = ""
    begins: re.Pattern[bytes] | None = None  # without comments and blank lines before
    element: bytes = b""  # the first element of XML
    options: tuple[str, ...] = PLAIN  # of reading, that apply

    @property
    def has_attributes(self) -> bool:
        """Whether edges have attributes by name, one of which is the weight."""
        return "attribute" in self.options


TNTP_START = re.compile("<number of", re.IGNORECASE)
"""The first line of a network of TNTP, whose links are a table."""

FORMATS_READ = (
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
    FileFormat(
        "OpenStreetMap",
        (".osm.pbf", ".pbf", ".osm", ".osm.bz2", ".osm.gz"),
        "by `oneway`",
        "[travel time and length](openstreetmap.md)",
        options=NETWORK,
    ),
)
"""All formats, in the order of lists and of recognition by the first bytes."""

WITH_ATTRIBUTES = listed([form.short for form in FORMATS_READ if form.has_attributes])
"""Names of the formats whose edges have attributes."""

_FOR: Mapping[str, str] = {
    "columns": "tables of edges, CSV or Parquet",
    "separator": "tables of edges in text",
    "header": "tables of edges in text",
    "attribute": WITH_ATTRIBUTES,
    "join": "lines of GeoJSON",
    "profile": "OpenStreetMap extracts",
    "largest_part": "OpenStreetMap extracts",
    "turns": "OpenStreetMap extracts",
    "coordinates": "files other than OpenStreetMap extracts, which have their own coordinates",
    "undirected": "files other than OpenStreetMap extracts, which have their own directions",
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
            "metres and seconds are for OpenStreetMap extracts"
        )
        raise OptionNotApplicable("weights", options.weights, form, reason)
    if options.attribute and options.weights != "column":
        reason = (
            f"The weights are “{options.weights[:40]}”; "
            "an attribute is read only with weights “column”"
        )
        raise OptionNotApplicable("attribute", options.attribute, form, reason)


def exchange_format(path: Path, head: bytes) -> FileFormat | None:
    """The exchange format of a file that begins with ``head``; None if it is none of these.

    METIS files, which are only numbers, are recognised by `solvers.graphs.readers.metis`.
    Raises `FileFormatError` for a file of another kind that is known, and for other XML.
    """
    if head.startswith(_ZIP) and b".npy" in head:
        return next(form for form in FORMATS_READ if ".npz" in form.suffixes)
    inner = opened(head)[0].removeprefix(_BOM)
    for begin in (head[:_UNPACKED_BYTES], inner):
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
        if name and form.element == name:
            return form
    known = [form.short for form in FORMATS_READ if form.element]
    hint = f"Of XML files Tautpath reads {listed([*known, 'OpenStreetMap'])}."
    element = name.decode("ascii", "replace")
    if element in XML_KINDS:
        title, remedy = XML_KINDS[element]
        raise FileFormatError(path, f"this is {title}, which is not read", hint=remedy)
    found = f", whose first element is “{element}”" if name else ""
    raise FileFormatError(path, f"this is an XML file{found}, but no graph", hint=hint)


def osm_format(path: Path, head: bytes) -> str | None:
    """osmium's name of the format of a file that begins with ``head``; None if it is
    not of OpenStreetMap.

    It is "pbf", "osm", "osm.gz" or "osm.bz2"; ``head`` has `HEAD_BYTES`, or all of a
    shorter file. Raises FileFormatError for a PBF file inside gzip, bzip2 or ZIP, for
    damaged bzip2 data, and for a file of changes.
    """
    inner, suffix = opened(head)
    if suffix == ".bz2" and not inner:
        raise FileFormatError(
            path, "the bzip2 data are damaged or truncated", hint="Download or copy the file again."
        )
    if _PBF.match(inner):
        if suffix:
            packed = "gzip" if suffix == ".gz" else "bzip2"
            raise FileFormatError(
                path, f"this is an OpenStreetMap PBF file compressed with {packed}", hint=_UNPACK
            )
        return "pbf"
    if head.startswith(_ZIP) and re.search(rb"\.osm(\.pbf|\.xml)?", head[:512]):
        raise FileFormatError(path, "this is a ZIP archive of an OpenStreetMap file", hint=_UNPACK)
    found = _XML.search(inner) if inner.removeprefix(_BOM).lstrip().startswith(b"<") else None
    if found is None:
        return None
    if found[1] == b"osmChange":
        reason, hint = (
            "this is a file of changes to OpenStreetMap",
            "Open an extract: .osm.pbf or .osm.",
        )
        raise FileFormatError(path, reason, hint=hint)
    return "osm" + suffix


def opened(head: bytes) -> tuple[bytes, str]:
    """The first bytes without compression, and the suffix of the compression."""
    try:
        if head.startswith(_GZIP):
            return _begun(
                zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _UNPACKED_BYTES)
            ), ".gz"
    except zlib.error:
        return b"", ""
    try:
        if _BZIP2.match(head):
            return _begun(bz2.BZ2Decompressor().decompress(head, _UNPACKED_BYTES)), ".bz2"
    except OSError:
        return b"", ".bz2"
    return _begun(head[:_UNPACKED_BYTES]), ""


def _begun(data: bytes) -> bytes:
    """The beginning of a file; blank lines do not count, of which CR LF would make
    twice as many bytes.
    """
    return data.removeprefix(_BOM).lstrip(b"\r\n")[:_INNER_BYTES]
