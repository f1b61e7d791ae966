"""Memory that a file needs, compared with what is free before it is allocated.

An OpenStreetMap file needs memory for locations of nodes and for ways. osmium keeps the
locations of all nodes, including those of buildings; a PBF file does not state their
number, so it is estimated from the file's size. The need of ways is that measured for
one way and one node of a way (tests/benchmarks/README.md), times those read so far.
"""

from __future__ import annotations

import numpy as np

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, TextSource
from solvers.system import machine
from solvers.text import format_count, plural, printable

_MOST_VERTICES = np.iinfo(np.int32).max

_GZIP_MAGIC = b"\x1f\x8b"

LOCATION_BYTES = 16  # of osmium's sparse index
WAY_BYTES = 300
REF_BYTES = 130  # of a node of a way: id, coordinates, segment and their sorted copies
# less than in most files
_FILE_BYTES_PER_NODE = {"pbf": 6.5, "osm.bz2": 9.0, "osm.gz": 14.0, "osm": 120.0}
# bytes of a file per node of a road
_NODES_PER_REF = {"pbf": 40.0, "osm.bz2": 60.0, "osm.gz": 90.0, "osm": 700.0}


def require_plausible_size(file: InputFile, n: int, arcs: int) -> None:
    """Raise `FileFormatError` for no vertices, too many for 32 bits, or far more than
    the arcs could join.
    """
    if n < 1:
        raise FileFormatError(file.path, "the graph has no vertices")
    if n > _MOST_VERTICES:
        raise FileFormatError(
            file.path, f"{format_count(n)} vertices are too many for 32-bit indices"
        )
    if n > 100 * arcs + 1_000_000:
        reason = (
            f"its header says {format_count(n)} vertices, but it has only {plural(arcs, 'arc')}"
        )
        raise FileFormatError(
            file.path, reason, hint="The header may be wrong, or the file truncated."
        )


def whole_text(file: InputFile, progress: ReadingProgress, bytes_per_byte: float) -> bytes:
    """The decompressed text of a file, with LF line ends and without a byte order mark.

    Reading takes at most ``bytes_per_byte`` of memory for one byte of text, as measured
    (tests/benchmarks/README.md). Raises OutOfMemory as soon as the size of the file or
    of the text read so far shows that it needs more than is free; FileFormatError if it
    cannot be read, or is not a text.
    """
    free = machine.memory().free_bytes
    what = f"Reading {printable(file.path.name)}"
    if file.size is not None:
        _require(what, file.size * bytes_per_byte, free)
    text = bytearray()
    progress.check()
    with TextSource(file, progress) as source:
        for chunk in source.chunks():
            text += chunk
            _require(what, len(text) * bytes_per_byte, free)
    return bytes(text)


def _require(what: str, needed: float, free: int) -> None:
    if needed > free:
        raise OutOfMemory(
            what,
            int(needed),
            free,
            remedy="As a table of edges or a DIMACS file it needs far less.",
        )


def decoded(file: InputFile, text: bytes) -> str:
    """UTF-8 text; `FileFormatError` with the line of the first byte that is none."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            file.path, "the text is not UTF-8", line=line, hint="Save it as UTF-8."
        ) from None


class MemoryPlan:
    """The memory that one file, of a format of `osm_format`, needs."""

    def __init__(self, file: InputFile, form: str):
        self._name, self._size, self._form = printable(file.path.name), file.size or 0, form
        self._free = machine.memory().free_bytes

    @property
    def location_bytes(self) -> int:
        """Estimate for the locations of all nodes."""
        return int(self._size / _FILE_BYTES_PER_NODE[self._form] * LOCATION_BYTES)

    def require_locations(self) -> None:
        """Refuse a file whose nodes do not fit; raises `OutOfMemory`."""
        self._require(self.location_bytes)

    def require_ways(self, refs: int, ways: int) -> None:
        """Raise `OutOfMemory` if the network of the ways read so far would not fit
        beside the locations.
        """
        self._require(self.location_bytes + network_bytes(refs, ways))

    def share_read(self, refs: int) -> float:
        """Share of the file that has been read, estimated from the nodes of roads seen."""
        expected = max(1.0, self._size / _NODES_PER_REF[self._form])
        return refs / (refs + expected)

    def _require(self, needed: int) -> None:
        if needed > self._free:
            raise OutOfMemory(f"Reading the roads of {self._name}", needed, self._free)


def network_bytes(refs: int, ways: int) -> int:
    """Most memory in use while a network is built from so many ways with so many nodes."""
    return refs * REF_BYTES + ways * WAY_BYTES
