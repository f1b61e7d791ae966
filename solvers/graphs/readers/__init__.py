"""Graph file readers. The format is recognised by content, not by file name."""

from __future__ import annotations

from pathlib import Path

from solvers.graphs.readers.report import Reading, ReadReport
from solvers.host.observer import SILENT, Observer

__all__ = ["ReadReport", "Reading", "read_graph"]


def read_graph(
    path: Path | str,
    *,
    coordinates: Path | str | None = None,
    undirected: bool | None = None,
    weights: str = "column",
    observer: Observer = SILENT,
) -> Reading:
    """Read a graph file.

    Parameters
    ----------
    path : Path or str
        DIMACS .gr, SNAP edge list, algs4, PACE or TIGER; plain or gzip. It may be a pipe, which is waited for.
    coordinates : Path or str, optional
        A DIMACS .co file; by default the .co file of the same name in the same folder, if there is one.
    undirected : bool, optional
        True stores both arcs of every line, False one; None follows the format.
    weights : str
        "column" (the file's weights, or 1 if it has none), "unit", or "random:LO:HI:SEED".
    observer : Observer
        Receives progress and is checked for cancellation after every megabyte of text and slice of arcs.

    Returns
    -------
    Reading
        The graph and the read report.

    Raises
    ------
    FileFormatError
        If the file cannot be read, changes meanwhile, or holds numbers that would not be kept: not finite, whole
        numbers past 64 bits, coordinates past 1e100. Carries the line, the reason and the remedy.
    ParameterError
        If ``weights`` is none of the three.
    Cancelled
    """
    from solvers.graphs.readers.assemble import read  # imports numba, which is slow: only when needed

    return read(Path(path), None if coordinates is None else Path(coordinates), undirected, weights, observer)
