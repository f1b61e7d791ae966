"""Reading graphs from files: the format is recognised by content, never by name."""

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
        DIMACS .gr, SNAP edge list, algs4, PACE or TIGER; plain or gzip.
    coordinates : Path or str, optional
        A DIMACS .co file; sought beside a .gr file where not given.
    undirected : bool, optional
        True stores both arcs of every line; None does as the format says.
    weights : str
        "column" (the file's own, 1 where it has none), "unit", or "random:LO:HI:SEED".
    observer : Observer
        Told of progress, asked whether to stop, at least every 50 ms.

    Raises
    ------
    FileFormatError
        Where the file cannot be read; names the line, the reason and the remedy.
    ParameterError
        For ``weights`` that is none of the three.
    Cancelled
    """
    from solvers.graphs.readers.assemble import read  # numba: only whoever reads a graph pays for it

    return read(Path(path), None if coordinates is None else Path(coordinates), undirected, weights, observer)
