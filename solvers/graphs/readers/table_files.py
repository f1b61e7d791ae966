"""Readers of edge tables, piece by piece: text (CSV and its relatives, with quotation
marks) and Parquet.

Parquet is read by pyarrow, only the chosen columns.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.arc_columns import joined, numbers_of
from solvers.graphs.directions import oriented, value_of
from solvers.graphs.edge_columns import PREVIEW_ROWS, EdgeColumns, TablePreview, preview_of, within
from solvers.graphs.quantities import (
    MISSING_WEIGHT,
    OTHER_WEIGHTS,
    BadCell,
    Notation,
    weights_of,
    whole_floats,
    whole_names,
)
from solvers.graphs.readers.input_file import LONGEST_LINE, InputFile, ReadingProgress, TextSource
from solvers.graphs.readers.parsed import Parsed, in_order
from solvers.graphs.readers.table import Rows
from solvers.graphs.reading import SEPARATORS, TableOptions
from solvers.graphs.weights import narrowed
from solvers.system import machine
from solvers.system.array_types import AnyArray
from solvers.system.optional_packages import pyarrow_for
from solvers.text import format_bytes, listed, plural, printable, quoted

# Excel's separator, and metadata of TNTP
_BEFORE_ROWS = re.compile(r"sep=.|<([A-Z ]+)>\s*(\d{0,9}).*", re.IGNORECASE)
_TEXT_ROWS = 2**13  # rows taken between two checks for cancellation
_PREVIEW_LETTERS = 2**18
_PREVIEW_LINES = 4 * PREVIEW_ROWS  # cells may hold line ends

PARQUET_MAGIC = b"PAR1"
_PARQUET_ROWS = 2**16  # rows between two checks for cancellation
_ROW_BYTES = 60.0  # of memory per row while it is read, names apart


def text_preview(file: InputFile, options: TableOptions, progress: ReadingProgress) -> TablePreview:
    """The first rows of a text, split as ``options`` say or, by default, as the rows suggest."""
    with TextSource(file, progress, counted=False) as source:
        lines: list[str] = []
        stated: dict[str, int] = {}
        for _, line in islice(_table_lines(source, stated), _PREVIEW_LINES):
            lines.append(line)
            if sum(map(len, lines)) > _PREVIEW_LETTERS:
                break
    return replace(preview_of(lines, options), stated=stated)


def refuse_uneven(file: InputFile, preview: TablePreview, progress: ReadingProgress) -> None:
    """Raise `FileFormatError` at the first row of a text with another number of cells
    than the titles or, without them, than most rows.
    """
    widths = Counter(map(len, preview.rows))
    width = len(preview.titles) if preview.header else widths.most_common(1)[0][0]
    with TextSource(file, progress, counted=False) as source:
        position = _Position()
        rows = position.rows(source, preview.separator)
        for row in rows:
            if row and len(within(row, width)) != width:
                raise _uneven(file, position.line, row, width, titles=preview.header)


def read_text(
    file: InputFile,
    preview: TablePreview,
    columns: EdgeColumns,
    weighted: bool,
    progress: ReadingProgress,
) -> Parsed:
    """Read all rows; `FileFormatError` at the first that lacks a cell, or has a weight
    that is not a number.
    """
    edges = EdgeCollector(_meanings(preview, columns))
    take = _RowTaker(file, edges, preview, columns, weighted)
    with TextSource(file, progress) as source:
        position = _Position()
        rows = position.rows(source, preview.separator)
        try:
            if preview.header:
                next(rows, None)
            while batch := [(position.line, row) for row in islice(rows, _TEXT_ROWS)]:
                take(batch)
                source.check()
        except csv.Error as error:
            reason = f"the row cannot be split ({error})"
            hint = "A quotation mark may not be closed."
            raise file.error(reason, line=position.line, hint=hint) from None
    weight = None if columns.weight is None else preview.titles[columns.weight]
    parsed = edges.parsed(
        _weight_column(weight, preview.header) if weighted and weight is not None else ""
    )
    stated = preview.stated
    return replace(
        parsed,
        header_vertices=stated.get("NUMBER OF NODES"),
        header_arcs=stated.get("NUMBER OF LINKS"),
        first_through=stated.get("FIRST THRU NODE"),
    )


def _weight_column(title: str, header: bool) -> str:
    """Origin of the weights, for the report."""
    return f"column “{quoted(title.strip(), 60)}”" if header else f"column {title}"


@dataclass(frozen=True)
class _RowTaker:
    """Adds rows of a text to ``edges``."""

    file: InputFile
    edges: EdgeCollector
    preview: TablePreview
    columns: EdgeColumns
    weighted: bool

    @cached_property
    def _notation(self) -> Notation:
        return self.preview.notation(self.columns.weight or 0)

    @cached_property
    def _others(self) -> list[int]:
        return self.preview.numeric(self.columns)

    def __call__(self, batch: list[tuple[int, list[str]]]) -> None:
        """Raise `FileFormatError` at the first that has too few or too many cells, or a bad one."""
        width, columns = len(self.preview.titles), self.columns
        batch = [(line, row) for line, row in batch if row]
        for line, row in batch:
            if len(row) != width and len(within(row, width)) != width:
                raise _uneven(self.file, line, row, width, titles=self.preview.header)
        tails, heads = (
            [row[column].strip() for _, row in batch] for column in (columns.source, columns.target)
        )
        column = columns.direction
        directions = [] if column is None else [row[column] for _, row in batch]
        try:
            weights = None
            if self.weighted and columns.weight is not None:
                weights = weights_of([row[columns.weight] for _, row in batch], self._notation)
            others = {
                self.preview.name(column): numbers_of([row[column] for _, row in batch])
                for column in self._others
            }
            self.edges.add(tails, heads, weights, directions, others)
        except BadCell as bad:
            line, row = batch[bad.row]
            raise self.file.error(bad.reason, bad.hint, line=line, text=", ".join(row)) from None


def _uneven(
    file: InputFile, line: int, row: list[str], width: int, *, titles: bool
) -> FileFormatError:
    others = f"there are {width} titles" if titles else f"others have {width}"
    hint = "Correct the line; a cell with the separator in it stands in quotation marks."
    if row[0].startswith("#"):
        hint = "Remove comments between the rows."
    reason = f"the row has {plural(len(row), 'cell')}, but {others}"
    return file.error(reason, hint, line=line, text=", ".join(row))


class _Position:
    """Remembers the line that csv has taken last; a cell with line ends spans several."""

    def __init__(self) -> None:
        self.line = 0

    def rows(self, source: TextSource, separator: str) -> Iterator[list[str]]:
        """The rows of a text, whose cells are separated by a key of `SEPARATORS`."""
        lines = self._followed(source, strip=separator == "blank")
        return csv.reader(lines, delimiter=SEPARATORS[separator], skipinitialspace=True)

    def _followed(self, source: TextSource, *, strip: bool) -> Iterator[str]:
        for self.line, line in _table_lines(source):
            yield line.strip() if strip else line


def _table_lines(
    source: TextSource, stated: dict[str, int] | None = None
) -> Iterator[tuple[int, str]]:
    """Numbers and texts of lines from the first row on, without blank lines and
    comments (# and %) before it; of TNTP without its marks, ~ before the titles and ; behind
    each row. Numbers in its metadata are put into ``stated``.
    """
    begun = of_tntp = False
    for number, line in _lines(source):
        if not begun and (found := _BEFORE_ROWS.fullmatch(line.strip())):
            of_tntp |= found[1] is not None
            if found[2] and stated is not None:
                stated[found[1].upper()] = int(found[2])
            continue
        if of_tntp:
            line = line.strip().removeprefix("~").removesuffix(";").strip() + "\n"
        begun = begun or bool(line.strip() and not line.startswith(("#", "%")))
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
            raise source.file.error(
                "the text is not UTF-8", line=wrong, hint="Save it as UTF-8."
            ) from None
        *whole, tail = text.split("\n")
        for line in whole:
            number += 1
            yield number, line + "\n"
        if len(tail) > LONGEST_LINE:
            reason = f"a line is longer than {format_bytes(LONGEST_LINE)}"
            raise source.file.error(reason, line=number + 1, hint="Is it a table?")
    if tail:
        yield number + 1, tail


def parquet_preview(file: InputFile) -> TablePreview:
    """The first rows of a file; `FileFormatError` if it is damaged, `PackageMissing`
    without pyarrow.
    """
    with _opened(file) as table:
        titles = tuple(map(str, table.schema_arrow.names))
        batch = next(table.iter_batches(batch_size=PREVIEW_ROWS), None)
        columns = (
            []
            if batch is None
            else [[_cell(value) for value in column.to_pylist()] for column in batch.columns]
        )
    return TablePreview("", True, titles, tuple(zip(*columns, strict=True)))


def read_parquet(
    file: InputFile,
    preview: TablePreview,
    columns: EdgeColumns,
    weighted: bool,
    progress: ReadingProgress,
) -> Parsed:
    """Read all rows; errors as for `parquet_preview`, and `OutOfMemory` before the
    memory is allocated.
    """
    edges = EdgeCollector(_meanings(preview, columns))
    indices = columns.places if weighted else columns.places[:2]
    with _opened(file) as table:
        total = table.metadata.num_rows
        field_of = table.schema_arrow.field
        direction = [] if columns.direction is None else [field_of(columns.direction)]
        others = [k for k in preview.others(columns) if _is_number(field_of(k).type)]
        _require_memory(file, table, (*indices, *others), total)
        fields = [table.schema_arrow.field(index) for index in indices]
        beside = [table.schema_arrow.field(index) for index in others]
        as_text = not all(_is_whole(field.type) for field in fields[:2])
        done = 0
        names = list({field.name: 0 for field in (*fields, *beside, *direction)})
        for batch in table.iter_batches(batch_size=_PARQUET_ROWS, columns=names):
            arrays = [batch.column(batch.schema.get_field_index(field.name)) for field in fields]
            try:
                weights = _weights(file, arrays[2], fields[2].name) if len(arrays) > 2 else None
                tails, heads = (_ids(file, arrays[k], fields[k].name, as_text) for k in (0, 1))
                numbers = {
                    field.name: batch.column(batch.schema.get_field_index(field.name)).to_numpy(
                        zero_copy_only=False
                    )
                    for field in beside
                }
                directions = [
                    value
                    for field in direction
                    for value in batch.column(batch.schema.get_field_index(field.name)).to_pylist()
                ]
                edges.add(tails, heads, weights, directions, numbers)
            except BadCell as bad:
                hint = bad.hint or "Leave out rows without an edge."
                raise file.error(f"row {done + bad.row + 1}: {bad.reason}", hint) from None
            done += batch.num_rows
            progress.read_about(file, done / max(1, total))
    progress.file_done(file)
    return edges.parsed(_weight_column(fields[2].name, True) if len(fields) > 2 else "")


@contextmanager
def _opened(file: InputFile) -> Iterator[Any]:
    """The file for pyarrow, whose failures become errors of the file."""
    parquet = pyarrow_for(f"Reading {printable(file.path.name)}")
    import pyarrow

    if file.size is None:
        reason = "Parquet cannot be read from a pipe, because its description is at the end"
        raise file.error(reason, "Write it to a file first.")
    with file.open() as handle:
        if not _is_complete(handle):
            raise _damaged(file, "its end is missing")
        try:
            yield parquet.ParquetFile(handle)
        except (pyarrow.ArrowException, OSError, IndexError, UnicodeDecodeError) as error:
            raise _damaged(file, " ".join(str(error).split())[:160].rstrip(".")) from None
        file.require_unchanged(handle)


def _is_complete(handle: BinaryIO) -> bool:
    """Whether the file ends as it begins."""
    end = handle.seek(0, io.SEEK_END)
    handle.seek(max(0, end - len(PARQUET_MAGIC)))
    complete = handle.read() == PARQUET_MAGIC and end > 2 * len(PARQUET_MAGIC)
    handle.seek(0)
    return complete


def _damaged(file: InputFile, said: str) -> FileFormatError:
    reason = f"the Parquet file is damaged or cannot be read ({said})"
    return file.error(reason, "Download or copy the file again.")


def _require_memory(file: InputFile, table: Any, columns: tuple[int, ...], rows: int) -> None:
    metadata = table.metadata
    names = {table.schema_arrow.field(column).name for column in columns}
    stored = 0
    for group in range(metadata.num_row_groups):
        chunks = (metadata.row_group(group).column(k) for k in range(metadata.num_columns))
        stored += max(
            0,
            *(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in names),
            0,
        )
    needed, free = int(rows * _ROW_BYTES + stored), machine.memory().free_bytes
    if needed > free:
        remedy = "Leave out columns and rows, or write it in parts."
        raise OutOfMemory(f"Reading {printable(file.path.name)}", needed, free, remedy=remedy)


def _is_whole(kind: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_integer(kind))


def _is_number(kind: Any) -> bool:
    import pyarrow

    return _is_whole(kind) or bool(pyarrow.types.is_floating(kind))


def _ids(file: InputFile, array: Any, name: str, as_text: bool) -> list[Any]:
    """Ids of vertices: integers, or texts."""
    import pyarrow

    kind = array.type.value_type if pyarrow.types.is_dictionary(array.type) else array.type
    is_text = pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
    if pyarrow.types.is_floating(kind):  # as pandas writes a column with a missing number
        with suppress(pyarrow.ArrowInvalid):
            array = array.cast(pyarrow.int64())
            kind = array.type
    if not (is_text or pyarrow.types.is_integer(kind)):
        reason = (
            f"the column “{printable(name)}” holds {array.type}, which cannot be ids of vertices"
        )
        raise file.error(reason, "Choose columns of integers or text.")
    values: list[Any] = array.to_pylist()
    return [None if value is None else str(value) for value in values] if as_text else values


def _weights(file: InputFile, array: Any, name: str) -> NDArray[Any]:
    import pyarrow

    kinds = pyarrow.types
    if array.null_count:
        row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise BadCell(row, MISSING_WEIGHT, f"Correct the cell, {OTHER_WEIGHTS}")
    if kinds.is_decimal(array.type):
        array = array.cast(pyarrow.float64())
    if not (kinds.is_integer(array.type) or kinds.is_floating(array.type)):
        reason = f"the column “{printable(name)}” holds {array.type}, which cannot be weights"
        raise file.error(reason, "Choose a column of numbers.")
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype.kind == "f":
        wrong = np.flatnonzero(~np.isfinite(values))
        reason = "the weight is not a finite number"
    else:
        wrong = (
            np.flatnonzero(values > np.iinfo(np.int64).max)
            if values.dtype.kind == "u"
            else np.empty(0, np.int64)
        )
        reason = "the weight does not fit into 64 bits with a sign"
    if len(wrong):
        raise BadCell(int(wrong[0]), reason)
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def _cell(value: object) -> str:
    return "" if value is None else str(value)


class EdgeCollector:
    """Takes the rows of a table piece by piece; at the end names that are all integers
    become ids, ascending.
    """

    def __init__(self, meanings: Mapping[str, int] = MappingProxyType({})) -> None:
        self._meanings = meanings  # of directions
        self._numbers: dict[Any, int] = {}
        self._ends: list[NDArray[np.int32]] = []
        self._weights: list[NDArray[Any]] = []
        self._along: list[int] = []
        self._others: dict[str, list[AnyArray]] = {}

    def add(
        self,
        tails: Sequence[Any],
        heads: Sequence[Any],
        weights: NDArray[Any] | None,
        directions: Sequence[object] = (),
        others: Mapping[str, AnyArray] = MappingProxyType({}),
    ) -> None:
        """Take some rows, with weights as of `weights_of` and ``others``, numbers of
        columns; raises `BadCell` if an end is missing, or a direction is none.
        """
        for row, cell in enumerate(directions):
            if (along := self._meanings.get(value_of(cell))) is None:
                known = listed([value for value in self._meanings if value])
                reason = f"“{quoted(str(cell), 40)}” is none of the directions {known}"
                raise BadCell(row, reason, "Correct the cell.")
            self._along.append(along)
        number = self._numbers
        ends = np.array(
            [[number.setdefault(name, len(number)) for name in names] for names in (tails, heads)],
            np.int32,
        )
        for missing in ("", None):
            if missing in number:
                row, column = np.argwhere(number[missing] == ends.T)[0].tolist()
                raise BadCell(row, f"the {('source', 'target')[column]} is missing")
        self._ends.append(ends.T)
        if weights is not None:
            self._weights.append(weights)
        for name, numbers in others.items():
            self._others.setdefault(name, []).append(numbers)

    def parsed(self, weights_from: str, warnings: tuple[str, ...] = ()) -> Parsed:
        """All rows as the content of a graph file."""
        ends = np.concatenate(self._ends) if self._ends else np.empty((0, 2), np.int32)
        values, rounded = _joined(self._weights, len(ends))
        nodes = list(self._numbers)
        known: Sequence[Any] = whole_names(nodes)
        if not known and (numbers := whole_floats(nodes)):
            distinct, merged = np.unique(np.array(numbers, np.int64), return_inverse=True)
            ends, known = merged.astype(np.int32)[ends], distinct.tolist()
            warnings += (f"The ids are written as decimals: {nodes[0]} is read as {numbers[0]}.",)
        known = known or [str(node) for node in nodes]
        names, vertices, ends = in_order(known, ends)
        columns = [joined(name, parts) for name, parts in self._others.items()]
        undirected = False
        if self._along:
            rows, turned, undirected = oriented(np.array(self._along), *ends.T)
            ends, values = ends[rows], values[rows]
            ends[turned] = ends[turned, ::-1]
            columns = [column.of_arcs(rows) for column in columns]
        return Parsed(
            Rows(ends, values, len(rounded), int(rounded[0]) if len(rounded) else 0),
            undirected=undirected,
            weights_from=weights_from if self._weights else "",
            vertices=vertices,
            names=names,
            warnings=warnings,
            attributes=tuple(columns),
        )


def _meanings(preview: TablePreview, columns: EdgeColumns) -> Mapping[str, int]:
    said = preview.directions
    return {} if said is None or columns.direction is None else said.meanings


def _joined(parts: Sequence[NDArray[Any]], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All weights as (m, 1), or (m, 0) without any; and the integers that lose digits
    because others are decimals.
    """
    if not parts:
        return np.empty((count, 0)), np.empty(0, np.int64)
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i"}:
        return narrowed(np.concatenate(parts))[:, None], np.empty(0, np.int64)
    integers = (
        number
        for part in parts
        if part.dtype.kind != "f"
        for number in part.tolist()
        if type(number) is int
    )
    lost = np.array([number for number in integers if int(float(number)) != number], np.int64)
    return np.concatenate([part.astype(np.float64) for part in parts])[:, None], lost
