"""A look at a file that may be an edge table, before its columns are chosen."""

from __future__ import annotations

from pathlib import Path

from solvers.errors import FileFormatError
from solvers.graphs.readers.edge_tables.options import TableOptions
from solvers.graphs.readers.edge_tables.parquet import PARQUET_MAGIC, parquet_preview
from solvers.graphs.readers.edge_tables.preview import TablePreview
from solvers.graphs.readers.edge_tables.text import text_preview
from solvers.graphs.readers.exchange.content import exchange_format
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.osm.content import HEAD_BYTES, osm_format
from solvers.graphs.readers.parse import may_be_table
from solvers.graphs.readers.progress import ReadingProgress
from solvers.host.observer import SILENT, Observer


def table_preview(path: Path, options: TableOptions, observer: Observer = SILENT) -> TablePreview | None:
    """The first rows of a file, to choose columns from; None if it is no table, or cannot be read.

    Raises
    ------
    PackageMissing
        For Parquet without pyarrow.
    Cancelled
    """
    if not path.is_file():  # opening a pipe would wait
        return None
    with InputFile(path, observer.checkpoint) as file:
        progress = ReadingProgress(observer, file)
        with file.open() as handle:
            head = handle.read(HEAD_BYTES)
        if head.startswith(PARQUET_MAGIC):
            return parquet_preview(file)
        try:
            if osm_format(path, head) is not None or exchange_format(path, head) is not None:
                return None
            if not may_be_table(file, progress):
                return None
            preview = text_preview(file, options, progress)
        except FileFormatError:  # reading it will say what is wrong
            return None
    return preview if len(preview.titles) > 1 and preview.rows else None
