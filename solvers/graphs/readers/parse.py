"""From a file to its parsed content: recognises the format, by content, and calls its reader.

A reader of an exchange format is imported only for a file of that format. Edge tables
are Parquet, texts whose columns were chosen, and texts with known titles;
`table_preview` looks at a file before its columns are chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np

from solvers.errors import ColumnsUnknown, FileFormatError, UnknownName
from solvers.graphs.directions import Directions
from solvers.graphs.edge_columns import EdgeColumns, TablePreview, find_columns
from solvers.graphs.quantities import is_number, is_whole
from solvers.graphs.readers.edge_list import EDGE_LIST_FORMAT
from solvers.graphs.readers.file_format import (
    HEAD_BYTES,
    PLAIN,
    TABLE,
    TEXT_TABLE,
    FileFormat,
    opened,
)
from solvers.graphs.readers.formats import (
    FORMATS_READ,
    TNTP_START,
    exchange_format,
    network_format,
    require_applicable,
)
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, TextSource
from solvers.graphs.readers.metis import METIS_TITLE, is_metis, read_metis
from solvers.graphs.readers.parsed import Format, Parsed, Sample, read_sample
from solvers.graphs.readers.table import Table
from solvers.graphs.readers.table_files import (
    PARQUET_MAGIC,
    parquet_preview,
    read_parquet,
    read_text,
    refuse_uneven,
    text_preview,
)
from solvers.graphs.readers.text_formats import FORMATS, other_dimacs
from solvers.graphs.reading import ReadingOptions, TableOptions
from solvers.graphs.titles import ends_of
from solvers.system.cancel import SILENT, Progress
from solvers.text import listed, quoted

TEXT_TITLE, PARQUET_TITLE = "edge table (CSV)", "edge table (Parquet)"


@dataclass(frozen=True, eq=False)
class ParsedFile:
    """The content of a file, and the title of its format."""

    title: str
    parsed: Parsed
    # whether the format leaves open if a row is an arc or an undirected edge
    lists_edges: bool = False
    comments: tuple[str, ...] = ()  # the first of an edge list
    has_directions: bool = False  # a table, whose column of directions is read


def parse_file(
    file: InputFile, head: bytes, weighted: bool, options: ReadingOptions, progress: ReadingProgress
) -> ParsedFile:
    """Read a file, whose first bytes are ``head``, of any format except
    those of road networks; errors as for `read_graph`.
    """
    if (exchange := exchange_format(file.path, head)) is not None:
        require_applicable(options, exchange.options, exchange.title)
        return ParsedFile(
            exchange.title,
            _read_exchange(exchange, file, weighted, options, progress),
        )
    if head.startswith(PARQUET_MAGIC):
        require_applicable(options, TABLE, PARQUET_TITLE)
        return _read_table(file, parquet_preview(file), options, weighted, progress)
    if opened(head)[0].startswith(PARQUET_MAGIC):
        raise file.error("this is a compressed Parquet file", "Unpack it first.")
    if options.table.given:
        require_applicable(options, TEXT_TABLE, TEXT_TITLE)
    sample = _sample(file, progress)
    has_problem_line = bool(sample.rows) and sample.rows[0][0] == "p"
    is_table = bool(sample.rows) and not (has_problem_line and _recognised(file, sample))
    if options.table.given and is_table:
        preview = text_preview(file, options.table, progress)
        return _read_table(file, preview, options, weighted, progress)
    if is_metis(file, sample, progress):
        require_applicable(options, PLAIN, METIS_TITLE)
        return ParsedFile(METIS_TITLE, read_metis(file, weighted, progress))
    form = _recognised(file, sample)
    title = "text without attributes" if form is None else form.title
    require_applicable(options, PLAIN, title)
    if form in (None, EDGE_LIST_FORMAT):
        told = _told_table(file, sample, form is not None, weighted, progress)
        if told is not None:
            return _read_table(file, told, options, weighted, progress)
    if form is None:
        raise _unknown(file, sample)
    with TextSource(file, progress) as source:
        parsed = form.read(Table(source), sample, weighted)
    return ParsedFile(title, parsed, form is EDGE_LIST_FORMAT, sample.comments)


def may_be_table(file: InputFile, progress: ReadingProgress) -> bool:
    """Whether a text is of no format with fixed columns: an edge list, or unknown."""
    try:
        sample = _sample(file, progress)
        return not is_metis(file, sample, progress) and _recognised(file, sample) in (
            None,
            EDGE_LIST_FORMAT,
        )
    except FileFormatError:
        return False


def _sample(file: InputFile, progress: ReadingProgress) -> Sample:
    with TextSource(file, progress, counted=False) as source:
        return read_sample(source)


def _recognised(file: InputFile, sample: Sample) -> Format | None:
    """The format of a text; None if it is none of `FORMATS`.

    Raises FileFormatError for a text without rows, and for coordinates.
    """
    if not sample.rows:
        raise file.error("the file is empty or contains only comments")
    if (other := other_dimacs(sample)) is not None:
        raise file.error(*other, line=sample.first_line + 1, text=sample.line)
    for form in FORMATS:
        if form.recognises(sample):
            return form
    return None


def _unknown(file: InputFile, sample: Sample) -> FileFormatError:
    if len(sample.rows) == 1 and ends_of(re.split(r"[,;|\t]", sample.line)):
        reason = "there are titles of columns, and no rows below them"
        return file.error(reason, line=sample.first_line + 1, text=sample.line)
    hint = f"Tautpath reads {listed([form.short for form in FORMATS_READ])}."
    row = sample.rows[0]
    if 2 <= len(row) <= 3 and len({len(row) for row in sample.rows}) == 1 and len(sample.rows) > 1:
        numbers = ",".join(map(str, range(1, len(row) + 1)))
        hint = (
            "If each line is an edge between names with blanks between them, choose columns "
            f"“{numbers}” and the separator “blank”."
        )
    return file.error(
        "this is not the start of a graph file",
        hint,
        line=sample.first_line + 1,
        text=sample.line,
    )


def _read_exchange(
    form: FileFormat,
    file: InputFile,
    weighted: bool,
    options: ReadingOptions,
    progress: ReadingProgress,
) -> Parsed:
    """Read a file of this format, with weights or without."""
    module, _, name = form.reader.partition(".")
    function: Callable[..., Parsed] = getattr(
        import_module(f"solvers.graphs.readers.{module}"), name
    )
    taken = [name for name in ("attribute", "join") if name in form.options]
    return function(file, weighted, progress, *(getattr(options, name) for name in taken))


def _told_table(
    file: InputFile, sample: Sample, recognised: bool, weighted: bool, progress: ReadingProgress
) -> TablePreview | None:
    """The first rows of a text that seems to be a table; None for others.

    A ``recognised`` edge list of numbers is left to its reader, unless titles in the
    first row show that columns differ, and raises `ColumnsUnknown` if it may be a matrix.
    """
    first = sample.rows[0]
    separated = any(mark in sample.line for mark in ",;|\t") or bool(TNTP_START.match(sample.line))
    if not (recognised or separated or all(map(is_number, first)) or ends_of(first)):
        return None
    preview = text_preview(file, TableOptions(), progress)
    if preview.may_be_matrix:
        unclear = f"{preview.unclear(weighted)}; a matrix is read as Matrix Market or .npz"
        raise ColumnsUnknown(file.path, preview.titles, unclear)
    if recognised:
        has_quotes = any('"' in line for line in preview.lines)
        return None if _is_plain(preview) and not has_quotes else preview
    known = bool(preview.pairs)
    is_table = preview.separator != "blank" or known or preview.has_decimal_ids
    if not is_table or len(preview.titles) < 2:
        return None
    if len(preview.rows) < 2 - known:
        return None
    if not preview.even:
        refuse_uneven(file, preview, progress)
    return preview


def _read_table(
    file: InputFile,
    preview: TablePreview,
    options: ReadingOptions,
    weighted: bool,
    progress: ReadingProgress,
) -> ParsedFile:
    """Read a table, with a warning of columns that are not read unless weights or columns
    were chosen; `ColumnsUnknown` if these have to be chosen.
    """
    columns = _columns(file.path, preview, options.table, weighted)
    chosen = bool(options.table.columns)
    directions = preview.directions
    if directions is None or (options.undirected is not None and not _keeps(options, directions)):
        columns = replace(columns, direction=None)
    read = read_text if preview.separator else read_parquet
    parsed = read(file, preview, columns, weighted, progress)
    if not chosen and not preview.is_sure and (unclear := _why_no_edges(parsed)):
        raise ColumnsUnknown(file.path, preview.titles, unclear, "1,2")
    unread = preview.unread(columns) if weighted and not chosen else ()
    found = preview.interpretation(columns, chosen=chosen)
    found = found.keeping(column.name for column in parsed.attributes)
    return ParsedFile(
        TEXT_TITLE if preview.separator else PARQUET_TITLE,
        replace(
            parsed,
            warnings=(*parsed.warnings, *unread),
            interpretation=found,
            weight_unit=found.unit if parsed.weights_from else "",
        ),
        # what has no column of directions may list edges
        lists_edges=columns.direction is None,
        has_directions=columns.direction is not None,
    )


def _why_no_edges(parsed: Parsed) -> str:
    """Why two columns of names without titles may be no edges; "" if they seem to be some."""
    tails, heads = parsed.arcs.ids.T
    if len(np.unique(tails)) == len(tails) and not np.intersect1d(tails, heads).size:
        return "no name is in both columns, so these may be no edges"
    counts = np.bincount(parsed.arcs.ids.ravel())
    if (counts[parsed.arcs.ids[0]] == 1).all():
        return "the first row may hold titles, since its names are in no other"
    return ""


def _keeps(options: ReadingOptions, directions: Directions) -> bool:
    """Whether a column of directions counts beside what the user states: an undirected
    network may have one-way roads.
    """
    return bool(options.undirected) and directions.is_of_roads


def _columns(
    path: Path, preview: TablePreview, options: TableOptions, weighted: bool
) -> EdgeColumns:
    """The columns chosen, or told by the titles; `ColumnsUnknown` if these are not clear."""
    if options.columns:
        try:
            chosen = find_columns(options.columns, preview.titles)
        except UnknownName as error:  # perhaps the table has changed since they were chosen
            example, unclear = (
                preview.example(weighted),
                f"there is no column “{quoted(error.name)}”",
            )
            raise ColumnsUnknown(path, preview.titles, unclear, example) from error
        said = preview.directions
        free = said is not None and not said.unclear and preview.direction not in chosen.places
        return replace(chosen, direction=preview.direction if free else None)
    if not weighted and len(preview.pairs) == 1:
        return EdgeColumns(*preview.pairs[0], direction=preview.direction)
    if (guess := preview.guess) is None:
        raise ColumnsUnknown(
            path, preview.titles, preview.unclear(weighted), preview.example(weighted)
        )
    return guess


def _is_plain(preview: TablePreview) -> bool:
    """Whether source, target and weight are in the first columns, as the reader of edge
    lists takes them, below as many titles, and the ids are no names with leading zeros.
    """
    if any(_has_leading_zero(cell.strip()) for row in preview.rows for cell in row[:2]):
        return False
    if not preview.header:
        return True
    if preview.separator == "comma" and not preview.even:
        return False  # the rest of a row may be the decimals of its weight
    named = preview.by_title
    if named is None:
        return False
    count = len(preview.titles)
    whole = all(is_whole(cell.strip()) for row in preview.rows for cell in row[:2])
    return named.places == tuple(range(count)) and whole and not preview.unit(named)


def _has_leading_zero(cell: str) -> bool:
    return is_whole(cell) and str(int(cell)) != cell


def table_preview(
    path: Path, options: TableOptions, progress: Progress = SILENT
) -> TablePreview | None:
    """The first rows of a file, to choose columns from; None if it is not a table, or
    cannot be read.

    Raises `PackageMissing` for Parquet without pyarrow, and `Cancelled`.
    """
    if not path.is_file():  # opening a pipe would wait
        return None
    with InputFile(path, progress.checkpoint) as file:
        stages = ReadingProgress(progress, file)
        with file.open() as handle:
            head = handle.read(HEAD_BYTES)
        if head.startswith(PARQUET_MAGIC):
            return parquet_preview(file)
        try:
            if network_format(path, head) is not None or exchange_format(path, head) is not None:
                return None
            if not may_be_table(file, stages):
                return None
            preview = text_preview(file, options, stages)
        except FileFormatError:  # reading it will say what is wrong
            return None
    return preview if len(preview.titles) > 1 and preview.rows else None
