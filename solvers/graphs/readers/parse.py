"""From a file to its parsed content: recognises the format, by content, and calls its reader."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from solvers.errors import FileFormatError
from solvers.graphs.readers import algs4, dimacs, edge_list, pace, tiger
from solvers.graphs.readers.edge_tables.content import PARQUET_TITLE, TEXT_TITLE, chosen_table, told_table
from solvers.graphs.readers.edge_tables.parquet import PARQUET_MAGIC
from solvers.graphs.readers.exchange.content import exchange_format
from solvers.graphs.readers.exchange.metis import METIS_TITLE, is_metis, read_metis
from solvers.graphs.readers.exchange.read import EXCHANGE_FORMATS
from solvers.graphs.readers.file_options import ATTRIBUTED, PLAIN, TABLE, TEXT_TABLE, FileOptions
from solvers.graphs.readers.formats import Format, Parsed, Sample, read_sample
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.source import TextSource
from solvers.graphs.readers.table import Table

FORMATS = (
    pace.FORMAT,
    dimacs.FORMAT,
    tiger.FORMAT,
    algs4.FORMAT,
    edge_list.FORMAT,
)  # in the order tried: strictest recognition first


@dataclass(frozen=True, eq=False)
class ParsedFile:
    """The content of a file.

    Attributes
    ----------
    title : str
        Of its format.
    parsed : Parsed
    lists_edges : bool
        Whether the format leaves open if a row is an arc or an undirected edge.
    comments : tuple of str
        The first comments of an edge list.
    """

    title: str
    parsed: Parsed
    lists_edges: bool = False
    comments: tuple[str, ...] = ()


def parse_file(
    file: InputFile, head: bytes, weighted: bool, options: FileOptions, progress: ReadingProgress
) -> ParsedFile:
    """Read a file of any format but those of OpenStreetMap.

    Parameters
    ----------
    file : InputFile
    head : bytes
        The first bytes of the file.
    weighted : bool
        Whether to read weights.
    options : FileOptions
    progress : ReadingProgress

    Raises
    ------
    FileFormatError, OutOfMemory, PackageMissing, Cancelled
    OptionNotApplicable, ParameterError, UnknownName
        If ``options`` do not apply to the file.
    """
    if (name := exchange_format(file.path, head)) is not None:
        exchange = EXCHANGE_FORMATS[name]
        options.require_applicable(ATTRIBUTED if exchange.has_attributes else PLAIN, exchange.title)
        return ParsedFile(exchange.title, exchange.read(file, weighted, options.attribute, progress))
    if head.startswith(PARQUET_MAGIC):
        options.require_applicable(TABLE, PARQUET_TITLE)
    sample = None
    if options.table.given and not head.startswith(PARQUET_MAGIC):
        options.require_applicable(TEXT_TABLE, TEXT_TITLE)
        sample = _sample(file, progress)
        if sample.rows and sample.rows[0][0] == "p" and (form := _recognised(file.path, sample)) is not None:
            options.require_applicable(PLAIN, form.title)  # what begins with a problem line is no table
    if (table := chosen_table(file, head, options.table, progress)) is not None:
        return ParsedFile(table.title, table.read(weighted), lists_edges=True)
    sample = sample or _sample(file, progress)
    if is_metis(file, sample, progress):
        options.require_applicable(PLAIN, METIS_TITLE)
        return ParsedFile(METIS_TITLE, read_metis(file, weighted, progress))
    form = _recognised(file.path, sample)
    options.require_applicable(PLAIN, "text without attributes" if form is None else form.title)
    if (
        form in (None, edge_list.FORMAT)
        and (table := told_table(file, sample.line, form is not None, progress)) is not None
    ):
        return ParsedFile(table.title, table.read(weighted), lists_edges=True)
    if form is None:
        raise _unknown(file.path, sample)
    with TextSource(file, progress) as source:
        parsed = form.read(Table(source), sample, weighted)
    return ParsedFile(form.title, parsed, form is edge_list.FORMAT, sample.comments)


def may_be_table(file: InputFile, progress: ReadingProgress) -> bool:
    """Whether a text is of no format with fixed columns: an edge list, or unknown."""
    try:
        sample = _sample(file, progress)
        return not is_metis(file, sample, progress) and _recognised(file.path, sample) in (None, edge_list.FORMAT)
    except FileFormatError:
        return False


def _sample(file: InputFile, progress: ReadingProgress) -> Sample:
    with TextSource(file, progress, counted=False) as source:
        return read_sample(source)


def _recognised(path: Path, sample: Sample) -> Format | None:
    """The format of a text; None if it is none of `FORMATS`.

    Raises
    ------
    FileFormatError
        For a text without rows, and for coordinates.
    """
    if not sample.rows:
        raise FileFormatError(path, "the file is empty or contains only comments")
    if sample.rows[0][0] == "v" or (sample.rows[0][0] == "p" and "co" in sample.rows[0]):
        raise FileFormatError(path, "this is a DIMACS coordinates file, not a graph", hint="Open the .gr file instead.")
    for form in FORMATS:
        if form.recognises(sample):
            return form
    return None


def _unknown(path: Path, sample: Sample) -> FileFormatError:
    hint = (
        "Tautline reads DIMACS .gr, edge lists, algs4, PACE p tw, TIGER, GraphML, GEXF, GML, Pajek, node-link JSON, "
        "Matrix Market, .npz, METIS, Parquet and OpenStreetMap files."
    )
    return FileFormatError(
        path, "this is not the start of a graph file", line=sample.first_line + 1, text=sample.line, hint=hint
    )
