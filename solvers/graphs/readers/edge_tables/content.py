"""Which files are read as edge tables: Parquet, texts whose columns were chosen, and texts that tell their columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from solvers.errors import ColumnsUnknown, FileFormatError
from solvers.graphs.readers.edge_tables.options import EdgeColumns, TableOptions, find_columns
from solvers.graphs.readers.edge_tables.parquet import PARQUET_MAGIC, parquet_preview, read_parquet
from solvers.graphs.readers.edge_tables.preview import SURE_WEIGHTS, TablePreview
from solvers.graphs.readers.edge_tables.text import read_text, text_preview
from solvers.graphs.readers.formats import Parsed, is_whole
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.osm.content import opened
from solvers.graphs.readers.progress import ReadingProgress

TEXT_TITLE, PARQUET_TITLE = "edge table (CSV)", "edge table (Parquet)"


@dataclass(frozen=True)
class EdgeTable:
    """A file that is read as an edge table.

    Attributes
    ----------
    title : str
    read : callable
        From (bool: whether to read weights) to Parsed.
    """

    title: str
    read: Callable[[bool], Parsed]


def chosen_table(file: InputFile, head: bytes, options: TableOptions, progress: ReadingProgress) -> EdgeTable | None:
    """The table, if the file is Parquet or columns were chosen; else None.

    Raises
    ------
    FileFormatError
        If it cannot be read; `ColumnsUnknown` if Parquet does not tell its columns.
    UnknownName, ParameterError
        For columns that it does not have.
    PackageMissing
    """
    if head.startswith(PARQUET_MAGIC):
        preview = parquet_preview(file)
        columns = _columns(file.path, preview, options)
        parquet = EdgeTable(PARQUET_TITLE, lambda weighted: read_parquet(file, preview, columns, weighted, progress))
        return _telling(parquet, preview, columns, options)
    if opened(head)[0].startswith(PARQUET_MAGIC):
        raise FileFormatError(file.path, "this is a packed Parquet file", hint="Unpack it first.")
    return _text_table(file, text_preview(file, options, progress), options, progress) if options.given else None


def told_table(file: InputFile, first: str, recognised: bool, progress: ReadingProgress) -> EdgeTable | None:
    """The table, if a text tells its columns, by titles or because it has no others; None if it seems to be no table.

    Parameters
    ----------
    file : InputFile
    first : str
        Its first row.
    recognised : bool
        Whether it is an edge list of numbers, which is left to that reader unless titles say that columns differ.

    Raises
    ------
    ColumnsUnknown
        For a table whose columns are to be chosen.
    """
    if not recognised and not any(separator in first for separator in ",;|\t"):
        return None
    options = TableOptions()
    preview = text_preview(file, options, progress)
    if recognised:
        return None if _is_plain(preview) else _text_table(file, preview, options, progress)
    if preview.separator == "blank" or len(preview.titles) < 2 or len(preview.rows) < 2 or not preview.even:
        return None
    return _text_table(file, preview, options, progress)


def _text_table(file: InputFile, preview: TablePreview, options: TableOptions, progress: ReadingProgress) -> EdgeTable:
    columns = _columns(file.path, preview, options)
    text = EdgeTable(TEXT_TITLE, lambda weighted: read_text(file, preview, columns, weighted, progress))
    return _telling(text, preview, columns, options)


def _telling(table: EdgeTable, preview: TablePreview, columns: EdgeColumns, options: TableOptions) -> EdgeTable:
    """The table, whose reading warns of columns that are not read; not if weights or columns were chosen."""

    def read(weighted: bool) -> Parsed:
        parsed = table.read(weighted)
        told = preview.unread(columns) if weighted and not options.columns else ()
        return replace(parsed, warnings=(*parsed.warnings, *told))

    return EdgeTable(table.title, read)


def _columns(path: Path, preview: TablePreview, options: TableOptions) -> EdgeColumns:
    if options.columns:
        return find_columns(options.columns, preview.titles)
    if (guess := preview.guess) is None:
        raise ColumnsUnknown(path, preview.titles)
    return guess


def _is_plain(preview: TablePreview) -> bool:
    """Whether source, target and weight are in the first columns, as the reader of edge lists takes them."""
    named = preview.by_title
    if named is None:
        return True
    elsewhere = named.weight not in (None, 2) and preview.known_titles[named.weight or 0] in SURE_WEIGHTS
    unknown = named.weight is None and len(preview.titles) > 2  # of which the reader of tables tells
    return named.places[:2] == (0, 1) and not elsewhere and not unknown and _has_whole_ends(preview)


def _has_whole_ends(preview: TablePreview) -> bool:
    return all(len(row) > 1 and is_whole(row[0].strip()) and is_whole(row[1].strip()) for row in preview.rows)
