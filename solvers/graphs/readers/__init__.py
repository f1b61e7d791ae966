"""Graph file readers. The format is recognised by content, not by file name."""

from __future__ import annotations

from pathlib import Path

from solvers.graphs.reading import AS_FOUND, Reading, ReadingOptions, ReadReport, TableOptions
from solvers.system.cancel import SILENT, Progress

__all__ = ["ReadReport", "Reading", "ReadingOptions", "TableOptions", "read_graph"]


def read_graph(
    path: Path | str,
    options: ReadingOptions = AS_FOUND,
    progress: Progress = SILENT,
) -> Reading:
    """Read a graph file.

    Parameters
    ----------
    path : Path or str
        DIMACS .gr, SNAP edge list, algs4, PACE, TIGER, GraphML, GEXF, GML, Pajek,
        node-link JSON or Matrix Market, plain or gzip; a table of edges, CSV, plain or
        gzip, or Parquet; a sparse matrix of SciPy (.npz); an OpenStreetMap extract, PBF
        or XML. It may be a pipe, which is waited for.
    options : ReadingOptions, optional
    progress : Progress
        Receives progress and is checked for cancellation after every megabyte of text
        and slice of arcs.

    Returns
    -------
    Reading
        The graph and the read report.

    Raises
    ------
    FileMissing
    FileFormatError
        If the file cannot be read, changes meanwhile, or holds numbers that would not
        be kept: not finite, whole numbers past 64 bits, coordinates past 1e100.
        `ColumnsUnknown` if the columns of a table have to be chosen, also because
        several may be the weights, or one that was chosen does not exist.
    ParameterError
        If the weights are none of those; `OptionNotApplicable` if an option does not
        apply to the file.
    PackageMissing
        For Parquet without pyarrow.
    UnknownName
        If there is no such profile, separator or attribute.
    OutOfMemory
        If the file needs more memory than is free, before reading if its size shows
        that.
    Cancelled
    """
    # imports all readers: only when needed
    from solvers.graphs.readers.assemble import read

    return read(Path(path), options, progress)
