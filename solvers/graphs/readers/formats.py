"""The interface of a file format: the sample it is recognised by, and the parsed content it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from solvers.graphs.readers.source import TextSource
from solvers.graphs.readers.table import Rows, Table

SAMPLE_LINES = 4
COMMENTS = b"#%c"  # a line that begins with one of these is skipped, in every format
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Sample:
    """The first lines of a file, by which its format is recognised.

    Attributes
    ----------
    rows : tuple of tuple of str
        The words of the first `SAMPLE_LINES` lines that are neither blank nor comments.
    comments : tuple of str
        The comment lines before and between them.
    first_line : int
        Number of lines before the first row.
    line : str
        Text of the first row.
    """

    rows: tuple[tuple[str, ...], ...]
    comments: tuple[str, ...]
    first_line: int
    line: str


def read_sample(source: TextSource) -> Sample:
    """Read blocks until the first rows are complete."""
    rows: list[tuple[str, ...]] = []
    comments: list[str] = []
    first_line, first_text, passed = 0, "", 0
    for block in source.blocks():
        for raw in block.split(b"\n"):
            line = raw.decode("utf-8", "replace").strip()
            words = split_words(raw)
            if is_comment(words):
                comments.append(line)
            elif words:
                if not rows:
                    first_line, first_text = passed, line
                rows.append(words)
            passed += 1
            if len(rows) == SAMPLE_LINES:
                return Sample(tuple(rows), tuple(comments), first_line, first_text)
        passed -= 1  # the piece after a block's last newline is the next block's first line
    return Sample(tuple(rows), tuple(comments), first_line, first_text)


def split_words(line: bytes) -> tuple[str, ...]:
    """The words of a line, separated by blanks, tabs or commas."""
    return tuple(line.decode("utf-8", "replace").replace(",", " ").split())


def is_comment(words: tuple[str, ...]) -> bool:
    """True for a line that begins with #, %, or the lone letter c."""
    return bool(words) and (words[0][0] in "#%" or words[0] == "c")


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_whole(word: str) -> bool:
    """True for a count or vertex id that fits 64 bits."""
    return word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS


@dataclass(frozen=True, eq=False)
class Parsed:
    """A file's content before its vertices are numbered.

    Attributes
    ----------
    arcs : Rows
        ids (m, 2); values (m, 1) the weights, or (m, 0) if there are none.
    undirected : bool
        True if the format stores one line for both arcs of an edge.
    weights_from : str
        Origin of the weights, in words; "" if there are none.
    header_vertices, header_arcs : int or None
        Counts stated by the file's header.
    first_ids : tuple of int
        Possible first ids of vertices counted by a header, the most likely first.
    vertices : Rows or None
        Vertices listed by the file: ids (n, 1), values (n, 2) their coordinates.
    geographic : bool
        True if those coordinates are millionths of a degree.
    weight_unit : str
    warnings : tuple of str
    """

    arcs: Rows
    undirected: bool = False
    weights_from: str = ""
    header_vertices: int | None = None
    header_arcs: int | None = None
    first_ids: tuple[int, ...] = ()
    vertices: Rows | None = None
    geographic: bool = False
    weight_unit: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def weights(self) -> NDArray[Any] | None:
        return self.arcs.values[:, 0] if self.weights_from else None


@dataclass(frozen=True)
class Format:
    """A file format: its recognition and its reader.

    Attributes
    ----------
    title : str
    recognises : callable
        From Sample to bool.
    read : callable
        From (Table, Sample, bool: whether to read weights) to Parsed.
    """

    title: str
    recognises: Callable[[Sample], bool]
    read: Callable[[Table, Sample, bool], Parsed]
