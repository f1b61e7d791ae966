"""The interface of a file format: the sample it is recognised by, and its parsed content."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.interpretation import Interpretation
from solvers.graphs.quantities import whole_names
from solvers.graphs.readers.input_file import InputFile, TextSource
from solvers.graphs.readers.scan import skip_to_row
from solvers.graphs.readers.table import Rows, Table
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.weights import narrowed
from solvers.text import format_count, plural

SAMPLE_LINES = 20
COMMENTS = b"#%c"  # a line that begins with one of these is skipped, in every format
# magnitude up to which squares and sums of coordinates stay in the range of float64
GREATEST_COORDINATE = 1e100
_MOST_VERTICES = np.iinfo(np.int32).max
_MOST_COMMENTS = 1000  # kept of a file
_LINE_LENGTH = 400  # bytes kept of a comment, and of the first row's text


@dataclass(frozen=True)
class Sample:
    """The first lines of a file, by which its format is recognised."""

    # the words of the first `SAMPLE_LINES` lines that are neither blank nor comments
    rows: tuple[tuple[str, ...], ...]
    # the first `_MOST_COMMENTS` comment lines before and between them, cut to a moderate length
    comments: tuple[str, ...]
    first_line: int  # number of lines before the first row
    line: str  # text of the first row


def read_sample(source: TextSource) -> Sample:
    """Read blocks until the first rows are complete."""
    rows: list[tuple[str, ...]] = []
    comments: list[str] = []
    first_line, first_text, passed = 0, "", 0
    for block in source.blocks():
        text, at = np.frombuffer(block, dtype=np.uint8), 0
        while True:
            at, lines = skip_to_row(text, at, len(comments) >= _MOST_COMMENTS)
            passed += lines
            if at >= len(block):
                break
            stop = block.find(b"\n", at)
            stop = len(block) if stop < 0 else stop
            words, line = split_words(block[at:stop]), _decoded(block[at:stop][:_LINE_LENGTH])
            if is_comment(words) and not block.startswith(b"c,", at):
                comments.append(line)
            else:
                if not rows:
                    first_line, first_text = passed, line
                rows.append(words)
                if len(rows) == SAMPLE_LINES:
                    return Sample(tuple(rows), tuple(comments), first_line, first_text)
            at = stop  # the line end is passed, and counted, with the blanks before the next line
    return Sample(tuple(rows), tuple(comments), first_line, first_text)


def split_words(line: bytes) -> tuple[str, ...]:
    """The words of a line, separated by blanks, tabs or commas."""
    return tuple(word.decode("utf-8", "replace") for word in line.replace(b",", b" ").split())


def is_comment(words: tuple[str, ...]) -> bool:
    """True for a line that begins with #, %, or the lone letter c."""
    return bool(words) and (words[0][0] in "#%" or words[0] == "c")


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").strip()


def column(numbers: Sequence[Any]) -> NDArray[Any]:
    """Numbers as an (m, 1) array: int32 or int64 if all are integers, else float64."""
    whole = all(isinstance(number, int) for number in numbers)
    return narrowed(np.array(numbers, np.int64 if whole else np.float64))[:, None]


@dataclass(frozen=True, eq=False)
class Parsed:
    """A file's content before its vertices are numbered."""

    arcs: Rows  # ids (m, 2); values (m, 1) the weights, or (m, 0) if there are none
    undirected: bool = False  # whether the format stores one line for both arcs of an edge
    weights_from: str = ""  # origin of the weights, for display; "" if there are none
    header_vertices: int | None = None
    header_arcs: int | None = None
    # possible first ids of vertices counted by a header, the most likely first
    first_ids: tuple[int, ...] = ()
    # vertices listed by the file: ids (n, 1), values (n, 2) their coordinates
    vertices: Rows | None = None
    geographic: bool = False  # whether the coordinates are millionths of a degree
    in_degrees: bool = False  # whether the coordinates are degrees of longitude and latitude
    # if ``vertices`` counts from 0: the real ids, ascending integers; or labels of any
    # kind. () if the ids of ``vertices`` are those of the file
    names: tuple[Hashable, ...] = ()
    # vertices with lower ids are ends of paths only: zones of TNTP
    first_through: int | None = None
    weight_unit: str = ""
    warnings: tuple[str, ...] = ()
    # how columns or attributes were found, and what was left out; None where the
    # format says it all
    interpretation: Interpretation | None = None
    # what else is known of the rows of ``arcs``, (m,) each
    attributes: tuple[ArcColumn, ...] = ()

    @property
    def weights(self) -> NDArray[Any] | None:
        return self.arcs.values[:, 0] if self.weights_from else None


@dataclass(frozen=True)
class Format:
    """A file format: its recognition and its reader, whose last argument says whether
    to read weights.
    """

    title: str
    recognises: Callable[[Sample], bool]
    read: Callable[[Table, Sample, bool], Parsed]


def in_order(
    nodes: Sequence[Any], ends: NDArray[Any], xy: NDArray[Any] | None = None
) -> tuple[tuple[Any, ...], Rows, NDArray[np.int32]]:
    """Names of the vertices, ascending if all are integers, or texts of integers; their
    rows, with coordinates (n, 2); and the ends of arcs, positions among these.

    ``ends``, (m, 2): positions among ``nodes``, as are the rows of ``xy``.
    """
    names: Sequence[Any] = whole_names(nodes)
    count = len(nodes)
    order = np.argsort(names, kind="stable") if names else np.arange(count)
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    places = np.empty((count, 0)) if xy is None else xy[order]
    ordered = [(names or nodes)[position] for position in order.tolist()]
    return tuple(ordered), Rows(np.arange(count)[:, None], places), rank[ends]


def require_plausible_size(file: InputFile, n: int, arcs: int) -> None:
    """Raise `FileFormatError` for no vertices, too many for 32 bits, or far more than
    the arcs could join.
    """
    if n < 1:
        raise file.error("the graph has no vertices")
    if n > _MOST_VERTICES:
        raise file.error(f"{format_count(n)} vertices are too many for 32-bit indices")
    if n > 100 * arcs + 1_000_000:
        reason = (
            f"its header says {format_count(n)} vertices, but it has only {plural(arcs, 'arc')}"
        )
        raise file.error(reason, "The header may be wrong, or the file truncated.")
