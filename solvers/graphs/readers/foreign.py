"""Files of other kinds that people open: by their first bytes each is named, with what to
export or to open instead. A table; nothing here reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ForeignKind:
    """A kind of file that is not read."""

    name: str  # behind "this is"
    remedy: str
    begins: bytes  # a regular expression; "." is any byte


_LINES = "Export its lines as GeoJSON in longitude and latitude, or its edges as CSV."
_CELLS = "Save the sheet with the edges as CSV."
_GRAPHML = "Export the graph as GraphML."
_UNPACK = "Unpack it first."
_EDGES = "Write its edges as CSV, one in a row."
_MATRIX = "Write it by scipy.io.mmwrite, or its edges as CSV."

FOREIGN_KINDS = (
    # before SQLite: its applications
    ForeignKind("a GeoPackage", _LINES, rb"SQLite format 3\0.{52}GP"),
    ForeignKind("an SQLite database, such as a GeoPackage", _LINES, rb"SQLite format 3\0"),
    ForeignKind("an Excel workbook", _CELLS, rb"PK\x03\x04.{0,60000}?xl/"),
    ForeignKind("an Excel workbook", _CELLS, rb"PK\x03\x04.{26}\[Content_Types\]"),
    ForeignKind(
        "a spreadsheet of OpenDocument",
        _CELLS,
        rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument",
    ),
    ForeignKind("a Microsoft Office file of before 2007", _CELLS, rb"\xd0\xcf\x11\xe0\xa1\xb1"),
    ForeignKind("a KMZ archive", _LINES, rb"PK\x03\x04.{0,2000}?\.kml"),
    ForeignKind("a zipped shapefile", _LINES, rb"PK\x03\x04.{0,60000}?\.shp"),
    ForeignKind(
        "a GTFS timetable",
        "It has departures, not edges: write stops and travel times between them as CSV.",
        rb"PK\x03\x04.{0,60000}?\b(?:stop_times|stops|routes|agency)\.txt",
    ),
    ForeignKind("a Cytoscape session", _GRAPHML, rb"PK\x03\x04.{0,2000}?CytoscapeSession"),
    ForeignKind("a Gephi project", _GRAPHML, rb"PK\x03\x04.{0,2000}?Project_xml"),
    ForeignKind("a shapefile", _LINES, rb"\0\0\x27\x0a\0{20}"),
    ForeignKind("a FlatGeobuf file", _LINES, rb"fgb[\x01-\x09]fgb"),
    ForeignKind("an HDF5 file, as of pandas or OMX", _EDGES, rb"\x89HDF\r\n\x1a\n"),
    ForeignKind("an Arrow or Feather file", "Write the table as Parquet or CSV.", rb"ARROW1|FEA1"),
    ForeignKind("a NetCDF file", _EDGES, rb"CDF[\x01\x02\x05]"),
    ForeignKind(
        "an Avro or ORC file", "Write the table as Parquet or CSV.", rb"Obj\x01|ORC[\0-\x20]"
    ),
    ForeignKind("a DuckDB database", _EDGES, rb".{8}DUCK.\0{7}"),
    ForeignKind(
        "a NumPy array (.npy)",
        "Save the matrix by scipy.sparse.save_npz, or its edges by numpy.savetxt.",
        rb"\x93NUMPY",
    ),
    ForeignKind("a MATLAB file (.mat)", _MATRIX, rb"MATLAB 5\.0 MAT-file"),
    ForeignKind("a file of R", "Write its edges by write.csv.", rb"RD[AX][23]\n"),
    ForeignKind(
        "a pickle of Python",
        "Loading it may run any code: if you trust it, load it in Python and write GraphML.",
        rb"\x80[\x02-\x05](?:[\x95KJ]|c|\}|\])",
    ),
    ForeignKind("a graph-tool file (.gt)", _GRAPHML, b"\xe2\x9b\xbe gt"),
    ForeignKind("a PDF document", "Find the data that it shows.", rb"%PDF-"),
    ForeignKind(
        "a picture",
        "Find the data that it shows.",
        rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\0|MM\0\*|RIFF.{4}WEBP",
    ),
    ForeignKind("a file compressed by xz", _UNPACK, rb"\xfd7zXZ\0"),
    ForeignKind("a file compressed by Zstandard", _UNPACK, rb"\x28\xb5\x2f\xfd"),
    ForeignKind("a file compressed by LZ4", _UNPACK, rb"\x04\x22\x4d\x18"),
    ForeignKind("a file compressed by bzip2", _UNPACK, rb"BZh[1-9]1AY&SY"),
    ForeignKind("a 7-Zip archive", _UNPACK, rb"7z\xbc\xaf\x27\x1c"),
    ForeignKind("a RAR archive", _UNPACK, rb"Rar!\x1a\x07"),
    ForeignKind("a tar archive", _UNPACK, rb".{257}ustar"),
    # texts
    ForeignKind(
        "a scenario of MovingAI, pairs of cells of a grid map",
        "Neither scenarios nor maps are read: write the cells of the map and their neighbours "
        "as a table of edges.",
        rb"version\s+\d+(?:\.\d+)?\s*\n\s*\d+\s+\S+\s+\d+\s+\d+\s+\d+",
    ),
    ForeignKind(
        "a grid map of MovingAI",
        "Write its cells and their neighbours as a table of edges.",
        rb"type\s+\w+\s*\n\s*(?:height|width)\s+\d+",
    ),
    ForeignKind(
        "a graph of Graphviz (DOT)",
        "Convert it: gv2gml -o graph.gml FILE.",
        rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*(?:strict\s+)?(?:di)?graph\b"
        rb"\s*(?:[\w.-]+|\"[^\"\n]*\")?\s*\{",
    ),
    ForeignKind("a graph in graph6 or sparse6", _GRAPHML, rb">>(?:di)?(?:graph|sparse)6<<"),
    ForeignKind("a graph of LEDA", _GRAPHML, rb"LEDA\.GRAPH"),
    ForeignKind("a graph of Tulip", _GRAPHML, rb"\(tlp\s"),
    ForeignKind("a GDF file of GUESS or Gephi", _GRAPHML, rb"nodedef>"),
    ForeignKind(
        "a DL file of UCINET", "Export it for Pajek (.net).", rb"(?i)dl\s*,?\s+(?:n|nr|nm)\s*="
    ),
    ForeignKind(
        "a VNA file of NetDraw", "Export it for Pajek (.net).", rb"(?i)\*\s*(?:node|tie) data"
    ),
    ForeignKind("a network of Visum", "Export its links as CSV.", rb"\$VISION"),
    ForeignKind(
        "a graph of Ligra (adjacency)",
        "Write its edges, two numbers in a line.",
        rb"(?:Weighted)?AdjacencyGraph\s",
    ),
    ForeignKind(
        "a problem of TSPLIB",
        "It has distances between all pairs, or places: write edges as CSV.",
        rb"(?:NAME|TYPE|COMMENT|DIMENSION)\s*:[^\n]*\n(?:[^\n]*\n){0,6}?"
        rb"(?:TYPE|DIMENSION|EDGE_WEIGHT_TYPE|COMMENT)\s*:",
    ),
    ForeignKind(
        "a trip table of TNTP",
        "Open the network, whose name ends in _net.tntp.",
        rb"(?i:<NUMBER OF ZONES>)[^\n]*\n(?:[^\n]*\n){0,9}?\s*Origin\s+\d",
    ),
    ForeignKind("an RTF document", "Save it as plain text.", rb"\{\\rtf"),
    ForeignKind("Well-Known Text of geometries", _LINES, rb"(?:MULTI)?LINESTRING\s*Z?M?\s*\("),
)
"""In the order of recognition."""

XML_KINDS = {
    "network": ("a network of MATSim", "Write its links as CSV: from, to, length."),
    "net": ("a network of SUMO", "Write its edges as CSV, or open the OpenStreetMap extract."),
    "kml": ("KML", _LINES),
    "gpx": ("a GPX track", _LINES),
    "FeatureCollection": ("GML of geography", _LINES),
    "html": ("a web page, perhaps of an error", "Download the file again."),
    "svg": ("a drawing", "Find the data that it shows."),
    "gxl": ("a GXL graph", _GRAPHML),
    "DirectedGraph": ("a DGML graph", _GRAPHML),
    "graph": ("an XGMML graph", _GRAPHML),
    "mxGraphModel": ("a drawing of draw.io", _EDGES),
    "mxfile": ("a drawing of draw.io", _EDGES),
    "Workbook": ("a workbook in XML", _CELLS),
    "plist": ("a property list", _EDGES),
}
"""Names and remedies of XML files, by their first element."""


def foreign_kind(head: bytes) -> ForeignKind | None:
    """The kind of a file that begins with ``head``, of those that are not read."""
    return next((kind for kind in FOREIGN_KINDS if re.match(kind.begins, head, re.DOTALL)), None)
