"""Rows of numbers from a text source: drives the compiled parser and reports errors with line, text and hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graphs.readers import scan
from solvers.graphs.readers.decimals import parse_hard
from solvers.graphs.readers.source import TextSource


@dataclass(frozen=True)
class Layout:
    """The format of the rows of one section of a file.

    Attributes
    ----------
    ids, values : tuple of str
        Names of the id columns and of the number columns after them, for messages.
    tag : bytes
        One byte that begins every row; b"" for none.
    headers, comments : bytes
        Bytes that begin a header line, and bytes that begin a comment line.
    spanning : bool
        True if line ends count as blanks within a row.
    ignore_rest : bool
        True if text after the last column is skipped instead of refused.
    """

    ids: tuple[str, ...]
    values: tuple[str, ...] = ()
    tag: bytes = b""
    headers: bytes = b""
    comments: bytes = b""
    spanning: bool = False
    ignore_rest: bool = False

    @property
    def example(self) -> str:
        """The expected form of a row, for messages."""
        return " ".join(filter(None, (self.tag.decode(), *self.ids, *self.values)))


@dataclass(frozen=True, eq=False)
class Rows:
    """Parsed rows.

    Attributes
    ----------
    ids : (k, i) int32 or int64
    values : (k, v) int32, int64 or float64
        Integers if every number is one.
    """

    ids: NDArray[Any]
    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.ids)


class Table:
    """Reads a source section by section.

    Parameters
    ----------
    source : TextSource

    Attributes
    ----------
    headers : list of (int, str)
        Line number and text of every header line read so far.
    """

    def __init__(self, source: TextSource):
        self._source = source
        self._blocks: Iterator[bytes] = source.blocks()
        self._text = np.empty(0, dtype=np.uint8)
        self._at = 0
        self._line = 1  # number of the line that begins at _at
        self.headers: list[tuple[int, str]] = []

    @property
    def path(self) -> Path:
        return self._source.path

    @property
    def line(self) -> int:
        """Number of the next line."""
        return self._line

    def rows(self, layout: Layout, limit: int | None = None) -> Rows:
        """All rows up to the end of the file, or the next ``limit``.

        Raises
        ------
        FileFormatError
            At the first line that does not match ``layout``.
        """
        found = _RowBuffer(layout)
        room = np.iinfo(np.int64).max if limit is None else limit
        while room > 0 and self._fill(0):
            status, kept, column = self._scan(layout, found, room)
            room -= kept
            if status == scan.FULL:
                break
            if status == scan.HEADER:
                self.headers.append((self._line, self._take_line()))
            elif status == scan.FRACTION:
                found.as_real = True
            elif status == scan.INCOMPLETE and not self._fill(len(self._text) - self._at + 1):
                raise self._fault(scan.MISSING, self._at, 0, layout, column)
        return found.rows(self._source.check)

    def skip_lines(self, count: int) -> None:
        """Skip ``count`` lines."""
        for _ in range(count):
            if self._fill(0):
                self._take_line()

    def error(self, line: int, text: str, reason: str, hint: str = "") -> FileFormatError:
        """The error for a line that the caller found to be wrong."""
        return FileFormatError(self.path, reason, line=line, text=text, hint=hint)

    def _fill(self, keep: int) -> bool:
        """Read until at least ``max(1, keep)`` bytes follow ``_at``; False at the end of the file."""
        while len(self._text) - self._at < max(1, keep):
            block = next(self._blocks, None)
            if block is None:
                return False
            rest = self._text[self._at :].tobytes()
            self._text = np.frombuffer(rest + block if rest else block, dtype=np.uint8)
            self._at = 0
        return True

    def _scan(self, layout: Layout, found: _RowBuffer, room: int) -> tuple[int, int, int]:
        ids, whole, real, hard = found.buffers(len(self._text) - self._at)
        status, at, lines, rows, n_hard, column = scan.scan_rows(
            self._text, self._at, layout.tag[0] if layout.tag else 0, np.frombuffer(layout.headers, dtype=np.uint8),
            np.frombuffer(layout.comments, dtype=np.uint8), layout.spanning, layout.ignore_rest, room,
            ids, found.as_real, whole, real, hard,
        )  # fmt: skip
        for row, value_column, begin, end in hard[:n_hard]:
            real[row, value_column] = parse_hard(self._text, begin, end)
        if found.as_real and not np.isfinite(real[:rows]).all():
            row = int(np.flatnonzero(~np.isfinite(real[:rows]).all(axis=1))[0])
            begin = int(hard[:n_hard][hard[:n_hard, 0] == row][0, 2])
            passed = int(np.count_nonzero(self._text[self._at : begin] == ord("\n")))
            raise self._fault(scan.BAD_VALUE, begin, passed, layout, len(layout.ids))
        if status >= scan.FAULTS:
            raise self._fault(status, at, lines, layout, column)
        found.keep(rows)
        self._at = at
        self._line += lines
        return status, rows, column

    def _take_line(self) -> str:
        """Read and consume the line at ``_at``."""
        newline = np.flatnonzero(self._text[self._at : self._at + 4096] == ord("\n"))
        if len(newline):
            stop = self._at + int(newline[0])
        else:
            stop = self._at + (self._text[self._at :].tobytes() + b"\n").index(b"\n")
        line = self._text[self._at : stop].tobytes().decode("utf-8", "replace").strip()
        self._at = min(stop + 1, len(self._text))
        self._line += 1
        return line

    def _fault(self, status: int, at: int, lines: int, layout: Layout, column: int) -> FileFormatError:
        text = self._text.tobytes()
        begin = text.rfind(b"\n", 0, at) + 1
        stop = (text + b"\n").index(b"\n", at)
        line = text[begin:stop].decode("utf-8", "replace").strip()
        token = (text[at:stop].decode("utf-8", "replace").replace(",", " ").split() or [""])[0]
        names = (*layout.ids, *layout.values, "end of the line")
        reason = _REASONS[status].format(column=names[min(column, len(names) - 1)], token=_cut(token))
        return self.error(self._line + lines, line, reason, f"Expected: {layout.example}.")


_REASONS = {
    scan.BAD_TAG: "unexpected kind of line",
    scan.MISSING: "the {column} is missing",
    scan.BAD_ID: "the {column} “{token}” is not a vertex number",
    scan.NEGATIVE_ID: "the {column} “{token}” is negative",
    scan.HUGE_ID: "the {column} “{token}” exceeds the range of vertex numbers",
    scan.BAD_VALUE: "the {column} “{token}” is not a finite number",
    scan.EXTRA: "there is text after the last column: “{token}”",
}


class _RowBuffer:
    """Accumulates parsed rows block by block, each in the narrowest type that holds it."""

    def __init__(self, layout: Layout):
        self.as_real = False
        self._columns = (len(layout.ids), len(layout.values))
        self._parts: list[Rows] = []
        self._buffers: tuple[NDArray[Any], ...] = ()

    def buffers(self, text_bytes: int) -> tuple[NDArray[Any], ...]:
        """Output arrays for all rows that ``text_bytes`` can contain; a column takes at least two bytes."""
        n_ids, n_values = self._columns
        capacity = text_bytes // (2 * (n_ids + n_values)) + 1
        if not self._buffers or len(self._buffers[0]) < capacity:
            self._buffers = (
                np.empty((capacity, n_ids), dtype=np.int64),
                np.empty((capacity, n_values), dtype=np.int64),
                np.empty((capacity, n_values), dtype=np.float64),
                np.empty((capacity * n_values, 4), dtype=np.int64),
            )
        return self._buffers

    def keep(self, count: int) -> None:
        if count:
            ids, whole, real, _ = self._buffers
            values = real if self.as_real else whole
            self._parts.append(Rows(narrowed(ids[:count]), narrowed(values[:count])))

    def rows(self, checkpoint: Callable[[], None]) -> Rows:
        """All rows, in the narrowest type that holds every block; blocks are freed as they are copied."""
        if not self._parts:
            return Rows(np.empty((0, self._columns[0]), np.int32), np.empty((0, self._columns[1]), np.int32))
        count = sum(map(len, self._parts))
        ids = np.empty((count, self._columns[0]), np.result_type(*{part.ids.dtype for part in self._parts}))
        values = np.empty((count, self._columns[1]), np.result_type(*{part.values.dtype for part in self._parts}))
        self._parts.reverse()
        begin = 0
        while self._parts:
            part = self._parts.pop()
            end = begin + len(part)
            ids[begin:end], values[begin:end] = part.ids, part.values
            begin = end
            checkpoint()
        return Rows(ids, values)


def narrowed(numbers: NDArray[Any]) -> NDArray[Any]:
    """A copy, as int32 if the numbers are integers that all fit, else in the same type."""
    if numbers.dtype.kind != "i":
        return numbers.copy()
    bounds = np.iinfo(np.int32)
    fits = numbers.size == 0 or (numbers.min() >= bounds.min and numbers.max() <= bounds.max)
    return numbers.astype(np.int32 if fits else numbers.dtype)


def _cut(token: str) -> str:
    return token if len(token) <= 24 else token[:23] + "…"
