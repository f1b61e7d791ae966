"""Reader of Matrix Market files: entry (i, j) is an arc from i to j; symmetric matrices are undirected.

SciPy's reader crashes the process where the last line of a file ends within a number, and in bytes that are no text
(scipy 1.17, `mmread`), so the lines are read by the parser of the other formats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graphs.readers.exchange.plausible import require_plausible_size
from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.row_lookup import find_row
from solvers.graphs.readers.source import TextSource
from solvers.graphs.readers.table import Layout, Rows, Table
from solvers.text import plural

_COMMENTS = b"%"
_SIZES = {
    "coordinate": ("row count", "column count", "entry count"),
    "array": ("row count", "column count"),
}
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_SYMMETRIES = ("general", "symmetric")
_HEADER_HINT = "Expected: %%MatrixMarket matrix coordinate real general, or the like."
_TRUNCATED = "The file may be truncated."


@dataclass(frozen=True)
class _Header:
    form: str  # "coordinate" or "array"
    has_weights: bool
    symmetric: bool


def read_matrix_market(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a square Matrix Market matrix, sparse or dense; the cells of a dense one that are not 0 are arcs.

    Stored zeros are arcs of weight 0. A symmetric matrix gives undirected edges, each once.

    Raises
    ------
    FileFormatError
        If it is malformed, not square, complex, or has another number of entries than its header says.
    """
    header = _header(file, progress)
    with TextSource(file, progress) as source:
        table = Table(source)
        n, entries = _size(file, table, header)
        arcs = (_dense if header.form == "array" else _sparse)(file, table, header, n, entries, weighted)
    if header.form == "coordinate":
        _require_known_vertices(file, arcs.ids, n, progress)
    has_weights = weighted and header.has_weights
    return Parsed(
        arcs,
        undirected=header.symmetric,
        weights_from="the entries" if has_weights else "",
        header_vertices=n,
        header_arcs=len(arcs) if header.form == "coordinate" else None,
        vertices=Rows(np.arange(1, n + 1)[:, None], np.empty((n, 0))),
        warnings=() if header.form == "coordinate" else ("A dense matrix: its cells other than 0 are the arcs.",),
    )


def _header(file: InputFile, progress: ReadingProgress) -> _Header:
    with TextSource(file, progress, counted=False) as source:
        first = next(source.blocks(), b"").partition(b"\n")[0].decode("utf-8", "backslashreplace").strip()
    words = first.lower().split()[1:]
    if len(words) != 4 or words[0] != "matrix" or words[1] not in _SIZES:
        reason = "the first line is no header of a matrix"
        raise FileFormatError(file.path, reason, line=1, text=first[:100], hint=_HEADER_HINT)
    form, field, symmetry = words[1:]
    if field not in _FIELDS or symmetry not in _SYMMETRIES or (form, field) == ("array", "pattern"):
        reason = f"the matrix is {' '.join(words[1:])}"
        hint = "Weights are real: save a general or symmetric real matrix."
        raise FileFormatError(file.path, reason[:120], line=1, text=first[:100], hint=hint)
    return _Header(form, field != "pattern", symmetry == "symmetric")


def _size(file: InputFile, table: Table, header: _Header) -> tuple[int, int]:
    """Number of vertices and of lines that follow."""
    size = table.rows(Layout(_SIZES[header.form], comments=_COMMENTS), limit=1).ids
    if not len(size):
        raise FileFormatError(file.path, "the line of sizes is missing", hint=_TRUNCATED)
    n, columns, *counted = map(int, size[0])
    if n != columns:
        reason = f"the matrix is {n} × {columns}, not square"
        raise FileFormatError(file.path, reason, hint="Each vertex of a graph has a row and a column.")
    cells = n * (n + 1) // 2 if header.symmetric else n * n
    entries = counted[0] if counted else cells
    require_plausible_size(file, n, entries)
    return n, entries


def _sparse(file: InputFile, table: Table, header: _Header, n: int, entries: int, weighted: bool) -> Rows:
    layout = Layout(
        ids=("row", "column"),
        values=("weight",) if header.has_weights and weighted else (),
        comments=_COMMENTS,
        ignore_rest=header.has_weights and not weighted,
        summed=True,
    )
    arcs = table.rows(layout)
    _require_count(file, len(arcs), entries, "entry", "entries")
    return arcs


def _dense(file: InputFile, table: Table, header: _Header, n: int, entries: int, weighted: bool) -> Rows:
    """The cells other than 0; they are listed column by column, of a symmetric matrix from the diagonal down."""
    cells = table.rows(Layout(ids=(), values=("cell",), comments=_COMMENTS, summed=True))
    _require_count(file, len(cells), entries, "cell", "cells")
    filled = np.flatnonzero(cells.values[:, 0])
    if header.symmetric:
        lengths = np.arange(n, 0, -1)
        begins = np.concatenate(([0], np.cumsum(lengths)))
        columns = np.searchsorted(begins, filled, side="right") - 1
        rows = columns + filled - begins[columns]
    else:
        columns, rows = np.divmod(filled, n)
    ends = (np.column_stack((rows, columns)) + 1).astype(np.int32)
    values = cells.values[filled] if weighted else np.empty((len(ends), 0))
    return Rows(ends, values, cells.rounded, cells.first_rounded)


def _require_count(file: InputFile, found: int, expected: int, one: str, many: str) -> None:
    if found != expected:
        reason = f"it has {plural(found, one, many)}; its header says {expected}"
        raise FileFormatError(file.path, reason, hint=_TRUNCATED)


def _require_known_vertices(file: InputFile, ends: NDArray[np.int64], n: int, progress: ReadingProgress) -> None:
    outside = np.flatnonzero(((ends < 1) | (ends > n)).any(axis=1))
    if not len(outside):
        return
    first = int(outside[0])
    with TextSource(file, progress, counted=False) as source:
        line, text = find_row(source, first + 1, _COMMENTS)  # the first row is that of sizes
    reason = f"the entry ({ends[first, 0]}, {ends[first, 1]}) is outside the matrix of {n} × {n}"
    raise FileFormatError(file.path, reason, line=line, text=text[:100], hint="Rows and columns are counted from 1.")
