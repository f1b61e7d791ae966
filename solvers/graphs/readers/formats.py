"""The interface of a file format: the sample it is recognised by, its parsed content,
and words as numbers.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.interpretation import Interpretation
from solvers.graphs.readers.input_file import TextSource
from solvers.graphs.readers.scan import skip_to_row
from solvers.graphs.readers.table import Rows, Table, narrowed

SAMPLE_LINES = 20
COMMENTS = b"#%c"  # a line that begins with one of these is skipped, in every format
# magnitude up to which squares and sums of coordinates stay in the range of float64
GREATEST_COORDINATE = 1e100
_MOST_DIGITS = 18
_INT64 = np.iinfo(np.int64)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
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


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_whole(word: str) -> bool:
    """True for a count or vertex id that fits 64 bits."""
    return word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS


def number_of(value: object) -> int | float | None:
    """A value, or its text, as a number; None if it is not a number, not finite, or an
    integer past 64 bits.
    """
    if isinstance(value, str):
        if _WHOLE.fullmatch(value.strip()):
            value = int(value)
        else:
            try:
                value = float(value) if "_" not in value else None
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if _INT64.min <= value <= _INT64.max else None
    return value if math.isfinite(value) else None


def whole_names(nodes: Sequence[Hashable]) -> list[int]:
    """The nodes as 64-bit integers if all are integers, or all are texts of integers; else []."""
    if all(isinstance(node, int) and not isinstance(node, bool) for node in nodes):
        numbers = [operator.index(node) for node in nodes]  # type: ignore[arg-type]
    elif all(isinstance(node, str) and _WHOLE.fullmatch(node) and node != "-0" for node in nodes):
        numbers = [int(node) for node in nodes]  # type: ignore[call-overload]
    else:
        return []
    return numbers if all(_INT64.min <= number <= _INT64.max for number in numbers) else []


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
    weight_unit: str = ""
    warnings: tuple[str, ...] = ()
    # how columns or attributes were found, and what was left out; None where the
    # format says it all
    interpretation: Interpretation | None = None

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
