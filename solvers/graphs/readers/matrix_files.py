"""Readers of sparse matrices as graphs: Matrix Market files, and
``scipy.sparse.save_npz`` files (CSR, CSC and COO).

Entry (i, j) is an arc from i to j; symmetric Matrix Market files are undirected.
SciPy's `mmread` (1.17) crashes the process on a file that ends within a number and on
binary data, so the lines are read by the parser of other formats.

Pickled objects in ``.npz`` files are never loaded. The arrays are checked first,
because SciPy's compiled conversions trust their indices.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.lib import format as npy

from solvers.errors import FileFormatError, ParameterError, TautpathError
from solvers.graphs.matrices import checked_arcs, ends_of_rows
from solvers.graphs.readers.input_file import CheckedReads, InputFile, ReadingProgress, TextSource
from solvers.graphs.readers.parsed import Parsed, require_plausible_size
from solvers.graphs.readers.table import Layout, Rows, Table, find_row
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.ranges import offsets_of
from solvers.text import plural, quoted

_COMMENTS = b"%"
_SIZES = {
    "coordinate": ("row count", "column count", "entry count"),
    "array": ("row count", "column count"),
}
_VALUE_KINDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_SYMMETRIES = ("general", "symmetric")
_HEADER_HINT = "Expected: %%MatrixMarket matrix coordinate real general, or the like."
_TRUNCATED = "The file may be truncated."

_HINT = "Save it by scipy.sparse.save_npz(path, matrix.tocsr())."
# of memory beside the arrays, until the graph is built; an estimate
_ENTRY_BYTES, _VERTEX_BYTES = 80, 40
_MOST_HEADER = 2**12  # bytes of the description of an array; NumPy writes 128
_SMALL = ("shape.npy", "format.npy")  # arrays that only say what the others are
_MOST_SMALL = 2_000  # bytes of one
# NumPy's; others unpack without limit what is asked of them
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_INDEX_ARRAYS = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
_ARRAYS = {"data", "shape", "format", "indptr", "indices", "row", "col"}
_FAILURES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    KeyError,
)


@dataclass(frozen=True)
class _Header:
    form: str  # "coordinate" or "array"
    has_weights: bool
    symmetric: bool


def read_matrix_market(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a square Matrix Market matrix, sparse or dense; the cells of a dense one
    that are not 0 are arcs.

    Stored zeros are arcs of weight 0. A symmetric matrix gives undirected edges, each
    once.
    """
    header = _header(file, progress)
    with TextSource(file, progress) as source:
        table = Table(source)
        n, entries = _size_by_header(file, table, header)
        arcs = (_dense if header.form == "array" else _sparse)(
            file, table, header, n, entries, weighted
        )
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
        warnings=()
        if header.form == "coordinate"
        else ("A dense matrix: its cells other than 0 are the arcs.",),
    )


def _header(file: InputFile, progress: ReadingProgress) -> _Header:
    with TextSource(file, progress, counted=False) as source:
        first = (
            next(source.blocks(), b"")
            .partition(b"\n")[0]
            .decode("utf-8", "backslashreplace")
            .strip()
        )
    words = first.lower().lstrip("% ").split()[1:]
    if len(words) != 4 or words[0] != "matrix" or words[1] not in _SIZES:
        reason = "the first line is not a header of a matrix"
        raise file.error(reason, line=1, text=first[:100], hint=_HEADER_HINT)
    form, field, symmetry = words[1:]
    if (
        field not in _VALUE_KINDS
        or symmetry not in _SYMMETRIES
        or (form, field) == ("array", "pattern")
    ):
        reason = f"the matrix is {' '.join(words[1:])}"
        hint = "Weights are real: save a general or symmetric real matrix."
        raise file.error(reason[:120], line=1, text=first[:100], hint=hint)
    return _Header(form, field != "pattern", symmetry == "symmetric")


def _size_by_header(file: InputFile, table: Table, header: _Header) -> tuple[int, int]:
    """Number of vertices and of lines that follow."""
    size = table.rows(Layout(_SIZES[header.form], comments=_COMMENTS), limit=1).ids
    if not len(size):
        raise file.error("the line of sizes is missing", _TRUNCATED)
    n, columns, *counted = map(int, size[0])
    if n != columns:
        reason = f"the matrix is {n} × {columns}, not square"
        raise file.error(reason, "Each vertex of a graph has a row and a column.")
    cells = n * (n + 1) // 2 if header.symmetric else n * n
    entries = counted[0] if counted else cells
    require_plausible_size(file, n, entries)
    return n, entries


def _sparse(
    file: InputFile, table: Table, header: _Header, n: int, entries: int, weighted: bool
) -> Rows:
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


def _dense(
    file: InputFile, table: Table, header: _Header, n: int, entries: int, weighted: bool
) -> Rows:
    """The cells other than 0; they are listed column by column, of a symmetric matrix
    from the diagonal down.
    """
    cells = table.rows(Layout(ids=(), values=("cell",), comments=_COMMENTS, summed=True))
    _require_count(file, len(cells), entries, "cell", "cells")
    filled = np.flatnonzero(cells.values[:, 0])
    if header.symmetric:
        begins = offsets_of(np.arange(n, 0, -1))
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
        raise file.error(reason, _TRUNCATED)


def _require_known_vertices(
    file: InputFile, ends: Int64s, n: int, progress: ReadingProgress
) -> None:
    outside = np.flatnonzero(((ends < 1) | (ends > n)).any(axis=1))
    if not len(outside):
        return
    first = int(outside[0])
    with TextSource(file, progress, counted=False) as source:
        line, text = find_row(source, first + 1, _COMMENTS)  # the first row is that of sizes
    reason = f"the entry ({ends[first, 0]}, {ends[first, 1]}) is outside the matrix of {n} × {n}"
    raise file.error(
        reason, line=line, text=text[:100], hint="Rows and columns are counted from 1."
    )


def read_npz(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a square sparse matrix: entry (i, j) is an arc from vertex i to vertex j,
    both counted from 0.
    """
    progress.check()
    with file.open() as handle:
        try:
            archive = zipfile.ZipFile(handle)
        except _FAILURES as error:
            raise _refusal(file, f"the archive is damaged ({error})") from None
        with archive:
            arrays = _arrays(file, archive, progress)
    progress.file_done(file)
    kind = _kind(file, arrays)
    n = _size_of_arrays(file, arrays)
    first, second = (arrays[name] for name in _INDEX_ARRAYS[kind])
    try:
        if kind != "coo":
            rows, first, second = ends_of_rows(first, second)
            if rows != n:
                raise _refusal(file, f"its indptr is of {rows} rows, and the matrix has {n}")
        if kind == "csc":
            first, second = second, first
        tails, heads, values = checked_arcs(n, first, second, arrays["data"])
    except ParameterError as error:
        reason = f"its {error.name} cannot be {error.value}: {error.reason}"
        raise _refusal(file, reason) from None
    return Parsed(
        Rows(
            np.column_stack((tails, heads)),
            values[:, None] if weighted else np.empty((len(tails), 0)),
        ),
        weights_from="the entries" if weighted else "",
        vertices=Rows(np.arange(n)[:, None], np.empty((n, 0))),
    )


def _refusal(file: InputFile, reason: str) -> FileFormatError:
    return file.error(reason, _HINT)


def _arrays(
    file: InputFile, archive: zipfile.ZipFile, progress: ReadingProgress
) -> dict[str, AnyArray]:
    """The arrays of the archive that a sparse matrix has, once it is known that they
    fit into memory.
    """
    members = [
        member for member in archive.infolist() if member.filename.removesuffix(".npy") in _ARRAYS
    ]
    if len({member.filename for member in members}) < len(members):
        raise _refusal(file, "the archive has two arrays of the same name")
    _require_memory(file, sum(member.file_size for member in members))
    found = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        try:
            with archive.open(member) as stream:
                found[name] = _array(stream, member, progress)
        except TautpathError:
            raise
        except Exception as error:  # NumPy lets the errors of Python's parser pass
            message = " ".join(str(error).split())[:120] or type(error).__name__
            raise _refusal(file, f"its array “{name}” cannot be read ({message})") from None
    return found


def _array(stream: IO[bytes], member: zipfile.ZipInfo, progress: ReadingProgress) -> AnyArray:
    """The array of an archive member, up to its end, where the checksum is compared."""
    if member.compress_type not in _PACKINGS:
        raise ValueError("it is compressed by a method that NumPy does not use")
    if member.filename in _SMALL and member.file_size > _MOST_SMALL:
        raise ValueError("it is too large")
    checked = CheckedReads(stream, progress.check)
    array: AnyArray = npy.read_array(checked, max_header_size=_MOST_HEADER)
    if array.ndim > 1 or array.dtype.kind not in "buifcSU":
        raise ValueError(f"it holds {str(array.dtype)[:40]}, which is not a number in a row")
    if checked.read(1):
        raise ValueError("it is longer than its header says")
    return array


def _require_memory(file: InputFile, needed: int) -> None:
    machine.require_memory(f"Reading {quoted(file.path.name)}", needed)


def _kind(file: InputFile, arrays: dict[str, AnyArray]) -> str:
    stated = arrays.get("format")
    kind = (
        "csr"
        if stated is None
        else (stated.tobytes().replace(b"\0", b"").decode("ascii", "replace"))
    )
    missing = [
        name for name in ("data", "shape", *_INDEX_ARRAYS.get(kind, ())) if name not in arrays
    ]
    if stated is None and missing:
        raise _refusal(file, "this .npz archive holds no sparse matrix")
    if kind not in _INDEX_ARRAYS:
        raise _refusal(file, f"the sparse matrix is in the format “{kind[:20]}”, which is not read")
    if missing:
        raise _refusal(file, f"the sparse matrix has no array “{missing[0]}”")
    return kind


def _size_of_arrays(file: InputFile, arrays: dict[str, AnyArray]) -> int:
    shape = arrays["shape"].ravel().tolist()
    if len(shape) != 2 or shape[0] != shape[1] or not isinstance(shape[0], int):
        raise _refusal(file, f"the matrix has the shape {tuple(shape)[:4]}, which is not square")
    n, entries = shape[0], arrays["data"].size
    require_plausible_size(file, n, entries)
    _require_memory(file, n * _VERTEX_BYTES + entries * _ENTRY_BYTES)
    return n
