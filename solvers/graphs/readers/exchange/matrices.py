"""Reader of Matrix Market files, by SciPy: entry (i, j) is an arc from i to j; symmetric matrices are undirected."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse
from numpy.typing import NDArray

from solvers.errors import FileFormatError, OutOfMemory, printable
from solvers.graphs.readers.exchange.plausible import require_plausible_size
from solvers.graphs.readers.exchange.whole_text import whole_text
from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.table import Rows, narrowed
from solvers.host import machine

TEXT_BYTES = 10.0  # of memory per byte of text, which has 4 bytes per entry or more
_CELL_BYTES = 40  # of memory per cell of a dense matrix
_LINE = re.compile(r"^Line (\d+): (.*)$", re.DOTALL)
_LEAST_LINE = 4  # bytes of an entry: two numbers, a blank and a line end


def read_matrix_market(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a square Matrix Market matrix, sparse or dense; the cells of a dense one that are not 0 are arcs.

    Stored zeros are arcs of weight 0. A symmetric matrix gives undirected edges, each once.

    Raises
    ------
    FileFormatError
        If it is malformed, not square, complex, or has another number of entries than its header says.
    OutOfMemory
    """
    text = whole_text(file, progress, TEXT_BYTES)
    rows, columns, entries, form, field, symmetry = _information(file, text)
    if rows != columns:
        reason = f"the matrix is {rows} × {columns}, not square"
        raise FileFormatError(file.path, reason, hint="Each vertex of a graph has a row and a column.")
    if field == "complex" or symmetry not in ("general", "symmetric"):
        reason = f"the matrix is {field}, {symmetry}"
        raise FileFormatError(file.path, reason, hint="Weights are real: save a general or symmetric real matrix.")
    require_plausible_size(file, rows, entries)
    _require_plausible(file, text, rows, entries, form)
    matrix = _matrix(file, text)
    progress.check()
    tails, heads, values = _entries(matrix, form, symmetry)
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        reason = f"the weight of the entry ({tails[at] + 1}, {heads[at] + 1}) is not a finite number"
        raise FileFormatError(file.path, reason, hint="Leave out pairs without an arc.")
    if values.dtype.kind == "u" and len(values) and int(values.max()) > np.iinfo(np.int64).max:
        at = int(values.argmax())
        reason = f"the weight of the entry ({tails[at] + 1}, {heads[at] + 1}) does not fit into a signed 64-bit integer"
        raise FileFormatError(file.path, reason, hint="Scale the weights down.")
    has_weights = weighted and field != "pattern"
    ends = np.column_stack((tails, heads)).astype(np.int32)
    vertices = Rows(np.arange(1, rows + 1)[:, None], np.empty((rows, 0)))
    return Parsed(
        Rows(ends + 1, narrowed(_signed(values))[:, None] if has_weights else np.empty((len(ends), 0))),
        undirected=symmetry == "symmetric",
        weights_from="the entries" if has_weights else "",
        header_vertices=rows,
        header_arcs=entries if form == "coordinate" else None,
        vertices=vertices,
        warnings=() if form == "coordinate" else ("A dense matrix: its cells other than 0 are the arcs.",),
    )


def _information(file: InputFile, text: bytes) -> tuple[int, int, int, str, str, str]:
    try:
        found: tuple[int, int, int, str, str, str] = scipy.io.mminfo(io.BytesIO(text))
        return found
    except (ValueError, OverflowError, TypeError) as error:
        raise _refusal(file, error) from None


def _matrix(file: InputFile, text: bytes) -> Any:
    try:
        return scipy.io.mmread(io.BytesIO(text), spmatrix=False)
    except (ValueError, OverflowError, TypeError) as error:
        raise _refusal(file, error) from None


def _refusal(file: InputFile, error: Exception) -> FileFormatError:
    said = str(error)
    found = _LINE.match(said)
    line, said = (int(found[1]), found[2]) if found else (None, said)
    reason = f"this Matrix Market file cannot be read ({' '.join(said.split()).rstrip('.')[:120]})"
    return FileFormatError(file.path, reason, line=line, hint="The file may be truncated.")


def _require_plausible(file: InputFile, text: bytes, rows: int, entries: int, form: str) -> None:
    """Refuse a header that promises more than the text holds, and a matrix that would not fit into memory."""
    cells = rows * rows if form == "array" else entries
    least = 2 if form == "array" else _LEAST_LINE
    if form == "coordinate" and cells * least > len(text) + 1:
        reason = f"the header says {entries} entries, which its text of {len(text)} bytes cannot hold"
        raise FileFormatError(file.path, reason, hint="The file may be truncated.")
    needed = rows * _CELL_BYTES + (cells * _CELL_BYTES if form == "array" else 0)
    free = machine.memory().free_bytes
    if needed > free:
        raise OutOfMemory(f"Reading {printable(file.path.name)}", needed, free)


def _entries(matrix: Any, form: str, symmetry: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    if form == "array":
        tails, heads = np.nonzero(matrix)
        values = matrix[tails, heads]
    else:
        tails, heads, values = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":
        once = tails >= heads
        tails, heads, values = tails[once], heads[once], values[once]
    return tails, heads, values


def _signed(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.kind in "fi" else values.astype(np.int64)
