"""Readers of sparse matrices as graphs: Matrix Market files, and
``scipy.sparse.save_npz`` files (CSR, CSC and COO).

Entry (i, j) is an arc from i to j; symmetric Matrix Market files are undirected.
SciPy's `mmread` (1.17) crashes the process on a file that ends within a number and on
binary data, so the lines are read by the parser of other formats.

Pickled objects in ``.npz`` files are never loaded. The arrays are checked first,
because SciPy's compiled conversions trust their indices.
"""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, TextSource
from solvers.graphs.readers.parsed import Parsed, require_plausible_size
from solvers.graphs.readers.table import Layout, Rows, Table, find_row
from solvers.graphs.weights import narrowed
from solvers.system import machine
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
_PIECE = 2**22  # bytes
_MOST_HEADER = 2**12  # bytes of the description of an array; NumPy writes 128
_SMALL = {"shape": 1_000, "format": 1_000}  # most bytes of arrays that only say what the others are
# NumPy's; others unpack without limit what is asked of them
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_INDEX_ARRAYS = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
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
    words = first.lower().split()[1:]
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
        raise file.error(reason, _TRUNCATED)


def _require_known_vertices(
    file: InputFile, ends: NDArray[np.int64], n: int, progress: ReadingProgress
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
    values = _weights(file, arrays["data"])
    n = _size_of_arrays(file, arrays)
    tails, heads = _ends(file, arrays, kind, n)
    if len(values) != len(tails):
        raise _refusal(file, f"it has {len(tails)} positions of entries, but {len(values)} values")
    return Parsed(
        Rows(
            np.column_stack((tails, heads)).astype(np.int32),
            values if weighted else np.empty((len(tails), 0)),
        ),
        weights_from="the entries" if weighted else "",
        vertices=Rows(np.arange(n)[:, None], np.empty((n, 0))),
    )


def _refusal(file: InputFile, reason: str) -> FileFormatError:
    return file.error(reason, _HINT)


def _arrays(
    file: InputFile, archive: zipfile.ZipFile, progress: ReadingProgress
) -> dict[str, NDArray[Any]]:
    """The arrays of the archive that a sparse matrix has, once it is known that they
    fit into memory.
    """
    wanted = {
        f"{name}.npy": name
        for name in ("data", "shape", "format", "indptr", "indices", "row", "col")
    }
    members = [member for member in archive.infolist() if member.filename in wanted]
    if len({member.filename for member in members}) < len(members):
        raise _refusal(file, "the archive has two arrays of the same name")
    free = machine.memory().free_bytes
    what = f"Reading {quoted(file.path.name)}"
    found: dict[str, NDArray[Any]] = {}
    needed = 0
    for read in (False, True):
        for member in members:
            name = wanted[member.filename]
            with _failures_named(file, name), archive.open(member) as stream:
                description = _described(stream, member, name)  # type: ignore[arg-type]
                entries = description.count if name not in _SMALL else 0
                needed += (
                    0 if read else description.nbytes + entries * (name == "data") * _ENTRY_BYTES
                )
                if read:
                    found[name] = description.read(stream, progress)  # type: ignore[arg-type]
        if needed > free:
            raise OutOfMemory(what, needed, free)
    return found


@contextmanager
def _failures_named(file: InputFile, name: str) -> Iterator[None]:
    """Failures of an array's archive member as errors of the file."""
    try:
        yield
    except _FAILURES as error:
        message = " ".join(str(error).split())[:120] or type(error).__name__
        raise _refusal(file, f"its array “{name}” cannot be read ({message})") from None


@dataclass(frozen=True)
class _Description:
    """What the header of an array says, which agrees with the size of its archive member."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.count * self.dtype.itemsize

    def read(self, stream: BinaryIO, progress: ReadingProgress) -> NDArray[Any]:
        """The values that follow the header; EOFError if there are fewer."""
        content = np.empty(self.nbytes, np.uint8)
        done = 0
        while done < len(content):
            piece = stream.read(min(_PIECE, len(content) - done))
            if not piece:
                raise EOFError("it is truncated")
            content[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
            progress.check()
        stream.read(1)  # past the end, where the checksum is compared
        return content.view(self.dtype).reshape(self.shape)


def _described(stream: BinaryIO, member: zipfile.ZipInfo, name: str) -> _Description:
    """The header of an array in NumPy's format; ValueError if it is damaged, or the
    array holds objects.
    """
    if member.compress_type not in _PACKINGS:
        raise ValueError("it is compressed by a method that NumPy does not use")
    version = npy.read_magic(stream)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, _, dtype = read_header(stream, max_header_size=_MOST_HEADER)
    except Exception:  # NumPy's parser lets the errors of Python's tokenizer and parser pass
        raise ValueError("its header is damaged") from None
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    if len(shape) > 1:
        raise ValueError(f"it has {len(shape)} dimensions")
    if not dtype.itemsize or dtype.kind not in "buifcSU" or min(shape, default=0) < 0:
        raise ValueError(f"it holds {str(dtype)[:40]}, which is not a number")
    found = _Description(shape, dtype)
    if found.nbytes > _SMALL.get(name, found.nbytes):
        raise ValueError("it is too large")
    if stream.tell() + found.nbytes != member.file_size:
        raise ValueError("it is truncated, or longer than its header says")
    return found


def _kind(file: InputFile, arrays: dict[str, NDArray[Any]]) -> str:
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


def _size_of_arrays(file: InputFile, arrays: dict[str, NDArray[Any]]) -> int:
    shape = arrays["shape"].ravel().tolist()
    if len(shape) != 2 or shape[0] != shape[1] or not isinstance(shape[0], int):
        raise _refusal(file, f"the matrix has the shape {tuple(shape)[:4]}, which is not square")
    n = shape[0]
    require_plausible_size(file, n, arrays["data"].size)
    needed, free = n * _VERTEX_BYTES, machine.memory().free_bytes
    if needed > free:
        raise OutOfMemory(f"Reading {quoted(file.path.name)}", needed, free)
    return n


def _ends(
    file: InputFile, arrays: dict[str, NDArray[Any]], kind: str, n: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = (arrays[name] for name in _INDEX_ARRAYS[kind])
    if any(array.dtype.kind not in "iu" or array.ndim != 1 for array in (first, second)):
        raise _refusal(file, "its indices are not integers")
    if kind != "coo":
        rows = first.astype(np.int64)
        if (
            len(rows) != n + 1
            or rows[0] != 0
            or (np.diff(rows) < 0).any()
            or rows[-1] != len(second)
        ):
            raise _refusal(
                file,
                "its indptr does not start with 0, decreases, or does not end with the last entry",
            )
        first = np.repeat(np.arange(n), np.diff(rows))
    for array in (first, second):
        if len(array) and (array.min() < 0 or array.max() >= n):
            raise _refusal(file, f"an index is out of the range 0 to {n - 1}")
    if len(first) != len(second):
        raise _refusal(file, f"it has {len(first)} rows of entries, but {len(second)} columns")
    return (second, first) if kind == "csc" else (first, second)


def _weights(file: InputFile, data: NDArray[Any]) -> NDArray[Any]:
    if data.dtype.kind not in "buif" or data.ndim != 1:
        raise _refusal(file, f"its values are {data.dtype.name}, not real numbers in a row")
    if data.dtype.kind == "f":
        with np.errstate(over="ignore"):  # of types wider than 64 bits
            numbers = data.astype(np.float32 if data.dtype.itemsize <= 4 else np.float64)
        if not np.isfinite(numbers).all():
            raise _refusal(
                file, "a weight is not a finite 64-bit number; leave out pairs without an arc"
            )
        return numbers[:, None]
    if data.dtype.kind == "u" and data.size and int(data.max()) > np.iinfo(np.int64).max:
        raise _refusal(file, "a weight does not fit into a signed 64-bit integer")
    return narrowed(data.astype(np.int64))[:, None]
