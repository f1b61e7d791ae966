"""Rows of numbers from a text source: drives the compiled parser and reports errors
with line, text and hint.

The rows of a section that extends to the end of the file are parsed on all cores: while
one block is parsed, those after it are, too, by threads. What a thread found is used if
nothing before it changed how the block is to be read; otherwise the block is parsed again.

`find_row` finds one row of a file by its index, with its line number: for messages, and
to look ahead of the reading.
"""

from __future__ import annotations

import math
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graphs.readers import scan
from solvers.graphs.readers.input_file import BLOCK_BYTES, LONGEST_LINE, TextSource
from solvers.graphs.weights import narrowed
from solvers.system.machine import cores
from solvers.system.threads import in_background

_AHEAD = 2  # blocks of about 1 MB that are read ahead, for each core
_NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Layout:
    """The format of the rows of one section of a file."""

    ids: tuple[str, ...]  # names of the id columns, for messages
    values: tuple[str, ...] = ()  # names of the number columns after them
    tag: bytes = b""  # one byte that begins every row; b"" for none
    headers: bytes = b""  # bytes that begin a header line
    comments: bytes = b""  # bytes that begin a comment line
    may_be_padded: bool = True  # whether ids may begin with zeros; else 007 may not be 7
    spanning: bool = False  # whether line ends count as blanks within a row
    ignore_rest: bool = False  # whether text after the last column is skipped instead of refused
    # what must be, b",", or, b" ", be alone between the last column and text that is
    # skipped; b"" for anything
    separator: bytes = b""
    # greatest magnitude of a number; at least 2^53 times 10^22, so that only numbers
    # that Python converts exceed it
    limit: float = np.finfo(np.float64).max
    # true if the last column is added up, so that whole numbers in it should not lose
    # digits: those that do are counted, and refused if they exceed 64 bits in a column
    # without any decimal
    summed: bool = False

    @property
    def example(self) -> str:
        """The expected form of a row, for messages."""
        return " ".join(filter(None, (self.tag.decode(), *self.ids, *self.values)))


@dataclass(frozen=True, eq=False)
class Rows:
    ids: NDArray[Any]  # (k, i) int32 or int64
    values: NDArray[Any]  # (k, v) int32 or int64 if every number is an integer, else float64
    # how many whole numbers in the last column, where it is summed, float64 does not
    # hold exactly
    rounded: int = 0
    first_rounded: int = 0  # the first of them; 0 if there are none

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class _Mode:
    """How a block is read: the layout, and what the rows before it decided."""

    layout: Layout
    as_real: bool  # numbers are stored as float64
    past_header: bool  # the first header line counts, later ones are skipped

    def scan(self, text: NDArray[np.uint8], at: int, room: int, buffers: _Buffers) -> _Scanned:
        """Parse ``text`` from ``at`` on, at most ``room`` rows."""
        layout = self.layout
        ids, whole, real, hard = buffers.of(layout, len(text) - at)
        headers, comments = layout.headers, layout.comments
        if self.past_header:
            headers, comments = b"", comments + headers
        status, at, lines, rows, n_hard, column, fraction = scan.scan_rows(
            text,
            at,
            layout.tag[0] if layout.tag else 0,
            np.frombuffer(headers, dtype=np.uint8),
            np.frombuffer(comments, dtype=np.uint8),
            layout.may_be_padded,
            layout.spanning,
            layout.ignore_rest,
            layout.separator[0] if layout.separator else 0,
            room,
            ids,
            self.as_real,
            whole,
            real,
            hard,
        )
        values = real if self.as_real else whole
        # Python has the hard numbers to convert, one of which may be in an unfinished row
        kept = values[: rows + 1].copy() if n_hard else narrowed(values[:rows])
        return _Scanned(
            status,
            at,
            lines,
            rows,
            column,
            fraction,
            narrowed(ids[:rows]),
            kept,
            hard[:n_hard].copy(),
        )


class _Buffers(threading.local):
    """What the parser writes to, for each thread; newly allocated memory is slow to write to."""

    def __init__(self) -> None:
        self._arrays: tuple[NDArray[Any], ...] = ()

    def of(self, layout: Layout, text_bytes: int) -> tuple[NDArray[Any], ...]:
        """Output arrays for all rows that ``text_bytes`` can contain; a column takes at
        least two bytes.
        """
        n_ids, n_values = len(layout.ids), len(layout.values)
        capacity = text_bytes // (2 * (n_ids + n_values)) + 1
        shapes = ((capacity, n_ids), (capacity, n_values), (capacity, n_values))
        if [one.shape[1] for one in self._arrays[:2]] != [n_ids, n_values] or (
            len(self._arrays[0]) < capacity
        ):
            types = (np.int64, np.int64, np.float64)
            self._arrays = (
                *map(np.empty, shapes, types),
                np.empty((capacity * n_values, 4), dtype=np.int64),
            )
        return self._arrays


@dataclass(frozen=True, eq=False)
class _Scanned:
    """What `scan.scan_rows` found in a block."""

    status: int
    at: int
    lines: int
    rows: int
    column: int
    fraction: bool
    ids: NDArray[Any]
    values: NDArray[Any]
    hard: NDArray[np.int64]  # (k, 4), as of `scan.scan_rows`


@dataclass(frozen=True, eq=False)
class _Block:
    """A block of text, and what a thread finds in it; both None unless one was asked to."""

    text: NDArray[np.uint8]
    mode: _Mode | None = None
    found: Future[_Scanned] | None = None


class Table:
    """Reads a source section by section."""

    def __init__(self, source: TextSource):
        self.source = source
        self._blocks: Iterator[bytes] = source.blocks()
        self._ahead: deque[_Block] = deque()  # blocks that were read before they are needed
        self._failure: FileFormatError | None = None  # of reading the block after them
        self._block = _Block(np.empty(0, dtype=np.uint8))  # that of _text
        self._buffers = _Buffers()
        self._text = self._block.text
        self._at = 0
        self._line = 1  # number of the line that begins at _at
        # line number and text of the first header line read so far
        self.header: tuple[int, str] | None = None

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def line(self) -> int:
        """Number of the next line."""
        return self._line

    def rows(self, layout: Layout, limit: int | None = None) -> Rows:
        """All rows up to the end of the file, or the next ``limit``; `FileFormatError`
        at the first of another form.
        """
        found = _RowBuffer(layout)
        room = _NO_LIMIT if limit is None else limit
        while room > 0 and self._fill(0, self._mode(found) if limit is None else None):
            scanned = self._scan(self._mode(found), limit and room)
            self._keep(scanned, found)
            room -= scanned.rows
            if scanned.status == scan.FULL:
                break
            if scanned.status == scan.HEADER:
                self.header = (self._line, self._take_line())
            elif scanned.status == scan.FRACTION:
                found.as_real = True
            elif scanned.status == scan.WIDE:
                found.as_real = True
                found.widest = self._wide_number(layout, scanned.column)
            elif scanned.status == scan.INCOMPLETE and not self._extend():
                raise self._fault(scan.MISSING, self._at, 0, layout, scanned.column)
        return found.rows(self.source.check)

    def skip_titles(self) -> None:
        """Skip the first line that is neither blank nor a comment, and the lines before it."""
        while self._fill(0):
            self._at, lines = scan.skip_to_row(self._text, self._at, True)
            self._line += lines
            if self._at < len(self._text):
                self._take_line()
                return

    def error(self, line: int, text: str, reason: str, hint: str = "") -> FileFormatError:
        """The error for a line that the caller found to be wrong."""
        return FileFormatError(self.path, reason, line=line, text=text, hint=hint)

    def _extend(self) -> bool:
        """Read the next block if a row continues there; False at the end of the file,
        or if the row is too long.
        """
        begun = len(self._text) - self._at
        return begun <= LONGEST_LINE + BLOCK_BYTES and self._fill(begun + 1)

    def _fill(self, keep: int, ahead: _Mode | None = None) -> bool:
        """Read until at least ``max(1, keep)`` bytes follow ``_at``; False at the end
        of the file. With a mode, threads scan what is read before it is needed.
        """
        while len(self._text) - self._at < max(1, keep):
            block = self._next_block(ahead)
            if block is None:
                return False
            if rest := self._text[self._at :].tobytes():
                block = _Block(np.frombuffer(rest + block.text.tobytes(), dtype=np.uint8))
            self._block, self._text, self._at = block, block.text, 0
        return True

    def _next_block(self, ahead: _Mode | None) -> _Block | None:
        wanted = 1
        if ahead is not None and cores() > 1 and not ahead.layout.spanning:
            wanted += _AHEAD * cores()
        while len(self._ahead) < wanted and self._failure is None:
            try:
                text = next(self._blocks, None)
            except FileFormatError as error:
                self._failure = error  # raised when the rows before it are known to be right
                break
            if text is None:
                break
            bytes_ = np.frombuffer(text, dtype=np.uint8)
            if ahead is None or not self._ahead:  # the first is needed now
                self._ahead.append(_Block(bytes_))
            else:
                found = in_background(ahead.scan, bytes_, 0, _NO_LIMIT, self._buffers)
                self._ahead.append(_Block(bytes_, ahead, found))
        if self._ahead:
            return self._ahead.popleft()
        if self._failure is not None:
            raise self._failure
        return None

    def _mode(self, found: _RowBuffer) -> _Mode:
        return _Mode(found.layout, found.as_real, self.header is not None)

    def _scan(self, mode: _Mode, room: int | None) -> _Scanned:
        found, is_as_asked = self._block.found, self._at == 0 and self._block.mode == mode
        # what no thread has begun is parsed here, so that busy threads are not waited for
        if found is None or found.cancel() or not is_as_asked or room is not None:
            room = _NO_LIMIT if room is None else room
            return mode.scan(self._text, self._at, room, self._buffers)
        return found.result()

    def _keep(self, scanned: _Scanned, found: _RowBuffer) -> None:
        self._convert(scanned, found)
        if scanned.status >= scan.FAULTS:
            raise self._fault(
                scanned.status, scanned.at, scanned.lines, found.layout, scanned.column
            )
        found.fraction = found.fraction or scanned.fraction
        found.keep(scanned.ids, scanned.values[: scanned.rows])
        self._at = scanned.at
        self._line += scanned.lines

    def _convert(self, scanned: _Scanned, found: _RowBuffer) -> None:
        """Convert numbers that the scan could not convert, and count the integers that
        are rounded.
        """
        layout, hard, values = found.layout, scanned.hard, scanned.values
        text = self._text.tobytes() if len(hard) else b""
        for k, (row, column, begin, end) in enumerate(hard.tolist()):
            if k % _CHECKED == 0:
                self.source.check()
            value = float(text[begin:end])
            if not abs(value) <= layout.limit:
                passed = text.count(b"\n", self._at, begin)
                status = scan.BAD_VALUE if math.isinf(value) else _TOO_LARGE
                raise self._fault(status, begin, passed, layout, len(layout.ids) + column)
            values[row, column] = value
            if layout.summed and row < scanned.rows and column == values.shape[1] - 1:
                found.count_rounded(text[begin:end], value)

    def _wide_number(self, layout: Layout, column: int) -> FileFormatError:
        """The error for an integer beyond 64 bits in the row at ``_at``."""
        row = self._text[self._at :].tobytes()
        begin = next(islice(re.finditer(rb"[^\s,]+", row), column + len(layout.tag), None)).start()
        return self._fault(scan.WIDE, self._at + begin, row.count(b"\n", 0, begin), layout, column)

    def _take_line(self) -> str:
        """Read and consume the line at ``_at``."""
        newline = np.flatnonzero(self._text[self._at : self._at + 4096] == ord("\n"))
        if len(newline):
            stop = self._at + int(newline[0])
        else:
            stop = self._at + (self._text[self._at :].tobytes() + b"\n").index(b"\n")
        line = self._text[self._at : stop].tobytes().decode("utf-8", "backslashreplace").strip()
        self._at = min(stop + 1, len(self._text))
        self._line += 1
        return line

    def _fault(
        self, status: int, at: int, lines: int, layout: Layout, column: int
    ) -> FileFormatError:
        text = self._text.tobytes()
        begin = text.rfind(b"\n", 0, at) + 1
        stop = (text + b"\n").index(b"\n", at)
        line = text[begin:stop].decode("utf-8", "backslashreplace").strip()
        token = (
            text[at:stop].decode("utf-8", "backslashreplace").replace(",", " ").split() or [""]
        )[0]
        names = (*layout.ids, *layout.values, "end of the line")
        reason = _REASONS[status].format(
            column=names[min(column, len(names) - 1)],
            token=token if len(token) <= 24 else f"{token[:23]}…",
        )
        return self.error(
            self._line + lines, line, reason, _HINTS.get(status, f"Expected: {layout.example}.")
        )


_CHECKED = 4096  # numbers converted by Python between two checks for cancellation
_TOO_LARGE = 20  # a status beside those of scan
_REASONS = {
    scan.BAD_TAG: "unexpected kind of line",
    scan.MISSING: "the {column} is missing",
    scan.BAD_ID: "the {column} “{token}” is not a vertex number",
    scan.NEGATIVE_ID: "the {column} “{token}” is negative",
    scan.HUGE_ID: "the {column} “{token}” exceeds the range of vertex numbers",
    scan.PADDED_ID: "the {column} “{token}” begins with 0, so that it may be a name",
    scan.BAD_VALUE: "the {column} “{token}” is not a finite number",
    scan.EXTRA: "there is text after the last column: “{token}”",
    scan.SPLIT: "a cell has a blank or a comma in it, before “{token}”",
    scan.WIDE: "the {column} “{token}” is greater than 2^63 - 1, "
    "where sums of whole numbers lose digits",
    _TOO_LARGE: "the {column} “{token}” is too large to be drawn",
}
_HINTS = {
    scan.PADDED_ID: "Choose columns, such as “1,2,3”, with the separator “comma”, “tab” or "
    "“blank”: then ids that differ in their zeros stay apart.",
    scan.SPLIT: "Write numbers with a decimal point and without separators between their digits, "
    "or choose how cells are separated, such as columns “1,2,3” and separator “comma”.",
    scan.WIDE: "Scale the numbers down, "
    "or write them with a decimal point to read them as float64.",
    _TOO_LARGE: "Scale the coordinates down.",
}


class _RowBuffer:
    """Accumulates parsed rows block by block, each in the narrowest type that holds it."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.as_real = False
        self.fraction = False  # whether a number with a point or an exponent was found
        # the error for the first integer past 64 bits, if it is refused
        self.widest: FileFormatError | None = None
        self._rounded, self._first_rounded = 0, 0
        self._parts: list[Rows] = []

    def count_rounded(self, token: bytes, value: float) -> None:
        """Count an integer if ``value``, its float64, differs from it; decimals are not counted."""
        if not token.lstrip(b"+-").isdigit():
            return
        # int() refuses thousands of digits, which leading zeros may make
        whole = int(Decimal(token.decode()))
        if whole != int(value):
            self._rounded += 1
            self._first_rounded = self._first_rounded or whole

    def keep(self, ids: NDArray[Any], values: NDArray[Any]) -> None:
        if len(ids):
            self._parts.append(Rows(ids, values))

    def rows(self, checkpoint: Callable[[], None]) -> Rows:
        """All rows, in the narrowest type that holds every block; blocks are freed as
        they are copied.
        """
        if self.layout.summed and not self.fraction and self.widest is not None:
            raise self.widest
        n_ids, n_values = len(self.layout.ids), len(self.layout.values)
        count = sum(map(len, self._parts))
        id_types = {part.ids.dtype for part in self._parts} or {np.dtype(np.int32)}
        value_types = {part.values.dtype for part in self._parts} or {np.dtype(np.int32)}
        ids = np.empty((count, n_ids), np.result_type(*id_types))
        values = np.empty((count, n_values), np.result_type(*value_types))
        self._parts.reverse()
        begin = 0
        rounded: list[int] = []
        while self._parts:
            part = self._parts.pop()
            end = begin + len(part)
            ids[begin:end], values[begin:end] = part.ids, part.values
            if self.layout.summed and values.dtype.kind == "f" and part.values.dtype == np.int64:
                lost = _rounded(part.values[:, -1], values[begin:end, -1])
                rounded += lost[:1].tolist()
                self._rounded += len(lost)
            begin = end
            checkpoint()
        return Rows(ids, values, self._rounded, rounded[0] if rounded else self._first_rounded)


def _rounded(whole: NDArray[np.int64], real: NDArray[np.float64]) -> NDArray[np.int64]:
    """The integers that differ from their float64."""
    in_range = real < 2.0**63  # 2^63 itself has no int64, and arises by rounding only
    return whole[np.where(in_range, real, 0.0).astype(np.int64) != whole]


def find_row(source: TextSource, index: int, skipped: bytes) -> tuple[int, str]:
    """Line number and stripped text of a row, "" if there is none; ``source`` is new,
    and read up to the row.

    ``index`` counts the lines that are neither blank nor begin with a byte of
    ``skipped``.
    """
    marks = np.frombuffer(skipped, dtype=np.uint8)
    line = 1
    for block in source.blocks():
        at, lines, rows = scan.find_row(np.frombuffer(block, dtype=np.uint8), index, marks)
        line += lines
        index -= rows
        if at < len(block):
            stop = (block + b"\n").index(b"\n", at)
            return line, block[at:stop].decode("utf-8", "backslashreplace").strip()
    return line, ""
