"""What a format of graph files is: its row in the table of those that are read; and the first
bytes of a file, also under gzip or bzip2.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.graphs.graph import Graph
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.weighting import Weighting

if TYPE_CHECKING:
    from solvers.graphs.readers.input_file import InputFile, ReadingProgress

BOM = b"\xef\xbb\xbf"
ZIP = b"PK\x03\x04"
# more than a packed block of bzip2, whose first bytes are known only with all of it
HEAD_BYTES = 1 << 20
UNPACKED_BYTES = 1 << 16
_INNER_BYTES = 4096  # decompressed, after the blank lines
_GZIP = b"\x1f\x8b"
# with the mark of a block: the first three bytes also begin texts
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")

_ANY = ("weights", "coordinates", "undirected")
TABLE, TEXT_TABLE = (*_ANY, "columns"), (*_ANY, "columns", "separator", "header")
ATTRIBUTED = (*_ANY, "attribute")
NETWORK = ("weights", "profile", "largest_part", "turns")
PLAIN = _ANY
"""Options that apply to tables in Parquet and in text, to graphs with attributes, to
road networks and to others.
"""


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """A road network and what its report says."""

    graph: Graph
    format: str
    warnings: tuple[str, ...]
    weights_from: str
    ignored: tuple[str, ...]
    outside_largest: int  # vertices outside the largest connected part that were kept


@dataclass(frozen=True)
class NetworkFormat:
    """What is said of a format of road networks, whose files have options of their own."""

    file: str  # in messages: "OpenStreetMap extract"
    profiles: tuple[tuple[str, str], ...]  # who travels, as options say it and titled
    # the kind of a file that begins with these bytes, at least `HEAD_BYTES`, or all of a shorter
    # one; None if it is of another format; raises FileFormatError for what is like one
    recognise: Callable[[Path, bytes], str | None]
    # a file of this kind; raises as `read_graph`
    read: Callable[[InputFile, str, ReadingOptions, Weighting, ReadingProgress], NetworkReading]


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
    # a file; "" if the format is recognised by rows of text, or is of road networks
    reader: str = ""
    begins: re.Pattern[bytes] | None = None  # without comments and blank lines before
    element: bytes = b""  # the first element of XML
    options: tuple[str, ...] = PLAIN  # of reading, that apply
    network: NetworkFormat | None = None  # of road networks

    @property
    def has_attributes(self) -> bool:
        """Whether edges have attributes by name, one of which is the weight."""
        return "attribute" in self.options


def opened(head: bytes) -> tuple[bytes, str]:
    """The first bytes without compression, and the suffix of the compression."""
    try:
        if head.startswith(_GZIP):
            return _begun(
                zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, UNPACKED_BYTES)
            ), ".gz"
    except zlib.error:
        return b"", ""
    try:
        if _BZIP2.match(head):
            return _begun(bz2.BZ2Decompressor().decompress(head, UNPACKED_BYTES)), ".bz2"
    except OSError:
        return b"", ".bz2"
    return _begun(head[:UNPACKED_BYTES]), ""


def _begun(data: bytes) -> bytes:
    """The beginning of a file; blank lines do not count, of which CR LF would make
    twice as many bytes.
    """
    return data.removeprefix(BOM).lstrip(b"\r\n")[:_INNER_BYTES]
