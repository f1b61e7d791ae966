"""Graph file readers. The format is recognised by content, not by file name."""

from __future__ import annotations

from pathlib import Path

from solvers.graphs.edge_columns import TableOptions
from solvers.graphs.reading import NetworkOptions, Reading, ReadReport
from solvers.system.cancel import SILENT, Progress

__all__ = ["NetworkOptions", "ReadReport", "Reading", "TableOptions", "read_graph"]


def read_graph(
    path: Path | str,
    *,
    coordinates: Path | str | None = None,
    undirected: bool | None = None,
    weights: str = "column",
    network: NetworkOptions | None = None,
    table: TableOptions | None = None,
    attribute: str = "",
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
    coordinates : Path or str, optional
        A DIMACS .co file; by default the .co file of the same name in the same folder,
        if there is one.
    undirected : bool, optional
        True stores both arcs of every line, False one; None follows the format.
    weights : str
        "column" (the file's weights, or 1 if it has none), "unit", or
        "random:LO:HI:SEED"; for an OpenStreetMap extract also "seconds", the same as
        "column", or "metres".
    network : NetworkOptions, optional
        For an OpenStreetMap extract: who travels, a car by default, and whether to keep
        the largest part only.
    table : TableOptions, optional
        For a table of edges, CSV or Parquet: its columns of source, target and weight,
        if the titles do not show them.
    attribute : str
        For GraphML, GEXF, GML and node-link JSON: the attribute of edges that holds the
        weight; by default "weight" or, without it, the only one called like a length, a
        time or a cost.
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
        If ``weights`` is none of these; `OptionNotApplicable` if an option does not
        apply to the file.
    PackageMissing
        For Parquet without pyarrow.
    UnknownName
        If there is no such profile or attribute.
    OutOfMemory
        If the file needs more memory than is free, before reading if its size shows
        that.
    Cancelled
    """
    # imports numba, which is slow: only when needed
    from solvers.graphs.readers.assemble import read
    from solvers.graphs.reading import FileOptions

    beside = None if coordinates is None else Path(coordinates)
    options = FileOptions(
        table or TableOptions(), network or NetworkOptions(), attribute, weights, undirected, beside
    )
    return read(Path(path), options, progress)
