"""Reader of edge tables in text: CSV and its relatives, with quotation marks, piece by piece."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from itertools import islice

from solvers.errors import FileFormatError, format_bytes, quoted
from solvers.graphs.readers.edge_tables.edges import BadCell, EdgeCollector, weights_of
from solvers.graphs.readers.edge_tables.options import SEPARATORS, EdgeColumns, TableOptions
from solvers.graphs.readers.edge_tables.preview import PREVIEW_ROWS, TablePreview, preview_of
from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.source import LONGEST_LINE, TextSource

_BATCH = 2**13  # rows taken between two checks for cancellation
_PREVIEW_LETTERS = 2**18
_PREVIEW_LINES = 4 * PREVIEW_ROWS  # cells may hold line ends


def text_preview(file: InputFile, options: TableOptions, progress: ReadingProgress) -> TablePreview:
    """The first rows of a text, split as ``options`` or, for what they leave open, the rows themselves say.

    Raises
    ------
    FileFormatError
        If the file cannot be read, or is no UTF-8 text.
    """
    with TextSource(file, progress, counted=False) as source:
        lines: list[str] = []
        for _, line in islice(_table_lines(source), _PREVIEW_LINES):
            lines.append(line)
            if sum(map(len, lines)) > _PREVIEW_LETTERS:
                break
    return preview_of(lines, options)


def read_text(
    file: InputFile, preview: TablePreview, columns: EdgeColumns, weighted: bool, progress: ReadingProgress
) -> Parsed:
    """Read all rows.

    Parameters
    ----------
    preview : TablePreview
        Says how rows are split, and whether the first holds titles.
    columns : EdgeColumns
    weighted : bool
        Whether to read the weights.

    Raises
    ------
    FileFormatError
        At the first row that lacks a cell, or has a weight that is no number; names the line.
    """
    edges = EdgeCollector()
    with TextSource(file, progress) as source:
        position = _Position()
        rows = csv.reader(
            position.follow(_table_lines(source), strip=preview.separator == "blank"),
            delimiter=SEPARATORS[preview.separator],
            skipinitialspace=True,
        )
        try:
            if preview.header:
                next(rows, None)
            while batch := [(position.line, row) for row in islice(rows, _BATCH)]:
                _take(edges, batch, columns, weighted)
                source.check()
        except csv.Error as error:
            reason = f"the row cannot be split ({error})"
            hint = "A quotation mark may not be closed."
            raise FileFormatError(file.path, reason, line=position.line, hint=hint) from None
        except _BadLine as error:
            raise FileFormatError(file.path, error.reason, line=error.line, text=error.text, hint=error.hint) from None
    weight = None if columns.weight is None else preview.titles[columns.weight]
    return edges.parsed(weight_words(weight, preview.header) if weighted and weight is not None else "")


def weight_words(title: str, header: bool) -> str:
    """Where weights come from, for the report."""
    return f"column “{quoted(title.strip(), 60)}”" if header else f"column {title}"


class _BadLine(Exception):
    def __init__(self, line: int, row: list[str], reason: str, hint: str = ""):
        self.line, self.text, self.reason, self.hint = line, ", ".join(row), reason, hint
        super().__init__(reason)


def _take(edges: EdgeCollector, batch: list[tuple[int, list[str]]], columns: EdgeColumns, weighted: bool) -> None:
    batch = [(line, row) for line, row in batch if row]
    try:
        tails, heads = ([row[place].strip() for _, row in batch] for place in (columns.source, columns.target))
        texts = [row[columns.weight] for _, row in batch] if weighted and columns.weight is not None else None
    except IndexError:
        least = max(columns.places) + 1
        line, row = next((line, row) for line, row in batch if len(row) < least)
        raise _BadLine(line, row, f"the row has {len(row)} cells, but column {least} was chosen") from None
    try:
        edges.add(tails, heads, None if texts is None else weights_of(texts))
    except BadCell as bad:
        raise _BadLine(*batch[bad.row], bad.reason, bad.hint) from None


class _Position:
    """Remembers the line that csv has taken last; a cell with line ends takes several."""

    def __init__(self) -> None:
        self.line = 0

    def follow(self, lines: Iterator[tuple[int, str]], *, strip: bool) -> Iterator[str]:
        for self.line, line in lines:
            yield line.strip() if strip else line


def _table_lines(source: TextSource) -> Iterator[tuple[int, str]]:
    """Numbers and texts of lines from the first row on, without blank lines and # comments before it."""
    begun = False
    for number, line in _lines(source):
        begun = begun or bool(line.strip() and not line.startswith("#"))
        if begun:
            yield number, line


def _lines(source: TextSource) -> Iterator[tuple[int, str]]:
    """Numbers and texts of all lines, with their ends."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    number, tail = 0, ""
    for chunk in source.chunks():
        try:
            text = tail + decoder.decode(chunk)
        except UnicodeDecodeError as error:
            wrong = number + chunk.count(b"\n", 0, error.start) + 1
            raise FileFormatError(source.path, "the text is not UTF-8", line=wrong, hint="Save it as UTF-8.") from None
        *whole, tail = text.split("\n")
        for line in whole:
            number += 1
            yield number, line + "\n"
        if len(tail) > LONGEST_LINE:
            reason = f"a line is longer than {format_bytes(LONGEST_LINE)}"
            raise FileFormatError(source.path, reason, line=number + 1, hint="Is it a table?")
    if tail:
        yield number + 1, tail
