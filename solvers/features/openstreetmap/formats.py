"""The format of OpenStreetMap extracts: PBF, and XML plain, gzip or bzip2, recognised by their
first bytes without importing osmium.
"""

from __future__ import annotations

import re
from pathlib import Path

from solvers.errors import FileFormatError
from solvers.graphs.readers.file_format import (
    BOM,
    NETWORK,
    ZIP,
    FileFormat,
    NetworkFormat,
    NetworkReading,
    opened,
)
from solvers.graphs.readers.input_file import InputFile, ReadingProgress
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.weighting import Weighting

_PBF = re.compile(rb"\0\0..\x0a\x09OSM(Header|Data)", re.DOTALL)
_XML = re.compile(rb"<\s*(osm|osmChange)[\s/>]")
_UNPACK = "Unpack it first."


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
    if head.startswith(ZIP) and re.search(rb"\.osm(\.pbf|\.xml)?", head[:512]):
        raise FileFormatError(path, "this is a ZIP archive of an OpenStreetMap file", hint=_UNPACK)
    found = _XML.search(inner) if inner.removeprefix(BOM).lstrip().startswith(b"<") else None
    if found is None:
        return None
    if found[1] == b"osmChange":
        reason, hint = (
            "this is a file of changes to OpenStreetMap",
            "Open an extract: .osm.pbf or .osm.",
        )
        raise FileFormatError(path, reason, hint=hint)
    return "osm" + suffix


def _read(
    file: InputFile,
    kind: str,
    options: ReadingOptions,
    weighting: Weighting,
    progress: ReadingProgress,
) -> NetworkReading:
    # imports osmium: only where there is such a file
    from solvers.features.openstreetmap.network import read_osm

    return read_osm(file, kind, options, weighting, progress)


FORMATS = (
    FileFormat(
        "OpenStreetMap",
        (".osm.pbf", ".pbf", ".osm", ".osm.bz2", ".osm.gz"),
        "by `oneway`",
        "[travel time and length](openstreetmap.md)",
        element=b"osm",
        options=NETWORK,
        network=NetworkFormat(
            "OpenStreetMap extract",
            (("car", "Car"), ("bicycle", "Bicycle"), ("foot", "On foot")),
            osm_format,
            _read,
        ),
    ),
)
